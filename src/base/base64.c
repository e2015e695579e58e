/*
 * Six bits a character, collected in a word from which whole bytes are taken, so a text
 * may be cut anywhere between two calls. White space is passed over. A text may end only
 * where the bits that wait are zeros and fewer than six: then nothing is lost.
 */
#include "base/base64.h"

#include <string.h>

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { SPACE = 64, PADDING, OTHER };

/* Six bits, or what it is instead of a digit. */
static uint8_t character_class(uint8_t c)
{
	const char *at = c ? strchr(digits, c) : NULL;

	if (at)
		return (uint8_t)(at - digits);
	if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
		return SPACE;
	return c == '=' ? PADDING : OTHER;
}

/* What came makes whole bytes, and no bits are lost. */
bool base64_whole(const struct base64 *b)
{
	return b->count < 6 && (b->bits & ((1u << b->count) - 1)) == 0;
}

bool base64_decode(struct base64 *b, const uint8_t *text, size_t size, uint8_t *to,
		   size_t *decoded)
{
	const uint8_t *begin = to;
	uint8_t classes[256];

	for (int i = 0; i < 256; i++)
		classes[i] = character_class((uint8_t)i);
	for (size_t i = 0; i < size; i++) {
		uint8_t class = classes[text[i]];

		if (class == SPACE)
			continue;
		if (class == PADDING && b->padding < 2 && b->count && base64_whole(b)) {
			b->padding++;
			continue;
		}
		if (class >= SPACE || b->padding)
			return false;
		b->bits = b->bits << 6 | class;
		b->count += 6;
		if (b->count >= 8) {
			b->count -= 8;
			*to++ = (uint8_t)(b->bits >> b->count);
		}
	}
	*decoded = (size_t)(to - begin);
	return true;
}
