#!/usr/bin/env bats
# --only, --drop and --event: what is kept of a recording.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	# Ten samples of each process, a second apart; those of sh on two processors.
	"$root/tests/perfdata/build" -o p.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD flags=sample_id_all,comm_exec ids=1
	attr name=faults sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD flags=sample_id_all,comm_exec ids=2
	comm pid=1 name=sh time=1
	comm pid=2 name=server time=1
	comm pid=2 tid=3 name=worker time=1
	repeat i 10
	sample pid=1 time={1000000000 * (i + 100)} cpu={i % 2} ip=0x10 period=10
	sample pid=2 tid=3 time={1000000000 * (i + 100)} cpu=7 ip=0x10 period=1
	end
	sample event=faults pid=1 time=109000000000 cpu=0 ip=0x10 period=1000
	END
}

# The weights of the processes: "sh 100 worker 10".
weighs()
{
	local wanted=$1
	shift
	run --separate-stderr "$flamefold" fold "$@" p.data
	[ "$status" -eq 0 ]
	[ "$(sed 's/;.* / /' <<<"$output" | paste -sd ' ')" = "$wanted" ] ||
		{ echo "got: $output"; return 1; }
}

refuses()
{
	run --separate-stderr "$flamefold" fold "$2" "$3" missing.data
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "$stderr" = "flamefold: $1; try 'flamefold --help'" ] ||
		{ echo "said: $stderr"; return 1; }
}

@test "without a filter everything of the first event is kept" {
	weighs "sh 100 worker 10"
}

@test "comm is a pattern, for the name of the thread" {
	weighs "worker 10" --only comm=ork
	weighs "sh 100" --only 'comm=^sh$'
	weighs "sh 100" --only 'comm=(?i)^SH'
	weighs "sh 100" --drop comm=worker
}

@test "pid and tid" {
	weighs "sh 100" --only pid=1
	weighs "worker 10" --only pid=2
	weighs "worker 10" --only tid=3
	weighs "sh 100" --drop tid=3
}

@test "cpu: lists and ranges" {
	weighs "sh 50" --only cpu=1
	weighs "sh 100" --only cpu=0,1
	weighs "sh 50 worker 10" --only cpu=1-
	weighs "worker 10" --drop cpu=0-6
}

# p.data, with samples of two cgroups, of one that was not recorded and of none.
make_cgroups()
{
	"$root/tests/perfdata/build" -o p.data - <<-END
	$1
	feature hostname=box
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CGROUP flags=sample_id_all,comm_exec,cgroup ids=1
	attr name=faults sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD flags=sample_id_all,comm_exec ids=2
	comm pid=1 name=sh time=1
	cgroup cgroup=0x100000005 path=/system.slice/web.service time=1
	cgroup cgroup=6 path=/user.slice time=1
	sample pid=1 time=2 ip=0x10 period=1 cgroup=0x100000005
	sample pid=1 time=2 ip=0x10 period=10 cgroup=6
	sample pid=1 time=2 ip=0x10 period=100 cgroup=7
	sample event=faults pid=1 time=2 ip=0x10 period=1000
	END
}

@test "cgroup is a pattern, for the path of the sample's cgroup" {
	for kind in '' 'format pipe' 'endian big'; do
		make_cgroups "$kind"
		weighs "sh 1" --only 'cgroup=^/system\.slice/web'
		weighs "sh 11" --only cgroup=slice
		weighs "sh 110" --drop cgroup=web
		weighs "sh 10" --only cgroup=slice --drop cgroup=web
	done
}

@test "cgroup: the path of a sample without one is empty" {
	make_cgroups
	weighs "sh 1100" --event=all --only 'cgroup=^$'
	weighs "sh 11" --event=all --drop 'cgroup=^$'
}

@test "cgroup: a pipe that is read as it comes" {
	make_cgroups 'format pipe'
	run --separate-stderr bash -c 'cat p.data | "$1" fold --only cgroup=web -' - "$flamefold"
	[ "$status" -eq 0 ]
	[[ $output == "sh;"*" 1" ]]
}

@test "time: seconds from the first sample" {
	weighs "sh 20 worker 2" --only time=0,2
	weighs "sh 20 worker 2" --only time=,1.5
	weighs "sh 10 worker 1" --only time=9,
	weighs "sh 90 worker 9" --drop time=0,0.5
}

@test "time: parts of the recording are the whole" {
	weighs "sh 50 worker 5" --only time=0%-50%
	weighs "sh 50 worker 5" --only time=50%-100%
}

@test "--event chooses the event, and all takes every one" {
	weighs "sh 1000" --event=faults
	weighs "sh 1000" --event-filter=faults
	weighs "sh 1100 worker 10" --event=all
	weighs "sh 1000" --event=all --only event=^fault
	weighs "sh 100 worker 10" --event=all --drop event=^fault
}

@test "an event that is not there is an error that names it" {
	run --separate-stderr "$flamefold" fold --event=nope p.data
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == "flamefold: "*"nope"* ]]
}

@test "--count=samples counts samples" {
	weighs "sh 10 worker 10" --count=samples
}

@test "the same key again: or; different keys: and" {
	weighs "sh 100 worker 10" --only comm=sh --only comm=worker
	weighs "sh 50" --only comm=sh --only comm=worker --only cpu=0
	weighs "sh 10" --only cpu=0 --only time=0,2
}

@test "whatever matches any --drop is left out, also where --only keeps it" {
	weighs "sh 50" --drop cpu=0 --drop comm=worker
	weighs "sh 50" --only comm=sh --drop cpu=0
}

@test "what was filtered out is accounted for" {
	run --separate-stderr "$flamefold" fold --only comm=sh --stats p.data
	[[ $stderr =~ "weight read"\ +1,110 ]]
	[[ $stderr =~ "weight in the tree"\ +100 ]]
	[[ $stderr =~ "weight filtered out"\ +10 ]]
	[[ $stderr =~ "weight of other events"\ +1,000 ]]
	[[ $stderr == *"flamefold: "*"% filtered out"* ]]
}

@test "filters that leave nothing are an error" {
	run --separate-stderr "$flamefold" fold --only comm=nobody p.data
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ "${stderr_lines[-1]}" = "flamefold: no samples: the filters left none of 21" ] ||
		{ echo "said: $stderr"; return 1; }
}

@test "a filter that cannot be understood is wrong usage, found before the work" {
	refuses "filter 'pid' is not KEY=VALUE" --only pid
	refuses "filter 'pid=abc': 'abc' is not a number" --only pid=abc
	refuses "filter 'cpu=5-1': '5-1' runs backwards" --drop cpu=5-1
	refuses "filter 'time=3': a time is START,END in seconds, or with units (100ms,2s), or 10%-20%" --only time=3
	refuses "filter 'user=me': the keys are comm, event, cgroup, pid, tid, cpu, time, symbol, dso; of a mode state, duration, kthread" --drop user=me
	refuses "filter 'state=D' asks about intervals, which only a mode has: --mode offcpu" --only state=D
	refuses "filter 'comm=[': missing terminating ] for character class, at character 2 of the pattern" \
		--only 'comm=['
}

@test "a pattern that would run for ever does not" {
	timeout 900 "$flamefold" fold --drop 'comm=^(\w+\w+)+!' p.data
}

@test "folded text cannot be filtered, and says so" {
	echo "a;b 1" >in.folded
	run --separate-stderr "$flamefold" fold --only pid=1 in.folded
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: cannot filter 'in.folded': folded text has no samples, only symbol can be asked for" ]
}

@test "the order of threads does not matter" {
	diff <("$flamefold" fold --only cpu=0-1 --threads=1 p.data) \
		<("$flamefold" fold --only cpu=0-1 --threads=4 p.data)
}

# Three tracepoints and a counter, recorded by -e with these words.
make_pattern()
{
	"$root/tests/perfdata/build" -o p.data - <<-END
	attr name=sched:sched_switch type=2 config=3 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec period=1 ids=1
	attr name=sched:sched_wakeup type=2 config=4 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec period=1 ids=2
	attr name=irq:softirq_entry type=2 config=5 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec period=1 ids=3
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec ids=4
	feature cmdline=perf,record,$1
	comm pid=1 name=sh time=1
	sample pid=1 time=1000 ip=0x10 period=1
	sample event=sched:sched_wakeup pid=1 time=1001 ip=0x10 period=1
	sample event=sched:sched_wakeup pid=1 time=1002 ip=0x10 period=1
	sample event=irq:softirq_entry pid=1 time=1003 ip=0x10 period=1
	sample event=cycles pid=1 time=1004 ip=0x10 period=1000
	END
}

# The stacks without their leaves: "sh 1".
stacks()
{
	local wanted=$1

	shift
	run --separate-stderr "$flamefold" fold "$@" p.data
	[ "$status" -eq 0 ]
	[ "$(sed 's/;[^;]* / /' <<<"$output" | paste -sd ' ')" = "$wanted" ] ||
		{ echo "got: $output"; return 1; }
}

@test "events that perf's pattern stood for are one family, each at the root of its stacks" {
	make_pattern '-a,-e,sched:*'
	stacks "sched:sched_switch;sh 1 sched:sched_wakeup;sh 2"
	[[ $stderr == *"left out: 2 samples of 'irq:softirq_entry', 'cycles'"* ]]
	stacks "sched:sched_switch;sh-1 1 sched:sched_wakeup;sh-1 2" --pid --event '*:sched_*'
	stacks "sh 1" --event sched:sched_switch
	make_pattern '-a,-e,sched:sched_switch,-e,sched:sched_wakeup'
	stacks "sh 1"
	# From a pipe, too.
	make_pattern '-a,-e,sched:*'
	run --separate-stderr bash -c 'cat p.data | "$1" fold -' - "$flamefold"
	[ "$(sed 's/;[^;]* / /' <<<"$output" | paste -sd ' ')" = "sched:sched_switch;sh 1 sched:sched_wakeup;sh 2" ]
	# As stackcollapse-perf.pl has it there are no such frames.
	run "$flamefold" fold -q --compat=stackcollapse p.data
	[[ $output != *"sched:"* ]]
}

@test "--event takes a pattern of events that count the same" {
	make_pattern '-e,cycles'
	stacks "irq:softirq_entry;sh 1 sched:sched_switch;sh 1 sched:sched_wakeup;sh 2" --event '*:*'
	[[ $stderr == *"left out: 1 samples of 'cycles'"* ]]
	run --separate-stderr "$flamefold" fold --event '*' p.data
	[ "$status" -ne 0 ]
	[[ $stderr == *"'*' stands for 'sched:sched_switch' and 'cycles', which count different things: name one of them, or --count=samples"* ]]
	stacks "cycles;sh 1 irq:softirq_entry;sh 1 sched:sched_switch;sh 1 sched:sched_wakeup;sh 2" \
		--event '*' --count=samples
	run --separate-stderr "$flamefold" fold --event 'block:*' p.data
	[ "$status" -ne 0 ]
	[[ $stderr == *"no event 'block:*': there is 'sched:sched_switch'"* ]]
}
