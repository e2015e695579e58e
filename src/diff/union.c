/*
 * Paths that are the same by now become one node, and nodes get the order of a named tree: in
 * preorder, siblings by name, module and kind. Writers draw it as they draw any other tree: B is
 * its weight, A the weight before.
 */
#include "diff/union.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "diff/ladder.h"

/* Of each class a function of d->symbols, in the order of names. *@of: by function of the
 * difference. */
static int functions_by_text(const void *left, const void *right, void *arg)
{
	const struct difference *d = arg;
	const struct diff_function *a = &d->functions.v[*(const uint32_t *)left];
	const struct diff_function *b = &d->functions.v[*(const uint32_t *)right];
	int order = strcmp(intern_text(&d->strings, a->name),
			   intern_text(&d->strings, b->name));

	if (!order)
		order = strcmp(intern_text(&d->strings, a->module),
			       intern_text(&d->strings, b->module));
	if (!order && a->kind != b->kind)
		order = a->kind < b->kind ? -1 : 1;
	return order						    ? order
	       : *(const uint32_t *)left < *(const uint32_t *)right ? -1
								    : 1;
}

static int list_classes(struct difference *d, uint32_t *of)
{
	size_t count = d->functions.count, used = 0;
	bool any_inlined = false;
	uint32_t *order = malloc(count * sizeof(*order));

	if (!order || !array_reserve(&d->symbols.functions, count)) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 1; i < count; i++)
		if (d->functions.v[i].class == i)
			order[used++] = i;
	qsort_r(order, used, sizeof(*order), functions_by_text, d);
	array_add(&d->symbols.functions); /* the root's, which means nothing */
	for (size_t i = 0; i < used; i++) {
		const struct diff_function *f = &d->functions.v[order[i]];

		of[order[i]] = (uint32_t)d->symbols.functions.count;
		*array_add(&d->symbols.functions) =
			(struct function){ .name = f->name,
					   .module = f->module,
					   .file = f->file,
					   .line = f->line,
					   .kind = f->kind,
					   .unnamed = f->unnamed };
	}
	for (uint32_t i = 1; i < count; i++) {
		of[i] = of[ladder_class(d, i)];
		any_inlined |= d->functions.v[i].inlined;
	}
	free(order);
	if (!any_inlined)
		return 0;
	d->inlined = calloc(d->symbols.functions.count, 1);
	for (uint32_t i = 1; i < count && d->inlined; i++)
		d->inlined[of[i]] |= d->functions.v[i].inlined;
	return d->inlined ? 0 : -ENOMEM;
}

/* Nodes whose functions became one below the same parent are joined: @became, by node, the first
 * of them. The first ones' functions are those of d->symbols. 0, or -ENOMEM. */
static int join_nodes(struct difference *d, const uint32_t *of, uint32_t *became)
{
	bool any_joined = false;
	int err = 0;

	hash_map_release(&d->children);
	array_release(&d->links);
	array_release(&d->callees);
	for (uint32_t i = 1; i < d->functions.count && !any_joined; i++)
		any_joined = d->functions.v[i].class != i;
	/* No two children of a node are of one function, unless functions became one. */
	for (uint32_t i = 1; i < d->nodes.count && !any_joined; i++) {
		became[i] = i;
		d->nodes.v[i].function = of[d->nodes.v[i].function];
	}
	if (!any_joined)
		return 0;
	for (uint32_t i = 1; i < d->nodes.count && err == 0; i++) {
		struct diff_node *n = &d->nodes.v[i], *to;
		uint32_t parent = became[n->parent], function = of[n->function];
		uint64_t key = (uint64_t)parent << 32 | function;
		const uint32_t *known = hash_map_get(&d->children, key);

		became[i] = known ? *known : i;
		if (!known && !hash_map_set(&d->children, key, i))
			err = -ENOMEM;
		n->parent = parent;
		n->function = function;
		to = &d->nodes.v[became[i]];
		if (!known || !n->own)
			continue;
		/* The values of one that has gone are the other's, or nobody's any more. */
		for (int s = 0; to->own && s < DIFF_SIDES; s++) {
			const struct diff_value *from = &d->values.v[n->own];

			d->values.v[to->own].self[s] += from->self[s];
			d->values.v[to->own].samples[s] += from->samples[s];
		}
		to->own = to->own ?: n->own;
	}
	hash_map_release(&d->children);
	return err;
}

static int numbers_by_size(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/*
 * Preorder numbers of the nodes that are left, by node. 0, or -ENOMEM. Nodes of A came in that order,
 * and so did those of B: only where both have callees that the other has not, or functions became one,
 * is a caller's list out of order.
 */
static int place_nodes(struct difference *d, const uint32_t *became, uint32_t *position)
{
	const struct diff_node *nodes = d->nodes.v;
	size_t count = d->nodes.count;
	uint32_t *first = pages_zeroed(count, sizeof(*first)); /* child; 0: none */
	uint32_t *next = pages_zeroed(count, sizeof(*next)); /* sibling */
	ARRAY(uint64_t) callees = { 0 }; /* function << 32 | node */
	/* Siblings of the nodes on the way, that come when all below is placed: to go up by parents would
	 * look at nodes that are in no cache any more. */
	ARRAY(uint32_t) open = { 0 };
	uint32_t used = 0, node = 0;
	int err = first && next ? 0 : -ENOMEM;

	for (uint32_t i = (uint32_t)count; i-- > 1 && err == 0;) {
		if (became[i] != i)
			continue;
		next[i] = first[nodes[i].parent];
		first[nodes[i].parent] = i;
	}
	while (err == 0) {
		bool sorted = true;

		position[node] = used++;
		for (uint32_t c = first[node]; c && next[c]; c = next[c])
			sorted &= nodes[c].function < nodes[next[c]].function;
		callees.count = 0;
		for (uint32_t c = first[node]; c && !sorted && err == 0; c = next[c]) {
			uint64_t *slot = array_add(&callees);

			if (slot)
				*slot = (uint64_t)nodes[c].function << 32 | c;
			else
				err = -ENOMEM;
		}
		if (callees.count)
			qsort(callees.v, callees.count, sizeof(*callees.v),
			      numbers_by_size);
		for (size_t i = callees.count, last = 0; i-- > 0 && err == 0;) {
			first[node] = (uint32_t)callees.v[i];
			next[first[node]] = (uint32_t)last;
			last = first[node];
		}
		if (next[node]) {
			uint32_t *slot = array_add(&open);

			if (slot)
				*slot = next[node];
			else
				err = -ENOMEM;
		}
		if (!first[node] && !open.count)
			break;
		node = first[node] ? first[node] : open.v[--open.count];
	}
	for (uint32_t i = 1; i < count && err == 0; i++)
		position[i] = position[became[i]];
	array_release(&callees);
	array_release(&open);
	free(first);
	free(next);
	return err;
}

/* The named tree of nodes in their places, and d->nodes in the same order. */
static int fill_tree(struct difference *d, const uint32_t *became,
		     const uint32_t *position)
{
	static const uint32_t columns[] = { COLUMN_WEIGHT, COLUMN_SAMPLES,
					    COLUMN_BEFORE };
	struct named *n = &d->named;
	size_t count = 0;
	struct diff_node *nodes;

	for (uint32_t i = 0; i < d->nodes.count; i++)
		count += became[i] == i;
	nodes = pages_room(count * sizeof(*nodes));
	*n = (struct named){ .columns = &d->columns,
			     .decimals = d->decimals,
			     .joined = true };
	n->totals = pages_room(count * sizeof(*n->totals));
	if (!nodes || !n->totals || !array_reserve(&n->nodes, count)) {
		free(nodes);
		return -ENOMEM;
	}
	n->nodes.count = count;
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		n->values[columns[i]] = pages_take(count * sizeof(uint64_t));
		if (!n->values[columns[i]]) {
			free(nodes);
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < d->nodes.count; i++) {
		const struct diff_node *from = &d->nodes.v[i];
		const struct diff_value *own = &d->values.v[from->own];
		uint32_t at = position[i];

		if (became[i] != i)
			continue;
		nodes[at] = *from;
		nodes[at].parent = position[from->parent];
		n->nodes.v[at] = (struct named_node){ from->function,
						      position[from->parent], at + 1 };
		n->totals[at] = own->self[DIFF_B];
		if (!from->own)
			continue;
		n->values[COLUMN_WEIGHT][at] = own->self[DIFF_B];
		n->values[COLUMN_BEFORE][at] = own->self[DIFF_A];
		n->values[COLUMN_SAMPLES][at] = own->samples[DIFF_B];
	}
	for (size_t i = count; i-- > 1;) {
		struct named_node *node = &n->nodes.v[i], *parent;

		parent = &n->nodes.v[node->parent];
		if (node->end > parent->end)
			parent->end = node->end;
		n->totals[node->parent] += n->totals[i];
	}
	free(d->nodes.v);
	d->nodes.v = nodes;
	d->nodes.count = d->nodes.room = count;
	return 0;
}

int union_make(struct difference *d)
{
	uint32_t *of = calloc(d->functions.count, sizeof(*of));
	uint32_t *became = pages_zeroed(d->nodes.count, sizeof(*became));
	uint32_t *position = pages_zeroed(d->nodes.count, sizeof(*position));
	int err = of && became && position ? 0 : -ENOMEM;

	if (err == 0)
		err = list_classes(d, of);
	if (err == 0)
		err = join_nodes(d, of, became);
	if (err == 0)
		err = place_nodes(d, became, position);
	if (err == 0)
		err = fill_tree(d, became, position);
	for (size_t i = 0; i < d->cells.count && err == 0; i++)
		d->cells.v[i].node = position[d->cells.v[i].node];
	d->tree = (struct tree_source){
		.tree = &d->named,
		.symbols = &d->symbols,
		.strings = &d->strings,
	};
	free(of);
	free(became);
	free(position);
	return err;
}
