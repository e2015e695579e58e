#ifndef LIVE_EVENTS_PROBED_H
#define LIVE_EVENTS_PROBED_H

#include <sys/stat.h>

#include "base/arena.h"
#include "live/live.h"

/* The files that functions of the C library are in, for those who were asked for. */
struct probed_file {
	dev_t dev;
	ino_t ino;
	const char *path; /* in the arena; NULL: it was looked at, and is of no use */
};

struct live_probed {
	struct arena arena;
	ARRAY(struct probed_file) files;
};

#endif
