// truth O0: gcc -O0 -I$HERE -o $BIN $SRC
// truth O1-fp: gcc -O1 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2-fp: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O3-fp: gcc -O3 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth Os-fp: gcc -Os -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -g -I$HERE -o $BIN $SRC
// truth leaf: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth nopie: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fno-pie -no-pie -I$HERE -o $BIN $SRC
// truth static: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static -I$HERE -o $BIN $SRC
// truth static-leaf: gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -static -I$HERE -o $BIN $SRC
// truth static-pie: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static-pie -I$HERE -o $BIN $SRC
// truth musl: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth musl-leaf: musl-gcc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth musl-static: musl-gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static -I$HERE -o $BIN $SRC
// truth clang-fp: clang -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth clang-leaf: clang -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth clang-lto: clang -O2 -flto -fuse-ld=lld -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth lto: gcc -O2 -flto -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth debuglink: gcc -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC && objcopy --only-keep-debug $BIN $BIN.debug && strip $BIN && objcopy --add-gnu-debuglink=$BIN.debug $BIN
// truth minidebug: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC && nm $BIN --format=posix --defined-only | awk '$2 == "T" || $2 == "t" { print $1 }' >$BIN.keep && objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=$BIN.keep $BIN $BIN.mini && strip $BIN && rm -f $BIN.mini.xz && xz $BIN.mini && objcopy --add-section .gnu_debugdata=$BIN.mini.xz $BIN
// truth dynsym: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -DSHOW -rdynamic -I$HERE -o $BIN $SRC && strip $BIN
// truth nosections: gcc -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -DSHOW -rdynamic -I$HERE -o $BIN $SRC && objcopy --strip-section-headers $BIN 2>/dev/null || python3 $HERE/nosections.py $BIN
// truth compressed: gcc -O2 -g -gz=zlib -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth shstk: gcc -O2 -fcf-protection=full -fno-omit-frame-pointer -momit-leaf-frame-pointer -mno-red-zone -I$HERE -o $BIN $SRC
// truth m32: gcc -m32 -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth m32-leaf: gcc -m32 -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -I$HERE -o $BIN $SRC
// truth m32-static: gcc -m32 -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static -I$HERE -o $BIN $SRC
// Plain calls, three deep, some of them tail calls' neighbours; only how it is built differs.
#include "truth.h"

#ifdef SHOW
#define FUNCTION TRUTH_NOINLINE
#else
#define FUNCTION TRUTH_NOINLINE static
#endif

FUNCTION void leaf_one(unsigned long n)
{
	TRUTH_SPIN(n);
}

FUNCTION void leaf_two(unsigned long n)
{
	TRUTH_FRAMED_SPIN(2 * n);
}

FUNCTION void inner(unsigned long n)
{
	leaf_one(n);
	TRUTH_STAY();
}

FUNCTION void middle(unsigned long n)
{
	inner(n);
	TRUTH_STAY();
}

FUNCTION void other(unsigned long n)
{
	leaf_two(n);
	TRUTH_STAY();
}

FUNCTION void outer(unsigned long n)
{
	other(n);
	TRUTH_STAY();
}

int main(void)
{
	while (truth_more()) {
		TRUTH("main;middle;inner;leaf_one", middle(12 * TRUTH_MS));
		TRUTH("main;inner;leaf_one", inner(6 * TRUTH_MS));
		TRUTH("main;outer;other;leaf_two", outer(10 * TRUTH_MS));
		TRUTH("main;leaf_two", leaf_two(4 * TRUTH_MS));
	}
	return 0;
}
