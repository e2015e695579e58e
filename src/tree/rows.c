/*
 * One walk over a view, with the rows of the open nodes by depth. A row is opened by the outermost
 * of its nodes, which charges all that is below it; the nodes below that find the row open and
 * charge only what is their own.
 *
 *	main;f;g;f 5      f: self 5, total 5      g: total 5      main: total 5
 *	           ^ f is open since depth 2
 *
 * A process frame is no function: it has a row only where stacks end at it, so that what is the
 * rows' own adds up to the weight of the tree.
 */
#include "tree/rows.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ROW = UINT32_MAX };

struct row_maker {
	const struct tree_source *in;
	enum rows_by by;
	bool has_code;
	struct view view;
	struct rows rows;
	struct hash_map by_key; /* name << 32 | module -> row */
	uint32_t *of_function; /* row; NO_ROW: not asked for */
	ARRAY(uint32_t) open; /* by row: nodes of it that the walk is below */
	ARRAY(uint32_t) path; /* by depth: the row there, or NO_ROW */
};

bool tree_has_code(const struct tree_source *in)
{
	for (size_t i = 0; i < in->symbols->functions.count; i++)
		if (in->symbols->functions.v[i].kind != FUNCTION_LABEL &&
		    in->symbols->functions.v[i].kind != FUNCTION_GAP)
			return true;
	return false;
}

static int find_table_row(struct row_maker *m, const struct row *wanted, uint32_t *ret)
{
	uint64_t key = (uint64_t)wanted->name << 32 | wanted->module;
	const uint32_t *known = hash_map_get(&m->by_key, key);
	struct row *row;

	if (known) {
		*ret = *known;
		return 0;
	}
	row = array_add(&m->rows.list);
	if (!row || !array_add(&m->open))
		return -ENOMEM;
	*row = *wanted;
	*ret = (uint32_t)m->rows.list.count - 1;
	return hash_map_set(&m->by_key, key, *ret) ? 0 : -ENOMEM;
}

/* The row of a node's function, whatever is above it. */
static int row_of_function(struct row_maker *m, const struct view_node *n, uint32_t *ret)
{
	const struct function *f = &m->in->symbols->functions.v[n->function];
	const char *label = label_text(&m->view.labels, n->label);
	const char *colon = NULL, *line = NULL;
	size_t size = m->view.labels.sizes.v[n->label];
	const char *module = f->module ? intern_text(m->in->strings, f->module) : "";
	struct row row = { .file = f->file, .line = f->line };
	struct intern *texts = &m->rows.texts;
	uint32_t *slot = &m->of_function[n->function];
	int err = 0;

	if (*slot != NO_ROW) {
		*ret = *slot;
		return 0;
	}
	/* Where ":file:line" begins that a label ends in. */
	if (m->by == ROWS_LINE)
		colon = memrchr(label, ':', size);
	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")])
		line = memrchr(label, ':', (size_t)(colon - label));
	if (line && line + 1 == colon)
		line = NULL;
	err = intern_add(texts, module, strlen(module), &row.module);
	if (err == 0 && m->by == ROWS_MODULE) {
		/* What is no code, such as [unknown], stands for itself. */
		row.name = row.module;
		row.module = 0;
		if (!row.name)
			err = intern_add(texts, label, size, &row.name);
	} else if (err == 0 && line) {
		err = intern_add(texts, line + 1, size - (size_t)(line + 1 - label),
				 &row.name);
		if (err == 0)
			err = intern_add(texts, label, (size_t)(line - label),
					 &row.function);
	} else if (err == 0) {
		err = intern_add(texts, label, size, &row.name);
	}
	if (err == 0)
		err = find_table_row(m, &row, slot);
	if (err == 0)
		*ret = *slot;
	return err;
}

static int charge_node(struct row_maker *m, const struct view_walk *w)
{
	const struct view_node *n = &m->view.nodes.v[w->node];
	bool is_process = w->depth == 1 && m->has_code &&
			  function_is_process(&m->in->symbols->functions.v[n->function]);
	bool has_row = m->by == ROWS_COMM ? w->depth == 1 : !is_process || n->self > 0;
	uint32_t row = NO_ROW;
	int err = has_row ? row_of_function(m, n, &row) : 0;

	while (err == 0 && m->path.count <= w->depth)
		err = array_add(&m->path) ? 0 : -ENOMEM;
	if (err < 0)
		return err;
	m->path.v[w->depth] = row;
	if (row == NO_ROW)
		return 0;
	m->rows.list.v[row].self += m->by == ROWS_COMM ? n->total : n->self;
	/* Of a process frame there are only the stacks that end there. */
	if (m->open.v[row] == 0)
		m->rows.list.v[row].total +=
			is_process && m->by != ROWS_COMM ? n->self : n->total;
	if (is_process && m->by != ROWS_COMM)
		m->path.v[w->depth] = NO_ROW;
	else
		m->open.v[row]++;
	return 0;
}

struct row_order {
	const struct intern *texts;
	bool by_total;
};

/* Down to the texts, so that the order is the same in every run. */
static int compare_rows(const void *left, const void *right, void *arg)
{
	const struct row *a = left, *b = right;
	const struct row_order *by = arg;
	int order;

	if (by->by_total && a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	order = strcmp(intern_text(by->texts, a->name), intern_text(by->texts, b->name));
	return order ? order
		     : strcmp(intern_text(by->texts, a->module),
			      intern_text(by->texts, b->module));
}

int rows_make(struct context *ctx, const struct tree_source *in, enum rows_by by,
	      enum rows_order order, struct rows *ret)
{
	struct row_maker m = { .in = in, .by = by, .has_code = tree_has_code(in) };
	size_t functions = (in->symbols->functions.count + 1) * sizeof(*m.of_function);
	struct view_walk w = { 0 };
	/* Of stacks that have no frame. */
	const struct row without_name = { 0 };
	uint32_t depth = 0, row = NO_ROW;
	int err = view_make(ctx, in, VIEW_BY_FUNCTION, &m.view);

	if (err < 0)
		return err;
	err = intern_init(&m.rows.texts);
	m.of_function = malloc(functions);
	if (m.of_function)
		memset(m.of_function, 0xff, functions);
	else
		err = -ENOMEM;
	while (err == 0 && view_next(&m.view, &w, VIEW_INTO)) {
		/* What the walk has left is open no more. */
		for (; depth >= w.depth && depth > 0; depth--)
			if (m.path.v[depth] != NO_ROW)
				m.open.v[m.path.v[depth]]--;
		depth = w.depth;
		err = charge_node(&m, &w);
	}
	if (err == 0 && m.view.nodes.v[0].self)
		err = find_table_row(&m, &without_name, &row);
	if (err == 0 && row != NO_ROW) {
		m.rows.list.v[row].self += m.view.nodes.v[0].self;
		m.rows.list.v[row].total += m.view.nodes.v[0].self;
	}
	m.rows.total = m.view.nodes.v[0].total;
	m.rows.decimals = m.view.decimals;
	view_release(&m.view);
	hash_map_release(&m.by_key);
	array_release(&m.open);
	array_release(&m.path);
	free(m.of_function);
	if (err < 0) {
		rows_release(&m.rows);
		return fail_memory(ctx);
	}
	if (m.rows.list.count)
		qsort_r(m.rows.list.v, m.rows.list.count, sizeof(*m.rows.list.v),
			compare_rows,
			&(struct row_order){ &m.rows.texts, order == ROWS_BY_TOTAL });
	*ret = m.rows;
	return 0;
}

void rows_release(struct rows *r)
{
	intern_release(&r->texts);
	array_release(&r->list);
}
