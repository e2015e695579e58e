/*
 * A program whose stacks are known: TRUTH("main;outer;leaf", outer(n)) makes the call and adds the
 * processor time that it took on this thread to that stack. At its end the program appends what
 * it has counted to the file $TRUTH, as folded text whose weights are nanoseconds, behind "# PID".
 * truth_more() says for how long to go on. What the stack may hold is said in Documentation/truth.md.
 *
 *	int main(void)
 *	{
 *		while (truth_more())
 *			TRUTH("main;outer;leaf", outer(10 * TRUTH_MS));
 *		return 0;
 *	}
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A function of its own: not put into others, not copied, not made one with another of equal code. */
#ifdef __clang__
#define TRUTH_NOINLINE __attribute__((noinline))
#else
#define TRUTH_NOINLINE __attribute__((noinline, noclone, no_icf))
#endif

/* Rounds of TRUTH_SPIN that take about a millisecond: slices are a few of them, many samples long. */
#define TRUTH_MS 1000000UL

/* Work that calls nothing and that no compiler leaves out. */
#define TRUTH_SPIN(n)                                                                    \
	do {                                                                             \
		unsigned long truth_rounds = (n);                                        \
		do                                                                       \
			__asm__ volatile("" : "+r"(truth_rounds));                       \
		while (--truth_rounds);                                                  \
	} while (0)

/* The same in a function that has to have a frame, if any function has one. */
#define TRUTH_FRAMED_SPIN(n)                                                             \
	do {                                                                             \
		char truth_room[64];                                                     \
		__asm__ volatile("" : : "r"(truth_room) : "memory");                     \
		TRUTH_SPIN(n);                                                           \
		__asm__ volatile("" : : "r"(truth_room) : "memory");                     \
	} while (0)

/* Behind a call: it is no tail call. */
#define TRUTH_STAY() __asm__ volatile("")

#define TRUTH(stack, call)                                                               \
	do {                                                                             \
		uint64_t truth_begin = truth_now();                                      \
		call;                                                                    \
		truth_add(stack, truth_now() - truth_begin);                             \
	} while (0)

#define TRUTH_STACKS 64

static struct truth_stack {
	const char *stack;
	uint64_t ns;
} truth_stacks[TRUTH_STACKS];
static uint64_t truth_total;

__attribute__((unused)) static uint64_t truth_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Threads may: a place is taken once, by who sets its name first. */
__attribute__((unused)) static void truth_add(const char *stack, uint64_t ns)
{
	for (struct truth_stack *place = truth_stacks;
	     place < truth_stacks + TRUTH_STACKS; place++) {
		const char *there = NULL;

		if (!__atomic_compare_exchange_n(&place->stack, &there, stack, 0,
						 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
		    strcmp(there, stack) != 0)
			continue;
		__atomic_fetch_add(&place->ns, ns, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&truth_total, ns, __ATOMIC_SEQ_CST);
		return;
	}
	abort();
}

/* At the end of a process by itself; before _exit() and exec() the program says it. */
__attribute__((destructor, unused)) static void truth_write(void)
{
	const char *path = getenv("TRUTH");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : STDOUT_FILENO;

	if (file >= 0)
		dprintf(file, "# %d\n", (int)getpid());
	for (int i = 0; file >= 0 && i < TRUTH_STACKS && truth_stacks[i].stack; i++)
		dprintf(file, "%s %llu\n", truth_stacks[i].stack,
			(unsigned long long)truth_stacks[i].ns);
	if (path && file >= 0)
		close(file);
	memset(truth_stacks, 0, sizeof(truth_stacks));
}

/* Until $TRUTH_SECONDS of processor time (1) are counted, by all threads together. */
__attribute__((unused)) static int truth_more(void)
{
	const char *seconds = getenv("TRUTH_SECONDS");

	return (double)__atomic_load_n(&truth_total, __ATOMIC_SEQ_CST) <
	       1e9 * (seconds ? atof(seconds) : 1.0);
}

#endif
