#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* A part of what is to be packed; parts of one kind of bytes each pack best. */
struct deflate_piece {
	const uint8_t *bytes;
	size_t size;
};

/*
 * The pieces one after the other, as one zlib stream (RFC 1950), by at most @threads
 * threads; the same bytes with any number of them. *@ret is to be freed by the caller. 0,
 * or -ENOMEM. No more than DEFLATE_FREE bytes and DEFLATE_RATIO times the packed size go
 * in: who reads such a stream can rely on it.
 */
int deflate_pieces(const struct deflate_piece *pieces, size_t count, size_t threads,
		   uint8_t **ret, size_t *size);

enum { DEFLATE_FREE = 1 << 20, DEFLATE_RATIO = 32 };

/* Exactly @size bytes, to be freed by the caller, of such a stream; nothing may follow.
 * 0, -ENOMEM, or -EBADMSG. */
int inflate_bytes(const uint8_t *packed, size_t packed_size, size_t size, uint8_t **ret);

#endif
