#ifndef JIT_UNWIND_H
#define JIT_UNWIND_H

#include "jit/jitdump.h"

/*
 * The call frame information of a jitdump as an ELF file in memory, for those who read that
 * of objects. Its addresses, and offsets in it, are those of the dump's bytes, so that they
 * are what stands for the code:
 *
 *	dump    header |...| code of f |...| code of g |...|
 *	object  header |   (a hole)                        | .eh_frame | sections
 *
 * What a runtime wrote counts from where the code lay: it is moved. There are no bytes of
 * code in it, and nobody may take the hole for such: its segment is writable.
 */

/* *@ret: a memfd, or -1 where there is nothing that could be used. 0, or -ENOMEM. */
int jit_unwind_make(const struct jitdump *d, int *ret);

#endif
