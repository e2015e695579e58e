/*
 * A few bytes between two ranges of rows, left out on purpose, as clone() does: the rows before
 * would lead to what lies on the stack, which is an address of code but no return address.
 *
 *	main -> around -> (gap), never wrong
 *
 * usage: gap TIMES
 */
#include "frame.h"
#include <stdlib.h>

unsigned around(unsigned n);
void wrong(void);

__asm__(".text\n"
	".globl wrong\n"
	".type wrong, @function\n"
	"wrong:\n"
	".cfi_startproc\n"
	"nop; nop; nop; nop; nop; nop; nop; nop\n"
	"ret\n"
	".cfi_endproc\n"
	".size wrong, . - wrong\n"
	".globl around\n"
	".type around, @function\n"
	"around:\n"
	".cfi_startproc\n"
	"lea 8 + wrong(%rip), %rax\n"
	"push %rax\n"
	".cfi_endproc\n"
	"0:\n"
	"dec %edi\n"
	"jnz 0b\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"pop %rax\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size around, . - around\n");

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += around(3000);
	if (sum == 42)
		wrong();
	return 0;
}
