#!/usr/bin/env bats
# What Documentation/limits.md promises of time and memory, for object files, debug information and jitdumps: shapes that
# somebody made for each parser, of n and of 2n bytes. tests/limits/object.py makes them, and --list says what each is.
bats_require_minimum_version 1.5.0

load recordings

limits=$root/tests/limits

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# A sanitizer takes memory and time of its own.
sanitized()
{
	grep -aq '__[at]san_init\|__ubsan_handle' "$flamefold"
}

# folded SHAPE BYTES: what it took goes to $megabytes, $seconds and $mebibytes.
folded()
{
	mkdir "$1.$2"
	python3 "$limits/object.py" "$1" "$2" "$1.$2"
	megabytes=$(du -B1 -c "$1.$2"/* | awk 'END { print $1 / 1000000 }')
	read -r seconds mebibytes status <<<"$(python3 "$limits/measure.py" timeout 300 \
		"$flamefold" fold --srcline "$1.$2/x.data")"
	echo "$1: $megabytes MB, $seconds s, $mebibytes MiB, exit $status"
	rm -r "${1:?}.$2"
	[ "$status" -eq 0 ]
}

true_that()
{
	awk "BEGIN { exit !($1) }"
}

# linear BYTES SHAPE...: as promised, and twice the bytes take at most three times as long, where that is no noise.
linear()
{
	local bytes=$1 shape before
	shift

	for shape; do
		folded "$shape" "$bytes"
		before=$seconds
		folded "$shape" $((2 * bytes))
		! sanitized || continue
		true_that "$seconds <= 5 + 30 * $megabytes"
		true_that "$before < 0.3 || $seconds <= 3 * $before"
		true_that "$mebibytes <= 100 + 60 * $megabytes"
	done
}

# Those of object.py for one parser.
all_of()
{
	local shapes

	mapfile -t shapes < <(python3 "$limits/object.py" --list | awk -F '\t' -v parser="$1" '$1 == parser { print $2 }')
	[ "${#shapes[@]}" -gt 2 ]
	linear 1000000 "${shapes[@]}"
}

@test "rules of one hash, and names in a unit with very many attributes" {
	linear 300000 frames_of_one_hash functions_in_a_large_unit
}

@test "DIEs of a byte with very many attributes" {
	linear 100000 dies_without_bytes
}

@test "a PLT whose entries have one long name" {
	linear 150000 plt_of_one_long_name
}

# bats test_tags=long
@test "ELF headers, notes, debug links and packed symbols" {
	all_of elf
}

# bats test_tags=long
@test "symbols" {
	all_of symbols
}

# bats test_tags=long
@test "call frame information" {
	all_of frames
}

# bats test_tags=long
@test "debug information: DIEs" {
	all_of dies
}

# bats test_tags=long
@test "debug information: units and ranges" {
	all_of units
}

# bats test_tags=long
@test "debug information: lines" {
	all_of lines
}

# bats test_tags=long
@test "jitdumps" {
	all_of jitdumps
}
