#!/usr/bin/env bats
# flamefold archive: what is added is found again, and what is asked for is what merge makes of the same files.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	folded_inputs
}

archive()
{
	timeout 300 "$flamefold" archive "$@"
}

# recording HOST SECOND: HOST.data, of that second of the 26th of November 2026, and of a kernel.
recording()
{
	"$build" -o "$1.data" - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD flags=use_clockid clockid=0
	feature hostname=$1
	feature osrelease=6.1.0-test
	comm pid=1 name=$1
	sample pid=1 time=$((1795651200 + $2))000000000 period=10 ip=0x10
	sample pid=1 time=$((1795651200 + $2))500000000 period=30 ip=0x10
	END
}

# nights: 1 and 2 of one night and build, 3 and 4 of the next ones.
nights()
{
	archive add -q n --label build=41 --label dc=north --recorded 2026-11-25T03 1.folded
	archive add -q n --label build=41 --label dc=south --recorded 2026-11-25T04:30 2.folded
	archive add -q n --label build=42 --label dc=north --recorded 2026-11-26T03 3.folded 4.folded
}

@test "what is added is listed with what it says of itself" {
	recording web-1 5
	recording web-2 65
	run -0 archive add n --label build=41 web-1.data web-2.data 1.folded
	[ "$output" = $'added web-1.data\nadded web-2.data\nadded 1.folded' ]
	archive ls n -f json >ls
	jq -e 'length == 3' ls
	jq -e '.[1] | .began == "2026-11-26T00:00:05Z" and .host == "web-1" and .event == "cpu-clock" and
		.samples == 2 and .labels == ["build=41"] and .kernel == "6.1.0-test" and .seconds == 0.5 and
		.recording == "web-1.data" and .part == "recording"' ls
	jq -e '.[2].host == "web-2"' ls
	# Of text neither time nor host is known.
	jq -e '.[0] | .began == "-" and .host == "" and .seconds == null' ls
	archive ls n --host web-2 -f csv | cut -d, -f1,4 | diff - <(printf 'began,host\n2026-11-26T00:01:05Z,web-2\n')
	archive ls n --since 2026-11-26T00:01 --until 2026-11-26T00:02 | grep -q web-2
	archive ls n --since 2026-11-26T00:01 --until 2026-11-26T00:02 | { ! grep -q web-1; }
}

@test "what does not say when it began is in no range of times, which is said" {
	"$build" -o x.data - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=7 name=app exec time=1
	sample pid=7 time=1000000000 period=1 chain=U,0x2000
	sample pid=7 time=3500000000 period=1 chain=U,0x2000
	END
	archive add -q n --label "of=two words" --label b=1 x.data
	archive add -q n --recorded 2026-11-26 1.folded
	# How long it took is known all the same.
	archive ls n | grep -Eq '^- +2\.5 +2 .* x.data +b=1 of=two words'
	archive ls n | grep -Eq '^2026-11-26T00:00:00Z +0\.0 .* 1.folded'
	archive ls n -f json | jq -e '.[0].labels == ["b=1", "of=two words"] and .[0].seconds == 2.5'
	left_out="left out: 1 recording that does not say when it began ('archive add --recorded=WHEN' does)"
	for words in "ls n --since 2026-11-26" "query n --until now -f folded" "query n --symbol b --since 2026-11-26" "expire n --older-than 1w --dry-run"; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr archive $words
		[[ $stderr == *"$left_out"* ]] || { echo "$words: $stderr"; false; }
	done
	run -0 --separate-stderr archive ls n --since 2026-11-26 --label b=2
	[ -z "$stderr" ]
	run -0 --separate-stderr archive ls n --label b=1
	[ -z "$stderr" ]
}

@test "what is chosen is what merge makes of the same files" {
	nights
	merge --label build=41 --label dc=north 1.folded -o 1.ff
	merge --label build=41 --label dc=south 2.folded -o 2.ff
	merge --label build=42 --label dc=north 3.folded 4.folded -o 34.ff
	merge 1.ff 2.ff 34.ff -o all.ff
	archive query n -o x.ff
	cmp all.ff x.ff
	merge 1.ff 2.ff -o 12.ff
	archive query n --label build=41 -o x.ff
	cmp 12.ff x.ff
	archive query n --since 2026-11-25 --until 2026-11-26 -o x.ff
	cmp 12.ff x.ff
	archive query n --label dc=north --label build=42 -o x.ff
	cmp 34.ff x.ff
	# Any of the values of one key, all of the keys.
	archive query n --label build=41 --label build=42 -o x.ff
	cmp all.ff x.ff
	archive query n --label build=41 --label dc=north -q -f folded | diff - 1.folded
	cat ?.folded | "$flamefold" fold -q - | diff - <(archive query n -q -f folded)
	archive query n -q -o x.svg
	"$flamefold" fold -q x.svg | diff - <(archive query n -q -f folded)
	archive query n -q -f pprof -o x.pb.gz
	gzip -t x.pb.gz
	run -1 archive query n --label build=40 -f folded
	[[ $output == *"nothing in 'n' fits"* ]]
}

@test "a part of what is chosen is a part as a profile file, too" {
	"$build" -o x.data - <<-'END'
	attr name=cpu-clock sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=faults type=1 config=2 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN ids=2
	comm pid=7 name=app exec time=1
	sample id=1 pid=7 time=1000 period=30 chain=U,0x2000
	sample id=1 pid=7 time=2000 period=50 chain=U,0x3000
	sample id=2 pid=7 time=3000 period=7 chain=U,0x3000
	END
	archive add -q n 1.folded
	archive add -q m --event all x.data
	for options in "n --only symbol=b" "n --drop symbol=b" "m --count=samples"; do
		# shellcheck disable=SC2086 # words
		archive query -q $options -o x.ff
		# shellcheck disable=SC2086
		archive query -q $options -f folded >direct
		"$flamefold" fold -q x.ff | diff direct -
	done
	diff direct <(echo 'app;[unknown] 3')
	run -1 archive query n --event nobody -o y.ff
	run -1 archive query n --mode offcpu -o y.ff
	[ ! -e y.ff ]
}

@test "the same recording counts once, whatever it is called" {
	cp 1.folded other
	merge 1.folded -o 1.ff
	merge 1.folded 2.folded -o 12.ff
	archive add -q n 1.folded 1.folded
	run -0 archive add n other 1.ff
	[ "$output" = $'there already: other\nthere already: 1.ff' ]
	[ "$(archive ls n -f json | jq length)" = 1 ]
	run -1 archive add n 12.ff
	[[ $output == *"refused '12.ff': 1 of its 2 inputs are in the archive already"* ]]
	archive query n -q -f folded | diff - 1.folded
	# What lists no inputs is known by its bytes.
	merge --no-inputs 3.folded -o 3.ff
	archive add -q n 3.ff
	run -0 archive add n 3.ff
	[ "$output" = "there already: 3.ff" ]
	# Of one that lists some of its inputs the others would be lost.
	merge 3.ff 2.folded -o 32.ff
	archive add -q n 2.folded
	run -1 archive add n 32.ff
	[[ $output == *"refused '32.ff': 1 of its 2 inputs are in the archive already"* ]]
	archive check n
}

@test "what other commands read can be added, and one that they cannot stops nobody" {
	"$flamefold" graph -q 1.folded -o 1.svg
	merge --label build=7 2.folded -o 2.ff
	: >empty
	head -c 100 2.ff >cut
	run -3 archive add n 1.svg 2.ff empty cut nobody - <3.folded
	for name in empty cut nobody; do
		[[ $output == *"refused '$name': "* ]]
	done
	[[ $output == *"3 of 6 files could not be added"* ]]
	cat [123].folded | "$flamefold" fold -q - | diff - <(archive query n -q -f folded)
	# Labels of a profile file are those of what was added.
	archive query n -q --label build=7 -f folded | diff - <("$flamefold" fold -q 2.folded)
	run -1 archive add m empty
	archive check n
}

@test "the share of a function over time" {
	nights
	archive query n --symbol b -f csv >trend
	diff trend - <<-'END'
	began,recordings,self,total,day,event
	2026-11-25T03:00:00Z,2,33.33,33.33,2026-11-25,
	2026-11-26T03:00:00Z,2,5.56,50.00,2026-11-26,
	END
	# The same as top says: 1 and 9 of 18.
	cat [34].folded | "$flamefold" top - -f json -q >top
	jq -e '.total == 18 and (.rows[] | select(.function == "b") | .self == 1 and .total == 9)' top
	archive query n --symbol b --by dc -f csv | cut -d, -f2-5 | diff - <(
		printf 'recordings,self,total,dc\n3,15.38,46.15,north\n1,28.57,28.57,south\n')
	archive query n --symbol b --by hour -f csv | cut -d, -f5 | diff - <(
		printf 'hour\n2026-11-25T03\n2026-11-25T04\n2026-11-26T03\n')
	archive query n --symbol nobody --by recording -f json | jq -e 'length == 4 and all(.total == 0)'
	archive query n --symbol nobody | grep -q '<0.1%'
}

@test "the first recording in which a function has more than so much" {
	nights
	archive query n --symbol b --over 40% -f csv | cut -d, -f4,5 | diff - <(printf 'total,recording\n43.75,3.folded\n')
	archive query n --symbol b --over 37 -f csv | cut -d, -f4,5 | diff - <(printf 'total,recording\n37.50,1.folded\n')
	archive query n --symbol b --over 37 --since 2026-11-26 -f csv | grep -q 3.folded
	# Whose time nobody knows is not the first, though it has all.
	echo 'b 1' >unknown.folded
	archive add -q n unknown.folded
	archive query n --symbol b --over 37 -f csv | grep -q 1.folded
	run -1 archive query n --symbol b --over 100
	[[ $output == *"no recording has more than 100 % of 'b'"* ]]
}

@test "a function of less than a thousandth is in the rest, and sums are right" {
	{ echo 'main;hot 100000'; for i in $(seq 50); do echo "main;cold$i 1"; done; } >many.folded
	archive add -q n many.folded
	archive check n
	archive query n --symbol cold7 | grep -q '<0.1%'
	archive query n --symbol hot | grep -q '99.95%'
}

@test "a day with a damaged part stays as it is, which scripts see" {
	archive add -q n --recorded 2026-11-26T01 1.folded
	part=$(find n/parts -type f)
	archive add -q n --recorded 2026-11-26T02 2.folded
	archive add -q n --recorded 2026-11-25T01 3.folded
	archive add -q n --recorded 2026-11-25T02 4.folded
	truncate -s 60 "$part"
	run -3 archive compact n day
	[[ $output == *"refused '$part'"*"4 parts are 3"* ]]
}

@test "parts of a day become one, and answers stay the same" {
	nights
	echo 'b;q 4' >5.folded
	echo 'b;r 2' >6.folded
	archive add -q n --label build=42 --label dc=south --recorded 2026-11-26T05 5.folded
	for q in "" "--label build=41" "--label build=42 --label dc=north" "--label dc=south" \
		"--since 2026-11-26" "--until 2026-11-26"; do
		# shellcheck disable=SC2086 # words
		archive query n $q -o "before $q.ff"
		# shellcheck disable=SC2086 # words
		archive query n $q --symbol b -f csv >"before $q.csv"
	done
	run -0 archive compact n hour
	[[ $output == *"5 parts are 4"* ]]
	archive check n
	run -0 archive compact n day
	for q in "" "--label build=41" "--label build=42 --label dc=north" "--label dc=south" \
		"--since 2026-11-26" "--until 2026-11-26"; do
		# shellcheck disable=SC2086 # words
		archive query n $q -o x.ff
		cmp "before $q.ff" x.ff
		# shellcheck disable=SC2086 # words
		archive query n $q --symbol b -f csv | diff - "before $q.csv"
	done
	archive check n
	[ "$(find n/parts -type f | wc -l)" = 4 ]
	# Without dc a day is one part for each build.
	run -0 archive compact n day --keep build
	[[ $output == *"4 parts are 2"* ]]
	archive query n --label build=42 -o x.ff
	archive query n --since 2026-11-26 -o y.ff
	cmp x.ff y.ff
	archive query n -o x.ff
	cmp "before .ff" x.ff
	run -1 archive query n --label dc=south -o x.ff
	[[ $output == *"the day 2026-11-25 was compacted: 2 recordings are one part, of which 1 are asked for"* ]]
	# What each of them has of a function is known as before.
	archive query n --label dc=south --symbol b -f csv | diff - "before --label dc=south.csv"
	archive check n
	# What comes later joins it, and what was there is known.
	run -0 archive add n 1.folded
	[ "$output" = "there already: 1.folded" ]
	archive add -q n --label build=42 --label dc=east --recorded 2026-11-26T07 6.folded
	archive compact -q n day --keep build
	[ "$(find n/parts -type f | wc -l)" = 2 ]
	archive check n
}

@test "what is old goes, and is said to" {
	nights
	run -0 archive expire n --older-than 1d --dry-run --label build=41
	[[ $output == *"would go: 2026-11-25T03:00:00Z - 1.folded"* ]]
	[ "$(archive ls n -f json | jq length)" = 4 ]
	archive compact -q n day --keep build
	age=$((($(date +%s) - $(date -ud 2026-11-25T04:00 +%s)) / 60))m
	run -0 archive expire n --older-than $age
	[[ $output == *"'1.folded' stays: it is in one part with others of its day"* ]]
	[[ $output == *"0 recordings are gone"* ]]
	age=$((($(date +%s) - $(date -ud 2026-11-26T00:00 +%s)) / 60))m
	run -0 archive expire n --older-than $age
	[[ $output == *"goes: 2026-11-25T03:00:00Z - 1.folded"* ]]
	[[ $output == *"goes: 2026-11-25T04:30:00Z - 2.folded"* ]]
	[ "$(find n/parts -type f | wc -l)" = 1 ]
	archive check n
	archive query n --symbol b | { ! grep -q 2026-11-25; }
	# What has no time is in no range.
	echo 'never 1' >5.folded
	archive add -q n 5.folded
	archive query n --since 1971-01-01 -q -f folded | { ! grep never; }
	archive query n --until 2100-01-01 -q -f folded | { ! grep never; }
	archive query n -q -f folded | grep -q never
	# It can come back.
	archive add -q n 1.folded
	archive check n
}

@test "mistakes are told in one sentence" {
	nights
	while IFS='|' read -r words sentence; do
		# shellcheck disable=SC2086 # words
		run -2 archive $words
		[[ $output == *"$sentence"* ]] || { echo "$words: $output"; false; }
		[ "${#lines[@]}" = 1 ]
	done <<-'END'
	|'archive' is followed by add, ls, query, compact, expire or check
	lst n|is followed by add, ls, query, compact, expire or check, not 'lst'
	ls|it is 'archive ls DIR'
	ls n more|it is 'archive ls DIR'
	add n|'archive add n' needs files
	add n 1.folded --label x|option '--label' takes KEY=VALUE, not 'x'
	ls n --since 2026-02-30|option '--since' takes a time like 2026-11-26
	ls n --since 2026-11-26T25|option '--since' takes a time like 2026-11-26
	ls n --until tomorrow|option '--until' takes a time like 2026-11-26
	ls n -f svg|takes text, csv or json for what is listed, not 'svg'
	query n --over 5|option '--over' is of a function: --symbol=NAME
	query n --by host|option '--by' is of a function: --symbol=NAME
	ls n --by host|option '--by' is for 'archive query', not for 'archive ls'
	compact n day --dry-run|option '--dry-run' is for 'archive expire', not for 'archive compact'
	compact n day --since today|option '--since' is for 'archive ls, query, expire', not for 'archive compact'
	expire n --older-than 1d --keep host|option '--keep' is for 'archive compact', not for 'archive expire'
	add n 1.folded --since today|option '--since' is for 'archive ls, query, expire', not for 'archive add'
	check n -qf json|option '--format' is for 'archive ls, query', not for 'archive check'
	expire n --older-than 1d --only comm=x|option '--only' is for 'archive add, query', not for 'archive expire'
	compact n day --drop comm=x|option '--drop' is for 'archive add, query', not for 'archive compact'
	ls n --event cycles|option '--event' is for 'archive add, query', not for 'archive ls'
	query n --symbol b --only symbol=a|options '--only' and '--drop' are of a graph: '--symbol' has shares of whole recordings
	query n --symbol=|option '--symbol' takes the name of a function
	query n --symbol b --over x|option '--over' takes a percentage like 5%, not 'x'
	compact n|'archive compact n' is followed by hour or day
	compact n week|'archive compact n' is followed by hour or day
	expire n|'archive expire' needs an age: --older-than=90d
	expire n --older-than 90|option '--older-than' takes an age like 90d
	END
	run -1 archive ls nobody
	[[ $output == *"'nobody' is not an archive"* ]]
	mkdir full
	touch full/x
	run -1 archive add full 1.folded
	[[ $output == *"'full' is not an archive, and not empty"* ]]
	[ "$(ls full)" = x ]
}

@test "files to be added come from a list" {
	nights
	archive add -q one 1.folded 2.folded
	printf '1.folded\n\nnobody\n2.folded\n' >list
	run -3 archive add one --from list
	[[ $output == *"there already: 1.folded"* ]]
	[[ $output == *"1 of 3 files could not be added"* ]]
	printf '2.folded\0' | archive add -q two --from - 1.folded
	diff <(archive ls one -f csv) <(archive ls two -f csv)
	run -1 archive add two --from /dev/null
	[[ $output == *"'/dev/null' names no inputs"* ]]
	run -2 archive ls two --from list
	[[ $output == *"option '--from' is for 'archive add', not for 'archive ls'"* ]]
}

@test "where an index is lost its parts stay" {
	archive add -q n 1.folded 2.folded
	rm n/index.db*
	run -1 archive add n 3.folded
	[[ $output == *"'n' has parts, and has lost its index: 'flamefold archive add NEW n/parts/*/*.ff'"* ]]
	[ "$(find n/parts -type f | wc -l)" = 2 ]
	archive add -q m n/parts/*/*.ff
	cat [12].folded | "$flamefold" fold -q - | diff - <(archive query m -q -f folded)
}

@test "nothing is written or removed behind a link, nor what is not ours" {
	archive add -q n 1.folded
	mkdir theirs
	echo kept >theirs/1-1
	rmdir n/tmp
	ln -s ../theirs n/tmp
	archive check n
	rm n/tmp
	mkdir n/tmp
	echo kept >n/tmp/notes
	: >n/tmp/1-1
	run -0 archive check n
	[ "$output" = "flamefold: removed 'n/tmp/1-1', which is no part of the archive" ]
	# Parts of another archive.
	archive add -q m 2.folded
	cp -r m/parts theirs
	mv n/parts mine
	ln -s ../theirs/parts n/parts
	run -1 archive check n
	diff -r m/parts theirs/parts
	rm n/parts
	mv mine n/parts
	# A link where the next part is going to be written.
	# shellcheck disable=SC2016 # not for this shell
	bash -c 'ln -s ../../theirs/1-1 "n/tmp/$$-0" && exec "$0" archive add -q n 3.folded' "$flamefold"
	[ "$(cat theirs/1-1 n/tmp/notes)" = $'kept\nkept' ]
	archive check n
	[ "$(archive ls n -f json | jq length)" = 2 ]
}

@test "names of others reach the terminal without control characters" {
	printf 'a 1\n' >$'e\033[31mvil'
	archive add n --label $'k=\033[2J' $'e\033[31mvil' >out
	archive ls n >>out
	archive query n --symbol a --by k >>out
	run ! grep -q $'\033' out
	archive ls n -f json | jq -e '.[0].labels == ["k=\u001b[2J"]'
}
