/*
 * Folded text: its lines are stacks of names already, so they skip all stages up to the trie. Each
 * name is a frame of its own kind, and a line a node. Text has as many decimals as its most exact
 * line (stackcollapse scripts and difffolded.pl write fractions); weights are integers in units of
 * the last one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "engine/profile.h"

enum {
	PROGRESS_LINES = 4096,
	KNOWN_NAMES = 1 << 15, /* half of an L2 cache's share */
	ALIKE = 4, /* a line of the cache */
	FRAMES_MOST =
		1 << 20, /* of a stack: a byte can be one, and packed text more of them */
};

/* A name that came lately, and its frame. The low bits of a wide hash are its place, and the others
 * tell names apart: equal hashes stand for equal names (base/hash.h). */
struct known_name {
	uint64_t high;
	uint32_t middle;
	uint32_t frame; /* + 1; 0: empty */
};

/* What the next line may have in common with those before. */
struct folded_reader {
	struct text last; /* line */
	ARRAY(uint32_t) frames; /* of it */
	ARRAY(uint32_t) ends; /* of each: where its ';' stands */
	ARRAY(struct hash_wide) hashes; /* of those names that the line before had not */
	size_t count;
	struct known_name
		*known; /* KNOWN_NAMES of them, by ALIKE that may be in each place */
};

static struct known_name *place_of_name(const struct folded_reader *r,
					const struct hash_wide *hash)
{
	return &r->known[hash->low % (KNOWN_NAMES / ALIKE) * ALIKE];
}

/* The frame of a name. It is known to names that came lately by one look; others ask the table of
 * names, and that of frames. 0, or -ENOMEM. */
static int find_text_frame(struct ff_profile *p, struct folded_reader *r, size_t i,
			   const char *text, size_t size)
{
	const struct hash_wide *hash = &r->hashes.v[i];
	struct known_name *known = place_of_name(r, hash), *oldest = &known[ALIKE - 1];
	struct frame frame = { .image = IMAGE_ID_NAMES, .flags = FRAME_TEXT };
	uint32_t middle = (uint32_t)(hash->low >> 32), name;
	int found;

	for (int k = 0; k < ALIKE && known[k].frame; k++)
		if (known[k].high == hash->high && known[k].middle == middle) {
			r->frames.v[i] = known[k].frame - 1;
			return 0;
		}
	/* Names are the input's, and as many as it likes: the budget is asked. */
	found = intern_add_within(&p->strings, &p->budget, text, strnlen(text, size),
				  &name);
	if (found < 0)
		return -ENOMEM;
	if (found > 0)
		budget_refuse(&p->budget, "names", "folded text");
	frame.address = name;
	if (frames_add(&p->collected.frames, &frame, &r->frames.v[i]) < 0)
		return -ENOMEM;
	for (; oldest > known; oldest--)
		*oldest = oldest[-1];
	*known = (struct known_name){ hash->high, middle, r->frames.v[i] + 1 };
	return 0;
}

/* The frames of "a;b;c"; what follows the last ';' counts only if there is something. Those beyond
 * FRAMES_MOST are left out: 1. */
static int split_stack(struct ff_profile *p, struct folded_reader *r,
		       const struct folded_line *line)
{
	const char *at = line->stack, *end = at + line->size;
	size_t most = line->size < r->last.size ? line->size : r->last.size, shared = 0;
	size_t count = 0, first;

	/* Those that the last line has, too, up to their ';', are known. */
	while (shared < most && at[shared] == r->last.bytes[shared])
		shared++;
	while (count < r->count && r->ends.v[count] < shared)
		at = line->stack + r->ends.v[count++] + 1;
	/*
	 * A name is up to the next ';', which is skipped; an empty name between two of
	 * them is one. Where all of them may be known is fetched before the first is looked for.
	 *
	 *	a;b;;c;     a  b  ""  c
	 */
	for (first = count; at < end && count < FRAMES_MOST; count++) {
		const char *stop = memchr(at, ';', (size_t)(end - at)) ?: end;

		r->hashes.v[count] = hash_bytes_wide(at, (size_t)(stop - at));
		__builtin_prefetch(place_of_name(r, &r->hashes.v[count]));
		r->ends.v[count] = (uint32_t)(stop - line->stack);
		at = stop + 1;
	}
	for (size_t i = first; i < count; i++) {
		size_t start = i ? r->ends.v[i - 1] + 1 : 0;

		if (find_text_frame(p, r, i, line->stack + start, r->ends.v[i] - start) <
		    0)
			return -ENOMEM;
	}
	r->count = count;
	text_clear(&r->last);
	text_add(&r->last, line->stack, line->size);
	return r->last.failed ? -ENOMEM : at < end;
}

/*
 * 1 where the stack is cut.
 *
 * A line may end where others went on: what it adds has its place between children. In a flame
 * chart stacks keep their order, so a value between two children cannot be added to the parent,
 * which has one place only:
 *
 *	a 1        a  ------------------
 *	a;b 2         own 1 | b 2 | gap 1
 *	a 1
 */
static int add_folded_line(struct ff_profile *p, struct folded_reader *r,
			   const struct folded_line *line, uint64_t factor,
			   uint32_t *last)
{
	struct frame gap = { .image = IMAGE_ID_NAMES, .flags = FRAME_GAP };
	struct weight_sum *sum = &p->collected.sum;
	struct trie *t = &p->collected.trie;
	uint32_t last_before = *last;
	struct weight_summed summed = { .has_before = line->has_before };
	uint32_t *frames = r->frames.v;
	size_t count;
	int err, cut;

	/* Overflow is remembered, and the input refused when it has been read:
	 * read_input(). */
	sum->overflow |= __builtin_mul_overflow(line->weight, factor, &summed.weight);
	sum->overflow |= __builtin_mul_overflow(line->before, factor, &summed.before);

	cut = split_stack(p, r, line);
	if (cut < 0)
		return -ENOMEM;
	count = r->count;
	if (p->options.flags & FF_FLAMECHART)
		err = trie_append(t, frames, count, last_before, last);
	else
		err = collected_add_stack(&p->collected, frames, count, last);
	if (err == 0 && p->options.flags & FF_FLAMECHART && *last != last_before &&
	    trie_has_child(t, *last)) {
		if (frames_add(&p->collected.frames, &gap, &frames[count]) < 0)
			return -ENOMEM;
		err = trie_append(t, frames, count + 1, *last, last);
	}
	summed.cut = err > 0;
	if (err < 0 || weight_charge_summed(sum, t, *last, &summed) < 0 ||
	    count_line(p, *last) < 0)
		return -ENOMEM;
	return cut;
}

static int read_folded_lines(struct ff_profile *p, struct input *in, uint64_t *ignored)
{
	/* Not negative: collected_scale() has raised the profile's to this input's. */
	unsigned missing = p->collected.decimals - folded_decimals(in);
	struct folded_reader r = { .known = calloc(KNOWN_NAMES, sizeof(*r.known)) };
	struct folded_line line;
	uint64_t factor = 1;
	uint64_t lines = 0;
	uint32_t last = 0;
	bool cut = false;
	int err = r.known ? 0 : fail_memory(&p->ctx);

	for (; missing > 0; missing--)
		factor *= 10;
	while (err == 0 && (err = folded_next(&p->ctx, in, &line, ignored)) > 0) {
		size_t most = line.size < FRAMES_MOST ? line.size : FRAMES_MOST;

		/* A frame takes a byte at least, and a gap may come behind
		 * them. */
		err = array_reserve(&r.frames, most + 2) &&
				      array_reserve(&r.ends, most + 2) &&
				      array_reserve(&r.hashes, most + 2)
			      ? add_folded_line(p, &r, &line, factor, &last)
			      : -ENOMEM;
		if (err < 0) {
			err = fail_memory(&p->ctx);
			break;
		}
		cut |= err > 0;
		err = 0;
		if (++lines % PROGRESS_LINES == 0)
			show_progress(p, "reading lines", state_progress(in),
				      input_recording(in)->bytes);
	}
	text_release(&r.last);
	array_release(&r.frames);
	array_release(&r.ends);
	array_release(&r.hashes);
	free(r.known);
	if (err == 0 && cut)
		warn(&p->ctx, "'%s': stacks are cut behind %d frames", input_path(in),
		     FRAMES_MOST);
	return err;
}

int read_folded(struct ff_profile *p, struct ff_input *input)
{
	const char *path = input_path(input->input);
	unsigned decimals = folded_decimals(input->input);
	uint64_t ignored = 0, missing, before = p->collected.sum.samples_read;
	int err;

	if (filters_ask_samples(p->filters))
		return fail(&p->ctx, -EINVAL,
			    "cannot filter '%s': folded text has no samples, only symbol "
			    "can be asked for",
			    path);
	if (filters_ask_objects(p->filters))
		return fail(&p->ctx, -EINVAL,
			    "cannot filter '%s' by dso: folded text does not say of what "
			    "object a function is",
			    path);
	if (p->options.event && strcmp(p->options.event, "all") != 0)
		return fail(&p->ctx, -EINVAL,
			    "cannot choose an event of '%s': folded text has none", path);
	if (profile_rule(p) || p->wall.weight)
		return fail(&p->ctx, -EINVAL,
			    "cannot weigh '%s' by a mode: folded text has no events",
			    path);
	/* Before the first line, so that lines are added in one unit from the start. */
	collected_scale(&p->collected, decimals);
	err = read_folded_lines(p, input->input, &ignored);
	/* It is read twice: what it is, and then its stacks. */
	missing = err == 0 ? folded_lines_missing(input->input, &input->changed) : 0;
	if (err == 0 && input->changed) {
		weight_sum_damaged(&p->collected.sum, missing);
		warn(&p->ctx,
		     "'%s': it changed while it was read: %" PRIu64
		     " of its lines were not found again",
		     path, missing);
	}
	if (err == 0 && p->collected.sum.samples_read == before)
		return fail(&p->ctx, -EBADMSG,
			    "'%s' is neither a perf.data nor folded text: no line ends "
			    "in a count",
			    path);
	if (ignored)
		warn(&p->ctx, "'%s': ignored %llu lines that do not end in a count", path,
		     (unsigned long long)ignored);
	return err;
}
