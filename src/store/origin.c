/*
 * Lists are sorted by what is in them, so that it does not matter who was read first; an input that
 * was added twice is one entry that says so.
 */
#include "store/origin.h"

#include <errno.h>

void store_origin_release(struct store_origin *o)
{
	array_release(&o->inputs);
	array_release(&o->labels);
}

/* A text up to its NUL, which becomes a string. */
static int take_string(struct context *ctx, struct cursor *c, struct intern *strings,
		       uint32_t *ret)
{
	const uint8_t *end = memchr(c->p, '\0', cursor_left(c));
	size_t size = end ? (size_t)(end - c->p) : 0;

	*ret = 0;
	if (!end) {
		c->bad = true;
		return 0;
	}
	if (intern_add(strings, (const char *)c->p, size, ret) < 0)
		return fail_memory(ctx);
	c->p = end + 1;
	return 0;
}

static int compare_texts(const struct intern *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(intern_text(strings, a), intern_text(strings, b));
}

static int compare_labels(const void *left, const void *right, void *arg)
{
	const struct store_label *a = left, *b = right;
	int order = compare_texts(arg, a->key, b->key);

	return order ? order : compare_texts(arg, a->value, b->value);
}

static int read_inputs(struct context *ctx, struct cursor *c, struct intern *strings,
		       bool has_kernel, struct store_origin *o)
{
	uint64_t listed;

	o->input_count = cursor_varint(c);
	listed = cursor_varint(c);
	for (uint64_t i = 0, sum = 0; i < listed && !c->bad; i++) {
		const uint8_t *hash = cursor_bytes(c, SHA256_DIGEST_SIZE);
		struct store_input *in = hash ? array_add(&o->inputs) : NULL;
		int err;

		if (!hash)
			break;
		if (!in)
			return fail_memory(ctx);
		memcpy(in->hash, hash, SHA256_DIGEST_SIZE);
		in->times = cursor_varint(c);
		in->recorded = cursor_varint(c);
		err = take_string(ctx, c, strings, &in->name);
		if (err == 0)
			err = take_string(ctx, c, strings, &in->host);
		if (err == 0 && has_kernel)
			err = take_string(ctx, c, strings, &in->kernel);
		if (err < 0)
			return err;
		if (in->times == 0 || __builtin_add_overflow(sum, in->times, &sum) ||
		    sum > o->input_count ||
		    (i > 0 && memcmp(in[-1].hash, hash, SHA256_DIGEST_SIZE) >= 0))
			c->bad = true;
	}
	return 0;
}

int store_origin_read(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u, struct intern *strings,
		      struct store_origin *ret)
{
	for (unsigned id = SECTION_INPUTS; id <= SECTION_COUNTS; id++) {
		struct store_section_bytes section;
		struct cursor *c = &section.payload;
		int err = store_source_next(ctx, source, u, &section);
		uint64_t labels;

		if (err < 0)
			return err;
		if (section.id != id)
			return store_damaged(ctx, source, &section,
					     "sections are not in their order");
		if (id == SECTION_INPUTS)
			err = read_inputs(ctx, c, strings, source->version > 1, ret);
		labels = id == SECTION_LABELS ? cursor_varint(c) : 0;
		for (uint64_t i = 0; i < labels && !c->bad && err == 0; i++) {
			struct store_label label, *slot;

			err = take_string(ctx, c, strings, &label.key);
			if (err == 0)
				err = take_string(ctx, c, strings, &label.value);
			if (err < 0)
				break;
			if (i > 0 && !c->bad &&
			    compare_labels(array_last(&ret->labels), &label,
					   (void *)strings) >= 0)
				c->bad = true;
			slot = c->bad ? NULL : array_add(&ret->labels);
			if (slot)
				*slot = label;
			else if (!c->bad)
				err = fail_memory(ctx);
		}
		for (unsigned i = 0; id == SECTION_COUNTS && i < STORE_COUNTS; i++)
			ret->counts[i] = cursor_varint(c);
		if (err < 0)
			return err;
		if (c->bad || cursor_left(c))
			return store_damaged(ctx, source, &section,
					     "what it says of its inputs is not so");
	}
	return 0;
}

int store_origin_add(struct store_origin *to, const struct store_origin *from)
{
	if (!array_reserve(&to->inputs, from->inputs.count) ||
	    !array_reserve(&to->labels, from->labels.count))
		return -ENOMEM;
	for (size_t i = 0; i < from->inputs.count; i++)
		to->inputs.v[to->inputs.count++] = from->inputs.v[i];
	for (size_t i = 0; i < from->labels.count; i++)
		to->labels.v[to->labels.count++] = from->labels.v[i];
	for (unsigned i = 0; i < STORE_COUNTS; i++)
		if (__builtin_add_overflow(to->counts[i], from->counts[i],
					   &to->counts[i]))
			return -EOVERFLOW;
	return __builtin_add_overflow(to->input_count, from->input_count,
				      &to->input_count)
		       ? -EOVERFLOW
		       : 0;
}

static int compare_inputs(const void *left, const void *right, void *arg)
{
	const struct store_input *a = left, *b = right;
	int order = memcmp(a->hash, b->hash, SHA256_DIGEST_SIZE);

	/* Of one content the least name stays, whoever had it. */
	if (order == 0)
		order = compare_texts(arg, a->name, b->name);
	if (order == 0)
		order = compare_texts(arg, a->host, b->host);
	if (order == 0)
		order = compare_texts(arg, a->kernel, b->kernel);
	if (order == 0 && a->recorded != b->recorded)
		order = a->recorded < b->recorded ? -1 : 1;
	return order;
}

void store_origin_sort(struct store_origin *o, const struct intern *strings)
{
	size_t kept = 0;

	if (o->inputs.count)
		qsort_r(o->inputs.v, o->inputs.count, sizeof(*o->inputs.v),
			compare_inputs, (void *)strings);
	for (size_t i = 0; i < o->inputs.count; i++) {
		struct store_input *last = kept ? &o->inputs.v[kept - 1] : NULL;

		if (last &&
		    memcmp(last->hash, o->inputs.v[i].hash, SHA256_DIGEST_SIZE) == 0)
			last->times += o->inputs.v[i].times;
		else
			o->inputs.v[kept++] = o->inputs.v[i];
	}
	o->inputs.count = kept;
	if (o->labels.count)
		qsort_r(o->labels.v, o->labels.count, sizeof(*o->labels.v),
			compare_labels, (void *)strings);
	kept = 0;
	for (size_t i = 0; i < o->labels.count; i++)
		if (!kept || compare_labels(&o->labels.v[kept - 1], &o->labels.v[i],
					    (void *)strings) != 0)
			o->labels.v[kept++] = o->labels.v[i];
	o->labels.count = kept;
}

static void put_origin_text(struct bytes *b, const struct intern *strings, uint32_t id)
{
	const char *text = intern_text(strings, id);

	bytes_add(b, text, strlen(text) + 1);
}

void store_origin_write(struct store_sink *sink, const struct store_origin *o,
			const struct intern *strings)
{
	struct bytes *to = &sink->section;

	bytes_varint(to, o->input_count);
	bytes_varint(to, o->inputs.count);
	for (size_t i = 0; i < o->inputs.count; i++) {
		const struct store_input *in = &o->inputs.v[i];

		bytes_add(to, in->hash, SHA256_DIGEST_SIZE);
		bytes_varint(to, in->times);
		bytes_varint(to, in->recorded);
		put_origin_text(to, strings, in->name);
		put_origin_text(to, strings, in->host);
		put_origin_text(to, strings, in->kernel);
	}
	store_sink_end_section(sink, SECTION_INPUTS);
	bytes_varint(to, o->labels.count);
	for (size_t i = 0; i < o->labels.count; i++) {
		put_origin_text(to, strings, o->labels.v[i].key);
		put_origin_text(to, strings, o->labels.v[i].value);
	}
	store_sink_end_section(sink, SECTION_LABELS);
	for (unsigned i = 0; i < STORE_COUNTS; i++)
		bytes_varint(to, o->counts[i]);
	store_sink_end_section(sink, SECTION_COUNTS);
}
