#!/usr/bin/env bats
# Stacks from dumps of programs that are linked, compiled or started in ways that unwinders trip
# over. Their chains of calls are known.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled
load m32

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
}

# layout FLAG...: the same program, linked in another way.
layout()
{
	compile layers layers.c $WITHOUT_FP "$@"
	rate=1999 dwarf ./layers 15000
	fold_user
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
	[ "$(grep -c leaf user)" -ge 1 ]
}

@test "an executable at any address" {
	layout -fPIE -pie
	same_as_perf --judge=4
}

@test "an executable at a fixed address" {
	layout -fno-pie -no-pie
	same_as_perf --judge=4
}

@test "a static executable: perf has one frame of it" {
	layout -static
	same_as_perf --equal=0 --judge=6
}

@test "a static executable at any address" {
	layout -static-pie
	same_as_perf --equal=0 --judge=6
}

@test "without an index of .eh_frame" {
	layout -Wl,--no-eh-frame-hdr
	! readelf -lW layers | grep -q GNU_EH_FRAME || false
	layout -static -Wl,--no-eh-frame-hdr
	! readelf -lW layers | grep -q GNU_EH_FRAME
}

@test "linked by gold" {
	command -v ld.gold >/dev/null || skip "no gold"
	layout -fuse-ld=gold
	same_as_perf --judge=4
}

# bats test_tags=long
@test "linked by lld, whose segments share pages of the file" {
	command -v ld.lld clang >/dev/null || skip "no lld or no clang"
	CC=clang layout -fuse-ld=lld
	same_as_perf --judge=4
	layout -fuse-ld=lld -static
}

@test "code and data in one segment" {
	layout -Wl,-z,noseparate-code
	same_as_perf --judge=4
}

@test "code at an address of its own" {
	layout -no-pie -fno-pie -Wl,-Ttext-segment=0x10000000
	same_as_perf --judge=4
}

@test "segments aligned to 2 MiB" {
	layout -Wl,-z,max-page-size=0x200000
	same_as_perf --judge=4
}

@test "without section headers" {
	compile whole layers.c $WITHOUT_FP
	# Nothing is left but the segments: names are dynamic symbols, and there are none of them.
	objcopy -S whole layers
	python3 - <<-'EOF'
		import struct
		data = bytearray(open('layers', 'rb').read())
		struct.pack_into('<Q', data, 40, 0)
		struct.pack_into('<3H', data, 58, 64, 0, 0)
		open('layers', 'wb').write(data)
	EOF
	! readelf -S layers | grep -q eh_frame || false
	rate=1999 dwarf ./layers 15000
	fold_user
	# inner has no name to be told by either: a fiftieth of the time it fills its array.
	local function='\[layers\+0x[0-9a-f]+\]'
	chain "$function" "layers;$function;([^;]*;){1,2}($function;){3,4}$function"
	chain "$function" "layers;$function;([^;]*;){1,2}($function;){4}$function" 0.9
}

@test "only .debug_frame" {
	layout -fno-asynchronous-unwind-tables -fno-unwind-tables
	readelf -SW layers | grep -q '\.debug_frame'
	# The C library's start files have .eh_frame; the program's own functions are not in it.
	! readelf -wf layers 2>/dev/null | sed -n '/\.eh_frame/,/\.debug_frame/p' |
		grep -q "pc=0*$(nm layers | awk '$3 == "inner" { print $1 }' | sed 's/^0*//')"
}

@test "only .debug_frame, in a file of its own" {
	compile layers layers.c $WITHOUT_FP -fno-asynchronous-unwind-tables -fno-unwind-tables
	objcopy --only-keep-debug layers layers.debug
	objcopy -g --add-gnu-debuglink=layers.debug layers
	! readelf -SW layers | grep -q '\.debug_frame' || false
	rate=1999 dwarf ./layers 15000
	fold_user
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
}

@test "a realigned stack and an array of any size" {
	local status=0

	compile realign realign.c $WITHOUT_FP -mavx2 -mstackrealign
	readelf -wf realign 2>/dev/null | grep -q 'DW_CFA_def_cfa_expression'
	./realign 1 || status=$?
	[ "$status" -ne 77 ] || skip "no AVX2"
	dwarf ./realign 60000
	same_as_perf --at-least=300
	fold_user
	chain leaf "$(from_start realign 'realigned;variable;leaf')"
}

# bats test_tags=long
@test "the kernel's code in a process: perf has one frame of it" {
	compile asking vdso.c $WITHOUT_FP
	dwarf ./asking 30000000
	same_as_perf --equal=0 --at-least=300
	fold_user
	# What is not in it is the program's start, which takes its time where faults do.
	grep -E 'vdso|clock_gettime' user >in_it
	grep -E "^$(from_start asking 'ask(;[^;]*)*') " in_it >good
	[ "$(total good)" -ge $(($(total in_it) / 1000 * 998)) ]
	[ "$(total in_it)" -ge $(($(total user) / 2)) ]
	grep -qE "^$(from_start asking 'ask;[^;]*;[^;]*vdso[^;]*') " folded
}

@test "code written by hand of which nothing is known" {
	compile nocfi nocfi.c $WITHOUT_FP
	dwarf ./nocfi 40000
	fold_user
	chain leaf "$(from_start nocfi 'outside;framed;inside;leaf')"
	chain frameless "$(from_start nocfi 'outside;frameless')"
}

# bats test_tags=long
@test "rows that only people write" {
	compile rare rare.c $WITHOUT_FP
	dwarf ./rare 20000
	same_as_perf --at-least=300
	fold_user
	chain leaf "$(from_start rare 'calls;(by_expression|in_register|remembered|far_pointer);leaf')"
	for function in by_expression in_register remembered far_pointer; do
		grep -q ";calls;$function;leaf " user
	done
}

# whole FILE: next to nothing is charged to [truncated].
whole()
{
	timeout 900 "$flamefold" fold --quiet --no-inline "$1" >marked
	awk '/;\[truncated\];/ { cut += $NF } { all += $NF } END { exit !(all > 0 && cut < 0.03 * all) }' marked
}

@test "coroutines, jumps and frames of any size" {
	compile contexts contexts.c $WITHOUT_FP
	dwarf ./contexts 20000
	same_as_perf --at-least=300
	fold_user
	# What begins a coroutine is nobody's symbol where the C library has none but dynamic ones.
	chain leaf "$(from_start contexts '(resume|roomy|landing;jumping);leaf')|contexts;[^;]*;coroutine;layer;leaf"
	grep -qE '^contexts;[^;]*;coroutine;layer;leaf ' user
	whole perf.data
}

# bats test_tags=long
@test "a program in Go: perf has one frame of it" {
	command -v go >/dev/null || skip "no Go"
	cp "$programs/goroutines.go" .
	GO111MODULE=off GOFLAGS='' GOCACHE=$PWD/go go build -o goroutines goroutines.go
	rate=1999 dwarf ./goroutines 8000
	fold_user
	chain main.leaf 'goroutines;runtime\.goexit[^;]*;main\.(main\.func1;main\.)?work;main\.outer;main\.middle;main\.leaf'
	whole perf.data
	# Without symbols and .debug_frame the runtime's own table has names, and where frames are.
	strip goroutines
	rate=1999 dwarf ./goroutines 8000
	fold_user
	chain main.leaf 'goroutines;runtime\.goexit[^;]*;main\.(main\.func1;main\.)?work;main\.outer;main\.middle;main\.leaf'
	whole perf.data
}

@test "a few bytes without rows between others" {
	compile gap gap.c $WITHOUT_FP
	dwarf ./gap 200000
	fold_user
	grep -qE ';around [0-9]+$' user
	! grep wrong user
}

# bats test_tags=long
@test "threads, and children of fork, vfork and clone" {
	compile starts starts.c $WITHOUT_FP -pthread
	dwarf ./starts 60000
	same_as_perf --at-least=500
	fold_user
	chain leaf 'starts;([^;]*;){1,4}(threaded|vforked|cloned|forked);leaf'
	for how in vforked forked; do
		grep -qE "^starts;_start;([^;]*;){1,2}main;$how;leaf " user
	done
	grep -qE '^starts;([^;]*;){1,2}threaded;leaf ' user
	grep -qE '^starts;([^;]*;)?cloned;leaf ' user
}

# bats test_tags=long
@test "a 32-bit program" {
	need_32_bits
	compile_32 layers layers.c $WITHOUT_FP
	dwarf ./layers 15000
	fold_user
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
	compile_32 deep deep.c $WITHOUT_FP
	dwarf ./deep 20 150000
	fold_user
	chain work "$(from_start deep '(large;small;){10}work')"
}

@test "signal handlers of a 32-bit program" {
	need_32_bits
	compile_32 signals signals.c $WITHOUT_FP
	dwarf ./signals 80000
	fold_user
	chain leaf "$(from_start signals 'interrupted;leaf')"
	# The signal's frame is the vdso's, which is of no use where the machine has none of 32 bits.
	chain handle "$(from_start signals 'interrupted;leaf;[^;]*;handler;handle')|signals;\[truncated\];\[vdso\];handler;handle" 0.97
}
