/* tracefs is mounted in a place of its own, or below debugfs, as on old systems. */
#include "input/tracefs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "live/live.h"

enum { FILE_MOST = 1 << 20 };

bool tracefs_point(const struct live_opened *event, struct tracefs_point *ret)
{
	const char *text = event->name, *colon = strchr(text, ':');

	if (event->attr.type != PERF_TYPE_TRACEPOINT || !colon)
		return false;
	*ret = (struct tracefs_point){ .system = text, .name = colon + 1 };
	ret->system_size = (int)(colon - text);
	ret->name_size = (int)strcspn(colon + 1, ":");
	return ret->system_size > 0 && ret->name_size > 0;
}

int tracefs_read(struct context *ctx, const char *below, char **text, size_t *size)
{
	static const char *const mounts[] = { "/sys/kernel/tracing",
					      "/sys/kernel/debug/tracing" };
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts) && err < 0; i++) {
		char path[TRACEFS_PATH + 64];

		snprintf(path, sizeof(path), "%s/events/%s", mounts[i], below);
		err = file_slurp(ctx, path, FILE_MOST, text, size);
	}
	return err;
}

void tracefs_format(const struct tracefs_point *point, char room[TRACEFS_PATH])
{
	snprintf(room, TRACEFS_PATH, "%.*s/%.*s/format", point->system_size,
		 point->system, point->name_size, point->name);
}
