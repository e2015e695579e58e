#!/usr/bin/env bats
# What is read where no input is named: a pipe or a file on standard input, else ./perf.data; and never
# what a program has on standard input because somebody started it that way.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'recorded 5\n' >perf.data
	printf 'a;b 7\n' >given.folded
}

# folds WANTED COMMAND...: it prints that, says nothing, and ends with 0.
folds()
{
	local wanted=$1

	shift
	run --separate-stderr "$@"
	[ "$status" -eq 0 ] && [ "$output" = "$wanted" ] && [ -z "$stderr" ] ||
		{ echo "$*: exit $status, printed: $output, said: $stderr"; return 1; }
}

# closed COMMAND...: with standard input closed.
closed()
{
	"$@" <&-
}

# on_terminal COMMAND...: with a terminal for standard input; what it prints goes to `out`.
on_terminal()
{
	python3 - "$@" <<-'END'
	import os, pty, subprocess, sys
	terminal, other = pty.openpty()
	sys.exit(subprocess.run(sys.argv[1:], stdin=other, stdout=open('out', 'w')).returncode)
	END
}

# on_socket COMMAND...: with a socket that has something to read.
on_socket()
{
	python3 - "$@" <<-'END'
	import socket, subprocess, sys
	ours, theirs = socket.socketpair()
	ours.send(b'a;b 7\n')
	sys.exit(subprocess.run(sys.argv[1:], stdin=theirs).returncode)
	END
}

# on_silent_pipe COMMAND...: with a pipe that its parent keeps open and never writes to.
on_silent_pipe()
{
	python3 - "$@" <<-'END'
	import os, subprocess, sys
	theirs, ours = os.pipe()
	sys.exit(subprocess.run(sys.argv[1:], stdin=theirs).returncode)
	END
}

@test "a pipe is the input, for each command" {
	[ "$(cat given.folded | "$flamefold" fold)" = "a;b 7" ]
	[[ $(cat given.folded | "$flamefold" graph) == *"b (7 samples"* ]]
	[[ $(cat given.folded | "$flamefold") == *"b (7 samples"* ]]
	[[ $(cat given.folded | "$flamefold" info -f json) == *'"path": "-"'* ]]
	cat given.folded | "$flamefold" -o x.folded
	[ "$(cat x.folded)" = "a;b 7" ]
}

@test "a file is the input, also without a recording here" {
	[ "$("$flamefold" fold <given.folded)" = "a;b 7" ]
	[[ $("$flamefold" graph <given.folded) == *"b (7 samples"* ]]
	[ "$("$flamefold" fold <<<"c;d 3")" = "c;d 3" ]
	rm perf.data
	[ "$("$flamefold" fold <given.folded)" = "a;b 7" ]
	[ "$(cat given.folded | "$flamefold" fold)" = "a;b 7" ]
}

@test "a recording through a pipe is the input" {
	"$root/tests/perfdata/build" -o other.data "$(find "$root/tests/perfdata/cases" -name pipe_format.pd)"
	"$flamefold" fold -q --symfs / --kallsyms=/dev/null other.data >wanted
	[ -s wanted ]
	cat other.data | "$flamefold" fold -q --symfs / --kallsyms=/dev/null >got
	cmp wanted got
}

@test "an input that is named is the only one, whatever is on standard input" {
	printf 'named 1\n' >named.folded
	[ "$("$flamefold" fold named.folded <given.folded)" = "named 1" ]
	[ "$(cat given.folded | "$flamefold" fold named.folded)" = "named 1" ]
}

@test "what is on standard input by chance is no input" {
	folds "recorded 5" "$flamefold" fold </dev/null
	folds "recorded 5" closed "$flamefold" fold
	folds "recorded 5" "$flamefold" fold <.
	folds "recorded 5" on_socket "$flamefold" fold
	folds "" on_terminal "$flamefold" fold
	[ "$(cat out)" = "recorded 5" ]
	# One that can only be written to.
	folds "recorded 5" "$flamefold" fold 0>other
}

@test "a pipe that ends at once is no input, which is said" {
	run --separate-stderr bash -c 'true | "$0" fold' "$flamefold"
	[ "$status" -eq 0 ]
	[ "$output" = "recorded 5" ]
	[ "$stderr" = "flamefold: standard input is empty: reading ./perf.data" ]
	folds "recorded 5" bash -c 'true | "$0" fold -q' "$flamefold"
	rm perf.data
	run --separate-stderr bash -c 'true | "$0" fold' "$flamefold"
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: standard input is empty, and there is no ./perf.data here" ]
}

@test "a pipe that was inherited and brings nothing is not waited for" {
	run --separate-stderr on_silent_pipe "$flamefold" fold
	[ "$status" -eq 0 ]
	[ "$output" = "recorded 5" ]
	[[ $stderr == "flamefold: nothing comes on standard input"*": reading ./perf.data" ]]
}

@test "a program in the pipe that takes its time is waited for" {
	[ "$( (sleep 5; cat given.folded) | "$flamefold" fold)" = "a;b 7" ]
	mkfifo fifo
	(sleep 5; cat given.folded) >fifo &
	[ "$("$flamefold" fold <fifo)" = "a;b 7" ]
}

@test "a file that a loop reads lines of is no input" {
	printf '%s\n' one two three >list
	while read -r line; do
		echo "$line $("$flamefold" fold)"
	done <list >got
	[ "$(cat got)" = $'one recorded 5\ntwo recorded 5\nthree recorded 5' ]
}

@test "an empty file is an input without anything in it" {
	: >empty
	run --separate-stderr "$flamefold" fold <empty
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: 'standard input' is empty" ]
}

@test "without anything to read it says so" {
	rm perf.data
	run --separate-stderr "$flamefold" fold </dev/null
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: no ./perf.data here: name an input, or - for standard input" ]
}
