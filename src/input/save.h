#ifndef INPUT_SAVE_H
#define INPUT_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

/*
 * What a live run gave -> a perf.data that perf reads. Records come here in time order, when
 * the round they are of is delivered.
 *
 *	header | ids | attrs | records | FINISHED_ROUND | records ... | features
 *
 * They go to the file once a second at the latest. The header is written first as of a file
 * whose end is not known, and again at the end: what was killed is an unfinished file, and
 * whole as far as it goes. Memory: a buffer of 256 KiB, twice that where it is compressed.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 */
struct save;
struct live_opened;

/* What samples hold of the user's stack. */
enum save_stacks {
	SAVE_RECORDED, /* what the kernel wrote */
	SAVE_CALLERS, /* the leaf fix: without the user's registers and stack */
	/* Chain and copy: the stack that was made of them, as a chain; or where it has no root the
	 * copy alone. perf would print the user's part twice of both. */
	SAVE_UNWOUND,
};

/* What was found of a sample's. */
struct save_found {
	uint64_t
		caller; /* SAVE_CALLERS: goes behind the leaf of the user's chain; 0: nothing */
	bool cut; /* takes the place of its last address, for the chain is at its limit */
	const uint64_t
		*user; /* SAVE_UNWOUND: the user's chain, with its markers; NULL: none */
	size_t user_count;
	bool keeps_registers; /* save_sample() knows: they are values of a probe's */
};

struct save_options {
	const char *path;
	int level; /* of zstd, 1 to 22; 0: not compressed */
	const char *const *command; /* command line of the recorder */
	size_t command_count;
	const char *recorder; /* its version: "flamefold 1.0" */
	enum save_stacks stacks;
	bool goes_on; /* another file may follow */
	struct save *before; /* the one before, finished; NULL: this is the first */
};

/*
 * The events must live as long as the save does; the options need not. A file that is there
 * becomes PATH.old, as perf does it, unless it is empty. -ESPIPE for a pipe: what stands at
 * the beginning is known at the end. Other errors are those of open(2). What the file before has
 * told of processes this one tells as well.
 */
int save_open(struct context *ctx, const struct live_opened *events, size_t count,
	      const struct save_options *options, struct save **ret);

/*
 * Once writing has failed, all that follows fails with the same error and sentence, and the
 * file stays unfinished.
 */

/* A record that is no sample, as the kernel made it. */
int save_record(struct context *ctx, struct save *s, const uint8_t *bytes, uint32_t size);

/* A sample. But for SAVE_RECORDED one that does not hold what its event says is left out. */
int save_sample(struct context *ctx, struct save *s, const uint8_t *bytes, uint32_t size,
		const struct save_found *found);

/* Threads that were asked for, of all on whose processors events are open. At most so many at a time. */
enum { SAVE_THREADS_MOST = 1024 };
int save_threads(struct context *ctx, struct save *s, const uint32_t *tids, size_t count,
		 uint16_t misc);

/* The events have more ids than before. */
int save_add_ids(struct context *ctx, struct save *s);

/* All records that come now are newer than those before the last call but one. */
int save_end_round(struct context *ctx, struct save *s);

/* An object that samples hit, for the BUILD_ID feature. */
struct save_object {
	const char *path;
	uint8_t mode; /* MODE_KERNEL: the kernel and its modules, MODE_USER: what users run */
	unsigned size; /* of its build id: 1 to 20 */
	const uint8_t *id;
};
int save_build_id(struct context *ctx, struct save *s, const struct save_object *object);

/* Writes the features and the header. */
int save_finish(struct context *ctx, struct save *s);
void save_free(struct save *s); /* closes without finishing; NULL is fine */

#endif
