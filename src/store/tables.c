/*
 * Adding, and sorting. Strings have the order of their bytes, modules that of their names and build
 * ids, frames that of their names, modules and kinds, columns that of their texts.
 *
 * Who adds tables of many files keeps for each of these where its frames went, and asks the map of
 * store_tables_sort() where they are in the end: the order of one file is that of all.
 */
#include "store/tables.h"

#include <errno.h>

void store_map_release(struct store_map *m)
{
	free(m->frames);
	free(m->columns);
	free(m->totals);
	free(m->decimals);
	free(m->has_slices);
	*m = (struct store_map){ 0 };
}

int store_tables_init(struct store_tables *t, struct intern *strings)
{
	*t = (struct store_tables){ .strings = strings };
	return array_add(&t->modules) && array_add(&t->frames) ? 0 : -ENOMEM;
}

void store_tables_release(struct store_tables *t)
{
	array_release(&t->modules);
	array_release(&t->frames);
	array_release(&t->columns);
	array_release(&t->periods);
	array_release(&t->last_strings);
	array_release(&t->last_frames);
	array_release(&t->last_places);
	hash_release(&t->modules_by_key);
	hash_release(&t->frames_by_key);
}

int store_add_module(struct store_tables *t, const struct store_module *module,
		     uint32_t *ret)
{
	uint64_t hash = hash_step(hash_bytes(module->build_id, module->build_id_size),
				  module->name);
	uint64_t at = hash_start(hash);
	struct store_module *slot;

	while ((*ret = hash_find(&t->modules_by_key, hash, &at)) != HASH_NONE) {
		slot = &t->modules.v[*ret];
		if (slot->name == module->name &&
		    slot->build_id_size == module->build_id_size &&
		    memcmp(slot->build_id, module->build_id, slot->build_id_size) == 0)
			return 0;
	}
	*ret = (uint32_t)t->modules.count;
	slot = array_add(&t->modules);
	if (!slot || !hash_add(&t->modules_by_key, hash, *ret))
		return -ENOMEM;
	*slot = *module;
	return 0;
}

int store_add_frame(struct store_tables *t, const struct store_frame *frame,
		    uint32_t *ret)
{
	uint64_t hash = hash_step(
		hash_step(hash_step(hash_secret.key, frame->name), frame->module),
		frame->kind + (frame->address << 8));
	uint64_t at = hash_start(hash);
	struct store_frame *slot;

	while ((*ret = hash_find(&t->frames_by_key, hash, &at)) != HASH_NONE) {
		slot = &t->frames.v[*ret];
		if (slot->name == frame->name && slot->module == frame->module &&
		    slot->kind == frame->kind && slot->address == frame->address)
			return 0;
	}
	if (t->frames.count >= UINT32_MAX - 1)
		return -ENOMEM;
	*ret = (uint32_t)t->frames.count;
	slot = array_add(&t->frames);
	if (!slot || !hash_add(&t->frames_by_key, hash, *ret))
		return -ENOMEM;
	*slot = *frame;
	return 0;
}

int store_add_column(struct store_tables *t, const struct store_column *column,
		     uint32_t *ret)
{
	uint64_t total = column->total;
	unsigned __int128 squares = column->squares;
	struct store_column *slot;
	bool overflow = false;

	for (*ret = 0; *ret < t->columns.count; ++*ret) {
		slot = &t->columns.v[*ret];
		if (slot->event != column->event || slot->unit != column->unit ||
		    slot->name != column->name || slot->own_unit != column->own_unit ||
		    slot->side != column->side || slot->sum != column->sum ||
		    slot->makes_stacks != column->makes_stacks)
			continue;
		/* In units of the last decimal of either. */
		for (; slot->decimals < column->decimals; slot->decimals++) {
			overflow |= __builtin_mul_overflow(slot->total, 10, &slot->total);
			overflow |= __builtin_mul_overflow(slot->squares, 100,
							   &slot->squares);
		}
		for (unsigned i = column->decimals; i < slot->decimals; i++) {
			overflow |= __builtin_mul_overflow(total, 10, &total);
			overflow |= __builtin_mul_overflow(squares, 100, &squares);
		}
		slot->has_slices |= column->has_slices;
		overflow |=
			__builtin_add_overflow(slot->squares, squares, &slot->squares);
		overflow |= __builtin_add_overflow(slot->total, total, &slot->total);
		return overflow ? -EOVERFLOW : 0;
	}
	if (t->columns.count == STORE_COLUMNS_MOST)
		return -E2BIG;
	slot = array_add(&t->columns);
	if (!slot)
		return -ENOMEM;
	*slot = *column;
	return 0;
}

unsigned store_tables_flags(const struct store_tables *t)
{
	unsigned flags = t->has_heat ? STORE_HEAT : 0;

	for (size_t i = 0; i < t->frames.count; i++)
		flags |= t->frames.v[i].address ? STORE_ADDRESSES : 0;
	for (size_t i = 0; i < t->columns.count; i++)
		flags |= t->columns.v[i].has_slices ? STORE_TIME_SLICES : 0;
	return flags;
}

/* By content: what compares rows. Strings have their ranks by then, and modules theirs. */
struct table_order {
	const struct store_tables *tables;
	const uint32_t *strings; /* by string id: its rank */
	const uint32_t *modules; /* by index: their ranks */
};

static int compare_table_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_string_ids(const void *a, const void *b, void *arg)
{
	const struct intern *strings = arg;

	return strcmp(intern_text(strings, *(const uint32_t *)a),
		      intern_text(strings, *(const uint32_t *)b));
}

static int compare_module_rows(const void *a, const void *b, void *arg)
{
	const struct table_order *by = arg;
	const struct store_module *x = &by->tables->modules.v[*(const uint32_t *)a];
	const struct store_module *y = &by->tables->modules.v[*(const uint32_t *)b];
	int order = compare_table_numbers(by->strings[x->name], by->strings[y->name]);

	if (order == 0)
		order = compare_table_numbers(x->build_id_size, y->build_id_size);
	return order ? order : memcmp(x->build_id, y->build_id, x->build_id_size);
}

static int compare_frame_rows(const void *a, const void *b, void *arg)
{
	const struct table_order *by = arg;
	const struct store_frame *x = &by->tables->frames.v[*(const uint32_t *)a];
	const struct store_frame *y = &by->tables->frames.v[*(const uint32_t *)b];
	int order = compare_table_numbers(by->strings[x->name], by->strings[y->name]);

	if (order == 0)
		order = compare_table_numbers(by->modules[x->module],
					      by->modules[y->module]);
	if (order == 0)
		order = compare_table_numbers(x->kind, y->kind);
	return order ? order : compare_table_numbers(x->address, y->address);
}

int store_column_order(const struct intern *strings, const struct store_column *x,
		       const struct store_column *y)
{
	const uint32_t texts[][2] = { { x->event, y->event },
				      { x->unit, y->unit },
				      { x->name, y->name },
				      { x->own_unit, y->own_unit } };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i][0] != texts[i][1])
			return compare_string_ids(&texts[i][0], &texts[i][1],
						  (void *)strings);
	return compare_table_numbers(
		(uint64_t)x->side << 16 | x->sum << 8 | x->makes_stacks,
		(uint64_t)y->side << 16 | y->sum << 8 | y->makes_stacks);
}

static int compare_column_rows(const void *a, const void *b, void *arg)
{
	const struct store_tables *t = ((const struct table_order *)arg)->tables;

	return store_column_order(t->strings, &t->columns.v[*(const uint32_t *)a],
				  &t->columns.v[*(const uint32_t *)b]);
}

int store_period_order(const struct store_period *x, const struct store_period *y)
{
	int order = compare_table_numbers(x->start, y->start);

	if (order == 0)
		order = compare_table_numbers(x->size, y->size);
	return order ? order : compare_table_numbers(x->column, y->column);
}

static int compare_periods(const void *a, const void *b)
{
	return store_period_order(a, b);
}

/* Rows in their order, and where each is in it. */
struct ranking {
	uint32_t *order, *rank;
};

/* Of @count rows those before @first stay. */
static int rank_rows(uint32_t first, uint32_t count,
		     int (*compare)(const void *, const void *, void *), void *arg,
		     struct ranking *ret)
{
	ret->order = malloc(((size_t)count + 1) * sizeof(*ret->order));
	ret->rank = malloc(((size_t)count + 1) * sizeof(*ret->rank));
	if (!ret->order || !ret->rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		ret->order[i] = i;
	if (count > first)
		qsort_r(ret->order + first, count - first, sizeof(*ret->order), compare,
			arg);
	for (uint32_t i = 0; i < count; i++)
		ret->rank[ret->order[i]] = i;
	return 0;
}

static void permute(void *rows, size_t size, size_t count, const uint32_t *order,
		    uint8_t *room)
{
	for (size_t i = 0; i < count; i++)
		memcpy(room + i * size, (uint8_t *)rows + order[i] * size, size);
	if (count)
		memcpy(rows, room, count * size);
}

/* Those of one stretch and column become one, in units of the column's last decimal. */
static int sort_periods(struct store_tables *t, const uint32_t *columns)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->periods.count; i++) {
		struct store_period *p = &t->periods.v[i];

		p->column = columns[p->column];
		for (; p->decimals < t->columns.v[p->column].decimals; p->decimals++)
			if (__builtin_mul_overflow(p->sum, 10, &p->sum))
				return -EOVERFLOW;
	}
	if (t->periods.count)
		qsort(t->periods.v, t->periods.count, sizeof(*t->periods.v),
		      compare_periods);
	for (size_t i = 0; i < t->periods.count; i++) {
		struct store_period *p = &t->periods.v[i];
		struct store_period *last = kept ? &t->periods.v[kept - 1] : NULL;

		if (!last || store_period_order(last, p) != 0)
			t->periods.v[kept++] = *p;
		else if (__builtin_add_overflow(last->sum, p->sum, &last->sum))
			return -EOVERFLOW;
	}
	t->periods.count = kept;
	return 0;
}

int store_tables_sort(struct store_tables *t, struct store_map *map)
{
	struct ranking strings = { 0 }, modules = { 0 }, frames = { 0 }, columns = { 0 };
	struct table_order by = { .tables = t };
	size_t widest = t->frames.count * sizeof(struct store_frame);
	uint8_t *room;
	int err;

	*map = (struct store_map){ .frame_count = (uint32_t)t->frames.count,
				   .column_count = (uint32_t)t->columns.count };
	if (widest < t->modules.count * sizeof(struct store_module))
		widest = t->modules.count * sizeof(struct store_module);
	room = malloc(widest + STORE_COLUMNS_MOST * sizeof(struct store_column));
	err = room ? rank_rows(0, (uint32_t)t->strings->texts.count, compare_string_ids,
			       t->strings, &strings)
		   : -ENOMEM;
	by.strings = strings.rank;
	if (err == 0)
		err = rank_rows(1, (uint32_t)t->modules.count, compare_module_rows, &by,
				&modules);
	by.modules = modules.rank;
	if (err == 0)
		err = rank_rows(1, map->frame_count, compare_frame_rows, &by, &frames);
	if (err == 0)
		err = rank_rows(0, map->column_count, compare_column_rows, &by, &columns);
	map->frames = frames.rank;
	map->columns = columns.rank;
	if (err == 0) {
		for (size_t i = 0; i < t->frames.count; i++)
			t->frames.v[i].module = modules.rank[t->frames.v[i].module];
		permute(t->modules.v, sizeof(*t->modules.v), t->modules.count,
			modules.order, room);
		permute(t->frames.v, sizeof(*t->frames.v), t->frames.count, frames.order,
			room);
		permute(t->columns.v, sizeof(*t->columns.v), t->columns.count,
			columns.order, room);
		err = sort_periods(t, map->columns);
	}
	/* They were of the order before. */
	hash_release(&t->modules_by_key);
	hash_release(&t->frames_by_key);
	free(room);
	free(strings.order);
	free(strings.rank);
	free(modules.order);
	free(modules.rank);
	free(frames.order);
	free(columns.order);
	if (err < 0)
		store_map_release(map);
	return err;
}
