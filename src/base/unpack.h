#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

struct budget;

/*
 * The bytes that gzip, zstd or xz packed into a file, decoded as they are asked for.
 * Members (gzip, RFC 1952), frames (zstd, RFC 8878; skippable ones among them) or streams
 * (xz) that follow each other are one stream; zeros between and behind members are
 * padding.
 *
 *	decoded   |-------------------[ recent bytes ]  -  -  -  -
 *	                                              position
 *
 * A read goes on from the position: what lies between is decoded and thrown away. The
 * recent bytes (256 KiB: a record, a feature's table) can be read again; going back
 * further starts at the beginning of the file.
 *
 * Memory is bounded by that and by the decoder's window: 32 KiB for gzip, at most
 * UNPACK_WINDOW_MOST for zstd and xz. A few bytes that decode to very many cost time, and no
 * more of it than to decode up to the end of what is read.
 */
struct unpacker;

#define UNPACK_WINDOW_MOST ((size_t)128 << 20)

/*
 * An unpacker for a file that begins as a packed one does, else NULL. @fd stays the
 * caller's, open as long as the unpacker, and is only read with pread. 0, -ENOMEM, or
 * why the file cannot be read.
 */
int unpacker_open(int fd, struct unpacker **ret);

/* The same for a part of a file, as if there were no more: @offset and @size add up to no
 * more than INT64_MAX. */
int unpacker_open_part(int fd, uint64_t offset, uint64_t size, struct unpacker **ret);

/* One more for the same bytes, at their beginning; @fd is another descriptor of the
 * file. It knows of size and damage what @u knows. */
int unpacker_share(const struct unpacker *u, int fd, struct unpacker **ret);

/* What it takes for its window is claimed of @budget from now on, by those who share it later, too:
 * with nothing left for it the bytes are damaged there. */
void unpacker_limit(struct unpacker *u, struct budget *budget);

void unpacker_close(struct unpacker *u); /* NULL is fine */

/*
 * Up to @size bytes at @offset; *@got is less only at the end, and damage is an end.
 * 0, -ENOMEM, or why the file cannot be read.
 */
int unpacker_read(struct unpacker *u, uint64_t offset, void *buf, size_t size,
		  size_t *got);

/* How many bytes there are; UINT64_MAX until a read has come to their end. */
uint64_t unpacker_size(const struct unpacker *u);

/* What is wrong, in a sentence; NULL: nothing that a read has come to so far. */
const char *unpacker_damage(const struct unpacker *u);

#endif
