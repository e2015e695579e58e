/* A recording: any bytes, through the whole library. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char magic[] = "PERFILE2";

	/* Anything else is the other target's. */
	if (size >= 8 && memcmp(data, magic, 8) == 0)
		fuzz_profile(data, size, 0);
	return 0;
}
