#include "base/context.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(context, failing_keeps_the_sentence_and_returns_the_error)
{
	struct context ctx = { 0 };

	cr_assert_eq(fail(&ctx, -EBADMSG, "'%s': header ends at byte %d", "x", 7),
		     -EBADMSG);
	cr_assert_str_eq(ctx.error, "'x': header ends at byte 7");
	cr_assert_eq(fail_memory(&ctx), -ENOMEM);
	cr_assert_str_eq(ctx.error, "out of memory");
}

Test(context, a_sentence_longer_than_its_place_is_cut)
{
	struct context ctx = { 0 };
	char long_name[5000];

	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	fail(&ctx, -1, "cannot open '%s'", long_name);
	cr_assert_eq(strlen(ctx.error), sizeof(ctx.error) - 1);
	cr_assert_eq(strncmp(ctx.error, "cannot open 'nnn", 16), 0);
}

static void keep(void *arg, const char *line)
{
	strncat(arg, line, 99);
}

Test(context, a_warning_reaches_who_listens_and_nobody_else)
{
	char line[100] = "";
	struct context deaf = { 0 }, ctx = { .log = keep, .log_arg = line };

	warn(&deaf, "nobody %s", "hears");
	warn(&ctx, "%d lost", 3);
	cr_assert_str_eq(line, "3 lost");
	cr_assert_str_eq(ctx.error, "", "a warning is no failure");
}
