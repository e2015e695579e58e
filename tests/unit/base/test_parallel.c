#include "base/parallel.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <unistd.h>

enum { JOBS = 1000, THREADS = 4 };

struct tally {
	atomic_int runs[JOBS];
	atomic_int busy[THREADS]; /* a worker is one thread at a time */
	atomic_int started, wrong;
	size_t fails_from;
};

static int job(void *arg, size_t i, size_t worker)
{
	struct tally *t = arg;

	if (worker >= THREADS || i >= JOBS ||
	    atomic_fetch_add(&t->busy[worker], 1) != 0) {
		atomic_fetch_add(&t->wrong, 1);
		return 0;
	}
	atomic_fetch_add(&t->runs[i], 1);
	atomic_fetch_add(&t->started, 1);
	atomic_fetch_sub(&t->busy[worker], 1);
	return t->fails_from && i >= t->fails_from ? -(int)i : 0;
}

Test(parallel, every_job_runs_once_whatever_the_number_of_threads)
{
	for (size_t threads = 0; threads <= THREADS; threads++) {
		static struct tally t;

		t = (struct tally){ 0 };
		cr_assert_eq(parallel_run(threads, JOBS, job, &t), 0);
		cr_assert_eq(t.wrong, 0);
		for (int i = 0; i < JOBS; i++)
			cr_assert_eq(t.runs[i], 1, "job %d with %zu threads", i, threads);
	}
}

Test(parallel, no_jobs_are_fine)
{
	cr_assert_eq(parallel_run(THREADS, 0, job, NULL), 0);
}

Test(parallel, the_result_is_the_failure_of_the_lowest_job_that_failed)
{
	for (int round = 0; round < 50; round++) {
		static struct tally t;
		int lowest = JOBS, err;

		t = (struct tally){ .fails_from = 500 };
		err = parallel_run(THREADS, JOBS, job, &t);
		for (int i = 500; i < JOBS; i++)
			if (t.runs[i]) {
				lowest = i;
				break;
			}
		cr_assert_eq(err, -lowest);
	}
}

Test(parallel, after_a_failure_no_job_is_started)
{
	static struct tally t;

	t.fails_from = 10;
	cr_assert_eq(parallel_run(1, JOBS, job, &t), -10);
	cr_assert_eq(t.started, 11);
}

static int first_waits_for_second(void *arg, size_t i, size_t worker)
{
	atomic_int *met = arg;

	(void)worker;
	if (i == 1)
		atomic_store(met, 1);
	for (int tries = 0; i == 0 && !atomic_load(met); tries++) {
		if (tries > 5000)
			return -1;
		usleep(1000);
	}
	return 0;
}

Test(parallel, two_threads_run_at_the_same_time, .timeout = 900)
{
	atomic_int met = 0;

	cr_assert_eq(parallel_run(2, 2, first_waits_for_second, &met), 0);
}

Test(parallel, there_is_at_least_one_processor)
{
	cr_assert_geq(parallel_processors(), 1);
}
