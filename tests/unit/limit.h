#ifndef TESTS_UNIT_LIMIT_H
#define TESTS_UNIT_LIMIT_H

/* What must not take forever, in processor time: a busy machine ends no test. */
#include <sys/resource.h>

/* Ends this test, which is a process of its own, when it has worked for longer. */
static inline void work_at_most(rlim_t seconds)
{
	setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds });
}

#endif
