/*
 * <flamefold_table.h>: tables are rows of the named tree, and call trees are views of it whose siblings
 * are sorted anew, by weight instead of name.
 */
#include <flamefold_table.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/profile.h"
#include "write/write.h"

struct ff_table {
	struct rows rows;
	const struct intern *strings;
};

struct ff_calls {
	struct view view;
	const struct ff_profile *profile;
};

struct ff_weight_unit ff_profile_weight_unit(const struct ff_profile *p)
{
	struct write_facts facts = profile_facts(p);

	return (struct ff_weight_unit){ facts.unit ? facts.unit : "samples",
					p->named.decimals, facts.events };
}

static int refuse_unfinished(struct ff_profile *p)
{
	return p->finished ? 0 : fail(&p->ctx, -EINVAL, "the profile is not finished");
}

int ff_table_new(struct ff_profile *p, enum ff_table_by by, enum ff_table_order order,
		 struct ff_table **ret)
{
	static const enum rows_by keys[] = {
		[FF_TABLE_FUNCTION] = ROWS_FUNCTION,
		[FF_TABLE_MODULE] = ROWS_MODULE,
		[FF_TABLE_COMM] = ROWS_COMM,
		[FF_TABLE_LINE] = ROWS_LINE,
	};
	struct tree_source in = tree_source(p);
	struct ff_table *t;
	int err = refuse_unfinished(p);

	if (err < 0)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail_memory(&p->ctx);
	t->strings = &p->strings;
	err = rows_make(&p->ctx, &in, keys[by],
			order == FF_TABLE_BY_TOTAL ? ROWS_BY_TOTAL : ROWS_BY_SELF,
			&t->rows);
	if (err < 0) {
		free(t);
		return err;
	}
	*ret = t;
	return 0;
}

int ff_table_row(const struct ff_table *t, size_t i, struct ff_table_row *ret)
{
	const struct row *row;
	const struct intern *texts = &t->rows.texts;

	if (i >= t->rows.list.count)
		return 0;
	row = &t->rows.list.v[i];
	*ret = (struct ff_table_row){
		.name = intern_text(texts, row->name),
		.module = row->module ? intern_text(texts, row->module) : NULL,
		.function = row->function ? intern_text(texts, row->function) : NULL,
		.file = row->file ? intern_text(t->strings, row->file) : NULL,
		.line = row->line,
		.self = row->self,
		.total = row->total,
	};
	return 1;
}

uint64_t ff_table_total(const struct ff_table *t)
{
	return t->rows.total;
}

void ff_table_free(struct ff_table *t)
{
	if (t)
		rows_release(&t->rows);
	free(t);
}

/* Ties stay in the order of their names, which is that of the view. */
static int heavier_node(const void *left, const void *right, void *arg)
{
	const struct view *v = arg;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (v->nodes.v[a].total != v->nodes.v[b].total)
		return v->nodes.v[a].total < v->nodes.v[b].total ? 1 : -1;
	return (label_rank(&v->labels, v->nodes.v[a].label) >
		label_rank(&v->labels, v->nodes.v[b].label)) -
	       (label_rank(&v->labels, v->nodes.v[a].label) <
		label_rank(&v->labels, v->nodes.v[b].label));
}

int ff_calls_new(struct ff_profile *p, enum ff_calls_from from, struct ff_calls **ret)
{
	struct tree_source in = tree_source(p);
	ARRAY(uint32_t) siblings = { 0 };
	struct ff_calls *c;
	struct view *v;
	int err = refuse_unfinished(p);

	if (err < 0)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return fail_memory(&p->ctx);
	c->profile = p;
	v = &c->view;
	in.in_order = false;
	err = view_make(&p->ctx, &in, from == FF_CALLS_FROM_LEAF ? VIEW_REVERSED : 0, v);
	if (err < 0) {
		free(c);
		return err;
	}
	for (size_t i = 0; err == 0 && i < v->nodes.count; i++) {
		uint32_t *link = &v->nodes.v[i].first;

		siblings.count = 0;
		for (uint32_t n = *link; err == 0 && n; n = v->nodes.v[n].next) {
			uint32_t *slot = array_add(&siblings);

			if (slot)
				*slot = n;
			else
				err = -ENOMEM;
		}
		if (err < 0 || siblings.count < 2)
			continue;
		qsort_r(siblings.v, siblings.count, sizeof(*siblings.v), heavier_node, v);
		for (size_t k = 0; k < siblings.count; k++) {
			*link = siblings.v[k];
			link = &v->nodes.v[siblings.v[k]].next;
		}
		*link = 0;
	}
	array_release(&siblings);
	if (err < 0) {
		ff_calls_free(c);
		return fail_memory(&p->ctx);
	}
	*ret = c;
	return 0;
}

void ff_calls_node(const struct ff_calls *c, unsigned node, struct ff_calls_node *ret)
{
	const struct view_node *n = &c->view.nodes.v[node];
	const struct function *f = &c->profile->symbols.functions.v[n->function];

	*ret = (struct ff_calls_node){
		.name = label_text(&c->view.labels, n->label),
		.module = node && f->module ? intern_text(&c->profile->strings, f->module)
					    : "",
		.first = n->first,
		.next = n->next,
		.self = n->self,
		.total = n->total,
	};
}

void ff_calls_free(struct ff_calls *c)
{
	if (c)
		view_release(&c->view);
	free(c);
}
