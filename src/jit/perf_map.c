/*
 * A line is kept if it covers one of the addresses, which a binary search in the sorted list tells. A runtime
 * may write the same range again and again, so whenever the kept lines have doubled they are painted, the
 * newest first, and those that nothing is seen of are dropped: what is in memory depends on the
 * addresses, not on the file. Lines that are known to be later than what is asked about are painted
 * last, those of the earliest time first: they have what nobody else names.
 */
#include "jit/perf_map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cover.h"

enum {
	ROOM = 1 << 20, /* bytes read at once */
	/* Lines that are kept before those are dropped that later ones have covered. */
	KEPT_MOST = 1 << 16,
	NAMES_MOST = 16 << 20, /* likewise, bytes of their names */
};

struct map_reader {
	const uint64_t *addresses;
	size_t count;
	const struct perf_map_question *question;
	size_t later; /* of the question's: those before are behind the reader */
	struct perf_map *map;
	struct budget *budget;
	size_t settled; /* entries that were left when covered ones were last dropped */
	size_t settled_names;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and the blanks behind it; false where it is none, or too large. */
static bool read_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at, *first;
	uint64_t value = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x' && digit(p[2]) >= 0)
		p += 2;
	for (first = p; p < end && digit(*p) >= 0; p++) {
		/* One digit more would not fit. */
		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit(*p);
	}
	if (p == first || p == end || !is_blank(*p))
		return false;
	while (p < end && is_blank(*p))
		p++;
	*at = p;
	*ret = value;
	return true;
}

bool perf_map_line(const char *line, size_t length, struct perf_map_entry *ret,
		   const char **name, size_t *size)
{
	const char *p = line, *end = line + length;
	uint64_t bytes;

	while (p < end && is_blank(*p))
		p++;
	if (end > p && end[-1] == '\r')
		end--;
	if (!read_hex(&p, end, &ret->start) || !read_hex(&p, end, &bytes) || p == end ||
	    bytes == 0)
		return false;
	if (__builtin_add_overflow(ret->start, bytes, &ret->end))
		ret->end = UINT64_MAX;
	*name = p;
	*size = (size_t)(end - p);
	return ret->start < ret->end;
}

/* Those of one time, which are the only later ones from @first to @end. */
static void paint_turn(struct cover *cover, const struct perf_map *map, size_t first,
		       size_t end)
{
	for (size_t e = end; e-- > first;)
		if (map->list.v[e].turn)
			cover_add(cover, map->list.v[e].start, map->list.v[e].end,
				  (uint32_t)e);
}

/* The last entry first: it takes the addresses it covers from all before it. */
static int paint(struct map_reader *r)
{
	struct perf_map *map = r->map;
	struct cover cover;
	size_t first = 0;

	if (cover_begin(&cover, r->addresses, r->count, map->of_address) < 0)
		return -ENOMEM;
	for (size_t e = map->list.count; e-- > 0;)
		if (!map->list.v[e].turn)
			cover_add(&cover, map->list.v[e].start, map->list.v[e].end,
				  (uint32_t)e);
	for (size_t e = 0; e < map->list.count; e++) {
		uint32_t turn = map->list.v[e].turn;

		if (!turn || turn == map->list.v[first].turn)
			continue;
		paint_turn(&cover, map, first, e);
		first = e;
	}
	paint_turn(&cover, map, first, map->list.count);
	cover_release(&cover);
	return 0;
}

/* Paints, and keeps only what is seen of that. The names stay in the file's order, too. */
static int settle_entries(struct map_reader *r)
{
	struct perf_map *map = r->map;
	uint32_t *kept_as = calloc(map->list.count + 1, sizeof(*kept_as));
	size_t kept = 0, used = 0;

	if (!kept_as || paint(r) < 0) {
		free(kept_as);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->count; i++)
		kept_as[map->of_address[i]] = 1;
	for (size_t e = 0; e < map->list.count; e++) {
		struct perf_map_entry entry = map->list.v[e];
		size_t size;

		if (!kept_as[e + 1])
			continue;
		size = strlen(map->names.bytes + entry.name) + 1;
		/* Names only move forward, over those that went, and so do entries. */
		memmove(map->names.bytes + used, map->names.bytes + entry.name, size);
		entry.name = used;
		used += size;
		map->list.v[kept++] = entry;
		kept_as[e + 1] = (uint32_t)kept;
	}
	kept_as[0] = 0;
	for (size_t i = 0; i < r->count; i++)
		map->of_address[i] = kept_as[map->of_address[i]];
	claim_settle(&map->claim, r->budget, 2 * (kept * sizeof(*map->list.v) + used));
	map->list.count = r->settled = kept;
	map->names.size = r->settled_names = used;
	free(kept_as);
	return 0;
}

static int add_map_entry(struct map_reader *r, const struct perf_map_entry *entry,
			 const char *name, size_t size)
{
	struct perf_map *map = r->map;
	struct perf_map_entry *slot;

	if (size > PERF_MAP_NAME_MOST)
		size = PERF_MAP_NAME_MOST;
	if (map->list.count > 2 * r->settled + KEPT_MOST ||
	    map->names.size > 2 * r->settled_names + NAMES_MOST)
		if (settle_entries(r) < 0)
			return -ENOMEM;
	/* Arrays are twice as long as they have to be, and what is dropped is still claimed. */
	if (!claim_add(&map->claim, r->budget, 2 * (sizeof(*slot) + size))) {
		map->cut = true;
		return 0;
	}
	slot = array_add(&map->list);
	if (!slot)
		return -ENOMEM;
	*slot = *entry;
	slot->name = map->names.size;
	text_add(&map->names, name, size);
	text_char(&map->names, '\0');
	if (map->names.failed)
		return -ENOMEM;
	/* A NUL in it would end it. */
	for (char *p = map->names.bytes + slot->name; size > 0; p++, size--)
		if (*p == '\0')
			*p = '?';
	return 0;
}

static int take_map_line(void *arg, const char *line, size_t length, uint64_t offset)
{
	struct map_reader *r = arg;
	const struct perf_map_question *q = r->question;
	const struct perf_map_later *later;
	struct perf_map_entry entry;
	const char *name;
	size_t size, at;

	if (!perf_map_line(line, length, &entry, &name, &size)) {
		r->map->ignored++;
		return 0;
	}
	r->map->entries++;
	at = cover_first(r->addresses, r->count, entry.start);
	if (at == r->count || r->addresses[at] >= entry.end)
		return 0;
	/* Lines come in the order of their offsets. */
	while (r->later < q->later_count && q->later[r->later].offset < offset)
		r->later++;
	later = r->later < q->later_count ? &q->later[r->later] : NULL;
	entry.turn = 0;
	if (q->until && offset > q->until)
		entry.turn = UINT32_MAX; /* behind all that have a turn: painted last */
	else if (later && later->offset == offset && later->start == entry.start &&
		 later->end == entry.end)
		entry.turn = later->turn;
	return add_map_entry(r, &entry, name, size);
}

/* What is read of the file, and what has been taken of that. */
struct map_stream {
	int fd;
	uint64_t offset, until;
	char *bytes;
	size_t size;
	bool inside; /* of a line whose beginning was taken, or is not there */
	int error; /* of the read that ended it */
	perf_map_take *take;
	void *arg;
};

/* @line, which ends before @behind. */
static int take_piece(struct map_stream *in, const char *line, size_t length,
		      const char *behind)
{
	uint64_t left = (uint64_t)(in->bytes + in->size - behind);

	return in->inside ? 0 : in->take(in->arg, line, length, in->offset - left);
}

/* All whole lines of what is in memory; what is left goes to the front. */
static int take_whole_lines(struct map_stream *in)
{
	char *p = in->bytes, *end = in->bytes + in->size, *stop;
	int err = 0;

	while (err == 0 && (stop = memchr(p, '\n', (size_t)(end - p)))) {
		err = take_piece(in, p, (size_t)(stop - p), stop + 1);
		in->inside = false;
		p = stop + 1;
	}
	/* A line that is longer than the memory counts by its beginning: its name is cut anyway. */
	if (err == 0 && p == in->bytes && in->size == ROOM) {
		err = take_piece(in, p, in->size, end);
		in->inside = true;
		p = end;
	}
	in->size = (size_t)(end - p);
	memmove(in->bytes, p, in->size);
	return err;
}

/* Until @cut, which others may set, is true; NULL: nobody does. */
static int read_map_lines(struct map_stream *in, const bool *cut)
{
	int err = 0;

	while (err == 0 && in->offset < in->until && !(cut && *cut)) {
		size_t room = ROOM - in->size;
		ssize_t got;

		if (room > in->until - in->offset)
			room = (size_t)(in->until - in->offset);
		got = pread(in->fd, in->bytes + in->size, room, (off_t)in->offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			in->error = errno;
		if (got <= 0)
			break;
		in->offset += (uint64_t)got;
		in->size += (size_t)got;
		err = take_whole_lines(in);
	}
	return err;
}

int perf_map_each(int fd, uint64_t *from, uint64_t until, perf_map_take *take, void *arg)
{
	struct map_stream in = {
		.fd = fd, .offset = *from, .until = until, .take = take, .arg = arg
	};
	int err;

	in.bytes = malloc(ROOM);
	if (!in.bytes)
		return -ENOMEM;
	err = read_map_lines(&in, NULL);
	/* What is left is a line without its end: the next call begins with it. */
	*from = in.offset - in.size;
	free(in.bytes);
	return err;
}

int perf_map_read(int fd, const struct perf_map_question *question, struct budget *budget,
		  struct perf_map *ret)
{
	struct perf_map map = { 0 };
	struct map_reader r = { .addresses = question->addresses,
				.count = question->count,
				.question = question,
				.map = &map,
				.budget = budget };
	struct map_stream in = { .fd = fd, .take = take_map_line, .arg = &r };
	struct stat st;
	int err = r.count < UINT32_MAX ? 0 : -ENOMEM;

	if (err == 0) {
		in.bytes = malloc(ROOM);
		map.of_address = calloc(r.count + 1, sizeof(*map.of_address));
		if (!in.bytes || !map.of_address)
			err = -ENOMEM;
	}
	/* Of a file that is too long the end counts, from the first whole line on. */
	if (fstat(fd, &st) == 0 && st.st_size > PERF_MAP_MOST) {
		in.offset = map.skipped = (uint64_t)st.st_size - PERF_MAP_MOST;
		in.inside = true;
	}
	/* One that grows while it is read has an end all the same. */
	in.until = in.offset + PERF_MAP_MOST;
	if (err == 0) {
		err = read_map_lines(&in, &map.cut);
		map.error = in.error;
	}
	if (err == 0)
		err = settle_entries(&r);
	free(in.bytes);
	if (err < 0) {
		perf_map_release(&map);
		return err;
	}
	*ret = map;
	return 0;
}

void perf_map_release(struct perf_map *m)
{
	array_release(&m->list);
	text_release(&m->names);
	free(m->of_address);
	claim_release(&m->claim);
	*m = (struct perf_map){ 0 };
}
