#ifndef ARCHIVE_PARTS_H
#define ARCHIVE_PARTS_H

#include <nettle/sha2.h>
#include <stdio.h>

#include "archive/archive.h"
#include "base/array.h"

enum { PART_PATH_MOST = 4400 };

/* The directories and the lock; they are made where that is wanted. */
int parts_open(struct ff_archive *a);
/* There are none yet: an index that is made now has to know of none. */
int parts_expect_none(struct ff_archive *a);

/* Until parts_unlock(): no part is removed, or, @alone, nobody else adds or reads any. */
int parts_lock(struct ff_archive *a, bool alone);
void parts_unlock(struct ff_archive *a);

struct part {
	uint8_t hash[SHA256_DIGEST_SIZE];
};
typedef ARRAY(struct part) part_list;

struct part_path {
	char text[PART_PATH_MOST];
};
struct part_path parts_path(const struct ff_archive *a, const uint8_t *hash);

/* One that is being written. */
struct new_part {
	char path[PART_PATH_MOST];
	unsigned number;
	FILE *stream;
	uint64_t bytes; /* when it is written */
	uint8_t hash[SHA256_DIGEST_SIZE]; /* the same */
};
int parts_begin(struct ff_archive *a, struct new_part *ret);
/* All is written: it can be read, and is one of those that parts_settle() puts to the disk. It is
 * discarded where that fails. */
int parts_end(struct ff_archive *a, struct new_part *p);
void parts_discard(struct new_part *p);

/* All that are written are on the disk and get their names, and these are there, too: before the
 * transaction ends that has them. Many at once are waited for little longer than one. */
int parts_settle(struct ff_archive *a);
/* Those from the @first one on are gone. */
void parts_drop(struct ff_archive *a, size_t first);

int parts_hash(const char *path, uint8_t *ret);
/* Files that are in the index no more. */
void parts_remove(struct ff_archive *a, const part_list *gone);
/* What the index does not know, and what somebody was writing who is no more; the lock is held alone. */
int parts_sweep(struct ff_archive *a);

#endif
