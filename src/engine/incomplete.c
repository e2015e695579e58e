/* Why most of the stacks that are not whole are not. */
#include "engine/profile.h"

uint64_t stacks_walked(const struct ff_profile *p)
{
	/* A picture of intervals has fewer samples than stacks: many are one of no pair. */
	return p->collected.pairs.stacks ? p->collected.pairs.stacks
					 : ff_profile_total(p, FF_TOTAL_SAMPLES_TREE);
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
		/* Of equal ones the first in the list, and none that has no sample. */
		if (ff_profile_total(p, reasons[i].which) >
		    (most ? ff_profile_total(p, most->which) : 0))
			most = &reasons[i];
	return most;
}
