/*
 * stackcollapse-perf.pl's lines: frames with ';' between them, a blank, what the stack weighs.
 * Before the weight stand the other values that make a stack one, such as the weight in the
 * other profile of a difference, as difffolded.pl prints it.
 *
 * They are sorted by their bytes, which is the order in which the walk comes to them. A reader
 * takes a ';' at the end for the end of the last name, so a stack whose last name is empty gets
 * one more.
 */
#include <stdlib.h>

#include "write/number.h"
#include "write/sink.h"
#include "write/write.h"

/* Columns of a line, in their order. */
struct folded_columns {
	uint32_t v[COLUMNS_MOST], count;
};

static void add_folded_values(struct text *t, const struct view *v,
			      const struct folded_columns *columns, uint32_t node)
{
	for (uint32_t i = 0; i < columns->count; i++) {
		const struct column *c = &v->columns->v[columns->v[i]];

		text_char(t, ' ');
		number_decimal(t, view_value(v, node, columns->v[i]),
			       c->unit ? c->decimals : v->decimals);
	}
	text_char(t, '\n');
}

int write_folded(struct context *ctx, const struct tree_source *in,
		 const struct write_options *options, FILE *out)
{
	struct tree_source sorted = *in;
	struct sink sink = { .out = out };
	struct text *t = &sink.text, path = { 0 }; /* ends with a ';' behind each frame */
	ARRAY(size_t) above = { 0 }; /* by depth: size of the path above a node there */
	struct folded_columns columns = { .count = 0 };
	struct view_walk w = { 0 };
	struct view v;
	int err;

	(void)options;
	sorted.in_order = false;
	err = view_make(ctx, &sorted, VIEW_LINES, &v);
	if (err < 0)
		return err;
	for (uint32_t i = v.columns->count; i-- > 0;)
		if (v.columns->v[i].makes_stacks && view_has(&v, i))
			columns.v[columns.count++] = i;
	t->failed = !array_add(&above);
	do {
		uint32_t label = v.nodes.v[w.node].label;
		uint32_t size = v.labels.sizes.v[label];

		if (above.count == (size_t)w.depth + 1 && !array_add(&above))
			t->failed = true;
		if (t->failed)
			break;
		path.size = above.v[w.depth];
		text_add(&path, label_text(&v.labels, label), size);
		/* A line with a gap is none, and nothing is written behind it. */
		t->failed |= path.failed;
		if (view_has_stack(&v, w.node)) {
			if (path.size)
				text_add(t, path.bytes, path.size);
			if (w.node && !size)
				text_char(t, ';');
			add_folded_values(t, &v, &columns, w.node);
			sink_drain(&sink);
		}
		if (w.node)
			text_char(&path, ';');
		above.v[w.depth + 1] = path.size;
	} while (!t->failed && sink.err == 0 && view_next(&v, &w, VIEW_INTO));
	array_release(&above);
	text_release(&path);
	view_release(&v);
	return sink_end(ctx, &sink);
}
