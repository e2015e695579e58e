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
};

static uint64_t key_hash(uint32_t tid, uint64_t cookie)
{
	return hash_u64(cookie ^ hash_u64(tid));
}

static int intern_chain(struct deferred *d, const uint8_t *chain, uint32_t count,
			uint32_t *ret)
{
	size_t size = 8 * (size_t)count;
	uint64_t hash = hash_bytes(chain, size), i = hash_start(hash);
	struct chain_text *slot;
	uint32_t id;

	while ((id = hash_find(&d->by_bytes, hash, &i)) != HASH_NONE)
		if (d->chains.v[id].count == count &&
		    memcmp(d->chains.v[id].bytes, chain, size) == 0) {
			*ret = id;
			return 0;
		}
	*ret = (uint32_t)d->chains.count;
	slot = array_add(&d->chains);
	if (!slot || !hash_add(&d->by_bytes, hash, *ret))
		return -ENOMEM;
	slot->count = count;
	slot->bytes = arena_text(&d->bytes, (const char *)chain, size);
	return slot->bytes ? 0 : -ENOMEM;
}

static const struct deferred_key *find_key(const struct deferred *d, uint32_t tid,
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
int deferred_add(struct deferred **d, uint32_t tid, uint64_t cookie, const uint8_t *chain,
		 uint64_t count)
{
	struct deferred_key *key;
	uint32_t id;

	if (!*d)
		*d = calloc(1, sizeof(**d));
	if (!*d)
		return -ENOMEM;
	if (find_key(*d, tid, cookie))
		return 0;
	if (intern_chain(*d, chain, (uint32_t)count, &id) < 0)
		return -ENOMEM;
	key = array_add(&(*d)->keys);
	if (!key || !hash_add(&(*d)->by_key, key_hash(tid, cookie),
			      (uint32_t)(*d)->keys.count - 1))
		return -ENOMEM;
	*key = (struct deferred_key){ cookie, tid, id };
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
	free(d);
}

const uint8_t *deferred_find(const struct deferred *d, uint32_t tid, uint64_t cookie,
			     uint32_t *count)
{
	const struct deferred_key *key = d ? find_key(d, tid, cookie) : NULL;

	if (!key)
		return NULL;
	*count = d->chains.v[key->chain].count;
	return (const uint8_t *)d->chains.v[key->chain].bytes;
}
