#ifndef INPUT_STREAM_ITEM_H
#define INPUT_STREAM_ITEM_H

#include "input/input.h"
#include "input/stream.h"

/* input.c: a record of what is read once. 1 where it goes out as *@ret, 0 where it does
 * not, or a negative errno. */
int stream_item_take(struct context *ctx, struct input *in, const struct raw_record *raw,
		     struct stream_item *ret);

#endif
