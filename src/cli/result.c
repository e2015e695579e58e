/*
 * The one file that comes of an analysis: which format, where to, and its writing. All that can be
 * refused is refused before the work, for an analysis may take minutes; an empty tree replaces
 * nothing that was written before.
 */
#include "cli/result.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/summary.h"
#include "cli/terminal.h"

/* A terminal gets names with control characters, not orders. */
static int write_visible(struct ff_profile *p, const struct settings *s,
			 const struct format *format, FILE *out)
{
	FILE *visible = open_visible(out);
	int err;

	if (!visible)
		return -ENOMEM;
	err = ff_write(p, format->of_profile, &s->graph, visible);
	fclose(visible);
	return err;
}

static int write_tree(struct ff_profile *p, const struct settings *s,
		      const struct format *format, FILE *out)
{
	int err;

	if (format_is_lines(format) && isatty(fileno(out)))
		err = write_visible(p, s, format, out);
	else
		err = ff_write(p, format->of_profile, &s->graph, out);
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

int result_write(const struct analysis *a, const struct settings *s,
		 const struct format *format, struct output *out, const char *path)
{
	struct ff_profile *p = a->profile;
	int err, code = output_open(out, path);

	if (code)
		return code;
	if (path && !s->quiet)
		show_writing(a, path);
	err = write_tree(p, s, format, out->stream);
	status_clear();
	if (err == -ENODATA)
		return close_empty(p, out);
	return output_close(out, err, ff_profile_error(p));
}

/* Nobody wants to read a picture's source in a terminal, what is shown is a file, and what a
 * command prints while it is sampled goes to standard output as well. */
static const char *choose_path(const struct settings *s, const struct format *format)
{
	static char usual[64];
	bool shared = s->command->bit == COMMAND_RECORD && s->input_count;
	bool wants_file = !format_is_lines(format) && (s->open || isatty(STDOUT_FILENO));

	if (s->output || !(shared || wants_file))
		return s->output;
	snprintf(usual, sizeof(usual), "flamegraph%.*s",
		 (int)strcspn(format->suffixes, " "), format->suffixes);
	return usual;
}

struct settings result_settings(const struct settings *s, const struct format *format)
{
	struct settings wanted = *s;

	if (format_is_picture(format))
		wanted.profile.flags |= FF_PLACES;
	return wanted;
}

static int check_open(const struct settings *s, const struct format *format)
{
	if (!s->open)
		return 0;
	if (!format_is_picture(format))
		return usage_error(
			"option '--open' shows a picture: it needs svg or html");
	if (s->output && strcmp(s->output, "-") == 0)
		return usage_error(
			"option '--open' shows a file: -o FILE.svg, not '-o -'");
	return 0;
}

int result_prepare(const struct settings *s, struct format *format, const char **path)
{
	int code = format_choose(s, format);

	if (code)
		return code;
	code = check_open(s, format);
	if (code == 0 && format_is_picture(format))
		code = check_graph_options(s);
	if (code)
		return code;
	*path = choose_path(s, format);
	return output_check(*path);
}
