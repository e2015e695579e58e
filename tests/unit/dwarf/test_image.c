#include "dwarf/image.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "dwarf/handle.h"
#include "unit/dwarf/info_writer.h"

static struct elf_image e;
static struct object o;
static struct debug_image image;
static struct context ctx;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	image_code(&e, ".text", 0x401000, 0x100);
	o = (struct object){ .fd = -1 };
}

static void end(void)
{
	debug_image_release(&image);
	object_close(&o);
	image_remove(&e);
}

TestSuite(debug_image, .init = begin, .fini = end);

static void add(const char *name, const char *bytes)
{
	image_section(&e, name, SHT_PROGBITS, 0, bytes, strlen(bytes));
}

static int read_image(bool lines)
{
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	return debug_image_read(&ctx, &o, lines, &image);
}

static void expect(enum debug_section section, const char *bytes)
{
	const struct debug_bytes *got = &image.sections[section];

	cr_assert_eq(got->size, strlen(bytes), "%zu bytes", got->size);
	cr_expect_arr_eq(got->p, bytes, got->size);
	/* What libdw reads past the end is zero. */
	for (size_t i = 0; i < got->size && i < 64; i++)
		cr_expect_eq(got->p[got->size + i], 0);
}

Test(debug_image, sections_are_found_by_name)
{
	add(".debug_loc", "not wanted");
	add(".debug_info", "info");
	add(".debug_abbrev", "abbrev");
	add(".debug_info", "a second one");
	add(".debug_str", "str");
	cr_assert_eq(read_image(false), 0);
	expect(DEBUG_INFO, "info");
	expect(DEBUG_ABBREV, "abbrev");
	expect(DEBUG_STR, "str");
	cr_expect_eq(image.sections[DEBUG_LINE].size, 0);
}

Test(debug_image, lines_are_there_when_asked_for)
{
	add(".debug_info", "info");
	add(".debug_abbrev", "abbrev");
	add(".debug_line", "line");
	cr_assert_eq(read_image(false), 0);
	cr_expect_eq(image.sections[DEBUG_LINE].size, 0);
	debug_image_release(&image);
	cr_assert_eq(debug_image_read(&ctx, &o, true, &image), 0);
	expect(DEBUG_LINE, "line");
}

Test(debug_image, libdw_reads_it)
{
	static struct info_writer d;
	struct debug_handle handle;
	Dwarf_Die cu;

	info_begin(&d);
	info_abbreviation(&d, 1, DW_TAG_compile_unit, DW_CHILDREN_no, DW_AT_name,
			  DW_FORM_string, 0);
	info_unit(&d, 4);
	info_die(&d, 1);
	put_text(&d.info, "a.c");
	info_end_unit(&d);
	info_add(&d, &e);
	cr_assert_eq(read_image(false), 0);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
	cr_assert(dwarf_offdie(handle.dwarf, 11, &cu));
	cr_expect_str_eq(dwarf_diename(&cu), "a.c");
	debug_handle_close(&handle);
}

/* SHF_COMPRESSED: type, reserved, size, alignment, and the packed bytes. */
static void add_packed(const char *name, const char *bytes, size_t size, uint64_t claimed)
{
	static uint8_t packed[1 << 13];
	uLongf room = sizeof(packed) - 24;
	Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = claimed };

	memcpy(packed, &head, sizeof(head));
	cr_assert_eq(compress(packed + 24, &room, (const uint8_t *)bytes, size), Z_OK);
	image_section(&e, name, SHT_PROGBITS, SHF_COMPRESSED, packed, 24 + room);
}

Test(debug_image, packed_sections_are_unpacked)
{
	static uint8_t old[64] = "ZLIB\0\0\0\0\0\0\0\6";
	uLongf room = sizeof(old) - 12;

	cr_assert_eq(compress(old + 12, &room, (const uint8_t *)"abbrev", 6), Z_OK);
	add_packed(".debug_info", "info", 4, 4);
	image_section(&e, ".zdebug_abbrev", SHT_PROGBITS, 0, old, 12 + room);
	cr_assert_eq(read_image(false), 0);
	expect(DEBUG_INFO, "info");
	expect(DEBUG_ABBREV, "abbrev");
}

Test(debug_image, a_few_bytes_that_claim_to_be_many_are_refused)
{
	add_packed(".debug_info", "info", 4, (uint64_t)1 << 30);
	add(".debug_abbrev", "abbrev");
	cr_expect_eq(read_image(false), -EFBIG);
	cr_expect_str_eq(ctx.error, "its debug information is too large");
}

Test(debug_image, packed_bytes_that_are_fewer_than_claimed_are_refused)
{
	add_packed(".debug_info", "info", 4, 5);
	add(".debug_abbrev", "abbrev");
	cr_expect_eq(read_image(false), -EBADMSG);
}

Test(debug_image, what_is_not_linked_is_refused)
{
	add(".debug_info", "info");
	add(".debug_abbrev", "abbrev");
	image_section(&e, ".rela.debug_info", SHT_RELA, 0, "", 1);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	o.relocatable = true;
	cr_expect_eq(debug_image_read(&ctx, &o, false, &image), -ENODATA);
}

Test(debug_image, of_a_dwo_file_the_sections_for_it_are_taken)
{
	const struct debug_bytes addresses = { (const uint8_t *)"addr", 4 };

	add(".debug_info.dwo", "info");
	add(".debug_abbrev.dwo", "abbrev");
	add(".debug_str", "of somebody else");
	add(".debug_str.dwo", "str");
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_eq(debug_image_read(&ctx, &o, false, &image), -ENODATA);
	cr_assert_eq(debug_image_read_split(
			     &ctx, &o, false,
			     &(struct debug_split_parts){ .addresses = addresses },
			     &image),
		     0);
	expect(DEBUG_INFO, "info");
	expect(DEBUG_STR, "str");
	expect(DEBUG_ADDR, "addr");
	cr_expect_eq(image.sections[DEBUG_RANGES].size, 0);
}

Test(debug_image, a_section_outside_of_the_file_is_none)
{
	unsigned at;

	add(".debug_abbrev", "abbrev");
	at = image_section(&e, ".debug_info", SHT_PROGBITS, 0, "info", 4);
	e.sections[at].sh_size = UINT64_MAX - 100;
	cr_expect_eq(read_image(false), -ENODATA);
}

Test(debug_image, the_first_code_is_that_of_the_lowest_section)
{
	image_code(&e, ".init", 0x400500, 0x10);
	add(".debug_info", "info");
	add(".debug_abbrev", "abbrev");
	cr_assert_eq(read_image(false), 0);
	cr_expect_eq(debug_first_code(&o), 0x400500);
}
