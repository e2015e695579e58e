#include "elf/packed_object.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "elf/symtab.h"
#include "unit/elf/elf_image.h"

static struct elf_image inner, outer;
static struct context ctx;
static struct object o, found;
static uint8_t packed[ELF_IMAGE_SIZE + 4096];
static size_t packed_size;
static char path[64];

static void begin(void)
{
	unsigned text;

	object_prepare();
	image_begin(&inner);
	text = image_code(&inner, ".text", 0x1000, 0x100);
	image_symbol(&inner, "internal", 0x1000, 0x10, STB_LOCAL, text);
	image_write(&inner);
	o = found = (struct object){ .fd = -1 };
}

static void end(void)
{
	object_close(&o);
	object_close(&found);
	image_remove(&inner);
	if (*path)
		unlink(path);
}

TestSuite(packed_object, .init = begin, .fini = end);

static void pack_xz(const void *bytes, size_t size)
{
	packed_size = 0;
	cr_assert_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, bytes, size,
					     packed, &packed_size, sizeof(packed)),
		     LZMA_OK);
}

static void pack_zstd(const void *bytes, size_t size)
{
	packed_size = ZSTD_compress(packed, sizeof(packed), bytes, size, 3);
}

static void pack_gzip(const void *bytes, size_t size)
{
	z_stream z = { 0 };

	deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (uint8_t *)bytes;
	z.avail_in = (uInt)size;
	z.next_out = packed;
	z.avail_out = sizeof(packed);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed_size = z.total_out;
	deflateEnd(&z);
}

static void (*const packers[])(const void *bytes, size_t size) = { pack_xz, pack_zstd,
								   pack_gzip };

static void expect_inner(void)
{
	struct symtab st;
	uint64_t address;

	cr_assert_eq(symtab_read(&st, &found, NULL), 0);
	cr_expect(symtab_find(&st, "internal", &address));
	cr_expect_eq(address, 0x1000);
	symtab_release(&st);
	object_close(&found);
}

Test(packed_object, a_file_is_unpacked_whatever_it_is_packed_with)
{
	for (int i = 0; i < 3; i++) {
		packers[i](inner.bytes, inner.size);
		write_temporary(path, packed, packed_size);
		cr_assert_eq(packed_object_open(&ctx, path, &found), 0, "%s", ctx.error);
		expect_inner();
		unlink(path);
	}
}

Test(packed_object, a_file_that_is_not_packed_is_opened_as_it_is)
{
	cr_assert_eq(packed_object_open(&ctx, inner.path, &found), 0);
	expect_inner();
}

Test(packed_object, what_is_packed_is_no_object)
{
	pack_xz("no object", 9);
	write_temporary(path, packed, packed_size);
	cr_expect_eq(packed_object_open(&ctx, path, &found), -EBADMSG);
	cr_expect(strstr(ctx.error, "is not an ELF file"), "%s", ctx.error);
}

Test(packed_object, a_file_that_is_cut_is_refused)
{
	pack_xz(inner.bytes, inner.size);
	for (size_t cut = 6; cut < packed_size; cut += 7) {
		write_temporary(path, packed, cut);
		cr_expect_eq(packed_object_open(&ctx, path, &found), -EBADMSG);
		cr_expect(strstr(ctx.error, "ends early"), "%s", ctx.error);
		unlink(path);
	}
}

Test(packed_object, a_few_bytes_are_not_unpacked_to_very_many)
{
	size_t size = 8 << 20;
	uint8_t *zeros = calloc(1, size);

	for (int i = 0; i < 3; i++) {
		packers[i](zeros, size);
		write_temporary(path, packed, packed_size);
		cr_expect_eq(packed_object_open(&ctx, path, &found), -EFBIG);
		unlink(path);
		/* That much is free. */
		packers[i](zeros, 1 << 20);
		write_temporary(path, packed, packed_size);
		cr_expect_eq(packed_object_open(&ctx, path, &found), -EBADMSG);
		unlink(path);
	}
	free(zeros);
}

static void open_outer(const void *bytes, size_t size)
{
	image_begin(&outer);
	image_code(&outer, ".text", 0x1000, 0x100);
	if (bytes)
		image_section(&outer, ".gnu_debugdata", SHT_PROGBITS, 0, bytes, size);
	image_write(&outer);
	cr_assert_eq(object_open(&ctx, outer.path, &o), 0);
	unlink(outer.path);
}

Test(packed_object, symbols_packed_in_an_object_are_found)
{
	pack_xz(inner.bytes, inner.size);
	open_outer(packed, packed_size);
	cr_assert_eq(packed_object_open_inner(&ctx, &o, "x", &found), 0);
	expect_inner();
}

Test(packed_object, an_object_without_or_with_an_empty_section_has_none)
{
	open_outer(NULL, 0);
	cr_expect_eq(packed_object_open_inner(&ctx, &o, "x", &found), -ENODATA);
	object_close(&o);
	open_outer("", 0);
	cr_expect_eq(packed_object_open_inner(&ctx, &o, "x", &found), -ENODATA);
	object_close(&o);
	open_outer("plain", 5);
	cr_expect_eq(packed_object_open_inner(&ctx, &o, "x", &found), -ENODATA);
}

Test(packed_object, what_lies_behind_the_section_is_not_read)
{
	pack_xz(inner.bytes, inner.size);
	open_outer(packed, packed_size - 8);
	cr_expect_eq(packed_object_open_inner(&ctx, &o, "x", &found), -EBADMSG);
}
