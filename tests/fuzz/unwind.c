/*
 * An ELF file: its table is compiled, every row asked for, and the step by a rule
 * compared with the one with all registers.
 */
#include "unwind_table.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct context ctx = { 0 };
	struct object o;
	char path[32];
	int fd = memfd_create("object", MFD_CLOEXEC);

	object_prepare();
	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (object_open(&ctx, path, &o) == 0) {
		check_unwinding(&o, NULL);
		check_unwinding(&o, &o); /* .debug_frame twice */
		object_close(&o);
	}
	close(fd);
	return 0;
}
