/*
 * What is written to the perf-PID.map of a process while that is sampled has a time: that at which the
 * file had got longer. Mostly it does not matter, for a line names code that nobody has seen so far, or
 * code that ran before its runtime said so. But where code ran that an older line names, and was freed,
 * the line is about what comes from then on:
 *
 *	map       1000 40 early              |              1000 40 late
 *	samples     early  early  early      |     late  late
 *	looks     ^          ^          ^         ^  longer: a growth, with the time of the last write
 *
 * A growth goes through the rounds of records, so that all samples before it have been walked when its
 * lines are read. Those that cover an address which was sampled by then are told, and those that cover
 * others of these. Whether an older line named the address is not asked: it is named all the same where
 * none did (struct perf_map_later). The first lines of a map cannot be over older ones.
 */
#include "process/map_tail.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cover.h"
#include "process/keep.h"

#define SECOND 1000000000ull

enum {
	/* Bytes of a growth; of a longer one those at its end, and others count as older. */
	GROWTH_MOST = 32 << 20,
};

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static uint64_t clock_now(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return nanoseconds(&t);
}

void map_tail_begin(struct kept_map *m)
{
	struct stat st;

	if (fstat(m->fd, &st) == 0)
		m->seen = m->taken = (uint64_t)st.st_size;
}

uint64_t map_tail_until(const struct kept_map *m, int fd)
{
	struct stat own, st;

	if (m->fd < 0 || fstat(m->fd, &own) < 0 || fstat(fd, &st) < 0 ||
	    own.st_dev != st.st_dev || own.st_ino != st.st_ino)
		return 0;
	return m->taken;
}

int images_ran(struct images *im, uint32_t image, uint64_t address)
{
	const struct image *of = &im->list.v[image];
	struct kept_maps *k = images_kept_maps(im);
	struct kept_map *m;
	uint64_t *slot;

	if (of->kind != IMAGE_ANON || !of->owner || of->code || !k)
		return 0;
	m = kept_maps_find(k, im, image);
	slot = m ? array_add(&m->ran) : NULL;
	if (slot)
		*slot = address;
	return m && !slot ? -ENOMEM : 0;
}

int images_look_at_maps(struct images *im, map_growth_call *grown, void *arg)
{
	struct kept_maps *k = images_kept_maps(im);
	int err = k ? kept_maps_want(k, im) : 0;

	if (!k || im->as_perf || err < 0)
		return err;
	err = kept_maps_look_soon(k, im);
	for (size_t i = 0; i < k->list.count && err == 0; i++) {
		struct kept_map *m = &k->list.v[i];
		struct map_growth growth = { .map = (uint32_t)i };
		uint64_t now, day, written;
		struct stat st;

		if (m->fd < 0 || m->left)
			continue;
		/* The end was seen before this look, so what is in the file now is all that
		 * ever comes. */
		m->left = m->ended;
		if (fstat(m->fd, &st) < 0 || (uint64_t)st.st_size == m->seen)
			continue;
		/* Written anew: nothing is known of when. */
		if ((uint64_t)st.st_size < m->seen) {
			map_tail_begin(m);
			continue;
		}
		m->seen = growth.until = (uint64_t)st.st_size;
		/* When it was last written to, by the clock of samples: the writer may say
		 * anything. */
		now = clock_now(CLOCK_MONOTONIC);
		day = clock_now(CLOCK_REALTIME);
		written = nanoseconds(&st.st_mtim);
		growth.time = written > day || day - written > now
				      ? now
				      : now - (day - written);
		err = grown(arg, &growth);
	}
	return err;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Who gets the lines of a growth. */
struct line_reader {
	struct kept_map *m;
	struct map_line line;
	map_line_call *take;
	void *arg;
};

static int take_line(void *arg, const char *text, size_t length, uint64_t offset)
{
	struct line_reader *r = arg;
	struct kept_map *m = r->m;
	struct perf_map_entry entry;
	const char *name;
	size_t size, ran;

	if (!perf_map_line(text, length, &entry, &name, &size))
		return 0;
	ran = cover_first(m->ran.v, m->ran.count, entry.start);
	if ((ran == m->ran.count || m->ran.v[ran] >= entry.end) &&
	    !ranges_overlap(&m->lines, entry.start, entry.end))
		return 0;
	ranges_add(&m->lines, entry.start, entry.end);
	r->line.offset = offset;
	r->line.start = entry.start;
	r->line.end = entry.end;
	return r->take(r->arg, &r->line, name, size);
}

int images_take_lines(struct images *im, const struct map_growth *growth,
		      map_line_call *take, void *arg)
{
	struct kept_map *m = &images_kept_maps(im)->list.v[growth->map];
	struct line_reader reader = {
		.m = m,
		.line = { .owner = im->list.v[m->image].owner, .time = growth->time },
		.take = take,
		.arg = arg,
	};
	size_t different = 0;

	/* The file was cut since; or these are its first lines. */
	if (m->taken > growth->until)
		return 0;
	if (m->taken == 0 || m->ran.count == 0) {
		m->taken = growth->until;
		return 0;
	}
	if (growth->until - m->taken > GROWTH_MOST)
		m->taken = growth->until - GROWTH_MOST;
	/* In order, each address once; they are so already where none has come since. */
	if (m->sorted != m->ran.count) {
		qsort(m->ran.v, m->ran.count, sizeof(*m->ran.v), compare_addresses);
		for (size_t i = 0; i < m->ran.count; i++)
			if (different == 0 || m->ran.v[i] != m->ran.v[different - 1])
				m->ran.v[different++] = m->ran.v[i];
		m->sorted = m->ran.count = different;
	}
	return perf_map_each(m->fd, &m->taken, growth->until, take_line, &reader);
}
