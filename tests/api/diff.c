/*
 * Two profiles side by side, by the header alone: what they have in common, what has changed, and
 * what is refused.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <flamefold_diff.h>
#include <stdlib.h>

#include "api.h"

static struct ff_diff *compare(const char *a, const char *b)
{
	struct ff_profile *one = profile_of(a), *other = profile_of(b);
	struct ff_diff *d;

	CHECK(ff_diff_new(&d, NULL) == 0);
	CHECK(ff_diff_add(d, FF_DIFF_A, one) == 0);
	CHECK(ff_diff_add(d, FF_DIFF_B, other) == 0);
	/* They are not used any more. */
	ff_profile_free(one);
	ff_profile_free(other);
	CHECK(ff_diff_finish(d) == 0);
	return d;
}

/* What is written, to be freed; "" where it fails. */
static char *written(struct ff_diff *d, const char *format)
{
	FILE *out = tmpfile();
	size_t size;
	char *text;

	CHECK(out != NULL);
	if (format)
		CHECK(ff_diff_write(d, ff_format_find(format), NULL, out) == 0);
	else
		CHECK(ff_diff_write_table(d, FF_DIFF_TEXT, 0, out) == 0);
	size = (size_t)ftell(out);
	rewind(out);
	text = (char *)calloc(size + 1, 1);
	CHECK(text && fread(text, 1, size, out) == size);
	fclose(out);
	return text;
}

static void what_changed_is_counted_and_written(void)
{
	struct ff_diff *d =
		compare("main;a 5000\nmain;b 5000\n", "main;a 6000\nmain;b 5000\n");
	uint64_t grown = 0;
	char *text;

	CHECK(ff_diff_changes(d) == 2);
	CHECK(ff_diff_regressions(d, 1, &grown) == 0 && grown > 0);
	CHECK(ff_diff_regressions(d, 50, &grown) == 0 && grown == 0);
	CHECK(strncmp(ff_diff_sentence(d, 0), "A: text, 10000 samples", 22) == 0);
	CHECK(ff_diff_sentence(d, 1000) == NULL);
	text = written(d, "folded");
	CHECK(strcmp(text, "main;a 5000 6000\nmain;b 5000 5000\n") == 0);
	free(text);
	text = written(d, NULL);
	CHECK(strstr(text, "\nchanged") != NULL);
	free(text);
	text = written(d, "svg");
	CHECK(strstr(text, "data-scale=\"1.1") != NULL);
	free(text);
	ff_diff_free(d);
}

static void both_sides_may_come_in_one(void)
{
	struct ff_profile *p = profile_of("main;a 10 20\nmain;b 5 0\n");
	struct ff_profile *one = profile_of("main;a 10\n");
	struct ff_diff *d;
	char *text;

	CHECK(ff_diff_new(&d, NULL) == 0);
	CHECK(ff_diff_add_both(d, one) == -EINVAL);
	CHECK(ff_diff_add_both(d, p) == 0);
	CHECK(ff_diff_finish(d) == 0);
	text = written(d, "folded");
	CHECK(strcmp(text, "main;a 10 20\nmain;b 5 0\n") == 0);
	free(text);
	ff_diff_free(d);
	ff_profile_free(p);
	ff_profile_free(one);
}

static void what_is_missing_or_comes_too_late_is_refused(void)
{
	struct ff_diff_options options;
	struct ff_profile *p = profile_of("main;a 10\n"), *open;
	uint64_t grown;
	struct ff_diff *d;

	CHECK(ff_diff_new(&d, NULL) == 0);
	CHECK(ff_profile_new(&open, NULL) == 0);
	CHECK(ff_diff_add(d, FF_DIFF_A, open) == -EINVAL);
	/* A caller's number. */
	CHECK(ff_diff_add(d, (enum ff_diff_side)2, p) == -EINVAL);
	CHECK(ff_diff_add(d, (enum ff_diff_side) - 1, p) == -EINVAL);
	CHECK(strcmp(ff_diff_error(d), "a difference has two sides") == 0);
	CHECK(ff_diff_add(d, FF_DIFF_A, p) == 0);
	CHECK(ff_diff_finish(d) == -ENODATA);
	CHECK(strcmp(ff_diff_error(d), "side B has no input") == 0);
	CHECK(ff_diff_write(d, ff_format_find("svg"), NULL, stdout) == -EINVAL);
	CHECK(ff_diff_regressions(d, 1, &grown) == -EINVAL);
	CHECK(ff_diff_add(d, FF_DIFF_B, p) == 0);
	CHECK(ff_diff_finish(d) == 0);
	CHECK(ff_diff_add(d, FF_DIFF_B, p) == -EINVAL);
	ff_diff_free(d);
	ff_profile_free(open);
	ff_profile_free(p);
	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.normalize = FF_DIFF_PER;
	CHECK(ff_diff_new(&d, &options) == -EINVAL);
	ff_diff_free(d);
	options.normalize = FF_DIFF_ANCHOR;
	CHECK(ff_diff_new(&d, &options) == -EINVAL);
	ff_diff_free(d);
	ff_diff_free(NULL);
}

int main(void)
{
	what_changed_is_counted_and_written();
	both_sides_may_come_in_one();
	what_is_missing_or_comes_too_late_is_refused();
	return api_failed;
}
