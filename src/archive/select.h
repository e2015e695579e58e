#ifndef ARCHIVE_SELECT_H
#define ARCHIVE_SELECT_H

#include "archive/parts.h"

/* Temporary tables of a connection: temp.chosen(file) is what was asked for last. */
int select_open(struct ff_archive *a);
/* Keys in temp.wanted(key, value), and nothing else. */
int select_want(struct ff_archive *a, const char *const *keys, size_t count);
int select_files(struct ff_archive *a, const struct ff_archive_query *q);

/* Each of what was chosen, in order of time. */
int select_each(struct ff_archive *a, ff_archive_each *each, void *arg);

/* Parts that hold what was chosen; @whole of which nothing else is. */
int select_parts(struct ff_archive *a, bool whole, part_list *ret);

/* "build=42 dc=north", in order; borrowed until the next call. */
struct text;
int select_labels(struct ff_archive *a, int64_t file, struct text *ret,
		  struct text *list);

/* The names of levels, "hour". */
const char *level_name(int64_t level);

#endif
