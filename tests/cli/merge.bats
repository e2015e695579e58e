#!/usr/bin/env bats
# flamefold merge: the same bytes whatever the order and the steps, and one bad file stops nobody.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	folded_inputs
}

teardown()
{
	# What was made on the way is gone, however the program ended.
	[ -z "$(ls -A tmp)" ] || { sleep 1; [ -z "$(ls -A tmp)" ]; }
}

# random_files COUNT: r/1 to r/COUNT, a few stacks each.
random_files()
{
	mkdir -p r
	python3 - "$1" <<-'END'
	import random, sys
	rng = random.Random(5)
	for i in range(1, int(sys.argv[1]) + 1):
	    with open(f"r/{i}", "w") as f:
	        for _ in range(3):
	            f.write(";".join(f"f{rng.randrange(40)}" for _ in range(rng.randint(1, 6))) + f" {rng.randint(1, 99)}\n")
	        f.write(f"host{i} 1\n")
	END
}

@test "the order of four files does not matter, nor the steps" {
	merge 1.folded 2.folded 3.folded 4.folded -o all.ff
	cat ?.folded | "$flamefold" fold - | diff - <("$flamefold" fold all.ff)
	for order in $(echo {1..4}{1..4}{1..4}{1..4}); do
		[[ $order =~ 1 && $order =~ 2 && $order =~ 3 && $order =~ 4 ]] || continue
		# shellcheck disable=SC2046 # words
		merge $(grep -o . <<<"$order" | sed 's/$/.folded/') -o x.ff
		cmp all.ff x.ff
	done
	for i in 1 2 3 4; do
		merge $i.folded -o $i.ff
	done
	merge 3.ff 1.ff -o a.ff
	merge 4.ff 2.ff -o b.ff
	merge b.ff a.ff -o x.ff
	cmp all.ff x.ff
	merge a.ff 2.folded 4.ff -o x.ff
	cmp all.ff x.ff
}

@test "a profile of nothing changes nothing" {
	merge 1.folded 2.folded -o a.ff
	# Nothing passes, so there is no stack.
	merge --only symbol=nothing 1.folded --no-inputs -o empty.ff
	merge a.ff empty.ff --no-inputs -o x.ff
	"$flamefold" fold a.ff | diff - <("$flamefold" fold x.ff)
}

@test "random trees of merges of a thousand files are the same bytes" {
	random_files 1000
	ls r/* >list
	merge -f list -o all.ff
	cat r/* | "$flamefold" fold - | diff - <("$flamefold" fold all.ff)
	# Each a profile file, then merged by twos, tens and all at once, as chance has it.
	merge -f list --tree kept -o x.ff
	cmp all.ff x.ff
	find kept -name '*.ff' >files
	[ "$(wc -l <files)" = 1000 ]
	for seed in 1 2; do
		cp files now
		step=0
		while [ "$(wc -l <now)" -gt 1 ]; do
			shuf --random-source=<(yes $seed) now >order
			rm -f part.*
			split -l $((seed == 1 ? 97 : 500)) order part.
			: >now
			for part in part.*; do
				step=$((step + 1))
				merge -j $((1 + step % 2 * 7)) -f "$part" -o "s$seed-$step.ff"
				echo "s$seed-$step.ff" >>now
			done
		done
		# Names are those of the recordings, not of what was made of them on the way.
		"$flamefold" fold "$(cat now)" | diff - <("$flamefold" fold all.ff)
		cp "$(cat now)" result$seed
	done
	cmp result1 result2
	# By two's.
	head -n 64 files >now
	merge -f now -o some.ff
	while [ "$(wc -l <now)" -gt 1 ]; do
		: >next
		while read -r a && read -r b; do
			step=$((step + 1))
			merge "$b" "$a" -o "t$step.ff"
			echo "t$step.ff" >>next
		done <now
		mv next now
	done
	cmp some.ff "$(cat now)"
}

@test "the same file twice counts once, whatever it is called" {
	cp 1.folded other.folded
	merge 1.folded -o once.ff
	merge 1.folded other.folded 1.folded -o x.ff
	cmp once.ff x.ff
	merge 1.folded once.ff -o x.ff
	cmp once.ff x.ff
	# What holds it and more stays, in either order.
	merge 1.folded 2.folded -o both.ff
	merge both.ff 1.folded once.ff -o x.ff
	cmp both.ff x.ff
	merge once.ff both.ff -o x.ff
	cmp both.ff x.ff
	merge --add-duplicates 1.folded other.folded -o x.ff
	"$flamefold" fold x.ff | diff - <(printf 'a;b 6\na;d 10\n')
	# One that they share, and one that they do not: it cannot be taken out.
	merge 1.folded 3.folded -o half.ff
	run -3 "$flamefold" merge both.ff half.ff -o x.ff
	[[ $output == *"1 of its 2 inputs are in other files as well"* ]]
}

@test "bad files are named, and the others merged" {
	merge 1.folded 2.folded -o good.ff
	merge 3.folded 4.folded -o whole.ff
	: >empty
	head -c 200 whole.ff >cut.ff
	# Damage behind the tables is found when others have been merged half.
	merge --no-pack 3.folded 4.folded -o plain.ff
	size=$(stat -c %s plain.ff)
	cp plain.ff damaged.ff
	printf '\377' | dd of=damaged.ff bs=1 seek=$((size - 20)) conv=notrunc status=none
	head -c 4000 /dev/urandom >noise
	run -3 "$flamefold" merge 1.folded empty cut.ff noise damaged.ff nobody 2.folded -o x.ff
	cmp good.ff x.ff
	for name in empty cut.ff noise damaged.ff nobody; do
		[[ $output == *"refused '$name': "* ]]
	done
	[[ $output == *"5 of 7 files could not be merged"* ]]
	run -1 "$flamefold" merge empty cut.ff damaged.ff -o y.ff
	[ ! -e y.ff ]
}

@test "what a damaged file says that it has is not left out elsewhere" {
	merge 1.folded 2.folded --no-pack -o both.ff
	size=$(stat -c %s both.ff)
	printf '\377' | dd of=both.ff bs=1 seek=$((size - 20)) conv=notrunc status=none
	run -3 "$flamefold" merge -q both.ff 1.folded 2.folded -o x.ff
	merge 2.folded 1.folded -o good.ff
	cmp good.ff x.ff
}

@test "a sum is never more than it can be" {
	printf 'a 18446744073709551615\n' >most
	printf 'b 4294967296\n' >large
	printf 'b 4294967296\nc 1\n' >larger
	merge large larger -o x.ff
	"$flamefold" fold x.ff | diff - <(printf 'b 8589934592\nc 1\n')
	merge most -o x.ff
	"$flamefold" fold x.ff | diff - most
	run -1 "$flamefold" merge most large -o y.ff
	[[ $output == *"more than 2^64"* ]]
	[ ! -e y.ff ]
	# Decimals make numbers longer.
	printf 'b 0.5\n' >half
	run -1 "$flamefold" merge most half -o y.ff
	[[ $output == *"more than 2^64"* ]]
}

@test "a thousand files take no more than twice the memory of ten" {
	random_files 1000
	ls r/* >list
	merge -f list --tree kept -o all.ff
	find kept -name '*.ff' >files
	head -n 10 files >ten
	for list in files ten; do
		"$root"/tests/budget/peak.py "$flamefold" merge -q -j1 -f $list -o x.ff 2>peak.$list
		cat peak.$list
	done
	[ "$(cat peak.files)" -le $((2 * $(cat peak.ten))) ]
}

@test "names of files come from a list, by lines or by NULs" {
	merge 1.folded 2.folded -o x.ff
	printf '1.folded\n\n2.folded\n' | merge --from - -o y.ff
	cmp x.ff y.ff
	printf '1.folded\0' >list
	merge 2.folded -f list -o y.ff
	cmp x.ff y.ff
	cat 1.folded | "$flamefold" merge - -o s.ff
	"$flamefold" fold s.ff | diff - 1.folded
	# What opens may be no file.
	run -1 --separate-stderr merge --from . -o z.ff
	[ "$stderr" = "flamefold: cannot read '.': Is a directory" ]
	run -1 --separate-stderr merge --from /dev/null -o z.ff
	[ "$stderr" = "flamefold: '/dev/null' names no inputs" ]
}

@test "--by writes a file for each value" {
	merge --label dc=north 1.folded -o n.ff
	merge --label dc=south/x 2.folded -o s.ff
	merge --label dc=south/x 3.folded -o s3.ff
	merge --by dc n.ff s.ff s3.ff 4.folded -o by.ff
	"$flamefold" fold by-north.ff | diff - 1.folded
	cat 2.folded 3.folded | "$flamefold" fold - | diff - <("$flamefold" fold by-south_x.ff)
	"$flamefold" fold by-unknown.ff | diff - <("$flamefold" fold 4.folded)
	merge n.ff s.ff -o both.ff
	run -3 "$flamefold" merge --by dc n.ff both.ff 4.folded -o z.ff
	[[ $output == *"refused 'both.ff'"* ]]
	for host in web-1 web-2; do
		"$build" -o $host.data - <<-END
		attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
		feature hostname=$host
		comm pid=1 name=$host
		sample pid=1 time=5 period=10 ip=0x10
		END
	done
	merge --by host web-1.data web-2.data -o h.ff
	"$flamefold" fold -q h-web-1.ff | grep -q '^web-1;.* 10$'
	"$flamefold" fold -q h-web-2.ff | grep -q '^web-2;.* 10$'
}

@test "--by writes no file over another one" {
	merge --label dc=a/b 1.folded -o one.ff
	merge --label dc=a_b 2.folded -o two.ff
	run -2 "$flamefold" merge --by dc one.ff two.ff -o by.ff
	[[ $output == *"'a/b' and 'a_b' would both be 'by-a_b.ff'"* ]]
	[ ! -e by-a_b.ff ]
	# Nor over an input, which may be what was written the last time.
	merge --by dc one.ff -o by.ff
	cp by-a_b.ff before
	merge --label dc=c 3.folded -o three.ff
	run -2 "$flamefold" merge --by dc by-a_b.ff three.ff -o by.ff
	[[ $output == *"'by-a_b.ff' is an input"* ]]
	cmp before by-a_b.ff
	[ ! -e by-c.ff ]
}

@test "inputs are looked at as often for many files as for one" {
	strace -f -qq -e trace=none -e signal=none -o /dev/null true 2>/dev/null || skip "no strace here"
	for i in $(seq 24); do
		echo "a;b $i" >one
		merge --label n=$i one -o $i.ff
	done
	strace -qq -e trace=%stat -o trace "$flamefold" merge -q --by n ?.ff ??.ff -o by.ff
	[ -e by-24.ff ]
	[ "$(grep -c '"1.ff"' trace)" -lt 12 ]
}

@test "values of a label are told apart, however long, and be one of them the word for none" {
	long=$(printf '%0300d' 0)
	merge --label dc=unknown --label dc=x 1.folded -o both.ff
	run -1 "$flamefold" merge --by dc both.ff -o by.ff
	[[ $output == *"of several values of dc"* ]]
	merge --label "dc=${long}1" 1.folded -o 1.ff
	merge --label "dc=${long}2" 2.folded -o 2.ff
	run "$flamefold" merge --by dc 1.ff 2.ff -o by.ff
	[ "$status" != 0 ]
	[[ $output == *"by-${long}1.ff"* ]]
}

# many_columns COUNT: c/1 to c/COUNT, profile files of 14 events each, all different.
many_columns()
{
	mkdir -p c
	python3 - "$1" <<-'END'
	import sys, zlib
	def section(number, body):
	    size = len(body)
	    varint = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
	    return bytes([number]) + varint + body + zlib.crc32(body).to_bytes(4, "little")
	for k in range(int(sys.argv[1])):
	    events = sorted(b"%d-%d" % (k, i) for i in range(14))
	    columns = b"".join(e + b"\0\0weight\0\0" + bytes([0, 0, 1, 0, 1]) for e in events)
	    with open(f"c/{k + 1}", "wb") as f:
	        f.write(b"\x89FFP\r\n\x1a\n\x01\0" + section(1, bytes([1, 0])) + section(2, b"\0") +
	                section(3, b"\0\0\0") + section(4, bytes([14]) + columns) + section(5, b"\1\1\0f\0") +
	                section(6, b"\0") + section(7, b"\1\0\0\0") + section(8, b"\0") +
	                section(9, b"\2\1\1\1\1\1\0" + b"\1\2\0\1" * 14) + section(10, b"\2"))
	END
}

@test "more columns than a file holds are told, and not tried again and again" {
	many_columns 30
	merge c/1 c/2 -o x.ff
	[ "$("$flamefold" fold --event 0-3 -q x.ff)" = "f 1" ]
	run -1 timeout 60 "$flamefold" merge -q c/* -o y.ff
	[[ $output == *"the files have more than 256 columns"* ]]
	# Where it is only what has been merged on the way that has too many.
	run -1 bash -c "ulimit -n 32; exec timeout 60 '$flamefold' merge -q -j1 c/* -o y.ff"
	[[ $output == *"the files have more than 256 columns"* ]]
	[ ! -e y.ff ]
}

@test "a disk that is full is said to be" {
	"$root"/tests/bench/tree.py 100000 >b.folded
	run -1 "$flamefold" graph -q b.folded -f ff -o /dev/full
	[[ $output == *"cannot write '/dev/full': No space left on device"* ]]
	run -1 "$flamefold" merge -q b.folded -o /dev/full
	[[ $output == *"cannot write '/dev/full': No space left on device"* ]]
}

@test "what was folded once is taken from the tree" {
	merge --tree kept 1.folded 2.folded -o x.ff
	[ "$(find kept -name '*.ff' | wc -l)" = 2 ]
	# What stands there is taken, be it another's: and no half of one ever stands there.
	find kept -name '*.ff' -exec touch -d 2001-01-01 '{}' +
	cp 1.folded renamed.folded
	merge --tree kept renamed.folded 2.folded -o y.ff
	[ -z "$(find kept -name '*.ff' -newermt 2002-01-01)" ]
	[ "$(find kept -type f | wc -l)" = 2 ]
	merge renamed.folded 2.folded -o z.ff
	cmp y.ff z.ff
	# A later run with one more file folds that alone, and says so.
	"$flamefold" merge --tree kept 1.folded 2.folded 3.folded -o y.ff 2>told
	grep -q '2 of 3 files had been folded before' told
	rm "$(grep -l . $(find kept -name '*.ff' -newermt 2002-01-01))"
	# Other options make other stacks.
	merge --tree kept --only symbol=c 2.folded -o y.ff
	[ "$(find kept -name '*.ff' | wc -l)" = 3 ]
}

@test "who is killed leaves nothing half done" {
	random_files 300
	ls r/* >list
	merge -f list -o all.ff
	for wait in 0.1 0.3 0.6; do
		"$flamefold" merge -q -f list --tree kept -o x.ff &
		sleep $wait
		kill -9 $! || :
		wait $! || :
		rm -f x.ff
	done
	merge -f list --tree kept -o x.ff
	cmp all.ff x.ff
}

@test "where it was made does not show" {
	mkdir here there
	cp 1.folded 2.folded here
	cp 2.folded 1.folded there
	(cd here && merge 1.folded ./2.folded -o x.ff)
	TZ=UTC-9 LC_ALL=C merge -j 3 "$PWD/there/2.folded" there/1.folded -o y.ff
	cmp here/x.ff y.ff
	merge --no-inputs 1.folded 2.folded -o x.ff
	mv 1.folded one
	merge --no-inputs one 2.folded -o y.ff
	cmp x.ff y.ff
}

# A section of 300 MB of zeros, in 35 KB.
bomb()
{
	PYTHONPATH=$BATS_TEST_DIRNAME python3 - "$1" <<-'END'
	import subprocess, sys, zlib
	from varints import encoded as varint
	def section(number, body):
	    return bytes([number]) + varint(len(body)) + body + zlib.crc32(body).to_bytes(4, "little")
	def packed(part):
	    with open("part", "wb") as f:
	        f.write(part)
	    return subprocess.run(["zstd", "-qc", "part"], stdout=subprocess.PIPE, check=True).stdout
	data = b"\x89FFP\r\n\x1a\n\2\0" + section(1, b"\0\0") + section(2, b"\0") + section(3, b"\0\0\0") + section(4, b"\0") + section(5, bytes(300000000))
	size = 1 << 18
	count = len(data) // size - 1
	with open(sys.argv[1], "wb") as f:
	    f.write(packed(data[:size]) + packed(bytes(size)) * count + packed(data[size * (count + 1):]))
	END
}

@test "a section that would take all memory is refused, and the others merged" {
	bomb bomb.ff
	[ "$(stat -c %s bomb.ff)" -lt 100000 ]
	run -3 "$root"/tests/budget/peak.py "$flamefold" merge -q --memory=64M bomb.ff 1.folded -o x.ff
	[[ $output == *"'bomb.ff': a section takes more memory than what is read may: --memory=SIZE with more"* ]]
	[ "$(tail -n 1 <<<"$output" | grep -o '[0-9]*' | tail -n 1)" -lt 140 ]
	merge 1.folded -o y.ff
	cmp x.ff y.ff
}

@test "a profile file that would have to be filtered is refused, and not merged whole" {
	merge 2.folded -o 2.ff
	run -3 --separate-stderr timeout 300 "$flamefold" merge --only symbol=b 1.folded 2.ff -o x.ff
	[[ ${stderr_lines[0]} == *"refused '2.ff': --only and --drop do not apply to a profile file here"* ]]
	"$flamefold" fold -q x.ff | diff - <(echo 'a;b 3')
	run -3 --separate-stderr timeout 300 "$flamefold" archive add --drop symbol=b n 1.folded 2.ff
	[[ ${stderr_lines[0]} == *"refused '2.ff': --only and --drop do not apply"* ]]
	"$flamefold" archive query n -q -f folded | diff - <(echo 'a;d 5')
	# What the sentence says.
	"$flamefold" -q --only symbol=b -o part.ff 2.ff
	merge --only symbol=b 1.folded -o x.ff
	merge x.ff part.ff -o y.ff
	"$flamefold" fold -q y.ff | diff - <(echo 'a;b 5')
}

@test "mistakes are told" {
	run -2 "$flamefold" merge 1.folded -o x.svg
	[[ $output == *"'merge' writes ff"* ]]
	run -2 "$flamefold" merge 1.folded --label x -o x.ff
	[[ $output == *"takes KEY=VALUE"* ]]
	run -2 "$flamefold" merge 1.folded --by host -o -
	[[ $output == *"several files"* ]]
	run -2 "$flamefold" merge 1.folded --by= -o x.ff
	[[ $output == *"option '--by' takes host, hour, or the key of a label, not ''"* ]]
	merge 1.folded -o x.ff
	run -2 "$flamefold" merge x.ff 2.folded -o x.ff
	[[ $output == *"is an input"* ]]
	run -2 "$flamefold" graph --no-slices 1.folded -o x.svg
	[[ $output == *"option '--no-slices' is for profile files: -o FILE.ff"* ]]
	"$flamefold" graph -q --no-slices 1.folded -o slices.ff
	mkdir arriving
	run -2 "$flamefold" merge --watch arriving -o -
	[[ $output == *"writes a file, not standard output: -o FILE.ff names it"* ]]
}
