#include "write/nameattr.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct context ctx;
static char path[] = "/tmp/flamefold-nameattr-XXXXXX";

static void make_file(const char *text)
{
	FILE *out = fdopen(mkstemp(path), "w");

	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
}

static void remove_file(void)
{
	unlink(path);
}

static void expect_tags(const struct nameattrs *n, const char *name, const char *expected)
{
	const struct nameattr *attr = nameattrs_find(n, name, strlen(name));
	struct text t = { 0 };

	nameattr_open(&t, attr);
	nameattr_close(&t, attr);
	cr_expect_str_eq(t.bytes, expected);
	text_release(&t);
}

Test(nameattr, attributes_come_in_the_order_of_flamegraph_pl, .fini = remove_file)
{
	struct nameattrs n;

	make_file("f\tg_extra=data-x=\"1\"\tclass=c\tid=i\ta_extra=rel=\"x\"\thref=/"
		  "s?a=1&b=2\n"
		  "g\tid=i\ttarget=none\n"
		  "h\thref=x\ttarget=\"new\"\n"
		  "f_[k]\ttitle=a <b>\tunknown=1\tnothing\n");
	cr_assert_eq(nameattrs_read(&ctx, path, &n), 0);
	expect_tags(&n, "f",
		    "<a xlink:href=\"/s?a=1&amp;b=2\" target=\"_top\" rel=\"x\" id=\"i\" "
		    "class=\"c\" data-x=\"1\">\n</a>\n");
	expect_tags(&n, "g", "<g id=\"i\">\n</g>\n");
	expect_tags(&n, "h", "<a xlink:href=\"x\" target=\"&quot;new&quot;\">\n</a>\n");
	expect_tags(&n, "f_[k]", "<g >\n</g>\n");
	expect_tags(&n, "other", "<g >\n</g>\n");
	expect_tags(&n, "", "<g >\n</g>\n");
	cr_expect_str_eq(nameattrs_find(&n, "f_[k]", 5)->values[NAMEATTR_TITLE], "a <b>");
	nameattrs_release(&n);
}

Test(nameattr, a_line_without_a_tab_is_an_error, .fini = remove_file)
{
	struct nameattrs n;

	make_file("f\tid=i\nno tab\n");
	cr_expect_eq(nameattrs_read(&ctx, path, &n), -EINVAL);
	cr_expect_not_null(strstr(ctx.error, "line 2 has no tab"));
}

Test(nameattr, raw_attributes_that_would_break_the_picture_are_refused,
     .fini = remove_file)
{
	struct nameattrs n;

	make_file("f\tg_extra=\"><script>\n");
	cr_expect_eq(nameattrs_read(&ctx, path, &n), -EINVAL);
	cr_expect_not_null(strstr(ctx.error, "line 1"));
}

Test(nameattr, attributes_that_are_there_twice_are_refused, .fini = remove_file)
{
	static const char *const refused[] = {
		"f\tclass=c\tg_extra=class=\"d\"\n",
		"f\tg_extra=a=\"1\" b=\"2\"  a='3' \n",
		"f\thref=x\ta_extra=target=\"new\"\n",
		"f\thref=x\ta_extra=rel=\"1\"\tg_extra=rel=\"2\"\n",
		"f\tg_extra=what:ever=\"1\"\n",
	};
	struct nameattrs n;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		strcpy(path + strlen(path) - 6, "XXXXXX");
		make_file(refused[i]);
		cr_expect_eq(nameattrs_read(&ctx, path, &n), -EINVAL, "%s", refused[i]);
		cr_expect_not_null(strstr(ctx.error, "line 1: an attribute is there"));
		unlink(path);
	}
	/* What is not written does not count: without href nothing of a link is. */
	strcpy(path + strlen(path) - 6, "XXXXXX");
	make_file("f\ta_extra=rel=\"1\"\tg_extra=rel=\"2\" xlink:type='simple'\n");
	cr_expect_eq(nameattrs_read(&ctx, path, &n), 0);
	nameattrs_release(&n);
}

Test(nameattr, a_file_that_cannot_be_read_is_an_error)
{
	struct nameattrs n;

	cr_expect_eq(nameattrs_read(&ctx, "/nonexistent/attributes", &n), -ENOENT);
	cr_expect_str_not_empty(ctx.error);
}
