/* Frames: an id each, also when those of two are put together. */
#include "stack/stack.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(frames, equal_frames_have_one_id_and_every_field_counts)
{
	struct frame list[] = {
		{ 1, 2, 0 }, { 1, 3, 0 }, { 2, 2, 0 }, { 1, 2, FRAME_CALLER }
	};
	struct frames f = { 0 };
	uint32_t id;

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 4; i++) {
			cr_assert_eq(frames_add(&f, &list[i], &id), 0);
			cr_assert_eq(id, i);
		}
	cr_assert_eq(f.list.count, 4);
	frames_release(&f);
}

Test(frames, merging_maps_every_id_to_the_equal_frame)
{
	struct frames to = { 0 }, from = { 0 };
	struct thread_label label = { 7, 8, 9 }, other = { 7, 8, 10 };
	struct frame frame;
	uint32_t *map = NULL, id, thread;

	cr_assert_eq(frames_add_thread(&to, &other, &thread), 0);
	for (uint64_t i = 0; i < 100; i++)
		cr_assert_eq(frames_add(&to, &(struct frame){ i, 5, 0 }, &id), 0);
	for (uint64_t i = 50; i < 150; i++)
		cr_assert_eq(frames_add(&from, &(struct frame){ i, 5, 0 }, &id), 0);
	cr_assert_eq(frames_add_thread(&from, &label, &thread), 0);
	frame = (struct frame){ thread, IMAGE_ID_NAMES, FRAME_TID };
	cr_assert_eq(frames_add(&from, &frame, &id), 0);
	cr_assert_eq(frames_merge(&to, &from, &map), 0);
	for (uint32_t i = 0; i < 100; i++) {
		const struct frame *f = &to.list.v[map[i]];

		cr_assert(f->address == i + 50 && f->image == 5 && f->flags == 0);
	}
	cr_assert_eq(to.list.count, 151, "what both had is one");
	frame = to.list.v[map[id]];
	cr_assert(frame.flags & FRAME_TID);
	cr_assert_eq(to.threads.v[frame.address].tid, 9, "the label came along");
	free(map);
	frames_release(&to);
	frames_release(&from);
}

Test(frames, a_thread_label_has_one_index)
{
	struct frames f = { 0 };
	struct thread_label a = { 1, 2, 3 }, b = { 1, 2, 4 };
	uint32_t i, j, k;

	cr_assert_eq(frames_add_thread(&f, &a, &i), 0);
	cr_assert_eq(frames_add_thread(&f, &b, &j), 0);
	cr_assert_eq(frames_add_thread(&f, &a, &k), 0);
	cr_assert_eq(i, k);
	cr_assert_neq(i, j);
	frames_release(&f);
}
