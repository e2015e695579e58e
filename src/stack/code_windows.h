#ifndef STACK_CODE_WINDOWS_H
#define STACK_CODE_WINDOWS_H

#include "stack/open_files.h"

/*
 * Pieces of files that one thread has read, to look at code in them a few bytes at a time. Without .v it is
 * empty, and takes no memory before the first look.
 */
struct code_windows {
	struct open_files *files; /* outlive it */
	struct code_window *v;
};

/* What may be read of a file. */
struct file_range {
	const struct known_file *file;
	uint64_t offset, size;
};

void code_windows_release(struct code_windows *w);

/* @size bytes at @offset of the file, all of which lie in @range. False where the file has not as many, or was
 * not what it had been when they were read first. */
bool code_windows_read(struct code_windows *w, const struct file_range *range,
		       uint64_t offset, void *ret, size_t size);

#endif
