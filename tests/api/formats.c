/*
 * All formats that the library tells of can be written, and say by their first bytes which
 * they are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <flamefold.h>
#include <stddef.h>

#include "api.h"

static void each_format_has_a_name_a_suffix_and_a_description(void)
{
	const struct ff_format *f = NULL;
	int count = 0;

	while ((f = ff_format_next(f))) {
		CHECK(ff_format_find(ff_format_text(f, FF_FORMAT_NAME)) == f);
		CHECK(ff_format_text(f, FF_FORMAT_SUFFIXES)[0] == '.');
		CHECK(strlen(ff_format_text(f, FF_FORMAT_DESCRIPTION)) > 0);
		count++;
	}
	CHECK(count >= 3);
	CHECK(ff_format_find("png") == NULL);
	CHECK(ff_format_find(NULL) == NULL);
	CHECK(strcmp(ff_format_text(ff_format_next(NULL), FF_FORMAT_NAME), "svg") == 0);
}

static void check_written(const char *name, const char *beginning)
{
	struct ff_profile *p = profile_of("a;b 3\n");
	char bytes[64] = "";
	FILE *out = tmpfile();

	CHECK(ff_write(p, ff_format_find(name), NULL, out) == 0);
	rewind(out);
	CHECK(fread(bytes, 1, strlen(beginning), out) == strlen(beginning));
	CHECK(strcmp(bytes, beginning) == 0);
	fclose(out);
	ff_profile_free(p);
}

static void each_format_is_written(void)
{
	check_written("svg", "<?xml version=\"1.0\"");
	check_written("html", "<!DOCTYPE html>");
	check_written("folded", "a;b 3\n");
	check_written("pprof", "\x1f\x8b");
	check_written("speedscope", "{\"$schema\":\"https://www.speedscope.app/");
	check_written("firefox", "{\"meta\":{");
	check_written("callgrind", "# callgrind format\n");
	check_written("d3", "{\"name\":\"root\",\"value\":3");
	check_written("grafana", "{\"schema\":");
	check_written("flamebearer", "{\"version\":1,\"flamebearer\":");
	check_written("otlp", "\n");
	check_written("chrome", "{\"displayTimeUnit\":");
	check_written("csv", "function,module,");
	check_written("json", "{\"format\":\"flamefold tree\"");
}

static void a_page_is_asked_for_by_a_flag_too(void)
{
	struct ff_profile *p = profile_of("a;b 3\n");
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	char bytes[16] = "";
	FILE *out = tmpfile();

	graph.flags = FF_GRAPH_HTML;
	CHECK(ff_write_svg(p, &graph, out) == 0);
	rewind(out);
	CHECK(fread(bytes, 1, 9, out) == 9);
	CHECK(strcmp(bytes, "<!DOCTYPE") == 0);
	fclose(out);
	ff_profile_free(p);
}

static void what_is_not_finished_is_not_written(void)
{
	struct ff_profile *p;
	const struct ff_format *f = NULL;
	FILE *out = tmpfile();

	CHECK(ff_profile_new(&p, NULL) == 0);
	while ((f = ff_format_next(f)))
		CHECK(ff_write(p, f, NULL, out) == -EINVAL);
	CHECK(ftell(out) == 0);
	fclose(out);
	ff_profile_free(p);
}

static void a_format_that_is_not_there_is_an_error(void)
{
	struct ff_profile *p = profile_of("a;b 3\n");
	FILE *out = tmpfile();

	CHECK(ff_write(p, ff_format_find("png"), NULL, out) == -EINVAL);
	CHECK(strstr(ff_profile_error(p), "no such format"));
	CHECK(ftell(out) == 0);
	fclose(out);
	ff_profile_free(p);
}

/* A caller that was compiled with an older header has fewer of them: what lies behind is not theirs. */
static void options_end_where_their_size_says(void)
{
	struct ff_profile *p = profile_of("a;b 3\n");
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	char bytes[6] = "";
	FILE *out = tmpfile();

	graph.size = offsetof(struct ff_graph_options, flags);
	graph.flags = FF_GRAPH_HTML;
	graph.theme = "no such theme";
	CHECK(ff_write_svg(p, &graph, out) == 0);
	rewind(out);
	CHECK(fread(bytes, 1, 5, out) == 5);
	CHECK(strcmp(bytes, "<?xml") == 0);
	fclose(out);
	ff_profile_free(p);
}

int main(void)
{
	each_format_has_a_name_a_suffix_and_a_description();
	each_format_is_written();
	a_page_is_asked_for_by_a_flag_too();
	what_is_not_finished_is_not_written();
	a_format_that_is_not_there_is_an_error();
	options_end_where_their_size_says();
	return api_failed;
}
