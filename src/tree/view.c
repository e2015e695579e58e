/*
 * One pass over the named tree makes a view: a node's place is known when its children come,
 * as the nodes are in preorder. Only where stacks are turned round does each go from its leaf
 * to its root. A view of lines is made while it is walked: lines.c.
 *
 * Functions that print alike become one node. Most nodes of the named tree become nodes that no
 * other one becomes, though, and need not be found again: a map of children is asked only below
 * labels that several functions have.
 *
 * Siblings are sorted at the end, by the rank of their labels among all (label.h).
 * The order and the rules for ";--;" are flamegraph.pl's.
 */
#include "tree/view.h"

#include <stdlib.h>
#include <string.h>

/* Where a stack being added has come to. */
struct insert_at {
	uint32_t node;
	uint32_t state; /* of enum chain and enum sharing */
};

/* A frame: what is printed, and whose it is. */
struct label_ref {
	uint32_t label, function;
};

/*
 * flamegraph.pl splits a stack at ";--;", and marks what is behind the first one; here but for
 * "-". The root counts as a separator because the ';' in front is missing there.
 *
 *	a;b;--;c;d    a, b, --, c_[w], d_[w]
 *	a;b           a, b, --
 */
enum chain {
	CHAIN_SEPARATOR = 1, /* the frame before is one: its ';' is used up */
	CHAIN_WAKER = 2, /* there was one */
};

enum sharing {
	SHARED = 4, /* others may come to the same node */
	HAS_STACK = 8, /* one ends at the node or below it */
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
	ARRAY(uint64_t) siblings; /* that are sorted: rank << 32 | node */
};

const char *view_mark(const struct tree_source *in, uint8_t kind)
{
	const char *const marks[] = {
		[FUNCTION_KERNEL] = in->mark_kernel ? "_[k]" : "",
		[FUNCTION_JIT] = in->mark_jit ? "_[j]" : "",
		[FUNCTION_INLINED] = in->inlined_unmarked ? "" : "_[i]",
	};

	return kind < sizeof(marks) / sizeof(marks[0]) && marks[kind] ? marks[kind] : "";
}

static int frame_of_node(struct builder *b, uint32_t node, struct label_ref *ret)
{
	uint32_t index = b->in->tree->nodes.v[node].function;
	const struct function *function = &b->in->symbols->functions.v[index];
	uint32_t *label = &b->labels[index];
	int err = 0;

	/* A gap's stays what it is: UINT32_MAX. */
	if (*label == UINT32_MAX && function->kind != FUNCTION_GAP)
		err = labels_add(&b->view->labels,
				 intern_text(b->in->strings, function->name),
				 view_mark(b->in, function->kind), label);
	*ret = (struct label_ref){ *label, index };
	return err;
}

static int mark_waker(struct builder *b, uint32_t *label)
{
	struct labels *labels = &b->view->labels;
	uint32_t from = *label;
	int err;

	/* Between a waker's user part and its kernel's part: no frame of it. */
	if (strcmp(label_text(labels, from), "-") == 0)
		return 0;
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

static int add_view_node(struct view *v, uint32_t parent, struct label_ref frame,
			 uint32_t *ret)
{
	uint32_t node = (uint32_t)v->nodes.count;
	struct view_node *n;

	if (v->nodes.count >= UINT32_MAX - 1)
		return -ENOMEM;
	n = array_add(&v->nodes);
	if (!n)
		return -ENOMEM;
	n->label = frame.label;
	n->function = frame.function;
	n->parent = parent;
	*ret = node;
	return 0;
}

static void link_first(struct view *v, uint32_t node)
{
	struct view_node *n = &v->nodes.v[node], *parent = &v->nodes.v[n->parent];

	n->next = parent->first;
	parent->first = node;
}

/* While the tree grows, `first` is the newest child. It is asked first: the stack that
 * comes next often goes on where the last one ended. */
static int child_of(struct builder *b, struct insert_at at, struct label_ref frame,
		    uint32_t *ret)
{
	struct view *v = b->view;
	uint32_t parent = at.node;
	bool by_function = b->flags & VIEW_BY_FUNCTION;
	uint32_t newest = v->nodes.v[parent].first, *known;
	uint64_t key =
		(uint64_t)parent << 32 | (by_function ? frame.function : frame.label);
	int err;

	if (newest && v->nodes.v[newest].label == frame.label &&
	    (!by_function || v->nodes.v[newest].function == frame.function)) {
		*ret = newest;
		return 0;
	}
	known = b->in->in_order || !(at.state & SHARED) ? NULL
							: hash_map_get(&b->children, key);
	if (known) {
		*ret = *known;
		return 0;
	}
	err = add_view_node(v, parent, frame, ret);
	if (err < 0)
		return err;
	link_first(v, *ret);
	return b->in->in_order || !(at.state & SHARED) ||
			       hash_map_set(&b->children, key, *ret)
		       ? 0
		       : -ENOMEM;
}

/* One frame on, and more will follow. */
static int pass_frame(struct builder *b, struct insert_at *at, struct label_ref frame)
{
	int err = 0;

	if (b->flags & VIEW_CHAIN) {
		if (frame.label == b->separator && !(at->state & CHAIN_SEPARATOR)) {
			at->state |= CHAIN_SEPARATOR | CHAIN_WAKER;
		} else {
			if (at->state & CHAIN_WAKER)
				err = mark_waker(b, &frame.label);
			at->state &= ~(uint32_t)CHAIN_SEPARATOR;
		}
	}
	return err < 0 ? err : child_of(b, *at, frame, &at->node);
}

static int fill_column(struct view *v, uint32_t column)
{
	struct view_column *values = &v->values[column];
	size_t missing = v->nodes.count - values->of.count;

	if (!array_reserve(&values->of, missing))
		return -ENOMEM;
	memset(&values->of.v[values->of.count], 0, missing * sizeof(*values->of.v));
	values->of.count = v->nodes.count;
	return 0;
}

/* A column grows up to the last node that has a value; finish_nodes() makes it whole. */
static int add_value(struct builder *b, uint32_t column, uint32_t from, uint32_t to)
{
	if (fill_column(b->view, column) < 0)
		return -ENOMEM;
	b->view->values[column].of.v[to] += b->in->tree->values[column][from];
	return 0;
}

/* What ends at a node of the named tree ends at one of the view. */
static int charge_stack(struct builder *b, uint32_t from, uint32_t to)
{
	int err = 0;

	b->view->nodes.v[to].self += named_value(b->in->tree, from, COLUMN_WEIGHT);
	for (uint32_t i = 0; err == 0 && i < b->endings; i++)
		err = add_value(b, b->ending[i], from, to);
	return err;
}

/* The last frame of the stack that ends at the node @from. */
static int end_stack(struct builder *b, struct insert_at at, struct label_ref frame,
		     uint32_t from)
{
	bool chain = b->flags & VIEW_CHAIN && frame.label != VIEW_GAP;
	int err = 0;

	if (chain && at.state & CHAIN_WAKER)
		err = mark_waker(b, &frame.label);
	if (err == 0)
		err = child_of(b, at, frame, &at.node);
	if (err == 0 && chain && !(at.state & CHAIN_WAKER))
		err = child_of(b, at, (struct label_ref){ b->separator, 0 }, &at.node);
	return err < 0 ? err : charge_stack(b, from, at.node);
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

/* Where nothing ends at a node or below there is nothing to be seen: stacks of events that
 * were asked when, not where, or of those that others were weighed by. */
static void find_stacks(const struct named *tree, struct insert_at *inserts)
{
	const uint64_t *columns[COLUMNS_MOST];
	uint32_t used = 0;

	for (uint32_t c = 0; c < tree->columns->count; c++)
		if (tree->columns->v[c].makes_stacks && tree->values[c])
			columns[used++] = tree->values[c];
	/* What is below a node was passed before it. */
	for (size_t i = tree->nodes.count; i-- > 1;) {
		uint32_t *state = &inserts[i].state;

		for (uint32_t c = 0; c < used && !(*state & HAS_STACK); c++)
			*state |= columns[c][i] ? HAS_STACK : 0;
		inserts[tree->nodes.v[i].parent].state |= *state & HAS_STACK;
	}
}

/* Node after node, those with the same label below the same parent become one. */
static int merge_nodes(struct builder *b, struct insert_at *inserts)
{
	const struct named *tree = b->in->tree;
	size_t functions = b->in->symbols->functions.count;
	bool has_owners = tree->joined && !b->in->in_order && !(b->flags & VIEW_CHAIN);
	struct label_ref frame;
	int err = 0;

	/* Which labels are those of several functions? They are at most one for each
	 * function, and two of our own. */
	if (has_owners) {
		b->owners = calloc(functions + 2, sizeof(*b->owners));
		err = b->owners ? 0 : -ENOMEM;
	}
	for (uint32_t i = 1; has_owners && err == 0 && i < tree->nodes.count; i++) {
		if (b->labels[tree->nodes.v[i].function] != UINT32_MAX)
			continue;
		err = frame_of_node(b, i, &frame);
		if (err == 0 && frame.label != VIEW_GAP && b->owners[frame.label] < 2)
			b->owners[frame.label]++;
	}
	find_stacks(tree, inserts);
	inserts[0].state |= CHAIN_SEPARATOR;
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++) {
		const struct named_node *n = &tree->nodes.v[i];

		if (!(inserts[i].state & HAS_STACK))
			continue;
		err = frame_of_node(b, i, &frame);
		inserts[i] = inserts[n->parent];
		if (!b->owners || frame.label == VIEW_GAP || b->owners[frame.label] > 1)
			inserts[i].state |= SHARED;
		if (err == 0 && frame.label == VIEW_GAP && !b->in->in_order)
			err = charge_stack(b, i, inserts[i].node);
		else if (err == 0 && named_has_stack(tree, i))
			err = end_stack(b, inserts[i], frame, i);
		if (err == 0 && n->end > i + 1)
			err = pass_frame(b, &inserts[i], frame);
		if (err == 0)
			err = note_said(b, i, inserts[i].node);
	}
	return err;
}

/* Its value is its parent's own. */
static bool is_undrawn(const struct tree_source *in, uint32_t node)
{
	uint32_t function = in->tree->nodes.v[node].function;

	return in->symbols->functions.v[function].kind == FUNCTION_GAP && !in->in_order;
}

/* The named tree has functions apart already: node becomes node, if anything ends at it
 * or below. Then columns, one after the other. */
static int copy_nodes(struct builder *b, struct insert_at *inserts)
{
	const struct named *tree = b->in->tree;
	const uint64_t *weights = tree->values[COLUMN_WEIGHT];
	struct view *v = b->view;
	struct label_ref frame;
	int err = 0;

	find_stacks(tree, inserts);
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++) {
		uint32_t parent = inserts[tree->nodes.v[i].parent].node;

		if (!(inserts[i].state & HAS_STACK))
			continue;
		inserts[i].node = parent;
		err = frame_of_node(b, i, &frame);
		if (err == 0 && (frame.label != VIEW_GAP || b->in->in_order))
			err = add_view_node(v, parent, frame, &inserts[i].node);
		v->nodes.v[inserts[i].node].self += weights ? weights[i] : 0;
		if (err == 0)
			err = note_said(b, i, inserts[i].node);
	}
	for (uint32_t c = 0; err == 0 && c < b->endings; c++) {
		struct view_column *to = &v->values[b->ending[c]];
		const uint64_t *from = tree->values[b->ending[c]];

		/* Where all nodes are there each is what it was; the root has its own already. */
		if (v->nodes.count == tree->nodes.count) {
			if (!array_reserve(&to->of, v->nodes.count - to->of.count))
				return -ENOMEM;
			if (!to->of.count)
				to->of.v[0] = 0;
			memcpy(&to->of.v[1], &from[1],
			       (v->nodes.count - 1) * sizeof(*from));
			to->of.count = v->nodes.count;
			continue;
		}
		err = fill_column(v, b->ending[c]);
		for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++)
			if (inserts[i].state & HAS_STACK)
				to->of.v[inserts[i].node] += from[i];
	}
	return err;
}

int view_places(const struct tree_source *in, uint32_t **ret)
{
	const struct named *tree = in->tree;
	struct insert_at *inserts = calloc(tree->nodes.count + 1, sizeof(*inserts));
	uint32_t *places = calloc(tree->nodes.count + 1, sizeof(*places)), count = 0;

	if (!inserts || !places) {
		free(inserts);
		free(places);
		return -ENOMEM;
	}
	find_stacks(tree, inserts);
	/* As copy_nodes() numbers them. */
	for (uint32_t i = 1; i < tree->nodes.count; i++)
		places[i] = inserts[i].state & HAS_STACK && !is_undrawn(in, i)
				    ? ++count
				    : places[tree->nodes.v[i].parent];
	free(inserts);
	*ret = places;
	return 0;
}

/* Stack after stack, each from its leaf to its root. */
static int add_reversed(struct builder *b)
{
	const struct named_node *nodes = b->in->tree->nodes.v;
	struct label_ref frame;
	int err = 0;

	for (uint32_t i = 1; err == 0 && i < b->in->tree->nodes.count; i++) {
		struct insert_at at = { 0, CHAIN_SEPARATOR | SHARED };
		uint32_t node = i;

		if (!named_has_stack(b->in->tree, i))
			continue;
		err = frame_of_node(b, node, &frame);
		if (err == 0 && frame.label == VIEW_GAP) {
			node = nodes[node].parent;
			err = frame_of_node(b, node, &frame);
		}
		while (err == 0 && nodes[node].parent) {
			err = pass_frame(b, &at, frame);
			node = nodes[node].parent;
			if (err == 0)
				err = frame_of_node(b, node, &frame);
		}
		if (err == 0)
			err = end_stack(b, at, frame, i);
	}
	return err;
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

static int boxes_by_size(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Siblings by rank. They came by name, which is nearly the same, so most are in order. */
static int sort_children(struct builder *b, uint32_t parent)
{
	struct view *v = b->view;
	uint32_t separator = b->flags & VIEW_CHAIN ? b->separator : UINT32_MAX;
	uint32_t first = v->nodes.v[parent].first, last = 0;
	bool sorted = true;

	/* Of one rank the first that came is first. */
	for (uint32_t c = first; c && sorted && v->nodes.v[first].next;
	     c = v->nodes.v[c].next) {
		uint32_t rank = node_rank(v, c, separator);

		sorted = c == first || last <= rank;
		last = rank;
	}
	if (sorted)
		return 0;
	b->siblings.count = 0;
	for (uint32_t c = first; c; c = v->nodes.v[c].next) {
		uint64_t *slot = array_add(&b->siblings);

		if (!slot)
			return -ENOMEM;
		*slot = (uint64_t)node_rank(v, c, separator) << 32 | c;
	}
	qsort(b->siblings.v, b->siblings.count, sizeof(*b->siblings.v), boxes_by_size);
	v->nodes.v[parent].first = 0;
	for (size_t k = b->siblings.count; k-- > 0;)
		link_first(v, (uint32_t)b->siblings.v[k]);
	return 0;
}

/*
 * Columns for nodes that were made since, totals, and siblings in their order: as they came, or by
 * rank. What is below a node was passed before it. What holds nowhere is not said at all.
 */
static int finish_nodes(struct builder *b)
{
	struct view *v = b->view;
	size_t count = v->nodes.count;
	bool linked = v->nodes.v[0].first != 0; /* to their newest children */
	int err = b->in->in_order ? 0 : labels_rank(&v->labels);

	for (uint32_t i = 0; i < b->endings && err == 0; i++)
		err = fill_column(v, b->ending[i]);
	for (size_t i = 0; linked && i < count; i++)
		v->nodes.v[i].first = 0;
	for (size_t i = count; i-- > 0 && err == 0;) {
		struct view_node *n = &v->nodes.v[i];

		n->total += n->self;
		if (!b->in->in_order)
			err = sort_children(b, (uint32_t)i);
		if (i) {
			v->nodes.v[n->parent].total += n->total;
			link_first(v, (uint32_t)i);
		}
	}
	for (uint32_t i = 0; i < b->sayings && err == 0; i++) {
		struct view_column *values = &v->values[b->said[i]];

		if (values->of.count)
			err = fill_column(v, b->said[i]);
		/* Of what is below a frame of a picture some may have been left out. */
		for (size_t node = 0; node < values->of.count; node++)
			if (values->of.v[node] > v->nodes.v[node].total)
				values->of.v[node] = v->nodes.v[node].total;
	}
	return err;
}

int view_make(struct context *ctx, const struct tree_source *in, unsigned flags,
	      struct view *ret)
{
	const struct named *tree = in->tree;
	struct view v = { .decimals = tree->decimals, .columns = tree->columns };
	struct builder b = { .in = in, .view = &v, .flags = flags };
	size_t labels = (in->symbols->functions.count + 1) * sizeof(*b.labels);
	struct insert_at *inserts =
		NULL; /* by node; stacks that are turned round need none */
	uint32_t root;
	int err = labels_init(&v.labels);

	for (uint32_t i = COLUMN_WEIGHT + 1; i < tree->columns->count; i++) {
		const struct column *c = &tree->columns->v[i];

		if (!tree->values[i])
			continue;
		if (c->makes_stacks)
			v.other[v.others++] = i;
		if (c->sum == SUM_HERE && !(flags & (VIEW_REVERSED | VIEW_CHAIN)))
			b.said[b.sayings++] = i;
		if (c->sum == SUM_BELOW && (c->makes_stacks || flags & VIEW_COLUMNS))
			b.ending[b.endings++] = i;
	}
	b.labels = malloc(labels);
	if (!(flags & VIEW_REVERSED))
		inserts = pages_zeroed(tree->nodes.count + 1, sizeof(*inserts));
	if (!b.labels || (!inserts && !(flags & VIEW_REVERSED)))
		err = -ENOMEM;
	if (err == 0) {
		memset(b.labels, 0xff, labels);
		err = labels_add(&v.labels, "--", "", &b.separator);
	}
	if (err == 0)
		err = add_view_node(&v, 0, (struct label_ref){ 0, 0 }, &root);
	if (err == 0 && tree->nodes.count && named_has_stack(tree, 0))
		err = charge_stack(&b, 0, 0);
	/* What is copied is as large, and what is merged no larger. */
	if (err == 0 && !(flags & VIEW_REVERSED))
		err = array_reserve(&v.nodes, tree->nodes.count) ? 0 : -ENOMEM;
	if (err == 0)
		err = flags & VIEW_REVERSED	 ? add_reversed(&b)
		      : flags & VIEW_BY_FUNCTION ? copy_nodes(&b, inserts)
						 : merge_nodes(&b, inserts);
	if (err == 0)
		err = finish_nodes(&b);
	hash_map_release(&b.children);
	array_release(&b.wakers);
	array_release(&b.siblings);
	free(b.owners);
	free(b.labels);
	free(inserts);
	if (err < 0) {
		view_release(&v);
		return fail_memory(ctx);
	}
	*ret = v;
	return 0;
}

struct view view_borrow(const struct view *from)
{
	struct view v = *from;

	memset(&v.given, 0, sizeof(v.given));
	v.borrows = true;
	return v;
}

void view_release(struct view *v)
{
	array_release(&v->given);
	if (v->borrows)
		return;
	array_release(&v->nodes);
	labels_release(&v->labels);
	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		array_release(&v->values[i].of);
	free(v->lines.labels);
	array_release(&v->lines.sources);
	array_release(&v->lines.levels);
}

uint32_t view_weight_before(const struct view *v)
{
	for (uint32_t i = 0; i < v->columns->count; i++)
		if (column_weighs_before(&v->columns->v[i]) && view_has(v, i))
			return i;
	return COLUMNS_MOST;
}

bool view_next(const struct view *v, struct view_walk *w, enum view_step step)
{
	const struct view_node *nodes = v->nodes.v, *n = &nodes[w->node];

	if (step == VIEW_INTO && n->first) {
		w->start += view_self(v, w->node);
		w->node = n->first;
		w->depth++;
		return true;
	}
	/* The last child ends where its parent ends. */
	w->start += view_total(v, w->node);
	while (w->node && !nodes[w->node].next) {
		w->node = nodes[w->node].parent;
		w->depth--;
	}
	w->node = nodes[w->node].next;
	return w->node != 0;
}
