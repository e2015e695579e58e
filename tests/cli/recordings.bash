# What the tests that fold recordings share: load recordings
# shellcheck shell=bash

load here
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

# Calls of two processes, one of them with a function that it comes to twice.
folded_calls()
{
	cat <<-'END'
	app;main;parse;next 30
	app;main;parse;next;parse;next 10
	app;main;write 40
	sh;main;idle 20
	END
}

# Two sides of a difference: a.folded and b.folded.
folded_sides()
{
	cat >a.folded <<-'END'
	main;run;parse 1000
	main;run;read 3000
	main;old;x 500
	kworker/3:1;x 400
	END
	cat >b.folded <<-'END'
	main;run;parse 1500
	main;run;read 2900
	main;fresh;y 600
	kworker/5:0;x 400
	END
}

# Four small inputs of a merge: 1.folded to 4.folded; what is made on the way is in tmp.
folded_inputs()
{
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p tmp
	printf 'a;b 3\na;d 5\n' >1.folded
	printf 'a 1\na;b 2\nc 4\n' >2.folded
	printf 'a;b;c 7\nz 9\n' >3.folded
	printf 'a;b;c;d;e;f 1\nb 1\n' >4.folded
}

merge()
{
	timeout 300 "$flamefold" merge -q "$@"
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

# told LINE [OPTION]...: the text of info of p.data has such a line.
told()
{
	local line=$1
	shift
	timeout 900 "$flamefold" info --format=text "$@" p.data >info
	grep -qE -- "$line" info || { echo "not told: $line"; cat info; return 1; }
}

build_id()
{
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# Makes ./fail_read.so: what is preloaded with it fails to read $FAIL_FILE.
need_failing_reads()
{
	"${CC:-cc}" -O1 -shared -fPIC -o fail_read.so \
		"$BATS_TEST_DIRNAME/preload/fail_read.c" || skip "no compiler"
	LD_PRELOAD=$PWD/fail_read.so "$flamefold" --version >/dev/null 2>&1 ||
		skip "a sanitizer is to come first"
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
