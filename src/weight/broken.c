/*
 * What two events say together is only known if none between them was lost, on any processor: a thread may have
 * run on any.
 */
#include "weight/charge.h"

bool weight_is_broken(const struct recording *rec, const struct deferred_queue *q,
		      uint64_t from, uint64_t until)
{
	size_t low = 0, high = rec->losses.count;
	bool lost;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rec->losses.v[middle].to > from)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < rec->losses.count)
		lost = rec->losses.v[low].from < until;
	else
		/* Behind the last one that there was room for they are not told apart. */
		lost = rec->losses_end > from &&
		       until >= rec->losses.v[rec->losses.count - 1].to;
	return lost || deferred_queue_has_gap(q, from, until);
}
