/*
 * libdeflate is tried first, because it is faster, but it takes only one whole stream
 * with the right sum. Linkers leave more: several streams behind each other, bytes
 * behind the last one. So what it refuses is unpacked by zlib again, with the sum not
 * looked at. The size that the section states has to come out, no byte more or less.
 */
#include "elf/inflate.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/pages.h"

enum {
	MOST_AT_ONCE = 1 << 30, /* zlib counts in unsigned int */
	PART = 1 << 16, /* packed bytes that are read at once: they stay in the cache */
};

static unsigned part(size_t left, size_t most)
{
	return left < most ? (unsigned)left : (unsigned)most;
}

/* Streams that follow each other are one, as linkers may leave them. */
static int run_zlib(z_stream *z, const struct packed_section *from, uint8_t *room,
		    uint8_t *full)
{
	size_t at = 0;
	int found = Z_OK;

	while (found == Z_OK && z->next_out < full) {
		if (z->avail_in == 0 && at < from->size) {
			z->next_in = room;
			z->avail_in = part(from->size - at, PART);
			if (!from->read(from->arg, at, room, z->avail_in))
				return -EBADMSG;
			at += z->avail_in;
		}
		z->avail_out = part((size_t)(full - z->next_out), MOST_AT_ONCE);
		found = inflate(z, Z_NO_FLUSH);
		if (found == Z_STREAM_END)
			found = inflateReset(z);
	}
	if (found == Z_MEM_ERROR)
		return -ENOMEM;
	return z->next_out == full ? 0 : -EBADMSG;
}

/* One whole stream, all of it at once: 1, 0 where it is anything but that, or -ENOMEM. */
static int unpack_fast(const struct packed_section *from, uint8_t *to, size_t room)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	uint8_t *in = d ? pages_take(from->size + 1) : NULL;
	int done = -ENOMEM;

	if (in)
		done = from->read(from->arg, 0, in, from->size) &&
		       libdeflate_zlib_decompress(d, in, from->size, to, room, NULL) ==
			       LIBDEFLATE_SUCCESS;
	pages_give_back(in, from->size + 1);
	libdeflate_free_decompressor(d);
	return done;
}

/* Neither the sum behind a stream nor what else follows is looked at: what counts is that
 * there are as many bytes as the section says. */
static int unpack_zlib(const struct packed_section *from, uint8_t *to, size_t room)
{
	z_stream z = { .next_out = to };
	uint8_t *in = malloc(PART);
	int err = -ENOMEM;

	if (in && inflateInit(&z) == Z_OK) {
		inflateValidate(&z, 0);
		err = run_zlib(&z, from, in, to + room);
		inflateEnd(&z);
	}
	free(in);
	return err;
}

static int unpack_zstd(const struct packed_section *from, uint8_t *to, size_t room)
{
	uint8_t *in = malloc(from->size + 1);
	size_t got = 0;
	bool there;

	if (!in)
		return -ENOMEM;
	there = from->read(from->arg, 0, in, from->size);
	if (there)
		got = ZSTD_decompress(to, room, in, from->size);
	free(in);
	if (there && ZSTD_isError(got))
		return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? -ENOMEM
									      : -EBADMSG;
	return there && got == room ? 0 : -EBADMSG;
}

int inflate_whole(const struct packed_section *from, uint8_t *to, size_t room)
{
	int found;

	if (from->packing != SECTION_ZLIB)
		return unpack_zstd(from, to, room);
	found = unpack_fast(from, to, room);
	return found ? found < 0 ? found : 0 : unpack_zlib(from, to, room);
}
