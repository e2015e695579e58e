/*
 * record: samples what runs now, and writes the graph, a perf.data, or both. Everything that can be
 * refused is refused before the first sample, for what was sampled does not come again: an output
 * that cannot be written afterwards is kept elsewhere. The first signal ends sampling only, as
 * with perf record, and the second one ends the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "cli/browser.h"
#include "cli/overwrite.h"
#include "cli/result.h"
#include "cli/short_run.h"
#include "cli/stops.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbose.h"

/* Names that have the time in them. */
struct stamps {
	char *written; /* the last time */
	unsigned again; /* how often that second has been written to */
};

/* A run, for those it calls. */
struct session {
	const struct settings *settings;
	struct analysis *analysis;
	struct format format;
	const char *path; /* NULL: standard output */
	bool graph; /* one is wanted, not a perf.data alone */
	bool failed; /* an output on the way could not be written, and that was said */
	struct stamps outputs, saves;
	char *shown; /* the last file that was written */
	char *save_path; /* of a perf.data of each interval, with %t; NULL: there is one only */
	char *save_name; /* of the one at hand */
	const char **arguments; /* "flamefold record ..." */
	double last; /* when samples were counted last */
	uint64_t last_samples;
};

static void show_status(void *arg, const struct ff_record_status *now)
{
	struct session *s = arg;
	/* The rate of the time since the last look, and not of the whole run. */
	double seconds = now->seconds - s->last;
	double rate =
		seconds > 0 ? (double)(now->samples - s->last_samples) / seconds : 0;
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long all, resident = 0;

	if (f && fscanf(f, "%llu %llu", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	status("%.0f s: %s samples/s, %s lost, %s stacks, %s MB", now->seconds,
	       grouped((uint64_t)(rate + 0.5)), grouped(now->lost), grouped(now->stacks),
	       grouped(resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1000000));
	s->last = now->seconds;
	s->last_samples = now->samples;
}

/* @path with @stamp for each %t; to be freed by the caller. */
static char *fill_in(const char *path, const char *stamp)
{
	size_t size = 0, count = 1;
	char *name;

	for (const char *p = path; (p = strstr(p, "%t")); p += 2)
		count++;
	name = malloc(strlen(path) + count * strlen(stamp) + 1);
	for (; name && *path; path++) {
		if (path[0] == '%' && path[1] == 't') {
			size += (size_t)sprintf(name + size, "%s", stamp);
			path++;
			continue;
		}
		name[size++] = *path;
	}
	if (name)
		name[size] = '\0';
	return name;
}

/* The local time, "20261120-121500"; of a second that has been written to already,
 * "20261120-121500-2". NULL without memory. */
static char *name_of_now(struct stamps *s, const char *path)
{
	char stamp[48];
	time_t t = time(NULL);
	struct tm tm;
	size_t size;

	localtime_r(&t, &tm);
	size = strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (s->written && strcmp(s->written, stamp) == 0) {
		snprintf(stamp + size, sizeof(stamp) - size, "-%u", ++s->again + 1);
		return fill_in(path, stamp);
	}
	free(s->written);
	s->written = strdup(stamp);
	s->again = 0;
	return s->written ? fill_in(path, stamp) : NULL;
}

/* For the library, when a perf.data is begun. NULL: no memory, and saving ends. */
static const char *next_save_name(void *arg)
{
	struct session *s = arg;

	free(s->save_name);
	s->save_name = name_of_now(&s->saves, s->save_path);
	return s->save_name;
}

static int write_now(struct session *s, struct output *out)
{
	char *name = s->path ? name_of_now(&s->outputs, s->path) : NULL;
	int code;

	if (s->path && !name) {
		say("out of memory");
		return EXIT_INPUT;
	}
	code = result_write(s->analysis, s->settings, &s->format, out, name);
	free(s->shown);
	s->shown = name;
	return code;
}

/* What cannot be written on the way may be at the end. */
static int write_on_the_way(void *arg, struct ff_profile *p)
{
	struct session *s = arg;
	struct output out = { 0 };

	if (ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) == 0 || s->failed)
		return 0;
	s->failed = write_now(s, &out) > EXIT_DONE;
	return 0;
}

/* The output cannot be written, @why says why: the graph goes where temporary files go. */
static void keep_elsewhere(struct ff_profile *p, const char *why)
{
	const char *directories[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm" };
	char path[4096];
	int fd = -1, err = -1;
	FILE *f;

	for (size_t i = 0; fd < 0 && i < sizeof(directories) / sizeof(*directories); i++)
		if (directories[i] && *directories[i] &&
		    snprintf(path, sizeof(path), "%s/flamefold-XXXXXX.svg",
			     directories[i]) < (int)sizeof(path))
			fd = mkostemps(path, 4, O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f) {
		/* Always a picture, whatever was asked for: it has all stacks in it, and
		 * can be read again. */
		err = ff_write_svg(p, NULL, f);
		if (fclose(f))
			err = -errno;
	}
	if (err == 0) {
		say("%s; the profile was kept in '%s'", why, path);
		return;
	}
	if (fd >= 0)
		unlink(path);
	say("%s; the profile could not be kept anywhere else", why);
}

/* The graph's format and path. They are judged with a time in place of %t, and kept with %t. */
static int choose_graph(const struct settings *s, struct session *session)
{
	struct settings named = *s;
	char *name = NULL;
	int code;

	if (s->record.flags & FF_RECORD_WINDOWS && s->record.every == 0)
		return usage_error("option '--window' needs --every");
	if (s->record.every > 0 && !s->output)
		return usage_error(
			"option '--every' needs -o FILE, which it writes again");
	if (s->output) {
		/* Any time will do: only the format and the directory are judged. */
		named.output = name = fill_in(s->output, "20261120-121500");
		if (!name)
			return EXIT_INPUT;
	}
	code = result_prepare(&named, &session->format, &session->path);
	if (code == 0)
		code = overwrite_check(s, session->path, NULL, 0);
	if (session->path == name)
		session->path = s->output;
	free(name);
	if (code)
		return code;
	if (s->record.save_level && !s->saved)
		return usage_error(
			"option '--compress' packs a perf.data: it needs --save, "
			"or -o FILE.data");
	if (s->saved && session->path && same_file(s->saved, session->path))
		return usage_error("the graph and the perf.data would both be '%s'",
				   s->saved);
	return 0;
}

/* What is written, and whether it can be: before anything is sampled. */
static int choose_outputs(const struct settings *s, struct session *session)
{
	const char *word = s->input_count ? s->inputs[0] : NULL, *saved;
	size_t size = s->output ? strlen(s->output) : 0;
	int code;

	/* "--pid 1234": words after options are a program to run. */
	if (word && !word[strspn(word, "0123456789,")] && access(word, X_OK) < 0)
		return usage_error(
			"'%s' is not a program: to sample a process, use -p %s", word,
			word);
	session->graph =
		s->format || size <= 5 || strcasecmp(s->output + size - 5, ".data") != 0;
	/* A perf.data alone: no picture can be shown, none drawn at intervals. */
	if (!session->graph && s->open)
		return usage_error("option '--open' shows a picture, and '%s' is not one",
				   s->output);
	if (!session->graph && s->saved)
		return usage_error("'%s' and '%s' would be the same perf.data", s->output,
				   s->saved);
	if (!session->graph && s->record.every > 0)
		return usage_error("'%s' is written once: use --switch-output for one "
				   "perf.data per interval; --every needs a graph",
				   s->output);
	code = session->graph ? choose_graph(s, session) : 0;
	if (code || !(s->record.save_every > 0))
		return code;
	saved = session->graph ? s->saved : s->output;
	if (!saved)
		return usage_error(
			"option '--switch-output' begins another perf.data: it "
			"needs --save FILE, or -o FILE.data");
	if (asprintf(&session->save_path, "%s%s", saved,
		     strstr(saved, "%t") ? "" : ".%t") >= 0)
		return 0;
	session->save_path = NULL;
	say("out of memory");
	return EXIT_INPUT;
}

static int take_samples(const struct settings *s, struct session *session)
{
	struct analysis *a = session->analysis;
	struct ff_record_options options = s->record;
	int err;

	options.events = options.event_count ? s->events : NULL;
	options.save = session->graph ? s->saved : s->output;
	if (session->save_path) {
		options.save = next_save_name(session);
		options.save_name = next_save_name;
	}
	options.arguments = session->arguments;
	options.argument_count = (size_t)s->argc + 1;
	options.command = s->input_count ? (char *const *)s->inputs : NULL;
	/* As perf has it: on processors that are named all is sampled while the command runs. */
	if (options.command && !s->target && !s->record.cpus)
		options.who = FF_RECORD_COMMAND;
	if (s->print_perf) {
		err = ff_record_print_perf(a->profile, &options, stdout);
		return err < 0 ? refuse_run(a->profile, err) : 0;
	}
	options.flags |= FF_RECORD_END_COMMAND;
	options.tick = s->quiet || !isatty(STDERR_FILENO) ? NULL : show_status;
	options.output = write_on_the_way;
	options.arg = session;
	/* Where it is ignored, as whoever started this may have it, no status is kept. */
	signal(SIGCHLD, SIG_DFL);
	stops_catch(a->profile, output_abandon);
	err = ff_profile_record(a->profile, &options);
	stops_sampling_is_over();
	status_clear();
	a->was_read = now();
	/* A perf.data alone needs no names. */
	if (err == 0 && session->graph)
		err = ff_profile_finish(a->profile);
	a->was_named = now();
	if (err == 0)
		return 0;
	return refuse_run(a->profile, err);
}

static int write_graph(const struct settings *s, struct session *session)
{
	struct ff_profile *p = session->analysis->profile;
	char why[2048] = "";
	struct output out = { .sentence = why, .sentence_size = sizeof(why) };
	int code;

	if (!session->graph)
		return EXIT_DONE;
	if (ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) == 0) {
		/* Nothing is written over nothing: the last graph stays, and where there was none
		 * there is none. A pipe is opened all the same, or its reader would wait. */
		struct output unwritten = { 0 };
		char *name = session->path ? name_of_now(&session->outputs, session->path)
					   : NULL;

		explain_empty_run(s, p);
		if (name && output_open(&unwritten, name) == EXIT_DONE)
			output_discard(&unwritten);
		free(name);
		return EXIT_INPUT;
	}
	code = write_now(session, &out);
	if (code == OUTPUT_UNREAD)
		return EXIT_DONE;
	if (*why)
		keep_elsewhere(p, why);
	if (code == EXIT_DONE && session->path && !s->output && !s->quiet)
		say_note("wrote %s", session->path);
	if (code == EXIT_DONE && s->open)
		show_picture(session->shown);
	return code;
}

/* Writes, says what there is to say, and chooses the exit status. */
static int end_session(const struct settings *s, struct session *session)
{
	struct ff_profile *p = session->analysis->profile;
	int code = write_graph(s, session);
	/* What we told to end has not failed. */
	int status = stops_came() ? 0 : ff_record_exit_status(p);
	bool has_data = format_is_picture(&session->format) &&
			!(s->graph.flags & FF_GRAPH_STATIC);
	bool has_one_name = session->path && !strstr(session->path, "%t");
	bool empty;

	if (session->graph) {
		tell_analysis(session->analysis);
		if (s->stats || s->verbose)
			print_stats(session->analysis, now());
	}
	if (code == EXIT_DONE && session->graph && !s->quiet) {
		if (ff_record_stacks(p))
			say("%s", ff_record_stacks(p));
		/* Where the recording can be asked again what is missing: a perf.data, or the
		 * picture, where that has its data and one name. */
		print_missing(s, p,
			      s->saved			 ? s->saved
			      : has_data && has_one_name ? session->path
							 : NULL);
	}
	if (ff_record_saved(p) < 0) {
		code = EXIT_INPUT;
		/* It was a remark, for the graph goes on; but it is an error. */
		if (s->quiet)
			say("%s", ff_profile_error(p));
	}
	/* A command that failed at once has no samples: why is what its status says. */
	empty = session->graph && ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) == 0 &&
		ff_record_saved(p) == 0;
	return status > 0 && (code == EXIT_DONE || empty) ? status : code;
}

static int record_run(const struct settings *s)
{
	struct analysis a = { 0 };
	struct session session = { .settings = s, .analysis = &a };
	struct settings wanted;
	int code = choose_outputs(s, &session);

	session.arguments = calloc((size_t)s->argc + 1, sizeof(*session.arguments));
	if (code == 0 && !session.arguments) {
		say("out of memory");
		code = EXIT_INPUT;
	}
	if (session.arguments)
		session.arguments[0] = "flamefold";
	for (int i = 0; session.arguments && i < s->argc; i++)
		session.arguments[i + 1] = s->argv[i];
	wanted = result_settings(s, &session.format);
	if (code == 0)
		code = analysis_open(&wanted, &a);
	if (code == 0)
		code = take_samples(s, &session);
	if (code == 0 && !s->print_perf)
		code = end_session(s, &session);
	analysis_release(&a);
	free(session.outputs.written);
	free(session.saves.written);
	free(session.save_path);
	free(session.save_name);
	free(session.shown);
	free(session.arguments);
	return code;
}

const struct command command_record = {
	"record",
	"[options] [-- COMMAND...]",
	"sample what runs now, and draw its graph",
	COMMAND_RECORD,
	record_run,
};
