#!/usr/bin/env bats
# Chains of frame pointers, and what registers and a small dump next to them add.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
}

# chained BYTES COMMAND...: perf.data with chains, registers and so much of the stack.
chained()
{
	local status=0

	compile record_chain record_chain.c -O2
	./record_chain perf.data "$@" >recorded 2>&1 || status=$?
	[ "$status" -ne 77 ] || skip "events are not permitted: $(head -n 1 recorded)"
}

FRAME_POINTERS='-O2 -g -fno-omit-frame-pointer'

@test "the caller of a leaf without a frame is found by one step" {
	compile leaf leaf.c $FRAME_POINTERS
	chained 256 ./leaf 50000
	fold_user
	chain leaf '.*;main;top;mid;leaf'
}

@test "without registers and without a dump the code tells it, or nothing is made up" {
	compile leaf leaf.c $FRAME_POINTERS
	chained 0 ./leaf 50000
	fold_user
	chain leaf '.*;main;top;mid;leaf'
	fold_user --no-infer perf.data
	chain leaf '.*;main;top;leaf'
	need_perf
	perf record -q -N -o perf.data -e cpu-clock -F 4999 --call-graph fp ./leaf 50000
	fold_user --no-infer perf.data
	chain leaf '.*;main;top;leaf'
}

@test "nothing is added where the chain is whole" {
	compile leaf leaf.c $FRAME_POINTERS -DLEAF_FRAME
	chained 256 ./leaf 50000
	fold_user
	chain leaf '.*;main;top;mid;leaf'
}

@test "a call that does not come back, by frame pointers" {
	compile noreturn noreturn.c $FRAME_POINTERS
	need_perf
	perf record -q -N -o perf.data -e cpu-clock -F 4999 --call-graph fp ./noreturn 200000 ||
		skip "events are not permitted"
	fold_user
	chain spend '.*;main;doomed;spend'
	! grep -q innocent user
}

@test "a call that does not come back, by dumps" {
	compile noreturn noreturn.c $WITHOUT_FP
	dwarf ./noreturn 200000
	same_as_perf --at-least=300
	fold_user
	chain spend "$(from_start noreturn 'doomed;spend')"
	! grep -q innocent user
}
