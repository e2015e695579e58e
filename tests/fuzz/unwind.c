/*
 * An ELF file: its table is compiled, every row asked for, and the step by a rule
 * compared with the one with all registers. What it exports is looked up by name.
 */
#include "unwind_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void look_up_exports(const struct object *o)
{
	static const char *const names[] = { "plain", "variable", "aligned", "other" };
	struct exports exports;

	check(exports_read(o, &exports) == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint64_t address = 0;

		if (exports_find(&exports, linkage_key(names[i], strlen(names[i])),
				 &address))
			check(address != 0 || exports.bytes ||
			      exports.by_name.values.count);
	}
	exports_release(&exports);
}

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
		look_up_exports(&o);
		object_close(&o);
	}
	close(fd);
	return 0;
}
