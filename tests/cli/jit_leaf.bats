#!/usr/bin/env bats
# Leaves without a frame in code that runtimes make: who has called them is on top of the stack.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir maps
	printf '%s\n' '10000 100 X' '10100 100 leaf' '10200 100 Y' >maps/perf-7.map
}

# hex WORD...: words of a stack, as they lie in memory.
hex()
{
	python3 -c 'import struct, sys; print(b"".join(struct.pack("<Q", int(w, 0)) for w in sys.argv[1:]).hex())' "$@"
}

# sample PC SP FP R12 WORD...: one with registers, and its stack from SP on.
sample()
{
	local pc=$1 sp=$2 fp=$3 r12=$4

	shift 4
	echo "sample pid=7 time=9 ip=$pc period=1 regs=2:$fp,$sp,$pc,$r12 stack=$(hex "$@") dyn=$((8 * $#))"
}

# recording <SAMPLES: of a process that has code at 0x10000, beside the records of the file records.
recording()
{
	{
		echo "attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,REGS_USER,STACK_USER flags=sample_id_all,comm_exec,use_clockid clockid=1 regs_user=0x1001c0 stack_user=512"
		echo "feature arch=x86_64"
		echo "comm pid=7 name=app exec time=1"
		echo "mmap2 pid=7 start=0x10000 len=0x10000 prot=5 name=//anon time=2"
		cat records 2>/dev/null || :
		cat
	} | "$build" -o p.data
}

stacks()
{
	"$flamefold" fold -q --map-dir maps --kallsyms=/dev/null "$@" p.data
}

# How sp lies right behind a call, and in a function that has a frame.
called=0x7ff008
framed=0x7ff000

@test "a leaf that sp shows to be right behind its call: the word at sp is where it goes back to" {
	sample 0x10110 "$called" 0x7ff010 0 0x10015 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;X;leaf 1" ]
	sample 0x10110 "$called" 0x7ff020 0 0x10015 5 7 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;X;leaf 1" ]
}

@test "what an earlier call has left in a function's variables is no caller" {
	sample 0x10110 "$framed" 0x7ff010 0 0x10015 7 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
}

@test "nor is the beginning of a function, or what is no code" {
	sample 0x10110 "$called" 0x7ff010 0 0x10000 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
	sample 0x10110 "$called" 0x7ff010 0 0x30015 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
}

@test "nor is what the chain has anyway" {
	sample 0x10110 "$called" 0x7ff010 0 0x10218 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
}

@test "frames of V8 and of HotSpot's interpreter lie anywhere, so where sp is says nothing" {
	sample 0x10110 "$called" 0x7ff030 0 0x10015 5 7 0x123451 0x123461 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
	sample 0x10110 "$called" 0x7ff030 0 0x10015 5 7 8 0x7ff048 0 0x10218 | recording
	[ "$(stacks)" = "app;Y;leaf 1" ]
}

@test "in a prologue that has pushed the frame pointer, the return address lies above that" {
	for sp in 0x7ff000 0x7ff008; do
		sample 0x10101 "$sp" $((sp + 0x18)) 0 $((sp + 0x18)) 0x10015 0x123451 0 0x10218 | recording
		[ "$(stacks)" = "app;Y;X;leaf 1" ]
	done
}

# dump CODE: of leaf; X calls it up to 0x10015, and up to 0x10025 something else.
dump()
{
	echo "mmap2 pid=7 start=0x400000 len=0x1000 prot=5 name=/tmp/jit-7.dump time=3" >records
	"$root/tests/perfdata/jitdump" -o maps/jit-7.dump <<-END
		header machine=0 pid=7
		load address=0x10000 size=64 index=1 name=X time=4 code=$(printf '90%.0s' {1..16})e8eb000000$(printf '90%.0s' {1..11})e8000000ff$(printf '90%.0s' {1..27})
		load address=0x10100 size=32 index=2 name=leaf time=4 code=$1$(printf '90%.0s' $(seq $((32 - ${#1} / 2))))
		load address=0x10200 size=256 index=3 name=Y time=4
		load address=0x10300 size=8 index=4 name=short time=4 code=554889e5ffd65dc3
	END
}

# at PC WORD: the stack of a sample there, with the word at sp, which lies as in a function with a frame.
at()
{
	sample "$1" "$framed" 0x7ff010 0 "$2" 7 0 0x10218 | recording
	stacks
}

@test "a jitdump has the code: whether a call is before the address, of that function" {
	dump 48ffcf75fbc3
	[ "$(at 0x10103 0x10015)" = "app;Y;X;leaf 1" ]
	[ "$(at 0x10103 0x10025)" = "app;Y;leaf 1" ]
	[ "$(at 0x10103 0x10018)" = "app;Y;leaf 1" ]
	[ "$(at 0x10103 0x10306)" = "app;Y;short;leaf 1" ]
}

@test "a jitdump has the code: whether the leaf has made a frame, and has left it" {
	dump 554889e548ffcf75fb5dc3
	[ "$(at 0x10100 0x10015)" = "app;Y;X;leaf 1" ]
	[ "$(at 0x10107 0x10015)" = "app;Y;leaf 1" ]
	[ "$(at 0x1010a 0x10015)" = "app;Y;X;leaf 1" ]
	dump 4883ec18c3
	[ "$(at 0x10104 0x10015)" = "app;Y;leaf 1" ]
	dump 53c3
	[ "$(at 0x10101 0x10015)" = "app;Y;leaf 1" ]
}

@test "with --compat=stackcollapse there are the frames that perf has" {
	sample 0x10110 "$called" 0x7ff010 0 0x10015 0 0x10218 | recording
	! stacks --compat=stackcollapse | grep 'X;'
}
