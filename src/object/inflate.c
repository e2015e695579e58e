#include "object/inflate.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { MOST_AT_ONCE = 1 << 30 }; /* zlib counts in unsigned int */

static unsigned part(size_t left)
{
	return left < MOST_AT_ONCE ? (unsigned)left : MOST_AT_ONCE;
}

/* Streams that follow each other are one, as linkers may leave them. */
static int run_zlib(z_stream *z, size_t size, size_t room)
{
	const uint8_t *end = z->next_in + size, *full = z->next_out + room;
	int found = Z_OK;

	while (found == Z_OK && z->next_out < full) {
		z->avail_in = part((size_t)(end - z->next_in));
		z->avail_out = part((size_t)(full - z->next_out));
		found = inflate(z, Z_NO_FLUSH);
		if (found == Z_STREAM_END)
			found = inflateReset(z);
	}
	if (found == Z_MEM_ERROR)
		return -ENOMEM;
	return z->next_out == full ? 0 : -EBADMSG;
}

static int unpack_zlib(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)from, .next_out = to };
	int err;

	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	err = run_zlib(&z, size, room);
	inflateEnd(&z);
	return err;
}

static int unpack_zstd(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
	size_t got = ZSTD_decompress(to, room, from, size);

	if (ZSTD_isError(got))
		return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? -ENOMEM
									      : -EBADMSG;
	return got == room ? 0 : -EBADMSG;
}

int inflate_whole(enum packing packing, const uint8_t *from, size_t size, uint8_t *to,
		  size_t room)
{
	if (packing == PACKING_ZLIB)
		return unpack_zlib(from, size, to, room);
	return unpack_zstd(from, size, to, room);
}
