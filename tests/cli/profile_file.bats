#!/usr/bin/env bats
# The profile file: what is in it, and that it is read wherever a recording is.
bats_require_minimum_version 1.5.0

load recordings

setup_file()
{
	load recordings
	build_cases
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	printf 'main;run;parse 1000\nmain;run 2\nmain;read 3000\n;odd;; 7\nz 1.25\n' >a.folded
}

@test "stacks of a profile file are those of its recording" {
	local seen=0
	for data in "$built"/*.data; do
		fold -q "$data" >expected 2>/dev/null && [ -s expected ] || continue
		"$flamefold" graph -q --symfs "$empty" --kallsyms=/dev/null "$data" -o x.ff
		"$flamefold" fold -q x.ff >got
		diff expected got || { echo "$data"; false; }
		seen=$((seen + 1))
	done
	[ $seen -gt 100 ]
}

@test "a reader made from the page alone sees the same" {
	"$flamefold" graph -q a.folded -o a.ff
	"$root"/tests/store/fold.py a.ff >theirs
	"$flamefold" fold a.folded | diff - theirs
	"$flamefold" fold a.ff | diff - theirs
	"$root"/tests/bench/tree.py 20000 >b.folded
	"$flamefold" merge a.folded b.folded "$built"/user_stack_dwarf*.data -o b.ff || [ $? = 3 ]
	"$root"/tests/store/fold.py b.ff >/dev/null
	"$flamefold" merge b.folded -o b.ff
	"$root"/tests/store/fold.py b.ff | diff - <("$flamefold" fold b.folded)
	"$flamefold" merge --no-pack b.folded -o plain.ff
	zstd -dcq b.ff | cmp - plain.ff
}

@test "pictures and profile files become each other" {
	for data in "$built"/kernel_and_user.data a.folded; do
		"$flamefold" graph -q --symfs "$empty" --kallsyms=/dev/null "$data" -o x.ff
		"$flamefold" graph -q --symfs "$empty" --kallsyms=/dev/null "$data" -o direct.svg
		"$flamefold" graph -q x.ff -o x.svg
		"$flamefold" graph -q x.svg -o y.ff
		cmp x.ff y.ff
		"$flamefold" graph -q direct.svg -o y.ff
		"$flamefold" fold x.ff | diff - <("$flamefold" fold y.ff)
	done
}

@test "info, diff and filters read it" {
	printf 'main;run;parse 1500\nmain;run 2\nmain;read 2000\n' >b.folded
	"$flamefold" graph -q a.folded -o a.ff
	"$flamefold" graph -q b.folded -o b.ff
	"$flamefold" info a.ff | grep -q '^format *profile'
	diff <("$flamefold" diff -q -f folded a.ff b.ff) <("$flamefold" diff -q -f folded a.folded b.folded)
	diff <("$flamefold" fold -q --only symbol=parse a.ff) <("$flamefold" fold -q --only symbol=parse a.folded)
	"$flamefold" fold - <a.ff | diff - <("$flamefold" fold a.folded)
	zstd -dcq a.ff | gzip >a.gz
	"$flamefold" fold a.gz | diff - <("$flamefold" fold a.folded)
	[[ $("$flamefold" info a.ff) != *"0 bytes"* ]]
}

@test "what is packed twice is refused, with the command that makes it readable" {
	"$flamefold" graph -q a.folded -o a.ff
	gzip -k a.ff
	for command in graph merge; do
		run -1 "$flamefold" $command a.ff.gz -o c.ff
		[[ $output == *"cannot read 'a.ff.gz': it is packed twice: gunzip makes it readable"* ]]
	done
	gunzip <a.ff.gz | "$flamefold" fold - | diff - <("$flamefold" fold a.folded)
}

@test "modules and kinds are kept" {
	local data=$built/kernel_and_user.data
	"$flamefold" graph -q --symfs "$empty" --kallsyms=/dev/null "$data" -o x.ff
	diff <("$flamefold" fold -q --only 'dso=kernel' x.ff) \
		<(fold -q --only 'dso=kernel' "$data")
	"$flamefold" graph -q --symfs "$empty" --kallsyms=/dev/null --kernel "$data" -f folded >expected
	diff expected <("$flamefold" graph -q --kernel x.ff -f folded)
}

@test "what has an order of its own, or two sides, is refused" {
	run ! "$flamefold" graph -q --flamechart a.folded -o x.ff
	[[ $output == *"a flame chart"* ]]
	run ! "$flamefold" diff -q a.folded a.folded -o x.ff
	[[ $output == *"'diff' writes svg, html, folded or pprof"* ]]
	[ ! -e x.ff ]
}

@test "each byte that is changed is found, and so is each end too early" {
	"$flamefold" merge --no-pack a.folded -o a.ff
	size=$(stat -c %s a.ff)
	for ((i = 0; i < size; i++)); do
		cp a.ff b.ff
		byte=$(od -An -tu1 -j"$i" -N1 a.ff)
		# shellcheck disable=SC2059 # it is an escape
		printf "\\$(printf %o $((byte ^ 1)))" | dd of=b.ff bs=1 seek="$i" conv=notrunc status=none
		run "$flamefold" fold -q b.ff
		[ "$status" = 1 ] || { echo "byte $i: $status $output"; false; }
		[[ $output == flamefold:* ]]
		head -c "$i" a.ff >b.ff
		run "$flamefold" fold -q b.ff
		[ "$status" = 1 ] || { echo "end $i: $status $output"; false; }
	done
	run ! "$flamefold" fold -q b.ff
	[[ $output == *"'b.ff' is damaged at byte "* ]]
}

@test "of several events one is read" {
	"$flamefold" merge -q a.folded "$built"/kernel_and_user.data -o two.ff
	event=$("$flamefold" info --format=json "$built"/kernel_and_user.data | sed -n 's/.*"name": "\(c[^"]*\)".*/\1/p' | head -n 1)
	run --separate-stderr "$flamefold" fold two.ff
	[[ $stderr == *"holds 2 events"* ]]
	"$flamefold" fold -q --event '' two.ff | diff - <("$flamefold" fold a.folded)
	run ! "$flamefold" fold --event nothing two.ff
	[[ $output == *"has no event 'nothing'"* ]]
}

@test "a profile file whose tree would take more than it may is refused" {
	"$root"/tests/bench/tree.py 100000 >b.folded
	"$flamefold" graph -q b.folded -o b.ff
	run -1 "$flamefold" fold --memory=2M b.ff
	[[ $output == *"'b.ff': the profile takes more memory than what is read may: --memory=SIZE with more"* ]]
	"$flamefold" fold -q --memory=200M b.ff | diff - <("$flamefold" fold b.folded)
}

@test "info tells what it was made of, and all of its events" {
	"$build" -o web.data - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
	feature hostname=web-3
	feature osrelease=6.18.5-test
	comm pid=1 name=web
	sample pid=1 time=5 period=10 ip=0x10
	END
	"$flamefold" merge -q --label dc=north --label git=1f2 a.folded web.data -o two.ff
	"$flamefold" info two.ff >text
	grep -q '^ *2  inputs$' text
	grep -q '^ *a.folded$' text
	grep -q '  web.data  on web-3, kernel 6.18.5-test$' text
	grep -q '^ *dc=north$' text
	grep -q '^ *10  cpu-clock: weight, ' text
	grep -q '^ *4,010.25  folded text: weight$' text
	"$flamefold" info --format=json two.ff >json
	python3 - <<-'END'
	import hashlib, json
	made = json.load(open("json"))["made_of"]
	assert made["inputs"] == 2 and len(made["listed"]) == 2
	assert made["listed"] == sorted(made["listed"], key=lambda i: i["sha256"])
	for i in made["listed"]:
	    assert i["sha256"] == hashlib.sha256(open(i["name"], "rb").read()).hexdigest()
	assert {"host": "web-3", "kernel": "6.18.5-test"}.items() <= next(i for i in made["listed"] if i["name"] == "web.data").items()
	assert made["labels"] == [{"key": "dc", "value": "north"}, {"key": "git", "value": "1f2"}]
	assert [(c["event"], c["name"], c["total"], c["decimals"]) for c in made["columns"]] == [
	    (None, "weight", 401025, 2), ("cpu-clock", "samples", 1, 0), ("cpu-clock", "weight", 10, 0)], made["columns"]
	END
	# Of nothing else.
	"$flamefold" info --format=json a.folded | grep -q '"made_of": null'
	# A list that was dropped is counted.
	"$flamefold" merge -q --no-inputs a.folded web.data -o two.ff
	"$flamefold" info two.ff | grep -q '^ *2  inputs$'
	run ! grep -q web-3 <("$flamefold" info two.ff)
}
