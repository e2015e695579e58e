/*
 * The two sides are added up in one tree: a node is a path of functions, whichever side it came
 * from, and has a value for each. Functions are told apart by name, module and kind here; which of
 * those are the same in spite of that is only known when all are there (ladder.c).
 *
 * Of a recording it is kept, too, how much of each stack is in which twentieth of its time: a cell
 * a stack and piece at most, so no more than samples, and no more than twenty for a stack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/pages.h"
#include "diff/noise.h"

enum { CALLEES_FEW = 8 }; /* are looked at one by one */

int difference_init(struct difference *d)
{
	struct diff_function root = { 0 };
	int err;

	*d = (struct difference){ 0 };
	err = intern_init(&d->strings);
	/* 0 is the root, and the function that it has not. */
	if (err < 0 || !array_add(&d->functions) || !array_add(&d->nodes) ||
	    !array_add(&d->values) || !array_add(&d->links) || !array_add(&d->callees)) {
		difference_release(d);
		return -ENOMEM;
	}
	d->functions.v[0] = root;
	columns_init(&d->columns);
	return 0;
}

void difference_release(struct difference *d)
{
	intern_release(&d->strings);
	array_release(&d->functions);
	hash_release(&d->functions_by_key);
	array_release(&d->nodes);
	array_release(&d->values);
	array_release(&d->links);
	array_release(&d->callees);
	hash_map_release(&d->children);
	array_release(&d->cells);
	array_release(&d->symbols.functions);
	free(d->inlined);
	named_release(&d->named);
	noise_release(&d->noise);
	array_release(&d->tests);
	free(d->is_tested);
	array_release(&d->owns);
	free(d->late);
	array_release(&d->rows);
	for (int s = 0; s < DIFF_SIDES; s++) {
		text_release(&d->total[s].paths);
		text_release(&d->total[s].brief);
	}
	*d = (struct difference){ 0 };
}

/* Where no module is known it depends on the format whether a name is a text or a function. */
static uint8_t kind_of_key(const struct diff_function *f)
{
	return f->kind == FUNCTION_USER && !f->module ? FUNCTION_LABEL : f->kind;
}

/* A function of an input, by its texts. 0, or -ENOMEM. */
static int add_function(struct difference *d, const struct tree_source *in,
			const struct function *f, uint32_t *ret)
{
	const char *name = intern_text(in->strings, f->name);
	const char *module = intern_text(in->strings, f->module);
	const char *file = intern_text(in->strings, f->file);
	struct diff_function new = { .line = f->line,
				     .kind = f->kind,
				     .unnamed = f->unnamed };
	struct text stripped = { 0 };
	uint64_t hash, i;
	uint32_t id;
	int err;

	/* "f+0x12ab" -> "f+0x...". */
	for (const char *p = name; d->strip_hex && *p;) {
		size_t digits = p[0] == '0' && p[1] == 'x'
					? strspn(p + 2, "0123456789abcdefABCDEF")
					: 0;

		text_add(&stripped, digits ? "0x..." : p, digits ? 5 : 1);
		p += digits ? 2 + digits : 1;
	}
	name = stripped.bytes ?: name;
	err = stripped.failed ? -ENOMEM
			      : intern_add(&d->strings, name, strlen(name), &new.name);
	text_release(&stripped);
	if (err < 0 || intern_add(&d->strings, module, strlen(module), &new.module) < 0 ||
	    intern_add(&d->strings, file, strlen(file), &new.file) < 0)
		return -ENOMEM;
	hash = hash_u64((uint64_t) new.name << 32 | new.module) ^
	       hash_u64(kind_of_key(&new));
	i = hash_start(hash);
	while ((id = hash_find(&d->functions_by_key, hash, &i)) != HASH_NONE) {
		struct diff_function *known = &d->functions.v[id];

		if (known->name != new.name || known->module != new.module ||
		    kind_of_key(known) != kind_of_key(&new))
			continue;
		known->kind = new.kind < known->kind ? new.kind : known->kind;
		break;
	}
	if (id == HASH_NONE) {
		id = (uint32_t)d->functions.count;
		new.class = id;
		if (!array_add(&d->functions) ||
		    !hash_add(&d->functions_by_key, hash, id))
			return -ENOMEM;
		d->functions.v[id] = new;
	}
	*ret = id;
	return 0;
}

/* Of an input's time, and what is in it. */
struct piece {
	unsigned block;
	uint64_t weight;
};

/* A cell of the input at hand. 0, or -ENOMEM. */
static int add_cell(struct difference *d, uint32_t node, enum diff_side side,
		    struct piece piece)
{
	struct diff_cell *cell = array_add(&d->cells);

	if (!cell)
		return -ENOMEM;
	cell->node = node;
	cell->input = (uint16_t)d->inputs;
	cell->block = (uint8_t)piece.block;
	cell->side = (uint8_t)side;
	cell->weight = piece.weight;
	return 0;
}

/* @nodes: by node of the input's tree. */
static int add_cells(struct difference *d, enum diff_side side,
		     const struct diff_input *input, const uint32_t *nodes)
{
	const struct time_blocks *blocks = input->blocks;
	uint64_t factor = power_of_ten(d->decimals - input->in->tree->decimals);
	uint64_t first = 0, pieces = TIME_BLOCKS;
	unsigned shift = 0;

	/* Of a pipe there are more or less, from where its samples began or what was asked for. */
	if (blocks->grid.grows) {
		first = input->first / blocks->grid.width;
		pieces = input->last / blocks->grid.width - first + 1;
	}
	while (pieces > TIME_BLOCKS_MOST) {
		shift++;
		pieces = ((first + pieces - 1) >> 1) - (first >> 1) + 1;
		first >>= 1;
	}
	d->total[side].pieces = (uint32_t)pieces;
	for (size_t i = 0; i < blocks->cells.count; i++) {
		const struct block_cell *c = &blocks->cells.v[i];
		uint64_t block = c->block >> shift;

		block = block > first ? block - first : 0;
		if (add_cell(d, nodes[c->node], side,
			     (struct piece){ block < pieces ? (unsigned)block
							    : (unsigned)pieces - 1,
					     c->weight * factor }) < 0)
			return -ENOMEM;
		d->total[side].squares +=
			(double)c->squares * (double)factor * (double)factor;
	}
	return 0;
}

/* An input on its way in, by node of its tree. */
struct arrival {
	const struct diff_input *input;
	enum diff_side side;
	const uint64_t *selves,
		*totals; /* in units of the difference: the tree's own, or those: */
	uint64_t *own;
	uint32_t *nodes; /* of the difference */
	uint32_t first_new; /* of these: nodes from here on are this input's alone */
	bool distinct; /* no two callees of a node are of one function, as far as it came */
	bool has_samples, has_times;
	bool any_unnamed; /* of its functions, as far as it came */
};

/* Of the column that is asked for: a node's own value, and that of all below it, with as many decimals as
 * what is there or comes has at most. 0, -ENOMEM, or -EOVERFLOW. */
static int read_weights(struct difference *d, struct arrival *x)
{
	const struct named *named = x->input->in->tree;
	size_t count = named->nodes.count;
	bool overflow = false;
	uint64_t *selves, *totals, factor;

	for (; d->decimals < named->decimals; d->decimals++) {
		for (size_t i = 0; i < d->values.count; i++)
			for (int s = 0; s < DIFF_SIDES; s++)
				overflow |=
					__builtin_mul_overflow(d->values.v[i].self[s], 10,
							       &d->values.v[i].self[s]);
		for (size_t i = 0; i < d->cells.count; i++)
			d->cells.v[i].weight *= 10;
		for (int s = 0; s < DIFF_SIDES; s++) {
			overflow |= __builtin_mul_overflow(d->total[s].weight, 10,
							   &d->total[s].weight);
			d->total[s].unnamed *= 10;
			d->total[s].squares *= 100;
		}
	}
	if (overflow)
		return -EOVERFLOW;
	factor = power_of_ten(d->decimals - named->decimals);
	x->selves = named->values[COLUMN_WEIGHT];
	x->totals = named->totals;
	if (factor == 1 && x->input->column == COLUMN_WEIGHT && count)
		return 0;
	selves = x->own = pages_zeroed(2 * (count + 1), sizeof(*x->own));
	if (!selves)
		return -ENOMEM;
	totals = selves + count + 1;
	for (size_t i = count; i-- > 0;) {
		uint64_t *above = &totals[named->nodes.v[i].parent];

		overflow |= __builtin_mul_overflow(
			named_value(named, (uint32_t)i, x->input->column), factor,
			&selves[i]);
		overflow |= __builtin_add_overflow(totals[i], selves[i], &totals[i]);
		if (i)
			overflow |= __builtin_add_overflow(*above, totals[i], above);
	}
	x->selves = selves;
	x->totals = totals;
	return overflow ? -EOVERFLOW : 0;
}

/*
 * The callee of a node for a function, which may be new. Inputs have callees in the order of names, so it
 * is the one behind that of before, mostly; else those of who has many are put in a table. 0, or -ENOMEM.
 */
static int find_callee(struct difference *d, const struct arrival *x, uint32_t caller,
		       uint32_t function, uint32_t *ret)
{
	struct diff_links *links = d->links.v, *of = &links[caller];
	struct diff_callees alone = { .last = of->first, .count = of->first != 0 };
	struct diff_callees *all = of->callees ? &d->callees.v[of->callees] : &alone;
	uint64_t key = (uint64_t)caller << 32;
	uint32_t at = 0, left = all->count;
	struct diff_node *node;

	/* Of who came with this input all callees are new. */
	if (caller < x->first_new || !x->distinct)
		at = all->latest && links[all->latest].next ? links[all->latest].next
							    : of->first;
	/* Once around. */
	for (; at && left && left <= CALLEES_FEW; left--) {
		if (d->nodes.v[at].function == function)
			break;
		at = links[at].next ? links[at].next : of->first;
	}
	if (!left)
		at = 0;
	if (at && d->nodes.v[at].function != function) {
		const uint32_t *known;

		for (uint32_t c = all->noted ? links[all->noted].next : of->first; c;
		     c = links[c].next) {
			if (!hash_map_set(&d->children, key | d->nodes.v[c].function, c))
				return -ENOMEM;
			all->noted = c;
		}
		known = hash_map_get(&d->children, key | function);
		at = known ? *known : 0;
	}
	if (at) {
		*ret = all->latest = at;
		return 0;
	}
	at = (uint32_t)d->nodes.count;
	node = array_add(&d->nodes);
	if (!node || !array_add(&d->links))
		return -ENOMEM;
	*node = (struct diff_node){ caller, function, 0 };
	*ret = at;
	of = &d->links.v[caller];
	if (!of->first) {
		of->first = at;
		return 0;
	}
	if (!of->callees) {
		of->callees = (uint32_t)d->callees.count;
		all = array_add(&d->callees);
		if (!all)
			return -ENOMEM;
		*all = alone;
	}
	d->links.v[all->last].next = at;
	all->last = at;
	all->count++;
	return 0;
}

/* Its paths. 0, or -ENOMEM. */
static int add_paths(struct difference *d, struct arrival *x)
{
	const struct named *named = x->input->in->tree;
	const struct symbols *in = x->input->in->symbols;
	struct diff_total *total = &d->total[x->side];
	uint32_t *functions = calloc(in->functions.count + 1, sizeof(*functions));
	const uint8_t bit = (uint8_t)(1 << x->side);
	uint64_t unit = power_of_ten(d->decimals);
	int err = functions ? 0 : -ENOMEM;

	/* Of the first input all nodes are new. */
	if (err == 0 && d->nodes.count == 1 &&
	    (!array_reserve(&d->nodes, named->nodes.count) ||
	     !array_reserve(&d->links, named->nodes.count)))
		err = -ENOMEM;
	for (uint32_t i = 0; i < named->nodes.count && err == 0; i++) {
		const struct named_node *n = &named->nodes.v[i];
		uint32_t *function = &functions[i ? n->function : in->functions.count];
		uint64_t self = x->selves[i], samples;
		struct diff_value *value;
		uint32_t *own;

		if (!x->totals[i])
			continue;
		if (i && !*function) {
			err = add_function(d, x->input->in, &in->functions.v[n->function],
					   function);
			x->any_unnamed |= d->functions.v[*function].unnamed;
			x->distinct &= d->functions.v[*function].input != d->inputs + 1;
			d->functions.v[*function].input = (uint32_t)d->inputs + 1;
			d->functions.v[*function].sides |= bit;
		}
		if (i && err == 0)
			err = find_callee(d, x, x->nodes[n->parent], *function,
					  &x->nodes[i]);
		/* Without samples all of the input is one piece. */
		if (err == 0 && self && !x->has_times)
			err = add_cell(d, x->nodes[i], x->side,
				       (struct piece){ 0, self });
		if (err < 0)
			break;
		if (n->parent == 0)
			d->functions.v[*function].is_process |= i > 0;
		/* Text says only how much: mostly that is how many samples. */
		samples = x->has_samples ? named_value(named, i, COLUMN_SAMPLES)
					 : self / unit;
		/* Most nodes are only passed. */
		if (!self && !samples)
			continue;
		own = &d->nodes.v[x->nodes[i]].own;
		if (!*own) {
			*own = (uint32_t)d->values.count;
			if (!array_add(&d->values))
				err = -ENOMEM;
		}
		if (err < 0)
			break;
		value = &d->values.v[*own];
		value->self[x->side] += self;
		value->samples[x->side] += samples;
		total->samples += samples;
		/* It costs a look at a function that nobody else takes. */
		if (self && x->any_unnamed && d->functions.v[*function].unnamed)
			total->unnamed += self;
		/* Of samples that are not there one by one: as if they weighed the same. */
		if (samples && !x->has_times)
			total->squares += (double)self * (double)self / (double)samples;
	}
	/* Runs of inlined functions are a count and so many of them. */
	for (size_t i = 0, left = 0; i < in->inlined.count && err == 0; i++) {
		if (left == 0)
			left = in->inlined.v[i];
		else if (left--)
			d->functions.v[functions[in->inlined.v[i]]].inlined |= bit;
	}
	free(functions);
	return err;
}

int difference_add(struct difference *d, enum diff_side side,
		   const struct diff_input *input)
{
	const struct named *named = input->in->tree;
	size_t count = named->nodes.count + 1;
	struct diff_total *total = &d->total[side];
	struct arrival x = {
		.input = input,
		.side = side,
		.nodes = pages_zeroed(count, sizeof(*x.nodes)),
		.first_new = d->nodes.count > 1 ? (uint32_t)d->nodes.count : 0,
		.distinct = named->joined,
		/* What is compared with the weight has no samples of its own. */
		.has_samples = input->column == COLUMN_WEIGHT &&
			       named->values[COLUMN_SAMPLES] && input->has_samples,
		.has_times = input->blocks && input->blocks->cells.count &&
			     input->last > input->first,
	};
	int err = x.nodes ? 0 : -ENOMEM;

	/* Cells have 16 bits for an input's number. */
	if (err == 0 && d->inputs > UINT16_MAX)
		err = -E2BIG;
	if (err == 0)
		err = read_weights(d, &x);
	if (err == 0 &&
	    __builtin_add_overflow(total->weight, x.totals[0], &total->weight))
		err = -EOVERFLOW;
	total->are_counts |= !x.has_samples;
	for (size_t i = 0; i < d->callees.count; i++)
		d->callees.v[i].latest = 0;
	if (err == 0)
		err = add_paths(d, &x);
	if (err == 0 && x.has_times)
		err = add_cells(d, side, input, x.nodes);
	/* What its sentence says: which ones they are, of what, and how long they took. */
	text_printf(&total->paths, "%s%s", total->inputs ? ", " : "", input->path);
	if (total->inputs < DIFF_INPUTS_TOLD) {
		total->brief.size = 0;
		text_add(&total->brief, total->paths.bytes, total->paths.size);
		total->told = total->brief.size;
	} else {
		total->brief.size = total->told;
		text_printf(&total->brief, " and %u more",
			    total->inputs + 1 - DIFF_INPUTS_TOLD);
	}
	if (err == 0 && (total->paths.failed || total->brief.failed))
		err = -ENOMEM;
	if (err == 0 && input->event && !total->event)
		err = intern_add(&d->strings, input->event, strlen(input->event),
				 &total->event);
	if (err == 0 && !input->spent && !total->timeless)
		err = intern_add(&d->strings, input->path, strlen(input->path),
				 &total->timeless);
	total->seconds += (double)input->spent / 1e9;
	total->lost += input->lost;
	total->has_times =
		total->inputs == 0 ? x.has_times : total->has_times && x.has_times;
	total->inputs++;
	d->inputs++;
	free(x.own);
	free(x.nodes);
	return err;
}
