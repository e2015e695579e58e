#!/usr/bin/env bats
# Names of the kernel that runs here, where /proc and /sys say what is made up: its symbols, its
# modules, and their build ids.
bats_require_minimum_version 1.5.0

load recordings

kernel_id=00112233445566778899aabbccddeeff00112233
module_id=ff112233445566778899aabbccddeeff00112233
other_id=ee112233445566778899aabbccddeeff00112233

# notes BUILD_ID
notes()
{
	printf '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0%b' "$(sed 's/../\\x&/g' <<<"$1")"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir -p "$HOME" proc/real sys/kernel sys/module/nf_tables/notes
	for file in self thread-self sys; do
		ln -s real/$file proc/$file
	done
	[ "$(printf '\1\0' | od -An -d)" -eq 1 ] || skip "notes are made for little-endian machines"
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000100 t our_work' \
		'ffffffff81000200 t behind' 'ffffffffc0401010 t our_module	[nf_tables]' >proc/kallsyms
	echo 'nf_tables 16384 0 - Live 0xffffffffc0401000' >proc/modules
	notes "$kernel_id" >sys/kernel/notes
	notes "$module_id" >sys/module/nf_tables/notes/.note.gnu.build-id
	here true || skip "mounting is not permitted"
}

# here COMMAND...: where /proc and /sys are ours, but for what a process asks of itself. To look
# for leaks a sanitizer would need the other processes, too.
here()
{
	# shellcheck disable=SC2016 # the inner shell's
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 unshare -m sh -c 'mount --bind /proc proc/real && mount --rbind proc /proc &&
		mount --bind sys /sys && exec "$@"' here "$@" 2>/dev/null
}

# kernel BUILD_ID [MODULE_ID [MODULE_START [TEXT]]]: p.data
kernel()
{
	local start=${3:-0xffffffffc0401000} text=${4:-0xffffffff81000000}

	"$build" -o p.data - <<-END
		${1:+feature build_id name=[kernel.kallsyms] id=$1 mode=kernel}
		${2:+feature build_id name=[nf_tables] id=$2 mode=kernel}
		attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all
		mmap pid=-1 mode=kernel start=$text len=0x1000000 off=$text name=[kernel.kallsyms]_text time=0
		mmap pid=-1 mode=kernel start=$start len=0x4000 off=0 name=[nf_tables] time=0
		comm pid=1 name=sh time=1
		sample pid=1 time=2 mode=kernel ip=$((text + 0x123)) period=1 chain=K,$((text + 0x123))
		sample pid=1 time=3 mode=kernel ip=$((start + 0x20)) period=1 chain=K,$((start + 0x20))
	END
}

# is LINES [OPTION]...
is()
{
	local lines=$1
	shift
	here timeout 900 "$flamefold" fold --quiet "$@" p.data >folded
	[ "$(cat folded)" = "$lines" ] || { cat folded; return 1; }
}

told()
{
	local line=$1
	shift
	here timeout 900 "$flamefold" info --format=text "$@" p.data >info
	grep -qF -- "$line" info || { echo "not told: $line"; cat info; return 1; }
}

named=$'sh;our_module 1\nsh;our_work 1'
no_module=$'sh;[nf_tables] 1\nsh;our_work 1'
unnamed=$'sh;[kernel.kallsyms] 1\nsh;[nf_tables] 1'

@test "the kernel that runs here, and a module that is where it was" {
	kernel $kernel_id
	is "$named"
	kernel $kernel_id $module_id
	is "$named"
	rm sys/module/nf_tables/notes/.note.gnu.build-id
	is "$named"
}

# With a kernel that is not moved at boot (_text is where it always is) nothing else tells.
@test "a module that was loaded again, or on another machine with the same kernel" {
	kernel $kernel_id $module_id 0xffffffffc0400000
	is "$no_module"
	told 'the module was loaded again since'
	kernel $kernel_id $module_id 0xffffffffc0402000
	is "$no_module"
	rm proc/modules
	kernel $kernel_id $module_id
	is "$no_module"
	told 'nothing tells whether the kernel was booted again'
	: >proc/modules
	is "$no_module"
}

@test "a kernel at a place of its own tells the boot" {
	sed -i 's/^ffffffff810/ffffffff9b6/' proc/kallsyms
	rm proc/modules
	kernel $kernel_id $module_id 0xffffffffc0401000 0xffffffff9b600000
	is "$named"
	kernel $kernel_id $module_id 0xffffffffc0401000 0xffffffff9b800000
	is "$no_module"
	told 'the kernel was booted again since'
}

@test "another build of the module is loaded now" {
	kernel $kernel_id $other_id
	is "$no_module"
	told 'another build of the module is loaded now'
	is "$no_module" --kallsyms=/proc/kallsyms
	cp proc/kallsyms proc/modules .
	is "$named" --kallsyms=kallsyms
}

@test "another kernel: neither its names nor advice to see more of this one's" {
	kernel $other_id $module_id
	is "$unnamed"
	told 'the recorded kernel is not the one that runs here'
	sed -i 's/^[0-9a-f]*/0000000000000000/' proc/kallsyms
	is "$unnamed"
	told 'the recorded kernel is not the one that runs here'
	here timeout 900 "$flamefold" info --format=text p.data >info
	! grep -F kptr_restrict info || false
}

@test "this machine's kallsyms given by name is no proof, a copy of it is" {
	kernel $other_id $module_id
	is "$unnamed" --kallsyms=/proc/kallsyms
	told 'the recorded kernel is not the one that runs here' --kallsyms=/proc/kallsyms
	ln -s /proc/kallsyms link
	is "$unnamed" --kallsyms=link
	cp proc/kallsyms copy
	is "$named" --kallsyms=copy
	kernel $kernel_id $module_id
	is "$named" --kallsyms=/proc/kallsyms
}

@test "with another kernel beside it a module may be of either" {
	kernel $other_id $module_id
	mv p.data other.data
	kernel $kernel_id $module_id
	is $'sh;[kernel.kallsyms] 1\nsh;[nf_tables] 2\nsh;our_work 1' other.data
}

# /sys may be hidden in a container: what is known is the recorded build id.
@test "perf's copy by the recorded build id, where the kernel here has none" {
	local cache=cache/.build-id/${kernel_id:0:2}/${kernel_id:2}

	: >sys/kernel/notes
	kernel $kernel_id
	is "$unnamed"
	mkdir -p "$cache"
	sed 's/our/cached/' proc/kallsyms >"$cache/kallsyms"
	is $'sh;[nf_tables] 1\nsh;cached_work 1' --buildid-dir=cache
}
