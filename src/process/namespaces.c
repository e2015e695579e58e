/*
 * The chains of all processes are links in one array. The newest change is first in
 * each, and nearly all questions end there. A change that changes nothing is not added.
 * Dropped items are a list of free ones through the same links. A pid that is used again
 * goes on with its old chain: its fork adds what its parent has, or that nothing is
 * known.
 *
 *	newest[pid] --> | time 9, before 3 | --> | time 4, before 0 |
 *
 * `before` is an index + 1, so 0 ends a chain, and so it is with `free`.
 */
#include "process/namespaces.h"

#include <errno.h>

static const struct namespace_id unknown[NAMESPACE_KINDS];

void namespaces_release(struct namespaces *n)
{
	array_release(&n->list);
	hash_map_release(&n->newest);
}

static const struct namespaces_since *newest_change(const struct namespaces *n,
						    uint32_t pid)
{
	const uint32_t *index = hash_map_get(&n->newest, pid);

	return index ? &n->list.v[*index] : NULL;
}

static bool are_same_ids(const struct namespace_id *a, const struct namespace_id *b)
{
	return memcmp(a, b, sizeof(unknown)) == 0;
}

static void give_item(struct namespaces *n, uint32_t index)
{
	n->list.v[index].before = n->free;
	n->free = index + 1;
}

int namespaces_set(struct namespaces *n, uint32_t pid, uint64_t time,
		   const struct namespace_id ids[NAMESPACE_KINDS])
{
	const struct namespaces_since *last = newest_change(n, pid);
	uint32_t before = last ? (uint32_t)(last - n->list.v) + 1 : 0;
	struct namespaces_since *item;

	if (last && are_same_ids(last->ids, ids))
		return 0;
	item = n->free ? &n->list.v[n->free - 1] : array_add(&n->list);
	if (!item)
		return -ENOMEM;
	if (n->free)
		n->free = item->before;
	item->time = time;
	item->before = before;
	memcpy(item->ids, ids, sizeof(item->ids));
	if (hash_map_set(&n->newest, pid, (uint32_t)(item - n->list.v)))
		return 0;
	give_item(n, (uint32_t)(item - n->list.v));
	return -ENOMEM;
}

int namespaces_fork(struct namespaces *n, uint32_t parent, uint32_t child, uint64_t time)
{
	const struct namespaces_since *of_parent = newest_change(n, parent);
	struct namespace_id ids[NAMESPACE_KINDS] = { 0 };

	/* What an earlier process of that number was in does not count. */
	if (!of_parent && !newest_change(n, child))
		return 0;
	if (of_parent)
		memcpy(ids, of_parent->ids, sizeof(ids));
	return namespaces_set(n, child, time, ids);
}

const struct namespace_id *namespaces_at(const struct namespaces *n, uint32_t pid,
					 uint64_t time)
{
	const struct namespaces_since *item = newest_change(n, pid);

	while (item && item->time > time)
		item = item->before ? &n->list.v[item->before - 1] : NULL;
	return item && !are_same_ids(item->ids, unknown) ? item->ids : NULL;
}

static void drop_chain(struct namespaces *n, uint32_t next)
{
	while (next) {
		uint32_t index = next - 1;

		next = n->list.v[index].before;
		give_item(n, index);
	}
}

void namespaces_forget(struct namespaces *n, uint32_t pid, uint64_t time)
{
	const uint32_t *index = hash_map_get(&n->newest, pid);
	struct namespaces_since *item = index ? &n->list.v[*index] : NULL;

	while (item && item->time > time)
		item = item->before ? &n->list.v[item->before - 1] : NULL;
	if (!item)
		return;
	drop_chain(n, item->before);
	item->before = 0;
}

void namespaces_drop(struct namespaces *n, uint32_t pid)
{
	const uint32_t *index = hash_map_get(&n->newest, pid);

	if (!index)
		return;
	drop_chain(n, *index + 1);
	hash_map_remove(&n->newest, pid);
}
