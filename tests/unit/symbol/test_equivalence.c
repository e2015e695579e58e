#include <criterion/criterion.h>
#include <stdlib.h>

#include "unit/symbol/subject.h"

TestSuite(equivalence, .init = subject_begin, .fini = subject_end);

/* Labels need no files: their functions are their names. */
static uint32_t label(const char *name, uint32_t flags)
{
	return add_frame(IMAGE_ID_NAMES, string(name), flags);
}

Test(equivalence, frames_of_one_function_of_one_image_become_the_first)
{
	uint32_t gone = add_image(IMAGE_FILE, "/gone", NULL);
	uint32_t other = add_image(IMAGE_FILE, "/other", NULL);
	uint32_t a = add_frame(gone, 0x100, 0), b = add_frame(gone, 0x200, 0);
	uint32_t c = add_frame(other, 0x100, 0), d = label("sh", 0);
	uint32_t *map;

	run();
	cr_assert_eq(symbols_equivalence(&subject.symbols, &subject.frames,
					 &subject.images, &map),
		     0);
	cr_expect_eq(map[a], a);
	cr_expect_eq(map[b], a, "both are [gone]");
	cr_expect_eq(map[c], c, "another image");
	cr_expect_eq(map[d], d);
	free(map);
}

Test(equivalence, marks_are_no_names)
{
	uint32_t name = label("[softirq]", 0), mark = label("[softirq]", FRAME_INTERRUPT);
	uint32_t maybe = label("[softirq]", FRAME_INTERRUPT | FRAME_SOFTIRQ), *map;

	run();
	cr_assert_eq(symbols_equivalence(&subject.symbols, &subject.frames,
					 &subject.images, &map),
		     0);
	cr_expect_eq(map[name], name);
	cr_expect_eq(map[mark], mark);
	cr_expect_eq(map[maybe], maybe);
	free(map);
}

Test(equivalence, code_that_may_get_its_name_later_stands_for_itself)
{
	struct image key = { .kind = IMAGE_ANON, .path = string("//anon"), .owner = 1 };
	uint32_t image, a, b, *map;

	cr_assert_eq(images_add(&subject.images, &key, &image), 0);
	a = add_frame(image, 0x100, 0);
	b = add_frame(image, 0x200, 0);
	run();
	cr_assert_eq(symbols_equivalence(&subject.symbols, &subject.frames,
					 &subject.images, &map),
		     0);
	cr_expect_eq(map[a], a);
	cr_expect_eq(map[b], b);
	free(map);
}

Test(equivalence, frames_that_came_later_are_named_by_another_run)
{
	uint32_t image = add_image(IMAGE_FILE, "/gone", NULL);
	uint32_t a = add_frame(image, 0x100, 0), b, c;

	run();
	cr_expect_eq(subject.symbols.images.v[image].frames, 1);
	b = add_frame(image, 0x200, 0);
	c = label("sh", 0);
	run();
	cr_expect_eq(subject.symbols.of_frame.count, 3);
	cr_expect_str_eq(name_of(a), "[gone]");
	cr_expect_str_eq(name_of(b), "[gone]");
	cr_expect_str_eq(name_of(c), "sh");
	cr_expect_eq(subject.symbols.images.v[image].frames, 2);
	cr_expect_eq(subject.symbols.images.v[image].unnamed, 2);
}

/* A runtime that tells late: the frame counts once, and is not unnamed any more. */
Test(equivalence, code_without_a_name_is_looked_up_again)
{
	struct image key = { .kind = IMAGE_ANON, .path = string("//anon"), .owner = 1 };
	uint32_t image, a;

	cr_assert_eq(images_add(&subject.images, &key, &image), 0);
	a = add_frame(image, 0x100, 0);
	run();
	run();
	cr_expect(function_of(a)->unnamed);
	cr_expect_eq(subject.symbols.images.v[image].frames, 1);
	cr_expect_eq(subject.symbols.images.v[image].unnamed, 1);
}
