#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>

#include "base/text.h"

/* Bytes as text: RFC 4648, section 4. */
void base64_add(struct text *t, const uint8_t *bytes, size_t size);

/*
 * Decodes text in place, piece by piece. White space means nothing; a zeroed struct is
 * at the beginning. False for what is no base64.
 */
struct base64 {
	uint32_t bits;
	unsigned count; /* of bits that wait */
	unsigned padding; /* '=' that were seen: only such may follow */
};
bool base64_decode(struct base64 *b, uint8_t *text, size_t size, size_t *decoded);

/* May the text end here? */
bool base64_whole(const struct base64 *b);

#endif
