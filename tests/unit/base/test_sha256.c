#include "base/sha256.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect_hash(const char *text, size_t times, const char *expected)
{
	uint8_t hash[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];
	struct sha256 s;

	sha256_init(&s);
	for (size_t i = 0; i < times; i++)
		sha256_add(&s, text, strlen(text));
	sha256_end(&s, hash);
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	cr_assert_str_eq(hex, expected);
}

/* FIPS 180-2, appendix B, and what sha256sum says. */
Test(sha256, hashes_are_those_of_the_standard)
{
	expect_hash("", 1,
		    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect_hash("abc", 1,
		    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect_hash("a", 1000000,
		    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

Test(sha256, it_does_not_matter_how_the_bytes_come)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint8_t whole[SHA256_SIZE], parts[SHA256_SIZE];
	char bytes[300];
	struct sha256 s;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = text[i * 7 % (sizeof(text) - 1)];
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		sha256_init(&s);
		sha256_add(&s, bytes, size);
		sha256_end(&s, whole);
		sha256_init(&s);
		for (size_t at = 0, part = 1; at < size;
		     at += part, part = part % 67 + 3) {
			part = part < size - at ? part : size - at;
			sha256_add(&s, bytes + at, part);
		}
		sha256_end(&s, parts);
		cr_assert_eq(memcmp(whole, parts, sizeof(whole)), 0, "%zu bytes", size);
	}
}
