/*
 * Frames are equal if their bytes are, and a hash of those finds them. The budget is
 * asked for 256 frames at a time. When it has nothing left, new frames become one frame
 * that says so, and known ones are found as before. A merge gives each frame of another
 * list its id here. Labels of threads have ids of their own in each list, so those are
 * translated first.
 */
#include <errno.h>

#include "stack/stack.h"

static uint64_t hash_of_frame(const struct frame *f)
{
	return hash_u64(f->address ^ hash_u64((uint64_t)f->image << 32 | f->flags));
}

void frames_release(struct frames *f)
{
	array_release(&f->list);
	hash_release(&f->by_key);
	array_release(&f->threads);
	hash_release(&f->threads_by_key);
	array_release(&f->functions);
	claim_release(&f->claim);
}

/* What is there already is claimed in any case. */
static void settle_frames_claim(struct frames *f)
{
	f->allowed = f->list.count;
	claim_settle(&f->claim, f->budget, (uint64_t)f->list.count * FRAME_MEMORY);
}

void frames_limit(struct frames *f, struct budget *budget, uint32_t limit)
{
	f->budget = budget;
	f->limit = limit;
	settle_frames_claim(f);
}

static bool find_frame(const struct frames *f, const struct frame *frame, uint64_t hash,
		       uint32_t *ret)
{
	uint64_t i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&f->by_key, hash, &i)) != HASH_NONE)
		if (memcmp(&f->list.v[id], frame, sizeof(*frame)) == 0) {
			*ret = id;
			return true;
		}
	return false;
}

static int add_unless_there(struct frames *f, const struct frame *frame, uint32_t *ret)
{
	uint64_t hash = hash_of_frame(frame);
	struct frame *slot;

	if (find_frame(f, frame, hash, ret))
		return 0;
	if (f->list.count >= HASH_NONE - 1 || !array_reserve(&f->list, 1) ||
	    !hash_add(&f->by_key, hash, (uint32_t)f->list.count))
		return -ENOMEM;
	slot = array_add(&f->list);
	*slot = *frame;
	*ret = (uint32_t)f->list.count - 1;
	return 0;
}

int frames_add(struct frames *f, const struct frame *frame, uint32_t *ret)
{
	enum { SOME = 256 };
	struct frame limit = { .image = IMAGE_ID_NAMES, .address = f->limit };

	if (!f->budget || f->list.count < f->allowed ||
	    find_frame(f, frame, hash_of_frame(frame), ret))
		return add_unless_there(f, frame, ret);
	/* Some at once, so that the budget is seldom asked. */
	if (claim_add_part(&f->claim, f->budget, BUDGET_STACKS,
			   (uint64_t)SOME * FRAME_MEMORY)) {
		f->allowed += SOME;
		return add_unless_there(f, frame, ret);
	}
	if (add_unless_there(f, &limit, ret) < 0)
		return -ENOMEM;
	f->limit_frame = *ret + 1;
	return 0;
}

int frames_add_thread(struct frames *f, const struct thread_label *label, uint32_t *ret)
{
	uint64_t hash = hash_bytes(label, sizeof(*label)), i = hash_start(hash);
	struct thread_label *slot;
	uint32_t id;

	while ((id = hash_find(&f->threads_by_key, hash, &i)) != HASH_NONE)
		if (memcmp(&f->threads.v[id], label, sizeof(*label)) == 0) {
			*ret = id;
			return 0;
		}
	if (f->threads.count >= HASH_NONE - 1 || !array_reserve(&f->threads, 1) ||
	    !hash_add(&f->threads_by_key, hash, (uint32_t)f->threads.count))
		return -ENOMEM;
	slot = array_add(&f->threads);
	*slot = *label;
	*ret = (uint32_t)f->threads.count - 1;
	return 0;
}

int frames_merge(struct frames *f, const struct frames *from, uint32_t **map)
{
	size_t count = from->list.count;
	uint32_t *ids = malloc((count ? count : 1) * sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct frame frame = from->list.v[i];
		uint32_t label = 0;
		int err = 0;

		/* Its address is a number of one of the tables. */
		if (frame.flags & FRAME_TID) {
			err = frames_add_thread(f, &from->threads.v[frame.address],
						&label);
			frame.address = label;
		}
		if (err < 0 || add_unless_there(f, &frame, &ids[i]) < 0) {
			free(ids);
			return -ENOMEM;
		}
	}
	settle_frames_claim(f);
	*map = ids;
	return 0;
}
