#include "elf/inflate.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static uint8_t plain[5000], packed[8000], out[6000];
static size_t packed_size;

static void begin(void)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * i >> 4);
	memset(out, 0xaa, sizeof(out));
}

TestSuite(inflate, .init = begin);

struct bytes {
	const uint8_t *v;
	size_t size;
};

static bool read_bytes(void *arg, size_t at, void *to, size_t size)
{
	const struct bytes *b = arg;

	cr_assert(at <= b->size && size <= b->size - at);
	memcpy(to, b->v + at, size);
	return true;
}

static int unpack(enum section_packing packing, const uint8_t *from, size_t size,
		  uint8_t *to, size_t room)
{
	struct bytes bytes = { from, size };
	struct packed_section in = { packing, size, read_bytes, &bytes };

	return inflate_whole(&in, to, room);
}

static void pack_zlib(size_t from, size_t size)
{
	uLongf room = sizeof(packed) - packed_size;

	cr_assert_eq(compress(packed + packed_size, &room, plain + from, size), Z_OK);
	packed_size += room;
}

Test(inflate, zlib_is_unpacked)
{
	pack_zlib(0, sizeof(plain));
	cr_expect_eq(unpack(SECTION_ZLIB, packed, packed_size, out, sizeof(plain)), 0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
	cr_expect_eq(out[sizeof(plain)], 0xaa);
}

Test(inflate, streams_that_follow_each_other_are_one)
{
	pack_zlib(0, 2000);
	pack_zlib(2000, 3000);
	cr_expect_eq(unpack(SECTION_ZLIB, packed, packed_size, out, sizeof(plain)), 0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
}

Test(inflate, zstd_is_unpacked)
{
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 3);
	cr_expect_eq(unpack(SECTION_ZSTD, packed, packed_size, out, sizeof(plain)), 0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
}

Test(inflate, fewer_bytes_than_promised_are_refused)
{
	pack_zlib(0, 4000);
	cr_expect_eq(unpack(SECTION_ZLIB, packed, packed_size, out, sizeof(plain)),
		     -EBADMSG);
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, 4000, 3);
	cr_expect_eq(unpack(SECTION_ZSTD, packed, packed_size, out, sizeof(plain)),
		     -EBADMSG);
}

Test(inflate, more_bytes_than_promised_do_not_go_past_the_end)
{
	pack_zlib(0, sizeof(plain));
	unpack(SECTION_ZLIB, packed, packed_size, out, 100);
	cr_expect_eq(out[100], 0xaa);
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 3);
	cr_expect_eq(unpack(SECTION_ZSTD, packed, packed_size, out, 100), -EBADMSG);
}

Test(inflate, bytes_that_are_nothing_are_refused)
{
	cr_expect_eq(unpack(SECTION_ZLIB, plain, 100, out, 100), -EBADMSG);
	cr_expect_eq(unpack(SECTION_ZSTD, plain, 100, out, 100), -EBADMSG);
	cr_expect_eq(unpack(SECTION_ZLIB, plain, 0, out, 100), -EBADMSG);
}

Test(inflate, more_than_is_read_at_once)
{
	enum { MUCH = 1 << 20 };
	uint8_t *from = malloc(MUCH), *to = malloc(MUCH), *small = malloc(MUCH + 4096);
	uLongf size = MUCH + 4096;

	for (uint32_t i = 0, x = 1; i < MUCH; i++, x = x * 1664525 + 1013904223)
		from[i] = (uint8_t)(x >> 25);
	cr_assert_eq(compress(small, &size, from, MUCH), Z_OK);
	cr_assert_gt(size, 1 << 19);
	cr_expect_eq(unpack(SECTION_ZLIB, small, size, to, MUCH), 0);
	cr_expect_arr_eq(to, from, MUCH);
	cr_expect_eq(unpack(SECTION_ZLIB, small, size / 2, to, MUCH), -EBADMSG);
	free(from);
	free(to);
	free(small);
}

static bool read_nothing(void *arg, size_t at, void *to, size_t size)
{
	(void)arg, (void)at, (void)to, (void)size;
	return false;
}

Test(inflate, bytes_that_are_not_there_are_refused)
{
	struct packed_section in = { SECTION_ZLIB, 100, read_nothing, NULL };

	cr_expect_eq(inflate_whole(&in, out, 100), -EBADMSG);
	in.packing = SECTION_ZSTD;
	cr_expect_eq(inflate_whole(&in, out, 100), -EBADMSG);
}
