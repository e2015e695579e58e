#!/usr/bin/env bats
# flamefold record: what ends a run, how soon, and what becomes of the command and the graph.
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
	pid=
}

teardown()
{
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true
	[ ! -s program ] || kill -9 "$(cat program)" 2>/dev/null || true
}

# until COMMAND...: it succeeds, within half a minute.
until_true()
{
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		"$@" && return 0
		sleep 0.1
	done
	echo "never: $*"
	return 1
}

# What a shell without job control runs in the background has SIGINT ignored: that is how a
# script starts it. in_background PROGRAM OPTION...: the command is a shell that does PROGRAM and works.
in_background()
{
	local program=$1

	shift
	"$flamefold" record -q -F 997 -e cpu-clock "$@" -- \
		sh -c "$program"'; echo $$ >program; while :; do :; done' 2>err 3>&- &
	pid=$!
	until_true test -s program
}

# ends CODE: the run does, with that.
ends()
{
	local code=0

	until_true over || { kill -9 "$pid"; return 1; }
	wait "$pid" || code=$?
	pid=
	[ "$code" -eq "$1" ] || { echo "exit status $code"; cat err; return 1; }
}

over()
{
	! kill -0 "$pid" 2>/dev/null
}

command_is_gone()
{
	! kill -0 "$(cat program)" 2>/dev/null
}

@test "INT and TERM end a run that a script has started in the background" {
	need_events
	for signal in INT TERM; do
		rm -f program
		in_background : -o $signal.folded
		kill -$signal "$pid"
		ends 0
		grep -q '^sh;' $signal.folded
		until_true command_is_gone
	done
}

@test "INT and TERM end a run that has them blocked" {
	need_events
	command -v python3 >/dev/null || skip "no python3 to block signals"
	for signal in INT TERM; do
		rm -f program
		python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
os.execvp(sys.argv[1], sys.argv[1:])' "$flamefold" record -q -F 997 -e cpu-clock -o $signal.folded -- \
			sh -c 'echo $$ >program; while :; do :; done' 2>err 3>&- &
		pid=$!
		until_true test -s program
		kill -$signal "$pid"
		ends 0
		grep -q '^sh;' $signal.folded
	done
}

@test "what nohup ignores stays ignored" {
	need_events
	nohup "$flamefold" record -q -F 997 -e cpu-clock -o now.folded -- \
		sh -c 'echo $$ >program; while :; do :; done' >/dev/null 2>err 3>&- &
	pid=$!
	until_true test -s program
	kill -HUP "$pid"
	sleep 0.5
	kill -0 "$pid"
	! command_is_gone
	kill -TERM "$pid"
	ends 0
	grep -q '^sh;' now.folded
}

@test "the command is told to end by TERM, and what it exits with then is no failure" {
	need_events
	for signal in INT TERM HUP; do
		rm -f program told
		in_background 'trap "echo told >told; exit 7" TERM' -o now.folded
		kill -$signal "$pid"
		ends 0
		[ -s told ]
		command_is_gone
		[ ! -s err ] || { cat err; false; }
	done
}

@test "a command that does not heed TERM is not waited for, and that is said" {
	need_events
	in_background 'trap "" TERM' -o now.folded
	# Without -q: it is a remark.
	kill -KILL "$pid"
	wait "$pid" || true
	kill -KILL "$(cat program)"
	rm -f program
	"$flamefold" record -F 997 -e cpu-clock -o now.folded -- \
		sh -c 'trap "" TERM; echo $$ >program; while :; do :; done' 2>err 3>&- &
	pid=$!
	until_true test -s program
	kill -TERM "$pid"
	ends 0
	! command_is_gone
	grep -q "'sh' (process $(cat program)) was told to end (SIGTERM) and goes on" err || { cat err; false; }
	grep -q '^sh;' now.folded
}

@test "-d leaves the command alone" {
	need_events
	in_background 'trap "echo told >told" TERM' -d 0.3 -o now.folded
	ends 0
	! command_is_gone
	[ ! -e told ]
}

@test "timeout's two signals are one request" {
	need_events
	for signal in INT TERM; do
		rm -f program now.folded
		run -124 timeout -s $signal 1 "$flamefold" record -q -F 997 -e cpu-clock -o now.folded -- \
			sh -c 'echo $$ >program; while :; do :; done'
		grep -q '^sh;' now.folded
		until_true command_is_gone
	done
}

# Both at once would be one for the kernel, too.
@test "a signal that is sent twice in a moment is one request" {
	need_events
	command -v python3 >/dev/null || skip "no python3 to be that quick"
	in_background : -o now.folded
	# It may be done already before the last one.
	python3 -c 'import os, signal, sys, time
for _ in range(3):
    os.kill(int(sys.argv[1]), signal.SIGTERM)
    time.sleep(0.02)' "$pid" 2>/dev/null || true
	ends 0
	grep -q '^sh;' now.folded
}

# bats test_tags=long
@test "the first signal while the graph is written does not lose it, the second one ends that" {
	need_events
	for signal in INT TERM; do
		for second in "" $signal; do
			rm -f program fifo
			mkfifo fifo
			in_background : -d 0.2 -f folded -o fifo
			# Nobody reads; if it is not there yet, the signal ends sampling, and that is as good.
			sleep 1.5
			kill -$signal "$pid"
			sleep 1.2
			kill -0 "$pid"
			if [ "$second" ]; then
				kill -$second "$pid"
				ends $((128 + $(kill -l $second)))
			else
				cat fifo >now.folded
				ends 0
				grep -q '^sh;' now.folded
			fi
			kill -9 "$(cat program)" 2>/dev/null || true
		done
	done
}

watch_is_over()
{
	[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -le 1 ]
}

@test "the events stop in time, however long the reader is busy" {
	need_events
	kernel=$(uname -r)
	[ "${kernel%%.*}" -ge 6 ] || skip "this kernel does not count what a full ring has no room for"
	# Nobody reads the first graph, so the recorder hangs; what fires then finds a full ring, and is counted.
	mkfifo fifo
	"$flamefold" record --threads=1 -g fp -e page-faults -c 1 -m 8K -d 1 --every 0.1 -f folded --save x.data -o fifo -- \
		sh -c '"$0" 10 >first; while [ ! -e go ]; do sleep 0.1; done; "$0" 20000 >touched' \
		"$BATS_FILE_TMPDIR/pages" 2>err 3>&- &
	pid=$!
	sleep 2.5
	until_true watch_is_over
	: >go
	until_true test -s touched
	cat 0<>fifo >/dev/null 3>&- &
	reader=$!
	ends 0
	kill $reader
	lost=$("$flamefold" info --format=json x.data | jq .lost)
	taken=$("$flamefold" info --format=json x.data | jq .samples)
	# The 20,000 are of the time behind the end.
	[ $((lost + taken)) -lt 15000 ] || { echo "$lost lost, $taken taken"; false; }
	[ "$taken" -gt 0 ]
}

# filled PAGES: the recorder hangs while its ring of 1 MiB gets the faults of so many pages, and its time ends.
filled()
{
	rm -f fifo go touched
	mkfifo fifo go
	"$flamefold" record --threads=1 -g fp -e page-faults -c 1 -m 1M -d 2 --every 0.1 -f folded -o fifo -- \
		sh -c 'read -r go <go; "$0" '"$1"' >touched' "$BATS_FILE_TMPDIR/pages" 2>err 3>&- &
	pid=$!
	sleep 1
	echo go >go
	until_true test -s touched
	sleep 1
	until_true watch_is_over
	cat 0<>fifo >/dev/null 3>&- &
	reader=$!
	ends 0
	kill $reader
}

@test "a recorder that cannot keep up says so, and what helps" {
	need_events
	# The recorder may come to hang too late, or the program.
	for ((i = 0; i < 5; i++)); do
		filled 1000
		grep -q 'came faster' err && break
	done
	grep -qE 'samples came faster than they could be used: a ring was [5-9][0-9] % full when sampling ended, and a longer run would lose some; larger rings help \(-m\)' err ||
		{ cat err; false; }
	filled 10
	! grep 'came faster' err
}

@test "a signal ends the command, however long the reader is busy" {
	need_events
	mkfifo fifo
	in_background 'trap "echo told >told; exit 7" TERM' --every 0.1 -f folded -o fifo
	sleep 1
	kill -TERM "$pid"
	until_true test -s told
	kill -0 "$pid"
}

# has_result FOLDED: samples, or the word that they were lost: rings may be full before the first is read.
has_result()
{
	grep -q share_60 "$1" || grep -q 'records were lost' err
}

@test "-F max ends with its time, and by a signal" {
	need_events system
	"$shares" 60 "$(nproc)" >/dev/null 3>&- &
	echo $! >program
	record -F max -e cpu-clock -d 0.5 -o x.folded -a 2>err || [ $? -eq 1 ]
	has_result x.folded
	"$flamefold" record -F max -e cpu-clock -o y.folded -a 2>err 3>&- &
	pid=$!
	sleep 1
	kill -TERM "$pid"
	until_true over
	wait "$pid" || [ $? -eq 1 ]
	pid=
	has_result y.folded
}

# words REGEX: the first group of it in err.
words()
{
	sed -nE "s/.*$1.*/\\1/p" err
}

@test "no samples of a short command: how long it ran, and a rate that sees it" {
	need_events
	# The clock's first tick may come in time all the same.
	for ((i = 0; i < 20; i++)); do
		rm -f o.svg
		code=0
		record -F 10 -e cpu-clock -o o.svg -- true 2>err || code=$?
		grep -q 'no samples' err && break
	done
	[ "$code" -eq 1 ]
	grep -qE '^flamefold: no samples: the command ran [0-9]+\.[0-9]+ ms of processor time, and 10 samples a second see one moment every 100\.00 ms of it; ' err ||
		{ cat err; false; }
	# Nothing over nothing.
	[ ! -e o.svg ]
	better=$(words "'flamefold record -F ([0-9a-z]+)' sees more")
	[ "$better" ]
	# As typed, it does what it says; a processor that others keep busy may see less once.
	for ((i = 0; i < 20; i++)); do
		record -q -F "$better" -e cpu-clock -o o.svg -- true 2>err && break
	done
	[ -s o.svg ] || { cat err; false; }
}

@test "no samples: the last graph stays, in every format, and standard output gets nothing" {
	need_events
	for format in svg html folded; do
		echo before >o.$format
		for ((i = 0; i < 20; i++)); do
			echo before >o.$format
			code=0
			record -F 1 -e cpu-clock -f $format -o o.$format -- true 2>err || code=$?
			[ "$code" -eq 0 ] || break
		done
		[ "$code" -eq 1 ]
		[ "$(cat o.$format)" = before ]
		for ((i = 0; i < 20; i++)); do
			code=0
			record -F 1 -e cpu-clock -f $format -- true 2>err >out || code=$?
			[ "$code" -eq 0 ] || break
		done
		[ "$code" -eq 1 ]
		[ ! -s out ]
	done
}

@test "no samples with a period: no rate is advised" {
	need_events
	run -1 --separate-stderr record -e cpu-clock -c 100000000000 -o o.svg -- true
	[[ $stderr == *"no samples in the "*" ms of processor time that the command ran" ]]
	[ ! -e o.svg ]
}

@test "no samples of a process that only waits: that is said" {
	need_events
	sleep 60 3>&- &
	echo $! >program
	echo before >o.svg
	run -1 --separate-stderr record -F 10 -e cpu-clock -d 0.3 -p $! -o o.svg
	[[ $stderr == *"no samples"*"ran for less than the 100.00 ms of processor time in which 10 samples a second see one moment, or waited"* ]]
	[ "$(cat o.svg)" = before ]
}

@test "what a command that fails without samples exits with is the exit status" {
	need_events
	for ((i = 0; i < 20; i++)); do
		code=0
		record -F 1 -e cpu-clock -o o.svg -- sh -c 'exit 7' 2>err || code=$?
		grep -q 'no samples' err && break
	done
	[ "$code" -eq 7 ]
	[ ! -e o.svg ]
}
