/*
 * Ranges are written out number by number, then sorted and made unique: so a question is
 * a bisection, and the order and overlaps of the text do not matter. What is written out
 * is bounded, so that a list of many wide ranges is refused and not made.
 *
 *	"2-4,0,3"  ->  0 2 3 4  ->  "0,2-4"
 */
#include "live/events/id_list.h"

#include <ctype.h>

static int compare_numbers(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Digits only: strtol() would take blanks and signs, too. */
static bool read_digits(const char **p, int most, int *ret)
{
	const char *start = *p;
	long value = 0;

	for (; isdigit((unsigned char)**p); ++*p) {
		value = value * 10 + (**p - '0');
		if (value > most)
			return false;
	}
	*ret = (int)value;
	return *p > start;
}

int id_list_parse(const char *text, int most, struct id_list *ret)
{
	struct id_list list = { 0 };
	size_t kept = 0;
	int err = -EINVAL;

	for (const char *p = text;; p++) {
		int first, last;

		if (!read_digits(&p, most, &first))
			goto out;
		last = first;
		if (*p == '-') {
			p++;
			if (!read_digits(&p, most, &last) || last < first)
				goto out;
		}
		/* The same range a thousand times is no list of so many. */
		if (list.count > 4 * (size_t)ID_CPU_MOST)
			goto out;
		for (int i = first; i <= last; i++) {
			int *item = array_add(&list);

			if (!item) {
				err = -ENOMEM;
				goto out;
			}
			*item = i;
		}
		if (*p == '\0')
			break;
		if (*p != ',')
			goto out;
	}
	qsort(list.v, list.count, sizeof(*list.v), compare_numbers);
	for (size_t i = 0; i < list.count; i++)
		if (i == 0 || list.v[i] != list.v[i - 1])
			list.v[kept++] = list.v[i];
	list.count = kept;
	*ret = list;
	list = (struct id_list){ 0 };
	err = 0;
out:
	array_release(&list);
	return err;
}

bool id_list_has(const struct id_list *list, int number)
{
	return list->count && bsearch(&number, list->v, list->count, sizeof(*list->v),
				      compare_numbers) != NULL;
}

void id_list_print(const struct id_list *list, struct text *ret)
{
	for (size_t i = 0, last; i < list->count; i = last + 1) {
		for (last = i;
		     last + 1 < list->count && list->v[last + 1] == list->v[last] + 1;)
			last++;
		text_printf(ret, "%s%d", i ? "," : "", list->v[i]);
		if (last > i)
			text_printf(ret, "-%d", list->v[last]);
	}
}
