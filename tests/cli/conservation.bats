#!/usr/bin/env bats
# Conservation: what was read is in the tree or counted as lost, by reason.
bats_require_minimum_version 1.5.0

load recordings

setup_file()
{
	build_cases
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# A figure of --stats by the name of its row.
figure()
{
	local line number

	# Hundreds of files have seven of them each: no program is started for one.
	while read -r line; do
		[[ $line == "$1"* ]] || continue
		number=${line##* }
		echo "${number//,/}"
		return 0
	done <stats
	return 1
}

# conserved FILE OPTION...: READ = TREE + LOST, and TREE is what was written.
conserved()
{
	local file=$1 read tree lost written
	shift
	fold --stats "$@" "$file" >out 2>stats || {
		[ ! -s out ] || { echo "$file fails and writes"; return 1; }
		return 0
	}
	read=$(figure "weight read")
	tree=$(figure "weight in the tree")
	lost=$(($(figure "weight of other events") + $(figure "weight filtered out") + $(figure "weight of damaged records")))
	[ "$read" -eq $((tree + lost)) ] || { echo "$file $*: read $read, tree $tree, lost $lost"; return 1; }
	written=$(total out)
	[ "$written" -eq "$tree" ] || { echo "$file $*: wrote $written, tree $tree"; return 1; }
	[ "$(figure "samples read")" -ge "$(figure "samples in the tree")" ]
}

each_way()
{
	local wrong=0

	conserved "$1" || wrong=1
	conserved "$1" --event=all || wrong=1
	conserved "$1" --count=samples || wrong=1
	conserved "$1" --only time=0%-50% --drop cpu=0 || wrong=1
	conserved "$1" --max-stack=3 --compat=stackcollapse || wrong=1
	return $wrong
}

# bats test_tags=long
@test "every case that is read is conserved" {
	local case wrong=0 done=0

	for case in "$cases"/**/*.pd; do
		! grep -q '^# fails:' "$case" || continue
		each_way "$built/$(basename "$case" .pd).data" || wrong=$((wrong + 1))
		done=$((done + 1))
	done
	[ "$done" -gt 30 ]
	[ "$wrong" -eq 0 ]
}

@test "what is lost is lost for its reason" {
	"$build" -o x.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=1 flags=sample_id_all
	attr name=faults type=1 config=2 sample_type=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN ids=2 flags=sample_id_all
	comm pid=1 name=main time=1
	sample pid=1 time=2 cpu=0 ip=0x1234 period=1 chain=U,0x1234
	sample pid=1 time=3 cpu=1 ip=0x1234 period=10 chain=U,0x1234
	sample event=faults pid=1 time=4 cpu=0 ip=0x1234 period=100 chain=U,0x1234
	sample pid=1 time=5 cpu=0 ip=0x1234 period=1000 chain_nr=-1
	sample pid=1 time=6 cpu=0 ip=0x1234 period=10000 chain=U,0x1234,-1,0x2000
	END
	conserved x.data --drop cpu=1
	[ "$(figure "weight read")" -eq 10112 ]
	[ "$(figure "weight in the tree")" -eq 10001 ]
	[ "$(figure "weight of other events")" -eq 100 ]
	[ "$(figure "weight filtered out")" -eq 10 ]
	[ "$(figure "weight of damaged records")" -eq 1 ]
	[ "$(figure "samples read")" -eq 5 ]
	[ "$(figure "samples in the tree")" -eq 2 ]
	[ "$(figure "samples truncated")" -eq 1 ]
}

@test "every recording of the corpus that is read is conserved" {
	local wrong=0 path

	need_corpus
	while IFS=$'\t' read -r path _; do
		conserved "$CORPUS/$path" || wrong=$((wrong + 1))
		conserved "$CORPUS/$path" --event=all --count=samples || wrong=$((wrong + 1))
	done < <(readable_rows)
	[ "$wrong" -eq 0 ]
}

@test "the samples that the library hands out are what the tree is made of" {
	local samples
	samples=$(dirname "$flamefold")/tests/api/samples.so
	[ -x "$samples" ] || skip "no $samples"
	"$samples" "$built"/*.data
}
