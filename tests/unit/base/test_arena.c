#include "base/arena.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

static bool is_zero(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return false;
	return true;
}

Test(arena, memory_is_zero_and_aligned_whatever_was_asked_before)
{
	struct arena a = { 0 };

	for (size_t size = 1; size < 200; size++) {
		char *p;

		cr_assert(arena_text(&a, "xyz", size % 4));
		p = arena_alloc(&a, size);
		cr_assert(p);
		cr_assert_eq((uintptr_t)p % alignof(max_align_t), 0, "%zu bytes", size);
		cr_assert(is_zero(p, size), "%zu bytes", size);
		memset(p, 0xff, size);
	}
	arena_release(&a);
}

Test(arena, pieces_do_not_overlap)
{
	enum { PIECES = 3000, SIZE = 77 };
	struct arena a = { 0 };
	char *pieces[PIECES];

	for (int i = 0; i < PIECES; i++) {
		pieces[i] = arena_alloc(&a, SIZE);
		memset(pieces[i], i & 0xff, SIZE);
	}
	for (int i = 0; i < PIECES; i++)
		for (int j = 0; j < SIZE; j++)
			cr_assert_eq((unsigned char)pieces[i][j], i & 0xff);
	arena_release(&a);
}

Test(arena, text_is_copied_with_a_nul_behind_it)
{
	struct arena a = { 0 };
	char source[] = "abcdef";
	char *copy = arena_text(&a, source, 3);

	memset(source, 'x', 6);
	cr_assert_str_eq(copy, "abc");
	cr_assert_str_eq(arena_text(&a, "", 0), "");
	arena_release(&a);
}

Test(arena, a_piece_larger_than_a_block_is_whole)
{
	struct arena a = { 0 };
	size_t size = 10 << 20;
	char *small = arena_text(&a, "small", 5);
	char *large = arena_alloc(&a, size);

	cr_assert(large && is_zero(large, size));
	memset(large, 1, size);
	cr_assert_str_eq(small, "small");
	arena_release(&a);
}

Test(arena, an_impossible_size_is_refused_and_the_arena_still_works)
{
	struct arena a = { 0 };

	cr_assert_null(arena_alloc(&a, SIZE_MAX));
	cr_assert_null(arena_alloc(&a, SIZE_MAX - 7));
	cr_assert_null(arena_alloc(&a, SIZE_MAX / 2 + 1));
	cr_assert_str_eq(arena_text(&a, "x", 1), "x");
	arena_release(&a);
}

Test(arena, release_leaves_an_empty_one_that_can_be_used_again)
{
	struct arena a = { 0 };

	arena_release(&a);
	cr_assert(arena_alloc(&a, 100));
	arena_release(&a);
	cr_assert_null(a.blocks);
	cr_assert(arena_alloc(&a, 100));
	arena_release(&a);
}

/* There are many, and most of them hold a few names. */
Test(arena, what_holds_little_is_small)
{
	struct arena a = { 0 };
	size_t before = mallinfo2().uordblks;

	cr_assert(arena_text(&a, "abc", 3));
	cr_expect_leq(mallinfo2().uordblks - before, 8 << 10);
	arena_release(&a);
}
