#!/usr/bin/env bats
# What the user waited, of a program that says so itself: recorded by perf, and live. It keeps to processor 0,
# for a test counts what happens there.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program waits
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	program=$BATS_FILE_TMPDIR/waits
}

need_switches()
{
	need_events system
	[ "$(id -u)" -eq 0 ] || skip "tracepoints with their fields are for root"
	need_tracefs
}

# recorded_by_perf OPTION...: x.data and said
recorded_by_perf()
{
	command -v perf >/dev/null || skip "no perf"
	perf record -q -o x.data "$@" -- taskset -c 0 "$program" >said 2>err || skip "perf does not record this here: $(tail -n 1 err)"
}

# weight TEXT FOLDED: of the program's lines with the text.
weight()
{
	awk -v text="$1" '/^waits;/ && index($0, text) { sum += $NF } END { printf "%d\n", sum }' "$2"
}

# part NAME: what the program said of it
part()
{
	awk -v name="$1" '$1 == name { print $2 }' said
}

# about WANTED VALUE: in hundredths of the whole, to 5
about()
{
	near "$(awk -v n="$1" -v all="$(part all)" 'BEGIN { print 100 * n / all }')" \
		"$(awk -v n="$2" -v all="$(part all)" 'BEGIN { print 100 * n / all }')" 5
}

# all_parts FOLDED: each is what the program said, with what it waits for
all_parts()
{
	local name

	for name in alone rest together; do
		about "$(part $name)" "$(weight ";$name" "$1")"
	done
}

@test "records of switches: all of the time is there" {
	need_events
	recorded_by_perf -F 997 -e cpu-clock --switch-events -g
	"$flamefold" fold -q --mode wall --stats x.data >x.folded 2>stats
	grep -q '^  repaired *0$' stats
	about "$(part all)" "$(weight ';' x.folded)"
	about "$(part rest)" "$(weight '[waiting]' x.folded)"
	[ "$(weight ';alone' x.folded)" -gt 0 ]
	[ "$(weight ';together' x.folded)" -gt 0 ]
}

@test "switches of the scheduler, of a whole processor: all of the time is there, by what was waited in" {
	need_switches
	recorded_by_perf -a -C 0 -e cpu-clock/freq=997/ -e sched:sched_switch -g
	"$flamefold" fold -q --mode wall --only comm=waits x.data >x.folded
	all_parts x.folded
}

@test "live: a command" {
	need_switches
	record -q --mode wall -F 997 --save x.data --stats -o x.folded -- taskset -c 0 "$program" >said 2>stats
	grep -q '^  repaired *0$' stats
	all_parts x.folded
	# what was saved is drawn the same
	"$flamefold" fold -q --mode wall -o y.folded x.data
	[ "$(weight ';' x.folded)" -eq "$(weight ';' y.folded)" ]
	[ "$(weight ';rest;' x.folded)" -eq "$(weight ';rest;' y.folded)" ]
}

@test "live: a process that runs already, and windows" {
	need_switches
	mkfifo begin
	taskset -c 0 "$program" 300 - <begin >said &
	pid=$!
	exec 4>begin
	record -q --mode wall -F 997 -p $pid --save x.data -o x.folded 4>&- &
	recorder=$!
	until_true grep -q . x.data
	exec 4>&-
	wait $recorder
	wait $pid
	about "$(part rest)" "$(weight ';rest;' x.folded)"
	about "$(part together)" "$(weight ';together' x.folded)"
	record -q --mode wall -F 997 --every 0.2 --window -o 'w%t.folded' -- taskset -c 0 "$program" >said
	cat w*.folded >x.folded
	all_parts x.folded
}

@test "live: without permission for the scheduler's events" {
	need_events
	[ "$(id -u)" -eq 0 ] || skip "only root can be somebody else"
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod 777 . && cp "$flamefold" "$program" .
	chmod 755 "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR" 2>/dev/null || true
	setpriv --reuid=65534 --regid=65534 --clear-groups ./flamefold record -q --mode wall -F 997 -o x.folded \
		-- taskset -c 0 ./waits >said 2>err || skip "events are not permitted to others: $(tail -n 1 err)"
	about "$(part all)" "$(weight ';' x.folded)"
	about "$(part rest)" "$(weight '[waiting]' x.folded)"
}

@test "--print-perf: what perf records by that line is drawn" {
	need_switches
	run -0 "$flamefold" record --mode wall -g fp -F 997 --print-perf -p 1
	[ "$output" = "perf record --call-graph fp --switch-events -e cpu-clock/freq=997/ -e sched:sched_switch -p 1" ]
	run -0 "$flamefold" record --mode wall-instant -g fp -e task-clock -c 1000000 --print-perf -- true
	[ "$output" = "perf record --call-graph fp --switch-events -e task-clock/period=1000000/ -- true" ]
	run -2 "$flamefold" record --mode wall -G some
	[[ $output == *"--only cgroup=some"* ]]
	command -v perf >/dev/null || skip "no perf"
	line=$("$flamefold" record --mode wall -g fp -F 997 --print-perf -- taskset -c 0 "$program")
	eval "${line/perf record/perf record -q -o x.data}" >said || skip "perf does not record this here"
	"$flamefold" fold -q --mode wall -o x.folded x.data
	all_parts x.folded
}

@test "wall-instant is what perf report --latency computes" {
	need_events
	recorded_by_perf -F 997 -e cpu-clock --switch-events -g
	perf script --show-switch-events --show-task-events -F comm,pid,tid,time,event,period,ip,sym -i x.data 2>/dev/null |
		python3 "$BATS_TEST_DIRNAME/perf_latency.py" "$(getconf _NPROCESSORS_CONF)" >expected
	[ -s expected ]
	"$flamefold" fold -q --mode wall-instant x.data |
		awk '{ comm = $0; sub(/;.*/, "", comm); sum[comm] += $NF } END { for (comm in sum) printf "%s %.3f\n", comm, sum[comm] }' |
		sort >found
	LC_ALL=C sort expected | diff - found
}
