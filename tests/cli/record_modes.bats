#!/usr/bin/env bats
# flamefold record --mode: the events of a rule, live. Programs keep to processor 0, for a test counts
# what happens there.
bats_require_minimum_version 1.5.0

load events
load sampled

# Switches are those of all who run. Where a record is lost a wait is not counted, and rings are full soon
# if each has a copy of a stack.
lean=(-g fp -m 8M)

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# weight TEXT FOLDED: of the lines with the text.
weight()
{
	awk -v text="$1" 'index($0, text) { sum += $NF } END { printf "%d\n", sum }' "$2"
}

# samples_of FILE EVENT: how many info counts
samples_of()
{
	"$flamefold" info --format=json "$1" | jq --arg name "$2" '[.events[] | select(.name == $name).samples] | add'
}

@test "offcpu: a command that sleeps is off for as long as it slept" {
	need_mode_events
	record -q --mode offcpu "${lean[@]}" -o x.folded -- taskset -c 0 sh -c 'sleep 0.3; :'
	between 250000000 "$(weight 'nanosleep' x.folded)" 900000000
	# who waits for it, too, and nobody else
	between 250000000 "$(weight 'wait4' x.folded)" 900000000
	! cut -d';' -f1 x.folded | grep -Ev '^(sh|sleep|taskset)$' || { echo "others count"; false; }
}

@test "offcpu: of a command that never waited it is said, and no filter is blamed" {
	need_mode_events
	run "$flamefold" record --mode offcpu -o x.folded -- taskset -c 0 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	[ "$status" -ne 0 ] || skip "it has waited for something"
	[[ $output == *"no samples: "*" of the mode "* && $output != *filters* ]]
}

@test "offcpu: on processors that are named everybody counts" {
	need_mode_events
	taskset -c 0 sleep 0.2 &
	record -q --mode offcpu -C 0 -o x.folded -- taskset -c 0 sh -c 'sleep 0.3; :'
	wait
	[ "$(cut -d';' -f1 x.folded | sort -u | wc -l)" -ge 2 ]
	between 250000000 "$(weight 'nanosleep' x.folded)" 100000000000
}

@test "offcpu -p: a process, and what it starts, and no other" {
	need_mode_events
	name=$(under_own_name /bin/sleep)
	taskset -c 0 sh -c "i=0; while [ \$i -lt 1000 ]; do ./$name 0.1; done" &
	pid=$!
	record -q --mode offcpu "${lean[@]}" -p $pid -d 2 -o x.folded
	kill $pid
	! cut -d';' -f1 x.folded | grep -Ev "^(sh|$name)$" || { echo "others count"; false; }
	[ "$(weight wait4 x.folded)" -gt 200000000 ]
	[ "$(weight nanosleep x.folded)" -gt 200000000 ]
}

# Of all whose switches are in the file these alone are drawn, and what they start.
@test "what was saved is drawn the same" {
	need_mode_events
	for who in "" "sleep 0.2 & wait"; do
		for mode in offcpu wakeup; do
			if [ -n "$who" ]; then
				sh -c "sleep 5; taskset -c 0 sh -c '$who'; sleep 0.1; :" &
				record -q --mode $mode "${lean[@]}" --save x.data -p $! -o live.folded
			else
				record -q --mode $mode "${lean[@]}" --save x.data -o live.folded -- taskset -c 0 sh -c "sleep 0.1; :"
			fi
			"$flamefold" fold -q --mode $mode -o saved.folded x.data
			[ "$(weight "sleep" live.folded)" -gt 99000000 ]
			cmp live.folded saved.folded
		done
	done
}

# Each file knows whom it is of, and who was started before it began.
@test "files one after another are of those that were asked for" {
	need_mode_events
	record -q --mode offcpu "${lean[@]}" --save 'x%t.data' --switch-output=0.5 -o live.folded -- taskset -c 0 sh -c 'i=0; while [ $i -lt 15 ]; do sleep 0.1; i=$((i + 1)); done'
	for file in x*.data; do
		"$flamefold" fold -q --mode offcpu "$file" 2>err || grep -q 'no samples\|none of the events' err || { cat err; false; }
	done >saved.folded
	! cut -d';' -f1 saved.folded | grep -Evx '(sh|sleep|taskset|flamefold)' || { echo "others count"; false; }
	[ "$(weight sleep saved.folded)" -gt 300000000 ]
}

@test "a call chain is recorded only where a step draws it" {
	need_mode_events
	record -q --mode syscalls -g fp --save x.data -o x.folded -- sh -c ':'
	"$flamefold" info --format=json x.data | jq -e '[.events[] | .name] == ["raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "sched:sched_process_exec"]'
	command -v perf >/dev/null || skip "no perf to say what events have"
	[[ $(perf evlist -v -i x.data | grep sys_enter) != *CALLCHAIN* ]]
	[[ $(perf evlist -v -i x.data | grep sys_exit) == *CALLCHAIN* ]]
}

# filters PROGRAM...: those that the kernel is given
filters()
{
	command -v strace >/dev/null || skip "no strace"
	strace -f -s 2000 -e trace=ioctl -o trace "$@" || true
	grep -c SET_FILTER trace >/dev/null || skip "strace does not see it"
	grep -o 'SET_FILTER, ".*"' trace
}

@test "offcpu: a switch is recorded once, and with its stack only where a thread blocks" {
	need_mode_events
	record -q --mode offcpu -C 0 -g fp --save x.data -d 1 -o x.folded
	[ "$("$flamefold" info --format=json x.data | jq '[.events[] | select(.name == "sched:sched_switch")] | length')" -eq 2 ]
	command -v perf >/dev/null || skip "no perf to say what events have"
	# with a stack: who blocks; without: all others, which are not among them
	perf script -i x.data -F event,ip,sym,trace 2>/dev/null | awk '
		/prev_state=/ { state = $0; sub(/.*prev_state=/, "", state); sub(/ .*/, "", state); stack = 0; last = state; next }
		/^[[:space:]]+[0-9a-f]+ / { if (last != "") seen[last]++; last = "" }
		END { for (s in seen) print s }' >stacks
	[ -s stacks ]
	! grep -Ex 'R\+?' stacks || { echo "stacks of who does not block"; false; }
	run -0 filters "$flamefold" record -q --mode offcpu -C 0 -p $$ -d 0.1 -o y.folded
	[ "${#lines[@]}" -ge 2 ]
	[[ $output == *"!("*"prev_pid == $$"* ]]
}

@test "offcpu: of the whole machine frame pointers are recorded, of a process copies of its stack" {
	need_mode_events
	command -v perf >/dev/null || skip "no perf to say what events have"
	record -q --mode offcpu -C 0 -d 0.2 --save x.data -o x.folded
	run -0 "$flamefold" record --mode offcpu -C 0 --print-perf
	[[ $output == *"--call-graph fp"* ]]
	run -0 "$flamefold" record --mode offcpu -p $$ -g dwarf,1024 --print-perf
	[[ $output == *"--call-graph dwarf,1024"* ]]
	run -0 "$flamefold" record --mode offcpu -a -g dwarf --print-perf
	[[ $output == *"--call-graph dwarf"* ]]
}

@test "syscalls: every call of a command is paired" {
	need_mode_events
	record -q --mode syscalls --stats --save x.data -o x.folded -- dd if=/dev/zero of=/dev/null bs=512 count=200 2>stats
	[ "$(samples_of x.data raw_syscalls:sys_enter)" -gt 400 ]
	between 400 "$(awk '/^  paired/ { gsub(",", ""); print $2 }' stats)" 1000
}

@test "blockio: a file that is written through" {
	need_mode_events
	[ -r /sys/kernel/tracing/events/block/block_rq_issue/format ] || skip "no events of disks"
	file=$root/build/record_modes.$$
	before=$(awk '{ n += $8 } END { print n }' /proc/diskstats)
	record --mode blockio -o x.folded -- dd if=/dev/zero of="$file" bs=64k count=64 conv=fsync || true
	rm -f "$file"
	[ "$(awk '{ n += $8 } END { print n }' /proc/diskstats)" -gt "$before" ] || skip "nothing here writes to a disk"
	[ "$(weight 'dd;' x.folded)" -gt 0 ]
}

@test "faults: each one counts 1" {
	need_events
	record -q --mode faults --save x.data -o x.folded -- ls
	[ "$(weight ' ' x.folded)" -gt 20 ]
	[ "$(weight ' ' x.folded)" -eq "$(samples_of x.data page-faults)" ]
}

@test "wakeup: who has woken is not asked for, who was woken is" {
	need_mode_events
	record -q --mode wakeup "${lean[@]}" -o x.folded -- taskset -c 0 sh -c 'sleep 0.2; :'
	! grep -Ev ';(sh|sleep|taskset) [0-9]*$' x.folded || { echo "others were woken"; false; }
	[ "$(weight ';sleep ' x.folded)" -gt 190000000 ]
}

@test "a rule of one's own opens its events, too" {
	need_mode_events
	record -q --pair 'sample sched:nothing | sched:sched_process_exec; weight 1; unit programs' \
		-o x.folded -- sh -c 'ls; ls'
	[ "$(weight ' ' x.folded)" -eq 3 ]
}

@test "what this kernel does not have is looked for in the rule behind" {
	need_mode_events
	local first='start block:no_event_of_this_name key dev; end block:block_rq_issue key dev; stack start'

	run -0 "$flamefold" record --pair "$first; or; sample sched:sched_switch" --print-perf -a
	[[ $output == *"-e sched:sched_switch"* && $output != *block* ]]
	run -1 "$flamefold" record --pair "$first; or; sample sched:no_event_of_this_name" --print-perf -a
	[[ $output == *"block:no_event_of_this_name"* ]]
}

@test "an event that has two names in a rule happens once" {
	need_mode_events
	record -q --pair 'sample sched:sched_process_exec,sched:sched_process_e*ec; weight 1' -o x.folded -- sh -c 'ls; ls'
	[ "$(weight ' ' x.folded)" -eq 3 ]
	record -q --pair 'sample sched:sched_process_e*ec,sched:sched_process_exec; weight 1' -o x.folded -- sh -c 'ls; ls'
	[ "$(weight ' ' x.folded)" -eq 3 ]
}

@test "a wait that began in one window ends in another" {
	need_mode_events
	record -q --mode offcpu "${lean[@]}" --every 0.3 --window -o 'w%t.folded' -- taskset -c 0 sh -c 'sleep 1; :'
	cat w*.folded >x.folded
	between 900000000 "$(weight nanosleep x.folded)" 3000000000
}

@test "what is open is known at the end, not on the way" {
	need_mode_events
	run -2 "$flamefold" record --mode kmemleak --every 1 -o x.svg true
	[[ $output == *"(--every)"* ]]
}

@test "--print-perf: the line of perf record, and nothing runs" {
	need_mode_events
	run -0 "$flamefold" record --mode schedlat -g fp --print-perf -- touch "it's"
	[ "$output" = "perf record -a --call-graph fp -e sched:sched_switch/call-graph=no/ --filter '(next_pid != 0) || (prev_pid != 0)' -e sched:sched_waking -- touch 'it'\''s'" ]
	[ ! -e "it's" ]
	run -0 "$flamefold" record --mode faults -g no --print-perf -p 1
	[ "$output" = "perf record -e page-faults/period=1/ -p 1" ]
	run -2 "$flamefold" record --print-perf true
	[[ $output == *"--mode NAME"* ]]
}

@test "what perf records by that line is drawn" {
	need_mode_events
	command -v perf >/dev/null || skip "no perf"
	line=$("$flamefold" record --mode syscalls -g fp --print-perf -- sh -c 'sleep 0.1')
	eval "${line/perf record/perf record -q -o x.data}" || skip "perf does not record this here"
	[ "$("$flamefold" fold -q --mode syscalls x.data | awk '/nanosleep/ { n += $NF } END { printf "%d", n }')" -gt 90000000 ]
}

@test "a mode names its events itself, and they have no rate" {
	need_mode_events
	run -2 "$flamefold" record --mode offcpu -e cycles true
	[[ $output == *"-e cannot go with it"* ]]
	run -2 "$flamefold" record --mode offcpu -F 99 true
	[[ $output == *"(-F)"* ]]
	run -2 "$flamefold" record --mode offcpu --all-user true
	[[ $output == *"both sides"* ]]
	run -2 "$flamefold" record --mode offcpu -G some
	[[ $output == *"--only cgroup=some"* ]]
	run -1 "$flamefold" record --pair 'sample sched:nothing' true
	[[ $output == *"sched:nothing"* ]]
}

@test "--mode cpu samples as ever" {
	need_events
	record -q --mode cpu -F 997 -e cpu-clock --save x.data -o x.folded -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'
	[ "$(samples_of x.data cpu-clock)" -gt 0 ]
}

@test "make demo MODE=NAME draws that mode, or says that there is none" {
	local demo=$root/tests/demo/demo

	run -2 env MODE=nothing O="$(dirname "$flamefold")" OUT="$PWD/x.svg" "$demo"
	[[ $output == *"no mode 'nothing'; there is: cpu wall wall-instant cpi offcpu "* ]]
	need_mode_events
	mkdir -p tests/modes
	"${CC:-cc}" -D_GNU_SOURCE -O2 -fno-omit-frame-pointer -pthread -o tests/modes/relay "$root/tests/modes/relay.c"
	ln -s "$flamefold" flamefold
	MODE=offcpu O=$PWD OUT=$PWD/x.svg "$demo"
	"$flamefold" fold -q x.svg | grep -q '^app;.*take_token.*;__schedule [0-9]*$'
	# Where nobody may record, the picture of the documentation.
	rm flamefold
	printf '#!/bin/sh\n[ "$1" != record ] || exit 1\nexec %s "$@"\n' "$flamefold" >flamefold
	chmod +x flamefold
	MODE=chain O=$PWD OUT=$PWD/y.svg "$demo"
	cmp y.svg "$root/Documentation/modes/chain.svg"
}

# A child that touches 61,440 pages, and then a loop that touches none.
make_faults()
{
	cat >faults.c <<-'END'
	#include <sys/mman.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static volatile long sum;
	__attribute__((noinline)) void spin(void) { for (long i = 0; i < 100000000; i++) sum += i; }
	__attribute__((noinline)) void touch(void)
	{
		for (int k = 0; k < 60; k++) {
			char *p = mmap(0, 1 << 22, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			madvise(p, 1 << 22, MADV_NOHUGEPAGE);
			for (int i = 0; i < 1 << 22; i += 4096)
				p[i] = 1;
			munmap(p, 1 << 22);
		}
	}
	int main(void)
	{
		if (fork() == 0) {
			touch();
			_exit(0);
		}
		wait(0);
		spin();
		return 0;
	}
	END
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -o faults faults.c
}

# counted PICTURE: page faults of touch(), hundreds of thousands a second on most machines, and of spin(),
# which may have some of those that ran in between
counted()
{
	grep -oE '<title>touch \([^)]*; page-faults/cpu-clock [0-9.]+ [kM]/s' "$1"
	! grep -E '<title>spin \([^)]*; page-faults/cpu-clock ([0-9]{3}[0-9.]* k|[0-9.]+ M)/s' "$1" || { echo "spin() has some"; return 1; }
}

@test "a ratio: its two events are one group, which a clock cuts" {
	need_events
	make_faults
	for who in "" -a; do
		# shellcheck disable=SC2086 # no word, or one
		record -q --ratio page-faults/cpu-clock -F 997 -g fp $who --only comm=faults --save x.data -o x.svg -- taskset -c 0 ./faults
		grep -q 'data-ratio-names="page-faults/weight"' x.svg
		counted x.svg
		"$flamefold" -q --ratio page-faults/cpu-clock --only comm=faults -o y.svg x.data
		counted y.svg
		# Each fault is there; of a whole processor some are told with a sample of another program.
		"$flamefold" fold -q --ratio page-faults/cpu-clock --event page-faults --only comm=faults -o x.folded x.data
		between "${who:+2}0000" "$(weight touch x.folded)" 63000
		[ -n "$who" ] || between 60000 "$(weight touch x.folded)" 63000
		"$flamefold" info --format=json x.data | jq -e '[.events[] | .name] == ["cpu-clock", "page-faults"] and .events[1].samples == 0'
	done
	command -v perf >/dev/null || skip "no perf to say what events have"
	[ "$(perf evlist -v -i x.data | grep -c 'READ.*read_format: ID|GROUP')" -eq 2 ]
}

@test "a ratio: where the kernel has no such groups each event is sampled on its own" {
	need_events
	make_faults
	"${CC:-cc}" -shared -fPIC -o old.so "$BATS_TEST_DIRNAME/preload/no_inherited_groups.c" -ldl || skip "no compiler"
	LD_PRELOAD=$PWD/old.so "$flamefold" --version >/dev/null 2>&1 || skip "nothing can be preloaded here"
	LD_PRELOAD=$PWD/old.so "$flamefold" record -q --ratio page-faults/cpu-clock -F 997 -g fp --save x.data -o x.svg -- taskset -c 0 ./faults
	counted x.svg
	"$flamefold" info --format=json x.data | jq -e '[.events[] | select(.samples > 10) | .name] == ["cpu-clock", "page-faults"]'
}

@test "a ratio: a run that is too short for a sample lacks samples, and no column" {
	need_events
	run -1 "$flamefold" record --ratio cpu-clock/task-clock -F 1 -o x.svg -- true
	[[ $output == *"no samples"* && $output != *"no ratio"* ]]
}

@test "a ratio: what was named is sampled as it was named" {
	need_events
	record -q --ratio page-faults/cpu-clock -e cpu-clock -e page-faults -F 997 -o x.svg -- taskset -c 0 sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
	grep -q 'data-ratio-names="page-faults/weight"' x.svg
}

@test "--print-perf: a ratio is a group that is read" {
	run -0 "$flamefold" record --mode cpi -F 997 -g fp --print-perf -p 1
	[ "$output" = "perf record --call-graph fp -e '{cycles/freq=997/,instructions}:S' -p 1" ]
	run -0 "$flamefold" record --ratio LLC-load-misses/cycles -c 100000 -g fp --print-perf -a
	[ "$output" = "perf record -a --call-graph fp -e '{cycles/period=100000/,LLC-load-misses}:S'" ]
}

@test "hotcold: a command runs, waits and is in the queue for as long as it lives" {
	need_mode_events
	record -q --mode hotcold -F 997 -o x.folded -- taskset -c 0 sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; sleep 0.3'
	between 250000000 "$(weight '[off-CPU];sleep' x.folded)" 900000000
	between 250000000 "$(weight '[off-CPU];sh' x.folded)" 900000000
	[ "$(weight '[on-CPU];sh' x.folded)" -gt 20000000 ]
	# The child is of our name until it is the command.
	! cut -d';' -f2 x.folded | grep -Ev '^(sh|sleep|taskset|flamefold)$' || { echo "others count"; false; }
	run "$flamefold" record --mode hotcold-mixed -F 997 --print-perf -- true
	[[ $output == *"-e cpu-clock/freq=997/ -- true" ]]
	[[ $output == *"-e sched:sched_switch --filter '"*"' -e sched:sched_waking/call-graph=no/"* ]]
	# It is known at the end what is open.
	run "$flamefold" record --mode hotcold --every 1 -o x.svg -- true
	[ "$status" -eq 2 ]
}

@test "--print-perf: terms are before an event's modifiers and within its slashes" {
	run -0 "$flamefold" record --mode wall -e cycles:u -e cpu/event=0x3c/u -e cycles --print-perf true
	[[ $output == *" -e cycles/freq=99/u -e cpu/event=0x3c,freq=99/u -e cycles/freq=99/ "* ]]
}
