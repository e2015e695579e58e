#ifndef CFI_POINTER_H
#define CFI_POINTER_H

#include <dwarf.h>

#include "base/cursor.h"
#include "base/encoded.h"
#include "cfi/section.h"

/* One number as the low half of a DW_EH_PE_* says it is written (LSB 5.0, 10.5). */
static inline uint64_t read_number(struct cursor *c, uint8_t encoding, uint8_t word)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		return word == 8 ? cursor_u64(c) : cursor_u32(c);
	case DW_EH_PE_uleb128:
		return read_uleb(c);
	case DW_EH_PE_udata2:
		return cursor_u16(c);
	case DW_EH_PE_udata4:
		return cursor_u32(c);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_u64(c);
	case DW_EH_PE_signed:
		return word == 8 ? cursor_u64(c) : (uint64_t)(int32_t)cursor_u32(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)read_sleb(c);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)cursor_u16(c);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)cursor_u32(c);
	default:
		c->bad = true;
		return 0;
	}
}

/*
 * A pointer. @c reads bytes of @s: pointers count from where they stand. False for one
 * that cannot be had from the file (what it points at holds the pointer, or it counts
 * from the start of a function), and for one past the end.
 */
static inline bool read_pointer(struct cursor *c, uint8_t encoding,
				const struct cfi_section *s, uint64_t *ret)
{
	uint64_t at = s->address + (uint64_t)(c->p - s->bytes);
	uint64_t base = 0, value;

	if (encoding & DW_EH_PE_indirect)
		return false;
	switch (encoding & 0x70) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = at;
		break;
	case DW_EH_PE_textrel:
		base = s->text;
		break;
	case DW_EH_PE_datarel:
		base = s->data;
		break;
	case DW_EH_PE_aligned:
		cursor_bytes(c, -at & (s->word - 1u));
		break;
	default:
		return false;
	}
	value = base + read_number(c, encoding, s->word);
	*ret = s->word == 8 ? value : (uint32_t)value;
	return !c->bad;
}

#endif
