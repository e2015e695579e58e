#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/budget.h"
#include "base/hash.h"

/*
 * Strings <-> 32-bit ids, dense from 0. Id 0 is the empty string in every intern
 * that intern_init() has made. Not for several threads at once.
 */
struct intern {
	struct arena bytes;
	ARRAY(const char *) texts;
	struct hash_set ids;
};

/* 0, or -ENOMEM. */
int intern_init(struct intern *in);
void intern_release(struct intern *in);

/* @text may hold any byte but NUL. 0, or -ENOMEM. */
int intern_add(struct intern *in, const char *text, size_t size, uint32_t *ret);

/* Bytes that a text takes beside its own. */
enum { INTERN_AROUND = 32 };

/* False where it has no id yet. */
bool intern_find(const struct intern *in, const char *text, size_t size, uint32_t *ret);

/*
 * As intern_add(), where somebody else decides what texts there are: what @budget has nothing left
 * for is "[memory limit]". 1 then; 0, or -ENOMEM.
 */
int intern_add_within(struct intern *in, struct budget *budget, const char *text,
		      size_t size, uint32_t *ret);

/* Valid until intern_release(). */
static inline const char *intern_text(const struct intern *in, uint32_t id)
{
	return in->texts.v[id];
}

#endif
