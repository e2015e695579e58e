/*
 * A group has one order, whatever address is asked for: the best of its symbols holds up to
 * where it ends, then the best of the others. So each name is made and measured once, and
 * nothing is compared before the chosen one has ended. In a hostile file all symbols are one
 * group, and each ends elsewhere.
 *
 *	symbols     a 0x1000-0x1040 global    b 0x1000-0x1080 weak
 *	answers     a up to 0x1040            then b
 */
#include "symbol/alias.h"

#include <string.h>

#include "symbol/spelling.h"

/* Of a group, that are compared; identical code folding makes hundreds, nobody thousands. */
enum { MOST_ALIASES = 512 };

void alias_init(struct alias *al, const struct symtab *st, enum demangle_form form)
{
	*al = (struct alias){ .st = st, .form = form };
}

void alias_release(struct alias *al)
{
	text_release(&al->name);
	hash_map_release(&al->by_first);
	array_release(&al->groups);
	array_release(&al->ranks);
}

static uint32_t underscores(const struct text *name)
{
	uint32_t n = 0;

	while (n < name->size && name->bytes[n] == '_')
		n++;
	return n;
}

static const struct alias_rank *rank_of(struct alias *al, const struct alias_group *g,
					uint32_t symbol)
{
	const struct spelling spelling = { .form = al->form };
	struct alias_rank *rank = &al->ranks.v[g->ranks + (symbol - g->first)];

	if (rank->known)
		return rank;
	text_clear(&al->name);
	spell_symbol(&spelling, al->st, &al->st->symbols.v[symbol], &al->name);
	*rank = (struct alias_rank){ .underscores = underscores(&al->name),
				     .size = (uint32_t)al->name.size,
				     .known = true };
	if (rank->size >= 3 && memcmp(al->name.bytes, "SyS", 3) == 0)
		rank->syscall = true;
	if (rank->size >= 10 && memcmp(al->name.bytes, "compat_SyS", 10) == 0)
		rank->syscall = true;
	return rank;
}

/* True where @b is better: not weak, global, by its name: fewer underscores, then longer. */
static bool is_better_alias(struct alias *al, const struct alias_group *g, uint32_t a,
			    uint32_t b)
{
	uint8_t flags_a = al->st->symbols.v[a].flags;
	uint8_t flags_b = al->st->symbols.v[b].flags;
	const struct alias_rank *x, *y;

	if ((flags_a ^ flags_b) & SYMBOL_WEAK)
		return flags_a & SYMBOL_WEAK;
	if ((flags_a ^ flags_b) & SYMBOL_GLOBAL)
		return flags_b & SYMBOL_GLOBAL;
	x = rank_of(al, g, a);
	y = rank_of(al, g, b);
	if (x->underscores != y->underscores)
		return y->underscores < x->underscores;
	if (x->size != y->size)
		return y->size > x->size;
	/* Of two names that are alike so far the one that is no SyS_ alias of a system
	 * call. */
	return x->syscall;
}

uint32_t alias_choose(struct alias *al, uint32_t first, uint64_t address)
{
	const struct symbol *symbols = al->st->symbols.v;
	uint32_t chosen = UINT32_MAX, compared, count;
	const uint32_t *known;
	struct alias_group *g;

	if (first + 1 == al->st->symbols.count ||
	    symbols[first + 1].start != symbols[first].start)
		return first;
	known = hash_map_get(&al->by_first, first);
	count = known ? al->groups.v[*known].count
		      : (uint32_t)symtab_group(al->st, first);
	compared = count < MOST_ALIASES ? count : MOST_ALIASES;
	if (!known) {
		if (!array_reserve(&al->ranks, compared) ||
		    !array_reserve(&al->groups, 1) ||
		    !hash_map_set(&al->by_first, first, (uint32_t)al->groups.count)) {
			al->failed = true;
			return first;
		}
		g = array_add(&al->groups);
		*g = (struct alias_group){ .first = first,
					   .count = count,
					   .chosen = UINT32_MAX,
					   .ranks = (uint32_t)al->ranks.count };
		memset(al->ranks.v + al->ranks.count, 0, compared * sizeof(*al->ranks.v));
		al->ranks.count += compared;
		/* Those that are not compared count only where none of the others reaches
		 * an address. */
		g->longest = first + compared - 1;
		for (uint32_t i = first + compared; i < first + count; i++)
			if (symbols[i].end > symbols[g->longest].end)
				g->longest = i;
	}
	g = known ? &al->groups.v[*known] : array_last(&al->groups);
	/* Asked about ascending addresses, the last answer holds until its symbol
	 * ends. */
	if (g->chosen == UINT32_MAX || address < g->address ||
	    symbols[g->chosen].end <= address) {
		/* From what was chosen last, which has ended. */
		for (uint32_t i = g->first; i < g->first + compared; i++)
			if (symbols[i].end > address &&
			    (chosen == UINT32_MAX || is_better_alias(al, g, chosen, i)))
				chosen = i;
		g->chosen = chosen == UINT32_MAX ? g->longest : chosen;
	}
	g->address = address;
	al->failed |= al->name.failed;
	return g->chosen;
}
