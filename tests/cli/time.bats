#!/usr/bin/env bats
# When it was: slices of time, phases, and the data of a picture's strip.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	phases >phases.txt
}

# 10 seconds: start_up for 2, work for 5, collect for 3, and ten times a second tick for 30 ms.
phases()
{
	awk 'BEGIN {
		for (ms = 0; ms < 10000; ms += 5) {
			f = ms % 100 < 30 ? "tick" : ms < 2000 ? "start_up" : ms < 7000 ? "work" : "collect"
			printf "prog 7/7 [000] %.6f: %d cycles: \n\t401000 %s+0x4 (/bin/prog)\n\t402000 main+0x4 (/bin/prog)\n\n",
				86390 + ms / 1000, 1000 + ms % 3, f
		}
	}'
}

# What is in a slice of the output of --by-time.
slice()
{
	awk -v of="# $1" '/^#/ { is = $0 == of; next } is'
}

@test "slices are what --only time= leaves, whatever their length" {
	"$flamefold" fold --by-time=1s phases.txt >slices
	[ "$(grep -c '^# ' slices)" = 10 ]
	for from in 0 3 9; do
		slice "$from.000000000,$((from + 1)).000000000" <slices >is
		"$flamefold" fold --only "time=$from,$((from + 1))" phases.txt | cmp - is
		[ -s is ]
	done
	"$flamefold" fold --by-time=250ms phases.txt | slice 2.750000000,3.000000000 >is
	"$flamefold" fold --only time=2.75,3 phases.txt | cmp - is
	# Minutes and hours are those of --only time=.
	"$flamefold" fold --by-time=1m phases.txt | sed 's/^# .*/# 0,60/' >is
	"$flamefold" fold --by-time=1h phases.txt | sed 's/^# 0.0*,3600.0*$/# 0,60/' | cmp - is
	# All of them are all.
	grep -v '^#' slices | awk '{ n += $2 } END { print n }' >is
	"$flamefold" fold phases.txt | awk '{ n += $2 } END { print n }' | cmp - is
}

@test "slices that cannot be are refused" {
	for time in 0 1x -1 '' 1us; do
		run -2 --separate-stderr "$flamefold" fold "--by-time=$time" phases.txt
		[[ $stderr == *"takes a time from 1ms on"* ]]
	done
	echo 'a;b 1' >a.folded
	run -1 --separate-stderr "$flamefold" fold --by-time=1s a.folded
	[[ $stderr == *"no slices of time: nothing in it has a time"* ]]
	run -1 --separate-stderr "$flamefold" fold --by-time=1s phases.txt phases.txt
	[[ $stderr == *"clocks of their own"* ]]
	for added in phases.txt,a.folded a.folded,phases.txt; do
		run -1 --separate-stderr "$flamefold" fold --by-time=1s "${added%,*}" "${added#*,}"
		[[ $stderr == *"something in it has no time"* ]]
		run -0 --separate-stderr "$flamefold" graph --heat -o a.svg "${added%,*}" "${added#*,}"
		[[ $stderr == *"no map of time: something in it has no time"* ]]
	done
	# Fifty days have more than 2^32 milliseconds.
	printf 'x 1/1 [000] %d.000001: 7 cycles: \n\t1000 f+0x1 (/x)\n\n' 10 4320010 >long.txt
	run -1 --separate-stderr "$flamefold" fold --by-time=1ms long.txt
	[[ $stderr == *"too far apart for slices as short"* ]]
}

@test "phases are found within a cell, with what tells them apart" {
	run -0 "$flamefold" info --phases phases.txt
	[[ $output =~ 0\.000\ \ ([0-9.]+)\ \ start_up ]]
	awk -v at="${BASH_REMATCH[1]}" 'BEGIN { exit !(at >= 1.98 && at <= 2.05) }'
	[[ $output =~ $'\n'\ +${BASH_REMATCH[1]}\ \ ([0-9.]+)\ \ work ]]
	awk -v at="${BASH_REMATCH[1]}" 'BEGIN { exit !(at >= 6.98 && at <= 7.05) }'
	[[ $output =~ \ \ 10\.000\ \ collect ]]
	"$flamefold" info --phases -f json phases.txt | grep -q '"function": "collect"'
	[ "$("$flamefold" info -f json phases.txt | jq .phases)" = null ]
}

@test "phases are of what is asked for, and where there are none that is said" {
	# What lies before it is not known to be nothing.
	run -0 --separate-stderr "$flamefold" info --phases --only time=3,9 phases.txt
	[[ $output =~ 'first sample on'$'\n'\ +3\.000\ \ [67]\.[0-9]+\ \ work ]]
	[[ $output =~ \ \ 9\.000\ \ collect && $output != *'nothing runs'* && $stderr != *phases* ]]
	echo 'a;b 1' >a.folded
	run -0 --separate-stderr "$flamefold" info --phases a.folded phases.txt
	[[ $stderr == "flamefold: there are no phases in 'a.folded': nothing in it has a time" ]]
	[[ $output == *'seconds from the first sample on'* ]]
	[ "$("$flamefold" info -q --phases -f json a.folded | jq .phases)" = null ]
	run -2 --separate-stderr "$flamefold" info --phases --symbols phases.txt
	[[ $stderr == *"'--symbols' and '--phases' ask for two answers"* ]]
	run -2 --separate-stderr "$flamefold" graph --phases --no-heat phases.txt
	[[ $stderr == *"'--phases' marks the map of time, which '--no-heat' leaves out"* ]]
	for option in --heat --phases; do
		run -0 --separate-stderr "$flamefold" graph $option -f folded phases.txt
		[[ $stderr == *"no map of time: only pictures and profile files have one"* ]]
	done
}

@test "the picture is the same for any number of threads, and --no-heat is without" {
	"$flamefold" graph --threads=1 phases.txt >one.svg
	"$flamefold" graph --threads=4 phases.txt | cmp - one.svg
	"$flamefold" graph --no-heat phases.txt >none.svg
	[ "$(wc -c <none.svg)" -lt "$(wc -c <one.svg)" ]
	# It is read as ever.
	"$flamefold" fold one.svg >is
	"$flamefold" fold none.svg | cmp - is
	run -0 --separate-stderr "$flamefold" graph --heat -o two.svg phases.txt phases.txt
	[[ $stderr == *"no map of time: its inputs have clocks of their own"* ]]
}

@test "the strip is in the static picture, dark where the page is, and in one without the viewer if asked for" {
	"$flamefold" graph phases.txt >one.svg
	"$flamefold" graph --no-heat phases.txt >none.svg
	"$flamefold" graph --static phases.txt >static.svg
	"$flamefold" graph --static --heat phases.txt >strip.svg
	"$flamefold" graph --theme=dark --static --heat phases.txt >dark.svg
	sed -n '/<g id="time"/,/<\/g>/p' one.svg >strip
	grep -q '<title>Time, from 0 s to 10.00 s: a column is 1 s, a cell 20 ms' strip
	[ "$(grep -c '<path class="h[1-4]" stroke="#[0-9a-f]*" d="m' strip)" = 4 ]
	grep -q '>0 s</text>.*>10.00 s</text></g>' strip
	# The same in both, 22 pixels and its height above the frames, and nowhere else.
	sed -n '/<g id="time"/,/<\/g>/p' strip.svg | cmp - strip
	grep -q 'data-flamefold\] .h4{stroke:#e4933d}' one.svg
	! grep -q 'prefers-color-scheme\|h4{' dark.svg
	grep -q '<path class="h4" stroke="#e4933d"' dark.svg
	! grep 'id="time"\|\.h4{' none.svg static.svg
	height() { grep -o 'viewBox="0 0 [0-9]* [0-9]*' "$1" | sed 's/.* //;q'; }
	[ "$(height one.svg)" = $(($(height none.svg) + 122)) ]
	# A narrow one has no room for more than begin and end.
	grep -q '<text[^>]*>a column is 1 s' one.svg
	for width in 100 300; do
		"$flamefold" graph --width=$width phases.txt >narrow.svg
		grep -q '>0 s</text><text[^>]*>10.00 s</text></g>' narrow.svg
		xmllint --noout narrow.svg
	done
	# Phases are lines where they begin, and are said.
	"$flamefold" graph --phases phases.txt >phases.svg
	[ "$(grep -o '<path transform="translate(10 36)"[^>]*>' phases.svg | grep -o 'M[0-9.]* 0v100' | wc -l)" = 2 ]
	sed -n '/<g id="time"/,/<\/g>/p' phases.svg |
		grep -q 'ran in it. 0.00 s to 2.02 s start_up; 2.02 s to 7.02 s work; 7.02 s to 10.00 s collect</title>'
	! grep 'translate(10 36)' strip
	run -0 --separate-stderr "$flamefold" graph --chart --heat -o chart.svg phases.txt
	[[ $stderr == *"no map of time: a chart goes by time itself"* ]]
	run -0 --separate-stderr "$flamefold" graph --colors=chain --heat -o chain.svg phases.txt
	[[ $stderr == *"no map of time: colors of a chain have stacks of their own: --colors=hot has it"* ]]
	run -0 --separate-stderr "$flamefold" graph --colors=hot --heat -o hot.svg phases.txt
	[[ $stderr != *"no map of time"* ]]
	xmllint --noout one.svg strip.svg phases.svg
}

@test "a picture that is read again says when, to the sample" {
	"$flamefold" graph -o one.svg phases.txt
	"$flamefold" graph -o two.svg one.svg
	for picture in one two; do
		for slice in 1s 20ms; do
			"$flamefold" fold "--by-time=$slice" phases.txt >is
			"$flamefold" fold "--by-time=$slice" $picture.svg | cmp - is
		done
	done
	# Slices that its cells are not in, two pictures, and what is left of it.
	run -1 --separate-stderr "$flamefold" fold --by-time=30ms one.svg
	[[ $stderr == *"in cells that slices as short would cut"* ]]
	run -1 --separate-stderr "$flamefold" fold --by-time=1s one.svg two.svg
	[[ $stderr == *"clocks of their own"* ]]
	"$flamefold" fold --by-time=1s --only symbol=tick phases.txt >is
	"$flamefold" fold --by-time=1s --only symbol=tick two.svg | cmp - is
}

@test "samples out of order, one of them, more than a day, and a clock that jumps" {
	# From the last one to the first; a process has no name before it is said.
	awk 'BEGIN { RS = ""; ORS = "\n\n" } { all[NR] = $0 } END { for (i = NR; i; i--) print all[i] }' phases.txt >back.txt
	"$flamefold" graph --threads=4 -q -o back.svg back.txt
	for file in phases.txt back.txt back.svg; do
		"$flamefold" fold --by-time=1s $file |
			awk '/^#/ { at = $2; next } { sub(/^[^;]*;/, ""); n[at " " $1] += $2 }
				END { for (key in n) print key, n[key] }' | sort >$file.is
		cmp phases.txt.is $file.is
	done
	head -n 4 phases.txt >one.txt
	"$flamefold" graph --heat -q -o one.svg one.txt
	run -0 --separate-stderr "$flamefold" graph --heat -o one.svg one.txt
	[[ $stderr == *"no map of time: it lasted less than two seconds"* ]]
	# A profile file has its times all the same.
	run -0 --separate-stderr "$flamefold" graph --heat -o one.ff one.txt
	[[ $stderr != *"no map"* ]]
	run -0 "$flamefold" fold --by-time=1s one.txt
	[ "$output" = $'# 0.000000000,1.000000000\nprog;main;tick 1000' ]
	# Half a minute between samples, over midnight and 25 hours; a stack has an hour.
	awk 'BEGIN { for (s = 0; s < 90000; s += 30)
		printf "p 7/7 [000] %d.500000: 5 cycles: \n\t401000 f%d+0x4 (/p)\n\n", 50000 + s, s / 3600 }' >day.txt
	"$flamefold" graph -q -o day.svg day.txt
	for file in day.txt day.svg; do
		"$flamefold" fold -q --by-time=3600s $file >is
		awk '!/^#/ && $0 != "p;f" n++ " 600" { exit 1 } END { exit n != 25 }' is
		[ "$(grep -c '^# ' is)" = 25 ]
	done
	slice 86400.000000000,90000.000000000 <is >last
	"$flamefold" fold -q --only time=86400,90000 day.txt | cmp - last
	# 300 years later: nothing is drawn, and that is said.
	{ cat one.txt && sed 's/86390/9999999999/' one.txt; } >jump.txt
	run -0 --separate-stderr "$flamefold" graph --heat -o jump.svg jump.txt
	[[ $stderr == *"no map of time: something in it has no time"* ]]
	"$flamefold" graph --no-heat -q -o none.svg jump.txt
	cmp jump.svg none.svg
	# One year later it is drawn, as wide as that needs.
	{ cat one.txt && sed 's/86390/31622390/' one.txt; } >jump.txt
	"$flamefold" graph --heat -q -o jump.svg jump.txt
	run -0 "$flamefold" fold --by-time=86400s jump.svg
	[ "${lines[2]}" = '# 31536000.000000000,31622400.000000000' ]
}

@test "a profile file with --heat says when, and a picture that is made of it" {
	"$flamefold" graph -q --heat -o one.svg phases.txt
	"$flamefold" graph -q --heat -o one.ff phases.txt
	"$flamefold" graph -q -o none.ff phases.txt
	"$flamefold" graph -q -o two.svg one.ff
	"$flamefold" graph -q --heat -o two.ff one.svg
	"$flamefold" merge -q -o same.ff one.ff
	"$flamefold" merge -q -o same2.ff same.ff one.ff
	cmp same.ff same2.ff
	"$flamefold" merge -q --only symbol=nothing --no-inputs -o empty.ff phases.txt
	"$flamefold" merge -q -o same2.ff empty.ff same.ff
	"$flamefold" fold --by-time=1s phases.txt >is
	for file in one.svg one.ff two.svg two.ff same.ff same2.ff; do
		"$flamefold" fold --by-time=1s $file | cmp - is
	done
	"$flamefold" fold phases.txt | LC_ALL=C sort >is
	"$root"/tests/store/fold.py one.ff | cmp - is
	for threads in 2 4; do
		"$flamefold" graph -q --heat --threads=$threads -o more.ff phases.txt
		cmp one.ff more.ff
	done
	# Without the option it is not there, and of several there is none, in whatever order; that is said once.
	[ "$(wc -c <none.ff)" -lt "$(wc -c <one.ff)" ]
	run -1 --separate-stderr "$flamefold" fold --by-time=1s none.ff
	[[ $stderr == *"nothing in it has a time"* ]]
	sed 's/tick/tock/' phases.txt >other.txt
	"$flamefold" graph -q --heat -o other.ff other.txt
	run -0 --separate-stderr "$flamefold" merge -o ab.ff one.ff other.ff
	[ "$(grep -c 'map of time of 2 of 2 files is left out' <<<"$stderr")" = 1 ]
	"$flamefold" merge -q -o ba.ff other.ff one.ff
	cmp ab.ff ba.ff
	run -1 --separate-stderr "$flamefold" fold --by-time=1s ab.ff
	[[ $stderr == *"nothing in it has a time"* ]]
}

@test "times of a profile file that are not those of its values are refused" {
	"$flamefold" graph -q --heat -o one.ff phases.txt
	"$flamefold" merge -q --no-pack -o plain.ff one.ff
	# The first of its widths, and of its parts, with a checksum that is right.
	for change in 0:ff 1:00 3:07; do
		PYTHONPATH=$BATS_TEST_DIRNAME python3 - plain.ff "$change" >bad.ff <<-'END'
		import sys, zlib
		from varints import Reader
		data = bytearray(open(sys.argv[1], "rb").read())
		r = Reader(data, 10)
		while r.number() != 11:
		    size = r.number()
		    r.at += size + 4
		size, at = r.number(), r.at
		offset, byte = sys.argv[2].split(":")
		data[at + int(offset)] = int(byte, 16)
		data[at + size:at + size + 4] = zlib.crc32(data[at:at + size]).to_bytes(4, "little")
		sys.stdout.buffer.write(data)
		END
		run -1 --separate-stderr "$flamefold" graph -q -o x.svg bad.ff
		[[ $stderr == *"times are not those of its values"* ]]
		# Who does not ask for it reads the rest.
		"$flamefold" fold -q bad.ff >/dev/null
	done
}

# Waits of half a second, and before them stacks that waited for no time at all, which a picture does not have.
@test "a picture of waits has them where they were" {
	{
		echo 'tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_state:8,next_pid:4'
		echo 'attr name=sched:sched_switch type=2 config=316 period=1 ids=2' \
			'sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,RAW flags=sample_id_all'
		echo 'comm pid=1 name=app exec time=1'
		echo 'comm pid=9 name=other exec time=1'
		for i in 1 2 3 4; do
			for part in '0 1 1 9 0' '0 9 0 1 a' "2 1 1 9 $i" '7 9 0 1 a'; do
				read -r tenth from state to at <<<"$part"
				echo "sample event=sched:sched_switch id=2 pid=$from tid=$from time=$i${tenth}00000000 cpu=0" \
					"ip=0x1${at}00 period=1 chain=U,0x1${at}00,0x1f00" \
					"fields=prev_pid:$from,prev_state:$state,next_pid:$to"
			done
		done
	} >x.pd
	"$root/tests/perfdata/build" -o x.data x.pd
	"$flamefold" graph -q --addrs --mode=offcpu -o x.svg x.data
	"$flamefold" fold -q --addrs --mode=offcpu --by-time=100ms x.data >is
	# What is true: each of four waits in its own place, for as long as it was in a slice.
	for i in 0 1 2 3; do
		for tenth in 2 3 4 5 6; do
			printf '# %d.%d00000000,%d.%d00000000\n' $i $tenth $i $((tenth + 1))
			echo "app;[unknown <1f00>];[unknown <1$((i + 1))00>] 100000000"
		done
	done | cmp - is
	# A time is what --only time= leaves, whether it cuts waits or not.
	for slice in 0,1 1,2 2,3 3,4 0.2,0.3 0.6,2.3 0.4,3.5 3.6,; do
		"$flamefold" fold -q --addrs --mode=offcpu --only time=$slice x.data >slice
		awk -F '[ ,]' -v from=${slice%,*} -v until=${slice#*,} '
			/^#/ { within = $2 > from - 0.01 && (until == "" || $2 < until - 0.01) }
			!/^#/ && within { n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
			END { for (i in sum) print i, sum[i] }' is | sort | cmp - slice
		[ -s slice ]
	done
	"$flamefold" fold -q --by-time=100ms x.svg | cmp - is
	[ -z "$(by_processor x.svg)" ]
}

# Processors of a picture, as its viewer reads them: their number, the ns where a cell begins, and what it weighs.
by_processor()
{
	node "$BATS_TEST_DIRNAME/../viewer/processors.mjs" "$1"
}

# The same of the slices that --only cpu= has.
slices_of()
{
	for cpu in $2; do
		"$flamefold" fold -q --only "cpu=$cpu" "--by-time=$3" "$1" | awk -v cpu="$cpu" '
			function say() { if (n) printf "%d %.0f %.0f\n", cpu, from, n }
			/^#/ { say(); sub(/,.*/, "", $2); sub(/[.]/, "", $2); from = $2 + 0; n = 0; next }
			{ n += $NF }
			END { say() }'
	done
}

@test "a picture says which processor ran when, as --only cpu= has it" {
	# Three of 200 processors; one of them sleeps for 3 seconds, and one of its samples comes late.
	awk 'BEGIN { RS = ""; ORS = "\n\n" } {
		cpu = NR % 3 == 1 ? 1 : NR % 7 ? 4 : 199
		if (cpu == 4 && NR > 600 && NR < 1200)
			next
		sub(/\[000\]/, sprintf("[%03d]", cpu))
		print
	}' phases.txt >cpus.txt
	"$flamefold" graph -q -o one.svg cpus.txt
	by_processor one.svg >is
	slices_of cpus.txt '1 4 199' 20ms | cmp - is
	[ "$(wc -l <is)" -gt 1000 ]
	# So says what was made of that, with however many threads.
	"$flamefold" graph -q -o two.svg one.svg
	"$flamefold" graph -q --heat --threads=4 -o one.ff cpus.txt
	"$flamefold" merge -q -o same.ff one.ff
	"$flamefold" graph -q -o three.svg same.ff
	for picture in two three; do
		by_processor $picture.svg | cmp - is
	done
	# A filter by processors leaves these, of whom it is known when.
	"$flamefold" graph -q --only cpu=4,199 -o some.svg cpus.txt
	by_processor some.svg >is
	slices_of cpus.txt '4 199' 20ms | cmp - is
	for file in cpus.txt one.svg; do
		"$flamefold" graph -q --count=samples -o counts.svg $file
		[ "$(by_processor counts.svg | awk '{ n += $3 } END { print n }')" = "$(grep -c cycles: cpus.txt)" ]
	done
	# What only a stack tells was taken from nobody, and what says no processor was nowhere.
	for said in '--only symbol=tick cpus.txt' '--only symbol=tick one.svg' 'nowhere.txt' 'partly.txt'; do
		sed 's/ \[[0-9]*\]//' cpus.txt >nowhere.txt
		sed '6000,$s/ \[[0-9]*\]//' cpus.txt >partly.txt
		"$flamefold" graph -q -o none.svg $said
		grep -q 'id="time"' none.svg
		[ -z "$(by_processor none.svg)" ]
	done
}

@test "counters of a group ran on processors, and what waits ran on none" {
	cat >group.pd <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CPU,READ,CALLCHAIN,PERIOD ids=1,3 read_format=ID,GROUP flags=sample_id_all,comm_exec
	attr name=instructions config=1 sample_type=IDENTIFIER,IP,TID,TIME,CPU,READ,CALLCHAIN,PERIOD ids=2,4 read_format=ID,GROUP flags=sample_id_all
	comm pid=1 name=main exec time=1
	sample pid=1 time=1000000000 cpu=0 ip=0x1234 period=7 chain=U,0x1234 read=100:1,200:2
	sample pid=1 time=1500000000 cpu=6 ip=0x1300 period=7 chain=U,0x1300 read=1000:3,200:4
	sample pid=1 time=2000000000 cpu=0 ip=0x1400 period=7 chain=U,0x1400 read=150:1,230:2
	sample pid=1 time=4000000000 cpu=6 ip=0x1500 period=7 chain=U,0x1500 read=1010:3,230:4
	END
	# Of perf record --off-cpu: whoever ran when 7 woke up.
	cat >offcpu.pd <<-'END'
	attr name=offcpu-time type=1 config=10 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW flags=sample_id_all ids=8
	comm pid=5 name=main exec time=1
	sample pid=9 time=1000000000 cpu=1 ip=0xffffffff81000000 period=1 raw=05000000050000006400000000000000020000000000000000feffffffffffff342100000000000000000000
	sample pid=9 time=4000000000 cpu=0 ip=0xffffffff81000000 period=1 raw=05000000050000006400000000000000020000000000000000feffffffffffff342100000000000000000000
	END
	for name in group offcpu; do
		"$root/tests/perfdata/build" -o $name.data $name.pd
		"$flamefold" graph -q --addrs -o $name.svg $name.data
		grep -q 'id="time"' $name.svg
	done
	by_processor group.svg >is
	slices_of group.data '0 6' 20ms | cmp - is
	[ "$(wc -l <is)" = 4 ]
	[ -z "$(by_processor offcpu.svg)" ]
	"$flamefold" fold -q --addrs offcpu.data | grep -q ' 200$'
}

@test "a clock may begin at 0, and where samples have no times places in the file are none" {
	# As perf script --reltime prints it.
	awk '/cycles:/ { sub(/[0-9]+\.[0-9]+:/, sprintf("%.6f:", substr($4, 1, 12) - 86390)) } { print }' phases.txt >rel.txt
	grep -q ' 0\.000000: ' rel.txt
	"$flamefold" fold --by-time=20ms phases.txt >is
	"$flamefold" fold --by-time=20ms rel.txt | cmp - is
	"$flamefold" graph -q -o rel.svg rel.txt
	"$flamefold" fold --by-time=20ms rel.svg | cmp - is
	sed 's/ [0-9]*\.[0-9]*: / /' phases.txt >none.txt
	{
		echo 'attr name=cycles period=7 ids=1 sample_type=IDENTIFIER,IP,TID,PERIOD,CALLCHAIN flags=comm_exec'
		echo 'comm pid=1 name=main exec time=1'
		for i in 1 2 3; do
			echo 'sample pid=1 ip=0x1234 period=7 chain=U,0x1234'
		done
	} >none.pd
	"$root/tests/perfdata/build" -o none.data none.pd
	for file in none.txt none.data; do
		run -0 --separate-stderr "$flamefold" graph --heat -o x.svg $file
		[[ $stderr == *"no map of time: something in it has no time"* ]]
		run -1 --separate-stderr "$flamefold" fold --by-time=1s $file
		[[ $stderr == *"no slices of time: something in it has no time"* ]]
		run -1 --separate-stderr "$flamefold" graph --chart -o x.svg $file
		[[ $stderr == *"cannot draw a chart of '$file': it has no times" ]]
	done
}
