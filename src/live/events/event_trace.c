/*
 * A directory of tracefs for each system, in it one for each event, in it a file with
 * the number that perf_event_open(2) wants (Documentation/trace/events.rst). Patterns
 * are matched name by name, sorted by bytes, so that events come in the same order
 * everywhere. tracefs may be mounted in two places, of which one may be forbidden: the
 * error message depends on which of them could be seen.
 */
#include "live/events/event_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

enum {
	PATH_ROOM = 512,
	NAME_ROOM = 256,
	ID_MOST = 64, /* bytes of an id file */
	LIST_MOST = 4 << 20, /* of available_events */
};

struct trace_search {
	const struct event_lookup *lookup;
	const struct trace_taker *taker;
	char base[PATH_ROOM]; /* the tracefs */
	char system[NAME_ROOM], event[NAME_ROOM]; /* patterns */
	size_t found;
};

/* The tracefs that has events; false, with the one that should be there, where none has. */
static bool find_tracefs(const struct event_lookup *lookup, char base[PATH_ROOM],
			 int *why)
{
	/* The place of old, which leads to the other one, needs debugfs. */
	static const char *const where[] = { "/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing",
					     "/sys/kernel/tracing" };
	char path[PATH_ROOM + 16];

	/* The first place is tried again at the end, so that it is the one that messages
	 * name. */
	*why = ENOENT;
	for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++) {
		if (snprintf(base, PATH_ROOM, "%s%s", lookup->root, where[i]) >=
		    PATH_ROOM)
			return false;
		snprintf(path, sizeof(path), "%s/events", base);
		if (access(path, R_OK | X_OK) == 0)
			return true;
		if (errno == EACCES || errno == EPERM)
			*why = EACCES;
	}
	return false;
}

/* Others than root and its group have no right to the numbers of events, whatever the mode
 * of the mount: since Linux 5.15 they are for those two. */
static int fail_not_readable(const struct event_lookup *lookup, const char *base)
{
	return fail(lookup->ctx, -EACCES,
		    "'%s': only root may read tracepoints in %s; run as root, or after "
		    "'sudo mount -o remount,mode=750,gid=%u %s'",
		    lookup->text, base, (unsigned)getegid(), base);
}

/* In the same order in all languages, unlike alphasort(). */
static int compare_dirents(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Names in @path that match, sorted; their count, or -1 with errno. To be freed. */
static int list_sorted(const char *path, struct dirent ***ret)
{
	return scandir(path, ret, NULL, compare_dirents);
}

static void free_sorted(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	if (count >= 0)
		free(names);
}

static bool name_matches(const char *pattern, const char *name)
{
	return name[0] != '.' && fnmatch(pattern, name, 0) == 0;
}

/* Hands over those of @system whose names match the pattern. */
static int search_system(struct trace_search *s, const char *system)
{
	struct context unheard = { .log = NULL };
	char path[2 * PATH_ROOM + NAME_ROOM], name[2 * NAME_ROOM], *text;
	struct dirent **names;
	size_t size;
	uint64_t id;
	int count, err = 0;

	snprintf(path, sizeof(path), "%s/events/%s", s->base, system);
	count = list_sorted(path, &names);
	for (int i = 0; i < count && err == 0; i++) {
		const char *event = names[i]->d_name;

		if (!name_matches(s->event, event))
			continue;
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", s->base, system,
			 event);
		err = file_slurp(&unheard, path, ID_MOST, &text, &size);
		/* A directory has files of its own beside the events: enable, filter. */
		if (err == -ENOENT || err == -ENOTDIR) {
			err = 0;
			continue;
		}
		if (err < 0) {
			err = err == -EACCES
				      ? fail_not_readable(s->lookup, s->base)
				      : fail(s->lookup->ctx, err,
					     "'%s': cannot read %s: %s", s->lookup->text,
					     path, strerror(-err));
			break;
		}
		id = strtoull(text, NULL, 10);
		free(text);
		snprintf(name, sizeof(name), "%s:%s", system, event);
		s->found++;
		err = s->taker->take(s->taker->arg, name, id);
	}
	free_sorted(names, count);
	return err;
}

/* Lines of available_events, "sched:sched_switch". */
static void each_tracepoint(const struct event_lookup *lookup,
			    void (*look)(void *arg, struct text_part line), void *arg)
{
	struct context unheard = { .log = NULL };
	char base[PATH_ROOM], path[PATH_ROOM + 32], *text, *p, *end;
	size_t size;
	int why;

	if (!find_tracefs(lookup, base, &why))
		return;
	snprintf(path, sizeof(path), "%s/available_events", base);
	if (file_slurp(&unheard, path, LIST_MOST, &text, &size) < 0)
		return;
	for (p = text; (end = strchr(p, '\n')) != NULL; p = end + 1)
		look(arg, (struct text_part){ p, (size_t)(end - p) });
	free(text);
}

static void offer_line(void *arg, struct text_part line)
{
	suggestion_offer(arg, line.p, line.size);
}

struct by_name {
	struct text_part name;
	char *room;
};

static void match_line(void *arg, struct text_part line)
{
	struct by_name *b = arg;
	const char *colon = memchr(line.p, ':', line.size);
	size_t size = colon ? line.size - (size_t)(colon + 1 - line.p) : 0;

	if (size == b->name.size && line.size <= SUGGESTION_MOST && !b->room[0] &&
	    memcmp(colon + 1, b->name.p, size) == 0) {
		memcpy(b->room, line.p, line.size);
		b->room[line.size] = '\0';
	}
}

void event_trace_by_name(const struct event_lookup *lookup, struct text_part name,
			 char room[SUGGESTION_MOST + 1])
{
	struct by_name b = { name, room };

	room[0] = '\0';
	if (name.size)
		each_tracepoint(lookup, match_line, &b);
}

static bool copy_pattern(struct text_part from, char room[NAME_ROOM])
{
	if (from.size == 0 || from.size >= NAME_ROOM || memchr(from.p, '/', from.size))
		return false;
	memcpy(room, from.p, from.size);
	room[from.size] = '\0';
	return true;
}

int event_trace_find(const struct event_lookup *lookup, struct text_part system,
		     struct text_part event, const struct trace_taker *taker)
{
	struct trace_search s = { .lookup = lookup, .taker = taker };
	char path[PATH_ROOM + 16], written[2 * NAME_ROOM + 1], room[SUGGESTION_MOST + 32];
	char group[32] = "";
	struct dirent **names;
	struct suggestion n;
	int count, err = 0, why;
	bool there;

	if (!copy_pattern(system, s.system) || !copy_pattern(event, s.event))
		return fail(lookup->ctx, -EINVAL, "'%s' is not an event", lookup->text);
	there = find_tracefs(lookup, s.base, &why);
	snprintf(path, sizeof(path), "%s/events", s.base);
	/* The place of old may be forbidden, and the other one empty. */
	if (!there && why == EACCES && (access(path, F_OK) == 0 || errno == EACCES))
		return fail_not_readable(lookup, s.base);
	if (!there && geteuid() != 0)
		snprintf(group, sizeof(group), "-o mode=750,gid=%u ",
			 (unsigned)getegid());
	if (!there)
		return fail(lookup->ctx, -ENOENT,
			    "'%s': tracepoints are in %s, where nothing is mounted; "
			    "'sudo mount -t tracefs %snodev %s' does that, in a "
			    "container on its host",
			    lookup->text, s.base, group, s.base);
	count = list_sorted(path, &names);
	if (count < 0)
		return fail(lookup->ctx, -errno, "'%s': cannot read %s: %s", lookup->text,
			    path, strerror(errno));
	for (int i = 0; i < count && err == 0; i++)
		if (name_matches(s.system, names[i]->d_name))
			err = search_system(&s, names[i]->d_name);
	free_sorted(names, count);
	if (err < 0)
		return err;
	if (s.found)
		return 0;
	/* A whole name that is close, or else one in another system. */
	snprintf(written, sizeof(written), "%s:%s", s.system, s.event);
	suggestion_start(&n, written, strlen(written));
	each_tracepoint(lookup, offer_line, &n);
	if (!n.best[0])
		event_trace_by_name(
			lookup, (struct text_part){ s.event, strlen(s.event) }, n.best);
	return fail(lookup->ctx, -ENOENT, "this kernel has no tracepoint '%s'%s", written,
		    suggestion_question(&n, room));
}
