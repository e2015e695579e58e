/*
 * Columns in place of rows: values of one sort lie together and pack well. Each is made
 * smaller by what a reader has by then.
 *
 *	names      sorted, without what they share with the one before
 *	nodes      how many down to the next leaf, how many up from it
 *	function   its index among those that this caller has called so far; of short lists
 *	           several indexes make a byte
 *	values     divided by what divides all of them; those that few nodes have with the
 *	           numbers of these
 *
 * A caller's list of callees grows the same way for writer and reader, so a function
 * that is known costs an index, mostly small, and one that is new its rank by how often
 * functions are new. The result depends on names and values alone, not on ids or
 * threads.
 */
#include "tree/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/deflate.h"

/* Indexes that are to be one byte. */
struct filled_byte {
	uint32_t sum, scale; /* scale: how many sums there can be so far; 0: none */
};

/* A column of the view. */
struct packed_column {
	uint32_t column;
	uint64_t unit;
};

struct maker {
	const struct tree_source *in;
	const struct view *view;
	struct tree_data *data;
	bool by_label;
	uint32_t *numbers; /* by function or label: its number; 0: not in the tree */
	struct hash_map indexes; /* caller << 32 | callee -> index in the caller's list */
	uint32_t *callees; /* by function number: length of its list */
	struct filled_byte gathered[SAVED_SHORT_LIST + 1]; /* by length of the list */
	ARRAY(uint32_t) fresh; /* functions of new nodes */
	struct packed_column dense[COLUMNS_MOST], said[COLUMNS_MOST];
	size_t denses, saids;
	uint64_t last_said[COLUMNS_MOST]; /* numbers of nodes, by index in said */
	uint64_t unit; /* of weights */
	uint64_t samples; /* enum saved_samples */
	uint64_t names, modules, leaves;
};

static size_t keys(const struct maker *m)
{
	return m->by_label ? m->view->labels.sizes.count
			   : m->in->symbols->functions.count;
}

/* A gap has no label: it comes behind them. */
static uint32_t number_key(const struct maker *m, uint32_t node)
{
	const struct view_node *n = &m->view->nodes.v[node];

	if (!m->by_label)
		return n->function;
	return n->label == VIEW_GAP ? (uint32_t)keys(m) : n->label;
}

uint8_t data_kind(const struct function *f)
{
	static const uint8_t kinds[] = {
		[FUNCTION_LABEL] = SAVED_TEXT,	  [FUNCTION_USER] = SAVED_USER,
		[FUNCTION_KERNEL] = SAVED_KERNEL, [FUNCTION_JIT] = SAVED_JIT,
		[FUNCTION_GAP] = SAVED_GAP,
	};

	return (uint8_t)(kinds[f->kind] | (f->unnamed ? SAVED_UNNAMED : 0));
}

static int compare_data_functions(const void *left, const void *right, void *arg)
{
	const struct intern *strings = arg;
	const struct data_function *a = left, *b = right;
	/* By texts and never by ids, which depend on the order in which threads came. */
	int order = strcmp(a->name, b->name);

	if (order == 0 && a->module != b->module)
		order = strcmp(intern_text(strings, a->module),
			       intern_text(strings, b->module));
	return order ? order : a->kind - b->kind;
}

/* Those that are in the tree, in their order. Functions of one name, of several modules or
 * kinds, lie together and share the name. */
static int list_functions(struct maker *m)
{
	struct tree_data *d = m->data;
	size_t count = keys(m);
	const char *before = "";

	m->numbers = calloc(count + 1, sizeof(*m->numbers));
	if (!m->numbers)
		return -ENOMEM;
	for (uint32_t i = 1; i < m->view->nodes.count; i++)
		/* A mark for now: numbers are given when the functions are sorted. */
		m->numbers[number_key(m, i)] = 1;
	for (uint32_t key = 0; key <= count; key++) {
		struct data_function *slot;
		const struct function *f;

		if (!m->numbers[key])
			continue;
		slot = array_add(&d->functions);
		if (!slot)
			return -ENOMEM;
		slot->of = key;
		if (m->by_label) {
			bool gap = key == count;

			slot->name = gap ? "" : label_text(&m->view->labels, key);
			slot->kind = gap ? SAVED_GAP : 0;
			continue;
		}
		f = &m->in->symbols->functions.v[key];
		slot->name = intern_text(m->in->strings, f->name);
		slot->module = f->module;
		slot->file = f->file;
		slot->line = f->line;
		slot->kind = data_kind(f);
	}
	if (d->functions.count)
		qsort_r(d->functions.v, d->functions.count, sizeof(*d->functions.v),
			compare_data_functions, (void *)m->in->strings);
	for (size_t i = 0; i < d->functions.count; i++) {
		const char *name = d->functions.v[i].name;
		bool is_same = i > 0 && strcmp(name, before) == 0;
		size_t shared = 0;

		m->numbers[d->functions.v[i].of] = (uint32_t)i + 1;
		bytes_varint(&d->columns[SAVED_FUNCTION_NAME], i > 0 && !is_same);
		bytes_u8(&d->columns[SAVED_FUNCTION_KIND], d->functions.v[i].kind);
		if (is_same)
			continue;
		while (name[shared] && name[shared] == before[shared])
			shared++;
		m->names++;
		bytes_varint(&d->columns[SAVED_NAME_START], shared);
		bytes_add(&d->columns[SAVED_NAME_REST], name + shared,
			  strlen(name + shared) + 1);
		before = name;
	}
	return 0;
}

struct module {
	const char *text;
	uint32_t id;
};

static int compare_modules(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->text, ((const struct module *)b)->text);
}

/* Modules in the order of their texts; the empty one is the first. */
static int add_module_column(struct maker *m)
{
	struct tree_data *d = m->data;
	ARRAY(struct module) modules = { 0 };
	/* At first the set of modules that came, then the place of each. */
	struct hash_map indexes = { 0 };
	int err = array_add(&modules) && hash_map_set(&indexes, 0, 0) ? 0 : -ENOMEM;

	if (err == 0)
		modules.v[0].text = "";
	for (size_t i = 0; i < d->functions.count && err == 0; i++) {
		uint32_t id = d->functions.v[i].module;
		struct module *slot =
			hash_map_get(&indexes, id) ? NULL : array_add(&modules);

		if (slot)
			*slot = (struct module){ intern_text(m->in->strings, id), id };
		if (!hash_map_set(&indexes, id, 0))
			err = -ENOMEM;
	}
	if (err == 0)
		qsort(modules.v, modules.count, sizeof(*modules.v), compare_modules);
	for (size_t i = 0; i < modules.count && err == 0; i++) {
		bytes_add(&d->columns[SAVED_MODULE], modules.v[i].text,
			  strlen(modules.v[i].text) + 1);
		if (!hash_map_set(&indexes, modules.v[i].id, (uint32_t)i))
			err = -ENOMEM;
	}
	for (size_t i = 0; i < d->functions.count && err == 0; i++)
		bytes_varint(&d->columns[SAVED_FUNCTION_MODULE],
			     *hash_map_get(&indexes, d->functions.v[i].module));
	m->modules = modules.count;
	array_release(&modules);
	hash_map_release(&indexes);
	return err;
}

/* Files in the order in which they come; 0 is none. */
static int add_declarations(struct maker *m)
{
	struct tree_data *d = m->data;
	struct hash_map numbers = { 0 };
	uint32_t count = 0;
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < d->functions.count; i++)
		any |= d->functions.v[i].file != 0;
	for (size_t i = 0; i < d->functions.count && any && err == 0; i++) {
		const struct data_function *f = &d->functions.v[i];
		const uint32_t *known = hash_map_get(&numbers, f->file);
		const char *text = intern_text(m->in->strings, f->file);
		uint32_t number = known ? *known : f->file ? ++count : 0;

		if (!known && f->file)
			bytes_add(&d->columns[SAVED_FILE], text, strlen(text) + 1);
		if (!known && f->file && !hash_map_set(&numbers, f->file, number))
			err = -ENOMEM;
		bytes_varint(&d->columns[SAVED_FUNCTION_FILE], number);
		bytes_varint(&d->columns[SAVED_FUNCTION_LINE], number ? f->line : 0);
	}
	hash_map_release(&numbers);
	return err;
}

/* What divides all values: goes on from @unit, and 0 is divided by all. */
static uint64_t column_unit(const struct view *v, uint32_t column, uint64_t unit)
{
	for (uint32_t i = 0; i < v->nodes.count && unit != 1; i++)
		for (uint64_t rest = view_value(v, i, column); rest;) {
			uint64_t next = unit % rest;

			unit = rest;
			rest = next;
		}
	return unit;
}

static void choose_columns(struct maker *m)
{
	struct bytes *to = &m->data->columns[SAVED_DESCRIBED];
	const struct view *v = m->view;
	bool differ = false, any = false;

	/* Periods are often all the same, and so multiples of one number: of samples,
	 * then. */
	for (uint32_t i = 0; i < COLUMN_ROLES; i++)
		if (v->columns->v[i].makes_stacks && view_has(v, i))
			m->unit = column_unit(v, i, m->unit);
	m->unit = m->unit ? m->unit : 1;
	for (uint32_t i = 0; i < v->values[COLUMN_SAMPLES].of.count; i++) {
		uint64_t samples = view_value(v, i, COLUMN_SAMPLES);

		any |= samples > 0;
		differ |= samples != v->nodes.v[i].self / m->unit;
	}
	m->samples = !any     ? SAMPLES_UNKNOWN
		     : differ ? SAMPLES_HAVE_COLUMNS
			      : SAMPLES_ARE_SELF;
	for (uint32_t i = 0; i < v->columns->count; i++) {
		const struct column *c = &v->columns->v[i];
		struct packed_column d = { .column = i, .unit = c->unit ? 1 : m->unit };

		if (!view_has(v, i) ||
		    (i == COLUMN_SAMPLES && m->samples != SAMPLES_HAVE_COLUMNS))
			continue;
		/* Further columns, those without a role, say of themselves what a reader has
		 * to know. */
		if (i >= COLUMN_ROLES) {
			d.unit = column_unit(v, i, 0);
			d.unit = d.unit ? d.unit : 1;
			bytes_varint(to, saved_column_of(i));
			bytes_varint(to, c->side);
			bytes_varint(to, c->sum);
			bytes_varint(to, c->makes_stacks);
			bytes_varint(to, d.unit);
			bytes_varint(to, c->decimals);
			bytes_add(to, c->name, strlen(c->name) + 1);
			bytes_add(to, c->unit ? c->unit : "",
				  c->unit ? strlen(c->unit) + 1 : 1);
		}
		if (c->sum == SUM_HERE)
			m->said[m->saids++] = d;
		else
			m->dense[m->denses++] = d;
	}
}

/* Leaves and inner nodes have a column each: the values of leaves are larger. */
static void add_values(struct maker *m, uint32_t node)
{
	const struct view *v = m->view;
	int inner = node == 0 || v->nodes.v[node].first != 0;

	for (size_t i = 0; i < m->denses; i++) {
		const struct packed_column *d = &m->dense[i];

		bytes_varint(&m->data->columns[saved_column_of(d->column) + inner],
			     view_value(v, node, d->column) / d->unit);
	}
}

/* Nodes of one sort that came last. */
struct course {
	bool is_new; /* their functions are new to their callers */
	uint64_t nodes; /* how many nodes these are */
};

/* Where the walk came, and whom it asks for there: the caller's number << 32 | the callee's. */
struct data_step {
	uint32_t node, depth;
	uint64_t call;
};

/* The next steps of the walk; fewer than @most at its end. The index of callees lies anywhere, and is
 * fetched for all of them. */
static size_t walk_ahead(const struct maker *m, struct view_walk *w,
			 struct data_step *steps, size_t most)
{
	size_t count = 0;

	while (count < most && view_next(m->view, w, VIEW_INTO)) {
		uint32_t parent = m->view->nodes.v[w->node].parent;
		uint64_t caller = parent ? m->numbers[number_key(m, parent)] : 0;
		uint64_t call = caller << 32 | m->numbers[number_key(m, w->node)];

		hash_map_fetch(&m->indexes, call);
		steps[count++] = (struct data_step){ w->node, w->depth, call };
	}
	return count;
}

static void end_gathered(struct maker *m, uint32_t length)
{
	struct filled_byte *g = &m->gathered[length];

	bytes_u8(&m->data->columns[SAVED_CALLEES_OF + length], (uint8_t)g->sum);
	*g = (struct filled_byte){ 0 };
}

/*
 * The index of a callee that is known: into a short list, it is a digit of a number to the
 * base of the list's length, as many as a byte holds. A list of one needs none. The first
 * index is the lowest digit, which the reader takes off first.
 */
static int add_callee(struct maker *m, uint64_t call, struct course *c)
{
	uint32_t caller = (uint32_t)(call >> 32), *slot;
	const uint32_t *known = hash_map_get(&m->indexes, call);
	uint32_t length = m->callees[caller];

	/* Another sort begins: the length of the one before is written, and that may be
	 * 0. */
	if (c->is_new == (known != NULL)) {
		bytes_varint(&m->data->columns[SAVED_KNOWN], c->nodes);
		c->is_new = !known;
		c->nodes = 0;
	}
	c->nodes++;
	if (known && length > SAVED_SHORT_LIST) {
		bytes_varint(&m->data->columns[SAVED_CALLEE], *known);
	} else if (known && length > 1) {
		struct filled_byte *g = &m->gathered[length];

		g->scale = g->scale ? g->scale : 1;
		g->sum += *known * g->scale;
		g->scale *= length;
		if (g->scale * length > 256)
			end_gathered(m, length);
	}
	if (known)
		return 0;
	slot = array_add(&m->fresh);
	if (!slot || !hash_map_set(&m->indexes, call, m->callees[caller]++))
		return -ENOMEM;
	*slot = (uint32_t)call;
	return 0;
}

/* Few nodes have any of these: they are told with the node's number, less that of the one
 * before. */
static void add_said(struct maker *m, uint32_t node, uint64_t number)
{
	for (size_t i = 0; i < m->saids; i++) {
		const struct packed_column *d = &m->said[i];
		struct bytes *to = &m->data->columns[saved_column_of(d->column)];
		uint64_t value = view_value(m->view, node, d->column);

		if (!value)
			continue;
		bytes_varint(to, number - m->last_said[i]);
		bytes_varint(to, value / d->unit);
		m->last_said[i] = number;
	}
}

/* The walk is in preorder, so the shape needs no ids: only the way from leaf to leaf. */
static int add_nodes(struct maker *m)
{
	enum { AHEAD = 32 };
	struct data_step steps[AHEAD];
	struct bytes *columns = m->data->columns;
	struct course c = { 0 };
	struct view_walk w = { 0 };
	uint64_t number = 0, run = 0; /* of the node; nodes since the last leaf */
	uint32_t leaf_depth = 0;
	size_t count = AHEAD;
	int err = 0;

	m->callees = calloc(m->data->functions.count + 1, sizeof(*m->callees));
	if (!m->callees)
		return -ENOMEM;
	add_values(m, 0);
	while (err == 0 && count == AHEAD) {
		count = walk_ahead(m, &w, steps, AHEAD);
		for (size_t k = 0; k < count && err == 0; k++) {
			uint32_t node = steps[k].node, depth = steps[k].depth;

			if (run == 0 && m->leaves)
				bytes_varint(&columns[SAVED_UP], leaf_depth - depth);
			if (m->view->nodes.v[node].first) {
				run++;
			} else {
				bytes_varint(&columns[SAVED_RUN], run);
				run = 0;
				leaf_depth = depth;
				m->leaves++;
			}
			add_values(m, node);
			add_said(m, node, ++number);
			err = add_callee(m, steps[k].call, &c);
		}
	}
	bytes_varint(&columns[SAVED_KNOWN], c.nodes);
	for (uint32_t length = 2; length <= SAVED_SHORT_LIST; length++)
		if (m->gathered[length].scale)
			end_gathered(m, length);
	return err;
}

/* Two steps an octave, exact on any machine: 1, 2, 3, 4, 6, 8, 12, ... begin a level
 * each. @count is not 0. */
static uint8_t level_of(uint32_t count)
{
	unsigned power = 31 - (unsigned)__builtin_clz(count);

	return (uint8_t)(power << 1 | ((uint64_t)count << 1 >> power & 1));
}

/* Functions that are often new get low ranks, of which few bits are not 0. */
static int add_fresh(struct maker *m)
{
	size_t functions = m->data->functions.count, levels[257] = { 0 };
	struct bytes *columns = m->data->columns;
	uint32_t *counts = calloc(functions + 1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < m->fresh.count; i++)
		counts[m->fresh.v[i]]++;
	for (size_t i = 1; i <= functions; i++) {
		uint8_t level = level_of(counts[i]);

		bytes_u8(&columns[SAVED_FUNCTION_LEVEL], level);
		levels[255 - level + 1]++;
	}
	for (int i = 0; i < 256; i++)
		levels[i + 1] += levels[i];
	for (size_t i = 1; i <= functions; i++)
		/* The rank takes the place of the count, which nobody needs any more. */
		counts[i] = (uint32_t)levels[255 - level_of(counts[i])]++;
	for (size_t i = 0; i < m->fresh.count; i++) {
		uint32_t rank = counts[m->fresh.v[i]];

		bytes_u8(&columns[SAVED_NEW_LOW], (uint8_t)rank);
		bytes_varint(&columns[SAVED_NEW_HIGH], rank >> 8);
	}
	free(counts);
	return 0;
}

int tree_data_make(struct context *ctx, const struct tree_source *in,
		   const struct view *view, bool by_label, struct tree_data *ret)
{
	struct tree_data d = { 0 };
	struct maker m = { .in = in, .view = view, .data = &d, .by_label = by_label };
	struct bytes *counts = &d.columns[SAVED_COUNTS];
	int err = list_functions(&m);

	choose_columns(&m);
	if (err == 0)
		err = add_module_column(&m);
	if (err == 0)
		err = add_declarations(&m);
	if (err == 0)
		err = add_nodes(&m);
	if (err == 0)
		err = add_fresh(&m);
	/* A reader needs these first, but only now are they complete. */
	bytes_varint(counts, m.names);
	bytes_varint(counts, m.modules);
	bytes_varint(counts, d.functions.count);
	bytes_varint(counts, view->nodes.count);
	bytes_varint(counts, m.leaves);
	bytes_varint(counts, m.unit);
	bytes_varint(counts, view->decimals);
	bytes_varint(counts, m.samples);
	for (int i = 0; i < SAVED_COLUMNS; i++)
		if (d.columns[i].failed)
			err = -ENOMEM;
	free(m.numbers);
	free(m.callees);
	array_release(&m.fresh);
	hash_map_release(&m.indexes);
	if (err < 0) {
		tree_data_release(&d);
		return fail_memory(ctx);
	}
	*ret = d;
	return 0;
}

void tree_data_release(struct tree_data *d)
{
	array_release(&d->functions);
	for (int i = 0; i < SAVED_COLUMNS; i++)
		bytes_release(&d->columns[i]);
}

/* The directory, numbers and sizes of the columns that have bytes, comes before all of them. */
int tree_data_pack(struct context *ctx, const struct tree_data *d, unsigned threads,
		   struct packed_tree *ret)
{
	enum { SMALL = 64 << 10 };
	struct deflate_piece pieces[SAVED_COLUMNS + 1];
	struct bytes directory = { 0 };
	struct packed_tree p = { 0 };
	/* The first piece is the directory, which is complete only when all columns are
	 * seen. */
	size_t used = 0, count = 1;
	int err = 0;

	for (int i = 0; i < SAVED_COLUMNS; i++)
		used += d->columns[i].count > 0;
	bytes_varint(&directory, used);
	for (int i = 0; i < SAVED_COLUMNS; i++) {
		const struct bytes *column = &d->columns[i];

		directory.failed |= column->failed;
		if (!column->count)
			continue;
		bytes_varint(&directory, (uint64_t)i);
		bytes_varint(&directory, column->count);
		pieces[count++] = (struct deflate_piece){ column->v, column->count };
	}
	pieces[0] = (struct deflate_piece){ directory.v, directory.count };
	for (size_t i = 0; i < count; i++)
		p.whole += pieces[i].size;
	/* Small data is not packed: it can be read at once, and by any browser. What is known of time
	 * packs better than all else. */
	p.is_zlib = p.whole >= SMALL || d->columns[SAVED_HEAT].count;
	if (directory.failed) {
		err = -ENOMEM;
	} else if (p.is_zlib) {
		err = deflate_pieces(pieces, count, threads, &p.bytes, &p.size);
	} else {
		p.bytes = malloc(p.whole);
		err = p.bytes ? 0 : -ENOMEM;
		for (size_t i = 0; i < count && err == 0; i++) {
			memcpy(p.bytes + p.size, pieces[i].bytes, pieces[i].size);
			p.size += pieces[i].size;
		}
	}
	bytes_release(&directory);
	if (err < 0)
		return fail_memory(ctx);
	*ret = p;
	return 0;
}
