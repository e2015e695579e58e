/*
 * Lines of text. What is handed out lies in one buffer, which grows to the longest line: so a line is
 * found by one memchr(), and nobody copies it.
 */
#include "input/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	FIRST_ROOM = 1 << 20,
	LINE_MOST = 64 << 20, /* all of a line is in memory */
};

int lines_open(struct context *ctx, const struct file *f, struct lines *ret)
{
	*ret = (struct lines){ .file = f, .room = FIRST_ROOM };
	ret->bytes = malloc(FIRST_ROOM);
	return ret->bytes ? 0 : fail_memory(ctx);
}

void lines_close(struct lines *l)
{
	free(l->bytes);
	*l = (struct lines){ 0 };
}

void lines_seek(struct lines *l, uint64_t offset)
{
	l->start = l->end = 0;
	l->offset = offset;
}

int lines_refill(struct context *ctx, struct lines *l, bool *more)
{
	size_t got;
	int err;

	memmove(l->bytes, l->bytes + l->start, l->end - l->start);
	l->end -= l->start;
	l->start = 0;
	if (l->end == l->room &&
	    !array_grow((void **)&l->bytes, &l->room, 2 * l->room, 1))
		return fail_memory(ctx);
	err = file_read(ctx, l->file, (struct file_part){ l->offset, l->room - l->end },
			l->bytes + l->end, &got);
	if (err < 0)
		return err;
	l->end += got;
	/* Some editors begin UTF-8 with U+FEFF, which is of no name. */
	if (l->offset == 0 && l->end >= 3 && memcmp(l->bytes, "\xef\xbb\xbf", 3) == 0)
		l->start = 3;
	l->offset += got;
	*more = got > 0;
	return 0;
}

int lines_next(struct context *ctx, struct lines *l, const char *kind, const char **line,
	       size_t *size)
{
	size_t looked = 0;
	bool more = true;

	for (;;) {
		char *p = l->bytes + l->start;
		char *nl = memchr(p + looked, '\n', l->end - l->start - looked);
		int err;

		if (nl || !more) {
			*line = p;
			*size = nl ? (size_t)(nl - p) : l->end - l->start;
			l->start += *size + (nl != NULL);
			if (*size && p[*size - 1] == '\r')
				--*size;
			return nl || *size;
		}
		looked = l->end - l->start;
		if (looked >= LINE_MOST)
			return fail(ctx, -EFBIG,
				    "'%s' is not %s: a line is longer than %d MiB",
				    l->file->path, kind, LINE_MOST >> 20);
		err = lines_refill(ctx, l, &more);
		if (err < 0)
			return err;
	}
}
