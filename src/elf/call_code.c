/*
 * Code of x86 cannot be read backwards, as instructions have any length. What can be
 * said is whether the bytes in front of an address could be a call: E8 with a distance
 * of 4 bytes, or FF /2 whose ModRM and SIB bytes say just the length that it would have
 * (Intel SDM, volume 2, 2.1). Other bytes may look like that by chance; a near call
 * always does. On aarch64 an instruction is 4 bytes, and the answer is exact.
 */
#include "elf/call_code.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

/* The length of an indirect call, FF /2, by its bytes from ModRM on; 0: it is none. */
static unsigned indirect_call(const uint8_t *at)
{
	static const uint8_t displacement[] = { 0, 1, 4, 0 };
	unsigned mode = at[0] >> 6, base = at[0] & 7, size = 2;

	if ((at[0] >> 3 & 7) != 2)
		return 0;
	if (mode != 3 && base == 4) {
		size++;
		if (mode == 0 && (at[1] & 7) == 5)
			return size + 4;
	}
	if (mode == 0 && base == 5)
		return size + 4;
	return size + displacement[mode];
}

/* Do the @CALL_MOST bytes end with a call? Prefixes do not matter. */
static bool ends_with_x86_call(const uint8_t *code)
{
	const uint8_t *end = code + CALL_MOST;
	uint8_t padded[CALL_MOST + 2] = { 0 };

	if (end[-5] == 0xe8)
		return true;
	memcpy(padded, code, CALL_MOST);
	for (unsigned size = 2; size <= CALL_MOST; size++)
		if (end[-(int)size] == 0xff &&
		    indirect_call(padded + CALL_MOST - size + 1) == size)
			return true;
	return false;
}

/* BL, BLR and BLR with authentication. */
static bool is_aarch64_call(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	word = le32toh(word);
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 ||
	       (word & 0xfefff800) == 0xd63f0800;
}

size_t call_code_size(unsigned machine)
{
	switch (machine) {
	case EM_AARCH64:
		return 4;
	case EM_X86_64:
	case EM_386:
		return CALL_MOST;
	default:
		return 0;
	}
}

bool call_code_ends(unsigned machine, const uint8_t *code)
{
	return machine == EM_AARCH64 ? is_aarch64_call(code) : ends_with_x86_call(code);
}
