#include "symbol/alias.h"

#include <string.h>

#include "symbol/spelling.h"

/* Of a group; identical code folding makes hundreds, nobody thousands. */
enum { MOST_ALIASES = 512 };

void alias_init(struct alias *al, const struct symtab *st, enum demangle_form form)
{
	*al = (struct alias){ .st = st, .form = form, .group = UINT32_MAX };
}

void alias_release(struct alias *al)
{
	text_release(&al->a);
	text_release(&al->b);
}

static void add_name(const struct alias *al, const struct symbol *s, struct text *out)
{
	const struct spelling spelling = { .form = al->form };

	spell_symbol(&spelling, al->st, s, out);
}

static size_t underscores(const struct text *name)
{
	size_t n = 0;

	while (n < name->size && name->bytes[n] == '_')
		n++;
	return n;
}

static bool is_syscall_alias(const struct text *name)
{
	return (name->size >= 3 && memcmp(name->bytes, "SyS", 3) == 0) ||
	       (name->size >= 10 && memcmp(name->bytes, "compat_SyS", 10) == 0);
}

/* True where @b is better by its name: fewer underscores, then longer. */
static bool better_name(struct alias *al, const struct symbol *a, const struct symbol *b)
{
	size_t under_a, under_b;

	text_clear(&al->a);
	text_clear(&al->b);
	add_name(al, a, &al->a);
	add_name(al, b, &al->b);
	under_a = underscores(&al->a);
	under_b = underscores(&al->b);
	if (under_a != under_b)
		return under_b < under_a;
	if (al->a.size != al->b.size)
		return al->b.size > al->a.size;
	return is_syscall_alias(&al->a);
}

static bool better(struct alias *al, const struct symbol *a, const struct symbol *b)
{
	bool weak_a = a->flags & SYMBOL_WEAK, weak_b = b->flags & SYMBOL_WEAK;
	bool global_a = a->flags & SYMBOL_GLOBAL, global_b = b->flags & SYMBOL_GLOBAL;

	if (weak_a != weak_b)
		return weak_a;
	if (global_a != global_b)
		return global_b;
	return better_name(al, a, b);
}

uint32_t alias_choose(struct alias *al, uint32_t first, uint64_t address)
{
	const struct symbol *symbols = al->st->symbols.v;
	size_t count = symtab_group(al->st, first);
	uint32_t chosen = UINT32_MAX;

	if (al->group == first && address < al->valid)
		return al->chosen;
	al->group = first;
	al->valid = UINT64_MAX;
	for (uint32_t i = first; i < first + count; i++) {
		const struct symbol *s = &symbols[i];

		if (s->end <= address)
			continue;
		if (s->end < al->valid)
			al->valid = s->end;
		if (chosen == UINT32_MAX ||
		    (i - first < MOST_ALIASES && better(al, &symbols[chosen], s)))
			chosen = i;
	}
	al->chosen = chosen;
	return chosen;
}
