#!/usr/bin/env bats
# A chart of threads that run one after the other, beside what they say themselves, and beside the switches
# that perf script prints.
bats_require_minimum_version 1.5.0

load events
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_mode_events
	command -v perf >/dev/null || skip "no perf"
	build_program turns
}

# check.py: is each span of compute() in a turn of its thread, but for a sampling period at either end, and
# what the thread was known to be on a processor what switches say, to the ns?
check()
{
	python3 - "$@" <<-'END'
		import json, re, sys

		period, slack = 1001001, 200000
		kind, trace, told = sys.argv[1:]
		spans = {}
		for e in json.load(open(trace), parse_float=str, parse_int=str)["traceEvents"]:
		    if e["ph"] == "X":
		        whole, _, part = e["ts"].partition(".")
		        begin = int(whole) * 1000 + int((part + "000")[:3])
		        whole, _, part = e["dur"].partition(".")
		        spans.setdefault(int(e["tid"]), []).append(
		            (begin, begin + int(whole) * 1000 + int((part + "000")[:3]), e["name"], e["cat"]))
		if kind == "turns":
		    turns = {}
		    for line in open(told):
		        tid, begin, end = map(int, line.split())
		        turns.setdefault(tid, []).append((begin, end))
		    found = 0
		    # The chart begins at its first moment: the clock's is what makes the first span fit.
		    first = min(b for t in turns.values() for b, _ in t)
		    zero = min(b for tid in turns for b, _, name, _ in spans[tid] if name.startswith("compute"))
		    for tid, list in turns.items():
		        computed = [s for s in spans[tid] if s[2].startswith("compute")]
		        for begin, end, _, _ in computed:
		            begin, end = begin - zero + first, end - zero + first
		            near = 2 * period + slack
		            assert any(b - near <= begin and end <= e + near for b, e in list), (tid, begin, end, list)
		            found += end - begin
		        for b, e in list:
		            assert any(begin - zero + first < e and end - zero + first > b for begin, end, _, _ in computed), (tid, b, e)
		    # What they had of a processor is not more than their turns.
		    assert found <= sum(e - b + 2 * period for t in turns.values() for b, e in t), found
		else:
		    # By thread, from switch to switch.
		    on, ran = {}, {}
		    for line in open(told):
		        m = re.search(r"(\d+)\.(\d{9}): .*prev_pid=(\d+).*next_pid=(\d+)", line)
		        at = int(m[1]) * 10**9 + int(m[2])
		        prev, next = int(m[3]), int(m[4])
		        if prev in on:
		            ran.setdefault(prev, []).append((on.pop(prev), at))
		        on[next] = at
		    on_cpu = {}
		    for tid, list in spans.items():
		        top, until = [], -1
		        for begin, end, _, cat in sorted(list, key=lambda s: (s[0], -s[1])):
		            if begin < until or cat == "off-cpu":
		                continue
		            until = end
		            # What follows at once is the same time on the processor.
		            if top and top[-1][1] == begin:
		                top[-1][1] = end
		            else:
		                top.append([begin, end])
		        on_cpu[tid] = top
		    zeros = {}
		    for tid, list in ran.items():
		        for begin, end in list if tid and tid in on_cpu else []:
		            for b, e in on_cpu[tid]:
		                if e - b == end - begin:
		                    zeros[begin - b] = zeros.get(begin - b, 0) + 1
		    zero = max(zeros, key=zeros.get)
		    compared = 0
		    for tid, list in ran.items():
		        for begin, end in list if tid and tid in on_cpu else []:
		            assert [begin - zero, end - zero] in on_cpu[tid], (tid, begin - zero, end - zero)
		            compared += 1
		    assert compared > 30, compared
	END
}

@test "what samples alone tell of turns is right within a sampling period" {
	perf record -q -k CLOCK_MONOTONIC -e cpu-clock -F 999 -g -o x.data "$BATS_FILE_TMPDIR/turns" >told
	"$flamefold" export -q --chart -f chrome -o x.json x.data
	check turns x.json told
}

@test "what switches tell is what perf script prints of them" {
	perf record -q -e cpu-clock/freq=999/ -e sched:sched_switch -g -a -C 0 -o x.data -- taskset -c 0 "$BATS_FILE_TMPDIR/turns" >told
	"$flamefold" export -q --chart -f chrome -o x.json x.data
	perf script --ns -F time,event,trace -i x.data 2>perf.err | grep sched_switch >switches
	check switches x.json switches
}

@test "a live chart has what threads wait in, and says when they had a processor, as what it saves does" {
	for events in '' '-e cpu-clock' '-e cpu-clock,sched:sched_switch'; do
		# shellcheck disable=SC2086
		"$flamefold" record -q -F 999 $events -g fp --save x.data --chart -f chrome -o x.json -- "$BATS_FILE_TMPDIR/turns" >told
		check turns x.json told
		# All of them, and each with the stack that its thread went with: turns wait for a lock.
		"$flamefold" info -f json x.data >info
		[ "$(jq '[.events[] | select(.name == "sched:sched_switch") | .period] | unique == [1]' info)" = true ]
		[ "$(jq '.records.SWITCH > 30' info)" = true ]
		waits=$(jq '[.traceEvents[] | select(.cat == "off-cpu")] | (map(select(.name == "[waiting]")) | length)
			- 2 * (map(select(.name | test("futex_wait|schedule"))) | length)' x.json)
		[ "$waits" -lt 0 ]
		"$flamefold" export -q --chart -f chrome x.data >y.json
		for file in x y; do
			jq -c '.traceEvents[] | select(.name == "[waiting]") | [.tid, .ts, .dur]' $file.json >$file.waits
		done
		cmp x.waits y.waits
		rm x.data
	done
	run -0 "$flamefold" record --chart -g fp -F 999 --print-perf -p 1
	[ "$output" = "perf record --call-graph fp --switch-events -e cycles/freq=999/ -e sched:sched_switch -p 1" ]
}
