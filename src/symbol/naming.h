#ifndef SYMBOL_NAMING_H
#define SYMBOL_NAMING_H

#include "base/text.h"
#include "symbol/symbol.h"

/* How the functions of one image are called. */
struct naming {
	const struct symbol_options *options;
	const struct image *image;
	const char
		*path; /* the image's, as recorded; of a kernel module mostly its name */
	struct text module; /* what path is where it is not the recorded one */
	bool replaced; /* its file is provably another one now, which is not used */
};

/* Refers to all of its arguments. 0, or -ENOMEM. */
int naming_init(struct naming *n, const struct symbol_options *options,
		const struct image *image, const char *path);
void naming_release(struct naming *n);

/* What goes into a function's name. */
struct name_parts {
	const char *symbol; /* demangled; NULL: none covers the address */
	size_t size;
	uint64_t offset; /* from the start of the symbol */
	uint64_t pc; /* as recorded */
	bool inlined; /* its code is in another function's */
	bool whole; /* nothing is to be cut off the symbol's name */
	bool has_start; /* without a symbol: where its function begins is known */
	uint64_t start;
};

/* Appends the name; false where the frame is left out (compat only). */
bool naming_add(const struct naming *n, const struct name_parts *parts, struct text *out);

/* FUNCTION_USER, _KERNEL or _JIT. */
enum function_kind naming_kind(const struct naming *n);

#endif
