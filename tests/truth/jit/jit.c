// truth fp: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth O2 (nofp): gcc -O2 -I$HERE -o $BIN $SRC
// truth reuse: gcc -O2 -DREUSE -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// Code made at run time and named by /tmp/perf-PID.map: with a frame, without one, one that calls another.
#include "truth.h"
#include <sys/mman.h>

static unsigned char *code;
static FILE *map;

/* void f(unsigned long n): framed: push %rbp; mov %rsp,%rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static const unsigned char framed[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
					0xcf, 0x75, 0xfb, 0x5d, 0xc3 };
/* 1: dec %rdi; jnz 1b; ret */
static const unsigned char frameless[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
/* void f(unsigned long n, void (*g)(unsigned long)): push %rbp; mov %rsp,%rbp; call *%rsi; pop %rbp; ret */
static const unsigned char calls[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3 };

typedef void (*leaf_function)(unsigned long n);
typedef void (*calling_function)(unsigned long n, leaf_function g);

static void *put(size_t offset, const unsigned char *bytes, size_t size, const char *name)
{
	memcpy(code + offset, bytes, size);
	fprintf(map, "%lx %zx %s\n", (unsigned long)(code + offset), size, name);
	fflush(map);
	return code + offset;
}

TRUTH_NOINLINE static void native(leaf_function f, unsigned long n)
{
	f(n);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void native_far(calling_function f, unsigned long n,
				      leaf_function g)
{
	f(n, g);
	TRUTH_STAY();
}

TRUTH_NOINLINE static void back(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}

int main(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!map || code == MAP_FAILED)
		return 1;
#ifdef REUSE
	/* One name's time, then the other's, at the same place. */
	put(0, framed, sizeof(framed), "jit_early");
	leaf_function place = (leaf_function)(void *)code;

	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < 40; i++) {
			if (half == 0)
				TRUTH("main;native;jit_early",
				      native(place, 10 * TRUTH_MS));
			else
				TRUTH("main;native;jit_late",
				      native(place, 10 * TRUTH_MS));
		}
		put(0, framed, sizeof(framed), "jit_late");
	}
	(void)native_far, (void)back, (void)frameless, (void)calls;
#else
	leaf_function with = (leaf_function)put(0, framed, sizeof(framed), "jit_framed");
	leaf_function without =
		(leaf_function)put(256, frameless, sizeof(frameless), "jit_frameless");
	calling_function caller =
		(calling_function)put(512, calls, sizeof(calls), "jit_calls");

	while (truth_more()) {
		TRUTH("main;native;"
		      "jit_framed",
		      native(with, 10 * TRUTH_MS));
		TRUTH("main;native;"
		      "jit_frameless",
		      native(without, 10 * TRUTH_MS));
		TRUTH("main;native_far;"
		      "jit_calls"
		      ";"
		      "jit_frameless",
		      native_far(caller, 10 * TRUTH_MS, without));
		TRUTH("main;native_far;"
		      "jit_calls"
		      ";back",
		      native_far(caller, 10 * TRUTH_MS, back));
	}
#endif
	return 0;
}
