/*
 * Filters by frames, symbol and dso: when all have their names. What they leave out is
 * counted as lost, as what other filters leave out.
 *
 * A pattern is asked once for each function; what a stack matches is then the union over its
 * frames, which is its parent's and its last frame's, for a node of the trie is a stack. So the
 * cost is one look at each node, and text is matched only as often as there are functions.
 */
#include <errno.h>
#include <stdlib.h>

#include "engine/profile.h"

/*
 * What a frame, or a stack down to a node, matched; and one bit more.
 *
 *	bit 4        bits 3 to 0
 *	UNDER_MARK   as filters_match_frame() gives them
 */
enum { UNDER_MARK = 1 << FILTER_FRAME_BITS };

struct filtering {
	struct ff_profile *p;
	struct filter_memo *memo;
	uint8_t *functions; /* what they matched */
	uint8_t *nodes; /* the same for all frames down to a node */
	uint8_t *left_out;
	uint32_t mark; /* string id of "[truncated]" */
	uint64_t truncated; /* samples that are left, of stacks under that */
};

/*
 * Lines of folded text and stacks of pictures count as one sample each, of which no tree has to
 * know; what a filter takes out has to be taken off that count, too.
 */
int count_line(struct ff_profile *p, uint32_t node)
{
	/* Where nothing is ever taken out, nothing has to be known. */
	return filters_ask_frames(p->filters)
		       ? trie_charge(&p->collected.trie, node, COLUMN_LINES, 1)
		       : 0;
}

/* Each function once, whatever the number of its frames. */
static int match_functions(struct filtering *f)
{
	const struct symbols *symbols = &f->p->symbols;

	f->functions = calloc(symbols->functions.count + 1, 1);
	if (!f->functions)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->functions.count; i++) {
		const struct function *function = &symbols->functions.v[i];
		const char *name = intern_text(&f->p->strings, function->name);
		const char *module = intern_text(&f->p->strings, function->module);
		const char *close = *module == '[' ? strchr(module, ']') : NULL;
		struct filter_frame frame = { { name, strlen(name) },
					      { module, strlen(module) } };
		size_t size = frame.name.size;
		int matched;

		/* flamegraph.pl's marks, _[k] and such, are not of the name. */
		if (size > 4 && memcmp(name + size - 4, "_[", 2) == 0 &&
		    name[size - 1] == ']')
			frame.name.size -= 4;
		/* "[kernel.kallsyms]_text" is [kernel.kallsyms]. */
		if (close)
			frame.module.size = (size_t)(close + 1 - module);
		matched = filters_match_frame(&f->p->ctx, f->p->filters, f->memo, &frame);
		if (matched < 0)
			return matched;
		f->functions[i] = (uint8_t)matched;
	}
	return 0;
}

/* A parent's id is below its children's. */
static int match_stacks(struct filtering *f)
{
	const struct symbols *symbols = &f->p->symbols;
	const struct trie *t = &f->p->collected.trie;

	f->nodes = calloc(t->count, 1);
	if (!f->nodes)
		return -ENOMEM;
	for (uint32_t id = 1; id < t->count; id++) {
		uint32_t frame_id = t->nodes[id].frame, count;
		const struct frame *frame = &f->p->collected.frames.list.v[frame_id];
		const uint32_t *inlined;
		/* The parent has its bits already, and a child has them, too. */
		uint8_t bits = f->nodes[t->nodes[id].parent];

		/* Processes are asked for by comm, and marks are nobody's functions. */
		if (frame->image != IMAGE_ID_NAMES ||
		    frame->flags & (FRAME_TEXT | FRAME_FUNCTION | FRAME_PRINTED)) {
			bits |= f->functions[symbols->of_frame.v[frame_id]];
			/* A stack passes by a function that was inlined into its frame as
			 * well. */
			inlined = symbols_inlined(symbols, frame_id, &count);
			for (uint32_t i = 0; i < count; i++)
				bits |= f->functions[inlined[i]];
		} else if (frame->flags == 0 && frame->address == f->mark) {
			bits |= UNDER_MARK;
		}
		f->nodes[id] = bits;
	}
	return 0;
}

/* What has no values of its own stays for what stands on it. */
static int drop_stacks(struct filtering *f)
{
	const struct columns *columns = &f->p->columns;
	struct collected *c = &f->p->collected;
	struct trie *t = &c->trie;

	f->left_out = malloc(t->count);
	if (!f->left_out)
		return -ENOMEM;
	memset(f->left_out, 1, t->count);
	/* From the last to the first, so children come before their parent: one of them
	 * that is left keeps it in the tree. */
	for (uint32_t id = t->count; id-- > 0;) {
		unsigned matched = f->nodes[id] & ~(unsigned)UNDER_MARK;
		bool passes = filters_pass_frames(f->p->filters, matched);

		if (!passes)
			weight_filter_out(&c->sum, t, id);
		for (uint32_t i = 0; i < columns->count; i++) {
			/* Said of a frame, not of the stacks that go through it. */
			if (columns->v[i].sum == SUM_HERE)
				continue;
			if (!passes)
				trie_take(t, id, i);
			if (columns->v[i].sum == SUM_BELOW && trie_self(t, id, i))
				f->left_out[id] = 0;
		}
		if (f->nodes[id] & UNDER_MARK)
			f->truncated += trie_self(t, id, COLUMN_SAMPLES);
		if (!f->left_out[id])
			f->left_out[t->nodes[id].parent] = 0;
	}
	/* The root is there even when nothing passes. */
	f->left_out[0] = 0;
	return 0;
}

int filter_stacks(struct ff_profile *p, uint8_t **left_out)
{
	struct incomplete_counts *incomplete = &p->collected.incomplete;
	struct filtering f = { .p = p };
	int err;

	if (!filters_ask_frames(p->filters))
		return 0;
	err = filter_memo_new(p->filters, &f.memo);
	if (err == 0)
		err = intern_add(&p->strings, "[truncated]", 11, &f.mark);
	if (err == 0)
		err = match_functions(&f);
	if (err == 0)
		err = match_stacks(&f);
	if (err == 0)
		err = drop_stacks(&f);
	filter_memo_free(f.memo);
	free(f.functions);
	free(f.nodes);
	if (err < 0) {
		free(f.left_out);
		/* Any other error has its sentence, by filters_match_frame(). */
		return err == -ENOMEM ? fail_memory(&p->ctx) : err;
	}
	/* How many are left of the stacks that are not whole the mark tells, but not why: that was
	 * counted when they were read. */
	if (p->options.truncated != FF_TRUNCATED_MARK ||
	    p->options.flags & FF_COMPAT_STACKCOLLAPSE) {
		f.truncated = incomplete->truncated;
		if (f.truncated > p->collected.sum.samples_kept)
			f.truncated = p->collected.sum.samples_kept;
	}
	*incomplete = (struct incomplete_counts){ .truncated = f.truncated };
	*left_out = f.left_out;
	return 0;
}
