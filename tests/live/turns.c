/*
 * turns: four threads that compute one after the other, eight times each, and say when, in ns of
 * CLOCK_MONOTONIC:
 *
 *	TID BEGIN END
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 8, LENGTH = 20000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static uint64_t compute(uint64_t end)
{
	volatile uint64_t sum = 0;

	while (now() < end)
		for (int i = 0; i < 2000; i++)
			sum = sum * 31 + (uint64_t)i;
	return sum;
}

static void *run(void *number)
{
	for (int i = 0; i < TURNS; i++) {
		uint64_t begin;

		pthread_mutex_lock(&lock);
		while (turn % THREADS != (int)(intptr_t)number)
			pthread_cond_wait(&passed, &lock);
		pthread_mutex_unlock(&lock);
		begin = now();
		compute(begin + LENGTH);
		pthread_mutex_lock(&lock);
		printf("%d %" PRIu64 " %" PRIu64 "\n", gettid(), begin, now());
		turn++;
		pthread_cond_broadcast(&passed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
