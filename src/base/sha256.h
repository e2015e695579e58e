#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/*
 * SHA-256 (FIPS 180-4): names of what others wrote. hash.h has hashes for tables, which differ
 * from process to process and which nobody has to break to find two texts of one hash.
 */
enum { SHA256_SIZE = 32 };

struct sha256 {
	uint32_t state[8];
	uint64_t bytes; /* so far */
	uint8_t block[64]; /* what of the next one there is */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t size);
void sha256_end(struct sha256 *s, uint8_t ret[SHA256_SIZE]);

#endif
