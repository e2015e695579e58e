#ifndef INPUT_TRACEFS_H
#define INPUT_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

struct live_opened;

/* What this kernel says of its tracepoints. */

/* One: the first two words of an event's name, "SYSTEM:NAME[:modifiers]". */
struct tracefs_point {
	const char *system, *name;
	int system_size, name_size;
};

/* False for an event that is none. */
bool tracefs_point(const struct live_opened *event, struct tracefs_point *ret);

/* The file @below events/, to be freed; where it cannot be read the context has the sentence. */
int tracefs_read(struct context *ctx, const char *below, char **text, size_t *size);

/* And which one is the format of a tracepoint. */
enum { TRACEFS_PATH = 400 };
void tracefs_format(const struct tracefs_point *point, char room[TRACEFS_PATH]);

#endif
