/*
 * FIPS 180-4, section 6.2: a block of 64 bytes becomes 64 words, and as many rounds mix them into
 * eight words of state.
 */
#include "base/sha256.h"

#include <string.h>

/* Section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned bits)
{
	return x >> bits | x << (32 - bits);
}

/*
 * A round moves all words one place on, and makes two of them new. Nothing is moved: @turn says where
 * the first one is, and as it is known where this is compiled, words stay in registers.
 */
static inline void add_sha256_round(uint32_t v[8], unsigned turn, uint32_t add)
{
	uint32_t a = v[-turn & 7], b = v[(1 - turn) & 7], c = v[(2 - turn) & 7];
	uint32_t e = v[(4 - turn) & 7], f = v[(5 - turn) & 7], g = v[(6 - turn) & 7];
	uint32_t *d = &v[(3 - turn) & 7], *h = &v[(7 - turn) & 7];
	uint32_t one = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
		       ((e & f) ^ (~e & g)) + add;

	*d += one;
	*h = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
	     ((a & b) ^ (a & c) ^ (b & c));
}

static void add_sha256_block(struct sha256 *s, const uint8_t *p)
{
	uint32_t w[64], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 |
		       (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	memcpy(v, s->state, sizeof(v));
	for (unsigned i = 0; i < 64; i += 8) {
		add_sha256_round(v, 0, constants[i] + w[i]);
		add_sha256_round(v, 1, constants[i + 1] + w[i + 1]);
		add_sha256_round(v, 2, constants[i + 2] + w[i + 2]);
		add_sha256_round(v, 3, constants[i + 3] + w[i + 3]);
		add_sha256_round(v, 4, constants[i + 4] + w[i + 4]);
		add_sha256_round(v, 5, constants[i + 5] + w[i + 5]);
		add_sha256_round(v, 6, constants[i + 6] + w[i + 6]);
		add_sha256_round(v, 7, constants[i + 7] + w[i + 7]);
	}
	for (unsigned i = 0; i < 8; i++)
		s->state[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
	/* Section 5.3.3. */
	*s = (struct sha256){ { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 },
			      0,
			      { 0 } };
}

void sha256_add(struct sha256 *s, const void *bytes, size_t size)
{
	size_t used = s->bytes % sizeof(s->block);
	const uint8_t *p = bytes;

	s->bytes += size;
	while (size) {
		size_t part = sizeof(s->block) - used;

		if (used == 0 && size >= sizeof(s->block)) {
			add_sha256_block(s, p);
			part = sizeof(s->block);
		} else {
			part = part < size ? part : size;
			memcpy(s->block + used, p, part);
			used += part;
			if (used == sizeof(s->block)) {
				add_sha256_block(s, s->block);
				used = 0;
			}
		}
		p += part;
		size -= part;
	}
}

/* A bit, zeros, and the number of bits end the last block. */
void sha256_end(struct sha256 *s, uint8_t ret[SHA256_SIZE])
{
	static const uint8_t padding[64] = { 0x80 };
	uint64_t bits = s->bytes * 8;
	size_t used = s->bytes % sizeof(s->block);
	uint8_t length[8];

	for (unsigned i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(s, padding, used < 56 ? 56 - used : 120 - used);
	sha256_add(s, length, sizeof(length));
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		ret[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}
