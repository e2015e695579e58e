/*
 * A counter that is read with a sample (`{cycles,instructions}:S`) is a running total: the
 * sample's weight is what was added since it was read before, in time order. So the read before
 * stays open, under its counter. This is how perf delivers them (deliver_sample_value() in
 * tools/perf/util/session.c), and like perf a sample for which nothing was added is none.
 */
#include "weight/counters.h"

#include <errno.h>

#include "weight/charge.h"

/*
 * What one counter said with one sample. It lies in deferred_event.fields:
 *
 *	word 0   id
 *	word 1   value, a running total
 *	word 2   tid (32 bits), event (31), as_one (1)
 *	word 3   processor, as of a charge
 */
struct counter_read {
	uint64_t id, value;
	uint32_t tid; /* where each thread has a counter of its own, else 0 */
	int32_t event : 31; /* its index; -1: the id is no event's */
	uint32_t as_one : 1; /* it weighs 1, whatever it has counted */
	uint64_t processor;
};

static const struct counter_read *read_of(const struct deferred_event *e)
{
	return (const void *)e->fields;
}

/* A counter is its event's on a processor, or, where it is inherited, a thread's. */
static uint64_t counter_key(const struct deferred_event *e)
{
	return hash_u64(read_of(e)->id) + read_of(e)->tid;
}

/*
 * Charges what the counter has added since @before. The result is 1 even where nothing
 * was added: the next read is compared with this one in any case.
 */
static int settle_counter(struct deferred_event *e, const struct deferred_event *before,
			  struct settlement *to)
{
	const struct counter_read *read = read_of(e);
	struct charge charge = {
		.weight = read->value,
		.node = e->node,
		.lost = e->lost,
		.cut = e->cut,
		.from = e->time,
		.until = e->time,
		.processor = (uint32_t)read->processor,
	};
	int err = 0;

	/* One that went back began again. */
	if (before && read_of(before)->value <= read->value)
		charge.weight -= read_of(before)->value;
	/* perf delivers no sample of a counter that stood still. */
	if (charge.weight == 0)
		return 1;
	if (to->options->count_samples || read->as_one)
		charge.weight = 1;
	/* Events that are not wanted are counted, too: event_choice_report_split() names
	 * them. */
	if (read->event >= 0) {
		size_t event = (size_t)read->event;

		while (to->split->by_event.count <= event && err == 0)
			if (!array_add(&to->split->by_event))
				err = -ENOMEM;
		if (err == 0)
			to->split->by_event.v[event]++;
	}
	/* The log keeps the input's unit until place_samples(); only the tree has the
	 * target's. A sample whose weight is impossible stays WEIGHT_UNKNOWN there and is
	 * never shown. */
	if (e->kept && charge.weight < WEIGHT_IMPOSSIBLE)
		to->target.log->list.v[e->kept - 1].weight = charge.weight;
	if (read->event >= 0)
		charge.column = (uint8_t)event_column(to->events, (size_t)read->event);
	if (err == 0 && to->target.blocks && !e->lost &&
	    charge.weight < WEIGHT_IMPOSSIBLE && charge.column == COLUMN_WEIGHT &&
	    time_blocks_add(to->target.blocks, e->time, e->node, charge.weight) < 0)
		err = -ENOMEM;
	/* A product that wraps could look possible, so what is impossible is not
	 * scaled. */
	if (charge.weight < WEIGHT_IMPOSSIBLE && charge.column == COLUMN_WEIGHT)
		charge.weight *= to->factor;
	if (err == 0)
		err = weight_charge(&to->target, &charge);
	return err < 0 ? err : 1;
}

const struct deferred_kind counter_kind = {
	.name = "counters of samples",
	.fields = sizeof(struct counter_read),
	.of_one_input = true,
	.key = counter_key,
	.settle = settle_counter,
};

int counters_defer(struct weigher *w, const struct weighing *x)
{
	for (uint32_t i = 0; i < x->sample->group_count; i++) {
		struct deferred_event *e;
		struct counter_read *read;
		int event, kept, found = weight_defer(w, x, DEFERRED_COUNTERS, &e);

		/* What it would weigh is known when all are. */
		if (found <= 0)
			weight_sum_damaged(w->target.sum, found == 0);
		if (found < 0)
			return found;
		if (found == 0)
			continue;
		read = (void *)e->fields;
		read->value = sample_value(x->sample, i, &read->id);
		event = input_event_of_id(w->in, read->id);
		read->event = event;
		read->processor = x->charge.processor;
		if (event >= 0) {
			const struct event *of = &w->rec->events.v[event];

			/* The key needs the tid: an inherited counter has one id and a
			 * total for each thread. */
			read->tid = event_counts_threads(of) ? x->sample->tid : 0;
			read->as_one = w->options->as_printed && event_is_anonymous(of);
		}
		/* The event is a reason that goes before a filter, as in weight_begin(). */
		if (event < 0 || !event_is_wanted(w->events, (size_t)event))
			e->lost = LOST_EVENT + 1;
		/* Its sample is that of an event of its own, and weighs what is found out
		 * later. */
		kept = e->lost || event_column(w->events, (size_t)event) != COLUMN_WEIGHT
			       ? 0
			       : weight_keep(w, x, WEIGHT_UNKNOWN);
		if (kept < 0)
			return kept;
		if (kept > 0) {
			array_last(&w->target.log->list)->event = (uint16_t)read->event;
			e->kept = (uint32_t)w->target.log->list.count;
		}
	}
	return 0;
}
