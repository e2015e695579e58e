#!/usr/bin/env bats
# Names: demangling, clones, code without symbols.
bats_require_minimum_version 1.5.0

load recordings

setup()
{
	cd "$BATS_TEST_TMPDIR" || exit 1
	export FLAMEFOLD=$flamefold
}

spell=$(dirname "$flamefold")/tests/names/spell

# same_as_cxxfilt FILE: the names of all of its symbols.
same_as_cxxfilt()
{
	command -v c++filt >/dev/null || skip "no c++filt"
	[ -f "$1" ] || skip "no $1"
	"$root/tests/names/compare" "$spell" "$1"
}

@test "names of the C++ library, against c++filt" {
	local file
	file=$(c++ -print-file-name=libstdc++.so.6)
	same_as_cxxfilt "$file"
	file=$(c++ -print-file-name=libstdc++.a)
	same_as_cxxfilt "$file"
}

@test "names of the C++ compiler, against c++filt" {
	same_as_cxxfilt "$(c++ -print-prog-name=cc1plus)"
}

@test "names of LLVM, against c++filt" {
	local file=
	for file in /usr/lib/x86_64-linux-gnu/libLLVM-*.so.1 /usr/lib/llvm-*/lib/libLLVM-*.so; do
		[ ! -f "$file" ] || break
	done
	same_as_cxxfilt "$file"
}

@test "names of node, against c++filt" {
	same_as_cxxfilt "$(realpath "$(command -v node)")"
}

@test "the table of templates is sorted, as looking up in it needs" {
	sed -n '/^static const struct template templates/,/^};/s/^\t{ "\([^"]*\)".*/\1/p' \
		"$root/src/symbol/standard.c" >names
	[ "$(wc -l <names)" -gt 50 ]
	LC_ALL=C sort -uc names
}

# What would be cut wrongly is seen.
@test "the comparison can fail" {
	command -v c++filt >/dev/null || skip "no c++filt"
	cat >cut <<-'END'
		#!/bin/sh
		case $1 in
		full) c++filt -i ;;
		perf) c++filt -p -i ;;
		short) c++filt -p -i | sed 's/(.*//' ;;
		esac
	END
	chmod +x cut
	echo _ZNKSt8functionIFviEEclEi | "$root/tests/names/compare" "$spell"
	echo _ZNKSt8functionIFviEEclEi | run -1 "$root/tests/names/compare" ./cut
	echo _ZZ1fiENKUlcE_clEc | run -1 "$root/tests/names/compare" ./cut
	echo _ZNSt6vectorIiSaIiEE2atEm | "$root/tests/names/compare" "$spell"
	echo _ZNSt6vectorIiSaIiEE2atEm | run -1 "$root/tests/names/compare" ./cut
	echo _ZNSt6vectorIiSaIcEE2atEm | "$root/tests/names/compare" "$spell"
	sed -i "s/'s\/(.*\/\/'/'s\/, std::allocator<[^>]*> \/\/'/; s/^esac/shorten) cat ;; &/" cut
	echo _ZNSt6vectorIiSaIiEE2atEm | "$root/tests/names/compare" ./cut
	echo _ZNSt6vectorIiSaIcEE2atEm | run -1 "$root/tests/names/compare" ./cut
}

# A program whose functions have the names that its lines give them, and a recording with a
# sample in each, in this order.
recorded()
{
	local number=0 names=() name

	command -v gcc >/dev/null || skip "no gcc"
	while IFS= read -r name; do
		names+=("$name")
		number=$((number + 1))
		echo "int f$number(int n) __asm__(\"$name\");"
		echo "int f$number(int n) { return n + $number; }"
	done >program.c
	echo 'int main(void) { return 0; }' >>program.c
	gcc -O1 -no-pie -o program program.c "$@"
	{
		echo "attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all"
		echo "feature arch=x86_64"
		echo "comm pid=1 name=pp time=1"
		readelf -lW program | awk '/LOAD.*R E/ {
			print "mmap2 pid=1 start=" $3 " len=" $6 " off=" $2 " prot=5 name='"$PWD"'/program time=1" }'
		for name in "${names[@]}"; do
			echo "sample pid=1 time=$((number += 1)) ip=0x$(nm program | awk -v name="$name" '$3 == name { print $1 }')"
		done
	} >recording.pd
	"$build" -o recording.data recording.pd
}

# folds_to [OPTION...]: to the lines of standard input, without counts.
folds_to()
{
	"$flamefold" fold --quiet "$@" recording.data | sed 's/^pp;//; s/ [0-9]*$//' >got
	LC_ALL=C sort | diff - got
}

@test "without parameters, with them, or mangled" {
	recorded <<-'END'
		_ZN1AcvPFviEEv
		_ZN3foo3barEiPKc
		_ZNKSt8functionIFviEEclEi
		_ZNK1A1fIiEET_v.isra.0
		_ZZ1fiENKUlcE_clEc
		_RNvC6_123foo3bar
		_ZN4core3fmt5write17h0123456789abcdefE
		_D3foo3barFDFaZiZv
		plain.part.0
	END
	folds_to <<-'END'
		A::operator void (*)(int)
		foo::bar
		std::function<void (int)>::operator()
		A::f<int>
		f::{lambda(char)#1}::operator()
		123foo::bar
		core::fmt::write
		foo.bar
		plain.part.0
	END
	"$flamefold" fold --demangle=short recording.data >short
	"$flamefold" fold recording.data | cmp - short
	folds_to --demangle=full <<-'END'
		A::operator void (*)(int)()
		foo::bar(int, char const*)
		std::function<void (int)>::operator()(int) const
		int A::f<int>() const [clone .isra.0]
		f(int)::{lambda(char)#1}::operator()(char) const
		123foo::bar
		core::fmt::write
		foo.bar(int(char) delegate)
		plain.part.0
	END
	folds_to --demangle=no <<-'END'
		_ZN1AcvPFviEEv
		_ZN3foo3barEiPKc
		_ZNKSt8functionIFviEEclEi
		_ZNK1A1fIiEET_v.isra.0
		_ZZ1fiENKUlcE_clEc
		_RNvC6_123foo3bar
		_ZN4core3fmt5write17h0123456789abcdefE
		_D3foo3barFDFaZiZv
		plain.part.0
	END
}

@test "names of the C++ library are those that people write" {
	recorded <<-'END'
		_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm
		_ZNSt6vectorIiSaIiEE2atEm
		_ZNSt6vectorIi2myE2atEm
		_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEE2atERS9_
		_ZNSt3__16vectorINS_10unique_ptrI1ANS_14default_deleteIS2_EEEENS_9allocatorIS5_EEE2atEm
	END
	folds_to <<-'END'
		std::map<std::string, int>::at
		std::string::_M_append
		std::vector<int, my>::at
		std::vector<int>::at
		std::vector<std::unique_ptr<A> >::at
	END
	folds_to --demangle=full <<-'END'
		std::__1::vector<std::__1::unique_ptr<A, std::__1::default_delete<A> >, std::__1::allocator<std::__1::unique_ptr<A, std::__1::default_delete<A> > > >::at(unsigned long)
		std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*, unsigned long)
		std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int, std::less<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >, std::allocator<std::pair<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const, int> > >::at(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)
		std::vector<int, my>::at(unsigned long)
		std::vector<int, std::allocator<int> >::at(unsigned long)
	END
}

@test "to be compatible they are perf's, cut where stackcollapse-perf.pl cuts" {
	recorded <<-'END'
		_ZNKSt8functionIFviEEclEi
		_ZZ1fiENKUlcE_clEc
		_D3foo3barFDFaZiZv
	END
	folds_to --compat=stackcollapse <<-'END'
		std::function<void 
		f
		_D3foo3barFDFaZiZv
	END
}

@test "a word that is no way to demangle is refused" {
	run -2 "$flamefold" fold --demangle=maybe recording.data
	[[ $output == *"option '--demangle' takes short, full or no, not 'maybe'"* ]]
	run -2 "$flamefold" fold --unnamed=maybe recording.data
	[[ $output == *"option '--unnamed' takes function, object or address, not 'maybe'"* ]]
}

@test "clones can be one with what they are clones of" {
	recorded <<-'END'
		f
		f.isra.0
		f.constprop.0.cold
		g.part.0
		g.lto_priv.1
		g.llvm.123
		_Z1hi
		_Z1hi.cold
		k.0
	END
	"$flamefold" fold --quiet recording.data | grep -c '' | grep -x 8
	"$flamefold" fold --quiet --merge-clones recording.data >merged
	printf '%s\n' 'pp;f 3' 'pp;g 3' 'pp;h 2' 'pp;k.0 1' | diff - merged
	"$flamefold" fold --quiet --merge-clones --demangle=full recording.data |
		grep -x 'pp;h(int) 2'
}

@test "clones in folded text and pictures" {
	printf '%s\n' 'pp;f.isra.0_[k];g 1' 'pp;f_[k];g.part.0 2' 'pp;f.cold_[k];g(int) [clone .cold] 4' >in.folded
	"$flamefold" fold --quiet in.folded | sort | diff <(sort in.folded) -
	"$flamefold" fold --quiet --merge-clones in.folded >merged
	printf '%s\n' 'pp;f_[k];g 3' 'pp;f_[k];g(int) 4' | diff - merged
	"$flamefold" --quiet -o in.svg in.folded
	"$flamefold" fold --quiet --merge-clones in.svg | diff - merged
	recorded <<-'END'
		f
		f.isra.0
	END
	"$flamefold" --quiet -o in.svg recording.data
	"$flamefold" fold --quiet --merge-clones in.svg | diff <(echo 'pp;f 2') -
}

@test "names of Go are left alone" {
	recorded <<-'END'
		go_method
		go_generic
	END
	objcopy --redefine-sym 'go_method=net/http.(*Client).Do' \
		--redefine-sym 'go_generic=main.f[go.shape.struct { F func(int) }].func1(x)' program
	for how in short full no; do
		folds_to --demangle=$how <<-'END'
			net/http.(*Client).Do
			main.f[go.shape.struct { F func(int) }].func1(x)
		END
	done
}

@test "versions of symbols are left out" {
	recorded <<-'END'
		versioned
		_Z3fooi
	END
	objcopy --redefine-sym versioned=versioned@@LIB_1.0 --redefine-sym _Z3fooi=_Z3fooi@LIB_1.0 program
	printf '%s\n' versioned foo | folds_to
	printf '%s\n' versioned 'foo(int)' | folds_to --demangle=full
	printf '%s\n' versioned@@LIB_1.0 _Z3fooi@LIB_1.0 | folds_to --demangle=no
	printf '%s\n' versioned@@LIB_1.0 foo | folds_to --compat=stackcollapse
}

@test "the kernel's are C, or Rust" {
	cat >kallsyms <<-'END'
		ffffffff81000000 T _text
		ffffffff81000100 t _RNvC6_123foo3bar
		ffffffff81000200 t _ZN3foo3barEv
		ffffffff81000300 t f.isra.0
		ffffffff81000400 T f
		ffffffff81000500 T _etext
	END
	"$build" -o recording.data - <<-'END'
		attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all
		comm pid=1 name=pp time=1
		mmap pid=-1 start=0xffffffff81000000 len=0x1000000 off=0xffffffff81000000 mode=kernel name=[kernel.kallsyms]_text time=1
		repeat i 4
		sample pid=1 time={i + 2} ip={0xffffffff81000110 + 256 * i} mode=kernel
		end
	END
	folds_to --kallsyms=kallsyms --symfs="$PWD" <<-'END'
		123foo::bar
		_ZN3foo3barEv
		f
		f.isra.0
	END
	folds_to --kallsyms=kallsyms --symfs="$PWD" --merge-clones <<-'END'
		123foo::bar
		_ZN3foo3barEv
		f
	END
	folds_to --kallsyms=kallsyms --symfs="$PWD" --compat=stackcollapse <<-'END'
		_RNvC6_123foo3bar
		_ZN3foo3barEv
		f
		f.isra.0
	END
}

# Go has functions of any name.
@test "clones of Go are none" {
	recorded <<-'END'
		main.cold
		main.f
	END
	printf 'x' >note
	"$flamefold" fold --quiet --merge-clones recording.data | grep -x 'pp;main 1'
	objcopy --add-section .note.go.buildid=note program
	"$flamefold" fold --quiet --merge-clones recording.data | grep -x 'pp;main.cold 1'
}

@test "code without symbols goes by where its function begins" {
	local start
	recorded <<-'END'
		first
		second
	END
	start=$(nm program | awk '$3 == "second" { sub(/^0*/, "", $1); print $1 }')
	# Another address of it.
	sed -i "\$s/ip=.*/ip=0x$start\\nsample pid=1 time=90 ip=$((0x$start + 1))/" recording.pd
	"$build" -o recording.data recording.pd
	strip program
	"$flamefold" fold --quiet recording.data >got
	grep -x "pp;\[program+0x$start\] 2" got
	[ "$(wc -l <got)" -eq 2 ]
	"$flamefold" fold --quiet --unnamed=function recording.data | cmp - got
	[ "$("$flamefold" fold --quiet --unnamed=object recording.data)" = 'pp;[program] 3' ]
	[ "$("$flamefold" fold --quiet --compat=stackcollapse recording.data)" = 'pp;[program] 3' ]
	"$flamefold" fold --quiet --addrs recording.data >addresses
	[ "$(grep -c '^pp;\[program <[0-9a-f]*>\] 1$' addresses)" -eq 3 ]
	"$flamefold" fold --quiet --unnamed=address recording.data | cmp - addresses
	# They still count as without a symbol.
	"$flamefold" fold --stats recording.data 2>&1 >got | grep -E '^ *without symbol +3$'
	# Without call frame information there is nothing to go by.
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr program
	[ "$("$flamefold" fold --quiet recording.data)" = 'pp;[program] 3' ]
}

@test "symbols with one text for all of their names take no memory that the file has not" {
	command -v gcc >/dev/null || skip "no gcc"
	# 3,000 functions, and a name of 16,000 bytes.
	{
		echo ".text"
		for i in {1..3000}; do
			echo ".type f$i, @function; .globl f$i; f$i: .zero 16; .size f$i, 16"
		done
		printf '.globl %s\n%s:\n' "$(printf 'long%.0s' {1..4000})" "$(printf 'long%.0s' {1..4000})"
	} >program.s
	gcc -nostdlib -static -no-pie -Wl,-e,f1 -o program program.s
	# Each function is called by the long name, each from another byte on.
	python3 - <<-'END'
		import struct
		data = bytearray(open("program", "rb").read())
		at, = struct.unpack_from("<Q", data, 40)
		sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + 64 * i)
		            for i in range(struct.unpack_from("<H", data, 60)[0])]
		table = next(section for section in sections if section[1] == 2)
		names = sections[table[6]][4]
		first = data.index(b"\0long", names) + 1 - names
		starts = []
		for symbol in range(table[4], table[4] + table[5], 24):
		    name, info, _, _, value, size = struct.unpack_from("<IBBHQQ", data, symbol)
		    if size == 16:
		        struct.pack_into("<I", data, symbol, first + len(starts))
		        starts.append(value)
		open("program", "wb").write(data)
		with open("recording.pd", "w") as text:
		    print("attr name=cycles sample_type=IP,TID,TIME flags=sample_id_all\nfeature arch=x86_64\n"
		          "comm pid=1 name=pp time=1", file=text)
		    head, = struct.unpack_from("<Q", data, 32)
		    for i in range(struct.unpack_from("<H", data, 56)[0]):
		        kind, flags, offset, address, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", data, head + 56 * i)
		        if kind == 1 and flags & 1:
		            print("mmap2 pid=1 start=%#x len=%#x off=%#x prot=5 name=%s/program time=1" % (
		                address, size, offset, __import__("os").getcwd()), file=text)
		    for i, value in enumerate(starts):
		        print("sample pid=1 time=%d ip=%#x" % (i + 2, value), file=text)
	END
	"$build" -o recording.data recording.pd
	"$flamefold" fold --quiet recording.data >got
	grep -q '^pp;longlong[long]* 1$' got
	[ "$(grep -c '\[program' got)" -eq 0 ]
	[ "$(awk '{ sum += $NF } END { print sum }' got)" -eq 3000 ]
	# All of the names would be 45 MB.
	[ "$(stat -c %s got)" -lt 24000000 ]
}

# What has called is before the address it returns to. But nobody calls what the kernel or
# makecontext() leaves on a stack, which begins with that address.
@test "a return address that is a first byte is that function, unless a call is before it" {
	local chain= name

	[ "$(uname -m)" = x86_64 ] || skip "code for x86-64"
	command -v gcc >/dev/null || skip "no gcc"
	cat >program.s <<-'END'
		.macro function name
		.globl \name
		.type \name, @function
		\name:
		.endm
		.macro done name
		.size \name, . - \name
		.endm
		.text
		function noreturn
		nop
		call _start
		done noreturn
		function behind
		nop
		ret
		done behind
		function before
		.fill 8, 1, 0x90
		ret
		done before
		function trampoline
		mov $15, %eax
		syscall
		done trampoline
		.fill 16, 1, 0x90
		function alone
		nop
		ret
		done alone
		function _start
		ret
		done _start
	END
	gcc -nostdlib -static -no-pie -o program program.s
	for name in _start behind trampoline alone; do
		chain+=,0x$(nm program | awk -v name="$name" '$3 == name { print $1 }')
	done
	{
		echo "attr name=cycles sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all"
		echo "feature arch=x86_64"
		echo "comm pid=1 name=pp time=1"
		readelf -lW program | awk '/LOAD.*R E/ {
			print "mmap2 pid=1 start=" $3 " len=" $6 " off=" $2 " prot=5 name='"$PWD"'/program time=1" }'
		echo "sample pid=1 time=2 mode=user ip=${chain:1:18} chain=U$chain"
	} >recording.pd
	"$build" -o recording.data recording.pd
	echo "alone;trampoline;noreturn;_start" | folds_to
}
