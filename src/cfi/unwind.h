#ifndef CFI_UNWIND_H
#define CFI_UNWIND_H

#include "base/budget.h"
#include "elf/elf.h"

/*
 * Call frame information, compiled: .eh_frame and .debug_frame of an object as rows
 * sorted by address, 4 bytes each. A row holds from its address to that of the next;
 * gaps between functions are rows of their own.
 *
 *	pages[(address - base) >> 10] -> low[]   16 bits of the address, sorted in a page
 *	                                 rule[]  index in rules, many rows share one
 *
 * What most rows say fits a rule: where the caller's stack pointer (CFA) is, counted
 * from one of two registers (its base), and where the return address and the frame
 * pointer lie, counted from the CFA or from the base. All else is UNWIND_OTHER: a
 * sample that meets it is unwound with all registers, by frame_step().
 */
/* Some 15 rows a page: one line of a cache. */
enum { UNWIND_PAGE_BITS = 10 };

enum unwind_cfa {
	UNWIND_NONE, /* no row: nothing is known of the address */
	UNWIND_END, /* the outermost frame: its return address is undefined */
	UNWIND_SP, /* CFA = sp + cfa */
	UNWIND_FP, /* CFA = fp + cfa */
	UNWIND_PLT, /* CFA = sp + cfa + (pc & 15 >= more ? a word : 0) */
	UNWIND_SP_DEREF, /* CFA = *(sp + cfa) + more */
	UNWIND_FP_DEREF, /* CFA = *(fp + cfa) + more */
	UNWIND_OTHER, /* see frame_step() */
};

enum unwind_flag {
	UNWIND_RA_SAME = 1, /* the return address is still in its register (aarch64) */
	UNWIND_FP_SAVED = 2, /* the caller's fp lies at CFA + fp; else it is unchanged */
	UNWIND_SIGNAL = 4, /* a signal frame: the caller was interrupted, its pc is no
			      return address */
	UNWIND_SIGNED = 8, /* the return address is signed (aarch64 PAC) */
	/* ra and fp count from the base, sp or fp, not from the CFA: signal frames, and
	 * functions that align their stack. */
	UNWIND_RA_AT_BASE = 16,
	UNWIND_FP_AT_BASE = 32,
};

struct unwind_rule {
	uint8_t cfa_kind; /* enum unwind_cfa */
	uint8_t flags; /* of enum unwind_flag; 0 for NONE, END and OTHER */
	int16_t more; /* of _DEREF and _PLT */
	int32_t cfa;
	int32_t ra, fp; /* from the CFA; ra counts without UNWIND_RA_SAME */
};

struct unwind_table {
	const struct machine *machine;
	uint64_t base; /* of page 0; a multiple of the page */
	uint64_t end; /* behind the last row */
	uint32_t *pages; /* count + 1 of them: index of the page's first row */
	uint32_t page_count;
	uint32_t row_count; /* the first is at base */
	uint16_t *low, *rule;
	ARRAY(struct unwind_rule) rules; /* 0 is UNWIND_NONE, 1 UNWIND_OTHER */
	uint32_t *functions; /* where FDEs begin, from base, sorted */
	uint32_t function_count;
	uint64_t refused; /* FDEs that could not be understood, wholly or in part */
	struct claim claim; /* of the object's budget */
};

/*
 * The rows of @o: .eh_frame (by section, or by PT_GNU_EH_FRAME where the sections are
 * stripped), then what .debug_frame of @o and of @debug (may be NULL) adds. 0, also for
 * an object without any, or of a machine that is not known: row_count is 0 then.
 * -ENOMEM. Nothing in the object is trusted; time and memory are bounded by its size.
 */
int unwind_compile(const struct object *o, const struct object *debug,
		   struct unwind_table *ret);
void unwind_release(struct unwind_table *t); /* a zeroed one is fine */

extern const struct unwind_rule unwind_none;

/* The rule at an address of the object; UNWIND_NONE where none covers it. */
static inline const struct unwind_rule *unwind_find(const struct unwind_table *t,
						    uint64_t address)
{
	uint64_t page = (address - t->base) >> UNWIND_PAGE_BITS;
	uint16_t low = (uint16_t)address;
	uint32_t row, count;

	if (page >= t->page_count)
		return &unwind_none;
	/* The last row that begins at or below the address; where none of the page does,
	 * the one before it, which goes on. No branch: they could not be predicted. */
	row = t->pages[page] - 1;
	count = t->pages[page + 1] - row;
	while (count > 1) {
		uint32_t half = count / 2;

		row += half & -(uint32_t)(t->low[(uint32_t)(row + half)] <= low);
		count -= half;
	}
	return &t->rules.v[t->rule[row]];
}

/* Where the function begins that call frame information knows at @address: the start of
 * its FDE, or of the piece of it behind another one's that lies inside. False where none
 * covers it. Costs more than unwind_find(). */
bool unwind_function(const struct unwind_table *t, uint64_t address, uint64_t *start);

#endif
