#ifndef ELF_CALL_CODE_H
#define ELF_CALL_CODE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "elf/machine_code.h"

/* Bytes that have to be known before a return address, CALL_MOST at the most; 0: of that machine (EM_*) no calls are
 * known. */
size_t call_code_size(unsigned machine);

/* Do these call_code_size() bytes, of a machine that is known, end with a call? Those of x86 may look like one by
 * chance; a call always does. */
bool call_code_ends(unsigned machine, const uint8_t *code);

/* Where a jump or call of x86 leads whose last four bytes, at @distance, say how far it is from its end, @end. */
static inline uint64_t near_target(const uint8_t *distance, uint64_t end)
{
	uint32_t value;

	memcpy(&value, distance, sizeof(value));
	return end + (uint64_t)(int64_t)(int32_t)le32toh(value);
}

#endif
