/*
 * diff: two sides, of an input or several each, one analysis after the other; then a picture, a table,
 * or both, and a verdict.
 *
 *	diff A B			two inputs
 *	diff A1 A2 -- B1 B2		several a side: how far they differ tells the noise
 *	diff --range 0,5 --range 5,10 A	two ranges of one
 *	diff --event cycles,faults A	two events of one
 *	diff two-columns.folded		what difffolded.pl has printed
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/analysis.h"
#include "cli/browser.h"
#include "cli/diff_options.h"
#include "cli/explain.h"
#include "cli/overwrite.h"
#include "cli/result.h"
#include "cli/terminal.h"

/* What is compared, and what becomes of it. */
struct comparison {
	const struct settings *settings;
	struct ff_diff *diff;
	char *events[2]; /* that either side counts; NULL: as settings say */
	size_t of_a; /* inputs of A; 0: one input is both sides */
	bool draws; /* a picture, or lines */
	bool tells; /* a table */
	bool changed; /* an input, while it was read */
};

/* "a,b" are two events; "cpu/event=1,umask=2/" is one. */
static int split_events(const struct settings *s, struct comparison *c)
{
	const char *text = s->profile.event, *comma = NULL;
	bool in_terms = false;

	for (const char *p = text; p && *p; p++) {
		in_terms ^= *p == '/';
		if (*p != ',' || in_terms)
			continue;
		if (comma)
			return usage_error("option '--event' takes one event, or two for "
					   "the two sides, not '%s'",
					   text);
		comma = p;
	}
	if (!comma)
		return 0;
	if (comma == text || !comma[1])
		return usage_error("option '--event' names an event for either side, "
				   "not '%s'",
				   text);
	c->events[0] = strndup(text, (size_t)(comma - text));
	c->events[1] = strdup(comma + 1);
	if (c->events[0] && c->events[1])
		return 0;
	say("out of memory");
	return EXIT_INPUT;
}

/* Which inputs are A, and which are B? */
static int choose_sides(const struct settings *s, struct comparison *c)
{
	int code = split_events(s, c);

	if (code)
		return code;
	if (s->range_count && (s->range_count != 2 || s->input_count != 1))
		return usage_error(
			"option '--range' stands twice and compares two times of "
			"one input");
	if ((s->range_count || c->events[0]) && s->input_count == 1 &&
	    strcmp(s->inputs[0], "-") == 0)
		return usage_error(
			"standard input can be read once: both sides are in it, so "
			"name a file");
	if (s->inputs_of_a && s->inputs_of_a == s->input_count)
		return usage_error("behind '--' stand the inputs of B: there are none");
	c->of_a = s->inputs_of_a;
	if (s->input_count == 2 && !c->of_a)
		c->of_a = 1;
	if (s->input_count == 0)
		return usage_error(
			"name what is compared: diff A B, or diff A... -- B...");
	if (s->input_count > FF_DIFF_INPUTS_MOST)
		return usage_error("no more than %d inputs are compared at once",
				   FF_DIFF_INPUTS_MOST);
	if (s->input_count > 2 && !c->of_a)
		return usage_error("of several inputs, put '--' between those of A and "
				   "those of B");
	return 0;
}

/* A mode may weigh intervals, which are in no piece of time. The library knows which ones do; what
 * else it refuses is told when the input is read. */
static bool can_be_cut(const struct settings *s)
{
	struct ff_options options = s->profile;
	struct ff_profile *p = NULL;
	int err;

	options.debuginfod = 0;
	options.flags |= FF_TIME_BLOCKS;
	err = ff_profile_new(&p, &options);
	ff_profile_free(p);
	return err == 0;
}

/* One input, with what its side alone has: a range, an event. */
static int add_side(struct comparison *c, const char *path, int side, bool alone)
{
	struct settings wanted = *c->settings;
	struct analysis a = { 0 };
	char range[DIFF_RANGE_MOST + sizeof("time=")];
	int err = 0, code;

	if (c->events[0])
		wanted.profile.event = c->events[side == FF_DIFF_B];
	/* Several inputs tell the noise by themselves. */
	if (alone && can_be_cut(&wanted))
		wanted.profile.flags |= FF_TIME_BLOCKS;
	code = analysis_open(&wanted, &a);
	if (code == 0 && wanted.range_count) {
		snprintf(range, sizeof(range), "time=%s",
			 wanted.ranges[side == FF_DIFF_B]);
		if (ff_profile_only(a.profile, range) < 0)
			code = usage_error("%s", ff_profile_error(a.profile));
	}
	if (code == 0)
		err = ff_profile_read(a.profile, path);
	if (err < 0)
		code = explain_failure(a.profile, path, err);
	if (code == 0)
		err = ff_profile_finish(a.profile);
	status_clear();
	if (code == 0 && err < 0) {
		say("%s", ff_profile_error(a.profile));
		code = EXIT_INPUT;
	}
	if (code == 0) {
		c->changed |= analysis_code(&a) == EXIT_PART;
		err = side < 0 ? ff_diff_add_both(c->diff, a.profile)
			       : ff_diff_add(c->diff, (enum ff_diff_side)side, a.profile);
	}
	if (code == 0 && err < 0) {
		say("%s", ff_diff_error(c->diff));
		code = EXIT_INPUT;
	}
	analysis_release(&a);
	return code;
}

static int add_sides(struct comparison *c, const char *const *inputs, size_t count)
{
	size_t of_b = count - c->of_a;
	int code = 0;

	if (c->settings->range_count || (count == 1 && c->events[0])) {
		code = add_side(c, inputs[0], FF_DIFF_A, true);
		return code ? code : add_side(c, inputs[0], FF_DIFF_B, true);
	}
	if (!c->of_a)
		return add_side(c, inputs[0], -1, false);
	for (size_t i = 0; i < count && code == 0; i++)
		code = i < c->of_a ? add_side(c, inputs[i], FF_DIFF_A, c->of_a == 1)
				   : add_side(c, inputs[i], FF_DIFF_B, of_b == 1);
	return code;
}

/* The picture, or lines, to @path. */
static int write_drawing(struct comparison *c, const struct format *format,
			 const char *path)
{
	struct output out = { 0 };
	FILE *visible = NULL;
	int err = 0, code = output_open(&out, path);

	if (code)
		return code;
	if (format_is_lines(format) && isatty(fileno(out.stream))) {
		visible = open_visible(out.stream);
		err = visible ? 0 : -ENOMEM;
	}
	if (err == 0)
		err = ff_diff_write(c->diff, format->of_profile, &c->settings->graph,
				    visible ? visible : out.stream);
	if (visible)
		fclose(visible);
	return output_close(&out, err, ff_diff_error(c->diff));
}

/* The table, to standard output. */
static int write_table(struct comparison *c)
{
	struct output out = { 0 };
	FILE *visible = NULL;
	int err = 0, code = output_open(&out, NULL);

	if (code)
		return code;
	if (isatty(fileno(out.stream))) {
		visible = open_visible(out.stream);
		err = visible ? 0 : -ENOMEM;
	}
	if (err == 0)
		err = ff_diff_write_table(c->diff, c->settings->table_form,
					  c->settings->rows,
					  visible ? visible : out.stream);
	if (visible)
		fclose(visible);
	return output_close(&out, err, ff_diff_error(c->diff));
}

static int judge(const struct comparison *c)
{
	double limit = c->settings->fail_over;
	uint64_t grown = 0;

	if (limit >= 0 && ff_diff_regressions(c->diff, limit, &grown) < 0) {
		say("%s", ff_diff_error(c->diff));
		return EXIT_INPUT;
	}
	if (grown)
		say("%" PRIu64 " path%s grown by more than %g %%", grown,
		    grown == 1 ? " has" : "s have", limit);
	else if (limit >= 0 && !c->settings->quiet)
		say_note("no path has grown by more than %g %%, as far as can be seen",
			 limit);
	return grown ? EXIT_FOUND : c->changed ? EXIT_PART : EXIT_DONE;
}

static int draw_and_tell(struct comparison *c, const struct format *format,
			 const char *path)
{
	const struct settings *s = c->settings;
	struct ff_diff_options options = s->diff;
	const char *const *inputs;
	size_t count;
	int err, code = choose_inputs(s, &inputs, &count);

	if (code == 0 && c->draws)
		code = overwrite_check(s, path, inputs, count);
	if (code)
		return code;
	/* Who names two events means them; else only force compares what counts other things. */
	if (c->events[0] || s->profile.flags & FF_FORCE)
		options.flags |= FF_DIFF_UNLIKE_EVENTS;
	if (s->profile.flags & FF_FORCE)
		options.flags |= FF_DIFF_UNLIKE_NAMES;
	if (s->match ? strcasecmp(s->match, "exact") == 0
		     : c->draws && !c->tells && format_is_lines(format))
		options.flags |= FF_DIFF_EXACT;
	err = ff_diff_new(&c->diff, &options);
	if (err == 0)
		code = add_sides(c, inputs, count);
	if (err == 0 && code == 0)
		err = ff_diff_finish(c->diff);
	if (err < 0) {
		say("%s", c->diff ? ff_diff_error(c->diff) : "out of memory");
		return EXIT_INPUT;
	}
	/* A table has them itself. */
	for (unsigned i = 0; code == 0 && !c->tells && !s->quiet; i++) {
		const char *sentence = ff_diff_sentence(c->diff, i);

		if (!sentence)
			break;
		say_note("%s", sentence);
	}
	if (code == 0 && c->draws)
		code = write_drawing(c, format, path);
	if (code == 0 && c->draws && path && !s->output && !s->quiet)
		say_note("wrote %s", path);
	if (code == 0 && s->open)
		show_picture(path);
	if (code == 0 && c->tells)
		code = write_table(c);
	/* Who reads the table has seen enough; the verdict is for others. */
	if (code == 0 || code == OUTPUT_UNREAD)
		code = judge(c);
	return code;
}

static int diff_run(const struct settings *s)
{
	struct comparison c = { .settings = s };
	struct format format = { 0 };
	const char *path = NULL;
	int code = choose_sides(s, &c);

	/* A table alone is what goes to standard output, and so it is for who wants a verdict. */
	c.tells = s->table || (s->fail_over >= 0 && !s->output && !s->format);
	c.draws = s->output || s->format || s->open || !c.tells;
	if (code == 0 && c.draws)
		code = result_prepare(s, &format, &path);
	if (code == 0 && c.draws && c.tells && (!path || strcmp(path, "-") == 0))
		code = usage_error("a table goes to standard output: name a file for the "
				   "picture by -o");
	if (code == 0)
		code = draw_and_tell(&c, &format, path);
	ff_diff_free(c.diff);
	free(c.events[0]);
	free(c.events[1]);
	return code;
}

const struct command command_diff = {
	"diff",
	"[options] A... [--] B...",
	"show what changed, and whether it is noise",
	COMMAND_DIFF,
	diff_run,
};
