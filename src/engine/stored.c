/*
 * What a profile file says beside its tree, as it said it: inputs, labels, columns of all its events, and
 * sums by time.
 */
#include <flamefold_store.h>
#include <stdlib.h>

#include "engine/profile.h"
#include "store/store.h"

void stored_free(struct store_tree *stored)
{
	if (stored)
		store_tree_release(stored);
	free(stored);
}

uint64_t ff_stored_inputs(const struct ff_input *in)
{
	return in->stored ? in->stored->origin.input_count : 0;
}

int ff_stored_input(const struct ff_input *in, size_t i, struct ff_stored_input *ret)
{
	const struct intern *strings = &in->profile->strings;
	const struct store_input *from;

	if (!in->stored || i >= in->stored->origin.inputs.count)
		return 0;
	from = &in->stored->origin.inputs.v[i];
	*ret = (struct ff_stored_input){ .name = intern_text(strings, from->name),
					 .recorded = from->recorded,
					 .times = from->times };
	if (from->host)
		ret->host = intern_text(strings, from->host);
	if (from->kernel)
		ret->kernel = intern_text(strings, from->kernel);
	for (unsigned k = 0; k < SHA256_DIGEST_SIZE; k++)
		snprintf(ret->hash + 2 * k, 3, "%02x", from->hash[k]);
	return 1;
}

int ff_stored_label(const struct ff_input *in, size_t i, const char **key,
		    const char **value)
{
	const struct intern *strings = &in->profile->strings;

	if (!in->stored || i >= in->stored->origin.labels.count)
		return 0;
	*key = intern_text(strings, in->stored->origin.labels.v[i].key);
	*value = intern_text(strings, in->stored->origin.labels.v[i].value);
	return 1;
}

int ff_stored_column(const struct ff_input *in, size_t i, struct ff_stored_column *ret)
{
	const struct intern *strings = &in->profile->strings;
	const struct store_column *from;

	if (!in->stored || i >= in->stored->columns.count)
		return 0;
	from = &in->stored->columns.v[i];
	*ret = (struct ff_stored_column){
		.name = intern_text(strings, from->name),
		.total = from->total,
		.decimals = from->decimals,
	};
	if (from->event)
		ret->event = intern_text(strings, from->event);
	/* That of the column itself, or else of what it weighs. */
	if (from->own_unit || from->unit)
		ret->unit = intern_text(strings,
					from->own_unit ? from->own_unit : from->unit);
	return 1;
}

int ff_stored_period(const struct ff_input *in, size_t i, struct ff_stored_period *ret)
{
	const struct store_period *from;

	if (!in->stored || i >= in->stored->periods.count)
		return 0;
	from = &in->stored->periods.v[i];
	*ret = (struct ff_stored_period){ from->start, from->size, from->column,
					  from->sum };
	return 1;
}
