#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Runs @job(arg, i, worker) for every i below @jobs, on at most @threads threads,
 * the caller's among them; worker is below @threads and used by one thread only.
 * Jobs start in the order of i. After the first failure no job is started; the
 * result is the failure of the lowest i that failed, or 0. Where no thread can
 * be made the caller does all.
 */
int parallel_run(size_t threads, size_t jobs,
		 int (*job)(void *arg, size_t i, size_t worker), void *arg);

/* Processors that may be used, at least 1. */
size_t parallel_processors(void);

#endif
