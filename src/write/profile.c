/*
 * A profile file: what is in one is said in store/. Nothing of it depends on the machine, on who has
 * sampled, or on when it is written.
 */
#include <errno.h>
#include <string.h>

#include "write/write.h"

void write_profile_facts(const struct write_facts *known, struct store_facts *facts,
			 struct store_origin *origin)
{
	facts->event = known->events;
	/* "samples" is what is counted where nothing else is. */
	if (known->unit && strcmp(known->unit, "samples") != 0)
		facts->unit = known->unit;
	facts->blocks = known->blocks;
	facts->recorded = known->recorded;
	origin->counts[COUNT_LOST] = known->lost;
	origin->counts[COUNT_TRUNCATED] = known->truncated;
	origin->counts[COUNT_DURATION] = known->duration;
}

int write_profile(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, FILE *out)
{
	struct store_origin origin = { 0 };
	struct store_facts facts = { .origin = &origin, .strings = in->strings };

	if (options->difference)
		return fail(
			ctx, -EINVAL,
			"a profile file is of one side: a difference is written as svg, "
			"html or folded");
	if (options->facts)
		write_profile_facts(options->facts, &facts, &origin);
	if (heat_is_wanted(options->heat) && options->heat->cells.count)
		facts.heat = options->heat;
	facts.processors = facts.heat ? options->processors : NULL;
	return store_write_tree(ctx, in, &facts, out);
}
