# What info says of a recording, for the tests of it: load info
# shellcheck shell=bash

load here

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

# one.data, of the lines of standard input.
build()
{
	"$root/tests/perfdata/build" -o one.data -
}

# The last JSON has this warning, and its sentence begins so.
warns()
{
	jq -e --arg kind "$1" --arg text "$2" '[.warnings[] | select(.kind == $kind)] |
		length == 1 and (.[0] | (.text | startswith($text)) and
			.text == ([.cause, .remedy | strings] | join(": ")) and .part <= .whole)
		' <<<"$output" >/dev/null ||
		{ jq .warnings <<<"$output"; return 1; }
}

silent_about()
{
	holds "[.warnings[].kind] | index(\"$1\") == null"
}

# stacks FORMAT: one.data, of a program of /no/prog and a C library of /no/libc.so.6, which are not there; chains come from
# standard input, one a line, with their weight before.
stacks()
{
	{
		cat <<-END
		feature cmdline=${1:-perf,record,-g}
		attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec${2:-}
		comm pid=1 name=prog exec time=1
		mmap2 pid=1 start=0x1000 len=0x9000 name=/no/prog time=1
		mmap2 pid=1 start=0x10000 len=0x9000 name=/no/libc.so.6 time=1
		END
		while read -r weight chain; do
			echo "sample pid=1 time=5 ip=0x1234 period=$weight chain=$chain"
		done
	} | build
}
