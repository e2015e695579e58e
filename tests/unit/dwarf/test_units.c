#include "dwarf/units.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "unit/dwarf/info_writer.h"

enum { CODE = 0x401000 };

static struct elf_image e;
static struct info_writer d;
static struct object o;
static struct debug_image image;
static struct debug_handle handle;
static struct debug_units units;
static struct debug_work work;
static struct debug_meter meter;
static struct context ctx;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	image_code(&e, ".text", CODE, 0x1000);
	info_begin(&d);
	info_abbreviation(&d, 1, DW_TAG_compile_unit, DW_CHILDREN_no, DW_AT_low_pc,
			  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0);
	work.most = UINT64_MAX;
	work.done = 0;
	meter = (struct debug_meter){ .work = &work };
}

static void end(void)
{
	debug_units_release(&units);
	debug_handle_close(&handle);
	debug_image_release(&image);
	object_close(&o);
	image_remove(&e);
}

TestSuite(debug_units, .init = begin, .fini = end);

static void unit(uint64_t from, uint64_t to)
{
	info_unit(&d, 4);
	info_die(&d, 1);
	put64(&d.info, from);
	put32(&d.info, to - from);
	info_end_unit(&d);
}

static int read_units(void)
{
	info_add(&d, &e);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(debug_image_read(&ctx, &o, false, &image), 0);
	image.first_code = debug_first_code(&o);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
	return debug_units_read(&units, &image, &meter);
}

static void index_units(void)
{
	cr_assert_eq(read_units(), 0);
	cr_assert_eq(debug_units_index(&units, &image, &handle, &o, &meter), 0);
}

static int unit_at(uint64_t address)
{
	const struct span *span = spans_find(&units.spans, address);

	return span ? (int)span->id : -1;
}

Test(debug_units, an_address_belongs_to_one_unit)
{
	unit(CODE, CODE + 0x100);
	unit(CODE + 0x100, CODE + 0x200);
	index_units();
	cr_expect_eq(units.list.count, 2);
	cr_expect_eq(unit_at(CODE), 0);
	cr_expect_eq(unit_at(CODE + 0xff), 0);
	cr_expect_eq(unit_at(CODE + 0x100), 1);
	cr_expect_eq(unit_at(CODE + 0x200), -1);
	cr_expect_eq(unit_at(CODE - 1), -1);
}

Test(debug_units, of_equal_claims_the_first_one_counts)
{
	unit(CODE, CODE + 0x100);
	unit(CODE, CODE + 0x100);
	index_units();
	cr_expect_eq(unit_at(CODE + 0x50), 0);
}

Test(debug_units, of_claims_within_each_other_the_inner_one_counts)
{
	unit(CODE, CODE + 0x100);
	unit(CODE + 0x40, CODE + 0x80);
	index_units();
	cr_expect_eq(unit_at(CODE + 0x3f), 0);
	cr_expect_eq(unit_at(CODE + 0x40), 1);
	cr_expect_eq(unit_at(CODE + 0x80), 0);
}

Test(debug_units, claims_of_what_is_no_code_do_not_count)
{
	unit(0, CODE + 0x100);
	unit(CODE + 0x10000, CODE + 0x20000);
	unit(CODE + 0x10, CODE + 0x10);
	index_units();
	cr_expect_eq(unit_at(CODE), -1);
	cr_expect_eq(unit_at(CODE + 0x10000), -1);
	cr_expect_eq(unit_at(CODE + 0x10), -1);
}

Test(debug_units, units_of_all_versions_are_listed)
{
	for (unsigned version = 2; version <= 5; version++) {
		info_unit(&d, version);
		info_die(&d, 1);
		put64(&d.info, CODE + version * 0x10);
		put32(&d.info, 0x10);
		info_end_unit(&d);
	}
	index_units();
	cr_expect_eq(units.list.count, 4);
	/* A constant is an address's size since DWARF 4, and nothing before; libdw and
	 * so we take it for that. */
	cr_expect_eq(unit_at(CODE + 0x40), 2);
	cr_expect_eq(unit_at(CODE + 0x50), 3);
}

/* libdw cannot go past it either. */
Test(debug_units, behind_an_unknown_version_nothing_is_listed)
{
	unit(CODE, CODE + 0x10);
	info_unit(&d, 6);
	put64(&d.info, 0);
	info_end_unit(&d);
	unit(CODE + 0x10, CODE + 0x20);
	index_units();
	cr_expect_eq(units.list.count, 1);
}

Test(debug_units, a_length_past_the_end_is_an_end)
{
	unit(CODE, CODE + 0x10);
	unit(CODE + 0x10, CODE + 0x20);
	d.info.v[d.unit]++;
	index_units();
	cr_expect_eq(units.list.count, 1);
}

/* Each unit makes libdw read abbreviations up to its first one: here all of them. */
Test(debug_units, abbreviations_count_as_work)
{
	uint64_t few, many;

	for (int i = 0; i < 100; i++)
		unit(CODE, CODE + 0x10);
	cr_assert_eq(read_units(), 0);
	debug_meter_flush(&meter);
	few = work.done;
	d.abbrev.size = 0;
	put8(&d.abbrev, 0);
	for (unsigned i = 0; i < 1000; i++)
		info_abbreviation(&d, 2 + i, DW_TAG_base_type, DW_CHILDREN_no, 0);
	end();
	image_begin(&e);
	image_code(&e, ".text", CODE, 0x1000);
	work.done = 0;
	cr_assert_eq(read_units(), 0);
	debug_meter_flush(&meter);
	many = work.done;
	cr_expect_gt(many, few + 100 * 1000 * 6 / 16 / 2);
}

Test(debug_units, too_much_work_is_refused)
{
	for (int i = 0; i < 500; i++)
		unit(CODE, CODE + 0x10);
	for (unsigned i = 0; i < 1500; i++)
		info_abbreviation(&d, 2 + i, DW_TAG_base_type, DW_CHILDREN_no, 0);
	d.abbrev.v[0] = 100; /* the code of none */
	work.most = 50000;
	cr_expect_eq(read_units(), -ETIME);
}
