/* A tree that was saved in a picture: its stacks have their names already. */
#include <errno.h>
#include <flamefold_diff.h>
#include <flamefold_time.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/profile.h"
#include "store/store.h"

/*
 * A node is a byte or less in a picture, and its stack is as long as it is deep: all stacks, written as
 * folded text, are as many bytes at most, and so many for each byte of the picture. Those of programs are
 * 10 to 1,000 for each.
 */
#define TEXT_FREE (256ull << 20)
enum { TEXT_A_BYTE = 4096 };

struct restoring {
	struct ff_profile *p;
	const struct saved_tree *tree;
	uint32_t *frames; /* by function: its frame */
	uint32_t *wakers; /* by function: its frame behind a separator; NULL: no chains */
	uint32_t *depth; /* by node; the root's is 0 */
	bool *behind; /* by node: a separator is above it; NULL: no chains */
	ARRAY(uint32_t) path; /* frames down to the node at hand */
	bool chain; /* functions are as --colors=chain shows them */
	bool text_only; /* it was made of folded text */
	uint64_t factor; /* to the profile's decimals */
	uint32_t last; /* what was charged last */
	const struct store_tree *stored; /* of a profile file; NULL: it is none */
	size_t slice; /* the next of its slices of time */
	struct heat heat;
	size_t pair; /* the next of the tree's heat */
	uint32_t column[COLUMNS_MOST]; /* the profile's, by the tree's */
	uint32_t said
		[COLUMNS_MOST]; /* by column: the next of those that are said of frames */
};

/* The columns of the picture become the profile's. */
static int match_columns(struct restoring *r, const struct ff_input *input)
{
	uint64_t size = (uint64_t)r->p->collected.trie.count * TRIE_COLUMN_MEMORY;
	struct context *ctx = &r->p->ctx;

	for (uint32_t i = 0; i < r->tree->columns; i++) {
		const struct column *column = &r->tree->values[i].column;
		const struct column *known = columns_find(&r->p->columns, column->name);
		const char *unit = column->unit ? column->unit : "";
		struct claim claim = { 0 };

		/* For one that the profile has not yet there has to be memory. The claim
		 * only asks: the trie claims what it takes when it takes it. */
		if (!known) {
			bool has_room = claim_add(&claim, &r->p->budget, size);

			claim_release(&claim);
			if (!has_room ||
			    columns_add(&r->p->columns, column, &r->column[i]) != 0)
				return input_picture_fail(ctx, input->input, -EFBIG,
							  NULL);
			continue;
		}
		r->column[i] = (uint32_t)(known - r->p->columns.v);
		/* All that decides how values are added and shown has to agree, or a sum
		 * means nothing. */
		if (strcmp(known->unit ? known->unit : "", unit) != 0 ||
		    known->side != column->side || known->sum != column->sum ||
		    known->decimals != column->decimals ||
		    known->makes_stacks != column->makes_stacks)
			return fail(ctx, -EINVAL,
				    "cannot add '%s': its column '%s' counts something "
				    "else than that of the inputs before it",
				    input_path(input->input), column->name);
	}
	return 0;
}

/*
 * What a function of a picture becomes, a frame of no file in each case:
 *
 *	a gap                 FRAME_GAP
 *	text, no module       the name; FRAME_TEXT where all of the picture is text
 *	any other             FRAME_FUNCTION, address: its index in frames.functions
 */
static int new_frame(struct restoring *r, const struct saved_function *f, uint32_t *ret)
{
	struct frame frame = { .image = IMAGE_ID_NAMES };
	struct saved_function *slot;

	if ((f->kind & SAVED_KIND) == SAVED_GAP) {
		frame.flags = FRAME_GAP;
	} else if (f->kind == SAVED_TEXT && f->module == 0) {
		frame.address = f->name;
		frame.flags = r->text_only ? FRAME_TEXT : 0;
	} else {
		slot = array_add(&r->p->collected.frames.functions);
		if (!slot)
			return -ENOMEM;
		*slot = *f;
		frame.flags = FRAME_FUNCTION;
		frame.address = r->p->collected.frames.functions.count - 1;
	}
	return frames_add(&r->p->collected.frames, &frame, ret);
}

/* "--", which --colors=chain puts between and behind stacks. */
static bool is_separator(const struct restoring *r, uint32_t node)
{
	uint32_t name = r->tree->functions[r->tree->function[node]].name;

	return r->chain && node && strcmp(intern_text(&r->p->strings, name), "--") == 0;
}

static int make_frames(struct restoring *r)
{
	uint32_t count = r->tree->function_count;
	int err = 0;

	r->frames = calloc(count, sizeof(*r->frames));
	if (r->chain)
		r->wakers = calloc(count, sizeof(*r->wakers));
	if (!r->frames || (r->chain && !r->wakers))
		return -ENOMEM;
	for (uint32_t i = 1; i < count && err == 0; i++) {
		const struct saved_function *f = &r->tree->functions[i];
		struct saved_function plain = *f;
		const char *name;
		size_t size;

		err = new_frame(r, f, &r->frames[i]);
		if (err < 0 || !r->wakers)
			continue;
		/* The same without a waker's mark. */
		name = intern_text(&r->p->strings, f->name);
		size = strlen(name);
		if (size >= 4 && strcmp(name + size - 4, "_[w]") == 0 &&
		    intern_add(&r->p->strings, name, size - 4, &plain.name) < 0)
			return -ENOMEM;
		err = new_frame(r, &plain, &r->wakers[i]);
	}
	return err;
}

static bool by_samples(const struct restoring *r)
{
	return r->p->options.count == FF_COUNT_SAMPLES &&
	       r->tree->values[COLUMN_SAMPLES].of;
}

/* What is of the weight says nothing of samples, and of a frame only in a tree that is one of functions. */
static bool is_told(const struct restoring *r, uint32_t column)
{
	const struct column *c = &r->tree->values[column].column;

	return !(by_samples(r) && !c->unit) &&
	       !(r->p->options.flags & FF_FLAMECHART && c->sum == SUM_HERE);
}

/* A stack that ends at @node. */
static int add_saved_stack(struct restoring *r, uint32_t node)
{
	const struct saved_tree *tree = r->tree;
	unsigned kind = tree->functions[tree->function[node]].kind & SAVED_KIND;
	bool in_order = r->p->options.flags & FF_FLAMECHART;
	struct weight_sum *sum = &r->p->collected.sum;
	struct trie *t = &r->p->collected.trie;
	struct weight_summed summed = {
		.weight = saved_value(tree, node,
				      by_samples(r) ? COLUMN_SAMPLES : COLUMN_WEIGHT),
		.samples = saved_value(tree, node, COLUMN_SAMPLES),
		.before = saved_value(tree, node, COLUMN_BEFORE),
		.has_before = tree->values[COLUMN_BEFORE].of,
	};
	bool is_there = summed.weight || summed.before, has_further = false;
	uint32_t count = r->depth[node];
	int err;

	for (uint32_t i = COLUMN_ROLES; i < tree->columns && !has_further; i++)
		has_further = saved_value(tree, node, i) && is_told(r, i);
	if (!is_there && !has_further)
		return 0;
	/* A separator behind a stack, and a gap, say where a value stands, and belong to
	 * no stack; only a flame chart keeps its gaps. */
	if (is_separator(r, node) || (kind == SAVED_GAP && !in_order))
		count--;
	if (in_order)
		err = trie_append(t, r->path.v, count, r->last, &r->last);
	else
		err = collected_add_stack(&r->p->collected, r->path.v, count, &r->last);
	sum->overflow |= __builtin_mul_overflow(summed.weight, r->factor, &summed.weight);
	sum->overflow |= __builtin_mul_overflow(summed.before, r->factor, &summed.before);
	if (err < 0)
		return err;
	summed.cut = err > 0;
	if (is_there && weight_charge_summed(sum, t, r->last, &summed) < 0)
		return -ENOMEM;
	/* A picture without samples counts as many as it has stacks. */
	if (is_there && !summed.samples && count_line(r->p, r->last) < 0)
		return -ENOMEM;
	/* Of columns without a role nobody counts how much was read. */
	for (uint32_t i = COLUMN_ROLES; i < tree->columns && has_further; i++) {
		uint64_t value = saved_value(tree, node, i);
		uint64_t *further = &r->p->further_sums[r->column[i]];

		if (!value || !is_told(r, i))
			continue;
		/* Weight has the profile's decimals; a unit of its own has its own. */
		if (!tree->values[i].column.unit)
			sum->overflow |= __builtin_mul_overflow(value, r->factor, &value);
		sum->overflow |= __builtin_add_overflow(*further, value, further);
		if (trie_charge(t, r->last, r->column[i], value) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* All stacks as folded text must not be more than an honest picture has. */
static int check_text(struct restoring *r, const struct ff_input *input)
{
	const struct saved_tree *tree = r->tree;
	uint64_t bytes = input_recording(input->input)->bytes, most, size = 0;
	uint64_t *of_function = calloc(tree->function_count, sizeof(*of_function));
	uint64_t *down_to = calloc(r->path.room + 1, sizeof(*down_to)); /* by depth */
	int err = of_function && down_to ? 0 : fail_memory(&r->p->ctx);

	/* A pipe has no size: that of an honest one. */
	most = TEXT_FREE + TEXT_A_BYTE * (bytes ? bytes : tree->nodes / 2);
	for (uint32_t i = 1; i < tree->function_count && err == 0; i++)
		of_function[i] =
			1 + strlen(intern_text(&r->p->strings, tree->functions[i].name));
	for (uint32_t i = 1; i < tree->nodes && err == 0 && size < most; i++) {
		uint32_t depth = r->depth[i], column = 0;

		/* In preorder the last entry at a depth is the parent's. */
		down_to[depth] = down_to[depth - 1] + of_function[tree->function[i]];
		/* A node with any value is the end of a stack. */
		while (column < tree->columns && !saved_value(tree, i, column))
			column++;
		size += column < tree->columns ? down_to[depth] : 0;
	}
	free(of_function);
	free(down_to);
	if (err < 0 || size < most)
		return err;
	return fail(&r->p->ctx, -EFBIG,
		    "'%s': the stacks of the picture would be more than %" PRIu64
		    " MB of text",
		    input_path(input->input), most / 1000000);
}

/* Slices of the time of a node's weight, whose stack was charged last. What says that there are none of
 * two files is a refusal: their slices are not of one time. */
static int add_saved_slices(struct restoring *r, uint32_t saved)
{
	const struct store_tree *file = r->stored;
	struct time_blocks *blocks = &r->p->collected.blocks;
	int added = 1;

	while (file && r->slice < file->slices.count && added >= 0 &&
	       file->slices.v[r->slice].node == saved) {
		const struct store_slice *s = &file->slices.v[r->slice];
		struct block_cell cell = { .squares = r->slice ? 0 : file->squares,
					   .weight = s->weight,
					   .node = r->last,
					   .block = s->slice };

		r->slice++;
		added = time_blocks_add_known(blocks, &cell);
	}
	return added < 0 ? added : 0;
}

/* When the stack that was charged last was there. */
static int add_saved_heat(struct restoring *r, uint32_t saved)
{
	const struct saved_tree *tree = r->tree;
	int err = 0;

	for (; r->pair < tree->heat.pairs.count &&
	       tree->heat.pairs.v[r->pair].node == saved;
	     r->pair++) {
		struct heat_cell part = tree->heat.pairs.v[r->pair];

		part.node = r->last;
		part.weight = by_samples(r) ? part.samples : part.weight * r->factor;
		if (err == 0 && heat_is_wanted(&r->heat))
			err = heat_add_cell(&r->heat, part.cell * tree->heat.width, part);
	}
	return err;
}

/* The same by processor. */
static int add_saved_processors(struct restoring *r, struct heat *to)
{
	const struct saved_heat *from = &r->tree->processors;
	int err = 0;

	for (size_t i = 0; i < from->pairs.count && err == 0 && heat_is_wanted(to); i++) {
		struct heat_cell part = from->pairs.v[i];

		part.weight = by_samples(r) ? part.samples : part.weight * r->factor;
		err = heat_add_cell(to, part.cell * from->width, part);
	}
	return err;
}

static int add_stack_and_times(struct restoring *r, uint32_t node)
{
	int err = add_saved_stack(r, node);

	if (err == 0)
		err = add_saved_slices(r, node);
	return err < 0 ? err : add_saved_heat(r, node);
}

static int add_stacks(struct restoring *r)
{
	int err = add_stack_and_times(r, 0);

	for (uint32_t i = 1; i < r->tree->nodes && err == 0; i++) {
		const uint32_t *frames =
			r->behind && r->behind[i] ? r->wakers : r->frames;

		/* Preorder: what is above in the path is the way to the parent. */
		r->path.v[r->depth[i] - 1] = frames[r->tree->function[i]];
		err = add_stack_and_times(r, i);
		/* All that is said of the frame, which is the path's last. */
		for (uint32_t k = 0; err == 0 && k < r->tree->columns; k++) {
			const struct saved_values *values = &r->tree->values[k];
			uint32_t next = r->said[k], node;
			uint64_t value;

			/* Sayings are in the order of nodes, so one index for each column
			 * goes along with the walk. */
			if (next == values->said_count || values->said[next].node != i)
				continue;
			r->said[k]++;
			if (!is_told(r, k))
				continue;
			err = collected_add_stack(&r->p->collected, r->path.v,
						  r->depth[i], &node);
			value = values->said[next].value;
			r->p->collected.sum.overflow |=
				__builtin_mul_overflow(value, r->factor, &value);
			/* Of a frame that was cut nothing is said. */
			if (err == 0)
				err = trie_charge(&r->p->collected.trie, node,
						  r->column[k], value);
			else if (err > 0)
				err = 0;
		}
	}
	return err;
}

static int restore(struct ff_profile *p, const struct ff_input *input,
		   const struct saved_tree *tree)
{
	struct restoring r = {
		.p = p,
		.tree = tree,
		.stored = input->stored,
		.chain = input_picture(input->input)->chain,
		.text_only = true,
		.factor = 1,
	};
	struct heat processors = { 0 };
	uint32_t deepest = 0;
	int err = match_columns(&r, input);

	if (err < 0)
		return err;
	if (input->stored && input->stored->slices.count) {
		struct time_blocks *blocks = &p->collected.blocks;

		blocks->refused |= blocks->grid.width > 0;
		blocks->grid = (struct time_grid){ .width = 1 };
		blocks->budget = &p->budget;
	}
	if (tree->wants_heat) {
		uint64_t width = p->slice ? p->slice : tree->heat.width;
		const uint64_t *first = &input_recording(input->input)->first_time;

		r.heat = heat_of(first, width, p->ctx.budget);
		if (tree->heat.refused)
			heat_drop(&r.heat, HEAT_REFUSED);
		else if (tree->heat.width && width % tree->heat.width)
			heat_drop(&r.heat, HEAT_COARSE);
		processors = heat_of(first, tree->processors.width, p->ctx.budget);
		if (tree->processors.refused || p->slice)
			heat_drop(&processors, HEAT_REFUSED);
	}
	/* Nothing says what kind of function any of them is. */
	for (uint32_t i = 1; i < tree->function_count; i++) {
		unsigned kind = tree->functions[i].kind & SAVED_KIND;

		r.text_only &= kind == SAVED_TEXT || kind == SAVED_GAP;
	}
	for (unsigned i = tree->decimals; i < p->collected.decimals; i++)
		r.factor *= 10;
	err = make_frames(&r);
	r.depth = calloc(tree->nodes, sizeof(*r.depth));
	if (r.chain)
		r.behind = calloc(tree->nodes, sizeof(*r.behind));
	if (!r.depth || (r.chain && !r.behind))
		err = -ENOMEM;
	for (uint32_t i = 1; i < tree->nodes && err == 0; i++) {
		uint32_t parent = tree->parent[i];

		r.depth[i] = r.depth[parent] + 1;
		if (r.depth[i] > deepest)
			deepest = r.depth[i];
		if (r.behind)
			r.behind[i] = r.behind[parent] || is_separator(&r, parent);
	}
	/* The path is as long as the deepest stack, so that it never grows on the way. */
	if (err == 0 && !array_reserve(&r.path, deepest + 1))
		err = -ENOMEM;
	err = err < 0 ? fail_memory(&p->ctx) : check_text(&r, input);
	if (err == 0 &&
	    (add_stacks(&r) < 0 || add_saved_processors(&r, &processors) < 0 ||
	     (tree->wants_heat &&
	      (heat_merge(&p->collected.heat, &r.heat, NULL) < 0 ||
	       heat_merge(&p->collected.processors, &processors, NULL) < 0))))
		err = fail_memory(&p->ctx);
	heat_release(&r.heat);
	heat_release(&processors);
	free(r.frames);
	free(r.wakers);
	free(r.depth);
	free(r.behind);
	array_release(&r.path);
	return err;
}

int decode_saved(struct ff_profile *p, struct input *in, enum input_kind kind,
		 struct saved_tree *ret, struct store_tree **stored)
{
	const char *event = p->options.event, *why;
	struct saved_picture picture = { 0 };
	struct store_tree file = { .wants_slices = p->options.flags & FF_TIME_BLOCKS,
				   .tree.wants_heat = p->options.flags & FF_HEAT };
	int err;

	if (kind != INPUT_PROFILE) {
		ret->wants_heat = p->options.flags & FF_HEAT;
		err = saved_tree_decode(input_picture(in), &p->strings, p->ctx.budget,
					ret, &why);
		/* The tree has been decoded, and the bytes of the picture are no longer of
		 * use. */
		input_drop_payload(in);
		return err < 0 ? input_picture_fail(&p->ctx, in, err, why) : 0;
	}
	/* "all" would add up what is not alike; of a file it is what there is most of. */
	if (event && strcmp(event, "all") == 0)
		event = NULL;
	err = store_read_tree(&p->ctx, input_file(in), event, &p->strings, &file);
	if (err < 0)
		return err;
	if (file.others && !event)
		warn(&p->ctx,
		     "'%s' holds %u events; this is '%s' (--event=NAME chooses another "
		     "one)",
		     input_path(in), file.others + 1,
		     file.event ? intern_text(&p->strings, file.event) : "folded text");
	/* Behind this a profile file is a picture without one. */
	picture.events = file.event;
	picture.unit = file.unit;
	picture.samples = file.samples;
	picture.lost = file.origin.counts[COUNT_LOST];
	picture.truncated = file.origin.counts[COUNT_TRUNCATED];
	picture.duration = file.origin.counts[COUNT_DURATION];
	*ret = file.tree;
	file.tree = (struct saved_tree){ 0 };
	*stored = malloc(sizeof(**stored));
	if (*stored)
		**stored = file;
	else
		store_tree_release(&file);
	return *stored && input_set_picture(in, &picture) == 0 ? 0 : fail_memory(&p->ctx);
}

int read_saved(struct ff_profile *p, struct ff_input *input,
	       const struct saved_tree *tree)
{
	const struct saved_picture *picture = input_picture(input->input);
	const char *path = input_path(input->input);
	bool has_samples = tree->values[COLUMN_SAMPLES].of, has_modules = false;
	int err;

	if (filters_ask_samples(p->filters))
		return fail(
			&p->ctx, -EINVAL,
			"cannot filter '%s': a flame graph has no single samples, only "
			"symbol and dso can be asked for",
			path);
	if (profile_rule(p) || p->wall.weight)
		return fail(&p->ctx, -EINVAL,
			    "cannot weigh '%s' by a mode: a flame graph has no events",
			    path);
	for (uint32_t i = 1; i < tree->function_count && !has_modules; i++)
		has_modules = tree->functions[i].module;
	if (filters_ask_objects(p->filters) && !has_modules)
		return fail(&p->ctx, -EINVAL,
			    "cannot filter '%s' by dso: it does not say of what object a "
			    "function is",
			    path);
	/* A profile file was read with the event that was asked for. */
	if (p->options.event && strcmp(p->options.event, "all") != 0 && picture->format)
		return fail(
			&p->ctx, -EINVAL,
			"cannot choose an event of '%s': a flame graph holds what was "
			"counted",
			path);
	/* Before restore(), which finds its factor by what the profile's decimals are
	 * then. */
	collected_scale(&p->collected, tree->decimals);
	input->event_names = picture->events;
	input->title = picture->title;
	input->unit =
		p->options.count == FF_COUNT_SAMPLES && has_samples ? 0 : picture->unit;
	input->frequency = picture->frequency;
	input->period = picture->period;
	input->has_samples = has_samples;
	/* Why they were cut is not known any more. */
	p->collected.incomplete.truncated += picture->truncated;
	err = ratio_take_saved(p, picture);
	if (err == 0)
		err = report_read(p, input, tree->report, tree->report_size);
	return err < 0 ? err : restore(p, input, tree);
}
