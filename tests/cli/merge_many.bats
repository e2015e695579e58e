#!/usr/bin/env bats
# Small recordings are folded together, and nobody sees it but who waits: the bytes are those of each one
# folded alone, which --tree asks for.
bats_require_minimum_version 1.5.0

load many

# Which, for any reason.
refused()
{
	sed -n "s/': .*/'/p" "$1" | sort
}

# same FILE...: merged together and one by one, in one process and in four.
same()
{
	"$flamefold" merge -q -j1 "$@" -o together.ff 2>together.err || [ $? = 3 ]
	rm -rf kept
	"$flamefold" merge -q -j4 --tree kept "$@" -o alone.ff 2>alone.err || [ $? = 3 ]
	diff <(refused together.err) <(refused alone.err)
	diff <("$flamefold" fold -q --unnamed=address together.ff) <("$flamefold" fold -q --unnamed=address alone.ff)
	cmp together.ff alone.ff
	"$flamefold" merge -q -j4 "$@" -o four.ff 2>four.err || [ $? = 3 ]
	cmp four.ff alone.ff
	diff <(refused four.err) <(refused alone.err)
}

@test "recordings of many hosts are the same together and alone" {
	for i in 1 2 3 4 5 6 7 8; do
		recording $i.data host-$i 0x$((i % 3 * 100))000
	done
	same ?.data
	[ "$(processes "$flamefold" merge -q -j1 -o traced.ff ?.data)" = 2 ]
}

# What takes memory is stacks: each recording has 8,000 of its own, of the same frames but for the root.
many_stacks()
{
	"$build" -o one - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec
	feature hostname=host-00
	comm pid=1 name=app exec time=1
	mmap2 pid=1 start=0x1000 len=0x1000000 name=/no/app time=2
	repeat i 8000
	sample pid=1 time={100 * i + 1000} period={i + 1} ip={0x5000 + i % 120 * 16} chain=U,{0x5000 + i % 120 * 16},{0x25008 + i // 120 * 16},0x512340
	end
	END
	python3 - "$1" <<-'END'
	import sys
	data = open("one", "rb").read()
	for i in range(int(sys.argv[1])):
	    root = (0x512340 + 16 * i).to_bytes(8, "little")
	    open(f"{i:02}.data", "wb").write(data.replace(b"host-00", b"host-%02d" % i).replace((0x512340).to_bytes(8, "little"), root))
	END
}

@test "what grows with the number of recordings is not in memory" {
	many_stacks 28
	for count in 2 28; do
		ls ??.data | head -n $count >list.$count
		"$root"/tests/budget/peak.py "$flamefold" merge -q -j1 --unnamed=address -f list.$count \
			-o $count.ff 2>peak.$count
		cat peak.$count
	done
	[ "$(cat peak.28)" -le $((2 * $(cat peak.2))) ]
	# And nobody sees it, in whatever order they come.
	tac list.28 >reversed
	"$flamefold" merge -q -j1 --unnamed=address -f reversed -o reversed.ff
	cmp 28.ff reversed.ff
	"$flamefold" merge -q --unnamed=address --tree kept -f list.28 -o alone.ff
	cmp 28.ff alone.ff
}

@test "what is damaged, or no recording, is named, and others are not" {
	sound_and_damaged
	same 1.data 20.data 2.data 30.data 3.data 40.data 4.data text 5.data 50.data /dev/null 60.data nobody 6.data 7.data 8.data 9.data
	grep -q "refused '40.data'" together.err
	grep -q "refused 'nobody'" together.err
}

@test "one of two with the same content counts" {
	for i in 1 2 3 4 5 6; do
		recording $i.data host-$i 0x1000
	done
	cp 3.data copy.data
	same 1.data 2.data copy.data 3.data 4.data 5.data 3.data 6.data
	[ "$("$flamefold" fold -q together.ff | awk '{ n += $NF } END { print n }')" = $((6 * 213)) ]
	# What a profile file has is not counted again, either.
	"$flamefold" merge -q 1.data 2.data -o two.ff
	same two.ff 1.data 3.data
	"$flamefold" merge -q 1.data 2.data 3.data -o x.ff
	cmp x.ff together.ff
}

@test "recordings that count different things are not added up as one thing" {
	recording 1.data host-1 0x1000
	recording 2.data host-2 0x1000 cycles
	recording 3.data host-3 0x1000
	recording 4.data host-4 0x1000 cycles
	same 1.data 2.data 3.data 4.data
}

@test "this machine's own are judged one by one" {
	for i in 1 2 3; do
		recording $i.data "$(uname -n)" 0x${i}000
	done
	same ?.data
	[ "$(processes "$flamefold" merge -q -j1 -o traced.ff ?.data)" -ge 4 ]
}

@test "a list that cannot be read is told of" {
	mkdir list
	run -1 "$flamefold" merge -q -f list -o x.ff
	[ "$output" = "flamefold: cannot read 'list': Is a directory" ]
	[ ! -e x.ff ]
}
