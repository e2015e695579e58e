#ifndef INPUT_FOLDED_H
#define INPUT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

struct input;

/* One line of folded text: "a;b;c 12" or, differential, "a;b;c 10 12". */
struct folded_line {
	const char *stack; /* until the next call */
	size_t size;
	uint64_t before, weight; /* in units of 10^-decimals */
	bool has_before;
};

/* How many decimals the counts of the text need, 0 to 6. */
unsigned folded_decimals(const struct input *in);

/* Lines with a count that were there when the text was opened and are not any more, when all
 * has been handed out. *@changed: it is not the same text. */
uint64_t folded_lines_missing(const struct input *in, bool *changed);

/* 1, 0 at the end, or a negative errno. Lines without a count are passed over and
 * counted in *@ignored. */
int folded_next(struct context *ctx, struct input *in, struct folded_line *ret,
		uint64_t *ignored);

#endif
