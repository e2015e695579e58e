/*
 * What fails, fails with a negative errno and one sentence.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <flamefold_store.h>

#include "api.h"

static struct ff_profile *fresh(void)
{
	struct ff_profile *p;

	CHECK(ff_profile_new(&p, NULL) == 0);
	CHECK(strcmp(ff_profile_error(p), "") == 0);
	return p;
}

/* As git words them: lower case, no full stop, one line. */
static void check_sentence(const char *text)
{
	size_t length = strlen(text);

	CHECK(length > 0);
	CHECK(text[0] < 'A' || text[0] > 'Z');
	CHECK(length > 0 && text[length - 1] != '.' && text[length - 1] != '\n');
	CHECK(strchr(text, '\n') == NULL);
}

static void a_missing_file_is_named(void)
{
	struct ff_profile *p = fresh();

	CHECK(ff_profile_read(p, "/nowhere/perf.data") == -ENOENT);
	check_sentence(ff_profile_error(p));
	CHECK(strstr(ff_profile_error(p), "'/nowhere/perf.data'") != NULL);
	ff_profile_free(p);
}

static void what_is_no_profile_is_named(void)
{
	struct ff_profile *p = fresh();
	const char *path = api_file("This is a letter.\nIt has no numbers.\n");

	CHECK(ff_profile_read(p, path) == -EBADMSG);
	check_sentence(ff_profile_error(p));
	CHECK(strstr(ff_profile_error(p), path) != NULL);
	remove(path);
	ff_profile_free(p);
}

static void a_filter_that_means_nothing_is_refused(void)
{
	static const char *const senseless[] = { "colour=red", "comm", "pid=one",
						 "comm=(" };
	size_t i;

	for (i = 0; i < sizeof(senseless) / sizeof(*senseless); i++) {
		struct ff_profile *p = fresh();

		CHECK(ff_profile_only(p, senseless[i]) == -EINVAL);
		check_sentence(ff_profile_error(p));
		ff_profile_free(p);
	}
}

static void a_palette_that_does_not_exist_is_refused(void)
{
	struct ff_profile *p = fresh();
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	const char *path = api_file("a 1\n");
	FILE *out = tmpfile();

	graph.colors = "sepia";
	CHECK(ff_profile_read(p, path) == 0);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_write_svg(p, &graph, out) == -EINVAL);
	check_sentence(ff_profile_error(p));
	fclose(out);
	remove(path);
	ff_profile_free(p);
}

static void an_empty_tree_is_drawn_as_such(void)
{
	struct ff_profile *p = fresh();
	FILE *out = tmpfile();

	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_write_svg(p, NULL, out) == -ENODATA);
	CHECK(ftell(out) > 0);
	fclose(out);
	ff_profile_free(p);
}

static void nothing_can_be_freed(void)
{
	ff_profile_free(NULL);
}

/* Their stacks are in memory in parts. */
static void many_recordings_are_for_a_profile_file_alone(void)
{
	const char *path = api_file("a;b 1\n");
	struct ff_options options;
	struct ff_profile *p;

	memset(&options, 0, sizeof(options));
	options.size = sizeof(options);
	options.flags = FF_MANY;
	CHECK(ff_profile_new(&p, &options) == 0);
	CHECK(ff_profile_read(p, path) == -EINVAL);
	check_sentence(ff_profile_error(p));
	CHECK(strstr(ff_profile_error(p), path) != NULL);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_write(p, ff_format_find("folded"), NULL, stdout) == -EINVAL);
	check_sentence(ff_profile_error(p));
	remove(path);
	ff_profile_free(p);
}

int main(void)
{
	a_missing_file_is_named();
	what_is_no_profile_is_named();
	a_filter_that_means_nothing_is_refused();
	a_palette_that_does_not_exist_is_refused();
	an_empty_tree_is_drawn_as_such();
	nothing_can_be_freed();
	many_recordings_are_for_a_profile_file_alone();
	return api_failed;
}
