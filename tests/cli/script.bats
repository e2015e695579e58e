#!/usr/bin/env bats
# Text that perf script has printed is a recording: what it folds to is what the perf.data folds to.
bats_require_minimum_version 1.5.0

load here

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# folds OPTIONS...: what is on standard input, with the tabs before frames that documents of this file lack.
folds()
{
	sed -E 's/^[0-9a-f]{4,16} /\t&/' >text.all
	"$flamefold" fold "$@" text.all 2>err | sort >ours
}

# is EXPECTED, of what was folded.
is()
{
	diff <(sort <<<"$1") ours || { cat err; return 1; }
}

two_samples=$'cc1 7/8 [001] 12.000345:     250000 cycles:u: \n\t          4e1f20 parse+0x10 (/usr/lib/cc1)\n\t          4e2f20 main+0x40 (/usr/lib/cc1)\n\ncc1 7/8 [000] 12.000445:     250001 cycles:u: \n\tffffffff8103d0ca write_msr+0xa ([kernel.kallsyms])\n\t          4e1f30 parse+0x20 (/usr/lib/cc1)\n\t          4e2f20 main+0x40 (/usr/lib/cc1)\n\n'

@test "samples with frames, of the user and of the kernel" {
	printf %s "$two_samples" | folds
	is $'cc1;main;parse 250000\ncc1;main;parse;write_msr 250001'
	[ ! -s err ] || { cat err; false; }
	printf %s "$two_samples" | folds --all
	is $'cc1;main;parse 250000\ncc1;main;parse;write_msr_[k] 250001'
	printf %s "$two_samples" | folds --pid
	is $'cc1-7;main;parse 250000\ncc1-7;main;parse;write_msr 250001'
	printf %s "$two_samples" | folds --tid
	is $'cc1-7/8;main;parse 250000\ncc1-7/8;main;parse;write_msr 250001'
}

@test "filters: comm, tid, pid, cpu, time, symbol, dso" {
	for filter in comm=cc1 tid=8 pid=7 cpu=0-1 time=0,1 symbol=main dso=cc1; do
		printf %s "$two_samples" | folds --only $filter
		[ "$(awk '{ s += $NF } END { print s }' ours)" = 500001 ] || { echo "$filter"; cat ours err; false; }
	done
	for filter in cpu=1 time=0,0.00005; do
		printf %s "$two_samples" | folds --only $filter
		is 'cc1;main;parse 250000'
	done
	printf %s "$two_samples" | folds --drop symbol=write_msr
	is 'cc1;main;parse 250000'
	printf %s "$two_samples" | folds --only 'dso=kernel'
	is 'cc1;main;parse;write_msr 250001'
}

@test "names of threads: with blanks, numbers, hexadecimal, none" {
	folds <<-'END'
		a 12 b 34 [000] 5.000001: 1 cycles: 
			1000 f (/x)

		thread 5   9/10 5.000002: 2 cycles: 
			1000 f (/x)

		dd 3 [000] 5.000003: 4 cycles: 
			1000 f (/x)

		:-1    -1 [000] 5.000004: 8 cycles: 
			1000 f (/x)

		t 99076 [000] 5.000005: 16 cycles: 
			1000 f (/x)
		END
	is $'a_12_b;f 1\nthread_5;f 2\ndd;f 4\n:-1;f 8\nt;f 16'
}

@test "a thread is renamed by its program" {
	folds <<-'END'
		sh 3 5.000001: 1 cycles: 
			1000 f (/x)

		cat 3 5.000002: 2 cycles: 
			1000 f (/x)

		cat 3 5.000003: 4 cycles: 
			1000 f (/x)
		END
	is $'cat;f 6\nsh;f 1'
}

@test "frames: without names, without files, inlined, deleted, of C++ and of Java" {
	folds --all <<-'END'
		x 3 5.000001: 1 cycles: 
			1003 inner+0x3 (inlined)
			1003 outer+0x3 (/x)
			1002 [unknown] (/usr/lib/lib a.so.1)
			1001 [unknown] ([unknown])

		x 3 5.000001: 2 cycles: 
			1003  (/usr/lib/lib.so)
			1004 g+0x12 (/bin/x (deleted))

		x 3 5.000001: 4 cycles: 
			7000 std::function<void (int)>::operator()(int) const+0x4 (/x)
			7000 (anonymous namespace)::f(int)+0x4 (/x)

		x 3 5.000001: 8 cycles: 
			7000 Lorg/mozilla/Context;.call (/tmp/perf-3.map)
			7000 nf_hook+0x4 ([nf_tables])
			7000 [unknown] ([vdso])
		END
	is "$(cat <<-'END'
		x;(anonymous namespace)::f;std::function<void (int)>::operator() 4
		x;[unknown];[lib a.so.1];outer;inner_[i] 1
		x;[vdso];nf_hook_[k];org/mozilla/Context:.call_[j] 8
		x;g;[lib.so] 2
		END
	)" || is "$(cat <<-'END'
		x;(anonymous namespace)::f;std::function<void (int)>::operator() 4
		x;[unknown];[lib a.so.1];outer;inner 1
		x;[vdso];nf_hook_[k];org/mozilla/Context:.call_[j] 8
		x;g;[lib.so] 2
		END
	)"
}

@test "unnamed frames are told apart by their addresses, on request" {
	folds --addrs <<-'END'
		x 3 5.000001: 1 cycles: 
			1003 [unknown] (/usr/lib/lib.so)
			1001 [unknown] ([unknown])

		x 3 5.000001: 2 cycles: 
			1004 [unknown] (/usr/lib/lib.so)
			1001 [unknown] ([unknown])
		END
	is $'x;[unknown <1001>];[lib.so <1003>] 1\nx;[unknown <1001>];[lib.so <1004>] 2'
}

@test "several events: the first one counts, or that which is asked for" {
	text=$'x 3 5.000001:  5 cycles: \n\t1003 f (/x)\n\nx 3 5.000002:  7 instructions: \n\t1003 f (/x)\n\n'
	printf %s "$text" | folds
	is 'x;f 5'
	[[ $(<err) == *instructions* ]]
	printf %s "$text" | folds --event instructions
	is 'x;f 7'
	printf %s "$text" | folds --event all
	is 'x;f 12'
}

@test "tracepoints weigh 1, whatever they say" {
	folds <<-'END'
		x 3 [000] 5.000001: sched:sched_switch: prev_comm=x y prev_pid=3 ==> next_comm=swapper/0 next_pid=0
			ffffffff8103d0ca __schedule+0xa ([kernel.kallsyms])

		x 3 [000] 5.000001: raw_syscalls:sys_exit: NR 0 = 512
			ffffffff8103d0ca syscall+0xa ([kernel.kallsyms])
		END
	is 'x;__schedule 1'
}

@test "one line a sample, as perf script prints those without chains" {
	folds <<-'END'
		              dd 22863/22863 38704.954799:    1001001 cpu-clock:      55da1bee4184 outer+0x24 (/tmp/inl)
		             inl 22863/22863 38704.955794:    1001002 cpu-clock:      55da1bee4184 outer+0x24 (/tmp/inl)
		             inl 22863/22863 38704.957607:    1001003 cpu-clock:  ffffffff8103d0ca idle+0x17 ([kernel.kallsyms])
		END
	is $'dd;outer 1001001\ninl;idle 1001003\ninl;outer 1001002'
}

@test "fields that were left out with -F" {
	printf 'x 3 \n\t            1177 outer\n\t           2724a main\n\n' | folds
	is 'x;main;outer 1'
	printf 'x cpu-clock: \n\t            1177 outer\n\t           2724a main\n\n' | folds
	is 'x;main;outer 1'
	printf '38699.814408: cpu-clock: \n\t            1177 outer (/x)\n\n' | folds
	is ':-1;outer 1'
	printf 'x 3 7.814408:   12 cpu-clock: \n\t            1177 outer+0x1 (/x)\n  x.c:3\n\t     2724a main+0x2 (/x)\n  x.c:9\n\n' | folds
	is 'x;main;outer 12'
	[ ! -s err ] || { cat err; return 1; }
	# A number alone behind the time is a period, before a name it is an address.
	printf 'x 7.814408:     250000 \n\t            1177 outer (/x)\n\n' | folds
	is 'x;outer 250000'
	printf '7.814409:     3 \n\t            1177 outer (/x)\n\n' | folds
	is ':-1;outer 3'
	printf 'x 3 7.814408:     1177 outer+0x3 (/x)\n' | folds
	is 'x;outer 1'
	printf 'x 3 7.814408345:   12 cpu-clock: \n\t            1177 outer (/x)\n' | folds --only time=0,1
	is 'x;outer 12'
}

@test "other fields that -F adds are no frames, and hide none" {
	local more

	for more in ' 0x4e1f20/0x4e2f20/P/-/-/0  0x1/0x2/P/-/-/0 ' ' parse+0x1/main+0x2/P/-' ' insn: 48 89 e5' \
		' ABI:2    AX:0x1    BX:0x3'; do
		printf 'x 3 7.814408:   12 cpu-clock: \n\t  1177 outer (/x)\n%s\n\n' "$more" | folds
		is 'x;outer 12'
		! grep ignored err || { echo "$more"; false; }
	done
	for more in '  0x4e1f20/0x4e2f20/P/-/-/0 ' ' insn: 48 89 e5'; do
		printf 'x 3 7.814408:   12 cpu-clock:   1177 outer+0x3 (/x)%s\n' "$more" | folds
		is 'x;outer 12'
	done
	for more in '               0' '        12345678' '               0 4K 2M' ' N/A' ' ilen: 3' '|7        f(1);'; do
		printf 'x 3 7.814408:   12 cpu-clock: \n\t          1177 outer (/x)\n\t          1187 main (/x)\n%s\n\n' "$more" | folds
		is 'x;main;outer 12'
		! grep ignored err || { echo "$more"; false; }
	done
	# A tab is before frames only.
	printf 'x 3 7.814408:   12 cpu-clock: \n\t  1177 outer (/x)\n\touter\n\n' | folds
	is 'x;outer 12'
	grep -q 'ignored 1 lines' err
}

@test "other fields on the line of a sample without a chain" {
	local at='    55da1bee4184 outer(int) const+0x24 (/tmp/a b)' line wide='ffffffff8103d0ca idle+0x17 ([kernel.kallsyms])'

	# flags, addr, weight, that of a page fault, data_src; behind it insn, insnlen, phys_addr, page sizes, registers.
	for line in "                     $at" "call                 $at" "hw int               $at" "tr strt jcc (x)      $at" \
		"               0 $at" "    7f36c411cb60 $at" "    7f36c411cb60              17 $at" \
		"    7f36c411cb60 _DYNAMIC+0x0 (/usr/lib/libc.so.6) $at" "    7f36c3f4a318 [unknown] (//anon) $at" \
		"      1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A $at" \
		"      1e05080021 |OP LOAD|LVL L1 or Hit|SNP None|TLB L1 or L2 hit|LCK No               3 $at" \
		"$at insn: 48 89 e5" "$at ilen: 3" "$at               0" "$at       12345678 4K 4K" "$at N/A" "$at 2M" \
		"$at ABI:2    AX:0x1" "jmp                  $at =>     55da1bee4190 inner+0x3 (/x)"; do
		printf '               x  3 7.814408:   12 cpu-clock: %s\n' "$line" | folds --demangle=full
		is 'x;outer(int) const 12' || { echo "$line"; false; }
		! grep -E 'ignored|no frame' err || { echo "$line"; false; }
	done
	for line in "$wide" "               0 $wide" "call                 $wide"; do
		printf '               x  3 7.814408:   12 cpu-clock: %s\n' "$line" | folds
		is 'x;idle 12' || { echo "$line"; false; }
	done
	# A function may be called so.
	printf '               x  3 7.814408:   12 cpu-clock:     55da1bee4184 add (/x)\n' | folds
	is 'x;add 12'
	# What is none of these is said, and the sample counts.
	printf '               x  3 7.814408:   12 cpu-clock: %s\n' "$wide" 'Of something else.' | folds
	is $'x;[unknown] 12\nx;idle 12'
	grep -q 'no frame can be read behind the event of 1 samples' err
}

@test "letters and the time of day before the time" {
	local head

	for head in 'x 3 U    ' 'x 3/4 K' 'x 3 [001] g' 'x 3 2026-11-27 19:22:59.071383' 'x 3 [001] U     2026-11-27 19:22:59.071383'; do
		printf '%s 7.814408:   12 cpu-clock: \n\t  1177 outer (/x)\n\n' "$head" | folds
		is 'x;outer 12' || { echo "$head"; false; }
	done
}

@test "fields that perf can print of a fresh recording change nothing" {
	local field graph n=0

	for graph in "" -g; do
		perf record -q $graph -e cpu-clock -c 200000 -d --phys-data -k CLOCK_MONOTONIC -o x.data -- \
			sh -c 'i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done' 2>err || skip "no events here: $(tail -n 1 err)"
		same x.data
		for field in flags insn insnlen srcline srccode symoff addr phys_addr data_src metric bpf-output misc tod synth; do
			perf script --no-inline -F "+$field" -i x.data >script 2>/dev/null && [ -s script ] || continue
			"$flamefold" fold --compat=stackcollapse --all script >fields 2>err
			! grep -E 'ignored|no frame' err || { echo "$field"; false; }
			diff theirs fields || { echo "$field"; false; }
			n=$((n + 1))
		done
	done
	[ $n -gt 10 ]
}

@test "processors: without threads, with letters behind, in the latency format" {
	local head

	for head in 'x [001]' 'x 3 [001] U' 'x 3/3 [001] KD' 'x  3   1' 'x 3 [001]'; do
		printf '%s 7.814408:   12 cpu-clock: \n\t  1177 outer (/x)\n\n' "$head" | folds --only cpu=1
		is 'x;outer 12' || { echo "$head"; false; }
		printf '%s 7.814408:   12 cpu-clock: \n\t  1177 outer (/x)\n\n' "$head" | folds --drop cpu=1
		[ ! -s ours ]
	done
}

@test "what has times but is no text of perf script" {
	local text

	printf '# tracer: nop\n#\n sh-12  [001] d..2. 1234.567890: sched_switch: prev_comm=x\n' >text
	run -1 "$flamefold" fold text
	[[ $output == *"a trace of ftrace"* ]]
	for text in 'GET /a 1.234567: b\nGET /b 2.234567: c\n' 'job 1.234567: warning: no\n' 'TID 12:\n#0  0x1000 f\n' \
		'0000000000401000 <main>:\n  401000:\t55  push\n'; do
		# shellcheck disable=SC2059 # it has the ends of lines
		printf "$text" >text
		run -1 "$flamefold" fold text
		[[ $output != *"perf script"* ]] || { echo "$output"; false; }
	done
}

@test "a line with a NUL is none of a sample's" {
	# What is binary at its beginning is no text.
	{ for i in $(seq 4000); do printf %s "$two_samples"; done; printf 'cc1 7/8 [001] 13.000345:  5 cyc\0les:u: \n\t 4e2f20 ma\0in (/x)\n\n'; } >text.big
	"$flamefold" fold text.big >ours 2>err
	[ "$(awk '{ s += $NF } END { print s }' ours)" = $((4000 * 500001)) ]
	grep -q 'ignored 2 lines' err
}

@test "processes whose number was not printed are none in particular" {
	printf 'x 3 7.814408:   12 cpu-clock: \n\t            1177 outer (/x)\n' | folds --pid
	is 'x-?;outer 12'
	printf 'x 3 7.814408:   12 cpu-clock: \n\t            1177 outer (/x)\n' | folds --tid
	is 'x-?/3;outer 12'
}

@test "comments, records that are no samples, ends of lines of Windows" {
	printf '# captured on: today\r\n# ========\r\n\r\nx 3 7.814407: PERF_RECORD_COMM: x:3/3\r\nx 3 7.814408:   12 cpu-clock: \r\n\t  1177 outer (/x)\r\n\r\n' | folds
	is 'x;outer 12'
	! grep -v 'no call chains' err
}

@test "frames that were copied without the tabs before them" {
	printf 'x 3 7.814408:   12 cpu-clock: \nffffffff8103d0ca f+0x2 ([kernel.kallsyms])\n1177 outer (/x)\n\n' >text
	[ "$("$flamefold" fold text)" = 'x;outer;f 12' ]
}

@test "lines that are none of a sample's are counted" {
	printf 'x 3 7.814408:   12 cpu-clock: \nwhat is this\n\t  1177 outer (/x)\n\nand this\n' | folds
	is 'x;outer 12'
	[[ $(<err) == *"'text.all': ignored 2 lines that are neither a sample's first line nor one of its frames"* ]]
}

@test "packed, through a pipe, cut anywhere" {
	printf %s "$two_samples" >text
	want=$("$flamefold" fold text)
	[ "$(gzip -c text | "$flamefold" fold -)" = "$want" ]
	zstd -q text -o text.zst
	[ "$("$flamefold" fold text.zst)" = "$want" ]
	[ "$("$flamefold" fold - <text)" = "$want" ]
	for size in $(seq 60 "$(stat -c %s text)"); do
		head -c "$size" text >cut
		timeout 10 "$flamefold" fold cut >out 2>err || { echo "$size"; cat err; false; }
		[ "$(wc -l <out)" -le 3 ]
	done
}

@test "any number of threads sees the same, and conserves what is there" {
	awk 'BEGIN {
		for (i = 0; i < 120000; i++) {
			printf "c%d %d/%d [%03d] %d.%06d: %10d cycles: \n", i % 7, i % 7 + 100, i % 11 + 100, i % 4, i / 1000, i % 1000 * 1000, i % 1000 + 1
			for (k = 0; k < i % 5; k++)
				printf "\t%16x f%d+0x%x (/usr/lib/lib%d.so)\n", 4096 + k, i % 97 + k, k, k
			printf "\n"
			sum += i % 1000 + 1
		}
		print sum >"sum"
	}' >big
	[ "$(stat -c %s big)" -gt 8000000 ]
	"$flamefold" fold --threads=1 big >one 2>err
	"$flamefold" fold --threads=3 big >three 2>err
	cmp one three
	[ "$(awk '{ s += $NF } END { print s }' one)" = "$(cat sum)" ]
}

@test "info, a picture and its text are those of a recording" {
	printf %s "$two_samples" >text
	"$flamefold" info text >info
	grep -q '^format  *text of perf script' info
	grep -qE '2 +cycles:u' info
	grep -qE ' 2 +7 +cc1' info
	"$flamefold" text -o text.svg
	diff <("$flamefold" fold text) <("$flamefold" fold text.svg)
}

@test "a mode wants the recording itself" {
	printf %s "$two_samples" >text
	for mode in offcpu wall faults; do
		run --separate-stderr "$flamefold" fold --mode $mode text
		[ "$status" -eq 1 ]
		[ "$stderr" = "flamefold: cannot weigh 'text' by a mode: a text of perf script has no fields of events: give the perf.data itself" ]
	done
}

@test "the text of one recording beside that of another" {
	printf %s "$two_samples" >a
	sed 's/parse/scan/' a >b
	diff <("$flamefold" diff -f folded a b 2>err) - <<-'END'
		cc1;main;parse 250000 0
		cc1;main;parse;write_msr 250001 0
		cc1;main;scan 0 250000
		cc1;main;scan;write_msr 0 250001
		END
}

# What a recording folds to, and what perf script's text of it does.
same()
{
	perf script --no-inline -i "$1" -F +pid >script 2>/dev/null
	grep -q . script || perf script --no-inline -i "$1" >script 2>/dev/null
	"$flamefold" fold --compat=stackcollapse --no-inline --all "$1" >ours 2>/dev/null
	"$flamefold" fold --compat=stackcollapse --all script >theirs 2>/dev/null
	diff <(named_plt_aside ours) <(named_plt_aside theirs)
}

# perf 6.1 has no names for some entries of the PLT of ld.so: there it prints "@plt" alone.
named_plt_aside()
{
	sed -E 's/;[^;@]*@plt/;@plt/g' "$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
		END { for (stack in sum) printf "%s %.0f\n", stack, sum[stack] }' | sort
}

@test "a fresh recording and its text fold to the same" {
	perf record -q -g -e cpu-clock -F 999 -o x.data -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' 2>err ||
		skip "no events here: $(tail -n 1 err)"
	same x.data
	[ "$(grep -c . ours)" -gt 3 ]
	# Its own rules, by another program.
	perf script --no-inline -i x.data 2>/dev/null | "$BATS_TEST_DIRNAME/collapse_perf_script.py" --all 2>/dev/null | sort >rules
	diff <(sort theirs) rules
}

@test "stacks that were unwound, with inlined functions, are the same in a fresh recording's text" {
	cat >program.c <<-'END'
	volatile unsigned long sum;
	static inline __attribute__((always_inline)) void inner(int i) { for (int k = 0; k < 200; k++) sum += i * k; }
	__attribute__((noinline)) void outer(int i) { inner(i); inner(i + 1); sum++; }
	int main(void) { for (int i = 0; i < 100000; i++) outer(i); return 0; }
	END
	"${CC:-cc}" -g -O2 -fomit-frame-pointer -o program program.c
	perf record -q --call-graph dwarf,4096 -e cpu-clock -c 1000000 -o x.data ./program 2>err || skip "no events here: $(tail -n 1 err)"
	perf script -i x.data >script 2>/dev/null
	grep -q 'inner.*(inlined)' script || skip "perf has no inlined functions"
	# perf gives functions of the C library other names where it looks for inlined ones.
	"$flamefold" fold --no-infer --all --inline-mark x.data 2>/dev/null | grep -o ';main.*' | sort >ours
	"$flamefold" fold --all --inline-mark script 2>/dev/null | grep -o ';main.*' | sort >theirs
	grep -q '^;main;outer;inner_\[i\] ' ours
	diff ours theirs
}

@test "JIT code has the same names in a fresh recording's text" {
	local pid

	command -v node >/dev/null || skip "needs node"
	echo 'function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s } for (let k = 0; k < 60; k++) hot(1e6)' >jit.js
	perf record -q -g -e cpu-clock -c 1000000 -o x.data node --perf-basic-prof jit.js 2>err || skip "no events here: $(tail -n 1 err)"
	same x.data
	grep -q '\(~\|\*\|\^\)hot' ours || { cat ours; false; }
	pid=$(sed -n 's,.*/tmp/perf-\([0-9]*\)\.map.*,\1,p' script | head -n 1)
	rm -f "/tmp/perf-${pid:?}.map"
}

# With FLAMEGRAPH=DIR, a checkout of it.
@test "the inputs that stackcollapse-perf.pl is tested with fold as it folds them" {
	local text option compared=0

	[ -d "${FLAMEGRAPH:-}/test" ] || skip "FLAMEGRAPH is not set"
	for text in "$FLAMEGRAPH"/test/perf-*.txt; do
		for option in "" --pid --tid --kernel --jit --all --addrs; do
			# shellcheck disable=SC2086 # a word or none
			"$flamefold" fold -q --compat=stackcollapse $option "$text" | sort >ours
			# Without a blank line behind it, it loses the last sample.
			# shellcheck disable=SC2086 # a word or none
			{ cat "$text"; echo; } | "$FLAMEGRAPH/stackcollapse-perf.pl" $option 2>/dev/null | sort >theirs
			diff ours theirs || { echo "$text $option"; false; }
			compared=$((compared + 1))
		done
	done
	[ "$compared" -ge 70 ]
}

@test "a recording of switches and its text fold to the same" {
	perf record -q -g -e sched:sched_switch -o x.data -- sh -c 'for i in 1 2 3; do sleep 0.01; done' 2>err ||
		skip "no tracepoints here: $(tail -n 1 err)"
	perf script --no-inline -i x.data >script 2>/dev/null
	diff <("$flamefold" fold --compat=stackcollapse x.data 2>/dev/null) \
		<("$flamefold" fold --compat=stackcollapse script 2>/dev/null)
}

@test "samples of guests, with the process and processor of theirs" {
	folds <<-'END'
		VM: 1234 VCPU:001 qemu guest 7/8 [001] 5.000001: 3 cycles:
			1000 f (/x)

		VM 9/9 [001] 5.000002: 4 cycles:
			1000 f (/x)
		END
	is $'qemu_guest;f 3\nVM;f 4'
}

@test "text in gzip, zstd and xz is told by its content" {
	printf %s "$two_samples" >text
	"$flamefold" fold text >wanted
	[ "$(wc -l <wanted)" = 2 ]
	gzip -nc text >packed
	"$flamefold" fold packed | diff wanted -
	xz -c text | "$flamefold" fold - | diff wanted -
	zstd -qc text | "$flamefold" fold - | diff wanted -
}

@test "the collapsed text of others: decimals, annotations, offsets, slashes" {
	cat >others <<-'END'
		java;java/lang/Thread.run_[j];Foo.bar_[i];vm_op_[w];do_sys_[k] 10.5
		start_thread;JavaMain+0x1c;Lcom/example/Main;.main 2
		[main tid=1];java.util.HashMap.get_[0];call_stub 3.25
		-;sched_[k] 1
	END
	"$flamefold" fold others | sort | diff <(sort others) -
	"$flamefold" graph --colors=java -o p.svg others
	"$flamefold" fold p.svg | diff <("$flamefold" fold others) -
}

@test "a long name of a file takes no memory for each function that was inlined there" {
	{
		echo "app 8/9 1.000000: 1 cycles: "
		for ((i = 0; i < 2000; i++)); do printf '\t401000 f%d (inlined)\n' $i; done
		printf '\t401000 main+0x0 (/bin/%s)\n\n' "$(head -c 100000 /dev/zero | tr '\0' m)"
	} >x.txt
	"$flamefold" fold --memory=64M x.txt | awk -F';' '{ exit !(NF == 2002 && $2 == "main" && $NF == "f0 1" && $3 == "f1999") }'
}
