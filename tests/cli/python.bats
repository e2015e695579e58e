#!/usr/bin/env bats
# Python's functions show only if its interpreter tells them: where it does not, that is said,
# with the version that can.
bats_require_minimum_version 1.5.0

load recordings
load events
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	mkdir maps
}

# recorded INTERPRETER OTHER: so many samples in the interpreter's file, and in another one.
recorded()
{
	{
		echo "attr name=cycles sample_type=IP,TID,TIME,PERIOD,CALLCHAIN flags=sample_id_all,comm_exec"
		echo "comm pid=7 name=python3 time=1"
		echo "mmap2 pid=7 start=0x10000 len=0x10000 prot=5 name=$1 time=2"
		echo "mmap2 pid=7 start=0x30000 len=0x10000 prot=5 name=/usr/lib/libother.so time=2"
		echo "mmap2 pid=7 start=0x50000 len=0x10000 prot=5 name=//anon time=2"
		echo "sample pid=7 time=3 ip=0x30010 period=$2 chain=U,0x30010"
		cat
	} >p.pd
	"$build" -o p.data p.pd
}

# The finding of the recording, in $output; empty where there is none.
finding()
{
	# The files that these recordings name may be here, with other code at those addresses.
	mkdir -p empty
	output=$("$flamefold" info --format=json --kallsyms=/dev/null --symfs=empty "$@" p.data | jq -c '.warnings[] | select(.kind == "python")')
}

@test "an interpreter without names: its version cannot tell them, or was not asked to" {
	while read -r file version words; do
		recorded "$file" 50 <<<"sample pid=7 time=4 ip=0x30020 period=50 chain=U,0x30020,0x10010"
		finding
		[ "$(jq -r '.part, .whole' <<<"$output" | tr '\n' ' ')" = "50 100 " ]
		[[ $(jq -r .cause <<<"$output") == "50.0 % of the weight is Python code without the names of its functions: Python $version $words"* ]]
		remedy=$(jq -r .remedy <<<"$output")
		case $version in
		3.12) [[ $remedy == "python3.12 -X perf, or PYTHONPERFSUPPORT=1 python3.12" ]] ;;
		3.14) [[ $remedy == "python3.14 -X perf, "*"python3.14 -X perf_jit" ]] ;;
		*) [[ $remedy == "python3.12 -X perf, "* ]] ;;
		esac
		# The summary of a graph has it, too.
		run -0 --separate-stderr "$flamefold" fold --kallsyms=/dev/null --symfs=empty p.data
		[[ $stderr == *"Python $version $words"* ]]
	done <<-'END'
		/usr/bin/python3.11 3.11 cannot tell them, 3.12 and later can
		/usr/lib/libpython3.11.so.1.0 3.11 cannot tell them
		/opt/lib/libpython3.7m.so.1.0 3.7 cannot tell them
		/usr/bin/python2.7 2.7 cannot tell them
		/usr/bin/python3.12 3.12 tells them if it is asked to
		/usr/lib/libpython3.14t.so.1.0 3.14 tells them if it is asked to
	END
}

@test "no word where an interpreter does little, or none does anything" {
	recorded /usr/bin/python3.11 960 <<<"sample pid=7 time=4 ip=0x10010 period=40 chain=U,0x10010"
	finding
	[ -z "$output" ]
	recorded /usr/bin/python3.11 940 <<<"sample pid=7 time=4 ip=0x10010 period=60 chain=U,0x10010"
	finding
	[ -n "$output" ]
	for file in /usr/bin/pythonic3.11 /usr/bin/python3 /usr/bin/python3.11-config /usr/lib/libpython.so; do
		recorded $file 1 <<<"sample pid=7 time=4 ip=0x10010 period=60 chain=U,0x10010"
		finding
		[ -z "$output" ]
	done
}

@test "no word where functions have their names; of a map that is not there, its place" {
	recorded /usr/bin/python3.12 10 <<-'END'
		sample pid=7 time=4 ip=0x10010 period=60 chain=U,0x10010,0x50010,0x10010
		sample pid=7 time=4 ip=0x10010 period=60 chain=U,0x10010,0x50010
	END
	echo "50000 100 py::inner:/x.py" >maps/perf-7.map
	finding --map-dir=maps
	[ -z "$output" ]
	rm maps/perf-7.map
	finding --map-dir=maps
	[[ $(jq -r .cause <<<"$output") == *"'maps' has no perf-7.map"* ]]
	[ "$(jq -r .remedy <<<"$output")" = null ]
}

@test "this machine's Python" {
	need_events
	command -v python3 >/dev/null || skip "no python3"
	cat >hot.py <<-'END'
		import time

		def hot_function(n):
		    return sum(i * i for i in range(n))

		end = time.process_time() + 1
		while time.process_time() < end:
		    hot_function(1000)
	END
	version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	run timeout 60 "$flamefold" record -e cpu-clock -F 499 -o x.folded -- python3 hot.py
	[[ $output == *"Python $version "* ]]
	case $version in
	3.[0-9] | 3.1[01]) [[ $output == *"Python $version cannot tell them, 3.12 and later can"* ]] ;;
	*)
		# As it says.
		run timeout 60 "$flamefold" record -g dwarf -e cpu-clock -F 499 -o x.folded -- python3 -X perf hot.py
		[[ $output != *"Python $version "* ]]
		grep -q 'py::hot_function' x.folded
		;;
	esac
}
