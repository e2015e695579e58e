/*
 * Where an object has code: what its segments say is executable, as far as the file has
 * bytes, sorted and joined. A segment far away from the first would make tables of pages
 * huge, so what is further than code is ever linked is left out.
 */
#include "elf/code_range.h"

#include <errno.h>
#include <stdlib.h>

static int compare_range_starts(const void *a, const void *b)
{
	const struct code_range *l = a, *r = b;

	return l->start < r->start ? -1 : l->start > r->start;
}

int code_ranges_of(const struct object *o, struct code_ranges *ret)
{
	/* Segments may be aligned to huge pages, and data may lie between. In no case is it
	 * further than 32 bits go, which tables count with. */
	uint64_t apart = ((uint64_t)64 << 20) + 16 * (o->size & UINT32_MAX), most;
	struct code_range *v;
	size_t count = 0;

	*ret = (struct code_ranges){ 0 };
	for (size_t i = 0; i < o->segments.count; i++) {
		const struct segment *s = &o->segments.v[i];
		uint64_t size = s->size;

		if (!s->exec || s->offset >= o->size)
			continue;
		if (size > o->size - s->offset)
			size = o->size - s->offset;
		if (size > UINT64_MAX - s->address)
			continue;
		v = array_add(&ret->list);
		if (!v) {
			code_ranges_release(ret);
			return -ENOMEM;
		}
		*v = (struct code_range){ s->address, s->address + size };
	}
	if (ret->list.count == 0)
		return 0;
	v = ret->list.v;
	qsort(v, ret->list.count, sizeof(*v), compare_range_starts);
	if (o->size > UINT32_MAX || apart > UINT32_MAX)
		apart = UINT32_MAX;
	most = v[0].start > UINT64_MAX - apart ? UINT64_MAX : v[0].start + apart;
	for (size_t i = 0; i < ret->list.count && v[i].start < most; i++) {
		if (v[i].end > most)
			v[i].end = most;
		if (count == 0 || v[i].start > v[count - 1].end)
			v[count++] = v[i];
		else if (v[i].end > v[count - 1].end)
			v[count - 1].end = v[i].end;
	}
	ret->list.count = count;
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
