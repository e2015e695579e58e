/*
 * Heat as columns of a picture's data (tree/encode_heat.c), whose nodes are numbered as the view is walked.
 */
#include "write/heat.h"

#include <errno.h>
#include <flamefold_time.h>
#include <stdlib.h>

const struct heat *heat_of_picture(const struct write_options *options,
				   const struct tree_source *in)
{
	const struct heat *h = options->heat;

	if (!heat_is_wanted(h) || in->in_order || options->difference)
		return NULL;
	return heat_reach(h) >= FF_HEAT_LEAST ? h : NULL;
}

int heat_add_columns(struct bytes *columns, const struct write_options *options,
		     const struct tree_source *in, const struct view *data)
{
	struct heat placed = { 0 };
	bool is_all = data->nodes.count == in->tree->nodes.count;
	const struct heat *h = is_all ? options->heat : &placed;
	const struct heat *by_processor = options->processors;
	struct bytes *phases = &columns[SAVED_HEAT_PHASES];
	uint32_t *order = malloc(data->nodes.count * sizeof(*order)), *places = NULL;
	uint32_t *depth = malloc(data->nodes.count * sizeof(*depth));
	struct view_walk w = { 0 };
	size_t count = 0;
	int err = order && depth ? 0 : -ENOMEM;

	/* A view has the nodes with stacks alone. */
	if (err == 0 && !is_all)
		err = view_places(in, &places);
	if (err == 0 && !is_all)
		err = heat_copy(&placed, options->heat);
	if (err == 0 && !is_all)
		err = heat_remap(&placed, places);
	/* Data are numbered as a walk comes to nodes, which is not how the tree has them. */
	if (err == 0) {
		do {
			order[count] = w.node;
			depth[count++] = w.depth;
		} while (view_next(data, &w, VIEW_INTO));
		err = saved_heat_encode(&columns[SAVED_HEAT], h,
					&(struct heat_nodes){ count, order, depth });
	}
	if (err == 0 && heat_is_wanted(by_processor) && by_processor->cells.count)
		err = saved_processors_encode(&columns[SAVED_PROCESSORS], by_processor);
	for (size_t i = 0; i < options->phase_count && err == 0; i++) {
		const struct ff_phase *p = &options->phases[i];

		bytes_varint(phases, p->start / h->width);
		bytes_varint(phases, p->end / h->width);
		bytes_add(phases, p->name, strlen(p->name) + 1);
	}
	free(order);
	free(depth);
	free(places);
	heat_release(&placed);
	return err;
}
