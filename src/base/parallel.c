/*
 * One atomic counter hands jobs out in order, so when one fails all lower ones have
 * begun, and are finished: the lowest that fails is found, although a failure moves the
 * counter to the end and nothing new begins.
 */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

struct job_run {
	int (*job)(void *arg, size_t i, size_t worker);
	void *arg;
	size_t jobs;
	atomic_size_t next;
	pthread_mutex_t lock; /* for what failed */
	size_t failed; /* lowest job that failed, or jobs */
	int err;
};

struct thread_slot {
	struct job_run *run;
	size_t worker;
};

static void *work(void *arg)
{
	struct thread_slot *slot = arg;
	struct job_run *run = slot->run;
	size_t i;

	while ((i = atomic_fetch_add(&run->next, 1)) < run->jobs) {
		int err = run->job(run->arg, i, slot->worker);

		if (err >= 0)
			continue;
		pthread_mutex_lock(&run->lock);
		if (i < run->failed) {
			run->failed = i;
			run->err = err;
		}
		pthread_mutex_unlock(&run->lock);
		atomic_store(&run->next, run->jobs);
	}
	return NULL;
}

int parallel_run(size_t threads, size_t jobs,
		 int (*job)(void *arg, size_t i, size_t worker), void *arg)
{
	struct job_run run = { .job = job, .arg = arg, .jobs = jobs, .failed = jobs };
	struct thread_slot slots[MOST_THREADS];
	pthread_t ids[MOST_THREADS];
	size_t started = 0;

	if (threads > jobs)
		threads = jobs;
	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	pthread_mutex_init(&run.lock, NULL);
	slots[0] = (struct thread_slot){ &run, 0 };
	for (size_t i = 1; i < threads; i++) {
		slots[i] = (struct thread_slot){ &run, i };
		if (pthread_create(&ids[i], NULL, work, &slots[i]) != 0)
			break;
		started = i;
	}
	work(&slots[0]);
	for (size_t i = 1; i <= started; i++)
		pthread_join(ids[i], NULL);
	pthread_mutex_destroy(&run.lock);
	return run.err;
}

size_t parallel_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return (size_t)CPU_COUNT(&set);
}
