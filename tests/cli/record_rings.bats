#!/usr/bin/env bats
# flamefold record: rings, those who read them, and what happens where they are too small.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
	build_program pages
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
}

# Every processor has something to do in the meantime.
work()
{
	"$shares" 600 "$(nproc)" >/dev/null 3>&- &
	worker=$!
}

teardown()
{
	[ -z "${worker:-}" ] || kill "$worker"
	end_started
}

# bats test_tags=long
@test "several readers give what one gives" {
	need_events
	for threads in 1 2 3; do
		record -q --threads=$threads -F 1999 -e cpu-clock --save x.data -o x.folded -- "$shares" 1 3 >/dev/null
		"$flamefold" fold --quiet x.data | cmp - x.folded
		[ "$("$flamefold" info --format=json x.data | jq .samples)" -gt 100 ]
	done
}

@test "with -C, programs that start elsewhere are named" {
	need_events system
	[ "$(nproc)" -gt 1 ] || skip "one processor"
	record -q -F 999 -C 1 -e cpu-clock -o x.folded -- \
		taskset -c 0 sh -c 'taskset -c 1 "$0" 1 1' "$shares" >/dev/null
	grep -q 'shares;.*share_60' x.folded
}

@test "lost records are said, with their processor" {
	need_events system
	work
	record -F 20000 -e cpu-clock -g dwarf,32768 -m 16 -d 1 -o x.folded -a 2>err || cat err
	grep -q 'dropped records because its rings were full: [0-9]* on processor [0-9]' err
}

@test "a ring is emptied in time, also when the thread that it was made for has ended" {
	need_events
	in_background "$shares" 0.4 1
	first=$pid
	in_background "$shares" 1.5 1
	# By the clock alone, every 100 ms, a fourth would be read.
	record -q -e cpu-clock -F 20000 -m 128K -g fp -p "$first,$pid" -o x.folded
	between 1.5e9 "$(awk '{ n += $NF } END { print n }' x.folded)" 2.0e9
}

# kernel_is MAJOR: or newer.
kernel_is()
{
	[ "$(uname -r | cut -d. -f1)" -ge "$1" ]
}

@test "what a ring that stays full to the end has no room for is counted" {
	need_events
	kernel_is 6 || skip "this kernel does not count them"
	# Nobody reads from before the first page is touched until the program has ended.
	# shellcheck disable=SC2016 # for sh
	"$flamefold" record -e page-faults -c 1 -m 8K --save x.data -o x.folded -- \
		sh -c 'kill -STOP $PPID; exec "$0" 20000 >touched' "$BATS_FILE_TMPDIR/pages" 2>err 3>&- &
	recorder=$!
	until_true test -s touched
	sleep 0.3
	kill -CONT $recorder
	wait $recorder
	lost=$("$flamefold" info --format=json x.data | jq .lost)
	taken=$("$flamefold" info --format=json x.data | jq .samples)
	between 15000 "$lost" 20500
	# Those of the shell, too, and some records that are no samples.
	between 20000 $((lost + taken)) 22000
	grep -q 'dropped records because its rings were full: ' err
	said=$(sed -n 's/.*rings were full: //; s/; each of these.*//p' err | tr ',' '\n' | awk '{ sum += $1 } END { print sum }')
	[ "$said" -eq "$lost" ]
	"$flamefold" fold --quiet x.data | cmp - x.folded
	if command -v perf >/dev/null; then
		[ "$(perf script -i x.data -F comm 2>/dev/null | wc -l)" -eq "$taken" ]
	fi
}

@test "--adapt goes down the ladder and says so; without it nothing changes" {
	need_events system
	work
	record -F 20000 -e cpu-clock -g dwarf,32768 -m 16 -d 3.5 -o x.folded --adapt -a 2>err
	grep -q 'records are lost: 16384 bytes of each stack are copied from now on' err
	record -F 20000 -e cpu-clock -g dwarf,32768 -m 16 -d 2.5 -o x.folded -a 2>err
	! grep 'from now on' err
}

# sampling PID: it has events.
sampling()
{
	ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event
}

# stopped_once COMMAND...: which does not read for a while, when it has begun.
stopped_once()
{
	"$@" 2>err >/dev/null &
	local pid=$!

	until_true sampling $pid
	sleep 1
	kill -STOP $pid
	sleep 1
	kill -CONT $pid
	wait $pid
}

# bats test_tags=long
@test "samples are of the time that -d says, whenever they are read" {
	need_events system
	"$shares" 4 2 >/dev/null &
	stopped_once "$flamefold" record -F 99 -e cpu-clock -d 1.3 --save x.data -o x.folded -a
	wait
	[ "$("$flamefold" info --format=json x.data | jq '.duration > 1000000000 and .duration < 1310000000')" = true ]
}

# periods FILE: the different ones of its samples, with how many have them.
periods()
{
	perf script -i "$1" -F period 2>/dev/null | sort -n | uniq -c
}

# bats test_tags=long
@test "--adapt lowers the rate, and each sample stands for more time" {
	need_events system
	"$shares" 6 2 >/dev/null &
	stopped_once "$flamefold" record -F 5000 -e cpu-clock -m 1 -d 4.5 --save x.data -o x.folded --adapt -a
	wait
	grep -q 'dropped records' err || skip "no record was lost"
	grep -q 'records are lost: 2500 samples a second from now on' err
	if command -v perf >/dev/null; then
		[ "$(periods x.data | awk '$2 == 200000' | wc -l)" -eq 1 ]
		[ "$(periods x.data | awk '$2 == 400000 { print $1 }')" -gt 0 ]
		# No clock ticks faster than was asked for.
		[ "$(periods x.data | awk '$2 < 200000' | wc -l)" -eq 0 ]
	fi
}

# bats test_tags=long
@test "--adapt of several events tells them apart, live and in the saved file" {
	need_events system
	own=$(under_own_name "$shares")
	"./$own" 6 2 >/dev/null &
	stopped_once "$flamefold" record -F 3000 -e cpu-clock -e page-faults -g dwarf,16384 -m 32 -d 4.5 \
		--only "comm=$own" --save x.data -o x.folded --adapt -a
	wait
	grep -q 'of each stack are copied from now on' err || skip "no record was lost"
	"$flamefold" fold --quiet --only "comm=$own" x.data | cmp - x.folded
	# A page fault that goes for a tick of the clock weighs almost nothing, and the other way round is 333333.
	if command -v perf >/dev/null; then
		perf script -i x.data -F event,period 2>/dev/null | awk '/cpu-clock/ && $1 != 333333 { bad++ } END { exit bad > 0 }'
	fi
}

@test "--adapt of a command has larger rings and then nothing: what it started cannot be opened anew" {
	need_events
	stopped_once "$flamefold" record -F 20000 -e cpu-clock -m 1 -d 3.5 -o x.folded --adapt -- "$shares" 5 4
	grep -q 'dropped records' err || skip "no record was lost"
	grep -q 'nothing is left that could be lowered' err
	! grep -q 'samples a second from now on' err
}

@test "letters may stand together, and -g takes only what is one of its values" {
	need_events system
	record -q -aF 99 -d 0.3 -e cpu-clock -o x.folded
	record -q -ag -d 0.3 -e cpu-clock -o x.folded
	record -q -e cpu-clock -F 999 -o x.folded -g "$shares" 0.3 1 >/dev/null
	grep -q share_60 x.folded
	record -q -e cpu-clock -F 999 -o x.data -g dwarf,4096 "$shares" 0.3 1 >/dev/null
	"$flamefold" info x.data | grep -q STACK_USER
}

@test "--pid is no target" {
	run -2 "$flamefold" record --pid=7
	[[ $output == *"to sample process N, use -p N"* ]]
	run -2 "$flamefold" record --pid 7
	[[ $output == *"use -p N"* ]]
}

@test "two targets are refused" {
	run -2 "$flamefold" record -a -p 1
	[[ $output == *"'--all-cpus' and '--process' both say whom to sample"* ||
		$output == *"'--process' and '--all-cpus' both say whom to sample"* ]]
}

@test "a part of the time that is not over yet is no filter" {
	need_events
	run -2 record -e cpu-clock --only time=10%-20% -f folded -- true
	[[ $output == *"percentages of its time are not known yet"* ]]
}
