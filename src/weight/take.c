/*
 * A sample becomes weight: on its stack, lost for a reason, or deferred where only the order of
 * samples tells what it weighs. What weighs nothing in the tree needs no stack, so it is first
 * asked what it weighs, then where.
 */
#include <errno.h>

#include "weight/charge.h"
#include "weight/counters.h"
#include "weight/pairing.h"

const struct deferred_kind *const deferred_kinds[DEFERRED_KINDS] = {
	[DEFERRED_COUNTERS] = &counter_kind, [DEFERRED_PAIRS] = &pair_kinds[0],
	[DEFERRED_WALL] = &wall_kind,	     [DEFERRED_WALL_STATE] = &wall_state_kind,
	[DEFERRED_CHART] = &chart_kind,
};

uint64_t weight_of(const struct weight_options *options, const struct event *event,
		   const struct sample *s)
{
	/* What stackcollapse-perf.pl makes of a line of perf script. */
	bool printed_as_one = options->as_printed && event_is_anonymous(event);

	/* A sample without a period was taken all the same. */
	if (options->count_samples || printed_as_one || s->period == 0)
		return sample_times(s);
	return s->period;
}

/* When it was; 0: not known. An event without times has places in the file in their stead, and a clock
 * may begin at 0 (perf script --reltime). */
static uint64_t moment_of(const struct recording *rec, const struct sample *s)
{
	bool has_times = rec->is_list
				 ? !rec->has_no_times
				 : rec->events.v[s->event].sample_type & PERF_SAMPLE_TIME;

	return !has_times ? 0 : s->time ? s->time : 1;
}

void weight_begin(const struct weigher *w, const struct sample *s, bool passed,
		  struct weighing *ret)
{
	uint64_t moment = moment_of(w->rec, s);

	ret->sample = s;
	ret->charge = (struct charge){ .from = moment, .until = moment };
	ret->comm = 0;
	ret->how = w->wall && w->wall->is_bound ? WEIGH_BY_WALL
		   : w->pairing->is_bound	? WEIGH_PAIRED
						: WEIGH_ITSELF;
	if (ret->how == WEIGH_BY_WALL) {
		wall_begin(w, s, passed, ret);
		ret->needs_stack = ret->match.has_stack && !ret->charge.lost;
		return;
	}
	/* Of several reasons the last one stands: a damaged sample is that, whatever a
	 * filter says. */
	if (!passed)
		ret->charge.lost = LOST_FILTER + 1;
	/* What an interval weighs is known at its end: pairing_take(). Other events have no
	 * weight in its unit. */
	if (ret->how == WEIGH_PAIRED) {
		if (!pairing_counts(w->pairing, s))
			ret->charge.lost = LOST_FILTER + 1;
		ret->match.passed = passed;
		pairing_match(w->pairing, s, &ret->match);
		if (!event_is_wanted(w->events, s->event))
			ret->charge.lost = LOST_EVENT + 1;
		ret->needs_stack = ret->match.has_stack &&
				   (!ret->charge.lost || ret->match.has_others);
		return;
	}
	ret->match.passed = passed;
	/* UINT32_MAX, not recorded, becomes 0. */
	ret->charge.processor = s->is_wait ? 0 : s->cpu + 1;
	/* What its counters add is not known before they are in order:
	 * counters_defer(). */
	if (!s->group_count) {
		ret->charge.weight =
			weight_of(w->options, &w->rec->events.v[s->event], s);
		ret->charge.times = s->times;
		ret->charge.column = (uint8_t)event_column(w->events, s->event);
		if (!event_is_wanted(w->events, s->event))
			ret->charge.lost = LOST_EVENT + 1;
		if (ret->charge.weight >= WEIGHT_IMPOSSIBLE)
			ret->charge.lost = LOST_DAMAGED + 1;
	}
	/* A chart shows what a thread waits in, though its switch weighs nothing. */
	ret->needs_stack =
		!ret->charge.lost || (ret->charge.lost == LOST_EVENT + 1 && passed &&
				      chart_is_switch(w->chart, s->event));
}

/*
 * The only way of a sample into the tree. Each weight is counted as read and either as
 * kept or as lost here, which is why weight_sum_conserved() can hold.
 */
int weight_charge(const struct weight_target *to, const struct charge *c)
{
	uint32_t times = c->is_rest ? 0 : c->times ? c->times : 1;
	struct heat_span span = { c->from, c->until, c->weight, times };

	if (c->weight >= WEIGHT_IMPOSSIBLE) {
		weight_sum_damaged(to->sum, times);
		return 0;
	}
	/* What has a unit of its own is no part of the weight that was read. */
	if (c->column != COLUMN_WEIGHT) {
		weight_sum_count(to->sum, 0, c->is_rest ? 0 : 1);
		weight_sum_further(to->sum, c->weight);
		return c->lost ? 0 : trie_charge(to->trie, c->node, c->column, c->weight);
	}
	weight_sum_count(to->sum, c->weight, times);
	if (c->lost) {
		to->sum->lost[c->lost - 1] += c->weight;
		return 0;
	}
	if (trie_charge(to->trie, c->node, COLUMN_WEIGHT, c->weight) < 0 ||
	    (times && trie_charge(to->trie, c->node, COLUMN_SAMPLES, times) < 0) ||
	    (c->followed &&
	     trie_charge(to->trie, c->node, COLUMN_FOLLOWED, c->weight) < 0))
		return -ENOMEM;
	to->sum->kept += c->weight;
	to->sum->cut += c->cut ? c->weight : 0;
	to->sum->samples_kept += times;
	if (heat_is_wanted(to->heat) && heat_add(to->heat, c->node, &span) < 0)
		return -ENOMEM;
	if (heat_is_wanted(to->processors)) {
		if (!c->processor || c->processor > HEAT_PROCESSORS)
			heat_drop(to->processors, HEAT_UNPLACED);
		else if (heat_add(to->processors, c->processor - 1, &span) < 0)
			return -ENOMEM;
	}
	return 1;
}

/* Intervals are of unlike length: without this a difference would take an hour and a millisecond of waiting
 * for two samples of half an hour each. */
int weight_place(const struct weight_target *to, const struct charge *c, uint64_t factor)
{
	if (!to->blocks || c->lost || c->column != COLUMN_WEIGHT ||
	    c->weight >= WEIGHT_IMPOSSIBLE)
		return 1;
	return time_blocks_add(to->blocks, c->until, c->node, c->weight / factor) < 0
		       ? -ENOMEM
		       : 1;
}

int weight_charge_settled(const struct settlement *to, struct charge *c)
{
	int err;

	/* A product that wraps could look possible. */
	if (c->weight < WEIGHT_IMPOSSIBLE)
		c->weight *= to->factor;
	err = weight_charge(&to->target, c);
	return err > 0 ? weight_place(&to->target, c, to->factor) : err;
}

int weight_keep(struct weigher *w, const struct weighing *x, uint64_t weight)
{
	struct sample_log *log = w->target.log;
	struct time_blocks *blocks = w->target.blocks;
	const struct sample *s = x->sample;
	struct kept_sample *kept;

	/* One whose weight is not known yet is added when it is. */
	if (blocks && blocks->grid.width && !blocks->refused &&
	    weight != WEIGHT_UNKNOWN) {
		int err = time_blocks_add(blocks, s->time, x->charge.node, weight);

		if (err < 0)
			return fail_memory(w->ctx);
		if (err == 0)
			budget_refuse(w->ctx->budget, "pieces of time",
				      input_path(w->in));
	}
	if (!w->keep_samples || log->refused)
		return 0;
	/* The refusal is remembered, so that it is counted once for each log, not for
	 * each sample. */
	if (!sample_log_allows(log, w->ctx->budget)) {
		log->refused = true;
		budget_refuse(w->ctx->budget, "samples", input_path(w->in));
		return 0;
	}
	kept = array_add(&log->list);
	if (!kept)
		return fail_memory(w->ctx);
	*kept = (struct kept_sample){ .time = s->time,
				      .position = s->position,
				      .weight = weight,
				      .node = x->charge.node,
				      .pid = s->pid,
				      .tid = s->tid,
				      .cpu = s->cpu,
				      .comm = x->comm,
				      .event = s->event,
				      .input = w->input };
	return 1;
}

int weight_defer(struct weigher *w, const struct weighing *x, enum deferred_which which,
		 struct deferred_event **ret)
{
	struct deferred_queue *q = &w->target.deferred[which];
	int found = q->refused ? 0 : deferred_queue_add(q, w->ctx->budget, ret);

	if (found < 0)
		return fail_memory(w->ctx);
	if (found == 0) {
		if (!q->refused)
			budget_refuse(w->ctx->budget, q->kind->name, input_path(w->in));
		deferred_queue_leave_out(q, x->sample->time);
		return 0;
	}
	(*ret)->time = x->sample->time;
	(*ret)->position = x->sample->position;
	(*ret)->node = x->charge.node;
	(*ret)->input = w->input;
	(*ret)->lost = x->charge.lost & 0x7f;
	(*ret)->cut = x->charge.cut;
	return 1;
}

int weight_take(struct weigher *w, const struct weighing *x)
{
	int err = chart_is_wanted(w->chart) ? chart_take(w, x) : 0;

	if (err < 0)
		return err;
	if (x->how == WEIGH_BY_WALL)
		return wall_take(w, x);
	if (x->how == WEIGH_PAIRED && event_is_wanted(w->events, x->sample->event))
		return pairing_take(w, x);
	if (x->sample->group_count && x->how == WEIGH_ITSELF)
		return counters_defer(w, x);
	err = weight_charge(&w->target, &x->charge);
	if (err <= 0)
		return err < 0 ? fail_memory(w->ctx) : 0;
	err = weight_keep(w, x, x->charge.weight);
	return err < 0 ? err : 1;
}
