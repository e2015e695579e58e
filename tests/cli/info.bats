#!/usr/bin/env bats
# What is in a profile, for people and for programs.
bats_require_minimum_version 1.5.0

setup()
{
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	flamefold=$(cd "$root" && realpath "${FLAMEFOLD:-build/flamefold}")
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

json()
{
	run --separate-stderr "$flamefold" info --format=json "$@"
	[ "$status" -eq 0 ]
}

# The expression is true for the last JSON.
holds()
{
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1"; echo "$output"; return 1; }
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
	holds '.events == [{"name": "cycles", "samples": 6}]'
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

@test "json: every documented key is there, and no other" {
	json p.data
	diff <(jq -r 'keys[]' <<<"$output") \
		<(sed -n 's/^| `\([a-z_]*\)` .*/\1/p' "$root/Documentation/info-json.md" | sort)
	json in.folded
	diff <(jq -r 'keys[]' <<<"$output") \
		<(sed -n 's/^| `\([a-z_]*\)` .*/\1/p' "$root/Documentation/info-json.md" | sort)
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
	[[ $stderr == *"'flat.data' has no call chains: record with 'perf record -g'"* ]]
	[[ $output == "sh;"*" 10" ]]
	run --separate-stderr "$flamefold" fold --quiet flat.data
	[ -z "$stderr" ]
}

@test "what is missing is one line, and only where something is" {
	run --separate-stderr "$flamefold" fold in.folded
	[ -z "$stderr" ]
	run --separate-stderr "$flamefold" fold p.data
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"100.0 % of the weight has no symbol"*"; 7 records lost while recording"* ]]
}
