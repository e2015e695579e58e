/*
 * A segment tree without pointers, over pieces: the leaf of piece p is node pieces + p,
 * the parent of node n is n / 2, the root is 1. Its notes lie in one array, in the order
 * of nodes: maps are gone through twice, to count and then to place them, and so come
 * out ascending in each node. A question bisects the notes of O(log n) nodes.
 *
 * The first question makes the index; of several threads that do so at once, the first
 * one's stays. Maps that were added since are looked at one by one, until they are an
 * eighth of those in it, and TAIL more. A space of few maps has no index.
 *
 *	pieces        0       1       2       3
 *	leaves    |   4   |   5   |   6   |   7   |
 *	          |       2       |       3       |
 *	root      |               1               |
 *
 * A map over pieces 1 to 3 is noted at nodes 5 and 3: at most two nodes of each level.
 */
#include "process/maps.h"

#include <stdlib.h>

enum {
	FEW = 8, /* not worth an index */
	TAIL = 32, /* maps that may be missing in it */
};

struct maps_index {
	size_t maps; /* how many are in it; later ones are looked at one by one */
	uint64_t *cuts; /* sorted; piece i is from cuts[i] to cuts[i + 1] */
	size_t pieces;
	uint32_t *first; /* of the notes of node i: first[i] to first[i + 1] */
	uint32_t *notes; /* map numbers, ascending in each node */
};

static void index_free(struct maps_index *ix)
{
	if (!ix)
		return;
	free(ix->cuts);
	free(ix->first);
	free(ix->notes);
	free(ix);
}

void maps_release(struct maps *m)
{
	index_free(atomic_load(&m->index));
	atomic_store(&m->index, NULL);
	array_release(&m->list);
}

/* Epochs grow from map to map, so maps of one time stay in the order in which they
 * came. */
static int compare_maps(const void *a, const void *b)
{
	const struct map *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->epoch < y->epoch ? -1 : x->epoch > y->epoch;
}

void maps_sort(struct maps *m)
{
	index_free(atomic_load(&m->index));
	atomic_store(&m->index, NULL);
	if (m->list.count > 1)
		qsort(m->list.v, m->list.count, sizeof(*m->list.v), compare_maps);
}

size_t maps_at(const struct maps *m, uint64_t time)
{
	size_t low = 0, high = m->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->list.v[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The last cut at or below @address; the caller knows that there is one. */
static size_t piece_of(const struct maps_index *ix, uint64_t address)
{
	size_t low = 0, high = ix->pieces;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (ix->cuts[middle] <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/*
 * Notes the map at each of its nodes: leaves are pieces + piece, the root is 1. @at
 * counts the notes of each node in the first pass. In the second it is where the node's
 * next note goes, and @notes has them all.
 */
static void note(const struct maps_index *ix, const struct map *map, uint32_t number,
		 uint32_t *at, uint32_t *notes)
{
	size_t left = piece_of(ix, map->start) + ix->pieces;
	size_t right = piece_of(ix, map->end - 1) + 1 + ix->pieces;

	for (; left < right; left /= 2, right /= 2) {
		if (left & 1) {
			if (notes)
				notes[at[left]] = number;
			at[left++]++;
		}
		if (right & 1) {
			right--;
			if (notes)
				notes[at[right]] = number;
			at[right]++;
		}
	}
}

static bool fill(struct maps_index *ix, const struct maps *m)
{
	size_t nodes = 2 * ix->pieces;
	uint32_t *at = calloc(nodes + 1, sizeof(*at));
	uint64_t sum = 0;

	ix->first = calloc(nodes + 1, sizeof(*ix->first));
	if (!at || !ix->first) {
		free(at);
		return false;
	}
	for (size_t i = 0; i < ix->maps; i++)
		note(ix, &m->list.v[i], (uint32_t)i, at, NULL);
	for (size_t i = 0; i < nodes; i++) {
		uint32_t count = at[i];

		ix->first[i] = at[i] = (uint32_t)sum;
		sum += count;
	}
	ix->first[nodes] = (uint32_t)sum;
	ix->notes = sum <= UINT32_MAX ? malloc(sum * sizeof(*ix->notes)) : NULL;
	for (size_t i = 0; ix->notes && i < ix->maps; i++)
		note(ix, &m->list.v[i], (uint32_t)i, at, ix->notes);
	free(at);
	return ix->notes;
}

static struct maps_index *make_index(const struct maps *m)
{
	struct maps_index *ix = calloc(1, sizeof(*ix));
	size_t n = 0, kept = 0;

	if (!ix)
		return NULL;
	ix->maps = m->list.count;
	ix->cuts = malloc(2 * ix->maps * sizeof(*ix->cuts));
	for (size_t i = 0; ix->cuts && i < ix->maps; i++) {
		ix->cuts[n++] = m->list.v[i].start;
		ix->cuts[n++] = m->list.v[i].end;
	}
	if (ix->cuts)
		qsort(ix->cuts, n, sizeof(*ix->cuts), compare_u64);
	for (size_t i = 0; i < n; i++)
		if (!kept || ix->cuts[i] != ix->cuts[kept - 1])
			ix->cuts[kept++] = ix->cuts[i];
	ix->pieces = kept - 1;
	if (ix->cuts && fill(ix, m))
		return ix;
	index_free(ix);
	return NULL;
}

/*
 * Several threads may make it at once; the first one's stays. Where maps were added since
 * (then only one thread asks) it is made again once they are many.
 */
static const struct maps_index *get_index(struct maps *m)
{
	struct maps_index *ix = atomic_load(&m->index), *none = NULL;

	if (ix && m->list.count - ix->maps <= TAIL + ix->maps / 8)
		return ix;
	if (ix) {
		atomic_store(&m->index, NULL);
		index_free(ix);
	}
	ix = make_index(m);
	if (!ix || atomic_compare_exchange_strong(&m->index, &none, ix))
		return ix;
	index_free(ix);
	return none;
}

/* The last of the maps from @from on and below @n. */
static const struct map *look_at_each(const struct maps *m, size_t from, size_t n,
				      uint64_t address)
{
	while (n-- > from)
		if (address >= m->list.v[n].start && address < m->list.v[n].end)
			return &m->list.v[n];
	return NULL;
}

static const struct map *look_up(const struct maps *m, const struct maps_index *ix,
				 size_t n, uint64_t address)
{
	int64_t best = -1;

	if (address < ix->cuts[0] || address >= ix->cuts[ix->pieces])
		return NULL;
	for (size_t node = piece_of(ix, address) + ix->pieces; node >= 1; node /= 2) {
		uint32_t begin = ix->first[node], low = begin, high = ix->first[node + 1];

		/* The newest of the node's notes that is below @n, if there is one. */
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;

			if (ix->notes[middle] < n)
				low = middle + 1;
			else
				high = middle;
		}
		if (low > begin && ix->notes[low - 1] > best)
			best = ix->notes[low - 1];
	}
	return best < 0 ? NULL : &m->list.v[best];
}

const struct map *maps_find(struct maps *m, size_t n, uint64_t address)
{
	const struct maps_index *ix = n <= FEW ? NULL : get_index(m);
	const struct map *late;

	/* Few maps, or no memory for the index: looking at each is slower and finds the
	 * same. */
	if (!ix)
		return look_at_each(m, 0, n, address);
	late = look_at_each(m, ix->maps, n, address);
	return late ? late : look_up(m, ix, n, address);
}

void maps_forget(struct maps *m, uint64_t time)
{
	/* Maps that are newer than @time all stay. Without memory to find out what is
	 * covered, nothing is dropped. */
	size_t n = maps_at(m, time), kept = 0;
	struct maps_index *ix = n > FEW ? make_index(m) : NULL;
	bool *seen = ix ? calloc(n, sizeof(*seen)) : NULL;

	for (size_t i = 0; seen && i < n; i++) {
		const struct map *map = &m->list.v[i];
		size_t piece = piece_of(ix, map->start);

		/* Is it still the map of some of its addresses, for the first @n? Starts of
		 * pieces are enough, as no map begins or ends inside of a piece. */
		for (; !seen[i] && piece < ix->pieces && ix->cuts[piece] < map->end;
		     piece++)
			seen[i] = look_up(m, ix, n, ix->cuts[piece]) == map;
	}
	for (size_t i = 0; seen && i < m->list.count; i++)
		if (i >= n || seen[i])
			m->list.v[kept++] = m->list.v[i];
	if (seen)
		m->list.count = kept;
	free(seen);
	index_free(ix);
	index_free(atomic_exchange(&m->index, NULL));
}
