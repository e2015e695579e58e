#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/columns.h"

/* Rows of a table, the heaviest first, and what is shown of them. */
struct listing {
	const struct ff_table_row *rows; /* names of whoever made them */
	size_t count;
	uint64_t total; /* what 100 % are */
	enum ff_table_by by;
	enum ff_table_order order;
	double least; /* percent: no rows with less */
	size_t first, most; /* rows before and of those that are shown */
};

/* All rows of a table, borrowed as ff_table_row() has them, the array to be freed; NULL: no memory. */
struct ff_table_row *table_rows(const struct ff_table *t, size_t *count);

/* What a row is called: "function". */
const char *listing_word(enum ff_table_by by);

/* How many rows have --min or more; as they are sorted, these are the first ones. */
size_t listing_shown(const struct listing *l);

/* A line of headings and one for each row that is shown; a whole bar is the largest row's. */
void listing_put(const struct listing *l, const struct page *page);

/* What the rows that are not shown have themselves. */
uint64_t listing_hidden(const struct listing *l, size_t *count);

/* All of it in a format of top: text, json or csv. With @most of 0 as many rows as that has. */
void listing_write(struct listing *l, const char *format, const struct page *page);

#endif
