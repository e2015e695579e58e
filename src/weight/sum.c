/*
 * What was read is either kept or lost for one reason, so kept and lost add up to it,
 * which can be asked of any sum. Sums of workers and inputs are added up.
 */
#include "weight/weight.h"

#include <errno.h>

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

int weight_charge_summed(struct weight_sum *sum, struct trie *trie, uint32_t node,
			 const struct weight_summed *summed)
{
	uint64_t samples = summed->samples ? summed->samples : 1;

	if (trie_charge(trie, node, COLUMN_WEIGHT, summed->weight) < 0 ||
	    (summed->samples &&
	     trie_charge(trie, node, COLUMN_SAMPLES, summed->samples) < 0) ||
	    (summed->has_before &&
	     trie_charge(trie, node, COLUMN_BEFORE, summed->before) < 0))
		return -ENOMEM;
	weight_sum_count(sum, summed->weight, samples);
	weight_sum_before(sum, summed->before);
	sum->kept += summed->weight;
	sum->cut += summed->cut ? summed->weight : 0;
	sum->samples_kept += samples;
	return 0;
}

void weight_filter_out(struct weight_sum *sum, struct trie *trie, uint32_t node)
{
	uint64_t weight = trie_take(trie, node, COLUMN_WEIGHT);

	sum->kept -= weight;
	sum->lost[LOST_FILTER] += weight;
	sum->samples_kept -= trie_take(trie, node, COLUMN_SAMPLES);
	sum->samples_kept -= trie_take(trie, node, COLUMN_LINES);
}

bool weight_sum_conserved(const struct weight_sum *sum)
{
	uint64_t all = sum->kept;

	for (int i = 0; i < LOST_REASONS; i++)
		all += sum->lost[i];
	return all == sum->read;
}
