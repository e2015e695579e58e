/*
 * Many recordings in one profile: what costs most of a small one, to open the objects that it names and
 * to read their symbols, is done once for all of them. What comes of it must be what their own files add up
 * to, whoever was read with whom. So recordings are read together only where nothing that one of them says
 * is used for another: they are of other machines, whose processes are not asked, bring no symbols of
 * their own, and count the same.
 */
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
	if (!profile_reads_many(p))
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

int ff_store_is_sum(const struct ff_profile *p)
{
	const unsigned other =
		FF_COMPAT_STACKCOLLAPSE | FF_FLAMECHART | FF_SAMPLES | FF_KEEP_ADDRESSES;
	const struct time_blocks *blocks = &p->collected.blocks;
	const struct ff_options *o = &p->options;
	const struct ff_input *first = p->inputs.count ? p->inputs.v[0] : NULL;
	const struct ff_input *last = first ? p->inputs.v[p->inputs.count - 1] : NULL;
	const struct recording *rec = last ? input_recording(last->input) : NULL;
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
	if (o->flags & FF_TIME_BLOCKS &&
	    (!blocks->grid.width || blocks->refused || input_recorded_at(last)))
		return 0;
	return !p->budget.refused && !(o->flags & other) && !o->mode && !o->pair &&
	       !o->ratio && !o->map_dir && !last->report && !last->changed &&
	       last->has_samples && last->event_names == first->event_names &&
	       last->unit == first->unit && rec->form && strcmp(rec->form, "file") == 0 &&
	       !rec->is_text && !rec->simpleperf && !rec->files.count && !rec->kallsyms;
}
