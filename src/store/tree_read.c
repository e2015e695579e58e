/*
 * A file's tree as one that was saved in a picture: what reads these (engine/saved.c) reads profile
 * files, too. Of several events one is taken, and of the others nothing but how many they are.
 */
#include <errno.h>

#include "store/nodes.h"
#include "store/tables.h"
#include "store/tree_file.h"

enum { NODES = 64 /* that are unpacked at once */ };

struct file_reader {
	struct context *ctx;
	struct store_source source;
	struct store_unpacker unpacker;
	struct store_tables tables;
	struct store_map map;
	struct store_node_reader nodes;
	struct intern *strings;
	struct store_tree *ret;
	/* By column of the file: the tree's, or UINT32_MAX: not taken; and what makes of its values those
	 * of the tree. */
	uint32_t column[STORE_COLUMNS_MOST];
	uint64_t factor[STORE_COLUMNS_MOST];
	ARRAY(uint32_t) parent, function; /* by node */
	/* By column of the tree: a value a node, but of those that are said of frames. */
	ARRAY(uint64_t) values[COLUMNS_MOST];
	ARRAY(struct saved_value) said[COLUMNS_MOST];
	ARRAY(uint32_t) path; /* by depth: the node that came last there */
	uint64_t sliced; /* weight of all slices */
};

static bool has_stored_name(const struct file_reader *r, uint32_t string,
			    const char *name)
{
	return strcmp(intern_text(r->strings, string), name) == 0;
}

/* The one that is named, or that most samples are of. Columns of one event stand together. */
static int choose_event(struct file_reader *r, const char *event)
{
	const struct store_column *columns = r->tables.columns.v;
	uint32_t count = (uint32_t)r->tables.columns.count, chosen = count;
	uint64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t samples = has_stored_name(r, columns[i].name, "samples")
					   ? columns[i].total
					   : 0;

		r->ret->others += i == 0 || columns[i].event != columns[i - 1].event ||
				  columns[i].unit != columns[i - 1].unit;
		if ((event && !has_stored_name(r, columns[i].event, event)) ||
		    (chosen < count && samples <= most))
			continue;
		chosen = i;
		most = samples;
	}
	if (count && chosen == count)
		return fail(r->ctx, -EINVAL, "'%s' has no event '%s'", r->source.path,
			    event);
	if (count) {
		r->ret->event = columns[chosen].event;
		r->ret->unit = columns[chosen].unit;
		r->ret->others--;
	}
	return 0;
}

/* Columns with a role have their places in a tree that was saved; others come behind these. */
static int place_columns(struct file_reader *r)
{
	struct saved_tree *t = &r->ret->tree;
	struct columns roles;

	columns_init(&roles);
	for (t->columns = 0; t->columns < roles.count; t->columns++)
		t->values[t->columns].column = roles.v[t->columns];
	for (uint32_t i = 0; i < r->tables.columns.count; i++) {
		const struct store_column *c = &r->tables.columns.v[i];
		const char *name = intern_text(r->strings, c->name);
		const struct column *role = columns_find(&roles, name);
		uint32_t at = role ? (uint32_t)(role - roles.v) : t->columns;

		r->column[i] = UINT32_MAX;
		if (c->event != r->ret->event || c->unit != r->ret->unit)
			continue;
		/* What decides how values are added has to agree, as pictures leave no choice. */
		if ((role && (role->sum != c->sum || role->side != c->side ||
			      role->makes_stacks != c->makes_stacks ||
			      !role->unit != !c->own_unit)) ||
		    at == COLUMNS_MOST)
			return fail(r->ctx, -EBADMSG,
				    "'%s': its column '%s' cannot be read",
				    r->source.path, name);
		r->column[i] = at;
		if (!c->own_unit && c->decimals > t->decimals)
			t->decimals = c->decimals;
		for (uint32_t k = 0; k < i; k++)
			if (r->column[k] != UINT32_MAX &&
			    strcmp(t->values[r->column[k]].column.name, name) == 0)
				return fail(r->ctx, -EBADMSG,
					    "'%s': it has two columns '%s'",
					    r->source.path, name);
		if (role)
			continue;
		t->values[t->columns++].column = (struct column){
			.name = name,
			.unit = c->own_unit ? intern_text(r->strings, c->own_unit) : NULL,
			.side = (enum column_side)c->side,
			.sum = (enum column_sum)c->sum,
			.decimals = c->own_unit ? c->decimals : 0,
			.makes_stacks = c->makes_stacks,
		};
	}
	/* Weights are in units of the tree's last decimal, whatever the column's is. */
	for (uint32_t i = 0; i < r->tables.columns.count; i++) {
		const struct store_column *c = &r->tables.columns.v[i];
		uint64_t most;

		r->factor[i] = 1;
		for (unsigned k = c->decimals;
		     r->column[i] != UINT32_MAX && !c->own_unit && k < t->decimals; k++)
			r->factor[i] *= 10;
		if (__builtin_mul_overflow(c->total, r->factor[i], &most))
			return fail(r->ctx, -EBADMSG, "'%s': its values are too large",
				    r->source.path);
	}
	return 0;
}

static int add_stored_node(struct file_reader *r)
{
	uint32_t at = (uint32_t)r->parent.count, depth = r->nodes.node.depth;
	uint32_t *parent = array_add(&r->parent), *function = array_add(&r->function);
	int err = 0;

	if (r->path.count <= depth && !array_add(&r->path))
		return fail_memory(r->ctx);
	if (!parent || !function)
		return fail_memory(r->ctx);
	r->path.v[depth] = at;
	*parent = depth ? r->path.v[depth - 1] : 0;
	*function = r->nodes.node.frame;
	for (uint32_t k = 0; k < r->nodes.sliced_columns && r->ret->wants_slices; k++) {
		if (r->column[r->nodes.with_slices[k].column] != COLUMN_WEIGHT)
			continue;
		for (uint32_t i = 0; r->nodes.sliced[k] >> i; i++) {
			struct store_slice *slice = NULL;

			if (!(r->nodes.sliced[k] >> i & 1))
				continue;
			slice = array_add(&r->ret->slices);
			if (!slice)
				return fail_memory(r->ctx);
			*slice = (struct store_slice){
				at, i, r->nodes.node.slices[k * STORE_SLICES + i]
			};
			r->sliced += slice->weight;
		}
	}
	for (uint32_t i = 0; i < r->nodes.valued && err == 0; i++) {
		uint32_t of = r->nodes.with_values[i].column, column = r->column[of];
		uint64_t value = r->nodes.node.values[of] * r->factor[of];
		struct saved_value *said;

		if (column == UINT32_MAX || !value)
			continue;
		if (r->ret->tree.values[column].column.sum == SUM_HERE) {
			said = at ? array_add(&r->said[column]) : NULL;
			if (said)
				*said = (struct saved_value){ at, value };
			else if (at)
				err = fail_memory(r->ctx);
			continue;
		}
		/* Zeros in between, and behind the last one, are made when they are needed. */
		while (err == 0 && r->values[column].count <= at)
			err = array_add(&r->values[column]) ? 0 : fail_memory(r->ctx);
		if (err == 0)
			r->values[column].v[at] = value;
	}
	return err;
}

/* Frames become functions by the same numbers, to which the nodes refer. */
static int read_nodes(struct file_reader *r)
{
	enum {
		A_NODE = 5 * sizeof(uint32_t) + 8, /* as read, and when it is added */
		A_VALUE = sizeof(struct saved_value),
		BLOCK = 1024, /* nodes that are claimed at once */
	};
	struct saved_tree *t = &r->ret->tree;
	uint64_t cost = A_NODE + A_VALUE * (uint64_t)t->columns;
	size_t count = r->tables.frames.count, claimed = 0; /* slices */
	int more = 1;

	if (!claim_add(&t->claim, r->ctx->budget, count * sizeof(*t->functions)))
		return store_too_large(r->ctx, &r->source);
	t->functions = calloc(count + 1, sizeof(*t->functions));
	if (!t->functions)
		return fail_memory(r->ctx);
	t->function_count = (uint32_t)count;
	for (size_t i = 1; i < count; i++) {
		const struct store_frame *f = &r->tables.frames.v[i];

		t->functions[i] = (struct saved_function){
			.name = f->name,
			.module = f->module ? r->tables.modules.v[f->module].name : 0,
			.kind = f->kind,
		};
	}
	if (store_node_reader_init(&r->nodes, &r->source, &r->unpacker, &r->map, NODES) <
	    0)
		return fail_memory(r->ctx);
	r->nodes.wants_heat = t->wants_heat;
	while (more > 0) {
		if (r->parent.count % BLOCK == 0 &&
		    !claim_add(&t->claim, r->ctx->budget, BLOCK * cost))
			return store_too_large(r->ctx, &r->source);
		if (r->parent.count >= UINT32_MAX - 1)
			return store_too_large(r->ctx, &r->source);
		/* A node has no more than twice as many as are asked for at once. */
		if (r->ret->slices.count >= claimed) {
			claimed = r->ret->slices.count + BLOCK;
			if (!claim_add(&t->claim, r->ctx->budget,
				       2 * BLOCK * sizeof(struct store_slice)))
				return store_too_large(r->ctx, &r->source);
		}
		more = store_node_next(r->ctx, &r->nodes);
		if (more > 0) {
			int err = add_stored_node(r);

			if (err < 0)
				return err;
		}
	}
	return more;
}

/* What was gathered becomes the tree's. */
static int hand_over(struct file_reader *r)
{
	struct saved_tree *t = &r->ret->tree;
	uint64_t all = 0;

	t->nodes = (uint32_t)r->parent.count;
	t->parent = r->parent.v;
	t->function = r->function.v;
	r->parent.v = r->function.v = NULL;
	for (uint32_t i = 0; i < t->columns; i++) {
		struct saved_values *values = &t->values[i];

		/* Weight is in every tree. */
		while ((r->values[i].count || i == COLUMN_WEIGHT) &&
		       r->values[i].count < t->nodes)
			if (!array_add(&r->values[i]))
				return fail_memory(r->ctx);
		values->of = r->values[i].v;
		values->said = r->said[i].v;
		values->said_count = (uint32_t)r->said[i].count;
		r->values[i].v = NULL;
		r->said[i].v = NULL;
	}
	/* The nodes have been found to add up to what the columns say. */
	for (uint32_t i = 0; i < r->map.column_count; i++) {
		if (r->column[i] == COLUMN_WEIGHT) {
			all = r->map.totals[i] * r->factor[i];
			r->ret->squares = r->tables.columns.v[i].squares;
		}
		if (r->column[i] == COLUMN_SAMPLES)
			r->ret->samples = r->map.totals[i];
	}
	/* Some have no time: slices are not of all. */
	if (r->sliced != all || t->decimals)
		array_release(&r->ret->slices);
	/* No more of a frame than there is of all. */
	for (uint32_t i = 0; i < t->columns; i++)
		for (uint32_t k = 0; k < t->values[i].said_count; k++)
			if (t->values[i].said[k].value > all)
				return fail(r->ctx, -EBADMSG,
					    "'%s': frames are inferred that are not "
					    "there",
					    r->source.path);
	return 0;
}

/* When it was, of a file that says so. */
static int read_stored_heat(struct file_reader *r)
{
	struct cursor c = cursor_of(r->nodes.heat.v, r->nodes.heat.count);
	struct cursor parts[STORE_HEAT_PARTS + STORE_PROCESSOR_PARTS];
	struct saved_tree *t = &r->ret->tree;
	int err = 0, count = STORE_HEAT_PARTS;
	bool bad = false;

	if (!r->nodes.heat.count)
		return 0;
	for (int i = 0; i < count; i++) {
		uint64_t size = cursor_varint(&c);
		const void *bytes =
			size <= cursor_left(&c) ? cursor_bytes(&c, (size_t)size) : NULL;

		bad |= !bytes;
		parts[i] = cursor_of(bytes, bytes ? (size_t)size : 0);
		if (i + 1 == STORE_HEAT_PARTS && cursor_left(&c))
			count += STORE_PROCESSOR_PARTS;
	}
	if (!bad && !c.bad && !cursor_left(&c) && !t->decimals)
		err = saved_heat_decode(
			parts, r->ctx->budget,
			&(struct saved_nodes){ t->nodes, t->values[COLUMN_WEIGHT].of,
					       t->parent },
			&t->heat);
	if (!bad && err == 0 && count > STORE_HEAT_PARTS && t->heat.width &&
	    !t->heat.refused)
		err = saved_processors_decode(&parts[STORE_HEAT_PARTS], r->ctx->budget,
					      t);
	for (int i = 0; i < count && !t->heat.refused; i++)
		bad |= parts[i].bad;
	if (err == -ENOMEM)
		return fail_memory(r->ctx);
	return bad || c.bad || cursor_left(&c) || err < 0
		       ? fail(r->ctx, -EBADMSG,
			      "'%s': its times are not those of its values",
			      r->source.path)
		       : 0;
}

int store_read_tree(struct context *ctx, struct file *file, const char *event,
		    struct intern *strings, struct store_tree *ret)
{
	struct file_reader r = { .ctx = ctx, .strings = strings, .ret = ret };
	int err = store_tables_init(&r.tables, strings);

	r.source = (struct store_source){ .path = file->path, .file = *file };
	if (err < 0)
		err = fail_memory(ctx);
	if (err == 0)
		err = store_source_open(ctx, &r.source, &r.unpacker);
	if (err == 0)
		err = store_origin_read(ctx, &r.source, &r.unpacker, strings,
					&ret->origin);
	if (err == 0)
		err = store_tables_read(ctx, &r.source, &r.unpacker, &r.tables, &r.map);
	if (err == 0)
		err = choose_event(&r, event);
	if (err == 0)
		err = place_columns(&r);
	if (err == 0)
		err = read_nodes(&r);
	if (err == 0)
		err = hand_over(&r);
	if (err == 0)
		err = read_stored_heat(&r);
	/* They are the caller's from here on. */
	memcpy(&ret->columns, &r.tables.columns, sizeof(ret->columns));
	memcpy(&ret->periods, &r.tables.periods, sizeof(ret->periods));
	r.tables.columns.v = NULL;
	r.tables.periods.v = NULL;
	store_node_reader_release(&r.nodes);
	store_source_release(&r.source);
	store_unpacker_release(&r.unpacker);
	store_tables_release(&r.tables);
	store_map_release(&r.map);
	array_release(&r.parent);
	array_release(&r.function);
	array_release(&r.path);
	for (uint32_t i = 0; i < COLUMNS_MOST; i++) {
		array_release(&r.values[i]);
		array_release(&r.said[i]);
	}
	if (err == 0)
		return 0;
	saved_tree_release(&ret->tree);
	store_tree_release(ret);
	return err;
}

void store_tree_release(struct store_tree *t)
{
	store_origin_release(&t->origin);
	array_release(&t->columns);
	array_release(&t->periods);
	array_release(&t->slices);
}
