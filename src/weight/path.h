#ifndef WEIGHT_PATH_H
#define WEIGHT_PATH_H

#include "weight/weight.h"

/* Frames that become a stack, which is no sample's as it is. Who has one frees .v. */
struct path {
	uint32_t *v;
	size_t count, room;
};

/* Each is 0, or -ENOMEM. */
int path_add(struct path *path, uint32_t frame);
/* A frame that is just a name. @flags: of FRAME_MARKS. */
int path_add_name(struct path *path, struct frames *frames, uint32_t name,
		  uint32_t flags);
/* The stack of a node, leaf first. */
int path_add_reversed(struct path *path, const struct trie *t, uint32_t node);
/* Likewise, root first. */
int path_add_forward(struct path *path, const struct trie *t, uint32_t node);
/* What is behind the first @first frames. */
void path_reverse_rest(struct path *path, size_t first);

/* The node of it, as weight_add_stack(). */
int path_stack(const struct path *path, const struct weight_target *to, uint32_t *ret);

#endif
