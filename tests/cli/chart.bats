#!/usr/bin/env bats
# --chart: what each thread did when. Recordings are of a few samples in words, and what has to come of
# them is found by reasoning; tests/exchange/chart.py reads what other programs read.
bats_require_minimum_version 1.5.0

load here

build=$root/tests/perfdata/build
chart=$root/tests/exchange/chart.py

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# A clock of 10 ns, and switches. Functions are a, b and c in m.
clock='attr name=cpu-clock type=1 config=0 period=10 ids=1 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec'
switches='tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_state:8,next_pid:4
attr name=sched:sched_switch type=2 config=316 period=1 ids=2 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,RAW flags=sample_id_all'
process='comm pid=1 name=app exec time=1
mmap2 pid=1 start=0x1000 len=0x1000 name=/no/x time=2
comm pid=9 name=other exec time=1
mmap2 pid=9 start=0x1000 len=0x1000 name=/no/x time=2'

# at TIME FUNCTION [TID [CPU [PID]]]: a sample in m;FUNCTION, whose addresses are 0x1a00 and so on.
at()
{
	echo "sample pid=${5:-1} tid=${3:-1} time=$1 cpu=${4:-0} ip=0x1${2}00 period=10 chain=U,0x1${2}00,0x1f00"
}

# switch TIME FROM STATE TO [FUNCTION]: on processor 0
switch()
{
	echo "sample event=sched:sched_switch id=2 pid=1 tid=$2 time=$1 cpu=0 ip=0x1${5:-c}00 period=1" \
		"chain=U,0x1${5:-c}00,0x1f00 fields=prev_pid:$2,prev_state:$3,next_pid:$4"
}

# spans [OPTION...] FILE: of its chart, without addresses; speedscope says the same.
spans()
{
	"$flamefold" export -q --addrs --chart -f chrome -o x.json "$@"
	"$flamefold" export -q --addrs --chart -f speedscope -o y.json "$@"
	python3 "$chart" chrome x.json | sed 's/\[x <f00>\]/m/; s/\[x <\(.\)00>\]/\1/' >chrome
	python3 "$chart" speedscope y.json | sed 's/\[x <f00>\]/m/; s/\[x <\(.\)00>\]/\1/' >speedscope
	sed 's/ user.*//; s/ off-cpu//' chrome | diff - speedscope
	cat chrome
}

recorded()
{
	{ echo "$clock"; [ "$1" = clock ] || echo "$switches"; echo "$process"; cat; } >x.pd
	"$build" -o x.data x.pd
}

expect()
{
	diff - <(spans "$@" x.data)
}

@test "samples that follow each other are one span, and the last one stands for a period" {
	{ at 100 a; at 110 a; at 120 b; } | recorded clock
	expect <<-END
		app-1: 0 0-30 m user x3
		app-1: 1 0-20 a user x2
		app-1: 1 20-30 b user x1
	END
}

@test "a gap of more than two and a half periods ends a span" {
	{ at 100 a; at 125 a; at 151 a; } | recorded clock
	expect <<-END
		app-1: 0 0-35 m user x2
		app-1: 1 0-35 a user x2
		app-1: 0 51-61 m user x1
		app-1: 1 51-61 a user x1
	END
}

@test "one sample is a chart" {
	at 100 a | recorded clock
	expect <<-END
		app-1: 0 0-10 m user x1
		app-1: 1 0-10 a user x1
	END
}

@test "samples out of order are put into order" {
	{ at 120 b; at 100 a; at 110 a; } | recorded clock
	expect <<-END
		app-1: 0 0-30 m user x3
		app-1: 1 0-20 a user x2
		app-1: 1 20-30 b user x1
	END
}

@test "a clock that jumps leaves a gap" {
	{ at 100 a; at 110 a; at 90000000000000 b; at 90000000000010 b; } | recorded clock
	expect <<-END
		app-1: 0 0-20 m user x2
		app-1: 1 0-20 a user x2
		app-1: 0 89999999999900-89999999999920 m user x2
		app-1: 1 89999999999900-89999999999920 b user x2
	END
}

@test "what was sampled by no time has the distance of its neighbours" {
	{
		echo "attr name=cycles config=0 period=1000 sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec"
		echo "$process"
		for t in 100 110 120 131 300; do
			at $t a | sed 's/ cpu=0//'
		done
	} >x.pd
	"$build" -o x.data x.pd
	expect <<-END
		app-1: 0 0-42 m user x4
		app-1: 1 0-42 a user x4
		app-1: 0 200-211 m user x1
		app-1: 1 200-211 a user x1
	END
}

@test "who is sampled on a processor ends what another thread did there" {
	{ at 100 a 1 0; at 105 b 2 0; at 115 a 1 0; at 117 b 2 1; } | recorded clock
	expect <<-END
		app-2: 0 5-15 m user x1
		app-2: 1 5-15 b user x1
		app-2: 0 17-27 m user x1
		app-2: 1 17-27 b user x1
		app-1: 0 0-5 m user x1
		app-1: 1 0-5 a user x1
		app-1: 0 15-25 m user x1
		app-1: 1 15-25 a user x1
	END
}

@test "switches say when a thread had a processor, and what it waits in" {
	{ switch 95 2 1 1 b; at 100 a; at 110 a; switch 118 1 1 2 c; at 160 b 2; switch 163 2 0 1 b
	  switch 168 1 64 2 c; } | recorded switches
	expect <<-END
		app-2: 0 0-23 m off-cpu
		app-2: 1 0-23 b off-cpu
		app-2: 2 0-23 [waiting] off-cpu
		app-2: 0 23-65 [not sampled] user
		app-2: 0 65-68 m user x1
		app-2: 1 65-68 b user x1
		app-2: 0 68-73 m off-cpu
		app-2: 1 68-73 b off-cpu
		app-2: 2 68-73 [runqueue] off-cpu
		app-1: 0 0-23 m user x2
		app-1: 1 0-23 a user x2
		app-1: 0 23-68 m off-cpu
		app-1: 1 23-68 c off-cpu
		app-1: 2 23-68 [waiting] off-cpu
		app-1: 0 68-73 [not sampled] user
	END
}

@test "records of switches do, too, without a stack" {
	{
		echo "${clock/flags=/flags=context_switch,}"
		echo "$process"
		echo "switch pid=1 time=95"
		at 100 a
		echo "switch pid=1 time=107 out"
		echo "switch pid=1 time=150"
		at 152 a
		echo "switch pid=1 time=155 out preempt"
		echo "switch pid=1 time=160"
		at 162 b
		echo "exit pid=1 tid=1 time=165"
		echo "switch pid=1 time=166 out"
	} >x.pd
	"$build" -o x.data x.pd
	expect <<-END
		app-1: 0 0-12 m user x1
		app-1: 1 0-12 a user x1
		app-1: 0 12-55 [waiting] off-cpu
		app-1: 0 55-60 m user x1
		app-1: 1 55-60 a user x1
		app-1: 0 60-65 [runqueue] off-cpu
		app-1: 0 65-71 m user x1
		app-1: 1 65-71 b user x1
	END
}

@test "switches of which only some were recorded tell nothing, and what records all of them is said" {
	{ at 100 a; switch 115 1 1 9 c; at 140 b 1; } >said
	switches=${switches/period=1 /period=999 } switches=${switches/sample_id_all/sample_id_all,freq} recorded all <said
	run -0 --separate-stderr "$flamefold" export --addrs --chart -f chrome x.data
	[[ $stderr == *"only some switches between threads were recorded"*"-e cpu-clock/freq=999/ -e sched:sched_switch"* ]]
	[[ $output != *off-cpu* ]]
	recorded all <said
	run -0 --separate-stderr "$flamefold" export --addrs --chart -f chrome x.data
	[[ $stderr != *"only some"* ]]
	[[ $output == *off-cpu* ]]
}

@test "threads are in the order of their processor time, those of a process together" {
	{
		at 100 a 1 0; at 100 a 2 1; at 110 a 2 1
		for t in 100 110 120 130 140; do
			at $t a 9 2 9
		done
		at 100 b 10 3 9
		# The idle thread of a processor is the last.
		for t in 100 110 120 130 140 150 160; do
			at $t a 0 4 0
		done
	} | recorded clock
	spans x.data | cut -d: -f1 | uniq >threads
	diff - threads <<-END
		other-9
		other-10
		app-2
		app-1
		swapper/4
	END
}

@test "trace events name a process as its first thread, whichever thread has most processor time" {
	{ echo 'comm pid=1 tid=2 name=helper time=3'; at 100 a 1; at 200 b 2; at 210 b 2; } | recorded clock
	"$flamefold" export -q --addrs --chart -f chrome x.data >x.json
	called() { jq -r ".traceEvents[] | select(.name == \"$1\") | .args.name" x.json; }
	[ "$(called process_name)" = app ]
	[ "$(called thread_name)" = helper-2$'\n'app-1 ]
	# Where that one is not in it the first one is.
	"$flamefold" export -q --addrs --chart -f chrome --only tid=2 x.data x.data >x.json
	[ "$(called process_name)" = $'input 1: helper\ninput 2: helper' ]
}

@test "filters say which samples and which threads are in it" {
	{ switch 95 2 1 1 b; at 100 a; at 110 b; switch 118 1 1 2 c; at 160 b 2; } | recorded switches
	expect --only tid=1 <<-END
		app-1: 0 0-23 m user x2
		app-1: 1 0-15 a user x1
		app-1: 1 15-23 b user x1
		app-1: 0 23-65 m off-cpu
		app-1: 1 23-65 c off-cpu
		app-1: 2 23-65 [waiting] off-cpu
	END
	run spans --drop symbol='x <b00>' x.data
	[[ $output != *" b "* ]]
	[[ $output == *" a user x1"* ]]
}

@test "several inputs begin at the same moment, each with tracks of its own" {
	{ at 100 a; } | recorded clock
	cp x.data one.data
	{ at 5000 b; } | recorded clock
	diff - <(spans one.data x.data) <<-END
		input 1: app-1: 0 0-10 m user x1
		input 1: app-1: 1 0-10 a user x1
		input 2: app-1: 0 0-10 m user x1
		input 2: app-1: 1 0-10 b user x1
	END
}

@test "the number of threads changes nothing" {
	{
		echo repeat i 3000
		# shellcheck disable=SC2016
		echo 'sample pid=1 tid={1 + i % 7} time={100 + 3 * i} cpu={i % 2} ip={0x1a00 + i % 11} period=10 chain=U,{0x1a00 + i % 11},0x1f00'
		echo end
	} | recorded clock
	"$flamefold" export -q --addrs --chart --threads=1 -f chrome -o one x.data
	"$flamefold" export -q --addrs --chart --threads=4 -f chrome -o four x.data
	cmp one four
	# A pipe is read in rounds.
	"$flamefold" export -q --addrs --chart -f chrome -o pipe - <x.data
	cmp one pipe
	"$flamefold" graph -q --addrs --chart --threads=1 -o one.svg x.data
	"$flamefold" graph -q --addrs --chart --threads=4 -o four.svg x.data
	cmp one.svg four.svg
}

@test "the picture is read back as the graph of the same samples" {
	{ switch 95 2 1 1 b; at 100 a; at 110 a; switch 118 1 1 2 c; at 160 b 2; } | recorded switches
	"$flamefold" graph -q --addrs --chart -o x.svg x.data
	xmllint --noout x.svg
	diff <("$flamefold" fold -q --addrs x.data) <("$flamefold" fold -q x.svg)
	# Waiting in c, which weighs nothing.
	grep -q ">\[waiting\] (0.000042 ms)<" x.svg
	grep -q ">app-1: 23 ns on a processor<" x.svg
}

@test "--flamechart of a recording is its chart, and a chart of text is refused with what does it" {
	at 100 a | recorded clock
	"$flamefold" graph -q --addrs --flamechart -f chrome -o x.json x.data
	"$flamefold" graph -q --addrs --chart -f chrome -o y.json x.data
	cmp x.json y.json
	echo "a;b 3" >x.folded
	run -1 "$flamefold" graph --chart -o x.svg x.folded
	[[ $output == *"--flamechart draws folded text in its order"* ]]
	# What adds up all of the time has times, but no threads.
	"$flamefold" graph -q --heat -o x.ff x.data
	run -1 "$flamefold" graph --chart -o x.svg x.ff
	[[ $output == *"it does not say which thread ran when" ]]
	"$flamefold" graph -q --flamechart -o x.svg x.folded
	run -1 "$flamefold" graph --flamechart -o x.svg x.folded x.data
	[[ $output == *"--chart draws several recordings"* ]]
	"$flamefold" graph -q --chart -o x.svg x.data x.data
	run -2 "$flamefold" graph --chart -o x.html x.data
	[[ $output == *"writes svg, chrome or speedscope, not html"* ]]
	run -2 "$flamefold" export --chart -f pprof x.data
	run -2 "$flamefold" graph --chart --mode offcpu -o x.svg x.data
	[[ $output == *"a chart has those of threads by itself, without --mode"* ]]
	"$flamefold" graph -q --chart -o x.svg x.data
}

@test "who has a number before it is given again waits no longer" {
	{ at 100 a 5; switch 105 5 1 9; at 150 a 5 0 9; at 200 a 1; } | recorded both
	expect <<-END
		app-1: 0 100-110 m user x1
		app-1: 1 100-110 a user x1
		app-5: 0 0-5 m user x1
		app-5: 1 0-5 a user x1
		app-5: 0 5-50 m off-cpu
		app-5: 1 5-50 c off-cpu
		app-5: 2 5-50 [waiting] off-cpu
		other-5: 0 50-60 m user x1
		other-5: 1 50-60 a user x1
	END
}

@test "a stack that is deeper than a picture has spans is drawn" {
	{
		echo "$clock"
		echo 'comm pid=1 name=app exec time=1'
		echo "sample pid=1 time=100 ip=0x1000 period=10 chain=U$(seq -f ',%.0f' -s '' 4096 11000)"
	} >x.pd
	"$build" -o x.data x.pd
	timeout 60 "$flamefold" graph -q --addrs --chart -o x.svg x.data
	[ "$(grep -c '<g><title>' x.svg)" -gt 6000 ]
}
