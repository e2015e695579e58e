#!/usr/bin/env bats
# Code that runtimes make: perf-PID.map, jitdump, containers. First made up, then real.
bats_require_minimum_version 1.5.0

load recordings
load sampled

programs=$root/tests/jit

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir home maps
	pids=
}

teardown()
{
	for pid in $pids; do
		kill -9 "$pid" 2>/dev/null || true
		rm -f "/tmp/perf-$pid.map"
	done
}

# recording [CLOCK] <RECORDS: p.data; samples have the clock of jitdumps, or what is said.
recording()
{
	local clock=${1-,use_clockid clockid=1}
	{
		echo "attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec$clock"
		sed -E 's/^(sample .*ip=)(0x[0-9a-f]+|[0-9]+)(.*)/\1\2\3 chain=U,\2/'
	} | "$build" -o p.data
}

# A process 7 with code at 0x10000, and what is recorded of it.
process()
{
	echo "comm pid=7 name=app exec time=1"
	echo "mmap2 pid=7 start=0x10000 len=0x10000 prot=5 name=${1:-//anon} time=2"
}

# jitdump [FILE] <TEXT
jitdump()
{
	"$root/tests/perfdata/jitdump" -o "${1:-maps/jit-7.dump}"
}

# What maps say is in maps.
folded()
{
	timeout 900 "$flamefold" fold --map-dir maps --kallsyms=/dev/null "$@" p.data
}

# expect LINE...: what folded says, and nothing else but that these stacks have no start.
expect()
{
	diff <(printf '%s\n' "$@" | sort) <(folded 2>stderr | sort)
	! grep -v 'stacks that begin in the middle.*code that a runtime made (100.0 %)' stderr
}

@test "a map names code in memory of every kind" {
	for name in //anon "/memfd:doublemapper" "[anon:v8]" /dev/zero "[heap]" anon_inode:x; do
		{ process "$name"; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
		printf '10000 100 f\n' >maps/perf-7.map
		expect "app;f 3"
	done
}

@test "memory that is not to be executed is no code, nor is what the kernel puts there" {
	{
		echo "comm pid=7 name=app exec time=1"
		echo "mmap2 pid=7 start=0x10000 len=0x1000 prot=3 name=//anon time=2"
		echo "mmap2 pid=7 start=0x20000 len=0x1000 prot=5 name=[uprobes] time=2"
		echo "sample pid=7 time=5 ip=0x10010 period=3"
		echo "sample pid=7 time=5 ip=0x20010 period=4"
	} | recording
	printf '10000 100000 f\n' >maps/perf-7.map
	folded >out 2>/dev/null
	[ "$(grep -c ';f ' out)" -eq 0 ]
}

@test "maps in all spellings: 0x, upper case, CR LF, short, nested, overlapping, empty, torn" {
	{
		process
		for i in 0 1 2 3 4 5 6 7 8; do
			echo "sample pid=7 time=$((5 + i)) ip=$((0x10080 + 256 * i)) period=$((1 + i))"
		done
	} | recording
	{
		printf '0x00010000 0x0100 with_0x\n'
		printf '0000000000010100 FF UPPER\r\n'
		printf '10200 100 f\n'
		printf '10300 100 outer\n10300 40 inner\n'
		printf '10400 100 whole\n10400 0 empty\n'
		printf '10500 100 old\n105c0 100 begins later\n10500 c0 new;\n'
		printf 'nonsense\n\n10700\n10700 100\n'
		printf '10800 100 bad \377 <&">\n'
		printf '10000 1000 torn'
	} >maps/perf-7.map
	printf '%s\n' "app;with_0x 1" "app;UPPER 2" "app;f 3" "app;outer 4" "app;whole 5" \
		"app;new: 6" "app;begins later 7" "app;[perf-7.map] 8" $'app;bad \377 <&> 9' >expected
	LC_ALL=C diff --text <(LC_ALL=C sort expected) <(folded 2>/dev/null | LC_ALL=C sort)
}

@test "a stack that begins where Erlang's processes return to is whole" {
	{
		echo "attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec"
		process
		echo "sample pid=7 time=5 ip=0x10010 period=3 chain=U,0x10010,0x10110,0x10205"
	} | "$build" -o p.data
	printf '10000 100 $erl:leaf/1\n10100 100 $erl:run/0\n10200 28 $erts_beamasm:normal_exit/0-CodeInfoPrologue\n' >maps/perf-7.map
	folded >out 2>err
	grep -qx 'app;$erts_beamasm:normal_exit/0-CodeInfoPrologue;$erl:run/0;$erl:leaf/1 3' out
	[ ! -s err ]
	sed -i 's/normal_exit/other/' maps/perf-7.map
	folded 2>&1 >out | grep -q 'stacks that begin in the middle.*code that a runtime made (100.0 %)'
}

@test "a map that grows is read as far as it goes" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	printf '10000 100 fi' >maps/perf-7.map
	folded 2>/dev/null | grep -qx 'app;\[perf-7.map\] 3'
	printf 'rst\n' >>maps/perf-7.map
	expect "app;first 3"
	printf '10000 100 second\n' >>maps/perf-7.map
	expect "app;second 3"
}

@test "many large maps: so much of them is read, and the rest is told" {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "comm pid=$i name=app exec time=1"
		echo "mmap2 pid=$i start=0x10000 len=0x10000 prot=5 name=//anon time=2"
		echo "sample pid=$i time=5 ip=0x10010 period=1"
		truncate -s 512M maps/perf-$i.map
		printf '\n10000 100 f\n' >>maps/perf-$i.map
	done | recording
	folded --threads=1 >out 2>err
	grep -qx 'app;f 8' out
	grep -q "perf-[0-9]*.map' is left out: 4 GiB of maps are read in all" err
	[ "$(total <out)" -eq 10 ]
}

# bytes_read COMMAND...: how many COMMAND reads; the kernel adds those of a child that has ended.
bytes_read()
{
	bash -c '"$@" >out 2>err || exit; sed -n "s/^rchar: //p" /proc/$$/io' - "$@"
}

@test "processes that share one map: it is read once, and each has its own names" {
	local shared alone

	for i in $(seq 50); do
		echo "comm pid=$i name=app exec time=1"
		echo "mmap2 pid=$i start=0x10000 len=0x10000 prot=5 name=//anon time=2"
		echo "fork pid=$((i + 100)) ppid=$i time=3"
		echo "sample pid=$i time=5 ip=$((0x10000 + i * 256)) period=$i"
		echo "sample pid=$((i + 100)) time=5 ip=$((0x10010 + i * 256)) period=1"
	done | recording
	truncate -s 8M map
	printf '\n' >>map
	for i in $(seq 50); do
		printf '%x 100 f%d\n' $((0x10000 + i * 256)) "$i" >>map
		ln map "maps/perf-$i.map"
	done
	cp --sparse=always map maps/perf-150.map
	shared=$(bytes_read "$flamefold" fold --threads=2 --map-dir maps --kallsyms=/dev/null p.data)
	diff out <(seq 50 | awk '{ print "app;f" $1 " " $1 + 1 }' | LC_ALL=C sort)
	rm maps/*
	alone=$(bytes_read "$flamefold" fold --threads=2 --map-dir maps --kallsyms=/dev/null p.data)
	# Two files of 8 MB.
	echo "$shared bytes with maps, $alone without"
	[ $((shared - alone)) -gt 16000000 ]
	[ $((shared - alone)) -lt 18000000 ]
}

# failing FILE ERRNO [OFFSET]: reads of the file fail, all or those that begin there.
failing()
{
	need_failing_reads
	env FAIL_FILE="$1" FAIL_ERRNO="$2" ${3:+FAIL_FROM="$3"} LD_PRELOAD="$PWD/fail_read.so" \
		"$flamefold" fold --map-dir maps "${options[@]}" p.data >out 2>err
	cat err
}

@test "a map that cannot be read is named with the error, and what was read of it is used" {
	local options=(--kallsyms=/dev/null)

	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	printf '10000 100 f\n' >maps/perf-7.map
	failing "$PWD/maps/perf-7.map" 5
	grep -q "'maps/perf-7.map' cannot be read whole: Input/output error" err
	grep -qx 'app;\[perf-7.map\] 3' out
	failing "$PWD/maps/perf-7.map" 116 12
	grep -q "'maps/perf-7.map' cannot be read whole: Stale file handle" err
	grep -qx 'app;f 3' out
}

@test "a jitdump that cannot be read is named with the error" {
	local options=(--kallsyms=/dev/null)

	{
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=9 ip=0x10010 period=3"
	} | recording
	jitdump <<-'END'
	header pid=7
	load time=3 pid=7 address=0x10000 size=32 index=1 name=f
	END
	failing "$PWD/maps/jit-7.dump" 5 0
	grep -q "cannot read 'maps/jit-7.dump': Input/output error" err
	failing "$PWD/maps/jit-7.dump" 5 40
	grep -q "'maps/jit-7.dump' cannot be read whole: Input/output error" err
	[ "$(total <out)" -eq 3 ]
}

@test "kallsyms that cannot be read are named with the error" {
	local options=(--kallsyms="$PWD/kallsyms")

	"$build" -o p.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	mmap pid=-1 mode=kernel start=0xffffffff81000000 len=0x1000000 off=0xffffffff81000000 name=[kernel.kallsyms]_text time=0
	sample pid=7 time=5 mode=kernel ip=0xffffffff81000010 period=3 chain=K,0xffffffff81000010
	END
	echo 'ffffffff81000000 T _text' >kallsyms
	failing "$PWD/kallsyms" 5
	grep -q "cannot read '$PWD/kallsyms': Input/output error" err
	[ "$(total <out)" -eq 3 ]
}

@test "names of runtimes: Java, inlined, Node's tiers, Python, .NET" {
	{
		process
		for i in 0 1 2 3 4 5 6 7 8; do
			echo "sample pid=7 time=$((5 + i)) ip=$((0x10080 + 256 * i)) period=$((1 + i))"
		done
	} | recording
	cat >maps/perf-7.map <<-'END'
		10000 100 Lorg/mozilla/Context;::call
		10100 100 int T.fib(int)
		10200 100 Lx/Root;::a->Ly/Inner;::b->leaf
		10300 100 JS:*hot /x.js:3:13
		10400 100 JS:~cold file:///x.mjs:1:1
		10500 100 JS:^warm /x.js:2:1
		10600 100 py::fib:/home/x/fib.py
		10700 100 int32 [App] App.Program::Fib(int32)[OptimizedTier1]
		10800 100 X::operator->
	END
	expect "app;org/mozilla/Context:::call 1" "app;int T.fib 2" "app;x/Root:::a;y/Inner:::b;leaf 3" \
		"app;JS:*hot /x.js:3:13 4" "app;JS:~cold file:///x.mjs:1:1 5" \
		"app;JS:^warm /x.js:2:1 6" "app;py::fib:/home/x/fib.py 7" \
		"app;int32 [App] App.Program::Fib 8" "app;X::operator-> 9"
	folded --jit 2>/dev/null | grep -q '_\[j\]'
	[ "$(folded --jit 2>/dev/null | grep -vc '_\[j\] [0-9]*$')" -eq 0 ]
}

@test "a name of very many inlined functions becomes no more frames than runtimes inline" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	echo "10000 100 $(seq -s '->' 63)" >maps/perf-7.map
	expect "app;$(seq -s ';' 63) 3"
	echo "10000 100 $(seq -s '->' 800)" >maps/perf-7.map
	expect "app;$(seq -s ';' 64);$(seq -s '->' 65 800) 3"
}

@test "what was inlined is frames in the picture, too" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	printf '10000 100 root->inner->leaf\n' >maps/perf-7.map
	"$flamefold" graph --map-dir maps -o p.svg p.data
	grep -q 'leaf' p.svg
	[ "$(grep -c 'root;inner' p.svg)" -eq 0 ]
}

@test "processes with the same runtime have the same frames" {
	{
		for pid in 7 8; do
			echo "comm pid=$pid name=app exec time=1"
			echo "mmap2 pid=$pid start=$((0x10000 * pid)) len=0x1000 prot=5 name=//anon time=2"
			echo "sample pid=$pid time=5 ip=$((0x10000 * pid + 16)) period=$pid"
		done
	} | recording
	printf '70000 100 f\n' >maps/perf-7.map
	printf '80000 100 f\n' >maps/perf-8.map
	expect "app;f 15"
	"$flamefold" graph --map-dir maps -o p.svg p.data
	[ "$(grep -o '<title>f (' p.svg | wc -l)" -le 1 ]
}

@test "a child goes on with the map of its parent, and has its own first" {
	{
		process
		echo "fork pid=8 ppid=7 time=4"
		echo "fork pid=9 ppid=8 time=5"
		for pid in 7 8 9; do
			echo "sample pid=$pid time=6 ip=0x10010 period=$((1 + pid))"
			echo "sample pid=$pid time=6 ip=0x10110 period=$((11 + pid))"
		done
	} | recording
	printf '10000 100 f\n10100 100 g\n' >maps/perf-7.map
	printf '10100 100 childs\n' >maps/perf-9.map
	expect "app;f 27" "app;g 37" "app;childs 20"
	[ "$(timeout 900 "$flamefold" fold --map-dir maps --kallsyms=/dev/null - <p.data)" = "$(folded)" ]
}

@test "without a map: what to do" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	run --separate-stderr "$flamefold" info --map-dir maps p.data
	[[ $output == *"100.0 % of the weight is code that a runtime made and that no map names (process 7)"* ]]
	[[ $output == *"'maps' has no perf-7.map"* ]]
	mkdir symfs
	run --separate-stderr "$flamefold" info --symfs symfs p.data
	[[ $output == *"--perf-basic-prof"* ]]
}

@test "info says where a map was and what it has" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	mkdir maps/tmp
	printf '10000 100 f\n10100 100 g\nx\n' >maps/tmp/perf-7.map
	run --separate-stderr "$flamefold" info --map-dir maps p.data
	[[ $output == *"/tmp/perf-7.map  2 functions  from maps/tmp/perf-7.map"* ]]
	run --separate-stderr "$flamefold" info -f json --map-dir maps p.data
	[[ $output == *'"functions": 2'* || $output == *'"functions":2'* ]]
}

@test "a symfs has maps, and this machine's are not looked at" {
	{ process; echo "sample pid=7 time=5 ip=0x10010 period=3"; } | recording
	mkdir -p symfs/tmp
	printf '10000 100 f\n' >symfs/tmp/perf-7.map
	[ "$("$flamefold" fold --symfs symfs --kallsyms=/dev/null p.data)" = "app;f 3" ]
}

# A pid that nobody has, for a map in /tmp.
unused_pid()
{
	unused=4194000
	while [ -e "/proc/$unused" ] || [ -e "/tmp/perf-$unused.map" ]; do
		unused=$((unused + 1))
	done
	pids="$pids $unused"
}

of_unused_pid()
{
	unused_pid
	process | sed "s/pid=7/pid=$unused/" >text
	echo "sample pid=$unused time=5 ip=0x10010 period=3" >>text
	recording <text
}

@test "a map of one's own in the directory for all, or root's, is used; a foreign one is refused" {
	of_unused_pid
	printf '10000 100 f\n' >"/tmp/perf-$unused.map"
	chmod 600 "/tmp/perf-$unused.map"
	[ "$("$flamefold" fold p.data)" = "app;f 3" ]
	[ "$(id -u)" -eq 0 ] || skip "cannot give files away"
	chown 12345 "/tmp/perf-$unused.map"
	run --separate-stderr "$flamefold" fold p.data
	[ "$output" = "app;[perf-$unused.map] 3" ]
	[[ $stderr == *"'/tmp/perf-$unused.map' belongs to user 12345, who is neither you nor root"*"--trust-maps"* ]]
	[ "$("$flamefold" fold --trust-maps p.data)" = "app;f 3" ]
}

@test "a symbolic link, a directory and a pipe in the place of a map are refused" {
	of_unused_pid
	printf '10000 100 f\n' >map
	ln -s "$PWD/map" "/tmp/perf-$unused.map"
	run --separate-stderr timeout 900 "$flamefold" fold p.data
	[ "$output" = "app;[perf-$unused.map] 3" ]
	[[ $stderr == *"symbolic link"* ]]
	rm "/tmp/perf-$unused.map"
	mkfifo "/tmp/perf-$unused.map"
	run --separate-stderr timeout 900 "$flamefold" fold p.data
	[ "$output" = "app;[perf-$unused.map] 3" ]
	[[ $stderr == *"is not a regular file"* ]]
	rm "/tmp/perf-$unused.map"
	mkdir "/tmp/perf-$unused.map"
	run --separate-stderr timeout 900 "$flamefold" fold p.data
	rmdir "/tmp/perf-$unused.map"
	[ "$output" = "app;[perf-$unused.map] 3" ]
}

@test "a recording of another machine has no maps here" {
	of_unused_pid
	printf '10000 100 f\n' >"/tmp/perf-$unused.map"
	{ cat text; echo "feature hostname=elsewhere"; } | recording
	run --separate-stderr "$flamefold" fold p.data
	[ "$output" = "app;[perf-$unused.map] 3" ]
	"$flamefold" info p.data | grep -q 'recorded on another machine: copy its'
}

@test "a map that is older than the process is used with a warning" {
	of_unused_pid
	printf '10000 100 f\n' >"/tmp/perf-$unused.map"
	touch -d '20 days ago' "/tmp/perf-$unused.map"
	now=$(awk '{ printf "%d", $1 * 1e9 }' /proc/uptime)
	{
		sed "s/time=1\$/time=$((now - 9000000))/; s/time=2\$/time=$((now - 8000000))/
			s/time=5 /time=$((now - 5000000)) /" text
		echo "feature hostname=$(uname -n)"
		echo "feature osrelease=$(uname -r)"
	} | recording
	run --separate-stderr "$flamefold" fold p.data
	[ "$output" = "app;f 3" ]
	[[ $stderr == *"is older than process $unused"* ]]
}

@test "a jitdump: code is what it was when the sample was taken" {
	{
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=15 ip=0x10010 period=1"
		echo "sample pid=7 time=25 ip=0x10010 period=2"
		echo "sample pid=7 time=35 ip=0x10010 period=4"
		echo "sample pid=7 time=35 ip=0x18010 period=8"
		echo "mmap2 pid=7 start=0x10000 len=0x10000 prot=5 name=//anon time=36"
		echo "sample pid=7 time=37 ip=0x10010 period=16"
		echo "mmap2 pid=7 start=0x10000 len=0x1000 prot=5 name=/lib/no.so time=40"
		echo "sample pid=7 time=41 ip=0x10010 period=32"
	} | recording
	jitdump <<-'END'
		header pid=7
		load time=10 pid=7 address=0x10000 size=32 index=1 name=first
		raw type=99 hex=0102030405060708
		load time=20 pid=7 address=0x10000 size=32 index=2 name=second
		move time=30 pid=7 from=0x10000 to=0x18000 size=32 index=2
		load time=30 pid=7 address=0x10000 size=32 index=3 name=third
		load time=33 pid=7 address=0x10000 size=32 index=4 name=torn
		cut bytes=1
	END
	diff <(printf '%s\n' "app;first 1" "app;second 10" "app;third 20" "app;[no.so] 32" | sort) \
		<(folded --quiet | sort)
	[ "$(timeout 900 "$flamefold" fold --map-dir maps --kallsyms=/dev/null - <p.data 2>/dev/null | sort)" = \
		"$(folded 2>/dev/null | sort)" ]
}

@test "a jitdump of the other byte order, with lines" {
	{
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=15 ip=0x10004 period=1"
		echo "sample pid=7 time=15 ip=0x10014 period=2"
	} | recording
	for order in "" "endian big"; do
		jitdump <<-END
			$order
			header pid=7
			lines address=0x10000 at=0x10000:10:/src/a.js,0x10010:12:=
			load time=10 pid=7 address=0x10000 size=32 index=1 name=f
		END
		expect "app;f 3"
		[ "$(folded --srcline | sort | tr '\n' ' ')" = "app;f:a.js:10 1 app;f:a.js:12 2 " ]
	done
}

@test "a jitdump of the processor's clock" {
	{
		echo "time_conv"
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=15000 ip=0x10010 period=1"
		echo "sample pid=7 time=25000 ip=0x10010 period=2"
	} | recording ""
	# TIME_CONV says 1000 / 1024 ns a cycle.
	jitdump <<-'END'
		header pid=7 flags=1
		load time=10240 pid=7 address=0x10000 size=32 index=1 name=first
		load time=20480 pid=7 address=0x10000 size=32 index=2 name=second
	END
	expect "app;first 1" "app;second 2"
}

@test "a jitdump of another clock than the samples': the newest counts, and it is said" {
	{
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=15 ip=0x10010 period=1"
	} | recording ""
	jitdump <<-'END'
		header pid=7
		load time=10 pid=7 address=0x10000 size=32 index=1 name=first
		load time=20 pid=7 address=0x10000 size=32 index=2 name=second
	END
	run --separate-stderr folded
	[ "$output" = "app;second 1" ]
	[[ $stderr == *"another clock than the samples"*"-k mono"* ]]
}

@test "code that no jitdump had yet is named by what came later, or by the map" {
	{
		process
		echo "sample pid=7 time=4 ip=0x10010 period=1"
		echo "sample pid=7 time=4 ip=0x10110 period=2"
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=5"
		echo "sample pid=7 time=15 ip=0x10010 period=4"
	} | recording
	jitdump <<-'END'
		header pid=7
		load time=10 pid=7 address=0x10000 size=32 index=1 name=f
	END
	printf '10000 100 by_map\n10100 100 g\n' >maps/perf-7.map
	expect "app;f 5" "app;g 2"
}

@test "what is not a jitdump, or is not there, is said" {
	{
		process
		echo "mmap2 pid=7 start=0x90000 len=0x1000 prot=5 name=/x/jit-7.dump time=3"
		echo "sample pid=7 time=15 ip=0x10010 period=1"
	} | recording
	"$flamefold" info --map-dir maps p.data | grep -q "no '/x/jit-7.dump'"
	echo "something else, but long enough for a header" >maps/jit-7.dump
	run --separate-stderr folded
	[ "$output" = "app;[perf-7.map] 1" ]
	[[ $stderr == *"'maps/jit-7.dump' is not a jitdump"* ]]
}

# From here on: real programs.

need_events()
{
	local why

	need_perf
	why=$(perf record -q -N -o none.data -e cpu-clock -- true 2>&1) ||
		skip "events are not permitted: $(head -n 1 <<<"$why")"
}

# shares FILE [OPTION]...: the share of leaf functions, in percent, in shares.
shares()
{
	local file=$1
	shift
	"$flamefold" fold --quiet "$@" "$file" | LC_ALL=C awk '
		/_\[k\] [0-9]+$/ { next }
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, frame, ";"); all += n; of[frame[k]] += n }
		END { for (name in of) printf "%.2f %s\n", 100 * of[name] / all, name }' >shares
}

# within LEAST MOST NAME: a regular expression for the whole of it.
within()
{
	LC_ALL=C awk -v least="$1" -v most="$2" -v name="^($3)\$" '
		{ share = $1; sub(/^[0-9.]+ /, "") }
		$0 ~ name { sum += share }
		END { exit !(sum >= least && sum <= most) }' shares || {
		sort -nr shares | head -n 20
		return 1
	}
}

# three_quarters HOT WARM: that is HOT's part of what both have, which is most of all.
three_quarters()
{
	LC_ALL=C awk -v hot="^($1)\$" -v warm="^($2)\$" '
		{ share = $1; sub(/^[0-9.]+ /, "") }
		$0 ~ hot { h += share }
		$0 ~ warm { w += share }
		END { exit !(h + w >= 40 && h >= 0.6 * (h + w) && h <= 0.9 * (h + w)) }' shares || {
		sort -nr shares | head -n 20
		return 1
	}
}

compile_torture()
{
	"${CC:-cc}" -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -o torture "$programs/torture.c" "$@"
}

# No name is that of a line that a later one covers.
torture_is_named()
{
	local name

	shares "$@" --kernel
	for name in plain both_with_0x UPPER f "int T.with spaces" new_name outer covered overlapping \
		everything last; do
		within 2 20 "$name"
	done
	within 0 0 'old_name|inner|nothing|torn'
}

# bats test_tags=long
@test "torture: anonymous memory and a memfd, with all that maps may say" {
	need_events
	compile_torture
	for kind in anon memfd; do
		perf record -q -N -e cpu-clock -F 1999 -g -o p.data ./torture $kind /tmp/perf-%d.map >pid
		pids="$pids $(cat pid)"
		torture_is_named p.data
	done
}

@test "torture: anonymous memory with a name" {
	need_events
	compile_torture
	perf record -q -N -e cpu-clock -F 1999 -g -o p.data ./torture named /tmp/perf-%d.map >pid 2>why ||
		true
	[ -s pid ] || skip "$(head -n 1 why)"
	pids="$pids $(cat pid)"
	torture_is_named p.data
}

@test "a process of a container, with a map of its own" {
	need_events
	mkdir -p root/tmp root/proc
	unshare -pf --mount-proc="$PWD/root/proc" true 2>/dev/null || skip "namespaces are not permitted"
	compile_torture -static || skip "no static C library"
	mv torture root
	unshare -pf --mount-proc="$PWD/root/proc" chroot root /torture anon /tmp/perf-%d.map 6 >/dev/null 3>&- &
	local shell=$! pid
	pids="$pids $shell"
	until pid=$(pgrep -P "$shell") && [ "$(cat "/proc/$pid/comm")" = torture ] && [ -s root/tmp/perf-1.map ]; do
		kill -0 "$shell"
		sleep 0.05
	done
	pids="$pids $pid"
	perf record -q -N --namespaces -e cpu-clock -F 999 -g -o p.data -p "$pid" -- sleep 1 2>/dev/null
	"$flamefold" fold p.data >alive
	"$flamefold" info p.data | grep -q "14 functions  from /proc/$pid/root/tmp/perf-1.map"
	grep -q ';main;' alive
	[ "$(grep -c '\[perf-' alive)" -le 2 ]
	kill -9 "$pid"
	wait "$shell" || true
	# It is gone: its map goes by its pid here.
	cp root/tmp/perf-1.map "maps/perf-$pid.map"
	"$flamefold" fold --map-dir maps p.data >dead
	"$flamefold" info p.data | grep -q 'if it ran in a container, copy the map'
	diff alive dead
}

# Of a function: Node 18 says LazyCompile where later ones say JS.
js='(JS|LazyCompile)'

node_program()
{
	command -v node >/dev/null || skip "no node"
	need_events
	cp "$programs/hot.js" .
}

@test "Node with --perf-basic-prof: a hot function has its share" {
	node_program
	perf record -q -N -e cpu-clock -F 1999 -g -o p.data node --perf-basic-prof hot.js >pid
	pids="$pids $(cat pid)"
	shares p.data --kernel
	three_quarters "$js:[*]hot .*" "$js:[*]warm .*"
}

@test "Node with --interpreted-frames-native-stack: interpreted functions are frames" {
	node_program
	perf record -q -N -e cpu-clock -F 1999 -g -o p.data node --perf-basic-prof \
		--interpreted-frames-native-stack hot.js >pid
	pids="$pids $(cat pid)"
	"$flamefold" fold p.data | grep -qE ";$js:~main [^;]*;$js:[~^*]run [^;]*;"
}

# Stacks but those through an entry of a PLT, or through code of a library that has no name.
without_plt()
{
	grep -vE ';[^;]*@plt|;\[[^];[]*\.so[^];]*\]'
}

# bats test_tags=long
@test "Node with --perf-prof: as perf inject -j has it, frame by frame" {
	node_program
	perf record -q -N -k mono -e cpu-clock -F 1999 -g -o p.data node --perf-prof hot.js >pid
	shares p.data --kernel
	three_quarters "$js:[*]hot .*" "$js:[*]warm .*"
	perf inject -j -i p.data -o injected.data
	diff <("$flamefold" fold --quiet p.data | sort) <("$flamefold" fold --quiet injected.data | sort)
	# perf script finds no names in the vdso of a living system, and none for some entries of a PLT:
	# those are of the library's name or of its caller's stack.
	diff <("$flamefold" fold --quiet --compat=stackcollapse injected.data |
		sed -E 's/;__vdso_[a-z_]*/;[[vdso]]/' | without_plt | sort) \
		<(perf script --no-inline -i injected.data 2>/dev/null | collapse | without_plt | sort)
}

@test "Java with a map at its exit: a hot method has its share" {
	command -v javac >/dev/null || skip "no javac"
	need_events
	cp "$programs/Hot.java" .
	javac Hot.java
	java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version >/dev/null 2>&1 ||
		skip "this Java writes no maps"
	perf record -q -N -e cpu-clock -F 999 -g -o p.data java -XX:+PreserveFramePointer \
		-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit \
		-XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Hot::hot \
		-XX:CompileCommand=dontinline,Hot::warm Hot >pid
	pids="$pids $(cat pid)"
	shares p.data --kernel
	three_quarters 'int Hot.hot' 'int Hot.warm'
	"$flamefold" fold --quiet p.data | grep -q 'JavaCalls::call_helper.*;Interpreter;int Hot.hot '
}

@test "a jitdump says how its code is unwound" {
	need_events
	[ "$(uname -m)" = x86_64 ] || skip "code for x86-64"
	"${CC:-cc}" -D_GNU_SOURCE -O1 -o dumper "$programs/dumper.c"
	perf record -q -N -k mono -e cpu-clock -F 999 --call-graph dwarf,4096 -o p.data ./dumper . >/dev/null
	"$flamefold" fold --quiet p.data >out
	awk '/;_start;.*;main;made_outer;made_inner/ { right += $NF } /made_inner/ { all += $NF }
		END { exit !(all && right >= 0.99 * all) }' out
	# CPython's says no machine: it is that of the recording.
	dd if=/dev/zero of="$(echo jit-*.dump)" bs=1 seek=12 count=4 conv=notrunc status=none
	"$flamefold" fold --quiet p.data >machineless
	cmp out machineless
	rm jit-*.dump
	# Nothing but that says so.
	perf record -q -N -k mono -e cpu-clock -F 999 --call-graph dwarf,4096 -o p.data ./dumper . lies >/dev/null
	"$flamefold" fold --quiet p.data >out
	grep -q '^dumper;\[truncated\];made_outer;made_inner' out
	# Of a leaf on its first instruction the stack says it.
	[ "$(grep -c ';main;made_outer;made_inner' out)" -eq 0 ]
}
