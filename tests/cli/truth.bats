#!/usr/bin/env bats
# Programs whose stacks are known (tests/truth): what counts as right, and that a few of them are.
bats_require_minimum_version 1.5.0

load events
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;outer;leaf 600\nmain;leaf 400\n' >truth
}

# score SEEN: how much of it is what the file truth says.
score()
{
	"$root/tests/truth/run" --score truth "$1" | head -n 1
}

# seen LINE...: the score of these stacks.
seen()
{
	printf '%s\n' "$@" >folded
	score folded
}

@test "stacks and shares that are the program's own are right, whatever functions of others started it" {
	[ "$(seen 'a;_start;main;outer;leaf 6' 'a;__libc_start_call_main;main;leaf 4')" = 1.0000 ]
	[ "$(seen 'a;main;outer;leaf 6' 'a;main;leaf 4')" = 1.0000 ]
	[ "$(seen 'a;main;outer;leaf 5' 'a;main;leaf 5')" = 0.9000 ]
}

@test "a stack that misses a caller, has one too many or lost its root is wrong" {
	for wrong in 'main;leaf;leaf' 'main;outer' 'outer;leaf' 'main;outer;other;leaf' 'main;outer;leaf;other' \
		'[truncated];main;outer;leaf' '[unknown];main;outer;leaf' 'main;[unknown];outer;leaf' \
		'leaf;main;outer;leaf' '[stack];main;outer;leaf' '[skipped];main;outer;leaf'; do
		echo "$wrong"
		[ "$(seen "a;$wrong 6" 'a;main;leaf 4')" = 0.4000 ]
	done
}

@test "of what is wrong, it is counted what nothing marks" {
	printf '%s\n' 'a;[truncated];leaf 3' 'a;leaf 2' 'a;main;leaf 5' >folded
	"$root/tests/truth/run" --score truth folded | grep -F ' 20.00 % wrong without a mark'
}

@test "a true stack names functions of libraries, others' functions between, texts, choices and repetition" {
	printf '%s\n' 'main;copies;~*mem* 25' 'main;sorts;...;order 25' 'ns::run*|Run;down x3 25' \
		'void_name 25' >truth
	[ "$(seen 'a;main;copies;__memmove_avx 1' 'a;main;sorts;qsort;msort;order 1' 'a;ns::run_12;down;down;down 1' \
		'a;void_name 1')" = 1.0000 ]
	[ "$(seen 'a;main;copies 1' 'a;main;sorts;order 1' 'a;Run;down;down 1' 'a;void_name 1')" = 0.5000 ]
	[ "$(seen 'a;main;copies;memcpy;copies 1' 'a;main;sorts;copies;order 1' 'a;main;Run;down;down;down 1' \
		'a;void_name.isra.0.cold 1')" = 0.2500 ]
}

@test "what has no function of the program is left out as far as the program does not account for it" {
	printf 'main;leaf 900\n' >truth
	[ "$(seen 'a;main;leaf 900' 'a;_dl_start;_dl_relocate 100')" = 1.0000 ]
	[ "$(seen 'a;main;leaf 450' 'a;[unknown] 450')" = 0.5102 ]
}

@test "perf script's text is read with its inlined functions, and names of C++ without their parameters" {
	printf 'main;ns::work<unsigned int>;ns::leaf;(anonymous namespace)::spin 600\nmain;functor::operator() 400\n' >truth
	{
		printf 'my prog    12 600 \n\t  1234 (anonymous namespace)::spin(unsigned long) (inlined)\n'
		printf '\t  1234 ns::leaf(char const*) const\n\t  1250 void ns::work<unsigned int>(unsigned int)\n'
		printf '\t  1260 main\n\t  1270 __libc_start_main@@GLIBC_2.34\n\n'
		printf 'my prog    12 400 \n\t  1234 functor::operator()(unsigned long) const\n\t  1260 main\n\n'
	} >perf.script
	[ "$(score perf.script)" = 1.0000 ]
}

@test "programs that know their stacks are seen right in four ways" {
	need_events
	TRUTH_SECONDS=0.2 TRUTH_METHODS='perf -g,perf dwarf,live fp,live dwarf' \
		"$root/tests/truth/run" --keep "$PWD" c/calls-O0 cc/exceptions-fp >table || { cat table; false; }
	cat table
	# the mean of each method
	awk '$1 == "mean" && $2 != "of" { for (i = 2; i <= NF; i++) if ($i >= 90) good++ } END { exit good != 4 }' table
	grep -q '^2 programs, 0 skipped$' table
}

# Half of the samples are older than the line that names the place last.
@test "code at one address one after another has the name of its time, live and in what was saved" {
	need_events
	"${CC:-cc}" -O2 -DREUSE -fno-omit-frame-pointer -I"$root/tests/truth" -o reuse "$root/tests/truth/jit/jit.c"
	TRUTH=$PWD/counted "$flamefold" record -F 999 -e cpu-clock:u -g fp --save saved.data -f folded -o live.folded \
		-- ./reuse
	"$flamefold" fold saved.data | LC_ALL=C sort >saved.folded
	LC_ALL=C sort live.folded | diff - saved.folded
	cat counted saved.folded
	LC_ALL=C awk -v counted=counted '
		BEGIN { while ((getline line <counted) > 0) { n = split(line, word, " ")
			if (line ~ /jit_early/) early = word[n]; if (line ~ /jit_late/) late = word[n] } }
		/;jit_early / { e += $NF }
		/;jit_late / { l += $NF }
		END { want = early / (early + late); have = e / (e + l); exit !(have > want - 0.1 && have < want + 0.1) }' saved.folded
	# One map, which names all of its code.
	[ "$("$flamefold" info saved.data | grep -c 'perf-[0-9]*\.map  .*from')" -eq 1 ]
	"$flamefold" info saved.data >info
	! grep 'no map names' info
	# perf reads it, too, and names by the newest line.
	! command -v perf >/dev/null || perf script -i saved.data -F ip,sym 2>/dev/null | grep -q jit_late
}

@test "a program whose compiler is not here is skipped, and said so" {
	mkdir -p truth-here/kind
	cp "$root"/tests/truth/run "$root"/tests/truth/score.py truth-here/
	ln -s "$root"/tests/unwind "$root"/tests/perfdata .
	printf '%s\n' '// truth: no-such-compiler-here -o $BIN $SRC' '// truth two (nofp): no-such-compiler-here $SRC' >truth-here/kind/one.c
	run truth-here/run
	echo "$output"
	[ "$status" -eq 77 ]
	[[ $output == *'kind/one '*'skipped: no no-such-compiler-here'*'kind/one-two '*'0 programs, 2 skipped'* ]]
}
