/*
 * merge: any number of inputs become one profile file, or one for each host, hour or value of a label.
 * What is no profile file yet is folded first. One that cannot be read does not stop the others: it
 * is named at the end, with the reason.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/analysis.h"
#include "cli/fold_pool.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/overwrite.h"
#include "cli/terminal.h"

struct merging {
	const struct settings *settings;
	char *list; /* text with names */
	const char **inputs;
	struct fold_task *tasks;
	size_t count;
	struct fold_pool pool;
	struct ff_merge *merge;
	double started;
	size_t refused;
};

static int no_merge_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

/* All of a file, with a NUL behind it. */
static char *read_whole(FILE *in, size_t *size)
{
	size_t room = 0;
	char *text = NULL;

	for (*size = 0;;) {
		char *more;
		size_t got;

		if (room - *size < 2) {
			room = room ? 2 * room : 1 << 16;
			more = realloc(text, room);
			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
		got = fread(text + *size, 1, room - 1 - *size, in);
		*size += got;
		if (!got)
			break;
	}
	text[*size] = '\0';
	return text;
}

/* Names of --from stand behind those of the command line. A NUL in it, as find -print0 writes them,
 * says that lines mean nothing. */
static int read_input_list(struct merging *m)
{
	const char *path = m->settings->merge.list;
	bool standard = strcmp(path, "-") == 0;
	FILE *in = standard ? stdin : fopen(path, "re");
	size_t size = 0, names = 1;
	char end = '\n';

	if (!in) {
		say("cannot open '%s': %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	m->list = read_whole(in, &size);
	if (!standard)
		fclose(in);
	if (!m->list)
		return no_merge_memory();
	if (memchr(m->list, '\0', size))
		end = '\0';
	for (size_t i = 0; i < size; i++)
		names += m->list[i] == end;
	m->inputs = calloc(m->settings->input_count + names, sizeof(*m->inputs));
	if (!m->inputs)
		return no_merge_memory();
	for (size_t i = 0; i < m->settings->input_count; i++)
		m->inputs[m->count++] = m->settings->inputs[i];
	for (char *p = m->list; p < m->list + size;) {
		char *stop = memchr(p, end, (size_t)(m->list + size - p));

		stop = stop ? stop : m->list + size;
		*stop = '\0';
		if (*p)
			m->inputs[m->count++] = p;
		p = stop + 1;
	}
	return 0;
}

static int gather_inputs(struct merging *m)
{
	const char *const *named;
	int code;

	if (m->settings->merge.list) {
		code = read_input_list(m);
		if (code)
			return code;
	} else {
		code = choose_inputs(m->settings, &named, &m->count);
		if (code)
			return code;
		m->inputs = calloc(m->count + 1, sizeof(*m->inputs));
		if (!m->inputs)
			return no_merge_memory();
		memcpy(m->inputs, named, m->count * sizeof(*named));
	}
	m->tasks = calloc(m->count + 1, sizeof(*m->tasks));
	if (!m->tasks)
		return no_merge_memory();
	for (size_t i = 0; i < m->count; i++) {
		struct fold_task *t = &m->tasks[i];

		t->path = strcmp(m->inputs[i], "-") == 0 ? FOLD_STDIN : m->inputs[i];
		if (ff_is_profile(t->path) && !(t->made = strdup(t->path)))
			return no_merge_memory();
	}
	return 0;
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

/* What was folded, and what was a profile file before. */
static int add_all(struct merging *m)
{
	struct ff_store_options options = m->settings->merge.store;
	int err;

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

static int write_group(struct merging *m, size_t i, const char *path)
{
	struct output out = { 0 };
	int err, code = output_open(&out, path);

	if (code)
		return code;
	err = ff_merge_write(m->merge, i, out.stream);
	status_clear();
	/* All that were to be in it are refused, which is told with them. */
	if (err == -ENODATA) {
		output_discard(&out);
		return 0;
	}
	return output_close(&out, err, ff_merge_error(m->merge));
}

/* What is no part of a file's name may be all that two values differ in, and a file of an earlier run
 * may be an input now: nothing is written before all names are known to be good. */
static int check_names(struct merging *m, char *const *paths)
{
	int code = 0;

	for (size_t i = 0; paths[i] && code == 0; i++) {
		code = overwrite_check(m->settings, paths[i], m->inputs, m->count);
		for (size_t k = 0; k < i && code == 0; k++)
			if (strcmp(paths[k], paths[i]) == 0)
				code = usage_error("'%s' and '%s' would both be '%s'",
						   ff_merge_group(m->merge, k),
						   ff_merge_group(m->merge, i), paths[i]);
	}
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
	if (code == 0)
		code = check_names(m, paths);
	m->started = now();
	for (size_t i = 0; i < count && code == 0; i++)
		code = write_group(m, i, by ? paths[i] : output);
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	return code;
}

static int tell_merged(struct merging *m)
{
	size_t duplicates = ff_merge_duplicates(m->merge),
	       count = ff_merge_count(m->merge);
	const char *name, *why;

	for (size_t i = 0; ff_merge_refused(m->merge, i, &name, &why); i++)
		refuse(m, name, why);
	if (!m->settings->quiet && duplicates)
		say_note("%zu of %zu files %s there twice, and counted once", duplicates,
			 m->count, duplicates == 1 ? "was" : "were");
	if (m->refused)
		say("%zu of %zu files could not be merged", m->refused, m->count);
	if (!count)
		return EXIT_INPUT;
	return m->refused ? EXIT_PART : EXIT_DONE;
}

static int merge_run(const struct settings *s)
{
	struct merging m = { .settings = s, .pool = { .settings = s }, .started = now() };
	struct format format = { 0 };
	const char *output = s->output;
	int code = format_choose(s, &format);

	if (!output && (isatty(STDOUT_FILENO) || s->merge.store.by))
		output = "merged.ff";
	if (code == 0 && s->merge.store.by && strcmp(output, "-") == 0)
		code = usage_error("option '--by' writes several files: -o FILE.ff names "
				   "them");
	if (code == 0 && !s->merge.store.by)
		code = output_check(output);
	if (code == 0)
		code = gather_inputs(&m);
	if (code == 0 && !s->merge.store.by)
		code = overwrite_check(s, output, m.inputs, m.count);
	if (code == 0 && s->merge.tree && mkdir(s->merge.tree, 0777) < 0 &&
	    errno != EEXIST) {
		say("cannot make '%s': %s", s->merge.tree, strerror(errno));
		code = EXIT_INPUT;
	}
	if (code == 0)
		code = fold_pool_run(&m.pool, m.tasks, m.count);
	if (code == 0)
		code = add_all(&m);
	if (code == 0)
		code = write_merged_file(&m, output);
	if (code == 0 || code == OUTPUT_UNREAD)
		code = tell_merged(&m);
	ff_merge_free(m.merge);
	fold_pool_release(&m.pool);
	for (size_t i = 0; m.tasks && i < m.count; i++) {
		free(m.tasks[i].made);
		free(m.tasks[i].why);
		free(m.tasks[i].kernel);
	}
	free(m.tasks);
	free(m.inputs);
	free(m.list);
	return code;
}

const struct command command_merge = {
	"merge",
	"[options] [INPUT...]",
	"add up any number of inputs into a profile file",
	COMMAND_MERGE,
	merge_run,
};
