#include "tree/view.h"

#include <stdlib.h>
#include <string.h>

/* Where a stack being added has come to. */
struct spot {
	uint32_t node;
	uint32_t state; /* of enum chain and enum crowd */
};

/* A frame: what is printed, and whose it is. */
struct face {
	uint32_t label, function;
};

/* flamegraph.pl splits a stack at ";--;". The root counts as a separator because
 * the ';' in front is missing there. */
enum chain {
	CHAIN_SEPARATOR = 1, /* the frame before is one: its ';' is used up */
	CHAIN_WAKER = 2, /* there was one */
};

/* Most nodes of the named tree become nodes that no other one becomes: these need not be
 * found again. */
enum crowd {
	SPOT_SHARED = 4, /* others may come to the same place */
};

struct builder {
	const struct tree_source *in;
	struct view *view;
	struct hash_map children; /* parent << 32 | label -> node */
	uint32_t *labels; /* by function; UINT32_MAX: not asked for */
	ARRAY(uint32_t) wakers; /* by label: the same with _[w]; 0: not made */
	uint32_t separator; /* label "--" */
	uint8_t *
		owners; /* by label: functions that have it, 2: or more; NULL: not known */
	unsigned flags;
	/* Columns but the weight: those that go where stacks end, and those that are said of
	 * frames. */
	uint32_t ending[COLUMNS_MOST], said[COLUMNS_MOST];
	uint32_t endings, sayings;
};

const char *view_mark(const struct tree_source *in, uint8_t kind)
{
	const char *const marks[] = {
		[FUNCTION_KERNEL] = in->mark_kernel ? "_[k]" : "",
		[FUNCTION_JIT] = in->mark_jit ? "_[j]" : "",
		[FUNCTION_INLINED] = "_[i]",
	};

	return kind < sizeof(marks) / sizeof(marks[0]) && marks[kind] ? marks[kind] : "";
}

static int face_of(struct builder *b, uint32_t node, struct face *ret)
{
	uint32_t index = b->in->tree->nodes.v[node].function;
	const struct function *function = &b->in->symbols->functions.v[index];
	uint32_t *label = &b->labels[index];
	int err = 0;

	if (function->kind == FUNCTION_GAP)
		*label = VIEW_GAP;
	else if (*label == UINT32_MAX)
		err = labels_add(&b->view->labels,
				 intern_text(b->in->strings, function->name),
				 view_mark(b->in, function->kind), label);
	*ret = (struct face){ *label, index };
	return err;
}

static int waker_of(struct builder *b, uint32_t *label)
{
	struct labels *labels = &b->view->labels;
	uint32_t from = *label;
	int err;

	while (b->wakers.count <= from)
		if (!array_add(&b->wakers))
			return -ENOMEM;
	if (b->wakers.v[from] == 0) {
		err = labels_add(labels, label_text(labels, from), "_[w]",
				 &b->wakers.v[from]);
		if (err < 0)
			return err;
	}
	*label = b->wakers.v[from];
	return 0;
}

static int new_node(struct view *v, uint32_t parent, struct face face, uint32_t *ret)
{
	uint32_t node = (uint32_t)v->nodes.count;
	struct view_node *n;

	if (v->nodes.count >= UINT32_MAX - 1)
		return -ENOMEM;
	n = array_add(&v->nodes);
	if (!n)
		return -ENOMEM;
	n->label = face.label;
	n->function = face.function;
	n->parent = parent;
	if (node) {
		n->next = v->nodes.v[parent].first;
		v->nodes.v[parent].first = node;
	}
	*ret = node;
	return 0;
}

/* While the tree grows, `first` is the newest child. */
static int child(struct builder *b, struct spot at, struct face face, uint32_t *ret)
{
	struct view *v = b->view;
	uint32_t parent = at.node;
	bool by_function = b->flags & VIEW_BY_FUNCTION;
	uint32_t newest = v->nodes.v[parent].first, *known;
	uint64_t key =
		(uint64_t)parent << 32 | (by_function ? face.function : face.label);
	int err;

	if (newest && v->nodes.v[newest].label == face.label &&
	    (!by_function || v->nodes.v[newest].function == face.function)) {
		*ret = newest;
		return 0;
	}
	if (b->in->in_order || !(at.state & SPOT_SHARED))
		return new_node(v, parent, face, ret);
	known = hash_map_get(&b->children, key);
	if (known) {
		*ret = *known;
		return 0;
	}
	err = new_node(v, parent, face, ret);
	if (err == 0 && !hash_map_set(&b->children, key, *ret))
		err = -ENOMEM;
	return err;
}

/* One frame on, and more will follow. */
static int pass(struct builder *b, struct spot *at, struct face face)
{
	int err = 0;

	if (b->flags & VIEW_CHAIN) {
		if (face.label == b->separator && !(at->state & CHAIN_SEPARATOR)) {
			at->state |= CHAIN_SEPARATOR | CHAIN_WAKER;
		} else {
			if (at->state & CHAIN_WAKER)
				err = waker_of(b, &face.label);
			at->state &= ~(uint32_t)CHAIN_SEPARATOR;
		}
	}
	return err < 0 ? err : child(b, *at, face, &at->node);
}

/* The last frame of a stack. */
static int end(struct builder *b, struct spot at, struct face face, uint32_t *ret)
{
	int err = 0;

	/* Not a frame: nothing marks it, or stands on it. */
	if (face.label == VIEW_GAP)
		return child(b, at, face, ret);
	if ((b->flags & VIEW_CHAIN) && (at.state & CHAIN_WAKER))
		err = waker_of(b, &face.label);
	if (err == 0)
		err = child(b, at, face, ret);
	if (err < 0 || !(b->flags & VIEW_CHAIN) || at.state & CHAIN_WAKER)
		return err;
	at.node = *ret;
	return child(b, at, (struct face){ b->separator, 0 }, ret);
}

static int fill_column(struct view *v, uint32_t column)
{
	while (v->values[column].of.count < v->nodes.count)
		if (!array_add(&v->values[column].of))
			return -ENOMEM;
	return 0;
}

static int add_value(struct builder *b, uint32_t column, uint32_t from, uint32_t to)
{
	if (fill_column(b->view, column) < 0)
		return -ENOMEM;
	b->view->values[column].of.v[to] += b->in->tree->values[column][from];
	return 0;
}

static int charge(struct builder *b, uint32_t from, uint32_t to)
{
	int err = 0;

	b->view->nodes.v[to].self += named_value(b->in->tree, from, COLUMN_WEIGHT);
	for (uint32_t i = 0; err == 0 && i < b->endings; i++)
		err = add_value(b, b->ending[i], from, to);
	return err;
}

/* A frame that something is said of calls others: its node is known when theirs are made. */
static int note_said(struct builder *b, uint32_t from, uint32_t to)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < b->sayings; i++)
		if (b->in->tree->values[b->said[i]][from])
			err = add_value(b, b->said[i], from, to);
	return err;
}

static void choose_columns(struct builder *b)
{
	const struct named *tree = b->in->tree;

	for (uint32_t i = COLUMN_WEIGHT + 1; i < tree->columns->count; i++) {
		const struct column *c = &tree->columns->v[i];

		if (!tree->values[i])
			continue;
		if (c->sum == SUM_HERE && !(b->flags & (VIEW_REVERSED | VIEW_CHAIN)))
			b->said[b->sayings++] = i;
		if (c->sum == SUM_BELOW && (c->makes_stacks || b->flags & VIEW_COLUMNS))
			b->ending[b->endings++] = i;
	}
}

/* Node after node: a parent's place is known when its children come. */
static int add_nodes(struct builder *b, struct spot *places)
{
	const struct named *tree = b->in->tree;
	struct face face;
	uint32_t to;

	for (uint32_t i = 1; i < tree->nodes.count; i++) {
		const struct named_node *n = &tree->nodes.v[i];
		int err = face_of(b, i, &face);

		places[i] = places[n->parent];
		if (!b->owners || face.label == VIEW_GAP || b->owners[face.label] > 1)
			places[i].state |= SPOT_SHARED;
		if (err == 0 && face.label == VIEW_GAP && !b->in->in_order) {
			err = charge(b, i, places[i].node);
		} else if (err == 0 && named_has_stack(tree, i)) {
			err = end(b, places[i], face, &to);
			if (err == 0)
				err = charge(b, i, to);
		}
		if (err == 0 && n->end > i + 1)
			err = pass(b, &places[i], face);
		if (err == 0)
			err = note_said(b, i, places[i].node);
		if (err < 0)
			return err;
	}
	return 0;
}

/* The named tree has functions apart already: node becomes node, if anything ends at it
 * or below. */
static int copy_nodes(struct builder *b, struct spot *places)
{
	const struct named *tree = b->in->tree;
	struct face face;
	int err = 0;

	for (size_t i = tree->nodes.count; i-- > 1;) {
		places[i].state |= named_has_stack(tree, (uint32_t)i);
		places[tree->nodes.v[i].parent].state |= places[i].state;
	}
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++) {
		const struct named_node *n = &tree->nodes.v[i];
		uint32_t parent = places[n->parent].node;

		if (!places[i].state)
			continue;
		places[i].node = parent;
		err = face_of(b, i, &face);
		if (err == 0 && (face.label != VIEW_GAP || b->in->in_order))
			err = new_node(b->view, parent, face, &places[i].node);
		if (err == 0)
			err = charge(b, i, places[i].node);
		if (err == 0)
			err = note_said(b, i, places[i].node);
	}
	return err;
}

/* Stack after stack, each from its leaf to its root. */
static int add_reversed(struct builder *b)
{
	const struct named *tree = b->in->tree;
	struct face face;
	uint32_t to;

	for (uint32_t i = 1; i < tree->nodes.count; i++) {
		struct spot at = { 0, CHAIN_SEPARATOR | SPOT_SHARED };
		uint32_t node = i;
		int err = named_has_stack(tree, i) ? face_of(b, node, &face) : 1;

		if (err > 0)
			continue;
		if (err == 0 && face.label == VIEW_GAP) {
			node = tree->nodes.v[node].parent;
			err = face_of(b, node, &face);
		}
		for (; err == 0 && tree->nodes.v[node].parent;
		     err = face_of(b, node, &face)) {
			err = pass(b, &at, face);
			if (err < 0)
				return err;
			node = tree->nodes.v[node].parent;
		}
		if (err == 0)
			err = end(b, at, face, &to);
		if (err == 0)
			err = charge(b, i, to);
		if (err < 0)
			return err;
	}
	return 0;
}

/* Which labels are those of several functions? */
static int count_owners(struct builder *b)
{
	const struct named *tree = b->in->tree;
	size_t functions = b->in->symbols->functions.count;
	struct face face;
	int err = 0;

	if (!tree->joined || b->in->in_order || b->flags & (VIEW_REVERSED | VIEW_CHAIN))
		return 0;
	/* Labels are at most one for each function, and two of our own. */
	b->owners = calloc(functions + 2, sizeof(*b->owners));
	if (!b->owners)
		return -ENOMEM;
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++) {
		if (b->labels[tree->nodes.v[i].function] != UINT32_MAX)
			continue;
		err = face_of(b, i, &face);
		if (err == 0 && face.label != VIEW_GAP && b->owners[face.label] < 2)
			b->owners[face.label]++;
	}
	return err;
}

static int add_stacks(struct builder *b)
{
	size_t count = b->in->tree->nodes.count;
	struct spot *places;
	int err;

	if (count && named_has_stack(b->in->tree, 0)) {
		err = charge(b, 0, 0);
		if (err < 0)
			return err;
	}
	if (b->flags & VIEW_REVERSED)
		return add_reversed(b);
	places = calloc(count + 1, sizeof(*places));
	if (!places)
		return -ENOMEM;
	places[0].state = CHAIN_SEPARATOR;
	err = b->flags & VIEW_BY_FUNCTION ? copy_nodes(b, places) : add_nodes(b, places);
	free(places);
	return err;
}

static int build(struct builder *b)
{
	size_t functions = b->in->symbols->functions.count;
	uint32_t root;
	int err;

	choose_columns(b);
	b->labels = malloc((functions + 1) * sizeof(*b->labels));
	if (!b->labels)
		return -ENOMEM;
	memset(b->labels, 0xff, (functions + 1) * sizeof(*b->labels));
	err = labels_add(&b->view->labels, "--", "", &b->separator);
	if (err == 0)
		err = new_node(b->view, 0, (struct face){ 0, 0 }, &root);
	if (err == 0 && !(b->flags & VIEW_BY_FUNCTION))
		err = count_owners(b);
	return err < 0 ? err : add_stacks(b);
}

/* For nodes that were made since. What holds nowhere is not said at all. */
static int fill_columns(const struct builder *b)
{
	int err = 0;

	for (uint32_t i = 0; err == 0 && i < b->endings; i++)
		err = fill_column(b->view, b->ending[i]);
	for (uint32_t i = 0; err == 0 && i < b->sayings; i++)
		if (view_has(b->view, b->said[i]))
			err = fill_column(b->view, b->said[i]);
	return err;
}

/* Of what is below a frame of a picture some may have been left out. */
static void limit_said(const struct builder *b)
{
	struct view *v = b->view;

	for (uint32_t i = 0; i < b->sayings; i++) {
		struct view_column *values = &v->values[b->said[i]];

		for (size_t node = 0; node < values->of.count; node++)
			if (values->of.v[node] > v->nodes.v[node].total)
				values->of.v[node] = v->nodes.v[node].total;
	}
}

static void add_totals(struct view *v)
{
	for (size_t i = v->nodes.count; i-- > 0;) {
		struct view_node *n = &v->nodes.v[i];

		n->total += n->self;
		n->first = 0;
		if (i)
			v->nodes.v[n->parent].total += n->total;
	}
}

static void link_first(struct view *v, uint32_t node)
{
	struct view_node *n = &v->nodes.v[node], *parent = &v->nodes.v[n->parent];

	n->next = parent->first;
	parent->first = node;
}

/* A "--" that a chain's stack was given stands for the end of its line: it is first. */
static uint32_t node_rank(const struct view *v, uint32_t node, uint32_t separator)
{
	uint32_t label = v->nodes.v[node].label;

	if (label == separator && view_has_stack(v, node))
		return 0;
	return view_has_stack(v, node) ? label_rank(&v->labels, label)
				       : label_rank_below(&v->labels, label);
}

/* All nodes by rank, by counting; then each is put in front of its siblings, the
 * last one first. */
static int sort_siblings(struct view *v, uint32_t separator)
{
	size_t ranks = v->labels.sizes.count * 2, count = v->nodes.count;
	uint32_t *starts = calloc(ranks + 1, sizeof(*starts));
	uint32_t *order = malloc(count * sizeof(*order));
	int err = starts && order ? labels_rank(&v->labels) : -ENOMEM;

	if (err < 0)
		goto out;
	for (uint32_t i = 1; i < count; i++)
		starts[node_rank(v, i, separator) + 1]++;
	for (size_t i = 0; i < ranks; i++)
		starts[i + 1] += starts[i];
	for (uint32_t i = 1; i < count; i++)
		order[starts[node_rank(v, i, separator)]++] = i;
	for (size_t i = count - 1; i-- > 0;)
		link_first(v, order[i]);
out:
	free(starts);
	free(order);
	return err;
}

static int order_siblings(const struct builder *b)
{
	struct view *v = b->view;

	if (!b->in->in_order)
		return sort_siblings(v,
				     b->flags & VIEW_CHAIN ? b->separator : UINT32_MAX);
	for (uint32_t i = (uint32_t)v->nodes.count; --i > 0;)
		link_first(v, i);
	return 0;
}

int view_make(struct context *ctx, const struct tree_source *in, unsigned flags,
	      struct view *ret)
{
	struct view v = { .decimals = in->tree->decimals, .columns = in->tree->columns };
	struct builder b = { .in = in, .view = &v, .flags = flags };
	int err = labels_init(&v.labels);

	if (err == 0)
		err = build(&b);
	if (err == 0)
		err = fill_columns(&b);
	if (err == 0) {
		add_totals(&v);
		limit_said(&b);
		err = order_siblings(&b);
	}
	hash_map_release(&b.children);
	array_release(&b.wakers);
	free(b.owners);
	free(b.labels);
	if (err < 0) {
		view_release(&v);
		return fail_memory(ctx);
	}
	*ret = v;
	return 0;
}

void view_release(struct view *v)
{
	labels_release(&v->labels);
	array_release(&v->nodes);
	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		array_release(&v->values[i].of);
}

bool view_has_stack(const struct view *v, uint32_t node)
{
	for (uint32_t i = 0; i < v->columns->count; i++)
		if (v->columns->v[i].makes_stacks && view_value(v, node, i))
			return true;
	return false;
}

bool view_next(const struct view *v, struct view_walk *w, enum view_step step)
{
	const struct view_node *nodes = v->nodes.v, *n = &nodes[w->node];

	if (step == VIEW_INTO && n->first) {
		w->start += n->self;
		w->node = n->first;
		w->depth++;
		return true;
	}
	/* The last child ends where its parent ends. */
	w->start += n->total;
	while (w->node && !nodes[w->node].next) {
		w->node = nodes[w->node].parent;
		w->depth--;
	}
	w->node = nodes[w->node].next;
	return w->node != 0;
}
