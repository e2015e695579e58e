/* What came with samples. */
#include "engine/profile.h"

void incomplete_count(struct incomplete_counts *count, unsigned incomplete)
{
	count->truncated += (incomplete & INCOMPLETE_TRUNCATED) != 0;
	for (; incomplete; incomplete &= incomplete - 1)
		count->of[__builtin_ctz(incomplete)]++;
}

void incomplete_counts_add(struct incomplete_counts *to,
			   const struct incomplete_counts *from)
{
	to->truncated += from->truncated;
	for (int i = 0; i < INCOMPLETE_BITS; i++)
		to->of[i] += from->of[i];
}

void sample_tally_add(struct sample_tally *to, const struct sample_tally *from)
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

const struct incomplete_words *incomplete_most(const struct ff_profile *p)
{
	static const struct incomplete_words reasons[] = {
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
	const struct incomplete_words *most = NULL;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (ff_profile_total(p, reasons[i].which) >
		    (most ? ff_profile_total(p, most->which) : 0))
			most = &reasons[i];
	return most;
}
