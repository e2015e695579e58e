/*
 * Stacks that begin where they should, and such that lose their beginning: compile this with frame
 * pointers, and -DLEAF_FRAME.
 *
 *	main -> work -> leaf
 *	on_thread -> work -> leaf	of a thread
 *	main -> lost -> leaf		lost() has put garbage into the frame pointer
 *	main -> sorts -> (qsort) -> compare -> leaf	the C library keeps none
 *
 * usage: roots TIMES
 */
#include "frame.h"
#include <pthread.h>
#include <stdlib.h>

static unsigned rounds;

FRAME unsigned leaf(unsigned n)
{
	LEAF();
	return busy(n);
}

FRAME unsigned work(unsigned n)
{
	unsigned x = leaf(n);

	AFTER_CALL();
	return x + 1;
}

/* Calls leaf() with a frame pointer that leads to words which are no frame. */
static const void *const nowhere[] = { NULL, "garbage" };
unsigned lost(unsigned n, const void *fp);
__asm__(".text\n.globl lost\n.type lost, @function\nlost:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	"mov %rsi, %rbp\n"
	"call leaf\n"
	"pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size lost, . - lost\n");

static int compare(const void *a, const void *b)
{
	leaf(2000);
	AFTER_CALL();
	return *(const int *)a - *(const int *)b;
}

FRAME int sorts(void)
{
	int v[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	qsort(v, sizeof(v) / sizeof(*v), sizeof(*v), compare);
	AFTER_CALL();
	return v[0];
}

static void *on_thread(void *arg)
{
	for (unsigned i = 0; i < rounds; i++)
		work(20000);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	if (pthread_create(&thread, NULL, on_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < rounds; i++) {
		work(20000);
		lost(20000, nowhere);
		sorts();
	}
	return 0;
}
