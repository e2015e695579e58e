/*
 * Where an object has code: what its segments say is executable, as far as the file has
 * bytes, sorted and joined. A segment far away from the first would make tables of pages
 * huge, so what is further than code is ever linked is left out.
 */
#include "elf/code_range.h"

#include <errno.h>
#include <stdlib.h>

/* Segments may be aligned to huge pages, and data may lie between. In no case further
 * than 32 bits go, which tables count with. */
static uint64_t most_apart(const struct object *o)
{
	uint64_t apart = ((uint64_t)64 << 20) + 16 * (o->size & UINT32_MAX);

	return o->size > UINT32_MAX || apart > UINT32_MAX ? UINT32_MAX : apart;
}

static int compare_range_starts(const void *a, const void *b)
{
	const struct code_range *l = a, *r = b;

	return l->start < r->start ? -1 : l->start > r->start;
}

static int add_segment_code(struct code_ranges *r, const struct object *o,
			    const struct segment *s)
{
	struct code_range *range;
	uint64_t size = s->size;

	if (!s->exec || s->offset >= o->size)
		return 0;
	if (size > o->size - s->offset)
		size = o->size - s->offset;
	if (size > UINT64_MAX - s->address)
		return 0;
	range = array_add(&r->list);
	if (!range)
		return -ENOMEM;
	*range = (struct code_range){ s->address, s->address + size };
	return 0;
}

static void join_ranges(struct code_ranges *r, uint64_t apart)
{
	struct code_range *v = r->list.v;
	uint64_t most = v[0].start > UINT64_MAX - apart ? UINT64_MAX : v[0].start + apart;
	size_t count = 0;

	for (size_t i = 0; i < r->list.count && v[i].start < most; i++) {
		if (v[i].end > most)
			v[i].end = most;
		if (count > 0 && v[i].start <= v[count - 1].end) {
			if (v[i].end > v[count - 1].end)
				v[count - 1].end = v[i].end;
		} else {
			v[count++] = v[i];
		}
	}
	r->list.count = count;
}

int code_ranges_of(const struct object *o, struct code_ranges *ret)
{
	*ret = (struct code_ranges){ 0 };
	for (size_t i = 0; i < o->segments.count; i++)
		if (add_segment_code(ret, o, &o->segments.v[i]) < 0) {
			code_ranges_release(ret);
			return -ENOMEM;
		}
	if (ret->list.count == 0)
		return 0;
	qsort(ret->list.v, ret->list.count, sizeof(*ret->list.v), compare_range_starts);
	join_ranges(ret, most_apart(o));
	return 0;
}

void code_ranges_release(struct code_ranges *r)
{
	array_release(&r->list);
}

bool code_ranges_clip(const struct code_ranges *r, uint64_t start, uint64_t *end)
{
	size_t low = 0, high = r->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->list.v[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->list.count || r->list.v[low].start > start)
		return false;
	if (*end > r->list.v[low].end)
		*end = r->list.v[low].end;
	return true;
}
