/*
 * graph and fold: one analysis, and one file of it.
 */
#include <errno.h>
#include <unistd.h>

#include "cli/analysis.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/summary.h"
#include "cli/terminal.h"

#define DEFAULT_PICTURE "flamegraph.svg"
#define DEFAULT_PAGE "flamegraph.html"

static int write_tree(struct ff_profile *p, const struct settings *s, enum format format,
		      FILE *out)
{
	struct ff_graph_options options = s->graph;
	int err;

	if (format == FORMAT_HTML)
		options.flags |= FF_GRAPH_HTML;
	if (format_is_picture(format))
		return ff_write_svg(p, &options, out);
	err = ff_write_folded(p, out);
	if (err == 0 && !ff_profile_total(p, FF_TOTAL_WEIGHT_TREE))
		err = -ENODATA;
	return err;
}

/* A picture that says "no samples" goes out, but never over an earlier one. */
static int close_empty(struct ff_profile *p, struct output *out)
{
	int code = EXIT_DONE;

	explain_empty(p);
	if (output_replaces(out))
		output_discard(out);
	else
		code = output_close(out, 0, NULL);
	return code > EXIT_DONE ? code : EXIT_INPUT;
}

static int write_output(const struct analysis *a, const struct settings *s,
			enum format format, const char *path)
{
	struct ff_profile *p = a->profile;
	struct output out;
	int err, code = output_open(&out, path);

	if (code)
		return code;
	if (path && !s->quiet)
		show_writing(a, path);
	err = write_tree(p, s, format, out.stream);
	status_clear();
	if (err == -ENODATA)
		return close_empty(p, &out);
	return output_close(&out, err, ff_profile_error(p));
}

/* Nobody wants to read a picture's source in a terminal. */
static const char *choose_path(const struct settings *s, enum format format)
{
	if (s->output || !format_is_picture(format) || !isatty(STDOUT_FILENO))
		return s->output;
	return format == FORMAT_HTML ? DEFAULT_PAGE : DEFAULT_PICTURE;
}

static int prepare(const struct settings *s, enum format *format, const char **path)
{
	int code = format_choose(s, format);

	if (code)
		return code;
	if (format_is_picture(*format))
		code = check_graph_options(s);
	if (code)
		return code;
	*path = choose_path(s, *format);
	return output_check(*path);
}

static int graph_run(const struct settings *s)
{
	struct settings with_places = *s;
	const char *const *inputs;
	struct analysis a = { 0 };
	const char *path;
	enum format format = FORMAT_SVG;
	size_t count;
	int code = prepare(s, &format, &path);

	if (code == 0)
		code = choose_inputs(s, &inputs, &count);
	if (format_is_picture(format))
		with_places.profile.flags |= FF_PLACES;
	if (code == 0)
		code = analyse(&with_places, inputs, count, &a);
	if (code)
		goto out;
	code = write_output(&a, s, format, path);
	if (code == OUTPUT_UNREAD) {
		code = EXIT_DONE;
		goto out;
	}
	if (s->stats)
		print_stats(&a, now());
	if (code)
		goto out;
	if (!s->quiet)
		print_missing(a.profile);
	if (path && !s->output && !s->quiet)
		say("wrote %s", path);
out:
	analysis_release(&a);
	return code;
}

const struct command command_graph = {
	"graph", "[options] [INPUT...]", "draw a flame graph", COMMAND_GRAPH, graph_run,
};

const struct command command_fold = {
	"fold",	   "[options] [INPUT...]", "print stacks as folded text", COMMAND_FOLD,
	graph_run,
};
