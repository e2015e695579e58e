#!/usr/bin/env bats
# Who is woken by an interrupt: what that had interrupted is no part of it.
bats_require_minimum_version 1.5.0

load recordings

SWITCH=1 WAKING=2 # numbers of formats
HARDIRQ=8 SOFTIRQ=16 NMI=64 # bits of common_flags
FIRST=0xffffffff81000000

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	# A symbol each 256 bytes: chain() counts on that.
	local at=0 name

	names=(_text schedule try_to_wake_up hrtimer_interrupt asm_sysvec_apic_timer_interrupt do_idle handle_softirqs
		local_bh_enable write_pipe exc_nmi asm_exc_nmi)
	for name in "${names[@]}"; do
		printf '%x T %s\n' $((FIRST + at)) "$name"
		at=$((at + 256))
	done >kallsyms
	printf '%x T _end\n' $((FIRST + at)) >>kallsyms
}

# formats: what perf keeps of /sys/kernel/tracing, in hex.
formats()
{
	python3 - <<-END
	import struct

	def file(name, number, fields):
	    common = [("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1),
	        ("unsigned char common_preempt_count", 3, 1), ("int common_pid", 4, 4)]
	    lines = [f"\tfield:{f};\toffset:{o};\tsize:{s};\tsigned:{int(f[:3] == 'int' or f[:4] == 'long')};\n"
	        for f, o, s in common] + ["\n"]
	    lines += [f"\tfield:{f};\toffset:{o};\tsize:{s};\tsigned:1;\n" for f, o, s in fields]
	    text = f'name: {name}\nID: {number}\nformat:\n{"".join(lines)}\nprint fmt: "%d", REC->common_pid\n'
	    return struct.pack("<Q", len(text)) + text.encode()

	switch = file("sched_switch", $SWITCH,
	    [("pid_t prev_pid", 8, 4), ("pid_t next_pid", 12, 4), ("long prev_state", 16, 8)])
	waking = file("sched_waking", $WAKING, [("pid_t pid", 8, 4)])
	print((b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096) +
	    b"header_page\0" + bytes(8) + b"header_event\0" + bytes(8) + struct.pack("<II", 0, 1) +
	    b"sched\0" + struct.pack("<I", 2) + switch + waking + bytes(16)).hex())
	END
}

little() # BYTES NUMBER: in hex, the least byte first
{
	local i

	for ((i = 0; i < $1; i++)); do printf '%02x' $(($2 >> 8 * i & 255)); done
}

# chain NAME...: addresses of kernel functions, leaf first, then of user space
chain()
{
	local name i list=K

	for name; do
		if [ "$name" = user ]; then
			list+=,U,0x401008
			continue
		fi
		for i in "${!names[@]}"; do
			[ "${names[i]}" != "$name" ] || list+=,$(printf '0x%x' $((FIRST + i * 256 + 8)))
		done
	done
	echo "$list"
}

# switch TIME PREV NEXT: PREV waits from now on; in schedule().
switch()
{
	echo "sample event=sched:sched_switch time=$1 pid=$2 period=1 ip=0x401008 chain=$(chain schedule user)" \
		"raw=$(little 2 $SWITCH)0000$(little 4 "$2")$(little 4 "$2")$(little 4 "$3")$(little 8 "$(($2 != 0))")"
}

# waking TIME PID WHOM FLAGS NAME...: leaf first
waking()
{
	echo "sample event=sched:sched_waking time=$1 pid=$2 period=1 ip=0x401008 chain=$(chain "${@:5}")" \
		"raw=$(little 2 $WAKING)$(little 1 "$4")00$(little 4 "$2")$(little 4 "$3")"
}

# recorded: of what is said on stdin x.data
recorded()
{
	local flags=sample_id_all,comm_exec type=IDENTIFIER,IP,TID,TIME,PERIOD,RAW,CALLCHAIN

	{
		echo "attr name=sched:sched_switch type=2 config=$SWITCH sample_type=$type flags=$flags ids=1"
		echo "attr name=sched:sched_waking type=2 config=$WAKING sample_type=$type flags=$flags ids=2"
		echo "feature number=1 hex=$(formats)"
		echo "mmap pid=-1 mode=kernel start=$FIRST len=0x1000 off=$FIRST name=[kernel.kallsyms]_text time=0"
		local pid name=(- app mid other)

		for pid in 1 2 3; do
			echo "comm pid=$pid name=${name[pid]} time=1"
			echo "mmap2 pid=$pid start=0x401000 len=0x1000 off=0 name=/no/${name[pid]} time=1"
		done
		cat
	} | "$build" -o x.data -
}

folded() # MODE
{
	"$flamefold" fold --quiet --mode "$1" --kallsyms=kallsyms --truncated=merge x.data
}

# is TEXT: that, a line for each stack in it
is()
{
	printf '%s\n' "$@" | sort >expected
	sort out | diff expected -
}

@test "whatever ran before the timer is no waker of a thread that the timer has woken" {
	{
		switch 1000 1 0
		waking 4000 0 1 $HARDIRQ try_to_wake_up hrtimer_interrupt asm_sysvec_apic_timer_interrupt do_idle
		switch 5000 0 1
		switch 11000 1 3
		waking 12000 3 1 $HARDIRQ try_to_wake_up hrtimer_interrupt asm_sysvec_apic_timer_interrupt user
		switch 12500 3 1
	} | recorded
	folded chain >out
	is "app;[app];-;schedule;--;try_to_wake_up;hrtimer_interrupt;asm_sysvec_apic_timer_interrupt;[hardirq] 5500"
	folded wakeup >out
	is "[hardirq];asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;try_to_wake_up;app 4000"
	folded schedlat >out
	is "[hardirq];asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;try_to_wake_up 1500"
}

@test "a softirq is a task's, whose chain goes on, unless it came with an interrupt" {
	{
		switch 1000 1 2
		switch 2000 2 3
		waking 3000 3 2 $NMI try_to_wake_up exc_nmi asm_exc_nmi user
		switch 3500 3 2
		waking 4000 2 1 $SOFTIRQ try_to_wake_up handle_softirqs local_bh_enable write_pipe user
		switch 5000 2 1
		switch 11000 1 2
		waking 12000 2 1 $((SOFTIRQ | 1)) try_to_wake_up handle_softirqs asm_sysvec_apic_timer_interrupt write_pipe user
		switch 12500 2 1
	} | recorded
	folded chain >out
	is "app;[app];-;schedule;--;try_to_wake_up;handle_softirqs;local_bh_enable;write_pipe;-;[mid];mid;--;try_to_wake_up;exc_nmi;asm_exc_nmi;[nmi] 4000" \
		"app;[app];-;schedule;--;try_to_wake_up;handle_softirqs;asm_sysvec_apic_timer_interrupt;[softirq] 1500" \
		"mid;[mid];-;schedule;--;try_to_wake_up;exc_nmi;asm_exc_nmi;[nmi] 1500" \
		"mid;[mid];-;schedule;--;[no waker] 6000"
	folded offwake >out
	grep -qx "app;.*;--;try_to_wake_up;handle_softirqs;local_bh_enable;write_pipe;-;\[mid\];mid 4000" out
	folded wakeup >out
	is "[nmi];asm_exc_nmi;exc_nmi;try_to_wake_up;mid 1000" \
		"mid;[mid];-;write_pipe;local_bh_enable;handle_softirqs;try_to_wake_up;app 3000" \
		"[softirq];asm_sysvec_apic_timer_interrupt;handle_softirqs;try_to_wake_up;app 1000"
	folded schedlat >out
	is "[nmi];asm_exc_nmi;exc_nmi;try_to_wake_up 500" \
		"mid;[mid];-;write_pipe;local_bh_enable;handle_softirqs;try_to_wake_up 1000" \
		"[softirq];asm_sysvec_apic_timer_interrupt;handle_softirqs;try_to_wake_up 500"
}

@test "filters ask the stacks that are left" {
	{
		switch 1000 1 0
		waking 4000 0 1 $HARDIRQ try_to_wake_up hrtimer_interrupt asm_sysvec_apic_timer_interrupt do_idle
		switch 5000 0 1
	} | recorded
	"$flamefold" fold --quiet --mode chain --kallsyms=kallsyms --truncated=merge --drop symbol=do_idle x.data >out
	is "app;[app];-;schedule;--;try_to_wake_up;hrtimer_interrupt;asm_sysvec_apic_timer_interrupt;[hardirq] 4000"
}
