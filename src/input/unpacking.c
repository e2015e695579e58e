/*
 * A buffer of four times the largest record, which zstd fills behind what is left in it.
 * What is left moves to the front only if it is less than a record that is asked for, so
 * few bytes are copied. As a compressed record may unpack to any amount, only as much is
 * unpacked as the buffer has room for, and the rest of the input stays in the file until
 * there is room again.
 */
#include "input/unpacking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/budget.h"

enum {
	ROOM = 256 << 10, /* of unpacked bytes; a record has 64 KiB at the most */
	PIECE = 64 << 10, /* of packed bytes */
	/* What work a packed byte can make. Recordings have a ratio of 3 to 50; zstd
	 * can have 30,000. What a stream unpacks to first is free of that. */
	RATIO_MOST = 512,
	FREE = 256 << 20,
};

struct unpacking {
	struct window *window;
	ZSTD_DStream *zstd;
	struct claim claim; /* for its window */
	uint64_t start, end; /* what is to be fed, in the file */
	uint64_t packed, unpacked; /* bytes so far */
	size_t first, last; /* unpacked and not taken: bytes[first] to bytes[last] */
	bool held; /* zstd may have more of what it was fed: there was no room for it */
	uint8_t bytes[ROOM];
};

int unpacking_new(struct window *window, struct unpacking **ret)
{
	struct unpacking *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->zstd = ZSTD_createDStream();
	if (!u->zstd) {
		free(u);
		return -ENOMEM;
	}
	u->window = window;
	*ret = u;
	return 0;
}

void unpacking_free(struct unpacking *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->zstd);
	claim_release(&u->claim);
	free(u);
}

void unpacking_reset(struct unpacking *u)
{
	ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	u->start = u->end = 0;
	u->packed = u->unpacked = 0;
	u->first = u->last = 0;
	u->held = false;
}

void unpacking_feed(struct unpacking *u, uint64_t start, uint64_t end)
{
	u->start = start;
	u->end = end;
}

int unpacking_peek(struct context *ctx, struct unpacking *u, size_t size,
		   const uint8_t **ret, size_t *got)
{
	if (u->last - u->first < size && u->first > 0) {
		memmove(u->bytes, u->bytes + u->first, u->last - u->first);
		u->last -= u->first;
		u->first = 0;
	}
	while (u->last - u->first < size && (u->start < u->end || u->held)) {
		size_t piece =
			u->end - u->start < PIECE ? (size_t)(u->end - u->start) : PIECE;
		ZSTD_outBuffer out = { u->bytes, sizeof(u->bytes), u->last };
		ZSTD_inBuffer in = { NULL, 0, 0 };
		const uint8_t *p;
		size_t left, memory;
		int err;

		err = window_at(ctx, u->window, (struct file_part){ u->start, piece }, &p,
				&in.size);
		if (err < 0)
			return err;
		in.src = p;
		left = ZSTD_decompressStream(u->zstd, &out, &in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		/* What its window has come to take is claimed before that is filled. */
		memory = ZSTD_sizeof_DStream(u->zstd);
		if (memory > u->claim.size &&
		    !claim_add(&u->claim, ctx->budget, memory - u->claim.size)) {
			budget_refuse(ctx->budget, "compressed records", "the recording");
			return -EBADMSG;
		}
		/* No bytes in and none out: it cannot go on. */
		if (in.pos == 0 && out.pos == u->last && piece > 0)
			return -EBADMSG;
		u->held = out.pos == out.size;
		/* What zstd did not take of the piece stays to be fed. */
		u->start += in.pos;
		u->packed += in.pos;
		u->unpacked += out.pos - u->last;
		if (u->unpacked > FREE && u->unpacked / RATIO_MOST > u->packed)
			return -EBADMSG;
		u->last = out.pos;
	}
	*ret = u->bytes + u->first;
	*got = u->last - u->first;
	return 0;
}

void unpacking_take(struct unpacking *u, size_t size)
{
	u->first += size;
}
