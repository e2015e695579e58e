/*
 * Records are appended, and sorted at the end if one came out of order. Time decides,
 * then the position in the file, so it does not matter that qsort(3) is not stable.
 */
#include "order/order.h"

#include <errno.h>

void order_init(struct order *o)
{
	*o = (struct order){ .sorted = true };
}

void order_release(struct order *o)
{
	array_release(&o->records);
	order_init(o);
}

static bool older(const struct record *a, const struct record *b)
{
	return a->time < b->time || (a->time == b->time && a->position < b->position);
}

int order_add(struct order *o, const struct record *rec)
{
	struct record *slot = array_add(&o->records);

	if (!slot)
		return -ENOMEM;
	*slot = *rec;
	if (o->records.count > 1 && older(slot, slot - 1))
		o->sorted = false;
	return 0;
}

static int compare_records(const void *a, const void *b)
{
	return older(a, b) ? -1 : older(b, a);
}

void order_end_input(struct order *o)
{
	if (!o->sorted)
		qsort(o->records.v, o->records.count, sizeof(*o->records.v),
		      compare_records);
	o->sorted = true;
}

int order_next(struct order *o, const struct record **ret)
{
	if (o->next == o->records.count)
		return 0;
	*ret = &o->records.v[o->next++];
	return 1;
}
