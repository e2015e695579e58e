#ifndef STORE_SINK_H
#define STORE_SINK_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/context.h"
#include "store/format.h"

/*
 * Where sections go: zstd frames that follow each other, each with its size and no more than a
 * piece or a block of nodes in it, so that a reader can unpack one at a time and needs no window.
 * Failure is sticky.
 */
struct ZSTD_CCtx_s; /* of libzstd */
struct store_sink {
	FILE *out;
	struct bytes pending; /* not packed yet */
	struct bytes
		section; /* the payload of the section at hand, for whoever makes it */
	struct bytes packed;
	struct ZSTD_CCtx_s *packer; /* NULL: nothing is packed */
	int err;
};

/* 0, or -ENOMEM. Writes the header. @flags: of enum store_flag. */
int store_sink_init(struct store_sink *s, FILE *out, bool plain, unsigned flags);
void store_sink_release(struct store_sink *s); /* a zeroed one is fine */

/* What is in .section becomes one, and is empty then. */
void store_sink_end_section(struct store_sink *s, enum store_section id);
/* All so far, packed. */
void store_sink_flush(struct store_sink *s);

#endif
