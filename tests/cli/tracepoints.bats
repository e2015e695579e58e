#!/usr/bin/env bats
# Fields of tracepoints, from all forms of input and live, beside those that others see.
bats_require_minimum_version 1.5.0

load events

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	tools=$BATS_TEST_DIRNAME/../tracepoints
	fields=$(dirname "$flamefold")/tests/tracepoints/fields
	formats=/sys/kernel/tracing/events
}

# recorded OPTION...: perf's recording of switches, of a few processes that take turns.
recorded()
{
	need_events system
	need_tracefs
	need_fields_by_perf
	perf record -q -e sched:sched_switch -a "$@" -- \
		sh -c 'for i in 1 2 3 4 5 6; do (sleep 0.02) & done; wait' 2>err || { cat err; false; }
}

# same FILE: the fields are those that perf script prints.
same()
{
	"$fields" samples "$1" prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio >ours
	grep -q 'prev_pid=.*next_pid=' ours
	# Its letters of states are those of its own kernel: compared are those that mean the same everywhere.
	sed -E 's/^([0-9]+\.[0-9]+) [^ ]* (.*) prev_state=([0-9]*) /\1 \2 prev_state=\3 ==> /' ours |
		sed -E 's/prev_state=0 /prev_state=R /; s/prev_state=1 /prev_state=S /; s/prev_state=2 /prev_state=D /' |
		sort >ours.sorted
	perf script --ns -i "${2:-$1}" -F time,trace 2>/dev/null | sed -E 's/^ *([0-9]+\.[0-9]+): +/\1 /' | sort >perfs.sorted
	if ! grep -q ' prev_comm=' perfs.sorted; then # perf without libtraceevent's texts of its own
		sed -E 's/ ([^ ].*):(-?[0-9]+) \[([0-9]+)\] ([A-Za-z+|]+) ==> (.*):(-?[0-9]+) \[([0-9]+)\] *$/ prev_comm=\1 prev_pid=\2 prev_prio=\3 prev_state=\4 ==> next_comm=\5 next_pid=\6 next_prio=\7/' \
			perfs.sorted >p && mv p perfs.sorted
	fi
	grep -E 'prev_state=[RSD] ' ours.sorted >a
	grep -E 'prev_state=[RSD] ' perfs.sorted >b
	[ "$(wc -l <a)" -gt 10 ]
	diff a b
}

@test "all formats of this kernel have the fields that another reader finds" {
	need_tracefs
	find $formats -mindepth 3 -name format >list
	xargs "$fields" formats <list >ours
	xargs "$tools/formats" <list >others
	[ "$(wc -l <ours)" -gt 100 ]
	diff ours others
}

@test "fields of a file are perf script's" {
	recorded -o x.data
	same x.data
}

@test "fields of a compressed file are perf script's" {
	recorded -z -o x.data
	same x.data
}

@test "fields of a pipe are perf script's" {
	recorded -o - >x.pipe
	"$fields" samples x.pipe prev_pid next_pid | grep -q 'prev_pid=.*next_pid='
	same x.pipe
}

@test "fields of a directory are perf script's" {
	recorded --threads -o x.data
	[ -d x.data ]
	same x.data
}

@test "what -R --save writes has the fields that perf script prints, and without -R none" {
	need_events system
	need_tracefs
	command -v perf >/dev/null || skip "no perf"
	"$flamefold" record -q -R -e sched:sched_switch -a -d 0.5 -f folded -o live --save x.data 2>err || { cat err; false; }
	same x.data
	"$flamefold" record -q -e sched:sched_switch -a -d 0.2 -f folded -o live --save y.data
	"$flamefold" info --format=json y.data | jq -e '.events[0].fields | index("RAW") | not'
}

@test "fields are read live, and prev_pid is who the sample is of" {
	need_events system
	need_tracefs
	"$fields" live sched:sched_switch prev_comm prev_pid next_pid >ours
	[ "$(wc -l <ours)" -eq 100 ]
	[ "$(grep -c 'prev_comm=.*prev_pid=[0-9].*next_pid=[0-9]' ours)" -eq 100 ]
}

@test "info --format=json lists the fields of tracepoints" {
	recorded -o x.data
	"$flamefold" info --format=json x.data >info
	jq -r '.events[0].raw_fields[] | "\(.name) \(.offset) \(.size) \(if .signed then 1 else 0 end)"' info >ours
	"$tools/formats" $formats/sched/sched_switch/format | cut -d' ' -f3- >others
	diff ours others
	jq -e '.events[0].raw_fields[] | select(.name == "prev_comm") | .text and .array and (.dynamic | not)' info
}
