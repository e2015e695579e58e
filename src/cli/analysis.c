/*
 * All commands that read come from inputs to a finished profile by this way. Mistakes
 * are told before the work, where that is possible: paths that are not there are named,
 * and options of a picture are tried by drawing a profile without samples to /dev/null,
 * which asks the library itself and knows no list of what is valid. Progress is shown
 * after half a second, if standard error is a terminal.
 */
#include "cli/analysis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/explain.h"
#include "cli/standard_input.h"
#include "cli/terminal.h"
#include "cli/verbose.h"

#define DEFAULT_INPUT "perf.data"
#define PATIENCE 0.5 /* seconds without a sign of life */

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void log_line(void *arg, const char *line)
{
	struct analysis *a = arg;

	if (a->held)
		fwrite(line, 1, strlen(line) + 1, a->held);
	else
		say_warning("%s", line);
}

static void print_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct analysis *a = arg;

	if (a->verbose) {
		tell_stage(a, what);
		return;
	}
	if (a->held || now() - a->started < PATIENCE)
		return;
	/* A pipe has no total. */
	if (total && done)
		status("%s: %d %%", what, (int)((double)done / (double)total * 100));
	else if (done)
		status("%s: %" PRIu64 " MB", what, done / 1000000);
	else
		status("%s", what);
}

void show_writing(const struct analysis *a, const char *path)
{
	if (now() - a->started > PATIENCE)
		status("writing %s", path);
}

/* A name that was mistyped looks like a recording without symbols. */
static void say_absent(const struct settings *s)
{
	const struct {
		const char *option, *path;
		bool directory;
	} given[] = {
		{ "symfs", s->profile.symfs, true },
		{ "debug-dir", s->profile.debug_dir, true },
		{ "buildid-dir", s->profile.build_id_dir, true },
		{ "map-dir", s->profile.map_dir, true },
		{ "kallsyms", s->profile.kallsyms, false },
		{ "vmlinux", s->profile.vmlinux, false },
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		const char *path = given[i].path;
		struct stat st;

		/* An empty name says that there is no such place. */
		if (!path || !*path ||
		    (stat(path, &st) == 0 &&
		     (!given[i].directory || S_ISDIR(st.st_mode))))
			continue;
		say("--%s: there is no %s '%s': nothing can be found in it",
		    given[i].option, given[i].directory ? "directory" : "file", path);
	}
}

/* A callback has one argument for both: the analysis. */
int analysis_open(const struct settings *s, struct analysis *a)
{
	struct ff_options options = s->profile;
	int err;

	*a = (struct analysis){ .started = now(), .verbose = s->verbose };
	if (!s->quiet)
		say_absent(s);
	options.log = s->quiet ? NULL : log_line;
	options.progress = s->verbose				? print_progress
			   : s->quiet || !isatty(STDERR_FILENO) ? NULL
								: print_progress;
	options.arg = a;
	if (s->phases)
		options.flags |= FF_HEAT | FF_PHASES;
	err = ff_profile_new(&a->profile, &options);
	if (err == 0 && s->slice)
		err = ff_profile_slice(a->profile, s->slice);
	for (size_t i = 0; i < s->filter_count && err == 0; i++)
		err = s->filters[i].drop
			      ? ff_profile_drop(a->profile, s->filters[i].text)
			      : ff_profile_only(a->profile, s->filters[i].text);
	if (err == 0)
		return 0;
	if (err == -EINVAL)
		return usage_error("%s", ff_profile_error(a->profile));
	say("%s", a->profile ? ff_profile_error(a->profile) : "out of memory");
	return EXIT_INPUT;
}

/* A mode may share time out later than it passed, which is in no piece of it. The library knows which
 * ones do; what else it refuses is told when the input is read. */
bool can_be_cut(const struct settings *s)
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

int choose_inputs(const struct settings *s, const char *const **ret, size_t *count)
{
	static const char *const recording[] = { DEFAULT_INPUT }, *const standard[] = {
		"-"
	};
	const char *why = NULL;
	size_t dashes = 0;
	bool here;

	/* A pipe has nothing for the second reader, and a file would count twice. */
	for (size_t i = 0; i < s->input_count; i++)
		dashes += strcmp(s->inputs[i], "-") == 0;
	if (dashes > 1)
		return usage_error("standard input can be read once: '-' is named twice");
	*ret = s->inputs;
	*count = s->input_count;
	if (s->input_count)
		return 0;
	/* One that is there, but cannot be opened, is the input: its error says more. */
	here = access(DEFAULT_INPUT, F_OK) == 0 || errno != ENOENT;
	*ret = here ? recording : NULL;
	*count = 1;
	switch (standard_input_look(here)) {
	case STANDARD_INPUT_GIVEN:
		*ret = standard;
		return 0;
	case STANDARD_INPUT_EMPTY:
		why = "standard input is empty";
		break;
	case STANDARD_INPUT_SILENT:
		why = "nothing comes on standard input (to wait for it, name -)";
		break;
	case STANDARD_INPUT_NONE:
		break;
	}
	if (here && why && !s->quiet)
		say_note("%s: reading ./perf.data", why);
	if (!here && why)
		say("%s, and there is no ./perf.data here", why);
	else if (!here)
		say("no ./perf.data here: name an input, or - for standard input");
	return here ? 0 : EXIT_INPUT;
}

/* @ret is to be released whatever comes of it: a profile that failed has the reason. */
int analyse(const struct settings *s, const char *const *inputs, size_t count,
	    struct analysis *ret)
{
	int err, code;

	code = analysis_open(s, ret);
	if (code)
		return code;
	err = ff_profile_expect(ret->profile, inputs, count);
	if (err < 0)
		return explain_failure(ret->profile, inputs[0], err);
	/* One input that cannot be read ends the work: a picture of the others would look
	 * like one of all. */
	for (size_t i = 0; i < count; i++) {
		err = ff_profile_read(ret->profile, inputs[i]);
		if (err < 0)
			return explain_failure(ret->profile, inputs[i], err);
	}
	ret->was_read = now();
	err = ff_profile_finish(ret->profile);
	ret->was_named = now();
	status_clear();
	if (err == 0) {
		tell_analysis(ret);
		return 0;
	}
	say("%s", ff_profile_error(ret->profile));
	return EXIT_INPUT;
}

int analysis_code(const struct analysis *a)
{
	const struct ff_input *in = NULL;

	/* What was read of a file that changed meanwhile is shown, but it is a part. */
	while ((in = ff_input_next(a->profile, in)))
		if (ff_input_count(in, FF_INPUT_CHANGED))
			return EXIT_PART;
	return EXIT_DONE;
}

bool analysis_hold(struct analysis *a)
{
	a->held = open_memstream(&a->said, &a->said_size);
	return a->held;
}

void analysis_say_held(struct analysis *a)
{
	if (!a->held)
		return;
	fclose(a->held);
	a->held = NULL;
	for (size_t i = 0; i < a->said_size; i += strlen(a->said + i) + 1)
		say_warning("%s", a->said + i);
}

void analysis_release(struct analysis *a)
{
	if (a->held)
		fclose(a->held);
	free(a->said);
	ff_profile_free(a->profile);
	*a = (struct analysis){ 0 };
}

/* Draws a profile without samples to nowhere, and reads and writes no other file. */
int check_graph_options(const struct settings *s)
{
	struct ff_graph_options options = s->graph;
	struct ff_profile *p = NULL;
	FILE *nowhere;
	int err, code = 0;

	if (options.nameattr && access(options.nameattr, R_OK) < 0) {
		say("cannot open '%s': %s", options.nameattr, strerror(errno));
		return EXIT_INPUT;
	}
	options.palette_map = NULL;
	options.nameattr = NULL; /* may be a pipe, which can be read only once */
	err = ff_profile_new(&p, NULL);
	/* Where there is no /dev/null mistakes are found late, which is no reason to stop. */
	nowhere = err == 0 ? fopen("/dev/null", "w") : NULL;
	if (nowhere) {
		err = ff_profile_finish(p);
		if (err == 0)
			err = ff_write_svg(p, &options, nowhere);
		fclose(nowhere);
	}
	if (err == -EINVAL)
		code = usage_error("%s", ff_profile_error(p));
	ff_profile_free(p);
	return code;
}
