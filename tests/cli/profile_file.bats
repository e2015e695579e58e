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
		"$flamefold" graph -q --no-slices --symfs "$empty" --kallsyms=/dev/null "$data" -o x.ff
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

@test "what is packed once more is read, as a recording is" {
	"$flamefold" graph -q a.folded -o a.ff
	gzip -k a.ff
	xz -k a.ff
	zstd -q a.ff
	for file in a.ff.gz a.ff.xz a.ff.zst; do
		"$flamefold" fold "$file" | diff - <("$flamefold" fold a.folded)
		"$flamefold" merge -q "$file" -o c.ff
		"$flamefold" fold c.ff | diff - <("$flamefold" fold a.folded)
		"$flamefold" fold - <"$file" | diff - <("$flamefold" fold a.folded)
	done
	head -c 90 a.ff.gz >cut.gz
	run -1 "$flamefold" fold cut.gz
	[[ $output == *"'cut.gz'"* ]]
}

@test "what is packed twice is refused, with the command that makes it readable" {
	"$flamefold" graph -q a.folded -o a.ff
	zstd -q a.ff -o a.zst
	gzip -k a.zst
	for command in graph merge; do
		run -1 "$flamefold" $command a.zst.gz -o c.ff
		[[ $output == *"cannot read 'a.zst.gz': it is packed twice: gunzip makes it readable"* ]]
	done
	gunzip <a.zst.gz | "$flamefold" fold - | diff - <("$flamefold" fold a.folded)
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

# one recording of 20 s whose phases differ from one to the other.
phases()
{
	"$build" -o "$1" - <<-END
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
	comm pid=1 name=busy
	comm pid=2 name=calm
	repeat i 2000
	sample pid=1 time={1000000000 + i * 10000000} period={1000000 * ($2 + i % 7)} ip=0x10
	sample pid=2 time={1000000000 + i * 10000000 + 6000000} period={1000000 * (1 + i // $3)} ip=0x20
	end
	END
}

@test "a difference has the noise of its recordings, also of profile files" {
	phases a.data 1 200
	phases b.data 6 150
	for name in a b; do
		"$flamefold" graph -q $name.data -o $name.ff
		"$flamefold" graph -q --no-slices $name.data -o $name-none.ff
	done
	"$flamefold" diff -q --table a.data b.data | sed 's/\.data/.ff/g' >expected
	"$flamefold" diff -q --table a.ff b.ff | diff expected -
	grep -q 'noise: A by [0-9]* pieces of its time' expected
	"$flamefold" diff -q --table a-none.ff b-none.ff | grep -q 'as if samples were independent'
	# Merged in any order they are the same bytes, and they are still there.
	"$flamefold" merge -q a.data b.data -o both.ff
	for name in a b; do
		"$flamefold" merge -q $name.data -o $name.ff
	done
	"$flamefold" merge -q b.ff a.ff -o merged.ff
	cmp both.ff merged.ff
	"$flamefold" diff -q --table both.ff a.ff | grep -q 'noise: A by [0-9]* pieces'
	"$root"/tests/store/fold.py both.ff | diff - <("$flamefold" fold both.ff)
	# What has no time is not half of the noise: there are none.
	"$flamefold" merge -q a.ff a-none.ff --add-duplicates -o half.ff
	"$flamefold" diff -q --table half.ff a.ff | grep -q 'noise: A as if\|noise: A by 0\|independent'
}

@test "a file of the first version is read" {
	python3 - <<-'END'
	import zlib
	def section(number, body):
	    return bytes([number, len(body)]) + body + zlib.crc32(body).to_bytes(4, "little")
	column = b"\0\0weight\0\0" + bytes([0, 0, 1, 0, 5])
	inputs = bytes([1, 1]) + bytes(range(32)) + bytes([1, 0]) + b"old.data\0host\0"
	with open("old.ff", "wb") as f:
	    f.write(b"\x89FFP\r\n\x1a\n\x01\0" + section(1, inputs) + section(2, b"\0") + section(3, b"\0\0\0") +
	            section(4, b"\1" + column) + section(5, b"\1\1\0f\0") + section(6, b"\0") + section(7, b"\1\0\0\0") +
	            section(8, b"\0") + section(9, b"\2\1\1\1\1\1\0\5\2\0\1") + section(10, b"\2"))
	END
	[ "$("$flamefold" fold old.ff)" = "f 5" ]
	"$flamefold" info old.ff | grep -q 'old.data  on host$'
	"$flamefold" merge -q old.ff a.folded -o new.ff
	"$flamefold" fold new.ff | diff - <(echo "f 5" | cat - a.folded | "$flamefold" fold -)
}

@test "tables that are not in their order are damage" {
	python3 - <<-'END'
	import zlib
	def section(number, body):
	    return bytes([number, len(body)]) + body + zlib.crc32(body).to_bytes(4, "little")
	def write(name, labels=b"\0", columns=None, periods=b"\0", frames=b"\1\0\0\0", flags=0):
	    column = b"e\0\0weight\0\0" + bytes([0, 0, 1, 0, 5])
	    columns = columns or [column]
	    with open(name, "wb") as f:
	        f.write(b"\x89FFP\r\n\x1a\n\x02" + bytes([flags]) + section(1, b"\0\0") + section(2, labels) + section(3, b"\0\0\0") +
	                section(4, bytes([len(columns)]) + b"".join(columns)) + section(5, b"\1\1\0f\0") + section(6, b"\0") +
	                section(7, frames) + section(8, periods) +
	                section(9, b"\2\1\1\1\1\1\0" + b"\5\2\0\1" * len(columns)) + section(10, b"\2"))
	column = lambda event: event + b"\0\0weight\0\0" + bytes([0, 0, 1, 0, 5])
	write("sound")
	write("sound2", labels=b"\2a\0b\0a\0c\0", columns=[column(b"d"), column(b"e")], periods=b"\2\1\1\0\2\1\1\1\2")
	write("labels", labels=b"\2a\0c\0a\0b\0")
	write("columns", columns=[column(b"e"), column(b"d")])
	write("twice", columns=[column(b"e"), column(b"e")])
	write("periods", periods=b"\2\2\1\0\2\1\1\0\2")
	write("address", frames=b"\1\0\0\0\x09", flags=1)
	write("flags", flags=4)
	END
	for name in sound sound2; do
		"$flamefold" fold -q $name | diff - <(echo "f 5")
	done
	for name in labels columns twice periods address flags; do
		run -1 "$flamefold" fold $name
		[[ $output == *"'$name' is"* ]]
		run -1 "$flamefold" merge $name -o x.ff
		[[ $output == *"'$name' is"* ]]
	done
}
