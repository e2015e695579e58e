#!/usr/bin/env bats
# What modes say of programs that know it themselves (tests/modes), recorded live and by perf. All keep to
# processor 0, which alone is recorded: some machines hide switches of others.
bats_require_minimum_version 1.5.0

load events
load sampled

modes=$root/tests/modes
chains=fp # copies of stacks come faster than they are read where a machine has much to do
switches=sched:sched_switch,sched:sched_waking

setup_file()
{
	local source

	for source in "$modes"/*.c; do
		"${CC:-cc}" -D_GNU_SOURCE -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -Wall -Wextra \
			-o "$BATS_FILE_TMPDIR/$(basename "$source" .c)" "$source" || return
	done
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# pinned PROGRAM ARG...: the command line
pinned()
{
	program=$1
	command=(taskset -c 0 "$BATS_FILE_TMPDIR/$1" "${@:2}")
}

# whole DATA COMMAND...: makes the recording, and again where the machine has hidden something that the program did.
whole()
{
	local tries

	for ((tries = 0; tries < 20; tries++)); do
		"${@:2}"
		command -v perf >/dev/null || return 0
		"$modes/whole" "$1" "$program" >missing || [ $? -eq 3 ]
		[ -s missing ] || return 0
	done
	skip "in each of $tries recordings something is hidden: $(head -1 missing)"
}

record_mode()
{
	record -q --mode "$1" -C 0 -m 8M -g "$chains" --save "$1.data" -o "$1.folded" -- "${command[@]}" >truth
}

# live MODE...: runs the command for each of them, and compares. What is saved meanwhile is the same.
live()
{
	local mode

	for mode; do
		whole "$mode.data" record_mode "$mode"
		"$modes/compare" truth "$mode" "$mode.folded"
		"$flamefold" fold -q --mode "$mode" -o saved.folded "$mode.data"
		diff <("$modes/compare" truth "$mode" "$mode.folded") <("$modes/compare" truth "$mode" saved.folded)
	done
}

perf_record()
{
	perf record -q -C 0 -m 1024 -o x.data -e "$1" --call-graph "$chains" -- "${command[@]}" >truth 2>err ||
		{ cat err; return 1; }
}

# by_perf EVENTS MODE...: one run of the command for all of them.
by_perf()
{
	local events=$1

	shift
	need_fields_by_perf
	whole x.data perf_record "$events"
	folded_as_said "$@"
}

# folded_as_said MODE...: of x.data
folded_as_said()
{
	local mode

	for mode; do
		"$flamefold" fold -q --mode "$mode" -o "$mode.folded" x.data
		"$modes/compare" truth "$mode" "$mode.folded"
	done
}

# A place on the disk that the tree is on.
on_disk()
{
	file=$root/build/$1.$$
}

@test "sleeping and working in turns: blocked, runnable, and both with the work are all of a thread's life" {
	local mode said name seen

	need_mode_events
	[ -r /proc/thread-self/schedstat ] || skip "the kernel does not count how long a thread waits for a processor"
	pinned sleepspin 25
	live offcpu runq
	command -v perf >/dev/null || skip "no perf"
	by_perf $switches offcpu runq
	"$flamefold" fold -q --mode wakeup -o wakeup.folded x.data
	while read -r mode _ said name; do
		[ "$mode" = life ] || continue
		seen=$(awk -v name="$name" 'FILENAME == "runq.folded" ? index($0, name ";") == 1 : $0 ~ ";" name " [0-9]*$" { n += $NF }
			END { printf "%d", n }' runq.folded wakeup.folded)
		echo "$name: $said said, $seen seen"
		between $((said * 98 / 100)) "$seen" $((said * 102 / 100))
	done <truth
	grep -q '^life' truth
}

@test "a relay over pipes: each wait, and who ends it at each level" {
	need_mode_events
	pinned relay 12
	live chain schedlat
	by_perf $switches offcpu offwake chain wakeup schedlat
}

@test "files: time and bytes of each call, and the bytes of the disk" {
	local calls

	need_mode_events
	on_disk fileio
	pinned fileio "$file"
	live fileio
	calls=syscalls:sys_enter_pread64,syscalls:sys_exit_pread64,syscalls:sys_enter_pwrite64,syscalls:sys_exit_pwrite64
	by_perf $calls,syscalls:sys_enter_fsync,syscalls:sys_exit_fsync fileio filebytes syscalls
	[ -e /sys/kernel/tracing/events/block/block_io_start ] || skip "no events of disks that begin a request"
	grep -q '^iobytes' truth || skip "nothing here writes to a disk"
	live iobytes
	by_perf block:block_io_start,block:block_bio_backmerge,block:block_bio_frontmerge iobytes
}

@test "threads that queue for a mutex, and for a lock of the kernel" {
	need_mode_events
	[ -e /sys/kernel/tracing/events/lock/contention_begin ] || skip "no events of locks"
	on_disk convoy
	pinned convoy "$file"
	live locks
	by_perf $switches,syscalls:sys_enter_futex,syscalls:sys_exit_futex,lock:contention_begin,lock:contention_end \
		futex offcpu locks
}

@test "memory that grows: bytes of the heap and of mappings" {
	need_mode_events
	pinned grow
	# sbrk() keeps no frame pointer.
	chains=auto
	live brk mmap
	chains=dwarf,4096
	by_perf syscalls:sys_enter_brk,syscalls:sys_exit_brk brk
	by_perf syscalls:sys_enter_mmap,syscalls:sys_exit_mmap mmap
}

@test "pages that are touched: each one once" {
	need_events
	pinned touch
	live faults
	by_perf page-faults/period=1/ faults
}

@test "a recording that has lost records has less, and invents nothing" {
	local mode

	need_mode_events
	need_fields_by_perf
	pinned relay 12
	# A buffer of one page, which is full after a few copies of stacks.
	perf record -q -C 0 -m 1 -o x.data -e $switches --call-graph dwarf,256 -- "${command[@]}" >truth 2>err || { cat err; false; }
	[ "$("$flamefold" info -q --format=json x.data | jq .lost)" -gt 0 ] || skip "nothing was lost"
	for mode in offcpu offwake chain wakeup schedlat; do
		"$flamefold" fold --mode $mode --stats -o $mode.folded x.data 2>stats
		"$modes/compare" truth $mode $mode.folded most
		grep -q '^  records lost meanwhile *[1-9]' stats
	done
}

@test "a recording that ends too early has what is in it" {
	local size part mode last=-1 sum

	need_mode_events
	need_fields_by_perf
	pinned relay 12
	perf record -q -C 0 -m 1024 -e $switches -g -o - -- sh -c '"$@" >truth' sh "${command[@]}" >x.pipe 2>err || { cat err; false; }
	size=$(stat -c %s x.pipe)
	for part in 20 40 60 80 99; do
		head -c $((size * part / 100)) x.pipe >x.data
		"$flamefold" fold -q --mode offcpu -o offcpu.folded x.data || : >offcpu.folded
		"$modes/compare" truth offcpu offcpu.folded most
		sum=$(awk '/;take_token;/ { n += $NF } END { printf "%d", n }' offcpu.folded)
		[ "$sum" -ge "$last" ]
		last=$sum
	done
	[ "$last" -gt 0 ]
}
