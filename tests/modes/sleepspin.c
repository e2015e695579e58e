/*
 * sleepspin ROUNDS: two threads on one processor, ann and bob, sleep and work in turns of different
 * lengths, so that each one has to wait for the other. How long a thread was runnable and did not
 * run is the kernel's word: the second number of its schedstat.
 *
 * "life" is no mode: it is what wakeup, runq and the processor time of a thread make together.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "known.h"

static struct sleeper {
	const char *name;
	uint64_t sleep, work; /* ns of a turn */
	uint64_t slept, life, worked, waited;
} sleepers[] = {
	{ .name = "ann", .sleep = 9000000, .work = 8000000 },
	{ .name = "bob", .sleep = 5000000, .work = 11000000 },
};
static int rounds;

/* ns that this thread was runnable and did not run. */
static uint64_t run_delay(void)
{
	uint64_t ran, delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &delay) != 2)
		exit(77);
	fclose(file);
	return delay;
}

NOINLINE static void rest(uint64_t ns)
{
	sleep_ns(ns);
	AFTERWARDS();
}

NOINLINE static void toil(uint64_t ns)
{
	work_ns(ns);
	AFTERWARDS();
}

static void *sleeper(void *arg)
{
	struct sleeper *s = arg;
	uint64_t begin, worked, delay;

	prctl(PR_SET_NAME, s->name);
	/* Where that is permitted, they have much more of the processor than anybody else. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), -15);
	/* What is said of it is of between two moments when it runs. */
	begin = now_ns();
	worked = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	delay = run_delay();
	for (int i = 0; i < rounds; i++) {
		uint64_t start = now_ns();

		rest(s->sleep);
		s->slept += now_ns() - start;
		toil(s->work);
	}
	s->waited = run_delay() - delay;
	s->worked = clock_ns(CLOCK_THREAD_CPUTIME_ID) - worked;
	s->life = now_ns() - begin;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t ids[2];
	char frames[64];

	rounds = argc > 1 ? atoi(argv[1]) : 30;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&ids[i], NULL, sleeper, &sleepers[i]) != 0)
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 2; i++) {
		const struct sleeper *s = &sleepers[i];

		snprintf(frames, sizeof(frames), "%s;rest", s->name);
		say("offcpu", TIMES, s->slept, frames);
		say("runq", TIMES, s->waited, s->name);
		say("life", TIMES, s->life - s->worked, s->name);
	}
	return 0;
}
