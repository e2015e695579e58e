/*
 * The spans of functions come sorted and disjoint, so rows come in the order that the
 * table wants and are appended, never inserted. A function's instructions are run from
 * their beginning, and rows in front of its span are passed over: a function of which
 * another one cut the beginning off goes on as it would have.
 *
 *	spans   |--f--|--g--|--f--|      |--h--|
 *	rows    |1|2|3|1|2  |5|6  |none  |1    |
 *
 * In a hostile file one function can lie around thousands of small ones and be run again
 * behind each. So all runs together may read twice the bytes of the sections; what is
 * left then counts as broken, and no rule is known for it.
 */
#include "cfi/unwind.h"

#include <errno.h>

#include "cfi/functions.h"
#include "cfi/unwind_rows.h"
#include "cfi/unwind_rule.h"

enum {
	BYTES_PER_ROW = 4, /* of instructions and heads, so that arrays rarely grow */
};

const struct unwind_rule unwind_none = { .cfa_kind = UNWIND_NONE };

struct compiler {
	struct unwind_table table;
	struct cfi_functions functions;
	struct unwind_rows rows;
	struct cfi_run run;
	/* Bytes of instructions that may still be run: a hostile file can cut a function
	 * to pieces, each of which runs it from its beginning. */
	uint64_t work;
};

/* What is left of a function that makes no sense. */
static bool add_broken(struct compiler *c, uint64_t address)
{
	c->table.refused++;
	return rows_add(&c->rows, address, RULE_NONE);
}

/* The rows of a function from span->start to span->end. */
static bool add_rows(struct compiler *c, const struct span *span)
{
	const struct cfi_source *source;
	const struct cfi_fde *fde = cfi_functions_at(&c->functions, span, &source);
	const struct cfi_cie *cie = &source->reader.cies.v[fde->cie];
	uint64_t from = span->start;
	uint16_t rule;

	if (fde->size > c->work)
		return add_broken(c, from);
	c->work -= fde->size;
	c->run.section = &source->section;
	cfi_run_begin(&c->run, cie, cie->initial, fde);
	while (from < span->end && cfi_run_next(&c->run)) {
		if (c->run.to <= from)
			continue;
		if (!rows_rule(&c->rows, rule_of_row(&c->run), &rule) ||
		    !rows_add(&c->rows, from, rule))
			return false;
		from = c->run.to;
	}
	if (c->run.no_memory)
		return false;
	return !c->run.broken || add_broken(c, from);
}

/*
 * Gaps have rows of their own, however small they are: glibc's clone() says by one of 14
 * bytes that in the child, which returns there, there is no caller.
 */
static int add_spans(struct compiler *c)
{
	enum { NEAR = 4, FAR = 8 };
	const struct span *v = c->functions.spans.list.v;
	struct unwind_table *t = &c->table;
	const struct cfi_source *source;
	const struct cfi_fde *fde;

	for (size_t i = 0; i < t->function_count; i++) {
		if (i > 0 && v[i].start != v[i - 1].end &&
		    !rows_add(&c->rows, v[i - 1].end, RULE_NONE))
			return -ENOMEM;
		/* Linkers keep functions of headers wherever they met them first: what
		 * comes next in order of address lies anywhere in the section. */
		if (i + FAR < t->function_count) {
			fde = cfi_functions_at(&c->functions, &v[i + FAR], &source);
			__builtin_prefetch(fde);
			fde = cfi_functions_at(&c->functions, &v[i + NEAR], &source);
			__builtin_prefetch(source->section.bytes + fde->at);
		}
		t->functions[i] = (uint32_t)(v[i].start - t->base);
		if (!add_rows(c, &v[i]))
			return -ENOMEM;
	}
	return 0;
}

static int make_rows(struct compiler *c, const struct object *o)
{
	struct unwind_table *t = &c->table;
	size_t count = c->functions.spans.list.count;
	uint64_t end, pages, rows = c->functions.bytes / BYTES_PER_ROW;
	int err;

	if (count == 0)
		return 0;
	end = array_last(&c->functions.spans.list)->end;
	t->base = c->functions.spans.list.v[0].start >> UNWIND_PAGE_BITS
								<< UNWIND_PAGE_BITS;
	pages = ((end - 1 - t->base) >> UNWIND_PAGE_BITS) + 1;
	/* A page has an entry whether anything is in it or not. */
	if (pages >= UINT32_MAX ||
	    !claim_add(&t->claim, o->budget,
		       pages * sizeof(*t->pages) + count * sizeof(*t->functions) +
			       (rows + count) * (sizeof(*t->low) + sizeof(*t->rule)))) {
		object_refuse(o, "call frame information");
		return 0;
	}
	t->page_count = (uint32_t)pages;
	c->run.columns = &c->functions.columns;
	c->work = 2 * c->functions.bytes;
	t->refused = c->functions.refused;
	err = rows_begin(&c->rows, t, rows);
	t->functions = malloc(count * sizeof(*t->functions));
	t->function_count = (uint32_t)count;
	if (!t->functions)
		err = -ENOMEM;
	if (err == 0)
		err = add_spans(c);
	if (err < 0) {
		rows_abandon(&c->rows);
		return err;
	}
	return rows_finish(&c->rows, end);
}

int unwind_compile(const struct object *o, const struct object *debug,
		   struct unwind_table *ret)
{
	struct compiler c = { 0 };
	int err = cfi_functions_open(o, debug, &c.functions);

	if (err < 0)
		return err;
	c.table.machine = c.functions.columns.machine;
	err = make_rows(&c, o);
	cfi_functions_release(&c.functions);
	cfi_run_release(&c.run);
	if (err < 0)
		unwind_release(&c.table);
	else
		*ret = c.table;
	return err;
}

void unwind_release(struct unwind_table *t)
{
	free(t->pages);
	free(t->low);
	free(t->rule);
	array_release(&t->rules);
	free(t->functions);
	claim_release(&t->claim);
	*t = (struct unwind_table){ 0 };
}

static size_t function_index(const struct unwind_table *t, uint64_t address)
{
	uint64_t offset = address - t->base;
	size_t low = 0, high = t->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->functions[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool unwind_visit_function(const struct unwind_table *t, uint64_t address,
			   unwind_visit *visit, void *arg)
{
	size_t next = function_index(t, address);
	uint64_t from, until, end;
	const struct unwind_rule *rule = unwind_find(t, address);
	uint32_t page;

	if (rule->cfa_kind == UNWIND_NONE || next == 0)
		return false;
	from = t->base + t->functions[next - 1];
	end = next < t->function_count ? t->base + t->functions[next] : t->end;
	rule = unwind_find(t, from);
	page = (uint32_t)((from - t->base) >> UNWIND_PAGE_BITS);
	for (; page < t->page_count && from < end; page++) {
		uint64_t start = t->base + ((uint64_t)page << UNWIND_PAGE_BITS);

		for (uint32_t i = t->pages[page]; i < t->pages[page + 1]; i++) {
			/* Rows have the lowest 16 bits of their addresses. */
			until = start + (uint16_t)(t->low[i] - (uint16_t)start);
			if (until <= from)
				continue;
			if (until > end)
				until = end;
			if (rule->cfa_kind != UNWIND_NONE && until > from)
				visit(arg, from, until, rule);
			from = until;
			rule = &t->rules.v[t->rule[i]];
		}
	}
	if (from < end && rule->cfa_kind != UNWIND_NONE)
		visit(arg, from, end, rule);
	return true;
}

bool unwind_function(const struct unwind_table *t, uint64_t address, uint64_t *start)
{
	size_t next = function_index(t, address);

	if (next == 0 || unwind_find(t, address)->cfa_kind == UNWIND_NONE)
		return false;
	*start = t->base + t->functions[next - 1];
	return true;
}
