#!/usr/bin/env bats
# Names of the kernel from the kallsyms that perf record --kcore puts beside its data. Few
# machines let anybody record their kcore, so the directories are made here: perf's own
# layout, with a kernel that runs nowhere.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir "$HOME" system
}

id=00112233445566778899aabbccddeeff00112233
text=0xffffffff9b600000
module=0xffffffffc0401000

# recorded DIRECTORY [RELEASE [BUILD_ID [FUNCTION]]]: a recording of another machine, with the
# kallsyms that it had, where its one function is called FUNCTION.
recorded()
{
	local directory=$1 release=${2:-6.1.0-test} build_id=${3-$id} name=${4:-their_work}

	mkdir -p "$directory/kcore_dir"
	"$build" -o "$directory/data" - <<-END
		feature hostname=elsewhere
		feature osrelease=$release
		${build_id:+feature build_id name=[kernel.kallsyms] id=$build_id mode=kernel}
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		mmap pid=-1 mode=kernel start=$text len=0x1000000 off=$text name=[kernel.kallsyms]_text time=0
		mmap pid=-1 mode=kernel start=$module len=0x4000 off=0 name=[nf_tables] time=0
		comm pid=1 name=sh time=1
		sample pid=1 time=2 mode=kernel ip=0xffffffff9b600123 period=1 chain=K,0xffffffff9b600123
		sample pid=1 time=3 mode=kernel ip=0xffffffffc0401020 period=1 chain=K,0xffffffffc0401020
	END
	printf '%s\n' 'ffffffff9b600000 T _text' "ffffffff9b600100 t $name" 'ffffffff9b600200 t behind' \
		'ffffffffc0401010 t their_module	[nf_tables]' >"$directory/kcore_dir/kallsyms"
	echo 'nf_tables 16384 0 - Live 0xffffffffc0401000' >"$directory/kcore_dir/modules"
}

named=$'sh;their_module 1\nsh;their_work 1'
unnamed=$'sh;[kernel.kallsyms] 1\nsh;[nf_tables] 1'

# is LINES INPUT [OPTION]...: that is all there is.
is()
{
	local lines=$1
	shift
	timeout 900 "$flamefold" fold --quiet "$@" >folded
	[ "$(cat folded)" = "$lines" ] || { cat folded; return 1; }
}

told()
{
	local line=$1
	shift
	timeout 900 "$flamefold" info --format=text "$@" >info
	grep -qF -- "$line" info || { echo "not told: $line"; cat info; return 1; }
}

@test "a directory of another machine brings the names of its kernel, and of its modules" {
	recorded there
	is "$named" there
	is "$named" there/
	told 'from there/kcore_dir/kallsyms' there
	is "$named" there --symfs=system
	is "$named" there/data --symfs=system
	(cd there && is "$named" data && is "$named" .)
	mv there/kcore_dir away
	is "$unnamed" there
}

@test "its data alone has them, too, but no other file that lies there" {
	recorded there
	"$build" -o file - <<-END
		feature osrelease=6.1.0-test
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		mmap pid=-1 mode=kernel start=$text len=0x1000000 off=$text name=[kernel.kallsyms]_text time=0
		comm pid=1 name=sh time=1
		sample pid=1 time=2 mode=kernel ip=0xffffffff9b600123 period=1 chain=K,0xffffffff9b600123
	END
	cp file there/data
	is 'sh;their_work 1' there/data
	(cd there && is 'sh;their_work 1' data)
	cp file there/perf.data
	is 'sh;[kernel.kallsyms] 1' there/perf.data
	is 'sh;[kernel.kallsyms] 1' - <there/data
}

@test "a directory with streams, as --threads writes it" {
	recorded there
	"$root/tests/perfdata/split" there/data streams
	[ -e streams/data.0 ]
	mv there/kcore_dir streams
	is "$named" streams
}

@test "as perf names them" {
	need_perf
	recorded there 6.1.0-test ''
	timeout 900 perf script --symfs "$PWD/system" -F comm,ip,sym -i there 2>/dev/null | awk 'NF == 2 { print $2 }' | sort >perf
	grep -q their_work perf || skip "this perf does not use them"
	timeout 900 "$flamefold" fold --quiet --compat=stackcollapse there | sed 's/^sh;//; s/ 1$//' | sort >ours
	diff perf ours
}

@test "what is given decides" {
	recorded there
	sed 's/their/given/' there/kcore_dir/kallsyms >given
	is $'sh;given_module 1\nsh;given_work 1' there --kallsyms=given
	is "$unnamed" there --kallsyms=/dev/null
}

@test "two machines: each has its own" {
	recorded one 6.1.0-test
	recorded two 6.1.0-other 33112233445566778899aabbccddeeff00112233 other_work
	recorded three 6.1.0-test 44112233445566778899aabbccddeeff00112233 third_work
	is $'sh;[nf_tables] 3\nsh;other_work 1\nsh;their_work 1\nsh;third_work 1' one two three
	is $'sh;their_module 2\nsh;their_work 2' one one
	mv two/kcore_dir away
	is $'sh;[kernel.kallsyms] 1\nsh;[nf_tables] 2\nsh;their_work 1' one two
}

@test "a kallsyms of another boot, of another kernel, without addresses, and what is none" {
	local kallsyms=there/kcore_dir/kallsyms

	recorded there
	cp $kallsyms good
	sed 's/ffffffff9b6/ffffffff9b8/' good >$kallsyms
	is "$unnamed" there
	told 'is not of the boot that was recorded' there
	sed 's/ffffffff9b600000/ffffffff9b600123/' good >$kallsyms
	is "$unnamed" there
	told "'there/kcore_dir/kallsyms' is of another kernel" there
	sed 's/^[0-9a-f]*/0000000000000000/' good >$kallsyms
	is "$unnamed" there
	told "addresses in 'there/kcore_dir/kallsyms' are hidden" there
	: >$kallsyms
	is "$unnamed" there
	told "'there/kcore_dir/kallsyms' has no symbols" there
	rm $kallsyms
	mkfifo $kallsyms # nobody writes to it
	is "$unnamed" there
	rm $kallsyms
	mkdir $kallsyms
	is "$unnamed" there
	rmdir $kallsyms
	cp good $kallsyms
	is "$named" there
	# perf makes it readable for its owner only.
	chmod 0 $kallsyms
	[ -r $kallsyms ] || { is "$unnamed" there && told 'ermission denied' there; }
}

@test "where its modules were is told by their list, or by their first function" {
	recorded there
	echo 'nf_tables 16384 0 - Live 0xffffffffc0402000' >there/kcore_dir/modules
	is $'sh;[nf_tables] 1\nsh;their_work 1' there
	told 'the module was loaded again since' there
	rm there/kcore_dir/modules
	is "$named" there
	mkfifo there/kcore_dir/modules
	is "$named" there
	sed -i 's/ffffffffc0401010/ffffffffc0400ff0/' there/kcore_dir/kallsyms
	is $'sh;[nf_tables] 1\nsh;their_work 1' there
}

@test "that of a guest is not the kernel's" {
	recorded there
	mv there/kcore_dir there/kcore_dir__12
	is "$unnamed" there
}

@test "kallsyms as a terminal passes it on" {
	recorded there
	sed -i 's/$/\r/' there/kcore_dir/kallsyms
	is "$named" there
}
