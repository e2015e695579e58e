#!/usr/bin/env bats
# Several recordings on one axis of time: which are, which are not, and that all who ask for a time mean the same.
bats_require_minimum_version 1.5.0

load recordings
load events

setup_file()
{
	build_program shares
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	shares=$BATS_FILE_TMPDIR/shares
}

# bytes SIZE NUMBER: little-endian, in hex.
bytes()
{
	local i

	for ((i = 0; i < $1; i++)); do
		printf %02x $(($2 >> 8 * i & 255))
	done
}

# clock_data CLOCK SINCE [READ]: a clock that showed 0 then, in ns since 1970, and was read 50 s later, or READ ns.
clock_data()
{
	local read=${3:-50000000000}

	echo "feature number=29 hex=01000000$(bytes 4 "$1")$(bytes 8 $(($2 + read)))$(bytes 8 "$read")"
}

started=1780000000000000000
ran='comm pid=1 name=app exec time=1'

# machine [KEY=VALUE...]: what the header and the first records say: host kernel arch clock since address.
machine()
{
	local host=box kernel=6.1.0 arch=aarch64 clock=1 since=$started read='' address=0xffffffff81000000 option

	for option; do
		local "$option"
	done
	echo "attr name=cpu-clock type=1 ids=1 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN" \
		"flags=sample_id_all,comm_exec${clock:+,use_clockid clockid=$clock}"
	[ -z "$host" ] || echo "feature hostname=$host"
	[ -z "$kernel" ] || echo "feature osrelease=$kernel"
	echo "feature arch=$arch"
	[ -z "$clock" ] || [ -z "$since" ] || clock_data "$clock" "$since" "$read"
	[ -z "$address" ] || echo "mmap pid=-1 tid=0 mode=kernel start=0xffffffff81000000 len=0x1000000" \
		"off=$address name=[kernel.kallsyms]_text time=1"
	echo "$ran"
}

# samples FROM STEP UNTIL: every 7 ms from 100 s on; of three functions that follow each other, and one now and then.
samples()
{
	awk -v from="$1" -v step="$2" -v count="$3" 'BEGIN {
		for (i = from; i < count; i += step) {
			f = i % 14 < 3 ? "d" : i < 200 ? "a" : i < 400 ? "b" : "c"
			printf "sample pid=1 tid=1 time=%.0f cpu=%d ip=0x1%s00 period=%d chain=U,0x1%s00,0x1f00\n",
				100000000000 + 7000000 * i, i % 4, f, 1000000 + i, f
		}
	}'
}

# made NAME [KEY=VALUE...]: its records are standard input.
made()
{
	local name=$1

	shift
	{ machine "$@"; cat; } >"$name.pd"
	"$build" -o "$name.data" "$name.pd"
}

strip()
{
	sed -n '/<g id="time"/,/<\/g>/p' "$1"
}

# Two files are on one axis, in either order.
are_joined()
{
	for order in "$1 $2" "$2 $1"; do
		# shellcheck disable=SC2086 # two files
		"$flamefold" fold -q --addrs --by-time=20ms $order >joined.slices
		cmp joined.slices "${3:-whole.slices}"
	done
}

# not_joined WORDS FILE FILE: each has its own axis, and the sentence has the words in either order.
not_joined()
{
	local words=$1

	shift
	for order in "$*" "$2 $1"; do
		# shellcheck disable=SC2086 # two files
		run -1 --separate-stderr "$flamefold" fold --addrs --by-time=20ms $order
		[[ $stderr == *"no slices of time: its inputs have clocks of their own: "*$words* ]] ||
			{ echo "$order: $stderr"; return 1; }
		flaw=$stderr
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$flamefold" fold --addrs --only time=0,0.5 $order
		[[ $stderr == *"time= is counted from the first sample of each input, for its inputs have"*$words* ]]
		echo "$output" | sort >together
	done
	for file; do
		"$flamefold" fold -q --addrs --only time=0,0.5 "$file"
	done | awk '{ v = $NF; sub(/ [0-9]+$/, ""); n[$0] += v } END { for (s in n) print s, n[s] }' | sort | cmp - together
}

@test "a recording in two files is the recording: strip, phases, slices, ranges and processors" {
	samples 0 1 600 | made whole
	# Each second sample; and one behind the other, where the clocks were read a little apart.
	samples 0 2 600 | made even
	samples 1 2 600 | made odd since=$((started + 9000000))
	samples 0 1 250 | made early
	samples 250 1 600 | made late since=$((started - 400))
	"$flamefold" graph -q --addrs --phases -o whole.svg whole.data
	"$flamefold" fold -q --addrs --by-time=20ms whole.data >whole.slices
	[ "$(grep -c '^#' whole.slices)" -gt 200 ]
	for pair in 'even odd' 'early late'; do
		read -r a b <<<"$pair"
		are_joined $a.data $b.data
		"$flamefold" graph -q --addrs --phases -o ab.svg $a.data $b.data
		"$flamefold" graph -q --addrs --phases --threads=1 -o ba.svg $b.data $a.data
		cmp ab.svg ba.svg
		cmp <(strip whole.svg) <(strip ab.svg)
		[ "$(strip ab.svg | wc -c)" -gt 1000 ]
		"$flamefold" fold -q --addrs --by-time=20ms ab.svg | cmp - whole.slices
		for range in 0,1 0.5,2.003 3.9, 10%-40% 99%-100%; do
			"$flamefold" fold -q --addrs --only time=$range whole.data >is
			[ -s is ]
			for order in "$a.data $b.data" "$b.data $a.data"; do
				# shellcheck disable=SC2086 # two files
				"$flamefold" fold --addrs --only time=$range $order 2>stderr | cmp - is
				! grep 'time=' stderr
			done
		done
		"$flamefold" graph -q --addrs --heat -o ab.ff $a.data $b.data
		"$flamefold" fold -q --addrs --by-time=20ms ab.ff | cmp - whole.slices
	done
	# Three of them, and one that has no samples, which says nothing.
	samples 0 3 600 | made one
	samples 1 3 600 | made two
	samples 2 3 600 | made three
	made none host=other </dev/null
	for order in 'one two three none' 'none three one two'; do
		# shellcheck disable=SC2086,SC2046 # several files
		"$flamefold" fold -q --addrs --by-time=20ms $(printf '%s.data ' $order) | cmp - whole.slices
	done
}

@test "what waits is where it was, in two files as in one" {
	events='tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_state:8,next_pid:4
attr name=sched:sched_switch type=2 config=316 period=1 ids=2 clockid=1 flags=sample_id_all,use_clockid sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,RAW'
	waits()
	{
		for i; do
			for part in '0 1 1 9 0' '0 9 0 1 a' "2 1 1 9 $i" '7 9 0 1 a'; do
				read -r tenth from state to at <<<"$part"
				echo "sample event=sched:sched_switch id=2 pid=$from tid=$from time=$i${tenth}00000000 cpu=0" \
					"ip=0x1${at}00 period=1 chain=U,0x1${at}00,0x1f00" \
					"fields=prev_pid:$from,prev_state:$state,next_pid:$to"
			done
		done
	}
	for file in 'whole 1 2 3 4' 'a 1 2' 'b 3 4'; do
		read -r name list <<<"$file"
		# shellcheck disable=SC2086 # numbers
		{ echo "$events"; echo 'feature hostname=box'; echo 'feature osrelease=6.1.0'; clock_data 1 $started
			echo "$ran"; echo 'comm pid=9 name=other exec time=1'; waits $list; } >$name.pd
		"$build" -o $name.data $name.pd
	done
	fold=("$flamefold" fold -q --addrs --mode=offcpu)
	"${fold[@]}" --by-time=100ms whole.data >is
	[ "$(grep -c '^#' is)" = 20 ]
	"${fold[@]}" --by-time=100ms a.data b.data | cmp - is
	"${fold[@]}" --by-time=100ms b.data a.data | cmp - is
	for range in 0,1 0.25,0.3 0.6,2.35 2.4,; do
		"${fold[@]}" --only time=$range whole.data >is
		[ -s is ]
		"${fold[@]}" --only time=$range b.data a.data | cmp - is
	done
	# A chart shows what is open where a recording ends up to there, and not up to the end of the other one.
	spans() { "$flamefold" export -q --addrs --chart -f chrome "$@" | grep -o '"dur":[0-9.]*' | sort; }
	spans a.data >is
	spans b.data >>is
	spans a.data b.data | cmp - <(sort is)
}

@test "another host, kernel, clock or start of the machine keeps an axis of its own, and is said" {
	samples 0 2 600 | made a
	samples 1 2 600 | made b host=other
	not_joined "the host of " a.data b.data
	[[ $flaw == *"the host of 'b.data' is other, that of 'a.data' is box" ]]
	samples 1 2 600 | made b kernel=6.1.1
	not_joined "the kernel of " a.data b.data
	samples 1 2 600 | made b clock=4
	not_joined "the clock of " a.data b.data
	[[ $flaw == *"the clock of 'b.data' is monotonic_raw, that of 'a.data' is monotonic" ]]
	samples 1 2 600 | made b clock=
	not_joined "the clock of " a.data b.data
	samples 1 2 600 | made b address=0xffffffff9a000000
	not_joined "the address of the kernel of " a.data b.data
	[[ $flaw == *"is 0xffffffff9a000000, that of 'a.data' is 0xffffffff81000000: the machine was started in between" ]]
	samples 1 2 600 | made b since=$((started + 61200000000))
	not_joined "by the time of day the clocks of 'a.data' and 'b.data' began 61.200 s apart" a.data b.data
	# 12 ms in ten minutes: nobody keeps a raw clock to the time of day, and the other one everybody does.
	for clock in 1 4; do
		samples 0 2 600 | made a clock=$clock
		samples 1 2 600 | made b clock=$clock since=$((started + 12000000)) read=650000000000
		case $clock in
		1) not_joined "by the time of day the clocks of 'a.data' and 'b.data' began 0.012 s apart" a.data b.data ;;
		4) "$flamefold" fold -q --addrs --by-time=20ms a.data b.data >joined.slices ;;
		esac
	done
	[ -s joined.slices ]
	samples 0 2 600 | made a
	samples 1 2 600 | made b since=$((started + 10000001))
	not_joined " began 0.010 s apart" a.data b.data
	# Two that are near, and one that is near to one of them alone.
	samples 1 4 600 | made b since=$((started + 9000000))
	samples 3 4 600 | made c since=$((started + 18000000))
	for order in 'a b c' 'c a b' 'b c a'; do
		# shellcheck disable=SC2046,SC2086 # several files
		run -1 --separate-stderr "$flamefold" fold --addrs --by-time=20ms $(printf '%s.data ' $order)
		[[ $stderr == *"the clocks of 'a.data' and 'c.data' began 0.018 s apart"* ]]
	done
	samples 1 2 600 | made b host=
	not_joined "'b.data' does not say which machine it was recorded on" a.data b.data
	# Times that cannot be compared at all.
	{ machine; echo 'attr name=other type=1 config=1 ids=2 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all'
		samples 1 2 600; } >b.pd
	"$build" -o b.data b.pd
	not_joined "'b.data' does not have all times of one clock" a.data b.data
}

@test "what is the same by chance shows nothing" {
	nothing="nothing shows that "
	# A clock that was never set, that of the day itself, another one than that of the samples, and none.
	for since in 0 1500000000000000000; do
		samples 0 2 600 | made a since=$since
		samples 1 2 600 | made b since=$since
		not_joined "$nothing" a.data b.data
	done
	for clock in 0 11 ''; do
		samples 0 2 600 | made a clock=$clock
		samples 1 2 600 | made b clock=$clock
		not_joined "$nothing" a.data b.data
		[[ $flaw == *"'b.data' and 'a.data' were recorded without a start of the machine in between: perf record -k CLOCK_MONOTONIC"* ]]
	done
	for name in a b; do
		{ clock_data 4 $started; samples 0 2 600; } | made $name since=
	done
	not_joined "$nothing" a.data b.data
	# Programs and libraries at places that are not chosen at random, of another process, another file, and
	# on a machine that has fewer places.
	map() { echo "mmap2 pid=$1 start=$2 len=0x1000 off=0x1000 name=$3 time=2"; }
	for at in 0x400000 0x555555554000 0x565555554000 0x7ffff7d00000 0x7eff00000000; do
		for name in a b; do
			{ map 1 $at /bin/x; samples 0 2 600; } | made $name clock= arch=x86_64
		done
		not_joined "$nothing" a.data b.data
	done
	{ map 1 0x55d0c0de0000 /bin/x; samples 0 2 600; } | made a clock= arch=x86_64
	for map in '2 0x55d0c0de0000 /bin/x' '1 0x55d0c0de1000 /bin/x' '1 0x55d0c0de0000 /bin/y'; do
		# shellcheck disable=SC2086 # its words
		{ map $map; samples 0 2 600; } | made b clock= arch=x86_64
		not_joined "$nothing" a.data b.data
	done
	{ map 1 0x55d0c0de0000 /bin/x; samples 0 2 600; } | made b clock= arch=aarch64
	not_joined "$nothing" a.data b.data
}

@test "a process that is in both shows that it was one start of the machine, from file to file" {
	map() { echo "mmap2 pid=$1 start=$2 len=0x1000 off=0x1000 name=/bin/x time=2"; }
	samples 0 1 600 | made whole
	"$flamefold" fold -q --addrs --by-time=20ms whole.data >whole.slices
	{ map 5 0x55d0c0de0000; samples 0 3 600; } | made a clock= arch=x86_64
	{ map 5 0x55d0c0de0000; map 6 0x7f31c0de0000; samples 1 3 600; } | made b clock= arch=x86_64
	{ map 6 0x7f31c0de0000; samples 2 3 600; } | made c clock= arch=x86_64
	for order in 'a b c' 'c a b' 'b c a' 'a c b'; do
		# shellcheck disable=SC2046,SC2086 # several files
		"$flamefold" fold -q --addrs --by-time=20ms $(printf '%s.data ' $order) | cmp - whole.slices
	done
	not_joined "nothing shows that " a.data c.data
	samples 0 2 600 | made a
	samples 1 2 600 | made b
	# An axis is of all inputs or of none.
	samples 2 3 600 | made c kernel=6.2
	run -1 --separate-stderr "$flamefold" fold --addrs --by-time=20ms a.data b.data c.data
	[[ $stderr == *"no slices of time: its inputs have clocks of their own: the kernel of 'a.data' is 6.1.0, that of 'c.data' is 6.2" ]]
	echo 'app;x 3' >c.folded
	run -1 --separate-stderr "$flamefold" fold --addrs --by-time=20ms a.data b.data c.folded
	[[ $stderr == *"no slices of time: its inputs have clocks of their own: 'c.folded' does not say which clock it has" ]]
}

@test "what comes through a pipe can be looked at once, and has an axis of its own" {
	samples 0 2 600 | made a
	samples 1 2 600 | made b
	run -1 --separate-stderr "$flamefold" fold --addrs --by-time=20ms a.data - <b.data
	[[ $stderr == *"clocks of their own: '-' can be read once only"* ]]
	mkfifo fifo
	cat b.data >fifo &
	run -1 --separate-stderr timeout 60 "$flamefold" fold --addrs --by-time=20ms fifo a.data
	[[ $stderr == *"clocks of their own: 'fifo' can be read once only"* ]]
	# What perf has written into one, and packed ones, are files.
	samples 0 1 600 | made whole
	"$flamefold" fold -q --addrs --by-time=20ms whole.data >whole.slices
	{ echo 'format pipe'; machine; samples 1 2 600; } | sed 's/^feature/header_feature/' >pipe.pd
	"$build" -o pipe.data pipe.pd
	are_joined a.data pipe.data
	gzip b.data
	are_joined a.data b.data.gz
	run -1 --separate-stderr "$flamefold" fold --by-time=1s a.data missing.data
	[ "$stderr" = "flamefold: cannot open 'missing.data': No such file or directory" ]
}

@test "charts of them have one axis, too" {
	samples 0 1 3 | made a
	samples 200 1 203 | made b
	samples 200 1 203 | made c since=$((started + 61200000000))
	begins() { "$flamefold" export -q --addrs --chart -f chrome "$@" | grep -o '"ts":[0-9.]*' | sort -t: -k2n | uniq | head -n 9; }
	printf '"ts":%d\n' 0 7000 14000 1400000 1407000 1414000 >is
	begins a.data b.data | cmp - is
	begins b.data a.data | cmp - is
	begins a.data c.data | cmp - <(head -n 3 is)
	run -0 --separate-stderr "$flamefold" export --addrs --chart -f chrome -o x.json a.data c.data
	[[ $stderr == *"each input of the chart begins at 0, for its inputs have clocks of their own"* ]]
}

# Each of its slices is what the range of it is, and all of them are all; one thread or two, in either order.
agrees()
{
	"$flamefold" fold -q --by-time=500ms "$@" >slices
	[ "$(grep -c '^#' slices)" -ge 3 ]
	awk '!/^#/ { n += $NF } END { printf "%d\n", n }' slices >all
	"$flamefold" fold -q "$@" | awk '{ n += $NF } END { printf "%d\n", n }' | cmp - all
	grep '^#' slices | while read -r _ range; do
		awk -v of="# $range" '/^#/ { is = $0 == of; next } is' slices >is
		"$flamefold" fold -q --only "time=$range" "$@" | cmp - is
	done
	"$flamefold" graph -q --threads=1 -o one.svg "$@"
	"$flamefold" graph -q --threads=2 -o two.svg "$@"
	cmp one.svg two.svg
	[ -n "$(strip one.svg)" ]
	"$flamefold" fold -q --by-time=500ms one.svg | cmp - slices
	backwards=()
	for file; do
		backwards=("$file" "${backwards[@]}")
	done
	"$flamefold" graph -q -o two.svg "${backwards[@]}"
	cmp one.svg two.svg
}

@test "a process that one of them does not name has the name that another one knows, whichever comes first" {
	samples 0 1 100 | made a
	ran=
	samples 100 1 200 | made b
	for files in 'a.data b.data' 'b.data a.data'; do
		for threads in 1 2; do
			# shellcheck disable=SC2086 # they are two
			"$flamefold" graph -q --addrs --threads=$threads -o x.svg $files
			[ "$("$flamefold" info x.svg | grep -c '  app$')" -eq 1 ]
		done
	done
}

@test "two recordings of perf record -k CLOCK_MONOTONIC" {
	need_events
	command -v perf >/dev/null || skip "no perf"
	for i in 1 2; do
		perf record -q -e cpu-clock:u -F 299 -g -k CLOCK_MONOTONIC -o $i.data -- "$shares" 1 1 ||
			skip "perf cannot record with a clock"
	done
	agrees 1.data 2.data
	# Without it they say nothing of it; of one user's program perf does not say where the kernel is.
	for i in 1 2; do
		perf record -q -e cpu-clock:u -F 299 -g -o $i.data -- "$shares" 1 1
	done
	run -1 --separate-stderr "$flamefold" fold --by-time=500ms 1.data 2.data
	[[ $stderr == *"nothing shows that '1.data' and '2.data' were recorded without a start of the machine"* ]]
}

@test "the files of --switch-output, of perf and of flamefold" {
	need_events
	"$flamefold" record -q -F 299 -e cpu-clock:u --switch-output=700ms --save 'part.%t.data' -o run.svg -- "$shares" 3 1
	[ "$(find . -name 'part.*' | wc -l)" -gt 1 ]
	agrees part.*
	command -v perf >/dev/null || skip "no perf"
	[ "$(uname -m)" = x86_64 ] || skip "perf writes no time of day, and a process shows it on x86-64 alone"
	[ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] || skip "processes have no places at random"
	# On a busy machine perf comes to it late, and of a program that has ended by then it writes no maps.
	echo 'nothing shows' >said
	for seconds in 3 9 late; do
		[ $seconds != late ] || break
		rm -f perf.data*
		perf record -q -e cpu-clock:u -F 299 -g --switch-output=1s -o perf.data -- "$shares" $seconds 1
		if [ "$(find . -name 'perf.data.*' | wc -l)" -gt 1 ]; then
			"$flamefold" fold -q --by-time=500ms perf.data.* >/dev/null 2>said && break
		fi
	done
	if [ $seconds = late ]; then
		grep -q 'nothing shows' said
		skip "perf was too late to switch while the program ran"
	fi
	agrees perf.data.*
}
