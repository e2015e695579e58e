#include "object/inflate.h"

#include <criterion/criterion.h>
#include <errno.h>
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

static void pack_zlib(size_t from, size_t size)
{
	uLongf room = sizeof(packed) - packed_size;

	cr_assert_eq(compress(packed + packed_size, &room, plain + from, size), Z_OK);
	packed_size += room;
}

Test(inflate, zlib_is_unpacked)
{
	pack_zlib(0, sizeof(plain));
	cr_expect_eq(inflate_whole(PACKING_ZLIB, packed, packed_size, out, sizeof(plain)),
		     0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
	cr_expect_eq(out[sizeof(plain)], 0xaa);
}

Test(inflate, streams_that_follow_each_other_are_one)
{
	pack_zlib(0, 2000);
	pack_zlib(2000, 3000);
	cr_expect_eq(inflate_whole(PACKING_ZLIB, packed, packed_size, out, sizeof(plain)),
		     0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
}

Test(inflate, zstd_is_unpacked)
{
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 3);
	cr_expect_eq(inflate_whole(PACKING_ZSTD, packed, packed_size, out, sizeof(plain)),
		     0);
	cr_expect_arr_eq(out, plain, sizeof(plain));
}

Test(inflate, fewer_bytes_than_promised_are_refused)
{
	pack_zlib(0, 4000);
	cr_expect_eq(inflate_whole(PACKING_ZLIB, packed, packed_size, out, sizeof(plain)),
		     -EBADMSG);
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, 4000, 3);
	cr_expect_eq(inflate_whole(PACKING_ZSTD, packed, packed_size, out, sizeof(plain)),
		     -EBADMSG);
}

Test(inflate, more_bytes_than_promised_do_not_go_past_the_end)
{
	pack_zlib(0, sizeof(plain));
	inflate_whole(PACKING_ZLIB, packed, packed_size, out, 100);
	cr_expect_eq(out[100], 0xaa);
	packed_size = ZSTD_compress(packed, sizeof(packed), plain, sizeof(plain), 3);
	cr_expect_eq(inflate_whole(PACKING_ZSTD, packed, packed_size, out, 100),
		     -EBADMSG);
}

Test(inflate, bytes_that_are_nothing_are_refused)
{
	cr_expect_eq(inflate_whole(PACKING_ZLIB, plain, 100, out, 100), -EBADMSG);
	cr_expect_eq(inflate_whole(PACKING_ZSTD, plain, 100, out, 100), -EBADMSG);
	cr_expect_eq(inflate_whole(PACKING_ZLIB, plain, 0, out, 100), -EBADMSG);
}
