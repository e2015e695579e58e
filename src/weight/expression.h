#ifndef WEIGHT_EXPRESSION_H
#define WEIGHT_EXPRESSION_H

#include <stdint.h>

#include "base/array.h"
#include "base/context.h"
#include "weight/rule.h"

/*
 * Arithmetic over the fields of events, as presets and users write it:
 *
 *	end.ret - start.ret
 *	blocked(prev_state) && prev_pid != 0
 *	rwbs != 'FF'
 *
 * Operators and their precedence are those of C, numbers are signed and have 64 bits, wrap, and
 * shift by at most 63; a division by 0 is 0. A name is a slot: whoever evaluates the expression
 * puts a value in each before. Functions: min, max, page_round (up to 4096), blocked and
 * runnable (of the prev_state of sched_switch: include/trace/events/sched.h). A text between ' '
 * has 1 to 8 characters, as one in C has, and is only compared with a name whose value is a text:
 * of that as many count.
 *
 * The text is hostile: its depth and its length are bounded.
 */
enum {
	EXPRESSION_STEPS_MOST = 128,
	EXPRESSION_STACK_MOST = 32, /* values that wait for their operator */
};

enum expression_what {
	STEP_SLOT,
	STEP_NUMBER,
	STEP_NEGATE,
	STEP_NOT,
	STEP_INVERT,
	STEP_PAGE_ROUND,
	STEP_BLOCKED,
	STEP_RUNNABLE,
	STEP_TWO, /* from here on they take two values */
	STEP_OR = STEP_TWO,
	STEP_AND,
	STEP_BIT_OR,
	STEP_BIT_XOR,
	STEP_BIT_AND,
	STEP_EQUAL,
	STEP_UNEQUAL,
	STEP_LESS,
	STEP_LESS_EQUAL,
	STEP_GREATER,
	STEP_GREATER_EQUAL,
	STEP_LEFT,
	STEP_RIGHT,
	STEP_ADD,
	STEP_SUBTRACT,
	STEP_MULTIPLY,
	STEP_DIVIDE,
	STEP_REST,
	STEP_MIN,
	STEP_MAX,
};

struct expression_step {
	int64_t number; /* or a slot */
	uint8_t what; /* enum expression_what */
};

struct expression {
	ARRAY(struct expression_step) steps; /* operands before their operator */
};

/* What a name's value is. */
enum expression_kind {
	VALUE_NUMBER = 0 << 16,
	VALUE_TEXT = 1 << 16, /* expression_text() */
	VALUE_ANY = 2 << 16, /* it is not known yet */
	VALUE_KINDS = 3 << 16,
};
enum { EXPRESSION_TEXT_MOST = 8 };

/* A text as a number, by which it is compared: up to its NUL. */
static inline int64_t expression_text(const char *text, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size && i < EXPRESSION_TEXT_MOST && text[i]; i++)
		value |= (uint64_t)(unsigned char)text[i] << 8 * i;
	return (int64_t)value;
}

/* The slot of a name, and its kind, or a negative errno with a sentence in the context. */
typedef int expression_name(void *arg, struct context *ctx, const char *name,
			    size_t size);

/* 0, or a negative errno with a sentence that shows where: -EINVAL, or what @find returned. */
int expression_parse(struct context *ctx, struct slice text, expression_name *find,
		     void *arg, struct expression *ret);
/* Of steps that are several: use expression_value(). */
int64_t expression_evaluate(const struct expression *e, const int64_t *slots);
void expression_release(struct expression *e); /* a zeroed one is fine */

static inline bool expression_is_empty(const struct expression *e)
{
	return e->steps.count == 0;
}

/* Most are just a name, and all events ask for the values of some. */
static inline int64_t expression_value(const struct expression *e, const int64_t *slots)
{
	if (e->steps.count == 1 && e->steps.v[0].what == STEP_SLOT)
		return slots[e->steps.v[0].number];
	return expression_evaluate(e, slots);
}

#endif
