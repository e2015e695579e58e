#!/usr/bin/env bats
# Callers that chains of aarch64 lack, and that the code tells: programs run under qemu, and each instruction of
# them is a stop of which all is known.
bats_require_minimum_version 1.5.0

load recordings
load unwind

STEPS=$programs/aarch64_steps.py

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for aarch64"
	command -v qemu-aarch64 >/dev/null || skip "no qemu for aarch64"
}

# built PROGRAM FLAG...
built()
{
	local program=$1
	shift
	CC=aarch64-linux-gnu-gcc compile "$program" "$program.c" -fno-omit-frame-pointer -DROUNDS=2 -static "$@"
}

# by_clang PROGRAM FLAG...: its rows do not say where functions end.
by_clang()
{
	local program=$1
	shift
	command -v clang >/dev/null || skip "no clang"
	clang --target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include -fno-omit-frame-pointer -DROUNDS=2 \
		"$@" -c -o "$program.o" "$programs/$program.c" || skip "clang does not compile for aarch64"
	aarch64-linux-gnu-gcc -static -o "$program" "$program.o"
}

# What is left is where nobody could tell: calls by a pointer, functions that jump to another one at their end, and
# such that have no frame.
each_program()
{
	"$@" inferred
	"$STEPS" --at-least=120 --most-lacking=0.1 ./inferred 1
	"$@" leaves
	"$STEPS" --at-least=200 --most-lacking=0.2 ./leaves
	"$@" departs
	"$STEPS" --at-least=50 --most-lacking=0.16 ./departs 1
	"$@" passed
	"$STEPS" --at-least=100 --most-lacking=0.2 ./passed 1
}

@test "aarch64: at every stop the callers that the code tells are put in, and no others" {
	optimised() { built "$@" -O2; }
	each_program optimised
}

@test "aarch64: the same where return addresses are signed" {
	signed() { built "$@" -O2 -mbranch-protection=standard; }
	each_program signed
}

@test "aarch64: the same where rows say nothing of a function's end" {
	clang_optimised() { by_clang "$@" -O2; }
	each_program clang_optimised
}

# bats test_tags=long
@test "aarch64: the same of small code, and of code as it was written" {
	small() { built "$@" -Os; }
	plain() { built "$@" -O1; }
	each_program small
	each_program plain
	clang_small() { by_clang "$@" -Os -mbranch-protection=standard; }
	each_program clang_small
}

@test "aarch64: a caller that is put in wrongly would be seen" {
	built inferred -O2
	printf '%s\n' '#!/bin/sh' 'case $* in *no-infer*) like=x ;; *) like=";direct;direct_leaf" ;; esac' \
		"'$flamefold' \"\$@\" | sed \"s/\$like/;again;direct_leaf/\"" >wrong
	chmod +x wrong
	FLAMEFOLD=$PWD/wrong run -1 "$STEPS" ./inferred 1
	[[ $output == *" wrong,"* && $output != *" 0 wrong,"* ]]
}
