/*
 * Pieces are cut into parts of fixed size, which threads pack in any order, each with a
 * window of its own. All but the last end with a flush (RFC 1951, 3.2.4: an empty stored
 * block ends at a byte), so their bytes can simply follow each other.
 *
 *	| 78 9c | part | part | part | ... | last part | Adler-32 |       RFC 1950
 *
 * Cuts depend on sizes alone, so the result is the same with any number of threads. If
 * all together would pack better than DEFLATE_RATIO, all parts are packed again without
 * matches: readers refuse a higher ratio, and Huffman codes alone have 8 at the most.
 */
#include "base/deflate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/parallel.h"

enum {
	PART = 1 << 18, /* of a piece: what one thread packs at a time */
	LEVEL = 8, /* of zlib's nine */
	WINDOW = -15, /* raw deflate, RFC 1951 */
	HEADER = 2,
	TRAILER = 4,
};

/* A part is packed for itself and ends at a byte, so that parts can be put together. */
struct packed_part {
	const uint8_t *bytes;
	size_t size;
	bool last;
	uint8_t *packed;
	size_t packed_size;
};

struct deflater {
	ARRAY(struct packed_part) parts;
	bool loosely; /* so that the ratio is kept */
};

static int deflate_part(const struct packed_part *p, int level, int strategy,
			uint8_t **ret, size_t *size)
{
	z_stream z = { 0 };
	int err = 0;

	if (deflateInit2(&z, level, Z_DEFLATED, WINDOW, 9, strategy) != Z_OK)
		return -ENOMEM;
	/* What a flush adds is not in the bound. */
	z.avail_out = (uInt)deflateBound(&z, (uLong)p->size) + 16;
	*ret = malloc(z.avail_out);
	z.next_out = *ret;
	z.next_in = (Bytef *)p->bytes;
	z.avail_in = (uInt)p->size;
	if (!*ret)
		err = -ENOMEM;
	else if (deflate(&z, p->last ? Z_FINISH : Z_SYNC_FLUSH) < 0 || z.avail_in)
		err = -ENOMEM;
	*size = z.total_out;
	deflateEnd(&z);
	return err;
}

/* Two ways, of which the shorter one counts: numbers often repeat nothing. Above LEVEL some
 * bytes less take much longer. */
static int pack_part(void *arg, size_t i, size_t worker)
{
	struct deflater *d = arg;
	struct packed_part *p = &d->parts.v[i];
	uint8_t *other = NULL;
	size_t size;
	int err = deflate_part(p, LEVEL, Z_HUFFMAN_ONLY, &p->packed, &p->packed_size);

	(void)worker;
	if (err < 0 || d->loosely)
		return err;
	err = deflate_part(p, LEVEL, Z_FILTERED, &other, &size);
	if (err == 0 && size < p->packed_size) {
		free(p->packed);
		p->packed = other;
		p->packed_size = size;
		return 0;
	}
	free(other);
	return err;
}

static void drop_packed(struct deflater *d)
{
	for (size_t i = 0; i < d->parts.count; i++) {
		free(d->parts.v[i].packed);
		d->parts.v[i].packed = NULL;
	}
}

static int join_parts(const struct deflater *d, size_t packed, uint8_t **ret,
		      size_t *size)
{
	uint8_t *to = malloc(HEADER + packed + TRAILER);
	uLong sum = adler32(0, NULL, 0);

	if (!to)
		return -ENOMEM;
	*ret = to;
	*size = HEADER + packed + TRAILER;
	*to++ = 0x78; /* deflate, a window of 32 KiB */
	*to++ = 0x9c;
	for (size_t i = 0; i < d->parts.count; i++) {
		const struct packed_part *p = &d->parts.v[i];

		memcpy(to, p->packed, p->packed_size);
		to += p->packed_size;
		if (p->size)
			sum = adler32(sum, p->bytes, (uInt)p->size);
	}
	for (int shift = 24; shift >= 0; shift -= 8)
		*to++ = (uint8_t)(sum >> shift);
	return 0;
}

static int pack_all(struct deflater *d, size_t threads, size_t *packed)
{
	int err = parallel_run(threads, d->parts.count, pack_part, d);

	*packed = 0;
	for (size_t i = 0; err == 0 && i < d->parts.count; i++)
		*packed += d->parts.v[i].packed_size;
	return err;
}

int deflate_pieces(const struct deflate_piece *pieces, size_t count, size_t threads,
		   uint8_t **ret, size_t *size)
{
	struct deflater d = { 0 };
	size_t bytes = 0, packed;
	int err = 0;

	for (size_t i = 0; i < count && err == 0; i++) {
		const struct deflate_piece *piece = &pieces[i];
		size_t done = 0;

		/* An empty piece is a part, too: the last one ends the stream. */
		do {
			struct packed_part *p = array_add(&d.parts);

			if (!p) {
				err = -ENOMEM;
				break;
			}
			p->bytes = piece->bytes + done;
			p->size = piece->size - done < PART ? piece->size - done : PART;
			done += p->size;
			p->last = i + 1 == count && done == piece->size;
		} while (done < piece->size);
		bytes += piece->size;
	}
	if (err == 0)
		err = pack_all(&d, threads, &packed);
	if (err == 0 && bytes > DEFLATE_FREE && bytes / DEFLATE_RATIO > packed) {
		drop_packed(&d);
		d.loosely = true;
		err = pack_all(&d, threads, &packed);
	}
	if (err == 0)
		err = join_parts(&d, packed, ret, size);
	drop_packed(&d);
	array_release(&d.parts);
	return err;
}

int inflate_bytes(const uint8_t *packed, size_t packed_size, size_t size, uint8_t **ret)
{
	enum { AT_ONCE = 1 << 30 }; /* zlib counts in unsigned int */
	z_stream z = { .next_in = (Bytef *)packed, .avail_in = (uInt)packed_size };
	uint8_t *bytes, beyond;
	size_t done = 0;
	int found = Z_OK;

	if (packed_size > UINT32_MAX)
		return -EBADMSG;
	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	bytes = malloc(size ? size : 1);
	if (!bytes)
		found = Z_MEM_ERROR;
	while (found == Z_OK && done < size) {
		uInt room = size - done < AT_ONCE ? (uInt)(size - done) : AT_ONCE;

		z.next_out = bytes + done;
		z.avail_out = room;
		found = inflate(&z, Z_NO_FLUSH);
		done += room - z.avail_out;
	}
	/* One byte more has to be nothing. */
	z.next_out = &beyond;
	z.avail_out = 1;
	if (found == Z_OK)
		found = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (found == Z_STREAM_END && done == size && z.avail_out == 1 &&
	    z.avail_in == 0) {
		*ret = bytes;
		return 0;
	}
	free(bytes);
	return found == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}
