#!/usr/bin/env bats
# Colours: on terminals, where they are wanted, and nowhere else.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export TERM=xterm
	unset NO_COLOR
	echo 'a;b 1' >stacks.folded
	escape=$(printf '\033')
}

# on_terminal COMMAND...: what it writes to the terminal that it has; its exit code in code.
on_terminal()
{
	python3 - "$@" >screen <<-'END'
		import os, pty, sys
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execvp(sys.argv[1], sys.argv[1:])
		while True:
		    try:
		        piece = os.read(terminal, 4096)
		    except OSError:
		        piece = b""
		    if not piece:
		        break
		    os.write(1, piece.replace(b"\r", b""))
		with open("code", "w") as file:
		    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=file)
	END
}

plain()
{
	! grep -q "$escape" "$1" || { cat -v "$1"; return 1; }
}

@test "an error has a red mark, and the name in it is bold" {
	on_terminal "$flamefold" "it's not/there"
	[ "$(cat code)" -eq 1 ]
	grep -qF "${escape}[31mflamefold:${escape}[m " screen
	grep -qF "'${escape}[1mit's not/there${escape}[m'" screen
	on_terminal "$flamefold" --no-such-option
	[ "$(cat code)" -eq 2 ]
	grep -qF "${escape}[31mflamefold:${escape}[m " screen
}

@test "a warning has a yellow mark, and what was done none" {
	printf 'a;b 1\n%s' 'a;c 2
	a;d 3
	a;e 4
	a;f 5
	a;g 6
	a;h 7
	a;i 8
	a;j 9
	a;k 10
	a;l 11
	a;m 12
	no count
	' >odd.folded
	on_terminal "$flamefold" odd.folded -o out.svg
	grep -qF "${escape}[33mflamefold:${escape}[m " screen
	on_terminal "$flamefold" fold stacks.folded -o out.folded
	plain screen
}

@test "the answers of info have bold labels and headings, and the same text" {
	"$build" -o recording.data "$cases"/**/kernel_and_user.pd
	on_terminal "$flamefold" info recording.data
	grep -q "^${escape}\[1mfile${escape}\[m " screen
	grep -qxF "${escape}[1msamples by event${escape}[m" screen
	sed "s/$escape\[[0-9;]*m//g" screen >text
	"$flamefold" info recording.data | diff - text
	grep -qx warnings text
	sed '1,/warnings/d' screen >behind
	[ -s behind ]
	! grep -v "^${escape}\[33m  " behind
	sed '/warnings/,$d' screen >before
	! grep -F "${escape}[33m" before
}

@test "not where nobody wants them, and not where the stream is no terminal" {
	"$build" -o recording.data "$cases"/**/kernel_and_user.pd
	NO_COLOR=1 on_terminal "$flamefold" info recording.data
	[ -s screen ]
	plain screen
	TERM=dumb on_terminal "$flamefold" info recording.data nothing
	grep -q "'nothing'" screen
	plain screen
	TERM='' on_terminal "$flamefold" info recording.data
	plain screen
	NO_COLOR='' on_terminal "$flamefold" info recording.data
	run ! plain screen
	on_terminal sh -c "'$flamefold' info recording.data nothing >out 2>err"
	[ -s out ] && [ -s err ]
	plain out
	plain err
	on_terminal sh -c "'$flamefold' info recording.data nothing >out"
	plain out
	grep -q "${escape}\[31m" screen
}

@test "control characters of names do not reach the terminal" {
	on_terminal "$flamefold" "$(printf 'no\033[32mfile')"
	grep -qF "no?[32mfile" screen
	! grep -qF "${escape}[32m" screen
}
