#ifndef CFI_GO_FRAMES_H
#define CFI_GO_FRAMES_H

#include "cfi/section.h"

/*
 * The .debug_frame that Go's linker would have written, from the table that is there when the program
 * is stripped (elf/go_table.h). 0, also where there is none (size is 0 then), or -ENOMEM.
 */
int cfi_section_go(const struct object *o, const struct machine *m,
		   struct cfi_section *ret);

#endif
