#ifndef BASE_GUARD_H
#define BASE_GUARD_H

/*
 * Calls of a library that does not look whether there was memory, or at a value that a file has,
 * and crashes then. In a process that has asked for it by guard_catch_crashes() such a crash
 * costs what was read at the time: an access next to address 0 leaves guard_run(). Any other
 * crash inside of it (an assertion, memory that is not there) ends the process with a sentence
 * and exit status 1. What overwrites memory without crashing is not stopped.
 */
struct guarded_library {
	const char *name; /* "libdw" */
	const char *material; /* what it reads of a file: "the debug information" */
	const char *cure; /* how to do without it: "--no-inline does without"; or NULL */
};

/* Signals that somebody else handles already stay with them. */
void guard_catch_crashes(void);

/* What this thread reads, a file or a part of one, for the sentence; NULL: nothing. Valid until the
 * next call. */
void guard_reading(const char *name);

/*
 * What @job has allocated itself must hang on @arg. Its result, or -ENOMEM: also where the library
 * took the lack of memory for the end of what there is. -EFAULT: it crashed, with errno as it was
 * then; nothing that it had made is to be touched again, for its locks and tables may be half
 * changed. Guards may stand in each other.
 */
int guard_run(const struct guarded_library *library, int (*job)(void *arg), void *arg);

/* For a library that calls somebody where it has no memory: guard_run() is left with -ENOMEM. */
__attribute__((noreturn)) void guard_leave_without_memory(void);

#endif
