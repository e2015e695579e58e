#!/usr/bin/env bats
# What a picture says that it is of.

bats_require_minimum_version 1.5.0

load here

setup()
{
	build=$root/tests/perfdata/build
	cd "$BATS_TEST_TMPDIR" || return 1
}

# titled FILE TITLE: in the document, in the picture, and the same of the picture's picture.
titled()
{
	grep -qF "<title id=\"document-title\">$2</title>" "$1"
	grep -qF ">$2</text>" "$1"
	"$FLAMEFOLD" graph -q -o again.svg "$1"
	cmp "$1" again.svg
}

@test "folded text has its file's name, or what --title says" {
	echo 'a;b 1000' >app.folded
	"$FLAMEFOLD" graph -q -o x.svg app.folded
	titled x.svg app.folded
	"$FLAMEFOLD" graph -q --title='Mine & more' -o x.svg app.folded
	titled x.svg 'Mine &amp; more'
	"$FLAMEFOLD" graph -q -o x.svg - <app.folded
	titled x.svg 'Flame Graph'
	"$FLAMEFOLD" graph -q --inverted -o x.svg - <app.folded
	grep -qF '>Icicle Graph</title>' x.svg
	"$FLAMEFOLD" graph -q --colors=hot -o x.svg app.folded
	grep -qF '>Flame Graph</title>' x.svg
}

# The clock showed 1 s when it was 12:31 of 2024-05-03, and the sample came at 61 s.
@test "a recording has its command, host, date, event, time and number of samples" {
	command -v python3 >/dev/null || skip "no python3"
	"$build" -o x.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec,mmap2,use_clockid clockid=1
		feature hostname=build1
		feature cmdline=perf,record,-g,--,make,-j8
		feature number=29 hex=01000000010000000028a52b74facb1700ca9a3b00000000
		comm pid=1 name=main exec time=60000000000
		sample pid=1 time=61000000000 ip=0x1234 period=1 chain=U,0x1234
		sample pid=1 time=63500000000 ip=0x1234 period=1 chain=U,0x1234
	END
	"$FLAMEFOLD" graph -q --no-heat -o x.svg x.data
	"$FLAMEFOLD" info -f json x.svg | grep -qF "\"bytes\": $(stat -c %s x.svg),"
	titled x.svg 'make -j8 · build1 · 2024-05-03 12:32 UTC · cycles · 2.50 s · 2 samples'
	"$FLAMEFOLD" graph -q --no-heat --title=T -o x.svg x.data
	titled x.svg T
}

@test "info tells the title of a picture, and that of none that only repeats what else it tells" {
	echo 'a;b 1000' >app.folded
	"$FLAMEFOLD" graph -q --title='Mine & more' -o x.svg app.folded
	"$FLAMEFOLD" info x.svg | grep -qx 'title         Mine & more'
	"$FLAMEFOLD" info -f json x.svg | grep -qF '"title": "Mine & more"'
	"$FLAMEFOLD" graph -q -o x.svg app.folded
	"$FLAMEFOLD" info x.svg | grep -qx 'title         app.folded'
	"$FLAMEFOLD" graph -q -o x.svg - <app.folded
	"$FLAMEFOLD" info -f json x.svg | grep -qF '"title": null'
	[ -z "$("$FLAMEFOLD" info x.svg | grep ^title)" ]
}
