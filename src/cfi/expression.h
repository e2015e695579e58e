#ifndef CFI_EXPRESSION_H
#define CFI_EXPRESSION_H

#include "cfi/frame.h"

/* What an expression of call frame information may refer to. */
struct expression_context {
	const struct machine *machine;
	const struct registers *regs;
	frame_read *read;
	void *read_arg;
	const uint64_t *cfa; /* on the stack when it begins; NULL in that of the CFA */
	uint64_t *left; /* steps that may be done; NULL: any number */
};

/*
 * Evaluates a DWARF expression (DWARF 5, 2.5): the value on top of the stack at its end.
 * False where it makes no sense, takes too long, or needs what was not recorded.
 */
bool expression_run(const struct expression_context *context, const uint8_t *bytes,
		    size_t size, uint64_t *ret);

#endif
