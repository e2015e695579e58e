#include "base/deflate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *make(size_t size, unsigned kind)
{
	uint8_t *bytes = malloc(size ? size : 1);
	uint32_t x = 1;

	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		bytes[i] = kind == 0   ? 0
			   : kind == 1 ? (uint8_t)(x >> 24)
				       : "abcabd"[i % 6];
	}
	return bytes;
}

static void expect_same(const struct deflate_piece *pieces, size_t count)
{
	uint8_t *packed[2], *back;
	size_t size[2], sum = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		sum += pieces[i].size;
	cr_assert_eq(deflate_pieces(pieces, count, 1, &packed[0], &size[0]), 0);
	cr_assert_eq(deflate_pieces(pieces, count, 4, &packed[1], &size[1]), 0);
	cr_expect_eq(size[0], size[1], "the same with any number of threads");
	cr_expect_eq(memcmp(packed[0], packed[1], size[0]), 0);
	cr_assert_eq(inflate_bytes(packed[0], size[0], sum, &back), 0);
	for (size_t i = 0; i < count; at += pieces[i++].size)
		cr_expect_eq(memcmp(back + at, pieces[i].bytes, pieces[i].size), 0);
	free(back);
	free(packed[0]);
	free(packed[1]);
}

Test(deflate, pieces_come_back_as_one)
{
	struct deflate_piece pieces[4];

	for (unsigned kind = 0; kind < 3; kind++) {
		static const size_t sizes[] = { 1, 300000, 0, 1000000 };

		for (int i = 0; i < 4; i++)
			pieces[i] =
				(struct deflate_piece){ make(sizes[i], kind), sizes[i] };
		expect_same(pieces, 4);
		expect_same(pieces, 1);
		expect_same(pieces + 2, 1);
		for (int i = 0; i < 4; i++)
			free((void *)pieces[i].bytes);
	}
}

Test(deflate, the_ratio_is_bounded_where_there_is_much)
{
	size_t size = DEFLATE_FREE + (8u << 20), packed;
	struct deflate_piece zeros = { calloc(size, 1), size };
	uint8_t *bytes, *back;

	cr_assert_eq(deflate_pieces(&zeros, 1, 2, &bytes, &packed), 0);
	cr_expect_leq(size / DEFLATE_RATIO, packed);
	cr_assert_eq(inflate_bytes(bytes, packed, size, &back), 0);
	cr_expect_eq(memcmp(back, zeros.bytes, size), 0);
	free(back);
	free(bytes);
	free((void *)zeros.bytes);
}

Test(deflate, another_size_and_damage_are_found)
{
	struct deflate_piece piece = { make(1000, 2), 1000 };
	uint8_t *packed, *back;
	size_t size;

	cr_assert_eq(deflate_pieces(&piece, 1, 1, &packed, &size), 0);
	cr_expect_eq(inflate_bytes(packed, size, 999, &back), -EBADMSG);
	cr_expect_eq(inflate_bytes(packed, size, 1001, &back), -EBADMSG);
	for (size_t i = 0; i < size; i++)
		cr_expect_eq(inflate_bytes(packed, i, 1000, &back), -EBADMSG,
			     "cut at %zu", i);
	packed[size - 1] ^= 1;
	cr_expect_eq(inflate_bytes(packed, size, 1000, &back), -EBADMSG, "the sum");
	free(packed);
	free((void *)piece.bytes);
}
