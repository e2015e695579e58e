#ifndef DWARF_INLINES_H
#define DWARF_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"
#include "dwarf/files.h"
#include "elf/elf.h"

/*
 * What debug information says of addresses: the functions whose code was put into another
 * one's there, that one, and source lines.
 *
 *	address 11b3    frames[0]  g     file:line of the address
 *	                frames[1]  f     where it calls g
 *	                frames[2]  main  where it calls f; its own code
 *
 * DWARF 2 to 5; in the object or its debug file, packed or not; with .dwo files, with
 * what dwz moved to another file. Only the units that hold an address are read.
 *
 * One object cannot stall the rest. DEBUG_IMAGE_MOST bounds what it may take of memory,
 * debug_work_limit() of time; beyond that there is nothing for any of its addresses, and
 * inlines_problem() says so.
 */
struct inline_frame {
	const char *name; /* "": not known */
	const char *file; /* NULL: not known, or not asked for */
	uint32_t line; /* with a file */
	bool mangled; /* the name is a linkage name */
	const char *declared; /* file in which the function is; NULL as above */
	uint32_t declared_line; /* with that file */
};

struct inline_chain {
	const struct inline_frame *frames; /* innermost first */
	size_t count; /* 0: nothing is known */
};

struct inline_options {
	struct debug_dirs dirs;
	bool lines;
	bool declared; /* where functions are declared: costs less than lines */
	size_t threads; /* at most; 0 counts as 1 */
	const char *name; /* of the file, as long as it is used; NULL: not known */
};

struct inlines;

/*
 * @debug has the debug information of @o, or is @o. Both stay open until inlines_close(),
 * and may be moved. -ENODATA where there is none that can be used, -EFBIG where it is too
 * much, -EBADMSG where it is broken, -EFAULT where reading it crashed: with a sentence that lacks the file's name. -ENOMEM.
 */
int inlines_open(struct context *ctx, const struct object *o, const struct object *debug,
		 const struct inline_options *options, struct inlines **ret);
void inlines_close(struct inlines *in); /* NULL is fine */

/* Once. @addresses are sorted; equal ones are fine. 0, or -ENOMEM. */
int inlines_find(struct inlines *in, const uint64_t *addresses, size_t count);

/* Of the address with that index; valid until inlines_close(). */
struct inline_chain inlines_at(const struct inlines *in, size_t index);

/* What is missing, in a sentence that lacks the file's name; "": nothing is. */
const char *inlines_problem(const struct inlines *in);

/* That is because reading crashed: worth a warning. */
bool inlines_crashed(const struct inlines *in);

#endif
