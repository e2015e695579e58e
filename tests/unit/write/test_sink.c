#include "write/sink.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

Test(sink, everything_arrives_in_order)
{
	struct context ctx = { 0 };
	struct sink s = { 0 };
	char *bytes = NULL;
	size_t size;

	s.out = open_memstream(&bytes, &size);
	for (int i = 0; i < 500000; i++) {
		text_printf(&s.text, "%07d\n", i);
		sink_drain(&s);
		cr_assert_lt(s.text.size, SINK_BLOCK);
	}
	cr_expect_eq(sink_end(&ctx, &s), 0);
	fclose(s.out);
	cr_assert_eq(size, 4000000u);
	for (int i = 0; i < 500000; i++)
		cr_assert_eq(atoi(bytes + 8 * i), i);
	free(bytes);
}

Test(sink, the_first_failure_is_reported)
{
	struct context ctx = { 0 };
	struct sink s = { .out = fopen("/dev/full", "w") };

	cr_assert_not_null(s.out);
	for (int i = 0; i < 100000; i++) {
		text_string(&s.text, "line\n");
		sink_drain(&s);
	}
	cr_expect_eq(sink_end(&ctx, &s), -ENOSPC);
	cr_expect_str_eq(ctx.error, "cannot write: No space left on device");
	fclose(s.out);
}
