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

# conserved FILE... [-- OPTION...]...: READ = TREE + LOST, and TREE is what was written.
conserved()
{
	mkdir -p "$empty"
	FLAMEFOLD=$flamefold "$BATS_TEST_DIRNAME/conserved.py" "$empty" "$@"
}

@test "every case that is read is conserved" {
	local case files=()

	for case in "$cases"/**/*.pd; do
		grep -q '^# fails:' "$case" || files+=("$built/$(basename "$case" .pd).data")
	done
	[ "${#files[@]}" -gt 30 ]
	conserved "${files[@]}" -- -- --event=all -- --count=samples -- --only time=0%-50% --drop cpu=0 \
		-- --max-stack=3 --compat=stackcollapse
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
	conserved x.data -- --drop cpu=1
	fold --stats --drop cpu=1 x.data >out 2>stats
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
	local path files=()

	need_corpus
	while IFS=$'\t' read -r path _; do
		files+=("$CORPUS/$path")
	done < <(readable_rows)
	conserved "${files[@]}" -- -- --event=all --count=samples
}

@test "the samples that the library hands out are what the tree is made of" {
	local samples
	samples=$(dirname "$flamefold")/tests/api/samples.so
	[ -x "$samples" ] || skip "no $samples"
	"$samples" "$built"/*.data
}
