/*
 * A call that does not come back is the last instruction of its function: the return
 * address belongs to the function behind it, whose rows say something else.
 *
 *	main -> doomed -> spend, never innocent
 */
#include "frame.h"
#include <stdlib.h>

static volatile unsigned sink;

FRAME void spend(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink += busy(1000);
	exit(0);
}

void doomed(unsigned rounds);
void innocent(void);

/* In this order and without padding between them. */
__asm__(".text\n"
	".globl doomed\n"
	".type doomed, @function\n"
	"doomed:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"sub $48, %rsp\n"
	"call spend\n"
	".cfi_endproc\n"
	".size doomed, . - doomed\n"
	".globl innocent\n"
	".type innocent, @function\n"
	"innocent:\n"
	".cfi_startproc\n"
	"ret\n"
	".cfi_endproc\n"
	".size innocent, . - innocent\n");

int main(int argc, char **argv)
{
	doomed(argc > 1 ? atoi(argv[1]) : 1);
	innocent();
	return 0;
}
