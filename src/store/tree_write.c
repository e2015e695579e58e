/*
 * A named tree becomes a file in three steps: its functions become frames, which the tables sort;
 * its nodes are put below each other by these, where some that differ in what a file does not hold
 * (lines, places) become one; and a walk over them tells each.
 */
#include <errno.h>

#include "store/nodes.h"
#include "store/tables.h"
#include "store/tree_file.h"

/* A node of the file to be. */
struct file_node {
	uint32_t frame, parent;
	uint32_t first, last, next; /* children in the order of their frames; 0: none */
};

struct tree_writer {
	const struct tree_source *in;
	struct store_tables tables;
	struct intern strings; /* of the tables */
	struct store_map map;
	uint32_t *
		frame_of; /* by function: its frame + 1 before they are sorted; 0: not there */
	uint8_t *kept; /* by node of the named tree: something is at or below it */
	ARRAY(struct file_node) nodes;
	uint64_t *values; /* by node and column of the file */
	uint32_t from[COLUMNS_MOST]; /* by column of the file, unsorted: the tree's */
};

static int copy_text(struct tree_writer *w, const char *text, uint32_t *ret)
{
	return intern_add(&w->strings, text, strlen(text), ret);
}

static int list_columns(struct tree_writer *w, const struct store_facts *facts)
{
	const struct named *tree = w->in->tree;
	uint32_t event, unit, index;
	int err = copy_text(w, facts->event ? facts->event : "", &event);

	if (err == 0)
		err = copy_text(w, facts->unit ? facts->unit : "", &unit);
	for (uint32_t i = 0; i < tree->columns->count && err == 0; i++) {
		const struct column *c = &tree->columns->v[i];
		struct store_column column = {
			.event = event,
			.unit = unit,
			.side = (uint8_t)c->side,
			.sum = (uint8_t)c->sum,
			.makes_stacks = c->makes_stacks,
			.decimals = (uint8_t)(c->unit ? c->decimals : tree->decimals),
		};

		if (!tree->values[i] || c->sum == SUM_NOWHERE)
			continue;
		for (size_t node = 0; node < tree->nodes.count; node++)
			if (__builtin_add_overflow(column.total, tree->values[i][node],
						   &column.total))
				return -EOVERFLOW;
		if (!column.total)
			continue;
		err = copy_text(w, c->name, &column.name);
		if (err == 0)
			err = copy_text(w, c->unit ? c->unit : "", &column.own_unit);
		if (err == 0)
			err = store_add_column(&w->tables, &column, &index);
		if (err == 0)
			w->from[index] = i;
	}
	return err;
}

/* Nodes that hold something, or are above some that do; and their functions. */
static int list_frames(struct tree_writer *w)
{
	const struct named *tree = w->in->tree;
	const struct symbols *symbols = w->in->symbols;

	w->kept = calloc(tree->nodes.count + 1, 1);
	w->frame_of = calloc(symbols->functions.count + 1, sizeof(*w->frame_of));
	if (!w->kept || !w->frame_of)
		return -ENOMEM;
	for (size_t i = tree->nodes.count; i-- > 1;) {
		for (size_t c = 0; c < w->tables.columns.count && !w->kept[i]; c++)
			w->kept[i] = tree->values[w->from[c]][i] != 0;
		w->kept[tree->nodes.v[i].parent] |= w->kept[i];
	}
	for (size_t i = 1; i < tree->nodes.count; i++) {
		uint32_t function = tree->nodes.v[i].function;
		const struct function *f = &symbols->functions.v[function];
		struct store_frame frame = { .kind = data_kind(f) };
		struct store_module module = { 0 };
		uint32_t index;
		int err;

		if (!w->kept[i] || w->frame_of[function] || f->kind == FUNCTION_GAP)
			continue;
		err = copy_text(w, intern_text(w->in->strings, f->name), &frame.name);
		if (err == 0 && f->module)
			err = copy_text(w, intern_text(w->in->strings, f->module),
					&module.name);
		if (err == 0 && f->module)
			err = store_add_module(&w->tables, &module, &frame.module);
		if (err == 0)
			err = store_add_frame(&w->tables, &frame, &index);
		if (err < 0)
			return err;
		w->frame_of[function] = index + 1;
	}
	return 0;
}

/* The child of a frame, made if there is none, in its place among the others. Most come in order. */
static int child_node(struct tree_writer *w, uint32_t parent, uint32_t frame,
		      uint32_t *ret)
{
	struct file_node *nodes = w->nodes.v, *slot;
	uint32_t before = nodes[parent].last, after = 0;

	if (before && nodes[before].frame > frame) {
		before = 0;
		after = nodes[parent].first;
		while (nodes[after].frame < frame) {
			before = after;
			after = nodes[after].next;
		}
		/* The one that is sought stands behind @before, or would. */
		if (nodes[after].frame == frame)
			before = after;
	}
	if (before && nodes[before].frame == frame) {
		*ret = before;
		return 0;
	}
	slot = array_add(&w->nodes);
	if (!slot)
		return -ENOMEM;
	nodes = w->nodes.v;
	*ret = (uint32_t)w->nodes.count - 1;
	*slot = (struct file_node){ .frame = frame, .parent = parent, .next = after };
	if (before)
		nodes[before].next = *ret;
	else
		nodes[parent].first = *ret;
	if (!after)
		nodes[parent].last = *ret;
	return 0;
}

static int place_stored_nodes(struct tree_writer *w)
{
	const struct named *tree = w->in->tree;
	uint32_t columns = (uint32_t)w->tables.columns.count;
	uint32_t *placed = calloc(tree->nodes.count + 1, sizeof(*placed));
	int err = placed && array_add(&w->nodes) ? 0 : -ENOMEM;

	/* There will be no more than the tree has. */
	w->values = calloc(tree->nodes.count * columns + 1, sizeof(*w->values));
	if (!w->values)
		err = -ENOMEM;
	for (uint32_t i = 0; i < tree->nodes.count && err == 0; i++) {
		const struct named_node *n = &tree->nodes.v[i];
		uint32_t frame = w->frame_of[n->function];
		/* A gap's value is its parent's own. */
		uint32_t at = i ? placed[n->parent] : 0;

		if (i && !w->kept[i])
			continue;
		if (i && frame)
			err = child_node(w, at, w->map.frames[frame - 1], &at);
		if (err < 0)
			break;
		placed[i] = at;
		for (uint32_t c = 0; c < columns; c++)
			w->values[(size_t)at * columns + w->map.columns[c]] +=
				tree->values[w->from[c]][i];
	}
	free(placed);
	return err;
}

/* In preorder. */
static int tell_nodes(struct tree_writer *w, struct store_sink *sink)
{
	uint32_t columns = (uint32_t)w->tables.columns.count, at = 0, depth = 0;
	const struct file_node *nodes = w->nodes.v;
	struct store_node_writer to;
	int err = store_node_writer_init(&to, sink, &w->tables);

	for (bool more = err == 0; more;) {
		struct store_node node = { depth, nodes[at].frame,
					   w->values + (size_t)at * columns, NULL, NULL };

		store_node_add(&to, &node);
		more = nodes[at].first != 0;
		if (more) {
			at = nodes[at].first;
			depth++;
			continue;
		}
		while (at && !nodes[at].next) {
			at = nodes[at].parent;
			depth--;
		}
		at = nodes[at].next;
		more = at != 0;
	}
	if (err == 0)
		err = store_node_end(&to);
	store_node_writer_release(&to);
	return err;
}

int store_write_tree(struct context *ctx, const struct tree_source *in,
		     const struct store_facts *facts, FILE *out)
{
	struct tree_writer w = { .in = in };
	struct store_sink sink = { 0 };
	int err;

	if (in->in_order)
		return fail(
			ctx, -EINVAL,
			"a profile file has its stacks sorted: a flame chart, in which "
			"they are in order of time, cannot be one");
	err = intern_init(&w.strings);
	if (err == 0)
		err = store_tables_init(&w.tables, &w.strings);
	if (err == 0)
		err = list_columns(&w, facts);
	if (err == 0)
		err = list_frames(&w);
	if (err == 0)
		err = store_tables_sort(&w.tables, &w.map);
	if (err == 0)
		err = place_stored_nodes(&w);
	if (err == 0)
		err = store_sink_init(&sink, out, facts->plain,
				      store_tables_flags(&w.tables));
	if (err == 0)
		store_origin_write(&sink, facts->origin, facts->strings);
	if (err == 0)
		err = store_tables_write(&sink, &w.tables);
	/* Nodes begin with a part of their own. */
	store_sink_flush(&sink);
	if (err == 0)
		err = sink.err ? sink.err : tell_nodes(&w, &sink);
	store_sink_release(&sink);
	store_tables_release(&w.tables);
	store_map_release(&w.map);
	intern_release(&w.strings);
	array_release(&w.nodes);
	free(w.frame_of);
	free(w.kept);
	free(w.values);
	if (err == -EOVERFLOW)
		return fail(ctx, -ERANGE, "the values add up to more than 2^64");
	if (err == -EFBIG)
		return fail(ctx, -EINVAL,
			    "the names of all are more than a profile file holds");
	if (err == -E2BIG)
		return fail(ctx, -EINVAL, "a profile file holds no more than %d columns",
			    STORE_COLUMNS_MOST);
	if (err == -ENOMEM)
		return fail_memory(ctx);
	return err < 0 ? fail(ctx, err, "cannot write: %s", strerror(-err)) : 0;
}
