#!/usr/bin/env bats
# What the user waited: --mode wall, on recordings whose answers are known.
bats_require_minimum_version 1.5.0

load recordings

# between LEAST NUMBER MOST
between()
{
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ] || { echo "$2 is not from $1 to $3"; return 1; }
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# Samples of cpu-clock, a period of 10 ms, beside switches. @1: flags of the events.
head_of()
{
	cat <<-END
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	tracepoint name=sched:sched_waking id=318 fields=comm:16,pid:4,prio:4,target_cpu:4
	attr name=cpu-clock type=1 config=0 period=10000000 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=1 flags=sample_id_all,comm_exec$1
	END
}

switch_events()
{
	cat <<-'END'
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	attr name=sched:sched_waking type=2 config=318 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=3 flags=sample_id_all,comm_exec
	END
}

# recorded <BODY: x.data, with sched:sched_switch
recorded()
{
	{ head_of ""; switch_events; cat; } >x.pd
	"$build" -o x.data x.pd
}

# recorded_records <BODY: x.data, with SWITCH records
recorded_records()
{
	{ head_of ,context_switch; cat; } >x.pd
	"$build" -o x.data x.pd
}

comms()
{
	local pid

	for pid; do
		echo "comm pid=$pid name=p$pid time=1"
	done
}

# ticks PID TID FROM COUNT ADDRESS: samples every 10 ms, the first one at FROM + 10 ms. Times are in ms.
ticks()
{
	echo "repeat i $4"
	echo "sample event=cpu-clock pid=$1 tid=$2 time={($3 + 10 + 10 * i) * 1000000} period=10000000 chain=U,$5,0x22"
	echo "end"
}

# comes/goes TIME PID TID [WORD...]: records
comes()
{
	echo "switch time=$(($1 * 1000000)) pid=$2 tid=$3"
}

goes()
{
	echo "switch out time=$(($1 * 1000000)) pid=$2 tid=$3 ${*:4}"
}

# switch TIME PREV_PID PREV STATE NEXT [STACK]
switch()
{
	echo "sample event=sched:sched_switch pid=$2 tid=$3 time=$(($1 * 1000000)) chain=${6:-U,0x99,0x22} fields=prev_pid:$3,prev_state:$4,next_pid:$5"
}

# wall OPTION...: x.folded, of x.data
wall()
{
	fold --mode wall --addrs "$@" x.data >x.folded 2>err || { cat err; return 1; }
}

# says LINE...: so is what was folded, with addresses for their functions and ms for ns, rounded.
says()
{
	sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' x.folded |
		awk '{ n = $NF; $NF = ""; printf "%s%.3f\n", $0, n / 1e6 }' | sed 's/\.000$//' | sort >found
	printf '%s\n' "$@" | sort | diff - found
}

# stat WORDS: a figure of --stats
stat()
{
	sed -n "s/^ *$1  *\([0-9]*\)$/\1/p" err
}

@test "nine seconds of one thread and one second of 128 are 90 % and 10 %, and ten seconds" {
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 900 0x11
		goes 10000 7 7
		echo "repeat t 128"
		echo "switch time=10000000000 pid=7 tid={100 + t}"
		echo "end"
		echo "repeat t 128"
		echo "repeat i 100"
		echo "sample event=cpu-clock pid=7 tid={100 + t} time={10010000000 + 10000000 * i} period=10000000 chain=U,0x12,0x22"
		echo "end"
		echo "end"
		echo "repeat t 128"
		echo "switch out time=11000000000 pid=7 tid={100 + t}"
		echo "end"
	} | recorded_records
	wall
	says "p7;22;11 9000" "p7;22;12 1000"
	[ "$(total x.folded)" -eq 10000000000 ]
	wall --threads=1
	[ "$(total x.folded)" -eq 10000000000 ]
	# by the events of the scheduler likewise
	sed -E 's/^switch out time=(\S*) pid=(\S*) tid=(\S*|\{.*\}) ?$/sample event=sched:sched_switch pid=\2 tid=\3 time=\1 chain=U,0x99,0x22 fields=prev_pid:\3,prev_state:16,next_pid:0/
		s/^switch time=(\S*) pid=(\S*) tid=(\S*|\{.*\}) ?$/sample event=sched:sched_switch pid=0 time=\1 fields=prev_pid:0,prev_state:0,next_pid:\3/
		s/,context_switch//' x.pd | sed "/^attr/r "<(switch_events) >y.pd
	"$build" -o x.data y.pd
	wall
	says "p7;22;11 9000" "p7;22;12 1000"
	[ "$(total x.folded)" -eq 10000000000 ]
}

@test "while all are blocked time is that of what is waited for" {
	{
		comms 7
		switch 1000 0 0 0 7
		ticks 7 7 1000 10 0x11
		switch 1100 7 7 1 0 U,0x99,0x22
		switch 4100 0 0 0 7
		ticks 7 7 4100 90 0x11
		switch 5000 7 7 16 0
	} | recorded
	wall
	says "p7;22;11 1000" "p7;22;99 3000"
	[ "$(total x.folded)" -eq 4000000000 ]
}

@test "without a call chain of the switch it is waited for something" {
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 10 0x11; goes 1100 7 7
		comes 1300 7 7; ticks 7 7 1300 10 0x11; goes 1400 7 7
	} | recorded_records
	wall
	says "p7;22;11 200" "p7;[waiting] 200"
}

@test "who was preempted waits in the run queue" {
	{
		comms 7 8
		switch 1000 0 0 0 7
		ticks 7 7 1000 10 0x11
		switch 1100 7 7 0 8 U,0x98,0x22
		ticks 8 8 1100 10 0x12
		switch 1200 8 8 0x100 7 U,0x97,0x22
		ticks 7 7 1200 10 0x11
		switch 1300 7 7 1 8 U,0x96,0x22
		ticks 8 8 1300 10 0x12
		switch 1400 8 8 1 0 U,0x95,0x22
	} | recorded
	wall
	says "p7;22;11 200" "p7;22;98;[runqueue] 100" "p8;22;12 200" "p8;22;97;[runqueue] 100"
	# together they never wait
	wall --scope selected
	says "p7;22;11 200" "p8;22;12 200"
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 10 0x11; goes 1100 7 7 preempt
		comes 1150 7 7; ticks 7 7 1150 10 0x11; goes 1250 7 7
	} | recorded_records
	wall
	says "p7;22;11 200" "p7;[runqueue] 50"
}

@test "threads of one process on one processor run one at a time" {
	{
		comms 7
		switch 1000 0 0 0 7; ticks 7 7 1000 10 0x11
		switch 1100 7 7 0 8; ticks 7 8 1100 10 0x12
		switch 1200 7 8 0 7; ticks 7 7 1200 10 0x11
		switch 1300 7 7 16 0
	} | recorded
	wall
	says "p7;22;11 200" "p7;22;12 100"
}

@test "who was woken waits in the run queue from then on" {
	{
		comms 7
		switch 1000 0 0 0 7; ticks 7 7 1000 10 0x11
		switch 1100 7 7 1 0 U,0x98,0x22
		echo "sample event=sched:sched_waking pid=9 time=1180000000 fields=pid:7"
		switch 1200 0 0 0 7
		ticks 7 7 1200 10 0x11
		switch 1300 7 7 16 0
	} | recorded
	wall
	says "p7;22;11 200" "p7;22;98 80" "p7;22;98;[runqueue] 20"
}

@test "two processes at once do not share their time, but all that is selected does" {
	{
		comms 7 8
		comes 1000 7 7; comes 1000 8 8
		ticks 7 7 1000 10 0x11; ticks 8 8 1000 10 0x12
		goes 1100 7 7; goes 1100 8 8
	} | recorded_records
	wall
	says "p7;22;11 100" "p8;22;12 100"
	wall --scope process
	says "p7;22;11 100" "p8;22;12 100"
	wall --scope system
	says "p7;22;11 50" "p8;22;12 50"
	wall --scope selected
	says "p7;22;11 50" "p8;22;12 50"
	# of those alone that filters let pass
	wall --scope selected --only comm=p7
	says "p7;22;11 100"
	wall --scope system --only comm=p7
	says "p7;22;11 50"
}

@test "a record that was lost is a repair, and the level is right behind it" {
	{
		comms 7
		comes 1000 7 7; comes 1000 7 8
		ticks 7 7 1000 10 0x11; ticks 7 8 1000 10 0x12
		# 8 went out at 1100, which was lost; it comes again at 1200
		comes 1200 7 8
		ticks 7 7 1100 20 0x11; ticks 7 8 1200 10 0x12
		goes 1300 7 8
		ticks 7 7 1300 10 0x11
		# 8 came at 1400, which was lost: its sample at 1410 says that it runs
		ticks 7 7 1400 10 0x11; ticks 7 8 1400 10 0x12
		goes 1500 7 8
		# and goes once more
		goes 1510 7 8
		ticks 7 7 1500 10 0x11
		goes 1600 7 7
	} | recorded_records
	wall --stats
	[ "$(stat 'repaired')" -eq 3 ]
	[ "$(total x.folded)" -eq 600000000 ]
	"$flamefold" info --mode wall x.data >info
	! grep -q 'are split' info
	grep -qE '^ +3  repaired$' info
	grep -qE '^ +97  switches and samples$' info || { cat info; false; }
	"$flamefold" info --mode wall --format=json x.data | jq -e '.mode == { wall_events: 97, repaired: 3, switches_lost: 0, gap_ns: 0, unplaced_ns: 0 }'
	# alone from 1300 to 1410, and from 1500 to 1600; else the half
	says "p7;22;11 $((150 + 110 + 45 + 100))" "p7;22;12 $((150 + 45))"
}

@test "who ends does not go out before, and its number may be another one's" {
	{
		comms 7
		comes 1000 7 7; comes 1000 7 8
		ticks 7 7 1000 10 0x11; ticks 7 8 1000 10 0x12
		echo "exit pid=7 tid=8 time=1100000000"
		ticks 7 7 1100 10 0x11
		echo "fork pid=7 ppid=7 tid=8 ptid=7 time=1200000000"
		comes 1200 7 8
		ticks 7 7 1200 10 0x11; ticks 7 8 1200 10 0x12
		goes 1300 7 7; goes 1300 7 8
	} | recorded_records
	wall --stats
	says "p7;22;11 200" "p7;22;12 100"
	[ "$(stat 'repaired')" -eq 0 ]
}

@test "a process that has a dead one's number has not waited since that died" {
	{
		echo "comm pid=7 name=old time=1"
		comes 1000 7 7; ticks 7 7 1000 2 0x11; goes 1020 7 7
		echo "exit pid=7 tid=7 time=1020000000"
		echo "fork pid=7 ppid=1 tid=7 ptid=1 time=60000000000"
		echo "comm pid=7 name=new time=60000000000"
		comes 60000 7 7; ticks 7 7 60000 2 0x12; goes 60020 7 7
		echo "exit pid=7 tid=7 time=60020000000"
	} | recorded_records
	wall --stats
	says "old;22;11 20" "new;22;12 20"
	[ "$(stat 'seconds in which nothing ran')" = "" ]
	grep -q '^  seconds in which nothing ran *0.000$' err
	wall --scope system
	says "old;22;11 20" "new;22;12 20" "old;[waiting] 58980"
}

@test "a thread that has a dead one's number is of its own process" {
	{
		comms 7 9
		comes 1000 7 7; comes 1000 7 8
		ticks 7 7 1000 10 0x11; ticks 7 8 1000 10 0x12
		echo "exit pid=7 tid=8 time=1100000000"
		ticks 7 7 1100 10 0x11
		goes 1200 7 7
		comes 1200 9 9
		echo "fork pid=9 ppid=9 tid=8 ptid=9 time=1200000000"
		ticks 9 9 1200 10 0x13
		ticks 9 8 1200 10 0x14
		goes 1300 9 9; goes 1300 9 8
	} | recorded_records
	wall
	says "p7;22;11 150" "p7;22;12 50" "p9;22;13 50" "p9;22;14 50"
}

@test "what may not have run, or waited, for records were lost does not count" {
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 2 0x11
		# it went out, which is among them
		echo "lost time=50000000000 lost=1 pid=7 tid=7"
		comes 100000 7 7; ticks 7 7 100000 2 0x12; goes 100020 7 7
		comes 100030 7 7; ticks 7 7 100030 1 0x12; goes 100040 7 7
		echo "lost time=100050000000 lost=1 pid=7 tid=7"
		comes 100060 7 7; ticks 7 7 100060 1 0x12; goes 100070 7 7
	} | recorded_records
	wall --stats
	says "p7;22;11 20" "p7;22;12 40" "p7;[waiting] 10"
	[ "$(stat 'repaired')" -eq 1 ]
	[ "$(stat 'records of switches lost meanwhile')" -eq 2 ]
	# they were lost since the record before them of their processor
	{
		comms 7
		echo "switch time=1000000000 pid=7 tid=7 cpu=1"
		ticks 7 7 1000 2 0x11
		echo "switch time=60000000000 pid=7 tid=7 cpu=0"
		ticks 7 7 60000 2 0x12
		echo "switch out time=60020000000 pid=7 tid=7 cpu=0"
		echo "lost time=90000000000 lost=1 pid=7 tid=7 cpu=1"
	} | recorded_records
	wall
	says "p7;22;11 20" "p7;22;12 20"
}

@test "what memory has no room for is said, and its samples are counted" {
	{
		comms 7
		echo "repeat i 40000"
		echo "switch pid=7 tid={1000 + i} time={1000000 + 100 * i}"
		echo "sample event=cpu-clock pid=7 tid={1000 + i} time={1000010 + 100 * i} period=10000000 chain=U,0x11,0x22"
		echo "switch out pid=7 tid={1000 + i} time={1000050 + 100 * i}"
		echo "end"
	} | recorded_records
	wall --memory 400M --stats
	grep -q '^weight of damaged records *0$' err
	wall --memory 30M
	grep -q "^flamefold: threads that run of 'x.data' had to be left out: .*--memory" err
	grep -q '^flamefold: .* in damaged records$' err
	"$flamefold" fold --mode wall --memory 20M x.data 2>err >x.folded || true
	grep -q "'x.data' and [0-9]* more had to be left out: .*--memory" err
}

@test "a process that begins another program is one thread" {
	{
		comms 7
		comes 1000 7 7; comes 1000 7 8
		ticks 7 7 1000 10 0x11; ticks 7 8 1000 10 0x12
		echo "comm pid=7 name=next exec time=1100000001"
		ticks 7 7 1100 10 0x13
		goes 1200 7 7
	} | recorded_records
	wall
	says "next;22;13 100" "p7;22;11 50" "p7;22;12 50"
	# whose name is that of what it waits for
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 10 0x11
		echo "comm pid=7 name=next exec time=1100000001"
		goes 1105 7 7
		comes 1205 7 7; ticks 7 7 1205 10 0x13
		goes 1305 7 7
	} | recorded_records
	wall
	says "next;22;13 105" "next;[waiting] 100" "p7;22;11 100"
}

@test "who is seen to go out first has run from the beginning, who comes first has not" {
	{
		comms 7
		ticks 7 7 1000 10 0x11
		goes 1100 7 7
		comes 1050 7 8
		ticks 7 8 1050 10 0x12
		goes 1150 7 8
	} | recorded_records
	wall --stats
	says "p7;22;11 75" "p7;22;12 75"
	[ "$(stat 'repaired')" -eq 0 ]
	# one that was forked has since then
	{
		comms 7
		ticks 7 7 1000 10 0x11
		echo "fork pid=7 ppid=7 tid=8 ptid=7 time=1050000000"
		goes 1100 7 7
		ticks 7 8 1050 10 0x12
		goes 1150 7 8
	} | recorded_records
	wall
	says "p7;22;11 75" "p7;22;12 75"
}

@test "records of whole processors tell the same as those of threads" {
	{
		comms 7 8
		echo "switch wide other=0 time=1000000000 pid=7"
		ticks 7 7 1000 10 0x11
		echo "switch wide out other=8 time=1100000000 pid=7"
		echo "switch wide other=7 time=1100000000 pid=8"
		ticks 8 8 1100 10 0x12
		echo "switch wide out other=0 time=1200000000 pid=8"
	} | recorded_records
	wall
	says "p7;22;11 100" "p8;22;12 100"
}

@test "with both, records tell when, and call chains what is waited for" {
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 10 0x11
		switch 1100 7 7 1 0 U,0x98,0x22; goes 1101 7 7
		comes 1201 7 7; ticks 7 7 1201 10 0x11
		switch 1301 7 7 0 0 U,0x97,0x22; goes 1302 7 7 preempt
		comes 1402 7 7; ticks 7 7 1402 10 0x11
		goes 1502 7 7
	} >body
	{ head_of ,context_switch; switch_events; cat body; } >x.pd
	"$build" -o x.data x.pd
	wall
	says "p7;22;11 302" "p7;22;98 100" "p7;22;97;[runqueue] 100"
}

@test "what runs and is never sampled is in the picture, too" {
	{
		comms 7
		comes 1000 7 7; ticks 7 7 1000 10 0x11; goes 1100 7 7
		comes 1100 7 8; goes 1150 7 8
		echo "exit pid=7 tid=8 time=1151000000"
		comes 1151 7 9; ticks 7 9 1151 10 0x12; goes 1256 7 9
	} | recorded_records
	wall
	# 9's last 5 ms are its last sample's
	says "p7;22;11 100" "p7;[not sampled] 50" "p7;22;12 105" "p7;[waiting] 1"
}

@test "samples stand for threads that were over before they could be sampled" {
	{
		comms 7
		echo "repeat t 100"
		echo "switch time={1000000000 + 1000000 * t} pid=7 tid={100 + t}"
		echo "exit pid=7 tid={100 + t} time={1001000000 + 1000000 * t}"
		echo "end"
		echo "repeat t 10"
		echo "sample event=cpu-clock pid=7 tid={109 + 10 * t} time={1009999999 + 10000000 * t} period=10000000 chain=U,0x11,0x22"
		echo "end"
	} | recorded_records
	wall
	says "p7;22;11 100"
}

@test "without switches the level is guessed, which the title says" {
	{
		comms 7 8
		ticks 7 7 1000 10 0x11
		ticks 7 71 1000 10 0x12 | sed 's/^sample/& cpu=1/'
		ticks 8 8 1000 10 0x13 | sed 's/^sample/& cpu=2/'
		# processor 1 is idle
		ticks 7 7 1200 10 0x11
	} >body
	{ head_of ""; cat body; } | "$build" -o x.data -
	wall
	# the first sample of a thread is not known to have company
	sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' x.folded >found
	[ "$(sed -n 's/p8;22;13 //p' found)" -eq 100000000 ]
	between 150000000 "$(sed -n 's/p7;22;11 //p' found)" 160000000
	between 45000000 "$(sed -n 's/p7;22;12 //p' found)" 60000000
	"$flamefold" --mode wall -o x.svg x.data 2>err
	grep -q 'Wall-Clock Time (approximate)' x.svg
	grep -q 'data-ratio="parallelism" data-ratio-names="cpu/weight"' x.svg
	grep -qE '<title>all [^;]*; parallelism [0-9.]+\)' x.svg
}

@test "without switches those that are not selected take no time" {
	{
		comms 7 8
		ticks 8 8 999 10 0x13 | sed 's/^sample/& cpu=1/'
		ticks 7 7 1000 10 0x11
	} >body
	{ head_of ""; cat body; } | "$build" -o x.data -
	wall --scope selected --only comm=p7
	says "p7;22;11 100"
	# where one runs now that is not, none of the selected does
	{
		comms 7 8
		ticks 7 71 1000 1 0x12 | sed 's/^sample/& cpu=1/'
		ticks 8 8 1001 1 0x13 | sed 's/^sample/& cpu=1/'
		ticks 7 7 1002 1 0x11
	} >body
	{ head_of ""; cat body; } | "$build" -o x.data -
	wall --scope selected --only comm=p7
	says "p7;22;12 10" "p7;22;11 10"
	# all the processors that there are are looked at: no kernel has so many
	{ head_of ""; comms 7; ticks 7 7 1000 10 0x11 | sed 's/^sample/& cpu={8190 + i}/'; } | "$build" -o x.data -
	wall --stats
	[ "$(stat 'weight of damaged records')" -eq 8 ]
}

@test "one switch of many is none, and the remedy is said" {
	{
		comms 7
		ticks 7 7 1000 10 0x11
		switch 1100 7 7 1 0
		ticks 7 7 1300 10 0x11
	} >body
	{ head_of ""; switch_events | sed 's/type=2 config=316/& period=997/; s/comm_exec/&,freq/'; cat body; } | "$build" -o x.data -
	wall
	grep -qF -- '-e cpu-clock/freq=999/' err
	says "p7;22;11 200"
}

@test "the same whatever the order, the form and the number of threads" {
	{
		comms 7
		comes 1000 7 7; comes 1000 7 8
		ticks 7 7 1000 300 0x11; ticks 7 8 1000 300 0x12
		goes 4000 7 8
		ticks 7 7 4000 10 0x11
		goes 4100 7 7
		comes 4300 7 7
		ticks 7 7 4300 10 0x11
		goes 4400 7 7
	} | recorded_records
	wall
	cp x.folded expected
	says "p7;22;11 1700" "p7;22;12 1500" "p7;[waiting] 200"
	for threads in 1 2 7; do
		wall --threads=$threads
		cmp expected x.folded
	done
	{ echo "format pipe"; cat x.pd; echo finished_round; } | "$build" -o x.data -
	wall
	cmp expected x.folded
	wall <x.data
	cat x.data | fold --mode wall --addrs - 2>/dev/null | cmp expected -
}

@test "by the level at the sample, as perf report --latency has it" {
	{
		comms 7
		echo "feature nrcpus=4,4"
		# one runs from the start
		ticks 7 7 1000 1 0x11
		comes 1011 7 8; comes 1012 7 9
		ticks 7 7 1015 1 0x11
		comes 1026 7 10; comes 1027 7 11; comes 1028 7 12
		ticks 7 7 1030 1 0x12
		echo "exit pid=7 tid=12 time=1041000000"
		goes 1042 7 8; goes 1042 7 9; goes 1042 7 10; goes 1042 7 11; goes 1042 7 7; goes 1042 7 7
		ticks 7 7 1050 1 0x13
	} | recorded_records
	fold --mode wall-instant --addrs x.data >x.folded 2>err
	sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' x.folded | sort >found
	# 10 + 10 / 3, 10 / 4 of 4 processors, 10 / 1
	printf '%s\n' "p7;22;11 13333333.333" "p7;22;12 2500000" "p7;22;13 10000000" | diff - found
}

@test "what is wrong on the command line is said" {
	{ comms 7; comes 1000 7 7; ticks 7 7 1000 1 0x11; goes 1010 7 7; } | recorded_records
	run -2 "$flamefold" fold --mode wall --scope some x.data
	[[ $output == *"process, cgroup, selected and system"* ]]
	run -2 "$flamefold" fold --scope process x.data
	[[ $output == *"only mode wall"* ]]
	fold --weight wall --addrs x.data >x.folded 2>err
	says "p7;22;11 10"
	echo "a;b 1" >x.txt
	run -1 "$flamefold" fold --mode wall x.txt
	[[ $output == *"has no events"* ]]
	{ head_of "" | sed 's/TIME,//'; comms 7; } | "$build" -o x.data -
	run -1 "$flamefold" fold --mode wall x.data
	[[ $output == *"without their times: perf record"* ]]
}

@test "threads of a cgroup share their time" {
	{
		head_of ,context_switch | sed 's/CALLCHAIN/&,CGROUP/'
		comms 7 8 9
		for pid in 7 8 9; do comes 1000 $pid $pid; done
		for pid in 7 8; do ticks $pid $pid 1000 10 0x1$pid | sed 's/^sample/& cgroup=5/'; done
		ticks 9 9 1000 10 0x19 | sed 's/^sample/& cgroup=6/'
		for pid in 7 8 9; do goes 1100 $pid $pid; done
	} >x.pd
	"$build" -o x.data x.pd
	wall --scope cgroup
	says "p7;22;17 50" "p8;22;18 50" "p9;22;19 100"
	# without them, or where the level is guessed, it is not known who shares it
	sed 's/,CGROUP//; s/ cgroup=[56]//' x.pd | "$build" -o y.data -
	run -1 "$flamefold" fold --mode wall --scope cgroup y.data
	[[ $output == *"scope cgroup needs switches"*"perf record --all-cgroups --switch-events"* ]]
	sed 's/,context_switch//; /^switch/d' x.pd | "$build" -o y.data -
	run -1 "$flamefold" fold --mode wall --scope cgroup y.data
	[[ $output == *"scope cgroup needs switches"* ]]
}

@test "a stream in which threads run before the first sample says which events there are" {
	"$build" -o x.data - <<-'END'
	format pipe
	attr name=cpu-clock type=1 config=0 period=10 sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec,context_switch
	comm pid=1 name=app time=1
	fork pid=1 tid=2 ppid=1 ptid=1 time=50
	switch pid=1 tid=2 time=100
	switch out pid=1 tid=2 time=200
	switch pid=1 tid=2 time=300
	switch pid=1 tid=2 time=350
	finished_round
	switch out pid=1 tid=2 time=400
	switch pid=1 tid=2 time=500
	finished_round
	sample pid=1 tid=2 time=510 ip=0x1a00 period=10 chain=U,0x1a00
	switch out pid=1 tid=2 time=600
	switch pid=1 tid=2 time=700
	sample pid=1 tid=2 time=710 ip=0x1b00 period=10 chain=U,0x1b00
	finished_round
	END
	fold -q --mode wall --addrs x.data >as_file
	grep -q '^app;\[waiting\] 300$' as_file
	fold -q --mode wall --addrs - < <(cat x.data) | diff as_file -
}
