#!/usr/bin/env bats
# flamefold record: what runs now, sampled and drawn; what it saves on the way; how it ends.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
}

fold()
{
	"$flamefold" fold --quiet "$@"
}

# samples FILE: how many a recording has.
samples()
{
	"$flamefold" info --format=json "$1" | jq .samples
}

# true_share FUNCTION OUTPUT: percent of its processor time, as the program counted it.
true_share()
{
	awk -v name="$1" '{ all += $2; if ($1 == name) some = $2 } END { printf "%.2f\n", 100 * some / all }' "$2"
}

# Folded text has the shares that the program knows to have had, within POINTS.
check_shares()
{
	local folded=$1 output=$2 points=$3 name want

	for name in share_60 share_30 share_10; do
		want=$(true_share "$name" "$output")
		near "$want" "$(share "$name" "$folded")" "$points" || { echo "$name of $folded"; return 1; }
	done
}

# The sum of the counts of folded text.
total()
{
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# stat NAME: of --stats on stderr.
stat()
{
	# shellcheck disable=SC2154 # run sets it
	sed -n "s/^$1  *\([0-9,]*\)\$/\1/p" <<<"$stderr" | tr -d ,
}

# wait_for FILE: until it has something in it.
wait_for()
{
	until_true test -s "$1"
}

# bats test_tags=long
@test "shares are those of the processor time, of several threads" {
	need_events
	record -q -F 997 -e cpu-clock --save live.data -o live.folded -- "$shares" 5 3 >truth
	check_shares live.folded truth 3
	grep -q 'shares;.*thread;share_30' live.folded
}

# bats test_tags=long
@test "there are as many samples as the rate makes of the processor time" {
	need_events
	record -q -F 997 -e cpu-clock:u -o x.data -- "$shares" 4 2 >truth
	want=$(awk '{ ns += $2 } END { printf "%.0f\n", ns / 1e9 * 997 }' truth)
	between "$((want * 90 / 100))" "$(samples x.data)" "$((want * 110 / 100))"
}

# bats test_tags=long
@test "the shares are those that perf record sees" {
	need_events
	command -v perf >/dev/null || skip "no perf"
	record -q -F 997 -e cpu-clock -o live.folded -- "$shares" 4 2 >truth
	perf record -q -N -F 997 -e cpu-clock -g -o perf.data -- "$shares" 4 2 >/dev/null 2>&1
	fold -o perf.folded perf.data
	for name in share_60 share_30 share_10; do
		near "$(share "$name" perf.folded)" "$(share "$name" live.folded)" 3
	done
}

# saved OPTION...: the saved file says what the live run said, byte by byte.
saved()
{
	local options=$*

	record -q -F 997 -e cpu-clock --save saved.data -o live.folded "$@" -- "$shares" 1 2 >/dev/null ||
		{ echo "$options: exit $?"; return 1; }
	fold -o file.folded saved.data
	[ -s live.folded ] || { echo "$options: nothing was recorded"; return 1; }
	cmp live.folded file.folded || { echo "$options: differs"; diff live.folded file.folded | head -n 6; return 1; }
}

# bats test_tags=long
@test "--save: the file folds to the bytes of the live run" {
	need_events
	saved
	saved -z
	saved -g dwarf
	saved -g dwarf,4096 -z
	saved -g fp
	saved -g fp --no-leaf-fix
	saved -g auto,1024
	saved -e page-faults
	saved -e cpu-clock:u
}

@test "--save of the whole system folds to the bytes of the live run" {
	need_events system
	own=$(under_own_name "$shares")
	record -q -F 997 -e cpu-clock -a --only "comm=$own|swapper" --save saved.data -o live.folded -- \
		"./$own" 2 2 >/dev/null
	fold --only "comm=$own|swapper" -o file.folded saved.data
	grep -q 'share_60' live.folded
	[ "$(samples saved.data)" -gt "$(wc -l <live.folded)" ]
	cmp live.folded file.folded
}

@test "--save: perf reads it, and its percentages are ours" {
	need_events
	command -v perf >/dev/null || skip "no perf"
	for z in "" -z; do
		# shellcheck disable=SC2086 # nothing, or an option
		record -q -F 997 -e cpu-clock --no-inline --save saved.data $z -o live.folded -- "$shares" 2 2 >/dev/null
		perf script -i saved.data -F comm,tid,time,event,ip,sym >script 2>err || { cat err; false; }
		[ "$(grep -c 'cpu-clock' script)" -eq "$(samples saved.data)" ]
		id=$(readelf -n "$shares" | sed -n 's/.*Build ID: //p')
		perf buildid-list -i saved.data | grep -q "^$id .*/shares"
		perf report --stdio --no-children --comms shares -F overhead,sym -g none -i saved.data 2>/dev/null >report
		for name in share_60 share_30 share_10; do
			theirs=$(awk -v name="$name" '$NF == name { print $1 + 0 }' report)
			# Own time: the stack ends in the function.
			ours=$(awk -v name=";$name\$" '{ n = $NF; sub(/ [0-9]+$/, ""); all += n; if ($0 ~ name) own += n }
				END { printf "%.2f\n", 100 * own / all }' live.folded)
			near "$ours" "$theirs" 0.02
		done
	done
}

@test "--save: the caller that the leaf fix finds is in the chain, registers and stack are not" {
	need_events
	[ "$(uname -m)" = x86_64 ] || skip "the leaf fix is x86-64's"
	build_program leaf
	record -q -F 997 -e cpu-clock:u -g fp --save saved.data -o live.folded -- "$BATS_FILE_TMPDIR/leaf" 1
	grep -q 'caller;frameless' live.folded
	fold saved.data | grep -q 'caller;frameless'
	record -q -F 997 -e cpu-clock:u -g fp --no-leaf-fix --no-infer -o without.folded -- "$BATS_FILE_TMPDIR/leaf" 1
	! grep -q 'caller;frameless' without.folded || { echo "the frame pointer alone finds it"; false; }
	if command -v perf >/dev/null; then
		perf evlist -v -i saved.data >attrs 2>/dev/null
		! grep -q 'REGS_USER\|STACK_USER' attrs
		perf script -i saved.data -F ip,sym 2>/dev/null | awk '/ frameless/ { getline; print $2 }' | sort | uniq -c |
			sort -rn | head -n 1 | grep -qw caller
	fi
}

@test "-o x.data writes the recording and nothing else" {
	need_events
	record -q -F 997 -e cpu-clock -o x.data -- "$shares" 1 2 >/dev/null
	[ "$(ls)" = x.data ]
	"$flamefold" info x.data | grep -q '^command line  flamefold record -q -F 997'
	fold x.data | grep -q share_60
	[ "$(head -c 8 x.data)" = PERFILE2 ]
}

@test "a recording that is there is kept as .old" {
	need_events
	echo before >x.data
	record -q -e cpu-clock -o x.data -- "$shares" 0.3 1 >/dev/null
	[ "$(cat x.data.old)" = before ]
	[ "$(head -c 8 x.data)" = PERFILE2 ]
}

@test "names of tracepoints and their saved formats are perf's" {
	need_events system
	need_tracefs
	own=$(under_own_name "$shares")
	record -q -e sched:sched_switch -a --only "comm=$own" --save saved.data -o live.folded -- "./$own" 0.5 4 >/dev/null
	grep -q . live.folded
	fold --only "comm=$own" -o file.folded saved.data
	cmp live.folded file.folded
	if command -v perf >/dev/null; then
		perf script -i saved.data -F event,comm >script 2>err || { cat err; false; }
		[ "$(grep -c 'sched:sched_switch' script)" -eq "$(samples saved.data)" ]
	fi
}

# A run in the background, which can be interrupted, of a program that goes on: sampled OPTION...
sampled()
{
	# shellcheck disable=SC2016 # for sh
	env --default-signal=INT "$flamefold" record -q -F 997 -e cpu-clock "$@" -- \
		sh -c 'echo $$ >program; exec "$0" 60 2' "$shares" >/dev/null 2>err &
	pid=$!
	wait_for program
}

end_program()
{
	kill "$(cat program)" 2>/dev/null || true
}

@test "killed with -9, the last --every file is whole and the saved one is read as far as it goes" {
	need_events
	sampled --every 0.5 --save saved.data -o now.folded
	wait_for now.folded
	until_true worked "$(cat program)" 300
	: >now.folded
	wait_for now.folded
	kill -9 $pid
	wait $pid || true
	end_program
	tail -c 1 now.folded | od -An -c | grep -q '\\n'
	! grep -qvE '^[^ ].* [0-9]+$' now.folded
	between 50 "$(share share_60 now.folded)" 70
	fold saved.data 2>err | grep -q share_60
	"$flamefold" info saved.data 2>&1 | grep -q 'not finished'
}

# bats test_tags=long
@test "the windows of --every add up to the recording" {
	need_events
	record -q -F 997 -e cpu-clock --every 1 --window --save saved.data -o 'w-%t.folded' -- "$shares" 3.3 2 >/dev/null
	[ "$(find . -name 'w-*.folded' | wc -l)" -ge 4 ] || { ls; false; }
	[ "$(cat w-*.folded | total)" = "$(fold saved.data | total)" ]
	# Each has a second of it, and some of the time that the program ran in it; the last one has the rest.
	[ "$(grep -l share_60 w-*.folded | wc -l)" -ge 3 ]
}

@test "what --only symbol= leaves out is counted once, however often it is written" {
	need_events
	run --separate-stderr record -q --stats -F 997 -e cpu-clock --every 0.3 --only symbol=share_60 -o now.folded -- "$shares" 1 1
	[ "$status" -eq 0 ]
	[ "$(total <now.folded)" -eq "$(stat "weight in the tree")" ]
	[ "$(stat "weight read")" -eq $(($(stat "weight in the tree") + $(stat "weight filtered out"))) ]
	[ "$(stat "weight filtered out")" -gt 0 ]
}

# bats test_tags=long
@test "--every without --window is the graph since the beginning" {
	need_events
	"$flamefold" record -q -F 997 -e cpu-clock --every 0.3 -o now.folded -- "$shares" 4 2 >/dev/null &
	pid=$!
	before=0 grown=0
	wait_for now.folded
	while kill -0 $pid 2>/dev/null; do
		now=$(total <now.folded)
		[ "$now" -ge "$before" ]
		[ "$now" -eq "$before" ] || grown=$((grown + 1))
		before=$now
		sleep 0.1
	done
	wait $pid
	[ "$grown" -gt 3 ]
	[ "$(total <now.folded)" -ge "$before" ]
}

@test "-d ends it, and the command goes on" {
	need_events
	# shellcheck disable=SC2016 # for sh
	record -q -F 997 -e cpu-clock -d 2 -o now.folded -- sh -c 'echo $$ >program; exec "$0" 60 1 >ended' "$shares" 3>&-
	kill -0 "$(cat program)"
	[ ! -s ended ]
	grep -q share_60 now.folded
	end_program
}

@test "a rate that the kernel does not take is lowered, with a sentence" {
	need_events
	# The kernel lowers it when it is busy, and then it is another one; so of an event that is rare.
	most=
	until [ "$most" = "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" ]; do
		most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
		record -F $((most + 1)) -e page-faults -o now.folded -- "$shares" 0.2 1 >/dev/null 2>err
	done
	grep -q "$((most + 1)) samples a second .* $most" err || { cat err; false; }
	grep -q '^shares;' now.folded
}

@test "Ctrl-C and SIGTERM end with a graph, and what was saved is whole" {
	need_events
	for signal in INT TERM; do
		rm -f now.folded program
		sampled --every 0.2 --save saved.data -o now.folded
		wait_for now.folded
		kill -$signal $pid
		wait $pid
		! kill -0 "$(cat program)" 2>/dev/null || { echo "the program goes on"; false; }
		[ ! -s err ] || { cat err; false; }
		grep -q share_60 now.folded
		! "$flamefold" info saved.data 2>&1 | grep -q 'not finished'
		fold saved.data | cmp - now.folded
	done
}

# heard: the signal is no longer on its way to the run.
heard()
{
	awk '/^(SigPnd|ShdPnd):/ && $2 ~ /[2367abef]$/ { bad = 1 } END { exit bad }' "/proc/$pid/status"
}

@test "a second Ctrl-C ends it without a graph, and leaves nothing half written" {
	need_events
	# Nobody reads the output: after the first one, it waits for that.
	mkfifo fifo
	sampled -o fifo
	kill -INT $pid
	until_true heard
	# What a program sends within a second is the same Ctrl-C, handed on.
	sleep 1.2
	kill -0 $pid
	kill -INT $pid
	code=0
	wait $pid || code=$?
	end_program
	[ "$code" -eq 130 ]
	[ -z "$(find . -name '.flamefold-*')" ]
}

@test "Ctrl-C while an output is written on the way does not cut it" {
	need_events
	mkfifo fifo
	sampled --every 0.2 -f folded -o fifo
	# It waits for a reader now.
	sleep 1
	kill -INT $pid
	until_true heard
	# The one on the way, and then the last one.
	while [ ! -e over ]; do
		cat fifo
	done >first 3>&- &
	reader=$!
	wait $pid
	touch over
	# A reader that waits for one more, or is about to, has it with nothing in it.
	while kill -0 $reader 2>/dev/null; do
		: 4<>fifo
		sleep 0.1
	done
	wait $reader
	end_program
	[ ! -s err ] || { cat err; false; }
	grep -q share_60 first
	! grep -qvE '^[^ ].* [0-9]+$' first
}

# bats test_tags=long
@test "with few files that may be open, the graph is written and named" {
	need_events system
	"$shares" 3 1 >/dev/null &
	(
		ulimit -n 40
		record -q -F 499 -e cpu-clock -a -d 1.5 --only comm=shares -o x.folded
	)
	wait
	grep -q share_60 x.folded
}

@test "-F max is what the kernel allows, without a word" {
	need_events
	most=
	until [ "$most" = "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" ]; do
		most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
		record -F max -e cpu-clock -o x.data -- "$shares" 0.2 1 2>err >/dev/null
	done
	! grep 'samples a second' err
	"$flamefold" info --format=json x.data | jq -e ".events[0].frequency == $most"
}

@test "the graph and the recording cannot be one file" {
	for words in "--save x.svg -o ./x.svg" "--save $PWD/x.svg -o x.svg" "--save x.data -o x.data -f svg"; do
		# shellcheck disable=SC2086 # a list
		run -2 record $words -- touch it-ran
		[[ $output == *"would both be"* ]]
	done
	touch x.svg
	ln x.svg y.svg
	run -2 record --save y.svg -o x.svg -- touch it-ran
	run -2 record -z -o x.svg -- touch it-ran
	[[ $output == *"--save"* ]]
	[ ! -e it-ran ]
}

@test "the exit status is that of the command" {
	need_events
	run -7 record -q -e cpu-clock -o x.folded -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 7'
	grep -q . x.folded
	run -143 record -q -e cpu-clock -o x.folded -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; kill -TERM $$'
	run -3 record -q -e cpu-clock -o x.folded -- sh -c 'exit 3'
	run -126 record -q -e cpu-clock -o y.folded -- /etc/passwd
	run -127 record -q -e cpu-clock -o y.folded -- /no/such/program
	[[ $output == *"/no/such/program"* ]]
	[ ! -e y.folded ]
}

@test "the command ends the run where SIGCHLD is ignored, with its status" {
	need_events
	run -7 timeout 60 env --ignore-signal=CHLD "$flamefold" record -q -e cpu-clock -o x.folded -- \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 7'
	grep -q . x.folded
}

@test "options end at the first word of the command" {
	need_events
	# shellcheck disable=SC2016 # for sh
	run -0 record -q -F 997 -e cpu-clock -o x.folded sh -c 'echo "$@"; exec "$0" 0.2' "$shares" -F 1 -o y.folded
	[[ $output == *"-F 1 -o y.folded"* ]]
	[ ! -e y.folded ]
}

@test "an output that cannot be written is said before anything runs" {
	need_events
	for output in /no/such/directory/x.svg "$PWD" /no/such/directory/x.data; do
		run -1 record -q -e cpu-clock -o "$output" -- touch it-ran
		[[ $output == *"cannot write"* ]]
		[ ! -e it-ran ]
	done
	run -1 record -q -e cpu-clock --save /no/such/directory/x.data -o x.svg -- touch it-ran
	[[ $output == *"cannot write"* ]]
	[ ! -e it-ran ]
}

@test "with a command and no -o the graph goes to a file, which is said, and standard output is the command's" {
	need_events
	record -F 997 -e cpu-clock -- sh -c '"$0" 0.3 2; echo "printed by it"' "$shares" >printed 2>err
	grep -q '^printed by it$' printed
	! grep -q '<svg' printed
	grep -qx 'flamefold: wrote flamegraph.svg' err || { cat err; false; }
	fold flamegraph.svg | grep -q share_60
	record -q -F 997 -e cpu-clock -f folded -- "$shares" 0.3 2 >printed 2>err
	! grep -q ';' printed
	[ ! -s err ] || { cat err; false; }
	grep -q share_60 flamegraph.folded
	record -q -F 997 -e cpu-clock -f html -- "$shares" 0.3 2 >printed
	grep -q '<svg' flamegraph.html
	# Who asks for it gets both.
	record -q -F 997 -e cpu-clock -f folded -o - -- "$shares" 0.3 2 >printed
	grep -q ';share_60' printed
	grep -q '^share_60 ' printed
}

@test "without a command standard output is the graph's" {
	need_events system
	rm -f flamegraph.*
	"$flamefold" record -q -e cpu-clock -f folded -d 0.3 -a >printed
	grep -q ';' printed
	[ -z "$(ls flamegraph.* 2>/dev/null)" ]
}

@test "--every needs a file to write again" {
	run -2 record --every 1 -- touch it-ran
	[ "$output" = "flamefold: option '--every' needs -o FILE, which it writes again; try 'flamefold --help'" ]
	run -2 record --every 1 -a
	[ ! -e it-ran ]
}

@test "a recording is not written over by a graph, but by another recording" {
	need_events
	record -q -F 997 -e cpu-clock -o x.data -- "$shares" 0.3 1 >/dev/null
	cp x.data before
	run -2 record -e cpu-clock -f svg -o x.data -- touch it-ran
	[[ $output == "flamefold: 'x.data' is a recording, which is not written over; "* ]]
	cp x.data x.svg
	run -2 record -e cpu-clock -o x.svg -- touch it-ran
	[[ $output == "flamefold: 'x.svg' is a recording, which is not written over; "* ]]
	run -2 record -e cpu-clock -o x.png -- touch it-ran
	[[ $output == "flamefold: 'x.png' is named like png, "* ]]
	[ ! -e it-ran ]
	cmp before x.data
	record -q -F 997 -e cpu-clock -o x.data -- "$shares" 0.3 2 >/dev/null
	! cmp -s before x.data
	record -q -F 997 -e cpu-clock --save x.data -o 'x.%t' -- "$shares" 0.3 2 >/dev/null
	fold x.data | grep -q share_60
	grep -q '<svg' x.20*
}

# A file system of a few pages; skips where none can be mounted.
small_disk()
{
	mkdir small
	unshare -rm true 2>/dev/null || [ "$(id -u)" -eq 0 ] || skip "no file system can be mounted"
	mount -t tmpfs -o size="$1" none small 2>/dev/null || skip "no file system can be mounted"
}

teardown()
{
	[ ! -d "$BATS_TEST_TMPDIR/small" ] || umount "$BATS_TEST_TMPDIR/small" 2>/dev/null || true
}

@test "where the disk is full at the end, the profile is kept where the sentence says" {
	need_events
	small_disk 16k
	record -q -F 997 -e cpu-clock -o small/now.svg -- "$shares" 0.5 2 >/dev/null 2>err && false
	grep -q 'No space left' err || { cat err; false; }
	kept=$(grep -o "'[^']*'" err | tr -d "'" | tail -n 1)
	[ -s "$kept" ]
	fold "$kept" | grep -q share_60
	rm -f "$kept"
	[ -z "$(ls -A small)" ]
}

# bats test_tags=long
@test "where the disk is full while saving, the graph is still drawn" {
	need_events
	small_disk 16k
	record -F 997 -e cpu-clock -g dwarf --save small/saved.data -o now.folded -- "$shares" 1 2 >/dev/null 2>err && false
	grep -q "cannot write .*small/saved.data.*No space left" err || { cat err; false; }
	grep -q share_60 now.folded
	rm small/saved.data
	# Errors are said all the same.
	record -q -F 997 -e cpu-clock -g dwarf --save small/saved.data -o now.folded -- "$shares" 1 2 >/dev/null 2>err && false
	grep -q "cannot write .*small/saved.data.*No space left" err || { cat err; false; }
}

@test "what the kernel drops is counted and said" {
	need_events
	"$flamefold" record -F 20000 -e cpu-clock -m 2 --save saved.data -o now.folded -- "$shares" 3 2 >/dev/null 2>err &
	pid=$!
	wait_for saved.data
	sleep 0.5
	kill -STOP $pid
	sleep 1
	kill -CONT $pid
	wait $pid || true
	grep -qi 'lost' err || { cat err; false; }
	[ "$("$flamefold" info --format=json saved.data | jq .lost)" -gt 0 ]
	fold saved.data | cmp - now.folded
}

@test "wrong usage ends with 2 and says what is wrong" {
	for words in "-F 0" "-F x" "-F 99 -c 1000" "-c 0" "-d -1" "-d x" "-e no-such-event" "--call-graph=nothing" "-g dwarf,7" \
		"-p 1 -a" "-p x" "-t x" "-C x" "-m x" "-z 99 -o x.svg" "--all-kernel --all-user" "--every 0" "--no-such-option"; do
		# shellcheck disable=SC2086 # a list
		run record $words -- true
		[ "$status" -eq 2 ] || { echo "$words: exit $status: $output"; false; }
		[[ $output == "flamefold"*": "* ]]
	done
	run -2 record --pid 1
	[[ $output == *"-p"* ]]
}
