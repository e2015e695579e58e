/*
 * A block is made column by column: steps, low bytes of frames, the rest of them, and the values of
 * each column less what divides all of the block's.
 *
 *	nodes | size step | size low | size high | unit size values | ... | slices | ...
 *
 * A column of zeros has no bytes.
 */
#include <errno.h>

#include "base/array.h"
#include "store/nodes.h"
#include "store/tables.h"

int store_node_writer_init(struct store_node_writer *w, struct store_sink *sink,
			   const struct store_tables *tables)
{
	size_t columns = tables->columns.count, sliced = 0;

	*w = (struct store_node_writer){
		.sink = sink,
		.columns = (uint32_t)columns,
		.follow = calloc(tables->frames.count + 1, sizeof(*w->follow)),
		.values = calloc(columns * STORE_BLOCK + 1, sizeof(*w->values)),
		.slices = calloc(columns + 1, sizeof(*w->slices)),
	};
	for (uint32_t i = 0; w->slices && i < columns; i++)
		if (tables->columns.v[i].has_slices)
			w->slices[sliced++].column = i;
	w->sliced = (uint32_t)sliced;
	/* Depths and frames have 32 bits. */
	if (w->follow && w->values && w->slices &&
	    bytes_reserve(&w->step, 5 * STORE_BLOCK) &&
	    bytes_reserve(&w->low, STORE_BLOCK) &&
	    bytes_reserve(&w->high, 4 * STORE_BLOCK) &&
	    bytes_reserve(&w->column, VARINT_SIZE * STORE_BLOCK))
		return 0;
	store_node_writer_release(w);
	return -ENOMEM;
}

void store_node_writer_release(struct store_node_writer *w)
{
	for (uint32_t i = 0; i < w->sliced && w->slices; i++) {
		bytes_release(&w->slices[i].sliced);
		array_release(&w->slices[i].values);
	}
	free(w->slices);
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

static uint64_t common_divisor(const uint64_t *values, size_t count)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < count && unit != 1; i++)
		for (uint64_t rest = values[i]; rest;) {
			uint64_t next = unit % rest;

			unit = rest;
			rest = next;
		}
	return unit;
}

/* Behind those that are there, for which there is room. */
static inline void put_varint(struct bytes *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		to->v[to->count++] = (uint8_t)(value | 0x80);
	to->v[to->count++] = (uint8_t)value;
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
		for (uint32_t n = 0; unit == 1 && n < w->count; n++)
			put_varint(&w->column, values[n]);
		for (uint32_t n = 0; unit > 1 && n < w->count; n++)
			put_varint(&w->column, values[n] ? values[n] / unit : 0);
		put_bytes(to, &w->column);
	}
	for (uint32_t i = 0; i < w->sliced; i++) {
		struct node_slices *s = &w->slices[i];
		uint64_t unit = common_divisor(s->values.v, s->values.count);

		put_bytes(to, &s->sliced);
		bytes_varint(to, unit);
		if (s->values.count &&
		    !bytes_reserve(&w->column, s->values.count * VARINT_SIZE))
			w->step.failed = true;
		for (size_t n = 0; n < s->values.count && !w->column.failed; n++)
			put_varint(&w->column, s->values.v[n] / unit);
		put_bytes(to, &w->column);
		s->values.count = 0;
	}
	store_sink_end_section(w->sink, SECTION_NODES);
	store_sink_flush(w->sink);
	w->count = 0;
}

void store_node_add(struct store_node_writer *w, const struct store_node *node)
{
	uint32_t depth = node->depth, frame = node->frame;

	if (w->path.count <= depth) {
		if (w->step.failed || !array_reserve(&w->path, 1)) {
			w->step.failed = true;
			return;
		}
		w->path.count++;
	}
	if (depth == w->depth + 1) {
		uint32_t *follow = &w->follow[w->path.v[depth - 1]];

		w->step.v[w->step.count++] = *follow != frame;
		if (*follow != frame) {
			w->low.v[w->low.count++] = (uint8_t)frame;
			put_varint(&w->high, frame >> 8);
		}
		*follow = frame;
	} else if (depth) {
		uint32_t skipped = frame - w->path.v[depth] - 1;

		put_varint(&w->step, (uint64_t)(w->depth + 1 - depth) + 1);
		w->low.v[w->low.count++] = (uint8_t)skipped;
		put_varint(&w->high, skipped >> 8);
	}
	w->path.v[depth] = frame;
	w->depth = depth;
	for (uint32_t i = 0; i < w->columns; i++)
		w->values[(size_t)i * STORE_BLOCK + w->count] = node->values[i];
	for (uint32_t i = 0; i < w->sliced; i++) {
		struct node_slices *s = &w->slices[i];
		uint32_t bits = node->sliced ? node->sliced[i] : 0;

		if (!node->values[s->column])
			continue;
		bytes_varint(&s->sliced, bits);
		if (!array_reserve(&s->values, STORE_SLICES)) {
			w->step.failed = true;
			break;
		}
		for (uint32_t k = 0; k < STORE_SLICES; k++)
			if (bits >> k & 1)
				s->values.v[s->values.count++] =
					node->slices[(size_t)i * STORE_SLICES + k];
	}
	w->nodes++;
	if (++w->count == STORE_BLOCK)
		end_block(w);
}

int store_node_end(struct store_node_writer *w)
{
	struct store_sink *sink = w->sink;

	if (w->count)
		end_block(w);
	sink->section.failed |= w->step.failed || w->column.failed;
	if (w->heat) {
		bytes_add(&sink->section, w->heat->v, w->heat->count);
		store_sink_end_section(sink, SECTION_HEAT);
		store_sink_flush(sink);
	}
	bytes_varint(&sink->section, w->nodes);
	store_sink_end_section(sink, SECTION_END);
	store_sink_flush(sink);
	return sink->err;
}
