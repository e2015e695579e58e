#!/usr/bin/env bats
# Without memory: each allocation in turn fails, and every run ends well or with one sentence.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	"${CC:-cc}" -O1 -shared -fPIC -o fail_malloc.so \
		"$BATS_TEST_DIRNAME/memory/fail_malloc.c" || skip "no compiler"
	LD_PRELOAD=$PWD/fail_malloc.so "$flamefold" --version >/dev/null 2>&1 ||
		skip "malloc cannot be replaced (a sanitizer has its own)"
}

# each_fails LAST COMMAND...: how many runs failed; any other end than 0 or 1 is an error. What is in
# $piped comes through a pipe.
each_fails()
{
	local last=$1 failed=0 status n
	shift
	for n in $(seq 1 "$last"); do
		status=0
		cat "${piped:-/dev/null}" |
			FAIL_AT=$n LD_PRELOAD=$PWD/fail_malloc.so timeout 900 "$@" >out 2>err || status=$?
		[ "$status" -le 1 ] || { echo "allocation $n: exit $status"; cat err; return 1; }
		[ "$status" -eq 0 ] || failed=$((failed + 1))
		[ "$status" -eq 0 ] || [ -s err ] || { echo "allocation $n: no sentence"; return 1; }
	done
	echo "$failed of $last runs failed"
	[ "$failed" -gt 10 ]
}

# each_is_said LAST COMMAND...: to $out, where something else is before. Each run makes what one with memory
# makes, or says something and either leaves things out or leaves the file as it was, and nothing beside it.
each_is_said()
{
	local last=$1 status n
	shift
	mkdir -p there
	"$@" -o there/out.folded 2>said
	cp there/out.folded whole
	for n in $(seq 1 "$last"); do
		status=0
		echo before >there/out.folded
		FAIL_AT=$n LD_PRELOAD=$PWD/fail_malloc.so timeout 900 "$@" -o there/out.folded >out 2>err || status=$?
		if [ "$status" -eq 0 ] && cmp -s there/out.folded whole; then
			continue
		fi
		[ "$status" -le 1 ] || { echo "allocation $n: exit $status"; cat err; return 1; }
		! cmp -s err said && [ -s err ] || { echo "allocation $n: differs in silence, exit $status"; return 1; }
		[ "$status" -eq 0 ] || [ "$(cat there/out.folded)" = before ] || { echo "allocation $n: output lost"; return 1; }
		[ "$(ls -A there)" = out.folded ] || { echo "allocation $n: left behind: $(ls -A there)"; return 1; }
	done
}

# A program with inlined functions and debug information, in stacks that are copied: elfutils reads it, and
# does not look at all it allocates.
# bats test_tags=long
@test "names, inlined functions and unwinding of a program" {
	command -v gcc >/dev/null || skip "no gcc"
	printf '%s\n' 'static inline __attribute__((always_inline)) int inner(int n) { return n * 7 + 1; }' \
		'int outer(int n) { return inner(n) ^ 3; }' 'int second(int n) { return outer(n) + 5; }' >parts.c
	gcc -g -O1 -shared -fPIC -o parts.so parts.c
	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all,comm_exec'
		echo 'comm pid=1 name=sh exec time=1'
		echo "mmap2 pid=1 start=0x10000 len=0x9000 off=0 name=$PWD/parts.so time=1"
		for name in outer second; do
			at=$((0x$(nm parts.so | awk -v n=$name '$3 == n { print $1 }') + 0x10000))
			echo "sample pid=1 time=3 ip=$at chain=U,$at"
		done
	} | "$build" -o parts.data -
	each_is_said 500 "$flamefold" fold --inline --threads=1 parts.data
}

# bats test_tags=long
@test "folded text" {
	printf 'a;b;c 1\na;b;d 2\na;e 3\n' >in.folded
	each_fails 400 "$flamefold" in.folded
}

# bats test_tags=long
@test "a picture that is read back" {
	printf 'a;b;c 1\na;b;d 2\na;e 3\n' | "$flamefold" graph -q -o in.svg -
	each_fails 300 "$flamefold" fold in.svg
	seq -f 'main;f%.0f;g 1' 4000 | "$flamefold" graph -q -o packed.svg -
	each_fails 100 "$flamefold" fold packed.svg
	each_fails 300 "$flamefold" graph --colors=chain -o out.svg in.svg
}

# bats test_tags=long
@test "a picture is the same, or it is said" {
	printf 'a;b;c 1\na;b;d 2\na;e 3\n' >in.folded
	each_is_said 260 "$flamefold" graph -f svg --threads=1 in.folded
}

@test "a recording" {
	"$build" -o a.data "$cases"/**/all_kinds_of_records.pd
	each_fails 300 "$flamefold" fold a.data
}

@test "compressed records" {
	"$build" -o a.data "$cases"/**/compressed2_records.pd
	each_fails 200 "$flamefold" fold a.data
}

@test "a recording of the other byte order" {
	"$build" -o a.data "$cases"/**/all_fields_big_endian.pd
	each_fails 200 "$flamefold" fold a.data
}

@test "a directory" {
	"$build" -o directory "$cases"/**/directory_with_changes_in_all_streams.pd
	each_fails 200 "$flamefold" fold directory
}

# bats test_tags=long
@test "a pipe" {
	local piped=a.data

	"$build" -o a.data "$cases"/**/pipe_features_and_build_ids.pd
	each_fails 200 "$flamefold" fold -
	"$build" -o a.data "$cases"/**/deferred_chain_big_endian_in_a_pipe.pd
	each_fails 200 "$flamefold" fold -
	"$build" -o a.data "$cases"/**/group_read_in_a_pipe.pd
	each_fails 200 "$flamefold" fold -
	"$build" -o a.data "$cases"/**/pipe_tracing_data_names_its_events.pd
	each_fails 200 "$flamefold" fold --compat=stackcollapse -
}

# bats test_tags=long
@test "chains that are put together" {
	"$build" -d . "$cases"/**/{deferred_chain_of_each_thread,lbr_call_stack,off_cpu_samples_in_raw_data}.pd
	each_fails 200 "$flamefold" fold --event=all off_cpu_samples_in_raw_data.data
	each_fails 220 "$flamefold" fold deferred_chain_of_each_thread.data
	each_fails 200 "$flamefold" fold lbr_call_stack.data
}
