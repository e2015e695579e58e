/*
 * Samples that are kept. Each worker has a log of its own, with nodes of its own trie; when
 * tries are merged logs are, too.
 */
#include <errno.h>

#include "weight/weight.h"

enum {
	SOME = 1024, /* samples */
	SAMPLE_MEMORY = 3 * sizeof(struct kept_sample), /* with room, and sorted */
};

bool sample_log_allows(struct sample_log *log, struct budget *budget)
{
	if (log->list.count < log->allowed)
		return true;
	if (!claim_add_part(&log->claim, budget, BUDGET_STACKS, SOME * SAMPLE_MEMORY))
		return false;
	log->allowed += SOME;
	return true;
}

int sample_log_merge(struct sample_log *log, struct sample_log *from,
		     const uint32_t *node_map)
{
	struct kept_sample *to;

	if (from->list.count == 0)
		return 0;
	if (!array_reserve(&log->list, from->list.count))
		return -ENOMEM;
	claim_join(&log->claim, &from->claim);
	log->allowed += from->allowed;
	from->allowed = 0;
	/* In one piece and in order behind those that are there: deferred_queue_merge()
	 * adds their count to each deferred_event.kept. */
	to = log->list.v + log->list.count;
	log->list.count += from->list.count;
	for (size_t i = 0; i < from->list.count; i++) {
		to[i] = from->list.v[i];
		if (node_map)
			to[i].node = node_map[to[i].node];
	}
	return 0;
}

void sample_log_release(struct sample_log *log)
{
	array_release(&log->list);
	claim_release(&log->claim);
	log->allowed = 0;
}
