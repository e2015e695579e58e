#!/usr/bin/env bats
# flamefold record --mode malloc, leak, and other probes on functions: what tests/live/allocations.c asks for is known.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program allocations -fno-builtin
	build_program allocations -fno-builtin -static && mv "$BATS_FILE_TMPDIR/allocations" "$BATS_FILE_TMPDIR/static-ones" || true
	build_program allocations -fno-builtin
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	program=$BATS_FILE_TMPDIR/allocations
}

teardown()
{
	end_started
}

need_probes()
{
	need_events system
	[ -r /sys/bus/event_source/devices/uprobe/type ] || skip "this kernel has no uprobes"
	[ "$(id -u)" -eq 0 ] || skip "probes are for root"
}

# lost FILE: "NAME BYTES" for what the functions of the program lost, sorted
lost()
{
	awk '{ if (match($0, /;(lose|free|fail)_?[a-z_]*/)) sum[substr($0, RSTART + 1, RLENGTH - 1)] += $NF }
		END { for (name in sum) print name, sum[name] }' "$1" | sort
}

# Bytes of the stacks of the program, none of which is deep. Where others begin and ask for memory meanwhile, rings hold
# the more of theirs.
shallow=2048

all_lost="lose_aligned 640
lose_array 110
lose_calloc 300
lose_in_thread 250
lose_malloc 10000
lose_page 890
lose_realloc 7000
lose_unmoved 900"

@test "leak: what was not freed, to the byte, by who asked for it" {
	need_probes
	record -q --mode leak -g fp --stats -o x.folded -- "$program" 2>stats
	[ "$(lost x.folded)" = "$all_lost" ]
	[ "$(awk '/^  objects/ { print $2 }' stats)" -ge 66 ]
	[ "$(awk '/^  ends without/ { print $NF }' stats)" -eq 0 ]
}

@test "leak: by copies of the stack, too" {
	need_probes
	record -q --mode leak -g "dwarf,$shallow" -o x.folded -- "$program"
	[ "$(lost x.folded)" = "$all_lost" ]
}

@test "leak: a program that is linked statically has a malloc of its own" {
	need_probes
	[ -x "$BATS_FILE_TMPDIR/static-ones" ] || skip "nothing can be linked statically here"
	record -q --mode leak -g fp -o x.folded -- "$BATS_FILE_TMPDIR/static-ones"
	[ "$(lost x.folded)" = "$all_lost" ]
}

@test "leak: what a process had before it became another program is gone" {
	need_probes
	need_tracefs sched/sched_process_exec
	record -q --mode leak -g fp -o x.folded -- "$program" again
	[ "$(lost x.folded)" = "$all_lost" ]
	record -q --mode malloc -g fp -o x.folded -- "$program" again
	[[ $(lost x.folded) == *"lose_before 12345"* ]]
}

@test "leak: what was saved is drawn the same" {
	need_probes
	for stacks in fp "dwarf,$shallow" "auto,$shallow"; do
		record -q --mode leak -g "$stacks" --save x.data -o x.folded -- "$program"
		"$flamefold" fold -q --mode leak -o y.folded x.data
		[ "$(lost y.folded)" = "$all_lost" ] || { echo "$stacks"; false; }
		cmp x.folded y.folded
	done
}

@test "leak -p: a process that runs, and no other" {
	need_probes
	sh -c 'sleep 6; exec "$0"' "$program" &
	pid=$!
	record -q --mode leak -g fp -p $pid -o x.folded
	wait $pid || true
	[ "$(lost x.folded)" = "$all_lost" ]
	! cut -d';' -f1 x.folded | grep -Evx '(sh|allocations).*' || { echo "others count"; false; }
}

@test "who was there before the command is left out by the kernel: rings have room for what counts" {
	need_probes
	[ "$(stat -L -c %i /proc/self/ns/pid)" -eq 4026531836 ] || skip "numbers of processes are not the kernel's here"
	in_background python3 -c 'while True: bytearray(1000)'
	until_true worked "$pid" 10
	record -q --mode malloc -g fp --save x.data -o x.folded -- "$program"
	"$flamefold" fold -q --pid --event uprobe:libc:malloc -o y.folded x.data
	grep -q '^allocations-' y.folded
	! grep "^python3*-$pid[; ]" y.folded || false
}

@test "malloc: every byte that was asked for and given, outermost calls only" {
	need_probes
	record -q --mode malloc -g fp -o x.folded -- "$program"
	[ "$(lost x.folded)" = "free_all 24000
lose_aligned 640
lose_array 110
lose_calloc 300
lose_in_thread 250
lose_malloc 10000
lose_page 890
lose_posix 320
lose_realloc 7070
lose_unmoved 900" ]
}

@test "a probe on a function of one's own, with an argument" {
	need_probes
	cat >add.c <<-'END'
	#include <unistd.h>
	__attribute__((noinline)) long add(long a, long b) { __asm__(""); return a + b; }
	int main(void) { long sum = 0; for (long i = 1; i <= 10; i++) sum += add(i, 100); return sum == 0; }
	END
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -o add add.c
	record -q --pair "sample uprobe:$PWD/add:add; weight arg1 * arg2" -o x.folded -- ./add
	[ "$(awk '{ n += $NF } END { print n }' x.folded)" -eq 5500 ]
	record -q --pair "sample uretprobe:$PWD/add:add if ret > 105; weight ret" -o x.folded -- ./add
	[ "$(awk '{ n += $NF } END { print n }' x.folded)" -eq 540 ]
	record -q -a -e "uprobe:$PWD/add:add" --save x.data -o x.folded -- ./add
	[ "$("$flamefold" info --format=json x.data | jq '.events[0].samples')" -eq 10 ]
	[ "$("$flamefold" fold -q --pair "sample uprobe:$PWD/add:add; weight arg2" x.data | awk '{ n += $NF } END { print n }')" -eq 1000 ]
}

@test "what cannot be probed says why" {
	need_probes
	run -1 "$flamefold" record --pair 'sample uprobe:/bin/sh:nothing_is_called_so' true
	[[ $output == *"there is no function 'nothing_is_called_so' in /bin/sh"* ]]
	run -2 "$flamefold" record -e uprobe:libc:malloc -- true
	[[ $output == *"-a"*"--pair 'sample uprobe:libc:malloc'"* ]]
	run -1 "$flamefold" record --mode leak -p 4194303 -d 1
	[[ $output == *"there is no process 4194303" ]]
	run -2 "$flamefold" record -a -e uprobe:relative:malloc
	[[ $output == *"begins with '/'"* ]]
	run -2 "$flamefold" record --pair "sample uprobe:/bin/sh:1" --print-perf true
	[[ $output == *"uprobe:libc:FUNCTION"* ]]
}

@test "--print-perf: what perf records by those lines is drawn" {
	need_probes
	need_fields_by_perf
	[ ! -e /sys/kernel/tracing/events/probe_libc ] || skip "somebody else has probes here"
	"$flamefold" record --mode leak -g fp --print-perf -- "$program" >lines
	[[ $(head -1 lines) == "perf probe -x /"*" --add 'probe_libc:malloc=malloc arg1=%"* ]]
	sed 's/perf record/perf record -q -o x.data/' lines >script
	sh -e script >said 2>&1 || { perf probe -q -d 'probe_libc:*'; skip "perf cannot: $(tail -1 said)"; }
	perf probe -q -d 'probe_libc:*'
	"$flamefold" fold -q --mode leak --only comm=allocations -o x.folded x.data
	[ "$(lost x.folded)" = "$all_lost" ]
}
