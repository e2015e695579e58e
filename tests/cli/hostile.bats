#!/usr/bin/env bats
# Files that nobody meant, and files that somebody meant badly: exit 0 or 1 with a sentence, no
# signal, 5 seconds and 200 MB at most for each. tests/hostile/replay runs thousands of cases in
# a few processes, through the public library; here and under sanitizers.
bats_require_minimum_version 1.5.0

load recordings

replay=$(dirname "$flamefold")/tests/hostile/replay

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# Each file ends well: in the library, and as a command.
survives()
{
	local file status wrong=0 files=()

	for file; do
		[ -d "$file" ] || files+=("$file")
	done
	[ "${#files[@]}" -eq 0 ] || "$replay" files "${files[@]}" || wrong=1
	for file; do
		status=0
		fold "$file" >out 2>err || status=$?
		case $status in
		0) ;;
		1)
			[ -s err ] && [ ! -s out ] && ! grep -qv '^flamefold: ' err ||
				{ echo "$file: $(cat err)"; wrong=1; }
			;;
		*)
			echo "$file: exit $status: $(tail -n 3 err)"
			wrong=1
			;;
		esac
	done
	return $wrong
}

# A bit of everything, small: what the changes below start from.
make_small()
{
	"$build" -d . "$cases"/**/{all_kinds_of_records,all_fields_before_and_after_the_chain}.pd \
		"$cases"/**/{events_with_different_fields,group_read,kernel_and_user}.pd
	"$build" -o features.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	feature hostname=host
	feature osrelease=6.1.0
	feature version=6.1
	feature arch=x86_64
	feature nrcpus=8,4
	feature cpudesc="A processor"
	feature cmdline=perf,record,-g
	feature pmu_mappings=4:cpu,1:software
	feature build_id name=/no/x id=00112233445566778899aabbccddeeff00112233
	feature build_id name=[kernel.kallsyms] id=00112233445566778899aabbccddeeff mode=kernel
	sample pid=1 time=1 ip=0x1234 chain=U,0x1234
	END
}

@test "the cases of tests/perfdata/cases" {
	build_cases
	survives "$built"/*.data
}

# bats test_tags=long
@test "cut at every byte of the first 4 KiB, and at and in every record" {
	make_small
	"$replay" cuts ./*.data
}

# bats test_tags=long
@test "every number of the header, the attributes and the features set to odd values" {
	make_small
	"$replay" fields ./*.data
}

# bats test_tags=long
@test "a thousand random changes of each" {
	make_small
	"$replay" mutations 1000 ./*.data
}

# The same small ones in other forms.
make_forms()
{
	local name

	make_small
	for name in *.data; do
		"$root/tests/perfdata/swap" "$name" "$(basename "$name" .data).swapped"
	done
	mkdir pipes
	for name in all_kinds_of_records kernel_and_user group_read; do
		sed '1i format pipe' "$cases"/**/"$name.pd" | "$build" -o "pipes/$name.data" -
	done
	"$build" -o pipes/big.data "$cases"/**/pipe_big_endian.pd
	"$build" -o pipes/meta.data "$cases"/**/pipe_features_and_build_ids.pd
	"$build" -o pipes/names.data "$cases"/**/pipe_names_come_as_updates.pd
	"$build" -o pipes/compressed.data "$cases"/**/compressed2_records_in_a_pipe.pd
	"$build" -o pipes/deferred.data "$cases"/**/deferred_chain_big_endian_in_a_pipe.pd
}

# bats test_tags=long
@test "swapped files: cut, with odd fields and changed at random" {
	make_forms
	"$replay" cuts ./*.swapped
	"$replay" fields ./*.swapped
	"$replay" mutations 300 ./*.swapped
}

# bats test_tags=long
@test "pipes, from a file and streamed: cut, with odd fields and changed at random" {
	local as

	make_forms
	for as in "" pipe; do
		AS=$as "$replay" cuts pipes/*
		AS=$as "$replay" fields pipes/*
		AS=$as "$replay" mutations 150 pipes/*
	done
}

# bats test_tags=long
@test "what compressed records hold, and what zstd around a file holds" {
	make_forms
	AS=compressed "$replay" cuts pipes/{all,kernel,group}*
	AS=compressed "$replay" mutations 300 pipes/*
	AS=packed "$replay" mutations 100 ./*.data pipes/*
	"$build" -d . "$cases"/**/compressed*.pd
	"$replay" mutations 100 compressed*.data
}

# bats test_tags=long
@test "each file of a directory: cut and changed at random" {
	local file

	"$build" -d . "$cases"/**/directory_{compressed,with_changes_in_all_streams}.pd
	for file in directory_*/*; do
		AS=directory "$replay" cuts "$file"
		AS=directory "$replay" mutations 300 "$file"
	done
	run ls
	[[ $output != *replay-* ]]
}

# bats test_tags=long
@test "the recordings of the corpus, cut, with odd fields and changed at random" {
	local files=()

	need_corpus
	while IFS=$'\t' read -r path _; do
		[ -d "$CORPUS/$path" ] || [ "$(stat -c %s "$CORPUS/$path")" -gt 60000 ] ||
			files+=("$CORPUS/$path")
	done < <(readable_rows)
	[ "${#files[@]}" -gt 10 ]
	"$replay" files "$CORPUS"/fuzz/*/*
	"$replay" cuts "${files[@]:0:3}"
	"$replay" fields "${files[@]:0:6}"
	"$replay" mutations 25 "${files[@]}"
}

# bats test_tags=long
@test "every event claims the whole file as its ids" {
	"$build" -o x.data - <<-'END'
	repeat i 20000
	attr size=64 ids_offset=104 ids_size=1600000
	end
	END
	[ "$(stat -c %s x.data)" -ge 1600104 ]
	survives x.data
}

# bats test_tags=long
@test "events whose ids lie the wrong way round in a packed file" {
	"$build" -o x.data - <<-'END'
	repeat i 900
	attr size=64 ids_offset={300000 * (900 - i)} ids_size=8
	end
	END
	truncate -s 271000000 x.data
	gzip -1 x.data
	(ulimit -t 60 && fold x.data.gz >out 2>err) || [ $? -eq 1 ]
}

# Whatever a stream makes of few bytes is read, record by record, by every pass.
@test "packed records make a bounded amount of work" {
	sed '/^compressed/d' "$cases"/**/compressed_records_in_a_pipe.pd | "$build" -o plain.data -
	python3 - "$root/tests/perfdata" plain.data <<-'END'
	import struct, sys
	sys.path.insert(0, sys.argv[1])
	from perfdata import Zstd
	plain = open(sys.argv[2], 'rb').read()
	record = struct.pack('<IHH', 12, 0, 0xfff8) + bytes(0xfff0)
	for name, mebibytes in ('fine.data', 200), ('endless.data', 400):
	    zstd, out = Zstd(), plain
	    for _ in range(mebibytes // 8):
	        packed = zstd.pack(record * 128)
	        out += struct.pack('<IHH', 81, 0, 8 + len(packed)) + packed
	    open(name, 'wb').write(out)
	END
	[ "$(stat -c %s endless.data)" -lt 400000 ]
	fold fine.data >fine 2>err
	[ "$(grep -c damaged err)" -eq 0 ]
	fold endless.data >endless 2>err
	grep -q 'compressed data is damaged' err
	diff fine endless
}

@test "a directory whose data is a FIFO" {
	mkdir recording
	mkfifo recording/data
	run timeout 60 "$flamefold" fold recording
	[ "$status" -eq 1 ]
	[ "$output" = "flamefold: cannot read 'recording/data': it is not a regular file" ]
}

@test "more events than can be" {
	"$build" -o x.data - <<-'END'
	repeat i 70000
	attr size=64
	end
	END
	survives x.data
}

@test "a chain of 50,000 forks" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=1 name=first time=1
	mmap pid=1 start=0x1000 len=0x1000 name=/no/x time=1
	repeat i 50000
	fork pid={i + 2} ppid={i + 1} time={i + 2}
	end
	repeat i 2000
	sample pid={50001 - i} time=60000 ip=0x1234 chain=U,0x1234,0x5000
	end
	END
	survives x.data
	[ "$(fold --quiet x.data)" = 'first;[truncated];[x] 2000' ]
}

@test "50,000 maps one in the other" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=1 name=first time=1
	repeat i 50000
	mmap pid=1 start={i} len={100000 - 2 * i} name=/no/x time={i + 1}
	end
	repeat i 2000
	sample pid=1 time=60000 ip={i * 25} chain=U,{i * 25},{100000 - i * 25}
	end
	END
	survives x.data
	[ "$(fold --quiet x.data | total)" -eq 2000 ]
}

@test "50,000 symbols of the kernel that come and go at one place" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 off=0xffffffff81000000 name=[kernel.kallsyms]_text mode=kernel
	repeat i 50000
	ksymbol start=0xffffffffc0000000 len={100 + i} name=bpf_prog_{i} time={2 * i + 1}
	ksymbol start=0xffffffffc0000000 len={100 + i} name=bpf_prog_{i} gone time={2 * i + 2}
	end
	repeat i 2000
	sample pid=1 time={50 * i} ip=0xffffffffc0000010 chain=K,0xffffffffc0000010
	end
	END
	survives x.data
}

@test "every sample is of another process, each with another name" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	repeat i 50000
	comm pid={i} name=name{i} time={i}
	sample pid={i} time={i} ip={i} chain=U,{i},{i * 3}
	end
	END
	survives x.data
	[ "$(fold --quiet x.data | wc -l)" -eq 50000 ]
}

@test "times at both ends of what can be" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=1 name=first time=0
	comm pid=1 name=last time=-1
	comm pid=1 name=almost time=-2
	mmap pid=1 start=0 len=-1 name=/no/x time=-1
	mmap pid=1 start=-1 len=-1 off=-1 name=/no/y time=0
	sample pid=1 time=0 ip=0 period=-1 chain=U,0,-4096,0x7fffffffffffffff
	sample pid=1 time=-1 ip=-1 period=-1 chain=U,0,-4096,0x7fffffffffffffff
	sample pid=1 time=-2 ip=-4097 period=-1 chain=
	sample pid=-1 tid=-1 time=5 ip=5 period=5 chain=K,U,K,U
	END
	survives x.data
}

@test "names of every byte and length" {
	"$build" -o x.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=1 name=";;; ;" time=1
	comm pid=2 name="" time=1
	comm pid=3 name="$(printf 'a\xff\xfe<&>\001\033[31m')" time=1
	comm pid=4 name="$(printf 'x%.0s' {1..60000})" time=1
	mmap pid=4 start=0x1000 len=0x1000 name="$(printf '/%.0s' {1..4000})" time=1
	mmap pid=3 start=0x1000 len=0x1000 name="../../../../../../etc/passwd" time=1
	mmap pid=2 start=0x1000 len=0x1000 name="" time=1
	mmap pid=1 start=0x1000 len=0x1000 nonul name=12345678 time=1
	repeat i 4
	sample pid={i + 1} time=5 ip=0x1234 chain=U,0x1234
	end
	END
	survives x.data
	fold --quiet x.data >out
	[ "$(total out)" -eq 4 ]
	[ "$(wc -l <out)" -eq 4 ] # a name makes no second line
}

# A recording must not make the program read what its user did not name.
@test "files that are named by a recording and are no object files" {
	mkfifo fifo
	"$build" -o x.data - <<-END
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	comm pid=1 name=main time=1
	mmap pid=1 start=0x1000 len=0x1000 name=$PWD/fifo time=1
	mmap pid=1 start=0x2000 len=0x1000 name=/dev/zero time=1
	mmap pid=1 start=0x3000 len=0x1000 name=/dev/stdin time=1
	mmap pid=1 start=0x4000 len=0x1000 name=/proc/self/mem time=1
	mmap pid=1 start=0x5000 len=0x1000 name=/ time=1
	mmap pid=1 start=0x6000 len=0x1000 name=$PWD/x.data time=1
	mmap pid=1 start=0x7000 len=0x1000 name=/dev/full time=1
	repeat i 7
	sample pid=1 time=5 ip={0x1000 * i + 0x1010} chain=U,{0x1000 * i + 0x1010}
	end
	END
	run --separate-stderr timeout 900 "$flamefold" fold --quiet x.data
	[ "$status" -eq 0 ]
	[ "$(total <<<"$output")" -eq 7 ]
}

@test "a file that is cut while it is read" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all
	repeat i 300
	sample pid=1 time={i} ip=0x1234 chain=U{',0x1234' * 2000}
	end
	END
	for i in 1 2 3 4 5 6 7 8; do
		cp x.data cut.data
		status=0
		fold --quiet --threads=2 cut.data >out 2>err &
		truncate -s $((i * 500000)) cut.data
		wait $! || status=$?
		[ "$status" -le 1 ] || [ "$status" -eq 3 ] || { echo "exit $status"; false; }
	done
}

# cut_between FILE SIZE TURN COMMAND OPTION...: reads a copy of it, cut when it is gone back in once more.
cut_between()
{
	local file=$1 size=$2 turn=$3
	shift 3

	cp "$file" cut.copy
	CUT_FILE=cut.copy CUT_SIZE=$size CUT_END=$(($(stat -c %s "$file") - 4096)) CUT_TURN=$turn \
		LD_PRELOAD=$PWD/cut.so "$flamefold" "$@" cut.copy >out 2>err
}

# The same, and what it ends with: 3 where a change was seen and said, 0 where it was not, 1 where too little
# is left to begin with.
cut_status()
{
	local status=0 said

	cut_between "$@" || status=$?
	said=$(grep -c 'changed while it was read' err) || true
	case $status.$said in
	0.0 | 3.[1-9]*) ;;
	1.0) grep -qE "cut.copy|no samples" err || return 1 ;;
	*) echo "exit $status: $(cat err)"; return 1 ;;
	esac
}

# cut.so, which cuts an input between two passes over it.
need_cut()
{
	"${CC:-cc}" -O1 -shared -fPIC -o cut.so "$BATS_TEST_DIRNAME/preload/cut_between.c" ||
		skip "no compiler"
	LD_PRELOAD=$PWD/cut.so "$flamefold" --version >/dev/null 2>&1 ||
		skip "a sanitizer is to come first"
}

@test "what was there in the first pass and not in the second one is counted and said" {
	local turn said=0 read tree lost

	need_cut
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	comm pid=1 name=sh time=1
	repeat i 300
	sample pid=1 time={i + 2} ip=0x1234 chain=U{',0x1234' * 2000}
	end
	END
	for turn in 1 2 3 4; do
		cut_status x.data 1600000 $turn fold --stats --threads=1
		grep -q 'changed while it was read' err || continue
		said=$((said + 1))
		grep -E "'cut.copy': it changed while it was read: of 300 samples [0-9]+ were found again" err
		grep -E '^weight read +300$' err
		tree=$(awk '{ sum += $NF } END { print sum }' out)
		lost=$(sed -n 's/^weight of damaged records *//p' err)
		[ $((tree + lost)) -eq 300 ]
		[ "$lost" -gt 100 ]
	done
	[ "$said" -gt 0 ]
}

@test "folded text that is not the same when it is read again is counted and said" {
	local turn said=0 lost tree

	need_cut
	seq -f 'main;f%06.0f 1' 200000 >x.folded
	for turn in 1 2 3 4; do
		cut_status x.folded 100000 $turn fold --stats
		grep -q 'changed while it was read' err || continue
		said=$((said + 1))
		tree=$(awk '{ sum += $NF } END { print sum }' out)
		lost=$(sed -n 's/^weight of damaged records *//p' err | tr -d ,)
		[ $((tree + lost)) -eq 200000 ]
		[ "$lost" -gt 100000 ]
	done
	[ "$said" -gt 0 ]
}

@test "a change is seen by scripts: status 3 of info and graph, too, which have their output" {
	local turn by_info=0 by_graph=0

	need_cut
	seq -f 'main;f%06.0f 1' 200000 >x.folded
	for turn in 1 2 3 4; do
		rm -f info.json x.svg
		cut_status x.folded 100000 $turn info --format=json -o info.json
		if grep -q 'changed while it was read' err; then
			grep -q '"changed": *true' info.json
			by_info=1
		fi
		cut_status x.folded 100000 $turn graph -o x.svg
		if grep -q 'changed while it was read' err; then
			[ -s x.svg ]
			by_graph=1
		fi
	done
	[ $((by_info + by_graph)) -eq 2 ]
}

@test "an output that is full is an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	make_small
	run bash -c '"$0" fold --quiet features.data >/dev/full' "$flamefold"
	[ "$status" -eq 1 ]
	[[ $output == *"space"* ]]
}

@test "the replay driver sees what goes wrong" {
	make_small
	run env LIMIT=1 "$replay" itself features.data
	[ "$status" -eq 1 ]
	[[ $output == *"ended by signal 9"* && $output == *"took more than 1 s"* ]]
	[[ $output == *"3 cases, 3 wrong" ]]
	run "$replay" cuts features.data
	[ "$(echo "$output" | tail -n 1 | cut -d ' ' -f 1)" -gt 1000 ]
}

# bats test_tags=long
@test "the seeds of every fuzz target" {
	local target name

	for target in "$root"/tests/fuzz/*.c; do
		name=$(basename "$target" .c)
		[ "$name" != replay ] || continue
		"$root/tests/fuzz/seed" "$name" "seeds/$name"
		"$(dirname "$flamefold")/tests/fuzz/$name" "seeds/$name"/*
	done
}
