#ifndef INPUT_FLOW_H
#define INPUT_FLOW_H

#include "input/input.h"
#include "input/stream.h"

/* input.c: a record of what is read once. 1 where it goes out as *@ret, 0 where it does
 * not, or a negative errno. */
int flow_take(struct context *ctx, struct input *in, const struct raw_record *raw,
	      struct flow *ret);

#endif
