/*
 * torture KIND MAP [SECONDS]: makes code in memory of that KIND (anon, memfd, named),
 * writes MAP, which tells lies about it in every way that runtimes do, and runs each
 * function for the same time on a processor. Code has frame pointers and calls nothing.
 *
 *	fNN at NN * 256: spins as often as its argument says
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

enum { FUNCTIONS = 12, APART = 256, SIZE = 1 << 16 };

typedef void function(uint64_t times);

#if defined(__x86_64__)
static const uint8_t code[] = {
	0x55, 0x48, 0x89, 0xe5, /* push %rbp; mov %rsp, %rbp */
	0x48, 0xff, 0xcf, /* dec %rdi */
	0x75, 0xfb, /* jne */
	0x5d, 0xc3, /* pop %rbp; ret */
};
#elif defined(__aarch64__)
static const uint8_t code[] = {
	0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, /* stp; mov */
	0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, /* subs; b.ne */
	0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6, /* ldp; ret */
};
#else
#error no code for this machine
#endif

static uint8_t *map_code(const char *kind)
{
	int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	uint8_t *writable, *p;

	if (strcmp(kind, "memfd") == 0) {
		fd = memfd_create("doublemapper", 0);
		flags = MAP_SHARED;
		if (fd < 0 || ftruncate(fd, SIZE) < 0)
			return NULL;
	}
	writable = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (writable == MAP_FAILED)
		return NULL;
	for (int i = 0; i < FUNCTIONS; i++)
		memcpy(writable + i * APART, code, sizeof(code));
	if (fd >= 0) {
		p = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, flags, fd, 0);
		return p == MAP_FAILED ? NULL : p;
	}
	if (strcmp(kind, "named") == 0 &&
	    prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, writable, SIZE, "my runtime") < 0) {
		fputs("no names for anonymous memory\n", stderr);
		exit(77);
	}
	if (mprotect(writable, SIZE, PROT_READ | PROT_EXEC) < 0)
		return NULL;
	return writable;
}

static void write_map(FILE *out, const uint8_t *p)
{
	uint64_t at = (uintptr_t)p;

#define F(n) (at + (n) * (uint64_t)APART)
	fprintf(out, "%" PRIx64 " %x plain\n", F(0), APART);
	fprintf(out, "0x%016" PRIx64 " 0x%016x both_with_0x\n", F(1), APART);
	fprintf(out, "%" PRIX64 " %X UPPER\r\n", F(2), APART);
	fprintf(out, "%" PRIx64 " %x f\n", F(3), APART);
	fprintf(out, "%" PRIx64 " %x int T.with spaces(int; long)\n", F(4), APART);
	fprintf(out, "%" PRIx64 " %x old_name\n", F(5), APART);
	fprintf(out, "%" PRIx64 " %x new_name\n", F(5), APART);
	/* An inner one that is over before the function begins to spin ... */
	fprintf(out, "%" PRIx64 " %x outer\n", F(6), APART);
	fprintf(out, "%" PRIx64 " 4 inner\n", F(6));
	/* ... a size of 0, and something of which only the end is another's. */
	fprintf(out, "%" PRIx64 " %x covered\n", F(7), APART);
	fprintf(out, "%" PRIx64 " 0 nothing\n", F(7));
	fprintf(out, "%" PRIx64 " %x overlapping\n", F(8) - 16, APART);
	fprintf(out, "%" PRIx64 " %x bad \xff\xfe utf8 <&\"'>\n", F(9), APART);
	fprintf(out, "garbage\n\n12\n%" PRIx64 "\n-1 5 x\n", F(10));
	fprintf(out, "%" PRIx64 " ffffffffffffffff everything\n", F(10));
	fprintf(out, "%" PRIx64 " %x last\n", F(11), APART);
	fprintf(out, "%" PRIx64 " %x torn", F(0), APART);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double each = (argc > 3 ? atof(argv[3]) : 0.6) / FUNCTIONS, until;
	char path[64];
	uint8_t *p;
	FILE *map;

	if (argc < 3)
		return 2;
	p = map_code(argv[1]);
	snprintf(path, sizeof(path), argv[2], (int)getpid());
	map = p ? fopen(path, "w") : NULL;
	if (!map) {
		perror(p ? path : argv[1]);
		return 1;
	}
	write_map(map, p);
	fclose(map);
	for (int i = 0; i < FUNCTIONS; i++) {
		function *f = (function *)(void *)(p + i * APART);

		for (until = now() + each; now() < until;)
			f(100000);
	}
	printf("%d\n", (int)getpid());
	return 0;
}
