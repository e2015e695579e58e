#!/usr/bin/env bats
# A recording that is folded where it was made, and on another machine: from copies of the files that
# it needs, and from perf's cache of objects. The same bytes come out.
bats_require_minimum_version 1.5.0

load recordings
load sampled

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir "$HOME" maps
	map=
	program=
}

teardown()
{
	[ -z "$map" ] || rm -f "$map"
}

# record [OPTION]... COMMAND...: p.data, and perf's cache of what was mapped. Without being asked for all
# perf takes only what samples hit themselves, not what called that.
record()
{
	local why

	need_perf
	why=$(perf record -q -N -o none.data -e cpu-clock -- true 2>&1) ||
		skip "events are not permitted: $(head -n 1 <<<"$why")"
	perf --buildid-dir "$PWD/cache" record -q --buildid-all -o p.data -e cpu-clock -F 1999 "$@" >said
}

# Build ids and paths of what was mapped.
objects()
{
	perf buildid-list -i p.data | grep -E '^[0-9a-f]+ /'
}

# The debug file of a build id, if this machine has one.
debug_file()
{
	local file="/usr/lib/debug/.build-id/${1:0:2}/${1:2}.debug"

	[ ! -f "$file" ] || echo "$file"
}

# Of everything a copy in system, at its place.
copy_files()
{
	local id path debug

	mkdir -p system/.debug
	while read -r id path; do
		mkdir -p "system$(dirname "$path")"
		cp -L "$path" "system$path"
		debug=$(debug_file "$id")
		[ -z "$debug" ] || cp -L --parents "$debug" system
	done < <(objects)
	[ ! -d /usr/lib/debug/.dwz ] || cp -r --parents /usr/lib/debug/.dwz system
	# The vdso has no file; perf has written it into its cache.
	(cd cache && cp --parents .build-id/*/*/vdso ../system/.debug)
	cp /proc/kallsyms kallsyms
	[ -z "$map" ] || cp "$map" maps
}

# perf has put the objects into its cache, and links to debug files, in the place of which comes what
# they name.
complete_cache()
{
	local id path debug

	while read -r id path; do
		[ -f "cache/.build-id/${id:0:2}/${id:2}/elf" ]
		debug=$(debug_file "$id")
		[ -z "$debug" ] || cp -L --remove-destination "$debug" "cache/.build-id/${id:0:2}/${id:2}/debug"
	done < <(objects)
}

same_everywhere()
{
	local option

	copy_files
	complete_cache
	for option in "$@"; do
		# shellcheck disable=SC2086 # "" is no option
		timeout 900 "$flamefold" fold --quiet $option p.data >"here$option"
		[ -s "here$option" ]
	done
	# What is not where it was cannot be found by chance.
	rm -f ${map:+"$map"} ${program:+"$program"}
	for option in "$@"; do
		# shellcheck disable=SC2086
		timeout 900 "$flamefold" fold --quiet $option --symfs system --kallsyms kallsyms \
			--map-dir maps p.data | cmp - "here$option"
		# shellcheck disable=SC2086
		timeout 900 "$flamefold" fold --quiet $option --symfs /nonexistent --buildid-dir cache \
			--map-dir maps p.data | cmp - "here$option"
		# The other machine has nothing of its own: so much depends on the copies.
		# shellcheck disable=SC2086
		timeout 900 "$flamefold" fold --quiet $option --symfs /nonexistent --kallsyms=/dev/null \
			--map-dir none p.data >nothing
		run ! cmp -s nothing "here$option"
	done
}

# C++ with functions inlined in others: program.
compile()
{
	command -v "${CXX:-c++}" >/dev/null || skip "no ${CXX:-c++}"
	program=$PWD/words
	"${CXX:-c++}" -std=c++17 -pthread -O2 -g -fno-omit-frame-pointer -o "$program" \
		"$BATS_TEST_DIRNAME/peers/words.cc"
}

# bats test_tags=long
@test "Node with its perf map, moved to another machine" {
	command -v node >/dev/null || skip "no node"
	cp "$root/tests/jit/hot.js" .
	record -g node --perf-basic-prof hot.js
	map=/tmp/perf-$(cat said).map
	same_everywhere "" --all
	# Node 18 says LazyCompile, later ones JS.
	grep -qE ';(JS|LazyCompile):[*]hot[ ;]' here
	grep -q ';v8::' here
}

@test "C++ with inlined functions and lines, moved to another machine" {
	compile
	record -g ./words 1000000
	same_everywhere "" --srcline --inline-mark
	grep -q '_\[i\]' here--inline-mark
	grep -q ';work::run' here
	grep -q 'words.cc:[0-9]' here--srcline
}

@test "C++ with copies of the stack, moved to another machine" {
	compile
	record --call-graph dwarf ./words 300000
	same_everywhere "" --srcline
	grep -q ';work::run' here
}
