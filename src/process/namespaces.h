#ifndef PROCESS_NAMESPACES_H
#define PROCESS_NAMESPACES_H

#include "base/array.h"
#include "base/hash.h"
#include "input/input.h"

/*
 * The namespaces that processes were in over time. Most processes are in the same ones
 * from their fork to their exit, so each has a chain of changes, the newest first:
 *
 *	pid 7 -> since 30: {...} -> since 10: {...}
 *
 * A zeroed struct is empty. Changes come in time order.
 */
struct namespaces_since {
	uint64_t time;
	uint32_t before; /* the change before it + 1; 0: none */
	struct namespace_id ids[NAMESPACE_KINDS]; /* all 0: not known */
};

struct namespaces {
	ARRAY(struct namespaces_since) list;
	struct hash_map newest; /* by pid: index in the list */
	uint32_t free; /* an item that can be used again + 1; chained by before */
};

void namespaces_release(struct namespaces *n);

/* 0, or -ENOMEM. */
int namespaces_set(struct namespaces *n, uint32_t pid, uint64_t time,
		   const struct namespace_id ids[NAMESPACE_KINDS]);

/* A child is where its parent is. 0, or -ENOMEM. */
int namespaces_fork(struct namespaces *n, uint32_t parent, uint32_t child, uint64_t time);

/* NULL where they are not known; valid until the next change. */
const struct namespace_id *namespaces_at(const struct namespaces *n, uint32_t pid,
					 uint64_t time);

/* Drops what is not asked for by questions about @time and later. */
void namespaces_forget(struct namespaces *n, uint32_t pid, uint64_t time);
/* Drops all of a process. */
void namespaces_drop(struct namespaces *n, uint32_t pid);

#endif
