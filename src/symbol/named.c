#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "symbol/symbol.h"

/*
 * The trie keyed by function. A parent's id is below its children's, in the trie and
 * in every step here, so loops over ids do what recursion would:
 *
 *	1. nodes with the same parent and function become one,     join()
 *	   a node each for what was inlined at an address
 *	2. nodes in the order of their functions' names            by_rank()
 *	3. nodes in the order of their parents, stable             by_parent()
 *	4. sizes of subtrees, from the last id to the first        sum_sizes()
 *	5. places in preorder, from the first id to the last       place_nodes()
 */
struct pair {
	uint32_t parent, rank;
};

enum {
	RANK_DROPPED = -1,
	RANK_RUN = -2, /* not one function: others were inlined there */
};

/* One piece of memory for all that is forgotten again. Bytes that were never given out are
 * 0, and what is not touched takes no memory. */
struct scratch {
	char *bytes;
	size_t used, size;
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
	struct scratch scratch; /* all below is in it */
	uint32_t *node; /* by trie node: its joined node */
	struct pair *pairs; /* by joined node */
	uint32_t *last; /* NAMED_IN_ORDER, by joined node: its newest child */
	uint32_t count; /* of joined nodes */
	uint32_t *hashes; /* by trie node: of the functions down to it */
	uint32_t *slots; /* ids of joined nodes; 0: empty */
	size_t mask;
	uint32_t *order; /* joined nodes, children of one parent side by side */
	uint32_t *size; /* by joined node: nodes of its subtree */
	uint32_t *next; /* by joined node: the place of its next child */
	uint32_t *place; /* by joined node: its id in preorder */
};

static uint32_t *numbers(size_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static void release(struct join *j)
{
	free(j->rank);
	free(j->of_frame);
	free(j->function);
	pages_give_back(j->scratch.bytes, j->scratch.size);
}

enum { LINE = 64 }; /* of a cache; pieces do not share one */

static size_t piece_size(size_t count, size_t item)
{
	return (count * item + LINE - 1) & ~(size_t)(LINE - 1);
}

static void *piece(struct scratch *s, size_t count, size_t item)
{
	void *p = s->bytes + s->used;

	s->used += piece_size(count, item);
	assert(s->used <= s->size);
	return p;
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
	j->pairs[j->count] = (struct pair){ parent, rank };
	return j->count++;
}

/* As in the trie: the hash of a way is known before its nodes are. */
static uint32_t hash_step(uint32_t hash, uint32_t rank)
{
	hash = (hash ^ (rank + 1)) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

static uint32_t joined_child(struct join *j, uint32_t parent, uint32_t rank,
			     uint32_t hash)
{
	for (uint64_t i = hash;; i++) {
		uint32_t *slot = &j->slots[i & j->mask];

		if (*slot == 0)
			return *slot = add_node(j, parent, rank);
		if (j->pairs[*slot].parent == parent && j->pairs[*slot].rank == rank)
			return *slot;
	}
}

/* In the order of input only neighbours are joined. */
static uint32_t next_child(struct join *j, uint32_t parent, uint32_t rank)
{
	uint32_t last = j->last[parent];

	if (last == 0 || j->pairs[last].rank != rank)
		last = j->last[parent] = add_node(j, parent, rank);
	return last;
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

/*
 *	node, pairs, last | hashes, slots                         while nodes are joined
 *	                  | by rank, order, size, next, place     behind that
 */
static int make_room(struct join *j)
{
	size_t slots = 64, most = most_nodes(j), count = j->trie->count;
	size_t keys = j->functions > most ? j->functions : most, joining, placing, size;

	if (most > UINT32_MAX)
		return -ENOMEM;
	while (slots < most * 3 / 2)
		slots *= 2;
	joining = piece_size(count, 4) + piece_size(slots, 4);
	placing = 4 * piece_size(most, 4) + piece_size(keys + 1, 4);
	size = piece_size(count, 4) + piece_size(most, sizeof(*j->pairs)) +
	       piece_size(most, 4) + (joining > placing ? joining : placing);
	j->scratch = (struct scratch){ pages_take(size), 0, size };
	if (!j->scratch.bytes)
		return -ENOMEM;
	j->node = piece(&j->scratch, count, 4);
	j->pairs = piece(&j->scratch, most, sizeof(*j->pairs));
	if (j->flags & NAMED_IN_ORDER)
		j->last = piece(&j->scratch, most, 4);
	j->mask = slots - 1;
	return 0;
}

/* A node on the way of a stack's functions. */
struct step {
	uint32_t node, hash;
};

/* On to the child for a function; nowhere where that is left out. */
static void step_on(struct join *j, uint32_t rank, struct step *at)
{
	if (rank == (uint32_t)RANK_DROPPED)
		return;
	at->hash = hash_step(at->hash, rank);
	at->node = j->last ? next_child(j, at->node, rank)
			   : joined_child(j, at->node, rank, at->hash);
}

static uint32_t hash_rank(uint32_t hash, uint32_t rank)
{
	return rank == (uint32_t)RANK_DROPPED ? hash : hash_step(hash, rank);
}

/* Of a frame's function and of those that were inlined there. */
static uint32_t hash_run(const struct join *j, uint32_t hash, uint32_t frame)
{
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(j->symbols, frame, &count);

	hash = hash_rank(hash, j->rank[j->symbols->of_frame.v[frame]]);
	for (uint32_t k = 0; k < count; k++)
		hash = hash_rank(hash, j->rank[inlined[k]]);
	return hash;
}

static void hash_ways(struct join *j)
{
	const struct trie *t = j->trie;

	j->hashes[0] = 0;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t hash = j->hashes[t->nodes[i].parent];
		uint32_t frame = t->nodes[i].frame, rank = j->of_frame[frame];

		j->hashes[i] = rank == (uint32_t)RANK_RUN ? hash_run(j, hash, frame)
							  : hash_rank(hash, rank);
	}
}

static void step_run(struct join *j, uint32_t frame, struct step *at)
{
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(j->symbols, frame, &count);

	step_on(j, j->rank[j->symbols->of_frame.v[frame]], at);
	for (uint32_t k = 0; k < count; k++)
		step_on(j, j->rank[inlined[k]], at);
}

/* Fetches where nodes that come soon will be looked for. */
/* Inline: gcc 12 takes a function that only prefetches for one without effect. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct join *j,
							      uint32_t i)
{
	enum { NEAR = 32, FAR = 64 };

	if (!j->slots || j->trie->count <= FAR || i >= j->trie->count - FAR)
		return;
	__builtin_prefetch(&j->slots[j->hashes[i + FAR] & j->mask]);
	__builtin_prefetch(&j->pairs[j->slots[j->hashes[i + NEAR] & j->mask]]);
}

static int join(struct join *j)
{
	const struct trie *t = j->trie;
	size_t kept;

	if (make_room(j) < 0)
		return -ENOMEM;
	kept = j->scratch.used;
	j->hashes = piece(&j->scratch, t->count, 4);
	if (!j->last)
		j->slots = piece(&j->scratch, j->mask + 1, 4);
	add_node(j, 0, 0);
	hash_ways(j);
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t frame = t->nodes[i].frame, parent = t->nodes[i].parent;
		struct step at = { j->node[parent], j->hashes[parent] };

		fetch_ahead(j, i);
		if (j->left_out && j->left_out[i])
			continue;
		if (j->of_frame[frame] == (uint32_t)RANK_RUN)
			step_run(j, frame, &at);
		else
			step_on(j, j->of_frame[frame], &at);
		j->node[i] = at.node;
	}
	j->scratch.used = kept;
	return 0;
}

/* Fills @to with the nodes of @from (NULL: all but the root, by id) in stable order of
 * a key below @keys. @starts: room for @keys and one more. */
static void count_sort(const struct join *j, const uint32_t *from, uint32_t *to,
		       uint32_t *starts, size_t keys, bool by_parent)
{
	memset(starts, 0, (keys + 1) * sizeof(*starts));
	for (uint32_t i = 1; i < j->count; i++)
		starts[(by_parent ? j->pairs[i].parent : j->pairs[i].rank) + 1]++;
	for (size_t k = 1; k <= keys; k++)
		starts[k] += starts[k - 1];
	for (uint32_t i = 1; i < j->count; i++) {
		uint32_t id = from ? from[i - 1] : i;
		uint32_t key = by_parent ? j->pairs[id].parent : j->pairs[id].rank;

		to[starts[key]++] = id;
	}
}

static void order_children(struct join *j)
{
	size_t keys = j->functions > j->count ? j->functions : j->count;
	uint32_t *by_rank = NULL;

	j->order = piece(&j->scratch, j->count, 4);
	j->size = piece(&j->scratch, j->count, 4);
	j->place = piece(&j->scratch, j->count, 4);
	j->next = piece(&j->scratch, keys + 1, 4);
	if (!(j->flags & NAMED_IN_ORDER)) {
		by_rank = piece(&j->scratch, j->count, 4);
		count_sort(j, NULL, by_rank, j->next, j->functions, false);
	}
	count_sort(j, by_rank, j->order, j->next, j->count, true);
}

static void sum_sizes(struct join *j)
{
	for (uint32_t i = 0; i < j->count; i++)
		j->size[i] = 1;
	for (uint32_t i = j->count; i-- > 1;)
		j->size[j->pairs[i].parent] += j->size[i];
}

/* Each takes its place behind its elder siblings and all that is below them. */
static int place_nodes(struct join *j, struct named *n)
{
	n->nodes.v = pages_room(j->count * sizeof(*n->nodes.v));
	if (!n->nodes.v)
		return -ENOMEM;
	n->nodes.count = n->nodes.room = j->count;
	n->nodes.v[0] = (struct named_node){ .end = j->count };
	j->place[0] = 0;
	j->next[0] = 1;
	for (uint32_t k = 0; k + 1 < j->count; k++) {
		uint32_t id = j->order[k], parent = j->pairs[id].parent;
		uint32_t place = j->next[parent];

		j->place[id] = place;
		j->next[parent] = place + j->size[id];
		j->next[id] = place + 1;
		n->nodes.v[place] =
			(struct named_node){ .function = j->function[j->pairs[id].rank],
					     .parent = j->place[parent],
					     .end = place + j->size[id] };
	}
	return 0;
}

static uint64_t *column(const struct join *j)
{
	uint64_t *values = pages_room(j->count * sizeof(*values));

	if (values)
		memset(values, 0, j->count * sizeof(*values));
	return values;
}

static int sum_columns(const struct join *j, struct named *n)
{
	const struct trie *t = j->trie;
	bool differs = t->charged[TRIE_BEFORE];

	n->self = column(j);
	n->samples = column(j);
	n->before = differs ? column(j) : NULL;
	if (!n->self || !n->samples || (differs && !n->before))
		return -ENOMEM;
	for (size_t i = 1; i < t->selves.count; i++) {
		const struct trie_self *self = &t->selves.v[i];
		uint32_t place = j->place[j->node[self->node]];

		n->self[place] += self->value[TRIE_WEIGHT];
		n->samples[place] += self->value[TRIE_SAMPLES];
		if (differs)
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
	if (err == 0) {
		order_children(&j);
		sum_sizes(&j);
		err = place_nodes(&j, &n);
	}
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
	free(n->samples);
	free(n->before);
	*n = (struct named){ 0 };
}
