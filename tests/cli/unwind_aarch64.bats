#!/usr/bin/env bats
# Stacks of aarch64, read on whatever machine this is. The program stops at known depths under qemu
# and says what a recorder would have copied there.
bats_require_minimum_version 1.5.0

load recordings
load unwind

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

WITHOUT_CFI='-O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer'
SIGNED='-mbranch-protection=standard'
LIBRARIES=/usr/aarch64-linux-gnu

# built FLAG...: the program.
built()
{
	command -v aarch64-linux-gnu-gcc >/dev/null || skip "no compiler for aarch64"
	command -v qemu-aarch64 >/dev/null || skip "no qemu for aarch64"
	CC=aarch64-linux-gnu-gcc compile arm aarch64.c "$@"
}

# stop CASE [OPTION of aarch64.py]...: perf.data of a stop in it, and its stacks in user.
stop()
{
	local which=$1 library=$LIBRARIES
	shift
	# The environment is on the stack.
	env -i qemu-aarch64 -L "$library" ./arm "$which" >"$which.txt"
	"$programs/aarch64.py" "$@" "$which.txt" >"$which.pd"
	"$build" -o perf.data "$which.pd"
	fold_user
}

# stacks COUNT CHAIN: all there is in user.
stacks()
{
	! grep -vE "^($2) [0-9]+\$" user || return 1
	[ "$(total user)" -eq "$1" ]
}

# from_arm CHAIN: what main calls, from the root on.
from_arm()
{
	from_start arm "$1"
}

# Each case, whatever the program was built with.
each_case()
{
	stop layers "$@"
	stacks 1 "$(from_arm 'outer;middle;inner;leaf')"
	why root
	stop huge "$@"
	stacks 1 "$(from_arm 'huge;middle;inner;leaf')"
	why root
	stop variable "$@"
	stacks 1 "$(from_arm 'variable;leaf')"
	why root
	stop called "$@"
	stacks 1 "$(from_arm 'after_call;twice')"
	why root
	stop sorted "$@"
	stacks 1 "$(from_arm 'sorted;([^;]*;)+compare;leaf')"
	why root
}

SIGNAL='[^;]*;handler;handle;leaf'

each_signal()
{
	stop signal
	stacks 1 "$(from_arm "interrupted;hit;$SIGNAL")"
	why root
	stop first
	stacks 1 "$(from_arm "interrupted_first;first;$SIGNAL")"
	why root
	stop restored
	stacks 1 "$(from_arm "restored;interrupted;hit;restore;handler;handle;leaf")"
	why root
}

# The seven stops have one signed address, of seven bits that depend on the keys of the run: of 128
# runs one signs it with zeros.
each_step()
{
	local run

	for run in {1..8}; do
		stop steps
		! "$programs/aarch64.py" --check=signed steps.txt || break
	done
	"$programs/aarch64.py" --check=signed steps.txt
	stacks 7 "$(from_arm 'stepped;steps')"
	why root
}

@test "aarch64: frames that only call frame information can leave, static" {
	built $WITHOUT_FP -static
	each_case
	"$programs/aarch64.py" --check=unsigned layers.txt
	each_signal
	each_step
}

@test "aarch64: the same with the C library beside it" {
	built $WITHOUT_FP -fPIE -pie
	each_case
	grep -q ' r.x.*/libc\.so\.6$' layers.txt
	each_signal
	each_step
}

@test "aarch64: libraries are looked for in the tree that is given" {
	local tree

	built $WITHOUT_FP -fPIE -pie
	# A C library at a place where this machine has none.
	mkdir -p elsewhere && cp -rL "$LIBRARIES/lib" elsewhere/
	LIBRARIES=$PWD/elsewhere stop sorted
	grep -q " $PWD/elsewhere/lib/libc\.so\.6$" sorted.txt
	tree=$PWD/root
	mkdir -p "$tree$PWD"
	mv elsewhere arm "$tree$PWD/"
	fold_user perf.data
	! stacks 1 "$(from_arm 'sorted;([^;]*;)+compare;leaf')" || false
	fold_user --symfs="$tree" perf.data
	stacks 1 "$(from_arm 'sorted;([^;]*;)+compare;leaf')"
}

# bats test_tags=long
@test "aarch64: signed return addresses" {
	local how

	for how in standard pac-ret+leaf pac-ret+leaf+b-key; do
		built $WITHOUT_FP -static -mbranch-protection=$how
		each_case
		"$programs/aarch64.py" --check=signed layers.txt
		each_signal
	done
}

@test "aarch64: signed return addresses and the C library beside it" {
	built $WITHOUT_FP -fPIE -pie $SIGNED
	each_case
	"$programs/aarch64.py" --check=signed layers.txt
	each_signal
}

@test "aarch64: frame pointers where no call frame information is" {
	# A leaf without a frame cannot be told from one that has called.
	built $WITHOUT_CFI -mno-omit-leaf-frame-pointer -static
	! readelf -wf arm | grep -q "pc=0*$(nm arm | awk '$3 == "inner" { print $1 }' | sed 's/^0*//')" || false
	each_case
	"$programs/aarch64.py" --check=unsigned layers.txt
	built $WITHOUT_CFI -mno-omit-leaf-frame-pointer $SIGNED
	each_case
	"$programs/aarch64.py" --check=signed layers.txt
	each_signal
}

@test "aarch64: a stack of which less was copied" {
	built $WITHOUT_FP -static
	# Frame records lie below the variables: that of inner is there, that of middle is behind them.
	stop layers --copy=4096
	stacks 1 'arm;\[truncated\];middle;inner;leaf'
	why cut_dump
	stop huge --copy=5120
	stacks 1 'arm;\[truncated\];main;huge;middle;inner;leaf'
	why cut_dump
	stop huge --copy=47104
	stacks 1 "$(from_arm 'huge;middle;inner;leaf')"
	why root
	# Whatever is missing, what is there is right.
	stop layers --copy="$(seq -s, 8 16 5960)"
	stacks "$(seq 8 16 5960 | wc -l)" "arm;\[truncated\];((((([^;]*;){0,2}main;)?outer;)?middle;)?inner;)?leaf|$(from_arm 'outer;middle;inner;leaf')"
	[ "$(wc -l <user)" -ge 5 ]
}

@test "aarch64: the caller that a chain lacks is in the link register" {
	built -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -static
	stop layers --chain=link
	[ "$(grep -c 'chain=U' layers.pd)" -eq 1 ]
	stacks 1 "arm;([^;]*;){1,3}main;outer;middle;inner;leaf"
	stop variable --chain=link
	stacks 1 "arm;([^;]*;){1,3}main;variable;leaf"
	# The registers are not looked at where there are none: what it would be otherwise.
	sed -E -e 's/ regs=[^ ]*//' variable.pd >without.pd
	"$build" -o perf.data without.pd
	fold_user
	stacks 1 "arm;([^;]*;){1,3}main;leaf"
}

@test "aarch64: the same, signed" {
	built -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -static -mbranch-protection=pac-ret+leaf
	stop layers --chain=link
	"$programs/aarch64.py" --check=signed layers.txt
	stacks 1 "arm;([^;]*;){1,3}main;outer;middle;inner;leaf"
	stop layers --chain=all
	stacks 1 "arm;([^;]*;){1,3}main;outer;middle;inner;leaf"
}

@test "aarch64: the link register adds nothing to a whole chain" {
	built -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static
	# The leaf has a frame: the link register says what the chain does.
	stop layers --chain=link
	stacks 1 "arm;([^;]*;){1,3}main;outer;middle;inner;leaf"
	# It has called others: the link register holds an address in the leaf itself.
	stop called --chain=link
	[ "$(sed -n 's/.* regs=2://p' called.pd)" != "$(sed -n 's/.*chain=U,[^,]*,\([^, ]*\).*/\1/p' called.pd)" ]
	stacks 1 "arm;([^;]*;){1,3}main;after_call;twice"
	stop called --chain=all
	stacks 1 "arm;([^;]*;){1,3}main;after_call;twice"
}

@test "aarch64: where a function begins and ends the chain lacks its caller" {
	built -O2 -fno-omit-frame-pointer -static
	# Of seven stops, between saving the link and setting up the frame one is where only the stack
	# has it.
	stop steps --chain=all
	stacks 7 "arm;([^;]*;){1,3}main;stepped;steps"
	stop steps --chain=link
	stacks 7 "arm;([^;]*;){1,3}main;(stepped;)?steps"
	[ "$(grep stepped user | total)" -eq 6 ]
}

# Recordings of other people's machines, where no object is at hand: CORPUS=DIR, see corpus.bats.

corpus_sample()
{
	need_corpus
	recording=$CORPUS/GrapheneOS+platform_system_extras/simpleperf/testdata/$1.data
	[ -f "$recording" ] || skip "CORPUS has no $1"
	fold --quiet --all --addrs "$recording" >user
}

# A thread of an Android program: x29 is 0x73d6753cf0, sp 0x73d6753c90, and from there on are copied
# 4928 bytes. pc is 0x73d6b501a4: at 0x4b1a4 of libnative-lib.so. Pairs of x29 and x30 in the copy:
#
#	0x73d6753cf0, at 0x60	0x73d6753d10 0x74b1909340, in libc.so at 0xe0340
#	0x73d6753d10, at 0x80	0x73d6753d40 0x74b18ac078, in libc.so at 0x83078
#	0x73d6753d40, at 0xb0	0 0: the thread began here
#
# x30 is 0x73d6b501cc, behind the last call of the function that runs: none of its callers.
@test "aarch64: the frame pointers of a program on Android lead to its root" {
	corpus_sample perf_unwind_embedded_lib_in_apk
	stacks 770996 'BusyThread;\[libc.so <83078>\];\[libc.so <e0340>\];\[libnative-lib.so <4b1a4>\]'
	why root "$recording"
	grep -q '"frames_unwound": 3,' info
}

# A process in the kernel, behind exec: all registers are 0 but sp, 0x7fe95f7be0, and pc,
# 0x76b1861d3c. The copy of 5104 bytes begins as the kernel writes it for a program: argc, 12, and
# pointers to its arguments, 0x7fe95f8788 the first. So the program is at its first instruction, and
# that is its root. The chain says 0xffffffc000159b04 of the kernel, and behind it 0.
@test "aarch64: a program at its first instruction is at its root" {
	corpus_sample perf_with_ip_zero_in_callchain
	stacks 1 ':23671;\[unknown <76b1861d3c>\];\[unknown <0>\];\[unknown <ffffffc000159b04>\]'
	why root "$recording"
	grep -q '"frames_unwound": 1,' info
}

# Nothing was copied: 0 bytes each, though 8192 were asked for. x29 leads nowhere, and nobody says
# what is in the link register of a function without an object.
@test "aarch64: dumps without a byte are one frame, and cut" {
	corpus_sample has_embedded_native_libs_apk_perf
	! grep -vE '^[^;]+;\[truncated\];\[[^];]+ <[0-9a-f]+>\] [0-9]+$' user || false
	[ "$(wc -l <user)" -gt 1 ]
	why no_cfi "$recording"
	grep -q '"unwound": 55,' info
	grep -q '"frames_unwound": 55,' info
}
