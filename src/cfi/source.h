#ifndef CFI_SOURCE_H
#define CFI_SOURCE_H

#include "base/span.h"
#include "cfi/entry.h"
#include "elf/elf.h"

/* One section with its functions, cut so that no two overlap. */
struct cfi_source {
	struct cfi_section section;
	struct cfi_reader reader;
	ARRAY(struct cfi_fde) functions;
	struct spans spans; /* ids are indexes of functions */
};

/* Reads all functions of the section, which @s takes over; those that are no code are
 * refused. 0 or -ENOMEM; cfi_source_release() is due in any case. */
int cfi_source_read(struct cfi_source *s, const struct cfi_columns *columns,
		    const struct code_ranges *code);
void cfi_source_release(struct cfi_source *s);

/*
 * Adds to @to what @from covers and @to does not, with @tag added to its ids:
 *
 *	to      |---a---|         |---b---|
 *	from        |------x------|     |--y--|
 *	to      |---a---|----x----|---b---|-y-|
 */
int spans_fill(struct spans *to, const struct spans *from, uint32_t tag);

#endif
