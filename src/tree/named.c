/*
 * The trie keyed by function:
 *
 *	1. nodes with the same parent and function become one,     branch_join()
 *	   a node each for what was inlined at an address
 *	2. nodes in preorder, children in the order of names       lay_out_trunk(), lay_out_part()
 *	3. values where the nodes are now                          sum_part()
 *
 * Some columns are said of frames, whose nodes mostly have no values of their own: these
 * nodes are placed for it, too.
 *
 * Threads do so for a part of the tree each: what is below a node of the trunk.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/parallel.h"
#include "tree/named_join.h"

enum {
	PARTS_MOST = 8, /* each looks at every node of the trie */
	PART_LEAST = 1 << 16, /* nodes of the trie: a millisecond */
	FEW = 12, /* children that are sorted by insertion */
};

/* A child of the trunk: what is below it lies together, and is one branch's. */
struct top {
	uint32_t parent; /* in the trunk */
	uint32_t order; /* among its siblings */
	uint32_t part; /* PART_TRUNK: it is of the trunk itself */
	uint32_t id;
	uint32_t size; /* nodes, with itself */
	uint32_t start; /* its place */
};

#define PART_TRUNK UINT32_MAX

/* A node of the trie whose frame has a column's flag. */
struct flagged_node {
	uint32_t node;
	uint16_t column;
	bool again; /* it is in the list for another column, too */
	uint64_t weight; /* of it and all below */
};

/* A column of the trie that is one of the tree. */
struct summed {
	uint32_t column;
	uint64_t *to;
};

struct making {
	struct join_input input;
	uint32_t *rank, *of_frame; /* the input's */
	uint32_t *function; /* by rank */
	struct named_trunk trunk;
	uint32_t *position; /* of the trunk's nodes */
	uint32_t parts;
	struct branch branches[PARTS_MOST];
	ARRAY(struct top) tops[PARTS_MOST];
	ARRAY(struct top) order; /* all of them, as they are placed */
	ARRAY(struct flagged_node)
	flagged; /* of each column in the order of their nodes */
	uint32_t flags; /* of frames, of all columns in the list */
	bool has_flagged[COLUMNS_MOST];
	struct summed summed[COLUMNS_MOST];
	size_t sums;
	struct named *tree;
};

static uint32_t *numbers(size_t count)
{
	return pages_zeroed(count + 1, sizeof(uint32_t));
}

struct name_order {
	const struct symbols *symbols;
	const struct intern *strings;
};

static int compare_by_name(const void *a, const void *b, void *arg)
{
	const struct name_order *by = arg;
	const struct function *x = &by->symbols->functions.v[*(const uint32_t *)a];
	const struct function *y = &by->symbols->functions.v[*(const uint32_t *)b];
	int order = 0;

	/* Equal texts have one id: only different ones are compared. */
	if (x->name != y->name)
		order = strcmp(intern_text(by->strings, x->name),
			       intern_text(by->strings, y->name));
	if (order == 0 && x->module != y->module)
		order = strcmp(intern_text(by->strings, x->module),
			       intern_text(by->strings, y->module));
	if (order == 0)
		order = x->kind - y->kind;
	/* Of one that is kept by its address. */
	if (order == 0 && x->image != y->image)
		order = x->image < y->image ? -1 : 1;
	if (order == 0 && x->address != y->address)
		order = x->address < y->address ? -1 : 1;
	return order;
}

/* Lists the functions of the trie's nodes in m->function: there may be many more, of other recordings. Joined
 * nodes there can be: one for the root, and for each other node one for its function and for each one that
 * was inlined there. */
static size_t list_node_functions(struct making *m)
{
	const struct symbols *symbols = m->input.symbols;
	const struct trie *t = m->input.trie;
	size_t count = 0;
	uint32_t inlined;

	m->input.most = t->count;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame;

		/* Until all are known these say who is. */
		m->of_frame[frame] = 1;
		symbols_inlined(symbols, frame, &inlined);
		m->input.most += inlined;
	}
	for (uint32_t i = 0; i < symbols->of_frame.count; i++) {
		const uint32_t *run = symbols_inlined(symbols, i, &inlined);

		if (!m->of_frame[i])
			continue;
		m->rank[symbols->of_frame.v[i]] = 1;
		for (uint32_t k = 0; k < inlined; k++)
			m->rank[run[k]] = 1;
	}
	for (size_t i = 0; i < symbols->functions.count; i++)
		if (m->rank[i])
			m->function[count++] = (uint32_t)i;
	return count;
}

static int make_join_input(struct making *m, const struct intern *strings)
{
	const struct symbols *symbols = m->input.symbols;
	size_t frames = symbols->of_frame.count, count = symbols->functions.count;
	struct name_order by = { symbols, strings };
	uint32_t inlined;

	m->input.rank = m->rank = numbers(count);
	m->function = numbers(count);
	m->input.of_frame = m->of_frame = numbers(frames);
	if (!m->rank || !m->function || !m->of_frame)
		return -ENOMEM;
	/* Nodes ask for a function's rank in place of comparing names. */
	count = list_node_functions(m);
	qsort_r(m->function, count, sizeof(*m->function), compare_by_name, &by);
	for (size_t i = 0; i < count; i++)
		m->rank[m->function[i]] = (uint32_t)i;
	for (size_t i = 0; i < count; i++)
		if (symbols->functions.v[m->function[i]].dropped)
			m->rank[m->function[i]] = (uint32_t)RANK_DROPPED;
	/* Every node asks for its frame's rank, and there are many more nodes than frames. */
	for (uint32_t i = 0; i < frames; i++) {
		symbols_inlined(symbols, i, &inlined);
		m->of_frame[i] =
			inlined ? (uint32_t)RANK_RUN : m->rank[symbols->of_frame.v[i]];
	}
	/* Ids of joined nodes have to stay below the marks. */
	return m->input.most < (uint32_t)ELSEWHERE ? 0 : -ENOMEM;
}

/* Lists the nodes of frames with a column's flag, column by column, and what is below each. */
static int find_flagged(struct making *m, const struct frames *frames)
{
	const struct trie *t = m->input.trie;

	for (uint32_t column = 0; frames && column < m->tree->columns->count; column++) {
		uint32_t flag = m->tree->columns->v[column].frame_flag;
		size_t first = m->flagged.count, count;
		uint32_t *above, next = 0; /* by node: of the list, + 1 */
		struct flagged_node *list;

		if (!flag)
			continue;
		for (uint32_t i = 1; i < t->count; i++) {
			uint32_t flags = frames->list.v[t->nodes[i].frame].flags;
			struct flagged_node *slot;

			if (!(flags & flag))
				continue;
			slot = array_add(&m->flagged);
			if (!slot)
				return -ENOMEM;
			*slot = (struct flagged_node){ .node = i,
						       .column = (uint16_t)column,
						       .again = flags & m->flags };
		}
		m->flags |= flag;
		count = m->flagged.count - first;
		m->has_flagged[column] = count > 0;
		if (!count)
			continue;
		list = &m->flagged.v[first];
		above = numbers(t->count);
		if (!above)
			return -ENOMEM;
		/* A stack may have two: what a signal has interrupted, and a caller in its
		 * handler. A parent's id is below its children's. */
		for (uint32_t i = 1; i < t->count; i++) {
			above[i] = above[t->nodes[i].parent];
			if (next < count && list[next].node == i)
				above[i] = ++next;
		}
		for (size_t row = 1; row < t->rows.count; row++) {
			uint32_t node = trie_row_node(t, row);

			if (above[node])
				list[above[node] - 1].weight +=
					trie_row_self(t, row, COLUMN_WEIGHT);
		}
		/* From the innermost outwards: what lies below another one is a part of
		 * that. */
		for (size_t i = count; i-- > 0;) {
			uint32_t outer = above[t->nodes[list[i].node].parent];

			if (outer)
				list[outer - 1].weight += list[i].weight;
		}
		free(above);
	}
	return 0;
}

/* Then finds where what is below the trunk begins, and how much that is. */
static int join_part(void *arg, size_t part, size_t worker)
{
	struct making *m = arg;
	struct branch *b = &m->branches[part];
	int err = branch_join(b, &m->input, &m->trunk, (uint32_t)part, m->parts);
	uint32_t *sizes;

	(void)worker;
	if (err < 0)
		return err;
	sizes = numbers(b->count);
	if (!sizes)
		return -ENOMEM;
	/* From the last one on, as a parent's id is below its children's. */
	for (uint32_t i = b->count; err == 0 && i-- > b->own;) {
		const struct joined *node = &b->nodes[i];
		struct top *top;

		sizes[i]++;
		if (node->parent >= b->own) {
			sizes[node->parent] += sizes[i];
			continue;
		}
		top = array_add(&m->tops[part]);
		if (top)
			*top = (struct top){ .parent = node->parent,
					     .order = m->input.in_order ? i : node->rank,
					     .part = (uint32_t)part,
					     .id = i,
					     .size = sizes[i] };
		err = top ? 0 : -ENOMEM;
	}
	free(sizes);
	return err;
}

static int compare_tops(const void *a, const void *b)
{
	const struct top *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Its nodes in preorder, with room for what is below each. The walk goes down at a child of
 * the trunk and up at the end of a node's children. */
static int lay_out_trunk(struct making *m)
{
	uint32_t count = m->trunk.count, at = 0, position = 1;
	struct named_node *nodes = m->tree->nodes.v;
	uint32_t *first =
		numbers(count); /* of a node's children in the order; one more */
	uint32_t *next = numbers(count);

	m->position = numbers(count);
	if (!first || !next || !m->position) {
		free(first);
		free(next);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i <= count; i++) {
		while (at < m->order.count && m->order.v[at].parent < i)
			at++;
		first[i] = at;
	}
	memcpy(next, first, count * sizeof(*next));
	nodes[0] = (struct named_node){ 0 };
	at = 0;
	for (;;) {
		struct top *top =
			next[at] < first[at + 1] ? &m->order.v[next[at]++] : NULL;

		if (top && top->part != PART_TRUNK) {
			top->start = position;
			position += top->size;
		} else if (top) {
			const struct joined *node = &m->trunk.nodes[top->id];

			at = top->id;
			m->position[at] = position;
			nodes[position++] = (struct named_node){
				.function = m->function[node->rank],
				.parent = m->position[node->parent],
			};
		} else {
			nodes[m->position[at]].end = position;
			if (at == 0)
				break;
			at = m->trunk.nodes[at].parent;
		}
	}
	free(first);
	free(next);
	return 0;
}

/* The last one first. */
static int compare_ranks(const void *a, const void *b, void *arg)
{
	const struct joined *nodes = arg;
	uint32_t x = nodes[*(const uint32_t *)a].rank;
	uint32_t y = nodes[*(const uint32_t *)b].rank;

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * A child of the trunk and all below it. @open is a stack of nodes that are to be placed.
 * Children go on it from the last to the first, so the first comes off next: that is
 * preorder.
 */
static void lay_out_top(struct making *m, struct branch *b, const struct top *top,
			uint32_t *open)
{
	struct named_node *nodes = m->tree->nodes.v;
	uint32_t end = top->start + top->size;
	size_t left = 1;

	open[0] = top->id;
	for (uint32_t position = top->start; left > 0; position++) {
		struct joined *node = &b->nodes[open[--left]];
		uint32_t *children = open + left;
		size_t count = 0;

		nodes[position] =
			(struct named_node){ .function = m->function[node->rank],
					     .parent = b->nodes[node->parent].rank,
					     .end = position + 1 };
		node->rank = position;
		for (uint32_t c = node->child; c; c = b->nodes[c].sibling) {
			__builtin_prefetch(&b->nodes[b->nodes[c].child]);
			children[count++] = c;
		}
		/* Few are sorted by insertion. */
		if (!b->input->in_order && count > FEW)
			qsort_r(children, count, sizeof(*children), compare_ranks,
				b->nodes);
		for (size_t i = 1; i < count && count <= FEW && !b->input->in_order;
		     i++) {
			uint32_t moved = children[i];
			size_t k = i;

			for (; k > 0 &&
			       b->nodes[children[k - 1]].rank < b->nodes[moved].rank;
			     k--)
				children[k] = children[k - 1];
			children[k] = moved;
		}
		left += count;
	}
	/* In preorder the last node below another one is where that ends. */
	for (uint32_t i = end; --i > top->start;)
		if (nodes[i].end > nodes[nodes[i].parent].end)
			nodes[nodes[i].parent].end = nodes[i].end;
}

/* In place of its joined node a node of the trie gets the position of that. Nodes of the
 * trunk are in all branches, and the first one's alone counts. */
static void find_position(struct branch *b, uint32_t trie_node)
{
	uint32_t *node = &b->node[trie_node];

	if (*node != (uint32_t)ELSEWHERE)
		*node = *node < b->own && b->part ? (uint32_t)ELSEWHERE
						  : b->nodes[*node].rank;
}

static int lay_out_part(void *arg, size_t part, size_t worker)
{
	struct making *m = arg;
	const struct trie *t = m->input.trie;
	struct branch *b = &m->branches[part];
	/* Most of it is never touched. */
	uint32_t *open = malloc((b->count + 1) * sizeof(*open));

	(void)worker;
	if (!open)
		return -ENOMEM;
	/* From now on the rank of a node that is placed is its position. */
	for (uint32_t i = 0; i < b->own; i++)
		b->nodes[i].rank = m->position[i];
	for (size_t i = 0; i < m->order.count; i++)
		if (m->order.v[i].part == part)
			lay_out_top(m, b, &m->order.v[i], open);
	free(open);
	/* Where each value goes, by its node; those of the trunk are the first part's. */
	for (size_t row = 1; row < t->rows.count; row++)
		find_position(b, trie_row_node(t, row));
	/* A node that has values, or was listed before, has its position already. */
	for (size_t i = 0; i < m->flagged.count; i++)
		if (!m->flagged.v[i].again && !t->nodes[m->flagged.v[i].node].self)
			find_position(b, m->flagged.v[i].node);
	/* Memory that was never used before takes longer to get than all else that is done
	 * with it: what is given back here the columns get. */
	free(b->nodes);
	b->nodes = NULL;
	return 0;
}

static int lay_out_nodes(struct making *m)
{
	uint64_t count = m->trunk.count;
	struct named *n = m->tree;

	/* The children of all nodes of the trunk, in their order. */
	for (uint32_t part = 0; part < m->parts; part++) {
		if (!array_reserve(&m->order, m->tops[part].count + m->trunk.count))
			return -ENOMEM;
		for (size_t i = 0; i < m->tops[part].count; i++) {
			*array_add(&m->order) = m->tops[part].v[i];
			count += m->tops[part].v[i].size;
		}
		array_release(&m->tops[part]);
	}
	for (uint32_t i = 1; i < m->trunk.count; i++) {
		const struct joined *node = &m->trunk.nodes[i];

		*array_add(&m->order) =
			(struct top){ node->parent, node->rank, PART_TRUNK, i, 0, 0 };
	}
	if (m->order.count)
		qsort(m->order.v, m->order.count, sizeof(*m->order.v), compare_tops);
	n->nodes.v = pages_room(count * sizeof(*n->nodes.v));
	if (!n->nodes.v || lay_out_trunk(m) < 0)
		return -ENOMEM;
	n->nodes.count = n->nodes.room = count;
	return parallel_run(m->parts, m->parts, lay_out_part, m);
}

/* No two parts add to the same node. */
static int sum_part(void *arg, size_t part, size_t worker)
{
	const struct making *m = arg;
	const struct trie *t = m->input.trie;
	const uint32_t *node_of = m->branches[part].node;

	(void)worker;
	for (size_t row = 1; row < t->rows.count; row++) {
		uint32_t position = node_of[trie_row_node(t, row)];

		if (position == (uint32_t)ELSEWHERE)
			continue;
		for (size_t i = 0; i < m->sums; i++)
			m->summed[i].to[position] +=
				*trie_value(t, row, m->summed[i].column);
	}
	for (size_t i = 0; i < m->flagged.count; i++) {
		const struct flagged_node *f = &m->flagged.v[i];

		if (node_of[f->node] != (uint32_t)ELSEWHERE)
			m->tree->values[f->column][node_of[f->node]] += f->weight;
	}
	return 0;
}

/* Columns of the trie are summed up by rows, those that are said of frames by their list. */
static int sum_columns(struct making *m)
{
	struct named *n = m->tree;
	size_t count = n->nodes.count, size = count * sizeof(uint64_t);
	int err;

	n->totals = pages_room(size);
	if (!n->totals)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->columns->count; i++) {
		bool charged = trie_is_charged(m->input.trie, i);

		if (n->columns->v[i].sum == SUM_NOWHERE ||
		    (i != COLUMN_WEIGHT && i != COLUMN_SAMPLES && !charged &&
		     !m->has_flagged[i]))
			continue;
		n->values[i] = pages_take(size);
		if (!n->values[i])
			return -ENOMEM;
		if (charged)
			m->summed[m->sums++] = (struct summed){ i, n->values[i] };
	}
	err = parallel_run(m->parts, m->parts, sum_part, m);
	if (err < 0)
		return err;
	/* What a picture says of nodes that are left out. */
	for (uint32_t i = 0; i < n->columns->count; i++)
		if (n->values[i] && n->columns->v[i].sum == SUM_HERE)
			n->values[i][0] = 0;
	memcpy(n->totals, n->values[COLUMN_WEIGHT], size);
	/* Children come behind their parents, so from the end on each one's total is
	 * complete. */
	for (size_t i = count; i-- > 1;)
		n->totals[n->nodes.v[i].parent] += n->totals[i];
	return 0;
}

int named_make(struct context *ctx, const struct trie *trie,
	       const struct symbols *symbols, const struct named_options *options,
	       struct named *ret)
{
	struct named tree = { .columns = options->columns, .joined = !options->in_order };
	struct making m = {
		.input = { .trie = trie,
			   .symbols = symbols,
			   .left_out = options->left_out,
			   .in_order = options->in_order },
		.tree = &tree,
	};
	size_t parts = trie->count / PART_LEAST;
	int err = make_join_input(&m, options->strings);

	if (parts > PARTS_MOST)
		parts = PARTS_MOST;
	if (parts > options->threads)
		parts = options->threads;
	/* In the order of input neighbours alone decide: one part. */
	m.parts = options->in_order || parts < 1 ? 1 : (uint32_t)parts;
	if (err == 0)
		err = find_flagged(&m, options->frames);
	if (err == 0)
		err = trunk_find(&m.trunk, &m.input, m.parts);
	if (err == 0)
		err = parallel_run(m.parts, m.parts, join_part, &m);
	if (err == 0)
		err = lay_out_nodes(&m);
	if (err == 0)
		err = sum_columns(&m);
	for (uint32_t i = 0; i < m.parts; i++) {
		branch_release(&m.branches[i]);
		array_release(&m.tops[i]);
	}
	array_release(&m.order);
	array_release(&m.flagged);
	trunk_release(&m.trunk);
	free(m.position);
	free(m.rank);
	free(m.of_frame);
	free(m.function);
	if (err < 0) {
		named_release(&tree);
		return fail_memory(ctx);
	}
	*ret = tree;
	return 0;
}

void named_release(struct named *n)
{
	size_t size = n->nodes.count * sizeof(uint64_t);

	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		pages_give_back(n->values[i], size);
	free(n->totals);
	array_release(&n->nodes);
	*n = (struct named){ 0 };
}

bool named_has_stack(const struct named *n, uint32_t node)
{
	for (uint32_t i = 0; i < n->columns->count; i++)
		if (n->columns->v[i].makes_stacks && named_value(n, node, i))
			return true;
	return false;
}

bool named_is_difference(const struct named *n)
{
	for (uint32_t i = 0; i < n->columns->count; i++)
		if (column_weighs_before(&n->columns->v[i]) && n->values[i])
			return true;
	return false;
}
