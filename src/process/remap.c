/*
 * Programs move their own text to huge pages: they copy it to anonymous memory and put
 * that where the text was (iodlr, BOLT's and HHVM's hugify, node --use-largepages). The
 * addresses are as they were, but the recorder sees anonymous executable memory, which is
 * otherwise code that a runtime made.
 *
 *	file     |---- text --------------------------------|
 *	remap        |==== anonymous, whole huge pages ====|
 *
 * What tells one from the other: the new map lies inside of one executable map of a file,
 * and both its ends are those of a huge page. A runtime gets its memory from the kernel,
 * which never gives out what is mapped. But a library may have been unloaded, which is not
 * recorded, and code made later may lie where its text was. So of a library all whole huge
 * pages have to be moved at once, as those do that move a library's text; the program itself
 * stays, and may move a part (what is hot).
 */
#include <errno.h>

#include "process/timeline.h"

#define HUGE_PAGE ((uint64_t)1 << 21)

enum { MAPS_MOST = 1024 /* looked at: a program moves its text when it begins */ };

static bool is_huge(uint64_t start, uint64_t end)
{
	return start % HUGE_PAGE == 0 && end % HUGE_PAGE == 0 && start < end;
}

static bool is_anonymous(const struct processes *ps, const struct record *rec)
{
	static const char *const names[] = { "//anon", "[anon:", "/anon_hugepage",
					     "[heap]" };
	const char *name = intern_text(ps->strings, rec->name);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The newest map that has some of the addresses; NULL where it is none of the newest. */
static const struct map *find_overlap(const struct processes *ps,
				      const struct address_space *space, uint64_t start,
				      uint64_t end)
{
	size_t n = space->maps.list.count;

	for (size_t left = MAPS_MOST; left > 0; left--) {
		const struct map *map;

		if (n == 0 && space->parent == NONE)
			return NULL;
		if (n == 0) {
			n = space->parent_maps;
			space = &ps->spaces.v[space->parent];
			continue;
		}
		map = &space->maps.list.v[--n];
		if (map->start < end && start < map->end)
			return map;
	}
	return NULL;
}

static bool is_text(const struct processes *ps, const struct map *map)
{
	return map->executable && ps->images->list.v[map->image].kind == IMAGE_FILE;
}

/* The recorder names the program first: it is mapped first, or lies at the lowest address. */
static bool is_program(const struct processes *ps, const struct address_space *space,
		       uint32_t image)
{
	size_t n = space->maps.list.count;

	for (int i = 0; space->parent != NONE && i < ANCESTORS_MOST; i++) {
		n = space->parent_maps;
		space = &ps->spaces.v[space->parent];
	}
	for (size_t i = 0; i < n && i < MAPS_MOST; i++)
		if (is_text(ps, &space->maps.list.v[i]))
			return space->maps.list.v[i].image == image;
	return false;
}

bool is_moved_text(const struct processes *ps, const struct address_space *space,
		   const struct record *rec)
{
	const struct map *map;
	uint64_t end;

	if (__builtin_add_overflow(rec->start, rec->size, &end) ||
	    !is_huge(rec->start, end) || !is_anonymous(ps, rec))
		return false;
	map = find_overlap(ps, space, rec->start, end);
	if (!map || !is_text(ps, map) || map->start > rec->start || end > map->end)
		return false;
	/* Where less than a huge page is left at either end, no whole one was left out. */
	return (rec->start - map->start < HUGE_PAGE && map->end - end < HUGE_PAGE) ||
	       is_program(ps, space, map->image);
}

/* The file needs as many bytes before the text that is left as the moved part has. */
static bool is_moved_part(const struct processes *ps, const struct map *map,
			  const struct map *behind)
{
	uint64_t offset = behind->start + behind->shift;

	return map->end == behind->start && map->executable &&
	       is_huge(map->start, map->end) && map->end - map->start <= offset &&
	       ps->images->list.v[map->image].kind == IMAGE_ANON;
}

/*
 * Where a recorder finds it done, the maps are listed by address: moved text, then what is
 * left of the text. Below the text of a file lie other parts of it, and those that lay
 * there are gone: nothing else is mapped between the parts of a file.
 *
 *	listed    |==== anonymous ====|-- text of the file, offset > 0 --|
 *	added     |-- same file, from a lower offset on --|
 */
int rejoin_moved_text(struct processes *ps, struct address_space *space)
{
	size_t n = space->maps.list.count;
	struct map joined, *map;

	if (n < 2)
		return 0;
	joined = *array_last(&space->maps.list);
	if (!is_text(ps, &joined))
		return 0;
	while (--n > 0 && is_moved_part(ps, &space->maps.list.v[n - 1], &joined)) {
		joined.end = joined.start;
		joined.start = space->maps.list.v[n - 1].start;
		joined.epoch = ++ps->epochs;
		map = array_add(&space->maps.list);
		if (!map)
			return -ENOMEM;
		*map = joined;
		lay_out(ps, space, map);
	}
	return 0;
}
