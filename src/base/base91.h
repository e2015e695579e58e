#ifndef BASE_BASE91_H
#define BASE_BASE91_H

#include <stdbool.h>

#include "base/text.h"

/*
 * Bytes as text, 6.5 bits a character. 13 bits, low ones first, are a number below 8192, and that
 * is two characters: number % 91, number / 91. Characters are the printable ones of ASCII in
 * their order, but '&', '<' and '>', so that the text stands in XML as it is. Of 1 to 6 bits that
 * are left at the end one character is made, of 7 to 12 two, with zeros above. n bytes are
 * ceil(16 n / 13) characters, and these are no others' text.
 */
enum {
	BASE91_BYTES = 13, /* their text, or that of a multiple, has no rest */
	BASE91_TEXT = 16, /* its characters: such texts can be put together */
};
void base91_add(struct text *t, const uint8_t *bytes, size_t size);

/*
 * Decodes text piece by piece, wherever it is cut. White space means nothing; a zeroed struct is
 * at the beginning. False for what is no such text. @to has room for @size + 1 bytes: a
 * character that came with the piece before may make one more.
 */
struct base91 {
	uint32_t bits; /* low ones are next */
	unsigned count; /* of bits that wait */
	unsigned first; /* 1 + the digit that waits for its other half, or 0 */
};
bool base91_decode(struct base91 *b, const uint8_t *text, size_t size, uint8_t *to,
		   size_t *decoded);

/* The text ends here, and *decoded is 1 where that makes one more byte. False if it may not: bits
 * would be lost, or its last character means nothing. */
bool base91_end(const struct base91 *b, uint8_t *to, size_t *decoded);

#endif
