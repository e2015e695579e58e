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
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
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
	/* Both would count: what either has. */
	for (size_t i = 0; s->range_count && i < s->filter_count; i++)
		if (!s->filters[i].drop && strncmp(s->filters[i].text, "time=", 5) == 0)
			return usage_error("option '--range' is the time of a side: "
					   "'--only %s' cannot go with it",
					   s->filters[i].text);
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

/* An input of a side, which may have a range and an event of its own. */
struct side {
	struct comparison *comparison;
	const char *path;
	int which; /* FF_DIFF_A or _B; negative: it is both */
	bool alone; /* it is all of its side */
	struct analysis analysis;
	int read, finished; /* what the library said */
};

/* 0, or an exit code with its message printed; release it in any case. */
static int open_side(struct side *s)
{
	struct comparison *c = s->comparison;
	struct settings wanted = *c->settings;
	char range[DIFF_RANGE_MOST + sizeof("time=")];
	int code;

	if (c->events[0])
		wanted.profile.event = c->events[s->which == FF_DIFF_B];
	/* Several inputs tell the noise by themselves. */
	if (s->alone && can_be_cut(&wanted))
		wanted.profile.flags |= FF_TIME_BLOCKS;
	code = analysis_open(&wanted, &s->analysis);
	if (code == 0 && wanted.range_count) {
		snprintf(range, sizeof(range), "time=%s",
			 wanted.ranges[s->which == FF_DIFF_B]);
		if (ff_profile_only(s->analysis.profile, range) < 0)
			code = usage_error("%s", ff_profile_error(s->analysis.profile));
	}
	return code;
}

/* Any thread may do it. */
static void *read_side(void *arg)
{
	struct side *s = arg;

	s->read = ff_profile_read(s->analysis.profile, s->path);
	s->finished = s->read == 0 ? ff_profile_finish(s->analysis.profile) : 0;
	return NULL;
}

/* What was read becomes a part of its side. 0, or an exit code with its message printed. */
static int add_side(struct side *s)
{
	struct ff_profile *p = s->analysis.profile;
	struct ff_diff *diff = s->comparison->diff;
	int err;

	analysis_say_held(&s->analysis);
	if (s->read < 0) {
		int code = explain_failure(p, s->path, s->read);

		status_clear();
		return code;
	}
	status_clear();
	if (s->finished < 0) {
		say("%s", ff_profile_error(p));
		return EXIT_INPUT;
	}
	s->comparison->changed |= analysis_code(&s->analysis) == EXIT_PART;
	err = s->which < 0 ? ff_diff_add_both(diff, p)
			   : ff_diff_add(diff, (enum ff_diff_side)s->which, p);
	if (err < 0)
		say("%s", ff_diff_error(diff));
	return err < 0 ? EXIT_INPUT : 0;
}

static int read_and_add(struct side s)
{
	int code = open_side(&s);

	if (code == 0) {
		read_side(&s);
		code = add_side(&s);
	}
	analysis_release(&s.analysis);
	return code;
}

/* Text and pictures are read by one thread. Of a recording more than one does, and two of them at the same
 * time would have twice the memory. */
static bool is_read_by_one(const char *path)
{
	enum { WORTH = 1 << 20 }; /* bytes: what is less is there at once */
	char magic[8] = "";
	struct stat st;
	FILE *f = NULL;
	bool is_text = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		       st.st_size >= WORTH && (f = fopen(path, "re")) &&
		       fread(magic, 1, sizeof(magic), f) == sizeof(magic);

	if (f)
		fclose(f);
	return is_text && !memchr(magic, 0, sizeof(magic)) &&
	       memcmp(magic, "PERFILE", 7) != 0 && memcmp(magic + 1, "ELIFREP", 7) != 0;
}

/* One input a side, both at the same time; added in their order. */
static int add_together(struct comparison *c, const char *const *inputs)
{
	struct side sides[2] = {
		{ .comparison = c, .path = inputs[0], .which = FF_DIFF_A, .alone = true },
		{ .comparison = c, .path = inputs[1], .which = FF_DIFF_B, .alone = true },
	};
	pthread_t thread;
	bool is_apart;
	int code = open_side(&sides[0]);

	if (code == 0)
		code = open_side(&sides[1]);
	if (code == 0) {
		is_apart = analysis_hold(&sides[1].analysis) &&
			   pthread_create(&thread, NULL, read_side, &sides[1]) == 0;
		read_side(&sides[0]);
		if (is_apart)
			pthread_join(thread, NULL);
		code = add_side(&sides[0]);
		if (!is_apart && code == 0)
			read_side(&sides[1]);
	}
	/* What was added is copied: its memory is for what comes. */
	analysis_release(&sides[0].analysis);
	if (code == 0)
		code = add_side(&sides[1]);
	analysis_release(&sides[1].analysis);
	return code;
}

static int add_sides(struct comparison *c, const char *const *inputs, size_t count)
{
	const struct ff_options *o = &c->settings->profile;
	struct side s = { .comparison = c, .path = inputs[0], .alone = true };
	size_t of_b = count - c->of_a;
	int code = 0;

	/* One input that is both sides. */
	if (!c->of_a) {
		s.alone = c->settings->range_count || c->events[0];
		s.which = s.alone ? FF_DIFF_A : -1;
		code = read_and_add(s);
		s.which = FF_DIFF_B;
		return code || !s.alone ? code : read_and_add(s);
	}
	if (count == 2 && o->threads != 1 && !o->memory && !c->settings->verbose &&
	    is_read_by_one(inputs[0]) && is_read_by_one(inputs[1]))
		return add_together(c, inputs);
	for (size_t i = 0; i < count && code == 0; i++) {
		s.path = inputs[i];
		s.which = i < c->of_a ? FF_DIFF_A : FF_DIFF_B;
		s.alone = (i < c->of_a ? c->of_a : of_b) == 1;
		code = read_and_add(s);
	}
	return code;
}

/* The picture, or lines, to @path; without a @format the table. */
static int write_comparison(struct comparison *c, const struct format *format,
			    const char *path)
{
	const struct settings *s = c->settings;
	struct output out = { 0 };
	FILE *visible = NULL, *to;
	int err = 0, code = output_open(&out, path);

	if (code)
		return code;
	if ((!format || format_is_lines(format)) && isatty(fileno(out.stream))) {
		visible = open_visible(out.stream);
		err = visible ? 0 : -ENOMEM;
	}
	to = visible ? visible : out.stream;
	if (err == 0 && format)
		err = ff_diff_write(c->diff, format->of_profile, &s->graph, to);
	else if (err == 0)
		err = ff_diff_write_table(c->diff, s->table_form, s->rows, to);
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
		code = write_comparison(c, format, path);
	if (code == 0 && c->draws && path && !s->output && !s->quiet)
		say_note("wrote %s", path);
	if (code == 0 && s->open)
		show_picture(path);
	if (code == 0 && c->tells)
		code = write_comparison(c, NULL, NULL);
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
