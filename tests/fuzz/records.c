/*
 * Recordings that are well-formed, or nearly: steps (choices.h) become events and records of
 * all types with fields that fit together, which are written as a file or as a pipe, packed or
 * not, in either byte order.
 *
 * The first step says how it is written and read, and what is asked of it beside conservation:
 * that the same comes out by one thread and by three, which then share a few hundred bytes
 * each; that folded text and pictures are read back to the same; that a packed recording, and
 * one of the other byte order, is the same recording. What is said of time, in slices or as a chart, is
 * compared with it.
 */
#include "record_steps.h"

#include <engine/profile.h>
#include <errno.h>
#include <flamefold_chart.h>
#include <flamefold_time.h>
#include <inttypes.h>

enum { STEPS_MOST = 20 }; /* more say nothing that fewer do not */

enum what_else {
	ELSE_THREADS,
	ELSE_FOLDED,
	ELSE_PICTURE,
	ELSE_PACKED,
	ELSE_SWAPPED,
	ELSES
};

static enum what_else else_of(const uint8_t *data)
{
	return step_at(data, 0).flags % ELSES;
}

/* How the records are written. */
struct form {
	bool pipe, big, described;
	enum packing packing;
	size_t chunk;
	size_t cut; /* bytes that are missing at the end */
};

static struct form form_of(const struct step *s)
{
	return (struct form){
		.pipe = s->kind & 1,
		.big = s->kind & 2,
		.described = s->kind & 4,
		.packing = s->kind >> 3 & 3,
		.chunk = 16 + (s->a & 0x1fff),
		.cut = s->kind & 0x80 ? 1 + (s->a >> 16 & 0xff) : 0,
	};
}

/* The whole recording; good until the next one. */
static struct out write_form(const uint8_t *data, size_t steps, const struct form *form,
			     struct making *m)
{
	static uint8_t room[ROOM + (1 << 16)];
	struct out ret = { room, 0, sizeof(room), 0, form->big, false };
	struct contents c;

	make_records(m, data, steps, form->big, else_of(data) != ELSE_SWAPPED);
	c = (struct contents){
		.events = m->events,
		.event_count = m->event_count,
		.records = m->records.bytes,
		.size = m->records.size,
		.packing = form->packing % 3,
		.chunk = form->chunk,
		.described = form->described,
	};
	if (form->pipe)
		put_pipe(&ret, &c);
	else
		put_file(&ret, &c);
	m->damaged |= form->cut > 0;
	ret.size -= form->cut < ret.size ? form->cut : ret.size;
	return ret;
}

/* How it is read. */
struct asking {
	struct ff_options options;
	bool small_parts;
	const char *filter;
};

static struct asking asking_of(const struct step *s)
{
	static const char *const filters[] = {
		"pid=1-2",   "comm=a",	    "cpu=0,2-",
		"time=,50%", "symbol=[vx]", "event=cycles"
	};
	static const unsigned flags[] = { 0,
					  0,
					  FF_COMPAT_STACKCOLLAPSE,
					  FF_ADDRS,
					  FF_MARK_KERNEL | FF_MARK_JIT,
					  FF_SAMPLES | FF_TIME_BLOCKS,
					  FF_NO_INLINE };
	static const char *const modes[] = { NULL,   NULL,   NULL,
					     "wall", "wall", "wall-instant" };
	static const char *const scopes[] = { NULL, "process", "cgroup", "selected",
					      "system" };
	struct asking ret = { .options = FF_OPTIONS_INIT };

	ret.options.threads = 1;
	ret.options.memory = FUZZ_MEMORY;
	ret.options.flags = PICK(flags, s->what);
	ret.options.root = s->who % 3;
	ret.options.count = s->who >> 2 & 1;
	ret.options.truncated = (s->who >> 3 & 3) % 3;
	ret.options.max_stack = s->who & 0x20 ? 1 + s->b % 9 : 0;
	ret.options.event = s->who & 0x40 ? "all" : NULL;
	ret.options.symfs = ret.options.debug_dir = ret.options.map_dir = "/nonexistent";
	ret.options.kallsyms = "/dev/null";
	ret.options.build_id_dir = "";
	if (s->who & 0x80)
		ret.filter = PICK(filters, s->b >> 8);
	if (s->kind & 0x20)
		ret.options.flags |= FF_HEAT | FF_PHASES;
	ret.options.mode = PICK(modes, s->b >> 16);
	if (!ret.options.mode && s->kind & 0x40)
		ret.options.flags = FF_CHART | (ret.options.flags & FF_ADDRS);
	if (!ret.options.mode)
		return ret;
	/* What has no sense beside it is refused. */
	ret.options.count = FF_COUNT_PERIOD;
	ret.options.flags &= ~(unsigned)(FF_SAMPLES | FF_TIME_BLOCKS);
	if (strcmp(ret.options.mode, "wall") == 0)
		ret.options.scope = PICK(scopes, s->b >> 20);
	return ret;
}

/* NULL where it cannot be read, which has been said. */
static struct ff_profile *ask(const struct asking *asking, const void *bytes, size_t size,
			      bool pipe)
{
	struct ff_profile *p;
	int err;

	fuzz_check(ff_profile_new(&p, &asking->options) == 0, "a profile");
	if (asking->filter)
		fuzz_check(ff_profile_only(p, asking->filter) == 0, "a filter");
	if (asking->small_parts)
		p->parts = (struct part_sizes){ .scan_least = 512, .chunk = 256 };
	if (pipe)
		err = fuzz_read_piped(p, bytes, size);
	else
		err = ff_profile_read_memory(p, bytes, size, "fuzzed");
	if (err == 0)
		err = ff_profile_finish(p);
	if (err == 0) {
		fuzz_conserved(p);
		return p;
	}
	fuzz_check(ff_profile_error(p)[0] != '\0', "a failure explains itself");
	ff_profile_free(p);
	return NULL;
}

struct written {
	char *bytes;
	size_t size;
};

static struct written draw(struct ff_profile *p)
{
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	struct written ret = { NULL, 0 };
	FILE *out = open_memstream(&ret.bytes, &ret.size);
	int err;

	fuzz_check(out != NULL, "memory");
	/* Time is for the viewer. */
	graph.flags = p->options.flags & FF_HEAT ? 0 : FF_GRAPH_NO_SCRIPT;
	err = ff_write_svg(p, &graph, out);
	fuzz_check(err == 0 || err == -ENODATA, "what was read can be drawn");
	fclose(out);
	return ret;
}

/* In slices, after which all of it is in one of them; and by processor, which is all of it or nothing. */
static void write_times(struct ff_profile *p, FILE *out)
{
	const struct heat *h = &p->collected.heat, *of = &p->collected.processors;
	uint64_t sum = 0, ran = 0;
	int err = ff_write_slices(p, out);

	fuzz_check(err == 0 || err == -EOPNOTSUPP, "slices are written");
	for (size_t i = 0; i < h->cells.count; i++)
		sum += h->cells.v[i].weight;
	fuzz_check(err < 0 || sum == ff_profile_total(p, FF_TOTAL_WEIGHT_TREE),
		   "slices are everything");
	for (size_t i = 0; i < of->cells.count; i++) {
		const struct heat_cell *c = &of->cells.v[i];

		fprintf(out, "# %u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", c->node,
			c->cell * of->width, c->weight, c->samples);
		ran += c->weight;
	}
	fuzz_check(err < 0 || !of->cells.count || ran == sum,
		   "processors are everything");
}

static void write_chart(struct ff_profile *p, FILE *out)
{
	static const char *const formats[] = { "chrome", "speedscope", "svg" };
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	struct written drawn = draw(p);

	/* Its data is drawn, but not compared: it has a report of the file, whose form it says. */
	free(drawn.bytes);
	graph.flags = FF_GRAPH_STATIC;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		int err = ff_write(p, ff_format_find(formats[i]), &graph, out);

		fuzz_check(err == 0 || err == -ENODATA, "a chart is written");
	}
}

/* Its folded text and what it says of time, or nothing where there is no profile. */
static struct written write_text(struct ff_profile *p)
{
	struct written ret = { NULL, 0 };
	FILE *out = open_memstream(&ret.bytes, &ret.size);

	fuzz_check(out != NULL, "memory");
	if (p && p->options.flags & FF_CHART)
		write_chart(p, out);
	else if (p)
		fuzz_check(ff_write_folded(p, out) == 0, "what was read can be written");
	if (p && p->options.flags & FF_HEAT)
		write_times(p, out);
	fclose(out);
	return ret;
}

/* Frees the profile. */
static struct written fold(struct ff_profile *p)
{
	struct written ret = write_text(p);

	ff_profile_free(p);
	return ret;
}

static void check_same(struct written one, struct written other, const char *what)
{
	bool same =
		one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0;

	if (!same)
		fprintf(stderr, "-- one:\n%s-- other:\n%s", one.bytes, other.bytes);
	fuzz_check(same, what);
	free(one.bytes);
	free(other.bytes);
}

static struct written copy(struct written w)
{
	struct written ret = { malloc(w.size + 1), w.size };

	fuzz_check(ret.bytes != NULL, "memory");
	memcpy(ret.bytes, w.bytes, w.size + 1);
	return ret;
}

/* All that is counted, but for what depends on what was remembered. */
static void check_totals(const struct ff_profile *one, const struct ff_profile *other)
{
	for (unsigned i = 0; i < FF_TOTALS; i++) {
		if (i == FF_TOTAL_REPLAYS)
			continue;
		if (ff_profile_total(one, i) != ff_profile_total(other, i))
			fprintf(stderr, "total %u: %llu, %llu\n", i,
				(unsigned long long)ff_profile_total(one, i),
				(unsigned long long)ff_profile_total(other, i));
		fuzz_check(ff_profile_total(one, i) == ff_profile_total(other, i),
			   "threads count the same");
	}
}

static void check_threads(const struct asking *asking, const struct out *o,
			  struct ff_profile *p)
{
	struct asking shared = *asking;
	struct ff_profile *by_three;

	shared.options.threads = 3;
	shared.small_parts = true;
	by_three = ask(&shared, o->bytes, o->size, false);
	fuzz_check(!p == !by_three, "threads read the same");
	if (p)
		check_totals(p, by_three);
	check_same(fold(p), fold(by_three), "threads see the same");
}

/* Intervals of whatever events there are, which wait for their ends from one chunk to the next. */
static void check_pairs(const struct asking *asking, const struct out *o)
{
	struct asking paired = *asking;

	if (asking->options.count || asking->options.event ||
	    asking->options.flags & (FF_SAMPLES | FF_TIME_BLOCKS | FF_CHART))
		return;
	paired.options.mode = paired.options.scope = NULL;
	paired.options.pair = "start * key tid % 4 if period & 1; "
			      "wake * key tid % 4 if period & 4; "
			      "end * key tid % 4 if period & 2; stack chain; weight t";
	check_threads(&paired, o, ask(&paired, o->bytes, o->size, false));
}

/* What is written is read back; the names in it may not be those of addresses again. */
static void check_read_back(const struct asking *asking, struct ff_profile *p,
			    bool picture)
{
	struct asking plain = { .options = asking->options };
	struct written text, drawn, again;
	struct ff_profile *back;

	/* Of a chart more is said than is read back. */
	if (!p || p->options.flags & FF_CHART) {
		free(fold(p).bytes);
		return;
	}
	/* A picture knows what is the kernel's, and when it was; text has the first in the names. */
	plain.options.flags &= picture ? FF_MARK_KERNEL | FF_MARK_JIT | FF_HEAT : 0;
	plain.options.event = plain.options.mode = plain.options.scope = NULL;
	plain.options.root = FF_ROOT_COMM;
	plain.options.max_stack = 0;
	drawn = picture ? draw(p) : (struct written){ NULL, 0 };
	p->options.flags &= ~(unsigned)FF_HEAT;
	text = write_text(p);
	if (!picture)
		drawn = copy(text);
	if (text.size == 0) {
		free(text.bytes);
		free(drawn.bytes);
		ff_profile_free(p);
		return;
	}
	back = ask(&plain, drawn.bytes, drawn.size, false);
	fuzz_check(back != NULL, "what was written can be read");
	/* What is short has no map of time. */
	if (ff_profile_untimed(back)) {
		back->options.flags &= ~(unsigned)FF_HEAT;
	} else {
		free(text.bytes);
		p->options.flags |= FF_HEAT;
		text = write_text(p);
	}
	again = fold(back);
	ff_profile_free(p);
	free(drawn.bytes);
	check_same(text, again, picture ? "a picture is read back" : "text is read back");
}

/* The same records in another form. */
static void check_form(const struct asking *asking, const uint8_t *data, size_t steps,
		       struct form form, struct ff_profile *p)
{
	struct making m;
	struct out o = write_form(data, steps, &form, &m);
	struct ff_profile *other;

	if (o.full || m.damaged) {
		ff_profile_free(p);
		return;
	}
	other = ask(asking, o.bytes, o.size, form.pipe);
	fuzz_check(!p == !other, "each form is read, or none");
	if (p)
		check_totals(p, other);
	check_same(fold(p), fold(other), "each form says the same");
}

/* A recording without damage is read as a whole. */
static void check_whole(const struct ff_profile *p, const struct making *m)
{
	const struct ff_input *in = ff_input_next(p, NULL);

	fuzz_check(ff_input_count(in, FF_INPUT_SAMPLES) == m->samples,
		   "every sample is counted");
	if (ff_input_text(in, FF_INPUT_DAMAGE))
		fprintf(stderr, "%s\n", ff_input_text(in, FF_INPUT_DAMAGE));
	fuzz_check(ff_input_count(in, FF_INPUT_TRUNCATED_AT) == 0 &&
			   !ff_input_text(in, FF_INPUT_DAMAGE),
		   "what is whole is not called damaged");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t steps = size / STEP_SIZE < STEPS_MOST ? size / STEP_SIZE : STEPS_MOST;
	struct making m;
	struct asking asking;
	struct ff_profile *p;
	struct step first;
	struct form form;
	struct out o;

	if (steps < 2)
		return 0;
	first = step_at(data, 0);
	form = form_of(&first);
	asking = asking_of(&first);
	o = write_form(data, steps, &form, &m);
	/* No data at all are those of a recording that has not come to its end. */
	if (o.full || m.records.full || m.records.size == 0)
		return 0;
	p = ask(&asking, o.bytes, o.size, form.pipe);
	if (p && !m.damaged)
		check_whole(p, &m);
	switch (else_of(data)) {
	case ELSE_THREADS:
		if (form.pipe)
			break;
		check_threads(&asking, &o, p);
		check_pairs(&asking, &o);
		return 0;
	case ELSE_FOLDED:
	case ELSE_PICTURE:
		check_read_back(&asking, p, else_of(data) == ELSE_PICTURE);
		return 0;
	case ELSE_PACKED:
		form.packing = form.packing % 3 ? PACKED_NOT : PACKED_1;
		check_form(&asking, data, steps, form, p);
		return 0;
	case ELSE_SWAPPED:
		form.big = !form.big;
		check_form(&asking, data, steps, form, p);
		return 0;
	case ELSES:
		break;
	}
	ff_profile_free(p);
	return 0;
}

MUTATE_BY_STEPS(STEPS_MOST)
