/*
 * A jitdump that grows: the first byte says how much of it is there at first. What is read in
 * two steps is what is read in one, and all names and lines can be asked for.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jitdump.h"

static void check(bool fine)
{
	if (!fine)
		abort();
}

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("dump", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

static void ask_function(const struct jitdump *d, const struct jitdump_function *f)
{
	struct jitdump_lines lines = { 0 };
	struct text text = { 0 };

	jitdump_name(d, f, &text);
	check(text.size <= JITDUMP_NAME_MOST);
	jitdump_line(d, &lines, f, f->bytes, &text);
	jitdump_line(d, &lines, f, f->bytes + f->size - (f->size > 0), &text);
	jitdump_lines_release(&lines);
	text_release(&text);
	check(f->size == 0 || jitdump_find(d, f->bytes) == f);
	check(f->size == 0 || jitdump_find(d, f->bytes + f->size - 1) == f);
}

static void ask(const struct jitdump *d, size_t size)
{
	uint64_t before = 0;

	for (size_t i = 0; i < d->functions.count; i++) {
		const struct jitdump_function *f = &d->functions.v[i];

		check(f->bytes >= before && f->bytes <= size &&
		      f->size <= size - f->bytes);
		check(f->unwind <= size && f->unwind_size <= size - f->unwind);
		before = f->bytes + f->size;
		ask_function(d, f);
	}
	for (size_t i = 0; i < d->codes.count; i++) {
		const struct jitdump_code *c = &d->codes.v[i];

		check(c->function < d->functions.count && c->start < c->end);
		check(c->end - c->start <= d->functions.v[c->function].size);
	}
}

static void check_same(const struct jitdump *a, const struct jitdump *b)
{
	check(a->functions.count == b->functions.count);
	check(a->codes.count == b->codes.count && a->offset == b->offset);
	check(a->functions.count == 0 ||
	      memcmp(a->functions.v, b->functions.v,
		     a->functions.count * sizeof(*a->functions.v)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump once, twice;
	size_t first;
	int fd;

	if (size < 1)
		return 0;
	first = (size - 1) * data[0] / 256;
	if (jitdump_open(file_of(data + 1, size - 1), &once) < 0)
		return 0;
	check(jitdump_read(&once) == 0);
	ask(&once, size - 1);
	fd = file_of(data + 1, first);
	if (jitdump_open(dup(fd), &twice) == 0) {
		check(jitdump_read(&twice) == 0);
		check(pwrite(fd, data + 1 + first, size - 1 - first, (off_t)first) ==
		      (ssize_t)(size - 1 - first));
		check(jitdump_read(&twice) == 0);
		check_same(&once, &twice);
		jitdump_close(&twice);
	}
	jitdump_close(&once);
	close(fd);
	return 0;
}
