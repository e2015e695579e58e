#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include "cli/listing.h"

/* What is shown of a table that is made again and again. */
enum tally_span {
	TALLY_LATELY, /* each time what was there before counts 7/8, as in perf top */
	TALLY_LAST, /* of the last time alone */
	TALLY_ALL, /* since it began, or since tally_clear() */
};
enum { TALLY_SPANS = TALLY_ALL + 1 };

/* A table's rows in the order of their names, with what each has had in every span. */
struct tally {
	struct tally_row *rows;
	size_t count;
	double total[TALLY_SPANS];
};

/* Takes the table of the time since the last call. -ENOMEM: nothing of it is taken. */
int tally_add(struct tally *t, const struct ff_table *table);
void tally_clear(struct tally *t); /* no row, no total; a zeroed one is fine */

/*
 * The rows of a span, sorted by @l->order and with @l->by as it is, those alone whose name, module or
 * function has @filter in it, in any case; "": all. Names are the tally's until it is next changed,
 * the array is to be freed; @l->total is of all rows. -ENOMEM.
 */
int tally_list(const struct tally *t, enum tally_span span, const char *filter,
	       struct listing *l);

#endif
