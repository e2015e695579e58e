/*
 * What was read is either kept or lost for one reason, so kept and lost add up to it,
 * which can be asked of any sum. Sums of workers and inputs are added up.
 */
#include "weight/weight.h"

void weight_sum_add(struct weight_sum *to, const struct weight_sum *from)
{
	weight_sum_count(to, from->read, from->samples_read);
	weight_sum_before(to, from->before);
	weight_sum_further(to, from->further);
	/* All others are parts of read: as long as that has not overflowed, nor have they. */
	to->overflow |= from->overflow;
	to->kept += from->kept;
	to->cut += from->cut;
	for (int i = 0; i < LOST_REASONS; i++)
		to->lost[i] += from->lost[i];
	to->samples_kept += from->samples_kept;
}

bool weight_sum_conserved(const struct weight_sum *sum)
{
	uint64_t all = sum->kept;

	for (int i = 0; i < LOST_REASONS; i++)
		all += sum->lost[i];
	return all == sum->read;
}
