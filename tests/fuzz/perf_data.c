/* A recording: any bytes, through the whole library, once as it is and once as perf has it. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *bytes;
		size_t size;
	} magics[] = {
		{ "PERFILE2", 8 }, { "2ELIFREP", 8 },	      { "PERFFILE", 8 },
		{ "\x1f\x8b", 2 }, { "\x28\xb5\x2f\xfd", 4 },
	};

	/* Anything else is the other target's. */
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (size >= 8 && memcmp(data, magics[i].bytes, magics[i].size) == 0) {
			fuzz_profile(data, size, 0);
			fuzz_profile(data, size, FF_COMPAT_STACKCOLLAPSE);
		}
	return 0;
}
