#define _GNU_SOURCE
/*
 * A signal on the first instruction of a function. Its address is no return address:
 * looked up one byte before, it is of the function before, whose rows say that there is
 * a frame of 256 bytes.
 *
 *	main -> caller -> first, signal, handler -> handle, never wide
 *
 * usage: first TIMES
 */
#include "frame.h"
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

static volatile unsigned sink;

void first(void);
void wide(void);

__asm__(".text\n"
	".globl wide\n"
	".type wide, @function\n"
	"wide:\n"
	".cfi_startproc\n"
	"sub $256, %rsp\n"
	".cfi_def_cfa_offset 264\n"
	"call abort\n"
	".cfi_endproc\n"
	".size wide, . - wide\n"
	".globl first\n"
	".type first, @function\n"
	"first:\n"
	".cfi_startproc\n"
	"ud2\n"
	"ret\n"
	".cfi_endproc\n"
	".size first, . - first\n");

FRAME unsigned handle(unsigned rounds)
{
	return busy(rounds);
}

FRAME void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)info;
	sink += handle(100000 + number);
	AFTER_CALL();
	interrupted->uc_mcontext.gregs[REG_RIP] += 2;
}

FRAME void caller(void)
{
	first();
	AFTER_CALL();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;

	if (sigaction(SIGILL, &action, NULL) != 0)
		return 1;
	while (times--)
		caller();
	if (times == 42)
		wide();
	return 0;
}
