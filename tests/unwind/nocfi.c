/*
 * Code of which no row is known, written by hand: main -> outside -> framed -> inside ->
 * leaf, where framed has a frame pointer; and main -> outside -> frameless, a leaf
 * without anything.
 *
 * usage: nocfi TIMES
 */
#include "frame.h"
#include <stdlib.h>

unsigned framed(unsigned n);
unsigned frameless(unsigned n);

__asm__(".text\n"
	".globl framed\n"
	".type framed, @function\n"
	"framed:\n"
	"push %rbp\n"
	"mov %rsp, %rbp\n"
	"sub $80, %rsp\n"
	"call inside\n"
	"leave\n"
	"ret\n"
	".size framed, . - framed\n"
	".globl frameless\n"
	".type frameless, @function\n"
	"frameless:\n"
	"mov %edi, %eax\n"
	"0:\n"
	"imul $1103515245, %eax, %eax\n"
	"dec %edi\n"
	"jnz 0b\n"
	"ret\n"
	".size frameless, . - frameless\n");

FRAME unsigned leaf(unsigned rounds)
{
	return busy(rounds);
}

FRAME unsigned inside(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x + 1;
}

FRAME unsigned outside(unsigned n)
{
	unsigned x = framed(n) + frameless(n);

	AFTER_CALL();
	return x + 1;
}

int main(int argc, char **argv)
{
	unsigned times = argc > 1 ? atoi(argv[1]) : 1;
	volatile unsigned sum = 0;

	while (times--)
		sum += outside(3000);
	return sum == 42;
}
