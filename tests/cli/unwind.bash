# What the tests of unwinding share: load recordings; load unwind
# shellcheck shell=bash

programs=$root/tests/unwind
export FLAMEFOLD=$flamefold
export HOME=$BATS_TEST_TMPDIR

# Frames that need call frame information: no frame pointers.
WITHOUT_FP='-O2 -g -fomit-frame-pointer'

need_x86_64()
{
	[ "$(uname -m)" = x86_64 ] || skip "programs for x86-64"
}

# compile OUTPUT SOURCE [FLAG]...: one of tests/unwind
compile()
{
	local output=$1 source=$2 compiler=${CC:-cc}
	shift 2
	command -v "$compiler" >/dev/null || skip "no $compiler"
	"$compiler" -Wall -Wextra -o "$output" "$programs/$source" "$@"
}

# dwarf [--size=BYTES] COMMAND...: perf.data with dumps of the stack, or a skip that says why.
# What the command says is of no interest; that it ran is.
dwarf()
{
	local size=8192 why record=(perf record -q -N -o perf.data -e cpu-clock)

	case $1 in
	--size=*) size=${1#*=} && shift ;;
	esac
	need_perf
	why=$("${record[@]}" --call-graph dwarf -- true 2>&1) ||
		skip "events are not permitted: $(head -n 1 <<<"$why")"
	rm -f perf.data
	# More room than others may have, so that nothing is lost.
	[ "$(id -u)" -ne 0 ] || record+=(-m 2048)
	"${record[@]}" -F "${rate:-4999}" --call-graph "dwarf,$size" -- "$@" >recorded 2>&1
}

# As perf script has it, sample by sample, or as gdb has it: see the program.
same_as_perf()
{
	command -v gdb >/dev/null || skip "no gdb"
	timeout 900 "$programs/compare.py" "$@" perf.data
}

# The stacks without the kernel's part: user.
fold_user()
{
	[ $# -gt 0 ] || set -- perf.data
	timeout 900 "$flamefold" fold --quiet --all --no-inline "$@" >folded
	sed -E 's/(;[^;]*_\[k\])+ ([0-9]+)$/ \2/' folded >user
}

# chain LEAF CHAIN [SHARE]: as good as all stacks of user that end with LEAF are CHAIN, a regular
# expression for the whole of them. Of many, two samples may have hit something in between.
chain()
{
	grep -E "(^|;)$1 [0-9]+\$" user >of_leaf || { echo "no stack ends with $1"; return 1; }
	grep -vE "^($2) [0-9]+\$" of_leaf >others || return 0
	awk -v all="$(total of_leaf)" -v others="$(total others)" -v least="${3:-0.996}" '
		!sample || $NF < sample { sample = $NF }
		END { exit !(all - others >= least * all || others <= 2 * sample && all >= 40 * sample) }' user && return 0
	echo "$1: of $(total of_leaf), $(total others) are not $2"
	sort -t ' ' -k 2 -nr others | cut -c 1-1000 | head -n 5
	return 1
}

# What comes before main: names of the C library or, without its symbols, the library's.
from_start()
{
	echo "$1;_start;([^;]*;){1,2}main;$2"
}

# why REASON [FILE]: of the stacks that are cut, as info counts it; hardly any is for another reason.
why()
{
	local name most count

	"$flamefold" info --format=json "${2:-perf.data}" >info
	[[ $1 = *_chain ]] || grep -q '"unwound": [1-9]' info
	# How a program begins and ends has places of its own: a sample in two hundred may be there.
	most=$(($(sed -nE 's/^ *"samples": ([0-9]+),?$/\1/p' info | head -n 1) / 200))
	for name in cut_dump other_stack no_cfi bad_address repeated too_deep cut_chain odd_chain; do
		count=$(sed -nE "s/^ *\"$name\": ([0-9]+),?\$/\1/p" info | head -n 1)
		if [ "$name" = "$1" ]; then
			[ "$count" -gt "$most" ] || { cat info; return 1; }
		else
			[ "$count" -le "$most" ] || { cat info; return 1; }
		fi
	done
}
