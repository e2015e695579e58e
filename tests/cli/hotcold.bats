#!/usr/bin/env bats
# --mode hotcold: what threads do with all of their time, on recordings whose answers are known, and on
# what the scheduler says of a real one.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

head_of()
{
	cat <<-'END'
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	tracepoint name=sched:sched_waking id=318 fields=comm:16,pid:4,prio:4,target_cpu:4
	attr name=cpu-clock type=1 config=0 period=100 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=3 flags=sample_id_all,comm_exec
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all
	attr name=sched:sched_waking type=2 config=318 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all
	comm pid=7 name=app time=1
	comm pid=8 name=other time=1
	END
}

# switch TIME PREV STATE NEXT
switch()
{
	echo "sample event=sched:sched_switch pid=$2 time=$1 period=1 chain=K,0xffffffff80000001,U,0x11,0x22" \
		"fields=prev_pid:$2,prev_state:$3,next_pid:$4"
}

# waking TIME WAKER WOKEN
waking()
{
	echo "sample event=sched:sched_waking pid=$2 time=$1 period=1 chain=U,0x33 fields=pid:$3"
}

# runs TIME PID ADDRESS
runs()
{
	echo "sample event=cpu-clock pid=$2 time=$1 period=100 chain=U,$3,0x22"
}

# app: 100 on, 300 off, 60 of them in the queue, 250 on without a sample, 10 preempted, 50 on, gone; other:
# 10 on, then off until the end.
a_life()
{
	switch 1000 0 0 7
	runs 1040 7 0x11
	runs 1100 7 0x44
	switch 1100 7 1 0
	waking 1340 8 7
	switch 1400 0 0 7
	switch 1650 7 0 8 # preempted
	switch 1660 8 1 7
	runs 1710 7 0x44
	switch 1710 7 0x10 0 # gone
}

recorded()
{
	{ head_of; cat; } >x.pd
	"$build" -o x.data x.pd
}

# mode NAME OPTION...: found, without what is below the functions
mode()
{
	local name=$1

	shift
	fold --addrs -q --mode "$name" "$@" x.data >x.folded || return 1
	sed -E 's/\[unknown <f*([0-9a-f]+)>\]/\1/g; s/22;11;-;80000001/A/' x.folded | sort >found
}

says()
{
	printf '%s\n' "$@" | sort | diff found -
}

@test "all time of a thread is on a processor, off it, or in its queue" {
	a_life | recorded
	mode hotcold
	says "[off-CPU];app;A 240" "[on-CPU];app;22;11 40" "[on-CPU];app;22;44 360" "[on-CPU];other;[no sample] 10" \
		"[off-CPU];other;A 50" "[runqueue];app;A 70"
	# The life of app, and as long as other ran
	[ "$(awk '/app/ { sum += $NF } END { print sum }' x.folded)" -eq 710 ]
}

@test "the three forms have the same times" {
	a_life | recorded
	mode hotcold-mixed
	says "app;A;[off-CPU] 240" "app;22;11;[on-CPU] 40" "app;22;44;[on-CPU] 360" "other;[no sample];[on-CPU] 10" \
		"other;A;[off-CPU] 50" "app;A;[runqueue] 70"
	mode hotcold-integrated
	says "app;A 310" "app;22;11 40" "app;22;44 360" "other;[no sample] 10" "other;A 50"
}

@test "what is open at the end counts up to it" {
	{ runs 1000 7 0x11; runs 1100 7 0x11; switch 1150 7 1 8; runs 1200 8 0x33; runs 1300 8 0x33; } | recorded
	mode hotcold
	says "[on-CPU];app;22;11 150" "[off-CPU];app;A 150" "[on-CPU];other;22;33 150"
}

@test "frames are coloured by their share on a processor" {
	a_life | recorded
	"$flamefold" -q --addrs --mode hotcold-integrated -o x.svg x.data
	grep -o '<title>[^<]*' x.svg | grep -q 'all (770 ns, 100%; on-CPU 53 %)'
	grep -o '<title>[^<]*' x.svg | grep -q '22&gt;\] (710 ns, [0-9.]*%; on-CPU 56 %)'
	grep -o '<title>[^<]*' x.svg | grep -q '44&gt;\] (360 ns, 46.75%; on-CPU 100 %)'
	grep -q 'data-ratio-names="\[on-CPU\]/weight"' x.svg
	grep -q 'data-ratio-share="1"' x.svg
	# as a picture says it again
	"$flamefold" -q -o y.svg x.svg
	diff <(grep -o '<title>[^<]*(.*<' x.svg) <(grep -o '<title>[^<]*(.*<' y.svg)
}

@test "filters ask the thread whose time it is" {
	a_life | recorded
	mode hotcold --only comm=other
	says "[on-CPU];other;[no sample] 10" "[off-CPU];other;A 50"
	mode hotcold --drop comm=other
	[ "$(awk '{ sum += $NF } END { print sum }' x.folded)" -eq 710 ]
}

@test "threads do not matter, nor does the form of the file" {
	for i in {1..40}; do a_life | sed -E "s/time=([0-9]+)/time=$i\1/"; done | recorded
	mode hotcold --threads 1
	cp found one
	mode hotcold --threads 4
	cmp found one
	"$flamefold" fold --addrs -q --mode hotcold - <x.data >piped
	sort piped | cmp - <(sort x.folded)
}

@test "switches that a rate has left out are told of" {
	a_life | recorded
	sed -i 's/^attr name=sched:sched_switch/& flags_freq=1/; s/flags_freq=1//' x.pd
	sed -i 's/ids=1 flags=sample_id_all/ids=1 period=999 flags=sample_id_all,freq/; s/time=1650 period=1 /time=1650 period=4 /' x.pd
	"$build" -o x.data x.pd
	fold --addrs --mode hotcold x.data >/dev/null 2>err
	grep -q '3 events of the mode came and were not recorded, for -F is a rate of all events' err
}

@test "an event that is missing is named with those that are there" {
	{ echo 'attr name=cpu-clock type=1 config=0 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=1'
	  echo 'sample pid=7 time=5 chain=U,0x11'; } >x.pd
	"$build" -o x.data x.pd
	run fold --mode hotcold x.data
	[[ $output == *"-e 'sched:sched_switch' -e 'sched:sched_waking' -e 'cpu-clock' records it"* ]]
}

# From the first to the last event of each thread that ends: what perf script says of them, by tid. Not of those
# of which a switch is missing, as a machine can hide those of some threads.
lives()
{
	perf script -i "$1" -F tid,time,event,trace 2>/dev/null | awk '
		function seen(tid, time, now) {
			if (!(tid in first)) first[tid] = time
			last[tid] = time
			odd[tid] += is[tid] == now && now != "sample" || is[tid] == "off" && now == "sample"
			if (now != "sample") is[tid] = now
		}
		{ time = $2 + 0; tid = $1 + 0 }
		/sched_switch/ {
			match($0, /prev_pid=[0-9]+/); prev = substr($0, RSTART + 9, RLENGTH - 9)
			match($0, /next_pid=[0-9]+/); next_one = substr($0, RSTART + 9, RLENGTH - 9)
			seen(prev, time, "off"); seen(next_one, time, "on")
			if (/prev_state=[XZ]/) gone[prev] = 1
			# One that ends has no number any more.
			else if (tid < 0) odd[prev]++
		}
		/cpu-clock/ && tid { seen(tid, time, "sample") }
		END { for (tid in gone) if (tid > 0 && !odd[tid]) printf "%d %d\n", tid, (last[tid] - first[tid]) * 1e9 }'
}

@test "hot and cold and in the queue are the life of a thread, within 1 %" {
	[ "$(id -u)" -eq 0 ] || skip "switches of all threads are for root"
	need_fields_by_perf
	perf record -q -o x.data -C 0 -e cpu-clock/freq=999/ -e sched:sched_switch -e sched:sched_waking -g -- \
		taskset -c 0 sh -c 'for i in 1 2 3 4 5 6; do ls -lR /usr/lib/python3 >/dev/null; sleep 0.05; done & for i in 1 2 3; do sleep 0.1; done; wait' 2>err ||
		skip "perf cannot: $(head -c 200 err)"
	"$flamefold" fold -q --tid --mode hotcold x.data |
		sed -E 's/^[^;]*;[^;]*-[0-9]+\/([0-9]+);.* ([0-9]+)$/\1 \2/' |
		awk '{ sum[$1] += $2 } END { for (tid in sum) printf "%d %d\n", tid, sum[tid] }' | sort >found
	lives x.data | sort >lives
	[ "$(wc -l <lives)" -ge 5 ]
	# perf prints microseconds
	join lives found | awk '{ d = $2 - $3; if (d < 0) d = -d; if (d > $2 / 100 + 2000) { print; bad = 1 } n++ }
		END { exit bad || n < 5 }'
}
