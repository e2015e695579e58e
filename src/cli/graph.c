/*
 * graph, fold and export: one analysis, and one file of it. They differ in the formats that they write,
 * which result_prepare() knows by the command. Everything that may be refused comes before
 * analyse(), which takes the time.
 */
#include "cli/analysis.h"
#include "cli/browser.h"
#include "cli/overwrite.h"
#include "cli/result.h"
#include "cli/summary.h"
#include "cli/terminal.h"

static int graph_run(const struct settings *s)
{
	struct settings wanted;
	const char *const *inputs;
	struct analysis a = { 0 };
	struct output out = { 0 };
	const char *path;
	struct format format = { 0 };
	size_t count;
	int code = result_prepare(s, &format, &path);

	if (code == 0)
		code = choose_inputs(s, &inputs, &count);
	if (code == 0)
		code = overwrite_check(s, path, inputs, count);
	/* Where functions are declared is looked up only for formats that show it. */
	wanted = result_settings(s, &format);
	if (code == 0)
		code = analyse(&wanted, inputs, count, &a);
	if (code)
		goto out;
	code = result_write(&a, s, &format, &out, path);
	/* Who reads has seen enough, like "| head": there is nothing to add. */
	if (code == OUTPUT_UNREAD) {
		code = analysis_code(&a);
		goto out;
	}
	if (s->stats || s->verbose)
		print_stats(&a, now());
	if (code)
		goto out;
	/* Advice names the input, or the picture where the input cannot be read again: all
	 * stacks are in it, unless it is --static. */
	if (!s->quiet)
		print_missing(s, a.profile,
			      path && format_is_picture(&format) &&
					      !(s->graph.flags & FF_GRAPH_STATIC)
				      ? path
				      : NULL);
	if (path && !s->output && !s->quiet)
		say_note("wrote %s", path);
	if (s->open)
		show_picture(path);
	code = analysis_code(&a);
out:
	analysis_release(&a);
	return code;
}

const struct command command_graph = {
	"graph", "[options] [INPUT...]", "draw a flame graph", COMMAND_GRAPH, graph_run,
};

/* Which formats there are the library tells; Documentation/exchange.md has what each of them carries. */
const struct command command_export = {
	"export",
	"-f FORMAT [options] [INPUT...]",
	"write a profile for another program",
	COMMAND_EXPORT,
	graph_run,
};

const struct command command_fold = {
	"fold",	   "[options] [INPUT...]", "print stacks as folded text", COMMAND_FOLD,
	graph_run,
};
