/* What came with samples. */
#include "profile.h"

void poorer_see(struct poorer_count *count, unsigned poorer)
{
	count->truncated += (poorer & POORER_TRUNCATED) != 0;
	for (; poorer; poorer &= poorer - 1)
		count->of[__builtin_ctz(poorer)]++;
}

void poorer_add(struct poorer_count *to, const struct poorer_count *from)
{
	to->truncated += from->truncated;
	for (int i = 0; i < POORER_BITS; i++)
		to->of[i] += from->of[i];
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
	to->inferred += from->inferred;
}
