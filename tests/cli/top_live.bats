#!/usr/bin/env bats
# flamefold top of what runs now: in a pipe, on a terminal with its keys, and how it leaves that.
# bats file_tags=long
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
	unset COLUMNS LINES NO_COLOR
	need_events
}

# in_shares SECONDS: the program that works 60, 30 and 10 %, in $pid.
in_shares()
{
	in_background "$BATS_FILE_TMPDIR/shares" "$1" 1 >truth
}

teardown()
{
	end_started
}

# at_keys STEP... -- ARGUMENT...: flamefold top on a terminal of 24 lines by 90; each step is a text that its
# screen has to show, or "key:" and what is typed then. What it showed last is in screen, its exit code in
# code, and in modes what the terminal was set to before and after.
at_keys()
{
	TERM=xterm python3 - "$flamefold" "$@" >screen <<-'END'
		import fcntl, os, pty, re, select, struct, sys, termios, time
		at = sys.argv.index("--")
		program, steps, arguments = sys.argv[1], sys.argv[2:at], sys.argv[at + 1:]
		ours, theirs = pty.openpty()
		fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
		before = termios.tcgetattr(theirs)
		pid = os.fork()
		if pid == 0:
		    os.setsid()
		    fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
		    os.dup2(theirs, 0)
		    os.dup2(theirs, 1)
		    os.execv(program, [program, "top", *arguments])
		seen, shown = b"", ""
		def read(until, seconds):
		    global seen, shown
		    end = time.monotonic() + seconds
		    while time.monotonic() < end:
		        if select.select([ours], [], [], 0.1)[0]:
		            seen += os.read(ours, 65536)
		        last = seen.split(b"\033[H")[-1].decode(errors="replace")
		        shown = re.sub("\033\\[[0-9;?]*[A-Za-z]", "", last).replace("\r", "")
		        if until is not None and until in shown:
		            return True
		        if until is None and os.waitpid(pid, os.WNOHANG)[0]:
		            return True
		    return False
		for step in steps:
		    if step.startswith("key:"):
		        seen = b""
		        os.write(ours, step[4:].encode().decode("unicode_escape").encode())
		    elif not read(step, 20):
		        print(shown)
		        os.kill(pid, 9)
		        sys.exit("it does not show " + step)
		ended = False
		end = time.monotonic() + 20
		while not ended and time.monotonic() < end:
		    if select.select([ours], [], [], 0.1)[0]:
		        seen += os.read(ours, 65536)
		    done, status = os.waitpid(pid, os.WNOHANG)
		    ended = done != 0
		while select.select([ours], [], [], 0)[0]:
		    seen += os.read(ours, 65536)
		if not ended:
		    os.kill(pid, 9)
		    sys.exit("it does not end")
		left = seen.rsplit(b"\033[?1049l", 1)
		with open("after", "wb") as file:
		    file.write(left[-1] if len(left) > 1 else b"the screen was not left")
		with open("code", "w") as file:
		    print(os.waitstatus_to_exitcode(status), file=file)
		with open("modes", "w") as file:
		    print("same" if termios.tcgetattr(theirs) == before else "other", file=file)
	END
}

@test "in a pipe it is one table, of all that time" {
	"$BATS_FILE_TMPDIR/shares" 2 1 >truth 3>&- &
	pid=$!
	started="$started $pid"
	# Until it ends: how long that takes is for the machine, and how much it did is not.
	"$flamefold" top --no-inline --order total -p "$pid" -e cpu-clock -F 499 >out
	head -1 out | grep -qE '^# [0-9,]+ ns of cpu-clock$'
	wait "$pid"
	for name in share_60 share_30 share_10; do
		near "$(awk -v name=$name '{ all += $2; if ($1 == name) own = $2 } END { print 100 * own / all }' truth)" \
			"$(awk -v name=$name '$5 == name { sub(/%/, "", $2); print $2 }' out)" 5
	done
	# It waits for its thread.
	! grep -E ' main ' out || grep -E ' main ' out | awk '{ exit !($1 < 1) }'
}

@test "with --every it is printed as often, of all since the start, or of each time alone" {
	in_shares 9
	"$flamefold" top -p "$pid" -e cpu-clock -F 499 -d 3 --every 1 --by comm -f csv >all.csv
	[ "$(grep -c '^comm,' all.csv)" -ge 3 ]
	awk -F , '!/^comm/ { if ($3 < last) exit 1; last = $3 }' all.csv
	"$flamefold" top -p "$pid" -e cpu-clock -F 499 -d 3 --every 1 --window --by comm -f csv >each.csv
	# Each one has about a third of what all have together.
	awk -F , '!/^comm/ { all += $3; most = $3 > most ? $3 : most } END { exit !(all > 0 && most < 0.7 * all) }' each.csv
}

@test "it ends where nobody reads any more, or nothing can be written, and says that once" {
	in_shares 60
	timeout 20 "$flamefold" top -p "$pid" -e cpu-clock --every 0.2 2>err | head -1 >out
	codes=("${PIPESTATUS[@]}")
	[ "${codes[0]}" -eq 0 ]
	grep -q cpu-clock out
	code=0
	timeout 20 "$flamefold" top -p "$pid" -e cpu-clock --every 0.2 -q -o /dev/full 2>err || code=$?
	[ "$code" -eq 1 ]
	[ "$(grep -c 'No space left' err)" -eq 1 ]
}

@test "a dumb terminal gets tables one after another, and nothing that it cannot read" {
	in_shares 60
	TERM=dumb timeout 60 script -qec "'$flamefold' top -p $pid -e cpu-clock -d 3 --every 1" /dev/null >out
	[ "$(tr -d '\r' <out | grep -c '^# [0-9,]* ns of cpu-clock$')" -ge 3 ]
	! grep -q $'\033' out || false
}

@test "json is a table for programs, and -o writes a file" {
	in_shares 5
	"$flamefold" top -p "$pid" -e cpu-clock -F 499 -d 2 --by module -f json -o top.json
	jq -e '.by == "module" and (.rows | length) > 0 and .total >= .rows[0].self' top.json
}

@test "keys choose what is shown, and the terminal is left as it was" {
	in_shares 30
	at_keys share_60 key:m 'module' key:s '100.00%' key:c 'comm' key:f 'function' 'key:/' '/_' key:30 '/30_' \
		'key:\r' 'with 30' share_30 key:q -- --no-inline -p "$pid" -e cpu-clock -F 499 --every 0.5
	[ "$(cat code)" -eq 0 ]
	[ "$(cat modes)" = same ]
	grep -q share_30 after
	! grep -q share_60 after || false
}

@test "what counts is what was lately, the last interval, or all" {
	in_shares 30
	at_keys lately key:w 'of the last interval' key:w 'since the start' key:w lately key:h 'Page Up' key:h share_60 \
		key:p paused key:q -- --no-inline -p "$pid" -e cpu-clock --every 0.5
	[ "$(cat code)" -eq 0 ]
}

@test "the keys fit a screen of a few lines" {
	in_shares 20
	LINES=9 at_keys share_60 key:h $'takes it away\nq end' key:q -- --no-inline -p "$pid" -e cpu-clock --every 0.5
	[ "$(cat code)" -eq 0 ]
}

@test "Ctrl-C ends it, too, with the table of all that time" {
	in_shares 30
	at_keys share_60 'key:\x03' -- --no-inline -p "$pid" -e cpu-clock -F 499 --every 0.5
	[ "$(cat code)" -eq 0 ]
	[ "$(cat modes)" = same ]
	grep -q share_60 after
}

@test "it ends when the process does" {
	in_shares 3
	at_keys share_60 -- --no-inline -p "$pid" -e cpu-clock -F 499 --every 0.5
	[ "$(cat code)" -eq 0 ]
	[ "$(cat modes)" = same ]
	grep -q share_60 after
}

@test "with an input -p, -t and -C choose among its samples" {
	"$flamefold" record -e cpu-clock -F 499 --save x.data -o x.folded -- "$BATS_FILE_TMPDIR/shares" 1 1 >truth
	own=$("$flamefold" fold --pid x.data | sed -n 's/^shares-\([0-9]*\);.*/\1/p' | head -1)
	"$flamefold" top -p "$own" x.data >out
	grep -q share_60 out
	# A list as long as it likes, whose last one counts, too.
	"$flamefold" top -p "$(seq -s, 4194000 4194060),$own" x.data >out
	grep -q share_60 out
	run -1 --separate-stderr "$flamefold" top -p 1 x.data
	run -2 --separate-stderr "$flamefold" top -a x.data
	[ "$stderr" = "flamefold: option '--all-cpus' samples what runs now, and there is an input; try 'flamefold --help'" ]
	run -2 --separate-stderr "$flamefold" top -d 3 x.data
	[ "$stderr" = "flamefold: options of sampling are of what runs now: -p PID, or -a, and no input; try 'flamefold --help'" ]
}

@test "who is not there is named, and nothing is drawn" {
	run -1 --separate-stderr "$flamefold" top -p 4194304 -d 1
	[[ $stderr == *4194304* ]]
	[ -z "$output" ]
}
