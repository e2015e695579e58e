#!/usr/bin/env bats
# Inlined functions: chains and lines at 1,500 addresses of a program against what other
# symbolizers say, for each way in which compilers, linkers and dwz write debug information.
#
# Two judges, because each is wrong somewhere:
#  * addr2line of binutils 2.40 reads no .dwo files (20 % of the chains equal), takes no ranges
#    from type units' neighbours in DWARF 5 (20 %), does not find ranges by index, which clang
#    writes for DWARF 5 (65 %), and loses inlined functions that dwz moved (46 %).
#  * llvm-symbolizer reads nothing that dwz moved: there it is asked about the program as it
#    was before.
# tests/inline/compare says what else is not counted as a difference.
bats_require_minimum_version 1.5.0

load recordings

inline=$root/tests/inline

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export FLAMEFOLD=$flamefold
}

# program NAME: builds it, or skips with the reason.
program()
{
	run "$inline/build" "$1" .
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

# same_as JUDGES NAME [OPTION...]: what they say of the program of that name.
same_as()
{
	local judges=$1 name=$2
	shift 2
	program "$name"
	for judge in $judges; do
		command -v "${judge/llvm/llvm-symbolizer}" >/dev/null || skip "no $judge"
		"$inline/compare" --judge="$judge" "$@" "$name"
	done
}

# A wrong outermost name is seen.
@test "the comparison can fail" {
	program gcc-dwarf-5
	cat >wrong <<-'END'
		#!/bin/sh
		"$REAL" "$@" | sed 's/;shapes::all<int>/;shapes::some<int>/'
	END
	chmod +x wrong
	export REAL=$flamefold
	"$inline/compare" --judge=addr2line gcc-dwarf-5
	FLAMEFOLD=$PWD/wrong run -1 "$inline/compare" --judge=addr2line gcc-dwarf-5
	[[ $output == *"shapes::some<int>"* ]]
}

# bats test_tags=long
@test "g++, DWARF 2" {
	same_as 'addr2line llvm' gcc-dwarf-2
}

# bats test_tags=long
@test "g++, DWARF 3" {
	same_as 'addr2line llvm' gcc-dwarf-3
}

@test "g++, DWARF 4" {
	same_as 'addr2line llvm' gcc-dwarf-4
}

@test "g++, DWARF 5" {
	same_as 'addr2line llvm' gcc-dwarf-5
}

# bats test_tags=long
@test "g++ -O3" {
	same_as 'addr2line llvm' gcc-O3
}

# bats test_tags=long
@test "g++, the standard library" {
	same_as 'addr2line llvm' gcc-std
}

# bats test_tags=long
@test "g++, packed sections" {
	same_as 'addr2line llvm' gcc-packed
}

# bats test_tags=long
@test "g++, types in units of their own, DWARF 4" {
	same_as 'addr2line llvm' gcc-types-4
}

# bats test_tags=long
@test "g++, types in units of their own, DWARF 5" {
	same_as llvm gcc-types-5
}

# bats test_tags=long
@test "g++, .dwo files, DWARF 4" {
	same_as llvm gcc-split-4
}

@test "g++, .dwo files, DWARF 5" {
	same_as llvm gcc-split-5
}

# bats test_tags=long
@test "g++ -flto" {
	same_as 'addr2line llvm' gcc-lto
}

# bats test_tags=long
@test "g++, functions that the linker dropped" {
	same_as 'addr2line llvm' gcc-sections
}

@test "g++ and gold, functions that the linker dropped" {
	same_as 'addr2line llvm' gcc-gold
}

@test "g++ and dwz" {
	program gcc-dwz
	same_as llvm gcc-dwz --debug=gcc-dwz.whole
}

# bats test_tags=long
@test "clang++, DWARF 2" {
	same_as 'addr2line llvm' clang-dwarf-2
}

@test "clang++, DWARF 4" {
	same_as 'addr2line llvm' clang-dwarf-4
}

# bats test_tags=long
@test "clang++, DWARF 5, which has no .debug_aranges" {
	same_as llvm clang-dwarf-5
	! readelf -SW clang-dwarf-5 | grep -q debug_aranges
}

# bats test_tags=long
@test "clang++, the standard library" {
	same_as llvm clang-std
}

# bats test_tags=long
@test "clang++, packed sections" {
	same_as llvm clang-packed
}

# bats test_tags=long
@test "g++, a .dwp file, DWARF 4" {
	same_as llvm gcc-package-4
}

@test "g++, a .dwp file, DWARF 5" {
	same_as llvm gcc-package-5
}

@test "clang++, a .dwp file, DWARF 4" {
	same_as llvm clang-package-4
}

@test "clang++, a .dwp file, DWARF 5" {
	same_as llvm clang-package-5
}

@test "clang++, .dwo files, DWARF 4" {
	same_as llvm clang-split-4
}

@test "clang++, .dwo files, DWARF 5" {
	same_as llvm clang-split-5
}

@test "clang++ -flto and lld" {
	same_as llvm clang-lto
}

# bats test_tags=long
@test "clang++ and lld, functions that the linker dropped or made one" {
	same_as addr2line clang-lld
	# What debug information calls a function is another of the names that its code has.
	same_as llvm clang-lld --outermost=alias
}

@test "clang++, for a machine of the other byte order, of 32 bits" {
	same_as llvm clang-mips
}

# bats test_tags=long
@test "clang++, for i386" {
	same_as llvm clang-i386
}

@test "clang++, for aarch64" {
	same_as llvm clang-aarch64
}

# Half of its functions have two names.
# bats test_tags=long
@test "the C library, with the debug file of its package" {
	local library id debug
	library=$(ldd /bin/sh | awk '/libc\.so/ { print $3 }')
	[ -n "$library" ] || skip "no C library"
	id=$(readelf -n "$library" 2>/dev/null | awk '/Build ID:/ { print $3 }')
	debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	[ -f "$debug" ] || skip "no libc6-dbg"
	for judge in addr2line llvm; do
		command -v "${judge/llvm/llvm-symbolizer}" >/dev/null || continue
		"$inline/compare" --judge="$judge" --outermost=alias --debug="$debug" "$library"
	done
}

# recorded NAME: recording.data, with samples all over the program of that name.
recorded()
{
	program "$1"
	"$inline/compare" --record=recording.data --count=400 "$1"
}

# The number of frames of the deepest stack, the process among them.
deepest()
{
	awk -F ';' 'NF > most { most = NF } END { print most + 0 }' "$@"
}

@test "they can be left out, or marked" {
	recorded gcc-dwarf-5
	"$flamefold" fold recording.data >default
	"$flamefold" fold --inline=auto recording.data | cmp - default
	"$flamefold" fold --inline recording.data | cmp - default
	[ "$(deepest default)" -gt 4 ]
	"$flamefold" fold --no-inline recording.data >without
	"$flamefold" fold --inline=no recording.data | cmp - without
	[ "$(deepest without)" -eq 2 ]
	# The outermost function is the same.
	cut -d ';' -f 1,2 default | sed 's/ 1$//' | sort >outermost
	sed 's/ 1$//' without | sort | cmp - outermost
	"$flamefold" fold --inline-mark recording.data >marked
	grep -q ';.*_\[i\] 1$' marked
	! cut -d ';' -f 2 marked | grep -q '_\[i\]' || false
	sed 's/_\[i\]//g' marked | sort >unmarked
	sort default | cmp - unmarked
}

@test "a word that is not one of those is refused" {
	run -2 "$flamefold" fold --inline=maybe recording.data
	[[ $output == *"option '--inline' takes auto, yes or no, not 'maybe'"* ]]
}

@test "to be compatible they are left out where perf 6.1 leaves them out" {
	recorded gcc-dwarf-5
	"$flamefold" fold --compat=stackcollapse recording.data >default
	[ "$(deepest default)" -eq 2 ]
	"$flamefold" fold --compat=stackcollapse --inline --all recording.data >all
	[ "$(deepest all)" -gt 4 ]
	! grep -q '_\[' all
}

@test "the number of threads changes nothing" {
	recorded gcc-split-5
	"$flamefold" fold --srcline --threads=1 recording.data >one
	"$flamefold" fold --srcline --threads=4 recording.data | cmp - one
}

@test "debug information in a file of its own is found by build id" {
	local id

	recorded gcc-dwarf-5
	"$flamefold" fold --srcline recording.data >whole
	id=$(readelf -n gcc-dwarf-5 | awk '/Build ID:/ { print $3 }')
	[ -n "$id" ] || skip "the linker writes no build id"
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug gcc-dwarf-5 "debug/.build-id/${id:0:2}/${id:2}.debug"
	strip --strip-debug gcc-dwarf-5
	"$flamefold" fold --srcline recording.data >stripped
	[ "$(deepest stripped)" -eq 2 ]
	"$flamefold" fold --srcline --debug-dir="$PWD/debug" recording.data | cmp - whole
}

@test ".dwo files that are gone are said to be" {
	recorded clang-split-5
	"$flamefold" fold recording.data >before
	mv clang-split-5-main.dwo gone
	"$flamefold" fold recording.data >after
	[ "$(wc -l <after)" -eq "$(wc -l <before)" ]
	! cmp -s before after || false
	"$flamefold" info recording.data >info
	grep -q "lacks functions that were inlined: 'clang-split-5-main.dwo'.* is not there" info
	touch clang-split-5.dwp
	"$flamefold" info recording.data >info
	grep -q "its .dwp file cannot be used: '.*/clang-split-5.dwp'" info
}

@test "a .dwp file of another build is not used, and one that lacks a unit leaves it to its .dwo file" {
	recorded clang-split-5
	"$flamefold" fold --srcline recording.data >before
	command -v llvm-dwp >/dev/null || skip "no llvm-dwp"
	llvm-dwp clang-split-5-main.dwo -o clang-split-5.dwp
	rm clang-split-5-main.dwo
	"$flamefold" fold --srcline recording.data | cmp - before
	mv clang-split-5-other.dwo gone
	"$flamefold" fold --srcline recording.data >after
	! cmp -s before after || false
	"$flamefold" info recording.data >info
	grep -q "lacks functions that were inlined: 'clang-split-5-other.dwo'.* is not there" info
}

@test "a .dwp file lies beside the debug file, or below its root" {
	local id

	recorded gcc-package-5
	"$flamefold" fold --srcline recording.data >whole
	[ "$(deepest whole)" -gt 4 ]
	id=$(readelf -n gcc-package-5 | awk '/Build ID:/ { print $3 }')
	[ -n "$id" ] || skip "the linker writes no build id"
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug gcc-package-5 "debug/.build-id/${id:0:2}/${id:2}.debug"
	strip --strip-debug gcc-package-5
	"$flamefold" fold --srcline --debug-dir="$PWD/debug" recording.data | cmp - whole
	mv gcc-package-5.dwp "debug/.build-id/${id:0:2}/${id:2}.debug.dwp"
	"$flamefold" fold --srcline --debug-dir="$PWD/debug" recording.data | cmp - whole
}

@test "a .dwo file of another build is not used" {
	recorded gcc-split-5
	cp gcc-split-5-other.dwo gcc-split-5-main.dwo
	"$flamefold" fold recording.data >after
	"$flamefold" info recording.data >info
	grep -q "'gcc-split-5-main.dwo'.* cannot be used: it is of another build" info
}

@test "what dwz moved and is gone is said to be" {
	recorded gcc-dwz
	mv gcc-dwz.shared gone
	"$flamefold" fold recording.data >after
	! grep -q ';?' after || false
	"$flamefold" info recording.data >info
	grep -q "lacks functions that were inlined: 'gcc-dwz.shared'.* is not there" info
}

# Each is given up, or read, in a second; alone it would take minutes and all memory.
@test "debug information that costs too much is given up" {
	local name

	"$inline/hostile" .
	for name in ranges abbreviations references names depth; do
		"$inline/compare" --record=recording.data --count=400 $name
		(
			[ -n "${ASAN_OPTIONS:-}" ] || ulimit -v 2000000
			timeout 900 "$flamefold" fold --quiet recording.data >$name.folded
			timeout 900 "$flamefold" info recording.data >$name.info
		)
		[ "$(wc -l <$name.folded)" -eq 400 ]
		[ "$name" = depth ] ||
			grep -q "inlined: its debug information takes too long to read" $name.info
	done
	[ "$(deepest depth.folded)" -gt 300 ]
}

# With every byte of its debug sections set to other values.
# bats test_tags=long
@test "debug information that is damaged anywhere" {
	local target
	target=$(dirname "$flamefold")/tests/fuzz/debug_info

	mkdir seeds damaged
	"$root/tests/fuzz/seed" debug_info seeds
	[ -f seeds/gcc-gdwarf-4 ] || skip "no gcc"
	python3 - seeds/gcc-gdwarf-4 seeds/gcc-gdwarf-5 <<-'END'
		import re, subprocess, sys
		for path in sys.argv[1:]:
		    data = open(path, 'rb').read()
		    for line in subprocess.run(['readelf', '-SW', path], stdout=subprocess.PIPE, text=True).stdout.splitlines():
		        found = re.search(r' \.debug_(info|abbrev|line|ranges|rnglists) +\S+ +\S+ (\S+) (\S+) ', line)
		        for at in range(int(found[3], 16)) if found else ():
		            at += int(found[2], 16)
		            for value in {0, 1, 0x7f, 0xff, data[at] ^ 1} - {data[at]} if at % 3 == 0 else ():
		                with open(f'damaged/{path[6:]}.{at}.{value}', 'wb') as f:
		                    f.write(data[:at] + bytes([value]) + data[at + 1:])
	END
	[ "$(find damaged -type f | wc -l)" -gt 1000 ]
	find damaged -type f -print0 | timeout 900 xargs -0 -n 500 "$target" >said || {
		cat said
		return 1
	}
}

# declared_as NAME [OBJECT]: the viewer's files and lines of functions of that program are those
# of llvm-symbolizer, which is asked about OBJECT.
declared_as()
{
	command -v node >/dev/null || skip "no node"
	command -v llvm-symbolizer >/dev/null || skip "no llvm-symbolizer"
	program "$1"
	"$inline/compare" --record=recording.data --count=600 "$1"
	node "$inline/declared.mjs" recording.data "${2:-$1}"
}

# bats test_tags=long
@test "a picture knows where functions are declared: g++, DWARF 2" {
	declared_as gcc-dwarf-2
}

@test "a picture knows where functions are declared: g++, DWARF 5" {
	declared_as gcc-dwarf-5
}

# bats test_tags=long
@test "a picture knows where functions are declared: g++, .dwo files" {
	declared_as gcc-split-5
}

# bats test_tags=long
@test "a picture knows where functions are declared: g++ and dwz" {
	declared_as gcc-dwz gcc-dwz.whole
}

# bats test_tags=long
@test "a picture knows where functions are declared: g++ -flto" {
	declared_as gcc-lto
}

@test "a picture knows where functions are declared: clang++, DWARF 5" {
	declared_as clang-dwarf-5
}

# bats test_tags=long
@test "a picture knows where functions are declared: clang++, .dwo files" {
	declared_as clang-split-5
}

@test "where functions are declared comes back from a picture, and is not in folded text" {
	recorded gcc-dwarf-5
	"$flamefold" graph -q -o one.svg recording.data
	"$flamefold" graph -q -o two.svg one.svg
	data() { sed -n '/<metadata/,/<\/metadata>/p' "$1" | sed 1d; }
	[ "$(data one.svg | wc -c)" -gt 1000 ]
	data one.svg >one
	data two.svg | cmp - one
	"$flamefold" fold -q recording.data >plain
	"$flamefold" fold -q one.svg | cmp - plain
	! grep -q 'templates.hh' plain
	# Without inlined functions nothing of debug information is read.
	"$flamefold" graph -q --no-inline -o without.svg recording.data
	[ "$(data without.svg | wc -c)" -lt "$(data one.svg | wc -c)" ]
}
