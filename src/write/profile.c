/*
 * A profile file: what is in one is said in store/. Nothing of it depends on the machine, on who has
 * sampled, or on when it is written.
 */
#include <errno.h>
#include <string.h>

#include "store/store.h"
#include "write/write.h"

int write_profile(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, FILE *out)
{
	struct store_origin none = { 0 };
	struct store_facts facts = { .origin = &none, .strings = in->strings };
	const struct write_facts *known = options->facts;

	if (options->difference)
		return fail(
			ctx, -EINVAL,
			"a profile file is of one side: a difference is written as svg, "
			"html or folded");
	if (known) {
		/* "samples" is what is counted where nothing else is. */
		facts.event = known->events;
		facts.unit = known->unit && strcmp(known->unit, "samples") != 0
				     ? known->unit
				     : NULL;
		none.counts[COUNT_LOST] = known->lost;
		none.counts[COUNT_TRUNCATED] = known->truncated;
		none.counts[COUNT_DURATION] = known->duration;
	}
	return store_write_tree(ctx, in, &facts, out);
}
