#ifndef INPUT_SAVE_FEATURE_H
#define INPUT_SAVE_FEATURE_H

#include "base/bytes.h"
#include "base/context.h"
#include "input/perf_data.h"

/* A live run has something for these features and those below only. */
enum { FEATURE_END = FEATURE_CLOCK_DATA + 1 };

static inline void bytes_u32(struct bytes *b, uint32_t value)
{
	bytes_add(b, &value, sizeof(value));
}

static inline void bytes_u64(struct bytes *b, uint64_t value)
{
	bytes_add(b, &value, sizeof(value));
}

/* "u32 length; char text[length]", with a NUL and padded to 64 as perf does it. */
void feature_string(struct bytes *to, const char *text);

/* The machine: nothing is added where it does not say. */
void feature_hostname(struct bytes *to);
void feature_osrelease(struct bytes *to);
void feature_arch(struct bytes *to);
void feature_nrcpus(struct bytes *to);
void feature_cpudesc(struct bytes *to);
void feature_total_mem(struct bytes *to);

void feature_cmdline(struct bytes *to, const char *const *words, size_t count);

/* A record of the BUILD_ID feature. */
struct save_object;
void feature_build_id(struct bytes *to, const struct save_object *object);

/*
 * TRACING_DATA, which perf wants for tracepoints: their formats, from tracefs. Nothing where
 * no event is one. What cannot be read is left out, with a warning.
 */
struct live_opened;
void feature_tracing_data(struct context *ctx, const struct live_opened *events,
			  size_t count, struct bytes *to);

#endif
