/* Folded text, that of perf script, and lists of samples: the first byte chooses the flags, the rest is the text. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned flags[] = { 0, FF_FLAMECHART, FF_COMPAT_STACKCOLLAPSE,
					  FF_ADDRS, FF_LABELS | FF_PLACES };

	if (size > 1)
		fuzz_profile(data + 1, size - 1, flags[data[0] % 5]);
	return 0;
}
