#!/usr/bin/env bats
# The comparison that the tests of unwinding stand on finds what is wrong: stacks are spoiled on
# their way to it.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
	command -v gdb >/dev/null || skip "no gdb"
	compile layers layers.c $WITHOUT_FP
	rate=999 dwarf ./layers 15000
	cat >spoiled <<-EOF
		#!/bin/sh
		"$flamefold" "\$@" | awk "\$SPOIL"
	EOF
	chmod +x spoiled
}

# found SENTENCE AWK: the comparison says so of stacks that went through AWK.
found()
{
	local status=0

	SPOIL=$2 FLAMEFOLD=$PWD/spoiled same_as_perf --judge=4 >said || status=$?
	cat said
	[ "$status" -eq 1 ]
	grep -qE "^wrong: .*$1" said
}

@test "nothing where nothing is wrong" {
	SPOIL='{ print }' FLAMEFOLD=$PWD/spoiled same_as_perf
}

@test "a root that is lost, in one stack of a hundred" {
	found '[0-9]+ stacks are shorter than perf' 'NR % 100 == 50 { sub(/;_start/, "") } { print }'
}

@test "a leaf that is lost" {
	found 'gdb does not take our side' 'NR % 100 == 50 { sub(/;leaf /, " ") } { print }'
}

@test "frames that are invented" {
	found 'gdb does not take our side' 'NR % 100 == 50 { sub(/;_start/, ";invented;_start") } { print }'
}

@test "a frame with the name of another, in each stack" {
	found 'only .* is in equal stacks$' '{ sub(/;middle;/, ";outer;"); print }'
}

@test "a sample that is lost" {
	found 'perf has 1 samples that are not in ours' 'NR != 50'
}

@test "another weight" {
	found 'weight: perf' 'NR == 50 { $NF = $NF + 1 } { print }'
}
