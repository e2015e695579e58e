/*
 * A stack's hash is made of its frames alone: where its nodes may lie is known before
 * the first of them is found, and all can be fetched at once. Slots have ids only,
 * linear probing, at most 2/3 full. The frames that a stack has in common with the one
 * before are not looked up at all.
 *
 *	frames   main       a          b
 *	hash     h1 ------> h2 ------> h3      slots[h1], slots[h2], slots[h3]
 *	node     1          2          3
 *
 * Ids of parents are below those of their children, so one pass in order of ids rebuilds
 * the slots, or merges one trie with another. Where no two stacks can become one, a node
 * whose parent is new is new, and only what stands on an old one is looked up.
 */
#include "trie/trie.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/pages.h"

enum {
	FIRST_NODES = 1024,
	FIRST_SLOTS = 2048,
	FIRST_ROWS = 256,
/* Stacks remembered; 24 bytes each, together an L2 cache's share. Where many small
 * recordings are read (stack/walker.h) its pages would be much of what each costs. */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	RECENT = 16384,
#else
	RECENT = 64,
#endif
};

struct trie_recent {
	struct trie_memory v[RECENT]; /* node 0: empty */
};

static size_t rows_size(const struct trie_rows *r, size_t count)
{
	return count * r->width * sizeof(*r->v);
}

int trie_init(struct trie *t)
{
	*t = (struct trie){
		.room = FIRST_NODES,
		.mask = FIRST_SLOTS - 1,
		.count = 1,
		.allowed = UINT32_MAX,
		.indexed = 1,
	};
	t->nodes = pages_take(t->room * sizeof(*t->nodes));
	t->slots = pages_take(FIRST_SLOTS * sizeof(*t->slots));
	t->rows = (struct trie_rows){ .width = 1, .count = 1, .room = FIRST_ROWS };
	t->rows.v = pages_take(rows_size(&t->rows, FIRST_ROWS));
	t->recent = calloc(1, sizeof(*t->recent));
	if (t->nodes && t->slots && t->rows.v && t->recent)
		return 0;
	trie_release(t);
	return -ENOMEM;
}

void trie_release(struct trie *t)
{
	pages_give_back(t->nodes, t->room * sizeof(*t->nodes));
	pages_give_back(t->slots, (t->mask + 1) * sizeof(*t->slots));
	pages_give_back(t->rows.v, rows_size(&t->rows, t->rows.room));
	free(t->recent);
	free(t->last_path);
	claim_release(&t->claim);
	*t = (struct trie){ 0 };
}

void trie_drop_index(struct trie *t)
{
	uint32_t *slots = pages_take(FIRST_SLOTS * sizeof(*slots));

	if (!slots)
		return;
	pages_give_back(t->slots, (t->mask + 1) * sizeof(*t->slots));
	t->slots = slots;
	t->mask = FIRST_SLOTS - 1;
	t->indexed = 1;
}

/* At most 2/3 of the slots are taken. */
static bool is_overloaded(size_t nodes, size_t slots)
{
	return nodes > slots / 3 * 2;
}

/* Finds a slot for each node. */
static int index_nodes(struct trie *t)
{
	enum { AHEAD = 32 };
	size_t room = t->mask + 1, size = t->count * sizeof(uint64_t);
	uint64_t *hashes = pages_take(size);
	uint32_t *slots;

	while (is_overloaded(t->count, room))
		room *= 2;
	slots = pages_take(room * sizeof(*slots));
	if (!slots || !hashes) {
		pages_give_back(slots, room * sizeof(*slots));
		pages_give_back(hashes, size);
		return -ENOMEM;
	}
	hashes[0] = hash_secret.key;
	for (uint32_t id = 1; id < t->count; id++)
		hashes[id] = hash_step(hashes[t->nodes[id].parent], t->nodes[id].frame);
	for (uint32_t id = 1; id < t->count; id++) {
		uint64_t i = hashes[id];

		/* Slots lie anywhere: that of a later node is fetched meanwhile. */
		if (t->count - id > AHEAD)
			__builtin_prefetch(&slots[hashes[id + AHEAD] & (room - 1)], 1);
		while (slots[i & (room - 1)])
			i++;
		slots[i & (room - 1)] = id;
	}
	pages_give_back(hashes, size);
	pages_give_back(t->slots, (t->mask + 1) * sizeof(*t->slots));
	t->slots = slots;
	t->mask = room - 1;
	t->indexed = t->count;
	return 0;
}

/* Room for @count nodes, and for more: what many small tries are merged with is not to be
 * moved each time. */
static int reserve_nodes(struct trie *t, uint64_t count)
{
	uint64_t room = t->room + t->room / 2ull;
	void *nodes;

	if (count <= t->room)
		return 0;
	if (t->room == UINT32_MAX)
		return -ENOMEM;
	if (room < count)
		room = count;
	if (room > UINT32_MAX)
		room = UINT32_MAX;
	nodes = pages_grow(t->nodes, t->room * sizeof(*t->nodes),
			   t->count * sizeof(*t->nodes), room * sizeof(*t->nodes));
	if (!nodes)
		return -ENOMEM;
	t->nodes = nodes;
	t->room = (uint32_t)room;
	return 0;
}

/* Those with roles are in TRIE_NODE_MEMORY. */
static uint64_t node_memory(const struct trie *t)
{
	uint32_t width = t->rows.width, usual = 1 + COLUMN_ROLES;

	return TRIE_NODE_MEMORY +
	       (width > usual ? width - usual : 0) * (uint64_t)TRIE_COLUMN_MEMORY;
}

/* What is there already is claimed in any case. */
static void settle_claim(struct trie *t)
{
	if (!t->budget)
		return;
	t->allowed = t->count;
	claim_settle(&t->claim, t->budget, t->count * node_memory(t));
}

void trie_limit(struct trie *t, struct budget *budget)
{
	t->budget = budget;
	settle_claim(t);
}

void trie_allow_one(struct trie *t)
{
	if (t->allowed == t->count)
		t->allowed++;
}

/* 1: there is no memory left for it. */
static int add_trie_node(struct trie *t, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	enum { SOME = 1024, PART = 16 };

	/* Some at once, so that the budget is seldom asked. */
	if (t->count >= t->allowed) {
		uint64_t more = t->count / PART > SOME ? t->count / PART : SOME;

		if (more > UINT32_MAX - t->allowed)
			more = UINT32_MAX - t->allowed;
		if (!claim_add_part(&t->claim, t->budget, BUDGET_STACKS,
				    more * node_memory(t)))
			return 1;
		t->allowed += (uint32_t)more;
	}
	if (t->count == t->room && reserve_nodes(t, t->room * 2ull) < 0)
		return -ENOMEM;
	t->nodes[t->count] = (struct trie_node){ parent, frame, 0 };
	*ret = t->count++;
	return 0;
}

/* The slot of a child, or the empty one where it belongs. */
static uint32_t *find_slot(const struct trie *t, uint32_t parent, uint32_t frame,
			   uint64_t hash)
{
	for (uint64_t i = hash;; i++) {
		uint32_t *slot = &t->slots[i & t->mask];

		if (*slot == 0 ||
		    (t->nodes[*slot].parent == parent && t->nodes[*slot].frame == frame))
			return slot;
	}
}

/* All nodes are indexed. */
static int find_or_add_child(struct trie *t, uint32_t parent, uint32_t frame,
			     uint64_t hash, uint32_t *ret)
{
	uint32_t *slot = find_slot(t, parent, frame, hash);
	int err;

	if (*slot) {
		*ret = *slot;
		return 0;
	}
	if (is_overloaded(t->count, t->mask + 1)) {
		if (index_nodes(t) < 0)
			return -ENOMEM;
		slot = find_slot(t, parent, frame, hash);
	}
	err = add_trie_node(t, parent, frame, ret);
	if (err)
		return err;
	*slot = *ret;
	t->indexed = t->count;
	return 0;
}

int trie_add(struct trie *t, const uint32_t *frames, size_t count, uint32_t *ret)
{
	uint64_t hash = hash_secret.key;
	uint32_t node = 0;
	size_t i = 0;
	int err = 0;

	if (count > t->last_path_room &&
	    !array_grow((void **)&t->last_path, &t->last_path_room, count,
			sizeof(*t->last_path)))
		return -ENOMEM;
	if (t->indexed < t->count && index_nodes(t) < 0)
		return -ENOMEM;
	for (; i < count && i < t->steps && t->last_path[i].frame == frames[i]; i++)
		node = t->last_path[i].node;
	t->steps = i;
	/* Notes the hashes of what is left, and fetches where they lie. */
	if (i)
		hash = t->last_path[i - 1].hash;
	for (size_t k = i; k < count; k++) {
		hash = hash_step(hash, frames[k]);
		t->last_path[k] = (struct trie_step){ frames[k], 0, hash };
		__builtin_prefetch(&t->slots[hash & t->mask]);
	}
	for (size_t k = i; k < count; k++)
		__builtin_prefetch(&t->nodes[t->slots[t->last_path[k].hash & t->mask]]);
	for (; i < count; i++) {
		err = find_or_add_child(t, node, frames[i], t->last_path[i].hash, &node);
		if (err < 0)
			return err;
		if (err > 0)
			break;
		t->last_path[i].node = node;
	}
	t->steps = i;
	*ret = node;
	return err;
}

/* The last node on the way to @last that @frames share. */
static uint32_t shared_path(const struct trie *t, const uint32_t *frames, size_t count,
			    uint32_t last, size_t *shared)
{
	size_t depth = 0, equal;
	uint32_t found = last;

	for (uint32_t node = last; node; node = t->nodes[node].parent)
		depth++;
	for (; depth > count; depth--)
		found = last = t->nodes[last].parent;
	equal = depth;
	for (; depth > 0; depth--) {
		if (t->nodes[last].frame != frames[depth - 1]) {
			equal = depth - 1;
			found = t->nodes[last].parent;
		}
		last = t->nodes[last].parent;
	}
	*shared = equal;
	return found;
}

int trie_append(struct trie *t, const uint32_t *frames, size_t count, uint32_t last,
		uint32_t *ret)
{
	size_t shared;
	uint32_t node = shared_path(t, frames, count, last, &shared);
	int err = 0;

	for (size_t i = shared; i < count && err == 0; i++)
		err = add_trie_node(t, node, frames[i], &node);
	if (err < 0)
		return err;
	*ret = node;
	return err;
}

/* Rows get one value more, which is @column's. */
static int widen_rows(struct trie *t, uint32_t column)
{
	struct trie_rows *r = &t->rows, wider = *r;

	wider.width++;
	wider.at[column] = (uint8_t)r->width;
	wider.v = pages_take(rows_size(&wider, r->room));
	if (!wider.v)
		return -ENOMEM;
	for (size_t row = 0; row < r->count; row++)
		memcpy(&wider.v[row * wider.width], &r->v[row * r->width],
		       rows_size(r, 1));
	pages_give_back(r->v, rows_size(r, r->room));
	*r = wider;
	if (r->width > 1 + COLUMN_ROLES)
		settle_claim(t);
	return 0;
}

int trie_charge(struct trie *t, uint32_t node, uint32_t column, uint64_t value)
{
	struct trie_rows *r = &t->rows;
	uint64_t *row;

	if (__builtin_expect(!trie_is_charged(t, column), 0) && widen_rows(t, column) < 0)
		return -ENOMEM;
	if (__builtin_expect(t->nodes[node].self == 0, 0)) {
		if (r->count == r->room) {
			void *v = pages_grow(r->v, rows_size(r, r->room),
					     rows_size(r, r->count),
					     rows_size(r, r->room * 2));

			if (!v)
				return -ENOMEM;
			r->v = v;
			r->room *= 2;
		}
		row = &r->v[r->count * r->width];
		memset(row, 0, rows_size(r, 1));
		*row = node;
		t->nodes[node].self = (uint32_t)r->count++;
	}
	*trie_value(t, t->nodes[node].self, column) += value;
	return 0;
}

uint64_t trie_take(struct trie *t, uint32_t node, uint32_t column)
{
	uint64_t value = trie_self(t, node, column);

	if (value)
		*trie_value(t, t->nodes[node].self, column) = 0;
	return value;
}

void trie_scale(struct trie *t, uint32_t column, uint64_t factor)
{
	for (size_t row = 1; trie_is_charged(t, column) && row < t->rows.count; row++)
		*trie_value(t, row, column) *= factor;
}

/* What stands before nodes and rows in a file. */
struct saved_trie {
	uint64_t count, rows;
	uint64_t width;
	uint8_t at[COLUMNS_MOST + 8 - COLUMNS_MOST % 8]; /* no bytes between these */
};

int trie_save(const struct trie *t, int fd)
{
	struct saved_trie head = { t->count, t->rows.count, t->rows.width, { 0 } };

	memcpy(head.at, t->rows.at, sizeof(t->rows.at));
	return file_write(fd, &head, sizeof(head)) &&
			       file_write(fd, t->nodes, t->count * sizeof(*t->nodes)) &&
			       file_write(fd, t->rows.v,
					  rows_size(&t->rows, t->rows.count))
		       ? 0
		       : -errno;
}

int trie_load(struct trie *t, int fd, uint64_t *at)
{
	struct saved_trie head;
	bool whole = file_read_next(fd, &head, sizeof(head), at);

	if (!whole)
		return errno ? -errno : -EIO;
	pages_give_back(t->rows.v, rows_size(&t->rows, t->rows.room));
	t->rows = (struct trie_rows){ .count = head.rows,
				      .room = head.rows,
				      .width = (uint32_t)head.width };
	memcpy(t->rows.at, head.at, sizeof(t->rows.at));
	t->rows.v = pages_take(rows_size(&t->rows, t->rows.room));
	if (!t->rows.v || reserve_nodes(t, head.count) < 0)
		return -ENOMEM;
	t->count = (uint32_t)head.count;
	return file_read_next(fd, t->nodes, t->count * sizeof(*t->nodes), at) &&
			       file_read_next(fd, t->rows.v,
					      rows_size(&t->rows, t->rows.count), at)
		       ? 0
	       : errno ? -errno
		       : -EIO;
}

/* Fetches what find_or_add_child() will ask for nodes that come soon. */
/* Inline: gcc 12 takes a function that only prefetches for one without effect. */
static inline __attribute__((always_inline)) void
fetch_ahead(const struct trie *t, const uint64_t *hashes, uint32_t id, uint32_t count)
{
	enum { NEAR = 32, FAR = 64 };

	if (id >= count - (count < FAR ? count : FAR))
		return;
	__builtin_prefetch(&t->slots[hashes[id + FAR] & t->mask]);
	__builtin_prefetch(&t->nodes[t->slots[hashes[id + NEAR] & t->mask]]);
}

/* What stands on a node that was not there is not there either, and no two nodes become
 * one: only old nodes have to be asked for, and their slots alone are in use. */
static int merge_distinct(struct trie *t, const struct trie *from,
			  const uint32_t *frame_map, const uint64_t *hashes,
			  uint32_t *map)
{
	enum { MANY = 8 }; /* an eighth of the old ones */
	uint32_t old = t->count;

	if (reserve_nodes(t, (uint64_t)t->count + from->count) < 0)
		return -ENOMEM;
	for (uint32_t id = 1; id < from->count; id++) {
		uint32_t parent = map[from->nodes[id].parent];
		uint32_t frame = frame_map[from->nodes[id].frame];

		fetch_ahead(t, hashes, id, from->count);
		map[id] = parent < old ? *find_slot(t, parent, frame, hashes[id]) : 0;
		if (map[id] == 0 && add_trie_node(t, parent, frame, &map[id]) < 0)
			return -ENOMEM;
	}
	/* New nodes get their slots where they are few: to index all nodes anew would take longer
	 * than the merge. Where they are many, it is done when somebody asks. */
	if (t->count - old > old / MANY || is_overloaded(t->count, t->mask + 1))
		return 0;
	for (uint32_t id = 1; id < from->count; id++) {
		uint64_t i = hashes[id];

		if (map[id] < old)
			continue;
		while (t->slots[i & t->mask])
			i++;
		t->slots[i & t->mask] = map[id];
	}
	t->indexed = t->count;
	return 0;
}

static int merge_collapsing(struct trie *t, const struct trie *from,
			    const uint32_t *frame_map, const uint64_t *hashes,
			    uint32_t *map)
{
	int err = 0;

	for (uint32_t id = 1; id < from->count && err == 0; id++) {
		const struct trie_node *node = &from->nodes[id];

		fetch_ahead(t, hashes, id, from->count);
		err = find_or_add_child(t, map[node->parent], frame_map[node->frame],
					hashes[id], &map[id]);
	}
	return err;
}

static int merge_mapped(struct trie *t, const struct trie *from,
			const uint32_t *frame_map, bool collapsing, uint32_t **node_map)
{
	uint32_t charged[COLUMNS_MOST], columns = 0;
	uint32_t *map = pages_room(from->count * sizeof(*map));
	size_t size = from->count * sizeof(uint64_t);
	uint64_t *hashes = map ? pages_take(size) : NULL;
	int err = hashes ? 0 : -ENOMEM;

	if (!map)
		return -ENOMEM;
	/* They have memory where they are. */
	t->allowed = UINT32_MAX;
	if (err == 0 && t->indexed < t->count)
		err = index_nodes(t);
	map[0] = 0;
	if (err == 0)
		hashes[0] = hash_secret.key;
	for (uint32_t id = 1; err == 0 && id < from->count; id++) {
		const struct trie_node *node = &from->nodes[id];

		hashes[id] = hash_step(hashes[node->parent], frame_map[node->frame]);
	}
	if (err == 0)
		err = collapsing ? merge_collapsing(t, from, frame_map, hashes, map)
				 : merge_distinct(t, from, frame_map, hashes, map);
	settle_claim(t);
	pages_give_back(hashes, size);
	for (uint32_t i = 0; i < COLUMNS_MOST; i++)
		if (trie_is_charged(from, i))
			charged[columns++] = i;
	for (size_t row = 1; row < from->rows.count && err == 0; row++)
		for (uint32_t i = 0; i < columns && err == 0; i++)
			err = trie_charge(t, map[trie_row_node(from, row)], charged[i],
					  *trie_value(from, row, charged[i]));
	if (err == 0 && node_map)
		*node_map = map;
	else
		free(map);
	return err;
}

int trie_merge(struct trie *t, const struct trie *from, const uint32_t *frame_map,
	       uint32_t **node_map)
{
	return merge_mapped(t, from, frame_map, false, node_map);
}

int trie_merge_collapsing(struct trie *t, const struct trie *from,
			  const uint32_t *frame_map, uint32_t **node_map)
{
	return merge_mapped(t, from, frame_map, true, node_map);
}

const struct trie_memory *trie_recall(const struct trie *t, uint64_t low, uint64_t high)
{
	const struct trie_memory *m = &t->recent->v[low % RECENT];

	return m->node && m->high == high ? m : NULL;
}

void trie_remember(struct trie *t, uint64_t low, const struct trie_memory *memory)
{
	t->recent->v[low % RECENT] = *memory;
}
