// truth map: gcc -O2 -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth dump: gcc -O2 -DDUMP -fno-omit-frame-pointer -I$HERE -o $BIN $SRC
// truth dump-O2 (nofp): gcc -O2 -DDUMP -I$HERE -o $BIN $SRC
// Code made at run time whose leaves keep no frame, and whose callers are such code, too: named by /tmp/perf-PID.map,
// or by a jitdump, which has its bytes and leaves out what machine it is for, as CPython's does.
#include "truth.h"
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

static unsigned char *code;

/* void f(unsigned long n): 1: dec %rdi; jnz 1b; ret */
static const unsigned char frameless[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
/* push %rbp; mov %rsp,%rbp; sub $16,%rsp; 1: dec %rdi; jnz 1b; leave; ret */
static const unsigned char variables[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10,
					   0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc9, 0xc3 };
/* void f(unsigned long n, leaf g): push %rbp; mov %rsp,%rbp; call *%rsi; pop %rbp; ret */
static const unsigned char calls[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3 };
#ifdef DUMP
/* The same with one word of variables, where a call from the same place has left its return address. */
static const unsigned char left_over[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x08,
					   0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc9, 0xc3 };
#endif

typedef void (*leaf_function)(unsigned long n);
typedef void (*calling_function)(unsigned long n, leaf_function g);

#ifdef DUMP
static int dump = -1;

static void begin(void)
{
	uint32_t head[] = { 0x4a695444, 1, 40, 0, 0, (uint32_t)getpid(), 0, 0, 0, 0 };
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = open(path, O_CREAT | O_RDWR | O_TRUNC, 0666);
	if (write(dump, head, sizeof(head)) != sizeof(head) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		exit(1);
}

static void name_code(size_t offset, size_t size, const char *name)
{
	static uint64_t index;
	struct timespec now;
	uint64_t at = (uint64_t)(uintptr_t)(code + offset);
	uint32_t head[] = { 0, (uint32_t)(16 + 40 + strlen(name) + 1 + size) };
	uint32_t ids[] = { (uint32_t)getpid(), (uint32_t)getpid() };
	uint64_t load[] = { at, at, size, ++index }, time;
	FILE *f = fdopen(dup(dump), "a");

	clock_gettime(CLOCK_MONOTONIC, &now);
	time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	fwrite(head, sizeof(head), 1, f);
	fwrite(&time, sizeof(time), 1, f);
	fwrite(ids, sizeof(ids), 1, f);
	fwrite(load, sizeof(load), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	fwrite(code + offset, size, 1, f);
	fclose(f);
}
#else
static FILE *map;

static void begin(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
}

static void name_code(size_t offset, size_t size, const char *name)
{
	fprintf(map, "%lx %zx %s\n", (unsigned long)(code + offset), size, name);
	fflush(map);
}
#endif

static void *put(size_t offset, const unsigned char *bytes, size_t size, const char *name)
{
	memcpy(code + offset, bytes, size);
	name_code(offset, size, name);
	return code + offset;
}

TRUTH_NOINLINE static void native(calling_function f, unsigned long n, leaf_function g)
{
	f(n, g);
	TRUTH_STAY();
}

/* A call of a call, and then the leaf alone, which lies over what those have left. */
TRUTH_NOINLINE static void again(calling_function f, unsigned long n, leaf_function g,
				 leaf_function h)
{
	f(1, g);
	h(n);
	TRUTH_STAY();
}

int main(void)
{
	code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	begin();

	leaf_function without =
		(leaf_function)put(0, frameless, sizeof(frameless), "jit_frameless");
	leaf_function with =
		(leaf_function)put(256, variables, sizeof(variables), "jit_variables");
	calling_function caller =
		(calling_function)put(512, calls, sizeof(calls), "jit_calls");
#ifdef DUMP
	leaf_function over =
		(leaf_function)put(768, left_over, sizeof(left_over), "jit_left_over");
#endif

	while (truth_more()) {
		TRUTH("main;native;jit_calls;jit_frameless",
		      native(caller, 10 * TRUTH_MS, without));
		TRUTH("main;native;jit_calls;jit_variables",
		      native(caller, 10 * TRUTH_MS, with));
		TRUTH("main;again;jit_frameless",
		      again(caller, 10 * TRUTH_MS, without, without));
		TRUTH("main;again;jit_variables",
		      again(caller, 10 * TRUTH_MS, without, with));
#ifdef DUMP
		TRUTH("main;again;jit_left_over",
		      again(caller, 10 * TRUTH_MS, without, over));
#endif
	}
	return 0;
}
