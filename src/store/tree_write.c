/*
 * A named tree becomes a file in three steps: its functions become frames, which the tables sort;
 * its nodes are put below each other by these, where some that differ in what a file does not hold
 * (lines, places) become one; and a walk over them tells each.
 */
#include <errno.h>

#include "store/placed.h"
#include "store/tree_file.h"

struct tree_writer {
	const struct tree_source *in;
	struct store_tables tables;
	struct intern strings; /* of the tables */
	struct store_map map;
	uint32_t *
		frame_of; /* by function: its frame + 1 before they are sorted; 0: not there */
	uint8_t *kept; /* by node of the named tree: something is at or below it */
	size_t kept_count;
	struct placed placed;
	const struct time_blocks *blocks; /* NULL: there are no slices */
	const struct heat *heat; /* NULL: there is none */
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
		w->kept_count += w->kept[i];
	}
	for (size_t i = 1; i < tree->nodes.count; i++) {
		uint32_t function = tree->nodes.v[i].function;
		const struct function *f = &symbols->functions.v[function];
		struct store_frame frame = { .kind = data_kind(f),
					     .address = w->in->images && f->module
								? f->address
								: 0 };
		struct store_module module = { 0 };
		uint32_t index;
		int err;

		if (!w->kept[i] || w->frame_of[function] || f->kind == FUNCTION_GAP)
			continue;
		err = copy_text(w, intern_text(w->in->strings, f->name), &frame.name);
		if (err == 0 && f->module)
			err = copy_text(w, intern_text(w->in->strings, f->module),
					&module.name);
		if (frame.address) {
			const struct image *image = &w->in->images->list.v[f->image];

			module.build_id_size = image->build_id_size;
			memcpy(module.build_id, image->build_id, image->build_id_size);
		}
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

/* Which slice a piece of time is; a pipe has more or less of these. */
static uint32_t slice_of(const struct time_blocks *b, uint32_t block)
{
	uint64_t count = (uint64_t)b->last - b->first + 1;

	return b->grid.grows ? (uint32_t)((block - b->first) * STORE_SLICES / count)
			     : block;
}

/* The weight of all events is cut into slices of time where it is known when samples were taken. */
static int slice_weight(struct tree_writer *w, const struct store_facts *facts)
{
	const uint64_t *weight = w->in->tree->values[COLUMN_WEIGHT];
	const struct time_blocks *b = facts->blocks;
	uint64_t size = (b->grid.width + 999999999) / 1000000000, left = 0;
	uint32_t column = 0;

	/* Slices of a node's weight are no more than that, or there are none of any. */
	for (size_t i = 0; i < b->cells.count; i++) {
		const struct block_cell *c = &b->cells.v[i];

		if (i == 0 || c->node != b->cells.v[i - 1].node)
			left = weight[c->node];
		if (c->weight > left || slice_of(b, c->block) >= STORE_SLICES)
			return 0;
		left -= c->weight;
	}
	while (column < w->tables.columns.count && w->from[column] != COLUMN_WEIGHT)
		column++;
	if (!b->cells.count || !weight || column == w->tables.columns.count)
		return 0;
	w->blocks = b;
	w->tables.columns.v[column].has_slices = true;
	for (size_t i = 0; i < b->cells.count; i++)
		if (__builtin_add_overflow(w->tables.columns.v[column].squares,
					   b->cells.v[i].squares,
					   &w->tables.columns.v[column].squares))
			return -EOVERFLOW;
	/* How much was added in which time: by the length of a slice, in whole seconds. */
	for (size_t i = 0; i < b->cells.count && facts->recorded; i++) {
		const struct block_cell *c = &b->cells.v[i];
		uint64_t block = b->grid.grows ? c->block - b->first : c->block, at;
		struct store_period *p = NULL;

		if (!c->weight)
			continue;
		at = facts->recorded + block * b->grid.width / 1000000000;
		at -= at % size;
		for (size_t k = 0; k < w->tables.periods.count && !p; k++)
			if (w->tables.periods.v[k].start == at)
				p = &w->tables.periods.v[k];
		if (!p) {
			p = array_add(&w->tables.periods);
			if (!p)
				return -ENOMEM;
			*p = (struct store_period){
				.start = at,
				.size = size,
				.column = column,
				.decimals = w->tables.columns.v[column].decimals,
			};
		}
		p->sum += c->weight;
	}
	return 0;
}

static int place_stored_nodes(struct tree_writer *w)
{
	const struct named *tree = w->in->tree;
	uint32_t columns = (uint32_t)w->tables.columns.count;
	uint32_t *placed = calloc(tree->nodes.count + 1, sizeof(*placed));
	int err = placed ? placed_init(&w->placed, &w->tables, w->kept_count) : -ENOMEM;
	size_t cell = 0;

	for (uint32_t i = 0; i < tree->nodes.count && err == 0; i++) {
		const struct named_node *n = &tree->nodes.v[i];
		uint32_t frame = w->frame_of[n->function];
		/* A gap's value is its parent's own. */
		uint32_t at = i ? placed[n->parent] : 0;

		if (i && !w->kept[i])
			continue;
		if (i && frame)
			err = placed_child(&w->placed, at, w->map.frames[frame - 1], &at);
		if (err < 0)
			break;
		placed[i] = at;
		for (uint32_t c = 0; c < columns; c++)
			placed_values(&w->placed, at)[w->map.columns[c]] +=
				tree->values[w->from[c]][i];
		for (; w->blocks && cell < w->blocks->cells.count &&
		       w->blocks->cells.v[cell].node <= i;
		     cell++) {
			const struct block_cell *c = &w->blocks->cells.v[cell];

			if (c->node == i && err == 0)
				err = placed_add_slice(&w->placed, at,
						       slice_of(w->blocks, c->block),
						       c->weight);
		}
	}
	if (err == 0 && w->heat) {
		w->tables.has_heat = true;
		err = heat_copy(&w->placed.heat, w->heat);
	}
	if (err == 0 && w->heat)
		err = heat_remap(&w->placed.heat, placed);
	free(placed);
	return err;
}

int store_write_tree(struct context *ctx, const struct tree_source *in,
		     const struct store_facts *facts, FILE *out)
{
	const struct heat *heat = facts->heat;
	struct tree_writer w = {
		.in = in,
		.heat = heat && heat->cells.count <= STORE_HEAT_PAIRS ? heat : NULL,
	};
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
	if (err == 0 && facts->blocks)
		err = slice_weight(&w, facts);
	if (err == 0)
		err = list_frames(&w);
	if (err == 0)
		err = store_tables_sort(&w.tables, &w.map);
	if (err == 0)
		err = place_stored_nodes(&w);
	w.placed.processors = w.heat ? facts->processors : NULL;
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
		err = sink.err ? sink.err : placed_write(&w.placed, &sink, &w.tables);
	store_sink_release(&sink);
	store_tables_release(&w.tables);
	store_map_release(&w.map);
	intern_release(&w.strings);
	placed_release(&w.placed);
	free(w.frame_of);
	free(w.kept);
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
