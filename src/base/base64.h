#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes text piece by piece: RFC 4648, section 4. White space means nothing; a zeroed
 * struct is at the beginning. False for what is no base64. @to has room for @size bytes.
 */
struct base64 {
	uint32_t bits;
	unsigned count; /* of bits that wait */
	unsigned padding; /* '=' that were seen: only such may follow */
};
bool base64_decode(struct base64 *b, const uint8_t *text, size_t size, uint8_t *to,
		   size_t *decoded);

/* May the text end here? */
bool base64_whole(const struct base64 *b);

#endif
