/*
 * Whether a call is before an address, where it leads, and whether a function could have jumped on is asked of a
 * few bytes each time, and of a hundred thousand addresses where chains are wild. Most of them lie near others
 * that were asked for. The kernel is asked for WINDOW bytes, not for three, and what it gave is kept until another
 * window takes its place. Files are not mapped, because who cuts one would end this process.
 */
#include "stack/code_windows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
	/* Of 170,000 looks at code of cc1plus 17 in 100 read; windows of 4 KiB save a quarter of these, and copy more. */
	WINDOW = 1024,
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	WINDOWS = 512,
#else
	WINDOWS = 2,
#endif
};

struct code_window {
	const struct known_file *file; /* NULL: empty */
	uint64_t offset;
	uint32_t size;
	uint8_t bytes[WINDOW];
};

void code_windows_release(struct code_windows *w)
{
	free(w->v);
	w->v = NULL;
}

static bool has_byte(const struct code_window *w, const struct known_file *file,
		     uint64_t offset)
{
	return w->file == file && offset >= w->offset && offset - w->offset < w->size;
}

/* What is within the range of the WINDOW bytes around @offset. */
static bool renew_window(struct code_window *w, struct open_files *files,
			 const struct file_range *range, uint64_t offset)
{
	uint64_t start = offset - offset % WINDOW, end = start + WINDOW;

	if (start < range->offset)
		start = range->offset;
	if (end - range->offset > range->size)
		end = range->offset + range->size;
	w->file = NULL;
	w->offset = start;
	w->size = (uint32_t)(end - start);
	if (!open_files_read(files, range->file, start, w->bytes, w->size))
		return false;
	w->file = range->file;
	return true;
}

bool code_windows_read(struct code_windows *w, const struct file_range *range,
		       uint64_t offset, void *ret, size_t size)
{
	uint8_t *to = ret;

	if (!w->v)
		w->v = calloc(WINDOWS, sizeof(*w->v));
	for (size_t done = 0, n; w->v && done < size; done += n) {
		uint64_t at = offset + done;
		uint64_t key = at / WINDOW ^ (uint64_t)(uintptr_t)range->file << 32;
		struct code_window *window = &w->v[hash_u64(key) % WINDOWS];

		/* A file that ends within the window may have the bytes. */
		if (!has_byte(window, range->file, at) &&
		    !renew_window(window, w->files, range, at))
			return open_files_read(w->files, range->file, offset, ret, size);
		n = window->size - (size_t)(at - window->offset);
		if (n > size - done)
			n = size - done;
		memcpy(to + done, window->bytes + (at - window->offset), n);
	}
	return w->v || open_files_read(w->files, range->file, offset, ret, size);
}
