#!/usr/bin/env bats
# Small recordings are folded together on their way into an archive, and nobody sees it but who waits: parts,
# index, messages and status are those of each one added alone.
bats_require_minimum_version 1.5.0

load many

# rows ARCHIVE: all that its index says.
rows()
{
	python3 - "$1" <<-'END'
	import sqlite3, sys
	print("\n".join(sqlite3.connect(f"{sys.argv[1]}/index.db").iterdump()))
	END
}

# same FILE...: added at once, by one process and by four, and each by itself.
same()
{
	rm -rf alone one four
	for file; do
		"$flamefold" archive add -j1 alone "$file" || :
	done >alone.out 2>alone.all
	grep -v 'files could not be added' alone.all >alone.err || :
	rows alone >alone.rows
	for jobs in one four; do
		"$flamefold" archive add "-j$((jobs == one ? 1 : 4))" $jobs "$@" >$jobs.out 2>$jobs.all || [ $? = 3 ]
		grep -v 'files could not be added' $jobs.all >$jobs.err || :
		cmp alone.out $jobs.out
		diff alone.err $jobs.err
		diff -r alone/parts $jobs/parts
		rows $jobs | diff alone.rows -
		"$flamefold" archive check $jobs
	done
}

@test "recordings of many hosts are the same together and alone" {
	for i in 1 2 3 4 5 6 7 8; do
		recording $i.data host-$i 0x$((i % 3 * 100))000
	done
	same ?.data
	[ "$(find one/parts -type f | wc -l)" = 8 ]
	[ "$(processes "$flamefold" archive add -q -j1 traced ?.data)" = 2 ]
}

@test "what counts other things, has no host, or is of this machine has a part of its own, too" {
	recording 1.data host-1 0x1000
	recording 2.data host-2 0x1000 cycles
	recording 3.data "$(uname -n)" 0x1000
	recording 4.data host-4 0x2000
	recording 5.data "$(uname -n)" 0x2000
	"$build" -o 6.data - <<-'END'
	attr name=cpu-clock sample_type=IP,TID,TIME,PERIOD
	comm pid=1 name=nowhere
	sample pid=1 time=5 period=10 ip=0x10
	END
	recording 7.data host-7 0x1000
	same ?.data
	# This machine's are not begun with others, which would be read twice then.
	[ "$(processes "$flamefold" archive add -q -j1 traced 1.data 2.data 3.data 4.data 5.data 7.data)" = 4 ]
}

@test "what is damaged, or no recording, is named, and others are added" {
	sound_and_damaged
	cp 4.data copy.data
	"$flamefold" merge -q 8.data -o 8.ff
	same 1.data 20.data 2.data 30.data 3.data 40.data 4.data text 5.data copy.data 50.data /dev/null 60.data nobody 6.data 8.ff \
		7.data 8.data 9.data
	grep -q "refused '40.data'" one.err
	grep -q "refused 'nobody'" one.err
	grep -q "^there already: copy.data" one.out
	grep -q "^there already: 8.data" one.out
}

@test "however long the name of a kernel is, the recording is added" {
	recording 1.data host-1 0x1000
	recording 2.data host-2 0x1000 cpu-clock "$(printf '%9000s' | tr ' ' k)"
	recording 3.data host-3 0x1000
	same ?.data
	"$flamefold" archive ls one -f json | jq -r '.[].kernel | length' | sort -n | tail -n 1 | grep -qx 1024
}

@test "where temporary files have no room for all, those that have it are made all the same" {
	unshare -rm true 2>/dev/null || skip "no mounts here"
	for i in $(seq 10 49); do
		recording $i.data host-$i 0x1000
	done
	mkdir small
	# Folded alone: as many as there is room for, and each of the others is named.
	# shellcheck disable=SC2016 # not for this shell
	unshare -rm bash -ec '
		mount -t tmpfs -o size=64k none small
		TMPDIR=$PWD/small timeout 300 "$1" archive add -q -j1 n ??.data 2>why || [ $? -lt 4 ]
		cp why small.why
	' bash "$flamefold"
	cat small.why
	[ "$(grep -c "^flamefold: refused" small.why)" -lt 35 ]
	grep -q "No space left" small.why
	"$flamefold" archive check n
}
