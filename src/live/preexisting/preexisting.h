#ifndef LIVE_PREEXISTING_PREEXISTING_H
#define LIVE_PREEXISTING_PREEXISTING_H

#include "base/array.h"
#include "base/context.h"
#include "live/events/target.h"

/*
 * What was there before the first sample, as records of the kernel's form: MMAP2 (the
 * kernel's with its reference symbol, modules, processes), COMM, FORK, NAMESPACES, CGROUP,
 * KSYMBOL, BPF_EVENT. What changes meanwhile comes from the rings, too, and is newer than
 * these, whose time is 0. Most is read from /proc by a thread of its own while sampling already
 * runs, but not names of processes, and what young ones have mapped: they may end the next
 * moment, so this comes first, in some 10 us a process:
 *
 *	events on -- names, young processes -- samples count from here
 *	                                      thread: the rest of the others
 *
 * Each ends with the trailer that all events of a live run have (struct live_trailer), its
 * id 0.
 */
struct live_preexisting;

/* Whether user maps say which file it is by its build id or by its inode: as the records of
 * the rings do (attr.build_id), or one file would be two. */
enum live_preexisting_files { PREEXISTING_BY_INODE, PREEXISTING_BY_BUILD_ID };

/* The events are enabled. Samples that are older than the end of this call may be of processes
 * that nothing is known of. @target may change after it. */
int live_preexisting_start(struct context *ctx, const struct live_target *target,
			   enum live_preexisting_files files,
			   struct live_preexisting **ret);

/* Nothing is left to wait for. */
bool live_preexisting_done(struct live_preexisting *k);

/* Waits for the thread. Its records one after another, valid until live_preexisting_free(). What
 * could not be read is said with warn(), in the first call. */
int live_preexisting_records(struct context *ctx, struct live_preexisting *k,
			     const uint8_t **ret, size_t *size);
void live_preexisting_free(struct live_preexisting *k); /* waits; NULL is fine */

#endif
