#ifndef INPUT_LINES_H
#define INPUT_LINES_H

#include <stdint.h>

#include "base/file.h"

/* The lines of a text, forwards, without their ends ("\n", "\r\n"). */
struct lines {
	const struct file *file;
	char *bytes;
	size_t room, start, end; /* what is read and not yet handed out */
	uint64_t offset; /* in the file, of what is read next */
};

/* @f outlives it. 0, or -ENOMEM with its sentence. */
int lines_open(struct context *ctx, const struct file *f, struct lines *ret);
void lines_close(struct lines *l); /* a zeroed one is fine */

/* The next line is the one that begins at @offset. */
void lines_seek(struct lines *l, uint64_t offset);

/* Where the next line begins. */
static inline uint64_t lines_position(const struct lines *l)
{
	return l->offset - (l->end - l->start);
}

/* Reads on behind what is there. *@more is false at the end of the file. 0, or a negative errno with
 * a sentence. */
int lines_refill(struct context *ctx, struct lines *l, bool *more);

/*
 * The next line, until the next call. 1, 0 at the end, or a negative errno with a sentence: -EFBIG
 * for a line of more than 64 MiB, where @kind says what the text is then not: "folded text".
 */
int lines_next(struct context *ctx, struct lines *l, const char *kind, const char **line,
	       size_t *size);

#endif
