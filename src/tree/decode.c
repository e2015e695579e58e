/*
 * Reads back the columns that encode.c has written; Documentation/svg-format.md has their
 * layout. Nothing in them is believed: counts are compared with the bytes that are there, and
 * claimed of the budget, before memory is taken for them.
 *
 * A column that ends too early gives zeros and is marked bad. Loops are bounded by counts that
 * were checked, so it is enough to look at these marks once, at the end.
 */
#include "tree/saved.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "input/input.h"

/* What is left of a byte that several indexes share. */
struct opened_byte {
	uint32_t rest, scale; /* scale: how many values have been taken; 0: no byte yet */
};

struct tree_reader {
	struct cursor columns[SAVED_COLUMNS]; /* by enum saved_column */
	struct intern *strings;
	struct budget *budget;
	struct saved_tree *tree;
	uint64_t names, modules, functions, nodes, leaves, unit, decimals, samples;
	uint32_t *ranked; /* functions by rank */
	uint8_t *is_leaf; /* by node */
	struct opened_byte gathered[SAVED_SHORT_LIST + 1]; /* by length of the list */
	uint64_t units[COLUMNS_MOST]; /* by column: what its values are divided by */
	bool gathers; /* format 2 */
	const char *why;
};

enum {
	DIRECTORY_MOST = 4096, /* columns */
	NAMES_MOST = 128 << 20, /* bytes of names: few bytes can stand for many */
	DECIMALS_MOST = 6,
	A_FURTHER = sizeof(
		struct saved_value), /* for each node, of a column without a role */
};

static int bad(struct tree_reader *r, const char *why)
{
	r->why = why;
	return -EBADMSG;
}

/*
 * Numbers and sizes of all columns stand before their bytes. A number that is not known
 * is of a later format: its column is passed over.
 *
 *	count | number size | number size | ... | bytes | bytes | ...
 *	        ^ directory                       ^ c
 */
static int read_directory(struct tree_reader *r, const uint8_t *payload, size_t size)
{
	struct cursor c = cursor_of(payload, size);
	uint64_t count = cursor_varint(&c), left;
	struct cursor directory = c;

	if (count > DIRECTORY_MOST)
		return bad(r, "it has too many columns");
	for (uint64_t i = 0; i < 2 * count; i++)
		cursor_varint(&c);
	for (uint64_t i = 0; i < count && !c.bad; i++) {
		uint64_t id = cursor_varint(&directory);
		const uint8_t *bytes;

		left = cursor_varint(&directory);
		bytes = left <= cursor_left(&c) ? cursor_bytes(&c, (size_t)left) : NULL;
		if (!bytes)
			return bad(r, "a column goes past its end");
		if (id < SAVED_COLUMNS)
			r->columns[id] = cursor_of(bytes, (size_t)left);
	}
	return c.bad ? bad(r, "its directory is cut") : 0;
}

static size_t column_size(const struct tree_reader *r, enum saved_column id)
{
	return cursor_left(&r->columns[id]);
}

static int read_counts(struct tree_reader *r)
{
	enum {
		A_NODE = 2 * sizeof(uint32_t) + 3 * sizeof(uint64_t) + /* of the tree */
			 2 * sizeof(uint32_t) + 8, /* what calls what; depths */
		A_FUNCTION = sizeof(struct saved_function) + 40,
	};
	struct cursor *c = &r->columns[SAVED_COUNTS];
	uint64_t *const counts[] = {
		&r->names,  &r->modules, &r->functions, &r->nodes,
		&r->leaves, &r->unit,	 &r->decimals,	&r->samples
	};
	uint64_t size;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*counts[i] = cursor_varint(c);
	if (c->bad)
		return bad(r, "its counts are cut");
	/* Each has at least a byte in these columns. */
	if (r->names > column_size(r, SAVED_NAME_START) ||
	    r->modules > column_size(r, SAVED_MODULE) ||
	    r->functions > column_size(r, SAVED_FUNCTION_NAME) ||
	    r->functions > column_size(r, SAVED_FUNCTION_MODULE) ||
	    r->functions != column_size(r, SAVED_FUNCTION_KIND) ||
	    r->functions != column_size(r, SAVED_FUNCTION_LEVEL) ||
	    r->leaves > column_size(r, SAVED_RUN) || r->nodes == 0 ||
	    r->nodes > column_size(r, SAVED_SELF) + column_size(r, SAVED_SELF + 1) ||
	    r->leaves > r->nodes - 1 || r->functions >= UINT32_MAX ||
	    r->nodes >= UINT32_MAX)
		return bad(r, "it has fewer bytes than its counts say");
	if (r->unit == 0 || r->decimals > DECIMALS_MOST ||
	    r->samples > SAMPLES_HAVE_COLUMNS)
		return bad(r, "its values have no known unit");
	/* What decoding takes, and adding the stacks afterwards: a byte can be a node. */
	size = r->nodes * A_NODE + r->functions * A_FUNCTION +
	       (r->names + r->modules) * sizeof(uint32_t) +
	       2 * column_size(r, SAVED_REPORT) +
	       column_size(r, SAVED_INFERRED) / 2 * sizeof(struct saved_value);
	return claim_add(&r->tree->claim, r->budget, size) ? 0 : -EFBIG;
}

/* The text up to a NUL. */
static bool take_text(struct cursor *c, const char **text, size_t *size)
{
	const char *end = memchr(c->p, '\0', cursor_left(c));

	if (!end)
		return false;
	*text = (const char *)c->p;
	*size = (size_t)(end - *text);
	c->p = (const uint8_t *)end + 1;
	return true;
}

/* Texts of descriptions stay, like names. */
static int keep_text(struct tree_reader *r, const char *text, size_t size,
		     const char **ret)
{
	uint32_t id;

	if (!budget_take(r->budget, size + INTERN_AROUND))
		return -EFBIG;
	if (intern_add(r->strings, text, size, &id) < 0)
		return -ENOMEM;
	*ret = intern_text(r->strings, id);
	return 0;
}

/*
 * Columns with a role are the same in every picture; further ones follow, each with what it
 * says of itself:
 *
 *	id side sum makes_stacks unit decimals | name NUL | unit NUL
 */
static int read_descriptions(struct tree_reader *r)
{
	struct cursor *c = &r->columns[SAVED_DESCRIBED];
	struct saved_tree *t = r->tree;
	struct columns known;
	int err = 0;

	columns_init(&known);
	for (t->columns = 0; t->columns < known.count; t->columns++) {
		t->values[t->columns].column = known.v[t->columns];
		r->units[t->columns] = known.v[t->columns].unit ? 1 : r->unit;
	}
	while (err == 0 && cursor_left(c) > 0) {
		uint64_t id, side, sum, makes_stacks, decimals;
		uint32_t index = t->columns;
		const char *name, *unit;
		struct column *column;
		size_t name_size, unit_size;

		if (index == COLUMNS_MOST)
			return bad(r, "it has too many columns");
		if (!claim_add(&t->claim, r->budget, A_FURTHER * r->nodes))
			return -EFBIG;
		t->columns++;
		column = &t->values[index].column;
		id = cursor_varint(c);
		side = cursor_varint(c);
		sum = cursor_varint(c);
		makes_stacks = cursor_varint(c);
		r->units[index] = cursor_varint(c);
		decimals = cursor_varint(c);
		if (!take_text(c, &name, &name_size) ||
		    !take_text(c, &unit, &unit_size) || c->bad)
			return bad(r, "the description of a column is cut");
		if (id != saved_column_of(index) || side > SIDE_BEFORE ||
		    sum > SUM_HERE || makes_stacks > (sum == SUM_BELOW) ||
		    (sum == SUM_HERE && unit_size) || !name_size || !r->units[index] ||
		    decimals > DECIMALS_MOST)
			return bad(r, "a column is described that cannot be");
		for (uint32_t i = 0; i < index; i++)
			if (strcmp(t->values[i].column.name, name) == 0)
				return bad(r, "a column is described twice");
		*column = (struct column){ .side = (enum column_side)side,
					   .sum = (enum column_sum)sum,
					   .decimals = (unsigned)decimals,
					   .makes_stacks = makes_stacks };
		err = keep_text(r, name, name_size, &column->name);
		if (err == 0 && unit_size)
			err = keep_text(r, unit, unit_size, &column->unit);
	}
	return err;
}

/*
 * String ids of the names, to be freed by the caller. Names are sorted bytewise: each
 * begins with some bytes of the one before it, which is changed in its place.
 *
 *	shared   rest        name
 *	0        malloc      malloc
 *	6        _usable     malloc_usable
 */
static int read_names(struct tree_reader *r, uint32_t **ret)
{
	uint32_t *ids = malloc((r->names + 1) * sizeof(*ids));
	char *name = NULL;
	size_t name_size = 0, room = 0, sum = 0;
	int err = ids && array_grow((void **)&name, &room, 256, 1) ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < r->names && err == 0; i++) {
		uint64_t shared = cursor_varint(&r->columns[SAVED_NAME_START]);
		const char *rest;
		size_t size;

		if (shared > name_size ||
		    !take_text(&r->columns[SAVED_NAME_REST], &rest, &size)) {
			err = bad(r, "a name is cut");
			break;
		}
		name_size = shared + size;
		sum += name_size;
		/* The sum bounds the work, the budget what stays of it: a name of two bytes
		 * can stand for a long one. */
		if (sum > NAMES_MOST)
			err = bad(r, "its names are too long");
		else if (!budget_take(r->budget, name_size + INTERN_AROUND))
			err = -EFBIG;
		else if (name_size > room &&
			 !array_grow((void **)&name, &room, name_size, 1))
			err = -ENOMEM;
		if (err < 0)
			break;
		memcpy(name + shared, rest, size);
		if (intern_add(r->strings, name, name_size, &ids[i]) < 0)
			err = -ENOMEM;
	}
	free(name);
	*ret = ids;
	return err;
}

/* Where functions are declared: files are texts, 0 is none. Older pictures have no such
 * columns. */
static int read_declarations(struct tree_reader *r)
{
	struct cursor *c = &r->columns[SAVED_FILE];
	ARRAY(uint32_t) files = { 0 };
	int err = array_add(&files) ? 0 : -ENOMEM;

	while (err == 0 && cursor_left(c) > 0) {
		uint32_t *id = array_add(&files);
		const char *text;
		size_t size;

		if (!take_text(c, &text, &size))
			err = bad(r, "a file is cut");
		else if (!id || intern_add(r->strings, text, size, id) < 0)
			err = -ENOMEM;
	}
	for (uint64_t i = 1; i <= r->functions && err == 0 && files.count > 1; i++) {
		uint64_t file = cursor_varint(&r->columns[SAVED_FUNCTION_FILE]);
		uint64_t line = cursor_varint(&r->columns[SAVED_FUNCTION_LINE]);

		if (file >= files.count || line > UINT32_MAX)
			err = bad(r, "a function has no file");
		else if (file)
			r->tree->functions[i].file = files.v[file];
		if (err == 0)
			r->tree->functions[i].line = (uint32_t)line;
	}
	array_release(&files);
	return err;
}

static int read_functions(struct tree_reader *r)
{
	struct saved_function *f = calloc(r->functions + 1, sizeof(*f));
	uint32_t *modules = malloc((r->modules + 1) * sizeof(*modules)), *names = NULL;
	const uint8_t *levels = r->columns[SAVED_FUNCTION_LEVEL].p;
	size_t starts[257] = { 0 };
	uint64_t name = 0;
	int err = f && modules ? 0 : -ENOMEM;

	r->tree->function_count = (uint32_t)r->functions + 1;
	r->tree->functions = f;
	if (err == 0)
		err = read_names(r, &names);
	for (uint64_t i = 0; i < r->modules && err == 0; i++) {
		const char *text;
		size_t size;

		if (!take_text(&r->columns[SAVED_MODULE], &text, &size))
			err = bad(r, "a module is cut");
		else if (intern_add(r->strings, text, size, &modules[i]) < 0)
			err = -ENOMEM;
	}
	/* Functions are sorted by name, so each says how many names it goes on by: 0 or 1 from
	 * an honest writer. */
	for (uint64_t i = 1; i <= r->functions && err == 0; i++) {
		uint64_t more = cursor_varint(&r->columns[SAVED_FUNCTION_NAME]);
		uint64_t module = cursor_varint(&r->columns[SAVED_FUNCTION_MODULE]);

		if (more >= r->names - name || module >= r->modules) {
			err = bad(r, "a function has no name");
			break;
		}
		name += more;
		f[i] = (struct saved_function){
			.name = names[name],
			.module = modules[module],
			.kind = cursor_u8(&r->columns[SAVED_FUNCTION_KIND])
		};
	}
	if (err == 0)
		err = read_declarations(r);
	r->ranked = malloc((r->functions + 1) * sizeof(*r->ranked));
	if (err == 0 && !r->ranked)
		err = -ENOMEM;
	/* A function's rank is by its level, the highest first, and by its number. */
	for (uint64_t i = 0; i < r->functions && err == 0; i++)
		starts[255 - levels[i] + 1]++;
	for (int i = 0; i < 256; i++)
		starts[i + 1] += starts[i];
	for (uint32_t i = 0; i < r->functions && err == 0; i++)
		r->ranked[starts[255 - levels[i]]++] = i + 1;
	free(names);
	free(modules);
	return err;
}

/*
 * The next index into a list of @length. In format 2 a byte holds several indexes into lists
 * of one short length, as digits to that base, the first of them the lowest.
 */
static uint64_t known_index(struct tree_reader *r, size_t length)
{
	uint32_t base = (uint32_t)length, index;
	struct opened_byte *g;

	if (!r->gathers || length > SAVED_SHORT_LIST)
		return cursor_varint(&r->columns[SAVED_CALLEE]);
	if (length < 2)
		return 0;
	g = &r->gathered[base];
	if (g->scale == 0 || g->scale * base > 256)
		*g = (struct opened_byte){
			cursor_u8(&r->columns[SAVED_CALLEES_OF + base]), 1
		};
	index = g->rest % base;
	g->rest /= base;
	g->scale *= base;
	return index;
}

/* Runs of nodes whose function their caller has called before, and of nodes where it is new
 * there, take turns. The lists of callees grow here as they grew for the writer. */
static int read_node_functions(struct tree_reader *r)
{
	typedef ARRAY(uint32_t) callees_t;
	struct saved_tree *t = r->tree;
	callees_t *lists = calloc(r->functions + 1, sizeof(*lists));
	bool is_new = true;
	uint64_t left = 0;
	int err = lists ? 0 : -ENOMEM;

	for (uint32_t node = 1; node < r->nodes && err == 0; node++) {
		callees_t *list = &lists[t->function[t->parent[node]]];
		uint64_t rank, high;
		uint32_t *slot;

		/* The first run is of known functions, and mostly empty: the writer
		 * begins so, too. */
		while (left == 0 && !r->columns[SAVED_KNOWN].bad) {
			left = cursor_varint(&r->columns[SAVED_KNOWN]);
			is_new = !is_new;
		}
		left--;
		if (!is_new) {
			uint64_t index = known_index(r, list->count);

			if (index < list->count)
				t->function[node] = list->v[index];
			else
				err = bad(r, "a node has no function");
			continue;
		}
		/* Two columns, as the high one is nearly always 0: functions that are often
		 * new have low ranks. */
		rank = cursor_u8(&r->columns[SAVED_NEW_LOW]);
		high = cursor_varint(&r->columns[SAVED_NEW_HIGH]);
		if (high > r->functions || (rank |= high << 8) >= r->functions) {
			err = bad(r, "a node has no function");
			break;
		}
		slot = array_add(list);
		if (slot)
			t->function[node] = *slot = r->ranked[rank];
		else
			err = -ENOMEM;
	}
	for (uint64_t i = 0; lists && i <= r->functions; i++)
		array_release(&lists[i]);
	free(lists);
	return err;
}

/* A node is told once, behind those told before, and no more of it than there is of all. */
static int read_said(struct tree_reader *r, uint32_t column)
{
	struct cursor *c = &r->columns[saved_column_of(column)];
	struct saved_values *values = &r->tree->values[column];
	uint64_t all = 0, node = 0;

	if (cursor_left(c) == 0)
		return 0;
	values->said = malloc((cursor_left(c) / 2 + 1) * sizeof(*values->said));
	if (!values->said)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->nodes; i++)
		all += saved_value(r->tree, i, COLUMN_WEIGHT);
	while (cursor_left(c) > 0) {
		struct saved_value *one = &values->said[values->said_count];
		uint64_t further = cursor_varint(c);

		if (further == 0 || further >= r->nodes - node ||
		    __builtin_mul_overflow(cursor_varint(c), r->units[column],
					   &one->value) ||
		    one->value > all || c->bad)
			return bad(r, "frames are inferred that are not there");
		node += further;
		one->node = (uint32_t)node;
		values->said_count++;
	}
	return 0;
}

/* Values of leaves and of inner nodes have a column each. No sum of them overflows. */
static int read_columns(struct tree_reader *r)
{
	struct saved_tree *t = r->tree;
	int err = 0;

	for (uint32_t i = 0; i < t->columns && err == 0; i++) {
		enum saved_column id = saved_column_of(i);
		struct saved_values *values = &t->values[i];
		bool has_bytes = column_size(r, id) || column_size(r, id + 1);
		uint64_t sum = 0;

		if (values->column.sum == SUM_HERE)
			err = read_said(r, i);
		/* Weight is in every tree, samples where the counts say so, others where
		 * they have bytes. */
		if (values->column.sum == SUM_NOWHERE || values->column.sum == SUM_HERE ||
		    (i == COLUMN_SAMPLES && r->samples == SAMPLES_UNKNOWN) ||
		    (i != COLUMN_SAMPLES && i != COLUMN_WEIGHT && !has_bytes))
			continue;
		values->of = malloc(r->nodes * sizeof(*values->of));
		if (!values->of)
			return -ENOMEM;
		for (uint64_t node = 0; node < r->nodes; node++) {
			struct cursor *c = &r->columns[id + !r->is_leaf[node]];
			uint64_t *value = &values->of[node];

			/* Where every sample has weighed one unit there is no need of a
			 * column for them. */
			if (i == COLUMN_SAMPLES && r->samples == SAMPLES_ARE_SELF)
				*value = saved_value(t, (uint32_t)node, COLUMN_WEIGHT) /
					 r->unit;
			else if (__builtin_mul_overflow(cursor_varint(c), r->units[i],
							value) ||
				 __builtin_add_overflow(sum, *value, &sum))
				return bad(r, "its values are too large");
		}
	}
	return err;
}

/*
 * How far it is down to each leaf, and how far up from there to the parent of what comes
 * next; then which functions the nodes are of, and their values.
 *
 *	root -- a -- b -- c      run 2         two nodes before the leaf c
 *	    `-- d -- e           up 2, run 1   from c's parent b to the root
 */
static int read_tree(struct tree_reader *r)
{
	struct saved_tree *t = r->tree;
	uint32_t at = 0, parent = 0;
	int err;

	t->nodes = (uint32_t)r->nodes;
	t->decimals = (unsigned)r->decimals;
	t->parent = calloc(r->nodes, sizeof(*t->parent));
	t->function = calloc(r->nodes, sizeof(*t->function));
	r->is_leaf = calloc(r->nodes, sizeof(*r->is_leaf));
	if (!t->parent || !t->function || !r->is_leaf)
		return -ENOMEM;
	for (uint64_t leaf = 0; leaf < r->leaves; leaf++) {
		uint64_t run = cursor_varint(&r->columns[SAVED_RUN]);

		if (run >= r->nodes - 1 - at)
			return bad(r, "it has more nodes than it says");
		if (leaf > 0) {
			uint64_t up = cursor_varint(&r->columns[SAVED_UP]);

			parent = t->parent[at];
			for (; up > 0; up--) {
				/* Where the root ends the loop, a huge number costs nothing. */
				if (parent == 0)
					return bad(r, "a node is above the root");
				parent = t->parent[parent];
			}
		}
		for (uint64_t n = 0; n <= run; n++) {
			t->parent[++at] = parent;
			parent = at;
		}
		r->is_leaf[at] = 1;
	}
	if (at < r->nodes - 1)
		return bad(r, "it has fewer nodes than it says");
	err = read_node_functions(r);
	/* Nothing is drawn of a gap, so nothing can stand on it. */
	for (uint32_t node = 1; err == 0 && node < r->nodes; node++) {
		uint32_t caller = t->function[t->parent[node]];

		if ((t->functions[caller].kind & SAVED_KIND) == SAVED_GAP)
			err = bad(r, "there is something in a gap");
	}
	return err < 0 ? err : read_columns(r);
}

int saved_tree_decode(const struct saved_picture *picture, struct intern *strings,
		      struct budget *budget, struct saved_tree *ret, const char **why)
{
	struct tree_reader r = { .strings = strings,
				 .budget = budget,
				 .tree = ret,
				 .gathers = picture->format > SAVED_FIRST_FORMAT };
	const struct cursor *report;
	int err;

	for (int i = 0; i < SAVED_COLUMNS; i++)
		r.columns[i] = cursor_of(NULL, 0);
	/* In this order: counts bound all that follows, descriptions say which values
	 * there are, and nodes refer to functions. */
	err = read_directory(&r, picture->payload, picture->size);
	if (err == 0)
		err = read_counts(&r);
	if (err == 0)
		err = read_descriptions(&r);
	if (err == 0)
		err = read_functions(&r);
	if (err == 0)
		err = read_tree(&r);
	if (err == 0 && ret->wants_heat && picture->format >= SAVED_TIMES_FORMAT &&
	    column_size(&r, SAVED_HEAT) > 0) {
		err = saved_heat_decode(
			&r.columns[SAVED_HEAT], budget,
			&(struct saved_nodes){ ret->nodes, ret->values[COLUMN_WEIGHT].of,
					       ret->parent },
			&ret->heat);
		if (err == 0 && !ret->heat.refused &&
		    column_size(&r, SAVED_PROCESSORS) > 0)
			err = saved_processors_decode(&r.columns[SAVED_PROCESSORS],
						      budget, ret);
		if (err == -EBADMSG)
			err = bad(&r, "its times are not those of its values");
	}
	/* Bytes that are only passed on. */
	report = &r.columns[SAVED_REPORT];
	if (err == 0 && cursor_left(report) > 0) {
		ret->report_size = cursor_left(report);
		ret->report = malloc(ret->report_size);
		if (ret->report)
			memcpy(ret->report, report->p, ret->report_size);
		else
			err = -ENOMEM;
	}
	for (int i = 0; i < SAVED_COLUMNS && err == 0; i++)
		if (r.columns[i].bad)
			err = bad(&r, "a column is cut");
	free(r.ranked);
	free(r.is_leaf);
	*why = r.why;
	if (err < 0)
		saved_tree_release(ret);
	return err;
}

void saved_tree_release(struct saved_tree *t)
{
	free(t->functions);
	free(t->function);
	free(t->parent);
	for (uint32_t i = 0; i < t->columns; i++) {
		free(t->values[i].of);
		free(t->values[i].said);
	}
	free(t->report);
	saved_heat_release(&t->heat);
	saved_heat_release(&t->processors);
	claim_release(&t->claim);
	*t = (struct saved_tree){ 0 };
}
