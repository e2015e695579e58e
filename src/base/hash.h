#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Who writes an input chooses what tables find by hash, and would choose what lies in one place:
 * each search would look at all. So hashes depend on numbers of this process that nobody else
 * knows, and are not the same in the next one: no hash may decide the order or the content of
 * what is written. Chosen before main(), and never changed.
 */
struct hash_secret {
	uint64_t key, odd[2];
	uint8_t bytes[192]; /* XXH3's */
};
extern struct hash_secret hash_secret;

uint64_t hash_bytes(const void *bytes, size_t size);

/* 128 bits: equal ones stand for equal bytes. */
struct hash_wide {
	uint64_t low, high;
};
struct hash_wide hash_bytes_wide(const void *bytes, size_t size);

/* Spreads the bits of a key that is already a number: no two keys have the same hash. */
static inline uint64_t hash_u64(uint64_t key)
{
	key ^= hash_secret.key;
	key ^= key >> 32;
	key *= hash_secret.odd[0];
	key ^= key >> 35;
	key *= hash_secret.odd[1];
	return key ^ key >> 28;
}

/*
 * The hash of a list of numbers, one after the other: of none it is hash_secret.key. The number
 * is multiplied beside the chain of steps, and alone, so that neighbours end far from each other.
 */
static inline uint64_t hash_step(uint64_t hash, uint32_t number)
{
	hash = (hash ^ ((uint64_t)number + 1) * hash_secret.odd[1]) * hash_secret.odd[0];
	return hash ^ hash >> 32;
}

/*
 * Ids found by their hash; the keys lie with the owner, who compares them.
 * Open addressing, at most 2/3 full. A zeroed struct is an empty set.
 *
 *	uint64_t i = hash_start(h);
 *	while ((id = hash_find(&set, h, &i)) != HASH_NONE)
 *		if (owner's key of id equals) ...found...
 */
struct hash_set {
	struct hash_slot {
		uint32_t id; /* + 1; 0 is an empty slot */
		uint32_t tag; /* high half of the hash: most misses end here */
	} * slots;
	size_t mask; /* slots - 1 */
	size_t count;
};

#define HASH_NONE UINT32_MAX

void hash_release(struct hash_set *set);

/* Adds an id that is not in the set. False without memory: nothing changed. */
bool hash_add(struct hash_set *set, uint64_t hash, uint32_t id);

/* Where a search for @hash starts. The tag alone decides: a grown table needs no keys. */
static inline uint64_t hash_start(uint64_t hash)
{
	return hash >> 32;
}

/*
 * The next id whose key may be equal, from slot *@i on, or HASH_NONE. Start with
 * *@i = hash_start(hash); it is moved past the slot found.
 */
static inline uint32_t hash_find(const struct hash_set *set, uint64_t hash, uint64_t *i)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	if (!set->slots)
		return HASH_NONE;
	for (;; ++*i) {
		const struct hash_slot *slot = &set->slots[*i & set->mask];

		if (!slot->id)
			return HASH_NONE;
		if (slot->tag == tag) {
			++*i;
			return slot->id - 1;
		}
	}
}

/*
 * A map from u64 to u32. A zeroed struct is an empty map.
 */
struct hash_map {
	struct hash_entry {
		uint64_t key;
		uint32_t value;
		uint32_t used;
	} * slots;
	size_t mask, count;
};

void hash_map_release(struct hash_map *map);

/* Sets or replaces. False without memory. */
bool hash_map_set(struct hash_map *map, uint64_t key, uint32_t value);

/* The key need not be there. */
void hash_map_remove(struct hash_map *map, uint64_t key);

/* Fetches where a key is, for who asks for it soon. Inline in any case: gcc 12 takes a function that
 * only prefetches for one without effect. */
static inline __attribute__((always_inline)) void
hash_map_fetch(const struct hash_map *map, uint64_t key)
{
	if (map->slots)
		__builtin_prefetch(&map->slots[hash_u64(key) & map->mask]);
}

/* NULL where the key is not there; valid until the next set. */
static inline uint32_t *hash_map_get(const struct hash_map *map, uint64_t key)
{
	if (!map->slots)
		return NULL;
	for (uint64_t i = hash_u64(key);; i++) {
		struct hash_entry *e = &map->slots[i & map->mask];

		if (!e->used)
			return NULL;
		if (e->key == key)
			return &e->value;
	}
}

#endif
