#ifndef WEIGHT_EXPRESSION_H
#define WEIGHT_EXPRESSION_H

#include <stdint.h>

#include "base/array.h"
#include "base/context.h"

/*
 * Arithmetic over the fields of events, as presets and users write it:
 *
 *	end.ret - start.ret
 *	blocked(prev_state) && prev_pid != 0
 *
 * Operators and their precedence are those of C, numbers are signed and have 64 bits, wrap, and
 * shift by at most 63; a division by 0 is 0. A name is a slot: whoever evaluates the expression
 * puts a value in each before. Functions: min, max, page_round (up to 4096), blocked and
 * runnable (of the prev_state of sched_switch: include/trace/events/sched.h).
 *
 * The text is hostile: its depth and its length are bounded.
 */
enum {
	EXPRESSION_STEPS_MOST = 128,
	EXPRESSION_STACK_MOST = 32, /* values that wait for their operator */
};

struct expression_step {
	int64_t number; /* or a slot */
	uint8_t what; /* enum expression_what of expression.c */
};

struct expression {
	ARRAY(struct expression_step) steps; /* operands before their operator */
};

/* The slot of a name, or a negative errno with a sentence in the context. */
typedef int expression_name(void *arg, struct context *ctx, const char *name,
			    size_t size);

/* 0, or a negative errno with a sentence that shows where: -EINVAL, or what @find returned. */
int expression_parse(struct context *ctx, const char *text, size_t size,
		     expression_name *find, void *arg, struct expression *ret);
int64_t expression_value(const struct expression *e, const int64_t *slots);
void expression_release(struct expression *e); /* a zeroed one is fine */

static inline bool expression_is_empty(const struct expression *e)
{
	return e->steps.count == 0;
}

#endif
