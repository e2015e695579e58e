#!/usr/bin/env bats
# Memory that others ask for, all of them together: what goes beyond the budget is left out and named,
# and everything else is there. Each shape takes several times as much without one.
bats_require_minimum_version 1.5.0

load recordings

budget=$root/tests/budget

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# A sanitizer takes memory of its own, and more for each allocation.
sanitized()
{
	grep -aq '__[at]san_init' "$flamefold"
}

# within MIB COMMAND...: it ends with what is in $status, standard error is in err, and has taken no more.
within()
{
	local most=$1 got=0 peak
	shift
	python3 "$budget/peak.py" "$@" >out 2>err || got=$?
	peak=$(tail -n 1 err)
	sed -i '$d' err
	echo "peak: $peak MiB, exit $got: $(cat err)"
	[ "$got" -eq "${status:-0}" ] || return 1
	[ "$peak" -le "$most" ] || sanitized
}

# bats test_tags=long
@test "--memory: a picture of 1 MB whose tree would take 1 GB is refused" {
	python3 "$budget/picture.py" 9000000 p.svg
	[ "$(stat -c %s p.svg)" -lt 1000000 ]
	status=1 within 150 "$flamefold" fold --memory=128M p.svg
	[[ $(cat err) == *"'p.svg': the data of the picture takes more memory than what is read may: --memory=SIZE with more"* ]]
	[ ! -s out ]
	within 1500 "$flamefold" fold --memory=4G -q p.svg
	[ -s out ]
}

@test "--memory: a picture that others made as they should is read with little" {
	seq -f 'main;f%.0f;g 1' 20000 | "$flamefold" graph -q -o p.svg -
	"$flamefold" fold --memory=64M p.svg >folded 2>err
	[ ! -s err ]
	diff folded <("$flamefold" fold p.svg)
}

@test "--memory takes bytes, and letters for more of them" {
	echo 'a;b 1' >in.folded
	for size in 1048576 1M 1.5g 2T 900000K; do
		"$flamefold" fold --memory=$size in.folded | grep -qx 'a;b 1'
	done
	for size in 0 1 x M 1023K 1X 1MM -1M 1M1 '' 1e30; do
		run -2 --separate-stderr "$flamefold" fold --memory=$size in.folded
		[[ $stderr == *"'--memory'"*'bytes like 512M or 1.5G'* ]]
	done
}

# map OBJECT...: x.data has a sample in each.
map()
{
	local at=0x10000000 object

	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all'
		echo 'comm pid=1 name=app exec time=1'
		for object; do
			echo "mmap2 pid=1 start=$at len=0x1000 off=0x1000 name=$PWD/$object time=1"
			echo "sample pid=1 time=2 ip=$((at + 16)) period=5"
			at=$((at + 0x10000))
		done
	} | "$build" -o x.data -
}

# left_out WORDS: the sentence has them, and each object is in the output all the same.
left_out()
{
	grep -F "$1" err | grep -q ' had to be left out: what is read may take 64M of memory: --memory=SIZE with more$'
	"$flamefold" info --format=json --memory=64M x.data 2>/dev/null | jq -e '[.warnings[] | select(.kind == "memory")] | length == 1'
}

@test "--memory: debug information that unpacks to 600 MB is left out" {
	python3 "$budget/object.py" debug 600000000 debug.so
	map debug.so
	within 100 "$flamefold" fold --memory=64M x.data
	[ "$(cat out)" = 'app;[debug.so] 5' ]
	left_out "debug information of '$PWD/debug.so'"
}

@test "--memory: a table of 400 MB of symbols in a hole is left out" {
	python3 "$budget/object.py" symbols 398400000 symbols.so
	map symbols.so symbols.so
	within 100 "$flamefold" fold --memory=64M x.data
	[ "$(cat out)" = 'app;[symbols.so] 10' ]
	left_out "symbols of '$PWD/symbols.so'"
	"$flamefold" info --symbols --memory=64M x.data | grep -q "no memory is left for the symbols of '$PWD/symbols.so'"
}

@test "--memory: call frame information of 20 MB is left out, and frames are guessed" {
	python3 "$budget/object.py" entries 20000000 entries.so
	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all regs_user=0x1c0 stack_user=16'
		echo 'feature arch=x86_64'
		echo 'comm pid=1 name=app exec time=1'
		echo "mmap2 pid=1 start=0x10000000 len=0x10000 off=0x1000 name=$PWD/entries.so time=1"
		echo 'sample pid=1 time=2 ip=0x10000008 period=5 chain= regs=2:0x10000,0x10000,0x10000008 dyn=16 stack=00000000000000000000000000000000'
	} | "$build" -o x.data -
	within 130 "$flamefold" fold --memory=64M --no-inline x.data
	[ "$(awk '{ sum += $NF } END { print sum }' out)" -eq 5 ]
	left_out "call frame information of '$PWD/entries.so'"
	"$flamefold" fold --memory=1G --no-inline x.data 2>&1 >/dev/null | { ! grep 'had to be left out'; }
}

@test "--memory: symbols that are packed in an object and unpack to 120 MB are left out" {
	python3 "$budget/object.py" packed 120000000 packed.so
	map packed.so
	within 130 "$flamefold" fold --memory=64M x.data
	[ "$(cat out)" = 'app;[packed.so] 5' ]
	left_out "what is packed of '$PWD/packed.so (.gnu_debugdata)'"
}

@test "what helps against a budget that is too small is more: --memory" {
	python3 "$budget/object.py" debug 100000000 debug.so
	map debug.so
	"$flamefold" fold --memory=64M x.data 2>&1 >/dev/null | grep -q -e '--memory=SIZE with more'
	! "$flamefold" fold --memory=1G x.data 2>&1 >/dev/null | grep -e '--memory'
}

# packed KIND COUNT MIB OPTION...: a recording of that kind takes no more; the sample of app counts.
packed()
{
	local kind=$1 count=$2 most=$3
	shift 3
	python3 "$budget/recording.py" "$kind" "$count" x.data
	within "$most" "$flamefold" fold --memory=64M "$@" x.data
	[ "$(awk '{ sum += $NF } END { print sum }' out)" -eq $((kind_samples + 1)) ]
	grep -q '^app' out
	grep -q ': what is read may take 64M of memory: --memory=SIZE with more$' err
	! grep -q 'damaged' err || false
}

@test "--memory: a recording of 500 KB with 160 MB of names of threads" {
	kind_samples=0 packed names 40000 130
	grep -qF "names of processes and files of 'x.data'" err
}

@test "--memory: a recording of 500 KB with paths of many processes, each below its own limit" {
	kind_samples=0 packed maps 40 130
	# Each path is of a file that is new, too: either may be the first there is no memory for.
	grep -qE "(names of processes and files of 'x.data'|files of 'what processes have mapped') and " err
}

@test "--memory: a recording of 200 KB with 3,000,000 records of processes" {
	kind_samples=0 packed states 3000000 130
	grep -qF "records of processes of 'x.data'" err
}

@test "--memory: a header with 200,000 build ids" {
	kind_samples=0 packed buildids 200000 90
	grep -qF "build ids of 'x.data'" err || grep -qF "names of processes and files of 'x.data'" err
}

@test "--memory: a header whose section is larger than what is left is read without it" {
	kind_samples=0 packed buildids 700000 60
	grep -qF "header features of 'x.data'" err
}

@test "--memory: 5,000 tracepoints of a system with a name of 1 MB" {
	python3 - >x.pd <<-'END'
	import struct
	files = b''.join(struct.pack('<Q', len(t)) + t for t in (b'name: t%05d\nID: %d\n' % (i, i) for i in range(5000)))
	data = (b'\x17\x08\x44tracing0.6\0\0\x08' + struct.pack('<I', 4096) + b'header_page\0' + bytes(8) + b'header_event\0' +
	        bytes(8) + bytes(4) + struct.pack('<I', 1) + b's' * 1000000 + b'\0' + struct.pack('<I', 5000) + files)
	print('format pipe\nattr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all')
	print('tracing_data hex=' + data.hex())
	print('sample pid=1 time=1 ip=0x10 chain=U,0x10')
	END
	"$build" -o x.data x.pd
	within 60 "$flamefold" fold --memory=64M x.data
	[ "$(total <out)" -eq 1 ]
}

@test "--memory: stacks that never come again are cut, and all of their weight is there" {
	kind_samples=10000 packed stacks 10000 130 --addrs
	grep -q '^flamefold: [0-9.]* % of the weight is on stacks that had to be cut' err
	# They end at the last frame that is known, which may be the process's.
	grep -qE '^app( |;.*;\[memory limit\] )' out
	# With less threads or more it is no less.
	within 150 "$flamefold" fold --memory=64M --addrs --threads=1 x.data
	[ "$(awk '{ sum += $NF } END { print sum }' out)" -eq 10001 ]
	# A picture says it, too, when it is read back.
	within 200 "$flamefold" graph --memory=64M --addrs -o x.svg x.data
	"$flamefold" fold x.svg 2>&1 >/dev/null | grep -q 'on stacks that had to be cut'
}

@test "--memory: processes of a stream that begin with the maps of one that has thousands" {
	{
		echo 'format pipe'
		echo 'attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec'
		echo 'repeat i 4000'
		echo 'mmap pid=1 start={0x10000+0x1000*i} len=0x1000 name=/no/x time={2*i}'
		echo 'fork pid={i+2} ppid=1 time={2*i+1}'
		echo end
		echo 'repeat i 4000'
		echo 'sample pid={i+2} time=9000 ip={0x10000+i*0x1000} chain=U,{0x10000+i*0x1000}'
		echo end
	} | "$build" -o x.data -
	within 100 "$flamefold" fold --memory=64M - < <(cat x.data)
	[ "$(total <out)" -eq 4000 ]
	grep -q "maps of 'processes that were forked'.* had to be left out: what is read may take 64M of memory" err
}

@test "--memory: names of threads in the streams of a directory" {
	mkdir recording
	python3 "$budget/recording.py" names 20000 x.data
	gzip -dc x.data >recording/data
	python3 - recording <<-'END'
	import struct, sys
	for n in range(4):
	    with open('%s/data.%d' % (sys.argv[1], n), 'wb') as out:
	        for i in range(10000):
	            name = (b'%d/%d/' % (n, i)).ljust(3999, b'x') + b'\0'
	            out.write(struct.pack('<IHHII', 3, 2, 16 + len(name), 7, 100000 * (n + 1) + i) + name)
	END
	within 130 "$flamefold" fold --memory=64M recording
	[ "$(total <out)" -eq 1 ]
	grep -qF "names of processes and files of 'recording" err
}

@test "--memory: user chains that come later" {
	kind_samples=0 packed deferred 200000 130
	grep -qF "deferred call chains of 'x.data'" err
}

@test "--memory: counters that are read with samples" {
	local read lost tree

	python3 "$budget/recording.py" counters 1000000 x.data
	within 250 "$flamefold" fold --memory=64M --stats x.data
	grep -F "counters of samples of 'x.data'" err | grep -q ': what is read may take 64M of memory'
	read=$(sed -n 's/^weight read *//p' err | tr -d ,)
	lost=$(sed -n 's/^weight of damaged records *//p' err | tr -d ,)
	tree=$(awk '{ sum += $NF } END { print sum }' out)
	[ "$lost" -gt 100000 ]
	[ "$read" -eq $((tree + lost)) ]
	within 900 "$flamefold" fold --memory=4G x.data
	[ "$(cat out)" = "app;[unknown] $((2 << 40))" ]
}

# refused KIND COUNT SENTENCE: of a stream of so many records the last one's sample is there, and it is said
# what has had no memory.
refused()
{
	python3 "$budget/recording.py" "$1" "$2" x.data
	gzip -dc x.data >x.pipe
	within 200 "$flamefold" fold --memory=64M - < <(cat x.pipe)
	[ "$(total <out)" -eq 1 ]
	grep -qF "$3" err
}

@test "--memory: processes of a stream that do not end" {
	refused pids 600000 "records of 'processes that live'"
}

@test "--memory: a process of a stream that has a million maps" {
	refused living 1000000 "maps of 'processes that live'"
}

@test "--memory: a process of a stream that maps new files under one name all the time" {
	refused inodes 500000 "files of 'what processes have mapped'"
}

# A perf map and a jitdump of 500,000 functions, each with a name of 200 bytes, in a process that hits all.
runtime()
{
	mkdir maps
	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,CHAIN flags=sample_id_all' | sed 's/CHAIN/CALLCHAIN/'
		echo 'comm pid=7 name=app exec time=1'
		[ "$1" = map ] ||
			echo 'mmap2 pid=7 start=0x400000 len=0x1000 off=0 name=/tmp/jit-7.dump time=1'
		echo 'mmap2 pid=7 start=0x10000000 len=0x10000000 name=//anon time=1'
		echo 'repeat i 500'
		echo 'sample pid=7 time=9 ip={0x10000000 + 0x100000 * i} chain=U'"$(printf ',{0x10000000 + 16 * (%d + 1000 * i)}' 1 2 3 4 5 6 7 8)"
		echo end
	} | "$build" -o x.data -
	python3 - "$1" <<-'END'
	import struct, sys
	pad = 'x' * 190
	if sys.argv[1] == 'map':
	    with open('maps/perf-7.map', 'w') as out:
	        for i in range(500000):
	            out.write('%x 10 f%d%s\n' % (0x10000000 + 16 * i, i, pad))
	else:
	    with open('maps/jit-7.dump', 'wb') as out:
	        out.write(struct.pack('<IIIIIIQQ', 0x4A695444, 1, 40, 62, 0, 7, 0, 0))
	        for i in range(500000):
	            name = ('f%d%s' % (i, pad)).encode() + b'\0'
	            at = 0x10000000 + 16 * i
	            out.write(struct.pack('<IIQIIQQQQ', 0, 16 + 40 + len(name) + 16, 2, 7, 7, at, at, 16, i) + name + bytes(16))
	END
}

@test "--memory: a perf map" {
	runtime map
	within 130 "$flamefold" fold --memory=64M --map-dir maps x.data
	[ "$(total <out)" -eq 500 ]
}

@test "--memory: a jitdump of more functions than there is memory for" {
	runtime dump
	within 130 "$flamefold" fold --memory=64M --map-dir maps x.data
	[ "$(total <out)" -eq 500 ]
	grep -qF "functions of 'a jitdump'" err
	grep -q ';f[0-9]*x' out
}

@test "--memory: folded text is cut likewise" {
	seq 600000 | sed 's/.*/main;f&;g&;h& 1/' >in.folded
	within 150 "$flamefold" fold --memory=64M in.folded
	[ "$(awk '{ sum += $NF } END { print sum }' out)" -eq 600000 ]
	grep -q "names of 'folded text' had to be left out: what is read may take 64M of memory" err
	within 900 "$flamefold" fold --memory=4G in.folded
	[ ! -s err ]
	sort in.folded | diff -q - <(sort out)
}

@test "--memory: a window of zstd that is too large is refused with what helps" {
	command -v zstd >/dev/null || skip "no zstd"
	{ head -c 100000 /dev/urandom | base64 -w 70 | sed 's/.*/main;& 1/'; } >part.folded
	for i in $(seq 12); do sed "s/main/main$i/" part.folded; done | zstd -q -3 --long=27 >in.folded
	run -1 --separate-stderr "$flamefold" fold --memory=32M in.folded
	[[ $stderr == *'needs a window of '*' MiB, and no memory is left for it: --memory=SIZE with more'* ]]
}

# A group of control of one's own, where such can be made: its path in $group.
limited_group()
{
	local mount line

	line=$(grep -E '^[0-9]+:([^:]*,)?memory(,[^:]*)?:' /proc/self/cgroup) && {
		mount=$(awk '$9 == "cgroup" && $NF ~ /memory/ { print $5 }' /proc/self/mountinfo | head -n 1)
		group=$mount${line##*:}/flamefold.$$
		mkdir "$group" 2>/dev/null && echo "$1" >"$group/memory.limit_in_bytes" && return
	}
	line=$(grep '^0::' /proc/self/cgroup) || return
	mount=$(awk '/ - cgroup2 / { print $5 }' /proc/self/mountinfo | head -n 1)
	group=$mount${line#0::}/flamefold.$$
	mkdir "$group" 2>/dev/null && echo "$1" 2>/dev/null >"$group/memory.max"
}

@test "the limit of a control group counts where --memory is not given" {
	local group='' told
	python3 "$budget/object.py" debug 150000000 debug.so
	map debug.so
	limited_group 536870912 || { [ -z "$group" ] || rmdir "$group" 2>/dev/null || true; skip "no control group with a limit can be made"; }
	mkdir "$group/inner"
	told=$(bash -c 'echo $$ >"$1/inner/cgroup.procs"; shift; exec "$@"' - "$group" "$flamefold" fold x.data 2>&1) || true
	sleep 0.1
	rmdir "$group/inner" "$group"
	[[ $told == *"debug information of '$PWD/debug.so' had to be left out: what is read may take 128M of memory"* ]]
	! "$flamefold" fold --memory=1G x.data 2>&1 | grep -- --memory
}

@test "a limit of the shell counts where --memory is not given" {
	! sanitized || skip "a sanitizer takes more addresses than that"
	python3 "$budget/object.py" debug 250000000 debug.so
	map debug.so
	(ulimit -v 800000 && "$flamefold" fold x.data 2>&1) >told || grep -q 'had to be left out' told
	grep -qF "what is read may take 195.3M of memory" told || grep -qF 'what is read may take 195M' told
}
