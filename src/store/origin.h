#ifndef STORE_ORIGIN_H
#define STORE_ORIGIN_H

#include <nettle/sha2.h>

#include "base/intern.h"
#include "store/sink.h"
#include "store/source.h"

/*
 * Where the samples of a profile file come from: what was read, what the user calls it, and what is
 * known of it beside the tree. Texts are string ids.
 */
struct store_input {
	uint8_t hash[SHA256_DIGEST_SIZE]; /* of its bytes */
	uint32_t name; /* of the file, without its directory */
	uint32_t host, kernel; /* as uname -n and -r say it; 0: not known */
	uint64_t recorded; /* seconds since 1970; 0: not known */
	uint64_t times; /* it was added */
};

struct store_label {
	uint32_t key, value;
};

enum store_count {
	COUNT_LOST, /* samples that the kernel dropped, as far as it said so */
	COUNT_TRUNCATED, /* samples in the tree whose stack was cut */
	COUNT_DURATION, /* ns from the first sample to the last one, of all inputs */
	STORE_COUNTS,
};

struct store_origin {
	/* All that were read; as many as the list has, or more: it may have been dropped. */
	uint64_t input_count;
	ARRAY(struct store_input) inputs; /* by hash */
	ARRAY(struct store_label) labels;
	uint64_t counts[STORE_COUNTS];
	bool has_heat; /* a file that was read says when it was */
	struct claim claim; /* of the budget it was read with */
};

void store_origin_release(struct store_origin *o);

/* Sections up to the labels and counts. @ret is zeroed, and to be released. Its rows are claimed of
 * ctx->budget as long as it is there, its texts for good. */
int store_origin_read(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u, struct intern *strings,
		      struct store_origin *ret);
/* The same sections are passed over. */
int store_origin_skip(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u);

/* What is in @from is in @to, too: 0, -ENOMEM, or -EOVERFLOW. */
int store_origin_add(struct store_origin *to, const struct store_origin *from);

/* Sorts it: what is alike has become one. */
void store_origin_sort(struct store_origin *o, const struct intern *strings);
void store_origin_write(struct store_sink *sink, const struct store_origin *o,
			const struct intern *strings);

#endif
