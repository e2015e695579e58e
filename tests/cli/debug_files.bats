#!/usr/bin/env bats
# Where the symbols of a stripped program are: a debug file found by build id or by debug link, or
# packed in the program itself. Recordings are made by hand: one sample in a function of a known
# name, which the program does not export.
bats_require_minimum_version 1.5.0

load recordings
load known_work

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir "$HOME" debug
	write_program
}

# program FILE [FLAG]...
program()
{
	local output=$1
	shift
	"${CC:-cc}" -O2 -g -DBUILD=1 -rdynamic -Wl,--build-id -o "$output" program.c "$@"
}

# is LINE [OPTION]...: that is all there is.
is()
{
	local line=$1
	shift
	timeout 900 "$flamefold" fold --quiet --truncated=merge --no-inline "$@" p.data >folded
	[ "$(cat folded)" = "$line" ] || { cat folded; return 1; }
}

# What an object without symbols gives.
unnamed()
{
	timeout 900 "$flamefold" fold --quiet --truncated=merge "$@" p.data >folded
	! grep -qE 'known_work|count_up|wrong' folded || { cat folded; return 1; }
}

# The debug file and the stripped program. [FLAG]...
separate()
{
	program program "$@"
	record program
	objcopy --only-keep-debug program program.debug
	strip program
}

# As distributions do it (Fedora, and gdb's manual): symbols that are not exported, packed.
mini_debug_info()
{
	nm -D program --format=posix --defined-only | awk '{ print $1 }' | sort >exported
	nm program --format=posix --defined-only | awk '$2 ~ /[TtD]/ { print $1 }' | sort >all
	comm -13 exported all >kept
	objcopy --only-keep-debug program mini.debug
	objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=kept mini.debug mini
	strip program
	xz -c mini >mini.xz
	objcopy --add-section .gnu_debugdata=mini.xz program
}

@test "symbols packed in the program: .gnu_debugdata" {
	program program
	record program
	mini_debug_info
	is 'sh;known_work 1'
	told '/program$'
	objcopy --remove-section .gnu_debugdata program
	unnamed
	told 'it is stripped, and there is no debug file for it'
}

@test "a debug file is better than what is packed in the program: it has what was inlined" {
	local id

	program program
	record program
	id=$(build_id program)
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug program "debug/.build-id/${id:0:2}/${id:2}.debug"
	mini_debug_info
	timeout 900 "$flamefold" fold --quiet --truncated=merge p.data >folded
	[ "$(cat folded)" = 'sh;known_work 1' ]
	timeout 900 "$flamefold" fold --quiet --truncated=merge --debug-dir=debug p.data >folded
	[ "$(cat folded)" = 'sh;known_work;count_up 1' ]
}

@test "what is packed in the program is damaged, cut, or a bomb" {
	local at size

	program program
	record program
	cp program whole
	mini_debug_info
	cp program good
	size=$(stat -c %s mini.xz)
	for at in 0 7 13 40 $((size / 2)) $((size - 30)) $((size - 2)); do
		cp mini.xz bad.xz
		printf '\xa5' | dd of=bad.xz bs=1 seek="$at" conv=notrunc 2>/dev/null
		cmp -s bad.xz mini.xz && continue
		objcopy --update-section .gnu_debugdata=bad.xz good program 2>/dev/null
		unnamed
		head -c "$at" mini.xz >bad.xz
		objcopy --update-section .gnu_debugdata=bad.xz good program 2>/dev/null
		unnamed
	done
	told 'packed data (is damaged|ends early)'
	head -c 600M /dev/zero | xz -0 >bad.xz
	objcopy --update-section .gnu_debugdata=bad.xz good program
	unnamed
	told 'is too large'
	: >bad.xz
	objcopy --update-section .gnu_debugdata=bad.xz good program
	unnamed
	# Packed in itself.
	xz -c good >bad.xz
	objcopy --update-section .gnu_debugdata=bad.xz good program
	unnamed
}

@test "a debug file by build id" {
	local id

	separate
	id=$(build_id program)
	unnamed
	mkdir -p "debug/.build-id/${id:0:2}"
	cp program.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	unnamed
	is 'sh;known_work 1' --debug-dir=debug
	is 'sh;known_work 1' --debug-dir="$PWD/debug"
}

@test "a debug file by its link: beside the program, in .debug, and in the debug directory" {
	local place

	separate -Wl,--build-id=none
	objcopy --add-gnu-debuglink=program.debug program
	mv program.debug kept
	unnamed
	for place in program.debug .debug/program.debug "debug$PWD/program.debug"; do
		mkdir -p "$(dirname "./$place")"
		cp kept "./$place"
		is 'sh;known_work 1' --debug-dir=debug
		rm "./$place"
	done
	unnamed
}

@test "a debug file of another checksum is refused, and it is told" {
	separate -Wl,--build-id=none
	objcopy --add-gnu-debuglink=program.debug program
	is 'sh;known_work 1'
	printf 'x' >>program.debug
	unnamed
	told "program.debug' is the debug file of another build: its checksum is not that of the debug link"
}

@test "a debug file of another build id is refused, and both are told" {
	local id other

	separate
	id=$(build_id program)
	mkdir -p "debug/.build-id/${id:0:2}"
	program other -DWRONG -UBUILD -DBUILD=2
	other=$(build_id other)
	cp other "debug/.build-id/${id:0:2}/${id:2}.debug"
	unnamed --debug-dir=debug
	told "${id:2}\.debug' is the debug file of another build: its build id is $other, not $id" --debug-dir=debug
	# By its link, where the checksum is right and the build id is not.
	cp other program.debug
	objcopy --add-gnu-debuglink=program.debug program
	unnamed
	told "program.debug' is the debug file of another build"
}

@test "dwz moved a part of the debug information to a file that several share" {
	command -v dwz >/dev/null || skip "no dwz"
	program first
	program second -DSECOND=1 -UBUILD -DBUILD=3
	record first
	timeout 900 "$flamefold" fold --quiet --truncated=merge --srcline p.data >whole
	grep -q '^sh;known_work:program.c:[0-9]*;count_up:program.c:[0-9]* 1$' whole
	dwz -m shared -M "$PWD/shared" first second || skip "dwz found nothing to share"
	[ -f shared ] || skip "dwz found nothing to share"
	timeout 900 "$flamefold" fold --quiet --truncated=merge --srcline p.data | cmp - whole
	objcopy --only-keep-debug first first.debug
	strip first
	objcopy --add-gnu-debuglink=first.debug first
	timeout 900 "$flamefold" fold --quiet --truncated=merge --srcline p.data | cmp - whole
}

@test "with a symfs nothing outside of it is looked at" {
	local id

	separate
	id=$(build_id program)
	mkdir -p "system$PWD" "debug/.build-id/${id:0:2}" "system/usr/lib/debug/.build-id/${id:0:2}"
	cp program.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
	cp program "system$PWD"
	unnamed --symfs system --debug-dir="$PWD/debug"
	cp program.debug "system/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	is 'sh;known_work 1' --symfs system
}

# parts.so, with an inlined function and debug information, and a recording of it: parts.data
make_parts()
{
	cat >parts.c <<-'END'
	static inline __attribute__((always_inline)) int inner(int n) { return n * 7 + 1; }
	int outer(int n) { return inner(n) ^ 3; }
	int second(int n) { return n + 5; }
	END
	gcc -g -O1 -shared -fPIC -o parts.so parts.c
	{
		echo 'attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all,comm_exec'
		echo 'comm pid=1 name=sh exec time=1'
		echo "mmap2 pid=1 start=0x10000 len=0x9000 off=0 name=$PWD/parts.so time=1"
		for name in outer second; do
			at=$((0x$(nm parts.so | awk -v n=$name '$3 == n { print $1 }') + 0x10000))
			echo "sample pid=1 time=3 ip=$at chain=U,$at"
		done
	} | "$build" -o parts.data -
}

@test "files that are read in pieces, with interruptions, have the same names and tables" {
	command -v gcc >/dev/null || skip "no gcc"
	"${CC:-cc}" -O1 -shared -fPIC -o interrupt.so \
		"$BATS_TEST_DIRNAME/preload/interrupt.c" || skip "no compiler"
	LD_PRELOAD=$PWD/interrupt.so "$flamefold" --version >/dev/null 2>&1 ||
		skip "a sanitizer is to come first"
	make_parts
	"$flamefold" fold --quiet --truncated=merge --inline parts.data >whole
	grep second whole
	LD_PRELOAD=$PWD/interrupt.so "$flamefold" fold --quiet --truncated=merge --inline parts.data >pieces
	diff whole pieces
}

# Reads of parts.so fail with that error number, all or those that begin at an offset: failing ERRNO [OFFSET]
failing()
{
	need_failing_reads
	env FAIL_FILE="$PWD/parts.so" FAIL_ERRNO="$1" ${2:+FAIL_FROM="$2"} LD_PRELOAD="$PWD/fail_read.so" \
		"$flamefold" fold --inline parts.data >failed 2>err
	cat err
}

@test "a file that cannot be read is named, with the error, instead of names that are missing" {
	command -v gcc >/dev/null || skip "no gcc"
	make_parts
	failing 5
	grep -q "cannot read '$PWD/parts.so': Input/output error" err
	failing 116
	grep -q "cannot read '$PWD/parts.so': Stale file handle" err
	failing 5 $((0x$(readelf -WS parts.so | awk '{ for (i = 1; i < NF; i++) if ($i == ".strtab") print $(i + 3) }')))
	grep -q "'$PWD/parts.so' cannot be read whole: Input/output error" err
	[ "$(awk '{ n += $NF } END { print n }' failed)" = 2 ]
}

@test "no more open files: as many as may be had, and then it is said" {
	local n status

	command -v gcc >/dev/null || skip "no gcc"
	make_parts
	"$flamefold" fold --inline --threads=1 parts.data >whole 2>said
	for n in 6 7 8 9 10 12; do
		(ulimit -Sn $n && exec "$flamefold" fold --inline --threads=1 parts.data) >few 2>err ||
			grep -q 'Too many open files' err
		[ ! -s few ] || diff whole few
	done
	[ -s few ]
	for n in 4 5 6 7 8 9 10 12 16; do
		status=0
		(ulimit -n $n && exec "$flamefold" --version) >few 2>err || continue
		(ulimit -n $n && exec "$flamefold" fold --inline --threads=1 parts.data) >few 2>err || status=$?
		[ $status -le 1 ]
		if [ $status -eq 1 ]; then
			[ -s err ]
		elif ! cmp -s whole few; then
			grep -q 'Too many open files' err || { echo "$n files:"; cat err; return 1; }
		fi
	done
}
