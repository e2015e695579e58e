#!/usr/bin/env bats
# What modes say, and what other tools would have said of the same recording by their rules: equal where those
# are right. Where they are not, a test says why.
bats_require_minimum_version 1.5.0

load events
load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# scheduled: x.data and text, of processes that wait for one another, for time and for a processor.
scheduled()
{
	need_mode_events
	need_perf
	perf record -q -o x.data -e sched:sched_switch -e sched:sched_waking -a -m 1024 -g -- \
		sh -c 'for i in 1 2 3 4 5 6; do (sleep 0.0$i; sleep 0.02 | cat) & done; wait; ls -R / 2>/dev/null | head -n 3000' >list 2>err ||
		skip "perf may not record: $(head -n 1 err)"
	[ "$("$flamefold" info -q --format=json x.data | jq .lost)" -eq 0 ] || skip "perf has lost records"
	perf script --ns -i x.data -F comm,tid,pid,time,event,trace,ip,sym >text 2>err
}

# by_rules TOOL MODE [OPTION... -- OPTION...]: options of flamefold, then those of the tool
by_rules()
{
	local tool=$1 mode=$2 options=()

	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift $(($# > 0))
	"$flamefold" fold -q --mode "$mode" "${options[@]}" -o x.folded x.data
	echo "$tool $*"
	"$BATS_TEST_DIRNAME/bcc_rules.py" "$tool" x.folded "$@" <text
}

@test "offcputime: equal, but that preempted, dead and idle threads do not wait" {
	scheduled
	by_rules offcputime offcpu
	by_rules offcputime offcpu --only state=S -- --state S
	# bcc's -m, whose times are cut to microseconds.
	by_rules offcputime offcpu --only duration=1ms.. -- --min 1000
}

@test "wakeuptime: equal, but that an interrupt is not the task that it came upon" {
	scheduled
	by_rules wakeuptime wakeup
}

@test "offwaketime: equal, but that the first waker ends a wait, not the last, nor one of another wait" {
	scheduled
	by_rules offwaketime offwake
}

# The head of a recording with the statistics of sleeps, which not every kernel has.
statistics()
{
	local name n=1

	cat <<-'END'
	tracepoint name=sched:sched_switch id=31 fields=prev_pid:4,prev_state:8,next_pid:4
	attr name=sched:sched_switch type=2 config=31 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	END
	for name in sleep blocked iowait; do
		n=$((n + 1))
		echo "tracepoint name=sched:sched_stat_$name id=$((30 + n)) fields=pid:4,delay:8"
		echo "attr name=sched:sched_stat_$name type=2 config=$((30 + n)) ids=$n flags=sample_id_all,comm_exec" \
			"sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN"
	done
	printf 'comm pid=%d name=%s time=1\n' 7 app 8 waker
}

# away TIME PID ADDRESS, and slept TIME PID KIND DELAY, in the context of who wakes
away()
{
	echo "sample event=sched:sched_switch pid=$2 time=$1 chain=U,$3 fields=prev_pid:$2,prev_state:1,next_pid:0"
}

slept()
{
	echo "sample event=sched:sched_stat_$3 pid=8 time=$1 chain=U,0x99 fields=pid:$2,delay:$4"
}

@test "stackcollapse-perf-sched.awk, and perf inject -s: the kernel's delay on the stack of the switch away, as a rule" {
	{
		statistics
		away 1000 7 0x11
		slept 6000 7 sleep 4500
		# A blocked sleep is told of twice: how long of it was for I/O is in it already.
		away 10000 7 0x22
		slept 19000 7 iowait 3000
		slept 19001 7 blocked 8000
		# Of one whose switch away was not recorded there is no stack.
		slept 30000 9 sleep 7000
	} >x.pd
	"$build" -o x.data x.pd
	fold -q --addrs --pair 'start sched:sched_switch key prev_pid;
		end sched:sched_stat_sleep,sched:sched_stat_blocked key pid; weight end.delay; unit ns; stack start' x.data >x.folded
	printf '%s\n' 'app;[unknown <11>] 4500' 'app;[unknown <22>] 8000' | diff - x.folded
}

@test "chaintest, and the awk script with recurse: who had woken the waker before the wait is no part of it" {
	{
		statistics
		cat <<-'END'
		tracepoint name=sched:sched_waking id=35 fields=pid:4
		attr name=sched:sched_waking type=2 config=35 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=5 flags=sample_id_all,comm_exec
		END
		echo "comm pid=6 name=first time=1"
		away 100 8 0x88
		echo "sample event=sched:sched_waking pid=6 time=200 chain=U,0x66 fields=pid:8"
		echo "sample event=sched:sched_switch pid=6 time=210 fields=prev_pid:6,prev_state:0,next_pid:8"
		# Awake long before the wait of app begins: its own wait explains nothing of it.
		away 1000 7 0x11
		echo "sample event=sched:sched_waking pid=8 time=4000 chain=U,0x99 fields=pid:7"
		echo "sample event=sched:sched_switch pid=8 time=4010 fields=prev_pid:8,prev_state:1,next_pid:7"
	} >x.pd
	"$build" -o x.data x.pd
	fold -q --addrs --mode chain --only comm=app --stats x.data >x.folded 2>stats
	echo 'app;[unknown <11>];--;[unknown <99>];waker 3010' | diff - x.folded
	grep -q 'chains cut as stale *1$' stats
}
