/* Frames that show the same, whatever their addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

struct alike {
	const struct frames *frames;
	const struct images *images;
	const struct symbols *symbols;
	struct hash_set first; /* frames, the first one of each kind */
	uint32_t *map;
};

static uint64_t hash_frame(const struct alike *a, uint32_t frame)
{
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(a->symbols, frame, &count);
	const struct frame *f = &a->frames->list.v[frame];
	uint64_t hash =
		hash_u64((uint64_t)f->image << 32 | a->symbols->of_frame.v[frame]);

	hash ^= f->flags & FRAME_INFERRED;

	for (uint32_t i = 0; i < count; i++)
		hash = hash_u64(hash ^ inlined[i]);
	return hash;
}

static bool is_alike(const struct alike *a, uint32_t x, uint32_t y)
{
	uint32_t count_x, count_y;
	const uint32_t *inlined_x = symbols_inlined(a->symbols, x, &count_x);
	const uint32_t *inlined_y = symbols_inlined(a->symbols, y, &count_y);

	const struct frame *frame_x = &a->frames->list.v[x];
	const struct frame *frame_y = &a->frames->list.v[y];

	return frame_x->image == frame_y->image &&
	       !((frame_x->flags ^ frame_y->flags) & FRAME_INFERRED) &&
	       a->symbols->of_frame.v[x] == a->symbols->of_frame.v[y] &&
	       count_x == count_y &&
	       (count_x == 0 ||
		memcmp(inlined_x, inlined_y, count_x * sizeof(*inlined_x)) == 0);
}

/* Code of a runtime may get its name later, each address one of its own. */
static bool is_settled(const struct alike *a, uint32_t frame)
{
	const struct image *image = &a->images->list.v[a->frames->list.v[frame].image];

	return !image->owner ||
	       !a->symbols->functions.v[a->symbols->of_frame.v[frame]].unnamed;
}

static int find_first(struct alike *a, uint32_t frame)
{
	uint64_t hash = hash_frame(a, frame), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&a->first, hash, &i)) != HASH_NONE)
		if (is_alike(a, id, frame)) {
			a->map[frame] = id;
			return 0;
		}
	a->map[frame] = frame;
	return hash_add(&a->first, hash, frame) ? 0 : -ENOMEM;
}

int symbols_alike(const struct symbols *symbols, const struct frames *frames,
		  const struct images *images, uint32_t **ret)
{
	struct alike a = { .frames = frames, .images = images, .symbols = symbols };
	int err = 0;

	a.map = malloc((frames->list.count + 1) * sizeof(*a.map));
	if (!a.map)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->list.count && err == 0; i++) {
		if (is_settled(&a, i))
			err = find_first(&a, i);
		else
			a.map[i] = i;
	}
	hash_release(&a.first);
	if (err == 0)
		*ret = a.map;
	else
		free(a.map);
	return err;
}
