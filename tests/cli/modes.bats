#!/usr/bin/env bats
# What intervals weigh: --mode and --pair, on recordings whose answers are known.
bats_require_minimum_version 1.5.0

load recordings
load modes

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# The head of a recording of switches and wakings. Addresses 0x11 to 0x1f are app's, k is the kernel's.
head_of()
{
	cat <<-'END'
	tracepoint name=sched:sched_switch id=316 fields=prev_comm:16,prev_pid:4,prev_prio:4,prev_state:8,next_comm:16,next_pid:4
	tracepoint name=sched:sched_waking id=318 fields=comm:16,pid:4,prio:4,target_cpu:4
	attr name=sched:sched_switch type=2 config=316 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=sched:sched_waking type=2 config=318 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	comm pid=7 name=app time=1
	comm pid=8 name=other time=1
	comm pid=9 name=third time=1
	END
}

# switch TIME PREV STATE NEXT [WORD...]
switch()
{
	local time=$1 prev=$2 state=$3 next=$4

	shift 4
	echo "sample event=sched:sched_switch pid=$prev time=$time chain=K,0xffffffff80000001,0xffffffff80000002,U,0x11,0x22" \
		"fields=prev_pid:$prev,prev_state:$state,next_pid:$next $*"
}

# waking TIME WAKER WOKEN [FLAGS]
waking()
{
	echo "sample event=sched:sched_waking pid=$2 time=$1 chain=K,0xffffffff80000003,U,0x33 fields=pid:$3,common_flags:${4:-0}"
}

# recorded <BODY: x.data
recorded()
{
	{ head_of; cat; } >x.pd
	"$build" -o x.data x.pd
}

# refuses CODE TEXT OPTION...: one sentence with the text, and nothing is written.
refuses()
{
	local code=$1 text=$2 status=0

	shift 2
	fold "$@" >out 2>err || status=$?
	[ "$status" -eq "$code" ] || { echo "exit $status, not $code"; cat err; return 1; }
	[ ! -s out ] || { echo "it writes"; return 1; }
	[ "$(grep -c . err)" -le 2 ] || { cat err; return 1; }
	grep -qF -- "$text" err || { cat err; return 1; }
}

@test "off-CPU time is from the switch away to the switch back, on the stack of the first" {
	{ switch 1000 7 1 0; switch 2234 0 0 7; } | recorded
	mode offcpu
	[ "$(cat x.folded)" = "app;[unknown <22>];[unknown <11>];-;[unknown <ffffffff80000002>];[unknown <ffffffff80000001>] 1234" ]
	says "app;A 1234"
}

@test "who is preempted does not block, nor who is dead" {
	{
		switch 1000 7 0 8; switch 1100 8 1 7 # R
		switch 1200 7 0x100 0; switch 1250 0 0 7 # R+
		switch 1300 7 2 0; switch 1307 0 0 7 # D
		switch 1400 7 0x10 0; switch 1450 0 0 7 # X, and another one of its number
		switch 1500 7 0x20 0; switch 1550 0 0 7 # Z
	} | recorded
	mode offcpu --stats
	says "app;A 7"
	grep -qx '  starts without an end *1' err
	mode runq
	says "app;A 150"
}

@test "states block or not, by their letters" {
	local state

	for state in 1 2 4 8 0x40 0x80; do
		{ switch 1000 7 $state 0; switch 1003 0 0 7; } | recorded
		mode offcpu
		says "app;A 3"
	done
}

@test "a switch ends one wait and begins another" {
	{ switch 1000 7 1 8; switch 1010 8 1 7; switch 1100 7 1 8; switch 1150 8 1 7; } | recorded
	mode offcpu
	says "app;A 60" "other;A 90"
}

@test "every event of a mode is in one of the figures of --stats" {
	{
		switch 1000 7 1 0; switch 1100 7 1 0; switch 1200 0 0 7
		switch 1300 7 1 0; switch 1400 7 0 0; switch 1500 0 0 9
		switch 1600 8 1 0; echo "lost lost=3 time=1650 event=sched:sched_switch"; switch 1700 0 0 8
		switch 1800 8 1 0
	} | recorded
	mode offcpu --stats
	says "app;A 100"
	sed -n '/^events of the mode/,/^seconds/s/^\(  \)*\(.*[^ ]\)  *\([1-9][0-9]*\)$/\2 \3/p' err >figures
	printf '%s\n' "events of the mode 9" "starts 5" "ends 3" "paired 1" "ends without a start 1" "starts without an end 1" "cancelled 1" \
		"started again before an end 1" "records lost meanwhile 1" | diff - figures
	"$flamefold" info --mode offcpu x.data 2>/dev/null >info
	sed -n '/^what became of the events of the mode/,/^$/s/^ *\([0-9]*\)  \(.*\)/\2 \1/p' info | diff - figures
	"$flamefold" info x.data 2>/dev/null >info
	[ "$(grep -c 'events of the mode' info)" -eq 0 ]
	"$flamefold" info --format=json x.data 2>/dev/null | grep -q '"mode": null'
}

# adds_up OPTION...: what info says of x.data and the mode is conserved. figures: all of it.
adds_up()
{
	"$flamefold" info --format=json "$@" x.data 2>/dev/null >x.json
	python3 - <<-'END'
	import json
	m = json.load(open('x.json'))['mode']
	assert m['starts'] == m['paired'] + m['starts_without_end'] + m['cancelled'] + m['restarted'] + m['lost'], m
	assert m['ends'] == m['paired'] + m['ends_without_start'] + m['lost'], m
	assert m['events'] >= m['starts'] + m['ends'] and m['starts'], m
	open('figures', 'w').write(str(m))
	END
}

@test "starts and ends are conserved, whatever the order, the loss and the number of threads" {
	local name

	{
		echo "repeat i 500"
		for pid in 7 8 9; do
			echo "sample event=sched:sched_switch pid=$pid cpu={i % 2} time={(7919 * i + 100 * $pid) % 50021} chain=U,0x11 fields=prev_pid:$pid,prev_state:{[0, 1, 2, 0x100, 0x20][i % 5]},next_pid:{(7 * i + $pid) % 4 + 7}"
			echo "sample event=sched:sched_waking pid=$pid cpu={i % 2} time={(7907 * i + 50 * $pid) % 50021} chain=U,0x33 fields=pid:{(3 * i + $pid) % 4 + 7}"
		done
		echo end
		for time in 9000 10000 20000 20001 40000; do
			echo "lost lost=3 time=$time event=sched:sched_switch"
		done
	} | recorded
	for name in offcpu runq schedlat wakeup offwake chain; do
		adds_up --mode $name --threads=1
		cp figures one
		adds_up --mode $name --threads=3
		diff one figures
	done
	adds_up --mode offcpu --only pid=7
	adds_up --pair 'start sched:sched_switch key prev_pid; end sched:sched_switch key next_pid; first; open count; weight t'
	# Of what is cut, what was read is.
	{ echo "format pipe"; cat x.pd; } >y.pd
	"$build" -o y.data y.pd
	for size in 12000 20000 77777 200000; do
		head -c $size y.data >x.data
		adds_up --mode chain
	done
}

@test "records that were lost break the waits that they were lost in, and no other" {
	{
		switch 1000 7 1 0; switch 1010 0 0 7
		switch 1020 8 1 0
		echo "lost lost=3 time=1025 event=sched:sched_switch"
		switch 1030 0 0 8
		switch 1040 7 1 0; switch 1055 0 0 7
	} | recorded
	mode offcpu
	says "app;A 25"
}

@test "records were lost since the one before in their ring, on whatever processor" {
	{
		switch 900 8 1 0 cpu=1; switch 950 0 0 8 cpu=1
		switch 1000 7 1 0; switch 1500 0 0 7
		switch 1600 7 1 0; switch 1620 0 0 7
		echo "lost lost=3 time=1550 event=sched:sched_switch cpu=1"
	} | recorded
	mode offcpu
	says "app;A 20" "other;A 50"
	cat x.data | fold --mode offcpu --addrs - 2>/dev/null | sort >x.folded
	says "app;A 20" "other;A 50"
	# Of a ring that is not known the LOST itself is all that is.
	sed 's/IP,TID,TIME,CPU,/IP,TID,TIME,/' x.pd >y.pd
	"$build" -o x.data y.pd
	mode offcpu
	says "app;A 520" "other;A 50"
}

# Ten thousand switches of three threads on two processors, whose waits are known: 7 waits 30 a time, 8 waits 50.
many()
{
	cat <<-'END'
	repeat i 1000
	sample event=sched:sched_switch pid=7 cpu={i % 2} time={1000 + 100 * i} chain=K,0xffffffff80000001,0xffffffff80000002,U,0x11,0x22 fields=prev_pid:7,prev_state:1,next_pid:0
	sample event=sched:sched_waking pid=9 cpu={i % 2} time={1010 + 100 * i} chain=K,0xffffffff80000003,U,0x33 fields=pid:7
	sample event=sched:sched_switch pid=0 cpu={i % 2} time={1030 + 100 * i} fields=prev_pid:0,prev_state:0,next_pid:7
	sample event=sched:sched_switch pid=8 cpu=1 time={1031 + 100 * i} chain=K,0xffffffff80000001,0xffffffff80000002,U,0x11,0x22 fields=prev_pid:8,prev_state:2,next_pid:0
	sample event=sched:sched_waking pid=7 cpu=1 time={1050 + 100 * i} chain=K,0xffffffff80000003,U,0x33 fields=pid:8
	sample event=sched:sched_switch pid=0 cpu=1 time={1081 + 100 * i} fields=prev_pid:0,prev_state:0,next_pid:8
	end
	END
}

@test "any order of records, one thread, three, or a pipe: the same" {
	local name

	many | recorded
	for name in offcpu runq schedlat wakeup offwake chain; do
		mode $name --threads=1
		sort x.folded >"$name"
		[ -s "$name" ]
		mode $name --threads=3
		sort x.folded | diff "$name" -
		cat x.data | fold --mode $name --addrs - 2>/dev/null | sort | diff "$name" -
	done
	grep -q '^app;.* 30000$' offcpu
	grep -q '^other;.* 50000$' offcpu
	# As it would come from two buffers: all of one processor, then all of the other; and backwards.
	"$build" -o sorted.data x.pd
	{
		head_of
		echo "format pipe"
		many
	} >pipe.pd
	"$build" -o x.data pipe.pd
	for name in offcpu chain; do
		mode $name
		sort x.folded | diff "$name" -
	done
	{
		head_of
		many | sed 's/{\([^}]*\)}/{(\1)}/g; s/time={(\([0-9]*\) + 100 \* i)}/time={\1 + 100 * (999 - i)}/' |
			sed 's/cpu={(i % 2)}/cpu={(999 - i) % 2}/'
	} >backwards.pd
	"$build" -o x.data backwards.pd
	for name in offcpu chain; do
		mode $name --threads=3
		sort x.folded | diff "$name" -
	done
}

@test "a recording that ends too early has what is in it" {
	{ head_of; echo "format pipe"; many; } >x.pd
	"$build" -o x.pipe x.pd
	head -c 300001 x.pipe >x.data
	mode offcpu
	grep -q "ends inside a record" err
	awk '/^app;/ { good = $NF > 1000 && $NF < 30000 && $NF % 30 == 0 } END { exit !good }' x.folded
	# The fields of a file are behind its samples.
	many | recorded
	head -c 300000 x.data >y.data
	refuses 1 "the end of the file is missing" --mode offcpu y.data
	grep -q "or its name is behind the end that is missing" err || grep -q "which fields event" err
}

# brk_head: a recording of brk alone.
brk_head()
{
	cat <<-'END'
	tracepoint name=syscalls:sys_enter_brk id=20 fields=nr:4,brk:8
	tracepoint name=syscalls:sys_exit_brk id=21 fields=nr:4,ret:8
	attr name=syscalls:sys_enter_brk type=2 config=20 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
	attr name=syscalls:sys_exit_brk type=2 config=21 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
	comm pid=7 name=app time=1
	END
}

# brk TIME ASKED GIVEN
brk()
{
	echo "sample event=syscalls:sys_enter_brk pid=7 time=$1 chain=U,0x11 fields=brk:$2"
	echo "sample event=syscalls:sys_exit_brk pid=7 time=$(($1 + 1)) chain=U,0x11 fields=ret:$3"
}

@test "a heap grows from where its program has it, not from that of the program before" {
	{
		brk_head
		brk 100 0 4096; brk 110 12288 12288; brk 120 8192 8192
		brk 200 0 1099511627776; brk 210 1099511631872 1099511631872
	} >x.pd
	"$build" -o x.data x.pd
	mode brk
	says "app;11 12288"
}

@test "stacks that are cut can be left out, whosever they are" {
	{
		brk_head
		brk 100 0 4096
		echo "sample event=syscalls:sys_exit_brk pid=7 time=111 chain=U,0x11,0x5,0xffffffffffffff00 fields=ret:8192"
		brk 120 12288 12288
	} >x.pd
	"$build" -o x.data x.pd
	mode brk --truncated=drop --stats
	says "app;11 4096"
	grep -qx 'weight left out as truncated *4,096' err
	mode brk --truncated=merge
	[ "$(awk '{ n += $NF } END { print n }' x.folded)" -eq 8192 ]
}

@test "memory whose freeing may have been lost is no leak, nor is what could not be had" {
	{
		cat <<-'END'
		tracepoint name=kmem:kmalloc id=30 fields=ptr:8,bytes_alloc:8
		tracepoint name=kmem:kfree id=31 fields=ptr:8
		attr name=kmem:kmalloc type=2 config=30 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=1 flags=sample_id_all,comm_exec
		attr name=kmem:kfree type=2 config=31 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN ids=2 flags=sample_id_all,comm_exec
		comm pid=7 name=app time=1
		END
		for i in "10 1 64" "20 2 128" "40 3 256" "50 0 512"; do
			# shellcheck disable=SC2086 # three words
			set -- $i
			echo "sample event=kmem:kmalloc pid=7 time=$1 chain=U,0x11 fields=ptr:$2,bytes_alloc:$3"
		done
		echo "sample event=kmem:kfree pid=7 time=25 chain=U,0x11 fields=ptr:2"
		echo "lost lost=1 time=30 event=kmem:kfree"
	} >x.pd
	"$build" -o x.data x.pd
	mode kmemleak --stats
	says "app;11 256"
	grep -q '1 intervals are open whose ends may be among the records that were lost' err
}

# disk EVENT SECTOR SECTORS [RWBS]: by pid 7
disk()
{
	echo "sample event=block:$1 pid=7 time=$((1000 + $2)) chain=U,0x11" \
		"fields=dev:1,sector:$2,nr_sector:$3,rwbs:${4:-WS}"
}

@test "what joins a request of a disk is of its bytes, and asked for by who joined it" {
	local name n=0

	for name in block_io_start block_bio_backmerge block_bio_frontmerge block_rq_issue; do
		n=$((n + 1))
		echo "tracepoint name=block:$name id=$((30 + n)) fields=dev:4,sector:8,nr_sector:4,rwbs:10"
		echo "attr name=block:$name type=2 config=$((30 + n)) ids=$n flags=sample_id_all,comm_exec" \
			"sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW,CALLCHAIN"
	done >head
	echo "comm pid=7 name=app time=1" >>head
	{
		cat head
		disk block_io_start 8 8
		disk block_bio_backmerge 16 16
		disk block_bio_frontmerge 0 8
		# What is issued is all of it.
		disk block_rq_issue 0 32
	} >x.pd
	"$build" -o x.data x.pd
	mode iobytes
	says "app;11 16384"
	mode iocount
	says "app;11 1"
	# Where nobody has recorded how a request begins, it is what it is in the end.
	sed -i '/block_io_start/d; /block_bio_/d; s/ids=4/ids=1/' x.pd
	"$build" -o x.data x.pd
	mode iobytes
	says "app;11 16384"
	# A discard is a request, and none of its bytes go anywhere.
	{
		cat head
		disk block_io_start 8 8
		disk block_io_start 100 4096 DS
		disk block_bio_backmerge 4196 4096 D
		disk block_rq_issue 100 8192 DS
	} >x.pd
	"$build" -o x.data x.pd
	mode iobytes
	says "app;11 4096"
	mode iocount
	says "app;11 2"
}

@test "text and pictures have no events that could be weighed" {
	{ switch 1000 7 1 0; switch 2234 0 0 7; } | recorded
	mode offcpu
	refuses 1 "cannot weigh 'x.folded' by a mode" --mode offcpu x.folded
	"$flamefold" -o x.svg --mode offcpu x.data
	refuses 1 "cannot weigh 'x.svg' by a mode" --mode offcpu x.svg
	fold x.svg | grep -q '1234$'
}

@test "a rule has a title" {
	{ switch 1000 7 1 0; switch 2234 0 0 7; } | recorded
	"$flamefold" -o x.svg --pair 'start sched:sched_switch key prev_pid; end sched:sched_switch key next_pid; weight t; title What waits' x.data
	grep -q '>What waits<' x.svg
}

@test "what waits at the end is not counted, or up to the last event" {
	local rule="start sched:sched_switch key prev_pid if prev_pid; end sched:sched_switch key next_pid if next_pid; weight t"

	{ switch 1000 7 1 0; switch 1200 8 1 0; switch 1300 0 0 9; } | recorded
	refuses 1 "no samples: among 3 events of the mode no start has an end" --pair "$rule" x.data
	fold --addrs --pair "$rule; open count" x.data >x.folded
	says "app;A 300" "other;A 100"
	cat x.data | fold --addrs --pair "$rule; open count" - >x.folded
	says "app;A 300" "other;A 100"
	fold --addrs --pair "$rule; open report" x.data >x.folded
	says "app;A 300" "other;A 100"
}

@test "wakeups, off-wake and chains" {
	{
		switch 1000 7 1 0; switch 1010 8 1 0
		waking 1100 9 8; switch 1110 9 0 8
		waking 1150 8 7; switch 1160 8 0 7
	} | recorded
	mode wakeup
	says "third;W;other 90" "other;W;app 150"
	mode offwake
	says "other;A;--;80000003;-;33;third 100" "app;A;--;80000003;-;33;other 160"
	mode chain
	says "other;A;--;80000003;-;33;third 100" "app;A;--;80000003;-;33;other;--;80000003;-;33;third 160"
	mode schedlat
	says "third;W 10" "other;W 10"
}

@test "an interrupt that wakes has a name of its own" {
	{ switch 1000 7 1 0; waking 1100 9 7 8; switch 1110 9 0 7; } | recorded
	mode wakeup
	says "[hardirq];80000003;app 100"
	mode offwake
	says "app;A;--;80000003;[hardirq] 110"
	mode schedlat
	says "[hardirq];80000003 10"
}

@test "a filter chooses who waits, and not who wakes" {
	{
		switch 1000 7 1 0; switch 1010 8 1 0
		waking 1100 9 8; switch 1110 9 0 8
		waking 1150 8 7; switch 1160 8 0 7
	} | recorded
	mode offwake --only comm=app
	says "app;A;--;80000003;-;33;other 160"
	mode offwake --drop comm=app
	says "other;A;--;80000003;-;33;third 100"
}

@test "a rule of one's own" {
	{ switch 1000 7 1 0 ; switch 1234 0 0 7; } | recorded
	fold --addrs --pair 'sample sched:sched_switch if prev_pid; weight prev_state * 5 + cpu' x.data >x.folded
	says "app;A 5"
	fold --addrs --pair "# clauses may be lines
		start sched:*_switch key prev_pid if prev_pid == 7
		end sched:sched_switch key next_pid
		weight t / 2" x.data >x.folded
	says "app;A 117"
}

@test "a mode has a title, a unit and colors in the picture" {
	{ switch 1000 7 1 0; switch 2234 0 0 7; } | recorded
	"$flamefold" --mode offcpu --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	grep -q 'Off-CPU Time' x.svg
	"$flamefold" --mode offcpu --title Mine --symfs /nowhere --kallsyms=/dev/null -o x.svg x.data 2>/dev/null
	grep -q 'Mine' x.svg
	! grep -q 'Off-CPU Time' x.svg
}

@test "what was not recorded is said, and how to record it" {
	{ switch 1000 7 1 0; switch 2234 0 0 7; } | recorded
	refuses 1 "'block:block_io_start' was not recorded: there is 'sched:sched_switch', 'sched:sched_waking'; perf record -a -g -e 'block:block_io_start' -e 'block:block_io_done' records it" \
		--mode blockio x.data
	refuses 1 "event 'sched:sched_switch' has no field 'prev_pidd'" \
		--pair 'start sched:sched_switch key prev_pidd; end sched:sched_switch' x.data
	refuses 1 "event 'sched:sched_waking' has no field 'prev_pid'" \
		--pair 'start sched:* key prev_pid; end sched:sched_switch' x.data
	sed '/^tracepoint name=sched:sched_switch/d; s/fields=prev_pid[^ ]*//' x.pd >y.pd
	"$build" -o y.data y.pd
	refuses 1 "which fields event 'sched:sched_switch' has was not recorded" --mode offcpu y.data
	refuses 1 "'prev_comm': a text is only compared, by == or !=, with another at its end" \
		--pair 'start sched:sched_switch key prev_comm; end sched:sched_switch key next_comm' x.data
	refuses 1 "field 'prev_comm' is a text, which weighs nothing" \
		--pair 'sample sched:sched_switch; weight prev_comm' x.data
	refuses 1 "'prev_pid != 'app'': a text is compared with a number at its end" \
		--pair "sample sched:sched_switch if prev_pid != 'app'; weight 1" x.data
	sed 's/,TIME,/,/' x.pd >y.pd
	"$build" -o y.data y.pd
	refuses 1 "were recorded without their times" --mode offcpu y.data
}

@test "what is wrong on the command line is said before anything is read" {
	refuses 2 "'offcp'" --mode offcp nowhere.data
	refuses 2 "--mode" --mode nowhere.data
	refuses 2 "a mode says what a stack weighs" --mode offcpu --count=samples nowhere.data
	refuses 2 "a mode has events of its own" --mode offcpu --event=cycles nowhere.data
	refuses 2 "'begin a' is not a clause of a pairing" --pair 'begin a; end b' nowhere.data
	refuses 2 "a pairing has both a start and an end" --pair 'start a' nowhere.data
	refuses 2 "'t +': no value at its end" --pair 'start a; end b; weight t +' nowhere.data
	refuses 2 "'(x': no ')' at its end" --pair 'start a if (x; end b' nowhere.data
	refuses 2 "'y' is not known in a weight" --pair 'start a; end b; weight y' nowhere.data
}

@test "--list-modes names them, with -v their rules" {
	"$flamefold" --list-modes >modes
	grep -q '^  offcpu  *where do threads block' modes
	[ "$(grep -c . modes)" -gt 20 ]
	"$flamefold" --list-modes -v >rules
	grep -q '^ *end sched:sched_switch key next_pid if next_pid;$' rules
}

@test "off-CPU time of what runs here is what perf script's text says" {
	need_perf
	need_tracefs
	need_fields_by_perf
	perf record -q -o x.data -e sched:sched_switch -e sched:sched_waking -a -g -- \
		sh -c 'for i in 1 2 3 4 5 6; do (sleep 0.0$i; sleep 0.02 | cat) & done; wait' 2>err ||
		skip "perf may not record: $(head -n 1 err)"
	perf script --ns -i x.data -F comm,tid,pid,time,event,trace,ip 2>/dev/null >text
	"$BATS_TEST_DIRNAME/offcpu_perf_script.py" <text >expected
	[ "$(wc -l <expected)" -gt 3 ]
	fold --mode offcpu x.data 2>/dev/null >x.folded
	awk '{ comm = $0; sub(/;.*/, "", comm); sub(/ [0-9]+$/, "", comm); sum[comm] += $NF }
		END { for (comm in sum) printf "%s %d\n", comm, sum[comm] }' x.folded | LC_ALL=C sort >found
	diff expected found
}

@test "who spins for a lock and then sleeps waits from the beginning, and each processor's idle thread by itself" {
	{
		edges lock:contention_begin/lock_addr:8,flags:4 lock:contention_end/lock_addr:8,ret:4
		echo "comm pid=0 name=idle time=1"
		at 100 lock:contention_begin lock_addr:4096,flags:33
		at 140 lock:contention_begin lock_addr:4096,flags:32
		at 150 lock:contention_end lock_addr:4096
		# Two idle threads, in interrupts, want the same lock: both are number 0.
		for i in "200 begin 0" "210 begin 1" "230 end 0" "290 end 1"; do
			# shellcheck disable=SC2086 # three words
			set -- $i
			echo "sample event=lock:contention_$2 pid=0 cpu=$3 time=$1 chain=K,0xffffffff80000001 fields=lock_addr:4096"
		done
	} >x.pd
	"$build" -o x.data x.pd
	mode locks --stats
	says "app;11 50" "idle;80000001 110"
	grep -qE '^  paired *3$' err
}

@test "memory of the kernel that was not to be had is none" {
	{
		edges kmem:kmalloc/ptr:8,bytes_alloc:8
		at 10 kmem:kmalloc ptr:4096,bytes_alloc:64
		at 20 kmem:kmalloc ptr:0,bytes_alloc:512
	} >x.pd
	"$build" -o x.data x.pd
	mode kmem
	says "app;11 64"
}

@test "a thread that becomes another program does not return from the first one's call" {
	{
		edges raw_syscalls:sys_enter/id:8 raw_syscalls:sys_exit/id:8,ret:8 \
			sched:sched_process_exec/pid:4,old_pid:4
		at 100 raw_syscalls:sys_enter id:202
		at 500 raw_syscalls:sys_enter id:59 tid=9
		at 600 sched:sched_process_exec pid:7,old_pid:9
		at 610 raw_syscalls:sys_exit id:59,ret:0
		# The first thread itself does.
		at 700 raw_syscalls:sys_enter id:59
		at 710 sched:sched_process_exec pid:7,old_pid:7
		at 720 raw_syscalls:sys_exit id:59,ret:0
	} >x.pd
	"$build" -o x.data x.pd
	mode syscalls
	says "app;11 20"
}

@test "of a recording that says whom it was asked for others do not count, but who they start do" {
	{
		head_of
		echo "thread_map tids=7,1234 asked_for"
		echo "fork pid=10 ppid=7 time=20"
		echo "fork pid=11 ppid=10 time=30"
		echo "exit pid=10 ppid=7 time=900"
		echo "fork pid=12 ppid=8 time=40"
		for tid in 7 8 10 11 12; do
			switch $((100 * tid)) $tid 1 0
			switch $((100 * tid + tid)) 0 0 $tid
		done
	} >x.pd
	"$build" -o x.data x.pd
	mode offcpu --tid
	says "app-10/10;A 10" "app-11/11;A 11" "app-7/7;A 7"
	# Nobody has given a filter.
	"$flamefold" fold --mode offcpu x.data 2>&1 >x.folded | grep -E '^flamefold: [0-9.]+ % is of processes that were not asked for$'
	"$flamefold" fold --mode offcpu --only tid=7 x.data 2>&1 >x.folded | grep -E '^flamefold: [0-9.]+ % filtered out$'
	# Who wakes is anybody.
	mode offcpu --threads=3 --tid
	says "app-10/10;A 10" "app-11/11;A 11" "app-7/7;A 7"
	"$flamefold" fold -q --mode offcpu --tid --addrs - <x.data | cmp - x.folded
	# perf has such a record in each file: of threads that it has opened events on.
	sed -i 's/ asked_for//' x.pd
	"$build" -o x.data x.pd
	mode offcpu
	[ "$(awk '{ n += $NF } END { print n }' x.folded)" -eq 48 ]
}

@test "who has recorded whole processors does not count, but what it is switched to from does" {
	{
		head_of
		echo "thread_map tids=9 recorder"
		switch 100 7 1 9; switch 150 9 1 8; switch 160 8 1 9; switch 200 9 1 7
	} >x.pd
	"$build" -o x.data x.pd
	mode offcpu
	says "app;A 100"
	"$flamefold" fold -q --mode offcpu --addrs - <x.data | cmp - x.folded
	sed -i 's/ recorder//' x.pd
	"$build" -o x.data x.pd
	mode offcpu
	says "app;A 100" "third;A 10"
}
