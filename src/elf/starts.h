#ifndef ELF_STARTS_H
#define ELF_STARTS_H

#include "elf/object.h"

/*
 * The functions of an object that stacks begin with: nobody called them, or what called them is of no
 * interest to anybody. A program's entry and main(), what the C library calls it from, and what threads begin
 * with.
 *
 * A program's own are referred to by its entry, and those of the C library, which are in no table where that
 * is stripped, by what the library exports:
 *
 *	__libc_start_main:   ... call  __libc_start_call_main ...
 *	pthread_create:      ... lea   start_thread(%rip),%rdx ...
 *
 * In a program that is linked statically all are in the table of symbols, of it or of its debug file.
 */
struct starts {
	ARRAY(struct address_range) ranges; /* ascending, and none overlap */
	ARRAY(uint64_t) functions; /* where others of them begin, sorted */
	bool libc; /* the object is, or has, a C library */
	bool known; /* these are all; else there may be more */
};

/* 0, or -ENOMEM: what was found so far is to be released. */
int starts_find(const struct object *o, const struct object *debug, struct starts *ret);
void starts_release(struct starts *s);

/* Is it an address of the first kind? */
bool starts_contain(const struct starts *s, uint64_t address);
/* Does one of the second kind begin there, both included? */
bool starts_begin_between(const struct starts *s, uint64_t from, uint64_t to);

#endif
