#ifndef TREE_ARITHMETIC_H
#define TREE_ARITHMETIC_H

#include "base/bytes.h"
#include "base/cursor.h"

/*
 * Bits as an arithmetic code: one costs the logarithm of the chance that it was given, so that nothing but
 * forecasts decides how long the code is. The range that is left is cut in proportion, bit after bit, and the
 * bytes are those of a number in it (G. N. N. Martin, Range encoding, 1979; the form of LZMA).
 */
struct arithmetic {
	struct bytes *to; /* NULL: it is read */
	struct cursor *from;
	uint64_t low; /* of the range, where it is written: a 33rd bit is a carry */
	uint32_t range,
		code; /* how wide it is; of what is read, where in it the number is */
	uint8_t held; /* the last byte, which a carry may still change, */
	uint64_t full; /* and so many behind it that are 255 */
	bool begun; /* there is such a byte */
};

struct arithmetic arithmetic_writer(struct bytes *to);
struct arithmetic arithmetic_reader(struct cursor *from);

/* @chance: that it is 1, of 2^16, neither 0 nor all. Returns the bit, which is @bit where it is written. */
bool arithmetic_bit(struct arithmetic *a, uint32_t chance, bool bit);

/* What has been held back of what was written. Who has read all bits has read all bytes. */
void arithmetic_end(struct arithmetic *a);

#endif
