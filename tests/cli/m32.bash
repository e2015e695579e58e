# What the tests of 32-bit programs share: load m32
# shellcheck shell=bash

# Building them does not say that they run: a kernel may be without IA32 emulation.
need_32_bits()
{
	[ "$(uname -m)" = x86_64 ] || skip "programs for x86-64"
	echo 'int main(void) { return 0; }' >nothing.c
	"${CC:-cc}" -m32 -o nothing nothing.c 2>/dev/null || skip "no compiler for 32 bits"
	./nothing || skip "no programs of 32 bits run here"
}

# compile_32 OUTPUT SOURCE [FLAG]...: compile, with the headers that both sizes share
compile_32()
{
	compile "$@" -m32 -isystem "/usr/include/$(gcc -print-multiarch)"
}
