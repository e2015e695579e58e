/*
 * stackcollapse-perf.pl's lines: frames with ';' between them, a blank, what the stack weighs.
 * Before the weight stands that in the other profile of a difference, as difffolded.pl prints it;
 * the form has no room for any other column.
 *
 * They are sorted by their bytes, which is the order in which the walk comes to them. A reader
 * takes a ';' at the end for the end of the last name, so a stack whose last name is empty gets
 * one more.
 */
#include <stdlib.h>

#include "write/number.h"
#include "write/sink.h"
#include "write/write.h"

int write_folded(struct context *ctx, const struct tree_source *in,
		 const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text, path = { 0 }; /* ends with a ';' behind each frame */
	ARRAY(size_t) above = { 0 }; /* by depth: size of the path above a node there */
	uint32_t before;
	struct view_walk w = { 0 };
	struct view v;
	int err;

	(void)options;
	err = view_begin_lines(ctx, in, &v);
	if (err < 0)
		return err;
	before = view_weight_before(&v);
	t->failed = !array_add(&above);
	do {
		uint32_t label = v.nodes.v[w.node].label;
		uint32_t size = v.labels.sizes.v[label];

		if (above.count == (size_t)w.depth + 1 && !array_add(&above))
			t->failed = true;
		if (t->failed)
			break;
		/*
		 * Back to the path of the parent, then on by this name:
		 *
		 *	above[0]=0      all
		 *	above[1]=0        a       path "a"
		 *	above[2]=2          b     path "a;b"
		 */
		path.size = above.v[w.depth];
		text_add(&path, label_text(&v.labels, label), size);
		/* A line with a gap is none, and nothing is written behind it. */
		t->failed |= path.failed;
		/* Those that only other columns have are none here. */
		if (v.nodes.v[w.node].self ||
		    (before < COLUMNS_MOST && view_value(&v, w.node, before))) {
			if (path.size)
				text_add(t, path.bytes, path.size);
			if (w.node && !size)
				text_char(t, ';');
			text_char(t, ' ');
			if (before < COLUMNS_MOST) {
				number_decimal(t, view_value(&v, w.node, before),
					       v.decimals);
				text_char(t, ' ');
			}
			number_decimal(t, v.nodes.v[w.node].self, v.decimals);
			text_char(t, '\n');
			sink_drain(&sink);
		}
		/* The root is on no line. */
		if (w.node)
			text_char(&path, ';');
		above.v[w.depth + 1] = path.size;
		t->failed |= view_open(&v, &w) < 0;
	} while (!t->failed && sink.err == 0 && view_next(&v, &w, VIEW_INTO));
	array_release(&above);
	text_release(&path);
	view_release(&v);
	return sink_end(ctx, &sink);
}
