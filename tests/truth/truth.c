/* For programs of other languages that can call C. */
#include "truth.h"

void truth_start(void);
void truth_stop(const char *stack);
int truth_go_on(void);
void truth_spin(unsigned long n);

static __thread uint64_t started;

void truth_start(void)
{
	started = truth_now();
}

void truth_stop(const char *stack)
{
	truth_add(stack, truth_now() - started);
}

int truth_go_on(void)
{
	return truth_more();
}

void truth_spin(unsigned long n)
{
	TRUTH_FRAMED_SPIN(n);
}
