#!/usr/bin/env bats
# flamefold record as it comes: -g auto. Stacks of all kinds of programs have their roots, or it is said why not.
bats_require_minimum_version 1.5.0

load events
load sampled

setup_file()
{
	local flags

	for flags in omit-frame-pointer no-omit-frame-pointer; do
		"${CC:-cc}" -O2 -f$flags -fno-optimize-sibling-calls -Wall -Wextra -o "$BATS_FILE_TMPDIR/deep-$flags" \
			"$BATS_TEST_DIRNAME/../live/deep.c"
	done
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	omits=$BATS_FILE_TMPDIR/deep-omit-frame-pointer
	keeps=$BATS_FILE_TMPDIR/deep-no-omit-frame-pointer
}

# rooted FOLDED REGEX LEAST: so many percent of the weight of user space have it among the first frames. The kernel's
# own threads, and what a process does before its first instruction, have no user's frame.
rooted()
{
	awk -v regex="$2" -v least="$3" '
		{ n = $NF; sub(/ [0-9]+$/, ""); count = split($0, f, ";"); top = "" }
		count < 2 || f[2] ~ /_\[k\]$/ { next }
		{ all += n; for (i = 2; i <= 5 && i <= count; i++) top = top ";" f[i]; if (top ~ regex) good += n; else print $0 }
		END { printf "%.2f %% of %d\n", all ? 100 * good / all : 0, all; exit !(all && 100 * good >= least * all) }' \
		"$1" >judged || { tail -n 12 judged | cut -c 1-300; return 1; }
}

@test "by itself: main is the root with frame pointers and without, of short stacks and deep ones" {
	need_events
	for program in "$omits" "$keeps"; do
		for depth in 5 40; do
			record -F 997 -e cpu-clock:u -o x.folded -- "$program" $depth 3000 >/dev/null 2>err
			rooted x.folded ';main(;|$)' 98
		done
	done
}

@test "frame pointers alone do not find main in the same program" {
	need_events
	record -q -g fp -F 997 -e cpu-clock:u -o x.folded -- "$omits" 5 3000 >/dev/null 2>err
	if rooted x.folded ';main(;|$)' 98; then
		skip "the C library here keeps frame pointers"
	fi
}

@test "a copy that is too short goes on with the chain of frame pointers, and only with that" {
	need_events
	record -q -g auto,2048 -F 997 -e cpu-clock:u -o kept.folded -- "$keeps" 40 3000 >/dev/null
	rooted kept.folded ';main(;|$)' 98
	record -q -g dwarf,2048 -F 997 -e cpu-clock:u -o cut.folded -- "$keeps" 40 3000 >/dev/null
	run ! rooted cut.folded ';main(;|$)' 50
	record -q -g auto,2048 -F 997 -e cpu-clock:u -o omitted.folded -- "$omits" 40 3000 >/dev/null
	between 90 "$(share ';[truncated];' omitted.folded)" 100
}

@test "programs of both kinds at once have their roots" {
	need_events
	record -q -F 499 -e cpu-clock:u -o x.folded -- sh -c "'$omits' 5 3000 & '$keeps' 40 3000; wait" >/dev/null
	grep '^deep-omit' x.folded >omits
	grep '^deep-no-omit' x.folded >keeps
	rooted omits ';main(;|$)' 98
	rooted keeps ';main(;|$)' 98
}

@test "what is saved folds to the same bytes, is small, and is what perf shows" {
	need_events
	for program in "$omits" "$keeps"; do
		record -q -F 997 -e cpu-clock --save x.data -o live.folded -- "$program" 10 2000 >/dev/null
		"$flamefold" fold -q x.data -o file.folded
		cmp live.folded file.folded
		samples=$("$flamefold" info --format=json x.data | jq .samples)
		[ "$(stat -c %s x.data)" -lt $((samples * 1000 + 300000)) ]
		command -v perf >/dev/null || continue
		perf script -i x.data -F ip,sym 2>/dev/null >script
		[ "$(grep -c ' main$' script)" -ge $((samples * 9 / 10)) ]
		# Once each: not the copy's stack behind the chain's.
		[ "$(grep -c ' main$' script)" -le "$samples" ]
	done
	record -q -g auto,2048 -F 997 -e cpu-clock --save x.data -o live.folded -- "$omits" 40 2000 >/dev/null
	"$flamefold" fold -q x.data -o file.folded
	cmp live.folded file.folded
	grep -q ';\[truncated\];' file.folded
}

@test "a process all of whose code keeps frame pointers is sampled by these, another by copies" {
	need_events
	command -v go >/dev/null || skip "no go"
	printf 'package main\nfunc main() { s := 1; for { s = s*31 + 7; if s == 0 { break } } }\n' >spin.go
	HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o spin spin.go
	./spin & pid=$!
	record -q -p $pid -F 499 -e cpu-clock:u -d 0.5 --save go.data -o go.folded || { kill $pid; false; }
	kill $pid
	"$omits" 5 1000000 >/dev/null & pid=$!
	record -q -p $pid -F 499 -e cpu-clock:u -d 0.5 --save c.data -o c.folded || { kill $pid; false; }
	kill $pid
	rooted go.folded ';runtime.main(;|$)' 90
	rooted c.folded ';main(;|$)' 98
	if command -v perf >/dev/null; then
		# Registers and copies are among the fields of the second alone.
		perf evlist -v -i go.data >go.attrs 2>/dev/null
		perf evlist -v -i c.data >c.attrs 2>/dev/null
		run ! grep -q STACK_USER go.attrs
		grep -q STACK_USER c.attrs
	fi
	chmod -R u+w cache
}

@test "Node has its roots, and JavaScript below them" {
	need_events
	command -v node >/dev/null || skip "no node"
	echo 'function fib(n) { return n < 2 ? 1 : fib(n - 1) + fib(n - 2); } console.log(fib(32));' >fib.js
	for option in "" --perf-basic-prof; do
		# shellcheck disable=SC2086 # nothing, or an option
		record -q -F 499 -e cpu-clock:u -o x.folded -- node $option fib.js >/dev/null
		rooted x.folded ';(_start|main|clone3?|start_thread|_dl_[a-z_]*)(;|$)' 98
	done
	grep -q 'node::Start.*fib' x.folded
}

@test "Java has its roots with -XX:+PreserveFramePointer" {
	need_events
	command -v javac >/dev/null || skip "no java"
	cat >Fib.java <<-'END'
	public class Fib {
		static int fib(int n) { return n < 2 ? 1 : fib(n - 1) + fib(n - 2); }
		public static void main(String[] a) { System.out.println(fib(40)); }
	}
	END
	javac Fib.java
	record -F 499 -e cpu-clock:u -o x.folded -- java -XX:+PreserveFramePointer -cp . Fib >/dev/null 2>err
	# The interpreter's stubs have none, and on a slow machine more is interpreted.
	interpreted=$(sed -nE 's/^flamefold: ([0-9]+)(\.[0-9]+)? % of stacks end where .*of Java.*/\1/p' err)
	[ "${interpreted:-0}" -lt 5 ] || { cat err; grep -F '[truncated]' x.folded; false; }
	rooted x.folded ';(clone3?|start_thread|_start|__libc_start_main|main|_dl_[a-z_]*)(;|$)' 95
	# Without it JIT code keeps none, and nothing else says who called it: that is said.
	record -F 499 -e cpu-clock:u -o x.folded -- java -cp . Fib >/dev/null 2>err
	if ! rooted x.folded ';(clone3?|start_thread|_start|__libc_start_main|main)(;|$)' 90; then
		grep -q 'not reach their root: of Java, java -XX:+PreserveFramePointer; ' err
		grep -q '^java;\[truncated\]' x.folded
	fi
}

@test "a stack that Go's runtime has switched to leads on to the goroutine's" {
	need_events
	command -v go >/dev/null || skip "no go"
	cat >large.go <<-'END'
	package main
	var kept [64][]byte
	//go:noinline
	func take(i int) { kept[i%64] = make([]byte, 40<<10) }
	func main() { for i := 0; i < 60000; i++ { take(i) } }
	END
	HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o large large.go
	record -q -F 2999 -e cpu-clock:u --save x.data -o x.folded -- ./large >/dev/null
	"$flamefold" fold -q x.data -o file.folded
	cmp x.folded file.folded
	# What takes a large piece of memory does so on the thread's own stack.
	grep -q '^large;runtime\.goexit[^;]*;runtime\.main;main\.main;.*;runtime\.systemstack[^;]*;.*runtime\.(\*mheap)\.alloc' x.folded
	grep ';runtime\.systemstack' x.folded >switched.folded
	rooted switched.folded ';runtime\.(goexit|mstart|clone)' 90
	chmod -R u+w cache
}

@test "Go and Python have their roots" {
	need_events
	if command -v go >/dev/null; then
		cat >fib.go <<-'END'
		package main
		func fib(n int) int { if n < 2 { return 1 }; return fib(n-1) + fib(n-2) }
		func main() { println(fib(38)) }
		END
		HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o fibgo fib.go
		record -q -F 499 -e cpu-clock:u -o x.folded -- ./fibgo >/dev/null 2>&1
		rooted x.folded ';runtime\.(main|goexit|mstart|rt0_go|clone|mcall|_rt0)' 95
		grep -q 'runtime.main;main.main;main.fib' x.folded
		chmod -R u+w cache
	fi
	command -v /usr/bin/python3 >/dev/null || skip "no python3"
	echo 'def fib(n): return 1 if n < 2 else fib(n-1) + fib(n-2)
print(fib(25))' >fib.py
	record -q -F 499 -e cpu-clock:u -o x.folded -- /usr/bin/python3 fib.py >/dev/null
	rooted x.folded ';(_start|main|Py_BytesMain|_dl_[a-z_]*)(;|$)' 98
}

@test "the compiler, sampled with everything else, has its roots" {
	need_events system
	command -v g++ >/dev/null || skip "no g++"
	printf '#include <map>\n#include <regex>\n#include <string>\nstd::regex r("a+b"); std::map<std::string, std::regex> m;\n' >a.cc
	record -q -a -F 499 -e cpu-clock:u --only comm=cc1plus -o x.folded -- g++ -O2 -c a.cc
	rooted x.folded ';(_start|main|toplev::main|_dl_[a-z_]*)(;|$)' 98
}

@test "the bytes of a copy follow the rate, an event without one has 8 KiB, and SIZE is what is taken" {
	need_events
	command -v perf >/dev/null || skip "no perf"
	[ "$(id -u)" -eq 0 ] || skip "rings are smaller for users"
	copied()
	{
		record -q "$@" -o x.data -- true
		perf evlist -v -i x.data 2>/dev/null | grep -o 'sample_stack_user: [0-9]*' | head -n 1 | cut -d ' ' -f 2
	}
	[ "$(copied -e cpu-clock)" = 65528 ]
	[ "$(copied -e cpu-clock -F 999)" = 32768 ]
	[ "$(copied -e cpu-clock -F 4999)" = 8192 ]
	[ "$(copied -e page-faults -c 1)" = 8192 ]
	[ "$(copied -e cpu-clock -g auto,4096)" = 4096 ]
	[ "$(copied -e cpu-clock -m 64K)" = 4096 ]
}

@test "what was chosen, why and at what cost is said in a line, unless one is to be quiet" {
	need_events
	record -F 997 -e cpu-clock:u -o x.folded -- "$omits" 5 1000 >/dev/null 2>err
	grep -qE "^flamefold: stacks: copied, up to 32768 bytes each, [0-9.]+ MB/s in all, for code without frame pointers \\(.*${omits##*/}" err ||
		{ cat err; false; }
	record -F 997 -e cpu-clock:u -g fp -o x.folded -- "$omits" 5 1000 >/dev/null 2>err
	run ! grep -q 'stacks: copied' err
	record -q -F 997 -e cpu-clock:u -o x.folded -- "$omits" 5 1000 >/dev/null 2>err
	run ! grep -q 'stacks:' err
}

@test "words that are no way to record stacks are refused" {
	for words in "-g auto,7" "-g auto,70000" "--call-graph=automatic"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr "$flamefold" record $words -o x.folded -- true
		[ "$status" -ne 0 ]
		[ ! -e x.folded ]
	done
}

@test "a command whose code keeps frame pointers need not be copied: that is said" {
	need_events
	command -v go >/dev/null || skip "no go"
	cat >fib.go <<-'END'
	package main
	func fib(n int) int { if n < 2 { return 1 }; return fib(n-1) + fib(n-2) }
	func main() { println(fib(40)) }
	END
	HOME=$PWD GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -o fib fib.go
	chmod -R u+w cache
	record -F 499 -e cpu-clock:u -o x.folded -- ./fib >/dev/null 2>err
	grep -q '^flamefold: stacks: copied, .*; the code that was seen keeps frame pointers, and -g fp does without copies$' err
	record -F 499 -e cpu-clock:u -g fp -o x.folded -- ./fib >/dev/null 2>err
	rooted x.folded ';runtime.main(;|$)' 98
}
