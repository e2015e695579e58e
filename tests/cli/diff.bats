#!/usr/bin/env bats
# flamefold diff: what changed, and whether it is noise. What is noise is tested on programs that do not
# change, in tests/unit/diff; here is what the command makes of it.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	folded_sides
}

# recording NAME SEED READ: 20 s at 100 Hz of a program that reads for READ of 100 samples, parses for
# the others but 20, and sorts.
recording()
{
	"$build" -o "$1" - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 2000
	sample pid=1 time={10000000 * i + 1000} period=1 ip={0x2000 if (i * 7919 + $2 * 104729) % 100 < $3 else 0x3000 if (i * 7919 + $2 * 104729) % 100 < 80 else 0x4000} chain=U,{0x2000 if (i * 7919 + $2 * 104729) % 100 < $3 else 0x3000 if (i * 7919 + $2 * 104729) % 100 < 80 else 0x4000},0x1500
	end
	END
}

# The table of a difference, without what stands above it.
rows()
{
	"$flamefold" diff -q --table "$@" | grep -v '^#' | awk '/^(changed|new|gone|moved)/ { print $1, $4, $9 }'
}

@test "recordings of pipes that are shorter than a piece of time are compared, too" {
	for read in 20 60; do
		"$build" -o $read - <<-END
		format pipe
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		mmap2 pid=1 start=0x2000 len=0x1000 name=/no/read time=2
		mmap2 pid=1 start=0x3000 len=0x1000 name=/no/parse time=2
		repeat i 400
		sample pid=1 time={1000 + i} period=1 ip={0x2000 if i % 100 < $read else 0x3000} chain=U,{0x2000 if i % 100 < $read else 0x3000}
		end
		END
	done
	"$flamefold" diff -q --table <(cat 20) <(cat 60) >table
	grep -q '^# noise: as if samples were independent, for recordings are too short' table || { cat table; return 1; }
	[ "$(grep -c '^changed .* [+-]40.00 ' table)" = 2 ]
}

@test "raw numbers are those of difffolded.pl" {
	"$flamefold" diff -q -f folded a.folded b.folded >ours
	"$BATS_TEST_DIRNAME"/difffolded.py a.folded b.folded >theirs
	diff theirs ours
	# Fractions, lines that stand twice, and a stack that ends within another one.
	printf 'a;b 1.5\na;b 2\na 1\nz 0.25\n' >c.folded
	printf 'a;b;c 3\na 7\n' >d.folded
	"$flamefold" diff -q -f folded c.folded d.folded >ours
	"$BATS_TEST_DIRNAME"/difffolded.py c.folded d.folded >theirs
	diff theirs ours
}

# As many as a picture has at most, of which none is on both sides; and names that are one name twice.
# bats test_tags=long
@test "a million stacks of either side, of which no two are the same" {
	awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "main;a%d 1\n", i >"c.folded"; for (i = 0; i < 1000000; i++) printf "main;b%d 1\n", i >"d.folded" }'
	"$flamefold" diff -q --table --fail-over -o x.svg c.folded d.folded >out
	grep -q '; in A only: 1000000, in B only: 1000000$' out
	grep -q 'all in all the sides differ by 100.0 %' out
	# One sample each is nothing.
	run -1 grep '^new' out
	grep -q '</svg>' x.svg
}

@test "names that collide are apart, and a name may be all of a line" {
	printf 'f;f;f 100\nf;f 100\nf 100\ng\177;h 100\n;; 100\n' >c.folded
	printf 'f;f;f 300\nf;f 100\nf 100\ng\177;h 100\n;; 100\n' >d.folded
	[ "$(rows --normalize=none c.folded d.folded)" = "changed +28.57 f" ]
	"$flamefold" diff -q --table --normalize=none c.folded d.folded | grep -q '^ *f;f;f$'
	"$flamefold" diff -q -f folded c.folded d.folded | grep -q '^f;f;f 100 300$'
}

@test "a path of 100000 frames is compared" {
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "f%d;", i % 7; print "leaf 50" }' >c.folded
	sed 's/50$/90/; p; s/leaf 90/other 60/' c.folded >d.folded
	"$flamefold" diff -q --table -o x.svg c.folded d.folded >out
	grep -q '^new .* +40.00 .* other' out
	grep -q '</svg>' x.svg
}

@test "-n and -s are difffolded.pl's, too" {
	printf 'main;f+0x12aB 10\nmain;f+0x1 7\nmain;g 3\n' >c.folded
	printf 'main;f+0xff 21\nmain;g 4\nmain;h 8\n' >d.folded
	for option in -n -s; do
		"$flamefold" diff -q "$option" -f folded c.folded d.folded >ours
		"$BATS_TEST_DIRNAME"/difffolded.py "$option" c.folded d.folded >theirs
		diff theirs ours
	done
	"$flamefold" diff -q -n -s -f folded a.folded b.folded >ours
	"$BATS_TEST_DIRNAME"/difffolded.py -n -s a.folded b.folded >theirs
	diff theirs ours
}

@test "what it or difffolded.pl has printed is compared again, as is a picture of it" {
	"$flamefold" diff -q --table a.folded b.folded | grep -v '^#' >direct
	"$flamefold" diff -q -f folded --match=names a.folded b.folded >both.folded
	"$flamefold" diff -q --table both.folded | grep -v '^#' | diff direct -
	"$flamefold" diff -q -o both.svg a.folded b.folded
	"$flamefold" diff -q --table both.svg | grep -v '^#' | diff direct -
	"$flamefold" fold -q both.svg | diff both.folded -
}

@test "pictures of either side are compared as what they were made of" {
	"$flamefold" -q -o a.svg a.folded
	"$flamefold" -q -o b.svg b.folded
	"$flamefold" diff -q --table a.folded b.folded | grep -v '^# [AB]:' >text
	"$flamefold" diff -q --table a.svg b.svg | grep -v '^# [AB]:' | diff text -
}

@test "the table says what is new, gone and changed, and nothing of a profile and itself" {
	run -0 --separate-stderr rows a.folded b.folded
	[ "$output" = $'new +11.11 y\ngone -10.20 x\nchanged -7.52 read\nchanged +7.37 parse' ]
	run -0 --separate-stderr rows a.folded a.folded
	[ -z "$output" ]
}

@test "above the table stands what was compared, how, and how far it can be trusted" {
	"$flamefold" diff -q --table a.folded b.folded >out
	grep -q '^# A: a.folded, 4900 samples' out
	grep -q '^# A is multiplied by 1.10204 (--normalize=share: either side is 100 %)$' out
	grep -q '1 of processes, by name without numbers; in A only: 1, in B only: 2$' out
	grep -q '^# noise: as if samples were independent, for there are no times; real noise is larger; one recording a side tells the noise within a run only' out
	grep -q '^# a change of 3.6 points would have been found wherever it is; for 1 % take 69627 samples a side$' out
	# The same on standard error, where it is not in the output.
	"$flamefold" diff -o x.svg a.folded b.folded 2>err
	grep -q 'flamefold: A is multiplied by 1.10204' err
}

@test "JSON has the same rows, and whole paths" {
	command -v python3 >/dev/null || skip "no python3"
	"$flamefold" diff -q --table=json a.folded b.folded >out.json
	python3 - <<-'END'
	import json
	d = json.load(open("out.json"))
	assert d["format"] == "flamefold-diff" and d["version"] == 1
	assert d["normalize"] == "share" and abs(d["scale"] - 5400 / 4900) < 1e-15
	new, gone, read, parse = d["rows"]
	assert new["kind"] == "new" and new["path"] == ["main", "fresh", "y"] and new["ratio"] is None
	assert gone["kind"] == "gone" and gone["a"] == 500 / 4900 and gone["b"] == 0
	assert abs(read["delta"] - (2900 / 5400 - 3000 / 4900)) < 1e-15
	assert read["lo"] < read["delta"] < read["hi"] < 0 and read["q"] < 1e-9
	assert d["sides"][0]["samples"] == 4900
	assert d["rows_in_all"] == 4
	END
	# What is not shown is counted.
	"$flamefold" diff -q --table=json --rows=1 a.folded b.folded >out.json
	python3 -c 'import json; d = json.load(open("out.json")); assert (d["rows_in_all"], len(d["rows"])) == (4, 1)'
}

@test "swapped sides negate it" {
	rows a.folded b.folded | sed 's/+/=/; s/-/+/; s/=/-/; s/^new/_/; s/^gone/new/; s/^_/gone/' | sort >there
	rows b.folded a.folded | sort >back
	diff there back
}

@test "--fail-over ends with 3 where something has grown by more, and else with 0" {
	run -3 --separate-stderr "$flamefold" diff --fail-over=1% a.folded b.folded
	[[ $stderr == *"have grown by more than 1 %"* ]]
	run -0 --separate-stderr "$flamefold" diff --fail-over=30% a.folded b.folded
	run -0 --separate-stderr "$flamefold" diff --fail-over a.folded a.folded
	[[ $stderr == *"no path has grown by more than 1 %"* ]]
	# 0 is a limit, however it is written.
	for none in 0 0% 0.0 .0%; do
		run -3 "$flamefold" diff -q --fail-over=$none a.folded b.folded
		run -0 "$flamefold" diff -q --fail-over=$none a.folded a.folded
	done
	# How sure is enough may be said.
	run -3 "$flamefold" diff -q --fail-over=1%,q=1e-9 a.folded b.folded
	run -0 "$flamefold" diff -q --fail-over=1,q=1e-200 a.folded b.folded
	"$flamefold" diff -q --table --fail-over=50%,q=0.01 a.folded b.folded | grep -q '(q <= 0.01)'
	for wrong in % -1 101 1x 0x1 1%,q= 1%,q=0 1%,q=1 1%,q=-1 1%, 1%,0.01 1%,q=0.01x; do
		run -2 "$flamefold" diff -q --fail-over=$wrong a.folded b.folded
	done
	# A picture, a table and a verdict at once.
	run -3 --separate-stderr "$flamefold" diff -q --table --fail-over -o x.svg a.folded b.folded
	[[ $output == *"main;fresh;y"* ]]
	grep -q '</svg>' x.svg
}

@test "cost that moved to another caller does not fail" {
	printf 'main;old;work 2000\nmain;rest 8000\n' >c.folded
	printf 'main;fresh;work 2000\nmain;rest 8000\n' >d.folded
	run -0 --separate-stderr "$flamefold" diff --table --fail-over c.folded d.folded
	[[ $output == *"moved"*"to main;fresh;work"*"from main;old;work"* ]]
}

@test "a recording is cut into pieces of its time" {
	recording one.data 1 30
	recording two.data 2 30
	recording more.data 3 40
	"$flamefold" diff -q --table --unnamed=address one.data two.data >same
	grep -q '^# noise: A by [12]0 pieces of its time, [0-9.]* times that of independent samples, B by' same
	run -1 grep '^changed' same
	"$flamefold" diff -q --table --unnamed=address one.data more.data >out
	[ "$(grep -c '^changed' out)" -eq 2 ]
	# By time the whole is the same, too.
	"$flamefold" diff -q --table --normalize=time one.data more.data | grep -q 'by how long was recorded'
}

@test "a pipe is cut into pieces that grow with its time" {
	for count in 1500 3100; do
		"$build" -o pipe.data - <<-END
		format pipe
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
		repeat i $count
		sample pid=1 time={5000000000 + 10000000 * i} period=1 ip={0x2000 + i * 7919 % 10 * 256} chain=U,{0x2000 + i * 7919 % 10 * 256}
		end
		END
		recording one.data 1 30
		"$flamefold" diff -q --table - one.data <pipe.data >out
		pieces=$(sed -n 's/^# noise: A by \([0-9]*\) pieces of its time.*/\1/p' out)
		[ "$pieces" -ge 15 ]
		[ "$pieces" -le 32 ]
	done
}

@test "counters that are read with a sample have pieces of time, too" {
	"$build" -o group.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,READ,CALLCHAIN read_format=ID,GROUP ids=1 flags=sample_id_all,comm_exec
	attr name=instructions sample_type=IDENTIFIER,IP,TID,TIME,READ,CALLCHAIN read_format=ID,GROUP ids=2 flags=sample_id_all
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 2000
	sample id=1 pid=1 time={10000000 * i + 1000} ip={0x2000 + i * 7919 % 10 * 256} read={i * 1000 + 1}:1,{i * 500 + 1}:2 chain=U,{0x2000 + i * 7919 % 10 * 256}
	end
	END
	"$flamefold" diff -q --table group.data group.data >out
	grep -q '^# A: group.data, 2000 samples of cycles' out
	grep -q '^# noise: A by 20 pieces of its time, 1.0 times' out
}

@test "the number of threads changes nothing" {
	recording one.data 1 30
	recording more.data 3 40
	for threads in 1 2 3; do
		"$flamefold" diff -q --table=json --threads=$threads --unnamed=address one.data more.data >$threads.json
		cmp 1.json $threads.json
	done
}

# Three megabytes of samples more would be as much memory again.
@test "memory follows stacks, not samples" {
	for seconds in 1 4; do
		"$build" -o $seconds.data - <<-END
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		mmap2 pid=1 start=0x1000 len=0x100000 name=/no/app time=2
		repeat i $((seconds * 50000))
		sample pid=1 time={100000 * i + 1000} period=1 ip={0x2000 + i * 7919 % 500 * 16} chain=U,{0x2000 + i * 7919 % 500 * 16}
		end
		END
		peak=$(python3 "$root/tests/budget/peak.py" "$flamefold" diff -q --table --unnamed=address $seconds.data $seconds.data 2>&1 >out | tail -n 1)
		[ "$seconds" -ne 1 ] || least=$peak
	done
	grep -q '^# noise: A by 20 pieces' out
	echo "$least MiB, of four times the samples $peak MiB"
	[ $((10 * peak)) -le $((13 * least)) ]
}

@test "several inputs a side tell the noise by how far they differ" {
	for i in 1 2 3; do
		printf 'main;a %d\nmain;b %d\n' $((4000 + 500 * i)) $((6000 - 500 * i)) >a$i.folded
		printf 'main;a %d\nmain;b %d\n' $((4100 + 500 * i)) $((5900 - 500 * i)) >b$i.folded
	done
	"$flamefold" diff -q --table a1.folded a2.folded a3.folded -- b1.folded b2.folded b3.folded >out
	grep -q '^# noise: A by 3 inputs, .* B by 3 inputs' out
	grep -q '^# a change of .* for 1 % take 5[0-9][0-9] inputs a side$' out
	run -1 grep '^changed' out
	# Each pair alone would be something.
	[ "$(rows a1.folded b3.folded | wc -l)" -eq 2 ]
	# Of many the first ones are told, and how many more; programs get all.
	many=(a1.folded{,,,,,,,,,,})
	"$flamefold" diff -q --table "${many[@]}" -- b1.folded >out
	grep -q '^# A: a1.folded, .* and 3 more, [0-9]* samples' out
	[ "$(sed -n 's/^# A: //p' out | grep -o a1.folded | wc -l)" -eq 8 ]
	"$flamefold" diff -q --table=json "${many[@]}" -- b1.folded >out
	[ "$(sed "s/\"notes.*//" out | grep -o a1.folded | wc -l)" -eq 11 ]
	# Options may stand behind, as everywhere.
	"$flamefold" diff a1.folded -- b1.folded b2.folded -q --table | grep -q '^# B: b1.folded, b2.folded'
}

@test "two ranges of one recording are compared" {
	"$build" -o x.data - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 2000
	sample pid=1 time={10000000 * i + 1000} period=1 ip={0x2000 if i < 1000 else 0x3000} chain=U,{0x2000 if i < 1000 else 0x3000}
	end
	END
	"$flamefold" diff -q -f folded --unnamed=address --range 0,10 --range 10,20 x.data >out
	[ "$(awk '{ print $(NF - 1), $NF }' out)" = $'1000 0\n0 1000' ]
	"$flamefold" diff -q -f folded --unnamed=address --range 0%-50% --range 50%-100% x.data | diff out -
	run -2 "$flamefold" diff --range 0,10 x.data
	# One that is too long is not cut.
	long=$(printf '%0300d' 0)
	run -2 --separate-stderr "$flamefold" diff --range "$long,10" --range 10,20 x.data
	[[ $stderr == *"no more than 250 letters, not 303"* ]]
	run -2 --separate-stderr "$flamefold" diff --range 0,10 --range 10,20 - <x.data
	[[ $stderr == *"so name a file"* ]]
	run -2 "$flamefold" diff --range 0,10 --range 0,10 x.data x.data
	# Of two times what either has would be in both sides.
	run -2 --separate-stderr "$flamefold" diff --range 0,10 --range 10,20 --only time=5,15 x.data
	[[ $stderr == *"option '--range' is the time of a side: '--only time=5,15' cannot go with it"* ]]
	"$flamefold" diff -q -f folded --unnamed=address --range 0,10 --range 10,20 --drop time=5,15 x.data >out
	[ "$(awk '{ print $(NF - 1), $NF }' out)" = $'500 0\n0 500' ]
}

# timed NAME: 10 s with a sample each 10 ms, 9 s without, and 1 s with them again.
timed()
{
	"$build" -o "$1" - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 1000
	sample pid=1 time={10000000 * i + 1000} period=1 ip=0x2000 chain=U,0x2000
	end
	repeat i 101
	sample pid=1 time={19000000000 + 10000000 * i + 1000} period=1 ip=0x2000 chain=U,0x2000
	end
	END
}

# by_time ARGUMENTS: what A is multiplied by.
by_time()
{
	"$flamefold" diff -q --table --unnamed=address --normalize=time "$@" |
		sed -n 's/^# A is multiplied by \([^ ]*\) .*/\1/p'
}

@test "--normalize=time: a range is as long as was asked for, within the recording" {
	timed x.data
	[ "$(by_time --range 0,10 --range 10,20 x.data)" = 1 ]
	[ "$(by_time --range 0,5 --range 5,20 x.data)" = 3 ]
	# The recording ends after 20 s.
	[ "$(by_time --range 0,10 --range 10,90 x.data)" = 1 ]
	[ "$(by_time --range 0%-25% --range 25%-100% x.data)" = 3 ]
	# Of several inputs a side each is as long as its filters leave it.
	[ "$(by_time --only time=0,1 x.data -- x.data x.data)" = 2 ]
	"$flamefold" diff -q --table --only time=0,1 --only time=2,4 --only time=3,5 --drop time=0.5,1 \
		x.data x.data | grep -q '^# A: .* in 3\.5 s$'
	# What has no times is none of 0 s.
	for sides in "x.data -- x.data a.folded" "a.folded x.data -- x.data"; do
		# shellcheck disable=SC2086 # a list
		run -1 --separate-stderr "$flamefold" diff -q --normalize=time $sides
		[[ $stderr == *"'a.folded' does not say how long it took"* ]]
	done
}

@test "modes weigh intervals, and are compared all the same" {
	"$build" -o x.data - <<-'END'
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	comm pid=7 name=app time=1
	sample event=sched:sched_switch pid=0 tid=0 time=1000 chain=U,0x11 fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=sched:sched_switch pid=7 time=9501000 chain=U,0x12 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 tid=0 time=12501000 chain=U,0x12 fields=prev_pid:0,prev_state:0,next_pid:7
	END
	"$flamefold" diff -q --table --mode offcpu x.data x.data | grep -q '^# A: x.data, 1 sample of offcpu'
	"$flamefold" diff -q -f folded --mode offcpu x.data x.data | grep -q ' 3000000 3000000$'
	# One that weighs samples has pieces of its time, as it has without a mode.
	recording one.data 1 30
	"$flamefold" diff -q --table --mode cpu one.data one.data | grep -q 'noise: A by [12]0 pieces of its time'
}

@test "options that a difference cannot honour are refused, and not listed" {
	"$flamefold" diff --help >help
	for option in reverse negate flamechart hash random cp colors=module colors=hot colors=java ratio=a/b; do
		run -2 --separate-stderr "$flamefold" diff -o x.svg "--$option" a.folded b.folded
		[[ $stderr == *"option '--${option%=*}' is not for 'diff'"* ]]
		run -1 grep -e "--${option%=*}\>" help
	done
	[ ! -e x.svg ] && [ ! -e palette.map ]
	# Nor does a mode change the colours.
	"$flamefold" diff -q --no-js -o x.svg a.folded b.folded
	"$flamefold" diff -q --no-js --mode cpu -o y.svg a.folded b.folded
	cmp x.svg y.svg
}

@test "--open shows a picture next to a table, too" {
	printf '#!/bin/sh\necho "$1" >opened\n' >browser
	chmod +x browser
	BROWSER=$PWD/browser "$flamefold" diff -q --table --open a.folded b.folded >out
	grep -q '^new ' out
	grep -q '</svg>' flamegraph.svg
	for _ in $(seq 100); do
		[ -s opened ] && break
		sleep 0.1
	done
	[ "$(basename "$(cat opened)")" = flamegraph.svg ]
}

@test "a full disk is said to be full" {
	[ -c /dev/full ] || skip "no /dev/full"
	for form in text json; do
		run -1 --separate-stderr bash -c '"$0" diff -q --table="$1" a.folded b.folded >/dev/full' "$flamefold" $form
		[[ $stderr == *"No space left on device"* ]]
	done
}

@test "two events of one recording are compared" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=instructions sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=2 flags=sample_id_all
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	sample id=1 pid=1 time=10 period=7 ip=0x2000 chain=U,0x2000
	sample id=2 pid=1 time=11 period=5 ip=0x3000 chain=U,0x3000
	END
	"$flamefold" diff -q -f folded --unnamed=address --event cycles,instructions x.data >out
	[ "$(awk '{ print $(NF - 1), $NF }' out)" = $'7 0\n0 5' ]
	for wrong in ,cycles cycles, ,; do
		run -2 --separate-stderr "$flamefold" diff --event "$wrong" x.data
		[[ $stderr == *"names an event for either side, not '$wrong'"* ]]
	done
	# Nobody compares the two by mistake.
	"$flamefold" fold -q --event cycles x.data >/dev/null
	run -1 --separate-stderr "$flamefold" diff --event cycles x.data a.folded
	[[ $stderr == *"cannot choose an event of 'a.folded'"* ]]
}

@test "ranges and events of one recording have tables, pieces of their own time, and both at once" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=instructions sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=2 flags=sample_id_all
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i 2000
	sample id=1 pid=1 time={10000000 * i + 1000} period=7 ip={0x2000 if i * 7919 % 100 < 30 else 0x3000} chain=U,{0x2000 if i * 7919 % 100 < 30 else 0x3000}
	sample id=2 pid=1 time={10000000 * i + 2000} period=5 ip={0x2000 if i * 7919 % 100 < (45 if i < 1000 else 60) else 0x3000} chain=U,{0x2000 if i * 7919 % 100 < (45 if i < 1000 else 60) else 0x3000}
	end
	END
	# deltas ARGUMENTS: that of 0x2000 and that of 0x3000, by size of the addresses.
	deltas()
	{
		"$flamefold" diff -q --table --unnamed=address "$@" x.data >out
		awk '/^changed/ { print $9, $10, $4 }' out | sort | awk '{ printf "%s ", $NF }'
	}
	[ "$(deltas --event cycles,instructions)" = "+22.50 -22.50 " ]
	grep -q '^# A: x.data, 2000 samples of cycles in 20.0 s$' out
	grep -q '^# B: x.data, 2000 samples of instructions in 20.0 s$' out
	[ "$(deltas --event instructions,cycles)" = "-22.50 +22.50 " ]
	[ "$(deltas --event instructions --range 0,10 --range 10,20)" = "+15.00 -15.00 " ]
	grep -q '^# A: x.data, 1000 samples of instructions in 10.0 s$' out
	grep -q '^# noise: A by 20 pieces of its time, 1.0 times .* B by 20 pieces of its time, 1.0 times' out
	[ "$(deltas --event instructions --range 10,20 --range 0,10)" = "-15.00 +15.00 " ]
	[ -z "$(deltas --event cycles --range 0,10 --range 10,20)" ]
	[ "$(deltas --event cycles,instructions --range 0,10 --range 10,20)" = "+30.00 -30.00 " ]
	# One event of two recordings, and an event of either.
	"$flamefold" diff -q --table --unnamed=address --event cycles,instructions x.data x.data | grep -q '^# B: x.data, 2000 samples of instructions'
	run -2 --separate-stderr "$flamefold" diff --event a,b,c x.data
	[[ $stderr == *"takes one event, or two for the two sides, not 'a,b,c'"* ]]
}

@test "unlike events are compared only by --force" {
	for event in cycles instructions; do
		"$build" -o $event.data - <<-END
		attr name=$event sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		sample pid=1 time=10 period=7 ip=0x2000 chain=U,0x2000
		END
	done
	run -1 --separate-stderr "$flamefold" diff cycles.data instructions.data
	[[ $stderr == *"cannot compare 'instructions.data', which counts instructions, with 'cycles.data', which counts cycles (--event=NAME, --count=samples, --force)"* ]]
	"$flamefold" diff -q --force -f folded cycles.data instructions.data | grep -q ' 7 7$'
	"$flamefold" diff -q --count=samples -f folded cycles.data instructions.data | grep -q ' 1 1$'
	# One may have no unit of its own, as tracepoints have none, or both the same one.
	"$build" -o switches.data - <<-'END'
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	attr name=cpu-clock type=1 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=3
	comm pid=7 name=app time=1
	sample event=sched:sched_switch pid=7 time=1000 chain=U,0x12 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_switch pid=0 tid=0 time=4000 chain=U,0x12 fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=cpu-clock pid=7 time=5000 period=9 chain=U,0x12
	END
	"$flamefold" -q --event sched:sched_switch -o switches.svg switches.data
	"$flamefold" -q --event cpu-clock -o clock.svg switches.data
	"$flamefold" -q --mode offcpu -o waits.svg switches.data
	run -1 --separate-stderr "$flamefold" diff cycles.data switches.svg
	[[ $stderr == *"cannot compare 'switches.svg', which counts samples, with 'cycles.data', which counts cycles (--event=NAME, "* ]]
	run -1 --separate-stderr "$flamefold" diff waits.svg clock.svg
	[[ $stderr == *"cannot compare 'clock.svg', which is of cpu-clock, with what is of offcpu (--force)"* ]]
	"$flamefold" diff -q --force -f folded waits.svg clock.svg | grep -q '^app;.* 3000 9$'
	"$flamefold" diff -q --table waits.svg waits.svg >same
	# Some formats keep what is counted without its name.
	"$flamefold" export -q -f speedscope -o waits.json waits.svg
	"$flamefold" diff -q -f folded waits.json waits.svg | grep -q '^app;.* 3000 3000$'
}

@test "a loss on one side is said" {
	for lost in 0 9; do
		"$build" -o $lost.data - <<-END
		attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		repeat i 20
		sample pid=1 time={10 + i} period=7 ip=0x2000 chain=U,0x2000
		end
		lost lost=$lost time=40
		END
	done
	"$flamefold" diff -q --table 0.data 9.data >out
	grep -q '^# A: 0.data, 20 samples of cycles$' out
	grep -q '^# B: 9.data, 20 samples of cycles, and 9 were lost$' out
}

# partly NAME NAMED: of 1000 samples so many have a symbol.
partly()
{
	"$build" -o "$1" - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	mmap2 pid=1 start=0x100000 len=0x1000 name=//anon time=2
	repeat i 1000
	sample pid=1 time={10 + i} period=7 ip={0x100010 + i % 4 * 16 if i * 37 % 1000 < $2 else 0x2000} chain=U,{0x100010 + i % 4 * 16 if i * 37 % 1000 < $2 else 0x2000}
	end
	END
	for i in 0 1 2 3; do
		printf '%x 10 name%d\n' $((0x100010 + i * 16)) $i
	done >perf-1.map
}

@test "where one side lacks many more names nothing is coloured" {
	partly most.data 900
	partly more.data 850
	partly few.data 100
	for other in more few; do
		"$flamefold" diff -q --table --map-dir=. --trust-maps most.data $other.data >$other
		"$flamefold" diff -q --map-dir=. --trust-maps -o $other.svg most.data $other.data
	done
	grep -q '^# without a symbol: 10.0 % of A, 15.0 % of B; what has a name on one side only looks new or gone$' more
	grep -q '^# without a symbol: 10.0 % of A, 90.0 % of B; .* or gone, so nothing is coloured (--force)$' few
	grep -q '<title>name1 (A .*▼' few.svg
	grep -q '<title>name1 .*fill="rgb(217,217,217)"' few.svg
	grep -q '<title>\[app.* points' more.svg
	run -1 grep '<title>\[app.*fill="rgb(217,217,217)"' more.svg
	"$flamefold" diff -q --force --map-dir=. --trust-maps -o few.svg most.data few.data
	run -1 grep '<title>name1 .*fill="rgb(217,217,217)"' few.svg
}

@test "idle processors on one side only are said, and how to leave them out" {
	for cpus in all own; do
		"$build" -o $cpus.data - <<-END
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
		comm pid=1 name=app exec time=1
		repeat i 100
		sample pid={0 if i % 2 and "$cpus" == "all" else 1} tid={0 if i % 2 and "$cpus" == "all" else 1} time={10 + i} period=7 ip=0x2000 chain=U,0x2000
		end
		END
	done
	"$flamefold" diff -q --table all.data own.data |
		grep -q '^# idle processors are in A only, where swapper is 50.0 %: leave them out with --drop comm=swapper$'
	"$flamefold" diff -q --table own.data all.data | grep -q '^# idle processors are in B only'
	"$flamefold" diff -q --table --drop comm=swapper all.data own.data >out
	run -1 grep idle out
	"$flamefold" diff -q --table all.data all.data >out
	run -1 grep idle out
	printf 'swapper;idle 50\napp 50\n' >c.folded
	printf 'app 50\n' >d.folded
	"$flamefold" diff -q --table c.folded d.folded | grep -q 'with --drop symbol=swapper$'
	"$flamefold" diff -q --table --drop symbol=swapper c.folded d.folded >out
	run -1 grep idle out
}

@test "stacks that lack their root are compared by themselves" {
	printf 'app;main;work 700\napp;[truncated];work 300\n' >c.folded
	printf 'app;main;work 900\napp;[truncated];work 100\n' >d.folded
	"$flamefold" diff -q --table c.folded d.folded |
		grep -q '^# in stacks that lack their root, which are compared by themselves: 30.0 % of A, 10.0 % of B; what lacks it on one side more looks moved$'
	"$flamefold" diff -q --table a.folded b.folded >out
	run -1 grep 'lack their root' out
}

@test "with an empty side, or a sample or none, nothing is found" {
	printf 'main;a 0\nmain;b 0\n' >none.folded
	printf 'main;a 1\n' >one.folded
	: >empty.folded
	for sides in "none a" "a none" "one one" "one a" "a one"; do
		# shellcheck disable=SC2086 # two words
		set -- $sides
		run -0 --separate-stderr "$flamefold" diff -q --table=json --fail-over --no-js -o x.svg $1.folded $2.folded
		[[ $output == *'"rows":['$'\n'']}' || $output == *'"rows":[]}' ]]
		[[ $output != *nan* && $output != *inf* ]]
		run -1 grep -i '>[^<]*\<\(nan\|inf\)\>' x.svg
	done
	"$flamefold" diff -q --table none.folded a.folded | grep -q '^# nothing is compared: side A is empty$'
	"$flamefold" diff -q --table none.folded none.folded |
		grep -q '^# nothing is compared: side A is empty, and side B is empty$'
	"$flamefold" diff -q --table one.folded one.folded | grep -q '^# nothing can be found: no path has 5 samples$'
	printf 'main;a 9\n' >few.folded
	"$flamefold" diff -q --table few.folded few.folded |
		grep -q '^# nothing can be found: each path is all of either side$'
	run -1 --separate-stderr "$flamefold" diff empty.folded a.folded
	[[ $stderr == *"'empty.folded' is empty"* ]]
}

# The same samples of a program, and of it without debug information.
@test "what inlining alone makes new or gone is said, and --no-inline takes it away" {
	run "$root/tests/inline/build" gcc-dwarf-5 .
	[ "$status" -ne 77 ] || skip "$output"
	"$root/tests/inline/compare" --record=with.data --count=400 gcc-dwarf-5
	"$flamefold" fold -q --no-inline with.data >out.folded
	"$flamefold" diff -q --table --match=names with.data out.folded >out
	less=$(sed -n 's/^# \([0-9]*\) % of what is new or gone disappears with --no-inline: .*/\1/p' out)
	[ "$less" -ge 90 ]
	# And so it does.
	"$flamefold" diff -q --table=json --no-inline --match=names with.data out.folded |
		python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["distance"] < 0.01, d["distance"]; assert not any("no-inline" in n for n in d["notes"])'
	# Where both sides have it, it is not said.
	"$flamefold" diff -q --table with.data with.data >out
	run -1 grep no-inline out
}

@test "two rates of one loop are the same" {
	# 99 and 997 a second.
	for rate in 1980:10101010 19940:1003009; do
	"$build" -o ${rate#*:}.data - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x10000 name=/no/app time=2
	repeat i ${rate%:*}
	sample pid=1 time={${rate#*:} * i + 1000} period=1 ip={0x2000 if i * 7919 % 100 < 30 else 0x3000 if i * 7919 % 100 < 80 else 0x4000} chain=U,{0x2000 if i * 7919 % 100 < 30 else 0x3000 if i * 7919 % 100 < 80 else 0x4000},0x1500
	end
	END
	done
	[ -z "$(rows --unnamed=address 10101010.data 1003009.data)" ]
}

@test "--normalize: robust colours alone what got faster, and others are as they say" {
	printf 'main;a 4000\nmain;b 1500\nmain;c 1500\nmain;d 1500\nmain;e 1500\n' >c.folded
	sed 's/4000/2000/' c.folded >d.folded
	[ "$(rows --normalize=robust c.folded d.folded)" = "changed -25.00 a" ]
	[ "$(rows --normalize=anchor=b c.folded d.folded)" = "changed -25.00 a" ]
	[ "$(rows --normalize=none c.folded d.folded)" = "changed -25.00 a" ]
	[ "$(rows --normalize=share c.folded d.folded | wc -l)" -eq 5 ]
	"$flamefold" diff -q --table --normalize=robust c.folded d.folded |
		grep -q '^# A is multiplied by 1 (--normalize=robust: the median of 5 paths has not changed)$'
	"$flamefold" diff -q --table --normalize=per=10,5 c.folded d.folded |
		grep -q '^# A is multiplied by 0.5 (--normalize=per: 10 and 5 units of work)$'
	run -1 --separate-stderr "$flamefold" diff --normalize=anchor=nothing c.folded d.folded
	[[ $stderr == *"cannot compare by 'nothing': it is not in 'c.folded'"* ]]
	printf 'a 50\nb 1\n' >one.folded
	"$flamefold" diff -q --table --normalize=robust one.folded one.folded |
		grep -q 'only 1 path has 30 samples by itself on both sides'
	run -1 --separate-stderr "$flamefold" diff --normalize=time c.folded d.folded
	[[ $stderr == *"does not say how long it took"* ]]
	for wrong in half per= per=1 per=0,1 per=1,2,3 anchor=; do
		run -2 "$flamefold" diff --normalize="$wrong" c.folded d.folded
	done
}

@test "one sample more is nothing, and an empty name is one" {
	{ cat a.folded; echo 'main;once 1'; } >c.folded
	[ -z "$(rows a.folded c.folded)" ]
	printf 'main; 100\nmain;a 100\n' >c.folded
	[ -z "$(rows c.folded c.folded)" ]
}

@test "who names no sides, too many, or one of them twice is told what to do" {
	run -2 --separate-stderr "$flamefold" diff
	[[ $stderr == *"name what is compared: diff A B"* ]]
	run -2 --separate-stderr "$flamefold" diff a.folded b.folded a.folded
	[[ $stderr == *"put '--' between"* ]]
	run -2 --separate-stderr "$flamefold" diff a.folded --
	[[ $stderr == *"behind '--' stand the inputs of B"* ]]
	run -2 --separate-stderr "$flamefold" diff -- a.folded
	[[ $stderr == *"'--' stands behind the inputs of A"* ]]
	run -1 --separate-stderr "$flamefold" diff a.folded
	[[ $stderr == *"'a.folded' is one profile: name another one to compare it with"* ]]
	run -1 --separate-stderr "$flamefold" diff a.folded nothing.folded
	mapfile -t many < <(yes a.folded | head -n 65536)
	run -2 --separate-stderr "$flamefold" diff a.folded -- "${many[@]}"
	[[ $stderr == *"no more than 65536 inputs are compared at once"* ]]
	run -2 "$flamefold" diff --flamechart a.folded b.folded
	run -2 "$flamefold" diff --table -f folded a.folded b.folded
	run -2 "$flamefold" diff --fail-over=x a.folded b.folded
	run -2 "$flamefold" diff --table=xml a.folded b.folded
	run -2 "$flamefold" diff --match=maybe a.folded b.folded
}

@test "the picture has both sides of each box, grey for noise, and numbers in its legend" {
	"$flamefold" diff -q -o x.svg a.folded b.folded
	grep -q '<title>fresh (A 0.00 %, B 11.11 %: ▲ +11.11 points ± 0.91, q 2.6e-127)</title>' x.svg
	grep -q '<title>old (A 10.20 %, B 0.00 %: ▼ -10.20 points' x.svg
	grep -q '<title>run (A 81.63 %, B 81.48 %: .*, noise; [0-9.]* would have been found)</title><rect [^>]*fill="rgb(217,217,217)"' x.svg
	grep -q '>more, up to ▲11.11 points<' x.svg
	grep -q 'data-scale="1.1020408163265305"' x.svg
	grep -q '>parse ▲7.4<' x.svg
	# The same on any machine, with any number of threads.
	"$flamefold" diff -q --threads=1 -o y.svg a.folded b.folded
	cmp x.svg y.svg
}

# steps FIRST: the shell's lines of the example in diff.md whose line FIRST is, without their indentation.
steps()
{
	awk -v first="$1" '
		/^```/ { inside = $0 == "```yaml" }
		inside && index($0, first) && !found { found = 1; match($0, /[^ ]/); least = RSTART; next }
		inside && found == 1 {
			match($0, /[^ ]/)
			if (RSTART <= least) found = 2
			else { sub(/^ *(- )?/, ""); print }
		}' "$root/Documentation/diff.md"
}

@test "the examples for CI are YAML, and do what they say" {
	mkdir bin build-main build
	# A recorder and a program that are none.
	cat >bin/perf <<-'END'
	#!/bin/sh
	while [ "$1" != -o ]; do shift; done
	cp "$(echo "$2" | sed 's/[.].*//').recorded" "$2"
	END
	printf '#!/bin/sh\n' >build/bench
	cp build/bench build-main
	ln -s "$flamefold" bin/flamefold
	chmod +x bin/perf build*/bench
	printf 'main;read 600\nmain;parse 900\nmain;sort 300\nmain;write 200\n' >base.recorded
	for read in 600 900; do
		sed "s/600/$read/" base.recorded >new.recorded
		for example in 'run: |' 'script:'; do
			steps "$example" >script
			grep -q '^flamefold diff' script
			rm -f diff.svg summary
			status=0
			PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=summary bash -eo pipefail script >out || status=$?
			[ "$status" -eq $((read == 900 ? 3 : 0)) ]
			grep -q '</svg>' diff.svg
			[ "$example" = script: ] || grep -q '^# A: base.1.data, base.2.data' summary
		done
	done
	# No tabs, and, where something here can read it, it is read.
	awk '/^```/ { inside = $0 == "```yaml"; if (inside) count++; next } inside { print >("example" count ".yaml") }' \
		"$root/Documentation/diff.md"
	[ -e example2.yaml ]
	run -1 grep -P '\t' example1.yaml example2.yaml
	if python3 -c 'import yaml' 2>/dev/null; then
		python3 - <<-'END'
		import yaml
		steps, job = (yaml.safe_load(open(f"example{i}.yaml")) for i in (1, 2))
		assert "flamefold diff" in steps[0]["run"] and steps[1]["with"]["path"] == "diff.svg", steps
		assert "flamefold diff" in job["profile"]["script"][1] and job["profile"]["allow_failure"]["exit_codes"] == 3, job
		END
	fi
}
