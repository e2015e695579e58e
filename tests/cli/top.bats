#!/usr/bin/env bats
# flamefold top and flamefold tree: tables and call trees for terminals. Numbers are those of perf report.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	unset COLUMNS LINES NO_COLOR
	folded_calls >a.folded
}

# Rows of a table without the lines that explain it.
rows()
{
	"$flamefold" "$@" | grep -v '^#'
}

# SECONDS of a program whose every function keeps its frame pointer, some of them recursive and two of them
# in a library.
record_fresh()
{
	cat >lib.c <<-'END'
	volatile unsigned long sum;
	__attribute__((noinline)) void in_library(int n) { for (int i = 0; i < n; i++) sum += i; __asm__(""); }
	__attribute__((noinline)) void library(int n) { in_library(n); in_library(n / 2); __asm__(""); }
	END
	cat >prog.c <<-'END'
	#include <stdlib.h>
	#include <time.h>
	void library(int n);
	volatile unsigned long total;
	__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) total += i; __asm__(""); }
	__attribute__((noinline)) void again(int depth) { leaf(3000); if (depth > 0) again(depth - 1); __asm__(""); }
	__attribute__((noinline)) void odd(int n);
	__attribute__((noinline)) void even(int n) { leaf(1000); if (n > 0) odd(n - 1); __asm__(""); }
	__attribute__((noinline)) void odd(int n) { library(2000); if (n > 0) even(n - 1); __asm__(""); }
	int main(int argc, char **argv)
	{
		clock_t end = clock() + atoi(argv[1]) * CLOCKS_PER_SEC;

		while (clock() < end) {
			for (int i = 0; i < 40; i++) {
				again(4);
				even(5);
				library(7000);
			}
		}
		return 0;
	}
	END
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -shared -fPIC -o liblib.so lib.c
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c -L. -llib -Wl,-rpath,"$PWD"
	perf record -q -N -o fresh.data -e cpu-clock -F 4000 -g ./prog 2 2>/dev/null || skip "events are not permitted"
}

# What perf report prints, columns with a "|" between. perf names objects by the last part of their path.
of_perf()
{
	perf report -i fresh.data --stdio --no-inline -g none --max-stack 1000 -t '|' "$@" 2>/dev/null |
		grep -v '^#' | sed 's/ *| */|/g; s/^ *//; s/ *$//; s/\[[.k]\] //' | grep -v '^$'
}

# Of names that two symbols of one address may have perf takes others; these have one.
ours_alone()
{
	grep -P '\t(prog|liblib\.so) [a-z]'
}

# compare PERF OURS: lines "PERCENT NAME" of either; all that perf has are there, within 0.01 points.
compare()
{
	awk -F '\t' 'NR == FNR { ours[$2] = $1; next }
		{
			count++
			difference = ours[$2] - $1
			if (!($2 in ours) || difference > 0.0101 || difference < -0.0101) {
				print $2 ": perf " $1 ", here " ours[$2]
				bad = 1
			}
		}
		END { if (count < 5) print count " lines only"; exit bad || count < 5 }' "$2" "$1"
}

same_names()
{
	"$flamefold" top -q --no-infer --truncated=merge --no-inline --format=csv fresh.data "$@" |
		tr -d '\r"' | tail -n +2
}

# bats test_tags=sampled
@test "self and total are those of perf report, for functions, modules and processes" {
	record_fresh
	of_perf --no-children --sort dso,sym | awk -F '|' '{ printf "%.2f\t%s %s\n", $1, $2, $3 }' | ours_alone >perf.self
	of_perf --children --sort dso,sym | awk -F '|' '{ printf "%.2f\t%s %s\n", $1, $3, $4 }' | ours_alone >perf.total
	same_names | awk -F , '{ sub(".*/", "", $2); printf "%s\t%s %s\n", $5, $2, $1 }' >ours.self
	same_names --order total | awk -F , '{ sub(".*/", "", $2); printf "%s\t%s %s\n", $6, $2, $1 }' >ours.total
	compare perf.self ours.self
	compare perf.total ours.total
	grep -q 'prog even' ours.total
	of_perf --no-children --sort dso | awk -F '|' '{ printf "%.2f\t%s\n", $1, $2 }' | grep -v unknown >perf.dso
	same_names --by module | awk -F , '{ sub(".*/", "", $1); printf "%s\t%s\n", $4 + 0, $1 }' >ours.dso
	[ "$(head -n 2 perf.dso | cut -f 2 | paste -sd ' ')" = "$(head -n 2 ours.dso | cut -f 2 | paste -sd ' ')" ]
}

# bats test_tags=sampled
@test "the call tree has the percentages of perf report's" {
	record_fresh
	# Its outermost lines are what functions have themselves, and what is below them their callers.
	of_perf --no-children --sort dso,sym | awk -F '|' '{ printf "%.2f\t%s %s\n", $1, $2, $3 }' | ours_alone |
		sed 's/\t[^ ]* /\t/' >perf.self
	"$flamefold" tree -q --no-infer --truncated=merge --no-inline --min 0 --callers fresh.data |
		sed -nE 's/^ *([0-9.]+)% +[0-9.]+%  ([a-z].*)$/\1\t\2/p' >ours.self
	compare perf.self ours.self
	# From the root: what is below main is all that has passed through it.
	of_perf --children --sort sym | awk -F '|' '$3 == "main" { print $1 + 0 }' >perf.main
	"$flamefold" tree -q --no-infer --truncated=merge --no-inline --min 0 fresh.data >tree
	awk -v perf="$(cat perf.main)" '/^ *[0-9.]+% / { percent = $1 + 0 }
		/ main$/ { found = 1; exit percent - perf > 0.0101 || perf - percent > 0.0101 }
		END { if (!found) exit 1 }' tree
}

@test "a function that comes twice in a stack has it once" {
	rows top a.folded >out
	grep -Eq '^ 40.00%   40.00%  +40  +40  next$' out
	grep -Eq '^ 40.00%   40.00%  +40  +40  write$' out
	grep -Eq '^  0.00%  100.00%  +0  +100  main$' out
	grep -Eq '^  0.00%   40.00%  +0  +40  parse$' out
	# The heaviest first, and where two are equal by name.
	[ "$(awk '{ print $NF }' out | head -n 3 | paste -sd ' ')" = "next write idle" ]
	rows top --order total -n 1 a.folded | grep -q 'main$'
}

@test "self adds up to all, whatever is a row" {
	"$build" -o p.data "$cases"/**/child.pd 2>/dev/null || "$build" -o p.data "$(printf '%s\n' "$cases"/**/*.pd | head -n 1)"
	# A stack may have no frame.
	printf ' 5\na;b 3\n' >none.folded
	for by in function module comm line; do
		"$flamefold" top -q --by $by --format=json none.folded | jq -e '([.rows[].self] | add) == .total'
		"$flamefold" top -q --by $by --format=json a.folded | jq -e '([.rows[].self] | add) == .total'
		"$flamefold" top -q --by $by --format=json p.data | jq -e '([.rows[].self] | add) == .total'
	done
}

@test "rows are functions, modules, processes or lines of the source" {
	"$build" -o p.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x1000 name=/no/app time=2
	mmap2 pid=1 start=0x8000 len=0x1000 name=/no/lib.so time=2
	sample pid=1 time=3 period=7 ip=0x1100 chain=U,0x1100
	sample pid=1 time=4 period=3 ip=0x8100 chain=U,0x8100,0x1100
	END
	rows top -q --by module p.data >out
	grep -Eq '^ 70.00%  100.00%  +7  +10  /no/app$' out
	grep -Eq '^ 30.00%   30.00%  +3  +3  /no/lib.so$' out
	rows top -q --by comm p.data | grep -Eq '^100.00%  100.00%  +10  +10  app$'
	# A process is no function: nothing ends at its frame.
	! rows top -q p.data | grep -q ' app$' || false
	cat >prog.c <<-'END'
	volatile int n;
	int main(void)
	{
		n = 1;
		return n;
	}
	END
	"${CC:-cc}" -g -O0 -o prog prog.c
	address=$(nm prog | awk '$3 == "main" { print $1 }')
	"$build" -o q.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=prog exec time=1
	mmap2 pid=1 start=0x400000 len=0x10000 off=0 name=$PWD/prog time=2
	sample pid=1 time=3 period=5 ip=$(printf '%#x' $((0x400000 + 0x$address + 4))) chain=U,$(printf '%#x' $((0x400000 + 0x$address + 4)))
	END
	rows top -q --by line q.data | grep -Eq '5  +5  prog\.c:[34]  main$'
}

@test "csv and json have all rows, -n and --min some of them" {
	"$flamefold" top -q --format=csv a.folded | tr -d '\r' >out
	[ "$(head -n 1 out)" = "function,module,self,total,self_percent,total_percent" ]
	grep -qx '"next","",40,40,40.0000,40.0000' out
	"$flamefold" top -q -f json -n 2 a.folded | jq -e '.rows | length == 2 and .[0].function == "next"'
	[ "$(rows top --min 30 a.folded | wc -l)" -eq 2 ]
	"$flamefold" top -n 1 a.folded | tail -n 1 | grep -q '^# [56] more, which have 60.0 % themselves'
	"$flamefold" top -q -o out.csv a.folded
	diff <(tr -d '\r' <out.csv) out
	# Fractions stay what they are.
	printf 'a;b 0.25\na 1.5\n' >b.folded
	"$flamefold" top -q --format=csv b.folded | grep -q '^"b","",0.25,0.25,'
}

@test "a call tree: chains in one line's numbers, heavy branches first" {
	rows tree -q a.folded >out
	diff out - <<-'END'
	 80.00%    0.00%  app
	                  main
	 40.00%   30.00%  |-- parse
	                  |   next
	 10.00%   10.00%  |   `-- parse
	                  |       next
	 40.00%   40.00%  `-- write
	 20.00%   20.00%  sh
	                  main
	                  idle
	END
}

@test "the tree of callers begins where stacks end" {
	rows tree --callers a.folded >out
	diff out - <<-'END'
	 40.00%    0.00%  next
	                  parse
	 30.00%   30.00%  |-- main
	                  |   app
	 10.00%   10.00%  `-- next
	                      parse
	                      main
	                      app
	 40.00%   40.00%  write
	                  main
	                  app
	 20.00%   20.00%  idle
	                  main
	                  sh
	END
	diff <(rows tree -g callee a.folded) out
	diff <(rows tree --call-graph=graph,0.5,callee a.folded) out
}

@test "what is lighter than --min is left out, and that is said" {
	"$flamefold" tree --min 30 a.folded >out
	! grep -q idle out || false
	grep -q '^# what has less than 30 % is left out (--min)$' out
	"$flamefold" tree --min 0 a.folded | grep -q idle
	! "$flamefold" tree --min 0 a.folded | grep -q 'left out' || false
	diff <("$flamefold" tree -g caller,30 a.folded) out
	diff <("$flamefold" tree --percent-limit 30 a.folded) out
}

@test "perf report's options are taken, or answered with what does it" {
	diff <("$flamefold" top --stdio --no-children --sort symbol a.folded) <("$flamefold" top a.folded)
	diff <("$flamefold" top --children a.folded) <("$flamefold" top --order total a.folded)
	diff <("$flamefold" top -s dso a.folded) <("$flamefold" top --by module a.folded)
	diff <("$flamefold" top --sort comm,dso,sym a.folded) <("$flamefold" top a.folded)
	diff <("$flamefold" tree --stdio -G a.folded) <("$flamefold" tree a.folded)
	diff <("$flamefold" tree -g a.folded) <("$flamefold" tree a.folded)
	run -2 --separate-stderr "$flamefold" top -g a.folded
	[[ $stderr == *"'flamefold tree' prints calls"* ]]
	run -2 --separate-stderr "$flamefold" top --sort cpu a.folded
	[[ $stderr == *"function, module, comm or line"* ]]
	run -2 --separate-stderr "$flamefold" tree -g fractal a.folded
	[[ $stderr == *"percentages are of the total"* ]]
	run -2 --separate-stderr "$flamefold" report a.folded
	[[ $stderr == *"'flamefold top' prints a table"* ]]
}

# on_terminal COLUMNS COMMAND...: what is printed there.
on_terminal()
{
	local columns=$1
	shift
	TERM=xterm COLUMNS=$columns LINES=40 timeout 60 script -qec "$(printf '%q ' "$@")" /dev/null | tr -d '\r'
}

@test "a terminal has colours and bars, and no line is wider than it is" {
	long=$(printf 'x%.0s' {1..300})
	printf 'app;main;%s 60\napp;main;größer 40\n' "$long" >b.folded
	for width in 40 80 200; do
		for command in top tree; do
			on_terminal $width "$flamefold" $command b.folded >out
			grep -q $'\033\\[31m' out
			sed 's/\x1b\[[0-9;]*m//g' out >plain
			python3 -c 'import sys
assert max(len(line.rstrip("\n")) for line in open("plain", encoding="utf-8")) <= max(46, int(sys.argv[1]))' $width
			grep -q 'x\.\.' plain
		done
	done
	# Characters of two columns, and of none.
	python3 -c 'print("app;" + "日本語" * 60 + " 3\napp;" + "e\u0301" * 30 + " 2\napp;plain 1\napp;関数🔥 1")' >wide.folded
	for width in 80 81 200; do
		for command in top tree; do
			NO_COLOR=1 on_terminal $width "$flamefold" $command wide.folded >out
			python3 - $width <<-'END'
			import sys, unicodedata
			wide = lambda c: 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
			lines = [line.rstrip("\n") for line in open("out", encoding="utf-8")]
			widths = [sum(map(wide, line)) for line in lines]
			most, least = int(sys.argv[1]), int(sys.argv[1]) - 3
			assert max(widths) <= most, widths
			assert max(widths) >= least, (widths, lines)
			assert any(line.endswith("e\u0301" * 30) for line in lines)
			END
		done
	done
	on_terminal 80 "$flamefold" top b.folded | grep -q '██████'
	NO_COLOR=1 on_terminal 80 "$flamefold" top b.folded >out
	! grep -q $'\033' out || false
	grep -q '██████' out
	# Nothing of it in a pipe.
	! "$flamefold" top b.folded | grep -q $'\033\|█' || false
	"$flamefold" top b.folded | grep -q "$long"
}

@test "a call tree that is deeper than a terminal is wide says how many steps are not shown" {
	python3 -c 'for i in range(60): print(";".join("f%d" % j for j in range(i)) + ";beside_%d 1" % i)' |
		sed 's/^;//' >b.folded
	for width in 46 80 81 120 200; do
		on_terminal $width env NO_COLOR=1 "$flamefold" tree --min 0 b.folded >out
		awk -v most=$width 'length > most { exit 1 }' out
		# What is shown and what is not are all the steps there are.
		python3 - <<-'END'
			import re
			for line in open("out"):
			    steps, depth = re.match(r"[ %.\d]{18}(.*)beside_(\d+)", line).groups() if "%" in line and "beside_" in line else ("", 0)
			    hidden = re.match(r"\+(\d+) *", steps)
			    shown = (len(steps) - (4 if hidden else 0)) // 4
			    assert shown + (int(hidden[1]) if hidden else 0) == int(depth), line
		END
		tail -1 out | grep -qx '# +N: as many steps further to the right'
	done
	"$flamefold" tree --min 0 b.folded | grep -Eq '^ {0,3}1.67%    1.67%  \+19 .*(`|\|)-- beside_58$'
	on_terminal 80 env NO_COLOR=1 "$flamefold" tree --min 90 b.folded >out
	! grep -q '+' out || false
}

@test "bars are of the characters that the locale has" {
	printf 'app;a 5\napp;b 3\n' >b.folded
	for locale in C de_DE.ISO-8859-1; do
		LC_ALL=$locale on_terminal 80 env NO_COLOR=1 "$flamefold" top b.folded >out
		grep -q ' ##########  a$' out
		grep -q ' ######      b$' out
		! LC_ALL=C grep -q $'[\x80-\xff]' out || false
	done
	for locale in '' en_US.UTF-8 C.utf8; do
		LC_ALL=$locale LC_CTYPE= LANG= on_terminal 80 "$flamefold" top b.folded | grep -q ██████
	done
}

@test "a name cannot command the terminal" {
	printf 'app;evil\033[2J\007 5\n' >b.folded
	on_terminal 80 env NO_COLOR=1 "$flamefold" top b.folded >out
	grep -q 'evil?\[2J?' out
	on_terminal 80 env NO_COLOR=1 "$flamefold" tree b.folded | grep -q 'evil?\[2J?'
	! "$flamefold" tree b.folded | grep -q $'\033' || false
	printf 'app;evil\033[2J\007"x";\302\233y\177;\377 5\n' >b.folded
	for format in csv json; do
		"$flamefold" top -f $format b.folded >out
		python3 -c 'text = open("out", encoding="utf-8", newline="").read()
assert not any((ord(c) < 32 and c not in "\r\n") or 127 <= ord(c) < 160 for c in text)'
	done
	jq -r '.rows[].function' out | diff - <(printf '\uFFFD\napp\nevil\033[2J\007"x"\n\302\233y\177\n')
	diff <("$flamefold" top -f csv b.folded | cut -d , -f 1) <("$flamefold" export -f csv -o - b.folded | cut -d , -f 1)
}

@test "stacks of 5,000 frames, names of 64 KiB, and no samples at all" {
	python3 -c 'print(";".join("f%d" % (i % 7) for i in range(5000)), 3)' >deep.folded
	rows top deep.folded | grep -Eq '^  0.00%  100.00%  +0  +3  f0$'
	"$flamefold" tree --callers deep.folded | grep -q 'f1$'
	python3 -c 'print("a;" + "n" * 65536, 3)' >b.folded
	rows top b.folded | grep -q nnnn
	printf '# nothing\n' >none.folded
	run -1 "$flamefold" top none.folded
	run -1 "$flamefold" tree none.folded
}
