/*
 * Numbers have 32 bits, and a text that does not fit is refused, never cut. Lists are a
 * few ranges as they were written, overlapping or not, and are gone through.
 */
#include <errno.h>
#include <string.h>

#include "filter/values.h"

/* A part of a filter's value, which has no NUL behind it. */
struct value_word {
	const char *text;
	size_t size;
};

/* Digits only: no sign, no blank, no "0x". */
static bool parse_u32(struct value_word w, uint32_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < w.size; i++) {
		if (w.text[i] < '0' || w.text[i] > '9')
			return false;
		/* No overflow: the value was at most UINT32_MAX before this step. */
		value = value * 10 + (uint64_t)(w.text[i] - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*ret = (uint32_t)value;
	return w.size > 0;
}

/* "5", "5-9" or "5-". */
static bool parse_range(struct value_word w, struct number_range *ret)
{
	const char *dash = memchr(w.text, '-', w.size);
	struct value_word last;

	if (!dash) {
		if (!parse_u32(w, &ret->first))
			return false;
		ret->last = ret->first;
		return true;
	}
	last.text = dash + 1;
	last.size = w.size - (size_t)(last.text - w.text);
	w.size = (size_t)(dash - w.text);
	/* "5-" has no end of its own. */
	ret->last = UINT32_MAX;
	return parse_u32(w, &ret->first) && (!last.size || parse_u32(last, &ret->last));
}

int number_list_parse(struct context *ctx, const char *filter, const char *value,
		      struct number_list *ret)
{
	for (const char *p = value;; p++) {
		struct value_word w = { p, strcspn(p, ",") };
		struct number_range range, *added;

		/* An empty word, as in "1,,2", is no number either. */
		if (!parse_range(w, &range))
			return fail(ctx, -EINVAL, "filter '%s': '%.*s' is not a number",
				    filter, (int)w.size, w.text);
		if (range.first > range.last)
			return fail(ctx, -EINVAL, "filter '%s': '%.*s' runs backwards",
				    filter, (int)w.size, w.text);
		added = array_add(&ret->ranges);
		if (!added)
			return fail_memory(ctx);
		*added = range;
		p += w.size;
		if (!*p)
			return 0;
	}
}

void number_list_release(struct number_list *list)
{
	array_release(&list->ranges);
}

bool number_list_has(const struct number_list *list, uint32_t number)
{
	for (size_t i = 0; i < list->ranges.count; i++) {
		const struct number_range *r = &list->ranges.v[i];

		if (number >= r->first && number <= r->last)
			return true;
	}
	return false;
}

/* As the kernel prints them, by their bit (fs/proc/array.c); R has none. */
static const char state_letters[] = "SDTtXZPIR";
enum { STATE_BITS = 0xff, STATE_RUNNING = 1 << 8 };

int state_list_parse(struct context *ctx, const char *filter, const char *value,
		     uint32_t *ret)
{
	for (*ret = 0; *value; value++) {
		const char *letter = strchr(state_letters, *value);

		if (!letter)
			return fail(ctx, -EINVAL,
				    "filter '%s': '%c' is not a state: R, S, D, T, t, X, "
				    "Z, P and I are",
				    filter, *value);
		*ret |= 1u << (letter - state_letters);
	}
	return 0;
}

bool state_list_has(uint32_t list, int64_t state)
{
	uint32_t bits = (uint32_t)state & STATE_BITS;

	return list & (bits ? bits : STATE_RUNNING);
}
