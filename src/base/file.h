#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "base/file.h"

/*
 * A file's bytes, read with pread: a file that others cut while it is read gives
 * fewer bytes, never a signal. What cannot be read twice (a pipe) is first copied to
 * an unlinked temporary file.
 *
 * A file packed with gzip or zstd, which its first bytes tell, reads as if it were not:
 * decoded on the way, never kept. Forward is cheap, and so are steps back among the
 * last 256 KiB; a longer one decodes again from the beginning. Damage is an end.
 *
 * A plain file can be read by many threads. A packed one is read by one thread at a
 * time, and reading changes it: other threads get a reader of their own from
 * file_share().
 */
struct file {
	int fd;
	const char *path; /* for messages; the caller's */
	uint64_t size; /* of a packed one: UINT64_MAX until a read has come to its end */
	struct unpacker *unpacker; /* NULL: plain */
	struct pipe_reader *pipe; /* NULL: it can be read again */
	bool in_memory; /* of a file system that has no disk */
};

/*
 * Opens what @looked at, an O_PATH descriptor, is, to read it; @looked is closed. Only a
 * regular file of a file system that has some: opening a FIFO waits, a device or a file of
 * /proc or /sys may do anything. -EINVAL where it is none of that.
 */
int file_open_looked(int looked);

/* "-" is standard input. A negative errno with a sentence that names the path. */
int file_open(struct context *ctx, const char *path, struct file *ret);
void file_close(struct file *f); /* a zeroed one is fine */

/*
 * How many of @size bytes at @offset of a descriptor there are. What a signal interrupts, and
 * what comes in pieces, is read on. Less than @size is the end of the file where errno is 0.
 */
size_t file_read_at(int fd, void *buf, size_t size, uint64_t offset);

/* The next @size bytes at *@at, which is behind them then. False: there are not as many; errno, which is 0
 * at the end of the file. */
bool file_read_next(int fd, void *buf, size_t size, uint64_t *at);

/* All of @size bytes, what a signal interrupts and what goes out in pieces, too; else false, errno. */
bool file_write(int fd, const void *bytes, size_t size);

enum { FILE_BEGINNING = 16 };

/*
 * The same, but a pipe whose first FILE_BEGINNING bytes @is_stream says yes to is not copied:
 * it is read once, each read going on where the last one ended; its size is UINT64_MAX.
 */
int file_open_stream(struct context *ctx, const char *path,
		     bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
		     struct file *ret);

/* The same of a descriptor, which stays the caller's; @name is for messages. */
int file_open_descriptor(struct context *ctx, int fd, const char *name,
			 bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
			 struct file *ret);

/* A descriptor of a file in memory that holds a copy of these bytes; to be closed. Or a
 * negative errno with a sentence. */
int file_of_memory(struct context *ctx, const void *bytes, size_t size);

/*
 * Another reader of the same bytes, for another thread. Both are closed, in any order;
 * @f must not be read while it is shared. A negative errno with a sentence.
 */
int file_share(struct context *ctx, const struct file *f, struct file *ret);

/* What is wrong with what a file is packed in, in a sentence that lacks the file's name;
 * borrowed. NULL: nothing so far; bytes that no read has come to are not known. */
const char *file_damage(const struct file *f);

/* Some bytes of a file. */
struct file_part {
	uint64_t offset;
	size_t size;
};

/* Up to @part.size bytes; *@got is less only at the end of the file. */
int file_read(struct context *ctx, const struct file *f, struct file_part part, void *buf,
	      size_t *got);

/*
 * The whole of a small file, also of one in /proc that does not know its size, with
 * a NUL behind it; to be freed by the caller. -EFBIG for more than @most bytes.
 */
int file_slurp(struct context *ctx, const char *path, size_t most, char **ret,
	       size_t *size);

/*
 * The same of a plain file, but only what the kernel holds in memory: no byte of it is
 * waited for. *@got may be less than @size anywhere; 0 where there is nothing, or where
 * the file system cannot tell.
 */
void file_read_cached(const struct file *f, uint64_t offset, void *buf, size_t size,
		      size_t *got);

/*
 * A part of a file that moves forward.
 *
 *	file    |-----------------------------------------|
 *	window            [ ........ at ..... ]
 *
 * Whoever knows that most of what comes next is stepped over says so with window_skims():
 * then one read brings few bytes, and each that goes on where the last one ended four
 * times as many, until it is a whole window again:
 *
 *	file    |hhhh----------------hhhh----------------hhhhhhhhhhhhhhhhhhhh|
 *	reads    [  ]                [  ]                [  ][      ][        ...
 */
struct window {
	const struct file *file;
	uint8_t *bytes;
	size_t room, size;
	uint64_t start; /* offset of bytes[0] in the file */
	size_t reach; /* bytes of the next read, at most room */
	uint64_t whole_until; /* an offset: before it nothing is skimmed */
};

int window_init(struct window *w, const struct file *f, size_t room);
void window_release(struct window *w);

/* The next read is a small one, unless bytes nearby had to be fetched from a disk: that
 * is done best without gaps. */
void window_skims(struct window *w);

/* Fewer bytes are left than asked for: only those, *@got says how many. */
int window_fill(struct context *ctx, struct window *w, struct file_part part,
		const uint8_t **ret, size_t *got);

/* Borrowed until the next call; *@got is less than @part.size only at the end of the file.
 * @part.size is at most the window's room. */
static inline int window_at(struct context *ctx, struct window *w, struct file_part part,
			    const uint8_t **ret, size_t *got)
{
	if (part.offset >= w->start && part.offset - w->start <= w->size &&
	    part.size <= w->size - (size_t)(part.offset - w->start)) {
		*ret = w->bytes + (part.offset - w->start);
		*got = part.size;
		return 0;
	}
	return window_fill(ctx, w, part, ret, got);
}

/* No more files may be open: as many as may be had. False: these are they. */
bool file_raise_limit(void);

#endif
