#!/usr/bin/env bats
# flamefold export: files for other programs. Each is read back by somebody else: go tool pprof,
# callgrind_annotate, speedscope's schema, and tests/exchange/readers.mjs, which goes by the formats' rules;
# what they read is what fold prints.
bats_require_minimum_version 1.5.0

load recordings
load known_work

readers=$root/tests/exchange/readers.mjs
# Those that hold whole stacks.
stacks="pprof speedscope firefox d3 grafana flamebearer otlp chrome json"
formats="$stacks callgrind csv"

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	folded_calls >a.folded
}

# read_back FILE: all formats of it, and what is read of them: out.FORMAT.read.
read_back()
{
	local format pairs=()
	for format in $stacks; do
		"$flamefold" export -q -f "$format" -o "out.$format" "$@" || [ $? -eq 1 ]
		pairs+=("$format" "out.$format")
	done
	node "$readers" "${pairs[@]}"
}

# That is what fold prints.
same_as_fold()
{
	local format
	read_back "$@"
	"$flamefold" fold -q "$@" | LC_ALL=C sort >folded
	for format in $stacks; do
		LC_ALL=C sort "out.$format.read" | diff folded - || {
			echo "not what $format has"
			return 1
		}
	done
}

# p.data, of a program whose function has another one inlined, and is sampled there.
inlined_recording()
{
	write_program
	"${CC:-cc}" -DBUILD=1 -g -O2 -o program program.c
	record program
}

@test "all formats have the stacks that fold prints" {
	same_as_fold a.folded
	# A stack may have no frame.
	printf ' 5\na 3\n' >none.folded
	same_as_fold none.folded
	"$build" -d built "$cases"/**/*.pd
	files=(built/*.data)
	count=0
	for ((i = 0; i < ${#files[@]}; i += 30)); do
		"$flamefold" fold -q "${files[i]}" >/dev/null 2>&1 || continue
		same_as_fold "${files[i]}"
		((++count))
	done
	[ "$count" -ge 5 ]
}

@test "names that are hostile: quotes, control characters, no UTF-8, 64 KiB" {
	python3 - <<-'END'
	names = [b"a b", b'"q"', b"back\\slash", b"</script>", b"\xf0\x9f\x94\xa5", b"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
	         b"bell\x07", b"esc\x1b[2J", b"\x7fdel", b"n" * 65536, b"bad\xff", b"(1) x", b"%s%n", b"'", b"{}", b"\xc2\x9b"]
	with open("b.folded", "wb") as f:
	    for i, name in enumerate(names):
	        f.write(b"app;" + name + b";" + names[(i * 7 + 3) % len(names)] + b" %d\n" % (i + 1))
	END
	# What is no UTF-8 becomes U+FFFD, and nothing else changes.
	read_back b.folded
	"$flamefold" fold -q b.folded | sed 's/\xff/\xef\xbf\xbd/g' | LC_ALL=C sort >folded
	for format in $stacks; do
		LC_ALL=C sort "out.$format.read" | diff folded - || {
			echo "not what $format has"
			return 1
		}
	done
	"$flamefold" export -f csv -o - b.folded | python3 -c 'import csv, io, sys
text = sys.stdin.buffer.read().decode("utf-8")
assert not any(ord(c) < 32 and c not in "\r\n" for c in text)
rows = list(csv.DictReader(io.StringIO(text, newline="")))
assert sum(int(r["self"]) for r in rows) == sum(range(1, 17)), rows'
	"$flamefold" export -q -f callgrind -o out.callgrind b.folded
	python3 -c 'text = open("out.callgrind", encoding="utf-8", newline="").read()
assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 for c in text)'
	grep -q $'fn=([0-9]*) bad\uFFFD$' out.callgrind
	callgrind_annotate --threshold=100 out.callgrind | grep -q 'PROGRAM TOTALS'
}

@test "5,000 frames, weights beyond 2^53, fractions" {
	python3 -c 'print("\n".join([";".join("f%d" % (i % 7) for i in range(5000)) + " 3", "f0;x 9007199254740993",
		"f0;x;y 4611686018427387905"]))' >b.folded
	"$flamefold" fold -q b.folded | LC_ALL=C sort >folded
	for format in pprof otlp json grafana speedscope; do
		"$flamefold" export -q -f "$format" -o "out.$format" b.folded
		node "$readers" "$format" "out.$format" | LC_ALL=C sort | cut -c 1-200 | diff <(cut -c 1-200 folded) -
	done
	for format in $formats; do
		"$flamefold" export -q -f "$format" -o "out.$format" b.folded
	done
	printf 'a;b 0.25\na 1.5\n' >c.folded
	for format in json d3 grafana speedscope chrome; do
		"$flamefold" export -q -f "$format" -o "out.$format" c.folded
		node "$readers" "$format" "out.$format" | diff <("$flamefold" fold -q c.folded) -
	done
	# Whole numbers, in units of the last digit.
	"$flamefold" export -q -f pprof -o out.pprof c.folded
	node "$readers" pprof out.pprof | diff <(printf 'a 150\na;b 25\n') -
	gzip -dc <out.pprof | grep -qa '1e-2 count'
}

@test "what weighs more than 2^63 is said where numbers are no larger" {
	printf 'a;b 4611686018427387903\na;c 4611686018427387903\na;d 4611686018427387903\n' >b.folded
	for format in pprof otlp; do
		run -1 --separate-stderr "$flamefold" export -f "$format" -o out b.folded
		[[ $stderr == *"--count=samples weighs by samples"* ]]
		[ ! -e out ]
	done
	"$flamefold" export -q -f json -o - b.folded | grep -q '"total":13835058055282163709'
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	repeat i 3
	sample pid=1 time={2 + i} period=4611686018427387903 ip={0x1100 + i} chain=U,{0x1100 + i}
	end
	END
	run -1 "$flamefold" export -q -f pprof -o out p.data
	"$flamefold" export -q --count=samples -f pprof -o out p.data
	node "$readers" pprof out | awk '{ s += $NF } END { exit s != 3 }'
}

@test "a profile of nothing is valid in every format" {
	echo 'app;main 0' >none.folded
	for format in $formats; do
		run -1 --separate-stderr "$flamefold" export -f "$format" -o "out.$format" none.folded
		[ -s "out.$format" ]
	done
	# shellcheck disable=SC2046 # a list
	node "$readers" $(printf '%s\n' $stacks csv | sed 's/.*/& out.&/')
	cat out.*.read | diff /dev/null -
	grep -q '^totals: 0$' out.callgrind
	# Not even a function is there.
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	END
	for format in $formats; do
		run -1 --separate-stderr "$flamefold" export -f "$format" -o "out.$format" p.data
		[[ $stderr == *"no samples"* ]]
	done
	# shellcheck disable=SC2046 # a list
	node "$readers" $(printf '%s\n' $stacks csv | sed 's/.*/& out.&/')
	cat out.*.read | diff /dev/null -
	grep -q '^totals: 0' out.callgrind
}

@test "the same bytes in every run, with any number of threads" {
	"$build" -o p.data "$(printf '%s\n' "$cases"/**/children*.pd "$cases"/**/*.pd | grep -v '\*' | head -n 1)"
	for format in $formats; do
		"$flamefold" export -q -f "$format" --threads 1 -o one p.data
		"$flamefold" export -q -f "$format" --threads 4 -o four p.data
		cmp one four
	done
}

@test "go tool pprof reads stacks, values, mappings and labels" {
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x1000 name=/no/app build_id=0102030405060708090a0b0c0d0e0f1011121314 time=2
	mmap2 pid=1 start=0x8000 len=0x1000 name=/no/a.so time=2
	sample pid=1 tid=7 time=3 period=7 ip=0x1100 chain=U,0x1100
	sample pid=1 tid=7 time=4 period=3 ip=0x8100 chain=U,0x8100,0x1100
	sample pid=1 tid=7 time=5 period=10 ip=0x8100 chain=U,0x8100
	END
	"$flamefold" export -q --tid -o p.pb.gz p.data
	go tool pprof -symbolize=none -raw p.pb.gz >raw 2>errors
	[ ! -s errors ]
	grep -q 'samples/count cycles/count' raw
	grep -Eq '^ +1 +7: [0-9]+ $' raw
	grep -Eq '^ +1 +3: [0-9]+ [0-9]+ $' raw
	grep -q 'comm:\[app\]' raw
	grep -q 'pid:\[1\]' raw
	grep -q 'tid:\[7\]' raw
	grep -q '/no/app 0102030405060708090a0b0c0d0e0f1011121314' raw
	# The library comes first in the tree, and the program in the list.
	[ "$(grep -A 1 '^Mappings' raw | tail -n 1 | awk '{ print $3 }')" = /no/app ]
	go tool pprof -symbolize=none -sample_index=cycles -top p.pb.gz 2>/dev/null | grep -Eq '7 35.00% .* 10 50.00% .*app'
	"$flamefold" export -q -f firefox -o out.firefox p.data
	jq -e '[.libs[] | [.path, .codeId]] | contains([["/no/app", "0102030405060708090a0b0c0d0e0f1011121314"]])' out.firefox
	jq -e '[.libs[] | select(.path == "/no/a.so")] | length <= 1' out.firefox
	"$flamefold" export -q -f otlp -o out.otlp p.data
	grep -qa 'process.executable.build_id.gnu' out.otlp
	grep -qa '0102030405060708090a0b0c0d0e0f1011121314' out.otlp
	# Stacks of all that is in it.
	go tool pprof -symbolize=none -traces p.pb.gz 2>/dev/null | grep -q 'comm: *app'
}

@test "functions that were inlined are lines of the location they are in" {
	inlined_recording
	"$flamefold" fold -q p.data | grep -q 'known_work;count_up 1'
	same_as_fold p.data
	"$flamefold" export -q -o p.pb.gz p.data
	go tool pprof -symbolize=none -top p.pb.gz 2>/dev/null | grep -q 'count_up (inline)'
	go tool pprof -symbolize=none -raw p.pb.gz 2>/dev/null >raw
	# One location with both, the innermost first.
	grep -A 1 '^ *[0-9]*: 0x0 M=1 count_up .*program.c:0 s=2' raw | tail -n 1 | grep -q '^ *known_work '
	"$flamefold" export -q -f json -o out.json p.data
	jq -e '[.. | objects | select(.name == "count_up")] | .[0].kind == "inlined" and .[0].line == 2' out.json
	"$flamefold" export -q -f firefox -o out.firefox p.data
	jq -e '.shared.frameTable.inlineDepth | add == 1' out.firefox
	# They are the names' own marks elsewhere, and stay out of these.
	"$flamefold" export -q --inline-mark -f d3 -o out.d3 p.data
	! grep -q '_\[i\]' out.d3 || false
}

@test "callgrind_annotate: self and inclusive are those of top, and a function that calls itself is no more than all" {
	cat >b.folded <<-'END'
	main;f;f;f;g 5
	main;f;h 3
	main;f 2
	main;h;f;g 1
	END
	"$flamefold" export -q -f callgrind -o out.callgrind b.folded
	! grep -q '^calls=0' out.callgrind || false
	of_annotate()
	{
		callgrind_annotate --threshold=100 --auto=no "$@" out.callgrind |
			sed -n 's/^ *\([0-9,]*\) *([0-9 .]*%) *[^ ]*:\([^ ]*\).*$/\2 \1/p' | tr -d , | sort
	}
	"$flamefold" top -q --format=csv b.folded | tr -d '"\r' | tail -n +2 >top
	diff <(awk -F , '$3 > 0 { print $1, $3 }' top | sort) <(of_annotate --inclusive=no | awk '$2 > 0')
	diff <(awk -F , '{ print $1, $4 }' top | sort) <(of_annotate --inclusive=yes)
	# What passes from one to the other: each stack once, also where two call each other.
	printf 'main;f;g;f;g 4\nmain;f;g 1\n' >c.folded
	"$flamefold" export -q -f callgrind -o out.callgrind c.folded
	awk '/^fn=/ { f = $1 } /^cfn=/ { c = $1 } /^calls=/ { getline; print f, c, $2 }' out.callgrind | sort >arcs
	diff arcs - <<-'END'
	fn=(3) cfn=(4) 5
	fn=(4) cfn=(5) 5
	fn=(5) cfn=(4) 4
	END
}

@test "each process has a profile of its own in speedscope and the Firefox Profiler" {
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=one exec time=1
	comm pid=2 name=two exec time=1
	mmap2 pid=1 start=0x1000 len=0x1000 name=/no/app time=2
	mmap2 pid=2 start=0x1000 len=0x1000 name=/no/app time=2
	sample pid=1 tid=1 time=3 period=7 ip=0x1100 chain=U,0x1100
	sample pid=1 tid=5 time=4 period=2 ip=0x1200 chain=U,0x1200
	sample pid=2 tid=2 time=5 period=4 ip=0x1100 chain=U,0x1100
	END
	same_as_fold p.data
	jq -e '[.profiles[] | [.name, .endValue]] == [["all", 13], ["one", 9], ["two", 4]]' out.speedscope
	jq -e '[.threads[] | [.name, (.samples.weight | add)]] == [["one", 9], ["two", 4]]' out.firefox
	"$flamefold" export -q --tid -f speedscope -o out p.data
	jq -e '[.profiles[] | [.name, .endValue]] == [["all", 13], ["one-1/1", 7], ["one-1/5", 2], ["two-2/2", 4]]' out
	"$flamefold" export -q --pid -f chrome -o out p.data
	jq -e '[.traceEvents[] | [.args.name, .pid]] == [["one", 1], ["two", 2]]' out
	"$flamefold" export -q --tid -f firefox -o out p.data
	jq -e '[.threads[] | [.name, .pid, .tid]] == [["one", "1", 1], ["one", "1", 5], ["two", "2", 2]]' out
}

@test "a process that executes another program is one thread of a Chrome trace" {
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=sh exec time=1
	sample pid=1 tid=1 time=3 period=7 ip=0x1100 chain=U,0x1100
	comm pid=1 name=ls exec time=5
	sample pid=1 tid=1 time=7 period=5 ip=0x1100 chain=U,0x1100
	sample pid=2 tid=2 time=9 period=4 ip=0x1100 chain=U,0x1100
	END
	for root in --pid --tid; do
		"$flamefold" export -q $root -f chrome -o out p.data
		# The reader looks whether a thread's time goes on.
		node "$readers" chrome out | diff <("$flamefold" fold -q $root p.data | LC_ALL=C sort) -
		jq -e '[.traceEvents[].tid] | sort == [1, 2]' out
	done
}

@test "the table of functions is that of top" {
	"$flamefold" export -q -o out.csv a.folded
	diff <(tr -d '\r' <out.csv | cut -d , -f 1,2,5-) <("$flamefold" top -q -f csv a.folded | tr -d '\r')
	node "$readers" csv out.csv | grep -qx 'next 40'
}

@test "the format is that of -f or of the suffix, and graph writes them, too" {
	for suffix in pb.gz speedscope.json firefox.json callgrind d3.json grafana.json flamebearer otlp chrome.json csv tree.json; do
		"$flamefold" export -q -o "x.$suffix" a.folded
		"$flamefold" -q -o "y.$suffix" a.folded
		cmp "x.$suffix" "y.$suffix"
	done
	run -2 --separate-stderr "$flamefold" export a.folded
	[[ $stderr == *"say for which program: -f FORMAT is folded, ff, pprof, speedscope"* ]]
	run -2 --separate-stderr "$flamefold" export -o x.json a.folded
	[[ $stderr == *"could be of several formats"*"x.speedscope.json"* ]]
	run -2 --separate-stderr "$flamefold" -o x.json a.folded
	[[ $stderr == *"could be of several formats"* ]]
	run -2 --separate-stderr "$flamefold" export -f svg a.folded
	[[ $stderr == *"takes folded, ff, pprof"*"not 'svg'"* ]]
	run -2 --separate-stderr "$flamefold" diff -f otlp a.folded a.folded
	[[ $stderr == *"takes svg, html, folded or pprof"* ]]
}

@test "--open shows what was written" {
	cat >browser <<-'END'
	#!/bin/sh
	echo "$1" >shown.new
	mv shown.new shown
	END
	chmod +x browser
	BROWSER=$PWD/browser "$flamefold" export -q --open -o x.speedscope.json a.folded
	for _ in {1..100}; do
		[ -e shown ] && break
		sleep 0.1
	done
	[ "$(cat shown)" = "$PWD/x.speedscope.json" ]
	BROWSER=/no/such run --separate-stderr "$flamefold" export -q --open -o x.speedscope.json a.folded
	[[ $stderr == *"cannot show 'x.speedscope.json'"* ]]
	# Without a name it gets one.
	BROWSER=true "$flamefold" export -q --open -f d3 a.folded
	[ -s profile.d3.json ]
}

@test "a full disk is an error, and no file is left" {
	for format in $formats; do
		run -1 --separate-stderr "$flamefold" export -q -f "$format" -o /dev/full a.folded
		[[ $stderr == *"cannot write '/dev/full'"* ]]
	done
}
