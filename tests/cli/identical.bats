#!/usr/bin/env bats
# tests/identical: two builds compared byte by byte.
bats_require_minimum_version 1.5.0

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'a;b 1\na;c 2\n' >in.folded
}

# other LINE...: a build of which the shell lines change what has been asked for.
other()
{
	printf '%s\n' '#!/bin/sh' "\"$FLAMEFOLD\" \"\$@\"" 'status=$?' "$@" 'exit "$status"' >other
	chmod +x other
}

@test "a build is identical to itself" {
	other
	run -0 "$root/tests/identical" ./other "$FLAMEFOLD" in.folded
	[ "$output" = "12 answers about 1 inputs compared, 0 differ, about 0 inputs" ]
}

@test "one byte that differs is told: of a file, of standard output, of standard error, of the exit status" {
	other '[ ! -f picture.html ] || printf X | dd of=picture.html bs=1 seek=100 conv=notrunc 2>err'
	run -1 "$root/tests/identical" ./other "$FLAMEFOLD" in.folded
	[[ $output == *"in.folded: graph --output picture.html %f"*"differ"* ]]
	other '[ "$1" != fold ] || echo'
	run -1 "$root/tests/identical" ./other "$FLAMEFOLD" in.folded
	[[ $output == *"in.folded: fold %f"*", 5 differ, about 1 inputs" ]]
	other '[ "$*" != "info --format=json picture.html" ] || echo >&2'
	run -1 "$root/tests/identical" ./other "$FLAMEFOLD" in.folded
	[[ $output == *"in.folded: info --format=json picture.html"*", 1 differ, about 1 inputs" ]]
	other '[ "$2" != --symbols ] || status=3'
	run -1 "$root/tests/identical" ./other "$FLAMEFOLD" in.folded
	[[ $output == *"in.folded: info --symbols %f"*", 1 differ, about 1 inputs" ]]
}

@test "what cannot be compared is no success" {
	run -2 "$root/tests/identical" ./gone "$FLAMEFOLD" in.folded
	run -2 "$root/tests/identical" "$FLAMEFOLD" "$FLAMEFOLD" gone
	run ! "$root/tests/identical"
}
