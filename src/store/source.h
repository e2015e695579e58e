#ifndef STORE_SOURCE_H
#define STORE_SOURCE_H

#include "base/budget.h"
#include "base/bytes.h"
#include "base/context.h"
#include "base/cursor.h"
#include "base/file.h"
#include "store/format.h"

/*
 * Sections of a profile file, one after the other. What flamefold has packed is unpacked frame by
 * frame, and nothing is kept but the section at hand: of a thousand files at once each takes a block
 * of nodes. Files that are packed in any other way are read through struct file, which unpacks them.
 */
struct store_source {
	const char *path; /* for messages; the caller's */
	struct file file; /* closed by whoever has opened it */
	bool by_frames; /* they are unpacked here */
	uint64_t offset; /* in the file, of what is unpacked next */
	uint64_t position; /* in what is unpacked, of bytes.v[0] */
	struct bytes bytes; /* unpacked */
	size_t at; /* in them: of what is read next */
	size_t expected; /* bytes of the next frame, packed */
	uint64_t version, flags; /* of its header */
	uint64_t section_most; /* bytes of the next section; 0: as many as of any */
	struct claim claim; /* of the budget, for what is large */
};

/* What all sources of a thread share. A zeroed one is to be used. */
struct ZSTD_DCtx_s;
struct store_unpacker {
	struct ZSTD_DCtx_s *zstd;
	struct bytes packed;
};
void store_unpacker_release(struct store_unpacker *u);

struct store_section_bytes {
	enum store_section id;
	struct cursor payload; /* borrowed until the next one is read */
	uint64_t position; /* where it begins, in what is unpacked */
};

/* Does a file that begins so hold a profile, packed in no way? */
bool store_begins(const uint8_t *bytes, size_t size);

/* Of an open file: the header. -EBADMSG, with a sentence, for what is no profile or of a version that
 * is not known. */
int store_source_open(struct context *ctx, struct store_source *s,
		      struct store_unpacker *u);
/* The next section. Its checksum is right. */
int store_source_next(struct context *ctx, struct store_source *s,
		      struct store_unpacker *u, struct store_section_bytes *ret);
/* Is all of it read? */
int store_source_at_end(struct context *ctx, struct store_source *s,
			struct store_unpacker *u);
void store_source_release(struct store_source *s); /* but for the file */

/* "'x.ff': byte 12 of the profile: ...": what is wrong with the section. Returns -EBADMSG. */
int store_damaged(struct context *ctx, const struct store_source *s,
		  const struct store_section_bytes *section, const char *why);
/* What is read of it would take more than ctx->budget has. Returns -EFBIG. */
int store_too_large(struct context *ctx, const struct store_source *s);

#endif
