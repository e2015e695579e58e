#ifndef LIVE_PREEXISTING_MAPS_H
#define LIVE_PREEXISTING_MAPS_H

#include "base/bytes.h"
#include "base/hash.h"
#include "live/preexisting/record.h"

/*
 * The executable maps of processes, as MMAP2 records. Where the kernel can be asked for them
 * one by one, with their build ids (PROCMAP_QUERY, Linux 6.11), none of the others is looked
 * at; elsewhere /proc/PID/maps is read, and each file is opened once for its build id.
 */
struct preexisting_file {
	uint32_t maj, min;
	uint64_t ino;
	uint8_t build_id_size; /* 0: it has none */
	uint8_t build_id[20];
};

/* A zeroed one is ready. */
struct preexisting_maps {
	ARRAY(struct preexisting_file) files; /* seen so far */
	struct hash_set by_inode;
	bool no_query; /* the kernel is older */
	bool by_inode_only; /* no build ids are wanted */
	char *room; /* for names and lines */
};
void preexisting_maps_release(struct preexisting_maps *m);

/* Those of the process whose directory below /proc is @dir. 0, or a negative errno: it may
 * have ended, or not be ours to see. -ENOMEM. */
int preexisting_maps_read(struct preexisting_maps *m, int dir, uint32_t pid,
			  struct bytes *to);

#endif
