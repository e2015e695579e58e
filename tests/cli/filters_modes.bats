#!/usr/bin/env bats
# --only and --drop of what a mode weighs: intervals.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	# A program sleeps 5 ms and waits 7 ms for a disk, a thread of the kernel is idle for 20 us.
	python3 - >p.pd <<-'END'
	import struct
	fields = [('prev_pid', 'pid_t', 8, 4), ('prev_state', 'long', 16, 8), ('next_pid', 'pid_t', 24, 4)]
	text = 'name: sched_switch\nID: 316\nformat:\n' + ''.join(
	    f'\tfield:{kind} {name};\toffset:{at};\tsize:{size};\tsigned:1;\n' for name, kind, at, size in fields)
	files = struct.pack('<I', 1) + struct.pack('<Q', len(text)) + text.encode()
	data = (b'\x17\x08\x44tracing0.6\0\0\x08' + struct.pack('<I', 4096) + b'header_page\0' + bytes(8)
	        + b'header_event\0' + bytes(8) + bytes(4) + struct.pack('<I', 1) + b'sched\0' + files)
	print('format pipe\nattr name=sched:sched_switch type=2 config=316'
	      ' sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN,RAW flags=sample_id_all,comm_exec ids=1')
	print('tracing_data hex=' + data.hex())
	print('comm pid=1 name=app exec time=1\ncomm pid=9 name=kworker time=1')
	print('mmap2 pid=1 start=0x1000 len=0x9000 off=0x1000 name=/no/x time=1')
	def switch(time, before, state, after):
	    raw = struct.pack('<8xi4xqi4x', before, state, after)
	    print(f'sample pid={before} time={time} ip=0x1234 period=1 chain=U,0x1234 raw={raw.hex()}')
	switch(1000000, 1, 1, 9)
	switch(6000000, 9, 0x80, 1)
	switch(6020000, 1, 2, 9)
	switch(13020000, 9, 1, 1)
	END
	"$root/tests/perfdata/build" -o p.data p.pd
}

# What waits have passed, in us: "app 5000".
weighs()
{
	local wanted=$1
	shift
	run --separate-stderr "$flamefold" fold --mode offcpu "$@" p.data
	[ "$status" -eq 0 ]
	[ "$(sed 's/;.* / /' <<<"$output" | awk '{ print $1, $2 / 1000 }' | paste -sd ' ')" = "$wanted" ] ||
		{ echo "got: $output, $stderr"; return 1; }
}

refuses()
{
	run --separate-stderr "$flamefold" fold "${@:3}" p.data
	[ "$status" -eq "$1" ]
	[ -z "$output" ]
	[[ $stderr = "flamefold: $2"* ]] || { echo "said: $stderr"; return 1; }
}

@test "without a filter all waits are there" {
	weighs "app 12000 kworker 20"
}

@test "state: as what waits was left" {
	weighs "app 5000" --only state=S
	weighs "app 7000" --only state=D
	weighs "kworker 20" --only state=I
	weighs "app 7000 kworker 20" --drop state=S
	weighs "app 12000" --only state=SD
	weighs "app 5000 kworker 20" --only state=S --only state=I
}

@test "duration: of the wait" {
	weighs "app 12000" --only duration=1ms..
	weighs "kworker 20" --only duration=..1ms
	weighs "app 5000" --only duration=1ms..7ms
	weighs "app 7000" --only duration=7ms..
	weighs "app 12000" --drop duration=..20.001us
}

@test "kthread: who has no memory of its own" {
	weighs "kworker 20" --only kthread=1
	weighs "app 12000" --only kthread=0
	weighs "app 12000" --drop kthread=1
}

@test "they are asked together, and beside those of samples" {
	weighs "app 7000" --only duration=1ms.. --drop state=S
	weighs "app 5000" --only comm=app --only state=S --only kthread=0
	weighs "kworker 20" --drop comm=app
}

@test "what is left out is counted" {
	run --separate-stderr "$flamefold" fold --mode offcpu --stats --only duration=1ms.. -o /dev/null p.data
	grep -qE '^weight read +12,020,000$' <<<"$stderr"
	grep -qE '^weight filtered out +20,000$' <<<"$stderr"
}

@test "they take a mode whose intervals tell it" {
	refuses 2 "filter 'kthread=1' asks about intervals, which only a mode has: --mode offcpu; try" --only kthread=1
	refuses 2 "filter 'duration=1ms..' asks about intervals, which only a mode has: --mode offcpu; try" \
		--mode cpu --drop duration=1ms..
	refuses 1 "cannot filter by duration: this mode has no intervals" \
		--pair 'sample sched:sched_switch; weight 1' --only duration=1ms..
	refuses 1 "cannot filter by state: the events that begin intervals of this mode do not tell it" \
		--pair 'sample sched:sched_switch; weight 1' --only state=D
}

@test "states of a kernel before 4.14 are what they were then" {
	local state

	old()
	{
		{
			cat <<-'END'
			tracepoint name=sched:sched_switch id=316 fields=prev_pid:4,prev_state:8,next_pid:4 print='"%s%s", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), "|", { 1, "S"} , { 2, "D" }, { 4, "T" }, { 8, "t" }, { 16, "Z" }, { 32, "X" }, { 64, "x" }, { 128, "K" }, { 256, "W" }, { 512, "P" }, { 1024, "N" }) : "R", REC->prev_state & 2048 ? "+" : "", REC->next_pid'
			attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD,CALLCHAIN,RAW flags=sample_id_all,comm_exec ids=1
			comm pid=1 name=app exec time=1
			END
			echo "sample pid=1 time=1000000 chain=U,0x1234 fields=prev_pid:1,prev_state:$1"
			echo "sample pid=9 time=6000000 chain=U,0x1234 fields=next_pid:1"
		} >p.pd
		"$root/tests/perfdata/build" -o p.data p.pd
	}
	for state in 1:S 2:D 4:T 8:t 512:P 1026:I 130:D; do
		old "${state%:*}"
		weighs "app 5000"
		weighs "app 5000" --only state="${state#*:}"
		run "$flamefold" fold --mode offcpu --drop state="${state#*:}" p.data
		[[ "$output" != *"app;"* ]]
	done
	# The dead have waited for nothing, and who was preempted is on the run queue.
	for state in 16 32 64 2048 0; do
		old $state
		run "$flamefold" fold --mode offcpu p.data
		[[ "$output" != *"app;"* ]]
	done
	cat >>p.pd <<-'END'
	sample pid=1 time=7000000 chain=U,0x1234 fields=prev_pid:1,prev_state:2048
	sample pid=9 time=9000000 chain=U,0x1234 fields=next_pid:1
	END
	"$root/tests/perfdata/build" -o p.data p.pd
	rule='start sched:sched_switch key prev_pid if runnable(prev_state) && prev_pid && (prev_state & 0x100); end sched:sched_switch key next_pid; weight t'
	"$flamefold" fold --pair "$rule" p.data 2>/dev/null | grep -q '^app;.* 2000000$'
}
