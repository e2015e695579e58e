#ifndef INPUT_SAVE_FEATURE_H
#define INPUT_SAVE_FEATURE_H

#include "base/bytes.h"
#include "live/live.h"

/* Sections of the header that follow the data, by the number of their bit: only those that
 * a live run has something for (perf.data-file-format.txt). */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_END, /* above all of these */
};

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
void feature_build_id(struct bytes *to, const char *path, unsigned mode,
		      const uint8_t *id, unsigned size);

/*
 * TRACING_DATA, which perf wants for tracepoints: their formats, from tracefs. Nothing where
 * no event is one. What cannot be read is left out, with a warning.
 */
void feature_tracing_data(struct context *ctx, const struct live_opened *events,
			  size_t count, struct bytes *to);

#endif
