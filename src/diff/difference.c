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
#include "diff/diff.h"

int difference_init(struct difference *d)
{
	struct diff_function root = { 0 };
	int err;

	*d = (struct difference){ 0 };
	err = intern_init(&d->strings);
	/* 0 is the root, and the function that it has not. */
	if (err < 0 || !array_add(&d->functions) || !array_add(&d->nodes)) {
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
	hash_map_release(&d->children);
	array_release(&d->cells);
	array_release(&d->symbols.functions);
	free(d->inlined);
	named_release(&d->named);
	free(d->measures);
	array_release(&d->rows);
	*d = (struct difference){ 0 };
}

/* "f+0x12ab" -> "f+0x...". */
static int add_stripped(struct intern *strings, const char *name, uint32_t *ret)
{
	struct text t = { 0 };
	int err;

	while (*name) {
		size_t digits = name[0] == '0' && name[1] == 'x'
					? strspn(name + 2, "0123456789abcdefABCDEF")
					: 0;

		text_add(&t, digits ? "0x..." : name, digits ? 5 : 1);
		name += digits ? 2 + digits : 1;
	}
	err = t.failed ? -ENOMEM : intern_add(strings, t.bytes ?: "", t.size, ret);
	text_release(&t);
	return err;
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
	uint64_t hash, i;
	uint32_t id;

	if ((d->strip_hex ? add_stripped(&d->strings, name, &new.name)
			  : intern_add(&d->strings, name, strlen(name), &new.name)) < 0 ||
	    intern_add(&d->strings, module, strlen(module), &new.module) < 0 ||
	    intern_add(&d->strings, file, strlen(file), &new.file) < 0)
		return -ENOMEM;
	hash = hash_u64((uint64_t) new.name << 32 | new.module) ^ hash_u64(new.kind);
	i = hash_start(hash);
	while ((id = hash_find(&d->functions_by_key, hash, &i)) != HASH_NONE) {
		const struct diff_function *known = &d->functions.v[id];

		if (known->name == new.name && known->module == new.module &&
		    known->kind == new.kind)
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

/* The child of a node for a function, which may be new. 0, or -ENOMEM. */
static int diff_child(struct difference *d, uint32_t parent, uint32_t function,
		      uint32_t *ret)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	const uint32_t *known = hash_map_get(&d->children, key);
	struct diff_node *node;

	if (known) {
		*ret = *known;
		return 0;
	}
	*ret = (uint32_t)d->nodes.count;
	node = array_add(&d->nodes);
	if (!node || !hash_map_set(&d->children, key, *ret))
		return -ENOMEM;
	node->parent = parent;
	node->function = function;
	return 0;
}

/* Weights have at least so many decimals from now on. */
static bool raise_decimals(struct difference *d, unsigned decimals)
{
	bool overflow = false;

	for (; d->decimals < decimals; d->decimals++) {
		for (size_t i = 0; i < d->nodes.count; i++)
			for (int s = 0; s < DIFF_SIDES; s++)
				overflow |=
					__builtin_mul_overflow(d->nodes.v[i].self[s], 10,
							       &d->nodes.v[i].self[s]);
		for (size_t i = 0; i < d->cells.count; i++)
			d->cells.v[i].weight *= 10;
		for (int s = 0; s < DIFF_SIDES; s++) {
			overflow |= __builtin_mul_overflow(d->total[s].weight, 10,
							   &d->total[s].weight);
			d->total[s].unnamed *= 10;
			d->total[s].squares *= 100;
		}
	}
	return !overflow;
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

/* Samples of a stack in one piece of time are one cell. @nodes: by node of the input's tree. */
static int add_cells(struct difference *d, enum diff_side side,
		     const struct diff_input *input, const uint32_t *nodes)
{
	uint64_t factor = power_of_ten(d->decimals - input->in->tree->decimals);
	uint64_t span = input->last - input->first + 1;
	uint32_t *open =
		calloc(d->nodes.count, sizeof(*open)); /* by node: its cell, + 1 */
	unsigned open_block = UINT8_MAX;
	size_t begin = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < input->sample_count; i++) {
		const struct kept_sample *s = &input->samples[i];
		uint64_t weight = s->weight * factor;
		uint64_t at = s->time > input->first ? s->time - input->first : 0;
		unsigned block = at >= span ? DIFF_TIME_BLOCKS - 1
					    : (unsigned)((unsigned __int128)at *
							 DIFF_TIME_BLOCKS / span);
		uint32_t node = nodes[s->node];

		/* In order of time: cells of the piece before are complete. */
		if (block != open_block)
			begin = d->cells.count;
		open_block = block;
		if (open[node] <= begin) {
			if (add_cell(d, node, side, (struct piece){ block, 0 }) < 0) {
				free(open);
				return -ENOMEM;
			}
			open[node] = (uint32_t)d->cells.count;
		}
		d->cells.v[open[node] - 1].weight += weight;
		d->total[side].squares += (double)weight * (double)weight;
	}
	free(open);
	return 0;
}

/* What its sentence says of an input: which one it is, of what, and how long it took. */
static int add_facts(struct difference *d, struct diff_total *total,
		     const struct diff_input *input)
{
	const char *paths = intern_text(&d->strings, total->paths);
	struct text all = { 0 };
	int err;

	text_printf(&all, "%s%s%s", paths, *paths ? ", " : "", input->path);
	err = all.failed ? -ENOMEM
			 : intern_add(&d->strings, all.bytes, all.size, &total->paths);
	text_release(&all);
	if (err == 0 && input->event && !total->event)
		err = intern_add(&d->strings, input->event, strlen(input->event),
				 &total->event);
	if (err == 0 && !input->spent && !total->timeless)
		err = intern_add(&d->strings, input->path, strlen(input->path),
				 &total->timeless);
	total->seconds += (double)input->spent / 1e9;
	total->lost += input->lost;
	return err;
}

/* Of the column that is asked for, in units of the difference: a node's own value, and that of all
 * below it. False where it is more than 64 bits hold. */
static bool read_weights(const struct difference *d, const struct diff_input *input,
			 uint64_t *selves, uint64_t *totals)
{
	const struct named *named = input->in->tree;
	uint64_t factor = power_of_ten(d->decimals - named->decimals);
	bool overflow = false;

	for (size_t i = named->nodes.count; i-- > 0;) {
		uint64_t *above = &totals[named->nodes.v[i].parent];

		overflow |= __builtin_mul_overflow(
			named_value(named, (uint32_t)i, input->column), factor,
			&selves[i]);
		overflow |= __builtin_add_overflow(totals[i], selves[i], &totals[i]);
		if (i)
			overflow |= __builtin_add_overflow(*above, totals[i], above);
	}
	return !overflow;
}

int difference_add(struct difference *d, enum diff_side side,
		   const struct diff_input *input)
{
	const struct named *named = input->in->tree;
	const struct symbols *in = input->in->symbols;
	size_t count = named->nodes.count + 1;
	struct diff_total *total = &d->total[side];
	uint32_t *functions = calloc(in->functions.count + 1, sizeof(*functions));
	uint32_t *nodes = calloc(count, sizeof(*nodes));
	uint64_t *selves = calloc(count, sizeof(*selves));
	uint64_t *totals = calloc(count, sizeof(*totals));
	/* What is compared with the weight has no samples of its own. */
	bool has_samples = input->column == COLUMN_WEIGHT &&
			   named->values[COLUMN_SAMPLES] && input->has_samples;
	bool has_times = input->sample_count && input->last > input->first;
	int err = functions && nodes && selves && totals ? 0 : -ENOMEM;

	/* Cells have 16 bits for an input's number. */
	if (err == 0 && d->inputs > UINT16_MAX)
		err = -E2BIG;
	if (err == 0 &&
	    (!raise_decimals(d, named->decimals) ||
	     !read_weights(d, input, selves, totals) ||
	     __builtin_add_overflow(total->weight, totals[0], &total->weight)))
		err = -EOVERFLOW;
	total->are_counts |= !has_samples;
	for (uint32_t i = 0; i < named->nodes.count && err == 0; i++) {
		const struct named_node *n = &named->nodes.v[i];
		uint32_t function = i ? functions[n->function] : 0;
		struct diff_function *f;
		struct diff_node *node;
		uint64_t samples;

		if (!totals[i])
			continue;
		if (i && !function)
			err = add_function(d, input->in, &in->functions.v[n->function],
					   &function);
		if (i && err == 0)
			err = diff_child(d, nodes[n->parent], function, &nodes[i]);
		/* Without samples all of the input is one piece. */
		if (err == 0 && selves[i] && !has_times)
			err = add_cell(d, nodes[i], side, (struct piece){ 0, selves[i] });
		if (err < 0)
			break;
		if (i)
			functions[n->function] = function;
		f = &d->functions.v[function];
		f->sides |= (uint8_t)(1 << side);
		f->is_process |= i && n->parent == 0;
		node = &d->nodes.v[nodes[i]];
		/* Text says only how much: mostly that is how many samples. */
		samples = has_samples ? named_value(named, i, COLUMN_SAMPLES)
				      : selves[i] / power_of_ten(d->decimals);
		node->self[side] += selves[i];
		node->samples[side] += samples;
		total->samples += samples;
		total->unnamed += f->unnamed ? selves[i] : 0;
		/* Of samples that are not there one by one: as if they weighed the same. */
		if (samples && !has_times)
			total->squares +=
				(double)selves[i] * (double)selves[i] / (double)samples;
	}
	/* Runs of inlined functions are a count and so many of them. */
	for (size_t i = 0, left = 0; i < in->inlined.count && err == 0; i++) {
		if (left == 0)
			left = in->inlined.v[i];
		else if (left--)
			d->functions.v[functions[in->inlined.v[i]]].inlined |=
				(uint8_t)(1 << side);
	}
	if (err == 0 && has_times)
		err = add_cells(d, side, input, nodes);
	if (err == 0)
		err = add_facts(d, total, input);
	total->has_times = total->inputs == 0 ? has_times : total->has_times && has_times;
	total->inputs++;
	d->inputs++;
	free(functions);
	free(nodes);
	free(selves);
	free(totals);
	return err;
}
