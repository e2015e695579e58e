#!/usr/bin/env bats
# flamefold fold: recordings that say what one rule is about, and what is folded from them.
bats_require_minimum_version 1.5.0

load recordings

busy=$BATS_FILE_TMPDIR/busy.data

# 48 processes that fork, exec and map again, in an order that is not that of time.
setup_file()
{
	build_cases
	"$build" -o "$busy" - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=init time=1
	mmap2 pid=1 start=0x1000 len=0x100000 off=0 name=/no/init time=1
	repeat p 48
	repeat i 100
	sample pid={p + 2} time={4000 * i + 999 - p} ip={0x1000 + i * 8} period={i + 1} chain=U,{0x1000 + i * 8},{0x2000 + i % 7},{0x3000 + p % 3}
	end
	# Fills the file: a chunk of work is megabytes.
	repeat i 20
	sample pid={p + 2} time={400000 + i} ip=0x1008 chain=U{',0x1%03x' % i * 900}
	end
	fork pid={p + 2} ppid={p % 5 + 1} time={p + 5}
	comm pid={p + 2} name="worker {p % 4}" time={20000 + p}
	mmap2 pid={p + 2} start=0x2000 len=0x1000 off=0 name=/no/lib{p % 6} time={100000 + p}
	comm pid={p + 2} name=next exec time={200000 + 100 * p}
	mmap2 pid={p + 2} start=0x1000 len=0x2000 off=0 name=/no/next time={200000 + 100 * p}
	finished_round
	end
	END
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "every case of tests/perfdata/cases is folded as the file beside it says" {
	local case wrong=0

	for case in "$cases"/**/*.pd; do
		"$BATS_TEST_DIRNAME/case" "$flamefold" "$case" "$built/$(basename "$case" .pd).data" ||
			wrong=$((wrong + 1))
	done
	[ "$wrong" -eq 0 ]
}

# The expectations are no opinion of ours, and the builder makes what perf reads.
# bats test_tags=long
@test "perf script reads the same from every case that it reads rightly" {
	local case options wrong=0 compared=0

	need_perf
	for case in "$cases"/**/*.pd; do
		! grep -qE '^# (fails:|perf: no )' "$case" || continue
		options=--addrs
		! grep -q '^# fold:' "$case" ||
			options=$(sed -n 's/^# fold://p' "$case" | sed 's/--compat=[a-z]*//; s/--event=/--event-filter=/')
		# shellcheck disable=SC2086 # options are words
		folded_by_perf "$built/$(basename "$case" .pd).data" $options >by_perf
		compared=$((compared + 1))
		diff "${case%.pd}.folded" by_perf || { echo "$case"; wrong=$((wrong + 1)); }
	done
	[ "$compared" -gt 20 ]
	[ "$wrong" -eq 0 ]
}

@test "the builder refuses what it does not know" {
	run "$build" -o x.data - <<<$'attr name=x\nsample pid=1 tmie=3'
	[ "$status" -eq 1 ]
	[[ $output == *tmie* ]]
	run "$build" -o x.data - <<<'smaple pid=1'
	[ "$status" -eq 1 ]
	[[ $output == *smaple* ]]
}

@test "any number of threads gives the same bytes" {
	[ "$(stat -c %s "$busy")" -gt 6000000 ] # several chunks
	for options in "" --tid "--addrs --compat=stackcollapse" "--only comm=next --count=samples"; do
		# shellcheck disable=SC2086 # options are words
		{
			fold $options --threads=1 "$busy" >one
			fold $options --threads=2 "$busy" >two
			fold $options --threads=7 "$busy" >seven
		}
		[ -s one ]
		cmp one two
		cmp one seven
	done
}

# The second worker's tree is so large that names are looked up while it is merged, and the
# second input takes them back.
# bats test_tags=long
@test "large trees are the same with any number of threads" {
	"$build" -o large.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	comm pid=1 name=init time=1
	mmap2 pid=1 start=0x100000 len=0x10000000 off=0 name=/no/init time=1
	repeat i 300000
	sample pid=1 tid=1 time={i + 2} ip={0x100000 + i * 16} chain=U,{0x100000 + i * 16},{0x100008 + i % 700 * 160}
	end
	END
	for inputs in large.data "large.data $busy" "$busy large.data"; do
		for threads in 1 2 5; do
			# shellcheck disable=SC2086 # several inputs
			fold --quiet --addrs --threads=$threads $inputs >by$threads
		done
		[ "$(wc -l <by1)" -ge 300000 ]
		cmp by1 by2
		cmp by1 by5
	done
}

@test "many processes are folded as perf script has them" {
	need_perf
	# No exec, after which perf keeps the maps of the program before; no return address at the
	# very beginning of a map, where perf does not see that the call is in the map below.
	"$build" -o many.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=init time=1
	mmap2 pid=1 start=0x1000 len=0x100000 off=0 name=/no/init time=1
	repeat p 40
	fork pid={p + 2} ppid={p % 5 + 1} time={1000 * p + 2000}
	mmap2 pid={p + 2} start={0x2000 + p * 64} len=0x1000 off=0 name=/no/lib{p % 6} time={2001 + 1000 * p}
	repeat i 50
	sample pid={p + 2} time={1000 * p + i + 2500} ip={0x1000 + i * 8} period={i + 1} chain=U,{0x1000 + i * 8},{0x2001 + i * 99},{0x3001 + p % 3}
	end
	end
	END
	fold --quiet --compat=stackcollapse --addrs many.data >ours
	folded_by_perf many.data --addrs >theirs
	[ "$(wc -l <ours)" -gt 100 ]
	diff theirs ours | head -n 20 >difference
	[ ! -s difference ] || { cat difference; false; }
}

@test "lines are sorted by bytes and every stack is there once" {
	fold --addrs "$busy" >out
	LC_ALL=C sort -c out
	sed 's/ [0-9]*$//' out | LC_ALL=C sort | uniq -d >twice
	[ ! -s twice ]
}

small()
{
	"$build" -o "$1" - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=$2 exec time=1
	mmap2 pid=1 start=0x1000 len=0x9000 off=0x1000 name=/no/x time=1
	fork pid=1 ppid=1 tid=7 ptid=1 time=1
	sample pid=1 tid=7 time=2 ip=0x1234 period=$3 chain=U,0x1234,0x2000,0x3000,0x4000
	END
}

@test "several inputs are added up, whatever their order" {
	small a.data main 5
	small b.data main 70
	small c.data other 900
	fold a.data b.data c.data >abc
	fold c.data a.data b.data >cab
	cmp abc cab
	[ "$(cat abc)" = "$(printf '%s\n' 'main;[x];[x];[x];[x] 75' 'other;[x];[x];[x];[x] 900')" ]
}

@test "several inputs that do not count the same are told of" {
	small a.data main 5
	echo 'sw;x 1' >sw.folded
	"$build" -o b.data - <<-'END'
	attr name=page-faults type=1 config=2 sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	sample pid=1 time=2 ip=0x1234 period=3 chain=U,0x1234
	END
	run --separate-stderr "$flamefold" fold a.data sw.folded b.data
	[ "$status" -eq 0 ]
	[[ $stderr == *"'a.data' counts cycles and 'b.data' page-faults, which are added up all the same (--event=NAME, --count=samples)"* ]]
	for options in --count=samples --event=all; do
		run --separate-stderr "$flamefold" fold "$options" a.data b.data
		[[ $stderr != *'added up all the same'* ]]
	done
	run --separate-stderr "$flamefold" fold a.data a.data sw.folded
	[[ $stderr != *'added up all the same'* ]]
}

@test "events that do not count the same have no unit in common" {
	events() {
		"$build" -o a.data - <<-END
		attr name=faults type=1 config=2 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD ids=1
		attr name=switches type=1 config=3 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD ids=2
		attr name=cpu-clock type=1 config=0 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD ids=3
		attr name=task-clock type=1 config=1 sample_type=IDENTIFIER,IP,TID,TIME,PERIOD ids=4
		$(printf 'sample event=%s pid=1 time=2 ip=0x1234 period=3\n' "$@")
		END
		"$flamefold" -q --event=all -o a.svg a.data
		grep -o 'data-countname="[^"]*"' a.svg
	}

	[ "$(events faults switches cpu-clock)" = 'data-countname="samples"' ]
	[ "$(events cpu-clock task-clock)" = 'data-countname="ns"' ]
	[ "$(events faults switches)" = 'data-countname="samples"' ]
}

# The second one would vanish without a word, or be taken for damage.
@test "a recording behind another one is told of" {
	small a.data main 5
	small b.data main 70
	"$build" -o a.pipe - <<-'END'
	format pipe
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	sample pid=1 time=2 ip=0x1234 period=3 chain=U,0x1234
	END
	for name in a.data a.pipe; do
		cat "$name" b.data >both.data
		"$flamefold" fold -q "$name" >alone
		run --separate-stderr "$flamefold" fold both.data
		[ "$status" -eq 0 ]
		[ "$output" = "$(cat alone)" ]
		[[ $stderr == *"'both.data': behind it is another recording, which is not read: name each by itself (offset 0x$(printf %x "$(stat -c %s "$name")"))"* ]]
		gzip -kf both.data
		run --separate-stderr "$flamefold" fold both.data.gz
		[[ $stderr == *'behind it is another recording'* ]]
		run --separate-stderr "$flamefold" fold "$name"
		[[ $stderr != *'another recording'* ]]
	done
	run --separate-stderr "$flamefold" info both.data
	[[ $output == *'behind it is another recording'* ]]
}

@test "stacks without a frame have their weight, and nothing else" {
	printf ' 5\n 2\n' >empty.folded
	[ "$("$flamefold" fold -q empty.folded)" = ' 7' ]
	"$flamefold" graph -q -o empty.svg empty.folded
	[ "$("$flamefold" fold -q empty.svg)" = ' 7' ]
}

@test "empty names are frames, also at the end, and come back as often as one folds" {
	printf 'a 3\na;;b 2\na;b;;; 1\n; 4\n' >names.folded
	"$flamefold" fold -q names.folded >once
	diff <(LC_ALL=C sort names.folded) <(LC_ALL=C sort once)
	"$flamefold" graph -q -o names.svg once
	"$flamefold" fold -q names.svg >again
	diff once again
}

@test "an input that cannot be read does not hide the others" {
	small a.data main 5
	"$build" -o none.data - <<<'header magic=NONSENSE'
	run --separate-stderr fold a.data none.data
	[ "$status" -eq 1 ]
	[[ $stderr == *none.data* ]]
}

@test "the recording may come through a pipe" {
	small a.data main 5
	fold a.data >from_file
	fold - <a.data >from_stdin
	cat a.data | fold - >from_pipe
	cmp from_file from_stdin
	cmp from_file from_pipe
}

@test "--max-stack keeps the frames nearest to the leaf" {
	small a.data main 5
	[ "$(fold --compat=stackcollapse --addrs --max-stack=2 a.data)" = 'main;[x <2000>];[x <1234>] 5' ]
	[ "$(fold --compat=stackcollapse --addrs --max-stack=4 a.data)" = "$(fold --compat=stackcollapse --addrs a.data)" ]
}

@test "--pid and --tid say whose stack it is" {
	small a.data main 5
	[ "$(fold --pid --max-stack=1 --compat=stackcollapse a.data)" = 'main-1;[x] 5' ]
	[ "$(fold --tid --max-stack=1 --compat=stackcollapse a.data)" = 'main-1/7;[x] 5' ]
	[ "$(fold --tid --pid --max-stack=1 --compat=stackcollapse a.data)" = 'main-1/7;[x] 5' ]
}

@test "--count=samples makes every sample weigh 1" {
	small a.data main 5
	small b.data main 70
	[ "$(fold --count=samples a.data b.data)" = 'main;[x];[x];[x];[x] 2' ]
}

@test "--addrs tells apart what has no symbol" {
	small a.data main 5
	[ "$(fold a.data)" = 'main;[x];[x];[x];[x] 5' ]
	[ "$(fold --addrs a.data)" = 'main;[x <4000>];[x <3000>];[x <2000>];[x <1234>] 5' ]
}

@test "symbols of the recorded file name its frames, callers by the call before their address" {
	command -v "${CC:-cc}" >/dev/null || skip "no C compiler"
	cat >x.c <<-'END'
	void leaf(void) { }
	__attribute__((noreturn)) void die(void) { for (;;) ; }
	void caller(void) { die(); }
	void behind(void) { }
	END
	"${CC:-cc}" -O1 -fno-toplevel-reorder -nostdlib -shared -o libx.so x.c
	# The return address of the call that ends caller() is where behind() begins.
	behind=$(nm libx.so | awk '$3 == "behind" { print $1 }')
	leaf=$(nm libx.so | awk '$3 == "leaf" { print $1 }')
	"$build" -o x.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	comm pid=1 name=main exec time=1
	mmap2 pid=1 start=0x10000 len=0x9000 off=0 name=$PWD/libx.so time=1
	sample pid=1 time=2 ip=$((0x$leaf + 0x10000)) period=5 chain=U,$((0x$leaf + 0x10000)),$((0x$behind + 0x10000))
	END
	[ "$("$flamefold" fold --quiet --truncated=merge x.data)" = "main;caller;leaf 5" ]
	# perf script looks return addresses up as they are, and so does what equals it.
	[ "$("$flamefold" fold --quiet --compat=stackcollapse x.data)" = "main;behind;leaf 5" ]
}

@test "weights that add up to more than 64 bits hold are an error, not what is left of them" {
	local most=18446744073709551615

	echo "a $most" >most
	echo 'b 1' >one
	echo 'b 0.5' >half
	printf 'a 1 %s\nb 1 1\n' $most >after
	printf 'a %s 1\nb 1 1\n' $most >before
	[ "$(fold most)" = "a $most" ]
	"$flamefold" graph --quiet -o most.svg most
	[ "$(fold most.svg)" = "a $most" ]
	cat most one >both
	for inputs in both 'most one' 'one most' 'most half' 'half most' 'most.svg one' 'one most.svg' \
		'most.svg half' 'half most.svg' before after; do
		run -1 fold $inputs
		[[ $output == *"add up to more than 2^64"* ]] || { echo "$inputs"; false; }
		[ "${#lines[@]}" -eq 1 ]
	done
	"$build" -o most.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all
		comm pid=1 name=sh time=1
		repeat i 8
		sample pid=1 time={i + 2} ip=0x10 period=0x3fffffffffffffff
		end
	END
	for threads in 1 3; do
		run -1 fold --threads=$threads most.data
		[[ $output == *"'most.data': its weights add up to more than 2^64"* ]]
	done
	[ "$(fold --count=samples most.data)" = 'sh;[unknown] 8' ]
}

@test "a period that nothing can have counted is damage" {
	"$build" -o odd.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all
		comm pid=1 name=sh time=1
		sample pid=1 time=2 ip=0x10 period=7
		sample pid=1 time=3 ip=0x10 period=0xffffffffffffffff
		sample pid=1 time=4 ip=0x10 period=0x4000000000000000
	END
	[ "$(fold odd.data)" = 'sh;[unknown] 7' ]
	"$flamefold" fold odd.data 2>said >out
	grep damaged said
	"$flamefold" fold --stats odd.data 2>said >out
	grep -E '^weight of damaged records +2$' said
}
