#ifndef CFI_UNWIND_RULE_H
#define CFI_UNWIND_RULE_H

#include "cfi/row.h"
#include "cfi/unwind.h"

/* A rule as two numbers, quick to make, to hash and to compare: the compiler of tables
 * meets one for each row, and few that differ. */
struct packed_rule {
	uint64_t cfa; /* kind, flags, more and cfa, lowest first */
	uint64_t saved; /* ra and fp */
};

struct packed_rule rule_pack(const struct unwind_rule *rule);
struct unwind_rule rule_unpack(struct packed_rule p);

/* What the row of @run says, as far as a rule can; else UNWIND_OTHER. */
struct packed_rule rule_of_row(const struct cfi_run *run);

/* A row of one function, from @from to @to. */
typedef void unwind_visit(void *arg, uint64_t from, uint64_t to,
			  const struct unwind_rule *rule);

/* All rows of the function that covers @address in a table, which end where the next one's begin.
 * False where none covers it. */
bool unwind_visit_function(const struct unwind_table *t, uint64_t address,
			   unwind_visit *visit, void *arg);

/* All rows of the function that @run was begun for, as far as they make sense. */
void unwind_rows_visit(struct cfi_run *run, unwind_visit *visit, void *arg);

#endif
