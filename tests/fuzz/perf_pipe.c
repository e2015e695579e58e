/* What perf writes to a pipe, read once as it comes; any bytes. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ff_profile *p;

	if (size < 8)
		return 0;
	p = fuzz_new(0, "/nonexistent");
	fuzz_end(p, fuzz_read_piped(p, data, size));
	return 0;
}
