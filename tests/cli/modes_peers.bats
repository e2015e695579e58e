#!/usr/bin/env bats
# What modes say, and what other tools would have said of the same recording by their rules: equal where those
# are right. Where they are not, a test says why.
bats_require_minimum_version 1.5.0

load events
load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# scheduled: x.data and text, of processes that wait for one another, for time and for a processor.
scheduled()
{
	need_mode_events
	need_perf
	need_fields_by_perf
	perf record -q -o x.data -e sched:sched_switch -e sched:sched_waking -a -m 1024 -g -- \
		sh -c 'for i in 1 2 3 4 5 6; do (sleep 0.0$i; sleep 0.02 | cat) & done; wait; ls -R / 2>/dev/null | head -n 3000' >list 2>err ||
		skip "perf may not record: $(head -n 1 err)"
	[ "$("$flamefold" info -q --format=json x.data | jq .lost)" -eq 0 ] || skip "perf has lost records"
	perf script --ns -i x.data -F comm,tid,pid,time,event,trace,ip,sym >text 2>err
}

# by_rules TOOL MODE [OPTION... -- OPTION...]: options of flamefold, then those of the tool
by_rules()
{
	local tool=$1 mode=$2 options=()

	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift $(($# > 0))
	"$flamefold" fold -q --mode "$mode" "${options[@]}" -o x.folded x.data
	echo "$tool $*"
	"$BATS_TEST_DIRNAME/bcc_rules.py" "$tool" x.folded "$@" <text
}

@test "offcputime: equal, but that preempted, dead and idle threads do not wait" {
	scheduled
	by_rules offcputime offcpu
	by_rules offcputime offcpu --only state=S -- --state S
	# bcc's -m, whose times are cut to microseconds.
	by_rules offcputime offcpu --only duration=1ms.. -- --min 1000
}

@test "wakeuptime: equal, but that an interrupt is not the task that it came upon" {
	scheduled
	by_rules wakeuptime wakeup
}

@test "offwaketime: equal, but that the first waker ends a wait, not the last, nor one of another wait" {
	scheduled
	by_rules offwaketime offwake
}

# written_through OPTION...: x.data of a dd that writes 6 MB, and waits for the disk in the end
written_through()
{
	file=$root/build/modes_peers.$$
	perf record -q -C 0 -m 1024 -o x.data -g "$@" -- taskset -c 0 dd if=/dev/zero of="$file" bs=64k count=100 conv=fsync 2>err || {
		rm -f "$file"
		skip "perf may not record: $(head -n 1 err)"
	}
	rm -f "$file"
}

@test "perf trace -s: the time in each system call is the same, to its last digit" {
	local name number total seen tid count=0

	need_mode_events
	need_perf
	need_fields_by_perf
	written_through -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit
	# Of what became dd: a call, and its milliseconds.
	perf trace -s -i x.data >summary 2>&1
	tid=$(sed -n 's/^ dd (\([0-9]*\)), .* events, .*/\1/p' summary)
	awk '/^ [^ ].* events, / { mine = $1 == "dd" } mine && NF == 8 && $1 ~ /^[a-z]/ { print $1, $4 }' summary >calls
	[ -s calls ] || skip "perf trace cannot read what perf records"
	for name in fsync write read openat close; do
		number=$(printf '#include <sys/syscall.h>\nSYS_%s\n' $name | "${CC:-cc}" -E - | tail -n 1)
		total=$(awk -v name=$name '$1 == name { print $2 }' calls)
		[ -n "$total" ] || continue
		"$flamefold" fold -q --only tid="$tid" -o x.folded x.data \
			--pair "start raw_syscalls:sys_enter if id == $number; end raw_syscalls:sys_exit; weight t"
		seen=$(total x.folded)
		echo "$name: $total ms, $seen ns"
		near "$total" "$(awk -v ns="$seen" 'BEGIN { printf "%.6f", ns / 1e6 }')" 0.00051
		count=$((count + 1))
	done
	[ "$count" -ge 4 ]
	# All of them are what the mode says.
	"$flamefold" fold -q --mode syscalls --only tid="$tid" -o x.folded x.data
	near "$(awk '{ n += $2 } END { print n }' calls)" "$(awk -v ns="$(total x.folded)" 'BEGIN { printf "%.6f", ns / 1e6 }')" 0.02
}

@test "statistics of the disk: requests take as long" {
	local disk

	need_mode_events
	[ -e /sys/kernel/tracing/events/block/block_io_start ] || skip "no events of disks that begin a request"
	file=$root/build/modes_peers.$$
	# shellcheck disable=SC2016 # for that shell
	record -q --mode blockio -a -g fp -m 8M -o x.folded -- sh -c 'cat /proc/diskstats >before
		dd if=/dev/zero of="$1" bs=1M count=100 oflag=direct; dd if="$1" of=/dev/null bs=1M iflag=direct
		cat /proc/diskstats >after' sh "$file" 2>err
	rm -f "$file"
	# Of disks, not of their parts, nor of what is made of disks: milliseconds of reads, writes and discards.
	printf '%s\n' /sys/block/*/device | cut -d/ -f4 >disks
	disk=$(awk 'FILENAME == "disks" { is_disk[$1]; next } !($3 in is_disk) { next } { ms = $7 + $11 + $18 }
		FILENAME == "before" { was[$3] = ms } FILENAME == "after" { sum += ms - was[$3] } END { printf "%d", sum }' disks before after)
	[ "$disk" -gt 20 ] || skip "nothing here writes to a disk"
	echo "$disk ms, $(total x.folded) ns"
	between "$((disk * 95 / 100))" "$(($(total x.folded) / 1000000))" "$((disk * 110 / 100 + 20))"
}

@test "statistics of the disk: flushes, and requests with them, are as many" {
	local flushes requests events=()

	need_mode_events
	need_perf
	need_fields_by_perf
	[ -e /sys/kernel/tracing/events/block/block_io_start ] || skip "no events of disks that begin a request"
	for name in io_start io_done rq_issue rq_complete; do events+=(-e "block:block_$name"); done
	file=$root/build/modes_peers_flushes.$$
	# shellcheck disable=SC2016 # for that shell
	perf record -q -o x.data "${events[@]}" -a -m 1024 -- sh -c 'cat /proc/diskstats >before
		for n in 1 2; do dd if=/dev/zero of="$1.$n" bs=4k count=40 oflag=dsync & done; wait
		cat /proc/diskstats >after' sh "$file" 2>err || skip "perf may not record: $(head -n 1 err)"
	rm -f "$file".*
	printf '%s\n' /sys/block/*/device | cut -d/ -f4 >disks
	# shellcheck disable=SC2016 # for awk
	for columns in '$19' '$4 + $8 + $15'; do
		awk 'FILENAME == "disks" { is_disk[$1]; next } !($3 in is_disk) { next } { n = '"$columns"' }
			FILENAME == "before" { was[$3] = n } FILENAME == "after" { sum += n - was[$3] } END { print sum }' disks before after
	done >counted
	{ read -r flushes && read -r requests; } <counted
	[ "$flushes" -gt 20 ] || skip "no disk here is asked to flush"
	# What the disk is asked for; what programs wait for is as many requests, of which some share one of these.
	fold --pair "sample block:block_rq_issue if rwbs == 'FF'; weight 1" x.data >asked 2>err
	fold --pair "sample block:block_io_start if rwbs == 'FWS' && !nr_sector; weight 1" x.data >waited 2>err
	fold --mode iocount x.data >begun 2>err
	fold --mode blockio --stats x.data >x.folded 2>err
	echo "$flushes flushes of $requests requests; $(total asked), $(total waited) of $(total begun)"
	between "$((flushes * 9 / 10))" "$(total asked)" "$((flushes * 11 / 10 + 10))"
	between "$((requests * 9 / 10))" "$(total begun)" "$((requests * 11 / 10 + 20))"
	[ "$(total waited)" -ge "$(total asked)" ]
	# All of these have ended, but for what was under way at the beginning and at the end, or is hidden here.
	between "$(($(total begun) * 9 / 10))" "$(awk '/^  paired/ { gsub(",", ""); print $2 }' err)" "$(total begun)"
}

# The head of a recording with the statistics of sleeps, which not every kernel has.
statistics()
{
	local name n=1

	cat <<-'END'
	tracepoint name=sched:sched_switch id=31 fields=prev_pid:4,prev_state:8,next_pid:4
	attr name=sched:sched_switch type=2 config=31 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	END
	for name in sleep blocked iowait; do
		n=$((n + 1))
		echo "tracepoint name=sched:sched_stat_$name id=$((30 + n)) fields=pid:4,delay:8"
		echo "attr name=sched:sched_stat_$name type=2 config=$((30 + n)) ids=$n flags=sample_id_all,comm_exec" \
			"sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN"
	done
	printf 'comm pid=%d name=%s time=1\n' 7 app 8 waker
}

# away TIME PID ADDRESS, and slept TIME PID KIND DELAY, in the context of who wakes
away()
{
	echo "sample event=sched:sched_switch pid=$2 time=$1 chain=U,$3 fields=prev_pid:$2,prev_state:1,next_pid:0"
}

slept()
{
	echo "sample event=sched:sched_stat_$3 pid=8 time=$1 chain=U,0x99 fields=pid:$2,delay:$4"
}

@test "stackcollapse-perf-sched.awk, and perf inject -s: the kernel's delay on the stack of the switch away, as a rule" {
	{
		statistics
		away 1000 7 0x11
		slept 6000 7 sleep 4500
		# A blocked sleep is told of twice: how long of it was for I/O is in it already.
		away 10000 7 0x22
		slept 19000 7 iowait 3000
		slept 19001 7 blocked 8000
		# Of one whose switch away was not recorded there is no stack.
		slept 30000 9 sleep 7000
	} >x.pd
	"$build" -o x.data x.pd
	fold -q --addrs --pair 'start sched:sched_switch key prev_pid;
		end sched:sched_stat_sleep,sched:sched_stat_blocked key pid; weight end.delay; unit ns; stack start' x.data >x.folded
	printf '%s\n' 'app;[unknown <11>] 4500' 'app;[unknown <22>] 8000' | diff - x.folded
}

@test "chaintest, and the awk script with recurse: who had woken the waker before the wait is no part of it" {
	{
		statistics
		cat <<-'END'
		tracepoint name=sched:sched_waking id=35 fields=pid:4
		attr name=sched:sched_waking type=2 config=35 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=5 flags=sample_id_all,comm_exec
		END
		echo "comm pid=6 name=first time=1"
		away 100 8 0x88
		echo "sample event=sched:sched_waking pid=6 time=200 chain=U,0x66 fields=pid:8"
		echo "sample event=sched:sched_switch pid=6 time=210 fields=prev_pid:6,prev_state:0,next_pid:8"
		# Awake long before the wait of app begins: its own wait explains nothing of it.
		away 1000 7 0x11
		echo "sample event=sched:sched_waking pid=8 time=4000 chain=U,0x99 fields=pid:7"
		echo "sample event=sched:sched_switch pid=8 time=4010 fields=prev_pid:8,prev_state:1,next_pid:7"
	} >x.pd
	"$build" -o x.data x.pd
	fold -q --addrs --mode chain --only comm=app --stats x.data >x.folded 2>stats
	echo 'app;[unknown <11>];--;[unknown <99>];waker 3010' | diff - x.folded
	grep -q 'chains cut as stale *1$' stats
}
