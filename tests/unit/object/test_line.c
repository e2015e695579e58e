#include "object/line.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>

/* Where this program was loaded to. */
static int take_base(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uintptr_t *)arg = info->dlpi_addr;
	return 1;
}

/* The label of an instruction below. */
extern const char here[] __attribute__((visibility("hidden")));

enum { LINE_OF_SOMEWHERE = __LINE__ + 4 };

__attribute__((noinline)) static void somewhere(void)
{
	__asm__ volatile("here: nop");
}

Test(line, an_address_has_file_and_line)
{
	uint64_t address = (uintptr_t)here;
	struct text out = { 0 };
	struct context ctx = { 0 };
	struct line *line;
	struct object o;
	char expected[64];
	uintptr_t base = 0;

	somewhere();
	dl_iterate_phdr(take_base, &base);
	object_prepare();
	cr_assert_eq(object_open(&ctx, "/proc/self/exe", &o), 0);
	if (!object_has_debug_info(&o)) {
		object_close(&o);
		cr_skip_test("built without -g");
	}
	cr_assert_eq(line_open(&o, &o, &line), 0);
	text_string(&out, "f:");
	cr_assert(line_find(line, address - base, &out));
	snprintf(expected, sizeof(expected), "f:test_line.c:%d", LINE_OF_SOMEWHERE);
	cr_expect_str_eq(out.bytes, expected);
	text_clear(&out);
	cr_expect_not(line_find(line, 1, &out));
	cr_expect_eq(out.size, 0);
	text_release(&out);
	line_close(line);
	object_close(&o);
}
