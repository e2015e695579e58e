/*
 * A thread guesses where a record begins: at the first offset of the grid of 8 bytes
 * from which a chain of plausible heads leads to the end of what it looked at. That may
 * be wrong, so it works on a copy of the input that shares nothing which the pass
 * changes, and keeps there what it counts.
 *
 *	parts    0       1       2       3       4
 *	caller   reads ->                              first
 *	threads                       <- read          end
 *
 * Parts are taken from both ends under a lock, so caller and threads meet wherever both
 * have done their share. Memory for kept records is bounded for all parts together: a
 * part that has no more ends there, and the pass goes on from its end by itself.
 */
#include "input/parallel_scan.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/text.h"

enum {
	THREADS_MOST = 8, /* with the caller's */
	PARTS = 8, /* a thread: by so many parts of its work one may be done sooner */
	KEPT_MOST = 4 << 20, /* bytes of records kept, by as many as there are threads */
	/* Bytes in which a beginning is looked for: the first record that begins in them
	 * and, however large records are, two more. */
	LOOKED_AT = 256 << 10,
	LINKS_LEAST = 3,
	LINKS_MOST =
		1 << 18, /* followed in all: most chains that lead nowhere are short */
	EVENTS_KEPT = 1 << 16, /* tallies, of all parts */
};

/* A record that is no sample. */
struct kept_record {
	struct raw_record raw;
	size_t at; /* of its bytes among those of the part */
	uint64_t newest; /* time of the samples before it in the part */
	uint64_t ring; /* likewise, of those of its processor */
};

/* What a thread reads in one go. */
struct scan_part {
	struct parallel_scan *scan;
	/* An input of its own as far as the first pass changes it. */
	struct input own;
	struct record_source source;
	uint64_t start, until; /* offsets in the file */
	uint64_t stream_end; /* of the source's records */
	uint64_t end; /* how far it came; start: nothing is of use */
	ARRAY(struct kept_record) kept;
	struct text bytes;
	atomic_bool stop;
	bool read; /* as far as it was */
};

struct parallel_scan {
	struct scan_part *parts;
	size_t count;
	size_t next; /* the part that the pass has not come to, or is in */
	size_t taken; /* records of it; it is adopted */
	bool inside;
	pthread_t threads[THREADS_MOST];
	size_t running;
	atomic_size_t kept; /* bytes of records, of all parts */
	size_t kept_most;
	/* Parts that are nobody's yet, and .read of all others. The caller takes the
	 * first ones, threads the last ones: they meet where both have done their
	 * share. */
	pthread_mutex_t lock;
	pthread_cond_t one_read;
	size_t first, end;
};

static uint64_t newer_time(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Does a chain of records lead from @p, at @offset of the file, to the end of what is
 * there? Not as far as can be said, where that takes more than *@left links. */
static bool looks_like_record(const struct input *in, const uint8_t *p, size_t size,
			      uint64_t offset, size_t *left)
{
	int links = 0;

	while (size >= RECORD_HEAD) {
		struct perf_event_header head = record_head_at(p, in->swapped);

		if (!record_name(head.type) || head.size < RECORD_HEAD || head.size % 8)
			return false;
		if (*left == 0)
			return false;
		--*left;
		links++;
		if (head.size > in->stream.end - offset)
			return false;
		offset += head.size;
		if (head.size >= size)
			break;
		p += head.size;
		size -= head.size;
	}
	return links >= LINKS_LEAST || offset == in->stream.end;
}

/* A record that cannot be taken whole is not taken, and the part ends before it. */
static void read_part(struct scan_part *p)
{
	struct stream *s = &p->own.stream;
	struct context ctx = { 0 };
	struct raw_record raw;

	if (stream_init(s, &p->source.file, p->own.swapped) < 0)
		return;
	s->heads = true;
	stream_start(s, p->start, p->stream_end);
	while (p->end < p->until &&
	       !atomic_load_explicit(&p->stop, memory_order_relaxed)) {
		size_t at = p->bytes.size, size;
		bool sample;
		struct kept_record *kept;

		if (stream_next(&ctx, s, &raw) <= 0 || s->packed || s->damage)
			break;
		size = raw.head.size + sizeof(*kept);
		sample = raw.head.type == PERF_RECORD_SAMPLE;
		if (!sample &&
		    atomic_fetch_add(&p->scan->kept, size) + size > p->scan->kept_most) {
			atomic_fetch_sub(&p->scan->kept, size);
			break;
		}
		if (!sample) {
			text_add(&p->bytes, (const char *)raw.bytes, raw.head.size);
			kept = p->bytes.failed ? NULL : array_add(&p->kept);
			if (!kept)
				break;
			*kept = (struct kept_record){ raw, at, p->own.newest, 0 };
			if (raw.head.type == PERF_RECORD_LOST)
				kept->ring = input_ring_time(
					&p->own,
					trailer_cpu(&p->own, raw.bytes, raw.head.size));
		}
		if (input_cut_chunk(&ctx, &p->own, &raw) < 0) {
			p->end = p->start;
			break;
		}
		/* It is one of the chunk that it has begun, if it has. */
		if (sample)
			input_pass_sample(&p->own, &raw);
		p->end = s->offset;
	}
	stream_release(s);
}

/* A thread: from the last part that is nobody's on. */
static void *read_parts(void *arg)
{
	struct parallel_scan *a = arg;

	pthread_mutex_lock(&a->lock);
	while (a->first < a->end) {
		struct scan_part *p = &a->parts[--a->end];

		pthread_mutex_unlock(&a->lock);
		read_part(p);
		pthread_mutex_lock(&a->lock);
		p->read = true;
		pthread_cond_signal(&a->one_read);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* A copy of the input, in which all that the first pass writes is new and empty. What it
 * only reads is shared. */
static bool part_init(struct parallel_scan *a, struct scan_part *p,
		      const struct input *in)
{
	size_t events = in->rec.events.count;

	p->scan = a;
	p->stream_end = in->stream.end;
	p->source = in->sources.v[in->source];
	p->own = *in;
	p->own.sources.v = &p->source;
	p->own.sources.count = 1;
	p->own.source = 0;
	p->own.chunks.v = NULL;
	p->own.chunks.count = p->own.chunks.room = 0;
	p->own.stream = (struct stream){ 0 };
	p->own.timed = false;
	p->own.newest = 0;
	p->own.rings.v = NULL;
	p->own.rings.count = p->own.rings.room = 0;
	p->own.rec = (struct recording){ 0 };
	p->own.rec.events.v = calloc(events, sizeof(*p->own.rec.events.v));
	if (!p->own.rec.events.v)
		return false;
	for (size_t i = 0; i < events; i++)
		p->own.rec.events.v[i].first_time = UINT64_MAX;
	p->end = p->start;
	return true;
}

/* Gives back the part's share of the memory for kept records, so that parts still
 * being read may keep more. */
static void part_release(struct scan_part *p)
{
	if (p->scan)
		atomic_fetch_sub(&p->scan->kept,
				 p->bytes.size + p->kept.count * sizeof(*p->kept.v));
	free(p->own.rec.events.v);
	array_release(&p->own.chunks);
	array_release(&p->own.rings);
	array_release(&p->kept);
	text_release(&p->bytes);
	p->own.rec.events.v = NULL;
}

static size_t threads_allowed(const struct input *in)
{
	return in->threads < THREADS_MOST ? in->threads : THREADS_MOST;
}

/* Into how many parts the source is cut; 0: one thread reads it better alone, or has
 * to. */
static size_t count_parts(const struct input *in)
{
	const struct record_source *source = &in->sources.v[in->source];
	uint64_t size = source->end - source->start;
	size_t parts = threads_allowed(in) * PARTS;

	/* What a time is made of that a record lacks, or an event that a record brings,
	 * lies before it. */
	if (in->threads < 2 || in->pipe || (in->any_timed && !in->all_timed) ||
	    in->rec.events.count == 0)
		return 0;
	if (source->packed || source->end == UINT64_MAX || source->file.pipe)
		return 0;
	if (parts > EVENTS_KEPT / in->rec.events.count)
		parts = EVENTS_KEPT / in->rec.events.count;
	return size / in->part_least < parts ? (size_t)(size / in->part_least) : parts;
}

void parallel_scan_start(const struct input *in, struct parallel_scan **ret)
{
	size_t parts = count_parts(in), threads = threads_allowed(in) - 1;
	uint64_t start = in->stream.offset, size = in->stream.end - start;
	struct parallel_scan *a = parts > 1 ? calloc(1, sizeof(*a)) : NULL;
	uint8_t *buf = a ? malloc(LOOKED_AT) : NULL;
	bool ready;

	*ret = NULL;
	if (!a)
		return;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->one_read, NULL);
	a->parts = calloc(parts, sizeof(*a->parts));
	ready = buf && a->parts;
	/* The first part is the caller's. The others begin at the first offset that may be a
	 * record's, and with the one before where there is none, or the bytes would have to be
	 * fetched from a disk, which is faster in one go. */
	for (size_t i = 1; i < parts && ready; i++) {
		uint64_t from = start + size / parts * i, found = 0;
		size_t got, left = LINKS_MOST;

		from += (start - from) & 7;
		file_read_cached(in->stream.file, from, buf, LOOKED_AT, &got);
		if (got > in->stream.end - from)
			got = (size_t)(in->stream.end - from);
		for (size_t at = 0;
		     !found && at + RECORD_HEAD <= got && at <= UINT16_MAX && left;
		     at += 8)
			if (looks_like_record(in, buf + at, got - at, from + at, &left))
				found = from + at;
		if (found && (a->count == 0 || found > a->parts[a->count - 1].start))
			a->parts[a->count++].start = found;
	}
	free(buf);
	for (size_t i = 0; i < a->count && ready; i++) {
		a->parts[i].until =
			i + 1 < a->count ? a->parts[i + 1].start : in->stream.end;
		ready = part_init(a, &a->parts[i], in);
	}
	a->kept_most = threads * KEPT_MOST;
	a->end = a->count;
	while (ready && a->running < threads && a->running < a->count &&
	       pthread_create(&a->threads[a->running], NULL, read_parts, a) == 0)
		a->running++;
	if (a->running)
		*ret = a;
	else
		parallel_scan_free(a);
}

void parallel_scan_free(struct parallel_scan *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->first = a->end;
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < a->count; i++)
		atomic_store(&a->parts[i].stop, true);
	for (size_t i = 0; i < a->running; i++)
		pthread_join(a->threads[i], NULL);
	for (size_t i = 0; i < a->count; i++)
		part_release(&a->parts[i]);
	pthread_cond_destroy(&a->one_read);
	pthread_mutex_destroy(&a->lock);
	free(a->parts);
	free(a);
}

/* Takes over what a thread has read. */
static int adopt_part(struct input *in, const struct scan_part *p)
{
	const struct recording *from = &p->own.rec;
	struct recording *to = &in->rec;

	if (!array_reserve(&in->chunks, p->own.chunks.count))
		return -ENOMEM;
	for (size_t i = 0; i < p->own.chunks.count; i++) {
		struct chunk *c = array_add(&in->chunks);

		*c = p->own.chunks.v[i];
		c->source = in->source;
		c->time = newer_time(in->newest, c->time);
	}
	to->records += from->records;
	to->by_type[PERF_RECORD_SAMPLE] += from->by_type[PERF_RECORD_SAMPLE];
	to->samples += from->samples;
	to->kernel_samples += from->kernel_samples;
	to->guest_samples += from->guest_samples;
	to->untimed += from->untimed;
	for (size_t i = 0; i < to->events.count; i++) {
		const struct event *event = &from->events.v[i];

		to->events.v[i].samples += event->samples;
		if (event->first_time < to->events.v[i].first_time)
			to->events.v[i].first_time = event->first_time;
	}
	if (!p->own.timed)
		return 0;
	if (!in->timed || from->first_time < to->first_time)
		to->first_time = from->first_time;
	if (!in->timed || from->last_time > to->last_time)
		to->last_time = from->last_time;
	in->timed = true;
	return 0;
}

int parallel_scan_next(struct context *ctx, struct parallel_scan *a, struct input *in,
		       struct raw_record *ret)
{
	for (; a->next < a->count && !in->stream.packed && !in->stream.damage;
	     a->next++) {
		struct scan_part *p = &a->parts[a->next];
		bool wanted = in->stream.offset == p->start;

		if (!a->inside && in->stream.offset < p->start)
			return 0;
		if (!a->inside) {
			/* The caller has come to the next part; what no thread does is his. */
			pthread_mutex_lock(&a->lock);
			if (a->next < a->end) {
				a->first = a->next + 1;
				wanted = false;
			}
			while (wanted && !p->read)
				pthread_cond_wait(&a->one_read, &a->lock);
			pthread_mutex_unlock(&a->lock);
			if (!wanted || p->end <= p->start) {
				atomic_store(&p->stop, true);
				continue;
			}
		}
		if (!a->inside && adopt_part(in, p) < 0)
			return fail_memory(ctx);
		a->inside = true;
		if (a->taken < p->kept.count) {
			const struct kept_record *kept = &p->kept.v[a->taken++];

			*ret = kept->raw;
			ret->bytes = (const uint8_t *)p->bytes.bytes + kept->at;
			ret->margin = 0;
			in->newest = newer_time(in->newest, kept->newest);
			if (kept->ring)
				input_see_ring(
					in, trailer_cpu(in, ret->bytes, ret->head.size),
					kept->ring);
			return 1;
		}
		in->newest = newer_time(in->newest, p->own.newest);
		for (size_t cpu = 0; cpu < p->own.rings.count; cpu++)
			if (p->own.rings.v[cpu])
				input_see_ring(in, (uint32_t)cpu, p->own.rings.v[cpu]);
		stream_start(&in->stream, p->end, in->stream.end);
		part_release(p);
		a->inside = false;
		a->taken = 0;
	}
	return 0;
}
