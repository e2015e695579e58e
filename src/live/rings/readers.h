#ifndef LIVE_RINGS_READERS_H
#define LIVE_RINGS_READERS_H

#include "live/rings/rings.h"

/*
 * Machines with many processors: threads that empty the rings while their records are used
 * elsewhere, each those of a group. A pass takes what they have and what is left:
 *
 *	rings 0-15    reader 0   copies    |S S M S C|  -->  pass: S S M S C | S C S
 *	rings 16-31   reader 1   copies    |S C S|
 */
struct readers;

/* @count of them, for @rings, which outlives them. They do not run yet. */
int readers_new(struct context *ctx, struct rings *rings, size_t count,
		struct readers **ret);

/* Their threads run. While they do not, nothing of what they have is lost, and the rings
 * may be mapped anew. */
int readers_resume(struct context *ctx, struct readers *r);
void readers_pause(struct readers *r);

/* As rings_next(), which must not be called meanwhile. -ENOMEM, without a sentence. */
int readers_next(struct readers *r, const uint8_t **ret, uint32_t *size);

void readers_free(struct readers *r); /* NULL is fine */

#endif
