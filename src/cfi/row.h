#ifndef CFI_ROW_H
#define CFI_ROW_H

#include "base/array.h"
#include "base/cursor.h"
#include "elf/elf.h"

struct cfi_cie;
struct cfi_fde;
struct cfi_section;

/* What a row says of one value of the caller. */
enum cfi_how {
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_SAVED, /* at CFA + number */
	CFI_VALUE, /* is CFA + number */
	CFI_REGISTER, /* is register + number */
	CFI_SAVED_EXPRESSION, /* where an expression says */
	CFI_VALUE_EXPRESSION,
	CFI_ODD, /* said in numbers that overflow */
};

struct cfi_rule {
	uint8_t how; /* enum cfi_how */
	uint32_t size; /* of an expression; else the register */
	union {
		int64_t number;
		const uint8_t *expression; /* in the section */
	};
};

/*
 * A row of the table that the instructions of DWARF 5, 6.4 describe is an array of
 * rules. Tables are compiled with few columns; a full step has one for each register.
 *
 *	few   CFA | EXPRESSION | SIGNED | ELSE | RA | FP | SP
 *	all   CFA | EXPRESSION | SIGNED | ELSE | register 0 | register 1 | ...
 */
enum cfi_column {
	/* UNDEFINED, REGISTER, ODD or VALUE_EXPRESSION, which lies in the next column:
	 * register and offset are kept, for an instruction that goes back to them. */
	CFI_CFA,
	CFI_EXPRESSION,
	CFI_SIGNED, /* UNDEFINED: it is not; aarch64's pointer authentication */
	CFI_ELSE, /* registers without a column; nobody reads it */
	CFI_RA,
	CFI_FP,
	CFI_SP,
	CFI_FEW,
	CFI_ALL_FIRST = CFI_RA,
	CFI_ALL = CFI_ALL_FIRST + REGISTERS_MOST,
};

struct cfi_columns {
	const struct machine *machine;
	uint8_t count;
	uint8_t of[REGISTERS_MOST]; /* by DWARF number */
};

void cfi_columns_few(const struct machine *m, struct cfi_columns *ret);
void cfi_columns_all(const struct machine *m, struct cfi_columns *ret);

/* Runs the instructions of one function after another. A zeroed one with columns and
 * section set is ready. */
struct cfi_run {
	const struct cfi_columns *columns;
	const struct cfi_section *section;
	const struct cfi_cie *cie;
	const struct cfi_rule *initial; /* what functions of the CIE start with */
	struct cursor c;
	struct cfi_rule row[CFI_ALL]; /* holds from @from to @to */
	uint64_t from, to, end;
	bool broken; /* what follows @from makes no sense */
	bool no_memory;
	ARRAY(struct cfi_rule) remembered;
};

/* Runs a CIE's instructions; @ret, for all columns, is what functions start with. False
 * where they make no sense. */
bool cfi_run_initial(struct cfi_run *r, const struct cfi_cie *cie, struct cfi_rule *ret);

/* @initial outlives the function. */
void cfi_run_begin(struct cfi_run *r, const struct cfi_cie *cie,
		   const struct cfi_rule *initial, const struct cfi_fde *fde);

/* The next row; false behind the last one, and where broken or no_memory is set. */
bool cfi_run_next(struct cfi_run *r);

void cfi_run_release(struct cfi_run *r);

#endif
