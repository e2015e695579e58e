# What the tests that fold recordings share: load recordings
# shellcheck shell=bash

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
flamefold=$(cd "$root" && realpath "${FLAMEFOLD:-build/flamefold}")
build=$root/tests/perfdata/build
cases=$root/tests/perfdata/cases
# The cases lie in folders by subject: "$cases"/**/NAME.pd finds one by its name.
shopt -s globstar

# All of them, built: $built/NAME.data.
built=$BATS_FILE_TMPDIR/cases
build_cases()
{
	"$build" -d "$built" "$cases"/**/*.pd
}

# Without the symbols of this machine: the same output everywhere.
empty=$BATS_FILE_TMPDIR/empty

fold()
{
	mkdir -p "$empty"
	timeout 900 "$flamefold" fold --symfs "$empty" --kallsyms=/dev/null "$@"
}

# As perf script | stackcollapse-perf.pl sees it.
folded_by_perf()
{
	local input=$1
	shift
	mkdir -p "$empty"
	timeout 900 perf script --no-inline --max-stack 1000 --symfs "$empty" --kallsyms=/dev/null \
		-i "$input" 2>/dev/null | collapse "$@"
}

# The original where there is one: FLAMEGRAPH=DIR, or on PATH.
collapse()
{
	local original=${FLAMEGRAPH:+$FLAMEGRAPH/stackcollapse-perf.pl}

	[ -x "$original" ] || original=$(command -v stackcollapse-perf.pl) ||
		original=$BATS_TEST_DIRNAME/collapse_perf_script.py
	"$original" "$@" 2>/dev/null
}

# The sum of the counts of folded text.
total()
{
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$@"
}

need_perf()
{
	command -v perf >/dev/null || skip "no perf"
}

need_corpus()
{
	[ -n "${CORPUS:-}" ] || skip "CORPUS is not set"
	[ -f "$CORPUS/MANIFEST.tsv" ] || skip "CORPUS has no MANIFEST.tsv"
}

# Rows of the corpus' manifest that are recordings, in any form: path, samples, separated by
# a tab.
readable_rows()
{
	awk -F '\t' 'NR > 1 && $4 ~ /-v[12]$/ { print $1 "\t" $11 }' "$CORPUS/MANIFEST.tsv"
}
