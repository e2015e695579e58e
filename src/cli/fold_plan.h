#ifndef CLI_FOLD_PLAN_H
#define CLI_FOLD_PLAN_H

#include <stddef.h>

#include "cli/fold_pool.h"

/*
 * Which inputs one process folds together. Small recordings cost less so: objects are opened, and their
 * symbols read, once for all of them. What fails is taken apart, until one that fails is alone. For merge
 * they become one profile file, for an archive each is one of its own.
 */
struct fold_batch {
	size_t start, count; /* in fold_plan.order */
};

struct fold_plan {
	size_t *order; /* numbers of tasks, those that are folded together side by side */
	size_t count;
	struct fold_batch *waiting; /* the next one is the last */
	size_t waiting_count;
	bool apart; /* of several that are folded together each is a file of its own */
};

/* All that have nothing made of them yet. 0, or -ENOMEM. */
int fold_plan_make(const struct settings *s, const struct fold_task *tasks, size_t count,
		   size_t jobs, struct fold_plan *ret);
void fold_plan_release(struct fold_plan *plan);

/* A batch of several has failed, with its @failed'th input; .count: with all of them read. */
void fold_plan_split(struct fold_plan *plan, struct fold_batch batch, size_t failed);

#endif
