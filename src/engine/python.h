#ifndef ENGINE_PYTHON_H
#define ENGINE_PYTHON_H

#include <flamefold.h>
#include <stdbool.h>

#include "base/text.h"

/* Stacks that show Python's interpreter, and no function of the program that it runs. */
struct python_unnamed {
	uint64_t weight; /* with what was called from there */
	int major, minor; /* of most of it */
	const char *
		problem; /* of a map of its functions; NULL: there was none to look for */
};

/* False where there are none, or so few that they do not matter. */
bool profile_python_unnamed(const struct ff_profile *p, struct python_unnamed *ret);

/* Why, and what mends it; @dwarf: the command that records copies of stacks. */
void python_tell(const struct python_unnamed *u, const char *dwarf, struct text *cause,
		 struct text *remedy);

#endif
