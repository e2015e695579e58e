/*
 * Two profiles side by side, by the header alone: what they have in common, what has changed, and
 * what is refused.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* setenv() */
#endif
#include <errno.h>
#include <flamefold_diff.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The numbers of a locale as glibc has them in a file: its points are commas. */
static const char numbers_with_commas[] =
	"\x14\x11\x03\x20\x06\0\0\0\x20\0\0\0\x22\0\0\0\x24\0\0\0\x28\0\0\0"
	"\x2c\0\0\0\x30\0\0\0,\0.\0\x03\x03\0\0,\0\0\0.\0\0\0UTF-8\0";

/* 0: it is no glibc's. */
static int set_commas(void)
{
	const char *directory = getenv("TMPDIR");
	char path[3][200], half[8];
	FILE *f;
	int is_set;

	snprintf(path[0], sizeof(path[0]), "%.100s/ff-locale-%ld",
		 directory ? directory : "/tmp", (long)getpid());
	snprintf(path[1], sizeof(path[1]), "%.150s/commas", path[0]);
	snprintf(path[2], sizeof(path[2]), "%.170s/LC_NUMERIC", path[1]);
	CHECK(mkdir(path[0], 0700) == 0 && mkdir(path[1], 0700) == 0);
	f = fopen(path[2], "w");
	CHECK(f &&
	      fwrite(numbers_with_commas, sizeof(numbers_with_commas) - 1, 1, f) == 1);
	fclose(f);
	setenv("LOCPATH", path[0], 1);
	is_set = setlocale(LC_NUMERIC, "commas") != NULL;
	snprintf(half, sizeof(half), "%.1f", 0.5);
	CHECK(!is_set || strcmp(half, "0,5") == 0);
	remove(path[2]);
	remove(path[1]);
	remove(path[0]);
	return is_set;
}

static void what_is_written_is_the_same_in_a_locale_with_commas(void)
{
	static const char *const formats[] = { "svg", "folded" };
	struct ff_diff *d = compare("main;a 5000\nmain;b 5000.5\n",
				    "main;a 6000\nmain;b 5000\nmain;c 70\n");
	char *before[3], *after[3];
	FILE *out;

	for (int again = 0; again < 2; again++) {
		char **texts = again ? after : before;

		for (int i = 0; i < 2; i++)
			texts[i] = written(d, formats[i]);
		out = tmpfile();
		CHECK(out && ff_diff_write_table(d, FF_DIFF_JSON, 0, out) == 0);
		rewind(out);
		texts[2] = (char *)calloc(1 << 16, 1);
		CHECK(texts[2] && fread(texts[2], 1, (1 << 16) - 1, out) > 0);
		fclose(out);
		if (!again && !set_commas())
			printf("no locale with commas\n");
	}
	setlocale(LC_NUMERIC, "C");
	for (int i = 0; i < 3; i++) {
		CHECK(strcmp(before[i], after[i]) == 0);
		free(before[i]);
		free(after[i]);
	}
	ff_diff_free(d);
}

int main(void)
{
	what_changed_is_counted_and_written();
	both_sides_may_come_in_one();
	what_is_missing_or_comes_too_late_is_refused();
	what_is_written_is_the_same_in_a_locale_with_commas();
	return api_failed;
}
