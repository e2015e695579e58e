/*
 * Many recordings in one profile: what costs most of a small one, to open the objects that it names and
 * to read their symbols, is done once for all of them. What comes of it must be what their own files add up
 * to, whoever was read with whom. So recordings are read together only where nothing that one of them says
 * is used for another: they are of other machines, whose processes are not asked, bring no symbols of
 * their own, and count the same.
 *
 * With FF_APART nothing is added up, and still frames are those of all: they are named once, when all stacks
 * of all recordings are in memory, each recording's in a trie of its own.
 *
 *	read     1 2 3     stacks by numbers of frames, set aside one after the other
 *	named    -----     all frames
 *	written  1 2 3     each is taken back, and finished
 */
#include <errno.h>
#include <flamefold_diff.h>
#include <flamefold_store.h>
#include <sys/utsname.h>

#include "base/budget.h"
#include "engine/profile.h"

bool profile_reads_many(const struct ff_profile *p)
{
	return p->options.flags & FF_MANY;
}

void collected_lend(struct ff_profile *p, struct collected *ret)
{
	*ret = p->collected;
	ret->tally = (struct sample_tally){ 0 };
	/* What is lent has one owner. */
	p->collected = (struct collected){ .tally = p->collected.tally };
}

void collected_take_back(struct ff_profile *p, struct collected *lent)
{
	struct sample_tally tally = p->collected.tally;

	/* It is back already. */
	if (!lent->columns)
		return;
	sample_tally_add(&tally, &lent->tally);
	p->collected = *lent;
	p->collected.tally = tally;
	*lent = (struct collected){ 0 };
}

void batch_end_stacks(struct ff_profile *p)
{
	if (!profile_reads_many(p))
		return;
	warn_of_stacks(p);
	stack_walker_free(p->walker);
	p->walker = NULL;
	binaries_free(p->binaries);
	p->binaries = NULL;
}

void batch_end_names(struct ff_profile *p)
{
	/* The next recording that is taken may have interrupts to be cut, which makes frames. */
	if (!profile_reads_many(p) || p->options.flags & FF_APART)
		return;
	symbolizer_free(p->symbolizer);
	p->symbolizer = NULL;
	hash_release(&p->collected.frames.by_key);
}

void batch_end_tree(struct ff_profile *p)
{
	if (profile_reads_many(p))
		trie_release(&p->collected.trie);
}

int batch_set_aside(struct ff_profile *p)
{
	struct set_aside *slot;
	struct collected next;

	if (!(p->options.flags & FF_APART) || !p->inputs.count)
		return 0;
	if (p->taken < p->apart.count)
		return fail(&p->ctx, -EINVAL,
			    "nothing more is read once recordings are taken");
	if (collected_init(&next, &p->limit) < 0)
		return fail_memory(&p->ctx);
	slot = array_add(&p->apart);
	if (!slot) {
		collected_release(&next);
		return fail_memory(&p->ctx);
	}
	/* Nothing comes to its stacks any more. */
	trie_drop_index(&p->collected.trie);
	next.frames = p->collected.frames;
	p->collected.frames = (struct frames){ 0 };
	*slot = (struct set_aside){ p->collected, p->inputs.v[0], false };
	p->collected = next;
	p->inputs.count = 0;
	p->taken = p->apart.count;
	return 0;
}

bool batch_is_named(const struct ff_profile *p)
{
	return p->apart.count &&
	       p->symbols.of_frame.count == p->collected.frames.list.count;
}

void batch_release(struct ff_profile *p)
{
	if (p->taken < p->apart.count)
		p->inputs.count = 0;
	for (size_t i = 0; i < p->apart.count; i++) {
		collected_release(&p->apart.v[i].collected);
		release_input(p->apart.v[i].input);
	}
	array_release(&p->apart);
}

int ff_store_take(struct ff_profile *p, size_t i)
{
	struct frames frames;
	struct set_aside *next;
	/* The last one that was read, if none has been taken yet. */
	int err = p->taken == p->apart.count ? batch_set_aside(p) : 0;

	if (err < 0 || i >= p->apart.count)
		return err;
	next = &p->apart.v[i];
	if (next->taken)
		return fail(&p->ctx, -EINVAL, "this recording was taken before");
	forget_results(p);
	frames = p->collected.frames;
	p->collected.frames = (struct frames){ 0 };
	collected_release(&p->collected);
	p->collected = next->collected;
	p->collected.frames = frames;
	next->collected = (struct collected){ 0 };
	next->taken = true;
	p->inputs.v[0] = next->input;
	p->inputs.count = 1;
	p->taken = i;
	err = ff_profile_finish(p);
	return err < 0 ? err : 1;
}

int ff_store_is_sum(const struct ff_profile *p)
{
	const unsigned other =
		FF_COMPAT_STACKCOLLAPSE | FF_FLAMECHART | FF_SAMPLES | FF_KEEP_ADDRESSES;
	const struct time_blocks *blocks = &p->collected.blocks;
	const struct ff_options *o = &p->options;
	const struct ff_input *first = p->inputs.count ? p->inputs.v[0] : NULL;
	const struct ff_input *last = first ? p->inputs.v[p->inputs.count - 1] : NULL;
	const struct recording *rec = last ? input_recording(last->input) : NULL;
	const bool apart = o->flags & FF_APART;
	struct utsname own;

	if (!last)
		return 1;
	/* What reads a file of this machine asks processes that had it mapped, and whether it was
	 * replaced since: the answer depends on the recording. */
	if (!rec->host || uname(&own) < 0 ||
	    strcmp(intern_text(&p->strings, rec->host), own.nodename) == 0)
		return 0;
	/* Slices of one number are added up; but the time of day that each was in is known of one
	 * recording only. */
	if (!apart && o->flags & FF_TIME_BLOCKS &&
	    (!blocks->grid.width || blocks->refused || input_recorded_at(last)))
		return 0;
	return !p->budget.refused && !(o->flags & other) && !o->mode && !o->pair &&
	       !o->ratio && !o->map_dir && !last->report && !last->changed &&
	       last->has_samples &&
	       (apart ||
		(last->event_names == first->event_names && last->unit == first->unit)) &&
	       rec->form && strcmp(rec->form, "file") == 0 && !rec->is_text &&
	       !rec->simpleperf && !rec->files.count && !rec->kallsyms;
}
