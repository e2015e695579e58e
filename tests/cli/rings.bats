#!/usr/bin/env bats
# Live rings on bare system calls, where those of the build stand on libperf: the same unit test, and a second
# command, which is the first but for one file (Makefile, OTHER_RINGS).
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
}

setup()
{
	other=$(dirname "$flamefold")/tests/syscalls
	[ -x "$other/flamefold" ] || skip "the rings of this build stand on bare system calls: all other tests run them"
	flamefold=$other/flamefold
	shares=$BATS_FILE_TMPDIR/shares
	cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown()
{
	end_started
}

@test "nothing of libperf is in it" {
	command -v nm >/dev/null || skip "no nm"
	nm "$other/flamefold" >symbols
	grep -q ' evlist_map$' symbols
	! grep perf_evlist__ symbols
}

@test "rings are mapped, shared, resized and given back as with libperf" {
	"$other/test_evlist" --tap >out 2>err || { cat out err; false; }
	! grep '^not ok' out
	# Where no events are permitted it has skipped all but one.
	grep -q '^ok' out
}

@test "a command, and what it starts: the shares that it knows to have had, and the same of the saved file" {
	need_events
	record -q -F 997 -e cpu-clock --save saved.data -o live.folded -- "$shares" 2 3 >truth
	for name in share_60 share_30 share_10; do
		near "$(awk -v name=$name '{ all += $2; if ($1 == name) some = $2 }
			END { print 100 * some / all }' truth)" "$(share $name live.folded)" 6
	done
	"$flamefold" fold -q saved.data | cmp - live.folded
}

@test "two events of the whole machine are told apart by their ids" {
	need_events system
	in_background "$shares" 600 1
	record -q -a -F 499 -e cpu-clock -e task-clock -d 1 --save saved.data -f folded -o all.folded
	grep -q share_60 all.folded
	"$flamefold" info --format=json saved.data | jq -e '[.events[].samples] | length == 2 and all(. > 0)'
}

@test "a process that runs already is recorded until the time is over" {
	need_events
	in_background "$shares" 600 2
	until_true worked "$pid" 20
	record -q -F 997 -e cpu-clock -p "$pid" -d 1 -o now.folded
	kill -0 "$pid"
	grep -q 'thread;share_60' now.folded
}
