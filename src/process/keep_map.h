#ifndef PROCESS_KEEP_MAP_H
#define PROCESS_KEEP_MAP_H

#include "process/process.h"
#include "process/ranges.h"

/* The perf-PID.map of a process. */
struct kept_map {
	uint32_t image; /* of its code; the others of the process have the same map */
	int fd; /* -1: not found so far */
	char *path;
	bool ended; /* the process has: nothing comes to it any more */
	bool left; /* likewise, and that was seen: it is not looked at again */
	unsigned tries; /* to find it, a pass each */
	/* map_tail.c: how long the file was, and up to where its lines are taken. */
	uint64_t seen, taken;
	ARRAY(uint64_t) ran; /* addresses that were sampled */
	size_t sorted; /* of these: the first ones are ascending */
	struct ranges lines; /* that were written over them */
};

struct kept_maps {
	ARRAY(struct kept_map) list;
	struct hash_map by_process; /* -> index in list */
	size_t images; /* that were looked at for maps */
	size_t waiting; /* maps that were not found and still may be */
	size_t held;
};

/* From now on a map is wanted of each process that has code of a runtime. 0, or -ENOMEM. */
int kept_maps_want(struct kept_maps *k, const struct images *im);

/* Looks for those that were not found, as long as files may be held, and which processes have
 * ended. 0, or -ENOMEM. */
int kept_maps_look(struct kept_maps *k, struct images *im);
/* Likewise for those of young processes, as kept_maps_want() has got to know them. */
int kept_maps_look_soon(struct kept_maps *k, struct images *im);

/* That of the process of @image; NULL: none is wanted. */
struct kept_map *kept_maps_find(const struct kept_maps *k, const struct images *im,
				uint32_t image);

void kept_maps_release(struct kept_maps *k);

#endif
