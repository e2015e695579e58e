/*
 * A block is made column by column: steps, low bytes of frames, the rest of them, and the values of
 * each column less what divides all of the block's.
 *
 *	nodes | size step | size low | size high | unit size values | unit size values | ...
 *
 * A column of zeros has no bytes.
 */
#include <errno.h>

#include "base/array.h"
#include "store/nodes.h"

int store_node_writer_init(struct store_node_writer *w, struct store_sink *sink,
			   uint32_t frames, uint32_t columns)
{
	*w = (struct store_node_writer){
		.sink = sink,
		.columns = columns,
		.follow = calloc((size_t)frames + 1, sizeof(*w->follow)),
		.values = calloc((size_t)columns * STORE_BLOCK + 1, sizeof(*w->values)),
	};
	if (w->follow && w->values)
		return 0;
	store_node_writer_release(w);
	return -ENOMEM;
}

void store_node_writer_release(struct store_node_writer *w)
{
	free(w->follow);
	free(w->values);
	free(w->path.v);
	bytes_release(&w->step);
	bytes_release(&w->low);
	bytes_release(&w->high);
	bytes_release(&w->column);
	*w = (struct store_node_writer){ 0 };
}

static void put_bytes(struct bytes *to, struct bytes *from)
{
	bytes_varint(to, from->count);
	bytes_add(to, from->v, from->count);
	to->failed |= from->failed;
	from->count = 0;
}

static uint64_t common_divisor(const uint64_t *values, uint32_t count)
{
	uint64_t unit = 0;

	for (uint32_t i = 0; i < count && unit != 1; i++)
		for (uint64_t rest = values[i]; rest;) {
			uint64_t next = unit % rest;

			unit = rest;
			rest = next;
		}
	return unit;
}

static void end_block(struct store_node_writer *w)
{
	struct bytes *to = &w->sink->section;

	bytes_varint(to, w->count);
	put_bytes(to, &w->step);
	put_bytes(to, &w->low);
	put_bytes(to, &w->high);
	for (uint32_t i = 0; i < w->columns; i++) {
		const uint64_t *values = w->values + (size_t)i * STORE_BLOCK;
		uint64_t unit = common_divisor(values, w->count);

		bytes_varint(to, unit);
		for (uint32_t n = 0; unit && n < w->count; n++)
			bytes_varint(&w->column, values[n] ? values[n] / unit : 0);
		put_bytes(to, &w->column);
	}
	store_sink_end_section(w->sink, SECTION_NODES);
	store_sink_flush(w->sink);
	w->count = 0;
}

void store_node_add(struct store_node_writer *w, const struct store_node *node)
{
	uint32_t depth = node->depth, frame = node->frame;
	uint32_t *follow = depth ? &w->follow[w->path.v[depth - 1]] : NULL;

	if (w->path.count <= depth) {
		if (!array_reserve(&w->path, 1)) {
			w->step.failed = true;
			return;
		}
		w->path.count++;
	}
	if (follow && depth == w->depth + 1) {
		bytes_u8(&w->step, *follow != frame);
		if (*follow != frame) {
			bytes_u8(&w->low, (uint8_t)frame);
			bytes_varint(&w->high, frame >> 8);
		}
		*follow = frame;
	} else if (follow) {
		uint32_t skipped = frame - w->path.v[depth] - 1;

		bytes_varint(&w->step, (uint64_t)(w->depth + 1 - depth) + 1);
		bytes_u8(&w->low, (uint8_t)skipped);
		bytes_varint(&w->high, skipped >> 8);
	}
	w->path.v[depth] = frame;
	w->depth = depth;
	for (uint32_t i = 0; i < w->columns; i++)
		w->values[(size_t)i * STORE_BLOCK + w->count] = node->values[i];
	w->nodes++;
	if (++w->count == STORE_BLOCK)
		end_block(w);
}

int store_node_end(struct store_node_writer *w)
{
	struct store_sink *sink = w->sink;

	if (w->count)
		end_block(w);
	bytes_varint(&sink->section, w->nodes);
	store_sink_end_section(sink, SECTION_END);
	store_sink_flush(sink);
	return sink->err;
}
