/*
 * Asks debuginfod servers for files by build id, through libdebuginfod(3), which is
 * loaded when somebody asks first: it brings an HTTP library along that most runs never
 * need. One failure that says that there is no server ends the asking.
 */
#include "find/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf.h"

#define LIBRARY "libdebuginfod.so.1"
#define SERVERS "DEBUGINFOD_URLS"

/* What is used of libdebuginfod(3). */
struct client;
typedef struct client *begin_fn(void);
typedef void end_fn(struct client *c);
typedef int find_fn(struct client *c, const unsigned char *id, int size, char **path);
typedef int progress_fn(struct client *c, long done, long total);
typedef void set_progress_fn(struct client *c, progress_fn *fn);

#define BLINK 0.1 /* seconds between two signs of life */

struct debuginfod {
	struct debuginfod_options options;
	pthread_mutex_t lock; /* of all below */
	void *library;
	struct client *client;
	begin_fn *begin;
	end_fn *end;
	find_fn *find[2]; /* by kind */
	set_progress_fn *set_progress;
	char problem[200]; /* "": none */
	/* Of the file that is asked for. */
	struct text what;
	struct timespec started;
	double shown; /* seconds after that */
	bool late;
};

int debuginfod_new(struct context *ctx, const struct debuginfod_options *options,
		   struct debuginfod **ret)
{
	const char *servers = getenv(SERVERS);
	struct debuginfod *d;

	if (!servers || !*servers)
		return fail(ctx, -EINVAL,
			    "there are no debuginfod servers to ask: " SERVERS
			    " is not set");
	d = calloc(1, sizeof(*d));
	if (!d)
		return fail_memory(ctx);
	d->options = *options;
	pthread_mutex_init(&d->lock, NULL);
	*ret = d;
	return 0;
}

void debuginfod_free(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	/* The library stays: what it brought has threads and exit handlers of its own. */
	text_release(&d->what);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* The callback is told of its client only. NULL outside of debuginfod_find(). */
static _Thread_local struct debuginfod *current;

/*
 * Called about once a second, and more often while bytes come. Not 0 ends it. While no
 * server has answered, @total is 0 and @done counts calls.
 */
static int on_progress(struct client *c, long done, long total)
{
	struct debuginfod *d = current;
	struct timespec at;
	double now; /* seconds since it was asked for */

	(void)c;
	clock_gettime(CLOCK_MONOTONIC, &at);
	now = (double)(at.tv_sec - d->started.tv_sec) +
	      (double)(at.tv_nsec - d->started.tv_nsec) / 1e9;
	if (d->options.progress && d->what.bytes && now - d->shown >= BLINK) {
		d->options.progress(d->options.arg, d->what.bytes,
				    total > 0 && done > 0 ? (uint64_t)done : 0,
				    total > 0 ? (uint64_t)total : 0);
		d->shown = now;
	}
	d->late = now >= d->options.timeout;
	return d->late;
}

static bool load(struct debuginfod *d)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "debuginfod_begin", &d->begin },
		{ "debuginfod_end", &d->end },
		{ "debuginfod_find_debuginfo", &d->find[DEBUGINFOD_DEBUG_FILE] },
		{ "debuginfod_find_executable", &d->find[DEBUGINFOD_OBJECT] },
		{ "debuginfod_set_progressfn", &d->set_progress },
	};
	bool whole = true;

	d->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!d->library) {
		snprintf(d->problem, sizeof(d->problem), "cannot load %s", dlerror());
		return false;
	}
	/* Function pointers are what dlsym() says, as POSIX has it. */
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions) && whole; i++) {
		void *function = dlsym(d->library, functions[i].name);

		whole = function;
		memcpy(functions[i].to, &function, sizeof(function));
	}
	if (whole)
		d->client = d->begin();
	if (!d->client) {
		snprintf(d->problem, sizeof(d->problem), "cannot use " LIBRARY);
		return false;
	}
	d->set_progress(d->client, on_progress);
	return true;
}

bool debuginfod_find(struct debuginfod *d, const struct debuginfod_file *file,
		     struct text *path)
{
	const char *slash = strrchr(file->name, '/');
	char *found = NULL;
	int fd = -ENOENT;

	/* Fewer bytes are no id. */
	if (!d || file->build_id_size < 4 || file->build_id_size > OBJECT_BUILD_ID_MAX)
		return false;
	pthread_mutex_lock(&d->lock);
	if (*d->problem || (!d->client && !load(d)))
		goto out;
	text_clear(&d->what);
	text_printf(&d->what, "fetching %s%s",
		    file->kind == DEBUGINFOD_DEBUG_FILE ? "debug information of " : "",
		    slash ? slash + 1 : file->name);
	d->late = false;
	clock_gettime(CLOCK_MONOTONIC, &d->started);
	d->shown = -BLINK;
	current = d;
	on_progress(d->client, 0, 0);
	fd = d->find[file->kind](d->client, file->build_id, (int)file->build_id_size,
				 &found);
	current = NULL;
	if (fd >= 0) {
		close(fd);
		text_string(path, found ? found : "");
		free(found);
	} else if (d->late) {
		snprintf(d->problem, sizeof(d->problem), "no file within %u seconds",
			 d->options.timeout);
	} else if (fd != -ENOENT) {
		snprintf(d->problem, sizeof(d->problem), "%s", strerror(-fd));
	}
out:
	pthread_mutex_unlock(&d->lock);
	return fd >= 0 && path->size > 0;
}

const char *debuginfod_problem(struct debuginfod *d)
{
	return *d->problem ? d->problem : NULL;
}
