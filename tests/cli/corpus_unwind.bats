#!/usr/bin/env bats
# Stacks of static programs that another reader unwinds and names, on recordings of other people's
# machines: CORPUS=DIR, with the programs and what is expected beside them. Not of branch records: there it
# adds the ip to the stack and perf does not; corpus.bats has them as perf has them.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	need_corpus
	cd "$BATS_TEST_TMPDIR" || exit 1
	cases=$CORPUS/KDAB+perfparser/tests/auto/perfdata
	[ -d "$cases" ] || skip "CORPUS has no perfparser"
}

# expected FILE PROGRAM [frames]: the stacks of FILE, with the program where it was recorded; of
# frames only, inlined functions are left out.
expected()
{
	local file=$cases/$1 program=$cases/$2 path

	path=$(sed -n 's|.*\t_start [^ ]* \(/.*\) $|\1|p' "$file.expected.txt" | head -n 1)
	[ -n "$path" ]
	mkdir -p "root$(dirname "$path")"
	cp "$program" "root$path"
	timeout 900 "$flamefold" fold --quiet --all --no-inline --event=cycles --compat=stackcollapse \
		--symfs root --kallsyms=/dev/null "$file" >folded
	"$root/tests/unwind/perfparser.py" "$file.expected.txt" folded "$program"
	[ "${3:-}" != frames ] || return 0
	timeout 900 "$flamefold" fold --quiet --all --inline=yes --inline-mark --event=cycles \
		--truncated=merge --symfs root --kallsyms=/dev/null "$file" >folded
	"$root/tests/unwind/perfparser.py" --inlined "$file.expected.txt" folded "$program"
}

@test "perfparser: a program of gcc 9" {
	expected vector_static_gcc/perf.data vector_static_gcc/vector_static_gcc_v9.1.0
}

@test "perfparser: the same, compressed" {
	expected vector_static_gcc/perf.data.zstd vector_static_gcc/vector_static_gcc_v9.1.0
}

@test "perfparser: a program of clang 8" {
	expected vector_static_clang/perf.data vector_static_clang/vector_static_clang_v8.0.1
}

@test "perfparser: a program that forks, linked by lld" {
	expected fork_static_gcc/perf.data.zstd fork_static_gcc/fork
}

@test "perfparser: threads" {
	# Most of what was inlined there are lambdas, for which perfparser has no names.
	expected parallel_static_gcc/perf.data.zstd parallel_static_gcc/parallel_static_gcc frames
}
