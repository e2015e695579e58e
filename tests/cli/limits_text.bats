#!/usr/bin/env bats
# What text and recordings made by somebody else cost at most: twice the input takes no more than twice the
# processor time, and a MB far less than the promise of Documentation/limits.md.
bats_require_minimum_version 1.5.0

load recordings

budget=$root/tests/budget
promise=3 # seconds a MB here: a tenth of it

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir -p "$empty"
	! grep -aq '__[at]san_init' "$flamefold" || export SANITIZED=1
}

# grows MIB COMMAND...: with the inputs "one" and "two", which is twice as large.
grows()
{
	local most=$1
	shift
	python3 "$budget/growth.py" "${SECONDS_A_MB:-$promise}" "$most" one two "$flamefold" "$@"
}

# made GENERATOR KIND COUNT
made()
{
	python3 "$budget/$1.py" "$2" "$3" one
	python3 "$budget/$1.py" "$2" $((2 * $3)) two
}

# Each takes several seconds with a hash that everybody can calculate, and four times as much for twice the input.
@test "keys that would all lie in one place of a table with a hash that is no secret" {
	local kind

	for kind in words stacks ids pids addresses; do
		echo "$kind"
		made collide $kind 30000
		grows 150 fold -q --threads=1 --symfs "$empty" --kallsyms=/dev/null
	done
}

@test "hashes are other ones in each process, and the output is the same" {
	local file first again

	"$build" -d . "$cases"/**/{all_kinds_of_records,events_with_different_fields,kernel_and_user}.pd
	seq -f 'main;f%.0f;g 1' 3000 >text.folded
	for file in *.data text.folded; do
		first=
		for threads in 1 1 3 3; do
			again=$(for command in fold graph info; do
				"$flamefold" $command -q --threads=$threads -o - "$file" 2>&1
			done | md5sum)
			[ "${first:=$again}" = "$again" ]
		done
	done
}

# each_kind GENERATOR BYTES KIND... -- COMMAND...
each_kind()
{
	local generator=$1 bytes=$2 kinds=() kind
	shift 2

	while [ "$1" != -- ]; do
		kinds+=("$1")
		shift
	done
	shift
	for kind in "${kinds[@]}"; do
		echo "$kind"
		made "$generator" "$kind" "$bytes"
		grows 400 "$@"
	done
}

text=(deep long_line distinct staircase long_name prefixes comb roots turns annotated broken digits counts blanks
	semicolons comments markup templates one_template parentheses paths)
records=(times_down times_down_rounds rounds maps_down maps_over maps_split maps_samples names_one_thread execs forks_deep
	forks_wide forks_and_exits threads unknown auxtrace lost ksymbols_down chain_too_long markers recursion unmapped
	frames_one_file group_members stacks cgroups attributes build_ids host cmdline pmus)

@test "folded text: deep, wide and odd ones" {
	each_kind text 300000 deep distinct semicolons markup -- fold -q
}

# bats test_tags=long
@test "folded text: all shapes, folded and drawn" {
	each_kind text 500000 "${text[@]}" -- fold -q
	each_kind text 500000 "${text[@]}" -- graph -q -o /dev/null
}

@test "records: maps and threads" {
	each_kind shapes 300000 maps_over threads frames_one_file -- fold -q
}

# bats test_tags=long
@test "records: all shapes" {
	each_kind shapes 1000000 "${records[@]}" -- fold -q
}

@test "a line that packs to nothing has a bounded number of frames" {
	{ head -c 8000000 /dev/zero | tr '\0' ';'; printf ' 1\nmain 1\n'; } | gzip >line.gz
	python3 "$budget/peak.py" "$flamefold" fold -o out line.gz 2>err
	grep -q "'line.gz': stacks are cut behind 1048576 frames" err
	[ "$(tail -n 1 err)" -lt 400 ] || [ -n "${SANITIZED:-}" ]
	[ "$(total out)" -eq 2 ]
}

@test "a line of more than 64 MiB is an error" {
	{ head -c 70000000 /dev/zero | tr '\0' a; printf ' 1\n'; } | gzip >line.gz
	run "$flamefold" fold line.gz
	[ "$status" -eq 1 ]
	[[ $output == *"'line.gz' is not folded text: a line is longer than 64 MiB"* ]]
}

@test "a picture of 20 KB whose stacks are 1 TB of text is refused" {
	python3 "$budget/picture.py" 1000000 p.svg each
	run timeout 60 "$flamefold" fold p.svg
	[ "$status" -eq 1 ]
	[[ $output == *"'p.svg': the stacks of the picture would be more than "*" MB of text"* ]]
	python3 "$budget/picture.py" 1000 p.svg each
	[ "$("$flamefold" fold -q p.svg | wc -l)" -eq 999 ]
}

@test "names that a pattern takes many steps for" {
	local i

	for i in one:20000 two:40000; do
		{ echo 'main 1'; seq -f 'aaaaaaaaaa!%.0f 1' "${i#*:}"; } >"${i%:*}"
	done
	SECONDS_A_MB=25 grows 100 fold -q '--drop=symbol=(a+)+$'
	{ echo 'main 1'; seq -f 'aaaaaaaaaaaaaaaa!%.0f 1' 10; } >one
	run "$flamefold" fold '--drop=symbol=(a+)+$' one
	[[ $output == *"the pattern takes more than "*" steps for 'aaaaaaaaaaaaaaaa!1': make it simpler"* ]]
}
