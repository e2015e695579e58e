/*
 * Stacks that are made of others: behind that of who waits that of who wakes, or what it waited for. They
 * are put together of frames, root first, and looked up in the trie as those of samples are.
 */
#include "weight/path.h"

#include <errno.h>

int path_add(struct path *path, uint32_t frame)
{
	if (!array_reserve(path, 1))
		return -ENOMEM;
	path->v[path->count++] = frame;
	return 0;
}

int path_add_name(struct path *path, struct frames *frames, uint32_t name, uint32_t flags)
{
	struct frame frame = { .image = IMAGE_ID_NAMES, .address = name, .flags = flags };
	uint32_t id;

	return frames_add(frames, &frame, &id) < 0 ? -ENOMEM : path_add(path, id);
}

int path_add_reversed(struct path *path, const struct trie *t, uint32_t node)
{
	int err = 0;

	for (; node && err == 0; node = t->nodes[node].parent)
		err = path_add(path, t->nodes[node].frame);
	return err;
}

void path_reverse_rest(struct path *path, size_t first)
{
	for (size_t i = first, k = path->count; i + 1 < k; i++) {
		uint32_t frame = path->v[i];

		path->v[i] = path->v[--k];
		path->v[k] = frame;
	}
}

int path_add_forward(struct path *path, const struct trie *t, uint32_t node)
{
	size_t first = path->count;
	int err = path_add_reversed(path, t, node);

	path_reverse_rest(path, first);
	return err;
}

int path_stack(const struct path *path, const struct weight_target *to, uint32_t *ret)
{
	struct stack stack = { .frames = path->v, .count = path->count };

	return weight_add_stack(to->trie, to->frames, &stack, ret);
}
