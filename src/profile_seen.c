/* What came with samples. */
#include "profile.h"

bool chain_is_cut(const struct sample *s, uint32_t most)
{
	uint32_t addresses = 0;

	if (s->exact_chain)
		return false;
	for (uint32_t i = 0; i < s->chain_count; i++)
		addresses += sample_chain(s, i) < (uint64_t)-4095;
	return addresses == most;
}

void seen_add(struct seen *to, const struct seen *from)
{
	to->chains += from->chains;
	to->chains_broken += from->chains_broken;
	to->chains_cut += from->chains_cut;
	to->user_stacks += from->user_stacks;
	to->user_stacks_cut += from->user_stacks_cut;
	to->branch_stacks += from->branch_stacks;
	to->bare += from->bare;
}
