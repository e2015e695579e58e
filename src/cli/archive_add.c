/*
 * archive add: what is no profile file is folded, a few at a time, and what has become of these is
 * committed before the next ones are begun. What is printed as added is there, whatever happens then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/archive.h"
#include "cli/fold_pool.h"
#include "cli/merge_list.h"
#include "cli/terminal.h"

enum { AT_ONCE = 256 };

#define HELD_MOST 2 /* seconds: others give up after a minute */

enum fate { FATE_REFUSED, FATE_KNOWN, FATE_ADDED };

struct adding {
	const struct settings *settings;
	struct ff_archive *archive;
	struct fold_task tasks[AT_ONCE];
	enum fate fates[AT_ONCE];
	size_t count; /* of tasks */
	size_t added, known, refused; /* of all */
};

static int no_add_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

static void refuse_recording(struct adding *w, const char *path, const char *why)
{
	status_clear();
	say_warning("refused '%s': %s", path, why);
	w->refused++;
}

/* Those up to @end are committed, and told of from the @first one on. */
static int commit_tasks(struct adding *w, size_t first, size_t end)
{
	if (ff_archive_commit(w->archive) < 0)
		return archive_say(w->archive);
	for (size_t i = first; i < end; i++) {
		if (w->fates[i] == FATE_REFUSED)
			continue;
		w->added += w->fates[i] == FATE_ADDED;
		w->known += w->fates[i] == FATE_KNOWN;
		if (w->settings->quiet)
			continue;
		fputs(w->fates[i] == FATE_ADDED ? "added " : "there already: ", stdout);
		put_clean(stdout, w->tasks[i].path);
		putchar('\n');
	}
	fflush(stdout);
	return 0;
}

/* What was folded is added. Until it is committed others who add have to wait, so what is large is committed
 * in pieces. */
static int add_tasks(struct adding *w)
{
	const struct settings *s = w->settings;
	double began = now();
	size_t told = 0;
	int code = 0, last;

	for (size_t i = 0; i < w->count && code == 0; i++) {
		const struct fold_task *t = &w->tasks[i];
		struct ff_archive_recording r = {
			.size = sizeof(r),
			.path = t->made,
			.name = t->path,
			.kernel = t->kernel,
			.labels = s->merge.store.labels,
			.label_count = s->merge.store.label_count,
			.recorded = s->archive.recorded,
		};
		int err = 0;

		if (!t->made) {
			refuse_recording(w, t->path,
					 t->why ? t->why : "nothing is known");
			continue;
		}
		if (w->fates[i] == FATE_KNOWN)
			continue;
		/* A profile file keeps the names that it has. */
		if (strcmp(t->made, t->path) == 0)
			r.name = NULL;
		err = ff_archive_add(w->archive, &r);
		/* The archive itself has failed: what comes next would, too. */
		if (err == -ENOSPC || err == -EDQUOT || err == -EBUSY || err == -ENOMEM ||
		    err == -EIO || err == -EROFS || err == -EACCES || err == -EFBIG) {
			code = archive_say(w->archive);
			break;
		}
		if (err < 0)
			refuse_recording(w, t->path, ff_archive_error(w->archive));
		else
			w->fates[i] = err > 0 ? FATE_KNOWN : FATE_ADDED;
		if (now() - began < HELD_MOST)
			continue;
		last = commit_tasks(w, told, i + 1);
		if (last)
			return last;
		told = i + 1;
		began = now();
	}
	/* All that was added before something failed is there as well. */
	last = commit_tasks(w, told, w->count);
	return code ? code : last;
}

int archive_add(const struct settings *s, const char *directory)
{
	struct adding *w = calloc(1, sizeof(*w));
	struct merge_list list;
	const char *const *inputs;
	size_t left;
	int code;

	if (!w)
		return no_add_memory();
	w->settings = s;
	code = merge_list_read(s, 2, &list);
	inputs = list.inputs;
	left = list.count;
	if (code == 0 && !left)
		code = usage_error("'archive add %s' needs files", directory);
	if (code == 0)
		code = archive_open(s, directory, FF_ARCHIVE_CREATE, &w->archive);
	while (code == 0 && left) {
		struct fold_pool pool = { .settings = s };
		size_t count = left < AT_ONCE ? left : AT_ONCE;

		memset(w->tasks, 0, sizeof(w->tasks));
		w->count = count;
		for (size_t i = 0; i < count && code == 0; i++) {
			struct fold_task *t = &w->tasks[i];
			bool standard = strcmp(inputs[i], "-") == 0;
			int known = standard ? 0 : ff_archive_has(w->archive, inputs[i]);

			if (known < 0) {
				code = archive_say(w->archive);
				break;
			}
			t->path = standard ? FOLD_STDIN : inputs[i];
			w->fates[i] = known ? FATE_KNOWN : FATE_REFUSED;
			/* What is there already needs no folding, and a profile file has been. */
			if (known && !(t->made = strdup(t->path)))
				code = no_add_memory();
			else if (!known && fold_take_profile(s, t) < 0)
				code = no_add_memory();
		}
		if (code == 0)
			code = fold_pool_run(&pool, w->tasks, count);
		if (code == 0)
			code = add_tasks(w);
		fold_pool_release(&pool);
		for (size_t i = 0; i < count; i++) {
			free(w->tasks[i].made);
			free(w->tasks[i].why);
			free(w->tasks[i].kernel);
		}
		inputs += count;
		left -= count;
	}
	if (code == 0 && w->refused) {
		say("%zu of %zu files could not be added", w->refused, list.count);
		code = w->added + w->known ? EXIT_PART : EXIT_INPUT;
	}
	ff_archive_close(w->archive);
	merge_list_release(&list);
	free(w);
	return code;
}
