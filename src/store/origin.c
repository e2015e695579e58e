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
	claim_release(&o->claim);
}

/* What is read of one file. */
struct origin_reader {
	struct context *ctx;
	struct intern *strings;
	struct store_origin *to;
	struct cursor *c; /* of the section at hand */
	bool has_kernel;
};

/* A text up to its NUL, which becomes a string. 0, -ENOMEM, or -EFBIG. */
static int take_string(struct origin_reader *r, uint32_t *ret)
{
	const uint8_t *end = memchr(r->c->p, '\0', cursor_left(r->c));
	size_t size = end ? (size_t)(end - r->c->p) : 0, known = r->strings->texts.count;

	*ret = 0;
	if (!end) {
		r->c->bad = true;
		return 0;
	}
	if (intern_add(r->strings, (const char *)r->c->p, size, ret) < 0)
		return -ENOMEM;
	r->c->p = end + 1;
	return r->strings->texts.count == known ||
			       budget_take(r->ctx->budget, size + INTERN_AROUND)
		       ? 0
		       : -EFBIG;
}

/* Equal texts have equal ids, and are not looked at. */
static int compare_texts(const struct intern *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(intern_text(strings, a), intern_text(strings, b));
}

/* By key, and of one key by value: a key may have several. */
static int compare_labels(const void *left, const void *right, void *arg)
{
	const struct store_label *a = left, *b = right;
	int order = compare_texts(arg, a->key, b->key);

	return order ? order : compare_texts(arg, a->value, b->value);
}

/* What entries take, of which a section says that it has @listed: no more than there are bytes for.
 * Few packed bytes can stand for very many, as what is sorted packs well; but a hash has 32 that do not,
 * so files that flamefold writes have not a tenth of what is allowed. 0, -EFBIG, or -EBADMSG. */
static int claim_list(struct context *ctx, const struct store_source *s,
		      const struct store_section_bytes *section, uint64_t listed,
		      struct claim *claim)
{
	enum { FREE = 1 << 20, BY_BYTE = 64 };
	static const struct {
		uint64_t least; /* bytes of an entry */
		uint64_t rows, texts; /* of one: what it takes */
	} lists[] = {
		[SECTION_INPUTS] = { SHA256_DIGEST_SIZE + 4,
				     2 * sizeof(struct store_input), 3 * INTERN_AROUND },
		[SECTION_LABELS] = { 2, 2 * sizeof(struct store_label),
				     2 * INTERN_AROUND },
	};
	uint64_t left = cursor_left(&section->payload);
	uint64_t most = left / lists[section->id].least;
	uint64_t rows, all;

	listed = listed < most ? listed : most;
	rows = listed * lists[section->id].rows;
	all = left + rows + listed * lists[section->id].texts;
	if (all > FREE && (all - FREE) / BY_BYTE > s->file.size)
		return -EBADMSG;
	return claim_add(claim, ctx->budget, rows) ? 0 : -EFBIG;
}

static int read_inputs(struct origin_reader *r, uint64_t listed)
{
	struct store_origin *o = r->to;

	for (uint64_t i = 0, sum = 0; i < listed && !r->c->bad; i++) {
		const uint8_t *hash = cursor_bytes(r->c, SHA256_DIGEST_SIZE);
		struct store_input *in = hash ? array_add(&o->inputs) : NULL;
		int err;

		if (!hash)
			break;
		if (!in)
			return -ENOMEM;
		memcpy(in->hash, hash, SHA256_DIGEST_SIZE);
		in->times = cursor_varint(r->c);
		in->recorded = cursor_varint(r->c);
		err = take_string(r, &in->name);
		if (err == 0)
			err = take_string(r, &in->host);
		if (err == 0 && r->has_kernel)
			err = take_string(r, &in->kernel);
		if (err < 0)
			return err;
		if (in->times == 0 || __builtin_add_overflow(sum, in->times, &sum) ||
		    sum > o->input_count ||
		    (i > 0 && memcmp(in[-1].hash, hash, SHA256_DIGEST_SIZE) >= 0))
			r->c->bad = true;
	}
	return 0;
}

static int read_labels(struct origin_reader *r, uint64_t listed)
{
	struct store_origin *o = r->to;

	for (uint64_t i = 0; i < listed && !r->c->bad; i++) {
		struct store_label label, *slot;
		int err = take_string(r, &label.key);

		if (err == 0)
			err = take_string(r, &label.value);
		if (err < 0)
			return err;
		if (i > 0 && !r->c->bad &&
		    compare_labels(array_last(&o->labels), &label, r->strings) >= 0)
			r->c->bad = true;
		slot = r->c->bad ? NULL : array_add(&o->labels);
		if (slot)
			*slot = label;
		else if (!r->c->bad)
			return -ENOMEM;
	}
	return 0;
}

/* One of those in front of the tables. */
static int next_origin_section(struct context *ctx, struct store_source *source,
			       struct store_unpacker *u, unsigned id,
			       struct store_section_bytes *ret)
{
	int err = store_source_next(ctx, source, u, ret);

	if (err == 0 && ret->id != id)
		err = store_damaged(ctx, source, ret, "sections are not in their order");
	return err;
}

int store_origin_read(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u, struct intern *strings,
		      struct store_origin *ret)
{
	struct origin_reader r = {
		.ctx = ctx,
		.strings = strings,
		.to = ret,
		.has_kernel = source->version > 1,
	};

	for (unsigned id = SECTION_INPUTS; id <= SECTION_COUNTS; id++) {
		struct store_section_bytes section;
		struct cursor *c = r.c = &section.payload;
		int err = next_origin_section(ctx, source, u, id, &section);
		uint64_t listed;

		if (err < 0)
			return err;
		if (id == SECTION_INPUTS)
			ret->input_count = cursor_varint(c);
		listed = id < SECTION_COUNTS ? cursor_varint(c) : 0;
		if (id < SECTION_COUNTS)
			err = claim_list(ctx, source, &section, listed, &ret->claim);
		if (err == -EBADMSG)
			return store_damaged(ctx, source, &section,
					     "so small a file cannot list so much");
		if (err == 0 && id == SECTION_INPUTS)
			err = read_inputs(&r, listed);
		if (err == 0 && id == SECTION_LABELS)
			err = read_labels(&r, listed);
		for (unsigned i = 0; id == SECTION_COUNTS && i < STORE_COUNTS; i++)
			ret->counts[i] = cursor_varint(c);
		if (err < 0)
			return err == -EFBIG ? store_too_large(ctx, source)
					     : fail_memory(ctx);
		if (c->bad || cursor_left(c))
			return store_damaged(ctx, source, &section,
					     "what it says of its inputs is not so");
	}
	return 0;
}

int store_origin_skip(struct context *ctx, struct store_source *source,
		      struct store_unpacker *u)
{
	int err = 0;

	for (unsigned id = SECTION_INPUTS; id <= SECTION_COUNTS && err == 0; id++) {
		struct store_section_bytes section;

		err = next_origin_section(ctx, source, u, id, &section);
	}
	return err;
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
