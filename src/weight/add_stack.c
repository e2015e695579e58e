/*
 * A stack that the budget allows no more of keeps its outer frames:
 *
 *	every frame and node is there   a;b;c              0
 *	no frame for c                  a;b;[limit frame]  1
 *	no node for c                   a;b                1
 *	no node at all                  [memory limit]     1
 */
#include <errno.h>

#include "weight/weight.h"

int weight_add_stack(struct trie *t, struct frames *f, const struct stack *stack,
		     uint32_t *ret)
{
	struct frame limit = { .image = IMAGE_ID_NAMES, .address = f->limit };
	size_t count = stack->count;
	bool cut = false;
	uint32_t frame;
	int err;

	/* limit_frame is an id + 1. What it calls is dropped with it, or would hang below
	 * a wrong caller. */
	for (size_t i = 0; f->limit_frame && i < count && !cut; i++)
		if (stack->frames[i] == f->limit_frame - 1) {
			count = i + 1;
			cut = true;
		}
	err = trie_add(t, stack->frames, count, ret);
	if (err <= 0 || *ret)
		return err == 0 && cut ? 1 : err;
	if (frames_add(f, &limit, &frame) < 0)
		return -ENOMEM;
	/* One node beyond the limit; further stacks of this kind find it again. */
	trie_allow_one(t);
	err = trie_add(t, &frame, 1, ret);
	return err < 0 ? err : 1;
}
