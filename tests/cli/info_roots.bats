#!/usr/bin/env bats
# info: stacks that begin in the middle, and why.
bats_require_minimum_version 1.5.0

load info
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "warnings: stacks that begin in the middle, and who has no frame pointers" {
	# In turn: the function alone, one below what is no code, one that the C library was in, and a whole one.
	stacks <<-'END'
	30 U,0x1234
	20 U,0x1234,0x777777
	40 U,0x11234
	10 U,0x1234,0x1500,0x11500
	END
	json one.data
	warns frame_pointers '90.0 % of the weight is on stacks that begin in the middle, not where threads start: no frame pointers in prog (50.0 %), libc.so.6 (40.0 %): perf record --call-graph dwarf, '
	holds '.warnings[] | select(.kind == "frame_pointers") | .part == 90 and .whole == 100'
	run --separate-stderr "$flamefold" fold one.data
	[[ $stderr == *'flamefold: 90.0 % of the weight is on stacks that begin in the middle, '* ]]
	"$flamefold" info one.data | grep -q '^  90.0 % of the weight is on stacks that begin in the middle, '
	# Who recorded is told in its own words.
	stacks flamefold,record,-g,fp <<<'30 U,0x1234'
	json one.data
	warns frame_pointers '100.0 % of the weight is on stacks that begin in the middle, not where threads start: no frame pointers in prog (100.0 %): flamefold record -g dwarf, '
}

# copied CHAIN...: one.data, where the stack was copied for a hundred samples and not for those of CHAIN.
copied()
{
	{
		cat <<-'END'
		feature cmdline=flamefold,record
		feature arch=x86_64
		attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN,REGS_USER,STACK_USER \
			flags=sample_id_all,comm_exec regs_user=0x1c0 stack_user=16
		comm pid=1 name=prog exec time=1
		mmap2 pid=1 start=0x1000 len=0x9000 name=/no/prog time=1
		mmap2 pid=1 start=0x10000 len=0x9000 name=/no/libc.so.6 time=1
		END
		for ((i = 0; i < ${copies:-100}; i++)); do
			echo 'sample pid=1 time=5 ip=0x1234 period=1 chain= regs=2:0x10008,0x10000,0x1234 dyn=16 stack=11111111111111111111111111111111'
		done
		for chain in "$@"; do
			echo "sample pid=1 time=5 ip=0x1234 period=1 chain=$chain stack="
		done
	} | build
}

@test "warnings: the few stacks that could not be copied are no share of note" {
	copied U,0x1234
	json one.data
	holds '.samples == 101'
	silent_about frame_pointers
	# Where most could not be, they are.
	copies=1 copied U,0x1234 U,0x1234
	json one.data
	warns frame_pointers '66.7 % of the weight is on stacks that begin in the middle'
}

@test "warnings: unwind information that few stacks lack is no share of note" {
	copies=1 copied $(yes U,0x1234,0x11500 | head -n 200)
	json one.data
	holds '.samples == 201'
	silent_about no_unwind_information
	copies=100 copied U,0x1234,0x11500
	json one.data
	warns no_unwind_information '99.0 % of stacks end where there is no unwind information'
}

@test "warnings: stacks that begin where threads do are whole" {
	# A program and the C library that started it; _start, and garbage above that; the kernel's own; a loop at the root of
	# all stacks of a program without names.
	for chains in '1 U,0x1234,0x11500' '1 U,0x1234,0x11500,0x11600,0x1800' '1 U,0x1234,0x11500,0x11600,0x1800,0x777777' \
		'1 K,0xffffffff81000000' '1 U,0x1234,0x1300,0x1800'; do
		stacks <<<"$chains"
		json one.data
		silent_about frame_pointers
	done
	# Who looks at the kernel alone has asked for no more.
	stacks perf,record,-g ,exclude_user <<<'1 K,0xffffffff81000000,U,0x1234'
	json one.data
	silent_about frame_pointers
	stacks <<<'1 K,0xffffffff81000000,U,0x1234'
	json one.data
	holds '.warnings[] | select(.kind == "frame_pointers") | .part == 1'
}

@test "warnings: real programs with and without frame pointers" {
	cat >deep.c <<-'END'
	#include <stdlib.h>
	volatile unsigned sink;
	__attribute__((noinline)) static void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i * n; }
	__attribute__((noinline)) static void middle(unsigned n) { leaf(n); sink++; }
	int main(int argc, char **argv)
	{
		for (int i = 0; i < 3000; i++)
			middle(100000 / argc);
		return argv == NULL;
	}
	END
	gcc -O2 -fomit-frame-pointer -o without deep.c
	gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o with deep.c
	strip -o stripped with
	for program in without with stripped; do
		perf record -q -e cpu-clock -F 499 -g -o $program.data ./$program || skip "perf cannot sample here"
	done
	json without.data
	holds '.warnings[] | select(.kind == "frame_pointers") | .part > .whole / 2 and (.cause | contains("without ("))'
	for program in with stripped; do
		json $program.data
		silent_about frame_pointers
	done
}

@test "warnings: an event that asks for few frames, and for more" {
	command -v perf >/dev/null || skip "no perf"
	cat >deep.c <<-'END'
	static volatile unsigned long sink;
	__attribute__((noinline)) static int deep(int n)
	{
		if (n == 0)
			for (long i = 0; i < 200000000; i++)
				sink += (unsigned long)i;
		return n > 0 ? deep(n - 1) + 1 : 0;
	}

	int main(void)
	{
		return deep(60) != 60;
	}
	END
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c
	perf record -q -N -g -e cpu-clock/max-stack=8/ -F 499 -o one.data ./deep 2>why || skip "$(head -n 1 why)"
	json one.data
	holds '.warnings[] | select(.kind == "chains_cut") | .text | endswith(" % of the call chains are cut and do not reach their root: they have as many frames as were asked for, 8: perf record -g -e EVENT/max-stack=127/")'
	perf record -q -N -g -e cpu-clock/max-stack=127/ -F 499 -o one.data ./deep
	json one.data
	silent_about chains_cut
}
