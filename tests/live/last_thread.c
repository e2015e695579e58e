/* main() ends by pthread_exit(), and a thread of its own works for argv[1] seconds. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sum += (unsigned long)i;
}

static void *outlive(void *seconds)
{
	time_t end = time(NULL) + atoi(seconds);

	while (time(NULL) < end)
		work();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2 || pthread_create(&thread, NULL, outlive, argv[1]))
		return 1;
	pthread_exit(NULL);
}
