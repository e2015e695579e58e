/*
 * Parents have lower ids than their children in the trie, so one pass in order of ids is
 * enough: the joined node of a trie node is the child, for its function, of its parent's
 * joined node. Frames with inlined functions go on by several.
 *
 * Children are a list, and what was found comes to its front, because the next stack
 * often goes the same way. A node with more than NARROW children has them all in a hash
 * map, too. With several threads each makes the whole trunk and, below it, only the
 * children whose hash is its part's: no lock, and the same tree whatever the number. The
 * trunk is where many of up to SAMPLES stacks go through.
 */
#include "tree/named_join.h"

#include <stdlib.h>

#include "base/pages.h"

enum {
	/* Children that are looked through, one after the other: most nodes have few, and
	 * those lie near. */
	NARROW = 12,
	SAMPLES = 1024, /* stacks that are looked at to find the trunk */
	STEPS = 16, /* for that: a sixteenth of the trie's nodes at most */
	MIN_SPLIT = 16, /* parts of a part: a node of less is not split */
};

static uint32_t add_node(struct branch *b, uint32_t parent, uint32_t rank)
{
	uint32_t id = b->count++;

	b->nodes[id] = (struct joined){ .parent = parent,
					.rank = rank,
					.sibling = b->nodes[parent].child };
	b->nodes[parent].child = id;
	return id;
}

static bool note_child(struct branch *b, uint32_t id)
{
	const struct joined *node = &b->nodes[id];

	return hash_map_set(&b->wide, (uint64_t)node->parent << 32 | node->rank, id);
}

/* 0: without memory. ELSEWHERE: a child of the trunk that is another branch's. */
static uint32_t joined_child(struct branch *b, uint32_t parent, uint32_t rank)
{
	struct joined *nodes = b->nodes;
	uint64_t key = (uint64_t)parent << 32 | rank;
	uint32_t first = nodes[parent].child, last = first, id, *noted;
	uint32_t *link = &nodes[parent].child;
	int seen = 0;

	/* Among the first few. A child that was found becomes the first, as the next one is
	 * often the same. */
	for (; *link && seen < NARROW; seen++) {
		id = last = *link;
		if (nodes[id].rank == rank) {
			*link = nodes[id].sibling;
			nodes[id].sibling = nodes[parent].child;
			nodes[parent].child = id;
			return id;
		}
		link = &nodes[id].sibling;
	}
	noted = seen < NARROW ? NULL : hash_map_get(&b->wide, key);
	if (noted)
		return *noted;
	/* Only children of the trunk are shared out. What is below one of them is all of
	 * one branch. */
	if (parent < b->own && (b->parts > 1 ? hash_u64(key) % b->parts : 0) != b->part)
		return (uint32_t)ELSEWHERE;
	/* A node that is getting wide has all its children noted: any may move out of the
	 * first few. Where the last of NARROW has no sibling they are just so many, and none
	 * was noted yet: all are now. With more of them all have been. */
	if (seen == NARROW && !nodes[last].sibling)
		for (id = first; id; id = nodes[id].sibling)
			if (!note_child(b, id))
				return 0;
	id = add_node(b, parent, rank);
	return seen < NARROW || note_child(b, id) ? id : 0;
}

/* On to the child for a function; nowhere where that is left out, or where it is another
 * branch's. */
static void step_on(struct branch *b, uint32_t rank, uint32_t *node)
{
	if (rank == (uint32_t)RANK_DROPPED || *node == (uint32_t)ELSEWHERE)
		return;
	if (b->input->in_order) {
		uint32_t last = b->nodes[*node].child;

		/* Only neighbours are joined, so no other child comes into question. */
		*node = last && b->nodes[last].rank == rank ? last
							    : add_node(b, *node, rank);
	} else {
		*node = joined_child(b, *node, rank);
	}
	b->failed |= *node == 0;
}

/* From the joined node of its parent to that of a trie node; where functions were inlined at
 * the frame's address, the same for each of them. */
static void step_frame(struct branch *b, uint32_t trie_node, uint32_t *node)
{
	const struct join_input *g = b->input;
	uint32_t frame = g->trie->nodes[trie_node].frame, rank = g->of_frame[frame],
		 count;
	const uint32_t *inlined;

	if (rank != (uint32_t)RANK_RUN) {
		step_on(b, rank, node);
		return;
	}
	inlined = symbols_inlined(g->symbols, frame, &count);
	step_on(b, g->rank[g->symbols->of_frame.v[frame]], node);
	for (uint32_t k = 0; k < count && !b->failed; k++)
		step_on(b, g->rank[inlined[k]], node);
}

/* What is not touched of the branch's room takes no memory. */
static int branch_begin(struct branch *b, const struct join_input *input,
			const struct named_trunk *trunk)
{
	*b = (struct branch){ .input = input, .trunk = trunk, .parts = 1 };
	b->node = pages_room(input->trie->count * sizeof(*b->node));
	b->nodes = pages_room((input->most + trunk->count) * sizeof(*b->nodes));
	if (!b->node || !b->nodes)
		return -ENOMEM;
	b->node[0] = 0;
	b->nodes[0] = (struct joined){ 0 };
	b->count = 1;
	return 0;
}

int branch_join(struct branch *b, const struct join_input *input,
		const struct named_trunk *trunk, uint32_t part, uint32_t parts)
{
	const struct trie *t = input->trie;
	int err = branch_begin(b, input, trunk);

	if (err < 0)
		return err;
	/* The trunk is added whole, whatever the part, so that its nodes have the same ids in
	 * all branches. */
	for (uint32_t i = 1; i < trunk->count; i++)
		if (!joined_child(b, trunk->nodes[i].parent, trunk->nodes[i].rank))
			return -ENOMEM;
	b->own = trunk->count;
	b->part = part;
	b->parts = parts;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t *node = &b->node[i];

		*node = b->node[t->nodes[i].parent];
		if (*node == (uint32_t)ELSEWHERE)
			continue;
		if (input->left_out && input->left_out[i])
			*node = 0;
		else
			step_frame(b, i, node);
		if (b->failed)
			return -ENOMEM;
	}
	return 0;
}

void branch_release(struct branch *b)
{
	free(b->node);
	free(b->nodes);
	hash_map_release(&b->wide);
	*b = (struct branch){ 0 };
}

/* Stacks that are looked at to find out where the tree is large. */
struct trunk_sampler {
	struct branch branch;
	ARRAY(uint32_t) path; /* trie nodes, the last one first */
	ARRAY(uint32_t) passed; /* by joined node: stacks that go on there */
	uint32_t stacks;
	size_t steps;
};

static int sample_stack(struct trunk_sampler *s, uint32_t trie_node)
{
	struct branch *b = &s->branch;
	const struct join_input *g = b->input;
	uint32_t node = 0, last = 0;

	/* The trie leads from a leaf up to the root, but joining begins at the root. */
	s->path.count = 0;
	for (; trie_node; trie_node = g->trie->nodes[trie_node].parent) {
		uint32_t *slot = array_add(&s->path);

		if (!slot)
			return -ENOMEM;
		*slot = trie_node;
	}
	s->stacks++;
	while (s->path.count > 0) {
		trie_node = s->path.v[--s->path.count];
		if (g->left_out && g->left_out[trie_node])
			break;
		step_frame(b, trie_node, &node);
		s->steps++;
		if (b->failed)
			return -ENOMEM;
		while (s->passed.count < b->count)
			if (!array_add(&s->passed))
				return -ENOMEM;
		/* A frame with inlined functions goes on by several joined nodes. */
		for (uint32_t on = node; on != last; on = b->nodes[on].parent)
			s->passed.v[on]++;
		last = node;
	}
	return 0;
}

int trunk_find(struct named_trunk *t, const struct join_input *input, uint32_t parts)
{
	static const struct named_trunk root = { NULL, 1 };
	uint64_t count = input->trie->count;
	struct trunk_sampler s = { .stacks = 0 };
	uint32_t *id = NULL; /* in the trunk, by joined node */
	int err = branch_begin(&s.branch, input, &root);

	*t = (struct named_trunk){ 0 };
	/* Stacks at equal distances of the trie, as many as a small part of its cost allows. */
	for (uint64_t i = 0;
	     parts > 1 && i < SAMPLES && err == 0 && s.steps < count / STEPS; i++)
		err = sample_stack(&s, (uint32_t)(i * count / SAMPLES));
	if (err == 0) {
		id = calloc(s.branch.count, sizeof(*id));
		t->nodes = calloc(s.branch.count, sizeof(*t->nodes));
		t->count = 1;
		err = id && t->nodes ? 0 : -ENOMEM;
	}
	/* Those that many stacks pass; whoever does passed the parent, too. */
	for (uint32_t i = 1; err == 0 && i < s.passed.count; i++) {
		const struct joined *node = &s.branch.nodes[i];

		if (s.passed.v[i] <= 1 + s.stacks / parts / MIN_SPLIT)
			continue;
		t->nodes[t->count].parent = id[node->parent];
		t->nodes[t->count].rank = node->rank;
		id[i] = t->count++;
	}
	free(id);
	branch_release(&s.branch);
	array_release(&s.path);
	array_release(&s.passed);
	return err;
}

void trunk_release(struct named_trunk *t)
{
	free(t->nodes);
	*t = (struct named_trunk){ 0 };
}
