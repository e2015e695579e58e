/*
 * Rows are appended in order of address. One with the rule of the row before it adds
 * nothing and is left out. The page index is filled as rows pass: when the first row
 * behind a page's beginning comes, its number is that of the page.
 *
 *	rows    |0    1    |2       |3    ...
 *	pages   |0         |1       |2        pages[] = 0, 2, 3, ...
 *
 * Rules are found by hash in slots that hold ids of 16 bits, linear probing, never more
 * than half full. Id 0, "none", needs no slot, so 0 marks an empty one. In an object
 * with more rules than ids, rows whose rule has got none are UNWIND_OTHER.
 */
#include "cfi/unwind_rows.h"

#include <errno.h>

#include "base/hash.h"

enum {
	MOST_RULES = UINT16_MAX,
	FIRST_SLOTS = 1 << 12, /* libraries have up to 800 rules */
};

static uint64_t hash_rule(struct packed_rule p)
{
	return hash_u64(p.cfa ^ p.saved * hash_secret.odd[0]);
}

static bool grow_rows(struct unwind_rows *r, uint64_t room)
{
	struct unwind_table *t = r->table;
	uint16_t *low, *rule;

	if (room > UINT32_MAX)
		return false;
	low = realloc(t->low, room * sizeof(*low));
	if (low)
		t->low = low;
	rule = realloc(t->rule, room * sizeof(*rule));
	if (rule)
		t->rule = rule;
	if (!low || !rule)
		return false;
	r->room = (uint32_t)room;
	return true;
}

static void place_rule(struct unwind_rows *r, uint16_t id)
{
	uint64_t i = hash_rule(r->packed.v[id]);

	while (r->slots[i & r->mask])
		i++;
	r->slots[i & r->mask] = id;
}

static bool intern_rule(struct unwind_rows *r, struct packed_rule rule)
{
	struct unwind_rule *added = array_add(&r->table->rules);
	struct packed_rule *packed = array_add(&r->packed);

	if (!added || !packed)
		return false;
	*added = rule_unpack(rule);
	*packed = rule;
	return true;
}

int rows_begin(struct unwind_rows *r, struct unwind_table *table, uint64_t rows)
{
	*r = (struct unwind_rows){ .table = table, .mask = FIRST_SLOTS - 1 };
	table->pages = calloc((size_t)table->page_count + 1, sizeof(*table->pages));
	r->slots = calloc(FIRST_SLOTS, sizeof(*r->slots));
	if (!table->pages || !r->slots || !grow_rows(r, rows + 2))
		return -ENOMEM;
	if (!intern_rule(r, (struct packed_rule){ UNWIND_NONE, 0 }) ||
	    !intern_rule(r, (struct packed_rule){ UNWIND_OTHER, 0 }))
		return -ENOMEM;
	place_rule(r, RULE_OTHER);
	/* A look-up below the first function finds this. */
	table->low[0] = (uint16_t)table->base;
	table->rule[0] = RULE_NONE;
	table->row_count = 1;
	return 0;
}

bool rows_rule(struct unwind_rows *r, struct packed_rule rule, uint16_t *ret)
{
	uint64_t i = hash_rule(rule);
	uint32_t room = (r->mask + 1) * 2;
	uint16_t id, *slots;

	if (rule.cfa == UNWIND_NONE) {
		*ret = RULE_NONE;
		return true;
	}
	while ((id = r->slots[i++ & r->mask]) != 0)
		if (r->packed.v[id].cfa == rule.cfa &&
		    r->packed.v[id].saved == rule.saved) {
			*ret = id;
			return true;
		}
	*ret = RULE_OTHER;
	if (r->table->rules.count > MOST_RULES)
		return true;
	if (r->table->rules.count > r->mask / 2) {
		slots = calloc(room, sizeof(*slots));
		if (!slots)
			return false;
		free(r->slots);
		r->slots = slots;
		r->mask = room - 1;
		for (size_t k = RULE_OTHER; k < r->table->rules.count; k++)
			place_rule(r, (uint16_t)k);
	}
	if (!intern_rule(r, rule))
		return false;
	*ret = (uint16_t)(r->table->rules.count - 1);
	place_rule(r, *ret);
	return true;
}

bool rows_add(struct unwind_rows *r, uint64_t address, uint16_t rule)
{
	struct unwind_table *t = r->table;
	uint32_t page = (uint32_t)((address - t->base) >> UNWIND_PAGE_BITS);

	if (rule == r->last)
		return true;
	while (r->page < page)
		t->pages[++r->page] = t->row_count;
	/* Only the first row can have the address of the one before: base. */
	if (address == t->base)
		t->row_count = 0;
	if (t->row_count >= r->room && !grow_rows(r, (uint64_t)r->room * 2))
		return false;
	t->low[t->row_count] = (uint16_t)address;
	t->rule[t->row_count++] = rule;
	r->last = rule;
	return true;
}

void rows_abandon(struct unwind_rows *r)
{
	free(r->slots);
	r->slots = NULL;
	array_release(&r->packed);
}

int rows_finish(struct unwind_rows *r, uint64_t end)
{
	struct unwind_table *t = r->table;
	bool fine = (end - t->base) >> UNWIND_PAGE_BITS >= t->page_count ||
		    rows_add(r, end, RULE_NONE);

	rows_abandon(r);
	t->end = end;
	while (fine && r->page < t->page_count)
		t->pages[++r->page] = t->row_count;
	return fine && grow_rows(r, t->row_count) ? 0 : -ENOMEM;
}
