/*
 * merge: any number of inputs become one profile file, or one for each host, hour or value of a label.
 * What is no profile file yet is folded first. One that cannot be read does not stop the others: it
 * is named at the end, with the reason.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/analysis.h"
#include "cli/fold_pool.h"
#include "cli/format.h"
#include "cli/merge_classes.h"
#include "cli/merge_list.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"

struct merging {
	const struct settings *settings;
	struct ff_options naming; /* with --symbolize */
	struct merge_list named;
	const char **inputs; /* of .named */
	struct fold_task *tasks;
	size_t count;
	struct fold_pool pool;
	struct ff_merge *merge;
	double started;
	size_t refused;
	char **arrived; /* names of files that --watch has found, a NULL behind them */
	size_t arrivals;
};

static int no_merge_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

/* What is a profile file already is merged as it is. */
static int make_task(struct merging *m, size_t i)
{
	struct fold_task *t = &m->tasks[i];

	*t = (struct fold_task){ .path = strcmp(m->inputs[i], "-") == 0 ? FOLD_STDIN
									: m->inputs[i] };
	return fold_take_profile(m->settings, t) < 0 ? no_merge_memory() : 0;
}

static int gather_inputs(struct merging *m)
{
	int code = merge_list_read(m->settings, 0, &m->named);

	if (code)
		return code;
	m->inputs = m->named.inputs;
	m->count = m->named.count;
	m->tasks = calloc(m->count + 1, sizeof(*m->tasks));
	if (!m->tasks)
		return no_merge_memory();
	for (size_t i = 0; i < m->count && code == 0; i++)
		code = make_task(m, i);
	return code;
}

static void refuse(struct merging *m, const char *path, const char *why)
{
	status_clear();
	say_warning("refused '%s': %s", path, why);
	m->refused++;
}

static void show_merging(void *arg, uint64_t done, uint64_t total)
{
	struct merging *m = arg;
	double seconds = now() - m->started, left;

	if (seconds < 0.5 || !done)
		return;
	left = done < total ? seconds / (double)done * (double)(total - done) : 0;
	status("merging: %d %%, %.1f MB a second, %.0f s left",
	       (int)((double)done / (double)total * 100), (double)done / seconds / 1e6,
	       left);
}

static void warn_of_names(void *arg, const char *line)
{
	(void)arg;
	status_clear();
	say_warning("%s", line);
}

/* What was folded, and what was a profile file before. */
static int add_all(struct merging *m, const char *by)
{
	struct ff_store_options options = m->settings->merge.store;
	int err;

	ff_merge_free(m->merge);
	m->merge = NULL;
	m->refused = 0;
	options.by = by;
	if (m->settings->merge.symbolize) {
		m->naming = m->settings->profile;
		m->naming.log = m->settings->quiet ? NULL : warn_of_names;
		options.symbolize = &m->naming;
	}
	options.threads = m->settings->profile.threads;
	options.progress =
		m->settings->quiet || !isatty(STDERR_FILENO) ? NULL : show_merging;
	options.arg = m;
	options.memory = m->settings->profile.memory;
	err = ff_merge_new(&m->merge, &options);
	if (err < 0) {
		say("%s", m->merge ? ff_merge_error(m->merge) : "out of memory");
		return err == -EINVAL ? EXIT_USAGE : EXIT_INPUT;
	}
	for (size_t i = 0; i < m->count; i++) {
		const struct fold_task *t = &m->tasks[i];
		bool folded = t->made && strcmp(t->made, t->path) != 0;

		if (t->shared)
			continue;
		if (!t->made) {
			refuse(m, t->path, t->why ? t->why : "nothing is known");
			continue;
		}
		err = ff_merge_add(m->merge, t->made, folded ? t->path : NULL);
		if (err == -ENOMEM)
			return no_merge_memory();
		if (err < 0)
			refuse(m, t->path, ff_merge_error(m->merge));
	}
	err = ff_merge_finish(m->merge);
	if (err < 0 && err != -ENODATA) {
		say("%s", ff_merge_error(m->merge));
		return EXIT_INPUT;
	}
	return 0;
}

/* "all.ff" of "web-3" is "all-web-3.ff": nothing of the value leads elsewhere. To be freed. */
static char *output_name(const char *output, const char *value)
{
	const char *slash = strrchr(output, '/'), *dot = strrchr(output, '.');
	size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - output)
							 : strlen(output);
	char *path;

	if (asprintf(&path, "%.*s-%s%s", (int)stem, output, value, output + stem) < 0)
		return NULL;
	for (char *p = path + stem + 1; p < path + stem + 1 + strlen(value); p++)
		if (*p == '/' || iscntrl((unsigned char)*p))
			*p = '_';
	return path;
}

static int compare_paths(const void *left, const void *right)
{
	const char *const *a = *(const char *const *const *)left;
	const char *const *b = *(const char *const *const *)right;
	int order = strcmp(*a, *b);

	return order ? order : a < b ? -1 : a > b;
}

/* What is no part of a file's name may be all that two values differ in. */
static int check_names(struct merging *m, char *const *paths, size_t count)
{
	char *const **sorted = calloc(count + 1, sizeof(*sorted));
	int code = 0;

	if (!sorted)
		return no_merge_memory();
	for (size_t i = 0; i < count; i++)
		sorted[i] = &paths[i];
	qsort(sorted, count, sizeof(*sorted), compare_paths);
	for (size_t i = 1; i < count && code == 0; i++)
		if (strcmp(*sorted[i - 1], *sorted[i]) == 0)
			code = usage_error(
				"'%s' and '%s' would both be '%s'",
				ff_merge_group(m->merge, (size_t)(sorted[i - 1] - paths)),
				ff_merge_group(m->merge, (size_t)(sorted[i] - paths)),
				*sorted[i]);
	free(sorted);
	return code;
}

static int write_merged_file(struct merging *m, const char *output)
{
	const bool by = m->settings->merge.store.by != NULL;
	size_t count = 0;
	char **paths;
	int code = 0;

	while (ff_merge_group(m->merge, count))
		count++;
	paths = calloc(count + 1, sizeof(*paths));
	for (size_t i = 0; paths && i < count && code == 0; i++) {
		const char *value = ff_merge_group(m->merge, i);

		if (by)
			paths[i] = *value ? output_name(output, value) : strdup(output);
		if (by && !paths[i])
			code = no_merge_memory();
	}
	if (!paths)
		code = no_merge_memory();
	/* A file of an earlier run may be an input now: nothing is written before all names are
	 * known to be good. */
	if (code == 0 && by) {
		struct written_files written = { (const char *const *)paths, count };

		code = overwrite_check_all(m->settings, &written, m->inputs, m->count);
	}
	if (code == 0 && by)
		code = check_names(m, paths, count);
	m->started = now();
	for (size_t i = 0; i < count && code == 0; i++) {
		struct output out = { 0 };
		int err;

		code = output_open(&out, by ? paths[i] : output);
		if (code)
			break;
		err = ff_merge_write(m->merge, i, out.stream);
		status_clear();
		/* All that were to be in it are refused, which is told with them. */
		if (err == -ENODATA)
			output_discard(&out);
		else
			code = output_close(&out, err, ff_merge_error(m->merge));
	}
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	return code;
}

static int tell_merged(struct merging *m)
{
	size_t duplicates = ff_merge_duplicates(m->merge),
	       count = ff_merge_count(m->merge), reused = 0;
	struct ff_merge_named named;
	const char *name, *why;
	bool tells = !m->settings->quiet;

	ff_merge_named(m->merge, &named);
	for (size_t i = 0; i < m->count; i++)
		reused += m->tasks[i].reused;
	for (size_t i = 0; ff_merge_refused(m->merge, i, &name, &why); i++)
		refuse(m, name, why);
	if (tells && reused)
		say_note("%zu of %zu files had been folded before", reused, m->count);
	if (tells && duplicates)
		say_note("%zu of %zu files %s there twice, and counted once", duplicates,
			 m->count, duplicates == 1 ? "was" : "were");
	if (tells && ff_merge_untimed(m->merge))
		say_note("the map of time of %zu of %zu files is left out: it is of one "
			 "recording, "
			 "and of its names",
			 ff_merge_untimed(m->merge), count);
	if (tells && m->settings->merge.symbolize)
		say_note("%" PRIu64 " of %" PRIu64 " addresses are named; %" PRIu64
			 " of %" PRIu64 " files were found",
			 named.named, named.addresses, named.found, named.build_ids);
	if (m->refused)
		say("%zu of %zu files could not be merged", m->refused, m->count);
	if (!count)
		return EXIT_INPUT;
	return m->refused ? EXIT_PART : EXIT_DONE;
}

/* All inputs as they are now, folded, merged and written. */
static int merge_all(struct merging *m, const char *output)
{
	const struct settings *s = m->settings;
	int code = fold_pool_run(&m->pool, m->tasks, m->count);

	if (code == 0 && s->merge.classes) {
		code = add_all(m, s->merge.classes);
		if (code == 0)
			code = merge_classes(m->merge, s, stdout);
		fflush(stdout);
		/* The picture of the classes may be all that was asked for. */
		if (code == 0 && !s->output)
			return tell_merged(m);
	}
	if (code == 0)
		code = add_all(m, s->merge.store.by);
	if (code == 0)
		code = write_merged_file(m, output);
	return code == 0 || code == OUTPUT_UNREAD ? tell_merged(m) : code;
}

/* One more input, unless it is the output, which may lie there, or is hidden, as what is still written
 * mostly is. */
static int take_arrival(struct merging *m, const char *output, const char *name)
{
	const char **inputs = realloc(m->inputs, (m->count + 2) * sizeof(*inputs));
	struct fold_task *tasks;
	struct stat st, own;
	char **arrived, *path;

	if (!inputs)
		return no_merge_memory();
	m->named.inputs = m->inputs = inputs;
	tasks = realloc(m->tasks, (m->count + 2) * sizeof(*tasks));
	if (!tasks)
		return no_merge_memory();
	m->tasks = tasks;
	arrived = realloc(m->arrived, (m->arrivals + 2) * sizeof(*arrived));
	if (!arrived)
		return no_merge_memory();
	m->arrived = arrived;
	if (asprintf(&path, "%s/%s", m->settings->merge.watch, name) < 0)
		return no_merge_memory();
	if (*name == '.' || stat(path, &st) < 0 || S_ISFIFO(st.st_mode) ||
	    (stat(output, &own) == 0 && own.st_dev == st.st_dev &&
	     own.st_ino == st.st_ino)) {
		free(path);
		return 0;
	}
	m->arrived[m->arrivals++] = path;
	/* Written again: what was read of it before goes. */
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->inputs[i], path) == 0) {
			free(m->tasks[i].made);
			free(m->tasks[i].why);
			free(m->tasks[i].kernel);
			return make_task(m, i);
		}
	m->inputs[m->count] = path;
	return make_task(m, m->count++);
}

/* Those that lie there already, unless somebody writes them still: these will be closed. */
static int take_present(struct merging *m, const char *output)
{
	enum { STILL = 2 /* seconds that nobody has written it */ };
	DIR *d = opendir(m->settings->merge.watch);
	struct dirent *e;
	int code = 0;

	if (!d) {
		say("cannot open '%s': %s", m->settings->merge.watch, strerror(errno));
		return EXIT_INPUT;
	}
	while (code == 0 && (e = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, 0) == 0 && *e->d_name != '.' &&
		    st.st_mtime + STILL <= time(NULL))
			code = take_arrival(m, output, e->d_name);
	}
	closedir(d);
	return code;
}

/* Files whose writers have closed them, or that were moved there. */
static int take_events(struct merging *m, const char *output, int events)
{
	_Alignas(struct inotify_event) char bytes[1 << 14];
	ssize_t size = read(events, bytes, sizeof(bytes));
	int code = 0;

	for (char *p = bytes; size > 0 && p < bytes + size && code == 0;) {
		const struct inotify_event *e = (const void *)p;

		if (e->mask & IN_Q_OVERFLOW)
			code = take_present(m, output);
		else if (e->len)
			code = take_arrival(m, output, e->name);
		p += sizeof(*e) + e->len;
	}
	return code;
}

/*
 * What arrives is merged when nothing has arrived for a second, or some have for ten times as long as the
 * last merge took; the file is a whole one at any time. SIGINT and SIGTERM end it when all that has
 * arrived is in it.
 */
static int watch_directory(struct merging *m, const char *output)
{
	const char *directory = m->settings->merge.watch;
	struct pollfd polled[2] = { { .events = POLLIN }, { .events = POLLIN } };
	double pending = 0, took = 0.5;
	int code = 0, last = EXIT_INPUT;
	bool ends = false;
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	polled[0].fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	polled[1].fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (polled[0].fd < 0 || polled[1].fd < 0 ||
	    inotify_add_watch(polled[0].fd, directory,
			      IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR) < 0) {
		say("cannot watch '%s': %s", directory, strerror(errno));
		code = EXIT_INPUT;
	}
	if (code == 0)
		code = take_present(m, output);
	pending = m->count ? now() : 0;
	while (code == 0 && !ends) {
		size_t before = m->arrivals;
		int ready = poll(polled, 2, pending > 0 ? 1000 : -1);

		if (ready < 0 && errno != EINTR)
			code = EXIT_INPUT;
		ends = ready > 0 && polled[1].revents;
		if (ready > 0 && polled[0].revents)
			code = take_events(m, output, polled[0].fd);
		if (m->arrivals > before && pending <= 0)
			pending = now();
		if (code || pending <= 0 ||
		    (ready > 0 && !ends && now() - pending < 10 * took))
			continue;
		took = now();
		code = merge_all(m, output);
		last = code;
		/* What is refused today says nothing of what comes. */
		if (code == EXIT_PART || code == EXIT_INPUT)
			code = 0;
		took = now() - took;
		pending = 0;
	}
	for (int i = 0; i < 2; i++)
		if (polled[i].fd >= 0)
			close(polled[i].fd);
	return code ? code : last;
}

static int merge_run(const struct settings *s)
{
	struct merging m = { .settings = s, .pool = { .settings = s }, .started = now() };
	bool only_classes = s->merge.classes && !s->output;
	struct format format = { 0 };
	const char *output = s->output;
	int code = format_choose(s, &format);

	if (!output && (isatty(STDOUT_FILENO) || s->merge.store.by || s->merge.watch))
		output = "merged.ff";
	if (code == 0 && s->merge.store.by && strcmp(output, "-") == 0)
		code = usage_error("option '--by' writes several files: -o FILE.ff names "
				   "them");
	if (code == 0 && (s->merge.watch || s->merge.classes) && output &&
	    strcmp(output, "-") == 0)
		code = usage_error("option '%s' writes a file, not standard output: "
				   "-o FILE.ff names it",
				   s->merge.watch ? "--watch" : "--classes");
	if (code == 0 && !s->merge.store.by && !only_classes)
		code = output_check(output);
	if (code == 0)
		code = gather_inputs(&m);
	if (code == 0 && !s->merge.store.by && !only_classes)
		code = overwrite_check(s, output, m.inputs, m.count);
	if (code == 0 && s->merge.tree && mkdir(s->merge.tree, 0777) < 0 &&
	    errno != EEXIST) {
		say("cannot make '%s': %s", s->merge.tree, strerror(errno));
		code = EXIT_INPUT;
	}
	if (code == 0)
		code = s->merge.watch ? watch_directory(&m, output)
				      : merge_all(&m, output);
	ff_merge_free(m.merge);
	fold_pool_release(&m.pool);
	for (size_t i = 0; m.tasks && i < m.count; i++) {
		free(m.tasks[i].made);
		free(m.tasks[i].why);
		free(m.tasks[i].kernel);
	}
	for (size_t i = 0; i < m.arrivals; i++)
		free(m.arrived[i]);
	free(m.arrived);
	free(m.tasks);
	merge_list_release(&m.named);
	return code;
}

const struct command command_merge = {
	"merge",
	"[options] [INPUT...]",
	"add up any number of inputs into a profile file",
	COMMAND_MERGE,
	merge_run,
};
