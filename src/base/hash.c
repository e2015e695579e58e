/*
 * Linear probing in a power of two of slots, doubled at 2/3. A set keeps half of each
 * hash in its slots and starts a search by that half alone, so it grows without asking
 * the owner for the keys. A map has no marks for what was removed: entries behind a hole
 * move into it, as long as that does not take them in front of the slot where their
 * search starts (Knuth, TAOCP 3, 6.4, algorithm R).
 *
 * The secret is the kernel's random numbers: XXH3 takes its own from bytes given to it, and
 * numbers are multiplied by odd ones, which loses nothing of them.
 */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <xxhash.h>

enum {
	FIRST_SLOTS = 64,
	BEFORE_OTHERS = 101, /* constructors without a number may use tables already */
};

struct hash_secret hash_secret;

static __attribute__((constructor(BEFORE_OTHERS))) void choose_secret(void)
{
	const void *start = (const void *)getauxval(AT_RANDOM); /* 16 bytes */
	uint64_t word;
	bool chosen = getrandom(&hash_secret, sizeof(hash_secret), GRND_NONBLOCK) ==
		      (ssize_t)sizeof(hash_secret);

	/* In a sandbox, or while a machine begins, there may be only what the kernel gave the process. */
	for (size_t i = 0; !chosen && start && i < sizeof(hash_secret) / sizeof(word);
	     i++) {
		word = XXH3_64bits_withSeed(start, 16, i);
		memcpy((char *)&hash_secret + i * sizeof(word), &word, sizeof(word));
	}
	/* Odd: then multiplying by them loses nothing. */
	hash_secret.odd[0] |= 1;
	hash_secret.odd[1] |= 1;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	return XXH3_64bits_withSecret(bytes, size, hash_secret.bytes,
				      sizeof(hash_secret.bytes));
}

struct hash_wide hash_bytes_wide(const void *bytes, size_t size)
{
	XXH128_hash_t h = XXH3_128bits_withSecret(bytes, size, hash_secret.bytes,
						  sizeof(hash_secret.bytes));

	return (struct hash_wide){ h.low64, h.high64 };
}

void hash_release(struct hash_set *set)
{
	free(set->slots);
	*set = (struct hash_set){ 0 };
}

static void place_slot(struct hash_set *set, struct hash_slot slot, uint64_t i)
{
	while (set->slots[i & set->mask].id)
		i++;
	set->slots[i & set->mask] = slot;
}

static bool set_grow(struct hash_set *set)
{
	size_t room = set->slots ? (set->mask + 1) * 2 : FIRST_SLOTS;
	struct hash_set bigger = { .mask = room - 1, .count = set->count };

	bigger.slots = calloc(room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; set->slots && i <= set->mask; i++)
		if (set->slots[i].id)
			place_slot(&bigger, set->slots[i], set->slots[i].tag);
	free(set->slots);
	*set = bigger;
	return true;
}

bool hash_add(struct hash_set *set, uint64_t hash, uint32_t id)
{
	if (!set->slots || set->count >= (set->mask + 1) / 3 * 2)
		if (!set_grow(set))
			return false;
	place_slot(set, (struct hash_slot){ id + 1, (uint32_t)(hash >> 32) },
		   hash_start(hash));
	set->count++;
	return true;
}

void hash_map_release(struct hash_map *map)
{
	free(map->slots);
	*map = (struct hash_map){ 0 };
}

static struct hash_entry *map_slot(const struct hash_map *map, uint64_t key)
{
	uint64_t i = hash_u64(key);

	while (map->slots[i & map->mask].used && map->slots[i & map->mask].key != key)
		i++;
	return &map->slots[i & map->mask];
}

static bool map_grow(struct hash_map *map)
{
	size_t room = map->slots ? (map->mask + 1) * 2 : FIRST_SLOTS;
	struct hash_map bigger = { .mask = room - 1, .count = map->count };

	bigger.slots = calloc(room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].used)
			*map_slot(&bigger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = bigger;
	return true;
}

bool hash_map_set(struct hash_map *map, uint64_t key, uint32_t value)
{
	struct hash_entry *e;

	if (!map->slots || map->count >= (map->mask + 1) / 3 * 2)
		if (!map_grow(map))
			return false;
	e = map_slot(map, key);
	map->count += !e->used;
	*e = (struct hash_entry){ key, value, 1 };
	return true;
}

/* What follows a removed entry moves up, so that searches do not end too early. */
void hash_map_remove(struct hash_map *map, uint64_t key)
{
	struct hash_entry *hole = map->slots ? map_slot(map, key) : NULL;
	size_t at, next;

	if (!hole || !hole->used)
		return;
	at = (size_t)(hole - map->slots);
	for (next = (at + 1) & map->mask; map->slots[next].used;
	     next = (next + 1) & map->mask) {
		size_t home = hash_u64(map->slots[next].key) & map->mask;

		if (((next - home) & map->mask) < ((next - at) & map->mask))
			continue;
		map->slots[at] = map->slots[next];
		at = next;
	}
	map->slots[at] = (struct hash_entry){ 0 };
	map->count--;
}
