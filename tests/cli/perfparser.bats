#!/usr/bin/env bats
# What perfparser has of its own recordings: each thread, time, event, weight and all frames that
# need no stack dump unwound. peers/perfparser.py says what is compared, and where perfparser does
# otherwise.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	need_corpus
	recorded=$CORPUS/KDAB+perfparser/tests/auto/perfdata
	[ -d "$recorded" ] || skip "CORPUS has no recordings of perfparser"
}

# agree PROGRAM RECORDING...
agree()
{
	"$BATS_TEST_DIRNAME/peers/perfparser.py" "$flamefold" "${@/#/$recorded/}"
}

@test "frames of an LBR call graph, and the kernel's with stack dumps beside them" {
	agree vector_static_gcc/{vector_static_gcc_v9.1.0,perf.lbr.data,perf.data,perf.data.zstd}
}

@test "a program of another compiler" {
	agree vector_static_clang/{vector_static_clang_v8.0.1,perf.data}
}

@test "a program that forks, compressed" {
	agree fork_static_gcc/{fork,perf.data.zstd}
}

@test "many threads and a tracepoint, compressed and out of order" {
	agree parallel_static_gcc/{parallel_static_gcc,perf.data.zstd}
}

@test "every recording that perfparser tells of was compared" {
	local expected program

	for expected in "$recorded"/*/*.expected.txt; do
		program=$(basename "$(dirname "$expected")")
		grep -q "^	agree $program/.*[{,]$(basename "$expected" .expected.txt)[,}]" \
			"$BATS_TEST_FILENAME" || { echo "$expected"; false; }
	done
}
