#!/usr/bin/env bats
# Callers that chains of frame pointers lack, and that the code tells.
bats_require_minimum_version 1.5.0

load recordings
load unwind
load sampled
load m32

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	need_x86_64
	need_perf
	compile inferred inferred.c -O2 -g -fno-omit-frame-pointer
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./inferred 20000 ||
		skip "events are not permitted"
}

# inferred [OPTION]...: as fold_user, with the callers that can be inferred.
inferred()
{
	timeout 900 "$flamefold" fold --quiet --no-inline "$@" perf.data >user
}

@test "callers that the code tells are put in, and no others" {
	inferred
	chain direct_leaf '.*;main(;jumper)?;direct;direct_leaf'
	chain main_leaf '.*;main;main_leaf'
	chain again_leaf '.*;main;again;again;again;again_leaf'
	# It has jumped, and who has the frame cannot be told; and whom a pointer leads to neither.
	chain landed_leaf '.*;main;landed_leaf'
	chain pointed_leaf '.*;main;pointed_leaf'
	# These are there.
	chain framed_leaf '.*;main;framed;framed_leaf'
	chain '__memset[a-z0-9_]*' '.*;main;fills;__memset[a-z0-9_]*'
}

@test "what is inferred is counted, can be left out, and is not in perf's own stacks" {
	inferred --no-infer
	chain direct_leaf '.*;main(;jumper)?;direct_leaf'
	"$flamefold" info --format=json perf.data >json
	awk -F'[:,]' '/"callers_inferred"/ { inferred = $2 } /"samples"/ && !samples { samples = $2 }
		END { exit !(samples && inferred > 0.4 * samples) }' json
	"$flamefold" info --format=json --no-infer perf.data | grep -q '"callers_inferred": *0'
	diff <("$flamefold" fold --quiet --compat=stackcollapse perf.data) \
		<("$flamefold" fold --quiet --compat=stackcollapse --no-infer perf.data)
}

# said FILE: of each function in a picture what is inferred, as the viewer reads it.
said()
{
	node "$BATS_TEST_DIRNAME/../viewer/inferred.mjs" "$1"
}

@test "a picture says which frames are inferred, and so does a picture of it" {
	"$flamefold" graph --quiet --no-inline -o one.svg perf.data
	"$flamefold" graph --quiet --no-inline -o two.svg one.svg
	said one.svg >one
	said two.svg | diff one -
	"$flamefold" fold --quiet --no-inline perf.data | sort >folded
	# Of direct all is inferred that is below it, of main what is in its own leaf, and nothing of framed.
	awk '{ n = $NF; sub(/ [0-9]+$/, "") } /;direct;direct_leaf$/ { sum += n } END { print "direct " sum }' folded >expected
	grep '^direct ' one | diff expected -
	# A sample or two may have hit what else main calls.
	awk '{ n = $NF; sub(/ [0-9]+$/, "") } /;main;main_leaf$/ { sum += n } END { print sum }' folded >expected
	awk -v own="$(cat expected)" '/^main / { exit !(own <= $2 && $2 < 1.05 * own) }' one
	! grep -q '^framed ' one
	"$flamefold" graph --quiet --no-infer -o none.svg perf.data
	[ -z "$(said none.svg)" ]
}

@test "what is inferred is the same by one thread and by several, live and from the file" {
	inferred --threads=1
	cp user one
	inferred --threads=3
	cmp one user
	"$flamefold" record --quiet -e cpu-clock:u -F 4999 -g fp --no-leaf-fix --save live.data -f folded -o live \
		-- ./inferred 3000 || skip "events are not permitted"
	"$flamefold" fold --quiet live.data >filed
	diff <(sort live) <(sort filed)
	grep -q ';main;direct;direct_leaf' live
}

# passed [OPTION]...: functions without a frame in the midst of stacks.
passed()
{
	inferred "$@"
	# On a leaf's first instructions its caller is missing, which a pointer leads to.
	chain by_hop_leaf '.*;main;by_hop;hop;by_hop_work;by_hop_leaf' 0.97
	chain by_step_leaf '.*;main;by_step;step;by_step_work;by_step_leaf' 0.97
	chain main_leaf '.*;main;hop;main_work;main_leaf' 0.97
	# It has jumped, so that nobody called it.
	chain jumps_leaf '.*;main;hop;jumps_work;jumps_leaf' 0.97
}

@test "who called a function that leaves the frame pointer alone is put in below it" {
	compile passed passed.c -O2 -g -fno-omit-frame-pointer
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./passed 20000
	passed
	# Who called it is known, and that it was not called from there.
	chain bare_leaf '.*;main;to_leaf;\[skipped\];bare_leaf'
	"$flamefold" info --format=json perf.data >json
	awk -F'[:,]' '/"frames_skipped"/ { skipped = $2 } /"samples"/ && !samples { samples = $2 }
		END { exit !(samples && skipped > 0.1 * samples && skipped < 0.4 * samples) }' json
	inferred --no-infer
	chain by_hop_leaf '.*;main;hop;by_hop_work;by_hop_leaf'
	! grep -q skipped user
	# A copy of the stack does not tell either how to leave what has no rows.
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph dwarf ./passed 20000
	passed
	chain bare_leaf '.*;main;to_leaf;step;bare_leaf'
	inferred --no-infer
	chain by_hop_leaf '.*;main;hop;by_hop_work;by_hop_leaf'
}

@test "who called it is put in live as well, and when what was saved is read" {
	compile passed passed.c -O2 -g -fno-omit-frame-pointer
	for way in fp dwarf; do
		"$flamefold" record --quiet -e cpu-clock:u -F 4999 -g "$way" --save live.data -f folded -o live \
			-- ./passed 20000 || skip "events are not permitted"
		"$flamefold" fold --quiet live.data >filed
		diff <(sort live) <(sort filed)
		cp live.data perf.data
		passed
		chain bare_leaf '.*;main;to_leaf;step;bare_leaf'
	done
}

@test "what is put in is in a copy of the stack, too" {
	local repairs=$programs/repairs.py

	compile passed passed.c -O2 -g -fno-omit-frame-pointer
	compile signals signals.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	for program in './inferred 20000' './passed 20000' './signals 100000'; do
		# shellcheck disable=SC2086 # its arguments
		perf record -q -N -o "copy-${program:2:6}.data" -e cpu-clock:u -F 4999 --call-graph dwarf $program
	done
	"$repairs" --at-least=1000 copy-*.data
	# Were another function put in, that would be said.
	printf '%s\n' '#!/bin/sh' 'case $* in *no-infer*|*copies*) like=x ;; *) like=";by_step;" ;; esac' \
		"'$flamefold' \"\$@\" | sed \"s/\$like/;by_hop;/\"" >wrong
	chmod +x wrong
	FLAMEFOLD=$PWD/wrong run -1 "$repairs" copy-passed.data
	[[ $output == *" wrong,"* && $output != *" 0 wrong,"* ]]
}

@test "who has left its frame where that is hard to see is not put in, and nothing is said to be missing" {
	for how in '' -mindirect-branch=thunk -mindirect-branch=thunk-inline; do
		# shellcheck disable=SC2086 # none, or one
		compile departs departs.c -O2 -g -fno-omit-frame-pointer -fcf-protection=none $how
		perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./departs 20000
		inferred
		# Whose frame it is cannot be told: slow, which has it, was jumped to.
		chain cold_work '.*;main;colder;hop;cold_work' 0.97
		chain jump_work '.*;main;jumper;hop;jump_work' 0.97
		chain call_work '.*;main;calls;hop;call_work' 0.97
		! grep -q skipped user
	done
}

# linked_with [FLAG]...: two objects and the calls between them, sampled.
linked_with()
{
	compile liblinked.so linked.c -DLIBRARY -O2 -g -fno-omit-frame-pointer -fPIC -shared "$@"
	compile linked linked.c -O2 -g -fno-omit-frame-pointer "$@" -L. -llinked "-Wl,-rpath,$PWD"
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./linked 20000
}

@test "who was called through the PLT or the GOT is put in" {
	for how in -Wl,-z,lazy -Wl,-z,now -fno-plt '-fcf-protection -Wl,-z,ibtplt'; do
		# shellcheck disable=SC2086 # one, or two
		linked_with $how
		inferred
		chain lib_leaf '.*;main(;lib_inner)?;lib_calls;lib_leaf'
		chain own_leaf '.*;main;own_calls;own_leaf'
		# What an IFUNC has chosen is not known.
		chain chosen_leaf '.*;main;chosen_leaf'
		grep -q ';main;lib_inner;lib_calls;lib_leaf ' user
		inferred --threads=3
		chain lib_leaf '.*;main(;lib_inner)?;lib_calls;lib_leaf'
		inferred --no-infer
		chain lib_leaf '.*;main(;lib_inner)?;lib_leaf'
		"$flamefold" record --quiet -e cpu-clock:u -F 4999 -g fp --no-leaf-fix --no-inline -f folded -o user \
			-- ./linked 5000
		chain lib_leaf '.*;main(;lib_inner)?;lib_calls;lib_leaf'
	done
	perf record -q -N -o copy.data -e cpu-clock:u -F 4999 --call-graph dwarf ./linked 20000
	"$programs/repairs.py" --at-least=1000 copy.data
}

@test "of two files that export one name none is put in" {
	linked_with
	compile other.so linked.c -DLIBRARY -O2 -g -fno-omit-frame-pointer -fPIC -shared
	LD_PRELOAD=$PWD/other.so perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./linked 20000
	inferred
	chain lib_leaf '.*;main(;lib_inner)?;lib_leaf'
	# Nor where one cannot be looked at.
	linked_with
	compile other.so linked.c -Dlib_calls=other_calls -Dlib_inner=other_inner -Dlib_chosen=other_chosen \
		-DLIBRARY -O2 -g -fno-omit-frame-pointer -fPIC -shared
	LD_PRELOAD=$PWD/other.so perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./linked 20000
	inferred
	chain lib_leaf '.*;main(;lib_inner)?;lib_calls;lib_leaf'
	rm -rf other.so .debug
	inferred
	chain lib_leaf '.*;main(;lib_inner)?;lib_leaf'
}

@test "main.main() of Go, which is called by a constant" {
	command -v go >/dev/null || skip "no go"
	cat >leaf.go <<-'END'
		package main

		//go:noinline
		func leaf(n int) int {
			for i := 0; i < n; i++ {
				n ^= i & 1
			}
			return n
		}

		func main() {
			sum := 0
			for i := 0; i < 60000; i++ {
				sum += leaf(10000)
			}
			println(sum)
		}
	END
	for how in exe pie; do
		GOCACHE=$PWD/cache GO111MODULE=off go build -buildmode=$how -o leaf leaf.go
		perf record -q -N -o perf.data -e cpu-clock:u -F 1999 --call-graph fp ./leaf
		inferred
		chain main.leaf '.*;runtime.main;main.main;main.leaf' 0.98
		inferred --no-infer
		chain main.leaf '.*;runtime.main;main.leaf' 0.98
		# The rows of a stripped program are in the table of its runtime.
		strip leaf
		perf record -q -N -o perf.data -e cpu-clock:u -F 1999 --call-graph fp ./leaf
		inferred
		chain main.leaf '.*;runtime.main;main.main;main.leaf' 0.98
	done
}

@test "a function that goes on on another piece of a split stack is there once" {
	echo 'int main(void) { return 0; }' >empty.c
	"${CC:-cc}" -fsplit-stack -pthread -o empty empty.c 2>/dev/null || skip "no -fsplit-stack"
	compile split split.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME -fsplit-stack -pthread
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./split 2000
	inferred
	# There are 31; who called one that needs another piece is not in a chain.
	chain leaf '.*;thread(;deep){28,31};leaf' 0.98
	inferred --no-infer
	grep -q ';__morestack;deep' user
}

@test "callers are put in for programs of 32 bits, too" {
	need_32_bits
	compile_32 inferred inferred.c -O2 -g -fno-omit-frame-pointer
	perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./inferred 10000 ||
		skip "events are not permitted"
	inferred
	chain direct_leaf '.*;main(;jumper)?;direct;direct_leaf'
	chain again_leaf '.*;main;again;again;again;again_leaf'
	chain pointed_leaf '.*;main;pointed_leaf'
	inferred --no-infer
	chain direct_leaf '.*;main(;jumper)?;direct_leaf'
}

@test "what a signal has interrupted is put in below its handler" {
	compile signals signals.c -O2 -g -fno-omit-frame-pointer -DLEAF_FRAME
	for stack in '' altstack; do
		perf record -q -N -o perf.data -e cpu-clock:u -F 4999 --call-graph fp ./signals 100000 $stack ||
			skip "events are not permitted"
		inferred
		# The leaf is interrupted mostly, but any instruction can be.
		chain handle '.*;main;interrupted;leaf;__restore_rt;handler;handle' 0.95
		inferred --no-infer
		chain handle '.*;main;interrupted;__restore_rt;handler;handle' 0.95
	done
}

@test "a call in a file of another machine tells nothing" {
	echo '__attribute__((noinline)) int leaf(int n) { return n * n; }
		int main(int n) { __asm__ volatile("" : : "r"(__builtin_frame_address(0))); return leaf(n) + 1; }' >p.c
	gcc -O1 -fno-omit-frame-pointer -o p p.c
	# As the C library calls main().
	echo '__asm__(".globl __libc_start_call_main\n.type __libc_start_call_main,@function\n__libc_start_call_main: call *%rax\n"
		"behind: mov %eax,%edi\ncall __libc_start_call_main\nnop\n.size __libc_start_call_main,.-__libc_start_call_main");' >other.c
	gcc -shared -o other.so other.c
	leaf=0x$(nm p | awk '$3 == "leaf" { print $1 }') behind=0x$(nm other.so | awk '$3 == "behind" { print $1 }')
	while read -r machine in_main; do
		printf %b "$machine" | dd of=other.so bs=1 seek=18 conv=notrunc status=none
		"$BATS_TEST_DIRNAME/../perfdata/build" -o other.data - <<-END
			attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec,mmap2
			comm pid=7 name=p exec time=1
			mmap2 pid=7 start=0x401000 len=0x1000 off=0x1000 prot=5 name=$PWD/p time=1
			mmap2 pid=7 start=0x7f0000001000 len=0x1000 off=0x1000 prot=5 name=$PWD/other.so time=1
			sample pid=7 time=2 period=1 ip=$(printf '%#x' $((0x400000 + leaf))) chain=U,$(printf '%#x' $((0x400000 + leaf))),$(printf '%#x' $((0x7f0000000000 + behind)))
			sample pid=7 tid=8 time=2 period=10 ip=$(printf '%#x' $((0x400000 + leaf))) chain=U,$(printf '%#x' $((0x400000 + leaf))),$(printf '%#x' $((0x7f0000000000 + behind)))
		END
		"$flamefold" fold --quiet --truncated=merge other.data >other
		# The first thread alone is in main().
		grep -c ';main;leaf 1$' other | grep -qx "$in_main" || { cat other; return 1; }
		! grep -E ';main;leaf 1[01]$' other || return 1
	done <<-'END'
		\x3e 1
		\xf3 0
	END
}
