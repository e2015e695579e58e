/*
 * What pprof's files and speedscope's have in common. Each of them is parsed when the first pass begins,
 * for only then it is known whether labels and addresses are asked for, and everything they hold becomes
 * arrays of numbers. So a chunk is a run of samples, which any thread can read.
 */
#include "input/listed.h"

#include <errno.h>
#include <string.h>

enum {
	READ_ONCE = 1 << 20,
	BYTES_MOST = INT32_MAX, /* of a file: numbers here have 32 bits */
	/* Bytes of a name; what is longer is cut. A few bytes of a file can say one again. */
	NAME_MOST = 1 << 14,
	CHUNK_SAMPLES = 1 << 14,
};

static int refuse_size(struct context *ctx, const struct input *in)
{
	return fail(
		ctx, -EFBIG,
		"'%s' takes more memory than what is read may: --memory=SIZE with more",
		in->file.path);
}

void listed_free(struct listed *l)
{
	if (!l)
		return;
	free(l->bytes);
	array_release(&l->frames);
	array_release(&l->locations);
	array_release(&l->nodes);
	array_release(&l->labels);
	array_release(&l->threads);
	array_release(&l->samples);
	hash_map_release(&l->comm_of_tid);
	text_release(&l->text);
	claim_release(&l->claim);
	free(l);
}

/*
 * The whole file, as both formats refer to what stands anywhere in them. It is read piece by piece, and each piece
 * is asked of the budget before: what a packed file becomes is not known before it has been unpacked.
 */
int listed_read(struct context *ctx, struct input *in, struct listed **ret)
{
	struct listed *l = calloc(1, sizeof(*l));
	size_t got = READ_ONCE, room = 0;
	int err = l ? 0 : fail_memory(ctx);

	while (err == 0 && got == READ_ONCE) {
		uint64_t offset = l->size;

		if (l->size > BYTES_MOST - READ_ONCE) {
			err = fail(ctx, -EFBIG, "'%s' has more than 2 GiB",
				   in->file.path);
		} else if (!claim_add(&l->claim, in->budget, READ_ONCE)) {
			err = refuse_size(ctx, in);
		} else if (!array_grow((void **)&l->bytes, &room, l->size + READ_ONCE,
				       1)) {
			err = fail_memory(ctx);
		} else {
			err = file_read(ctx, &in->file,
					(struct file_part){ offset, READ_ONCE },
					l->bytes + l->size, &got);
			l->size += err == 0 ? got : 0;
		}
	}
	if (err == 0 && file_damage(&in->file))
		err = fail(ctx, -EBADMSG, "'%s': %s", in->file.path,
			   file_damage(&in->file));
	if (err < 0)
		listed_free(l);
	else
		*ret = l;
	return err;
}

void listed_close(struct input *in)
{
	listed_free(in->listed);
	in->listed = NULL;
}

/* Node 0 and thread 0 are none: of the latter samples are that say no thread. */
int listed_open(struct context *ctx, struct input *in, struct listed *l)
{
	struct record_source *source = array_add(&in->sources);

	in->listed = l;
	if (!source || !array_add(&l->nodes) || !array_add(&l->threads))
		return fail_memory(ctx);
	l->threads.v[0] = (struct listed_thread){ UINT32_MAX, UINT32_MAX, 0 };
	*source = (struct record_source){ .file = in->file, .end = in->file.size };
	in->rec.form = "file";
	in->rec.is_text = in->rec.is_list = true;
	return 0;
}

int listed_claim(struct context *ctx, struct input *in, size_t size)
{
	return claim_add(&in->listed->claim, in->budget, size) ? 0 : refuse_size(ctx, in);
}

/* One more item. */
#define LISTED_GROW(ctx, in, array, item)                                                \
	(listed_claim(ctx, in, sizeof(*(array)->v)) < 0 ? -EFBIG                         \
	 : !(item = array_add(array))			? fail_memory(ctx)               \
							: 0)

int listed_add_location(struct context *ctx, struct input *in, uint32_t *ret)
{
	struct listed *l = in->listed;
	struct listed_location *location;
	int err = LISTED_GROW(ctx, in, &l->locations, location);

	if (err < 0)
		return err;
	location->first = (uint32_t)l->frames.count;
	*ret = (uint32_t)l->locations.count - 1;
	return 0;
}

/* Names end at a NUL, and a line's end in one would be taken for the end of it. */
static void add_plain(struct text *t, const struct printed_part *part)
{
	size_t most = part->size < NAME_MOST ? part->size : NAME_MOST, from = t->size;

	text_add(t, part->text, most ? strnlen(part->text, most) : 0);
	for (size_t i = from; !t->failed && i < t->size; i++)
		if (t->bytes[i] == '\n')
			t->bytes[i] = ' ';
}

static int name_listed(struct context *ctx, struct input *in, uint32_t *ret)
{
	struct text *t = &in->listed->text;

	if (t->failed || input_add_name(in, t->bytes ? t->bytes : "", t->size, ret) < 0)
		return fail_memory(ctx);
	return 0;
}

int listed_add_name(struct context *ctx, struct input *in, struct printed_part name,
		    uint32_t *ret)
{
	text_clear(&in->listed->text);
	add_plain(&in->listed->text, &name);
	return name_listed(ctx, in, ret);
}

/*
 * A frame is a text of lines, the function and what is known of it, so that equal frames are one name:
 *
 *	function NL module [NL "inlined" or "@" address] NL "=" file ":" line
 */
int listed_add_frame(struct context *ctx, struct input *in, const struct listed_frame *f)
{
	struct listed *l = in->listed;
	struct text *t = &l->text;
	uint32_t *slot;
	int err = LISTED_GROW(ctx, in, &l->frames, slot);

	if (err < 0)
		return err;
	text_clear(t);
	if (f->name.size)
		add_plain(t, &f->name);
	else
		text_string(t, "[unknown]");
	text_char(t, '\n');
	add_plain(t, &f->module);
	if (f->inlined)
		text_string(t, "\ninlined");
	else if (!f->name.size && l->keeps_addresses)
		text_printf(t, "\n@%llx", (unsigned long long)f->address);
	/* It is there in any case: names of a list are taken as they are. */
	text_string(t, "\n=");
	add_plain(t, &f->file);
	if (f->file.size)
		text_printf(t, ":%llu", (unsigned long long)f->line);
	err = name_listed(ctx, in, slot);
	array_last(&l->locations)->count++;
	return err;
}

int listed_add_node(struct context *ctx, struct input *in, struct listed_node node,
		    uint32_t *ret)
{
	struct listed_node *slot;
	int err = LISTED_GROW(ctx, in, &in->listed->nodes, slot);

	if (err < 0)
		return err;
	*slot = node;
	*ret = (uint32_t)in->listed->nodes.count - 1;
	return 0;
}

int listed_add_thread(struct context *ctx, struct input *in, struct listed_thread thread,
		      uint32_t *ret)
{
	struct listed_thread *slot;
	int err = LISTED_GROW(ctx, in, &in->listed->threads, slot);

	if (err < 0)
		return err;
	*slot = thread;
	*ret = (uint32_t)in->listed->threads.count - 1;
	return 0;
}

int listed_add_label(struct context *ctx, struct input *in,
		     const struct listed_label *label)
{
	struct listed *l = in->listed;
	struct text *t = &l->text;
	uint32_t *slot;
	int err = LISTED_GROW(ctx, in, &l->labels, slot);

	if (err < 0)
		return err;
	text_clear(t);
	add_plain(t, &label->key);
	text_char(t, '=');
	if (label->is_number)
		text_printf(t, "%lld\n" PRINTED_LABEL_NUMBER, (long long)label->number);
	else
		add_plain(t, &label->text);
	if (!label->is_number)
		text_string(t, "\n" PRINTED_LABEL "]");
	if (label->is_number && label->unit.size) {
		text_char(t, ' ');
		add_plain(t, &label->unit);
	}
	text_string(t, label->is_number ? "]\n=" : "\n=");
	add_plain(t, &label->key);
	return name_listed(ctx, in, slot);
}

int listed_add_event(struct context *ctx, struct input *in, struct printed_part name,
		     const char *unit)
{
	struct event *event = array_add(&in->rec.events);
	struct sample_layout *layout = array_add(&in->layouts);

	if (!event || !layout || listed_add_name(ctx, in, name, &event->name) < 0 ||
	    intern_add(in->strings, unit, strlen(unit), &event->unit) < 0)
		return fail_memory(ctx);
	event->clock = CLOCK_OF_PERF;
	event->first_time = UINT64_MAX;
	event->type = PERF_TYPE_RAW;
	event->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	return 0;
}

int listed_add_sample(struct context *ctx, struct input *in,
		      const struct listed_sample *sample)
{
	struct listed_sample *slot;
	int err = LISTED_GROW(ctx, in, &in->listed->samples, slot);

	if (err < 0)
		return err;
	*slot = *sample;
	in->rec.records++;
	in->rec.by_type[PERF_RECORD_SAMPLE]++;
	in->rec.samples += sample->times;
	in->rec.events.v[sample->event].samples += sample->times;
	return 0;
}

int listed_next_state(struct context *ctx, struct input *in, struct record *ret)
{
	struct listed *l = in->listed;
	int err = 0;

	if (!l->parsed) {
		l->parsed = true;
		err = l->parse(ctx, in, l);
		free(l->bytes);
		l->bytes = NULL;
		/* Runs of samples, which are all known. */
		for (size_t at = 0; err == 0 && at < l->samples.count;
		     at += CHUNK_SAMPLES) {
			size_t left = l->samples.count - at;
			struct chunk *chunk = array_add(&in->chunks);

			if (!chunk)
				return fail_memory(ctx);
			*chunk = (struct chunk){
				.start = at,
				.end = at + (left < CHUNK_SAMPLES ? left : CHUNK_SAMPLES),
			};
		}
	}
	if (err < 0)
		return err;
	for (; l->told < l->samples.count; l->told++) {
		const struct listed_sample *s = &l->samples.v[l->told];
		const struct listed_thread *t = &l->threads.v[s->thread];
		const uint32_t *known = hash_map_get(&l->comm_of_tid, t->tid);

		if (!t->comm || (known && *known == t->comm))
			continue;
		if (!hash_map_set(&l->comm_of_tid, t->tid, t->comm))
			return fail_memory(ctx);
		*ret = (struct record){ .type = PERF_RECORD_COMM,
					.time = s->time,
					.position = l->told,
					.pid = t->pid,
					.tid = t->tid,
					.name = t->comm };
		return 1;
	}
	in->ended = true;
	in->done = in->file.size;
	return 0;
}

struct listed_reader {
	const struct listed *listed;
	size_t at, end; /* samples */
	ARRAY(uint32_t) frames;
};

int listed_reader_start(struct context *ctx, const struct input *in,
			struct listed_reader **r, size_t chunk)
{
	if (!*r && !(*r = calloc(1, sizeof(**r))))
		return fail_memory(ctx);
	(*r)->listed = in->listed;
	(*r)->at = (size_t)in->chunks.v[chunk].start;
	(*r)->end = (size_t)in->chunks.v[chunk].end;
	return 0;
}

void listed_reader_free(struct listed_reader *r)
{
	if (!r)
		return;
	array_release(&r->frames);
	free(r);
}

int listed_reader_next(struct context *ctx, struct listed_reader *r, struct sample *ret)
{
	const struct listed *l = r->listed;
	const struct listed_sample *s;
	const struct listed_thread *t;

	if (r->at == r->end)
		return 0;
	s = &l->samples.v[r->at++];
	t = &l->threads.v[s->thread];
	/* Labels are behind the leaf; of a stack that is too deep the root's end is left out. */
	r->frames.count = 0;
	if (!array_reserve(&r->frames, s->label_count + 1))
		return fail_memory(ctx);
	for (uint32_t i = 0; i < s->label_count; i++)
		r->frames.v[r->frames.count++] = l->labels.v[s->labels + i];
	for (uint32_t at = s->node; at; at = l->nodes.v[at].parent) {
		const struct listed_location *location =
			&l->locations.v[l->nodes.v[at].location];

		if (r->frames.count + location->count > LISTED_FRAMES_MOST)
			break;
		if (!array_reserve(&r->frames, location->count))
			return fail_memory(ctx);
		for (uint32_t i = 0; i < location->count; i++)
			r->frames.v[r->frames.count++] = l->frames.v[location->first + i];
	}
	*ret = (struct sample){
		.time = s->time,
		.position = r->at,
		.period = s->weight,
		.pid = t->pid,
		.tid = t->tid,
		.cpu = UINT32_MAX,
		.event = s->event,
		.times = s->times,
		.has_chain = true,
		.printed = r->frames.v,
		.printed_count = (uint32_t)r->frames.count,
	};
	return 1;
}
