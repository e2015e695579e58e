/*
 * Frames that show the same, whatever their addresses: of one image, with the same function and
 * the same ones inlined. Each gets the first of its kind, found by a hash of these. So a live run's
 * memory can follow distinct functions: its tree is rebuilt with one frame a kind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/symbol.h"

/* Where these differ, frames that show the same mean different things. */
enum { TOLD_APART = FRAME_INFERRED | FRAME_MARKS };

int symbols_equivalence(const struct symbols *symbols, const struct frames *frames,
			const struct images *images, uint32_t **ret)
{
	struct hash_set first = { 0 }; /* frames, the first one of each kind */
	uint32_t *map = malloc((frames->list.count + 1) * sizeof(*map));
	int err = map ? 0 : -ENOMEM;

	for (uint32_t frame = 0; frame < frames->list.count && err == 0; frame++) {
		const struct frame *f = &frames->list.v[frame];
		uint32_t function = symbols->of_frame.v[frame], count, id;
		const uint32_t *inlined = symbols_inlined(symbols, frame, &count);
		uint64_t hash = hash_u64((uint64_t)f->image << 32 | function) ^
				(f->flags & TOLD_APART);
		uint64_t i;

		map[frame] = frame;
		/* Code of a runtime may get its name later, each address one of its own. */
		if (images->list.v[f->image].owner &&
		    symbols->functions.v[function].unnamed)
			continue;
		for (uint32_t k = 0; k < count; k++)
			hash = hash_u64(hash ^ inlined[k]);
		i = hash_start(hash);
		/* All that goes into the hash, and nothing else. */
		while ((id = hash_find(&first, hash, &i)) != HASH_NONE) {
			const struct frame *known = &frames->list.v[id];
			uint32_t count_known;
			const uint32_t *inlined_known =
				symbols_inlined(symbols, id, &count_known);

			if (known->image == f->image &&
			    !((known->flags ^ f->flags) & TOLD_APART) &&
			    symbols->of_frame.v[id] == function && count_known == count &&
			    (count == 0 || memcmp(inlined_known, inlined,
						  count * sizeof(*inlined)) == 0))
				break;
		}
		if (id != HASH_NONE)
			map[frame] = id;
		else if (!hash_add(&first, hash, frame))
			err = -ENOMEM;
	}
	hash_release(&first);
	if (err == 0)
		*ret = map;
	else
		free(map);
	return err;
}
