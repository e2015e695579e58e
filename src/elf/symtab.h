#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/span.h"
#include "base/text.h"
#include "elf/names.h"
#include "elf/object.h"

/*
 * The symbols of one object, or of the kernel, in order of address.
 *
 * Which symbols there are, where one without a size ends and which of several at
 * one address gives the name is perf's rule (tools/perf/util/symbol.c of Linux 6.1),
 * with three exceptions, where perf is wrong: a symbol without a size ends with its
 * section (_init would take the whole PLT), an outer symbol goes on after an inner
 * one, and PLT entries have names.
 *
 *	symbols   |_start|  main         |  memcpy = __memcpy |
 *	group         1      1                  2
 *	spans     |------|--------|label|--main-|             |
 */
enum symbol_flag {
	SYMBOL_WEAK = 1,
	SYMBOL_GLOBAL = 2,
	SYMBOL_SIZELESS = 4, /* end is no more than a limit until symtab_finish() */
	SYMBOL_LABEL = 8, /* no function by its type */
};

enum symbol_table { TABLE_SYMTAB, TABLE_DYNSYM, TABLE_PLT, SYMBOL_TABLES };

struct symbol {
	uint64_t start, end; /* end exclusive */
	uint32_t name; /* offset in the names of its table */
	uint8_t table; /* enum symbol_table */
	uint8_t flags;
};

struct symtab {
	ARRAY(struct symbol) symbols; /* by start; equal ones as they came */
	struct spans spans; /* their ids: the first symbol of a group of equal start */
	struct names names[SYMBOL_TABLES];
	struct text plt_names;
	struct claim claim; /* of the object's budget */
	bool refused; /* it had no memory left for them: there are none */
	bool go; /* names come from the table of Go's runtime */
};

/*
 * Reads the symbols of @o, and those of @debug, its debug file, unless that is NULL.
 * Both are used until symtab_release(). Damaged tables are read as far as they make
 * sense. 0, or -ENOMEM.
 */
int symtab_read(struct symtab *ret, const struct object *o, const struct object *debug);
void symtab_release(struct symtab *st);

/* The functions of a kernel module; addresses count from where the kernel loads it to. Its
 * file is used until symtab_release(). 0, or -ENOMEM. */
int symtab_read_module(struct symtab *ret, const struct object *module);

/* Makes room for so many symbols, first of all. False without memory. */
bool symtab_expect(struct symtab *st, size_t count);

/* After the last symbol was added by hand: sorts, ends, spans. 0, or -ENOMEM. */
int symtab_finish(struct symtab *st);

/* Symbols from @first on that start where it does. */
size_t symtab_group(const struct symtab *st, size_t first);

/* Not NUL-terminated where it is damaged or long: *@size counts. */
const char *symtab_name(const struct symtab *st, const struct symbol *s, size_t *size);

/* The first symbol of that name; false where there is none. */
bool symtab_find(const struct symtab *st, const char *name, uint64_t *ret);

#endif
