/*
 * Three decoders behind one table of functions: a step takes input, makes output, or
 * says that there is nothing to do. All that is common is done once, around the steps:
 * feeding, going on to an offset, the ring of recent bytes, and the end.
 *
 *	recent   | n * RECENT, + 1, + 2 ... position | older ones |   byte i at i % RECENT
 *
 * Two things bound the work that a hostile file can make: the ratio of decoded to packed
 * bytes, and how often a reader may go back to the beginning. Both count only after FREE
 * bytes, so that small files may do as they like. What was decoded before damage is
 * handed out; zstd, which does not say how much that is, is fed block by block.
 */
#include "base/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/budget.h"

enum {
	INPUT = 1 << 17,
	RECENT = 1 << 18, /* a power of two */
	MOST_AT_ONCE = 1 << 30, /* zlib counts in unsigned int */
	/* What work a packed byte can make. Recordings have a ratio of 3 to 50, and readers
	 * begin anew a few times. */
	RATIO_MOST = 512,
	RESTARTS_MOST = 16,
};

/* Bytes that neither counts for. */
#define FREE ((uint64_t)1 << 30)

struct unpacker {
	const struct packing *packing;
	int fd;
	uint64_t begin, end; /* of the packed bytes in the file */
	uint64_t offset; /* in the file, of what is read next */
	uint8_t *next; /* read and not yet decoded */
	size_t left;
	bool dry; /* the file has no more */
	bool between; /* members or frames: here the file may end */
	bool full; /* the last step had no room for all it had: ask before feeding */
	bool ended; /* no more bytes, for good or bad */
	uint64_t position; /* bytes decoded so far */
	uint64_t again; /* bytes that were decoded before, and decoded anew */
	unsigned restarts;
	uint64_t size; /* UINT64_MAX: unknown */
	char damage[160]; /* "": none */
	struct budget *budget;
	struct claim claim;
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DCtx *zstd;
	size_t wanted; /* by zstd, for its next step */
	/* Not zeroed: */
	uint8_t recent[RECENT]; /* byte i of the stream is at i % RECENT */
	uint8_t input[INPUT];
};

/* Once the stream is decoded up to its end, or up to what cannot be decoded. */
static void end_stream(struct unpacker *u)
{
	u->ended = true;
	u->size = u->position;
}

static void end_damaged(struct unpacker *u, const char *why)
{
	snprintf(u->damage, sizeof(u->damage), "packed data is damaged: %s", why);
	end_stream(u);
}

static void consume(struct unpacker *u, size_t size)
{
	u->next += size;
	u->left -= size;
}

/* After a step, for what the decoder has come to take. Its window is not yet filled then. */
static void unpacker_claim_window(struct unpacker *u, uint64_t size)
{
	if (u->ended || size <= u->claim.size ||
	    claim_add(&u->claim, u->budget, size - u->claim.size))
		return;
	snprintf(u->damage, sizeof(u->damage),
		 "packed data needs a window of %zu MiB, and no memory is left for it: "
		 "--memory=SIZE with more",
		 (size_t)(size >> 20));
	end_stream(u);
}

/*
 * A packing decodes step by step, from u->next to @to. A step takes input or makes
 * output unless there is nothing to do; what it made is counted even where it ends
 * the stream.
 */
struct packing {
	int (*init)(struct unpacker *u);
	void (*restart)(struct unpacker *u);
	int (*step)(struct unpacker *u, uint8_t *to, size_t room, size_t *made);
	void (*release)(struct unpacker *u);
};

/* Padding behind a member. */
static void skip_zeros(struct unpacker *u)
{
	while (u->left > 0 && *u->next == 0)
		consume(u, 1);
}

static int gzip_init(struct unpacker *u)
{
	/* 16: with gzip's head and trailer. */
	return inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK ? 0 : -ENOMEM;
}

static void gzip_restart(struct unpacker *u)
{
	inflateReset(&u->gzip);
}

static void gzip_release(struct unpacker *u)
{
	inflateEnd(&u->gzip);
}

static int gzip_step(struct unpacker *u, uint8_t *to, size_t room, size_t *made)
{
	z_stream *z = &u->gzip;
	int found;

	if (u->between)
		skip_zeros(u);
	*made = 0;
	if (u->between && u->left == 0)
		return 0;
	z->next_in = u->next;
	z->avail_in = (uInt)u->left;
	z->next_out = to;
	z->avail_out = (uInt)room;
	found = inflate(z, Z_NO_FLUSH);
	*made = room - z->avail_out;
	consume(u, u->left - z->avail_in);
	u->position += *made;
	u->between = found == Z_STREAM_END;
	if (u->between)
		inflateReset(z);
	else if (found == Z_MEM_ERROR)
		return -ENOMEM;
	else if (found != Z_OK && found != Z_BUF_ERROR)
		end_damaged(u, z->msg ? z->msg : zError(found));
	return 0;
}

/* A decoder that was used is used again. */
static int xz_begin(struct unpacker *u)
{
	return lzma_stream_decoder(&u->xz, UNPACK_WINDOW_MOST, 0) == LZMA_OK ? 0
									     : -ENOMEM;
}

static void xz_restart(struct unpacker *u)
{
	xz_begin(u);
}

static void xz_release(struct unpacker *u)
{
	lzma_end(&u->xz);
}

static int xz_failed(struct unpacker *u, lzma_ret found)
{
	if (found == LZMA_MEM_ERROR)
		return -ENOMEM;
	if (found == LZMA_MEMLIMIT_ERROR) {
		snprintf(u->damage, sizeof(u->damage),
			 "packed data needs a window of more than %zu MiB",
			 UNPACK_WINDOW_MOST >> 20);
		end_stream(u);
	} else {
		end_damaged(u, found == LZMA_DATA_ERROR ? "wrong data or checksum"
							: "no xz stream");
	}
	return 0;
}

static int xz_step(struct unpacker *u, uint8_t *to, size_t room, size_t *made)
{
	lzma_stream *z = &u->xz;
	lzma_ret found;

	if (u->between)
		skip_zeros(u);
	*made = 0;
	if (u->between && u->left == 0)
		return 0;
	z->next_in = u->next;
	z->avail_in = u->left;
	z->next_out = to;
	z->avail_out = room;
	found = lzma_code(z, LZMA_RUN);
	*made = room - z->avail_out;
	consume(u, u->left - z->avail_in);
	u->position += *made;
	unpacker_claim_window(u, lzma_memusage(z));
	u->between = found == LZMA_STREAM_END;
	if (u->between)
		return xz_begin(u);
	/* LZMA_BUF_ERROR: there was nothing to do. */
	return found == LZMA_OK || found == LZMA_BUF_ERROR ? 0 : xz_failed(u, found);
}

static int zstd_init(struct unpacker *u)
{
	u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax,
			       __builtin_ctzll(UNPACK_WINDOW_MOST));
	return 0;
}

static void zstd_restart(struct unpacker *u)
{
	ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	u->wanted = 0;
}

static void zstd_release(struct unpacker *u)
{
	ZSTD_freeDCtx(u->zstd);
}

/*
 * A call that finds damage does not say what it decoded before. So a call gets the rest
 * of one block at most: wanted, less the head of the block behind it, which zstd adds;
 * and nothing at all while it may hold decoded bytes back.
 */
static size_t zstd_feed(const struct unpacker *u)
{
	enum { BLOCK_HEAD = 3 };
	size_t size = u->wanted;

	if (u->full)
		return 0;
	if (size > BLOCK_HEAD)
		size -= BLOCK_HEAD;
	if (size == 0)
		size = 1;
	return size < u->left ? size : u->left;
}

static int zstd_failed(struct unpacker *u, size_t found)
{
	switch (ZSTD_getErrorCode(found)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		snprintf(u->damage, sizeof(u->damage),
			 "packed data needs a window of more than %zu MiB",
			 UNPACK_WINDOW_MOST >> 20);
		end_stream(u);
		return 0;
	default:
		end_damaged(u, ZSTD_getErrorName(found));
		return 0;
	}
}

static int zstd_step(struct unpacker *u, uint8_t *to, size_t room, size_t *made)
{
	ZSTD_inBuffer in = { u->next, zstd_feed(u), 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t found;

	*made = 0;
	if (u->between && in.size == 0)
		return 0;
	found = ZSTD_decompressStream(u->zstd, &out, &in);
	if (ZSTD_isError(found))
		return zstd_failed(u, found);
	*made = out.pos;
	consume(u, in.pos);
	u->position += *made;
	unpacker_claim_window(u, ZSTD_sizeof_DCtx(u->zstd));
	u->between = found == 0;
	u->wanted = found;
	return 0;
}

static const struct packing gzip = { gzip_init, gzip_restart, gzip_step, gzip_release };
static const struct packing zstd = { zstd_init, zstd_restart, zstd_step, zstd_release };
static const struct packing xz = { xz_begin, xz_restart, xz_step, xz_release };

/* What a file that begins with these bytes is packed with: NULL for nothing. */
static const struct packing *packing_of(const uint8_t *p, size_t size)
{
	if (size >= 2 && memcmp(p, "\x1f\x8b", 2) == 0)
		return &gzip;
	if (size >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0)
		return &zstd;
	/* Skippable frames have 16 magic numbers. */
	if (size >= 4 && p[0] >> 4 == 5 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0)
		return &zstd;
	if (size >= 6 && memcmp(p,
				"\xfd"
				"7zXZ\0",
				6) == 0)
		return &xz;
	return NULL;
}

static int read_some(int fd, uint64_t offset, void *buf, size_t size, size_t *got)
{
	ssize_t n;

	do
		n = pread(fd, buf, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	*got = (size_t)n;
	return 0;
}

static int make_unpacker(const struct packing *packing, int fd, uint64_t begin,
			 uint64_t end, struct unpacker **ret)
{
	struct unpacker *u = malloc(sizeof(*u));
	int err;

	if (!u)
		return -ENOMEM;
	/* Of a thousand small files most is never unpacked. */
	memset(u, 0, offsetof(struct unpacker, recent));
	u->packing = packing;
	u->fd = fd;
	u->begin = u->offset = begin;
	u->end = end;
	u->size = UINT64_MAX;
	err = packing->init(u);
	if (err < 0) {
		free(u);
		return err;
	}
	*ret = u;
	return 0;
}

int unpacker_open(int fd, struct unpacker **ret)
{
	return unpacker_open_part(fd, 0, INT64_MAX, ret);
}

int unpacker_open_part(int fd, uint64_t offset, uint64_t size, struct unpacker **ret)
{
	const struct packing *packing;
	uint8_t magic[6];
	size_t got = 0;
	int err = read_some(fd, offset, magic,
			    size < sizeof(magic) ? size : sizeof(magic), &got);

	if (err < 0)
		return err;
	packing = packing_of(magic, got);
	if (packing)
		return make_unpacker(packing, fd, offset, offset + size, ret);
	*ret = NULL;
	return 0;
}

int unpacker_share(const struct unpacker *u, int fd, struct unpacker **ret)
{
	int err = make_unpacker(u->packing, fd, u->begin, u->end, ret);

	if (err < 0)
		return err;
	(*ret)->size = u->size;
	(*ret)->budget = u->budget;
	memcpy((*ret)->damage, u->damage, sizeof(u->damage));
	return 0;
}

void unpacker_limit(struct unpacker *u, struct budget *budget)
{
	u->budget = budget;
}

void unpacker_close(struct unpacker *u)
{
	if (!u)
		return;
	claim_release(&u->claim);
	u->packing->release(u);
	free(u);
}

/* Back to the beginning. What is known of size and damage stays. */
static void restart_stream(struct unpacker *u)
{
	u->packing->restart(u);
	u->offset = u->begin;
	u->position = 0;
	u->left = 0;
	u->dry = u->between = u->full = u->ended = false;
}

/* The next @size bytes; *@got is less only at the end. */
static int unpack_some(struct unpacker *u, uint8_t *to, size_t size, size_t *got)
{
	for (*got = 0; *got < size && !u->ended;) {
		size_t room = size - *got < MOST_AT_ONCE ? size - *got : MOST_AT_ONCE;
		uint64_t packed = u->end - u->offset;
		size_t made;
		int err;

		if (u->left == 0 && !u->dry) {
			err = read_some(u->fd, u->offset, u->input,
					packed < INPUT ? packed : INPUT, &u->left);
			if (err < 0)
				return err;
			u->next = u->input;
			u->offset += u->left;
			u->dry = u->left == 0;
		}
		err = u->packing->step(u, to + *got, room, &made);
		if (err < 0)
			return err;
		*got += made;
		u->full = made == room;
		if (u->position > FREE &&
		    u->position / RATIO_MOST > u->offset - u->begin + INPUT) {
			end_damaged(u, "so few bytes cannot unpack to so much");
			break;
		}
		if (made > 0 || !u->dry || u->ended)
			continue;
		if (!u->between)
			strcpy(u->damage, "packed data ends early");
		end_stream(u);
	}
	return 0;
}

/* Bytes of the stream in u->recent at @offset, up to where it begins anew. */
static size_t to_edge(uint64_t offset)
{
	return RECENT - offset % RECENT;
}

/* The last bytes decoded, @size of them at @p, are to be had again. */
static void remember_tail(struct unpacker *u, const uint8_t *p, size_t size)
{
	size_t kept = size < RECENT ? size : RECENT;
	size_t first = to_edge(u->position - kept);

	p += size - kept;
	if (first > kept)
		first = kept;
	memcpy(u->recent + RECENT - to_edge(u->position - kept), p, first);
	memcpy(u->recent, p + first, kept - first);
}

/* Of the recent bytes those from @offset, which is among them. How many. */
static size_t recall_tail(const struct unpacker *u, uint64_t offset, uint8_t *to,
			  size_t size)
{
	size_t first = to_edge(offset);

	if (size > u->position - offset)
		size = (size_t)(u->position - offset);
	if (first > size)
		first = size;
	memcpy(to, u->recent + offset % RECENT, first);
	memcpy(to + first, u->recent, size - first);
	return size;
}

static int read_on(struct unpacker *u, uint64_t offset, uint8_t *to, size_t size,
		   size_t *got)
{
	size_t again = 0, fresh = 0;
	int err = 0;

	/* What lies before @offset goes through the ring of recent bytes. */
	while (err == 0 && u->position < offset && !u->ended) {
		uint64_t gap = offset - u->position;
		size_t room = to_edge(u->position), skipped;

		err = unpack_some(u, u->recent + RECENT - room, gap < room ? gap : room,
				  &skipped);
	}
	if (err < 0)
		return err;
	if (offset < u->position)
		again = recall_tail(u, offset, to, size);
	if (offset + again == u->position)
		err = unpack_some(u, to + again, size - again, &fresh);
	if (err < 0)
		return err;
	remember_tail(u, to + again, fresh);
	*got = again + fresh;
	return 0;
}

int unpacker_read(struct unpacker *u, uint64_t offset, void *buf, size_t size,
		  size_t *got)
{
	int err;

	*got = 0;
	if (offset >= u->size)
		return 0;
	if (size > u->size - offset)
		size = (size_t)(u->size - offset);
	if (offset < u->position && u->position - offset > RECENT) {
		if (u->restarts >= RESTARTS_MOST && u->again > FREE)
			return -EBADMSG;
		u->again += u->position;
		u->restarts++;
		restart_stream(u);
	}
	err = read_on(u, offset, buf, size, got);
	/* What it has decoded is not remembered: it has no position to go on from. */
	if (err < 0)
		restart_stream(u);
	return err;
}

uint64_t unpacker_size(const struct unpacker *u)
{
	return u->size;
}

const char *unpacker_damage(const struct unpacker *u)
{
	return *u->damage ? u->damage : NULL;
}
