/*
 * Tables of successive times are added up by a merge of two sorted lists: rows that are known, and those
 * of the new table. Self and total are sums over samples, so sums of them, and sums in which what is
 * older counts less, are right for any function.
 *
 *	known    main 90   parse 40          main 10            new
 *	         main 100  parse 40  write 3
 */
#include "cli/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FADES (7.0 / 8)

struct tally_row {
	struct ff_table_row names; /* its own, in one piece of memory at .name */
	double self[TALLY_SPANS], total[TALLY_SPANS];
};

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_names(const struct ff_table_row *a, const struct ff_table_row *b)
{
	int order = compare_text(a->name, b->name);

	if (order == 0)
		order = compare_text(a->module, b->module);
	return order ? order : compare_text(a->function, b->function);
}

static int compare_row_names(const void *a, const void *b)
{
	return compare_names(a, b);
}

/* Copies names behind each other. False without memory. */
static bool copy_names(const struct ff_table_row *from, struct ff_table_row *ret)
{
	const char *texts[] = { from->name, from->module, from->function };
	const char **to[] = { &ret->name, &ret->module, &ret->function };
	size_t size = 0;
	char *at;

	for (int i = 0; i < 3; i++)
		size += texts[i] ? strlen(texts[i]) + 1 : 0;
	at = malloc(size + 1);
	*ret = (struct ff_table_row){ 0 };
	for (int i = 0; at && i < 3; i++) {
		if (!texts[i])
			continue;
		*to[i] = at;
		at = stpcpy(at, texts[i]) + 1;
	}
	return at != NULL;
}

static void count(double *sums, uint64_t now)
{
	sums[TALLY_LATELY] = sums[TALLY_LATELY] * FADES + (double)now;
	sums[TALLY_LAST] = (double)now;
	sums[TALLY_ALL] += (double)now;
}

int tally_add(struct tally *t, const struct ff_table *table)
{
	size_t fresh, used = 0, known = 0;
	struct ff_table_row *rows = table_rows(table, &fresh);
	struct tally_row *merged =
		rows ? calloc(t->count + fresh + 1, sizeof(*merged)) : NULL;
	bool failed = !merged;

	if (!failed)
		qsort(rows, fresh, sizeof(*rows), compare_row_names);
	for (size_t i = 0; !failed && (known < t->count || i < fresh); used++) {
		struct tally_row *row = &merged[used];
		int order = known == t->count ? 1
			    : i == fresh      ? -1
					 : compare_names(&t->rows[known].names, &rows[i]);

		if (order <= 0)
			*row = t->rows[known++];
		else
			failed = !copy_names(&rows[i], &row->names);
		count(row->self, order >= 0 ? rows[i].self : 0);
		count(row->total, order >= 0 ? rows[i].total : 0);
		i += order >= 0;
	}
	free(rows);
	if (failed) {
		/* Which of them are new is what their sums say: they had nothing before. */
		for (size_t i = 0; i < used; i++)
			if (merged[i].total[TALLY_ALL] == merged[i].total[TALLY_LAST])
				free((char *)merged[i].names.name);
		free(merged);
		return -ENOMEM;
	}
	free(t->rows);
	t->rows = merged;
	t->count = used;
	count(t->total, ff_table_total(table));
	return 0;
}

void tally_clear(struct tally *t)
{
	for (size_t i = 0; i < t->count; i++)
		free((char *)t->rows[i].names.name);
	free(t->rows);
	*t = (struct tally){ 0 };
}

/* Rows that weigh the same keep the order of their names. */
static int compare_listed(const void *left, const void *right, void *arg)
{
	const struct ff_table_row *a = left, *b = right;
	const struct listing *l = arg;
	bool by_self = l->order == FF_TABLE_BY_SELF;
	uint64_t first[] = { by_self ? a->self : a->total, by_self ? b->self : b->total };
	uint64_t second[] = { by_self ? a->total : a->self,
			      by_self ? b->total : b->self };

	if (first[0] != first[1])
		return first[0] < first[1] ? 1 : -1;
	if (second[0] != second[1])
		return second[0] < second[1] ? 1 : -1;
	return compare_names(a, b);
}

int tally_list(const struct tally *t, enum tally_span span, const char *filter,
	       struct listing *l)
{
	struct ff_table_row *rows = calloc(t->count + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	l->rows = rows;
	l->count = 0;
	l->total = (uint64_t)(t->total[span] + 0.5);
	for (size_t i = 0; i < t->count; i++) {
		const struct tally_row *from = &t->rows[i];
		struct ff_table_row *row = &rows[l->count];

		*row = from->names;
		row->self = (uint64_t)(from->self[span] + 0.5);
		row->total = (uint64_t)(from->total[span] + 0.5);
		l->count += row->total > 0 &&
			    (strcasestr(row->name, filter) ||
			     (row->module && strcasestr(row->module, filter)) ||
			     (row->function && strcasestr(row->function, filter)));
	}
	qsort_r(rows, l->count, sizeof(*rows), compare_listed, l);
	return 0;
}
