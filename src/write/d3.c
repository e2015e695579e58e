/*
 * The tree that d3-flame-graph takes: an object a node, "value" is its total, and children are in the
 * order of the view. "self", "module" and "kind" are kept in its d.data, for labels and colours.
 *
 *	{"name":"root","value":10,"children":[{"name":"main","value":10,"self":10}]}
 */
#include "write/exchange.h"

#include <string.h>

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
		const struct view_node *n;
		const struct function *f;

		/* A node that is left, and the list of those below it. */
		for (uint32_t i = 0; i < w.closed; i++)
			text_string(t, i ? "]}" : "}");
		if (!more)
			break;
		n = exchange_node(&e, w.at.node);
		f = w.at.node ? exchange_function(&e, w.at.node) : NULL;
		text_string(t, w.closed ? ",{\"name\":" : "{\"name\":");
		if (f)
			exchange_add_name(&e, t, w.at.node);
		else
			text_string(t, "\"root\"");
		text_string(t, ",\"value\":");
		exchange_add_weight(&e, t, n->total);
		if (n->self) {
			text_string(t, ",\"self\":");
			exchange_add_weight(&e, t, n->self);
		}
		if (f && f->module) {
			text_string(t, ",\"module\":");
			json_quoted(t, exchange_text(&e, f->module));
		}
		if (f && exchange_kind(f))
			text_printf(t, ",\"kind\":\"%s\"", exchange_kind(f));
		if (n->first)
			text_string(t, ",\"children\":[");
		sink_drain(&sink);
	}
	text_char(t, '\n');
	t->failed |= more < 0;
	array_release(&w.path);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
