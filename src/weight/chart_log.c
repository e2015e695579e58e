/*
 * Moments on their way into the queue, and in order of time out of it into runs. What switches tell of a
 * thread and what samples tell of it meet in one state for each thread:
 *
 *	UNKNOWN   no switch was seen, or one was lost: samples alone say that it runs
 *	ON        since a switch: all of the time until the next one is a run
 *	OFF       the last run is open: what it waits in
 *	DEAD      it has ended, so it waits for nothing
 *
 * States of sched_switch: include/trace/events/sched.h.
 */
#include "weight/chart_log.h"

#include <errno.h>

#include "weight/charge.h"

enum { THREAD_UNKNOWN, THREAD_ON, THREAD_OFF, THREAD_DEAD };

enum moment { MOMENT_SAMPLE, MOMENT_IN, MOMENT_OUT, MOMENT_STACK, MOMENT_EXIT };

struct chart_event {
	uint32_t tid, pid; /* pid 0: not known */
	uint32_t cpu, comm; /* UINT32_MAX, 0: not known */
	uint32_t period; /* ns, of samples; 0: it is no time */
	uint8_t what; /* of who goes out: enum chart_what; CHART_WHATS: it has ended */
	bool passed;
};

static struct chart_event *chart_event_of(const struct deferred_event *e)
{
	return (struct chart_event *)(void *)(uintptr_t)e->fields;
}

static const struct event_field *switch_field(const struct recording *rec, int event,
					      const char *name)
{
	return event_format_find(recording_format(rec, &rec->events.v[event]), name);
}

void chart_bind(struct context *ctx, struct chart_source *chart,
		const struct recording *rec, const struct intern *strings)
{
	static const char name[] = "sched:sched_switch";
	bool has_some = false;

	chart->has_records = rec->by_type[PERF_RECORD_SWITCH] ||
			     rec->by_type[PERF_RECORD_SWITCH_CPU_WIDE];
	chart->switches = -1;
	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		chart->has_records |= (e->flags & PERF_ATTR_SWITCHES) != 0;
		if (strncmp(intern_text(strings, e->name), name, sizeof(name) - 1) != 0)
			continue;
		has_some |= event_is_sampled(e);
		if (chart->switches < 0 && !event_is_sampled(e))
			chart->switches = (int)i;
	}
	if (chart->switches < 0 && has_some)
		say_some_switches(ctx);
	if (chart->switches >= 0) {
		chart->prev = switch_field(rec, chart->switches, "prev_pid");
		chart->state = switch_field(rec, chart->switches, "prev_state");
		chart->next = switch_field(rec, chart->switches, "next_pid");
	}
	if (!chart->prev || !chart->state || !chart->next)
		chart->switches = -1;
	chart->is_bound = true;
}

void chart_beside(const struct chart_source *chart, const struct recording *rec,
		  struct event_wish *wish)
{
	for (size_t i = 0; chart->switches >= 0 && i < rec->events.count; i++)
		if ((int)i != chart->switches && !event_is_dummy(&rec->events.v[i])) {
			wish->beside[wish->beside_count++] = chart->switches;
			return;
		}
}

static int defer_moment(struct weigher *w, const struct weighing *x, enum moment moment,
			const struct chart_event *said)
{
	struct deferred_event *e;
	int found = weight_defer(w, x, DEFERRED_CHART, &e);

	if (found <= 0)
		return found;
	e->what = (uint8_t)moment;
	*chart_event_of(e) = *said;
	return 0;
}

static int take_thread_switch(struct weigher *w, const struct weighing *x)
{
	const struct chart_source *chart = w->chart;
	const struct sample *s = x->sample;
	/* What a filter says of the sample is said of who goes out. */
	struct chart_event leaves = { .cpu = s->cpu, .passed = x->match.passed };
	struct chart_event comes = { .cpu = s->cpu, .passed = !chart->asks };
	uint64_t prev, state, next;
	int err = 0;

	if (!event_field_number(chart->prev, s, &prev) ||
	    !event_field_number(chart->state, s, &state) ||
	    !event_field_number(chart->next, s, &next))
		return 0;
	leaves.tid = (uint32_t)prev;
	/* The sample of a dead thread has no number. */
	leaves.pid = s->tid == leaves.tid ? s->pid : 0;
	leaves.comm = leaves.pid ? x->comm : 0;
	/* Interruptible and not, stopped, traced, parked, idle: those do not run of their own. */
	leaves.what = state & 0xcf   ? CHART_WAITING
		      : state & 0x30 ? CHART_WHATS
				     : CHART_RUNNABLE;
	comes.tid = (uint32_t)next;
	if (prev)
		err = defer_moment(w, x, chart->has_records ? MOMENT_STACK : MOMENT_OUT,
				   &leaves);
	if (err == 0 && next && !chart->has_records)
		err = defer_moment(w, x, MOMENT_IN, &comes);
	return err;
}

/* How long samples of an event are apart; 0: that is not said. What a list has weighs by its time. */
static uint64_t sampling_period(const struct recording *rec, const struct sample *s)
{
	const struct event *event = &rec->events.v[s->event];
	uint64_t period = event->frequency ? 1000000000 / event->frequency
			  : event_is_clock(event) || rec->is_list ? s->period
								  : 0;

	return period < UINT32_MAX ? period : 0;
}

int chart_take(struct weigher *w, const struct weighing *x)
{
	const struct sample *s = x->sample;
	struct chart_event said = { .tid = s->tid,
				    .pid = s->pid,
				    .cpu = s->cpu,
				    .comm = x->comm,
				    .passed = true };

	/* One that has no time has no place; who has ended has no number. */
	if (s->time >= TIME_NEVER)
		return 0;
	if (chart_is_switch(w->chart, s->event))
		return take_thread_switch(w, x);
	if (s->tid == UINT32_MAX)
		return 0;
	said.period = (uint32_t)sampling_period(w->rec, s);
	return x->charge.lost ? 0 : defer_moment(w, x, MOMENT_SAMPLE, &said);
}

int chart_note(struct deferred_queue *q, struct budget *budget, const struct record *r,
	       uint16_t input)
{
	struct deferred_event *e;
	int found;

	/* At 0 the recorder tells of what there was before. Who has ended has no number, and each
	 * processor has an idle thread 0. */
	if ((r->type != PERF_RECORD_EXIT && r->type != PERF_RECORD_SWITCH) ||
	    r->time == 0 || r->tid == UINT32_MAX || r->tid == 0)
		return 0;
	found = deferred_queue_add_record(q, budget, r, input, &e);
	if (found <= 0)
		return found;
	e->what = r->type == PERF_RECORD_EXIT ? MOMENT_EXIT
		  : r->leaves		      ? MOMENT_OUT
					      : MOMENT_IN;
	*chart_event_of(e) = (struct chart_event){
		.tid = r->tid,
		.pid = r->pid == UINT32_MAX ? 0 : r->pid,
		.cpu = UINT32_MAX,
		.what = r->type == PERF_RECORD_SWITCH && r->preempted ? CHART_RUNNABLE
								      : CHART_WAITING,
		.passed = true,
	};
	return 1;
}

static uint64_t chart_thread_key(uint16_t input, uint32_t tid, uint32_t cpu)
{
	return (uint64_t)input << 48 ^ (tid ? tid : (uint64_t)1 << 40 | cpu);
}

static struct chart_log_run *current_run(struct chart_log *log,
					 const struct chart_log_thread *t)
{
	return t->run ? &log->runs.v[t->run - 1] : NULL;
}

static void end_wait(struct chart_log *log, struct chart_log_thread *t, uint64_t time)
{
	struct chart_log_run *run = current_run(log, t);

	if (t->state == THREAD_OFF && run)
		run->end = time;
	if (t->state == THREAD_OFF)
		t->run = 0;
}

/* A number that another process has by now is another thread's; whose it was waits for nothing any more. */
static int find_chart_thread(struct chart_log *log, const struct deferred_event *e,
			     uint32_t *ret)
{
	const struct chart_event *said = chart_event_of(e);
	uint64_t key = chart_thread_key(e->input, said->tid, said->cpu);
	const uint32_t *known = hash_map_get(&log->by_thread, key);
	struct chart_log_thread *t = known ? &log->threads.v[*known] : NULL;

	if (!t || (t->pid && said->pid && t->pid != said->pid)) {
		if (t)
			end_wait(log, t, e->time);
		t = array_add(&log->threads);
		if (!t ||
		    !hash_map_set(&log->by_thread, key, (uint32_t)log->threads.count - 1))
			return -ENOMEM;
		*t = (struct chart_log_thread){ .tid = said->tid,
						.cpu = said->tid ? UINT32_MAX : said->cpu,
						.input = e->input };
	}
	t->pid = said->pid ? said->pid : t->pid;
	t->comm = said->comm ? said->comm : t->comm;
	t->passed |= said->passed;
	*ret = (uint32_t)(t - log->threads.v);
	return 0;
}

/* 1; 0: the budget has nothing left for it; or -ENOMEM. */
static int add_log_run(struct settlement *to, const struct chart_log_run *run)
{
	/* With room for as many again, and what the chart makes of it. */
	enum { SOME = 1024, A_RUN = 4 * sizeof(struct chart_log_run) };
	struct chart_log *log = to->target.chart;
	struct chart_log_run *slot;

	if (log->runs.count >= log->allowed && !log->refused) {
		log->refused = !claim_add_part(&log->claim, to->target.deferred->budget,
					       BUDGET_STACKS, (uint64_t)SOME * A_RUN);
		log->allowed += log->refused ? 0 : SOME;
	}
	if (log->refused)
		return 0;
	slot = array_add(&log->runs);
	if (!slot)
		return -ENOMEM;
	*slot = *run;
	return 1;
}

/* A thread is in something else from now on. */
static int begin_run(struct settlement *to, const struct chart_log_run *run)
{
	int added = add_log_run(to, run);

	to->target.chart->threads.v[run->thread].run =
		added > 0 ? (uint32_t)to->target.chart->runs.count : 0;
	return added < 0 ? added : 0;
}

/* Is what comes at @time near enough to its last sample to belong to it? */
static bool is_near(const struct chart_log_thread *t, uint64_t time)
{
	return time - t->sampled <= t->period * 5 / 2;
}

/* On a processor from when it was known to be there up to @time, and no sample has said where. */
static int add_unsampled(struct settlement *to, uint32_t thread, uint64_t time)
{
	struct chart_log *log = to->target.chart;
	const struct chart_log_thread *t = &log->threads.v[thread];
	const struct chart_log_run *run = current_run(log, t);
	uint64_t begin = run ? run->end : t->since;

	if (t->state != THREAD_ON || begin >= time || (run && run->unsure))
		return 0;
	return add_log_run(to, &(struct chart_log_run){ .begin = begin,
							.end = time,
							.thread = thread,
							.what = CHART_UNSAMPLED });
}

static int settle_chart_sample(struct settlement *to, const struct deferred_event *e,
			       uint32_t thread)
{
	struct chart_log *log = to->target.chart;
	struct chart_log_thread *t = &log->threads.v[thread];
	uint32_t period = chart_event_of(e)->period;
	struct chart_log_run next = { .begin = e->time,
				      .end = period ? e->time + period : CHART_OPEN,
				      .node = e->node,
				      .thread = thread,
				      .samples = 1,
				      .what = CHART_SAMPLED,
				      .unsure = !period };
	struct chart_log_run *run;
	int err = 0;

	/* It has come back, and no switch says when. */
	if (t->state == THREAD_OFF || t->state == THREAD_DEAD) {
		end_wait(log, t, e->time);
		t->exits &= t->state != THREAD_DEAD;
		t->state = THREAD_UNKNOWN;
	}
	run = current_run(log, t);
	t->period = period;
	if (run && period && !run->unsure && is_near(t, e->time)) {
		t->sampled = e->time;
		run->end = run->node == e->node ? next.end : e->time;
		run->samples += run->node == e->node;
		if (run->node == e->node)
			return 0;
	} else if (!run && t->state == THREAD_ON && period &&
		   e->time - t->since <= period * UINT64_C(5) / 2) {
		next.begin = t->since;
	} else {
		err = add_unsampled(to, thread, e->time);
	}
	t = &log->threads.v[thread];
	t->sampled = e->time;
	return err < 0 ? err : begin_run(to, &next);
}

static int settle_leaving(struct settlement *to, const struct deferred_event *e,
			  uint32_t thread)
{
	struct chart_log *log = to->target.chart;
	struct chart_log_thread *t = &log->threads.v[thread];
	struct chart_log_run *run = current_run(log, t);
	struct chart_log_run next = { .begin = e->time,
				      .end = CHART_OPEN,
				      .node = e->node ? e->node : t->stack,
				      .thread = thread,
				      .what = chart_event_of(e)->what };
	int err = 0;

	/* It went twice: when it came in between is not known, and neither is how long it waited. */
	if (t->state == THREAD_OFF && run)
		run->end = run->begin;
	else if (run && (run->end > e->time || is_near(t, e->time)))
		run->end = e->time;
	else if (t->state == THREAD_ON)
		err = add_unsampled(to, thread, e->time) < 0 ? -ENOMEM : 0;
	if (err == 0 && next.node &&
	    trie_charge(to->target.trie, next.node, to->chart->column, 1) < 0)
		err = -ENOMEM;
	t = &log->threads.v[thread];
	t->stack = 0;
	t->run = 0;
	if (t->exits || next.what == CHART_WHATS) {
		t->state = THREAD_DEAD;
		return err;
	}
	t->state = THREAD_OFF;
	return err < 0 ? err : begin_run(to, &next);
}

/* Who was on the processor before is not any more. */
static void displace(struct chart_log *log, const struct deferred_event *e,
		     uint32_t thread)
{
	uint32_t cpu = chart_event_of(e)->cpu;
	uint64_t key = (uint64_t)e->input << 32 | cpu;
	const uint32_t *known;
	struct chart_log_thread *other;
	struct chart_log_run *run;

	if (cpu == UINT32_MAX)
		return;
	known = hash_map_get(&log->by_cpu, key);
	if (known && *known == thread)
		return;
	other = known ? &log->threads.v[*known] : NULL;
	run = other && other->state == THREAD_UNKNOWN ? current_run(log, other) : NULL;
	if (run && run->end > e->time)
		run->end = e->time;
	if (run)
		other->run = 0;
	/* Without memory for it an end is a little later than it could be. */
	hash_map_set(&log->by_cpu, key, thread);
}

static int settle_chart(struct deferred_event *e, const struct deferred_event *before,
			struct settlement *to)
{
	struct chart_log *log = to->target.chart;
	struct chart_log_thread *t;
	uint32_t thread;
	int err = find_chart_thread(log, e, &thread);

	(void)before;
	if (err < 0)
		return err;
	t = &log->threads.v[thread];
	log->last = e->time > log->last ? e->time : log->last;
	switch ((enum moment)e->what) {
	case MOMENT_SAMPLE:
		displace(log, e, thread);
		return settle_chart_sample(to, e, thread);
	case MOMENT_OUT:
		return settle_leaving(to, e, thread);
	case MOMENT_IN:
		end_wait(log, t, e->time);
		t->exits &= t->state != THREAD_DEAD;
		t->run = 0;
		t->stack = 0;
		t->since = e->time;
		t->state = THREAD_ON;
		break;
	case MOMENT_STACK:
		t->stack = e->node;
		break;
	case MOMENT_EXIT:
		t->exits = true;
		break;
	}
	return 0;
}

static uint64_t chart_key(const struct deferred_event *e)
{
	return chart_event_of(e)->tid;
}

const struct deferred_kind chart_kind = {
	.name = "moments of a chart",
	.fields = sizeof(struct chart_event),
	.of_one_input = true,
	.key = chart_key,
	.settle = settle_chart,
};

void chart_log_end_input(struct chart_log *log, uint64_t first, uint64_t last)
{
	for (; log->ended < log->runs.count; log->ended++) {
		struct chart_log_run *run = &log->runs.v[log->ended];

		if (run->begin < first)
			run->begin = first;
		/* A sample stands for a period, though that may reach over the end. */
		if (run->end > last && run->what != CHART_SAMPLED)
			run->end = last;
	}
	for (size_t i = 0; i < log->threads.count; i++)
		log->threads.v[i].run = 0;
	hash_map_release(&log->by_thread);
	hash_map_release(&log->by_cpu);
	log->last = 0;
}

int chart_log_merge(struct chart_log *log, struct chart_log *from,
		    const uint32_t *node_map)
{
	size_t threads = log->threads.count, runs = log->runs.count;

	if (threads == 0) {
		/* Most often: nothing is copied. */
		struct chart_log empty = *log;

		*log = *from;
		*from = empty;
	} else {
		if (!array_reserve(&log->threads, from->threads.count) ||
		    !array_reserve(&log->runs, from->runs.count))
			return -ENOMEM;
		for (size_t i = 0; i < from->threads.count; i++)
			log->threads.v[log->threads.count++] = from->threads.v[i];
		for (size_t i = 0; i < from->runs.count; i++) {
			log->runs.v[log->runs.count] = from->runs.v[i];
			log->runs.v[log->runs.count++].thread += (uint32_t)threads;
		}
		claim_join(&log->claim, &from->claim);
		log->allowed += from->allowed;
		log->refused |= from->refused;
		log->last = from->last > log->last ? from->last : log->last;
		from->allowed = 0;
		chart_log_release(from);
	}
	for (size_t i = runs; node_map && i < log->runs.count; i++)
		log->runs.v[i].node = node_map[log->runs.v[i].node];
	return 0;
}

void chart_log_remap(struct chart_log *log, const uint32_t *node_map)
{
	for (size_t i = 0; i < log->runs.count; i++)
		log->runs.v[i].node = node_map[log->runs.v[i].node];
	for (size_t i = 0; i < log->threads.count; i++)
		log->threads.v[i].stack = node_map[log->threads.v[i].stack];
}

void chart_log_release(struct chart_log *log)
{
	array_release(&log->threads);
	array_release(&log->runs);
	hash_map_release(&log->by_thread);
	hash_map_release(&log->by_cpu);
	claim_release(&log->claim);
	*log = (struct chart_log){ 0 };
}
