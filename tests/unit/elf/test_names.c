#include "elf/names.h"

#include <criterion/criterion.h>
#include <string.h>

#include "unit/elf/elf_image.h"

static struct elf_image e;
static struct context ctx;
static struct object o;
static struct names n;
static char table[40000];

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	memset(table, 'x', sizeof(table));
	table[0] = '\0';
	image_section(&e, ".strtab", SHT_STRTAB, 0, table, sizeof(table));
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(names_open(&n, &o, 1), 0);
}

static void end(void)
{
	names_release(&n);
	object_close(&o);
	image_remove(&e);
}

TestSuite(names, .init = begin, .fini = end);

Test(names, a_name_may_reach_over_blocks)
{
	size_t size;

	cr_expect_eq(names_at(&n, 16380, &size)[0], 'x');
	cr_expect_eq(size, 16384);
}

Test(names, the_last_name_ends_with_the_table)
{
	size_t size;

	names_at(&n, sizeof(table) - 3, &size);
	cr_expect_eq(size, 3);
	names_at(&n, sizeof(table), &size);
	cr_expect_eq(size, 0);
}

Test(names, only_blocks_that_were_asked_for_are_read)
{
	size_t size;

	names_at(&n, 0, &size);
	cr_expect_eq(size, 0);
	cr_expect(n.loaded[0]);
	cr_expect_not(n.loaded[1]);
	cr_expect_not(n.loaded[2]);
}

Test(names, a_section_longer_than_the_file_holds_no_names)
{
	struct names none;

	e.sections[1].sh_size = 1 << 20;
	image_remove(&e);
	object_close(&o);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(names_open(&none, &o, 1), 0);
	cr_expect_eq(none.size, 0);
}
