/*
 * Stacks that cannot be followed to their root, each for another reason:
 *
 *	cut	more is on the stack than anybody copies
 *	large	the same, in one frame of 32 MiB
 *	no_cfi	a function of which nothing is known, and no frame pointer
 *	bad	a return address where no code is
 *	repeated	a frame that is its own caller
 *	deep	frames of 8 bytes, more than are followed
 *	odd	a frame pointer to words that are no addresses, for chains
 *
 * usage: reasons WHICH TIMES
 */
#include "frame.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static volatile unsigned sink;

unsigned unknown(unsigned n);
unsigned lying(unsigned n);
unsigned circling(unsigned n);
unsigned narrow(unsigned n, unsigned depth);
unsigned odd(unsigned n, const void *fp);

/* n rounds of what takes some nanoseconds */
#define SPEND                                                                            \
	"mov %edi, %eax\n"                                                               \
	"0: imul $1103515245, %eax, %eax\n"                                              \
	"dec %edi\n"                                                                     \
	"jnz 0b\n"
#define BEGIN(name) ".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"

/* The return address lies above three words, and rbp points at itself. */
__asm__(BEGIN(unknown) "push %rbp\n"
		       "push $1\n"
		       "push $2\n"
		       "mov $3, %ebp\n" SPEND "pop %rdx\n"
		       "pop %rdx\n"
		       "pop %rbp\n"
		       "ret\n" END(unknown));

/* What its rows call the return address is a number. */
__asm__(BEGIN(lying) ".cfi_startproc\n"
		     "push %rbp\n"
		     "mov $3, %ebp\n"
		     "push $0x12340\n" SPEND "pop %rdx\n"
		     "pop %rbp\n"
		     "ret\n"
		     ".cfi_endproc\n" END(lying));

/* Its rows find the return address of the function it calls again. */
__asm__(BEGIN(circling) ".cfi_startproc\n"
			"sub $24, %rsp\n"
			".cfi_def_cfa_offset 0\n"
			"call 1f\n"
			"add $24, %rsp\n"
			"ret\n"
			".cfi_endproc\n"
			"1: .cfi_startproc\n" SPEND "ret\n"
			".cfi_endproc\n" END(circling));

__asm__(BEGIN(narrow) ".cfi_startproc\n"
		      "dec %esi\n"
		      "jz 1f\n"
		      "call narrow\n"
		      "ret\n"
		      "1:\n" SPEND "ret\n"
		      ".cfi_endproc\n" END(narrow));

__asm__(BEGIN(odd) "push %rbp\n"
		   "mov %rsi, %rbp\n" SPEND "pop %rbp\n"
		   "ret\n" END(odd));

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned with_room(unsigned n)
{
	char room[100000];
	unsigned x;

	memset(room, (int)n, 16);
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(n);
	AFTER_CALL();
	return x + (unsigned)room[3];
}

FRAME unsigned with_much_room(unsigned n)
{
	char room[32 << 20];
	unsigned x;

	memset(room, (int)n, 16);
	__asm__ volatile("" : : "r"(room) : "memory");
	x = leaf(n);
	AFTER_CALL();
	return x + (unsigned)room[3];
}

/* A stack of that size is given to the next program. */
static void get_more_stack(char **argv)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= (48 << 20))
		return;
	limit.rlim_cur = 64 << 20;
	if (setrlimit(RLIMIT_STACK, &limit) < 0)
		exit(77);
	execv("/proc/self/exe", argv);
	exit(77);
}

FRAME unsigned once(const char *which, unsigned n)
{
	/* Two frame records, as a chain sees them: the second leads to the kernel's markers. */
	static void *records[4] = { &records[2], (void *)leaf, NULL, (void *)-4000l };

	switch (which[0]) {
	case 'c':
		return with_room(n);
	case 'l':
		return with_much_room(n);
	case 'n':
		return unknown(n);
	case 'b':
		return lying(n);
	case 'r':
		return circling(n);
	case 'd':
		/* By far longer than the calls and returns of the way there and back. */
		return narrow(10 * n, 7000);
	default:
		return odd(n, records);
	}
}

int main(int argc, char **argv)
{
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 1;

	if (argc < 2)
		return 2;
	if (argv[1][0] == 'l')
		get_more_stack(argv);
	for (unsigned i = 0; i < times; i++)
		sink += once(argv[1], 20000 + (i & 1));
	return 0;
}
