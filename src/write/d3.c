/*
 * The tree that d3-flame-graph takes: an object a node, "value" is its total, and children are in the
 * order of the view. "self", "module" and "kind" are kept in its d.data, for labels and colours.
 *
 *	{"name":"root","value":10,"children":[{"name":"main","value":10,"self":10}]}
 */
#include "write/exchange.h"

#include <string.h>

/* Up to where its children stand, or its end. */
static void add_node(const struct exchange *e, struct text *t, uint32_t node)
{
	const struct view_node *n = exchange_node(e, node);
	const struct function *f = exchange_function(e, node);

	text_string(t, "{\"name\":");
	if (node)
		exchange_add_name(e, t, node);
	else
		text_string(t, "\"root\"");
	text_string(t, ",\"value\":");
	exchange_add_weight(e, t, n->total);
	if (n->self) {
		text_string(t, ",\"self\":");
		exchange_add_weight(e, t, n->self);
	}
	if (node && f->module) {
		text_string(t, ",\"module\":");
		json_text(t, exchange_text(e, f->module));
	}
	if (node && exchange_kind(f))
		text_printf(t, ",\"kind\":\"%s\"", exchange_kind(f));
	if (n->first)
		text_string(t, ",\"children\":[");
}

int write_d3(struct context *ctx, const struct tree_source *in,
	     const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct exchange_walk w = { 0 };
	struct exchange e;
	int more, err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
	while ((more = exchange_next(&e, &w)) >= 0) {
		/* A node that is left, and the list of those below it. */
		for (uint32_t i = 0; i < w.closed; i++)
			text_string(t, i ? "]}" : "}");
		if (!more)
			break;
		if (w.closed)
			text_char(t, ',');
		add_node(&e, t, w.at.node);
		sink_drain(&sink);
	}
	text_char(t, '\n');
	t->failed |= more < 0;
	array_release(&w.path);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
