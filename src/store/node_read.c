/*
 * A node is a byte or two of each column, which cursors go along; only what the next node refers to
 * is kept: the frames on the way down to the last one, and what followed each frame.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "store/nodes.h"
#include "store/tables.h"

int store_node_reader_init(struct store_node_reader *r, struct store_source *source,
			   struct store_unpacker *u, const struct store_map *map)
{
	uint32_t frames = map->frame_count, columns = map->column_count;

	*r = (struct store_node_reader){
		.source = source,
		.unpacker = u,
		.frames = frames,
		.columns = columns,
		.totals = map->totals,
		.follow = calloc((size_t)frames + 1, sizeof(*r->follow)),
		.sums = calloc((size_t)columns + 1, sizeof(*r->sums)),
		.values = calloc((size_t)columns + 1, sizeof(*r->values)),
		.with_values = calloc((size_t)columns + 1, sizeof(*r->with_values)),
	};
	r->node.values = r->values;
	if (r->follow && r->sums && r->values && r->with_values)
		return 0;
	store_node_reader_release(r);
	return -ENOMEM;
}

void store_node_reader_release(struct store_node_reader *r)
{
	free(r->follow);
	free(r->sums);
	free(r->values);
	free(r->with_values);
	free(r->path.v);
	*r = (struct store_node_reader){ 0 };
}

static int damaged(struct context *ctx, struct store_node_reader *r, const char *why)
{
	return store_damaged(ctx, r->source, &r->section, why);
}

static struct cursor take_column(struct cursor *c)
{
	uint64_t size = cursor_varint(c);
	const void *bytes = NULL;

	if (size <= cursor_left(c))
		bytes = cursor_bytes(c, (size_t)size);
	c->bad |= !bytes;
	return cursor_of(bytes, (size_t)size);
}

/* All columns of a block have been read to their ends, and no further. */
static bool block_is_whole(const struct store_node_reader *r)
{
	size_t left =
		cursor_left(&r->step) + cursor_left(&r->low) + cursor_left(&r->high);
	bool bad = r->step.bad || r->low.bad || r->high.bad;

	for (uint32_t i = 0; i < r->valued; i++) {
		left += cursor_left(&r->with_values[i].values);
		bad |= r->with_values[i].values.bad;
	}
	return left == 0 && !bad;
}

/* 1, 0 at the end of all blocks, or a negative errno. */
static int next_node_block(struct context *ctx, struct store_node_reader *r)
{
	struct cursor *c = &r->section.payload;
	uint64_t count;
	int err;

	if (r->nodes && !block_is_whole(r))
		return damaged(ctx, r, "a block of nodes is not as long as it says");
	err = store_source_next(ctx, r->source, r->unpacker, &r->section);
	if (err < 0)
		return err;
	/* As many nodes, and as much of each column, as were read. */
	if (r->section.id == SECTION_END) {
		bool same = cursor_varint(c) == r->nodes && r->nodes > 0;

		for (uint32_t i = 0; i < r->columns; i++)
			same &= r->sums[i] == r->totals[i];
		if (!same || c->bad || cursor_left(c))
			return damaged(ctx, r, "its nodes are not those that it says");
		return store_source_at_end(ctx, r->source, r->unpacker);
	}
	if (r->section.id != SECTION_NODES)
		return damaged(ctx, r, "sections are not in their order");
	count = cursor_varint(c);
	r->step = take_column(c);
	r->low = take_column(c);
	r->high = take_column(c);
	r->valued = 0;
	memset(r->values, 0, r->columns * sizeof(*r->values));
	for (uint32_t i = 0; i < r->columns; i++) {
		struct store_node_column *column = &r->with_values[r->valued];

		*column = (struct store_node_column){ .unit = cursor_varint(c),
						      .column = i };
		column->values = take_column(c);
		if (!column->unit != !cursor_left(&column->values))
			c->bad = true;
		r->valued += column->unit > 0;
	}
	/* A node is a byte of steps, but for the root. */
	if (c->bad || cursor_left(c) || count == 0 || count > STORE_BLOCK ||
	    cursor_left(&r->step) < count - !r->nodes)
		return damaged(ctx, r, "a block of nodes cannot be so");
	r->left = (uint32_t)count;
	return 1;
}

/* A number of a byte, as most are, or of more. */
static inline uint64_t next_varint(struct cursor *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return cursor_varint(c);
}

int store_node_next(struct context *ctx, struct store_node_reader *r)
{
	struct store_node *node = &r->node;
	uint32_t depth = 0;
	uint64_t frame = 0;

	if (r->left == 0) {
		int more = next_node_block(ctx, r);

		if (more <= 0)
			return more;
	}
	if (r->nodes) {
		uint64_t step = next_varint(&r->step);
		uint32_t *follow;

		if (step > (uint64_t)node->depth + 1)
			return damaged(ctx, r, "a node is above the root");
		depth = node->depth + 1 - (step > 1 ? (uint32_t)step - 1 : 0);
		follow = &r->follow[r->path.v[depth - 1]];
		frame = *follow;
		if (step) {
			uint64_t low = cursor_u8(&r->low), high = next_varint(&r->high);

			frame = high <= r->frames >> 8 ? high << 8 | low : r->frames;
			/* Of a sibling it is told how many it skips. */
			if (step > 1)
				frame += (uint64_t)r->path.v[depth] + 1;
		}
		if (frame == 0 || frame >= r->frames)
			return damaged(ctx, r, "a node has no frame");
		if (step <= 1)
			*follow = (uint32_t)frame;
	}
	if (r->path.count <= depth) {
		if (depth == UINT32_MAX || !array_reserve(&r->path, 1))
			return fail_memory(ctx);
		r->path.count++;
	}
	r->path.v[depth] = (uint32_t)frame;
	node->depth = depth;
	node->frame = (uint32_t)frame;
	r->nodes++;
	r->left--;
	r->has_value = false;
	for (uint32_t i = 0; i < r->valued; i++) {
		struct store_node_column *column = &r->with_values[i];
		uint64_t value = next_varint(&column->values);
		uint64_t *sum = &r->sums[column->column];

		r->values[column->column] = 0;
		if (!value)
			continue;
		if (__builtin_mul_overflow(value, column->unit, &value) ||
		    __builtin_add_overflow(*sum, value, sum))
			return damaged(ctx, r,
				       "its values, or their sum, are more than 2^64");
		r->values[column->column] = value;
		r->has_value = true;
	}
	return 1;
}
