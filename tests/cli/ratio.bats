#!/usr/bin/env bats
# --ratio and modes that have one: frames are coloured by the quotient of two columns.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# recorded <BODY: x.data. Cycles are read with instructions, or sampled beside them.
recorded()
{
	cat >x.pd
	"$build" -o x.data x.pd
}

separate()
{
	cat <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CALLCHAIN,PERIOD ids=1 flags=sample_id_all,comm_exec
	attr name=instructions type=0 config=1 sample_type=IDENTIFIER,IP,TID,TIME,CALLCHAIN,PERIOD ids=2 flags=sample_id_all
	comm pid=1 name=main exec time=1
	END
	for time in 2 3 4 5 6; do
		echo "sample event=cycles pid=1 time=$time period=100 chain=U,0x11,0x22"
		echo "sample event=cycles pid=1 time=$time period=100 chain=U,0x33,0x22"
		echo "sample event=instructions pid=1 time=$time period=50 chain=U,0x11,0x22"
		echo "sample event=instructions pid=1 time=$time period=200 chain=U,0x33,0x22"
	done
	# Below where cycles are, and nowhere else.
	echo "sample event=instructions pid=1 time=9 period=500 chain=U,0x44,0x33,0x22"
}

group()
{
	cat <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,READ,CALLCHAIN,PERIOD ids=1 read_format=ID,GROUP flags=sample_id_all,comm_exec
	attr name=instructions type=0 config=1 sample_type=IDENTIFIER,IP,TID,TIME,READ,CALLCHAIN,PERIOD ids=2 read_format=ID,GROUP flags=sample_id_all
	comm pid=1 name=main exec time=1
	END
	for time in 2 3 4 5 6; do
		echo "sample pid=1 time=${time}0 period=7 chain=U,0x11,0x22 read=$((100 * (time - 1))):1,$((400 * (time - 1))):2"
	done
}

# titles: of the frames that are drawn, without what they count
titles()
{
	grep -o '<title>[^<]*' x.svg | sed -E 's/<title>//; s/ \(.*%/ (/'
}

@test "two events that are sampled each on its own" {
	separate | recorded
	"$flamefold" --addrs --mode cpi -o x.svg x.data
	titles | sort >found
	sort >expected <<-'END'
	all (; CPI 0.57)
	main (; CPI 0.57)
	[unknown &lt;22&gt;] (; CPI 0.57)
	[unknown &lt;11&gt;] (; CPI 2.00)
	[unknown &lt;33&gt;] (; CPI 0.33)
	END
	diff expected found
}

@test "the event that was recorded first weighs, or the one that is named" {
	separate | recorded
	"$flamefold" fold --addrs x.data >plain
	"$flamefold" fold --addrs --ratio instructions/cycles x.data | diff plain -
	"$flamefold" fold --addrs --mode cpi --event instructions x.data >instructions
	"$flamefold" fold --addrs --event instructions x.data | diff instructions -
	run ! diff plain instructions
	"$flamefold" --addrs --ratio instructions/cycles --event instructions -o x.svg x.data
	titles | grep -q '^all (; instructions/cycles 1.75)$'
	grep -q 'data-ratio-names="weight/cycles"' x.svg
}

@test "values of a group that was read" {
	group | recorded
	"$flamefold" --addrs --mode cpi -o x.svg x.data 2>err
	run ! grep 'left out' err
	titles | grep -q '^main (; CPI 0.25)$'
	"$flamefold" fold --addrs --mode cpi x.data | diff <(echo 'main;[unknown <22>];[unknown <11>] 500') -
	grep -q 'data-samples="5"' x.svg
}

@test "few samples say nothing" {
	group | grep -v 'time=60' | recorded
	"$flamefold" --addrs --mode cpi -o x.svg x.data
	run ! grep -q 'CPI [0-9]' <(titles)
	grep -q 'too few samples' x.svg
}

@test "a picture has both columns, and is drawn again alike" {
	separate | recorded
	"$flamefold" --addrs --mode cpi -o x.svg x.data
	"$flamefold" -o y.svg x.svg
	cmp <(grep -v '<title id=\|id="title"' x.svg) <(grep -v '<title id=\|id="title"' y.svg)
	"$flamefold" fold x.svg | diff <("$flamefold" fold --addrs x.data) -
	# Two of it have as many cycles for an instruction.
	"$flamefold" -o z.svg x.svg y.svg
	cp z.svg x.svg
	titles | grep -q '^main (; CPI 0.57)$'
	"$flamefold" --ratio cycles/instructions --colors module -o x.svg y.svg
	titles | grep -q '^main (; cycles/instructions 0.57)$'
}

@test "the legend has numbers" {
	separate | recorded
	"$flamefold" --addrs --mode cpi -o x.svg x.data
	sed -n '/id="legend"/,/^<.g>$/p' x.svg | grep -o '<text[^<]*' | sed 's/.*>//' >found
	printf '%s\n' 'CPI up to 0.33' 0.45 '0.57 in all' 1.29 '2.00 and more' 'too few samples' | diff - found
	grep -q 'Colours go from blue for CPI 0.33 to orange for 2.00' x.svg
	[ "$(grep -c 'class="c243"' x.svg)" -ge 2 ]
}

@test "what is wrong is said" {
	separate | recorded
	status=0
	"$flamefold" --ratio page-faults/cycles -o x.svg x.data 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q "'page-faults' was not recorded: there is 'cycles', 'instructions'; perf record -g -e '{page-faults,cycles}:S' records both" err
	status=0
	"$flamefold" --ratio cycles -o x.svg x.data 2>err || status=$?
	[ "$status" -eq 2 ]
	grep -q "ratio 'cycles' is none: cycles/instructions is one" err
	echo 'a;b 3' >x.folded
	status=0
	"$flamefold" --ratio weight/cycles -o x.svg x.folded 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q "there is no ratio 'weight/cycles': the inputs lack one of its columns" err
	status=0
	"$flamefold" --colors ratio -o x.svg x.folded 2>err || status=$?
	[ "$status" -ne 0 ]
	grep -q "there is no ratio to colour by" err
	[ ! -e x.svg ]
}

@test "perf records groups that are read" {
	command -v perf >/dev/null || skip "no perf"
	perf record -q -o x.data -F 499 -e '{task-clock,page-faults}:S' -g -- \
		sh -c 'i=0; while [ $i -lt 400 ]; do /bin/true; i=$((i + 1)); done' 2>err ||
		skip "perf cannot: $(head -c 200 err)"
	"$flamefold" -q --ratio 'faults=page-faults/task-clock' -o x.svg x.data
	titles | grep -qE '^all \(; faults [0-9.]+ k?/s\)$'
	"$flamefold" -q fold --ratio 'faults=page-faults/task-clock' x.data | diff <("$flamefold" -q fold x.data) -
}

@test "the ratio of a picture asks for no events, whichever input comes first" {
	separate | recorded
	grep -v instructions x.pd >only.pd
	"$build" -o only.data only.pd
	"$flamefold" graph --ratio CPI=cycles/instructions -o cpi.svg x.data
	run -0 --separate-stderr "$flamefold" fold cpi.svg only.data
	one=$output
	run -0 --separate-stderr "$flamefold" fold only.data cpi.svg
	[ "$output" = "$one" ]
}
