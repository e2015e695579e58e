/* What perf writes to a pipe, read once as it comes; any bytes. */
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 8)
		fuzz_piped(data, size, 0);
	return 0;
}
