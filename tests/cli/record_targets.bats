#!/usr/bin/env bats
# flamefold record: whom to sample, what is said of those who are not there, and what is not
# permitted.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
	chmod 755 "$BATS_FILE_TMPDIR/shares"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
	started=
	group=
}

teardown()
{
	end_started
	[ -z "$group" ] || { sleep 0.1; rmdir "$group" 2>/dev/null || true; }
}

started()
{
	case $(cat /proc/$pid/comm) in
	bash | bats* | setpriv | taskset) return 1 ;;
	esac
}

# start COMMAND...: in the background, ended with the test; its id is in $pid.
start()
{
	in_background "$@"
	# Until it is the program itself.
	until_true started
	sleep 0.1
}

# processes FOLDED: the names at the root, once each.
processes()
{
	sed 's/;.*//' "$1" | sort -u | tr '\n' ' '
}

# A copy of the program by another name, so that it can be told from the rest.
copy()
{
	cp "$shares" "$1"
	echo "$PWD/$1"
}

# bats test_tags=long
@test "-p ends with its process however few files may be open" {
	need_events
	start "$shares" 4 1
	recorders=
	for ((files = 6; files < 26; files++)); do
		(
			ulimit -n $files
			record -q -F 99 -e cpu-clock -p "$pid" -f folded -o $files.folded 2>$files.err 3>&-
		) &
		recorders="$recorders $!"
	done
	ended=0
	for recorder in $recorders; do
		code=0
		wait "$recorder" || code=$?
		# There may be too few for the events.
		[ "$code" -eq 0 ] || [ "$code" -eq 1 ]
		ended=$((ended + (code == 0)))
	done
	[ "$ended" -gt 5 ]
}

# bats test_tags=long
@test "-p ends with its process where there is no pidfd of it" {
	need_events
	command -v strace >/dev/null || skip "no strace to refuse it"
	start "$shares" 4 1
	# A sanitizer cannot look for leaks of what is traced.
	timeout 900 env ASAN_OPTIONS=detect_leaks=0 strace -qq -o trace -e trace=pidfd_open -e inject=pidfd_open:error=EMFILE \
		"$flamefold" record -q -F 99 -e cpu-clock -p "$pid" -o x.folded 3>&-
	grep -q EMFILE trace
	grep -q share_60 x.folded
}

@test "-p: a process that runs already, with all its threads, and nothing else" {
	need_events
	start "$(copy other)" 60 1
	start "$(copy wanted)" 2 3
	wanted=$pid
	record -q -F 997 -e cpu-clock -p "$wanted" --tid -o x.folded
	[ "$(processes x.folded | wc -w)" -eq 3 ]
	[ "$(processes x.folded | tr ' ' '\n' | grep -c "^wanted-$wanted/")" -eq 3 ]
	between 50 "$(share share_60 x.folded)" 70
}

@test "-t: one thread of it" {
	need_events
	start "$(copy wanted)" 60 3
	tid=$(ls /proc/"$pid"/task | sort -n | tail -n 1)
	record -q -F 997 -e cpu-clock -t "$tid" -d 2 --tid -o x.folded
	[ "$(processes x.folded)" = "wanted-$pid/$tid " ]
}

@test "-p: several, and what they start" {
	need_events
	start "$(copy first)" 2 1
	one=$pid
	# Its children are samples of -p, too.
	# shellcheck disable=SC2016 # for sh
	start sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" 0.2 1; done' "$(copy child)"
	record -q -F 997 -e cpu-clock:u -p "$one,$pid" -o x.folded
	[[ " $(processes x.folded)" == *" child first "* ]]
	between 40 "$(share share_60 x.folded)" 75
}

@test "-p: sampling ends with the process" {
	need_events
	start "$(copy wanted)" 1 1
	record -q -F 997 -e cpu-clock -p "$pid" -o x.folded
	[ "$(processes x.folded)" = "wanted " ]
}

@test "-t: sampling ends with the thread, where the kernel tells" {
	need_events
	command -v python3 >/dev/null || skip "no python3"
	# PIDFD_THREAD, Linux 6.9
	python3 -c 'import os, sys; os.close(os.pidfd_open(os.getpid(), os.O_EXCL))' 2>/dev/null || skip "no pidfd of a thread here"
	python3 - >tid <<-'END' &
	import threading, time
	def work():
	    while time.thread_time() < 2:
	        sum(range(1000))
	t = threading.Thread(target=work)
	t.start()
	print(t.native_id, flush=True)
	time.sleep(3000)
	END
	pid=$!
	while [ ! -s tid ]; do sleep 0.1; done
	record -q -F 99 -e cpu-clock -t "$(cat tid)" -o x.folded
	kill -0 $pid
	kill $pid
	grep -q . x.folded
}

@test "-u: the processes of a user" {
	need_events
	[ "$(id -u)" -eq 0 ] || skip "only root runs programs as somebody else"
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod 755 . .. ../.. 2>/dev/null || true
	start setpriv --reuid=65534 --regid=65534 --clear-groups "$shares" 60 1
	start "$(copy other)" 60 1
	record -q -F 997 -e cpu-clock -u 65534 -d 1 -o x.folded
	[[ " $(processes x.folded)" == *" shares "* ]]
	[[ " $(processes x.folded)" != *" other "* ]]
}

# A control group of events with the program $pid in it; skips where none can be made.
make_group()
{
	local mount

	mount=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { first = $2 } $3 == "cgroup2" { second = $2 }
		END { print first ? first : second }' /proc/self/mounts)
	[ -n "$mount" ] || skip "no control groups are mounted"
	group=$mount/flamefold-test-$$
	mkdir "$group" 2>/dev/null || { group=; skip "no control group can be made"; }
	echo "$pid" >"$group/cgroup.procs" || skip "no process can be put into a control group"
}

@test "--cgroup: by its directory or by its name below the hierarchy" {
	need_events system
	start "$(copy wanted)" 60 1
	make_group
	start "$(copy other)" 60 1
	for name in "$group" "${group##*/}" "/${group##*/}"; do
		record -q -F 997 -e cpu-clock --cgroup "$name" -d 0.5 -o x.folded
		[ "$(processes x.folded)" = "wanted " ] || { echo "$name: $(processes x.folded)"; false; }
		grep -q share_60 x.folded
	done
	record -q -F 997 -e cpu-clock -a --only "cgroup=^/${group##*/}\$" -d 0.5 -o x.folded
	[ "$(processes x.folded)" = "wanted " ]
}

@test "--cgroup: what is none is said" {
	run -1 record --cgroup no/such/group -d 1 -o x.svg
	[[ $output == *"no/such/group"* ]]
	run record --cgroup "$PWD" -d 1 -o x.svg
	[ "$status" -ne 0 ]
	[[ $output == *"$PWD"* ]]
}

@test "-a and -C: all processors, or those" {
	need_events system
	last=$(($(nproc) - 1))
	copy wanted >there
	# One on each: where others are busy, threads that may run anywhere may all be on one.
	start taskset -c 0 ./wanted 60 1
	start taskset -c "$last" ./wanted 60 1
	record -q -F 997 -e cpu-clock -a -d 1 -o all.data
	"$flamefold" fold -q all.data | grep -q '^wanted;.*share_60'
	record -q -F 997 -e cpu-clock -C 0 -d 1 -o one.data
	"$flamefold" fold -q --drop cpu=0 one.data >rest 2>&1 || true
	[ ! -s rest ] || grep -q 'no samples' rest
	[ "$last" -eq 0 ] || "$flamefold" fold -q --only cpu="$last" all.data | grep -q wanted
}

@test "without a target the whole system is sampled" {
	need_events system
	start "$(copy wanted)" 60 1
	record -q -F 997 -e cpu-clock -d 1 -o x.folded
	grep -q '^wanted;.*share_60' x.folded
}

@test "processors that are offline are named and left out" {
	need_events system
	run -0 record -F 997 -e cpu-clock -C 0,65000 -d 0.5 -o x.folded
	[[ $output == *"processor 65000 is not online and left out; online: "* ]]
	run -1 record -e cpu-clock -C 65000 -d 0.5 -o y.folded
	[[ $output == *"processor 65000 is not online; online: "* ]]
	[ ! -e y.folded ]
}

@test "a processor that goes offline ends nothing" {
	need_events system
	last=$(($(nproc --all) - 1))
	[ "$last" -gt 0 ] && [ -w "/sys/devices/system/cpu/cpu$last/online" ] || skip "no processor can be taken offline"
	[ "$(cat "/sys/devices/system/cpu/cpu$last/online")" = 1 ] || skip "it is offline"
	start "$(copy wanted)" 60 "$(nproc)"
	"$flamefold" record -q -F 997 -e cpu-clock -a -d 3 -o x.folded 2>err &
	recorder=$!
	sleep 1
	echo 0 >"/sys/devices/system/cpu/cpu$last/online" 2>/dev/null && gone=1 || gone=
	sleep 1
	[ -z "$gone" ] || echo 1 >"/sys/devices/system/cpu/cpu$last/online"
	wait $recorder
	grep -q '^wanted;' x.folded
	[ -n "$gone" ] || skip "the kernel keeps it online"
}

@test "processes that have gone are named" {
	need_events
	sleep 0 &
	gone=$!
	wait $gone
	run -1 record -p $gone -d 1 -o x.folded
	[[ $output == *"there is no process $gone"* ]]
	run -1 record -t $gone -d 1 -o x.folded
	[[ $output == *"there is no thread $gone"* ]]
	start "$(copy wanted)" 60 1
	run -0 record -F 997 -e cpu-clock -p "$gone,$pid" -d 0.5 -o x.folded
	[[ $output == *"there is no process $gone; the others are sampled"* ]]
	run -1 record -u no-such-user -d 1 -o x.folded
	[[ $output == *"there is no user 'no-such-user'"* ]]
}

# The recorder has events, and the process has worked since.
samples_taken()
{
	local hundredths

	ls -l "/proc/$recorder/fd" 2>/dev/null | grep -q perf_event || return 1
	hundredths=$(awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$pid/stat")
	until_true worked "$pid" $((hundredths + 50))
}

@test "Ctrl-C ends a run on others with a graph, and leaves them alone" {
	need_events
	start "$(copy wanted)" 60 1
	# What a shell starts in the background ignores it otherwise.
	env --default-signal=INT "$flamefold" record -q -F 997 -e cpu-clock -p "$pid" -o x.folded 3>&- &
	recorder=$!
	until_true samples_taken
	kill -INT $recorder
	wait $recorder
	grep -q '^wanted;.*share_60' x.folded
	kill -0 "$pid"
}

# Before a command: it has no capability.
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)

# Skips unless own processes can be sampled without rights, and the kernel cannot.
need_nobody()
{
	need_events
	[ "$(id -u)" -eq 0 ] || skip "only root runs programs as somebody else"
	command -v setpriv >/dev/null || skip "no setpriv"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "perf_event_paranoid is not 2"
	nobody=$(mktemp -d)
	cp "$flamefold" "$shares" "$nobody"
	chmod -R a+rwX "$nobody"
	cd "$nobody" || exit 1
}

@test "own processes are sampled without rights: user space, and said so" {
	need_nobody
	run -0 "${as_nobody[@]}" ./flamefold record -F 997 -e cpu-clock -o x.folded -- ./shares 1 1
	[[ $output == *"user space only; 'sudo sysctl kernel.perf_event_paranoid=1' allows it"* ]]
	between 50 "$(share share_60 x.folded)" 70
	run -1 grep 'entry_SYSCALL\|asm_sysvec' x.folded
	start "${as_nobody[@]}" ./shares 2 1
	"${as_nobody[@]}" ./flamefold record -q -F 997 -e cpu-clock -p "$pid" -o y.folded
	between 50 "$(share share_60 y.folded)" 70
	rm -rf "$nobody"
}

@test "what is not permitted is said with the command that permits it" {
	need_nobody
	for option in -a "-C 0" ""; do
		# shellcheck disable=SC2086 # a list
		run -1 "${as_nobody[@]}" ./flamefold record $option -d 1 -o x.folded
		[[ $output == *"not allowed to sample the whole system: kernel.perf_event_paranoid is 2"* ]]
		[[ $output == *"sudo sysctl kernel.perf_event_paranoid=0"* ]]
	done
	run -1 "${as_nobody[@]}" ./flamefold record -e cpu-clock:k -o x.folded -- ./shares 1 1
	[[ $output == *"sudo sysctl kernel.perf_event_paranoid=1"*"--all-user"* ]]
	start "$PWD/shares" 60 1
	run -1 "${as_nobody[@]}" ./flamefold record -p "$pid" -d 1 -o x.folded
	[[ $output == *"belongs to another user"*cap_perfmon* ]]
	run -1 "${as_nobody[@]}" ./flamefold record -e cpu-clock -m 64M -o x.folded -- ./shares 1 1
	[[ $output == *"kernel.perf_event_mlock_kb"* ]]
	[ ! -e x.folded ]
	rm -rf "$nobody"
}

# forbidden ERRNO COMMAND...: with a filter of system calls, as containers have, which
# answers perf_event_open() with that.
forbidden()
{
	python3 - "$@" <<-'END'
	import ctypes, errno, os, platform, struct, sys
	number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
	# load nr; if it is that: errno, else: allow (linux/filter.h, linux/seccomp.h)
	code = [(0x20, 0, 0, 0), (0x15, 0, 1, number),
	        (0x06, 0, 0, 0x00050000 | getattr(errno, sys.argv[1])), (0x06, 0, 0, 0x7fff0000)]
	program = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *c) for c in code))
	class Filter(ctypes.Structure):
	    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
	libc = ctypes.CDLL(None, use_errno=True)
	libc.prctl(38, 1, 0, 0, 0)
	if libc.prctl(22, 2, ctypes.byref(Filter(len(code), ctypes.addressof(program)))) < 0:
	    sys.exit(99)
	os.execvp(sys.argv[2], sys.argv[2:])
	END
}

@test "a container that forbids events is told from a kernel without any" {
	command -v python3 >/dev/null || skip "no python3"
	for errno in EPERM ENOSYS; do
		run forbidden $errno "$flamefold" record -e cpu-clock -o x.folded -- true
		[ "$status" -ne 99 ] || skip "system calls cannot be filtered here"
		[ "$status" -eq 1 ]
		[[ $output == *"not allowed in this container"*"--cap-add PERFMON"*seccomp* ]] || { echo "$errno: $output"; false; }
	done
}

@test "several targets at once are refused" {
	for words in "-a -p 1" "-p 1 -t 1" "-u root -a" "--cgroup x -p 1"; do
		# shellcheck disable=SC2086 # a list
		run -2 record $words -d 1 -o x.svg
	done
	[ ! -e x.svg ]
}
