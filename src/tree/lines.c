/*
 * A view of lines holds what a walk has open: the nodes on the way to where it is, and their
 * siblings. Children are made of the named tree when the walk is at their parent, and in the
 * place of those that it has left:
 *
 *	walk at    nodes
 *	root       root | a  d
 *	a          root | a  d | b  c
 *	b          root | a  d | b  c | x
 *	d          root | a  d | y  z
 *
 * Of lines that are sorted by their bytes, others may stand between a stack and those that go
 * on below it:
 *
 *	a;b 1			a -- b
 *	a;b.part.0 1		  -- b.part.0
 *	a;b;c 1			  -- b (second node) -- c
 *
 * So a node of the named tree is listed twice, for its stack and for what is below it, by the
 * ranks of its label there (label.h). Neighbours in that list with one label become one node.
 */
#include <stdlib.h>

#include "tree/view.h"

static uint32_t line_label(const struct view_lines *l, uint32_t node)
{
	return l->labels[l->in->tree->nodes.v[node].function];
}

/* What is a node's own in the named tree, with its gaps. */
static inline uint64_t line_value(const struct view_lines *l, uint32_t node,
				  uint32_t column)
{
	const struct named *tree = l->in->tree;
	uint64_t sum = named_value(tree, node, column);
	uint32_t end = l->gaps ? tree->nodes.v[node].end : 0;

	for (uint32_t i = node + 1; i < end; i = tree->nodes.v[i].end)
		if (line_label(l, i) == VIEW_GAP)
			sum += named_value(tree, i, column);
	return sum;
}

int view_begin_lines(struct context *ctx, const struct tree_source *in, struct view *ret)
{
	const struct named *tree = in->tree;
	const struct function *functions = in->symbols->functions.v;
	size_t count = in->symbols->functions.count;
	struct view v = { .decimals = tree->decimals, .columns = tree->columns };
	struct view_lines *l = &v.lines;
	int err = labels_init(&v.labels);

	l->in = in;
	l->labels = malloc((count + 1) * sizeof(*l->labels));
	if (!l->labels || !array_add(&v.nodes) || !array_add(&l->sources) ||
	    !array_add(&l->levels))
		err = -ENOMEM;
	for (size_t i = 0; err == 0 && i < count; i++) {
		l->labels[i] = VIEW_GAP;
		if (functions[i].kind == FUNCTION_GAP)
			l->gaps = true;
		else
			err = labels_add(&v.labels,
					 intern_text(in->strings, functions[i].name),
					 view_mark(in, functions[i].kind), &l->labels[i]);
	}
	if (err == 0)
		err = labels_rank(&v.labels);
	for (uint32_t i = COLUMN_WEIGHT + 1; err == 0 && i < tree->columns->count; i++) {
		const struct column *c = &tree->columns->v[i];
		uint64_t *value;

		if (!tree->values[i] || !c->makes_stacks || c->sum != SUM_BELOW)
			continue;
		v.other[v.others++] = i;
		value = array_add(&v.values[i].of);
		if (value)
			*value = line_value(l, 0, i);
		else
			err = -ENOMEM;
	}
	if (err < 0) {
		view_release(&v);
		return fail_memory(ctx);
	}
	/* The root is made of the root, which may be all there is, or not even that. */
	l->levels.v[0] = (struct view_level){ 1, tree->nodes.count > 0 };
	if (tree->nodes.count) {
		v.nodes.v[0].self = line_value(l, 0, COLUMN_WEIGHT);
		v.nodes.v[0].total = named_total(tree, 0);
	}
	*ret = v;
	return 0;
}

/* Children of a node of the named tree. */
static int list_sources(struct view *v, uint32_t parent)
{
	struct view_lines *l = &v->lines;
	const struct named_node *nodes = l->in->tree->nodes.v;

	for (uint32_t i = parent + 1; i < nodes[parent].end; i = nodes[i].end) {
		uint32_t label = line_label(l, i);
		bool stack = line_value(l, i, COLUMN_WEIGHT) > 0;
		struct view_source *next;

		if (label == VIEW_GAP)
			continue;
		for (uint32_t c = 0; !stack && c < v->others; c++)
			stack = line_value(l, i, v->other[c]) > 0;
		if (!array_reserve(&l->sources, 2))
			return -ENOMEM;
		next = &l->sources.v[l->sources.count];
		if (stack)
			*next++ =
				(struct view_source){ label_rank(&v->labels, label), i };
		if (nodes[i].end > i + 1)
			*next++ =
				(struct view_source){ label_rank_below(&v->labels, label),
						      i };
		l->sources.count = (size_t)(next - l->sources.v);
	}
	return 0;
}

static int compare_sources(const void *left, const void *right)
{
	const struct view_source *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* A node behind all others; its siblings are those from @first on. NULL without memory. */
static struct view_node *add_line_node(struct view *v, uint32_t parent, uint32_t first)
{
	uint32_t node = (uint32_t)v->nodes.count;
	struct view_node *n = array_add(&v->nodes);

	if (!n || node == UINT32_MAX)
		return NULL;
	for (uint32_t i = 0; i < v->others; i++)
		if (!array_add(&v->values[v->other[i]].of))
			return NULL;
	n->parent = parent;
	*(node > first ? &n[-1].next : &v->nodes.v[parent].first) = node;
	return n;
}

int view_open(struct view *v, const struct view_walk *w)
{
	struct view_lines *l = &v->lines;
	const struct named *tree = l->in->tree;
	/* Behind the node's last sibling lies what the walk has left. */
	struct view_level level = l->levels.v[w->depth];
	uint32_t from = v->nodes.v[w->node].source;
	uint32_t to = w->node + 1 < level.nodes ? v->nodes.v[w->node + 1].source
						: level.sources;
	uint32_t kept = level.sources;
	bool sorted = true;

	if (from == to)
		return 0;
	v->nodes.count = level.nodes;
	l->sources.count = level.sources;
	for (uint32_t i = 0; i < v->others; i++)
		v->values[v->other[i]].of.count = level.nodes;
	for (uint32_t i = from; i < to; i++)
		if (list_sources(v, l->sources.v[i].node) < 0)
			return -ENOMEM;
	/* Most often they are: the named tree goes by names, too. */
	for (size_t i = (size_t)kept + 1; sorted && i < l->sources.count; i++)
		sorted = l->sources.v[i - 1].rank <= l->sources.v[i].rank;
	if (!sorted)
		qsort(&l->sources.v[kept], l->sources.count - kept, sizeof(*l->sources.v),
		      compare_sources);
	/* Those with something below are kept for when their node is opened. */
	for (size_t i = kept; i < l->sources.count; i++) {
		struct view_source source = l->sources.v[i];
		uint32_t function = tree->nodes.v[source.node].function;
		uint32_t label = l->labels[function];
		uint64_t self = line_value(l, source.node, COLUMN_WEIGHT);
		struct view_node *n = array_last(&v->nodes);

		if (v->nodes.count == level.nodes || n->label != label) {
			n = add_line_node(v, w->node, level.nodes);
			if (!n)
				return -ENOMEM;
			n->label = label;
			n->function = function;
			n->source = kept;
		}
		if (source.rank == label_rank_below(&v->labels, label)) {
			n->total += named_total(tree, source.node) - self;
			l->sources.v[kept++] = source;
			continue;
		}
		n->self += self;
		n->total += self;
		for (uint32_t c = 0; c < v->others; c++)
			*array_last(&v->values[v->other[c]].of) +=
				line_value(l, source.node, v->other[c]);
	}
	l->sources.count = kept;
	if (l->levels.count == (size_t)w->depth + 1 && !array_add(&l->levels))
		return -ENOMEM;
	l->levels.v[w->depth + 1] = (struct view_level){ (uint32_t)v->nodes.count, kept };
	return 0;
}
