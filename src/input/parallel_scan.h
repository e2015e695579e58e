#ifndef INPUT_PARALLEL_SCAN_H
#define INPUT_PARALLEL_SCAN_H

#include "input/perf.h"

/*
 * The first pass through a large file by several threads. Where a record begins only the
 * one before it says; so each thread but the caller's starts at a place that looks like
 * the beginning of one, and what it finds counts only if the pass, going from record to
 * record, comes to the same place:
 *
 *	file     |r|r|r|r|r|r|r|r|r|r|r|r|r|r|r|r|r|r|
 *	caller    ------------>|
 *	thread                 x--------->|y------>|    the caller came to x: adopted
 *
 * Else it is dropped and the caller reads on. The result is the same in any case. Threads
 * take the last part first: the caller, who has more to do with each record, reads from
 * the front until the two meet.
 *
 * A thread counts samples and cuts chunks; records of other kinds it keeps for the caller,
 * who takes them in their order.
 */
struct parallel_scan;

/* Threads for the source at hand, whose stream has just been started. *@ret stays NULL
 * where there is no use for any, or no memory. */
void parallel_scan_start(const struct input *in, struct parallel_scan **ret);
void parallel_scan_free(
	struct parallel_scan *a); /* waits for its threads; NULL is fine */

/*
 * 1 and the next record that is no sample, where the pass has come to what a thread has
 * read; its chunk and everything about samples before it is noted. 0: the stream goes on.
 * Or -ENOMEM with a sentence.
 */
int parallel_scan_next(struct context *ctx, struct parallel_scan *a, struct input *in,
		       struct raw_record *ret);

#endif
