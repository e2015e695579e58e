/*
 * The addresses are sorted by the unit that holds them, so that each unit is read once,
 * for all of its addresses:
 *
 *	addresses   1010   1020   2050   3000
 *	units       a      a      b      a           spans of the unit index
 *	grouped     a: 1010, 1020, 3000  |  b: 2050
 *	locations   by address: which reader has its frames, and where
 *
 * Units are taken from the largest to the smallest, by as many threads as pay for
 * themselves (one more for each MiB that is read). Each has a libdw handle of its own
 * over the shared image, as libdw is built without locks. Whether it was too much work
 * is asked of the sum over all threads, at the end, and then nothing counts: so the
 * answer does not depend on who was quicker.
 */
#include "dwarf/inlines.h"

#include <errno.h>
#include <stdlib.h>

#include "base/guard.h"
#include "base/keyed.h"
#include "base/parallel.h"
#include "dwarf/unit_reader.h"

#define CRASHED "reading its debug information crashed"
#define TOO_MUCH "its debug information takes too long to read"

enum {
	MOST_READERS = 16,
	/* Bytes of .debug_info for which another thread, with a handle of its own, pays:
	 * some 5 ms of work. */
	BYTES_A_THREAD = 1 << 20,
};

/* A unit that holds some of the addresses. */
struct hit {
	uint32_t unit;
	uint32_t first, count; /* in the grouped addresses */
	uint64_t bytes;
};

/* Where the frames of one address are. */
struct chain_location {
	uint32_t reader, count; /* count 0: nothing is known of the address */
	size_t first; /* in the reader's frames */
};

struct inlines {
	struct unit_source source;
	struct object o, debug; /* copies: the caller's may move, and stay open */
	struct unit_reader *readers;
	size_t reader_count;
	ARRAY(struct chain_location) locations; /* by index of the address */
	bool failed; /* too much: nothing is known */
	bool crashed; /* likewise */
	struct text problem;
	struct text alternate_problem;
	struct text package_problem;
};

static int open_alternate(struct context *ctx, struct inlines *in)
{
	struct unit_source *s = &in->source;
	struct object alternate;
	int err = debug_find_alternate(ctx, &s->options.dirs, s->debug, &alternate);

	if (err == -ENODATA)
		return 0;
	if (err == 0) {
		err = debug_image_read(ctx, &alternate, s->options.declared,
				       &s->alternate);
		object_close(&alternate);
	}
	if (err == -ENOMEM)
		return err;
	/* Then many names are missing, but not all. */
	if (err < 0)
		text_string(&in->alternate_problem, ctx->error);
	return in->alternate_problem.failed ? -ENOMEM : 0;
}

/* Beside the file with the skeletons, or beside the object. */
static int open_package(struct context *ctx, struct inlines *in)
{
	struct unit_source *s = &in->source;
	const struct object *objects[] = { s->debug, s->o };
	struct object file;
	int err = -ENODATA;

	for (size_t i = 0; i < 2 && err == -ENODATA; i++)
		err = debug_find_package(ctx, &s->options.dirs, objects[i], &file);
	if (err == 0)
		err = debug_package_open(ctx, &file, &s->package);
	if (err == -ENOMEM || err == -ENODATA)
		return err == -ENOMEM ? err : 0;
	if (err < 0)
		text_printf(&in->package_problem, "its .dwp file cannot be used: %s",
			    ctx->error);
	return in->package_problem.failed ? -ENOMEM : 0;
}

static int add_reader(struct inlines *in)
{
	int err = unit_reader_init(&in->readers[in->reader_count], &in->source);

	if (err == 0)
		in->reader_count++;
	return err;
}

static uint64_t split_count(const struct unit_source *s)
{
	uint64_t splits = 0;

	for (size_t i = 0; i < s->units.list.count; i++)
		splits += s->units.list.v[i].skeleton;
	return splits;
}

static void set_limit(struct unit_source *s)
{
	uint64_t splits = split_count(s);

	s->work.most = debug_work_limit(s->image.sections[DEBUG_INFO].size +
						s->image.sections[DEBUG_TYPES].size +
						s->alternate.sections[DEBUG_INFO].size,
					splits);
}

/* With an error no part of this object's debug information is used. What another file
 * holds of it may be missing: that only costs the names that it has. */
static int open_images(struct context *ctx, struct inlines *in)
{
	struct unit_source *s = &in->source;
	bool lines = s->options.lines || s->options.declared;
	struct unit_reader *r;
	int err = debug_image_read(ctx, s->debug, lines, &s->image);

	if (err == 0)
		err = open_alternate(ctx, in);
	if (err < 0)
		return err;
	s->image.first_code = debug_first_code(s->o);
	set_limit(s);
	in->readers = calloc(MOST_READERS, sizeof(*in->readers));
	if (!in->readers)
		return fail_memory(ctx);
	err = add_reader(in);
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err == -EFAULT)
		return fail(ctx, err, CRASHED);
	if (err < 0)
		return fail(ctx, err, "its debug information is broken");
	r = &in->readers[0];
	err = debug_units_read(&s->units, &s->image, &r->meter);
	if (err == 0)
		err = debug_units_index(&s->units, &s->image, &r->handle, s->o,
					&r->meter);
	debug_meter_flush(&r->meter);
	/* Only the index knows how many skeletons there are, each of which may cost a
	 * file. */
	set_limit(s);
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err == -EFAULT) {
		debug_handle_forget(&r->handle);
		return fail(ctx, err, CRASHED);
	}
	if (err < 0)
		return fail(ctx, -EFBIG, TOO_MUCH);
	return split_count(s) ? open_package(ctx, in) : 0;
}

int inlines_open(struct context *ctx, const struct object *o, const struct object *debug,
		 const struct inline_options *options, struct inlines **ret)
{
	struct inlines *in = calloc(1, sizeof(*in));
	int err;

	if (!in)
		return fail_memory(ctx);
	in->o = *o;
	in->debug = *debug;
	in->source.o = &in->o;
	in->source.debug = &in->debug;
	in->source.options = *options;
	guard_reading(options->name);
	err = open_images(ctx, in);
	guard_reading(NULL);
	if (err < 0) {
		inlines_close(in);
		return err;
	}
	*ret = in;
	return 0;
}

void inlines_close(struct inlines *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->reader_count; i++)
		unit_reader_release(&in->readers[i]);
	free(in->readers);
	debug_units_release(&in->source.units);
	debug_image_release(&in->source.image);
	debug_image_release(&in->source.alternate);
	debug_package_release(&in->source.package);
	array_release(&in->locations);
	text_release(&in->problem);
	text_release(&in->alternate_problem);
	text_release(&in->package_problem);
	free(in);
}

/* The search for one set of addresses. */
struct inline_search {
	struct inlines *in;
	const uint64_t *addresses;
	size_t count;
	struct keyed *grouped; /* key: unit; id: index of an address */
	size_t grouped_count;
	uint64_t *sorted; /* addresses, as grouped */
	struct unit_answer *answers; /* likewise */
	uint32_t *answered_by; /* by hit: a reader */
	ARRAY(struct hit) hits;
	uint64_t bytes; /* of .debug_info, in all hits */
};

/* The largest first: the last ones to be taken are small, and the threads end together. */
static int compare_hits(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Sorts the addresses by their units, which are the hits. Those in no unit are left out. */
static int group_by_unit(struct inline_search *f)
{
	const struct spans *spans = &f->in->source.units.spans;
	const struct debug_unit *units = f->in->source.units.list.v;
	size_t at = 0;

	f->grouped = malloc((f->count + 1) * sizeof(*f->grouped));
	f->sorted = malloc((f->count + 1) * sizeof(*f->sorted));
	f->answers = calloc(f->count + 1, sizeof(*f->answers));
	if (!f->grouped || !f->sorted || !f->answers)
		return -ENOMEM;
	for (size_t i = 0; i < f->count; i++) {
		const struct span *span = spans_next(spans, f->addresses[i], &at);

		if (span)
			f->grouped[f->grouped_count++] =
				(struct keyed){ span->id, (uint32_t)i };
	}
	if (keyed_sort(f->grouped, f->grouped_count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < f->grouped_count; i++) {
		uint32_t unit = (uint32_t)f->grouped[i].key;
		struct hit *hit = f->hits.count ? array_last(&f->hits) : NULL;

		f->sorted[i] = f->addresses[f->grouped[i].id];
		if (!hit || hit->unit != unit) {
			hit = array_add(&f->hits);
			if (!hit)
				return -ENOMEM;
			*hit = (struct hit){ unit, (uint32_t)i, 0,
					     units[unit].head.end - units[unit].start };
			f->bytes += hit->bytes;
		}
		hit->count++;
	}
	if (f->hits.count > 0)
		qsort(f->hits.v, f->hits.count, sizeof(*f->hits.v), compare_hits);
	f->answered_by = calloc(f->hits.count + 1, sizeof(*f->answered_by));
	return f->answered_by ? 0 : -ENOMEM;
}

static int find_hit(void *arg, size_t i, size_t worker)
{
	struct inline_search *f = arg;
	const struct hit *hit = &f->hits.v[i];

	f->answered_by[i] = (uint32_t)worker;
	guard_reading(f->in->source.options.name);
	return unit_reader_read(&f->in->readers[worker], hit->unit,
				f->sorted + hit->first, hit->count,
				f->answers + hit->first);
}

/* One problem is told, the gravest. Of missing files it is that of the first unit in the
 * file, so that the sentence does not depend on who read it. */
static int explain_problem(struct inlines *in)
{
	const struct unit_reader *first = NULL;

	for (size_t i = 0; i < in->reader_count; i++) {
		struct unit_reader *r = &in->readers[i];

		in->failed |= !debug_meter_flush(&r->meter);
		in->crashed |= r->crashed;
		if (r->missing_files && (!first || r->missing_unit < first->missing_unit))
			first = r;
	}
	in->failed |= in->crashed;
	if (in->crashed)
		text_string(&in->problem, CRASHED);
	else if (in->failed)
		text_string(&in->problem, TOO_MUCH);
	else if (first && in->package_problem.size)
		text_string(&in->problem, in->package_problem.bytes);
	else if (first)
		text_add(&in->problem, first->missing.bytes, first->missing.size);
	else if (in->alternate_problem.size)
		text_string(&in->problem, in->alternate_problem.bytes);
	return in->problem.failed ? -ENOMEM : 0;
}

int inlines_find(struct inlines *in, const uint64_t *addresses, size_t count)
{
	struct inline_search f = { .in = in, .addresses = addresses, .count = count };
	uint64_t threads;
	int err = group_by_unit(&f);

	if (err < 0)
		goto out;
	threads = 1 + f.bytes / BYTES_A_THREAD;
	if (threads > in->source.options.threads)
		threads = in->source.options.threads;
	if (threads > f.hits.count)
		threads = f.hits.count;
	if (threads > MOST_READERS)
		threads = MOST_READERS;
	if (threads < 1)
		threads = 1;
	while (in->reader_count < threads && err == 0)
		err = add_reader(in);
	/* The same bytes were opened before: only a crash makes that fail now. */
	in->crashed |= err == -EFAULT;
	if (err == 0)
		err = parallel_run((size_t)threads, f.hits.count, find_hit, &f);
	else
		err = in->crashed ? 0 : -ENOMEM;
	if (err == 0 && !array_reserve(&in->locations, count + 1))
		err = -ENOMEM;
	if (err < 0)
		goto out;
	in->locations.count = count;
	memset(in->locations.v, 0, count * sizeof(*in->locations.v));
	for (size_t i = 0; i < f.hits.count; i++) {
		const struct hit *hit = &f.hits.v[i];

		for (uint32_t k = hit->first; k < hit->first + hit->count; k++)
			in->locations.v[f.grouped[k].id] = (struct chain_location){
				f.answered_by[i],
				(uint32_t)f.answers[k].count,
				f.answers[k].first,
			};
	}
	err = explain_problem(in);
out:
	free(f.grouped);
	free(f.sorted);
	free(f.answers);
	free(f.answered_by);
	array_release(&f.hits);
	return err;
}

struct inline_chain inlines_at(const struct inlines *in, size_t index)
{
	const struct chain_location *at = &in->locations.v[index];

	/* A search that was broken off would tell half of the truth. */
	if (in->failed || at->count == 0)
		return (struct inline_chain){ NULL, 0 };
	return (struct inline_chain){ in->readers[at->reader].frames.v + at->first,
				      at->count };
}

bool inlines_crashed(const struct inlines *in)
{
	return in->crashed;
}

const char *inlines_problem(const struct inlines *in)
{
	return in->problem.bytes ? in->problem.bytes : "";
}
