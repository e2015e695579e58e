/*
 * Two tables: chains, each once, found by a hash of their bytes, and keys, found by
 * thread and cookie, which name a chain by its index. Chains repeat, since threads do
 * the same again and again, and keys do not. If a cookie comes twice for one thread,
 * the first counts.
 */
#include "input/deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/budget.h"
#include "base/hash.h"

struct chain_text {
	const char *bytes;
	uint32_t count;
};

struct deferred_key {
	uint64_t cookie;
	uint32_t tid;
	uint32_t chain; /* index in chains */
};

struct deferred {
	struct arena bytes;
	ARRAY(struct chain_text) chains;
	struct hash_set by_bytes;
	ARRAY(struct deferred_key) keys;
	struct hash_set by_key;
	struct claim claim;
	uint64_t used; /* bytes of it */
};

enum {
	CLAIMED = 1 << 16, /* bytes at a time */
	/* With room and what finds them. */
	KEY_MEMORY = 3 * sizeof(struct deferred_key),
	CHAIN_MEMORY = 3 * sizeof(struct chain_text),
};

static uint64_t key_hash(uint32_t tid, uint64_t cookie)
{
	return hash_u64(cookie ^ hash_u64(tid));
}

/* The budget is asked for large steps, not for each chain. */
static bool claim_for(struct deferred *d, struct budget *budget, uint64_t size)
{
	uint64_t more = size > CLAIMED ? size : CLAIMED;

	if (d->claim.size - d->used < size &&
	    !claim_add_part(&d->claim, budget, BUDGET_NAMES, more))
		return false;
	d->used += size;
	return true;
}

/* 1: the budget has nothing left for it. */
static int intern_chain(struct deferred *d, struct budget *budget,
			const struct deferred_chain *chain, uint32_t *ret)
{
	uint32_t count = (uint32_t)chain->count;
	size_t size = 8 * (size_t)count;
	uint64_t hash = hash_bytes(chain->bytes, size), i = hash_start(hash);
	struct chain_text *slot;
	uint32_t id;

	while ((id = hash_find(&d->by_bytes, hash, &i)) != HASH_NONE)
		if (d->chains.v[id].count == count &&
		    memcmp(d->chains.v[id].bytes, chain->bytes, size) == 0) {
			*ret = id;
			return 0;
		}
	if (!claim_for(d, budget, CHAIN_MEMORY + size))
		return 1;
	*ret = (uint32_t)d->chains.count;
	slot = array_add(&d->chains);
	if (!slot || !hash_add(&d->by_bytes, hash, *ret))
		return -ENOMEM;
	slot->count = count;
	slot->bytes = arena_text(&d->bytes, (const char *)chain->bytes, size);
	return slot->bytes ? 0 : -ENOMEM;
}

static const struct deferred_key *find_deferred(const struct deferred *d, uint32_t tid,
						uint64_t cookie)
{
	uint64_t hash = key_hash(tid, cookie), i = hash_start(hash);
	uint32_t id;

	while ((id = hash_find(&d->by_key, hash, &i)) != HASH_NONE)
		if (d->keys.v[id].tid == tid && d->keys.v[id].cookie == cookie)
			return &d->keys.v[id];
	return NULL;
}

/* One key in the table for each: of many alike each would be put behind all others. */
int deferred_add(struct deferred **d, struct budget *budget,
		 const struct deferred_chain *chain)
{
	struct deferred_key *key;
	uint32_t id;
	int err;

	if (!*d)
		*d = calloc(1, sizeof(**d));
	if (!*d)
		return -ENOMEM;
	if (find_deferred(*d, chain->tid, chain->cookie))
		return 0;
	if (!claim_for(*d, budget, KEY_MEMORY))
		return 1;
	err = intern_chain(*d, budget, chain, &id);
	if (err)
		return err;
	key = array_add(&(*d)->keys);
	if (!key || !hash_add(&(*d)->by_key, key_hash(chain->tid, chain->cookie),
			      (uint32_t)(*d)->keys.count - 1))
		return -ENOMEM;
	*key = (struct deferred_key){ chain->cookie, chain->tid, id };
	return 0;
}

void deferred_free(struct deferred *d)
{
	if (!d)
		return;
	arena_release(&d->bytes);
	array_release(&d->chains);
	array_release(&d->keys);
	hash_release(&d->by_bytes);
	hash_release(&d->by_key);
	claim_release(&d->claim);
	free(d);
}

const uint8_t *deferred_find(const struct deferred *d, uint32_t tid, uint64_t cookie,
			     uint32_t *count)
{
	const struct deferred_key *key = d ? find_deferred(d, tid, cookie) : NULL;

	if (!key)
		return NULL;
	*count = d->chains.v[key->chain].count;
	return (const uint8_t *)d->chains.v[key->chain].bytes;
}
