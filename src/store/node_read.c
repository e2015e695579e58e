/*
 * A node is a byte or two of each column, which cursors go along; only what the next node refers to
 * is kept: the frames on the way down to the last one, and what followed each frame. Some nodes are
 * unpacked at a time, so that each loop keeps its cursor in a register.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "store/nodes.h"
#include "store/tables.h"

enum { COLUMNS_FEW = 4 };

/*
 * Nodes that are unpacked at a time are fewer where there are many columns, so that their values stay in the cache.
 * A list of frames' numbers is made only if a number of the file is not that of the merged tables: most files are
 * read alone, and all numbers are their own then.
 */
int store_node_reader_init(struct store_node_reader *r, struct store_source *source,
			   struct store_unpacker *u, const struct store_map *map,
			   uint32_t some)
{
	uint32_t columns = map->column_count, room = COLUMNS_FEW * some / (columns + 1);
	uint64_t most = 5 * (uint64_t)STORE_BLOCK;
	bool has_own_numbers = false;

	room = room > some ? some : room ? room : 1;
	*r = (struct store_node_reader){
		.source = source,
		.unpacker = u,
		.frame_count = map->frame_count,
		.columns = columns,
		.totals = map->totals,
		.room = room,
		.first = calloc((size_t)map->frame_count + 1, sizeof(*r->first)),
		.sums = calloc((size_t)columns + 1, sizeof(*r->sums)),
		.values = calloc((size_t)columns * room + 1, sizeof(*r->values)),
		.with_values = calloc((size_t)columns + 1, sizeof(*r->with_values)),
		.keys = calloc(room, sizeof(*r->keys)),
		.has_value = calloc(room, 1),
	};
	for (uint32_t i = 0; map->has_slices && i < columns; i++)
		r->sliced_columns += map->has_slices[i];
	if (r->sliced_columns) {
		size_t count = r->sliced_columns;

		r->with_slices = calloc(count, sizeof(*r->with_slices));
		r->sliced = calloc(count, sizeof(*r->sliced));
		r->slices = calloc(count * STORE_SLICES, sizeof(*r->slices));
	}
	for (uint32_t i = 1; map->frames && !has_own_numbers && i < map->frame_count; i++)
		has_own_numbers = map->frames[i] != i;
	if (has_own_numbers)
		r->to = malloc(((size_t)map->frame_count + 1) * sizeof(*r->to));
	if (!r->first || (has_own_numbers && !r->to) || !r->sums || !r->values ||
	    !r->with_values || !r->keys || !r->has_value ||
	    (r->sliced_columns && (!r->with_slices || !r->sliced || !r->slices))) {
		store_node_reader_release(r);
		return -ENOMEM;
	}
	for (uint32_t i = 0; r->to && i < map->frame_count; i++)
		r->to[i] = i ? map->frames[i] : 0;
	for (uint32_t i = 0, at = 0; r->sliced_columns && i < columns; i++)
		if (map->has_slices[i])
			r->with_slices[at++].column = i;
	/* As large as a section of nodes can be, each number as long as any. */
	most += (VARINT_SIZE + 1) + 2 * VARINT_SIZE;
	most += VARINT_SIZE * (uint64_t)STORE_BLOCK * (1 + columns);
	most += (STORE_SLICES * VARINT_SIZE + 3) * (uint64_t)STORE_BLOCK *
		r->sliced_columns;
	most += 4096;
	source->section_most = source->flags & STORE_ANY_HEAT && most < STORE_HEAT_MOST
				       ? STORE_HEAT_MOST
				       : most;
	return 0;
}

void store_node_reader_release(struct store_node_reader *r)
{
	free(r->first);
	free(r->to);
	free(r->sums);
	free(r->values);
	free(r->with_values);
	free(r->keys);
	free(r->has_value);
	free(r->with_slices);
	free(r->sliced);
	free(r->slices);
	free(r->path.v);
	bytes_release(&r->heat);
	*r = (struct store_node_reader){ 0 };
}

static int damaged(struct context *ctx, struct store_node_reader *r, const char *why)
{
	return store_damaged(ctx, r->source, &r->section, why);
}

/* The next column of a section, which says its size before it. One that is cut is empty, and the section bad: who
 * has taken all of them asks for that once. */
static struct cursor take_column(struct cursor *c)
{
	uint64_t size = cursor_varint(c);
	const void *bytes = NULL;

	if (size <= cursor_left(c))
		bytes = cursor_bytes(c, (size_t)size);
	c->bad |= !bytes;
	return cursor_of(bytes, (size_t)size);
}

/*
 * Times, if there are any, are behind all nodes and before the end. They are only kept here, for who asks for them:
 * to read them takes the tree that these nodes become. Those of flag 4 are in a form that nothing reads any more,
 * and are passed over like a section that nobody wants.
 *
 * 1, 0 at the end of all blocks, or a negative errno.
 */
static int next_node_block(struct context *ctx, struct store_node_reader *r)
{
	struct cursor *c = &r->section.payload;
	uint64_t count;
	int err;

	err = store_source_next(ctx, r->source, r->unpacker, &r->section);
	if (err < 0)
		return err;
	if (r->section.id == SECTION_HEAT) {
		if (!(r->source->flags & STORE_ANY_HEAT) || r->has_heat || !r->nodes ||
		    cursor_left(c) > STORE_HEAT_MOST)
			return damaged(ctx, r, "sections are not in their order");
		r->has_heat = true;
		if (r->wants_heat && r->source->flags & STORE_HEAT)
			bytes_add(&r->heat, c->p, cursor_left(c));
		if (r->heat.failed)
			return fail_memory(ctx);
		err = store_source_next(ctx, r->source, r->unpacker, &r->section);
		if (err < 0)
			return err;
		if (r->section.id != SECTION_END)
			return damaged(ctx, r, "sections are not in their order");
	}
	/* As many nodes, and as much of each column, as were read. */
	if (r->section.id == SECTION_END) {
		bool same = cursor_varint(c) == r->nodes && r->nodes > 0;

		same &= r->has_heat == !!(r->source->flags & STORE_ANY_HEAT);

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
	memset(r->values, 0, (size_t)r->columns * r->room * sizeof(*r->values));
	for (uint32_t i = 0; i < r->columns; i++) {
		struct store_node_column *column = &r->with_values[r->valued];

		*column = (struct store_node_column){ .unit = cursor_varint(c),
						      .column = i };
		column->values = take_column(c);
		if (!column->unit != !cursor_left(&column->values))
			c->bad = true;
		r->valued += column->unit > 0;
	}
	for (uint32_t i = 0; i < r->sliced_columns; i++) {
		struct reader_slices *s = &r->with_slices[i];

		s->sliced = take_column(c);
		s->unit = cursor_varint(c);
		s->values = take_column(c);
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

/* Where @count nodes are, from .depth on: their keys. What they are called by whoever reads is looked up
 * behind that: these look-ups wait for memory together, and no node waits for them. */
static int unpack_places(struct context *ctx, struct store_node_reader *r, uint32_t count)
{
	struct cursor steps = r->step, lows = r->low, highs = r->high;
	uint32_t depth = r->depth, most = r->frame_count;
	uint32_t i = 0, *path = r->path.v, *first = r->first;
	const uint32_t *to = r->to;
	uint64_t *keys = r->keys;

	if (r->nodes == 0) {
		if (!array_reserve(&r->path, 1))
			return fail_memory(ctx);
		path = r->path.v;
		path[0] = 0;
		r->path.count = 1;
		keys[i++] = store_node_key(0, 0);
	}
	for (; i < count; i++) {
		uint64_t step = next_varint(&steps), frame;
		uint32_t *above;

		if (step > (uint64_t)depth + 1)
			return damaged(ctx, r, "a node is above the root");
		depth = depth + 1 - (step > 1 ? (uint32_t)step - 1 : 0);
		above = &first[path[depth - 1]];
		if (step) {
			uint64_t low = cursor_u8(&lows), high = next_varint(&highs);

			frame = high <= most >> 8 ? high << 8 | low : most;
			/* Of a sibling it is told how many it skips. */
			if (step > 1)
				frame += (uint64_t)path[depth] + 1;
		} else {
			frame = *above;
		}
		if (frame == 0 || frame >= most)
			return damaged(ctx, r, "a node has no frame");
		if (step == 1)
			*above = (uint32_t)frame;
		if (r->path.count <= depth) {
			if (depth == UINT32_MAX || !array_reserve(&r->path, 1))
				return fail_memory(ctx);
			r->path.count++;
			path = r->path.v;
		}
		path[depth] = (uint32_t)frame;
		keys[i] = store_node_key(depth, (uint32_t)frame);
	}
	for (i = 0; to && i < count; i++)
		keys[i] = keys[i] >> 32 << 32 | to[(uint32_t)keys[i]];
	r->depth = depth;
	r->step = steps;
	r->low = lows;
	r->high = highs;
	return 0;
}

/* The values of @count nodes in one column, eight at a time where each is a byte, as most are. */
static bool unpack_values(struct store_node_reader *r, struct store_node_column *column,
			  uint32_t count)
{
	const uint64_t eighth = 0x0101010101010101;
	uint64_t *to = r->values + column->column, unit = column->unit;
	uint64_t sum = r->sums[column->column];
	struct cursor from = column->values;
	bool overflow = false, small = unit <= UINT64_MAX / 8 / 0x7f;
	uint32_t i = 0;

	while (i < count) {
		uint64_t bytes = 0x80, has, value;

		if (small && count - i >= 8 && cursor_left(&from) >= 8)
			memcpy(&bytes, from.p, sizeof(bytes));
		if (bytes & eighth * 0x80) {
			value = next_varint(&from);
			overflow |= __builtin_mul_overflow(value, unit, &value);
			overflow |= __builtin_add_overflow(sum, value, &sum);
			*to = value;
			to += r->columns;
			r->has_value[i++] |= value != 0;
			continue;
		}
		/* With 0x7f added a byte has its high bit set where it is not 0. */
		memcpy(&has, &r->has_value[i], sizeof(has));
		has |= (bytes + eighth * 0x7f) >> 7 & eighth;
		memcpy(&r->has_value[i], &has, sizeof(has));
		value = 0;
		for (unsigned k = 0; k < 8; k++, to += r->columns) {
			*to = (bytes >> 8 * k & 0xff) * unit;
			value += *to;
		}
		overflow |= __builtin_add_overflow(sum, value, &sum);
		from.p += 8;
		i += 8;
	}
	column->values = from;
	r->sums[column->column] = sum;
	return !overflow;
}

int store_node_fill(struct context *ctx, struct store_node_reader *r)
{
	uint32_t count;
	int err;

	r->at = r->count = 0;
	/* All columns of a block have been read to their ends, and no further. */
	if (r->left == 0 && r->nodes) {
		size_t left = cursor_left(&r->step) + cursor_left(&r->low) +
			      cursor_left(&r->high);
		bool bad = r->step.bad || r->low.bad || r->high.bad;

		for (uint32_t i = 0; i < r->valued; i++) {
			left += cursor_left(&r->with_values[i].values);
			bad |= r->with_values[i].values.bad;
		}
		for (uint32_t i = 0; i < r->sliced_columns; i++) {
			const struct reader_slices *s = &r->with_slices[i];

			left += cursor_left(&s->sliced) + cursor_left(&s->values);
			bad |= s->sliced.bad || s->values.bad;
		}
		if (left || bad)
			return damaged(ctx, r,
				       "a block of nodes is not as long as it says");
	}
	if (r->left == 0 && (err = next_node_block(ctx, r)) <= 0)
		return err;
	count = r->left < r->room ? r->left : r->room;
	err = unpack_places(ctx, r, count);
	if (err < 0)
		return err;
	memset(r->has_value, 0, count);
	for (uint32_t k = 0; k < r->valued; k++)
		if (!unpack_values(r, &r->with_values[k], count))
			return damaged(ctx, r,
				       "its values, or their sum, are more than 2^64");
	r->nodes += count;
	r->left -= count;
	r->count = count;
	return 1;
}

int store_node_slices(struct context *ctx, struct store_node_reader *r)
{
	const uint64_t *values = r->values + (size_t)r->at * r->columns;

	for (uint32_t k = 0; k < r->sliced_columns; k++) {
		struct reader_slices *from = &r->with_slices[k];
		uint64_t *to = r->slices + (size_t)k * STORE_SLICES;
		uint64_t left = values[from->column], bits;

		bits = left ? next_varint(&from->sliced) : 0;
		r->sliced[k] = (uint32_t)bits;
		if (bits >> STORE_SLICES)
			return damaged(ctx, r, "a slice of time is behind the last one");
		for (uint32_t i = 0; bits; i++, bits >>= 1) {
			if (!(bits & 1))
				continue;
			to[i] = next_varint(&from->values);
			/* All slices of a value are no more than that. */
			if (__builtin_mul_overflow(to[i], from->unit, &to[i]) ||
			    to[i] == 0 || to[i] > left)
				return damaged(
					ctx, r,
					"slices of time are more than their value");
			left -= to[i];
		}
	}
	return 1;
}

int store_node_next(struct context *ctx, struct store_node_reader *r)
{
	int more = 1;

	if (++r->at >= r->count)
		more = store_node_fill(ctx, r);
	if (more > 0 && r->sliced_columns)
		more = store_node_slices(ctx, r);
	if (more > 0)
		r->node = (struct store_node){
			.depth = UINT32_MAX - (uint32_t)(r->keys[r->at] >> 32),
			.frame = (uint32_t)r->keys[r->at],
			.values = r->values + (size_t)r->at * r->columns,
			.sliced = r->sliced,
			.slices = r->slices,
		};
	return more;
}
