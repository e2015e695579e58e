#!/usr/bin/env bats
# The same stacks as perf script and stackcollapse-perf.pl, on recordings made here and now.
#
# The differences that are allowed for are perf's, see peers/agree.py. Everything else counts.
bats_require_minimum_version 1.5.0

load recordings
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# record COMMAND...: perf.data of the command, or a skip that says why.
record()
{
	need_perf
	perf record -q -o perf.data -e cpu-clock -F 999 -g -- true >why 2>&1 ||
		skip "events are not permitted: $(head -n 1 why)"
	# What the command says is of no interest; that it ran is.
	perf record -q -o perf.data -e cpu-clock -F 999 -g "$@" >recorded 2>&1
}

compiler()
{
	command -v "$1" >/dev/null || skip "no $1"
	"$@" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls
}

# our_stacks [OPTION]...
our_stacks()
{
	timeout 900 "$flamefold" fold --quiet --all --compat=stackcollapse "$@" perf.data | wanted
}

# Of folded text what is of none of the processes that ./not names.
wanted()
{
	[ -s not ] || exec cat
	awk 'NR == FNR { not[$0]; next } { name = $0; sub(/;.*| [0-9]+$/, "", name); if (!(name in not)) print }' not -
}

# Names of processes that run a program out of a directory of tests, which is there to be replaced, deleted or
# named by nobody but us: perf has only its path, and another test may have cleaned up behind it. So it is with
# Go's tools, which are stripped: perf does not read the table in them that has the names.
of_other_tests()
{
	perf script --show-mmap-events -i perf.data 2>/dev/null |
		grep -E "PERF_RECORD_MMAP.*: r-xp (${TMPDIR:-/tmp}|${BATS_RUN_TMPDIR%/*}|/usr/lib/go[^/]*)/" | grep -vF "$PWD/" |
		sed -E 's/^ *(.*[^ ]) +[0-9]+ +\[[0-9]+\] .*/\1/' | tr ' ' _ | sort -u
}

# agree SAMPLES [OPTION]...: compares the recording; so many must be in it at least. Status 2: a file
# that has names came or went meanwhile. A sample in a thousand may differ, or three of fewer.
agree()
{
	local least=$1 samples
	shift
	our_stacks "$@" >before
	timeout 900 perf script --no-inline --max-stack 1000 -i perf.data >script 2>/dev/null
	our_stacks "$@" >ours
	cmp -s before ours || return 2
	samples=$(grep -c 'cpu-clock' script)
	[ "$samples" -ge "$least" ] || { echo "only $samples samples"; return 1; }
	"$BATS_TEST_DIRNAME/peers/places.py" <script >marked
	collapse --all <marked | wanted >theirs
	"$BATS_TEST_DIRNAME/peers/agree.py" theirs ours "$(awk -v n="$samples" 'BEGIN { print n < 3000 ? 1 - 3 / n : 0.999 }')"
}

@test "a C program" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1200
	agree 50
	grep -q 'frames;.*;main;recurse;.*;leaf ' ours # the symbols are there
}

@test "a C program without symbols" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	strip frames
	record ./frames 1200
	agree 50
	grep -q '\[frames\];\[frames\]' ours
}

# bats test_tags=long
@test "a C++ program with threads" {
	compiler "${CXX:-c++}" -std=c++17 -pthread -o words "$BATS_TEST_DIRNAME/peers/words.cc"
	record ./words 4000000
	agree 50
	grep -q 'work::run' ours
}

# bats test_tags=long
@test "a shell pipeline" {
	# shellcheck disable=SC2016 # for the shell that is recorded
	record sh -c 'for i in 1 2 3 4 5 6 7 8; do seq 60000 | sort -R | tr 1 2 | wc -l; ls -lR /usr/bin | grep -c e; done'
	agree 50
	[ "$(cut -d ';' -f 1 ours | sort -u | grep -cE '^(sh|seq|sort|tr|ls|grep)( |$)')" -ge 4 ]
}

@test "work in the kernel" {
	# shellcheck disable=SC2016 # for the shell that is recorded
	record sh -c 'dd if=/dev/zero of=/dev/null bs=64k count=20000; find /usr /proc -maxdepth 4 >/dev/null 2>&1; tar cf - /usr/include 2>/dev/null | cat >/dev/null'
	agree 50
	grep -q '_\[k\]' ours
}

# Somebody but init has another root directory: programs are other files than those of their paths here.
others_elsewhere()
{
	local process

	for process in /proc/[0-9]*; do
		[ "$process" = /proc/1 ] || [ -z "$(readlink "$process/exe")" ] || [ "$process/root" -ef / ] ||
			! kill -0 "${process#/proc/}" 2>/dev/null || return 0
	done
	return 1
}

# bats test_tags=long
@test "the whole system" {
	! others_elsewhere || skip "others run below another root directory"
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	# Others run here, too. Their programs may be deleted by now, and perf does not look for those in
	# /proc: both get the same files. What goes away between the two is recorded again without it.
	for _ in 1 2 3 4 5; do
		record -a ./frames 1200
		of_other_tests >not
		status=0
		agree 50 --symfs=/ --kallsyms=/proc/kallsyms --buildid-dir="$HOME/.debug" || status=$?
		[ "$status" -eq 2 ] || return "$status"
	done
	return 1
}

# bats test_tags=long
@test "a JIT runtime that names nothing" {
	command -v node >/dev/null || skip "no node"
	record node -e 'let s = 0; function f(n) { for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s } for (let i = 0; i < 400; i++) f(300000)'
	# In every stack of node's start there are symbols that lie in others
	# (construct_stub_create_deopt_addr in Builtins_JSConstructStubGeneric).
	agree 50
}

# A program with symbols in others, and what perf script says of a place in them: OFFSET NAME+OFFSET
with_nested_symbols()
{
	cat >nested.s <<-'END'
		.text
		.globl outer, alias, after
		.type outer, @function
		.type alias, @function
		.type sized, @function
		.type after, @function
		outer:
		alias:
			.zero 16
		label:
			.zero 16
		sized:
			.zero 16
			.size sized, 16
			.zero 16
			.size outer, 64
			.size alias, 64
		after:
			.zero 16
			.size after, 16
	END
	"${CC:-cc}" -nostdlib -shared -o nested.so nested.s
	outer=$(nm nested.so | awk '$3 == "outer" { print "0x" $1 }')
	# Of the file, as perf script has it.
	read -r at address <<<"$(readelf -SW nested.so |
		sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) .*/0x\2 0x\1/p')"
	text=$((outer - address + at))
}

# theirs_is OFFSET NAME+OFFSET: what perf script may say there, marked and folded
theirs_is()
{
	printf 'prog     7 [000] 1.000000:   1000 cpu-clock: \n\t%16x %s (%s)\n\t%16x main+0x4 (/none)\n\n' \
		$((text + $1)) "$2" "$PWD/nested.so" 4096 | "$BATS_TEST_DIRNAME/peers/places.py" >marked
	collapse --all <marked | wanted >theirs
}

# right STACK, wrong STACK: what agree.py says of ours
right()
{
	echo "prog;main;$1 1000" >ours
	"$BATS_TEST_DIRNAME/peers/agree.py" theirs ours 0.999
}

wrong()
{
	local name

	for name in "$@"; do
		! right "$name" >said || { echo "'$name' is not wrong"; cat said; return 1; }
	done
}

@test "where symbols lie in others all their names are right, and no other is" {
	with_nested_symbols
	# A label without a size goes on to the next symbol.
	theirs_is 0x18 outer+0x18
	for name in outer label; do
		right $name
	done
	# alias begins where outer does: there perf has a rule, and so have we.
	wrong alias sized after main nonsense '[nested.so]' 'label;label' ''
	theirs_is 0x18 label+0x8
	for name in outer alias label; do
		right $name
	done
	wrong sized after nonsense
	theirs_is 0x24 sized+0x4
	right outer
	right sized
	wrong label after
	# Only outer is there, and what begins with it.
	for at in 0x8 0x34; do
		theirs_is $at outer+$at
		right outer
		wrong alias label sized after
	done
	theirs_is 0x44 after+0x4
	right after
	wrong outer label sized
	# No symbol of the table begins there: nothing is known about the place.
	theirs_is 0x18 other+0x2
	wrong outer label sized
}

@test "a wrong name is found" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1200
	agree 50
	cp ours kept
	grep -q ';leaf ' kept
	for name in recurse main nonsense '[frames]'; do
		sed "s/;leaf /;$name /" kept >ours
		run ! "$BATS_TEST_DIRNAME/peers/agree.py" theirs ours 0.999
	done
}

# bats test_tags=long
@test "a fixed period" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1
	perf record -q -o perf.data -e cpu-clock -c 1000000 -g ./frames 1200 >recorded 2>&1
	agree 50
}

# bats test_tags=long
@test "several events" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1
	perf record -q -o perf.data -e cpu-clock,page-faults,context-switches -F 999 -g ./frames 1200 >recorded 2>&1
	agree 50
	for event in cpu-clock page-faults; do
		collapse --all --event-filter=$event <marked >theirs
		"$flamefold" fold --quiet --all --compat=stackcollapse --event=$event perf.data >ours
		"$BATS_TEST_DIRNAME/peers/agree.py" theirs ours 0.999
	done
}
