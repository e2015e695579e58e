#include "dwarf/die_walk.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/handle.h"
#include "unit/dwarf/info_writer.h"

enum { UNIT = 1, INNER, LEAF, SHORTCUT };

static struct elf_image e;
static struct info_writer d;
static struct object o;
static struct debug_image image;
static struct debug_handle handle;
static struct debug_work work;
static struct debug_meter meter;
static struct die_walk walk;
static struct context ctx;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	info_begin(&d);
	info_abbreviation(&d, UNIT, DW_TAG_compile_unit, DW_CHILDREN_yes, 0);
	info_abbreviation(&d, INNER, DW_TAG_namespace, DW_CHILDREN_yes, DW_AT_name,
			  DW_FORM_string, 0);
	info_abbreviation(&d, LEAF, DW_TAG_base_type, DW_CHILDREN_no, DW_AT_name,
			  DW_FORM_string, 0);
	info_abbreviation(&d, SHORTCUT, DW_TAG_namespace, DW_CHILDREN_yes, DW_AT_name,
			  DW_FORM_string, DW_AT_sibling, DW_FORM_ref4, 0);
	info_unit(&d, 4);
	info_die(&d, UNIT);
	work.most = UINT64_MAX;
	work.done = 0;
	meter = (struct debug_meter){ .work = &work };
}

static void end(void)
{
	debug_handle_close(&handle);
	debug_image_release(&image);
	object_close(&o);
	image_remove(&e);
}

TestSuite(die_walk, .init = begin, .fini = end);

static uint32_t named(unsigned code, const char *name)
{
	uint32_t at = info_die(&d, code);

	put_text(&d.info, name);
	return at;
}

/* The names that a walk comes by; it goes into those that begin with one of @into. */
static const char *names(const char *into)
{
	static char list[1024];
	Dwarf_Die unit;
	size_t depth;

	info_end_unit(&d);
	info_add(&d, &e);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(debug_image_read(&ctx, &o, false, &image), 0);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
	cr_assert(dwarf_offdie(handle.dwarf, 11, &unit));
	list[0] = '\0';
	depth = die_walk_begin(&walk, &unit, &meter);
	while (depth > 0) {
		const char *name = dwarf_diename(&walk.open[depth - 1]);

		cr_assert_not_null(name);
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%zu%s ",
			 depth, name);
		depth = die_walk_next(&walk, strchr(into, *name));
	}
	return list;
}

static void tree(void)
{
	named(INNER, "a");
	named(LEAF, "b");
	named(INNER, "c");
	named(LEAF, "d");
	info_close(&d);
	info_close(&d);
	named(INNER, "e");
	info_close(&d);
	named(LEAF, "f");
	info_close(&d);
}

Test(die_walk, it_goes_into_all)
{
	tree();
	cr_expect_str_eq(names("abcdef"), "1a 2b 2c 3d 1e 1f ");
}

Test(die_walk, it_passes_over_what_is_below)
{
	tree();
	cr_expect_str_eq(names(""), "1a 1e 1f ");
}

Test(die_walk, it_goes_into_some)
{
	tree();
	cr_expect_str_eq(names("a"), "1a 2b 2c 1e 1f ");
}

Test(die_walk, an_end_that_is_missing_is_the_end_of_the_unit)
{
	named(INNER, "a");
	named(INNER, "b");
	named(LEAF, "c");
	cr_expect_str_eq(names("abc"), "1a 2b 3c ");
}

/* A sibling that lies among the DIE's own children would be come by twice, and with
 * that below each other four times, and so on. */
Test(die_walk, siblings_do_not_lead_back)
{
	for (int i = 0; i < 20; i++) {
		uint32_t at = named(SHORTCUT, "a");

		put32(&d.info, at + 7); /* its first child */
	}
	named(LEAF, "b");
	for (int i = 0; i < 21; i++)
		info_close(&d);
	cr_expect_eq(strlen(names("a")), 9 * 3 + 11 * 4 + 4);
}

Test(die_walk, it_ends_where_a_die_is_broken)
{
	named(LEAF, "a");
	named(77, "b");
	cr_expect_str_eq(names("a"), "1a ");
}

Test(die_walk, it_ends_when_it_is_too_much)
{
	for (int i = 0; i < 5000; i++)
		named(LEAF, "a");
	work.most = 10;
	cr_expect_lt(strlen(names("")), 1024);
	cr_expect(meter.spent);
}
