#!/usr/bin/env bats
# --mode offcpu of what perf record --off-cpu has measured itself.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

head_of()
{
	cat <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec ids=7
	attr name=offcpu-time type=1 config=10 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW flags=sample_id_all ids=8
	comm pid=5 name=main exec time=1000000000
	comm pid=5 tid=3 name=worker time=1000000000
	sample pid=5 time=1000000000 ip=0x1234 period=1 chain=U,0x1234
	sample pid=5 time=3000000000 ip=0x1234 period=1 chain=U,0x1234
	END
}

# slept TIME IDS NS: of the stack 0x11 below 0x22; the ids as they lie in the word, the lower half first.
slept()
{
	echo "sample event=offcpu-time pid=9 time=$1 raw=$2$(
		printf '%016x' "$3" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/'
	)030000000000000000feffffffffffff1100000000000000220000000000000000000000000000000000000000"
}

waits()
{
	head_of
	slept 2000000000 0300000005000000 600000000
	slept 2500000000 0500000005000000 700000000
	slept $((0xffffffff00000000)) 0500000003000000 20
	slept $((0xffffffff00000001)) 0500000005000000 30
}

# mode OPTION...: x.folded, of x.data
mode()
{
	fold --mode offcpu --addrs "$@" x.data 2>err | sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' >x.folded
}

says()
{
	printf '%s\n' "$@" | diff - x.folded
}

@test "waits that were long and those that were added up, each of the thread that waited" {
	waits >x.pd
	"$build" -o x.data x.pd
	mode
	says "main;22;11 700000030" "worker;22;11 600000020"
	mode --threads=3
	says "main;22;11 700000030" "worker;22;11 600000020"
	{ echo "format pipe"; waits; } >z.pd
	"$build" -o x.data z.pd
	mode
	says "main;22;11 700000030" "worker;22;11 600000020"
	cat x.data | fold --mode offcpu --addrs - 2>/dev/null | sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' >x.folded
	says "main;22;11 700000030" "worker;22;11 600000020"
}

@test "a picture of them counts ns" {
	waits >x.pd
	"$build" -o x.data x.pd
	"$flamefold" --mode offcpu --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	grep -q 'Off-CPU Time' x.svg
	grep -q "1.3 s of offcpu\|1,300,000,050 ns of offcpu" x.svg
}

@test "what was added up is of no time: it moves no clock, no order and no window" {
	waits >x.pd
	"$build" -o x.data x.pd
	# In the middle of the stream, and in its order all the same.
	{
		echo "format pipe"
		head_of | sed '$d'
		slept $((0xffffffff00000000)) 0500000003000000 20
		slept $((0xffffffffffffffff)) 0500000005000000 30
		echo finished_round
		slept 2000000000 0300000005000000 600000000
		echo finished_round
		slept 2500000000 0500000005000000 700000000
		head_of | tail -n 1
	} >y.pd
	"$build" -o y.data y.pd
	"$flamefold" info x.data 2>/dev/null >info
	grep -q '^duration *2.000 s' info
	grep -qE '^ *2 .*without a time, added up over all of the recording$' info
	for file in x.data y.data; do
		for from in "$file" -; do
			for words in "--only time=1.2," "--only time=0.5,1.2" "--drop time=0,1.2" "--drop time=0,"; do
				# shellcheck disable=SC2086 # two words
				cat "$file" | fold --mode offcpu $words "$from" 2>>errors | awk '{ print $NF }' | paste -sd' '
			done >found
			printf '%s\n' 700000000 600000000 "700000030 20" "30 20" | diff - found
		done
	done
	run grep 'came after newer ones' errors
	[ -z "$output" ]
	fold --mode offcpu --only time=50%,100% x.data 2>/dev/null | awk '{ print $NF }' | paste -sd' ' >found
	echo "700000000 600000000" | diff - found
}

@test "samples of perf before 6.16 have it all themselves" {
	cat >x.pd <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec ids=7
	attr name=offcpu-time type=1 config=10 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all ids=8
	comm pid=5 name=main exec time=10
	sample pid=5 time=20 ip=0x1234 period=1 chain=U,0x1234
	sample event=offcpu-time pid=5 time=0xffffffff00000000 ip=0x11 period=100 chain=U,0x11,0x22
	END
	"$build" -o x.data x.pd
	mode
	says "main;22;11 100"
}

@test "without a mode the other events are drawn, and where switches were recorded these are weighed" {
	waits >x.pd
	"$build" -o x.data x.pd
	fold --addrs x.data 2>err | sed -E 's/\[unknown <([0-9a-f]+)>\]/\1/g' >x.folded
	says "main;1234 2"
	grep -q "left out: 4 samples of 'offcpu-time'" err
	{
		cat <<-'END'
		tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
		attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
		END
		waits
		echo "sample event=sched:sched_switch pid=5 time=2000000000 chain=U,0x33 fields=prev_pid:5,prev_state:1"
		echo "sample event=sched:sched_switch pid=0 time=2000000007 fields=next_pid:5"
	} >x.pd
	"$build" -o x.data x.pd
	mode
	says "main;33 7"
}

@test "a rule has another one for recordings without its events" {
	waits >x.pd
	"$build" -o x.data x.pd
	fold --pair 'sample nothing; or; start no; end cycles; weight end.x; or; sample cycles; weight period * 5' x.data 2>/dev/null |
		grep -q '^main;.* 10$'
	run fold --pair 'start nothing; end cycles; or; sample none' x.data
	[ "$status" -eq 1 ]
	[[ "$output" == *"'nothing' was not recorded"*"-e 'nothing' -e 'cycles' records it"* ]]
}
