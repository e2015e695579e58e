/*
 * Lines of perf-PID.map that were written over code which had run are code of the timeline,
 * as that of a jitdump is: each has an image that brings the name, from its time on. What
 * ran before is named by the map itself; the list of such lines tells which of it is too
 * late for that.
 */
#include <errno.h>

#include "process/keep.h"
#include "process/map_tail.h"
#include "process/timeline.h"

int add_map_line(struct processes *ps, struct address_space *space,
		 const struct record *rec, uint32_t image)
{
	const struct map *known;
	struct map_line *line;
	struct map *map;

	if (ps->images->lines.count >= MAP_LINES_MOST && ps->images->dirs)
		budget_refuse(ps->images->dirs->budget, "lines over older ones",
			      "maps of runtimes");
	if (ps->images->lines.count >= MAP_LINES_MOST ||
	    rec->size > UINT64_MAX - rec->start)
		return 0;
	line = array_add(&ps->images->lines);
	if (!line)
		return -ENOMEM;
	/*
	 * The record of a line has the line's offset in the file for an inode. It is
	 * noted even where it says nothing new: who reads the map has to know all that
	 * are late.
	 */
	*line = (struct map_line){ rec->pid, rec->time, rec->ino, rec->start,
				   rec->start + rec->size };
	if (image == IMAGE_ID_UNKNOWN)
		return 0;
	/* Some runtimes write all of it again and again. */
	known = maps_find(&space->codes, space->codes.list.count, rec->start);
	if (known && known->image == image && known->start == rec->start &&
	    known->end == rec->start + rec->size)
		return 0;
	map = array_add(&space->codes.list);
	if (!map)
		return -ENOMEM;
	*map = (struct map){ .time = rec->time,
			     .start = rec->start,
			     .end = rec->start + rec->size,
			     .image = image,
			     .executable = 1 };
	put_code_in_order(ps, space, space->codes.list.count - 1);
	return 0;
}

static int compare_later(const void *a, const void *b)
{
	const struct perf_map_later *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

int images_later_lines(const struct images *im, uint32_t image, int fd,
		       struct perf_map_question *ret)
{
	uint32_t owner = im->list.v[image].owner;
	const struct kept_maps *kept = images_kept_maps(im);
	const struct kept_map *map = kept ? kept_maps_find(kept, im, image) : NULL;
	struct perf_map_later *later;
	size_t count = 0;
	uint64_t time = 0;
	uint32_t turn = 0;

	if (im->as_perf)
		return 0;
	if (map)
		ret->until = map_tail_until(map, fd);
	for (size_t i = 0; i < im->lines.count; i++)
		count += im->lines.v[i].owner == owner;
	if (count == 0)
		return 0;
	later = malloc(count * sizeof(*later));
	if (!later)
		return -ENOMEM;
	/* Lines are in time order; a map that was written anew may have lower offsets. */
	for (size_t i = 0, n = 0; i < im->lines.count; i++) {
		const struct map_line *line = &im->lines.v[i];

		if (line->owner != owner)
			continue;
		turn += turn == 0 || line->time != time;
		time = line->time;
		later[n++] = (struct perf_map_later){ line->offset, line->start,
						      line->end, turn };
	}
	qsort(later, count, sizeof(*later), compare_later);
	ret->later = later;
	ret->later_count = count;
	/* Those that had no room in the list are not older than the last that had. */
	if (im->lines.count >= MAP_LINES_MOST &&
	    (!ret->until || later[count - 1].offset < ret->until))
		ret->until = later[count - 1].offset;
	return 0;
}
