#ifndef INPUT_UNPACKING_H
#define INPUT_UNPACKING_H

#include "base/file.h"

/*
 * What compressed records hold: one zstd stream a record stream, which goes on from one
 * COMPRESSED record to the next. A piece of it is unpacked at a time.
 */
struct unpacking;

/* @window: of the file; it outlives the unpacking. 0, or -ENOMEM. */
int unpacking_new(struct window *window, struct unpacking **ret);
void unpacking_free(struct unpacking *u); /* NULL is fine */

/* Begins a new stream. */
void unpacking_reset(struct unpacking *u);

/* The bytes of the next record's payload, from @start to @end in the file. */
void unpacking_feed(struct unpacking *u, uint64_t start, uint64_t end);

/*
 * At least @size unpacked bytes, borrowed until the next call; fewer, *@got, where the
 * input does not give them. -EBADMSG: the input is damaged.
 */
int unpacking_peek(struct context *ctx, struct unpacking *u, size_t size,
		   const uint8_t **ret, size_t *got);
void unpacking_take(struct unpacking *u, size_t size);

#endif
