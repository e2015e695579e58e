#!/usr/bin/env bats
# One recording has many forms: file, pipe, directory, packed, of the other byte order, cut. All of
# them fold to the same bytes, as far as they go.
bats_require_minimum_version 1.5.0

load recordings
load sampled

perfdata=$root/tests/perfdata
endless=$(dirname "$flamefold")/tests/hostile/endless

setup_file()
{
	build_cases
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# As much of a recording as folded text can tell. Not with --compat: as perf has it, an LBR call
# graph without branches shows what the form has behind the sample.
everything()
{
	fold --quiet --all --event=all --addrs "$@"
}

# same NAME COMMAND...: the command says the same as is in the file `wanted`.
same()
{
	local name=$1

	shift
	"$@" >got 2>err || { echo "$name: exit $?: $(cat err)"; return 1; }
	cmp -s wanted got || { echo "$name: differs"; diff wanted got | head -n 5; return 1; }
}

# Cases of plain files: nothing in them is about their form, or damaged, or raw data in one order.
plain_cases()
{
	local case

	for case in "$cases"/**/*.pd; do
		grep -qE '^# fails:|^(format|endian|header|layout|trailing|truncate|bytes) |overflow|flip=|record_size' "$case" ||
			grep -qE 'compressed_record|damage|past_the_end|outside_the_file|raw_data' <<<"$case" ||
			basename "$case" .pd
	done
}

# Of each record: where it ends, and how many samples there are until there.
record_ends()
{
	python3 - "$perfdata" "$1" <<-'END'
	import sys
	sys.dont_write_bytecode = True
	sys.path.insert(0, sys.argv[1])
	import perfdata
	data = open(sys.argv[2], 'rb').read()
	at, samples = int.from_bytes(data[40:48], 'little'), 0
	end = at + int.from_bytes(data[48:56], 'little')
	for record, behind in perfdata.outer_records(data, at, end, False):
	    samples += perfdata.head(record)[0] == perfdata.SAMPLE
	    at += len(record) + len(behind)
	    print(at, samples)
	END
}

# Packed, from a file and through a pipe.
same_packed()
{
	local file=$1 wrong=0

	gzip -c "$file" >packed.gz
	same "gzip" everything packed.gz || wrong=1
	same "through a pipe" everything - < <(cat "$file") || wrong=1
	same "gzip through a pipe" everything - < <(cat packed.gz) || wrong=1
	same "unpacked into a pipe" everything - < <(zcat packed.gz) || wrong=1
	same "standard input" everything - <"$file" || wrong=1
	if command -v zstd >/dev/null; then
		zstd -q -f -o packed.zst "$file"
		same "zstd" everything packed.zst || wrong=1
		same "zstd through a pipe" everything - < <(cat packed.zst) || wrong=1
	fi
	return $wrong
}

# bats test_tags=long
@test "every case, packed and through pipes" {
	local name wrong=0 compared=0

	for name in $(plain_cases); do
		everything "$built/$name.data" >wanted 2>err || { echo "$name: $(cat err)"; wrong=1; }
		same_packed "$built/$name.data" || { echo "in $name"; wrong=1; }
		compared=$((compared + 1))
	done
	[ "$compared" -gt 60 ]
	[ "$wrong" -eq 0 ]
}

# built_as DIRECTORY LINE...: the plain cases, each behind these lines, DIRECTORY/NAME.data.
built_as()
{
	local to=$1 name
	shift

	mkdir "$to"
	for name in $(plain_cases); do
		{ printf '%s\n' "$@"; cat "$cases"/**/"$name.pd"; } >"$to/$name.pd"
	done
	# A pipe has names of other records, and attributes of one size each.
	[[ $* != *pipe* ]] || rm -f "$to"/{attr_size_field_0,version_1*,tracing_data*}.pd
	"$build" -d "$to" "$to"/*.pd
}

# bats test_tags=long
@test "every case in pipe format, from a file, streamed and packed" {
	local name pipe wrong=0 compared=0

	built_as pipes 'format pipe'
	for pipe in pipes/*.data; do
		name=$(basename "$pipe" .data)
		everything "$built/$name.data" >wanted 2>err || wrong=1
		gzip -c "$pipe" >packed.gz
		same "file" everything "$pipe" && same "streamed" everything - < <(cat "$pipe") &&
			same "gzip through a pipe" everything - < <(cat packed.gz) ||
			{ echo "in $name"; wrong=1; }
		compared=$((compared + 1))
	done
	[ "$compared" -gt 60 ]
	[ "$wrong" -eq 0 ]
}

# bats test_tags=long
@test "every case of the other byte order, as written and as swapped, and as a pipe of it" {
	local name wrong=0 compared=0

	built_as big 'endian big'
	built_as pipes 'endian big' 'format pipe'
	for name in $(plain_cases); do
		everything "$built/$name.data" >wanted 2>err || wrong=1
		"$perfdata/swap" "$built/$name.data" swapped.data
		same "built" everything "big/$name.data" && same "swapped" everything swapped.data ||
			{ echo "in $name"; wrong=1; }
		[ ! -e "pipes/$name.data" ] || {
			same "pipe" everything "pipes/$name.data" &&
				same "stream" everything - < <(cat "pipes/$name.data")
		} || { echo "in $name"; wrong=1; }
		compared=$((compared + 1))
	done
	[ "$compared" -gt 60 ]
	[ "$wrong" -eq 0 ]
}

# bats test_tags=long
@test "every case split into a directory" {
	local name wrong=0 compared=0

	for name in $(plain_cases); do
		# Without times nothing says what was first in another file.
		case $name in *no_time* | no_sample_id_all) continue ;; esac
		everything "$built/$name.data" >wanted 2>err || wrong=1
		rm -rf directory
		"$perfdata/split" "$built/$name.data" directory
		same "directory" everything directory || { echo "in $name"; wrong=1; }
		compared=$((compared + 1))
	done
	[ "$compared" -gt 60 ]
	[ "$wrong" -eq 0 ]
}

# Files of the corpus that the tools can read: little-endian, and of perf itself.
corpus_files()
{
	awk -F '\t' 'NR > 1 && $4 ~ /^file-v/ && $5 == "LE" && $1 !~ /^fuzz|simpleperf|dir-threads/ {
		print $1
	}' "$CORPUS/MANIFEST.tsv"
}

# bats test_tags=long
@test "the recordings of the corpus, swapped, split and packed" {
	local path wrong=0 compared=0

	need_corpus
	while IFS= read -r path; do
		everything "$CORPUS/$path" >wanted 2>err || continue # no samples
		"$perfdata/swap" "$CORPUS/$path" swapped.data
		rm -rf directory
		"$perfdata/split" "$CORPUS/$path" directory
		gzip -c "$CORPUS/$path" >packed.gz
		same "swapped" everything swapped.data || { echo "$path"; wrong=1; }
		same "split" everything directory || { echo "$path"; wrong=1; }
		same "gzip through a pipe" everything - < <(cat packed.gz) || { echo "$path"; wrong=1; }
		same "through a pipe" everything - < <(cat "$CORPUS/$path") || { echo "$path"; wrong=1; }
		compared=$((compared + 1))
	done < <(corpus_files)
	[ "$compared" -gt 30 ]
	[ "$wrong" -eq 0 ]
}

# bats test_tags=long
@test "the pipes of the corpus, as a file and streamed" {
	local path wrong=0 compared=0

	need_corpus
	while IFS= read -r path; do
		everything "$CORPUS/$path" >wanted 2>err || continue
		same "streamed" everything - < <(cat "$CORPUS/$path") || { echo "$path"; wrong=1; }
		compared=$((compared + 1))
	done < <(awk -F '\t' '$4 ~ /^pipe/ { print $1 }' "$CORPUS/MANIFEST.tsv")
	[ "$compared" -gt 10 ]
	[ "$wrong" -eq 0 ]
}

# record OPTIONS...: of a few short processes, on this machine.
record()
{
	need_perf
	perf record -q -e cpu-clock -F 4000 -g "$@" -- sh -c \
		'for i in 1 2 3 4; do seq 1 40000 | sort -r >/dev/null; done' 2>err ||
		skip "perf may not record here"
}

@test "a fresh recording: file, pipe of perf inject, directory, swapped and packed" {
	record -o file.data
	everything file.data >wanted
	[ "$(total wanted)" -gt 0 ]
	perf inject -i file.data -o - >pipe.data 2>/dev/null
	"$perfdata/split" file.data directory
	"$perfdata/swap" file.data swapped.data
	same "pipe" everything pipe.data
	same "streamed" everything - < <(cat pipe.data)
	same "inject streamed" everything - < <(perf inject -i file.data -o - 2>/dev/null)
	same "directory" everything directory
	same "swapped" everything swapped.data
	same_packed file.data
	same_packed pipe.data
}

@test "a fresh recording through a pipe is what perf has of it" {
	record -o - >pipe.data
	folded_by_perf pipe.data --all >wanted
	[ "$(total wanted)" -gt 0 ]
	same "file" fold --quiet --all --compat=stackcollapse pipe.data
	same "streamed" fold --quiet --all --compat=stackcollapse - < <(cat pipe.data)
}

@test "a fresh compressed recording is what perf has of it" {
	record -z -o file.data
	folded_by_perf file.data --all >wanted
	[ "$(total wanted)" -gt 0 ]
	same "file" fold --quiet --all --compat=stackcollapse file.data
	"$perfdata/swap" file.data swapped.data # unpacks
	"$perfdata/split" file.data directory
	same "swapped" fold --quiet --all --compat=stackcollapse swapped.data
	same "directory" fold --quiet --all --compat=stackcollapse directory
	same "through a pipe" fold --quiet --all --compat=stackcollapse - < <(cat file.data)
}

@test "fresh directories of perf, plain and compressed" {
	local options

	for options in "" "-z"; do
		# shellcheck disable=SC2086 # a word or none
		record --threads $options -o directory
		[ -d directory ]
		folded_by_perf directory --all >wanted
		[ "$(total wanted)" -gt 0 ] || { "$build" -o directory "$cases"/**/directory_compressed.pd; continue; }
		same "directory $options" fold --quiet --all --compat=stackcollapse directory
		rm -rf directory
	done
}

# samples_of FILE: those in the tree; 0 where there are none.
samples_of()
{
	fold --count=samples --event=all --all "$1" 2>err | total
}

# A file in which samples and changes take turns, rounds among them.
make_long()
{
	"$build" -o "$1" - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	feature hostname=host
	repeat p 10
	comm pid={p + 1} name=process{p} time={100 * p}
	mmap2 pid={p + 1} start=0x1000 len=0x9000 off=0x1000 name=/no/x time={100 * p + 1}
	repeat i 20
	sample pid={p + 1} time={100 * p + i + 2} cpu={i % 2} ip={0x1200 + i} chain=U,{0x1200 + i},{0x2000 + i}
	end
	fork pid={p + 2} ppid={p + 1} time={100 * p + 60}
	finished_round
	end
	END
}

# check_cut FILE AT SAMPLES: the file's first AT bytes have them all, and it is said.
check_cut()
{
	head -c "$2" "$1" >cut.data
	[ "$(samples_of cut.data)" -eq "$3" ] && grep -qE 'ends|missing|outside|no samples' err ||
		{ echo "$1 cut at $2: $(samples_of cut.data) samples, not $3: $(cat err)"; return 1; }
}

# bats test_tags=long
@test "cut at a record, in a record, at parts of a hundred: all samples before are there" {
	local end samples size part wrong=0 n=0 before=0 files=(long.data)

	make_long long.data
	record -o fresh.data && files+=(fresh.data)
	for file in "${files[@]}"; do
		record_ends "$file" >ends
		n=0 before=0
		while read -r end samples; do
			check_cut "$file" "$end" "$samples" || wrong=1
			check_cut "$file" $((end - 1)) "$before" || wrong=1
			before=$samples n=$((n + 1))
			[ "$n" -lt 100 ] || break
		done <ends
		[ "$n" -eq 100 ]
		size=$(stat -c %s "$file")
		for part in 1 10 50 90 99; do
			at=$((size * part / 100))
			samples=$(awk -v at="$at" '$1 <= at { n = $2 } END { print n + 0 }' ends)
			[ "$at" -lt 300 ] || check_cut "$file" "$at" "$samples" || wrong=1
		done
	done
	[ "$wrong" -eq 0 ]
}

@test "a pipe that ends anywhere: all samples before are there" {
	local end samples wrong=0

	{ echo 'format pipe'; cat "$cases"/**/several_threads_and_processes_by_pid.pd; } | "$build" -o pipe.data -
	everything - < <(cat pipe.data) >wanted
	size=$(stat -c %s pipe.data)
	before=0
	for ((at = 300; at <= size; at += 7)); do
		head -c "$at" pipe.data >cut.data
		samples=$(fold --quiet --count=samples - < <(cat cut.data) 2>err | total)
		[ "$samples" -eq "$(samples_of cut.data)" ] && [ "$samples" -ge "$before" ] ||
			{ echo "$at: $samples"; wrong=1; }
		before=$samples
	done
	[ "$before" -gt 0 ]
	[ "$wrong" -eq 0 ]
}

@test "packed and cut: what was packed before the cut is there, and it is said" {
	local tool size wrong=0

	# Larger than what zstd packs at a time.
	"$build" -o long.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	repeat i 100
	raw type=99 random=8000
	sample pid=1 time={i} ip=0x1234 chain=U,0x1234
	end
	END
	for tool in gzip zstd; do
		command -v $tool >/dev/null || continue
		$tool -q -c long.data >packed
		size=$(stat -c %s packed)
		head -c $((size * 9 / 10)) packed >cut.data
		[ "$(samples_of cut.data)" -ge 60 ] && grep -q 'packed data ends early' err ||
			{ echo "$tool: $(samples_of cut.data) samples: $(cat err)"; wrong=1; }
	done
	[ "$wrong" -eq 0 ]
}

@test "folded text, packed and through pipes" {
	printf '# comment\n\n# another\na;b 1\nc 2\n' >text
	everything text >wanted
	[ "$(total wanted)" -eq 3 ]
	same_packed text
}

@test "a directory without recording, and streams that are empty or no files" {
	mkdir empty_directory
	run fold empty_directory
	[ "$status" -eq 1 ]
	[[ $output == *"directory"* ]]
	"$build" -o directory "$cases"/**/directory_with_streams.pd
	fold --quiet directory >wanted
	: >directory/data.7
	: >directory/other
	same "an empty stream" fold --quiet directory
	mkdir directory/kcore_dir
	same "kcore" fold --quiet directory
	mkfifo directory/data.3 # nobody writes to it
	mkdir directory/data.4
	ln -s nowhere directory/data.5
	same "streams that are no files" fold --quiet directory
	printf '\t\0\0' >directory/data.8
	same "half a record" fold --quiet directory
	gzip -c directory/data.0 >packed && mv packed directory/data.0
	same "a packed stream" fold --quiet directory
	: >directory/data
	run fold directory
	[ "$status" -eq 1 ]
	[[ $output == *"directory/data' is empty"* ]]
}

# limited KIB COMMAND...: the command's exit status, or 99 where it took more memory.
limited()
{
	python3 - "$@" <<-'END'
	import resource, subprocess, sys
	status = subprocess.call(sys.argv[2:], stdin=3)
	most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
	print(most, 'KiB', file=sys.stderr)
	sys.exit(99 if most > int(sys.argv[1]) else status)
	END
}

# flows KIB MEGABYTES PROCESSES KIND: what endless writes is folded within so much memory (a
# sanitizer's is not counted), and nothing is missing.
flows()
{
	local most=$1
	shift
	[ -x "$endless" ] || skip "no $endless"
	! nm "$flamefold" 2>/dev/null | grep -q __asan_init || most=999999999
	limited "$most" "$flamefold" fold --quiet --symfs / --kallsyms=/dev/null --count=samples - \
		3< <("$endless" "$@" 2>count) >out
	[ "$(total out)" -eq "$(cat count)" ]
	[ "$(wc -l <out)" -lt 1000 ]
}

# What is held: two rounds of half a megabyte, the processes that live, a line for each that
# was sampled, and what every profile has. Two rounds of 32 MB would be the most.
@test "300 MB through a pipe, 25,000 processes that come and go, in 32 MB of memory" {
	flows 32768 300 40 plain
}

# Those that ended within a second would be 800 MB; 64 MB of them are kept.
# bats test_tags=long
@test "600,000 processes that come and go in 0.3 s, in 128 MB of memory" {
	flows 131072 300 1000 forks
}

# bats test_tags=long
@test "300 MB of a pipe with deferred chains, half of which no sample wants, in 32 MB of memory" {
	flows 32768 300 40 deferred
	# They were found: the frames are those of the chains.
	grep -q "\[program\];\[program\]" out
}

# bats test_tags=long
@test "300 MB of a pipe with counters of groups in 32 MB of memory" {
	flows 32768 300 40 groups
}

@test "a pipe that drops processes early gives what its file gives" {
	local kind

	[ -x "$endless" ] || skip "no $endless"
	for kind in "40 1000 forks" "20 40 deferred" "20 40 groups"; do
		# shellcheck disable=SC2086 # words
		"$endless" $kind >file.data 2>count
		everything --tid --count=samples file.data >wanted
		[ "$(total wanted)" -eq "$(cat count)" ]
		same "$kind" everything --tid --count=samples - < <(cat file.data)
	done
}
