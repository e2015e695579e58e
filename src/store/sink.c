/*
 * A section is its number, its size, its bytes, and their CRC-32, that of gzip and zlib, which any
 * language has at hand.
 *
 *	varint   varint   bytes     4 bytes, low ones first
 *	number   size     payload   CRC-32 of the payload
 */
#include "store/sink.h"

#include <errno.h>
#include <libdeflate.h>
#include <zstd.h>

/* The version is the least that has what is in the file, so who knows no times still reads all that have none. */
int store_sink_init(struct store_sink *s, FILE *out, bool plain, unsigned flags)
{
	*s = (struct store_sink){ .out = out };
	if (!plain && !(s->packer = ZSTD_createCCtx()))
		return -ENOMEM;
	bytes_add(&s->pending, STORE_MAGIC, STORE_MAGIC_SIZE);
	bytes_varint(&s->pending,
		     flags & STORE_HEAT ? STORE_VERSION : STORE_VERSION_BEFORE);
	bytes_varint(&s->pending, flags);
	return 0;
}

void store_sink_release(struct store_sink *s)
{
	ZSTD_freeCCtx(s->packer);
	bytes_release(&s->pending);
	bytes_release(&s->section);
	bytes_release(&s->packed);
	s->packer = NULL;
}

static void put_sink_bytes(struct store_sink *s, const void *bytes, size_t size)
{
	errno = 0;
	if (s->err == 0 && fwrite(bytes, 1, size, s->out) != size)
		s->err = errno ? -errno : -EIO;
}

void store_sink_flush(struct store_sink *s)
{
	if (s->pending.failed || s->section.failed)
		s->err = -ENOMEM;
	for (size_t at = 0; at < s->pending.count && s->err == 0;) {
		size_t left = s->pending.count - at;
		size_t part = left < STORE_PIECE ? left : STORE_PIECE;

		const uint8_t *bytes = s->pending.v + at;

		if (s->packer) {
			size_t bound = ZSTD_compressBound(part);

			s->packed.count = 0;
			if (bytes_reserve(&s->packed, bound))
				bound = ZSTD_compressCCtx(s->packer, s->packed.v, bound,
							  bytes, part, STORE_LEVEL);
			if (s->packed.failed || ZSTD_isError(bound))
				s->err = -ENOMEM;
			put_sink_bytes(s, s->packed.v, bound);
		} else {
			put_sink_bytes(s, bytes, part);
		}
		at += part;
	}
	s->pending.count = 0;
}

void store_sink_end_section(struct store_sink *s, enum store_section id)
{
	uint32_t sum = libdeflate_crc32(0, s->section.v, s->section.count);

	/* Nobody could read it. */
	if (s->section.count > STORE_SECTION_MOST && s->err == 0)
		s->err = -EFBIG;

	bytes_varint(&s->pending, id);
	bytes_varint(&s->pending, s->section.count);
	bytes_add(&s->pending, s->section.v, s->section.count);
	for (unsigned i = 0; i < 4; i++)
		bytes_u8(&s->pending, (uint8_t)(sum >> 8 * i));
	s->section.count = 0;
}
