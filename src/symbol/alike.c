/*
 * Frames that show the same, whatever their addresses: of one image, with the same function and
 * the same ones inlined. Each gets the first of its kind, found by a hash of these. So a live run's
 * memory can follow distinct functions: its tree is rebuilt with one frame a kind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

struct alike {
	const struct frames *frames;
	const struct symbols *symbols;
	struct hash_set first; /* frames, the first one of each kind */
};

/* All that goes into the hash, and nothing else. */
static bool shows_same(const struct alike *a, uint32_t x, uint32_t y)
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

int symbols_alike(const struct symbols *symbols, const struct frames *frames,
		  const struct images *images, uint32_t **ret)
{
	struct alike a = { .frames = frames, .symbols = symbols };
	uint32_t *map = malloc((frames->list.count + 1) * sizeof(*map));
	int err = map ? 0 : -ENOMEM;

	for (uint32_t frame = 0; frame < frames->list.count && err == 0; frame++) {
		const struct frame *f = &frames->list.v[frame];
		uint32_t function = symbols->of_frame.v[frame], count, id;
		const uint32_t *inlined = symbols_inlined(symbols, frame, &count);
		uint64_t hash = hash_u64((uint64_t)f->image << 32 | function) ^
				(f->flags & FRAME_INFERRED);
		uint64_t i;

		map[frame] = frame;
		/* Code of a runtime may get its name later, each address one of its own. */
		if (images->list.v[f->image].owner &&
		    symbols->functions.v[function].unnamed)
			continue;
		for (uint32_t k = 0; k < count; k++)
			hash = hash_u64(hash ^ inlined[k]);
		i = hash_start(hash);
		while ((id = hash_find(&a.first, hash, &i)) != HASH_NONE &&
		       !shows_same(&a, id, frame))
			;
		if (id != HASH_NONE)
			map[frame] = id;
		else if (!hash_add(&a.first, hash, frame))
			err = -ENOMEM;
	}
	hash_release(&a.first);
	if (err == 0)
		*ret = map;
	else
		free(map);
	return err;
}
