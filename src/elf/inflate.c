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

/* Streams that follow each other are one, as linkers may leave them. Neither the sum behind a
 * stream nor what else follows is looked at: what counts is that there are as many bytes as the
 * section says. */
static int unpack_zlib(const struct packed_section *from, uint8_t *to, size_t room)
{
	z_stream z = { .next_out = to };
	uint8_t *in = malloc(PART), *full = to + room;
	int found = in ? inflateInit(&z) : Z_MEM_ERROR;
	size_t at = 0;
	bool there = true;

	if (found != Z_OK) {
		free(in);
		return -ENOMEM;
	}
	inflateValidate(&z, 0);
	while (found == Z_OK && z.next_out < full) {
		if (z.avail_in == 0 && at < from->size) {
			z.next_in = in;
			z.avail_in = part(from->size - at, PART);
			there = from->read(from->arg, at, in, z.avail_in);
			if (!there)
				break;
			at += z.avail_in;
		}
		z.avail_out = part((size_t)(full - z.next_out), MOST_AT_ONCE);
		found = inflate(&z, Z_NO_FLUSH);
		if (found == Z_STREAM_END)
			found = inflateReset(&z);
	}
	inflateEnd(&z);
	free(in);
	if (found == Z_MEM_ERROR)
		return -ENOMEM;
	return there && z.next_out == full ? 0 : -EBADMSG;
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
	enum libdeflate_result found = LIBDEFLATE_BAD_DATA;
	struct libdeflate_decompressor *d;
	uint8_t *in;

	if (from->packing != SECTION_ZLIB)
		return unpack_zstd(from, to, room);
	/* All of it at once, where it is one whole stream: zlib knows what to make of others. */
	d = libdeflate_alloc_decompressor();
	in = d ? pages_take(from->size + 1) : NULL;
	if (in && from->read(from->arg, 0, in, from->size))
		found = libdeflate_zlib_decompress(d, in, from->size, to, room, NULL);
	pages_give_back(in, from->size + 1);
	libdeflate_free_decompressor(d);
	if (!in)
		return -ENOMEM;
	return found == LIBDEFLATE_SUCCESS ? 0 : unpack_zlib(from, to, room);
}
