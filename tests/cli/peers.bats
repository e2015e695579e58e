#!/usr/bin/env bats
# The same stacks as perf script and stackcollapse-perf.pl, on recordings made here and now.
#
# The one difference that is allowed for is perf's, see peers/agree.py. Everything else counts.
bats_require_minimum_version 1.5.0

load recordings

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

# agree SAMPLES [SHARE]: compares the recording; so many must be in it at least.
agree()
{
	timeout 60 perf script --no-inline --max-stack 1000 -i perf.data >script 2>/dev/null
	[ "$(grep -c 'cpu-clock' script)" -ge "$1" ] || {
		echo "only $(grep -c 'cpu-clock' script) samples"
		return 1
	}
	collapse --all <script >theirs
	timeout 60 "$flamefold" fold --quiet --all --compat=stackcollapse perf.data >ours
	"$BATS_TEST_DIRNAME/peers/agree.py" theirs ours "${2:-0.999}"
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

@test "a C++ program with threads" {
	compiler "${CXX:-c++}" -std=c++17 -pthread -o words "$BATS_TEST_DIRNAME/peers/words.cc"
	record ./words 4000000
	agree 50
	grep -q 'work::run' ours
}

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

@test "the whole system" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record -a ./frames 1200
	# Others run here, too, node among them: see below.
	agree 50 0.99
}

@test "a JIT runtime that names nothing" {
	command -v node >/dev/null || skip "no node"
	record node -e 'let s = 0; function f(n) { for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s } for (let i = 0; i < 400; i++) f(300000)'
	# Symbols that lie in others: which one perf takes is chance (construct_stub_create_deopt_addr or
	# Builtins_JSConstructStubGeneric), and every stack of node's start has such frames.
	agree 50 0.98
}

@test "a fixed period" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1
	perf record -q -o perf.data -e cpu-clock -c 1000000 -g ./frames 1200 >recorded 2>&1
	agree 50
}

@test "several events" {
	compiler "${CC:-cc}" -o frames "$BATS_TEST_DIRNAME/peers/frames.c"
	record ./frames 1
	perf record -q -o perf.data -e cpu-clock,page-faults,context-switches -F 999 -g ./frames 1200 >recorded 2>&1
	agree 50
	for event in cpu-clock page-faults; do
		collapse --all --event-filter=$event <script >theirs
		"$flamefold" fold --quiet --all --compat=stackcollapse --event=$event perf.data >ours
		"$BATS_TEST_DIRNAME/peers/agree.py" theirs ours 0.999
	done
}
