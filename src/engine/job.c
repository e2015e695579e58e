/*
 * A job reads one recording, be it a file, a pipe or this machine: it has the options that apply
 * to it, chooses its events, and says at the end what was not as asked for.
 */
#include "engine/job.h"

#include <errno.h>
#include <flamefold_chart.h>
#include <inttypes.h>

/* Of parts of periods: perf has thousandths. */
enum { INSTANT_DECIMALS = 3 };

int input_job_start(struct ff_profile *p, struct ff_input *input, struct input_job *ret)
{
	/* As stackcollapse-perf.pl has it: no marks, no callers put in, weights as
	 * printed. */
	bool compat = p->options.flags & FF_COMPAT_STACKCOLLAPSE;

	*ret = (struct input_job){
		.p = p,
		.input = input,
		.in = input->input,
		.rec = input_recording(input->input),
		.weights = { p->options.count == FF_COUNT_SAMPLES, compat },
		.stacks = { .root = p->options.root,
			    .max_stack = p->options.max_stack,
			    .by_address = p->options.flags & FF_ADDRS,
			    .empty_chains = compat,
			    .timed = p->options.flags & FF_TIMED,
			    .as_perf = compat,
			    .infer = profile_infers(p),
			    .labels = &ret->events.labels },
		.drop_truncated = p->options.truncated == FF_TRUNCATED_DROP,
		.keep_samples = p->options.flags & FF_SAMPLES,
		.wall = p->wall,
		.samples_before = p->collected.sum.samples_read,
		.unsure_before = p->collected.pairs.unsure,
		.skipped_before = p->collected.pairs.skipped,
	};
	input_set_axis(input->input, axis_of_input(p, input));
	/* Text has an order, a recording has times: its chart is one of these. */
	if (p->options.flags & FF_FLAMECHART && p->inputs.count > 1)
		return fail(
			&p->ctx, -EINVAL,
			"cannot read '%s': --flamechart joins no recording with other "
			"inputs: --chart draws several recordings",
			input_path(input->input));
	if (p->options.flags & FF_FLAMECHART)
		p->options.flags ^= FF_FLAMECHART | FF_CHART;
	if (p->wall.weight || p->options.flags & FF_CHART)
		input_tell_switches(ret->in);
	if (ret->rec->is_text && (profile_rule(p) || p->wall.weight))
		return fail(
			&p->ctx, -EINVAL,
			"cannot weigh '%s' by a mode: a %s has no fields of events: give "
			"the perf.data itself",
			input_path(ret->in), ret->rec->format);
	if (p->options.flags & FF_ADDRS || p->options.unnamed == FF_UNNAMED_ADDRESS)
		input_keep_addresses(ret->in);
	if (p->options.flags & FF_LABELS)
		input_keep_labels(ret->in);
	/* Whatever is merged into it. */
	if (p->wall.weight == WALL_INSTANT)
		collected_scale(&p->collected, INSTANT_DECIMALS);
	/* As off-CPU graphs have it. */
	if ((profile_rule(p) || p->wall.weight) &&
	    intern_add(&p->strings, "-", 1, &ret->stacks.kernel) < 0)
		return fail_memory(&p->ctx);
	if (ret->stacks.infer &&
	    intern_add(&p->strings, "[skipped]", 9, &ret->stacks.skipped) < 0)
		return fail_memory(&p->ctx);
	if (!compat && p->options.truncated == FF_TRUNCATED_MARK &&
	    intern_add(&p->strings, "[truncated]", 11, &ret->stacks.truncated) < 0)
		return fail_memory(&p->ctx);
	return 0;
}

static bool has_times(const struct recording *rec)
{
	bool has = !rec->events.count;

	for (size_t i = 0; i < rec->events.count; i++)
		has |= rec->is_list || rec->events.v[i].sample_type & PERF_SAMPLE_TIME;
	return has && !rec->has_no_times;
}

int choose_events(struct input_job *j)
{
	struct ff_profile *p = j->p;
	struct event_wish wish = {
		.name = p->options.event,
		.words = j->event_words,
		.weights = &j->weights,
	};
	int err;

	if (p->options.flags & FF_CHART && !has_times(j->rec))
		return fail(&p->ctx, -EINVAL,
			    "cannot draw a chart of '%s': it has no times",
			    input_path(j->in));
	if (p->options.flags & FF_CHART) {
		j->chart.asks = filters_ask_samples(p->filters);
		j->chart.column = p->waits;
		chart_bind(&p->ctx, &j->chart, j->rec, &p->strings);
		chart_beside(&j->chart, j->rec, &wish);
	}
	if (p->wall.weight) {
		err = wall_bind(&p->ctx, &j->wall, j->rec, &p->strings);

		if (err < 0)
			return err;
		wall_beside(&j->wall, &wish);
	}
	if (profile_rule(p)) {
		bool samples;

		err = pairing_bind(&p->ctx, &j->pairing, profile_rule(p), j->rec,
				   &p->strings);
		if (err == 0)
			err = ratio_choose_parts(p, &j->pairing);
		samples = j->pairing.rule.of_samples;

		/* What a mode weighs has to know what is asked. */
		if (err == 0 && filters_ask_states(p->filters) &&
		    (samples || !j->pairing.has_states))
			return fail(&p->ctx, -EINVAL,
				    "cannot filter by state: the events that begin "
				    "intervals of this mode do not tell it");
		if (err == 0 && filters_ask_durations(p->filters) && samples)
			return fail(&p->ctx, -EINVAL,
				    "cannot filter by duration: this mode has no "
				    "intervals");
		return err < 0 ? err
			       : pairing_choose(&p->ctx, &j->pairing, j->rec, &p->strings,
						&j->events);
	}
	if (!wish.words && j->rec->command)
		/* A pattern that events were asked for by is nowhere but in the
		 * recorder's command line. */
		wish.words = intern_text(&p->strings, j->rec->command);
	/* What shares out time has its columns itself. */
	err = p->wall.weight ? 0 : ratio_choose(p, j->rec, &wish);
	if (err == 0)
		err = event_choice_make(&p->ctx, &j->events, j->rec, &p->strings, &wish);
	if (err == 0 && !p->wall.weight && values_are_wanted(p, j->rec))
		err = values_choose(p, j->rec, &j->events);
	return err;
}

int add_recording_symbols(struct input_job *j)
{
	if (j->symbols_added)
		return 0;
	j->symbols_added = true;
	return symbolizer_add_recording(j->p->symbolizer, j->rec) < 0
		       ? fail_memory(&j->p->ctx)
		       : 0;
}

static struct settle_by settle_by(const struct input_job *j)
{
	return (struct settle_by){
		.options = &j->weights,
		.events = &j->events,
		.pairing = &j->pairing,
		.wall = &j->wall,
		.chart = &j->chart,
		.filters = j->p->filters,
		.split = &j->input->split,
	};
}

int settle_deferred(struct input_job *j, struct collected *c, uint64_t until)
{
	struct settle_by by = settle_by(j);

	if (j->wall.weight == WALL_INSTANT)
		collected_scale(c, INSTANT_DECIMALS);
	if (collected_settle(c, &by, until) < 0)
		return fail_memory(&j->p->ctx);
	if (c->chart.refused)
		budget_refuse(&j->p->budget, "runs of a chart", input_path(j->in));
	/* Who was never sampled has a name all the same. */
	for (size_t i = 0; j->chart.is_bound && i < c->chart.threads.count; i++) {
		struct chart_log_thread *t = &c->chart.threads.v[i];
		struct comm comm;

		if (t->comm || t->input != j->input->index)
			continue;
		processes_comm(j->processes, t->pid, t->tid, c->chart.last, &comm);
		t->comm = comm.name;
	}
	/* The ends of intervals will find nothing. */
	c->pairs.cancelled += c->deferred[DEFERRED_PAIRS].open_refused;
	for (int i = 0; i < DEFERRED_KINDS; i++) {
		if (c->deferred[i].open_refused)
			budget_refuse(&j->p->budget,
				      i == DEFERRED_PAIRS ? "intervals that are open"
							  : c->deferred[i].kind->name,
				      input_path(j->in));
		c->deferred[i].open_refused = 0;
	}
	return 0;
}

int limit_threads(struct input_job *j)
{
	struct thread_set *set = &j->pairing.threads;
	int err = 0;

	set->but = j->rec->recorder_pid;
	if (set->is_limited)
		return 0;
	set->is_limited = j->rec->threads.count > 0;
	for (size_t i = 0; i < j->rec->threads.count && err == 0; i++)
		err = thread_set_add(set, j->rec->threads.v[i]);
	return err < 0 ? fail_memory(&j->p->ctx) : 0;
}

int note_running(struct input_job *j, struct collected *c, const struct record *r)
{
	bool chart = j->p->options.flags & FF_CHART;
	struct deferred_queue *q = &c->deferred[chart ? DEFERRED_CHART : DEFERRED_WALL];
	bool refused = q->refused;
	int found = 0;

	if (chart)
		found = chart_note(q, &j->p->budget, r, (uint16_t)j->input->index);
	else if (j->wall.weight)
		found = wall_note(q, &j->p->budget, r, (uint16_t)j->input->index);
	if (q->refused && !refused)
		budget_refuse(&j->p->budget, q->kind->name, input_path(j->in));
	return found < 0 ? fail_memory(&j->p->ctx) : 0;
}

/* Runs whatever came before; @err stands, or the first error of its own does. */
int input_job_end(struct input_job *j, int err)
{
	struct ff_profile *p = j->p;
	struct ff_input *input = j->input;
	const struct pair_counts *pairs = &p->collected.pairs;

	/* What waits still has no end in this input. */
	if (err == 0 && j->pairing.is_bound) {
		struct settle_by by = settle_by(j);

		err = collected_end_pairs(&p->collected, &by, j->rec->last_time) < 0
			      ? fail_memory(&p->ctx)
			      : 0;
		if (err == 0 && pairs->unsure > j->unsure_before)
			warn(&p->ctx,
			     "'%s': %" PRIu64
			     " intervals are open whose ends may be among "
			     "the records that were lost: they are not counted",
			     input_path(j->in), pairs->unsure - j->unsure_before);
		if (err == 0 && pairs->skipped > j->skipped_before)
			warn(&p->ctx,
			     "'%s': %" PRIu64 " events of the mode came and were not "
			     "recorded, for -F is a rate "
			     "of all events: -e cpu-clock/freq=999/ is one of its own",
			     input_path(j->in), pairs->skipped - j->skipped_before);
	}
	if (err == 0 && j->wall.is_bound) {
		struct settle_by by = settle_by(j);

		if (collected_end_wall(&p->collected, &by) < 0)
			err = fail_memory(&p->ctx);
	}
	if (j->chart.is_bound) {
		struct chart_log *log = &p->collected.chart;
		const uint64_t begin = *recording_first(j->rec);
		const uint64_t all = recording_last(j->rec);
		uint64_t first = begin, last = all, end;

		/* Switches may come before the first sample and behind the last one. What is open then is known
		 * no further than its own recording goes, however long others on its axis do. */
		filters_time(p->filters, &first, &last);
		end = log->last > j->rec->last_time ? log->last : j->rec->last_time;
		chart_log_end_input(log, first == begin ? 0 : first,
				    last < all && last < end ? last : end);
		log->one_axis = j->rec->axis;
	}
	/* Ids of counters mean something in one input only. */
	collected_end_input(&p->collected);
	input->delivered = p->collected.sum.samples_read - j->samples_before;
	if (err == 0)
		err = add_recording_symbols(j);
	if (err == 0)
		event_choice_report_split(&p->ctx, &j->events, j->rec, &p->strings,
					  &input->split);
	if (err == 0 && note_events(p, input, &j->events, &j->pairing, &j->wall) < 0)
		err = fail_memory(&p->ctx);
	if (err == 0)
		say_mixed_units(p, input);
	event_choice_release(&j->events);
	pairing_release(&j->pairing);
	processes_free(j->processes);
	claim_release(&j->states);
	return err;
}
