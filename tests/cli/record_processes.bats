#!/usr/bin/env bats
# flamefold record: what processes do while they are sampled, and what is gone when names are
# looked up.
bats_require_minimum_version 1.5.0

load events
load sampled
load m32

setup_file()
{
	local name

	build_program shares
	build_program forks
	build_program last_thread
	build_program plugins -ldl
	for name in red green blue; do
		build_named plugin plugin_$name -shared -fPIC
	done
	build_named execs exec_odd
	build_named execs exec_even
}

# build_named SOURCE NAME OPTION...: tests/live/SOURCE.c with its function called NAME.
build_named()
{
	local source=$1 name=$2

	shift 2
	"${CC:-cc}" -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wall -Wextra -DNAME="$name" "$@" \
		-o "$BATS_FILE_TMPDIR/$name" "$root/tests/live/$source.c"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	bin=$BATS_FILE_TMPDIR
	started=
}

teardown()
{
	end_started
}

# What one sees of the same program with perf record and flamefold on its file.
perf_fold()
{
	command -v perf >/dev/null || skip "no perf"
	perf record -q -N -F "${rate:-997}" -e cpu-clock -g -o perf.data -- "$@" >/dev/null 2>&1
	"$flamefold" fold -q -o perf.folded perf.data
}

# unnamed FOLDED: percent of the weight that has a frame without a name.
unnamed()
{
	share '[unknown]' "$1"
}

# bats test_tags=long
@test "a thousand short processes a second are named as well as in perf's file" {
	need_events
	# A sample a millisecond would be in step with a process a millisecond.
	rate=3989
	record -q -F "$rate" -e cpu-clock -o live.folded -- "$bin/forks" 4 1000 >count
	perf_fold "$bin/forks" 4 1000
	# Both as programs of their own and as children.
	grep -q '^exe;.*child_work' live.folded
	grep -q '^forks;.*child_work' live.folded
	between 30 "$(share child_work live.folded)" 100
	near "$(share child_work perf.folded)" "$(share child_work live.folded)" 15
	most=$(awk -v theirs="$(unnamed perf.folded)" 'BEGIN { print theirs + 5 }')
	between 0 "$(unnamed live.folded)" "$most"
}

@test "short processes of the whole system are named, too" {
	need_events system
	record -q -F 997 -e cpu-clock -a -o live.folded -- "$bin/forks" 2 1000 >count
	grep -q '^exe;.*child_work' live.folded
	grep -q '^forks;.*child_work' live.folded
}

# nameless FOLDED: how many stacks have a number for the name of a process.
nameless()
{
	grep -c '^:[0-9]' "$1" || true
}

@test "short processes that run when sampling begins have names" {
	need_events system
	"$bin/forks" 60 1000 >/dev/null 3>&- &
	started=$!
	for target in -a -a -a "-p$started" "-p$started" "-p$started"; do
		# Where much else runs, it may not have had its turn.
		for _ in {1..20}; do
			record -q -F 1997 -e cpu-clock "$target" -d 0.5 -o live.folded
			[ "$(nameless live.folded)" -eq 0 ]
			grep -q '^forks;.*child_work' live.folded && continue 2
		done
		return 1
	done
}

@test "shared objects that come and go are named after they are deleted" {
	need_events
	record -q -F 997 -e cpu-clock -o live.folded -- "$bin/plugins" 3 "$bin"/plugin_*
	[ -z "$(ls copy-* 2>/dev/null)" ]
	for name in red green blue; do
		between 10 "$(share ";plugin;plugin_$name" live.folded)" 50
	done
	# Of all that worked in a plugin, nearly all has its name.
	between 80 "$(named_plugins live.folded)" 100
}

# named_plugins FOLDED: percent of what was done in plugins that has its name.
named_plugins()
{
	awk '/copy-|;plugin;/ { all += $NF } /;plugin;plugin_/ { named += $NF } END { print 100 * named / all }' "$1"
}

# bats test_tags=long
@test "of more deleted objects than files may be open, the oldest are named and let go" {
	need_events
	(
		ulimit -n 64
		record -q -F 997 -e cpu-clock -o live.folded -- "$bin/plugins" 4 "$bin"/plugin_* 2>err
	)
	between 75 "$(named_plugins live.folded)" 100
}

@test "a chain of programs in one process is told apart" {
	need_events
	record -q -F 997 -e cpu-clock -o live.folded -- "$bin/exec_odd" 60 "$bin/exec_odd" "$bin/exec_even"
	[ -z "$(ls exec-* 2>/dev/null)" ]
	odd=$(share ';exec_odd' live.folded)
	even=$(share ';exec_even' live.folded)
	between 60 "$(awk -v a="$odd" -v b="$even" 'BEGIN { print a + b }')" 100
	near "$odd" "$even" 15
	# Never one with the code of the other in it.
	run -1 grep 'exec_odd.*exec_even\|exec_even.*exec_odd' live.folded
	grep -q '^exec-[0-9]*-[0-9]*;.*exec_even' live.folded
}

# runs NAME: what was started is that program by now.
runs()
{
	[ "$(readlink "/proc/$started/exe")" = "$PWD/$1" ]
}

@test "a program that was deleted before sampling began is named" {
	need_events
	cp "$bin/shares" gone
	./gone 2 2 >/dev/null 3>&- &
	started=$!
	until_true runs gone
	rm gone
	record -q -F 997 -e cpu-clock -p "$started" -o live.folded
	between 50 "$(share share_60 live.folded)" 70
	grep -q '^gone;' live.folded
}

# bats test_tags=long
@test "a program that was replaced before sampling began is named by what it runs" {
	need_events
	cp "$bin/shares" program
	./program 2 2 >/dev/null 3>&- &
	started=$!
	until_true runs program
	cp "$bin/forks" new
	mv new program
	record -q -F 997 -e cpu-clock -p "$started" -o live.folded
	between 50 "$(share share_60 live.folded)" 70
	! grep -q child_work live.folded
}

@test "a program in a container that is gone at the end is named" {
	need_events system
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace can be made"
	mkdir place
	# shellcheck disable=SC2016 # for sh
	record -q -F 997 -e cpu-clock -o live.folded -- unshare -m sh -c 'mount -t tmpfs none place &&
		cp "$0" place/inside && place/inside 1.5 1' "$bin/shares" >/dev/null
	[ ! -e place/inside ]
	between 50 "$(share share_60 live.folded)" 75
	grep -q '^inside;.*share_60' live.folded
}

named()
{
	grep -qs 'worker bee' "/proc/$started/task/"*/comm
}

@test "threads have the names that they had before" {
	need_events
	command -v python3 >/dev/null || skip "no python3"
	cat >named.py <<-'END'
	import ctypes, threading
	def work():
	    ctypes.CDLL(None).prctl(15, b"worker bee", 0, 0, 0)
	    while True:
	        sum(range(1000))
	threading.Thread(target=work, daemon=True).start()
	threading.Event().wait(3000)
	END
	python3 named.py 3>&- &
	started=$!
	until_true named
	record -q -F 997 -e cpu-clock -p "$started" -d 1 -o live.folded
	between 90 "$(share 'worker_bee;' live.folded)" 100
}

# of_last FILE: percent of its weight in the thread that goes on alone.
of_last()
{
	share ';outlive;work' "$1"
}

@test "a process whose first thread has ended keeps its names, live and in each file" {
	need_events
	record -q -F 199 -e cpu-clock --switch-output=2 --save part-%t.data -o live.folded -- "$bin/last_thread" 6
	between 90 "$(of_last live.folded)" 100
	set -- part-*.data
	[ $# -ge 3 ]
	"$flamefold" fold -q -o second.folded "$2"
	between 90 "$(of_last second.folded)" 100
}

# What JavaScript calls its functions in perf-PID.map, with a loop that is easily found.
node_program()
{
	cat >program.js <<-'END'
	function easilyFound(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }
	const begun = process.cpuUsage();
	while (process.cpuUsage(begun).user < Number(process.argv[2]) * 1e6) easilyFound(1e6);
	END
}

@test "Node: functions of JavaScript are named, during the run and when it has ended" {
	need_events
	command -v node >/dev/null || skip "no node"
	node_program
	# shellcheck disable=SC2016 # for sh
	record -q -F 997 -e cpu-clock -o live.folded -- sh -c 'echo $$ >pid
		exec node --perf-basic-prof --interpreted-frames-native-stack program.js 3'
	rm -f "/tmp/perf-$(cat pid).map"
	between 60 "$(share easilyFound live.folded)" 100
	node --perf-basic-prof program.js 60 3>&- &
	started=$!
	until_true worked "$started" 100
	record -q -F 997 -e cpu-clock -p "$started" -d 1 -o attached.folded
	between 60 "$(share easilyFound attached.folded)" 100
	rm -f "/tmp/perf-$started.map"
}

@test "Node: the map of a container that is gone at the end is read" {
	need_events system
	command -v node >/dev/null || skip "no node"
	[ "$(id -u)" -eq 0 ] && unshare -mpf true 2>/dev/null || skip "no namespaces can be made"
	node_program
	mkdir place
	# PATH may lead to /tmp, which is another then.
	record -q -F 997 -e cpu-clock -o live.folded -- unshare -mpf sh -c 'mount -t tmpfs none place &&
		cp program.js place && mount --bind place /tmp && exec "$0" --perf-basic-prof /tmp/program.js 4' \
		"$(realpath "$(command -v node)")"
	between 60 "$(share easilyFound live.folded)" 100
}

# named_in_private COMMAND...: in each of five runs no code that a runtime made is without its name. The
# recorder may be kept from looking for as long as the program lives: up to three tries each.
named_in_private()
{
	local run try

	for run in 1 2 3 4 5; do
		for try in 1 2 3 no; do
			[ $try != no ] || { echo "run $run:"; head -n 5 live.folded; return 1; }
			record -q -F 1997 -e cpu-clock -o live.folded -- "$@" <program.js || return 1
			[ "$(share '[perf-' live.folded)" != 0.00 ] || break
		done
	done
}

@test "Node: the map in a private directory that is gone in no time is read" {
	need_events system
	command -v node >/dev/null || skip "no node"
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no namespaces can be made"
	node_program
	node=$(realpath "$(command -v node)")
	for seconds in 0.1 0.3; do
		named_in_private unshare -m sh -c "mount -t tmpfs none /tmp && exec $node --perf-basic-prof - $seconds"
		grep -q easilyFound live.folded
	done
}

@test "a map that a short-lived program writes in a private directory as its last deed is read" {
	need_events system
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "no namespaces can be made"
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "no code for this machine" ;; esac
	build_program private_map
	: >program.js
	named_in_private "$bin/private_map" 0.3
	between 60 "$(share private_code live.folded)" 100
}

# named_at_large COMMAND...: the same of a process that the recorder has not started.
named_at_large()
{
	local try

	for try in 1 2 3; do
		record -q -a -F 997 -e cpu-clock -o live.folded -- sh -c 'sleep 0.5; "$@"; sleep 0.3' sh "$@" || return 1
		! grep -q ';private_code' live.folded || return 0
	done
	return 1
}

@test "the map of a container that lives under a second is read, of its own pids and of the whole system" {
	need_events system
	[ "$(id -u)" -eq 0 ] && unshare -mpf true 2>/dev/null || skip "no namespaces can be made"
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "no code for this machine" ;; esac
	build_program private_map
	: >program.js
	for seconds in 0.05 0.3; do
		named_in_private unshare -mpf "$bin/private_map" $seconds
		grep -q ';private_code' live.folded
	done
	named_at_large unshare -mpf "$bin/private_map" 0.3
}

@test "Node: jitdumps are followed" {
	need_events
	command -v node >/dev/null || skip "no node"
	node_program
	record -q -F 997 -e cpu-clock -o live.folded -- node --perf-prof program.js 3
	between 60 "$(share easilyFound live.folded)" 100
}

@test "a jitdump that is empty when it is mapped is read when it has a header" {
	need_events
	case $(uname -m) in x86_64 | aarch64) ;; *) skip "no code for this machine" ;; esac
	build_program late_dump
	record -q -F 997 -e cpu-clock -o live.folded -- "$bin/late_dump" 1.5
	between 80 "$(share ';late_code' live.folded)" 100
}

@test "what a program of 32 bits ran is named" {
	need_events
	need_32_bits
	build_program shares -m32
	record -q -F 997 -e cpu-clock -o live.folded -- "$bin/shares" 1 1 >/dev/null
	between 50 "$(share share_60 live.folded)" 70
}
