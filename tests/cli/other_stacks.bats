#!/usr/bin/env bats
# Stacks that go on on another one than the one that was copied: truncated for that reason, with all frames up to there;
# and with frame pointers beside the copy, whole.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
	need_perf
}

# cut_at LEAF CHAIN: stacks of that leaf end with other stacks, behind that chain.
cut_at()
{
	why other_stack
	fold_user
	chain "$1" "$2"
}

FRAMES='-O2 -g -fno-omit-frame-pointer -DLEAF_FRAME'

@test "the copy is of a handler's own stack: what it has interrupted is there" {
	local which

	compile stacks stacks.c $WITHOUT_FP
	for which in signal near; do
		dwarf ./stacks $which 8000
		cut_at leaf 'stacks;\[truncated\];interrupted;[^;]*;handler;leaf'
	done
	"$flamefold" info perf.data >text 2>&1
	grep -q 'next frame on a stack that was not copied' text
	! grep -q 'dwarf,65528' text || { cat text; return 1; }
}

@test "a handler on the same stack, which is longer than its copy" {
	compile signals signals.c $WITHOUT_FP
	dwarf --size=1024 ./signals 2000
	"$flamefold" info --format=json perf.data >info
	grep -q '"cut_dump": [1-9]' info
	grep -q '"other_stack": 0,' info
}

@test "a stack that is changed by hand" {
	compile stacks stacks.c $WITHOUT_FP
	dwarf ./stacks switched 8000
	cut_at leaf 'stacks;\[truncated\];switched_call;work;leaf'
}

@test "a split stack" {
	echo 'int main(void) { return 0; }' >empty.c
	"${CC:-cc}" -fsplit-stack -pthread -o empty empty.c 2>/dev/null || skip "no -fsplit-stack"
	compile split split.c $WITHOUT_FP -fsplit-stack -pthread
	dwarf --size=16384 ./split 8000
	cut_at leaf 'split;\[truncated\];__morestack(;deep)+;leaf'
}

@test "C that Go has called" {
	command -v go jq >/dev/null || skip "no Go or no jq"
	cp "$programs/cgo.go" "$programs/frame.h" .
	GO111MODULE=off GOFLAGS='' GOCACHE=$PWD/go CGO_CFLAGS='-O2 -fomit-frame-pointer' go build -o cgo cgo.go
	dwarf ./cgo
	fold_user
	chain leaf 'cgo;\[truncated\];runtime\.asmcgocall[^;]*;[^;]*c_entry[^;]*;leaf'
	# A thread of the runtime's begins in C.
	! grep -E ';\[truncated\];crosscall' user || return 1
	"$flamefold" info --format=json perf.data | jq -e '.stacks.other_stack > 0.8 * .stacks.truncated'
	strip cgo
	dwarf ./cgo
	fold_user
	grep -E ';runtime\.asmcgocall[^;]*;[^;]*c_entry' user >calls
	! grep -vF ';[truncated];runtime.asmcgocall' calls || return 1
}

# auto COMMAND...: what flamefold record finds with both; and the same when that was saved.
auto()
{
	"$flamefold" record -q -F 1999 -e cpu-clock:u -g auto --save saved.data -f folded -o folded -- "$@" >recorded ||
		skip "events are not permitted"
	sed 's/;busy\( [0-9]*\)$/\1/' folded >user
	"$flamefold" fold -q -f folded -o again saved.data
	cmp folded again
}

@test "C that Go calls has all its callers by frame pointers" {
	command -v go >/dev/null || skip "no go"
	cp "$programs/cgo.go" "$programs/frame.h" .
	GO111MODULE=off GOFLAGS='' GOCACHE=$PWD/go CGO_CFLAGS='-O2 -fno-omit-frame-pointer' go build -o cgo cgo.go
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./cgo || skip "events are not permitted"
	fold_user
	# Go's switch of stacks leaves no record: who called it is told by the code.
	chain leaf '.*;main\.main;.*runtime\.cgocall[^;]*;runtime\.asmcgocall[^;]*;(.*;)?leaf' 0.95
}

@test "frame pointers beside the copy lead to the other stack" {
	compile stacks stacks.c $FRAMES
	auto ./stacks switched 8000
	chain leaf 'stacks;(_start;__libc_start_main[^;]*;)?[^;]*;main;once;elsewhere;switched_call;work;leaf'
	auto ./stacks signal 8000
	chain leaf 'stacks;(_start;__libc_start_main[^;]*;)?[^;]*;main;once;interrupted;[^;]*;handler;leaf'
	auto ./stacks near 8000
	chain leaf 'stacks;(_start;__libc_start_main[^;]*;)?[^;]*;main;once;elsewhere;switched_call;interrupted;[^;]*;handler;leaf'
}

@test "where code keeps none, a register that happens to lead on is no chain" {
	compile stacks stacks.c $WITHOUT_FP
	auto ./stacks switched 8000
	chain leaf 'stacks;\[truncated\];switched_call;work;leaf'
}

@test "a coroutine that nobody called is whole, live and saved" {
	compile contexts contexts.c $FRAMES
	auto ./contexts 4000
	! grep -F ';[truncated];' folded || return 1
	"${CC:-cc}" -O2 -fno-omit-frame-pointer -I"$BATS_TEST_DIRNAME/../truth" -o switched "$BATS_TEST_DIRNAME/../truth/c/switched.c"
	TRUTH=truth TRUTH_SECONDS=0.2 auto ./switched
	chain leaf 'switched;coroutine;work;leaf|switched;.*main;(elsewhere;switched_call;)?work;leaf'
	grep -q '^switched;coroutine;work;leaf' user
}

@test "coroutines of Boost.Context begin behind a label, by copies of stacks and live" {
	"${CC:-cc}" -O2 -I"$BATS_TEST_DIRNAME/../truth" -o fcontext "$BATS_TEST_DIRNAME/../truth/c/fcontext.c"
	TRUTH=truth TRUTH_SECONDS=0.2 dwarf ./fcontext
	fold_user
	chain leaf "fcontext;make_fcontext;coroutine;work;leaf|$(from_start fcontext 'work;leaf')"
	grep -q '^fcontext;make_fcontext;coroutine;work;leaf ' user
	TRUTH=truth TRUTH_SECONDS=0.2 auto ./fcontext
	chain leaf "fcontext;make_fcontext;coroutine;work;leaf|$(from_start fcontext 'work;leaf')"
}
