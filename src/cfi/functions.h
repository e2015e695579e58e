#ifndef CFI_FUNCTIONS_H
#define CFI_FUNCTIONS_H

#include "cfi/source.h"

/*
 * All functions of an object that call frame information knows: of .eh_frame, of its
 * .debug_frame and that of its debug file, where the ones in front win, and for want of
 * .debug_frame those of Go's own table. They are cut to spans that do not overlap.
 */
struct cfi_functions {
	struct cfi_columns columns; /* few; machine is NULL where there is nothing */
	struct code_ranges code;
	struct cfi_source sources[4];
	struct spans spans;
	uint64_t bytes; /* of all sections */
	uint64_t refused; /* FDEs that were left out */
};

/* The machine whose rules @o has; NULL where it cannot have any. All that are known are
 * little-endian. */
const struct machine *cfi_machine(const struct object *o);

/* @debug may be NULL. 0, also where there is nothing; -ENOMEM, and nothing is open. */
int cfi_functions_open(const struct object *o, const struct object *debug,
		       struct cfi_functions *ret);
void cfi_functions_release(struct cfi_functions *f);

/* The function that @span, one of f->spans, is a part of, and where it was read. */
const struct cfi_fde *cfi_functions_at(const struct cfi_functions *f,
				       const struct span *span,
				       const struct cfi_source **source);

#endif
