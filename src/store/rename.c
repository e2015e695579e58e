/*
 * Frames get other names, so their order is another one, and some that differed are one: a stream of nodes
 * would not be sorted any more. The tree is made in memory, each node below what its parent has become.
 *
 *	app;[lib.so] 0x10 2, app;[lib.so] 0x30 3      app;read;inlined 2, app;write 3
 */
#include "store/rename.h"

#include <errno.h>
#include <sys/stat.h>

#include "store/placed.h"

enum { NODES = 64 /* that are unpacked at once */ };

struct rewriter {
	struct context *ctx;
	struct store_source source;
	struct store_unpacker unpacker;
	struct intern strings;
	struct store_origin origin;
	struct store_tables from, to;
	struct store_map from_map, to_map;
	struct store_renaming renaming;
	struct store_node_reader nodes;
	struct placed placed;
	ARRAY(uint32_t) path; /* by depth: the node that came last there */
};

int store_rename_keep(struct store_renaming *r, uint32_t frame, uint32_t *ret)
{
	struct store_frame f = r->from->frames.v[frame];

	if (f.module &&
	    store_add_module(r->to, &r->from->modules.v[f.module], &f.module) < 0)
		return -ENOMEM;
	return store_add_frame(r->to, &f, ret);
}

/* Columns and sums by time stay what they are. */
static int copy_columns(struct rewriter *w)
{
	uint32_t index;
	int err = 0;

	for (size_t i = 0; i < w->from.columns.count && err == 0; i++)
		err = store_add_column(&w->to, &w->from.columns.v[i], &index);
	for (size_t i = 0; i < w->from.periods.count && err == 0; i++) {
		struct store_period *p = array_add(&w->to.periods);

		if (p)
			*p = w->from.periods.v[i];
		err = p ? 0 : -ENOMEM;
	}
	return err < 0 ? fail_memory(w->ctx) : 0;
}

/* Each node is below what its parent has become: where its frames are, and its values with the last of
 * them. It can be written when all have their places. */
static int rewrite_nodes(struct rewriter *w, bool plain, FILE *out)
{
	uint64_t cost = sizeof(struct placed_node) + w->placed.columns * sizeof(uint64_t);
	const uint32_t *start = w->renaming.start;
	const struct store_node *n = &w->nodes.node;
	struct store_sink sink = { 0 };
	int more, err;

	if (store_node_reader_init(&w->nodes, &w->source, &w->unpacker, &w->from_map,
				   NODES) < 0)
		return fail_memory(w->ctx);
	while ((more = store_node_next(w->ctx, &w->nodes)) > 0) {
		size_t before = w->placed.nodes.count;
		uint32_t at = n->depth ? w->path.v[n->depth - 1] : 0;
		uint64_t *values;

		for (uint32_t i = n->depth ? start[n->frame] : 0;
		     n->depth && i < start[n->frame + 1]; i++)
			if (placed_child(&w->placed, at,
					 w->to_map.frames[w->renaming.frames.v[i]],
					 &at) < 0)
				return fail_memory(w->ctx);
		if (w->path.count <= n->depth && !array_add(&w->path))
			return fail_memory(w->ctx);
		w->path.v[n->depth] = at;
		values = placed_values(&w->placed, at);
		for (uint32_t i = 0; i < w->placed.columns; i++)
			values[w->to_map.columns[i]] += n->values[i];
		for (uint32_t k = 0; k < w->nodes.sliced_columns; k++) {
			const uint64_t *from = n->slices + (size_t)k * STORE_SLICES;

			for (uint32_t i = 0; n->sliced[k] >> i; i++)
				if (n->sliced[k] >> i & 1 &&
				    placed_add_slice(&w->placed, at, k * STORE_SLICES + i,
						     from[i]) < 0)
					return fail_memory(w->ctx);
		}
		if (!budget_take(w->ctx->budget, (w->placed.nodes.count - before) * cost))
			return fail(w->ctx, -EFBIG,
				    "to name frames takes more memory than may be taken");
	}
	if (more < 0)
		return more;
	err = store_sink_init(&sink, out, plain, store_tables_flags(&w->to));
	if (err == 0) {
		store_origin_write(&sink, &w->origin, &w->strings);
		err = store_tables_write(&sink, &w->to);
		store_sink_flush(&sink);
	}
	if (err == 0)
		err = sink.err ? sink.err : placed_write(&w->placed, &sink, &w->to);
	store_sink_release(&sink);
	if (err == -ENOMEM)
		return fail_memory(w->ctx);
	return err < 0 ? fail(w->ctx, err, "cannot write: %s", strerror(-err)) : 0;
}

int store_rewrite(struct context *ctx, const struct store_rewriting *how, FILE *out)
{
	struct rewriter w = { .ctx = ctx,
			      .source = { .path = how->name, .by_frames = !how->plain },
			      .renaming = { .from = &w.from, .to = &w.to } };
	struct stat st;
	int err = intern_init(&w.strings);

	if (err == 0)
		err = store_tables_init(&w.from, &w.strings);
	if (err == 0)
		err = store_tables_init(&w.to, &w.strings);
	err = err < 0 || fstat(how->fd, &st) < 0 ? fail_memory(ctx) : 0;
	w.source.file = (struct file){ .fd = how->fd,
				       .path = how->name,
				       .size = err < 0 ? 0 : (uint64_t)st.st_size };
	if (err == 0)
		err = store_source_open(ctx, &w.source, &w.unpacker);
	if (err == 0)
		err = store_origin_read(ctx, &w.source, &w.unpacker, &w.strings,
					&w.origin);
	if (err == 0)
		err = store_tables_read(ctx, &w.source, &w.unpacker, &w.from,
					&w.from_map);
	if (err == 0)
		err = copy_columns(&w);
	w.renaming.start =
		err < 0 ? NULL
			: calloc(w.from.frames.count + 2, sizeof(*w.renaming.start));
	if (err == 0)
		err = w.renaming.start ? how->rename(how->arg, &w.renaming)
				       : fail_memory(ctx);
	if (err == 0 && store_tables_sort(&w.to, &w.to_map) < 0)
		err = fail_memory(ctx);
	if (err == 0 && placed_init(&w.placed, &w.to, 0) < 0)
		err = fail_memory(ctx);
	if (err == 0)
		err = rewrite_nodes(&w, how->plain, out);
	store_node_reader_release(&w.nodes);
	placed_release(&w.placed);
	array_release(&w.path);
	free(w.renaming.start);
	array_release(&w.renaming.frames);
	store_map_release(&w.from_map);
	store_map_release(&w.to_map);
	store_tables_release(&w.from);
	store_tables_release(&w.to);
	store_origin_release(&w.origin);
	intern_release(&w.strings);
	store_source_release(&w.source);
	store_unpacker_release(&w.unpacker);
	return err;
}
