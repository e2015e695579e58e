#!/usr/bin/env bats
# flamefold record -e: perf's words for events, and what they count.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
	build_program pages
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
	pages=$BATS_FILE_TMPDIR/pages
	devices=/sys/bus/event_source/devices
}

# events FILE: the names of its events, one a line.
events()
{
	"$flamefold" info --format=json "$1" | jq -r '.events[].name'
}

# weight TEXT FOLDED: of the lines with the text.
weight()
{
	awk -v text="$1" 'index($0, text) { sum += $NF } END { print sum + 0 }' "$2"
}

has_pmu()
{
	[ -e $devices/cpu/type ] || [ -e $devices/cpu_core/type ] || ls $devices | grep -q '^armv8'
}

need_tracepoints()
{
	need_events system
	need_tracefs sched/sched_process_exec
}

@test "software events have perf's names" {
	need_events
	for event in cpu-clock task-clock page-faults minor-faults context-switches cs faults cpu-clock:u; do
		record -q -e "$event" -o x.data -- "$shares" 0.1 1 >/dev/null
		[ "$(events x.data)" = "$event" ] || { echo "$event: $(events x.data)"; false; }
	done
}

@test "several events are sampled at once" {
	need_events
	record -q -F 997 -e cpu-clock,page-faults -e task-clock:u -o x.data -- "$shares" 0.5 1 >/dev/null
	[ "$(events x.data | tr '\n' ' ')" = "cpu-clock page-faults task-clock:u " ]
	"$flamefold" info --format=json x.data | jq -e '[.events[].samples > 0] | all'
}

@test "u and k: one side only" {
	need_events system
	record -q -F 997 -e cpu-clock:u -o user.folded -- "$pages" 100000 >/dev/null
	grep -q 'touch_pages' user.folded
	[ "$(weight asm_exc_page_fault user.folded)" -eq 0 ]
	record -q -F 997 -e cpu-clock:k --kernel -o kernel.folded -- "$pages" 100000 >/dev/null
	! grep -v '_\[k\] [0-9]*$' kernel.folded || { echo "not the kernel's"; false; }
}

@test "every page fault counts, with -c 1" {
	need_events
	# Room for all of them, however late they are read: without copies of the stack.
	record -q -g no -c 1 -e page-faults:u -m 16M -o x.folded -- "$pages" 5000 >faults
	[ "$(cat faults)" -ge 5000 ]
	between 4990 "$(weight touch_pages x.folded)" "$(cat faults)"
}

@test "with -c of a software event and of a tracepoint, only every so many are sampled" {
	need_events system
	record -q -c 100 -e page-faults:u --save x.data -o x.folded -- "$pages" 5000 >faults
	between 4800 "$(weight touch_pages x.folded)" "$(($(cat faults) + 200))"
	between 40 "$("$flamefold" info --format=json x.data | jq .samples)" "$(($(cat faults) / 100 + 20))"
	"$flamefold" fold -q -o file.folded x.data
	cmp x.folded file.folded
	[ -r /sys/kernel/tracing/events/exceptions/page_fault_user/id ] || skip "no such tracepoint here"
	record -q -c 100 -e exceptions:page_fault_user --save x.data -o x.folded -- "$pages" 5000 >faults
	between 4800 "$(weight touch_pages x.folded)" "$(($(cat faults) + 200))"
	between 40 "$("$flamefold" info --format=json x.data | jq .samples)" "$(($(cat faults) / 100 + 20))"
}

@test "a rate that belongs to the event" {
	need_events
	# Each processor counts to a hundred on its own.
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	record -q -e page-faults/period=100/u -o x.folded -- taskset -c "$cpu" "$pages" 5000 >faults
	between 4800 "$(weight touch_pages x.folded)" "$(($(cat faults) + 200))"
	record -q -F 97 -e cpu-clock/freq=997,name=often/u -o x.data -- "$shares" 1 1 >truth
	[ "$(events x.data)" = often ]
	want=$(awk '{ ns += $2 } END { printf "%.0f\n", ns / 1e9 * 997 }' truth)
	# What interrupts it takes of its time, too; by the other rate it were a tenth.
	between "$((want * 50 / 100))" "$("$flamefold" info --format=json x.data | jq .samples)" "$((want * 120 / 100))"
}

@test "a rate between slashes that the kernel does not take is said with what it takes" {
	need_events
	run -2 record -e cpu-clock/freq=99999999/ -o x.svg -- true
	[[ $output == *"no more than $(cat /proc/sys/kernel/perf_event_max_sample_rate) samples a second"* ]]
}

@test "every event of a tracepoint counts" {
	need_tracepoints
	# shellcheck disable=SC2016 # for sh
	record -q -e sched:sched_process_exec --count=samples -o x.folded -- \
		sh -c 'i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done'
	# That of sh itself is the one with which counting begins.
	between 20 "$(weight '' x.folded)" 21
	between 20 "$(weight 'true;' x.folded)" 20
}

@test "a pattern stands for several tracepoints" {
	need_tracepoints
	record -q -e 'sched:sched_process_ex[ei][ct]' -o x.data -- sh -c '/bin/true; /bin/true'
	[ "$(events x.data 2>/dev/null | tr '\n' ' ')" = "sched:sched_process_exec sched:sched_process_exit " ]
}

@test "a name that is none is answered with what is close" {
	run -2 record -e cylces -o x.svg -- true
	[[ $output == *"unknown event 'cylces': did you mean 'cycles'?"* ]]
	run -2 record -e cpu-clock:x -o x.svg -- true
	[[ $output == *"no modifier is called 'x'"* ]]
	run -2 record -e no_such_pmu/event=1/ -o x.svg -- true
	[[ $output == *"no PMU 'no_such_pmu'"* ]]
	run -2 record -e '{cycles,instructions}' -o x.svg -- true
	[[ $output == *"braces"* ]]
	[ ! -e x.svg ]
}

@test "a tracepoint that is none is answered with what is close" {
	need_tracepoints
	run record -e sched:sched_swich -o x.svg -- true
	[ "$status" -ne 0 ]
	[[ $output == *"did you mean 'sched:sched_switch'?"* ]]
	run -2 record -e sched_switch -o x.svg -- true
	[[ $output == *"did you mean 'sched:sched_switch'?"* ]]
}

@test "without a counter for cycles the clock is sampled, and said so" {
	need_events
	! has_pmu || skip "this machine counts cycles"
	record -F 997 -e cycles:u -o x.data -- "$shares" 0.5 1 2>err >/dev/null
	grep -q "no counter for 'cycles:u'.*cpu-clock" err
	[ "$(events x.data)" = cpu-clock:u ]
	record -F 997 -o x.data -- "$shares" 0.5 1 2>/dev/null >/dev/null
	[ "$(events x.data)" = cpu-clock ]
	# By the clock a ratio would be another one.
	run -1 "$flamefold" record --mode cpi -o x.svg -- true
	[[ $output == *"no counter for 'cycles'"* && $output != *"sampling cpu-clock"* ]]
}

@test "other counters that are not there are an error" {
	need_events
	! has_pmu || skip "this machine has counters"
	for event in cache-misses LLC-load-misses r1a8 instructions:pp; do
		run -1 record -e "$event" -o x.svg -- touch it-ran
		[[ $output == *"$event"* ]]
		[ ! -e it-ran ]
	done
}

@test "where the processor counts, its cycles, raw events and caches are sampled" {
	need_events
	has_pmu || skip "no counters here"
	for event in cycles:u instructions:u cache-misses:u r3c:u; do
		record -q -F 997 -e "$event" -o x.data -- "$shares" 0.3 1 >/dev/null
	done
	record -q -F 997 -e cycles:Pu -o x.folded -- "$shares" 1 1 >/dev/null
	between 50 "$(share share_60 x.folded)" 70
}

@test "tracepoints without tracefs are answered with the command that mounts it" {
	need_events
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace can be made"
	[ -d /sys/kernel/tracing ] || skip "no place for tracefs"
	# shellcheck disable=SC2016 # for sh
	run unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing || exit 99
		if [ -d /sys/kernel/debug/tracing/events ]; then mount -t tmpfs none /sys/kernel/debug || exit 99; fi
		exec "$0" record -e sched:sched_switch -o x.svg -- true' "$flamefold"
	[ "$status" -ne 99 ] || skip "nothing can be mounted over tracefs"
	[ "$status" -ne 0 ]
	[[ $output == *"mount -t tracefs nodev /sys/kernel/tracing"* ]]
}

@test "a pattern's events are all drawn, each at the root of its stacks, live and from the file" {
	need_events system
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace can be made"
	# shellcheck disable=SC2016 # for sh
	run unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
		[ -r /sys/kernel/tracing/events/syscalls/sys_enter_read/id ] || exit 99
		exec timeout 300 "$0" record -e "syscalls:sys_enter_[rw]*" --save x.data -o x.folded -- \
			dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none' "$flamefold"
	[ "$status" -ne 99 ] || skip "this kernel has no tracepoints of system calls"
	[ "$status" -eq 0 ]
	[[ $output != *"left out"* ]]
	[[ $output != *"other events"* ]]
	between 1000 "$(weight 'syscalls:sys_enter_write;dd;' x.folded)" 1010
	between 1000 "$(weight 'syscalls:sys_enter_read;dd;' x.folded)" 1050
	[ -z "$(grep -v '^syscalls:sys_enter_[rw][a-z0-9_]*;' x.folded)" ]
	"$flamefold" fold -q x.data >back.folded
	cmp x.folded back.folded
	# As much as the recording has, of all events.
	[ "$("$flamefold" info --format=json x.data | jq .samples)" -eq "$(weight ';' x.folded)" ]
	"$flamefold" graph -q -o x.svg x.data
	grep -q 'of syscalls:sys_enter_\[rw\]\*' x.svg
}
