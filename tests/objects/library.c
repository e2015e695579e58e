/* For reload: works in a function called WORK, which "work" points to. */
static volatile unsigned long sum;

__attribute__((noinline)) void WORK(void);
void WORK(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sum += i;
}

void (*const work)(void) = WORK;
