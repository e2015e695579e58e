#ifndef SYMBOL_SOURCE_H
#define SYMBOL_SOURCE_H

#include "cfi/cfi.h"
#include "dwarf/dwarf.h"
#include "find/find.h"
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
	struct cfi_functions functions; /* read when they are first asked for */
	bool has_functions;
	struct unwind_single single; /* for the first of them */
	bool has_single;
};

struct map_files;

struct source_finder {
	const struct symbol_options *options;
	const struct images *images;
	const struct intern *strings;
	struct kernel *kernel;
	struct recorded *recorded; /* NULL: nothing of it is to be used */
	struct map_files *maps; /* of runtimes */
};

/* 0, also where there is none: files.problem says why. -ENOMEM. */
int source_open(const struct source_finder *finder, uint32_t id, struct source *ret);
void source_close(struct source *s);

/* What there is to say about the file's debug information; "": nothing. */
void source_add_inline_problem(struct source *s, const char *why);

/* Says what of its files could not be read, instead of what seems to be missing there. */
void source_note_failed_reads(struct source *s);

/* The address in the symbol table; false where the image has none such. */
bool source_address(const struct source *s, uint64_t recorded, uint64_t *ret);

/* Where the function begins that call frame information has at an address of the symbol
 * table: 1, 0 where it has none, or -ENOMEM. */
int source_function(struct source *s, uint64_t address, uint64_t *ret);

/* Is it sure that no call is before @address of the symbol table? */
bool source_calls_not(const struct source *s, uint64_t address);

bool source_has_debug_info(const struct source *s);
enum image_naming source_naming(const struct source *s);

/* Made by the Go compiler, whose functions have any name. */
bool source_is_go(const struct source *s);

#endif
