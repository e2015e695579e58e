#!/usr/bin/env bats
# info --symbols: where names come from, how much has none, and what would help.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# A program of three functions of which one is exported, in a file system of its own.
make_program()
{
	command -v gcc >/dev/null || skip "no gcc"
	mkdir -p root/usr/bin
	cat >program.c <<-'END'
		static __attribute__((noinline, noclone)) int hidden(int n) { return n * 3 + 1; }
		__attribute__((visibility("default"))) int exported(int n) { return hidden(n) + 1; }
		static __attribute__((noinline, noclone)) int second(int n) { return n - 7; }
		int main(int argc, char **argv) { (void)argv; return exported(argc) + second(argc); }
	END
	gcc -g -O1 -rdynamic -fvisibility=hidden -o program program.c
	cp program root/usr/bin/program
	id=$(readelf -n program | awk '/Build ID:/ { print $3 }')
	[ -n "$id" ] || skip "the linker writes no build id"
}

# A sample in each function, with the weights 1, 10 and 100; its map has the line's fields.
make_recording()
{
	local base=0x555500000000 n=2 weight=1 function
	{
		echo "attr name=cycles sample_type=IP,TID,TIME,PERIOD flags=sample_id_all,comm_exec"
		echo "feature arch=x86_64"
		echo "feature osrelease=6.1.0-test"
		echo "comm pid=1 name=sh time=1"
		read -r offset address size < <(readelf -lW program | awk '/LOAD.*R E/ { print $2, $3, $6 }')
		echo "mmap2 pid=1 start=$((base + address)) len=$size off=$offset prot=5 name=/usr/bin/program time=1 $*"
		for function in hidden second exported; do
			address=0x$(nm program | awk -v name=$function '$3 == name { print $1 }')
			echo "sample pid=1 time=$((n++)) ip=$((base + address)) period=$weight"
			weight=$((weight * 10))
		done
		cat
	} >recording.pd
	"$build" -o recording.data recording.pd
}

symbols()
{
	"$flamefold" info --symbols --symfs=root --kallsyms=/dev/null "$@" recording.data >text
	output=$("$flamefold" info --symbols --format=json --symfs=root --kallsyms=/dev/null "$@" recording.data)
}

holds()
{
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1"; echo "$output"; return 1; }
}

@test "nothing is lacking" {
	make_program
	make_recording "build_id=$id" </dev/null
	symbols
	holds '.path == "recording.data" and .weight == 111 and .weight_unnamed == 0'
	holds '.objects | length == 1'
	holds '.objects[0] | .path == "/usr/bin/program" and .file == "root/usr/bin/program"'
	holds ".objects[0].build_id == \"$id\""
	holds '.objects[0] | .kind == "file" and .names == "all" and .debug_info and .debug_file == null'
	holds '.objects[0] | .addresses == 3 and .addresses_unnamed == 0 and .weight == 111 and .weight_unnamed == 0'
	holds '.objects[0] | (.refused | not) and .pid == null and .lacks == null and .problem == null and .advice == null'
	grep -q '^ 100.0 %    0.0 %   /usr/bin/program$' text
	grep -q 'names  *all functions, inlined ones, lines; 3 of 3 addresses' text
	! grep -q 'for names\|for more\|problem' text || false
}

# The keys are promised.
@test "every object has all keys" {
	make_program
	make_recording <<-'END'
		mmap2 pid=1 start=0x10000 len=0x1000 prot=5 name=/gone/lib.so time=1
		sample pid=1 time=90 ip=0x10010
		sample pid=1 time=91 ip=0x900000
	END
	symbols
	holds '.objects | length == 3'
	holds '[.objects[] | keys_unsorted | join(" ")] | unique == ["path kind build_id file debug_file names debug_info refused weight weight_unnamed addresses addresses_unnamed pid lacks problem advice"]'
}

@test "a stripped program: its package, its debug file" {
	make_program
	make_recording "build_id=$id" </dev/null
	strip root/usr/bin/program
	symbols
	holds '.weight_unnamed == 11'
	holds '.objects[0] | .names == "exported" and (.debug_info | not) and .lacks == "names"'
	holds '.objects[0] | .addresses_unnamed == 2 and .weight_unnamed == 11'
	holds ".objects[0].advice | contains(\"copy its debug file to root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug\")"
	holds ".objects[0].advice | contains(\"debuginfod-find debuginfo $id\") and contains(\"--debuginfod\")"
	holds '.objects[0].advice | contains("do not strip it")'
	grep -q '^ 100.0 %    9.9 %   /usr/bin/program$' text
	# Debian says whose it is, also where its lists have /bin for /usr/bin.
	mkdir -p root/var/lib/dpkg/info
	printf '/.\n/usr\n/usr/bin/programs\n' >root/var/lib/dpkg/info/other.list
	printf '/.\n/usr\n/bin/program\n' >root/var/lib/dpkg/info/pkg:amd64.list
	symbols
	holds '.objects[0].advice | startswith("install pkg-dbgsym (of the debug archive), or copy")'
	mv root/var/lib/dpkg/info/pkg:amd64.list root/var/lib/dpkg/info/libc6:amd64.list
	symbols
	holds '.objects[0].advice | startswith("install libc6-dbg, or copy")'
	# What it says helps.
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug program "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	symbols
	holds ".objects[0].debug_file == \"root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug\""
	holds '.objects[0] | .names == "all" and .debug_info and .lacks == null and .advice == null'
	holds '.weight_unnamed == 0'
}

@test "a program without debug information lacks inlined functions only" {
	make_program
	make_recording </dev/null
	strip --strip-debug root/usr/bin/program
	symbols
	holds '.objects[0] | .names == "all" and (.debug_info | not) and .lacks == "inlines" and .weight_unnamed == 0'
	grep -q 'for more ' text
}

@test "a file that is not there, and one of another build" {
	make_program
	make_recording "build_id=$id" </dev/null
	mv root/usr/bin/program gone
	symbols
	holds '.objects[0] | .file == null and .names == "none" and .lacks == "names" and (.refused | not)'
	holds '.objects[0].advice | startswith("copy /usr/bin/program of the recorded machine below a directory DIR: --symfs=DIR")'
	holds ".objects[0].advice | contains(\"debuginfod-find executable $id\")"
	sed 's/n - 7/n - 8/' program.c >other.c
	gcc -g -O1 -o root/usr/bin/program other.c
	symbols
	holds '.objects[0] | .file == null and .refused and (.problem | contains("build id"))'
}

@test "the kernel and its modules" {
	make_program
	make_recording <<-'END'
		mmap pid=-1 start=0xffffffff81000000 len=0x1000000 off=0xffffffff81000000 mode=kernel name=[kernel.kallsyms]_text time=1
		mmap pid=-1 start=0xffffffffc0000000 len=0x10000 mode=kernel name=[nf_tables] time=1
		sample pid=1 time=80 ip=0xffffffff81000010 mode=kernel
		sample pid=1 time=81 ip=0xffffffffc0000010 mode=kernel
	END
	symbols
	holds '[.objects[] | select(.kind == "kernel")] | length == 1'
	holds '.objects[] | select(.kind == "kernel") | .advice | contains("--kallsyms=FILE") and (contains("linux-image") | not)'
	holds '.objects[] | select(.kind == "module") | .advice | contains("/lib/modules/6.1.0-test")'
}

@test "code of a runtime: its option" {
	local comm option
	for comm in java:DumpPerfMapAtExit node:--perf-basic-prof python3:'-X perf' \
		dotnet:PerfMapEnabled other:'java -XX'; do
		option=${comm#*:}
		"$build" -o recording.data - <<-END
			attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all,comm_exec
			comm pid=7 name=${comm%%:*} time=1
			mmap2 pid=7 start=0x10000 len=0x10000 prot=5 name=//anon time=2
			sample pid=7 time=3 ip=0x10010
			sample pid=7 time=4 ip=0x10020
		END
		symbols
		holds '.objects[0] | .kind == "runtime" and .pid == 7 and .lacks == "names"'
		holds ".objects[0].advice | contains(\"$option\")"
	done
	mkdir -p root/tmp
	printf '10010 8 f\n' >root/tmp/perf-7.map
	symbols
	holds '.objects[0] | .file != null and .addresses_unnamed == 1 and (.advice | startswith("the map is older than this code"))'
	printf '10010 20 f\n' >root/tmp/perf-7.map
	symbols
	holds '.objects[0] | .lacks == null and .advice == null'
}

# They were once said to be missing.
@test "info: objects that lack something are apart from those that are missing" {
	make_program
	make_recording <<-'END'
		mmap2 pid=1 start=0x10000 len=0x1000 prot=5 name=/gone/lib.so time=1
		sample pid=1 time=90 ip=0x10010
	END
	strip root/usr/bin/program
	output=$("$flamefold" info --format=json --symfs=root recording.data)
	holds '.objects.found == []'
	holds '.objects.incomplete | length == 1 and .[0].path == "/usr/bin/program" and .[0].file != null'
	holds '.objects.missing | length == 1 and .[0].path == "/gone/lib.so"'
	"$flamefold" info --symfs=root recording.data >text
	grep -A 1 '^objects found that lack something' text | grep -q /usr/bin/program
	grep -A 1 '^objects missing' text | grep -q /gone/lib.so
}

@test "several inputs, and a file for them" {
	make_program
	make_recording </dev/null
	cp recording.data two.data
	"$flamefold" info --symbols -f json --symfs=root recording.data two.data | jq -e 'length == 2 and .[1].path == "two.data"'
	"$flamefold" info --symbols --symfs=root -o symbols.json recording.data
	jq -e '.objects | length == 1' symbols.json
	run -2 "$flamefold" fold --symbols recording.data
	[[ $output == *"'--only symbol=PATTERN' keeps stacks with such a function"* ]]
}
