#!/usr/bin/env bats
# What users of perf, FlameGraph, inferno, bcc and other profilers type: each line does what
# they mean, or is answered with what does it.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	build_program shares
}

setup()
{
	shares=$BATS_FILE_TMPDIR/shares
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	# Two processes on two processors, a tenth of a second between samples.
	"$root/tests/perfdata/build" -o perf.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=sh time=1
	comm pid=2 name=a.b time=1
	comm pid=3 name=axb time=1
	repeat i 10
	sample pid=1 time={1000000000 + 100000000 * i} cpu={i % 2} ip=0x10 period=10 chain=U,0x10,0x20
	sample pid=2 time={1000000000 + 100000000 * i} cpu=7 ip=0x10 period=1 chain=U,0x10,0x20
	sample pid=3 time={1000000000 + 100000000 * i} cpu=7 ip=0x10 period=1 chain=U,0x10,0x20
	end
	END
	# A browser that leaves a word behind, and one that stays.
	cat >browser <<-'END'
	#!/bin/sh
	echo "$1" >shown.part && mv shown.part shown
	END
	chmod +x browser
}

# same WORDS = WORDS: both end well with the same output, which is not empty.
same()
{
	local typed=() wanted

	while [ "$1" != = ]; do
		typed+=("$1")
		shift
	done
	shift
	wanted=$("$flamefold" "$@" 2>/dev/null) || { echo "fails: $*"; return 1; }
	run --separate-stderr "$flamefold" "${typed[@]}"
	[ "$status" -eq 0 ] || { echo "${typed[*]}: $status: $stderr"; return 1; }
	[ -n "$output" ] && [ "$output" = "$wanted" ] || { echo "${typed[*]}: $output"; return 1; }
}

# answers PATTERN WORDS: exit 2, nothing on standard output, one line in which the pattern is.
answers()
{
	local pattern=$1

	shift
	run --separate-stderr "$flamefold" "$@"
	[ "$status" -eq 2 ] || { echo "$*: exit $status: $stderr"; return 1; }
	[ -z "$output" ]
	# shellcheck disable=SC2154 # run sets it
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "flamefold: "*"$pattern"* ]] || { echo "$*: $stderr"; return 1; }
}

# samples WORDS: a run that ends well and leaves stacks, those of the program or of the machine.
samples()
{
	timeout 60 "$flamefold" record -q -o out.folded "$@" >/dev/null 2>err ||
		{ echo "$*: $?: $(cat err)"; return 1; }
	[ -s out.folded ] || { echo "$*: nothing"; return 1; }
	mv out.folded last.folded
}

# wait_for FILE: until it is there.
wait_for()
{
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		[ -s "$1" ] && return 0
		sleep 0.1
	done
	echo "no $1"
	return 1
}

@test "perf report and perf script: words that choose samples" {
	same fold -i perf.data = fold perf.data
	same fold --input=perf.data = fold perf.data
	same graph -i perf.data -o - = graph -o - perf.data
	same fold -iperf.data in.folded = fold perf.data in.folded
	same fold --comm sh = fold --only 'comm=^sh$'
	same fold --comms=sh,a.b = fold --only 'comm=^sh$' --only 'comm=^a\.b$'
	same fold -p 1,2 = fold --only pid=1,2
	same fold -p2 = fold --only pid=2
	same fold --tids 3 = fold --only tid=3
	same fold -C 7 = fold --only cpu=7
	same fold --cpu=0-1 = fold --only cpu=0-1
	same fold --time 10%-50% = fold --only time=10%-50%
	same fold --pid --tid = fold --tid
	answers "'--only pid=N' keeps one process" fold --pid 1
	answers "'--only tid=N' keeps one thread" fold --tid=1 -i perf.data
	answers "--only dso=PATTERN" fold --dsos libc.so.6
	answers "--only symbol=PATTERN" graph -S main
	answers "--only symbol=PATTERN" graph --symbol=main
}

@test "perf report and perf script: words about the output" {
	same fold --no-children -F +hz -i perf.data = fold
	same fold -F comm,tid,time,event,ip,sym,dso = fold
	same fold --max-stack 1 --no-inline --ns = fold --max-stack 1
	same fold --no-demangle = fold --demangle=no
	answers "'flamefold top' prints a table of functions" graph --stdio
	answers "'flamefold top' prints a table of functions" --stdio -i perf.data
	answers "--count=samples" graph -n
	answers "order of their names" graph --sort comm,dso
	answers "order of their names" graph -s sym
	answers "'flamefold info' tells what is in a recording" fold --header
	answers "'record -g HOW' chooses" graph -g caller
	answers "--inverted draws the root at the top" graph -G
	answers "--minwidth=1%" graph --percent-limit 1
	answers "perf inject --itrace" fold --itrace=i1000
	answers "'flamefold top' prints a table of functions" report --stdio
	answers "'flamefold fold' prints" script
	answers "'perf stat' counts" stat ls
	answers "--srcline" annotate main
}

@test "stackcollapse-perf.pl: all its options" {
	local option

	for option in --pid --tid --kernel --jit --all --addrs --inline --context --srcline; do
		run --separate-stderr "$flamefold" fold "$option" perf.data
		[ "$status" -eq 0 ] && [ -n "$output" ] || { echo "$option: $stderr"; return 1; }
	done
	same fold --event-filter=cycles = fold --event cycles
	answers "'flamefold fold' prints folded stacks" stackcollapse-perf.pl --kernel
}

@test "flamegraph.pl and inferno: options of the picture" {
	same --colors java --title T --width 900 --inverted --hash in.folded = \
		graph --colors=java --title=T --width=900 --inverted --hash in.folded
	same --image-width 900 --min-width 1 --font-size 10 --font-type Arial --count-name ms in.folded = \
		graph --width=900 --minwidth=1 --fontsize=10 --fonttype=Arial --countname=ms in.folded
	same --frame-height=20 --name-type=Frame: --palette hot --deterministic in.folded = \
		graph --height=20 --nametype=Frame: --colors=hot in.folded
	same --flame-chart in.folded = graph --flamechart in.folded
	same --nthreads 1 --reverse --bgcolors=grey in.folded = graph --threads=1 --reverse --bgcolors=grey in.folded
	same --no-javascript in.folded = graph --no-js in.folded
	same fold --nthreads=2 in.folded = fold in.folded
	answers "cannot be cut at a function yet" fold --skip-after main in.folded
	answers "--flamechart keeps the order" graph --no-sort in.folded
	answers "--colors and --bgcolors" graph --search-color red in.folded
	answers "'flamefold graph' draws" flamegraph.pl in.txt
	answers "'flamefold fold' prints" collapse-perf
}

@test "pprof and async-profiler" {
	same fold -focus=a in.folded = fold --only symbol=a in.folded
	same fold --exclude b in.folded = fold --drop symbol=b in.folded
	same -svg in.folded = graph -f svg in.folded
	same --collapsed perf.data = fold perf.data
	answers "no server" -http=:8080 perf.data
	answers "'flamefold top' prints a table of functions" -top perf.data
	answers "rsvg-convert" -png perf.data
	answers "takes svg, html, folded or what 'export' writes" record -e cpu-clock -d 30 -f out.jfr true
	answers "use -p 1234" record -d 30 -o out.svg 1234
}

@test "bcc: its tools and their clusters of letters" {
	answers "'flamefold record --mode offcpu -a -d 10'" offcputime -df -p 1 10
	answers "'flamefold record --mode offcpu -a -d 10'" offcputime-bpfcc -df 10
	answers "'flamefold record --mode offwake -a -d 10'" offwaketime -df 10
	answers "'flamefold record --mode wakeup -a -d 10'" wakeuptime.py -df 10
	answers "'flamefold record -a -d 10'" profile -F 99 -adf 10
	answers "'record -a -d 10 -f folded'" record -F 99 -adf 10
	answers "'record -a -d 10 -f folded'" record -df 10
	answers "'-d 10 -f folded'" record -d -f 10
	answers "--all-user" record -U -p 1
	answers "-e EVENT -c 1" stackcount c:malloc
}

@test "perf record --off-cpu is the mode, which opens the events it needs" {
	answers "a mode opens the events that it needs" record --off-cpu -e cycles true
	run "$flamefold" fold --off-cpu in.folded
	[ "$status" -ne 0 ]
	wanted=$output
	run "$flamefold" fold --mode offcpu in.folded
	[ "$output" = "$wanted" ]
	[[ $output == *mode* ]]
}

@test "async-profiler: --wall is the mode of that name" {
	run "$flamefold" record --wall --print-perf true
	wanted=$output
	run "$flamefold" record --mode wall --print-perf true
	[ "$output" = "$wanted" ]
	[[ $output != *"'--wall'"* ]]
}

@test "perf record: what is not to be had is said" {
	answers "there is no option for stacks without their kernel part" record --user-callchains -g true
	answers "times are those of CLOCK_MONOTONIC" record -k tai true
	answers "-g lbr" record -b true
	answers "-g lbr" record -j any,u true
	answers "one -e for each" record --group true
	answers "perf stat" record -n true
	answers "--only and --drop" record -e cycles --filter 'pid==1' true
	answers "'-t TID'" record -i true
	answers "chrt -f" record -r 10 true
	answers "'-d SECONDS' limits a run" record --max-size=1G true
	answers "perf's '-D -1'" record -D -1 true
	answers "'record --mode offcpu' weighs" record --idle -p 1
	answers "-c N" record --count 1000 true
	answers "is always on" record --period sleep 1
	answers "to sample process N, use -p N" record --pid 1234
	answers "--drop comm=flamefold" record --exclude-perf -a
	answers "unknown option '--no-such-option'" record --no-such-option true
}

@test "a word of perf is no beginning of a longer name, and a slip is still one" {
	answers "but there is '--title'" -tilte x in.folded
	answers "unknown option '-nope'" -nope in.folded
	answers "unknown option '--nthreads-of'" fold --nthreads-of=3 in.folded
	# A number that is a file is an input.
	cp in.folded 1234
	same fold --pid 1234 = fold in.folded
}

@test "perf record: lines that sample a command" {
	need_events
	samples -F 99 -g -e cpu-clock -- "$shares" 0.3 1
	samples -F 499 --call-graph=dwarf,16384 -e cpu-clock "$shares" 0.3 1
	samples -g --call-graph dwarf -F 499 -e cpu-clock:u "$shares" 0.3 1
	samples --freq=499 --event cpu-clock -R -T -s -N -B --buildid-all --namespaces "$shares" 0.3 1
	samples -e cpu-clock -c 1000000 -k mono --proc-map-timeout 500 --per-thread "$shares" 0.3 1
	samples --clockid=CLOCK_MONOTONIC --aio=2 --mmap-flush 1 --rate 499 -e cpu-clock "$shares" 0.3 1
	samples -m 64 --no-buildid-cache -e cpu-clock -F 499 --max-stack 16 "$shares" 0.3 1
	"$flamefold" record -q -e cpu-clock -F 499 -g -z -o out.data "$shares" 0.3 1 >/dev/null
	"$flamefold" fold -i out.data | grep -q '^shares;'
}

@test "perf record: lines that sample the machine" {
	need_events system
	samples -F 99 -a -g -- sleep 0.5
	samples --all-cpus --freq 99 --seconds 0.5
	samples -a --frequency=199 -d 500ms
}

@test "-C with a command is all that the processor does while that runs" {
	need_events system
	taskset -c 0 "$shares" 30 1 >/dev/null &
	local busy=$!
	samples -C 0 -F 199 -e cpu-clock sleep 1 || { kill $busy; return 1; }
	kill $busy
	grep -q '^shares;' last.folded
}

@test "-G is the cgroup, with -a and without" {
	need_events system
	local mount group name busy

	mount=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { first = $2 } $3 == "cgroup2" { second = $2 }
		END { print first ? first : second }' /proc/mounts)
	[ -n "$mount" ] || skip "no hierarchy of control groups is mounted"
	name=flamefold-habits-$$
	group=$mount/$name
	mkdir "$group" 2>/dev/null || skip "no control group can be made"
	(echo $BASHPID >"$group/cgroup.procs" && exec "$shares" 60 1 >/dev/null) &
	busy=$!
	samples -F 199 -e cpu-clock -a -G "$name" sleep 0.7 && cp last.folded with.folded &&
		samples -F 199 -e cpu-clock -G "$name" -d 0.7 && cp last.folded without.folded
	kill $busy
	wait $busy || true
	rmdir "$group"
	[ "$(cut -d ';' -f 1 with.folded without.folded | sort -u)" = shares ]
}

@test "times have units wherever seconds are taken" {
	same fold --only time=0.1s,500ms = fold --only time=0.1,0.5
	same fold --only time=100000us, = fold --only time=0.1,
	same fold --only time=,0.01m = fold --only time=,0.6
	answers "'5x' is not a time" fold --only time=5x,
	answers "'ms' is not a time" fold --only time=ms,
	answers "seconds, or a time like 500ms or 2m, from 0.1s on" record --every 99ms -o x.svg
	answers "seconds, or a time like 500ms or 2m" record -d 5x
	answers "milliseconds, or a time like 500ms or 2s" record -D x true
	need_events
	# 100 times a second for half a second; the program would run a minute.
	samples -d 500ms -F 100 -e cpu-clock:u "$shares" 60 1
}

# bats test_tags=long
@test "-D leaves out the beginning" {
	need_events
	cat >phases <<-'END'
	#!/usr/bin/env python3
	import ctypes, os, sys, time
	def phase(name, seconds):
	    ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
	    end = time.process_time() + seconds
	    while time.process_time() < end:
	        pass
	phase("first", 0.2)
	time.sleep(2)
	phase("second", 0.5)
	END
	samples -F 499 -e cpu-clock -D 1500 python3 phases
	grep -q '^second;' last.folded
	run -1 grep '^first;' last.folded
	samples -F 499 -e cpu-clock -D 0 python3 phases
	grep -q '^first;' last.folded
}

@test "-v says what is done, -q nothing" {
	run --separate-stderr "$flamefold" fold -v perf.data
	[ "$status" -eq 0 ]
	[[ $stderr == *"reading samples"*"perf.data: perf.data v2"*"30 samples of cycles"*"weight in the tree"* ]]
	[ "$output" = "$("$flamefold" fold perf.data 2>/dev/null)" ]
	{ seq -f 'main;%.0f 1' 10; echo nonsense; } >mixed
	run --separate-stderr "$flamefold" fold -q mixed
	[ -z "$stderr" ]
}

@test "--open shows the file that was written, by \$BROWSER" {
	BROWSER=$PWD/browser "$flamefold" in.folded -o x.svg --open
	wait_for shown
	[ "$(cat shown)" = "$PWD/x.svg" ]
	rm shown
	# Without -o there is a file, too.
	BROWSER=/nowhere/a:$PWD/browser "$flamefold" in.folded --open >out 2>/dev/null
	wait_for shown
	[ "$(cat shown)" = "$PWD/flamegraph.svg" ]
	[ ! -s out ]
	[ -s flamegraph.svg ]
}

@test "a browser is not waited for, and none is no failure" {
	printf '#!/bin/sh\necho $$ >pid\nexec sleep 600\n' >stays
	chmod +x stays
	BROWSER=$PWD/stays timeout 60 "$flamefold" in.folded -o x.svg --open | cat
	[ "${PIPESTATUS[0]}" -eq 0 ]
	wait_for pid
	kill "$(cat pid)"
	BROWSER=/nowhere run --separate-stderr "$flamefold" in.folded -o y.svg --open
	[ "$status" -eq 0 ]
	[[ $stderr == *"cannot show 'y.svg' by \$BROWSER: No such file or directory"* ]]
	[ -s y.svg ]
	answers "needs svg or html" in.folded -o x.folded --open
	answers "-o FILE.svg" in.folded -o - --open
	answers "is not one" record -o x.data --open true
}

@test "--open shows what record has drawn" {
	need_events
	BROWSER=$PWD/browser "$flamefold" record -q -F 499 -e cpu-clock -o run.svg --open "$shares" 0.3 1 >/dev/null
	wait_for shown
	[ "$(cat shown)" = "$PWD/run.svg" ]
}

# bats test_tags=long
@test "--switch-output: a perf.data of each interval, each whole, all together the run" {
	need_events
	"$flamefold" record -q -F 499 -e cpu-clock:u --switch-output=700ms --save 'part.%t.data' \
		-o whole.folded sh -c '"$0" 1.5 1; "$0" 1.5 1' "$shares" >/dev/null
	ls part.*.data >parts
	[ "$(wc -l <parts)" -ge 3 ]
	"$flamefold" fold -q part.*.data >joined.folded
	cmp whole.folded joined.folded
	# The second begins after the program, and knows it.
	[ "$("$flamefold" info --format=json "$(sed -n 2p parts)" | jq .samples)" -gt 0 ]
	"$flamefold" fold -q "$(sed -n 2p parts)" | grep -q '^shares;.*share_60'
	"$flamefold" record -q -F 499 -e cpu-clock:u --switch-output 600ms -o run.data "$shares" 1 1 >/dev/null
	[ -s "$(ls run.data.[0-9]* | head -n 1)" ]
	answers "switches by time" record --switch-output -o x.data true
	answers "switches by time" record --switch-output=100M -o x.data true
	answers "--save FILE, or -o FILE.data" record --switch-output=30s -o x.svg true
}
