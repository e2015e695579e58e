/*
 * A kernel of three functions, linked by kernel.lds to where kernels are; -DBUILD=N makes
 * another build of it.
 */
#ifndef BUILD
#define BUILD 1
#endif

extern volatile int counter;
volatile int counter = BUILD;

static inline __attribute__((always_inline)) void count_up(int by)
{
	counter += by;
	counter ^= BUILD;
}

void known_syscall(int n);
void known_work(int n);

__attribute__((noinline)) void known_work(int n)
{
	for (int i = 0; i < n; i++)
		count_up(i);
}

__attribute__((noinline)) void known_syscall(int n)
{
	known_work(n);
	counter++;
}

void _start(void);
void _start(void)
{
	known_syscall(counter);
}
