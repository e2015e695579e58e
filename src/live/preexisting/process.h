#ifndef LIVE_PREEXISTING_PROCESS_H
#define LIVE_PREEXISTING_PROCESS_H

#include "live/preexisting/maps.h"

/*
 * What /proc says of processes, as FORK, NAMESPACES, COMM and MMAP2 records. In two passes:
 * names, which take microseconds, and the whole of those that began a moment ago, for they
 * may end as soon; then the rest of the others.
 */
struct known_left {
	uint32_t pid;
	bool threads; /* it has more than one */
};

struct known_processes {
	struct bytes *to;
	struct known_maps maps;
	ARRAY(struct known_left) left; /* for the second pass */
	uint64_t young; /* known_second_ago() */
	size_t count; /* processes that have maps */
	size_t hidden; /* those of them whose maps may not be seen */
	pid_t first_hidden;
	int proc; /* /proc */
};

/* What began later is young. Ticks since boot. */
uint64_t known_second_ago(void);

/* The first pass over one process. One that ends meanwhile is told as far as it was there.
 * 0, or -ENOMEM. */
int known_process_name(struct known_processes *k, pid_t pid);

/* The same for one that may have been forked by those that were asked for, since: 1 where it
 * was told, 0 where it is older than that. */
int known_process_child(struct known_processes *k, pid_t pid);

/* The second pass: its threads, too. 0, or -ENOMEM. */
int known_process_rest(struct known_processes *k, const struct known_left *left);

#endif
