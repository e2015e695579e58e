#ifndef CFI_UNWIND_ROWS_H
#define CFI_UNWIND_ROWS_H

#include "cfi/unwind_rule.h"

/* A table while rows are added to it, in ascending order of address. */
struct unwind_rows {
	struct unwind_table *table; /* base and page_count are set, the rest is zero */
	uint32_t room; /* for rows */
	uint32_t page; /* pages up to this one have their first row */
	uint16_t last; /* rule of the last row */
	uint16_t *slots; /* rules by hash; 0: none */
	ARRAY(struct packed_rule) packed; /* rules by id */
	uint32_t mask;
};

enum { RULE_NONE, RULE_OTHER };

/* For at least @rows rows. 0 or -ENOMEM; rows_finish() or rows_abandon() is due in
 * any case. */
int rows_begin(struct unwind_rows *r, struct unwind_table *table, uint64_t rows);

/* Rules may be many: what does not fit becomes RULE_OTHER. False without memory. */
bool rows_rule(struct unwind_rows *r, struct packed_rule rule, uint16_t *ret);

/* From @address, which is in the table's pages, @rule holds. */
bool rows_add(struct unwind_rows *r, uint64_t address, uint16_t rule);

/* Where the last row ends. */
int rows_finish(struct unwind_rows *r, uint64_t end);
void rows_abandon(struct unwind_rows *r);

#endif
