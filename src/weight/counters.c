/*
 * A counter that is read with a sample is a running total: the sample's weight is what
 * was added since it was read before, in time order. Workers read chunks in any order,
 * so reads are kept, sorted and settled together; last values stay for reads that are
 * settled later. This is how perf delivers them (deliver_sample_value() in
 * tools/perf/util/session.c), and like perf a sample for which nothing was added is
 * none.
 */
#include <errno.h>

#include "weight/weight.h"

enum {
	SOME = 1024, /* reads */
	READ_MEMORY = 3 * sizeof(struct counter_read), /* with room, and sorted */
};

bool counter_reads_allow(struct counter_reads *reads, struct budget *budget)
{
	if (reads->list.count < reads->allowed)
		return true;
	if (!claim_add_part(&reads->claim, budget, BUDGET_STACKS, SOME * READ_MEMORY))
		return false;
	reads->allowed += SOME;
	return true;
}

void counter_reads_take_claim(struct counter_reads *reads, struct counter_reads *from)
{
	claim_join(&reads->claim, &from->claim);
	reads->allowed += from->allowed;
	from->allowed = 0;
}

static int by_time(const void *a, const void *b)
{
	const struct counter_read *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* A counter is its event's on a processor, or, where it is inherited, a thread's. */
static uint64_t key_of(const struct counter_read *read)
{
	return hash_u64(read->id) + read->tid;
}

/* What was counted since it was read the last time; one that went back began again. */
static int count(struct counter_reads *reads, const struct counter_read *read,
		 uint64_t *ret)
{
	uint64_t key = key_of(read), before = 0;
	const uint32_t *index = hash_map_get(&reads->by_key, key);
	uint64_t *last;

	if (index) {
		last = &reads->last.v[*index];
		before = *last;
	} else {
		if (!array_reserve(&reads->last, 1) ||
		    !hash_map_set(&reads->by_key, key, (uint32_t)reads->last.count))
			return -ENOMEM;
		last = array_add(&reads->last);
	}
	*last = read->value;
	*ret = read->value < before ? read->value : read->value - before;
	return 0;
}

int counter_reads_deliver(struct counter_reads *reads, size_t event, uint64_t samples)
{
	while (reads->delivered.count <= event)
		if (!array_add(&reads->delivered))
			return -ENOMEM;
	reads->delivered.v[event] += samples;
	return 0;
}

static int charge(const struct counter_read *read, uint64_t weight, struct trie *trie,
		  struct weight_sum *sum)
{
	if (weight >= WEIGHT_IMPOSSIBLE) {
		weight_sum_damaged(sum, 1);
		return 0;
	}
	weight_sum_count(sum, weight, 1);
	if (read->lost) {
		sum->lost[read->lost - 1] += weight;
		return 0;
	}
	sum->kept += weight;
	sum->samples_kept++;
	if (trie_charge(trie, read->node, COLUMN_WEIGHT, weight) < 0)
		return -ENOMEM;
	return trie_charge(trie, read->node, COLUMN_SAMPLES, 1);
}

int counter_reads_settle(struct counter_reads *reads,
			 const struct weight_options *options, struct trie *trie,
			 struct sample_log *log, struct weight_sum *sum)
{
	int err = 0;

	if (reads->list.count)
		qsort(reads->list.v, reads->list.count, sizeof(*reads->list.v), by_time);
	for (size_t i = 0; i < reads->list.count && err == 0; i++) {
		const struct counter_read *read = &reads->list.v[i];
		uint64_t weight;

		err = count(reads, read, &weight);
		/* perf delivers no sample of a counter that stood still. */
		if (err < 0 || !weight)
			continue;
		if (options->count_samples || read->as_one)
			weight = 1;
		if (read->event >= 0)
			err = counter_reads_deliver(reads, (size_t)read->event, 1);
		if (err == 0)
			err = charge(read, weight, trie, sum);
		if (read->kept && weight < WEIGHT_IMPOSSIBLE)
			log->list.v[read->kept - 1].weight = weight;
	}
	reads->list.count = 0;
	return err;
}

void counter_reads_release(struct counter_reads *reads)
{
	array_release(&reads->list);
	array_release(&reads->last);
	array_release(&reads->delivered);
	hash_map_release(&reads->by_key);
	claim_release(&reads->claim);
	reads->allowed = 0;
}
