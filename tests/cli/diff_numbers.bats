#!/usr/bin/env bats
# flamefold diff: numbers of its tables, what other programs read of them, and what is refused.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	folded_sides
}

# Tools that multiplied a unit by 1000 on one side have been seen.
@test "absolute differences are in the unit that is counted" {
	printf 'main;a 1000.25\nmain;b 500\n' >c.folded
	printf 'main;a 1600.75\nmain;b 500\nmain;c 60\n' >d.folded
	"$flamefold" diff -q --table --normalize=none c.folded d.folded >out
	grep -Eq '^changed .* \+600\.5 +1\.6 .* a ' out
	grep -Eq '^new .* \+60 +- .* c ' out
	"$flamefold" diff -q --table=json --normalize=none c.folded d.folded >out.json
	python3 - <<-'END'
	import json
	rows = {r["symbol"]: r for r in json.load(open("out.json"))["rows"]}
	assert abs(rows["a"]["absolute"] - 600.5) < 1e-9 and abs(rows["c"]["absolute"] - 60) < 1e-9, rows
	assert rows["a"]["self_a"] == 1000.25 and abs(rows["a"]["ratio"] - 1600.75 / 1000.25) < 1e-12
	assert rows["c"]["ratio"] is None and rows["c"]["self_q"] < 1e-9 and rows["c"]["self_lo"] > 0
	END
}

# phase NAME SAMPLES: 20 s; the first so many of 2000 samples are mostly of 0x4000, others seldom.
phase()
{
	"$build" -o "$1" - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 2000
	sample pid=1 time={10000000 * i + 1000} period=1 ip={0x4000 if i * 7919 % 100 < (60 if i < $2 else 10) else 0x3000} chain=U,{0x4000 if i * 7919 % 100 < (60 if i < $2 else 10) else 0x3000},0x1500
	end
	END
}

@test "what has grown and went away again does not fail, but is told" {
	phase base.data 0
	phase start.data 1200
	phase all.data 2000
	run -3 "$flamefold" diff -q --unnamed=address --fail-over=1% --table base.data all.data
	[[ $output != *"went away"* ]]
	run -0 "$flamefold" diff -q --unnamed=address --fail-over=1% --table base.data start.data
	[[ $output == *"it went away: 10.00 % in the last quarter of B"* ]]
	"$flamefold" diff -q --unnamed=address --table=json base.data start.data | grep -q '"went_away":true,'
	# What is gone at the end has not grown.
	"$flamefold" diff -q --unnamed=address --table=json start.data base.data >out
	run -1 grep '"went_away":true' out
}

@test "numbers that are too large, or none, are refused with a sentence" {
	printf 'main;a 18446744073709551615\n' >c.folded
	run -1 --separate-stderr "$flamefold" diff -q --table c.folded c.folded
	[[ $stderr == *"the weights of B and of A, multiplied by 1, add up to more than 2^63"* ]]
	# Decimals of one side count for the other.
	printf 'main;a 0.000001\n' >c.folded
	printf 'main;a 17000000000000\n' >d.folded
	run -1 --separate-stderr "$flamefold" diff -q --table c.folded d.folded
	[[ $stderr == *"add up to more than 2^63"* ]]
	printf 'main;a 170000000000000\n' >d.folded
	run -1 --separate-stderr "$flamefold" diff -q --table c.folded d.folded
	[[ $stderr == *"flamefold: "* ]]
	for units in 1e-300,1e300 1e300,1e-300; do
		run -1 --separate-stderr "$flamefold" diff -q --table --normalize=per=$units a.folded b.folded
		[[ $stderr == *"cannot compare 1e"*" units of work with 1e"* ]]
	done
	# Neither is a count.
	printf 'main;a -5\nmain;b nan\nmain;c inf\nmain;d 0x10\n' >c.folded
	run -1 --separate-stderr "$flamefold" diff -q --table c.folded a.folded
	[[ $stderr == *"'c.folded' is neither a perf.data nor folded text"* ]]
}

@test "pprof sees the difference that it makes of both sides itself" {
	command -v go >/dev/null || skip "no go"
	printf 'main;run;read 3100\nmain;run;parse 1500\nkworker/3:1;x 700\nmain 12\n' >c.folded
	"$flamefold" diff -q -o d.pb.gz a.folded c.folded
	"$flamefold" export -q -o a.pb.gz a.folded
	"$flamefold" export -q -o c.pb.gz c.folded
	# -traces has sides one after the other, or by stack.
	for table in "-top -cum" -tree -traces -top; do
		# shellcheck disable=SC2086 # two words
		go tool pprof -symbolize=none $table -diff_base a.pb.gz c.pb.gz 2>/dev/null | sort >theirs
		# shellcheck disable=SC2086
		go tool pprof -symbolize=none $table d.pb.gz 2>/dev/null | sort >ours
		[ -s ours ]
		diff theirs ours
	done
	go tool pprof -symbolize=none -raw d.pb.gz 2>/dev/null >raw
	[ "$(grep -c 'pprof::base:\[true\]' raw)" -eq 4 ]
	# So it is of what difffolded.pl prints.
	"$flamefold" diff -q -f folded a.folded c.folded >both.folded
	"$flamefold" export -q -o both.pb.gz both.folded
	go tool pprof -symbolize=none -top both.pb.gz 2>/dev/null | sort | diff ours -
	# Other programs have no place for two sides.
	run -2 "$flamefold" diff -f speedscope a.folded c.folded
	run -2 --separate-stderr "$flamefold" export -f speedscope -o x.speedscope both.folded
	[[ $stderr == *"a difference has no place in this format: svg, html, folded and pprof have one"* ]]
}

@test "two large texts are read at the same time, and what is said of them is in their order" {
	for side in c d; do
		awk -v seed=$side 'BEGIN { print "no count of " seed; for (i = 0; i < 60000; i++) printf "main;f%d;g%d;%s 3\n", i % 7, i % 1009, seed i }' >$side.folded
		[ "$(stat -c %s $side.folded)" -gt 1048576 ]
	done
	"$flamefold" diff -f folded c.folded d.folded >out 2>err
	"$flamefold" diff -f folded --threads=1 c.folded d.folded 2>err.1 | cmp - out
	diff err.1 err
	[ "$(grep -o "'[cd].folded': ignored 1 lines" err | tr '\n' ' ')" = "'c.folded': ignored 1 lines 'd.folded': ignored 1 lines " ]
	# That of A is what is told, though B cannot be read either.
	{ cat c.folded; head -c 3000000 /dev/zero | tr '\0' '\n' | sed 's/^/none/'; } >e.folded
	cp e.folded f.folded
	run -1 --separate-stderr "$flamefold" diff -q e.folded f.folded
	[[ $stderr == *"'e.folded' is not folded text"* && $stderr != *f.folded* ]]
	run -1 --separate-stderr "$flamefold" diff -q c.folded f.folded
	[[ $stderr == *"'f.folded' is not folded text"* ]]
}

@test "functions that --strip-hex makes one are one place, also below one caller of one input" {
	printf 'main;f0x12ab 5\nmain;f0x34cd 7\nmain;g 3\n' >c.folded
	printf 'main;f0x56ef 6\nmain;f0x7890 1\nmain;g 9\n' >d.folded
	diff <("$flamefold" diff -q --strip-hex -f folded c.folded d.folded) - <<-'END'
		main;f0x... 12 7
		main;g 3 9
	END
	# The root, main, f and g.
	"$flamefold" diff -q --strip-hex --table=json c.folded d.folded | jq -e '.tested == 4'
}

# Formats differ in what they say of a frame beside its name: modules, kinds, whether it has a symbol.
@test "a recording is the same as what was exported of it, stacks without a root, JIT code and all" {
	mkdir maps
	printf '10000 100 ~f /x/y.js:1\n20000 100 *g\n' >maps/perf-7.map
	"$build" -o x.data - <<-'END'
	attr name=cpu-clock type=1 sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=7 name=app7 exec time=1
	mmap2 pid=7 start=0x10000 len=0x20000 prot=5 name=//anon time=2
	mmap2 pid=7 start=0x50000 len=0x10000 name=/no/libx.so.1.2 time=2
	repeat i 400
	sample pid=7 time={1000000 * i + 1000} period=1 chain=U,{0x10010 if i % 3 else 0x50010},{0x20010 if i % 2 else 0x15010},0x50020
	end
	END
	"$flamefold" --map-dir maps -q -o x.svg x.data
	"$flamefold" fold --map-dir maps -q x.data >x.folded
	grep -q 'truncated.*;\*g;~f ' x.folded && grep -q 'libx' x.folded
	for file in x.pb.gz x.speedscope.json x.ff; do
		"$flamefold" export --map-dir maps -q -o $file x.data
	done
	for file in x.svg x.folded x.pb.gz x.speedscope.json x.ff; do
		"$flamefold" diff -q --table --map-dir maps x.data $file >out
		grep -q 'in A only: 0, in B only: 0$' out || { echo "$file"; cat out; return 1; }
		grep -q ' the sides differ by 0.0 %$' out
	done
	# JIT code stays what it is.
	diff <("$flamefold" fold -q --all --map-dir maps x.data) <("$flamefold" fold -q --all x.pb.gz)
}

# waits NAME A B: a hundred waits of 1 ms in either of two functions, and one of A, and of B, ms.
waits()
{
	"$build" -o "$1" - <<-END
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	comm pid=7 name=app time=1
	mmap2 pid=7 start=0x2000 len=0x1000 name=/no/a time=2
	mmap2 pid=7 start=0x3000 len=0x1000 name=/no/b time=2
	repeat i 200
	sample event=sched:sched_switch pid=7 time={2000000 * i + 1000} chain=U,{0x2000 if i % 2 else 0x3000} fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 tid=0 time={2000000 * i + 1001000} chain=U,0x9000 fields=prev_pid:0,prev_state:0,next_pid:7
	end
	sample event=sched:sched_switch pid=7 time=1000000000 chain=U,0x2000 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 tid=0 time=$((1000000000 + 1000000 * $2)) chain=U,0x9000 fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=sched:sched_switch pid=7 time=2000000000 chain=U,0x3000 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 tid=0 time=$((2000000000 + 1000000 * $3)) chain=U,0x9000 fields=prev_pid:0,prev_state:0,next_pid:7
	END
}

@test "one long wait is one wait, and not as many samples as it is long" {
	waits a.data 300 1
	waits b.data 1 300
	"$flamefold" diff -q --table --mode offcpu a.data b.data >out
	grep -q ' the sides differ by 59.' out || { cat out; return 1; }
	grep -q '^# 0 of ' out
	# A profile file of it knows that, too.
	for side in a b; do "$flamefold" merge -q --mode offcpu -o $side.ff $side.data; done
	"$flamefold" diff -q --table a.ff b.ff | diff <(sed 1,2d out) <(sed 1,2d)
}

@test "a picture, or a profile file, of a part of a recording's time took that time" {
	"$build" -o x.data - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=7 name=app exec time=1
	repeat i 401
	sample pid=7 time={10000000 * i + 1000} period=1 chain=U,0x2000
	end
	END
	"$flamefold" -q --only time=1,2 -o x.svg x.data
	"$flamefold" merge -q --only time=1,2 -o x.ff x.data
	for part in x.svg x.ff; do
		"$flamefold" diff -q --table --normalize=time $part x.data >out
		grep -q ' in 1.0 s$' out && grep -q ' in 4.0 s$' out
		grep -q '^# A is multiplied by 4 (--normalize=time' out || { cat out; return 1; }
	done
	# Where nothing is left nothing is said of its numbers.
	"$flamefold" diff -q --table --range 5,6 --range 0,1 x.data | grep -qx '# A: x.data, 0 samples of cpu-clock'
}
