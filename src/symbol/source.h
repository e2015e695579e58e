#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "object/find_object.h"
#include "object/inlines.h"
#include "symbol/kernel.h"
#include "symbol/recorded.h"

/* Where the names of one image come from. */
struct source {
	const struct symtab *symbols; /* NULL: nowhere */
	bool raw; /* names are not mangled: the kernel's */
	bool by_offset; /* addresses are offsets in the file */
	bool stripped; /* only what the object exports is known */
	uint64_t shift; /* what to add to those that are not */
	struct inlines *inlines; /* and lines; NULL: not asked for, or none */
	const struct jitdump *dump; /* NULL: it is no code of one */
	struct symtab own;
	struct found files;
};

struct source_finder {
	const struct symbol_options *options;
	const struct images *images;
	const struct intern *strings;
	struct kernel *kernel;
	struct recorded *recorded; /* NULL: nothing of it is to be used */
};

/* 0, also where there is none: files.problem says why. -ENOMEM. */
int source_open(const struct source_finder *finder, uint32_t image, struct source *ret);
void source_close(struct source *s);

/* What there is to say about the file's debug information; "": nothing. */
void source_add_inline_problem(struct source *s, const char *why);

/* The address in the symbol table; false where the image has none such. */
bool source_address(const struct source *s, uint64_t recorded, uint64_t *ret);

#endif
