#!/usr/bin/env bats
# Names of the kernel and its modules, from files of their own. The kernel and the module are
# made here and run nowhere; the recordings say where they were.
bats_require_minimum_version 1.5.0

load recordings

programs=$root/tests/objects

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export HOME=$PWD/home
	mkdir "$HOME" system
	[ "$(uname -m)" = x86_64 ] || skip "the kernel here is one for x86-64"
}

# vmlinux FILE [FLAG]...
vmlinux()
{
	local output=$1
	shift
	mkdir -p "$(dirname "$output")"
	"${CC:-cc}" -O2 -g -ffreestanding -fno-pic -fno-stack-protector -mcmodel=kernel -nostdlib -static \
		-no-pie -fcf-protection=none -Wl,--build-id -Wl,-T,"$programs/kernel.lds" -Wl,-z,max-page-size=4096 -o "$output" \
		"$programs/kernel.c" "$@" 2>/dev/null
}

# module FILE [FLAG]...: with a build id of its own.
module()
{
	local output=$1
	shift
	"${CC:-cc}" -O2 -g -ffreestanding -fno-pic -mcmodel=kernel -fcf-protection=none -c -o module.o \
		"$programs/module.c" "$@"
	ld -r --build-id -o "$output" module.o
}

# address FILE SYMBOL, in hex
address()
{
	nm "$1" | awk -v name="$2" '$3 == name { print "0x" $1 }'
}

# in_loop SHIFT: an address in known_work at which it runs what was inlined, moved
in_loop()
{
	local first

	first=$(address vmlinux known_work)
	for offset in {1..80}; do
		[ "$(addr2line -ife vmlinux "$(printf '%x' $((first + offset)))" | head -n 1)" != count_up ] ||
			break
	done
	printf '%#x' $((first + offset + $1))
}

# kernel RELEASE BUILD_ID START REFERENCE [LINE]...: p.data of a kernel whose _text is recorded
# at REFERENCE (0: hidden), with the lines.
kernel()
{
	local release=$1 id=$2 start=$3 reference=$4
	shift 4
	{
		echo "feature hostname=elsewhere"
		echo "feature osrelease=$release"
		[ -z "$id" ] || echo "feature build_id name=[kernel.kallsyms] id=$id mode=kernel"
		[ -z "${module_id:-}" ] || echo "feature build_id name=$module_path id=$module_id mode=kernel"
		echo "attr name=cycles sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN flags=sample_id_all"
		echo "mmap pid=-1 mode=kernel start=$start len=0x1000000 off=$reference name=[kernel.kallsyms]_text time=0"
		echo "comm pid=1 name=sh time=1"
		printf '%s\n' "$@"
	} | "$build" -o p.data -
}

# sample ADDRESS
sample()
{
	echo "sample pid=1 time=2 mode=kernel ip=$1 period=1 chain=K,$1"
}

# The usual one: moved by $shift, one sample in known_work. [RELEASE [BUILD_ID]]
shift=0x1a600000
moved_kernel()
{
	local id

	id=${2-$(build_id vmlinux)}
	kernel "${1:-6.1.0-test}" "$id" \
		"$(printf '%#x' $((0xffffffff81000000 + shift)))" \
		"$(printf '%#x' $((0xffffffff81000000 + shift)))" \
		"$(sample "$(in_loop "$shift")")"
}

folded()
{
	timeout 900 "$flamefold" fold --quiet "$@" p.data >folded
}

# is LINE [OPTION]...: that is all there is.
is()
{
	local line=$1
	shift
	folded "$@"
	[ "$(cat folded)" = "$line" ] || { cat folded; return 1; }
}

told()
{
	local line=$1
	shift
	timeout 900 "$flamefold" info --format=text "$@" p.data >info
	grep -qF -- "$line" info || { echo "not told: $line"; cat info; return 1; }
}

named='sh;known_work;count_up 1'
unnamed='sh;[kernel.kallsyms] 1'

@test "vmlinux where distributions put it: moved to where the kernel was, with what was inlined" {
	local place

	vmlinux vmlinux
	moved_kernel
	is "$unnamed" --symfs system
	for place in boot/vmlinux-6.1.0-test usr/lib/debug/boot/vmlinux-6.1.0-test \
		lib/modules/6.1.0-test/build/vmlinux usr/lib/debug/lib/modules/6.1.0-test/vmlinux \
		lib/modules/6.1.0-test/vmlinux; do
		mkdir -p "system/$(dirname $place)"
		cp vmlinux system/$place
		is "$named" --symfs system
		told "from system/$place" --symfs system
		is 'sh;known_work 1' --symfs system --no-inline
		rm system/$place
	done
	is "$unnamed" --symfs system
}

@test "vmlinux by its build id: in the debug directory and in perf's cache" {
	local id place

	vmlinux vmlinux
	id=$(build_id vmlinux)
	moved_kernel ''
	for place in "$id.debug" "$id" "$id/elf" "$id/debug"; do
		place=.build-id/${place:0:2}/${place:2}
		rm -rf cache debug
		mkdir -p "$(dirname cache/$place)" "$(dirname debug/$place)"
		cp vmlinux cache/$place
		[[ $place == *.debug ]] || is "$named" --buildid-dir=cache
		cp vmlinux debug/$place
		[[ $place == */elf || $place == */debug ]] || is "$named" --debug-dir=debug
	done
	command -v perf >/dev/null || skip "no perf"
	perf buildid-cache -a vmlinux
	is "$named"
}

@test "a vmlinux of another build is refused, and both ids are told" {
	vmlinux vmlinux
	vmlinux system/boot/vmlinux-6.1.0-test -DBUILD=2
	moved_kernel
	is "$unnamed" --symfs system
	told "vmlinux-6.1.0-test' has build id $(build_id system/boot/vmlinux-6.1.0-test), recorded was $(build_id vmlinux)" \
		--symfs system
	told 'the kernel addresses have no names: ' --symfs system
	is "$unnamed" --vmlinux system/boot/vmlinux-6.1.0-test
	told 'does not have the recorded build id' --vmlinux system/boot/vmlinux-6.1.0-test
	is "$named" --vmlinux vmlinux
	timeout 900 "$flamefold" info --format=json --symfs system p.data >json
	[ "$(jq '[.objects.missing[] | select(.refused)] | length' json)" -eq 1 ]
}

@test "without a recorded build id a vmlinux counts only where it was given" {
	vmlinux system/boot/vmlinux-6.1.0-test
	cp system/boot/vmlinux-6.1.0-test vmlinux
	moved_kernel 6.1.0-test ''
	is "$unnamed" --symfs system
	is "$named" --vmlinux vmlinux
}

@test "a release is no path" {
	vmlinux vmlinux
	mkdir -p system/boot/vmlinux- outside
	cp vmlinux outside/vmlinux
	for release in ../../../outside / . .. 'x/../../../../outside'; do
		moved_kernel "$release"
		is "$unnamed" --symfs system
	done
}

@test "a vmlinux without symbols, a damaged one, and what is none" {
	vmlinux vmlinux
	moved_kernel
	mkdir -p system/boot
	strip -o system/boot/vmlinux-6.1.0-test vmlinux
	is "$unnamed" --symfs system
	head -c 500 vmlinux >system/boot/vmlinux-6.1.0-test
	is "$unnamed" --symfs system
	echo no kernel >system/boot/vmlinux-6.1.0-test
	is "$unnamed" --symfs system
	told "is not an ELF file" --symfs system
	rm system/boot/vmlinux-6.1.0-test
	mkfifo system/boot/vmlinux-6.1.0-test
	is "$unnamed" --symfs system
}

@test "where the kernel lay was hidden from the recorder: one sentence, and no names" {
	vmlinux vmlinux
	mkdir -p system/boot
	cp vmlinux system/boot/vmlinux-6.1.0-test
	kernel 6.1.0-test "$(build_id vmlinux)" 0 0 "$(sample "$(in_loop 0)")"
	is "$unnamed" --symfs system
	told 'where the kernel lay in memory was not recorded (kptr_restrict): record after '\''sudo sysctl' --symfs system
	# perf's copy may be of another boot.
	id=$(build_id vmlinux)
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}"
	nm vmlinux >"cache/.build-id/${id:0:2}/${id:2}/kallsyms"
	is "$unnamed" --symfs system --buildid-dir=cache
	is 'sh;known_work 1' --kallsyms "cache/.build-id/${id:0:2}/${id:2}/kallsyms"
	told 'the kernel addresses have no names: kptr_restrict was set' --symfs system
	run --separate-stderr "$flamefold" fold --symfs system p.data
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *kptr_restrict* ]]
	[ "$(grep -c kptr_restrict <<<"$stderr")" -eq 1 ]
}

@test "a kallsyms full of zeros: one sentence, and no names" {
	vmlinux vmlinux
	moved_kernel
	nm vmlinux | sed 's/^[0-9a-f]*/0000000000000000/' >zeros
	is "$unnamed" --kallsyms zeros
	told "addresses in 'zeros' are hidden (kptr_restrict)" --kallsyms zeros
	run --separate-stderr "$flamefold" fold --kallsyms zeros p.data
	[ "$(grep -c kptr_restrict <<<"$stderr")" -eq 1 ]
}

@test "a kallsyms of another boot is moved, of another kernel it is not used" {
	vmlinux vmlinux
	moved_kernel
	nm vmlinux >kallsyms
	is 'sh;known_work 1' --kallsyms kallsyms
	awk '$3 == "_text" { $1 = "ffffffff81000123" } 1' kallsyms >other
	is "$unnamed" --kallsyms other
	told "'other' is of another kernel" --kallsyms other
}

# layout FILE SECTION: how far from its start the kernel puts a section, by the kernel's rule.
layout()
{
	local at=0 name size flags align

	while read -r name _ _ _ size _ flags _ _ align; do
		[[ $flags = AX && $name != .init* ]] || continue
		at=$(((at + align - 1) / align * align))
		[ "$name" != "$2" ] || echo "$at"
		at=$((at + 16#$size))
	done < <(readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] //')
}

# The module of a kernel that is not here; in each of its sections, but what started it.
start=0xffffffffc0401000
moved_module()
{
	local path=$1 lines=() name
	local -A section=([module_work]=.text [module_cold]=.text.unlikely [module_exit]=.exit.text)

	vmlinux vmlinux
	module module.ko
	module_path=$path
	module_id=${module_id-$(build_id module.ko)}
	lines=("mmap pid=-1 mode=kernel start=$start len=0x4000 off=0 name=$path time=0")
	for name in module_work module_cold module_exit; do
		lines+=("$(sample "$(printf '%#x' $((start + $(layout module.ko ${section[$name]}) + $(address module.ko $name) + 4)))")")
	done
	kernel 6.1.0-test "$(build_id vmlinux)" 0xffffffff9b600000 0xffffffff9b600000 "${lines[@]}"
}

named_module=$'sh;module_cold 1\nsh;module_exit 1\nsh;module_work 1'

@test "a module: plain and packed, at the recorded path" {
	local place=lib/modules/6.1.0-test/kernel/net/known-module.ko

	moved_module "/$place.xz"
	mkdir -p "system/$(dirname $place)"
	is 'sh;[known_module] 3' --symfs system
	xz --check=crc32 --lzma2=dict=1MiB -c module.ko >system/$place.xz
	is "$named_module" --symfs system
	told "from system/$place.xz" --symfs system 2>/dev/null || told "$place.xz" --symfs system
	gzip -c module.ko >system/$place.xz
	is "$named_module" --symfs system
	zstd -q -c module.ko >system/$place.xz
	is "$named_module" --symfs system
	cp module.ko system/$place.xz
	is "$named_module" --symfs system
}

@test "a module by modules.dep, which has it packed in another way" {
	local place=lib/modules/6.1.0-test/kernel/net/known-module.ko name

	mkdir -p "system/$(dirname $place)"
	for name in '[known_module]' /lib/modules/6.1.0-test/updates/known_module.ko.zst; do
		rm -f "system/$place.xz"
		moved_module "$name"
		is 'sh;[known_module] 3' --symfs system
		xz -c module.ko >"system/$place.xz"
		cat >system/lib/modules/6.1.0-test/modules.dep <<-'END'
			kernel/net/unknown-module.ko.xz:
			kernel/net/known-module.ko.xz: kernel/lib/other.ko.xz
			kernel/net/known-module-more.ko.xz: kernel/net/known-module.ko.xz
		END
		is "$named_module" --symfs system
		rm system/lib/modules/6.1.0-test/modules.dep
		unset module_id
	done
}

@test "a module by its build id, in perf's cache and the debug directory" {
	local id

	moved_module '[known_module]'
	id=$(build_id module.ko)
	mkdir -p "cache/.build-id/${id:0:2}/${id:2}" "debug/.build-id/${id:0:2}"
	is 'sh;[known_module] 3' --buildid-dir=cache
	cp module.ko "cache/.build-id/${id:0:2}/${id:2}/elf"
	is "$named_module" --buildid-dir=cache
	cp module.ko "debug/.build-id/${id:0:2}/${id:2}.debug"
	is "$named_module" --debug-dir=debug
}

@test "a module of another build is refused, and so is one without a recorded build id" {
	local place=lib/modules/6.1.0-test/kernel/net/known-module.ko

	mkdir -p "system/$(dirname $place)"
	moved_module "/$place"
	module system/$place -DOTHER -O1
	is 'sh;[known_module] 3' --symfs system
	told "known-module.ko' has build id $(build_id system/$place), recorded was $(build_id module.ko)" --symfs system
	cp module.ko system/$place
	is "$named_module" --symfs system
	module_id=
	moved_module "/$place"
	is 'sh;[known_module] 3' --symfs system
}

# bats test_tags=long
@test "a packed module that is damaged, cut, or a bomb" {
	local place=lib/modules/6.1.0-test/kernel/net/known-module.ko.xz size at

	mkdir -p "system/$(dirname $place)"
	moved_module "/$place"
	xz -c module.ko >packed
	size=$(stat -c %s packed)
	for at in 0 1 6 12 100 $((size / 2)) $((size - 20)) $((size - 1)); do
		head -c "$at" packed >system/$place
		is 'sh;[known_module] 3' --symfs system
		cp packed system/$place
		printf '\xff' | dd of=system/$place bs=1 seek="$at" conv=notrunc 2>/dev/null
		cmp -s packed system/$place || is 'sh;[known_module] 3' --symfs system
	done
	head -c 2G /dev/zero | xz -0 >system/$place
	is 'sh;[known_module] 3' --symfs system
	told 'is too large' --symfs system
}

@test "a module's own lines in kallsyms are better, where it is of the same boot" {
	local place=lib/modules/6.1.0-test/kernel/net/known-module.ko id

	moved_module "/$place"
	id=$(build_id vmlinux)
	mkdir -p "system/$(dirname $place)" "cache/.build-id/${id:0:2}/${id:2}"
	cp module.ko system/$place
	printf '%s\n' 'ffffffff9b600000 T _text' "${start#0x} t from_kallsyms	[known_module]" \
		>"cache/.build-id/${id:0:2}/${id:2}/kallsyms"
	is 'sh;from_kallsyms 3' --symfs system --buildid-dir=cache
	sed -i 's/9b600000/9b800000/' "cache/.build-id/${id:0:2}/${id:2}/kallsyms"
	is "$named_module" --symfs system --buildid-dir=cache
}

# Programs come and go; what is at their address afterwards is another one.
@test "BPF programs and trampolines are named while they are loaded" {
	vmlinux vmlinux
	kernel 6.1.0-test '' 0xffffffff81000000 0xffffffff81000000 \
		'ksymbol pid=-1 start=0xffffffffa0001000 len=0x100 name=bpf_prog_0011223344556677_first type=1 time=2' \
		'ksymbol pid=-1 start=0xffffffffa0002000 len=0x80 name=bpf_trampoline_123 type=2 time=2' \
		'sample pid=1 time=3 mode=kernel ip=0xffffffffa0001010 period=1 chain=K,0xffffffffa0001010,0xffffffffa0002010' \
		'ksymbol pid=-1 start=0xffffffffa0001000 len=0x100 name=bpf_prog_0011223344556677_first type=1 gone time=4' \
		'sample pid=1 time=5 mode=kernel ip=0xffffffffa0001010 period=1 chain=K,0xffffffffa0001010' \
		'ksymbol pid=-1 start=0xffffffffa0001000 len=0x200 name=bpf_prog_8899aabbccddeeff_second type=1 time=6' \
		'sample pid=1 time=7 mode=kernel ip=0xffffffffa0001010 period=1 chain=K,0xffffffffa0001010'
	folded --symfs system
	diff - folded <<-'END'
		sh;[unknown] 1
		sh;bpf_prog_8899aabbccddeeff_second 1
		sh;bpf_trampoline_123;bpf_prog_0011223344556677_first 1
	END
}

@test "the vsyscall page is the user's, though its address is one of the kernel's" {
	vmlinux vmlinux
	kernel 6.1.0-test "$(build_id vmlinux)" 0xffffffff81000000 0xffffffff81000000 \
		'mmap pid=1 start=0xffffffffff600000 len=0x1000 off=0 name=[vsyscall] time=1' \
		'mmap pid=1 start=0x400000 len=0x1000 off=0 name=/bin/x time=1' \
		'sample pid=1 time=2 mode=user ip=0xffffffffff600400 period=1 chain=U,0xffffffffff600400,0x400123'
	folded --kernel --symfs system --vmlinux vmlinux
	[ "$(cat folded)" = 'sh;[x];[vsyscall] 1' ]
}

@test "a user who may not see kernel addresses is told so" {
	local id

	command -v setpriv >/dev/null || skip "no setpriv"
	setpriv --bounding-set=-syslog head -n 1 /proc/kallsyms >line 2>/dev/null || skip "not root"
	grep -q '^0* ' line || skip "this kernel hides nothing: sysctl kernel.perf_event_paranoid=1"
	id=$(od -An -v -tx1 -j 16 -N 20 /sys/kernel/notes | tr -d ' \n')
	[ ${#id} -eq 40 ] || skip "this kernel has no build id"
	kernel "$(uname -r)" "$id" 0xffffffff81000000 0xffffffff81000000 "$(sample 0xffffffff81000010)"
	run --separate-stderr setpriv --bounding-set=-syslog "$flamefold" fold --buildid-dir= p.data
	[ "$status" -eq 0 ]
	[ "$(grep -c "addresses in '/proc/kallsyms' are hidden (kptr_restrict): read after 'sudo sysctl" <<<"$stderr")" -eq 1 ]
	[[ $output == "$unnamed" ]]
}

# Of the recording's own kallsyms nobody has to doubt; but it has neither sizes nor what was inlined.
@test "vmlinux of the recorded build goes before a kallsyms that was recorded" {
	local address type name

	vmlinux vmlinux
	moved_kernel
	mkdir -p there/kcore_dir system/boot
	mv p.data there/data
	ln -s there p.data
	nm vmlinux | while read -r address type name; do
		printf '%x %s %s\n' $((0x$address + shift)) "$type" "${name/#known_/recorded_}"
	done >there/kcore_dir/kallsyms
	is 'sh;recorded_work 1' --symfs system
	cp vmlinux system/boot/vmlinux-6.1.0-test
	is "$named" --symfs system
	vmlinux system/boot/vmlinux-6.1.0-test -DOTHER -O1
	is 'sh;recorded_work 1' --symfs system
}
