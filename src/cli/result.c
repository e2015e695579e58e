/*
 * The one file that comes of an analysis: which format, where to, and its writing. All that can be
 * refused is refused before the work, for an analysis may take minutes; an empty tree replaces
 * nothing that was written before.
 */
#include "cli/result.h"

#include <errno.h>
#include <flamefold_chart.h>
#include <string.h>
#include <unistd.h>

#include "cli/overwrite.h"
#include "cli/summary.h"
#include "cli/terminal.h"

/* Why what is written lacks the times that were asked for, or NULL. */
static const char *why_untimed(const struct ff_profile *p, const struct settings *s,
			       const struct format *format)
{
	const char *colors = s->graph.colors;

	if (!format_is_picture(format) && !format_is_stored(format))
		return "only pictures and profile files have one";
	if (!format_is_picture(format))
		return ff_profile_untimed(p);
	/* These stacks have got frames, and ends, that cells of time know nothing of. */
	if (colors && strcmp(colors, "chain") == 0)
		return "colors of a chain have stacks of their own: --colors=hot has it";
	return ff_profile_unmapped(p);
}

int result_write(const struct analysis *a, const struct settings *s,
		 const struct format *format, struct output *out, const char *path)
{
	struct ff_profile *p = a->profile;
	FILE *visible = NULL;
	int err = 0, code = output_open(out, path);
	const char *missing = NULL;

	if (code)
		return code;
	if (path && !s->quiet)
		show_writing(a, path);
	/* A terminal gets names with control characters, not orders. */
	if (format_is_lines(format) && isatty(fileno(out->stream))) {
		visible = open_visible(out->stream);
		err = visible ? 0 : -ENOMEM;
	}
	if (err == 0 && s->slice)
		err = ff_write_slices(p, visible ? visible : out->stream);
	else if (err == 0)
		err = ff_write(p, format->of_profile, &s->graph,
			       visible ? visible : out->stream);
	if (err == 0 && (s->heat == HEAT_YES || s->phases))
		missing = why_untimed(p, s, format);
	if (missing)
		say_warning("there is no map of time: %s", missing);
	if (visible)
		fclose(visible);
	if (err == 0 && !ff_profile_total(p, FF_TOTAL_WEIGHT_TREE))
		err = -ENODATA;
	status_clear();
	if (err != -ENODATA)
		return output_close(out, err, ff_profile_error(p));
	/* A picture that says "no samples" goes out, but never over an earlier one. */
	explain_empty(p);
	if (output_replaces(out))
		output_discard(out);
	else
		code = output_close(out, 0, NULL);
	return code > EXIT_DONE ? code : EXIT_INPUT;
}

struct settings result_settings(const struct settings *s, const struct format *format)
{
	struct settings wanted = *s;

	/* The viewer shows where functions are declared; text has no place for that. */
	if (format_is_picture(format))
		wanted.profile.flags |= FF_PLACES;
	/* So is time, for who looks at a picture. */
	if (s->slice || (format_is_picture(format) && s->heat != HEAT_NO &&
			 (s->heat == HEAT_YES ||
			  !(s->graph.flags & (FF_GRAPH_STATIC | FF_GRAPH_NO_SCRIPT)))))
		wanted.profile.flags |= FF_HEAT;
	/* Other programs have places for it, and tell inlined functions from others. */
	if (format_has_frames(format))
		wanted.profile.flags |= FF_PLACES | FF_MARK_INLINED;
	if (format->of_profile && ff_format_traits(format->of_profile) & FF_FORMAT_LABELS)
		wanted.profile.flags |= FF_LABELS | FF_VALUES;
	if (format_is_stored(format) && s->heat == HEAT_YES)
		wanted.profile.flags |= FF_HEAT;
	if (format_is_stored(format) && !s->no_slices && can_be_cut(s))
		wanted.profile.flags |= FF_TIME_BLOCKS;
	return wanted;
}

int result_prepare(const struct settings *s, struct format *format, const char **path)
{
	static char usual[64];
	bool shared = s->command->bit == COMMAND_RECORD && s->input_count;
	int code = format_choose(s, format);

	if (code)
		return code;
	if (!format_is_stored(format) &&
	    (s->profile.flags & FF_KEEP_ADDRESSES || s->no_slices))
		return usage_error("option '%s' is for profile files: -o FILE.ff",
				   s->no_slices ? "--no-slices" : "--keep-addresses");
	if (s->open && format_is_lines(format))
		return usage_error(
			"option '--open' shows a picture: it needs svg or html");
	if (s->open && s->output && strcmp(s->output, "-") == 0)
		return usage_error(
			"option '--open' shows a file: -o FILE.svg, not '-o -'");
	if (s->profile.flags & FF_CHART && !format_has_chart(format))
		return usage_error(
			"option '--chart' writes svg, chrome or speedscope, not %s",
			format->name);
	if (s->phases && s->heat == HEAT_NO)
		return usage_error("option '--phases' marks the map of time, which "
				   "'--no-heat' leaves out");
	if (format_is_picture(format))
		code = check_graph_options(s);
	if (code)
		return code;
	/* Nobody wants to read a picture's source in a terminal, what is shown is a file,
	 * and what a command prints while it is sampled goes to standard output as well. */
	*path = s->output;
	if (!s->output && (shared || (!format_is_lines(format) &&
				      (s->open || isatty(STDOUT_FILENO))))) {
		snprintf(usual, sizeof(usual), "%s%.*s",
			 format_has_frames(format) ? "profile" : "flamegraph",
			 (int)strcspn(format->suffixes, " "), format->suffixes);
		*path = usual;
	}
	return output_check(*path);
}

int text_prepare(const struct settings *s, struct format *format,
		 const char *const **inputs, size_t *count)
{
	int code = format_choose(s, format);

	if (code == 0)
		code = output_check(s->output);
	if (code == 0)
		code = choose_inputs(s, inputs, count);
	return code ? code : overwrite_check(s, s->output, *inputs, *count);
}
