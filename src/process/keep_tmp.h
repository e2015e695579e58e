#ifndef PROCESS_KEEP_TMP_H
#define PROCESS_KEEP_TMP_H

#include "jit/jit.h"
#include "process/process.h"

/* The /tmp of processes that have code of a runtime. */
struct kept_tmp {
	struct jit_process process;
	struct jit_tmp tmp; /* .dir -1: not held any more */
	int fd; /* of the map in it; -1: not there so far */
	unsigned tries;
};

struct kept_tmps {
	ARRAY(struct kept_tmp) list;
	struct hash_map of_pid; /* -> index of the newest; TMP_SHARED: nothing to hold */
	size_t untried; /* those before have been looked into often enough */
	size_t held; /* files */
};

/*
 * A record of a live run, as it comes: 1 where it is the first word of a runtime's code in its
 * process, whose /tmp is held then if nobody else has it; else 0, or -ENOMEM. Not held where
 * there is no @room; NULL @dirs: nobody looks for maps.
 */
int kept_tmps_take(struct kept_tmps *k, const struct search_dirs *dirs,
		   const struct intern *strings, const struct record *rec, bool room);

/* Looks for maps that were not there yet: of those few that are young, or of all. */
void kept_tmps_look(struct kept_tmps *k, const struct search_dirs *dirs, bool all);

/* Replaces *@ret by the map of the image's process, or leaves it. 0, or -ENOMEM. */
int kept_tmps_open(const struct kept_tmps *k, const struct search_dirs *dirs,
		   const struct image *image, struct jit_file *ret);

void kept_tmps_release(struct kept_tmps *k);

#endif
