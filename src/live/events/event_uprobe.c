/*
 * A probe on a function of programs, by the PMU of uprobes, which needs no file of tracefs written:
 *
 *	uprobe:/usr/bin/app:work	where work() begins
 *	uretprobe:/usr/bin/app:work	where it has returned to
 *	uprobe:libc:malloc		in each C library (probed.c)
 *	uprobe:/usr/bin/app:0x1234	at an offset in the file
 *
 * include/uapi/linux/perf_event.h: config1 points to the path, config2 is the offset, and format/retprobe
 * says which bit of config means the return. An event is the probe in one file.
 */
#include "live/events/event_uprobe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "elf/elf.h"
#include "live/events/probed.h"

static const char entry[] = "uprobe:", back[] = "uretprobe:";

bool event_is_uprobe(const char *text)
{
	return strncmp(text, entry, strlen(entry)) == 0 ||
	       strncmp(text, back, strlen(back)) == 0;
}

/* 0; -ENOENT and -ENOTSUP: as probe_offset_find(), with a sentence, as for a file that is none. */
static int find_offset(const struct event_places *places, const char *path,
		       const char *function, uint64_t *ret)
{
	struct object object;
	char *end;
	int err;

	*ret = strtoull(function, &end, 0);
	if (function[0] >= '0' && function[0] <= '9' && !*end)
		return 0;
	object_prepare();
	err = object_open(places->ctx, path, &object);
	if (err < 0)
		return err == -ENOMEM ? err : -ENOENT;
	err = probe_offset_find(&object, function, ret);
	object_close(&object);
	if (err == -ENOTSUP)
		return fail(places->ctx, err,
			    "'%s': which of several functions '%s' is in %s is chosen "
			    "when a program starts: name one of these",
			    places->text, function, path);
	return err < 0 ? fail(places->ctx, err, "'%s': there is no function '%s' in %s",
			      places->text, function, path)
		       : 0;
}

static int add_file(const struct event_places *places, const char *path,
		    const char *function, const struct uprobe_taker *taker,
		    struct live_event *event)
{
	uint64_t offset;
	int err = find_offset(places, path, function, &offset);

	if (err < 0)
		return err;
	event->attr.config1 = (uintptr_t)path;
	event->attr.config2 = offset;
	return taker->take(taker->arg);
}

int event_uprobe_find(const struct event_places *places, struct live_event *event,
		      const struct uprobe_taker *taker)
{
	const struct part pmu = { "uprobe", strlen("uprobe") };
	bool returns = strncmp(places->text, back, strlen(back)) == 0;
	const char *file = strchr(places->text, ':') + 1, *colon = strrchr(file, ':');
	const struct live_probed *probed = places->probed;
	struct part terms = { "retprobe", returns ? strlen("retprobe") : 0 };
	const char *path;
	size_t found = 0;
	int err;

	if (!colon || colon == file || !colon[1])
		return fail(places->ctx, -EINVAL, "'%s': it is '%sFILE:FUNCTION'",
			    places->text, returns ? back : entry);
	if (!event_pmu_exists(places, pmu))
		return fail(places->ctx, -ENOENT,
			    "'%s': this kernel has no probes on functions of programs "
			    "(CONFIG_UPROBE_EVENTS)",
			    places->text);
	err = event_pmu_set(places, pmu, terms, event);
	if (err < 0)
		return err;
	event->probe = returns ? PROBE_RETURN : PROBE_ENTRY;
	path = arena_text(places->arena, file, (size_t)(colon - file));
	if (!path)
		return fail_memory(places->ctx);
	if (*path == '/')
		return add_file(places, path, colon + 1, taker, event);
	if (strcmp(path, "libc") != 0)
		return fail(places->ctx, -EINVAL,
			    "'%s': '%s' is neither a whole path, which begins with '/', "
			    "nor 'libc'",
			    places->text, path);
	for (size_t i = 0; probed && i < probed->files.count; i++) {
		if (!probed->files.v[i].path)
			continue;
		err = add_file(places, probed->files.v[i].path, colon + 1, taker, event);
		if (err < 0 && err != -ENOENT && err != -ENOTSUP)
			return err;
		found += err == 0;
	}
	if (!live_probed_next(probed, NULL))
		return fail(places->ctx, -ENOENT,
			    "'%s': no C library that is known is there in who is to be "
			    "recorded; 'uprobe:FILE:FUNCTION' names a file",
			    places->text);
	if (found)
		places->ctx->error[0] = '\0';
	return found ? 0
		     : fail(places->ctx, -ENOENT,
			    "'%s': there is no function '%s' in the C library of who is "
			    "to be recorded",
			    places->text, colon + 1);
}
