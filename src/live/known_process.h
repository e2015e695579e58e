#ifndef LIVE_KNOWN_PROCESS_H
#define LIVE_KNOWN_PROCESS_H

#include "live/known_maps.h"

/* What /proc says of processes, as FORK, NAMESPACES, COMM and MMAP2 records. */
struct known_processes {
	struct bytes *to;
	struct known_maps maps;
	size_t count; /* processes that have maps */
	size_t hidden; /* those of them whose maps may not be seen */
	pid_t first_hidden;
	int proc; /* /proc */
};

/* One process and its threads. One that ends meanwhile is told as far as it was there. 0,
 * or -ENOMEM. */
int known_process_read(struct known_processes *k, pid_t pid);

#endif
