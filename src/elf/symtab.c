/*
 * Symbols are gathered in any order (tables, then PLT entries), then sorted, ended and
 * painted. The sort is stable and by start alone, because which of several at one
 * address gives the name depends on their order in the tables. Symbols without a size
 * get their end in one pass from the highest down, which knows what starts next. Those
 * of one start are one group, with the longest of their ends, and groups are painted
 * into spans that do not overlap: an address finds its group by a bisection.
 */
#include "elf/symtab.h"

#include <errno.h>
#include <string.h>

#include "base/keyed.h"
#include "base/pages.h"
#include "elf/elf_symbols.h"
#include "elf/plt.h"

enum { PAGE = 4096 };

/* What there was no memory for is not there for libelf. */
static int finish_symtab(struct symtab *st, int err, const struct object *o,
			 struct symtab *ret)
{
	if (err == 0 && object_read_error(o) == ENOMEM)
		err = -ENOMEM;
	if (err == 0)
		err = symtab_finish(st);
	if (err < 0)
		symtab_release(st);
	else
		*ret = *st;
	return err;
}

int symtab_read(struct symtab *ret, const struct object *o, const struct object *debug)
{
	struct symtab st = { 0 };
	int err = 0;

	if (!o->relocatable) {
		err = elf_symbols_read(&st, o, debug);
		if (err == 0)
			err = plt_read(&st, o);
	}
	if (err == 0 && debug && object_read_error(debug) == ENOMEM)
		err = -ENOMEM;
	return finish_symtab(&st, err, o, ret);
}

int symtab_read_module(struct symtab *ret, const struct object *module)
{
	struct symtab st = { 0 };
	int err = module->relocatable ? elf_symbols_read(&st, module, NULL) : 0;

	return finish_symtab(&st, err, module, ret);
}

void symtab_release(struct symtab *st)
{
	array_release(&st->symbols);
	spans_release(&st->spans);
	text_release(&st->plt_names);
	for (size_t i = 0; i < SYMBOL_TABLES; i++)
		names_release(&st->names[i]);
	claim_release(&st->claim);
	*st = (struct symtab){ 0 };
}

static int sort_symbols(struct symtab *st)
{
	size_t count = st->symbols.count, i = 1;
	struct symbol *sorted = NULL;
	struct keyed *order;
	int err = -ENOMEM;

	while (i < count && st->symbols.v[i - 1].start <= st->symbols.v[i].start)
		i++;
	if (i >= count) /* as kallsyms is */
		return 0;
	order = malloc((count + 1) * sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		order[i] = (struct keyed){ st->symbols.v[i].start, (uint32_t)i };
	if (keyed_sort(order, count) < 0)
		goto out;
	sorted = malloc((count + 1) * sizeof(*sorted));
	if (!sorted)
		goto out;
	for (i = 0; i < count; i++)
		sorted[i] = st->symbols.v[order[i].id];
	free(st->symbols.v);
	st->symbols.v = sorted;
	st->symbols.room = count + 1;
	err = 0;
out:
	free(order);
	return err;
}

/*
 * What has no size but lies in something that has one is a label in there, not a function:
 * OCaml's code_begin at the first function of a file, Pascal's DEBUGEND behind the last. It
 * stays empty, and names nothing.
 */
static void empty_labels(struct symtab *st)
{
	uint64_t covered = 0; /* end of all with a size that have begun */

	for (size_t i = 0, n; i < st->symbols.count; i += n) {
		n = symtab_group(st, i);
		for (size_t k = i; k < i + n; k++) {
			const struct symbol *s = &st->symbols.v[k];

			if (!(s->flags & SYMBOL_SIZELESS) && s->end > covered)
				covered = s->end;
		}
		for (size_t k = i; k < i + n; k++) {
			struct symbol *s = &st->symbols.v[k];

			if (s->flags & SYMBOL_LABEL && s->flags & SYMBOL_SIZELESS &&
			    s->start < covered)
				s->end = s->start;
		}
	}
}

/*
 * A symbol without a size ends where the next one starts. Of several at one address
 * only the last of a table gets that size, the others stay empty, and with that the
 * last one gives the name: so it is in perf, and kallsyms has nothing but such.
 */
static void end_symbols(struct symtab *st)
{
	uint64_t next = 0; /* start of the group behind; only with has_next */
	bool has_next = false;

	for (size_t i = st->symbols.count; i-- > 0;) {
		struct symbol *s = &st->symbols.v[i], *behind = s + 1;
		bool last = i + 1 == st->symbols.count;
		uint64_t end = (s->start + PAGE - 1) & ~(uint64_t)(PAGE - 1);

		if (!last && behind->start != s->start) {
			next = behind->start;
			has_next = true;
		}
		if (!(s->flags & SYMBOL_SIZELESS))
			continue;
		if (!last && behind->start == s->start && behind->table == s->table)
			end = s->start;
		else if (has_next)
			end = next;
		else if (end > UINT64_MAX - PAGE || end < s->start)
			end = UINT64_MAX;
		else
			end += PAGE; /* nothing is behind it */
		if (end < s->end)
			s->end = end;
	}
}

static int paint_groups(struct symtab *st)
{
	struct painter painter = { .out = &st->spans };
	int err = 0;

	st->spans.list.v = pages_room(st->symbols.count * sizeof(*st->spans.list.v));
	if (!st->spans.list.v)
		return -ENOMEM;
	st->spans.list.room = st->symbols.count;
	for (size_t i = 0, n; i < st->symbols.count && err == 0; i += n) {
		struct span group = { .start = st->symbols.v[i].start,
				      .id = (uint32_t)i };

		n = symtab_group(st, i);
		for (size_t k = i; k < i + n; k++)
			if (st->symbols.v[k].end > group.end)
				group.end = st->symbols.v[k].end;
		err = painter_add(&painter, &group);
	}
	if (err == 0)
		err = painter_finish(&painter);
	painter_release(&painter);
	return err;
}

bool symtab_expect(struct symtab *st, size_t count)
{
	st->symbols.v = pages_room(count * sizeof(*st->symbols.v));
	st->symbols.room = st->symbols.v ? count : 0;
	return st->symbols.v;
}

int symtab_finish(struct symtab *st)
{
	if (st->symbols.count > UINT32_MAX / 2)
		return -ENOMEM;
	if (sort_symbols(st) < 0)
		return -ENOMEM;
	empty_labels(st);
	end_symbols(st);
	return paint_groups(st);
}

size_t symtab_group(const struct symtab *st, size_t first)
{
	uint64_t start = st->symbols.v[first].start;
	size_t i = first + 1;

	while (i < st->symbols.count && st->symbols.v[i].start == start)
		i++;
	return i - first;
}

const char *symtab_name(const struct symtab *st, const struct symbol *s, size_t *size)
{
	return names_at(&st->names[s->table], s->name, size);
}

bool symtab_find(const struct symtab *st, const char *name, uint64_t *ret)
{
	size_t length = strlen(name), size;

	for (size_t i = 0; i < st->symbols.count; i++) {
		const char *known = symtab_name(st, &st->symbols.v[i], &size);

		if (size == length && memcmp(known, name, size) == 0) {
			*ret = st->symbols.v[i].start;
			return true;
		}
	}
	return false;
}
