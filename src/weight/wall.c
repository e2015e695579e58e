/*
 * Who runs, and what samples say of it, on their way into the queue. Workers meet samples in any order;
 * records of switches are met where states of processes are, which in a file is before all samples:
 *
 *	SWITCH, EXIT, FORK, an exec       wall_note()    --.
 *	sched:sched_switch, _waking       wall_take()    --+--> queue --> wall_settle.c, in order of time
 *	samples of what runs              wall_take()    --'
 *
 * With both, records tell who runs, and the call chains of switches what a thread waits in. States of
 * sched_switch: include/trace/events/sched.h.
 */
#include "weight/wall.h"

#include <errno.h>

#include "weight/charge.h"

static int find_event(const struct recording *rec, const struct intern *strings,
		      const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < rec->events.count; i++) {
		const char *other = intern_text(strings, rec->events.v[i].name);

		/* Behind a further colon it may have modifiers. */
		if (strncmp(other, name, size) == 0 &&
		    (other[size] == '\0' || other[size] == ':'))
			return (int)i;
	}
	return -1;
}

static const struct event_field *find_field(const struct recording *rec, int event,
					    const char *name)
{
	return event < 0 ? NULL
			 : event_format_find(recording_format(rec, &rec->events.v[event]),
					     name);
}

static int check_wall(struct context *ctx, const struct wall *wall,
		      const struct recording *rec)
{
	static const char remedy[] =
		"perf record -e cpu-clock -e sched:sched_switch -a -g, or perf record "
		"-g --switch-events COMMAND records what it needs";
	uint64_t missing = PERF_SAMPLE_TIME | PERF_SAMPLE_TID;

	if (wall->weight == WALL_INSTANT && wall->source != WALL_RECORDS)
		return fail(ctx, -ENODATA,
			    "switches between threads were not recorded: perf record "
			    "--switch-events (or --latency) records them");
	if (wall->source == WALL_GUESS)
		missing |= PERF_SAMPLE_CPU;
	for (size_t i = 0; i < rec->events.count; i++) {
		const struct event *e = &rec->events.v[i];

		/* A level that is guessed is of processes. */
		if (wall->scope == WALL_CGROUP &&
		    (wall->source == WALL_GUESS ||
		     (!event_is_dummy(e) && !(e->sample_type & PERF_SAMPLE_CGROUP))))
			return fail(ctx, -ENODATA,
				    "scope cgroup needs switches, and samples with their "
				    "cgroups: perf record --all-cgroups --switch-events "
				    "records both");
		if (!event_is_dummy(e) && missing & ~e->sample_type)
			return fail(ctx, -ENODATA,
				    "samples were recorded without their %s: %s",
				    missing & ~e->sample_type & PERF_SAMPLE_TIME ? "times"
				    : missing & ~e->sample_type & PERF_SAMPLE_TID
					    ? "threads"
					    : "processors, and there are no switches",
				    remedy);
	}
	return 0;
}

int wall_bind(struct context *ctx, struct wall *wall, const struct recording *rec,
	      struct intern *strings)
{
	bool has_records = rec->by_type[PERF_RECORD_SWITCH] ||
			   rec->by_type[PERF_RECORD_SWITCH_CPU_WIDE];
	const struct event *switches;

	/* A pipe's may not have come yet. */
	for (size_t i = 0; i < rec->events.count; i++)
		has_records |= (rec->events.v[i].flags & PERF_ATTR_SWITCHES) != 0;
	wall->switches = find_event(rec, strings, "sched:sched_switch");
	wall->wakings = find_event(rec, strings, "sched:sched_waking");
	wall->prev = find_field(rec, wall->switches, "prev_pid");
	wall->state = find_field(rec, wall->switches, "prev_state");
	wall->next = find_field(rec, wall->switches, "next_pid");
	wall->woken = find_field(rec, wall->wakings, "pid");
	if (!wall->prev || !wall->state || !wall->next)
		wall->switches = -1;
	if (!wall->woken)
		wall->wakings = -1;
	switches = wall->switches < 0 ? NULL : &rec->events.v[wall->switches];
	if (switches && event_is_sampled(switches)) {
		say_some_switches(ctx);
		wall->switches = -1;
	}
	wall->source = has_records	     ? WALL_RECORDS
		       : wall->switches >= 0 ? WALL_SWITCHES
					     : WALL_GUESS;
	wall->processors = rec->processors_there;
	if (intern_add(strings, "[waiting]", 9, &wall->waiting) < 0 ||
	    intern_add(strings, "[runqueue]", 10, &wall->runqueue) < 0 ||
	    intern_add(strings, "[not sampled]", 13, &wall->unsampled) < 0)
		return fail_memory(ctx);
	wall->rec = rec;
	wall->is_bound = true;
	return check_wall(ctx, wall, rec);
}

void wall_beside(const struct wall *wall, struct event_wish *wish)
{
	/* One that was not recorded is -1. */
	if (wall->switches >= 0)
		wish->beside[wish->beside_count++] = wall->switches;
	if (wall->wakings >= 0)
		wish->beside[wish->beside_count++] = wall->wakings;
}

int wall_note(struct deferred_queue *q, struct budget *budget, const struct record *r,
	      uint16_t input)
{
	enum wall_what what = r->type == PERF_RECORD_SWITCH
				      ? r->leaves ? WALL_OUT : WALL_IN
			      : r->type == PERF_RECORD_EXIT	       ? WALL_EXIT
			      : r->type == PERF_RECORD_FORK	       ? WALL_BORN
			      : r->type == PERF_RECORD_COMM && r->exec ? WALL_EXEC
								       : WALL_NOTHING;
	struct deferred_event *e;
	int found;

	/* At 0 the recorder tells of what there was before. Who has ended has no number. */
	if (what == WALL_NOTHING || r->time == 0 || r->tid == UINT32_MAX)
		return 0;
	found = deferred_queue_add_record(q, budget, r, input, &e);
	if (found <= 0)
		return found;
	e->what = (uint8_t)what;
	*wall_event_of(e) = (struct wall_event){
		.tid = r->tid,
		.pid = r->pid,
		.period = what == WALL_OUT && r->preempted ? WALL_RUNNABLE : WALL_BLOCKED,
	};
	return 1;
}

void wall_begin(const struct weigher *w, const struct sample *s, bool passed,
		struct weighing *ret)
{
	bool beside =
		(int)s->event == w->wall->switches || (int)s->event == w->wall->wakings;

	if (!passed)
		ret->charge.lost = LOST_FILTER + 1;
	if (!beside && !event_is_wanted(w->events, s->event))
		ret->charge.lost = LOST_EVENT + 1;
	if (s->period >= WEIGHT_IMPOSSIBLE)
		ret->charge.lost = LOST_DAMAGED + 1;
	/* What the idle thread does is nobody's wait. */
	ret->match.has_stack = (int)s->event != w->wall->wakings &&
			       (w->wall->weight == WALL_INSTANT ? !beside : s->tid != 0);
}

static int defer_wall(struct weigher *w, const struct weighing *x, enum wall_what what,
		      const struct wall_event *said)
{
	struct deferred_event *e;
	int found = weight_defer(w, x, DEFERRED_WALL, &e);

	if (found <= 0)
		return found;
	/* Only the stack of who has been sampled is its own. */
	if (what == WALL_IN || what == WALL_WOKEN)
		e->node = 0;
	e->what = (uint8_t)what;
	*wall_event_of(e) = *said;
	return 1;
}

static int take_switch(struct weigher *w, const struct weighing *x)
{
	const struct wall *wall = w->wall;
	const struct sample *s = x->sample;
	struct wall_event leaves = { 0 }, comes = { 0 };
	uint64_t prev, state, next;
	int err = 0;

	if (!event_field_number(wall->prev, s, &prev) ||
	    !event_field_number(wall->state, s, &state) ||
	    !event_field_number(wall->next, s, &next)) {
		weight_sum_damaged(w->target.sum, 1);
		return 0;
	}
	leaves.tid = (uint32_t)prev;
	/* The sample of a dead thread has no number. */
	leaves.pid = s->tid == leaves.tid ? s->pid : 0;
	/* Interruptible and not, stopped, traced, parked, idle: those do not run of their own. */
	leaves.period = state & 0xcf   ? WALL_BLOCKED
			: state & 0x30 ? WALL_DEAD
				       : WALL_RUNNABLE;
	leaves.group = w->wall->scope == WALL_CGROUP ? s->cgroup : 0;
	comes.tid = (uint32_t)next;
	if (prev)
		err = defer_wall(w, x,
				 wall->source == WALL_RECORDS ? WALL_STACK : WALL_OUT,
				 &leaves);
	if (err >= 0 && next && wall->source == WALL_SWITCHES)
		err = defer_wall(w, x, WALL_IN, &comes);
	return err < 0 ? err : 0;
}

int wall_take(struct weigher *w, const struct weighing *x)
{
	const struct wall *wall = w->wall;
	const struct sample *s = x->sample;
	const struct event *event = &w->rec->events.v[s->event];
	struct wall_event said = { .tid = s->tid, .pid = s->pid };
	uint64_t woken, time_out;
	int err;

	if (x->charge.lost == LOST_EVENT + 1 || x->charge.lost == LOST_DAMAGED + 1) {
		err = weight_charge(&w->target, &x->charge);
		return err < 0 ? fail_memory(w->ctx) : err;
	}
	if ((int)s->event == wall->switches)
		return wall->weight == WALL_INSTANT ? 0 : take_switch(w, x);
	if ((int)s->event == wall->wakings) {
		if (!event_field_number(wall->woken, s, &woken))
			return 0;
		said = (struct wall_event){ .tid = (uint32_t)woken };
		err = defer_wall(w, x, WALL_WOKEN, &said);
		return err < 0 ? err : 0;
	}
	/* The idle thread; and one that has ended has no number. */
	if ((!s->tid || s->tid == UINT32_MAX) && wall->weight != WALL_INSTANT)
		return 0;
	said.period = weight_of(w->options, event, s);
	if (wall->source == WALL_GUESS) {
		/* Each that there was is looked at for every sample. */
		if (s->cpu >= PROCESSORS_MOST) {
			weight_sum_damaged(w->target.sum, 1);
			return 0;
		}
		/* How long a processor runs what it was sampled in, if nothing else is known:
		 * µs, of two periods. */
		time_out = event_is_clock(event) ? s->period
			   : event->frequency	 ? 1000000000 / event->frequency
						 : 1000000;
		time_out = time_out / 500 < UINT32_MAX ? time_out / 500 : UINT32_MAX;
		said.group = time_out << 32 | s->cpu;
	} else if (wall->scope == WALL_CGROUP) {
		said.group = s->cgroup;
	}
	err = defer_wall(w, x, event_is_clock(event) ? WALL_TICK : WALL_SAMPLE, &said);
	if (err < 0)
		return err;
	/* What it would weigh is known when all are. */
	weight_sum_damaged(w->target.sum, err == 0);
	return err && !x->charge.lost;
}

void wall_counts_add(struct wall_counts *to, const struct wall_counts *from)
{
	uint64_t *sum = (uint64_t *)to;
	const uint64_t *more = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sum); i++)
		sum[i] += more[i];
}
