#ifndef TESTS_CFI_IMAGE_H
#define TESTS_CFI_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/unwind.h"

/*
 * An ELF file in memory with call frame information written byte by byte:
 *
 *	struct cfi_image i;
 *	struct unwind_table t;
 *
 *	cfi_begin(&i, EM_X86_64);
 *	cfi_cie(&i, CIE_X86_64);
 *	cfi_fde(&i, 0x1000, 0x10, OPS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16));
 *	cfi_compile(&i, &t);
 *	...row_at(&t, 0x1001)...
 *	unwind_release(&t);
 *	cfi_end(&i);
 *
 * Code lies from CFI_TEXT on; .eh_frame, where nothing else is chosen, is the last thing
 * in the file, so that a sanitizer sees what reads behind it.
 */
enum { CFI_TEXT = 0x1000 };

struct cfi_part {
	uint8_t *v;
	size_t count, room;
};

struct cfi_image {
	unsigned machine;
	uint8_t word;
	bool big_endian, stripped, relocatable;
	size_t text_size; /* a page */
	struct cfi_part eh, debug, header;
	struct cfi_part *to; /* where entries go: &eh, or &debug */
	const char *debug_name; /* ".debug_frame" */
	uint64_t debug_flags; /* of its section */
	uint64_t cie; /* where the last CIE begins in its section */
	uint8_t encoding; /* of the last CIE */
	bool sized;
	uint8_t *bytes; /* the file, once it was written */
	size_t size;
};

void cfi_begin(struct cfi_image *i, unsigned machine);
void cfi_end(struct cfi_image *i);

/* From here on entries go to .debug_frame. */
void cfi_debug(struct cfi_image *i);

/* Pieces of an entry, wherever they go. */
void cfi_number(struct cfi_image *i, uint64_t value, unsigned size);
void cfi_bytes(struct cfi_image *i, const void *bytes, size_t size);

/* What a CIE says; see DWARF 5, 6.4.1. */
struct cie {
	uint8_t version;
	const char *letters;
	uint8_t encoding; /* 'R' */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	bool wide; /* a length of 64 bits */
	const uint8_t *ops;
	size_t ops_size;
};

#define OPS(...)                                                                         \
	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
/* What linkers write for a PLT: CFA = sp + 8 + ((pc & 15) >= 11) * 8 */
#define PLT_OPS                                                                          \
	{                                                                                \
		DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,          \
			DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,       \
			DW_OP_shl, DW_OP_plus                                            \
	}

#define NO_OPS NULL, 0

/* The ones compilers write: CFA is sp + 8, the return address below it. */
#define CIE_X86_64                                                                       \
	(struct cie)                                                                     \
	{                                                                                \
		1, "zR", 0x1b, 1, -8, 16, false, OPS(0x0c, 7, 8, 0x90, 1)                \
	}

void cfi_cie(struct cfi_image *i, struct cie cie);
void cfi_fde(struct cfi_image *i, uint64_t start, uint64_t size, const uint8_t *ops,
	     size_t ops_size);

/* Where entries are written by hand: the length is filled in by the second. */
size_t cfi_entry(struct cfi_image *i, bool wide);
void cfi_entry_end(struct cfi_image *i, size_t entry, bool wide);

/* Puts the file together, opens it, asserts that it can be compiled. */
void cfi_write(struct cfi_image *i);
void cfi_open(struct cfi_image *i, struct object *ret);
void cfi_compile(struct cfi_image *i, struct unwind_table *ret);

/*
 * The row at an address, in words, valid until the next call:
 *
 *	none | end | other
 *	sp+16 ra=c-8 fp=c-16
 *	*(fp-8)+0 ra=c-8 fp=b+0
 *	plt sp+8>=11 ra=c-8
 *	sp+0 ra=lr signed signal
 */
const char *row_at(const struct unwind_table *t, uint64_t address);

#endif
