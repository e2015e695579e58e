#ifndef CFI_FRAME_POINTERS_H
#define CFI_FRAME_POINTERS_H

#include "cfi/unwind_single.h"
#include "elf/elf.h"

/*
 * Does the code of an object keep frame pointers, so that a chain of them leads through its
 * functions?
 *
 * What its call frame information says of functions that use the stack tells it: code that
 * was compiled with -fno-omit-frame-pointer has the frame pointer set up behind the prologue
 * of nearly all of them, other code in those with a VLA or alloca(). Functions that leave the
 * stack alone, the PLT and _start say nothing either way.
 */
struct frame_pointers {
	uint64_t kept, omitted; /* bytes of code, of the functions that were looked at */
};

enum frame_pointer_use {
	FRAME_POINTERS_UNKNOWN, /* nothing says it */
	FRAME_POINTERS_KEPT, /* by nine tenths of the code */
	FRAME_POINTERS_MIXED, /* by more than half of it */
	FRAME_POINTERS_OMITTED, /* the rest are functions with a stack of changing size */
};

/* @debug may be NULL. At most some 2,000 functions are looked at, spread over all code, but
 * where no list of them is in the file: then its call frame information is read once. 0, also
 * where nothing is known: both are 0 then; -ENOMEM. */
int frame_pointers_find(const struct object *o, const struct object *debug,
			struct frame_pointers *ret);

/* Is it sure, by few functions of the list that is open already, that hardly any code keeps them?
 * A chain that leads there does so by chance. Not of a program that is linked statically, of which
 * libraries are the larger part; nor of Go's. 0, or -ENOMEM. */
int frame_pointers_rare(const struct object *o, struct unwind_single *s, bool *ret);

/* Does the row say that the frame pointer and the link lie side by side, as frame records of aarch64 have them? */
bool is_frame_record(const struct machine *m, const struct unwind_rule *rule);

enum frame_pointer_use frame_pointers_use(const struct frame_pointers *f);

#endif
