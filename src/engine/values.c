/*
 * A profile of pprof has several values of each sample: objects and bytes, of what was allocated and of
 * what is in use. One of them weighs. Who writes such a profile again has the others as columns beside
 * it, one for each name and unit:
 *
 *	alloc_objects	alloc_space	inuse_objects	inuse_space
 *	a column	a column	a column	the weight, behind 3 others
 */
#include <errno.h>
#include <string.h>

#include "engine/profile.h"

/* Two profiles may have the same one. */
static int find_value_column(struct ff_profile *p, const struct column *column,
			     uint32_t *ret)
{
	for (uint32_t i = COLUMN_ROLES; i < p->columns.count; i++) {
		const struct column *known = &p->columns.v[i];

		if (known->unit && strcmp(known->name, column->name) == 0 &&
		    strcmp(known->unit, column->unit) == 0) {
			*ret = i;
			return 0;
		}
	}
	return columns_add(&p->columns, column, ret);
}

bool values_are_wanted(const struct ff_profile *p, const struct recording *rec)
{
	const struct ff_options *o = &p->options;

	return o->flags & FF_VALUES && rec->shares_samples && rec->events.count > 0 &&
	       (!o->event || strcmp(o->event, "all") == 0) && !o->ratio &&
	       o->count != FF_COUNT_SAMPLES;
}

int values_choose(struct ff_profile *p, const struct recording *rec,
		  struct event_choice *choice)
{
	const struct event *weight = &rec->events.v[0];

	if (!p->values.name)
		p->values = (struct write_values){
			.name = intern_text(&p->strings, weight->name),
			.unit = intern_text(&p->strings, weight->unit),
			.before = rec->values_before,
			.period_name = rec->period_name ? intern_text(&p->strings,
								      rec->period_name)
							: NULL,
			.period_unit = intern_text(&p->strings, rec->period_unit),
			.period = rec->period,
			.recorded_ns = rec->recorded_ns,
		};
	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];
		struct column column = { .name = intern_text(&p->strings, e->name),
					 .unit = intern_text(&p->strings, e->unit),
					 .makes_stacks = true };
		uint32_t number = COLUMN_WEIGHT;

		if (i > 0 && find_value_column(p, &column, &number) < 0)
			return fail(&p->ctx, -ENOSPC,
				    "inputs have too many types of values: %d fit into "
				    "one profile",
				    COLUMNS_FURTHER + 1);
		choice->wanted.v[i] = EVENT_WANTED;
		choice->column.v[i] = (uint8_t)number;
	}
	return 0;
}
