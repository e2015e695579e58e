#ifndef SYMBOL_BRACKETS_H
#define SYMBOL_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>

/* Deeper ones are lost: then what the name would have told is not known. */
enum { BRACKETS_MOST = 256 };

/* The brackets of a C++ name that are open at one place of it. */
struct brackets {
	const char *name, *end; /* zeroed: none is open */
	char open[BRACKETS_MOST];
	size_t depth;
	bool lost; /* they do not match, or are too many */
};

/*
 * Behind what stands at @p < end, which is one character, one operator's name, or a
 * less-than: none of these is a bracket, but for
 *
 *	operator< <int>		a->b	(a)<(b)
 *	        ^ is not	  ^	   ^ nor these
 */
const char *brackets_step(struct brackets *b, const char *p);

#endif
