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
static int add_probe_of_file(const struct event_lookup *lookup, const char *path,
			     const char *function, const struct uprobe_taker *taker,
			     struct live_event *event)
{
	char *end;
	uint64_t offset = strtoull(function, &end, 0);
	bool is_offset = function[0] >= '0' && function[0] <= '9' && !*end;
	struct object object;
	int err = 0;

	object_prepare();
	if (!is_offset)
		err = object_open(lookup->ctx, path, &object);
	if (err < 0)
		return err == -ENOMEM ? err : -ENOENT;
	if (!is_offset) {
		err = probe_offset_find(&object, function, &offset);
		object_close(&object);
	}
	if (err == -ENOTSUP)
		return fail(lookup->ctx, err,
			    "'%s': which of several functions '%s' is in %s is chosen "
			    "when a program starts: name one of these",
			    lookup->text, function, path);
	if (err < 0)
		return fail(lookup->ctx, err, "'%s': there is no function '%s' in %s",
			    lookup->text, function, path);
	event->attr.config1 = (uintptr_t)path;
	event->attr.config2 = offset;
	return taker->take(taker->arg);
}

int event_uprobe_find(const struct event_lookup *lookup, struct live_event *event,
		      const struct uprobe_taker *taker)
{
	const struct text_part pmu = { "uprobe", strlen("uprobe") };
	bool returns = strncmp(lookup->text, back, strlen(back)) == 0;
	const char *file = strchr(lookup->text, ':') + 1, *colon = strrchr(file, ':');
	const struct live_probed *probed = lookup->probed;
	struct text_part terms = { "retprobe", returns ? strlen("retprobe") : 0 };
	const char *path;
	size_t found = 0;
	int err;

	if (!colon || colon == file || !colon[1])
		return fail(lookup->ctx, -EINVAL, "'%s': it is '%sFILE:FUNCTION'",
			    lookup->text, returns ? back : entry);
	if (!event_pmu_exists(lookup, pmu))
		return fail(lookup->ctx, -ENOENT,
			    "'%s': this kernel has no probes on functions of programs "
			    "(CONFIG_UPROBE_EVENTS)",
			    lookup->text);
	err = event_pmu_set(lookup, pmu, terms, event);
	if (err < 0)
		return err;
	event->probe = returns ? PROBE_RETURN : PROBE_ENTRY;
	path = arena_text(lookup->arena, file, (size_t)(colon - file));
	if (!path)
		return fail_memory(lookup->ctx);
	if (*path == '/')
		return add_probe_of_file(lookup, path, colon + 1, taker, event);
	if (strcmp(path, "libc") != 0)
		return fail(lookup->ctx, -EINVAL,
			    "'%s': '%s' is neither a whole path, which begins with '/', "
			    "nor 'libc'",
			    lookup->text, path);
	for (size_t i = 0; probed && i < probed->files.count; i++) {
		if (!probed->files.v[i].path)
			continue;
		err = add_probe_of_file(lookup, probed->files.v[i].path, colon + 1, taker,
					event);
		if (err < 0 && err != -ENOENT && err != -ENOTSUP)
			return err;
		found += err == 0;
	}
	if (!live_probed_next(probed, NULL))
		return fail(lookup->ctx, -ENOENT,
			    "'%s': no C library that is known is there in who is to be "
			    "recorded; 'uprobe:FILE:FUNCTION' names a file",
			    lookup->text);
	if (found)
		lookup->ctx->error[0] = '\0';
	return found ? 0
		     : fail(lookup->ctx, -ENOENT,
			    "'%s': there is no function '%s' in the C library of who is "
			    "to be recorded",
			    lookup->text, colon + 1);
}
