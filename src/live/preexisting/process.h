#ifndef LIVE_PREEXISTING_PROCESS_H
#define LIVE_PREEXISTING_PROCESS_H

#include "live/preexisting/maps.h"

/*
 * What /proc says of processes, as FORK, NAMESPACES, COMM and MMAP2 records. In two passes:
 * names, which take microseconds, and the whole of those that began a moment ago, for they
 * may end as soon; then the rest of the others.
 */
struct preexisting_left {
	uint32_t pid;
	bool threads; /* it has more than one */
};

struct preexisting_processes {
	struct bytes *to;
	struct preexisting_maps maps;
	ARRAY(struct preexisting_left) left; /* for the second pass */
	uint64_t young; /* preexisting_second_ago() */
	size_t count; /* processes that have maps */
	size_t hidden; /* those of them whose maps may not be seen */
	pid_t first_hidden;
	int proc; /* /proc */
};

/* What began later is young. Ticks since boot. */
uint64_t preexisting_second_ago(void);

/* The first pass over one process. One that ends meanwhile is told as far as it was there.
 * 0, or -ENOMEM. */
int preexisting_process_name(struct preexisting_processes *k, pid_t pid);

/* The same for one that may have been forked by those that were asked for, since: 1 where it
 * was told, 0 where it is older than that. */
int preexisting_process_child(struct preexisting_processes *k, pid_t pid);

/* The second pass: its threads, too. 0, or -ENOMEM. */
int preexisting_process_threads(struct preexisting_processes *k,
				const struct preexisting_left *left);

#endif
