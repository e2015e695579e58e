#include "dwarf/package.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"

/* A package of two units, whose index the tests break: words of 32 bits, low ones first. */
static struct elf_image e;
static struct context ctx;
static struct debug_package p;
static struct debug_image image;
static struct debug_work work = { .most = DEBUG_METER_PART };
static struct debug_meter meter = { .work = &work };
static const char strings[] = "main\0int\0leaf"; /* at 0, 5 and 9 */

enum { A = 0x11, B = 0x22, WORDS = 64 };
static uint32_t index_words[WORDS] = {
	2, 4, 2, 4, /* version, columns, rows, slots */
	0, 0, A, 7,  0, 0, B, 7, /* ids */
	0, 1, 0, 2, /* rows of them */
	1, 3, 6, 5, /* info, abbreviations, offsets of strings, what is not read */
	0, 0, 0, 0, /* unit A: where */
	8, 4, 8, 0, /* unit B */
	8, 4, 8, 99, /* how much */
	8, 4, 4, 99,
};
enum { OFFSETS = 20, SIZES = 28, END = 36 };
static const uint64_t id_a = (uint64_t)7 << 32 | A, id_b = (uint64_t)7 << 32 | B;

static void begin(void)
{
	object_prepare();
	p.file.fd = -1;
}

static void end(void)
{
	debug_image_release(&image);
	debug_package_release(&p);
	image_remove(&e);
}

TestSuite(debug_package, .init = begin, .fini = end);

static int open_with(const uint32_t *string_offsets, size_t size)
{
	struct object file;

	image_begin(&e);
	image_section(&e, ".debug_cu_index", SHT_PROGBITS, 0, index_words, 4 * END);
	image_section(&e, ".debug_info.dwo", SHT_PROGBITS, 0, "INFO-OF-info-of-", 16);
	image_section(&e, ".debug_abbrev.dwo", SHT_PROGBITS, 0, "ABBRabbr", 8);
	image_section(&e, ".debug_str.dwo", SHT_PROGBITS, 0, strings, sizeof(strings));
	image_section(&e, ".debug_str_offsets.dwo", SHT_PROGBITS, 0, string_offsets,
		      size);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &file), 0, "%s", ctx.error);
	return debug_package_open(&ctx, &file, &p);
}

static int open_package(void)
{
	static const uint32_t offsets[] = { 9, 0, 9 };

	return open_with(offsets, sizeof(offsets));
}

static int read_unit(uint64_t id)
{
	struct package_unit unit = { .lines = false };

	cr_assert(debug_package_find(&p, id, &unit.row));
	return debug_package_read(&ctx, &p, &unit, &meter, &image);
}

static void expect_bytes(enum debug_section section, const void *bytes, size_t size)
{
	cr_assert_eq(image.sections[section].size, size);
	cr_expect_eq(memcmp(image.sections[section].p, bytes, size), 0);
}

Test(debug_package, a_unit_is_cut_out_with_its_strings)
{
	const uint32_t offsets_a[] = { 1, 6 }, offsets_b[] = { 1 };

	cr_assert_eq(open_package(), 0, "%s", ctx.error);
	cr_assert_eq(read_unit(id_a), 0, "%s", ctx.error);
	expect_bytes(DEBUG_INFO, "INFO-OF-", 8);
	expect_bytes(DEBUG_ABBREV, "ABBR", 4);
	expect_bytes(DEBUG_STR, "\0leaf\0main", 11);
	expect_bytes(DEBUG_STR_OFFSETS, offsets_a, 8);
	debug_image_release(&image);
	cr_assert_eq(read_unit(id_b), 0, "%s", ctx.error);
	expect_bytes(DEBUG_INFO, "info-of-", 8);
	expect_bytes(DEBUG_STR, "\0leaf", 6);
	expect_bytes(DEBUG_STR_OFFSETS, offsets_b, 4);
}

Test(debug_package, in_DWARF_5_offsets_of_strings_have_a_head)
{
	const uint32_t given[] = { 8, 5, 5 }, wanted[] = { 8, 5, 1 };

	index_words[0] = 5;
	index_words[SIZES + 2] = sizeof(given);
	index_words[OFFSETS + 6] = index_words[SIZES + 6] = 0;
	cr_assert_eq(open_with(given, sizeof(given)), 0, "%s", ctx.error);
	cr_assert_eq(read_unit(id_a), 0, "%s", ctx.error);
	expect_bytes(DEBUG_STR, "\0int", 5);
	expect_bytes(DEBUG_STR_OFFSETS, wanted, sizeof(wanted));
}

Test(debug_package, a_unit_that_is_not_in_it_is_not_found)
{
	uint32_t row;

	cr_expect_not(debug_package_find(&p, id_a, &row), "none is open");
	index_words[13] = 3; /* a row that is not there */
	cr_assert_eq(open_package(), 0);
	cr_expect_not(debug_package_find(&p, id_a, &row));
	cr_expect(debug_package_find(&p, id_b, &row));
	cr_expect_not(debug_package_find(&p, 0, &row), "an empty slot");
	cr_expect_not(debug_package_find(&p, UINT64_MAX, &row));
}

Test(debug_package, an_index_that_is_cut_or_unknown_is_refused)
{
	static const struct {
		unsigned word;
		uint32_t value;
		int err;
	} broken[] = {
		{ 0, 3, -EOPNOTSUPP }, { 1, 5, -EBADMSG },   { 1, UINT32_MAX, -EBADMSG },
		{ 2, 3, -EBADMSG },    { 2, ~0u, -EBADMSG }, { 3, 5, -EBADMSG },
		{ 3, ~0u, -EBADMSG },  { 1, 64, -EBADMSG },
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		uint32_t was = index_words[broken[i].word];

		index_words[broken[i].word] = broken[i].value;
		cr_expect_eq(open_package(), broken[i].err, "%zu", i);
		index_words[broken[i].word] = was;
		image_remove(&e);
	}
	cr_assert_eq(open_package(), 0);
}

Test(debug_package, a_part_outside_of_its_section_is_refused)
{
	static const struct {
		unsigned word;
		uint32_t value;
	} outside[] = {
		{ OFFSETS, 17 },     { OFFSETS, UINT32_MAX }, { OFFSETS, 9 },
		{ SIZES, 17 },	     { SIZES + 1, 9 },	      { SIZES + 2, 13 },
		{ OFFSETS + 2, 13 },
	};

	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		uint32_t was = index_words[outside[i].word];

		index_words[outside[i].word] = outside[i].value;
		cr_assert_eq(open_package(), 0);
		cr_expect_eq(read_unit(id_a), -EBADMSG, "%zu", i);
		index_words[outside[i].word] = was;
		debug_package_release(&p);
		image_remove(&e);
	}
}

/* All the units of a file may have the same offsets, and be broken otherwise. */
Test(debug_package, the_strings_of_a_unit_are_counted_before_they_are_copied)
{
	static uint32_t offsets[2 * DEBUG_METER_PART];

	index_words[SIZES + 2] = sizeof(offsets);
	cr_assert_eq(open_with(offsets, sizeof(offsets)), 0);
	cr_expect_eq(read_unit(id_a), 0);
	cr_expect_eq(work.done, sizeof(offsets) / 8);
	cr_expect_eq(read_unit(id_a), -ETIME);
}

Test(debug_package, a_unit_without_information_has_no_strings_copied)
{
	index_words[SIZES] = 0;
	cr_assert_eq(open_package(), 0);
	cr_expect_eq(read_unit(id_a), -EBADMSG);
	index_words[SIZES] = 8;
	index_words[SIZES + 1] = 0;
	debug_package_release(&p);
	image_remove(&e);
	cr_assert_eq(open_package(), 0);
	cr_expect_eq(read_unit(id_a), -EBADMSG);
	cr_expect_eq(work.done + meter.pending, 0);
}

static struct budget budget;

/* Only what the file has takes memory, and is counted. */
Test(debug_package, a_hole_in_its_strings_takes_no_memory)
{
	static const uint32_t offsets[] = { 0 };
	uint64_t hole = (uint64_t)1 << 30;
	struct object file;
	struct rusage usage;

	image_begin(&e);
	image_section(&e, ".debug_cu_index", SHT_PROGBITS, 0, index_words, 4 * END);
	image_section(&e, ".debug_str_offsets.dwo", SHT_PROGBITS, 0, offsets, 4);
	image_section(&e, ".debug_str.dwo", SHT_PROGBITS, 0, strings, sizeof(strings));
	e.sections[e.section_count - 1].sh_size = hole;
	image_write(&e);
	cr_assert_eq(truncate(e.path, (off_t)(2 * hole)), 0);
	cr_assert_eq(object_open(&ctx, e.path, &file), 0, "%s", ctx.error);
	budget_init(&budget, 1 << 20);
	file.budget = &budget;
	cr_expect_eq(debug_package_open(&ctx, &file, &p), 0, "%s", ctx.error);
	cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
	cr_expect_lt(usage.ru_maxrss, 1 << 18);
}

Test(debug_package, strings_outside_are_empty_and_those_that_overlap_are_bounded)
{
	static const uint32_t overlapping[] = { 0, 1, 2, 9, 10, 11, 5, 6 };
	const uint32_t outside[] = { sizeof(strings), UINT32_MAX, 0 };
	const uint32_t wanted[] = { 0, 0 };

	cr_assert_eq(open_with(outside, sizeof(outside)), 0);
	cr_assert_eq(read_unit(id_a), 0);
	expect_bytes(DEBUG_STR_OFFSETS, wanted, 8);
	debug_image_release(&image);
	debug_package_release(&p);
	image_remove(&e);
	index_words[SIZES + 2] = sizeof(overlapping);
	cr_assert_eq(open_with(overlapping, sizeof(overlapping)), 0);
	cr_expect_eq(read_unit(id_a), -EFBIG);
}
