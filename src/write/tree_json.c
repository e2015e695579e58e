/*
 * The tree with all that is known of it, for programs of one's own: Documentation/exchange.md has its
 * keys. What is not known has none. Numbers are whole and as long as they are; who reads them as
 * floating point rounds those above 2^53.
 */
#include "write/exchange.h"

static void add_member(struct text *t, const char *key, const char *value)
{
	if (!value)
		return;
	text_printf(t, ",\n\"%s\":", key);
	json_quoted(t, value);
}

static void add_count(struct text *t, const char *key, uint64_t value)
{
	if (value) {
		text_printf(t, ",\n\"%s\":", key);
		text_u64(t, value);
	}
}

/* Up to where its children stand, or its end. */
static void add_call(const struct exchange *e, struct text *t, uint32_t node)
{
	const struct view_node *n = exchange_node(e, node);
	/* The root is none; there may be no function at all. */
	const struct function *f = node ? exchange_function(e, node) : NULL;
	const char *kind = f ? exchange_kind(f) : NULL;

	if (exchange_is_process(e, node))
		kind = "process";
	text_string(t, "{\"name\":");
	if (f)
		exchange_add_name(e, t, node);
	else
		text_string(t, "null");
	if (kind)
		text_printf(t, ",\"kind\":\"%s\"", kind);
	if (f && f->module) {
		text_string(t, ",\"module\":");
		json_quoted(t, exchange_text(e, f->module));
	}
	if (f && f->file) {
		text_string(t, ",\"file\":");
		json_quoted(t, exchange_text(e, f->file));
		text_printf(t, ",\"line\":%u", f->line);
	}
	text_string(t, ",\"self\":");
	exchange_add_weight(e, t, n->self);
	text_string(t, ",\"total\":");
	exchange_add_weight(e, t, n->total);
	if (e->has_samples && exchange_samples(e, node)) {
		text_string(t, ",\"samples\":");
		text_u64(t, exchange_samples(e, node));
	}
	if (n->first)
		text_string(t, ",\"children\":[");
}

int write_tree_json(struct context *ctx, const struct tree_source *in,
		    const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct exchange_walk w = { 0 };
	const struct write_facts *f;
	struct exchange e;
	int more, err = exchange_open(ctx, in, options, VIEW_BY_FUNCTION, &e);

	if (err < 0)
		return err;
	f = e.facts;
	text_string(t, "{\"format\":\"flamefold tree\",\n\"version\":1,\n\"unit\":");
	json_quoted(t, f->unit ? f->unit : "samples");
	add_member(t, "events", f->events);
	add_member(t, "command", f->command);
	add_member(t, "host", f->host);
	add_count(t, "recorded", f->recorded);
	add_count(t, "duration_ns", f->duration);
	add_count(t, "frequency", f->frequency);
	add_count(t, "period", f->period);
	add_count(t, "samples", f->samples);
	add_count(t, "lost", f->lost);
	add_count(t, "truncated", f->truncated);
	text_string(t, ",\n\"build_ids\":{");
	for (size_t i = 0, listed = 0; i < f->module_count; i++) {
		if (!*f->modules[i].build_id)
			continue;
		text_string(t, listed++ ? ",\n" : "\n");
		json_quoted(t, f->modules[i].path);
		text_printf(t, ":\"%s\"", f->modules[i].build_id);
	}
	text_string(t, "},\n\"root\":");
	while ((more = exchange_next(&e, &w)) >= 0) {
		for (uint32_t i = 0; i < w.closed; i++)
			text_string(t, i ? "]}" : "}");
		if (!more)
			break;
		text_string(t, w.closed ? ",\n" : "\n");
		add_call(&e, t, w.at.node);
		sink_drain(&sink);
	}
	text_string(t, "}\n");
	t->failed |= more < 0;
	array_release(&w.path);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
