#ifndef INPUT_SAVE_FILE_H
#define INPUT_SAVE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "base/context.h"

/*
 * The bytes of a recording on their way to its file: gathered, compressed where that is
 * wanted, and written.
 *
 *	records   S S S M S S S S S ...        up to GATHERED bytes
 *	file      | COMPRESSED | COMPRESSED |  each less than 64 KiB: one stream of zstd
 */
struct save_file {
	int fd;
	char *path;
	uint64_t size; /* bytes written: the next ones go behind them */
	uint8_t *gathered;
	size_t count; /* bytes gathered */
	ZSTD_CCtx *zstd; /* NULL: not compressed */
	int level;
	uint8_t *packed;
	uint64_t raw, compressed; /* bytes that went through it */
	int failed; /* errno of what has failed, negative; 0: nothing */
};

enum {
	GATHERED = 256 << 10,
	/* What a record of the kernel may have, and a little more. */
	SAVED_MOST = 64 << 10,
	/* A reader of perf's makes room for that much from one COMPRESSED record. */
	UNPACKED_MOST = 512 << 10,
};

/* Moves a file that is in the way aside; see save_open(). @level 0: no compression. A failed one
 * is released. */
int save_file_open(struct context *ctx, const char *path, int level,
		   struct save_file *ret);
void save_file_release(struct save_file *f); /* a zeroed one is fine */

/* For records: gathered. @size is at most SAVED_MOST. */
int save_file_add(struct context *ctx, struct save_file *f, const void *bytes,
		  size_t size);

/* @size bytes for the caller to fill, at most SAVED_MOST; NULL where writing has failed. */
uint8_t *save_file_room(struct context *ctx, struct save_file *f, size_t size);

/* The last @size of them were not needed. */
static inline void save_file_return(struct save_file *f, size_t size)
{
	f->count -= size;
}

/* Writes what is gathered. */
int save_file_flush(struct context *ctx, struct save_file *f);

/* Flushes, then writes as it is. */
int save_file_plain(struct context *ctx, struct save_file *f, const void *bytes,
		    size_t size);

/* Over what was written. */
int save_file_at(struct context *ctx, struct save_file *f, uint64_t offset,
		 const void *bytes, size_t size);

/* Some file systems tell of a full disk only here. */
int save_file_close(struct context *ctx, struct save_file *f);

#endif
