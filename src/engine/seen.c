/* What came with samples. */
#include "engine/profile.h"

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
	to->skipped += from->skipped;
}

const struct poorer_reason *poorer_most(const struct ff_profile *p)
{
	static const struct poorer_reason reasons[] = {
		{ FF_TOTAL_SAMPLES_CUT_DUMP, "stack dump too small", false },
		{ FF_TOTAL_SAMPLES_OTHER_STACK, "next frame on another stack", false },
		{ FF_TOTAL_SAMPLES_CUT_CHAIN, "call chain at its limit", false },
		{ FF_TOTAL_SAMPLES_ODD_CHAIN, "call chain ends in garbage", false },
		{ FF_TOTAL_SAMPLES_NO_CFI, "no unwind information", false },
		{ FF_TOTAL_SAMPLES_NO_START, "root is not where threads start", true },
		{ FF_TOTAL_SAMPLES_NO_CALL, "return address behind no call", true },
		{ FF_TOTAL_SAMPLES_BAD_ADDRESS, "return address without code", false },
		{ FF_TOTAL_SAMPLES_REPEATED, "a frame that leads back", false },
		{ FF_TOTAL_SAMPLES_TOO_DEEP, "deeper than any stack", false },
		{ FF_TOTAL_SAMPLES_MAX_STACK, "more frames than --max-stack", false },
	};
	const struct poorer_reason *most = NULL;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (ff_profile_total(p, reasons[i].which) >
		    (most ? ff_profile_total(p, most->which) : 0))
			most = &reasons[i];
	return most;
}
