/*
 * Blocks of 13 bytes, which are 16 characters, go through two words. What makes no block goes
 * character by character: the end of a text, white space, and where a text was cut before.
 * base91.h says what stands for what.
 */
#include "base/base91.h"

#include <endian.h>
#include <string.h>

enum { DIGITS = 91, BITS = 13, LIMIT = 1 << BITS };

static const char digits[] = "!\"#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/* Eight characters of 52 bits: four numbers of 13 bits, each of two digits. */
static void put_half(char *to, uint64_t bits)
{
	for (int i = 0; i < BASE91_TEXT / 2; i += 2, bits >>= BITS) {
		unsigned number = bits % LIMIT;

		to[i] = digits[number % DIGITS];
		to[i + 1] = digits[number / DIGITS];
	}
}

/* Two words that overlap are loaded, as 13 bytes are no word. */
static void put_block(char *to, const uint8_t *bytes)
{
	uint64_t low, high;

	memcpy(&low, bytes, sizeof(low));
	/* 12 of its bits are in the first half, too. */
	memcpy(&high, bytes + BASE91_BYTES - sizeof(high), sizeof(high));
	put_half(to, le64toh(low));
	put_half(to + BASE91_TEXT / 2, le64toh(high) >> 12);
}

void base91_add(struct text *t, const uint8_t *bytes, size_t size)
{
	char text[256 * BASE91_TEXT];
	uint8_t last[BASE91_BYTES] = { 0 };

	while (size >= BASE91_BYTES) {
		size_t n = 0;

		for (; n < sizeof(text) && size >= BASE91_BYTES; n += BASE91_TEXT) {
			put_block(text + n, bytes);
			bytes += BASE91_BYTES;
			size -= BASE91_BYTES;
		}
		text_add(t, text, n);
	}
	if (size == 0)
		return;
	memcpy(last, bytes, size);
	put_block(text, last);
	text_add(t, text, (size * BASE91_TEXT + BASE91_BYTES - 1) / BASE91_BYTES);
}

/* What a character adds to a number, as the first one of a pair and as the second one. What is no
 * digit makes it too large. */
struct digit_values {
	uint16_t first[256], second[256];
};

static void list_values(struct digit_values *v)
{
	for (int c = 0; c < 256; c++)
		v->first[c] = v->second[c] = LIMIT;
	for (unsigned i = 0; i < DIGITS; i++) {
		v->first[(uint8_t)digits[i]] = (uint16_t)i;
		v->second[(uint8_t)digits[i]] = (uint16_t)(DIGITS * i);
	}
}

/* 52 bits of eight characters, or with more bits set if one is no digit. */
static uint64_t half_block(const struct digit_values *v, const uint8_t *text)
{
	uint64_t bits = 0;
	uint32_t over = 0;

	for (int i = 0; i < 4; i++) {
		uint32_t number =
			(uint32_t)v->first[text[2 * i]] + v->second[text[2 * i + 1]];

		over |= number;
		bits |= (uint64_t)number << (BITS * i);
	}
	return over < LIMIT ? bits : UINT64_MAX;
}

/* A block that begins with the first bit of a byte. False: look at each of its characters. */
static bool take_block(const struct digit_values *v, const uint8_t *text, uint8_t *to)
{
	uint64_t low = half_block(v, text);
	uint64_t high = half_block(v, text + BASE91_TEXT / 2);

	if ((low | high) == UINT64_MAX)
		return false;
	low = htole64(low | high << 52);
	high = htole64(high >> 12);
	memcpy(to, &low, sizeof(low));
	memcpy(to + sizeof(low), &high, BASE91_BYTES - sizeof(low));
	return true;
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One character: @to moves over the bytes that it makes. */
static bool take_character(struct base91 *b, const struct digit_values *v, uint8_t c,
			   uint8_t **to)
{
	uint32_t number;

	if (is_space(c))
		return true;
	if (v->first[c] >= LIMIT)
		return false;
	if (b->first == 0) {
		b->first = 1u + v->first[c];
		return true;
	}
	number = b->first - 1 + v->second[c];
	if (number >= LIMIT)
		return false;
	b->first = 0;
	b->bits |= number << b->count;
	for (b->count += BITS; b->count >= 8; b->count -= 8, b->bits >>= 8)
		*(*to)++ = (uint8_t)b->bits;
	return true;
}

/* Blocks, as long as the text begins one at a byte; white space and cuts are met by characters until it does
 * again. */
bool base91_decode(struct base91 *b, const uint8_t *text, size_t size, uint8_t *to,
		   size_t *decoded)
{
	const uint8_t *begin = to, *end = text + size;
	struct digit_values values;

	list_values(&values);
	while (text < end)
		if (b->count == 0 && b->first == 0 && end - text >= BASE91_TEXT &&
		    take_block(&values, text, to)) {
			text += BASE91_TEXT;
			to += BASE91_BYTES;
		} else if (!take_character(b, &values, *text++, &to)) {
			return false;
		}
	*decoded = (size_t)(to - begin);
	return true;
}

bool base91_end(const struct base91 *b, uint8_t *to, size_t *decoded)
{
	uint32_t bits = b->bits;
	unsigned count = b->count, least = 7;

	*decoded = 0;
	/* A single character has six bits, a second one is there for seven or more. */
	if (b->first) {
		bits |= (b->first - 1) << count;
		count += 6;
		least = 6;
	}
	if (count >= 8) {
		*to = (uint8_t)bits;
		bits >>= 8;
		count -= 8;
		*decoded = 1;
	}
	return bits == 0 && count < least;
}
