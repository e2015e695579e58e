/*
 * Steps in order of time become intervals. Under a key there is at most one that is open, and what
 * woke a thread stays there when its wait is over, for whom it wakes next:
 *
 *	nothing --start--> open --wake--> open, woken --end--> woken --start--> open
 *
 * A chain grows at the mark, when the waker is known, as a stack of its own in the trie, which is
 * put behind the stack of who has waited when that ends:
 *
 *	-- <waker's stack, leaf first> waker -- <its waker's stack, leaf first> its waker
 *
 * It goes on only to who woke the waker after the wait had begun: one that already ran then does not
 * explain the wait by what it had waited for before.
 *
 * An end that makes an object leaves what it weighs to that, which is the next one to be settled, and
 * of calls inside of a call it is counted how many are open:
 *
 *	malloc(10)             open: thread
 *	  mmap hook: malloc    open: thread, 1 inside
 *	  = 8000               open: thread
 *	= 7000                 closed: thread weighs 10; object 7000 weighs 10
 *
 * An interrupt's stack ends in that of whom it has interrupted, which has nothing to do with it. Where
 * it ends is known when frames have names (engine/interrupts.c), so a mark says that there is something
 * to be cut. A softirq may as well be run by a task, whose chain goes on: it has all that may be needed.
 */
#include <errno.h>

#include "weight/charge.h"
#include "weight/pairing.h"
#include "weight/path.h"

static uint64_t key_of_pair(const struct deferred_event *e)
{
	return ((const struct pair_event *)(const void *)e->fields)->key;
}

/* Only of a rule that has more. */
static struct pair_more *more_of(const struct deferred_event *e)
{
	return ((struct pair_event *)(void *)(uintptr_t)e->fields)->more;
}

static enum pair_role role_of(const struct deferred_event *e)
{
	return (enum pair_role)(e->what & PAIR_ROLE_BITS);
}

static enum pair_context context_of(const struct deferred_event *e)
{
	return (enum pair_context)(e->what >> PAIR_CONTEXT_SHIFT);
}

static bool is_open(const struct deferred_event *e)
{
	return e && role_of(e) == ROLE_START;
}

/* @event becomes what was open before it, so that this stays so. */
static int stay(struct deferred_event *event, const struct deferred_event *before,
		const struct settlement *to)
{
	if (!before)
		return 0;
	memcpy(event, before,
	       sizeof(*event) + pair_kinds[to->pairing->rule.has_more].fields);
	return 1;
}

/* The stack of who wakes, leaf first, behind the mark of an interrupt. One that is no task's for sure
 * has no use for a user's part. */
static int add_waker(struct path *path, const struct settlement *to,
		     const struct deferred_event *wake)
{
	const struct trie *t = to->target.trie;
	struct frames *frames = to->target.frames;
	enum pair_context context = context_of(wake);
	bool maybe_task = context <= CONTEXT_SOFTIRQ;
	uint32_t flags = FRAME_INTERRUPT | (maybe_task ? FRAME_SOFTIRQ : 0);
	int err = context == CONTEXT_TASK
			  ? 0
			  : path_add_name(path, frames, to->pairing->contexts[context],
					  flags);

	for (uint32_t node = wake->node; node && err == 0; node = t->nodes[node].parent) {
		uint32_t frame = t->nodes[node].frame;

		if (!maybe_task && frames->list.v[frame].image == IMAGE_ID_NAMES)
			break;
		err = path_add(path, frame);
	}
	return err;
}

/* So many wakers at most: from the "--" of the next one on frames are left out. */
static void cut_chain(struct path *path, const struct settlement *to)
{
	unsigned links = 0;

	for (size_t i = 0; i < path->count; i++) {
		links += (to->target.frames->list.v[path->v[i]].flags & FRAME_LINK) != 0;
		if (links > PAIR_DEPTH)
			path->count = i;
	}
}

/* What is behind the stack of @before, who is woken by @event: a node. As find_pair_stack(). */
static int make_suffix(const struct deferred_event *event,
		       const struct deferred_event *before, struct settlement *to,
		       uint32_t *ret)
{
	enum pair_context context = context_of(event);
	/* Whom an interrupt has interrupted is no waker. Of a softirq that is not known yet: if it
	 * is one, its chain is cut off with its stack. */
	const struct deferred_event *waker =
		context <= CONTEXT_SOFTIRQ && to->pairing->rule.stack == PAIR_STACK_CHAIN
			? deferred_queue_find(&to->target.deferred[DEFERRED_PAIRS],
					      pair_key(more_of(event)->thread, 0),
					      event->input)
			: NULL;
	struct path path = { 0 };
	uint32_t node = 0;
	int err = path_add_name(&path, to->target.frames, to->pairing->wakes, FRAME_LINK);

	if (err == 0)
		err = add_waker(&path, to, event);
	if (waker && !is_open(waker) && waker->behind) {
		if (more_of(waker)->woken <= before->time)
			to->target.pairs->stale += context == CONTEXT_TASK;
		else if (err == 0)
			err = path_add_forward(&path, to->target.trie, waker->behind);
		cut_chain(&path, to);
	}
	if (err == 0)
		err = path_stack(&path, &to->target, &node);
	free(path.v);
	*ret = node;
	return err;
}

/* The stack that an interval weighs on. 0; 1 where no memory was left for all of it, or -ENOMEM. */
static int find_pair_stack(const struct deferred_event *start,
			   const struct deferred_event *end, struct settlement *to,
			   uint32_t *ret)
{
	const struct trie *t = to->target.trie;
	uint32_t root = start->node;
	struct path path = { 0 };
	int err = 0;

	*ret = start->node;
	switch (to->pairing->rule.stack) {
	case PAIR_STACK_START:
		/* Most often: nothing is to be cut off. */
		if (context_of(start) == CONTEXT_TASK)
			return 0;
		err = add_waker(&path, to, start);
		path_reverse_rest(&path, 0);
		break;
	case PAIR_STACK_END:
		*ret = end ? end->node : 0;
		return 0;
	case PAIR_STACK_WAKEUP:
		/* The process of who was woken is the root of its stack. */
		while (root && t->nodes[root].parent)
			root = t->nodes[root].parent;
		if (end)
			err = add_waker(&path, to, end);
		path_reverse_rest(&path, 0);
		if (err == 0 && root)
			err = path_add(&path, t->nodes[root].frame);
		break;
	default:
		err = path_add_forward(&path, t, start->node);
		if (err == 0 && start->behind)
			err = path_add_forward(&path, t, start->behind);
		else if (err == 0)
			err = path_add_name(&path, to->target.frames, to->pairing->wakes,
					    FRAME_LINK);
		if (err == 0 && !start->behind)
			err = path_add_name(&path, to->target.frames,
					    to->pairing->contexts[CONTEXT_TASK], 0);
	}
	if (err == 0 && path.count)
		err = path_stack(&path, &to->target, ret);
	free(path.v);
	return err;
}

static uint64_t weigh_pair(const struct deferred_event *start,
			   const struct deferred_event *end, uint64_t until,
			   struct settlement *to)
{
	const struct pairing *p = to->pairing;
	int64_t slots[WEIGHT_VALUES + PAIR_VALUES] = { 0 };
	int64_t weight;

	slots[WEIGHT_T] = (int64_t)(until - start->time);
	if (p->rule.has_more) {
		const struct pair_more *opened = more_of(start);

		if (opened->woken) {
			slots[WEIGHT_T_WAKE] = (int64_t)(opened->woken - start->time);
			slots[WEIGHT_T_RUN] = (int64_t)(until - opened->woken);
		}
		for (uint32_t i = 0; i < PAIR_VALUES; i++)
			slots[WEIGHT_VALUES + i] = end && p->values[i].role == ROLE_END
							   ? more_of(end)->values[i]
							   : opened->values[i];
	}
	weight =
		expression_is_empty(&p->weight) ? 1 : expression_value(&p->weight, slots);
	to->target.pairs->negative += weight < 0;
	return weight < 0 ? 0 : (uint64_t)weight;
}

static int charge_pair(const struct deferred_event *start,
		       const struct deferred_event *end, uint64_t until,
		       struct settlement *to)
{
	struct charge charge = { .weight = weigh_pair(start, end, until, to),
				 .lost = start->lost ? start->lost
					 : end	     ? end->lost
						     : 0,
				 .cut = start->cut || (end && end->cut) };
	int err = 0;

	if (charge.weight == 0)
		return 0;
	if (!charge.lost && !filters_pass_duration(to->filters, until - start->time))
		charge.lost = LOST_FILTER + 1;
	if (!charge.lost)
		err = find_pair_stack(start, end, to, &charge.node);
	charge.cut |= err > 0;
	/* A product that wraps could look possible. */
	if (charge.weight < WEIGHT_IMPOSSIBLE)
		charge.weight *= to->factor;
	if (err >= 0)
		err = weight_charge(&to->target, &charge);
	return err < 0 ? err : 0;
}

/* Were records lost meanwhile, on any processor? One of them may have been an end: who waits may have
 * run on any, and waited again. */
static bool lost_between(const struct recording *rec, uint64_t start, uint64_t end)
{
	size_t low = 0, high = rec->losses.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rec->losses.v[middle].to > start)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < rec->losses.count)
		return rec->losses.v[low].from < end;
	/* Behind the last one that there was room for they are not told apart. */
	return rec->losses_end > start && end >= rec->losses.v[rec->losses.count - 1].to;
}

/* May what closes an interval be among what was not seen? */
static bool is_broken(const struct settlement *to, uint64_t start, uint64_t end)
{
	return lost_between(to->pairing->rec, start, end) ||
	       deferred_queue_has_gap(&to->target.deferred[DEFERRED_PAIRS], start, end);
}

static int settle_start(struct deferred_event *e, const struct deferred_event *before,
			struct settlement *to)
{
	/* More are not in each other: ends were missed. */
	enum { INNER_MOST = 64 };

	if (to->pairing->rule.nested && is_open(before) &&
	    more_of(before)->inner < INNER_MOST &&
	    !is_broken(to, before->time, e->time)) {
		to->target.pairs->inner++;
		stay(e, before, to);
		more_of(e)->inner++;
		return 1;
	}
	to->target.pairs->starts++;
	if (is_open(before)) {
		to->target.pairs->restarted++;
		if (to->pairing->rule.first)
			return stay(e, before, to);
	}
	return 1;
}

static int settle_wake(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;
	struct pair_more mark = *more_of(e), *opened;
	uint64_t woken = e->time;
	uint32_t behind = 0;
	uint8_t lost = e->lost;
	bool cut = e->cut;
	int err = 0;

	counts->wakes++;
	if (!is_open(before) || more_of(before)->woken) {
		counts->not_waited += !is_open(before);
		counts->woken_again += is_open(before);
		return stay(e, before, to);
	}
	/* A chain goes on behind whoever wakes one that counts, be it one that does not. */
	if (to->pairing->rule.stack == PAIR_STACK_CHAIN ||
	    (to->pairing->rule.stack == PAIR_STACK_OFFWAKE && !before->lost))
		err = make_suffix(e, before, to, &behind);
	stay(e, before, to);
	e->behind = behind;
	e->cut |= err > 0 || cut;
	if (!e->lost)
		e->lost = lost;
	opened = more_of(e);
	opened->woken = woken ? woken : 1;
	for (uint32_t i = 0; i < to->pairing->value_count; i++)
		if (to->pairing->values[i].role == ROLE_WAKE)
			opened->values[i] = mark.values[i];
	return err < 0 ? err : 1;
}

/* @e, an end, stays as what its object is to know. */
static void leave_to_object(struct deferred_event *e, const struct deferred_event *start,
			    struct settlement *to)
{
	uint64_t weight = weigh_pair(start, e, e->time, to);

	if (to->pairing->rule.stack == PAIR_STACK_START)
		e->node = start->node;
	if (start->lost)
		e->lost = start->lost;
	e->cut |= start->cut;
	more_of(e)->values[0] = (int64_t)weight;
}

static int settle_object(struct deferred_event *e, const struct deferred_event *before,
			 struct settlement *to)
{
	const struct deferred_event *end =
		deferred_queue_find(&to->target.deferred[DEFERRED_PAIRS],
				    (uint64_t)more_of(e)->values[1], e->input);

	/* Of a call inside of another one, or one that has failed, there is none. */
	if (!end || role_of(end) != ROLE_END || end->position != e->position ||
	    !more_of(end)->values[0])
		return stay(e, before, to);
	to->target.pairs->objects++;
	e->node = end->node;
	e->lost = end->lost;
	e->cut = end->cut;
	more_of(e)->values[0] = more_of(end)->values[0];
	return 1;
}

/* What an object holds goes to its stack. */
static int charge_object(const struct deferred_event *e, uint64_t until,
			 struct settlement *to)
{
	struct charge charge = { .weight = (uint64_t)more_of(e)->values[0],
				 .node = e->node,
				 .lost = e->lost,
				 .cut = e->cut };
	int err;

	if (!charge.lost && !filters_pass_duration(to->filters, until - e->time))
		charge.lost = LOST_FILTER + 1;
	if (charge.weight < WEIGHT_IMPOSSIBLE)
		charge.weight *= to->factor;
	err = weight_charge(&to->target, &charge);
	return err < 0 ? err : 0;
}

static int settle_release(const struct deferred_event *e,
			  const struct deferred_event *before, struct settlement *to)
{
	to->target.pairs->releases++;
	if (!before)
		return 0;
	to->target.pairs->released++;
	return to->pairing->rule.open == PAIR_OPEN_REPORT
		       ? 0
		       : charge_object(before, e->time, to);
}

static int settle_end(struct deferred_event *e, const struct deferred_event *before,
		      struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;
	bool chain = to->pairing->rule.stack == PAIR_STACK_CHAIN;
	int err;

	if (to->pairing->rule.nested && is_open(before) && more_of(before)->inner) {
		counts->inner++;
		stay(e, before, to);
		more_of(e)->inner--;
		return 1;
	}
	counts->ends++;
	if (!is_open(before)) {
		counts->unopened++;
		return stay(e, before, to);
	}
	if (is_broken(to, before->time, e->time)) {
		counts->broken++;
		return 0;
	}
	counts->paired++;
	counts->without_waker += to->pairing->has_wakes && !more_of(before)->woken;
	if (to->pairing->rule.has_objects) {
		leave_to_object(e, before, to);
		return 1;
	}
	err = to->pairing->rule.open == PAIR_OPEN_REPORT
		      ? 0
		      : charge_pair(before, e, e->time, to);
	if (err < 0 || !chain)
		return err;
	stay(e, before, to);
	e->what = ROLE_END;
	return 1;
}

static int settle_pair(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;

	switch (role_of(e)) {
	case ROLE_START:
		return settle_start(e, before, to);
	case ROLE_WAKE:
		return settle_wake(e, before, to);
	case ROLE_END:
		return settle_end(e, before, to);
	case ROLE_RELEASE:
		return settle_release(e, before, to);
	case ROLE_LEAVE:
		return 1;
	case PAIR_OBJECT:
		return settle_object(e, before, to);
	default:
		counts->cancels++;
		counts->cancelled += is_open(before);
		/* Who is preempted was woken by the same one as before. */
		return role_of(e) == ROLE_CANCEL && !is_open(before) ? stay(e, before, to)
								     : 0;
	}
}

/* Has its process become another program since? */
static bool was_left(const struct deferred_event *object, const struct settlement *to)
{
	const struct deferred_event *left =
		deferred_queue_find(&to->target.deferred[DEFERRED_PAIRS],
				    more_of(object)->woken, object->input);

	return left && role_of(left) == ROLE_LEAVE && left->time >= object->time;
}

int pairing_end(struct settlement *to, uint64_t last)
{
	struct deferred_queue *q = &to->target.deferred[DEFERRED_PAIRS];
	int err = 0;

	for (size_t i = 0; i < deferred_queue_open(q) && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_open_at(q, i);
		uint64_t until = last > e->time ? last : e->time;
		bool object = e->what == PAIR_OBJECT;

		if (!is_open(e) && !object)
			continue;
		to->target.pairs->still_open += !object;
		/* A call that goes on has made nothing. */
		if (to->pairing->rule.has_objects && (!object || was_left(e, to)))
			continue;
		/* One whose end may have been lost is not said to have none. */
		if (to->pairing->rule.open != PAIR_OPEN_DROP &&
		    is_broken(to, e->time, UINT64_MAX)) {
			to->target.pairs->unsure++;
			continue;
		}
		if (to->pairing->rule.open != PAIR_OPEN_DROP)
			err = object ? charge_object(e, until, to)
				     : charge_pair(e, NULL, until, to);
	}
	return err;
}

void pair_counts_add(struct pair_counts *to, const struct pair_counts *from)
{
	uint64_t *sum = (uint64_t *)to;
	const uint64_t *more = (const uint64_t *)from;

	for (size_t i = 0; i < sizeof(*to) / sizeof(*sum); i++)
		sum[i] += more[i];
}

const struct deferred_kind pair_kinds[2] = {
	{
		.name = "events that are paired",
		.fields = sizeof(struct pair_event),
		.of_one_input = true,
		.open_is_claimed = true,
		.key = key_of_pair,
		.settle = settle_pair,
	},
	{
		.name = "events that are paired",
		.fields = sizeof(struct pair_event) + sizeof(struct pair_more),
		.of_one_input = true,
		.open_is_claimed = true,
		.key = key_of_pair,
		.settle = settle_pair,
	},
};
