#include "elf/starts.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stdlib.h>

#include "unit/cfi/cfi_image.h"

/* What is found in a file without symbols, whose entry is 0: nothing, and that is not all. */
Test(starts, a_file_that_says_nothing_may_have_any)
{
	struct cfi_image image;
	struct context ctx = { 0 };
	struct object o;
	struct starts s;

	object_prepare();
	cfi_begin(&image, EM_X86_64);
	cfi_cie(&image, CIE_X86_64);
	cfi_fde(&image, 0x1000, 0x20, NO_OPS);
	cfi_write(&image);
	cr_assert_eq(object_open_memory(&ctx, image.bytes, image.size, &o), 0);
	cr_assert_eq(starts_find(&o, NULL, &s), 0);
	cr_assert_not(s.known);
	cr_assert_not(starts_contain(&s, 0x1000));
	cr_assert_not(starts_begin_between(&s, 0, UINT64_MAX));
	starts_release(&s);
	object_close(&o);
	cfi_end(&image);
}

/* Of this program itself, which is linked to the C library. */
Test(starts, a_program_begins_at_its_entry_and_in_main)
{
	struct context ctx = { 0 };
	char path[PATH_MAX];
	struct object o;
	struct starts s;

	object_prepare();
	cr_assert_not_null(realpath("/proc/self/exe", path));
	cr_assert_eq(object_open(&ctx, path, &o), 0);
	cr_assert_eq(starts_find(&o, NULL, &s), 0);
	cr_assert(s.known);
	cr_assert_gt(s.ranges.count, 0, "its entry");
	for (size_t i = 0; i < s.ranges.count; i++) {
		cr_assert(starts_contain(&s, s.ranges.v[i].start));
		cr_assert(starts_contain(&s, s.ranges.v[i].end - 1));
		cr_assert_not(starts_contain(&s, s.ranges.v[i].end));
		cr_assert(i == 0 || s.ranges.v[i].start > s.ranges.v[i - 1].end);
	}
	starts_release(&s);
	object_close(&o);
}
