#!/usr/bin/env bats
# Stacks from dumps (perf record --call-graph dwarf) of programs that run here and now: the same as
# perf script's, sample by sample, but where gdb says that perf is wrong; and those that are known.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
}

@test "deep recursion without frame pointers" {
	compile deep deep.c $WITHOUT_FP
	dwarf ./deep 40 150000
	same_as_perf --at-least=1000
	fold_user
	chain work "$(from_start deep '(large;small;){20}work')"
}

@test "deep recursion with frame pointers: two ways to the same stacks" {
	compile deep deep.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	dwarf ./deep 30 100000
	same_as_perf --at-least=500
	perf record -q -N -o perf.data -e cpu-clock -F 4999 --call-graph fp ./deep 30 100000
	fold_user
	chain work '.*;main;(large;small;){15}work'
	same_as_perf --at-least=500 --judge=0
}

# Of 1 KiB, 8 KiB and all that is possible: what is recorded is unwound, frame by frame, and a
# stack that goes on behind it is charged to [truncated].
# bats test_tags=long
@test "recursion deeper than the dump" {
	local size frames

	compile deep deep.c $WITHOUT_FP
	for size in 1024 8192 65528; do
		rate=1999 dwarf --size=$size ./deep 20000 2500
		same_as_perf --at-least=100
		timeout 900 "$flamefold" fold --quiet --no-inline perf.data >marked
		# All of the program's own but what begins before main.
		awk '$0 !~ /^deep;\[truncated\];/ { whole += $NF } { all += $NF }
			END { exit !(all > 0 && whole < 0.05 * all) }' marked
		# A frame of small has 16 bytes or more, one of large no more than 300.
		frames=$(awk '/;work [0-9]+$/ { print split($0, part, ";") - 2; exit }' marked)
		[ "$frames" -ge $((size / 300 * 2 * 9 / 10)) ] || { echo "$size bytes: $frames frames"; return 1; }
		# Whole again with --compat=stackcollapse.
		fold_user --compat=stackcollapse perf.data
		! grep -q '\[truncated\]' user || false
		chain work 'deep;(small;)?(large;small;)*work'
	done
	"$flamefold" help fold | grep -q -- '--truncated' || return 0
	"$flamefold" fold --quiet --no-inline --truncated=merge perf.data | sort >merged
	sed 's/^deep;\[truncated\];/deep;/' marked | awk '{ sum[$1] += $2 } END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' |
		sort | diff - merged
	"$flamefold" fold --quiet --no-inline --truncated=drop perf.data | sort >dropped
	grep -v '^deep;\[truncated\]' marked | sort | diff - dropped
}

# cut_for REASON: most of the stacks of perf.data are cut, for this reason and no other.
cut_for()
{
	why "$1"
	fold_user
	awk '$0 ~ "^[^;]*;\\[truncated\\];" { cut += $NF } { all += $NF }
		END { print cut + 0, "of", all + 0, "are cut"; exit !(cut > 0.6 * all) }' user
	"$flamefold" fold --quiet --truncated=merge perf.data >merged
	! grep -F '[truncated]' merged || return 1
	[ "$(total merged)" -eq "$(total user)" ]
	# All of them may be.
	"$flamefold" fold --quiet --truncated=drop perf.data >dropped || [ ! -s dropped ]
	[ "$(total dropped)" -lt "$(($(total user) * 4 / 10))" ]
}

# reason WHICH REASON: a program of which that is so.
reason()
{
	dwarf --size="${size:-8192}" ./reasons "$1" "${times:-10000}"
	cut_for "$2"
}

# bats test_tags=long
@test "why a walk ended" {
	compile reasons reasons.c $WITHOUT_FP
	dwarf ./reasons odd 10000
	why root
	reason cut cut_dump
	reason no_cfi no_cfi
	reason bad bad_address
	reason repeated repeated
	size=65528 times=1500 reason deep too_deep
}

@test "a frame of 32 MiB is cut, and no bad address" {
	compile reasons reasons.c $WITHOUT_FP
	[ "$(ulimit -H -s)" = unlimited ] || [ "$(ulimit -H -s)" -ge 65536 ] || skip "no stack of 64 MiB"
	reason large cut_dump
}

@test "why a chain ended" {
	local record=(perf record -q -N -o perf.data -F 2999 --call-graph fp)

	need_perf
	compile reasons reasons.c $WITHOUT_FP
	"${record[@]}" -e cpu-clock ./reasons odd 10000 >recorded 2>&1 || skip "events are not permitted"
	cut_for odd_chain
	compile deep deep.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	# As many addresses as are asked for: how many the machine allows may be another matter.
	"${record[@]}" -e cpu-clock/max-stack=127/ ./deep 400 100000 >recorded 2>&1
	cut_for cut_chain
}

# No row says that, so perf loses these: one in a hundred with gcc, three with clang.
# bats test_tags=long
@test "a leaf that has popped its caller's frame pointer" {
	local compiler

	for compiler in gcc clang; do
		command -v "$compiler" >/dev/null || continue
		CC=$compiler compile popped popped.c -O0 -fno-omit-frame-pointer
		dwarf ./popped 60000000
		same_as_perf --at-least=500
		fold_user
		chain tiny "$(from_start popped 'outer;small;tiny')"
		chain small "$(from_start popped 'outer;small')"
	done
}

@test "a leaf without a frame" {
	compile layers layers.c $WITHOUT_FP
	dwarf ./layers 30000
	same_as_perf --at-least=1000
	fold_user
	chain leaf "$(from_start layers 'outer;middle;inner;leaf')"
}

# cc1plus itself: of what g++ starts perf 6.1 loses all stacks through a library that was mapped at a
# lower address before the exec, which with addresses at random is every other time.
# bats test_tags=long
@test "a C++ compiler at work" {
	local compiler

	command -v g++ >/dev/null || skip "no g++"
	printf '%s\n' '#include <regex>' '#include <string>' \
		'bool f(const std::string &s) { return std::regex_search(s, std::regex("a+(b|c)*")); }' >regex.cc
	eval "compiler=($(g++ -std=c++17 -O1 -c regex.cc '-###' 2>&1 | grep -m 1 '/cc1plus '))"
	rate=1499 dwarf --size=16384 "${compiler[@]}"
	same_as_perf --at-least=1000
}

# bats test_tags=long
@test "another C++ compiler" {
	command -v clang++ >/dev/null || skip "no clang++"
	printf '%s\n' '#include <regex>' 'bool f(const char *s) { return std::regex_search(s, std::regex("a+")); }' >regex.cc
	rate=499 dwarf --size=65528 clang++ -std=c++17 -O1 -c regex.cc
	same_as_perf --at-least=300
}

# bats test_tags=long
@test "node" {
	command -v node >/dev/null || skip "no node"
	rate=1499 dwarf --size=16384 node -e 'let s = 0; function f(n) { for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s } for (let i = 0; i < 300; i++) f(300000); for (let i = 0; i < 40; i++) JSON.parse(JSON.stringify(Array(20000).fill({ a: i, b: "x" })))'
	same_as_perf --at-least=300
}

# perf goes no further than where a handler returns to, and how long the kernel takes there depends on the machine.
@test "a signal over a leaf" {
	compile signals signals.c $WITHOUT_FP
	dwarf ./signals 80000
	same_as_perf --equal=0.4 --at-least=500
	fold_user
	chain leaf "$(from_start signals 'interrupted;leaf')"
	chain handle "$(from_start signals 'interrupted;leaf;[^;]*;handler;handle')" 0.97
}

@test "a signal handler on a stack of its own" {
	compile signals signals.c $WITHOUT_FP
	dwarf ./signals 80000 altstack
	same_as_perf --equal=0.4 --at-least=500
	fold_user
	chain leaf "$(from_start signals 'interrupted;leaf')"
	# The interrupted stack is not in the dump: it ends there, and says so.
	timeout 900 "$flamefold" fold --quiet --no-inline perf.data >user
	chain handle 'signals;\[truncated\];(leaf;|interrupted;leaf;)?[^;]*;handler;handle' 0.97
}

# bats test_tags=long
@test "a signal on the first instruction of a function" {
	compile first first.c $WITHOUT_FP
	dwarf ./first 7000
	same_as_perf --equal=0.4 --at-least=500
	fold_user
	chain handle "$(from_start first 'caller;first;[^;]*;handler;handle')"
	! grep -q wide user
}

# sample_calls TIMES: user
sample_calls()
{
	rate=9999 dwarf --size=2048 ./calls "$1"
	fold_user
}

# libcallee.so and a program with the PLT that the flags make.
record_calls()
{
	compile libcallee.so callee.c $WITHOUT_FP -shared -fPIC "${@:2}"
	compile calls calls.c $WITHOUT_FP "${@:2}" -L. -lcallee -Wl,-rpath,"$PWD"
	readelf -SW calls | grep -q " $1 " || { echo "no $1 in it"; return 1; }
	sample_calls 1500
	same_as_perf --at-least=1000
	chain 'callee_[abc]' "$(from_start calls 'caller;callee_[abc]')"
	chain caller "$(from_start calls caller)"
}

# Samples in the PLT itself have their caller, too.
plt()
{
	grep -q '@plt ' user || sample_calls 6000
	grep -q '@plt ' user || sample_calls 24000
	grep -q '@plt ' user || skip "no sample hit the PLT"
	chain 'callee_[abc]@plt' "$(from_start calls 'caller;callee_[abc]@plt')"
}

@test "the PLT, bound lazily" {
	record_calls .plt -Wl,-z,lazy
	plt
}

# bats test_tags=long
@test "the PLT of indirect branch tracking" {
	record_calls .plt.sec -fcf-protection -Wl,-z,ibtplt
	plt
}

# bats test_tags=long
@test "the PLT, bound at the start" {
	record_calls .plt.got -Wl,-z,now
	plt
}

@test "calls without a PLT" {
	record_calls .text -fno-plt -DNO_PLT
}

@test "lazy binding" {
	local name libraries=()

	for name in a b c d e f g h i j k l; do
		compile "lib$name.so" lazy_library.c $WITHOUT_FP -shared -fPIC -DNAME=$name
		libraries+=("./lib$name.so")
	done
	compile lazy lazy.c $WITHOUT_FP "${libraries[@]}" -Wl,-z,lazy -Wl,-rpath,"$PWD"
	unset LD_BIND_NOW
	rate=9999 dwarf --size=4096 ./lazy 60000
	same_as_perf --at-least=1000
	fold_user
	# The resolver has a frame that is counted from rbx, and none is lost in it.
	awk '/;main;bind_all;/ { good += $NF } { all += $NF } END { exit !(good > 0.95 * all) }' user
	grep -q "$(from_start lazy 'bind_all;[^;]*;[^;]*;' | sed 's/[(){}]/\\&/g')" user
}

# bats test_tags=long
@test "libraries that come and go" {
	compile churn churn.c $WITHOUT_FP
	compile left.so churn_library.c $WITHOUT_FP -shared -fPIC -DLEFT
	compile right.so churn_library.c $WITHOUT_FP -shared -fPIC
	rate=2999 dwarf ./churn 500 ./left.so ./right.so
	same_as_perf --at-least=300
	fold_user
	chain left_leaf "$(from_start churn 'use_left;left_work;left_leaf')"
	chain right_leaf "$(from_start churn 'use_right;right_work;right_leaf')"
	! grep -E 'use_left.*right_|use_right.*left_' user
}
