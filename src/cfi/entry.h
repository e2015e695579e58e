#ifndef CFI_ENTRY_H
#define CFI_ENTRY_H

#include "base/array.h"
#include "base/hash.h"
#include "cfi/row.h"
#include "cfi/section.h"

/* What functions have in common (DWARF 5, 6.4.1; LSB 5.0, 10.6.1). */
struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses in its FDEs, DW_EH_PE_* */
	uint8_t address_size, segment_size;
	bool sized; /* its FDEs have augmentation data, with its size in front */
	bool signal; /* a frame the kernel made */
	uint64_t ra; /* the column of the return address */
	bool bad;
	uint8_t unsized; /* bytes of augmentation data in FDEs without a size */
	uint32_t at, size; /* of its instructions, in the section */
	struct cfi_rule initial[CFI_FEW];
};

/* A function. */
struct cfi_fde {
	uint64_t start, end; /* end exclusive */
	uint32_t cie; /* in the reader's list */
	uint32_t at, size; /* of its instructions, in the section */
};

/* Reads the entries of one section in their order. */
struct cfi_reader {
	struct cfi_run run; /* for the CIEs */
	struct cursor c;
	ARRAY(struct cfi_cie) cies;
	struct hash_map by_offset;
	bool has_last;
	uint64_t last_offset;
	uint32_t last_cie; /* UINT32_MAX: it cannot be used */
	uint64_t refused; /* FDEs that were left out */
	uint64_t work; /* bytes of CIEs that may still be read: hostile ones overlap */
};

/* The section may be empty; both outlive the reader. @columns are few. */
void cfi_reader_open(struct cfi_reader *ret, const struct cfi_columns *columns,
		     const struct cfi_section *section);
void cfi_reader_release(struct cfi_reader *r);

/* 1, 0 at the end, or -ENOMEM. Functions at address 0, which the linker threw away, are
 * passed over. */
int cfi_reader_next(struct cfi_reader *r, struct cfi_fde *ret);

/*
 * One entry without the others: of a piece of .eh_frame that begins with it, where what
 * counts from the start of the section counts from that of the piece. An entry that is cut
 * is none.
 */

/* Its bytes, as its first 12 say, which may be all there are; 0: it cannot be told. */
uint64_t cfi_piece_size(const struct cfi_section *piece);

/* Where the CIE of a function begins: before the piece, so the number wraps. */
bool cfi_piece_parent(const struct cfi_section *piece, uint64_t *ret);

/* The CIE that @run's section begins with; that has to stay as long as @ret is used. */
bool cfi_piece_cie(struct cfi_run *run, struct cfi_cie *ret);

/* The function; not one at address 0. */
bool cfi_piece_fde(const struct cfi_section *piece, const struct cfi_cie *cie,
		   struct cfi_fde *ret);

#endif
