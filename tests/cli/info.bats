#!/usr/bin/env bats
# What is in a profile, for people and for programs.
bats_require_minimum_version 1.5.0

load info

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;a;b 60\nmain;c 40\n' >in.folded
	make_profile <<-'END'
	comm pid=1 name=sh time=1
	END
}

# p.data; further lines come from standard input.
make_profile()
{
	{
		cat <<-'END'
		feature hostname=box
		feature osrelease=6.1.0-test
		feature version=6.1.99
		feature arch=x86_64
		feature cpudesc="Some Processor"
		feature nrcpus=4,3
		feature cmdline=perf,record,-g
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN \
			flags=sample_id_all,comm_exec
		mmap2 pid=1 start=0x1000 len=0x1000 name=/nowhere/program time=2
		repeat i 5
		sample pid=1 time={1000000000 * (i + 1)} ip=0x1234 period=10 chain=U,0x1234,0x1500
		end
		sample pid=1 time=6000000000 ip=0x1234 period=10 chain=
		lost lost=7 time=7000000000
		throttle time=7000000001
		END
		cat
	} | "$root/tests/perfdata/build" -o p.data -
}

@test "text: what is in a perf.data" {
	run --separate-stderr "$flamefold" info p.data
	[ "$status" -eq 0 ]
	for line in 'host +box' 'kernel +6\.1\.0-test' 'perf version +6\.1\.99' \
		'architecture +x86_64' 'processor +Some Processor, 3 online' \
		'command line +perf record -g' 'samples +6, 5 with a call chain' \
		'lost +7 records, 0 samples; throttled 1 times' 'duration +5\.000 s' \
		' +6  cycles' ' +1  LOST' ' +6  SAMPLE' ' +6 +1  sh' '/nowhere/program'; do
		grep -qE "^.*$line" <<<"$output" || { echo "no: $line"; echo "$output"; return 1; }
	done
}

@test "text: folded text has no records" {
	run --separate-stderr "$flamefold" info in.folded
	[ "$status" -eq 0 ]
	[[ $output == *"folded text"* ]]
	[[ $output != *"lost"* ]]
}

@test "text: control characters do not reach the terminal" {
	printf 'comm pid=1 name="\033[2Jevil" time=1\n' | make_profile
	run --separate-stderr "$flamefold" info p.data
	[ "$status" -eq 0 ]
	[[ $output == *"?[2Jevil"* ]]
	[[ $output != *$'\033'* ]]
}

@test "json: figures of a perf.data" {
	json p.data
	holds '.path == "p.data" and (.format | startswith("perf.data"))'
	holds '.command == "perf record -g" and .host == "box" and .kernel == "6.1.0-test"'
	holds '.perf_version == "6.1.99" and .arch == "x86_64" and .cpu == "Some Processor"'
	holds '.processors == 3 and .samples == 6 and .chains == 5 and .user_stacks == 0'
	holds '.lost == 7 and .lost_samples == 0 and .throttled == 1 and .weight == 60'
	holds '.first_time == 1000000000 and .last_time == 6000000000'
	holds '.truncated == false and .truncated_at == null and .damage == null'
	holds '.records == {"LOST": 1, "COMM": 1, "THROTTLE": 1, "SAMPLE": 6, "MMAP2": 1}'
	holds '.unknown_records == 0'
	holds '.events | length == 1 and (.[0] | .name == "cycles" and .samples == 6)'
	holds '.processes == [{"pid": 1, "comm": "sh", "samples": 6}]'
}

@test "json: objects found and missing" {
	json p.data
	holds '.objects.found == []'
	holds '.objects.missing | length == 1'
	holds '.objects.missing[0] | .path == "/nowhere/program" and .weight == 60'
	holds '.objects.missing[0] | .file == null and .build_id == null'
	holds '.objects.missing[0].problem | test("/nowhere/program")'
}

# documented N: the keys in the tables of the Nth part of the page.
documented()
{
	awk -v part="$1" '/^#/ { n++ } n == part' "$root/Documentation/info-json.md" |
		sed -n 's/^| `\([a-z_]*\)` .*/\1/p' | sort
}

@test "json: every documented key is there, and no other" {
	json p.data
	diff <(jq -r 'keys[]' <<<"$output") <(documented 1)
	json in.folded
	diff <(jq -r 'keys[]' <<<"$output") <(documented 1)
	json --symbols p.data
	diff <(jq -r '.objects[0] | keys[]' <<<"$output") <(documented 2)
}

@test "json: times are those of the samples, whatever the header says" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	feature sample_time=0,0
	sample pid=1 time=3000000000 ip=0x1234 chain=U,0x1234
	sample pid=1 time=5000000000 ip=0x1234 chain=U,0x1234
	END
	json one.data
	holds '.first_time == 3000000000 and .last_time == 5000000000 and .duration == 2000000000'
	[[ $("$flamefold" fold --quiet --count=samples --only=time=1,3 one.data) == *" 1" ]]
}

@test "json: how the events were recorded" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER flags=freq,sample_id_all \
		period=4000 sample_max_stack=64 ids=1
	attr name=faults sample_type=IP,TID,TIME,STACK_USER,IDENTIFIER flags=sample_id_all \
		period=7 stack_user=8192 ids=2
	comm pid=1 name=sh time=1
	END
	json one.data
	holds '.events[0] == {"name": "cycles", "samples": 0, "delivered": 0, "frequency": 4000, "period": null,
		"max_stack": 64, "user_stack": 0,
		"fields": ["IP", "TID", "TIME", "CALLCHAIN", "PERIOD", "IDENTIFIER"], "raw_fields": []}'
	holds '.events[1] == {"name": "faults", "samples": 0, "delivered": 0, "frequency": null, "period": 7,
		"max_stack": null, "user_stack": 8192,
		"fields": ["IP", "TID", "TIME", "STACK_USER", "IDENTIFIER"], "raw_fields": []}'
	run --separate-stderr "$flamefold" info one.data
	[[ $output == *"4,000 Hz; IP TID TIME CALLCHAIN PERIOD IDENTIFIER"* ]]
	[[ $output == *"every 7; stack dumps of 8,192 bytes; IP"* ]]
}

@test "json: form, byte order, clock and compression" {
	attr='attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1 sample_max_stack=300'
	printf 'endian big\nformat pipe\n%s\nsample pid=1 time=1 ip=1\n' "$attr" | build
	json one.data
	holds '.form == "pipe" and .byte_order == "big" and .clock == "monotonic" and (.compressed | not)'
	holds '.events[0].max_stack == 300'
	run --separate-stderr "$flamefold" info one.data
	[[ $output =~ format\ +perf.data\ v2,\ as\ written\ to\ a\ pipe,\ big-endian,\ [0-9]+\ bytes ]]
	printf '%s\nsample pid=1 time=1 ip=1\n' "${attr/use_clockid/freq}" | build
	gzip one.data
	json one.data.gz
	holds '.form == "file" and .byte_order == "little" and .clock == "perf" and .compressed'
	json in.folded
	holds '.form == null and .byte_order == null and .clock == null and .warnings == []'
}

@test "json: a group of counters is one sample, and is delivered as several" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,READ read_format=ID,GROUP flags=sample_id_all ids=1
	attr name=instructions sample_type=IP,TID,TIME,READ read_format=ID,GROUP flags=sample_id_all ids=2
	sample pid=1 time=1 ip=1 read=10:1,20:2
	sample pid=1 time=2 ip=1 read=30:1,40:2
	END
	json one.data
	holds '.samples == 2 and .delivered == 4'
	holds '[.events[] | [.samples, .delivered]] == [[2, 2], [0, 2]]'
	run --separate-stderr "$flamefold" info one.data
	[[ $output == *"; 4 when groups of counters are split"* ]]
	[[ $output == *"0  instructions"*"2 when groups of counters are split; IP TID"* ]]
	run --separate-stderr "$flamefold" fold one.data
	[[ $stderr == *"left out: 2 samples of 'instructions', which were read with those of other events (--event=NAME)"* ]]
	"$flamefold" -q --event=instructions -o one.svg one.data
	grep -q 'data-countname="instructions"' one.svg
	json p.data
	holds '.samples == 6 and .delivered == 6'
}

@test "warnings: no call chains, or some samples without" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all
	sample pid=1 time=1 ip=1
	END
	json one.data
	holds '.bare == 1'
	warns chains 'no call chains, so the picture is flat: perf record --call-graph dwarf, or by frame pointers: perf record -g'
	json p.data
	holds '.bare == 1 and .chains == 5'
	warns chains '16.7 % of the samples have no call chain'
	# Of those that count: what another event has is in another picture.
	build <<-'END'
	attr name=task-clock sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all ids=1
	attr name=page-faults sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all ids=2
	sample event=task-clock pid=1 time=1 ip=1
	sample event=page-faults pid=1 time=2 ip=1 chain=U,1,2
	END
	json one.data
	warns chains 'no call chains, so the picture is flat: '
	json --event=page-faults one.data
	silent_about chains
}

# dwarf SIZE: samples with bp, sp and ip, and SIZE bytes of stack at most; code without an object, so
# frame pointers lead on: three stacks go on behind the dump, one has its root in it.
dwarf()
{
	build <<-END
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all,comm_exec \
		regs_user=0x1c0 stack_user=$1
	feature arch=x86_64
	comm pid=1 name=x exec time=1
	mmap2 pid=1 start=0x1000 len=0x9000 name=/no/x time=1
	repeat i 3
	sample pid=1 time=2 ip=0x1234 chain= regs=2:0x10000,0x10000,0x1234 dyn=16 \
		stack=00020100000000000015000000000000
	end
	sample pid=1 time=2 ip=0x1234 chain= regs=2:0x10000,0x10000,0x1234 dyn=16 \
		stack=00000000000000000000000000000000
	END
}

@test "warnings: stack dumps without registers" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN,STACK_USER flags=sample_id_all stack_user=16
	repeat i 3
	sample pid=1 time=1 ip=1 chain= stack_zeros=16 dyn=16
	end
	sample pid=1 time=1 ip=1 chain= stack_zeros=16 dyn=8
	sample pid=1 time=1 ip=1 chain=U,1
	END
	json one.data
	holds '.user_stacks == 4 and .user_stacks_cut == 3 and .bare == 0 and .stacks.not_unwound == 4'
	warns user_stacks '80.0 % of the samples carry a stack dump that cannot be unwound'
	silent_about chains
}

@test "warnings: stack dumps that are cut" {
	dwarf 16
	json one.data
	holds '.stacks.unwound == 4 and .stacks.frames_unwound == 7 and .stacks.truncated == 3'
	holds '.stacks.cut_dump == 3'
	warns user_stacks_cut '75.0 % of the stacks are larger than the 16 bytes that were copied of each, and lack the functions that they begin with: perf record --call-graph dwarf,65528, or by frame pointers: perf record --call-graph fp'
	silent_about user_stacks
	run --separate-stderr "$flamefold" info one.data
	[[ $output == *"stacks that do not reach their root"*"3   75.0 %  stack dump too small"* ]]
}

@test "warnings: a dump that cannot be larger" {
	dwarf 65528
	json one.data
	warns user_stacks_cut '75.0 % of the stacks are larger than the 65,528 bytes that were copied of each, and lack the functions that they begin with: frame pointers: perf record --call-graph fp'
}

@test "warnings: call chains that are cut or broken" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all sample_max_stack=3
	sample pid=1 time=1 ip=1 chain=U,1,2
	sample pid=1 time=1 ip=1 chain=K,1,U,1,2
	sample pid=1 time=1 ip=1 chain=U,1,-1,2
	sample pid=1 time=1 ip=1 chain=U,1,2,3,4
	END
	json one.data
	holds '.chains == 4 and .chains_cut == 1 and .chains_broken == 1'
	warns chains_cut '25.0 % of the call chains are cut and do not reach their root: they have as many frames as were asked for, 3: perf record -g -e EVENT/max-stack=127/'
	warns chains_broken '25.0 % of the call chains end in garbage and do not reach their root, '
	# To keep fewer frames is no fault of the recording.
	json --max-stack=1 one.data
	holds '.chains_cut == 1 and .chains_broken == 1'
}

@test "warnings: without another limit a chain has 127 frames" {
	chain=$(seq -s , 127)
	build <<-END
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	sample pid=1 time=1 ip=1 chain=U,$chain
	sample pid=1 time=1 ip=1 chain=U,$chain,128
	sample pid=1 time=1 ip=1 chain=U,${chain%,*}
	END
	json one.data
	holds '.chains_cut == 1'
}

@test "warnings: what was lost, and how not to lose it" {
	json p.data
	warns lost '7 records were lost (53.8 % of what there was): a larger buffer: perf record -m 16M, or fewer samples: perf record -F '
	warns throttled 'the kernel stopped the sampling once, '
	silent_about lost_samples
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	lost lost=1 time=1
	lost_samples lost=2000 time=1
	lost_samples lost=3 bpf time=1
	throttle time=2
	throttle time=3
	raw type=11 hex=000000000000000000000000000000000100000000000000 trailer
	raw type=11 hex=000000000000000000000000000000000000000000000000 trailer
	END
	json one.data
	holds '.lost == 1 and .lost_samples == 2000 and .throttled == 2 and .aux_lost == 1'
	warns lost '1 record was lost (100.0 % of what there was): '
	warns lost_samples '2,000 samples were lost (100.0 % of what there was), dropped by '
	warns throttled 'the kernel stopped the sampling 2 times, '
	warns aux_lost '1 piece of AUX data is not whole: '
}

# Linux 6.0 counts by event what was lost, and perf writes that behind all else.
@test "warnings: samples that are among the lost records are lost once" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all read_format=ID,LOST
	sample pid=1 time=1 ip=1 chain=U,1
	lost lost=40 time=1
	lost lost=60 time=2
	lost_samples lost=100 time=0
	END
	json one.data
	holds '.lost == 100 and .lost_samples == 0'
	silent_about lost_samples
	run --separate-stderr "$flamefold" fold one.data
	[[ $stderr == *'100 records were lost (99.0 % of what there was): a larger buffer: '* ]]
	[[ $stderr != *'samples were lost'* ]]
	"$flamefold" -q -o one.svg one.data
	grep -q 'data-lost="100"' one.svg
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all read_format=ID,LOST
	lost lost=100 time=1
	lost_samples lost=107 time=0
	END
	json one.data
	holds '.lost == 100 and .lost_samples == 7'
}

@test "a recording whose samples were all lost says so" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	lost lost=100 time=1
	lost_samples lost=7 time=1
	END
	run --separate-stderr "$flamefold" fold one.data
	[ "$status" -eq 1 ]
	[[ $stderr == *'no samples'*'100 records were lost'*'7 samples were lost'* ]]
}

@test "warnings: records of a pipe that came too late" {
	build <<-'END'
	format pipe
	attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all
	sample pid=1 time=100 ip=1
	finished_round
	sample pid=1 time=200 ip=1
	finished_round
	sample pid=1 time=300 ip=1
	finished_round
	sample pid=1 time=10 ip=1
	finished_round
	END
	run --separate-stderr bash -c 'cat one.data | "$1" info --format=json -' - "$flamefold"
	[ "$status" -eq 0 ]
	holds '.late_records == 1 and .samples == 4 and .delivered == 4'
	warns late_records '1 record came too late to be put in order, and what ran then may have wrong names: record to a file: '
}

# kernel MAP: one.data with a sample in the kernel, of which nothing is known but what MAP says.
kernel()
{
	build <<-END
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	$1
	sample pid=1 time=1 ip=0xffffffff81000010 mode=kernel chain=K,0xffffffff81000010
	END
	json --symfs=. one.data
	holds '.kernel_samples == 1'
}

@test "warnings: a kernel without names, and why" {
	hidden='the kernel addresses have no names: kptr_restrict was set'
	kernel ''
	holds '.kernel_hidden'
	warns kernel "$hidden (100.0 % of the samples)"
	kernel 'mmap pid=-1 tid=0 start=0 len=-1 off=0 name=[kernel.kallsyms]_text mode=kernel'
	holds '.kernel_hidden'
	warns kernel "$hidden"
	kernel 'mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 off=0xffffffff81000000 name=[kernel.kallsyms]_text mode=kernel'
	holds '.kernel_hidden | not'
	warns kernel 'the kernel addresses have no names: no kernel symbols below the symfs'
	json p.data
	holds '.kernel_hidden | not'
	silent_about kernel
}

@test "build ids of guests, and one that all modules of the kernel have, are not taken" {
	local host=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa own=cccccccccccccccccccccccccccccccccccccccc

	make_profile <<-END
	feature build_id name=/nowhere/program id=$host
	feature build_id name=/nowhere/program id=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb mode=guest_user
	mmap2 pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 name=/nowhere/a.ko mode=kernel build_id=$own
	sample pid=1 time=1 ip=0xffffffffc0000010 mode=kernel chain=
	END
	json p.data
	holds ".objects.missing[] | select(.path == \"/nowhere/program\") | .build_id == \"$host\""
	holds ".objects.missing[] | select(.path == \"/nowhere/a.ko\") | .build_id == \"$own\""
	# perf 6.17 writes such.
	make_profile <<-END
	feature build_id name=/nowhere/b.ko id=$host mode=kernel
	mmap2 pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 name=/nowhere/a.ko mode=kernel build_id=$own
	mmap2 pid=-1 tid=0 start=0xffffffffc0001000 len=0x1000 name=/nowhere/b.ko mode=kernel build_id=$own
	sample pid=1 time=1 ip=0xffffffffc0000010 mode=kernel chain=
	sample pid=1 time=1 ip=0xffffffffc0001010 mode=kernel chain=
	END
	json p.data
	holds '.objects.missing[] | select(.path == "/nowhere/a.ko") | .build_id == null'
	holds ".objects.missing[] | select(.path == \"/nowhere/b.ko\") | .build_id == \"$host\""
}

@test "what perf adds up for the end has no time" {
	make_profile <<-'END'
	sample pid=1 time=0xffffffff00000000 ip=0x1234 chain=U,0x1234
	sample pid=1 time=0xffffffff00000001 ip=0x1234 chain=U,0x1234
	END
	json p.data
	holds '.samples == 8 and .first_time == 1000000000 and .duration == 5000000000'
	json - <p.data
	holds '.duration == 5000000000'
}

@test "a long command line is whole" {
	"$root/tests/perfdata/build" -o p.data - <<-END
	attr name=cycles
	feature cmdline=perf,record$(printf ',word%04d' {1..2000})
	sample pid=1 time=1 ip=0x1234
	END
	json p.data
	holds '.command | length == 18011 and endswith(" word2000")'
}

@test "warnings: counters and traces are no samples" {
	"$root/tests/perfdata/build" -o p.data - <<-'END'
	attr name=cycles sample_type=IDENTIFIER
	raw type=75 hex=00
	raw type=76 hex=00
	END
	json p.data
	holds '.samples == 0'
	warns counters 'it is a recording of perf stat'
	run "$flamefold" fold p.data
	[ "$status" -eq 1 ]
	[[ $output == *"no samples"*"perf stat"* ]]
	make_profile <<<'auxtrace hex=00112233'
	json p.data
	warns trace 'the trace of the processor'
}

@test "warnings: samples of guests" {
	build <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
	sample pid=1 time=1 ip=1 mode=guest_user chain=GU,1
	sample pid=1 time=1 ip=1 chain=U,1
	END
	json one.data
	holds '.guest_samples == 1'
	warns guest_samples '50.0 % of the samples were taken in guests'
}

@test "warnings: an object that is another build" {
	build_id=$(printf '%040d' 1)
	build <<-END
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all,comm_exec
	mmap2 pid=1 start=0x1000 len=0x1000 build_id=$build_id name=$flamefold time=1
	sample pid=1 time=2 ip=0x1234 chain=U,0x1234
	END
	json one.data
	holds '.objects.missing[0] | .refused and .file == null and (.build_id | endswith("1"))'
	warns refused '1 object file is not the recorded one: its build id differs, or it was replaced (100.0 % of the weight)'
	build <<-END
	attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all,comm_exec
	mmap2 pid=1 start=0x1000 len=0x1000 build_id=$build_id name=$flamefold time=1
	sample pid=1 time=2 ip=0x9234 chain=U,0x9234,0x1234
	END
	json one.data
	warns refused '1 object file is not the recorded one: its build id differs, or it was replaced (only among callers)'
	json p.data
	holds '.objects.missing[0].refused | not'
	silent_about refused
}

@test "warnings: damage" {
	echo 'truncate at=700' | make_profile
	json p.data
	warns damage 'it is damaged, and only what is whole counts: '
}

# features LINE...: x.data, and in err what is said of its header features.
features()
{
	"$root/tests/perfdata/build" -o x.data - < <(
		echo 'attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec'
		printf '%s\n' "$@"
		echo 'sample pid=1 time=2 ip=0x1234 period=7 chain=U,0x1234')
	"$flamefold" fold x.data 2>&1 >/dev/null | grep 'header feature' >err || :
}

@test "a section of the header without bytes is no damage, and all damage is one sentence" {
	features 'feature number=8 zeros=0' 'feature number=11 zeros=0'
	[ ! -s err ]
	features 'feature number=8 hex=ff' 'feature number=11 zeros=0'
	[ "$(wc -l <err)" -eq 1 ]
	grep -q "^flamefold: 'x.data': header feature 8 at 0x[0-9a-f]* is cut short$" err
	features 'feature number=3 hex=ff' 'feature number=8 hex=ff' 'feature number=11 hex=ff'
	[ "$(wc -l <err)" -eq 1 ]
	grep -q "^flamefold: 'x.data': 3 header features cannot be read: the first, 3 at 0x[0-9a-f]*, is cut short$" err
}

@test "warnings: in text they stand at the end" {
	run --separate-stderr "$flamefold" info p.data
	[ "$status" -eq 0 ]
	tail=$(sed -n '/^warnings$/,$p' <<<"$output")
	[ "$(wc -l <<<"$tail")" -eq 5 ]
	[[ $tail == *"  7 records were lost ("* ]]
	run --separate-stderr "$flamefold" info in.folded
	[[ $output != *warnings* ]]
}

@test "every kind of warning is documented, and no other" {
	diff <(sed -n 's/^\t{ "\([a-z_]*\)", judge_.*/\1/p' "$root/src/engine/findings.c" | sort) \
		<(sed -n '/^`warnings`/,$p' "$root/Documentation/info-json.md" |
			grep '^\*' | sed 's/:.*//' | grep -o '`[a-z_]*`' | tr -d '`' | sort)
}

@test "text: what came with the samples, as shares" {
	run --separate-stderr "$flamefold" info p.data
	grep -qE '^ +5 +83\.3 %  with a call chain$' <<<"$output"
	grep -qE '^ +1 +16\.7 %  with neither chain nor dump$' <<<"$output"
}

@test "json: folded text" {
	json in.folded
	holds '.format == "folded text" and .weight == 100 and .samples == 0 and .events == []'
}

@test "json: several inputs are an array, one is not" {
	json in.folded p.data
	holds 'type == "array" and length == 2 and .[0].path == "in.folded" and .[1].samples == 6'
	json in.folded
	holds 'type == "object"'
}

@test "json: stays valid and tells of the others when an input cannot be read" {
	run --separate-stderr "$flamefold" info -f json in.folded missing.data p.data
	[ "$status" -eq 1 ]
	[ "$stderr" = "flamefold: cannot open 'missing.data': No such file or directory" ]
	holds 'length == 2 and .[1].path == "p.data"'
}

@test "json: an input cut off is truncated" {
	echo 'truncate at=700' | make_profile
	json p.data
	holds '.truncated and (.truncated_at | type == "number") and (.damage | type == "string")'
}

@test "json: hostile names stay valid" {
	name=$'q"b\\s\001\033[31m\177\xff\xc3\xa9\xed\xa0\x80\xf5'
	cp in.folded "$name"
	json "$name"
	holds '.path == "q\"b\\s\u0001\u001b[31m\u007f\ufffd\u00e9\ufffd\ufffd\ufffd\ufffd"'
	# Not one byte outside of UTF-8, and no control character but newlines.
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
	[ -z "$(tr -d '\n' <<<"$output" | LC_ALL=C tr -cd '\000-\037\177')" ]
}

@test "json: a name that ends inside a character" {
	cp in.folded $'cut\xe2\x82'
	json $'cut\xe2\x82'
	holds '.path == "cut\ufffd\ufffd"'
}

@test "-o chooses text or json by suffix" {
	"$flamefold" info -o a.json p.data
	jq -e '.samples == 6' a.json
	"$flamefold" info -o a.txt p.data
	grep -q 'perf version' a.txt
	"$flamefold" info -f json -o a.txt p.data
	jq -e '.samples == 6' a.txt
}

@test "an input that cannot be read leaves the output as it was" {
	echo old >a.json
	run "$flamefold" info -o a.json p.data missing.data
	[ "$status" -eq 1 ]
	[ "$(cat a.json)" = old ]
	run "$flamefold" info -o b.json p.data missing.data
	[ "$status" -eq 1 ]
	[ ! -e b.json ]
}

@test "a recording without call chains: advice, and the graph is still made" {
	"$root/tests/perfdata/build" -o flat.data - <<-'END'
	attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec
	comm pid=1 name=sh time=1
	sample pid=1 time=2 ip=0x1234 period=10
	END
	run --separate-stderr "$flamefold" fold flat.data
	[ "$status" -eq 0 ]
	[[ $stderr == *"no call chains, so the picture is flat: perf record --call-graph dwarf"* ]]
	[[ $output == "sh;"*" 10" ]]
	run --separate-stderr "$flamefold" fold --quiet flat.data
	[ -z "$stderr" ]
}

@test "what is missing: a line each with share and remedy, and only where something is" {
	run --separate-stderr "$flamefold" fold in.folded
	[ -z "$stderr" ]
	run --separate-stderr "$flamefold" fold p.data
	[ "${#stderr_lines[@]}" -eq 4 ]
	[[ ${stderr_lines[0]} == "flamefold: 16.7 % of the samples have no call chain: perf record --call-graph dwarf, "* ]]
	[[ ${stderr_lines[1]} == "flamefold: 7 records were lost (53.8 % of what there was): a larger buffer: perf record -m 16M, or fewer samples: perf record -F 99" ]]
	[[ ${stderr_lines[2]} == "flamefold: the kernel stopped the sampling once, as it took too long: fewer samples: perf record -F 99" ]]
	[[ ${stderr_lines[3]} == "flamefold: 100.0 % of the weight has no symbol: flamefold info --symbols p.data" ]]
	# What is said can be typed.
	"$flamefold" info --symbols p.data | grep -q /nowhere/program
	cp p.data "it's p.data"
	run --separate-stderr "$flamefold" fold "it's p.data"
	[[ ${stderr_lines[3]} == *"flamefold info --symbols 'it'\\''s p.data'" ]]
	run --separate-stderr "$flamefold" fold - <p.data
	[[ ${stderr_lines[3]} == *"flamefold info --symbols FILE" ]]
}

@test "a picture answers what its recording does, and so does a picture of that" {
	mkdir -p root/no
	cp "$flamefold" root/no/libc.so.6
	for recording in p.data one.data; do
		[ -e one.data ] || stacks <<<'30 U,0x1234
		10 U,0x11234'
		"$flamefold" -q --no-heat --symfs=root -o p.svg $recording
		"$flamefold" -q -o again.svg p.svg
		cmp p.svg again.svg
		for picture in p.svg again.svg; do
			json --symfs=root $recording
			jq -S 'del(.path, .format, .form, .bytes, .compressed)' <<<"$output" >of_recording
			json $picture
			jq -S 'del(.path, .format, .form, .bytes, .compressed)' <<<"$output" |
				sed "s/$picture/$recording/g" | diff of_recording -
			diff <("$flamefold" info --symbols --symfs=root $recording) \
				<("$flamefold" info --symbols --symfs=root $picture | sed "s/$picture/$recording/g")
			"$flamefold" info $picture | grep -q '^  .* has no symbol: flamefold info --symbols '$picture'$'
		done
	done
	grep -q 'data-findings="100.0 % of the weight is on stacks that begin in the middle' p.svg
	grep -q '>.*100.0 % begins in the middle: no frame pointers\. ' p.svg
	# Several at once: each thing that was found once.
	"$flamefold" -q -o both.svg p.svg again.svg
	json both.svg
	holds '[.warnings[] | select(.kind == "frame_pointers")] | length == 1'
	# Of standard input the picture is the one that can be asked.
	run --separate-stderr bash -c '"$1" -o piped.svg - <p.data' - "$flamefold"
	[[ $stderr == *'has no symbol: flamefold info --symbols piped.svg'* ]]
	"$flamefold" info --symbols piped.svg | grep -q /nowhere/program
}

@test "a picture whose report is cut is damaged, and one without is read" {
	"$flamefold" -q --no-heat -o p.svg p.data
	PYTHONPATH=$BATS_TEST_DIRNAME python3 - p.svg <<-'END'
	from payload import encoded, found
	text = open('p.svg').read()
	match, payload = found(text)
	at = payload.index(b'finding\0')
	for name, new in ('cut.svg', payload[:at + 7] + b'x' + payload[at + 8:-1] + b'x'), ('passed.svg', payload.replace(b'finding\0', b'findinx\0')):
	    open(name, 'w').write(text[:match.start(2)] + f'<data>{encoded(new)}</data>' + text[match.end(2):])
	END
	run --separate-stderr "$flamefold" info cut.svg
	[ "$status" -eq 1 ]
	[[ $stderr == *"'cut.svg': the data of the picture is damaged: "* ]]
	json passed.svg
	holds '.warnings == [] and .host == "box"'
}

@test "a filter by what samples do not carry says so, and what would record it" {
	stacks <<<'30 U,0x1234,0x11500'
	run --separate-stderr "$flamefold" fold --only cpu=0 one.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"no samples: the filters left none of 1"*"100.0 % of the samples do not say the processor, which a filter by 'cpu' asks for: perf record --sample-cpu"* ]]
	json --drop cgroup=x one.data
	warns filters "100.0 % of the samples do not say a cgroup, which a filter by 'cgroup' asks for: perf record --all-cgroups"
	for filter in tid=1 pid=1 time=0,1 comm=prog event=cycles; do
		json --only $filter one.data
		silent_about filters
	done
	build <<<'attr name=cycles sample_type=IP
	sample ip=1'
	for filter in tid=1:thread pid=1:process time=0,1:time; do
		run --separate-stderr "$flamefold" fold --only "${filter%:*}" one.data
		[[ $stderr == *"do not say a ${filter#*:}, which a filter by '${filter%%=*}' asks for: perf record"* ]]
	done
}

@test "a place that an option names and that is not there is told, once" {
	for option in symfs debug-dir buildid-dir map-dir; do
		run --separate-stderr "$flamefold" fold --$option=/nosuch -o x.folded p.data
		[ "$(grep -c "^flamefold: --$option: there is no directory '/nosuch': nothing can be found in it$" <<<"$stderr")" -eq 1 ]
		run --separate-stderr "$flamefold" fold --$option=. -o x.folded p.data
		[[ $stderr != *"there is no"* ]]
	done
	for option in kallsyms vmlinux; do
		run --separate-stderr "$flamefold" fold --$option=/nosuch -o x.folded p.data
		[ "$(grep -c "^flamefold: --$option: there is no file '/nosuch': nothing can be found in it$" <<<"$stderr")" -eq 1 ]
	done
	run --separate-stderr "$flamefold" fold -q --symfs=/nosuch -o x.folded p.data
	[ -z "$stderr" ]
}
