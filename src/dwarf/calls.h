#ifndef DWARF_CALLS_H
#define DWARF_CALLS_H

#include "dwarf/die.h"
#include "dwarf/die_walk.h"
#include "dwarf/names.h"

/*
 * Which calls were inlined at some addresses of a unit: one walk over its DIEs, into
 * functions only that hold one of the addresses. Each inlined call takes those that its
 * ranges hold from what is around it:
 *
 *	main           |-------------------------|
 *	  f                |-----|     |----|
 *	    g                |-|
 *	addresses        x    x   x            x
 *	              main    g  main        main        g is called by f, f by main
 */
#define CALL_NONE UINT32_MAX

enum { CALL_CODES = 1 << 12 };

enum call_known {
	CALL_WITHOUT_ADDRESSES = 1,
	CALL_DEFINED = 2,
	CALL_DECLARED = 4,
};

struct debug_call {
	uint32_t caller; /* the call around it; CALL_NONE: it is a function of its own */
	uint32_t name; /* in the names */
	uint32_t file, line; /* of the call; file: number in the file table of the unit */
	Dwarf_Die function;
};

/* Sorted addresses, and for each the innermost call; CALL_NONE: no function. */
struct call_question {
	ARRAY(uint64_t) addresses;
	ARRAY(uint32_t) innermost;
};

struct debug_calls {
	struct call_question asked;
	ARRAY(struct debug_call) list;
	/* The rest is of the walk. */
	struct debug_names *names;
	const struct debug_base *base;
	/* By abbreviation, which says what attributes a DIE has; of enum call_known. Most
	 * functions in a unit are no more than declared. */
	uint8_t known[CALL_CODES];
	bool thorough; /* also into functions that hold none of the addresses */
	bool into_classes;
	struct die_walk walk;
	struct call_scope {
		uint32_t scope; /* in the outline */
		uint32_t call; /* the call it is in; CALL_NONE: in no function */
		uint32_t first, last; /* the addresses that can be in it */
		bool in_function;
	} scopes[DIE_DEPTH_MOST + 1];
	struct call_question rest; /* those in no function so far */
	ARRAY(uint32_t) rest_indexes; /* in what was asked */
};

void debug_calls_release(struct debug_calls *c);

/*
 * Fills list, and innermost for the addresses, which are set before. @cu: the unit; @names:
 * their meter is used, too. Inside debug_guarded(). 0, -ETIME where it is too much work,
 * -ENOMEM. Broken parts of a unit are left out.
 */
int debug_calls_find(struct debug_calls *c, Dwarf_Die *cu, const struct debug_base *base,
		     struct debug_names *names);

#endif
