/*
 * A program that the user waits for in three ways, and says for how many ns: one thread works alone, nothing
 * works, two threads work at once. Until both of them have begun, however long that takes, is none of these.
 *
 * usage: waits [MS [-]]: of each, else 300; with - it begins once its input ends or has a line
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t part_ns = 300000000;
static pthread_barrier_t both;
static uint64_t both_began;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Mostly in itself, for its callers are not known in a leaf without a frame pointer. */
__attribute__((noinline)) static void work(uint64_t end)
{
	while (now_ns() < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

__attribute__((noinline)) static void alone(void)
{
	work(now_ns() + part_ns);
	__asm__ volatile("");
}

__attribute__((noinline)) static void rest(void)
{
	usleep((unsigned)(part_ns / 1000));
	__asm__ volatile("");
}

/* It begins with the thread that comes last. From there on both are in this function, also while they wait for a
 * processor. */
__attribute__((noinline)) static void *together(void *arg)
{
	if (pthread_barrier_wait(&both))
		both_began = now_ns();
	pthread_barrier_wait(&both);
	work(both_began + part_ns);
	__asm__ volatile("");
	return arg;
}

static uint64_t say(const char *what, uint64_t began)
{
	uint64_t now = now_ns();

	printf("%s %" PRIu64 "\n", what, now - began);
	return now;
}

int main(int argc, char **argv)
{
	uint64_t began = now_ns(), at = began;
	pthread_t thread;

	if (argc > 1)
		part_ns = (uint64_t)strtoul(argv[1], NULL, 10) * 1000000;
	if (argc > 2) {
		getchar();
		began = at = now_ns();
	}
	alone();
	at = say("alone", at);
	rest();
	say("rest", at);
	if (pthread_barrier_init(&both, NULL, 2) ||
	    pthread_create(&thread, NULL, together, NULL))
		return 1;
	together(NULL);
	pthread_join(thread, NULL);
	say("together", both_began);
	say("all", began);
	return 0;
}
