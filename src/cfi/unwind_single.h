#ifndef CFI_UNWIND_SINGLE_H
#define CFI_UNWIND_SINGLE_H

#include "cfi/entry.h"
#include "cfi/unwind_rule.h"
#include "elf/elf.h"

/*
 * The rule of one address without a table: linkers leave one of all functions, sorted by
 * address, in .eh_frame_hdr (LSB 5.0, 10.6.2). A few reads lead to the one entry that is
 * run.
 *
 *	.eh_frame_hdr  | 4 bytes | .eh_frame | count | start, entry | start, entry | ...
 *	.eh_frame      ... | CIE | ... | FDE | ...        <--- |
 *
 * What is found is what the compiled table says. Where the header has not got exactly the
 * form that linkers give it, or where what it says does not agree with the entries, nothing
 * is said: the table has to be made. So it has when that has become the cheaper way, and
 * for an address between functions if there is .debug_frame. A header can leave a function
 * out that lies within another one or between two, and one function can go on behind
 * another that lies in it: no linker does the first and no compiler the second, and this
 * is not seen.
 */

/* Bytes of the file; false where it has not as many at @offset. */
typedef bool unwind_read(void *arg, uint64_t offset, void *ret, size_t size);

/* Whom a look-up asks for them. */
struct unwind_file {
	unwind_read *read;
	void *arg;
};

struct unwind_single {
	struct cfi_columns columns;
	struct code_ranges code;
	struct cfi_section section; /* what all pieces of it are like */
	struct cfi_extent eh;
	uint64_t base; /* what the header's pointers count from */
	uint64_t first; /* the offset of its table in the file */
	uint32_t count; /* of its functions; 0: it cannot be used */
	bool alone; /* there is no .debug_frame, nor table of Go, which knows more */
	/* Bytes that may still be run, and what looking is worth: all together cost no more
	 * than the table, which is due then. */
	uint64_t left;
	struct single_memory *memory; /* what was read and may be asked for again */
};

/* @o and @debug (may be NULL) are not needed after it. 0, also where only a table will do: count is 0 then.
 * -ENOMEM. */
int unwind_single_open(const struct object *o, const struct object *debug,
		       struct unwind_single *ret);
void unwind_single_release(struct unwind_single *s); /* a zeroed one is fine */

/* 1 and the rule, 0 where the table has to be asked, or -ENOMEM. One thread at a time. */
int unwind_single_find(struct unwind_single *s, uint64_t address,
		       const struct unwind_file *file, struct unwind_rule *ret);

/* Somebody had to wait for another one's look-up: the table, which nobody waits for, is due
 * the sooner. */
void unwind_single_waited(struct unwind_single *s);

/* The table is being made: who has nothing to do with that may go on as long meanwhile. */
void unwind_single_renew(struct unwind_single *s);

/* unwind_single_find() for where the function begins that covers @address; -ENOENT where the table has
 * none. */
int unwind_single_function(struct unwind_single *s, uint64_t address,
			   const struct unwind_file *file, uint64_t *start);

/* Likewise for all rows of that function. */
int unwind_single_visit(struct unwind_single *s, uint64_t address,
			const struct unwind_file *file, unwind_visit *visit,
			void *visit_arg);

/* The rows of the function that is number @i (below count) by address: 1, 0 where it cannot be read,
 * or -ENOMEM. It does not count as a look-up. */
int unwind_single_rows(struct unwind_single *s, uint32_t i,
		       const struct unwind_file *file, unwind_visit *visit,
		       void *visit_arg);

#endif
