#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "symbol/symbol.h"

/*
 * The trie keyed by function:
 *
 *	1. nodes with the same parent and function become one,     join()
 *	   a node each for what was inlined at an address
 *	2. nodes in preorder, children in the order of names       place_nodes()
 *	3. values where the nodes are now                          sum_columns()
 *
 * A parent's id is below its children's, in the trie and in what is joined.
 */
struct joined {
	uint32_t parent;
	uint32_t
		rank; /* of the function among all; once it is placed: its id in preorder */
	uint32_t child; /* the one added last, or asked for; 0: none */
	uint32_t sibling; /* the next one of the same parent */
};

enum {
	RANK_DROPPED = -1,
	RANK_RUN = -2, /* not one function: others were inlined there */
	/* Children that are looked through, one after the other: most nodes have few, and
	 * those lie near. */
	NARROW = 12,
};

struct join {
	const struct trie *trie;
	const struct symbols *symbols;
	unsigned flags;
	const uint8_t *left_out; /* NULL: none */
	uint32_t *rank; /* by function; RANK_DROPPED: it is left out */
	uint32_t *of_frame; /* by frame: the rank of its function, or RANK_RUN */
	uint32_t *function; /* by rank */
	size_t functions;
	uint32_t *node; /* by trie node: its joined node */
	/* In the end the values of the tree lie here: memory that was never used before takes
	 * longer to get than all else that is done with it. */
	struct joined *nodes;
	uint32_t count; /* of joined nodes */
	struct hash_map wide; /* children of nodes with many, by parent and rank */
	uint32_t *open; /* joined nodes to be placed, the next one last */
};

_Static_assert(sizeof(struct joined) >= 2 * sizeof(uint64_t), "room for two columns");

static uint32_t *numbers(size_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static void release(struct join *j)
{
	free(j->rank);
	free(j->of_frame);
	free(j->function);
	hash_map_release(&j->wide);
	free(j->node);
	free(j->nodes);
	free(j->open);
}

struct name_order {
	const struct symbols *symbols;
	const struct intern *strings;
};

static int compare_functions(const void *a, const void *b, void *arg)
{
	const struct name_order *by = arg;
	const struct function *x = &by->symbols->functions.v[*(const uint32_t *)a];
	const struct function *y = &by->symbols->functions.v[*(const uint32_t *)b];
	int order = 0;

	if (x->name != y->name)
		order = strcmp(intern_text(by->strings, x->name),
			       intern_text(by->strings, y->name));
	if (order == 0 && x->module != y->module)
		order = strcmp(intern_text(by->strings, x->module),
			       intern_text(by->strings, y->module));
	return order ? order : x->kind - y->kind;
}

static int rank_functions(struct join *j, const struct intern *strings)
{
	struct name_order by = { j->symbols, strings };

	j->functions = j->symbols->functions.count;
	j->rank = numbers(j->functions);
	j->function = numbers(j->functions);
	if (!j->rank || !j->function)
		return -ENOMEM;
	for (size_t i = 0; i < j->functions; i++)
		j->function[i] = (uint32_t)i;
	qsort_r(j->function, j->functions, sizeof(*j->function), compare_functions, &by);
	for (size_t i = 0; i < j->functions; i++)
		j->rank[j->function[i]] = (uint32_t)i;
	for (size_t i = 0; i < j->functions; i++)
		if (j->symbols->functions.v[i].dropped)
			j->rank[i] = (uint32_t)RANK_DROPPED;
	return 0;
}

/* Every node asks for its frame's, and there are many more nodes than frames. */
static int rank_frames(struct join *j)
{
	size_t frames = j->symbols->of_frame.count;

	j->of_frame = numbers(frames);
	if (!j->of_frame)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames; i++) {
		uint32_t inlined;

		symbols_inlined(j->symbols, i, &inlined);
		j->of_frame[i] =
			inlined ? (uint32_t)RANK_RUN : j->rank[j->symbols->of_frame.v[i]];
	}
	return 0;
}

static uint32_t add_node(struct join *j, uint32_t parent, uint32_t rank)
{
	uint32_t id = j->count++;

	j->nodes[id] = (struct joined){ .parent = parent,
					.rank = rank,
					.sibling = j->nodes[parent].child };
	j->nodes[parent].child = id;
	return id;
}

/* Among the first few children; @seen: how many were looked at. A child that was found
 * becomes the first, as the next one is often the same. */
static uint32_t near_child(struct join *j, uint32_t parent, uint32_t rank, int *seen)
{
	struct joined *nodes = j->nodes;
	uint32_t *link = &nodes[parent].child;

	for (*seen = 0; *link && *seen < NARROW; ++*seen) {
		uint32_t id = *link;

		if (nodes[id].rank == rank) {
			*link = nodes[id].sibling;
			nodes[id].sibling = nodes[parent].child;
			nodes[parent].child = id;
			return id;
		}
		link = &nodes[id].sibling;
	}
	return 0;
}

static bool note_child(struct join *j, uint32_t id)
{
	const struct joined *node = &j->nodes[id];

	return hash_map_set(&j->wide, (uint64_t)node->parent << 32 | node->rank, id);
}

/* A node that is getting wide has all its children noted: any may move out of the first
 * few. 0: without memory. */
static uint32_t add_noted(struct join *j, uint32_t parent, uint32_t rank)
{
	uint32_t child = j->nodes[parent].child, last = child, id;

	for (int i = 1; i < NARROW; i++)
		last = j->nodes[last].sibling;
	for (; child && !j->nodes[last].sibling; child = j->nodes[child].sibling)
		if (!note_child(j, child))
			return 0;
	id = add_node(j, parent, rank);
	return note_child(j, id) ? id : 0;
}

/* 0: without memory. */
static uint32_t joined_child(struct join *j, uint32_t parent, uint32_t rank)
{
	uint32_t id, *noted;
	int seen;

	id = near_child(j, parent, rank, &seen);
	if (id)
		return id;
	if (seen < NARROW)
		return add_node(j, parent, rank);
	noted = hash_map_get(&j->wide, (uint64_t)parent << 32 | rank);
	return noted ? *noted : add_noted(j, parent, rank);
}

/* In the order of input only neighbours are joined. */
static uint32_t next_child(struct join *j, uint32_t parent, uint32_t rank)
{
	uint32_t last = j->nodes[parent].child;

	return last && j->nodes[last].rank == rank ? last : add_node(j, parent, rank);
}

/* Joined nodes there can be: one for the root, and for each other node one for its
 * function and for each one that was inlined there. */
static size_t most_nodes(const struct join *j)
{
	const struct trie *t = j->trie;
	size_t most = t->count;

	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame, inlined;

		if (j->of_frame[frame] != (uint32_t)RANK_RUN)
			continue;
		symbols_inlined(j->symbols, frame, &inlined);
		most += inlined;
	}
	return most;
}

static int make_room(struct join *j)
{
	size_t most = most_nodes(j);

	if (most > UINT32_MAX)
		return -ENOMEM;
	j->node = pages_room(j->trie->count * sizeof(*j->node));
	j->nodes = pages_room(most * sizeof(*j->nodes));
	if (!j->node || !j->nodes)
		return -ENOMEM;
	j->node[0] = 0;
	j->nodes[0] = (struct joined){ 0 };
	j->count = 1;
	return 0;
}

/* On to the child for a function; nowhere where that is left out. 0, or -ENOMEM. */
static int step_on(struct join *j, uint32_t rank, uint32_t *node)
{
	if (rank == (uint32_t)RANK_DROPPED)
		return 0;
	*node = j->flags & NAMED_IN_ORDER ? next_child(j, *node, rank)
					  : joined_child(j, *node, rank);
	return *node ? 0 : -ENOMEM;
}

/* The same for a frame's function and those that were inlined there. */
static int step_run(struct join *j, uint32_t frame, uint32_t *node)
{
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(j->symbols, frame, &count);
	int err = step_on(j, j->rank[j->symbols->of_frame.v[frame]], node);

	for (uint32_t k = 0; k < count && err == 0; k++)
		err = step_on(j, j->rank[inlined[k]], node);
	return err;
}

static int join(struct join *j)
{
	const struct trie *t = j->trie;
	int err = make_room(j);

	for (uint32_t i = 1; err == 0 && i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame, rank = j->of_frame[frame];

		j->node[i] = 0;
		if (j->left_out && j->left_out[i])
			continue;
		j->node[i] = j->node[t->nodes[i].parent];
		err = rank == (uint32_t)RANK_RUN ? step_run(j, frame, &j->node[i])
						 : step_on(j, rank, &j->node[i]);
	}
	return err;
}

/* The last one first. */
static int compare_ranks(const void *a, const void *b, void *arg)
{
	const struct joined *nodes = arg;
	uint32_t x = nodes[*(const uint32_t *)a].rank;
	uint32_t y = nodes[*(const uint32_t *)b].rank;

	return x < y ? 1 : x > y ? -1 : 0;
}

static void sort_open(struct join *j, uint32_t *open, size_t count)
{
	if (count > NARROW) {
		qsort_r(open, count, sizeof(*open), compare_ranks, j->nodes);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		uint32_t id = open[i];
		size_t k = i;

		for (; k > 0 && j->nodes[open[k - 1]].rank < j->nodes[id].rank; k--)
			open[k] = open[k - 1];
		open[k] = id;
	}
}

/* The children of a node, from the last one to the first; how many. */
static size_t open_children(struct join *j, uint32_t id, uint32_t *open)
{
	size_t count = 0;

	for (uint32_t c = j->nodes[id].child; c; c = j->nodes[c].sibling) {
		__builtin_prefetch(&j->nodes[j->nodes[c].child]);
		open[count++] = c;
	}
	if (count > 1 && !(j->flags & NAMED_IN_ORDER))
		sort_open(j, open, count);
	return count;
}

static int place_nodes(struct join *j, struct named *n)
{
	struct named_node *nodes = pages_room(j->count * sizeof(*nodes));
	size_t open;

	n->nodes.v = nodes;
	j->open = numbers(j->count); /* most of it is never touched */
	if (!nodes || !j->open)
		return -ENOMEM;
	n->nodes.count = n->nodes.room = j->count;
	nodes[0] = (struct named_node){ .end = j->count };
	open = open_children(j, 0, j->open);
	for (uint32_t place = 1; open > 0; place++) {
		uint32_t id = j->open[--open];
		struct joined *node = &j->nodes[id];

		nodes[place] = (struct named_node){ .function = j->function[node->rank],
						    .parent = j->nodes[node->parent].rank,
						    .end = place + 1 };
		node->rank = place;
		open += open_children(j, id, j->open + open);
	}
	for (uint32_t i = j->count; i-- > 1;)
		if (nodes[i].end > nodes[nodes[i].parent].end)
			nodes[nodes[i].parent].end = nodes[i].end;
	return 0;
}

/* Where each self value goes, by its node. */
static void find_places(struct join *j)
{
	const struct trie *t = j->trie;

	for (size_t i = 1; i < t->selves.count; i++) {
		uint32_t *node = &j->node[t->selves.v[i].node];

		*node = j->nodes[*node].rank;
	}
}

static int sum_columns(struct join *j, struct named *n)
{
	const struct trie *t = j->trie;
	size_t count = j->count;

	if (t->charged[TRIE_BEFORE]) {
		n->before = calloc(count, sizeof(*n->before));
		if (!n->before)
			return -ENOMEM;
	}
	find_places(j);
	n->self = (void *)j->nodes;
	n->samples = n->self + count;
	j->nodes = NULL;
	memset(n->self, 0, 2 * count * sizeof(*n->self));
	for (size_t i = 1; i < t->selves.count; i++) {
		const struct trie_self *self = &t->selves.v[i];
		uint32_t place = j->node[self->node];

		n->self[place] += self->value[TRIE_WEIGHT];
		n->samples[place] += self->value[TRIE_SAMPLES];
		if (n->before)
			n->before[place] += self->value[TRIE_BEFORE];
	}
	return 0;
}

int named_make(struct context *ctx, const struct trie *trie,
	       const struct symbols *symbols, const struct intern *strings,
	       unsigned flags, const uint8_t *left_out, struct named *ret)
{
	struct join j = {
		.trie = trie, .symbols = symbols, .flags = flags, .left_out = left_out
	};
	struct named n = { .joined = !(flags & NAMED_IN_ORDER) };
	int err = rank_functions(&j, strings);

	if (err == 0)
		err = rank_frames(&j);
	if (err == 0)
		err = join(&j);
	if (err == 0)
		err = place_nodes(&j, &n);
	if (err == 0)
		err = sum_columns(&j, &n);
	release(&j);
	if (err < 0) {
		named_release(&n);
		return fail_memory(ctx);
	}
	*ret = n;
	return 0;
}

void named_release(struct named *n)
{
	array_release(&n->nodes);
	free(n->self);
	free(n->before);
	*n = (struct named){ 0 };
}
