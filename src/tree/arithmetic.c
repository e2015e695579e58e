/*
 * The range is 32 bits and kept above 2^24. What is added to its low end while it is written may carry into bytes
 * that are done, so the last one of them, and those of 255 behind it, wait until no carry can come.
 */
#include "tree/arithmetic.h"

enum { LOW_BYTES = 24 };

struct arithmetic arithmetic_writer(struct bytes *to)
{
	return (struct arithmetic){ .to = to, .range = UINT32_MAX };
}

struct arithmetic arithmetic_reader(struct cursor *from)
{
	struct arithmetic ret = { .from = from, .range = UINT32_MAX };

	for (int i = 0; i < 4; i++)
		ret.code = ret.code << 8 | cursor_u8(from);
	return ret;
}

/*
 * The highest byte of the low end is done, but for a carry:
 *
 *	held    full times     low: carry | byte | 24 bits
 *	 17    ff ff ff ff           1       3c     ...        -> 18 00 00 00 00, and 3c is held
 */
static void shift_out(struct arithmetic *a)
{
	uint8_t carry = (uint8_t)(a->low >> 32), byte = (uint8_t)(a->low >> LOW_BYTES);

	if (byte == 255 && !carry) {
		a->full++;
	} else {
		if (a->begun)
			bytes_u8(a->to, (uint8_t)(a->held + carry));
		for (; a->full; a->full--)
			bytes_u8(a->to, (uint8_t)(255 + carry));
		a->held = byte;
		a->begun = true;
	}
	a->low = (a->low & ((1u << LOW_BYTES) - 1)) << 8;
}

/* A range above 2^24 has 2^8 parts of 2^16 at least, so no chance becomes a part of nothing. */
bool arithmetic_bit(struct arithmetic *a, uint32_t chance, bool bit)
{
	uint32_t part = (a->range >> 16) * chance;

	if (!a->to)
		bit = a->code < part;
	if (bit) {
		a->range = part;
	} else {
		a->range -= part;
		a->low += part;
		a->code -= part;
	}
	while (!(a->range >> LOW_BYTES)) {
		a->range <<= 8;
		if (a->to)
			shift_out(a);
		else
			a->code = a->code << 8 | cursor_u8(a->from);
	}
	return bit;
}

/* As many bytes as a reader takes: four before the first bit, and one for each that came in between. */
void arithmetic_end(struct arithmetic *a)
{
	for (int i = 0; i < 5; i++)
		shift_out(a);
}
