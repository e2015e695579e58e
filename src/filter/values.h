#ifndef FILTER_VALUES_H
#define FILTER_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/context.h"

/*
 * The values of filters: lists of numbers, and times. Every parser gives 0 or
 * -EINVAL with a sentence that begins with @filter, the whole "KEY=VALUE".
 */
struct number_range {
	uint32_t first, last; /* both are in */
};

struct number_list {
	ARRAY(struct number_range) ranges;
};

/* "1,5-9,20-": -ENOMEM is possible too; release @ret in any case. */
int number_list_parse(struct context *ctx, const char *filter, const char *value,
		      struct number_list *ret);
void number_list_release(struct number_list *list);
bool number_list_has(const struct number_list *list, uint32_t number);

/* "D", "SD": letters of states as ps has them. */
int state_list_parse(struct context *ctx, const char *filter, const char *value,
		     uint32_t *ret);
bool state_list_has(uint32_t list, int64_t state);

/* A point between the first and the last sample. */
struct time_bound {
	enum { BOUND_OPEN, BOUND_NS, BOUND_PERCENT } kind;
	uint64_t value; /* ns from the first sample, or 1e-9 percent */
};

struct time_range {
	struct time_bound start, end; /* the start is in, the end is not, but for 100% */
};

/* "1.5,2", "1.5,", ",2" in seconds; "10%-20%" of the time there is. */
int time_range_parse(struct context *ctx, const char *filter, const char *value,
		     struct time_range *ret);
/* "1ms..", "..2s", "1ms..2s": of an interval. */
int duration_range_parse(struct context *ctx, const char *filter, const char *value,
			 struct time_range *ret);
/* Of a range that has no percentages. */
bool duration_range_has(const struct time_range *range, uint64_t ns);
bool time_range_has(const struct time_range *range, uint64_t time, uint64_t first,
		    uint64_t last);
/* The first of its bounds behind @time, or @last. */
uint64_t time_range_next(const struct time_range *range, uint64_t time, uint64_t first,
			 uint64_t last);

#endif
