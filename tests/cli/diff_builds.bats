#!/usr/bin/env bats
# Two builds of a real program, flamefold itself, of which one has three modules that another compiler has
# built without optimizing: recorded in turns, five times each. The table names functions whose code
# differs, and of the old build and itself nothing.
bats_require_minimum_version 1.5.0

load events
load sampled

# bats file_tags=long

setup()
{
	need_events
	cd "$BATS_TEST_TMPDIR" || exit 1
	run "$root/tests/builds/build" "$(dirname "$flamefold")" "$PWD"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
	python3 "$root/tests/bench/tree.py" 200000 >tree.folded
}

# turn BUILD NAME: a second of processor time or so, as NAME.data.
turn()
{
	"$flamefold" record -q -F 997 -e cpu-clock -g no --all-user -f folded -o "$2.folded" --save "$2.data" -- \
		sh -c "for i in 1 2 3 4 5 6; do ./$1 fold -q --threads=1 -f folded -o /dev/null tree.folded; done"
}

@test "the table names what another compiler has changed, and of one build twice nothing" {
	for i in 1 2 3 4 5; do
		turn old old.$i
		turn new new.$i
		turn old again.$i
	done
	run -3 --separate-stderr "$flamefold" diff -q --no-inline --rows=1000 --table=json --fail-over=1% -o x.svg \
		old.*.data -- new.*.data
	echo "$output" >table.json
	python3 "$root/tests/builds/verdict.py" table.json changed
	run -0 --separate-stderr "$flamefold" diff -q --no-inline --table=json --fail-over=1% old.*.data -- again.*.data
	echo "$output"
	[[ $output == *'"rows_in_all":0,'* ]]
}
