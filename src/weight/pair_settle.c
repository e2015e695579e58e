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
 * Where samples share the time between intervals, a thread is always in one of two states, and all its
 * time from its first event on is of one of them:
 *
 *	runs --start--> open --wake--> open, woken --end--> runs --sample--> runs
 *
 * What it ran since the sample before, over all intervals in between, is the next one's. So a thread that runs
 * for less than the samples are apart has what it ran in all, where its samples were: they are as
 * likely at each moment that it runs. What no sample comes for any more has the stack of the last one.
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
#include "weight/pair_line.h"
#include "weight/path.h"

static enum pair_context context_of(const struct deferred_event *e)
{
	return (enum pair_context)(e->what >> PAIR_CONTEXT_SHIFT & PAIR_CONTEXT_BITS);
}

/* Only of a rule with samples between intervals. */
static struct pair_between *between_of(const struct deferred_event *e)
{
	return (void *)(pair_more_of(e) + 1);
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
					      pair_key(pair_more_of(event)->thread, 0),
					      event->input)
			: NULL;
	struct path path = { 0 };
	uint32_t node = 0;
	unsigned links = 0;
	int err = path_add_name(&path, to->target.frames, to->pairing->wakes, FRAME_LINK);

	if (err == 0)
		err = add_waker(&path, to, event);
	if (waker && !pair_is_open(waker) && waker->behind) {
		if (pair_more_of(waker)->woken <= before->time)
			to->target.pairs->stale += context == CONTEXT_TASK;
		else if (err == 0)
			err = path_add_forward(&path, to->target.trie, waker->behind);
		/* So many wakers at most: from the "--" of the next one on frames are left
		 * out. */
		for (size_t i = 0; i < path.count; i++) {
			uint32_t flags = to->target.frames->list.v[path.v[i]].flags;

			links += (flags & FRAME_LINK) != 0;
			if (links > PAIR_DEPTH)
				path.count = i;
		}
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

/* *@node: of the stack with the part's name in it. As find_pair_stack(). */
static int add_part_name(struct settlement *to, const struct bound_part *part,
			 uint32_t *node)
{
	const uint64_t other = 0x9e3779b97f4a7c15u;
	struct trie *t = to->target.trie;
	uint64_t key = hash_u64((uint64_t)part->name << 32 | *node);
	const struct trie_memory *known;
	struct trie_memory found = { hash_u64(key ^ other), 0, 0 };
	struct path path = { 0 };
	bool at_root = to->pairing->rule.names == PAIR_NAMES_ROOT;
	int err = 0;

	if (!part->name || to->pairing->rule.names == PAIR_NAMES_NONE)
		return 0;
	/* Threads wait in the same places again and again. */
	known = trie_recall(t, key, found.high);
	if (known) {
		*node = known->node;
		return 0;
	}
	if (at_root)
		err = path_add_name(&path, to->target.frames, part->name, 0);
	if (err == 0)
		err = path_add_forward(&path, t, *node);
	if (err == 0 && !at_root)
		err = path_add_name(&path, to->target.frames, part->name, 0);
	if (err == 0)
		err = path_stack(&path, &to->target, &found.node);
	free(path.v);
	if (err < 0)
		return err;
	if (err == 0)
		trie_remember(t, key, &found);
	*node = found.node;
	return err;
}

/* The next piece of an interval that filters of time keep, as filters_kept_time(). */
static bool find_piece(const struct settlement *to, uint64_t *from, uint64_t *until)
{
	const struct recording *rec = to->pairing->rec;

	return !to->filters || filters_kept_time(to->filters, *recording_first(rec),
						 recording_last(rec), from, until);
}

/* An interval counts as long as it lasted within the time that is asked for. It is one sample, which its
 * first piece has. charge->weight becomes what was kept. Returns as charge_weight(). */
static int charge_kept(struct settlement *to, struct charge *charge)
{
	const uint64_t first = *recording_first(to->pairing->rec), until = charge->until;
	/* As cells of time have it, so a range of these has the same weight. */
	const uint64_t begin = charge->from > first ? charge->from : first;
	unsigned __int128 whole = charge->weight;
	struct charge part = *charge;
	uint64_t kept = 0;
	int err = 1;

	part.from = begin < until ? begin : until;
	while (err > 0 && find_piece(to, &part.from, &part.until)) {
		if (begin >= until)
			part.weight = charge->weight;
		else
			part.weight =
				(uint64_t)(whole * (part.until - begin) /
					   (until - begin)) -
				(uint64_t)(whole * (part.from - begin) / (until - begin));
		err = part.weight ? weight_charge(&to->target, &part) : 1;
		kept += part.weight;
		part.is_rest |= part.weight > 0;
		if (part.until >= until)
			break;
		part.from = part.until;
		part.until = until;
	}
	part.weight = charge->weight - kept;
	part.lost = LOST_FILTER + 1;
	charge->weight = kept;
	if (err > 0 && part.weight)
		err = weight_charge(&to->target, &part);
	return err < 0 ? err : kept > 0;
}

/* Of an interval, or an object. 0; 1: it is in the tree; or -ENOMEM. */
static int charge_weight(struct settlement *to, struct charge *charge)
{
	int err;

	if (charge->weight == 0)
		return 0;
	/* A product that wraps could look possible. */
	if (charge->weight < WEIGHT_IMPOSSIBLE)
		charge->weight *= to->factor;
	err = charge->lost || charge->weight >= WEIGHT_IMPOSSIBLE || !to->filters ||
			      !filters_ask_times(to->filters)
		      ? weight_charge(&to->target, charge)
		      : charge_kept(to, charge);
	return err > 0 ? weight_place(&to->target, charge, to->factor) : err;
}

/* Charges a weight that is a part of several. 0, or -ENOMEM. */
static int charge_part(struct settlement *to, const struct bound_part *part,
		       struct charge *charge)
{
	int err = 0;

	if (charge->weight && !charge->lost)
		err = add_part_name(to, part, &charge->node);
	charge->cut |= err > 0;
	if (err >= 0)
		err = charge_weight(to, charge);
	if (err > 0 && part->column != COLUMN_WEIGHT)
		err = trie_charge(to->target.trie, charge->node, part->column,
				  charge->weight);
	return err < 0 ? err : 0;
}

/* What a weight comes to of an interval. */
static uint64_t weigh_pair(const struct expression *weight,
			   const struct deferred_event *start,
			   const struct deferred_event *end, uint64_t until,
			   struct settlement *to)
{
	const struct pairing *p = to->pairing;
	int64_t slots[WEIGHT_VALUES + PAIR_VALUES] = { 0 }, value = 1;

	slots[WEIGHT_T] = (int64_t)(until - start->time);
	if (p->rule.has_more) {
		const struct pair_more *opened = pair_more_of(start);

		if (opened->woken && p->has_wakes) {
			slots[WEIGHT_T_WAKE] = (int64_t)(opened->woken - start->time);
			slots[WEIGHT_T_RUN] = (int64_t)(until - opened->woken);
		}
		for (uint32_t i = 0; i < PAIR_VALUES; i++)
			slots[WEIGHT_VALUES + i] = end && p->values[i].role == ROLE_END
							   ? pair_more_of(end)->values[i]
							   : opened->values[i];
	}
	if (!expression_is_empty(weight))
		value = expression_value(weight, slots);
	to->target.pairs->negative += value < 0;
	return value < 0 ? 0 : (uint64_t)value;
}

static int charge_pair(const struct deferred_event *start,
		       const struct deferred_event *end, uint64_t until,
		       struct settlement *to)
{
	const struct pairing *p = to->pairing;
	struct charge charge = { .lost = start->lost ? start->lost
					 : end	     ? end->lost
						     : 0,
				 .cut = start->cut || (end && end->cut),
				 .from = start->time,
				 .until = until };
	uint64_t kept_from = start->time, kept_until = until;
	int err = 0;

	if (!charge.lost && !(filters_pass_duration(to->filters, until - start->time) &&
			      find_piece(to, &kept_from, &kept_until)))
		charge.lost = LOST_FILTER + 1;
	/* Most often there is one weight, without a name. */
	if (!p->rule.part_count) {
		charge.weight = weigh_pair(&p->weight, start, end, until, to);
		if (charge.weight && !charge.lost)
			err = find_pair_stack(start, end, to, &charge.node);
		charge.cut |= err > 0;
		if (err >= 0)
			err = charge_weight(to, &charge);
		return err < 0 ? err : 0;
	}
	for (size_t i = 0; i < p->rule.part_count && err >= 0; i++) {
		struct charge its = charge;

		its.weight = weigh_pair(&p->parts[i].weight, start, end, until, to);
		if (its.weight && !its.lost)
			err = find_pair_stack(start, end, to, &its.node);
		its.cut |= err > 0;
		if (err >= 0)
			err = charge_part(to, &p->parts[i], &its);
	}
	return err < 0 ? err : 0;
}

/* May what closes an interval be among what was not seen? Of records that were lost meanwhile, on any
 * processor, one may have been an end: who waits may have run on any, and waited again. */
static bool is_broken(const struct settlement *to, uint64_t start, uint64_t end)
{
	return weight_is_broken(to->pairing->rec, &to->target.deferred[DEFERRED_PAIRS],
				start, end);
}

/*
 * What a thread has run until @until, and no sample has. What was lost since may have been its switches,
 * so then that is not known.
 */
static uint64_t owed_until(const struct deferred_event *before, uint64_t until,
			   const struct settlement *to)
{
	const struct pair_between *b = between_of(before);

	/* Between two intervals it runs. */
	return b->owed +
	       (pair_role_of(before) == ROLE_SAMPLE && !is_broken(to, before->time, until)
			? until - before->time
			: 0);
}

/* No sample comes for what is owed: the last one has it, or a frame that says that there was none. */
static int charge_owed(const struct deferred_event *before, uint64_t owed,
		       struct settlement *to)
{
	const struct pair_between *b = between_of(before);
	const struct trie *t = to->target.trie;
	struct charge charge = { .weight = owed,
				 .node = before->behind,
				 .lost = b->lost & 0x7f,
				 .from = before->time,
				 .until = before->time };
	struct path path = { 0 };
	uint32_t root = before->behind;
	int err = 0;

	/* Nothing is known of a thread that was switched to and then neither sampled nor switched from. */
	if (!owed || (!before->behind && !b->lost))
		return 0;
	if (!b->sampled && !charge.lost) {
		/* Below the name of its process. */
		while (root && t->nodes[root].parent)
			root = t->nodes[root].parent;
		err = path_add(&path, t->nodes[root].frame);
		if (err == 0)
			err = path_add_name(&path, to->target.frames,
					    to->pairing->no_sample, 0);
		if (err == 0)
			err = path_stack(&path, &to->target, &charge.node);
		free(path.v);
		charge.cut = err > 0;
	}
	return err < 0 ? err
		       : charge_part(to, &to->pairing->parts[PART_BETWEEN], &charge);
}

/* A sample of a thread: of what it has run since the one before. */
static int settle_sample(struct deferred_event *e, const struct deferred_event *before,
			 struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;
	struct charge charge = { .node = e->node,
				 .lost = e->lost,
				 .cut = e->cut,
				 .from = e->time,
				 .until = e->time };
	int err = 0;

	counts->samples++;
	/* The end of the interval was not seen: it was before the sample, and not by much. */
	if (pair_is_open(before)) {
		bool broken = is_broken(to, before->time, e->time);

		counts->ends++;
		counts->paired += !broken;
		counts->broken += broken;
		err = broken ? 0 : charge_pair(before, NULL, e->time, to);
	}
	charge.weight = before ? owed_until(before, e->time, to) : 0;
	if (err == 0)
		err = charge_part(to, &to->pairing->parts[PART_BETWEEN], &charge);
	*between_of(e) = (struct pair_between){ .sampled = 1, .lost = e->lost };
	e->behind = e->node;
	return err < 0 ? err : 1;
}

/* @e is open, or runs from now on; what is owed by then goes on. */
static void go_on(struct deferred_event *e, const struct deferred_event *before,
		  struct settlement *to)
{
	struct pair_between *b = between_of(e);

	*b = (struct pair_between){ .lost = e->lost };
	e->behind = e->node;
	if (!before)
		return;
	b->owed = owed_until(before, e->time, to);
	if (between_of(before)->sampled || !e->node) {
		b->sampled = between_of(before)->sampled;
		b->lost = between_of(before)->lost;
		e->behind = before->behind;
	}
}

/* Of those that have one: 0. */
static uint32_t size_of(const struct deferred_event *e, const struct settlement *to)
{
	return to->pairing->rule.has_lines ? pair_more_of(e)->size : 0;
}

static int settle_start(struct deferred_event *e, const struct deferred_event *before,
			struct settlement *to)
{
	/* More are not in each other: ends were missed. */
	enum { INNER_MOST = 64 };

	if (to->pairing->rule.nested && pair_is_open(before) &&
	    pair_more_of(before)->inner < INNER_MOST &&
	    !is_broken(to, before->time, e->time)) {
		to->target.pairs->inner++;
		pair_stay(e, before, to);
		pair_more_of(e)->inner++;
		return 1;
	}
	to->target.pairs->starts++;
	if (to->pairing->rule.has_between)
		go_on(e, before, to);
	if (!pair_is_open(before))
		return 1;
	if (to->pairing->rule.has_lines && pair_line_takes(e, before, to))
		return pair_line_join(e, to);
	if (to->pairing->rule.first && !(e->what >> PAIR_LINE_SHIFT)) {
		uint32_t size = size_of(e, to);

		to->target.pairs->restarted++;
		pair_stay(e, before, to);
		/* What has joined it since is in what is said of it now. */
		if (size > size_of(e, to))
			pair_more_of(e)->size = size;
		return 1;
	}
	to->target.pairs->restarted +=
		to->pairing->rule.has_lines ? pair_line_drop(before, to) : 1;
	return 1;
}

static int settle_wake(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;
	struct pair_more mark = *pair_more_of(e), *opened;
	uint64_t woken = e->time;
	uint32_t behind = 0;
	uint8_t lost = e->lost;
	bool cut = e->cut;
	int err = 0;

	counts->wakes++;
	if (!pair_is_open(before) || pair_more_of(before)->woken) {
		counts->not_waited += !pair_is_open(before);
		counts->woken_again += pair_is_open(before);
		return pair_stay(e, before, to);
	}
	/* A chain goes on behind whoever wakes one that counts, be it one that does not. */
	if (to->pairing->rule.stack == PAIR_STACK_CHAIN ||
	    (to->pairing->rule.stack == PAIR_STACK_OFFWAKE && !before->lost))
		err = make_suffix(e, before, to, &behind);
	pair_stay(e, before, to);
	if (!to->pairing->rule.has_between)
		e->behind = behind;
	e->cut |= err > 0 || cut;
	if (!e->lost)
		e->lost = lost;
	opened = pair_more_of(e);
	opened->woken = woken ? woken : 1;
	for (uint32_t i = 0; i < to->pairing->value_count; i++)
		if (to->pairing->values[i].role == ROLE_WAKE)
			opened->values[i] = mark.values[i];
	return err < 0 ? err : 1;
}

/* What an object holds goes to its stack. */
static int charge_object(const struct deferred_event *e, uint64_t until,
			 struct settlement *to)
{
	struct charge charge = { .weight = (uint64_t)pair_more_of(e)->values[0],
				 .node = e->node,
				 .lost = e->lost,
				 .cut = e->cut,
				 .from = e->time,
				 .until = e->time };
	uint64_t made_from = e->time, made_until = e->time;
	int err;

	if (!charge.lost && !(filters_pass_duration(to->filters, until - e->time) &&
			      find_piece(to, &made_from, &made_until)))
		charge.lost = LOST_FILTER + 1;
	err = weight_charge_settled(to, &charge);
	return err < 0 ? err : 0;
}

/* Has its process become another program since? */
static bool was_left(const struct deferred_event *object, const struct settlement *to)
{
	const struct deferred_event *left =
		deferred_queue_find(&to->target.deferred[DEFERRED_PAIRS],
				    pair_more_of(object)->woken, object->input);

	return left && pair_role_of(left) == ROLE_LEAVE && left->time >= object->time;
}

static int settle_object(struct deferred_event *e, const struct deferred_event *before,
			 struct settlement *to)
{
	const struct deferred_event *end =
		deferred_queue_find(&to->target.deferred[DEFERRED_PAIRS],
				    (uint64_t)pair_more_of(e)->values[1], e->input);
	int err = 0;

	/* Of a call inside of another one, or one that has failed, there is none. */
	if (!end || pair_role_of(end) != ROLE_END || end->position != e->position ||
	    !pair_more_of(end)->values[0])
		return pair_stay(e, before, to);
	to->target.pairs->objects++;
	/* Its release was not seen: the address would not be given out again. */
	if (before && !was_left(before, to)) {
		to->target.pairs->reused++;
		if (to->pairing->rule.open == PAIR_OPEN_COUNT)
			err = charge_object(before, e->time, to);
	}
	e->node = end->node;
	e->lost = end->lost;
	e->cut = end->cut;
	pair_more_of(e)->values[0] = pair_more_of(end)->values[0];
	return err < 0 ? err : 1;
}

/* A call is over that has taken an object, unless it has failed. What has the object's key since it began is
 * somebody else's, for what it has taken may be given out before it returns. */
static int release_taken(const struct deferred_event *start,
			 const struct deferred_event *end, struct settlement *to)
{
	struct deferred_queue *q = &to->target.deferred[DEFERRED_PAIRS];
	uint64_t key = pair_more_of(start)->woken;
	const struct deferred_event *object = deferred_queue_find(q, key, start->input);
	bool asked = false;
	int err = 0;

	for (uint32_t i = 0; i < to->pairing->value_count; i++)
		asked |= to->pairing->values[i].role == ROLE_START &&
			 pair_more_of(start)->values[i];
	if (asked && !pair_more_of(end)->values[0])
		return 0;
	to->target.pairs->releases++;
	if (!object || object->time > start->time ||
	    (object->time == start->time && object->position > start->position))
		return 0;
	to->target.pairs->released++;
	if (to->pairing->rule.open != PAIR_OPEN_REPORT)
		err = charge_object(object, end->time, to);
	deferred_queue_drop(q, key, start->input);
	return err;
}

static int settle_end(struct deferred_event *e, const struct deferred_event *before,
		      struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;
	bool chain = to->pairing->rule.stack == PAIR_STACK_CHAIN;
	bool lines = to->pairing->rule.has_lines && pair_is_open(before);
	const struct deferred_event *first = before;
	int err;

	if (lines)
		before = pair_line_next(first, to);
	/* A part of it has ended. */
	if (lines && pair_more_of(e)->woken && size_of(e, to) < size_of(before, to)) {
		counts->moves++;
		return pair_line_move(e, first, to);
	}

	if (to->pairing->rule.nested && pair_is_open(before) &&
	    pair_more_of(before)->inner) {
		counts->inner++;
		pair_stay(e, before, to);
		pair_more_of(e)->inner--;
		return 1;
	}
	counts->ends++;
	if (to->pairing->rule.has_between) {
		go_on(e, before, to);
		e->what = ROLE_SAMPLE;
	}
	if (!pair_is_open(before)) {
		counts->unopened++;
		return to->pairing->rule.has_between || pair_stay(e, before, to);
	}
	if (is_broken(to, before->time, e->time)) {
		counts->broken++;
		return lines ? pair_line_leave(e, first, before, to)
			     : to->pairing->rule.has_between;
	}
	counts->paired++;
	counts->without_waker += to->pairing->has_wakes && !pair_more_of(before)->woken;
	if (to->pairing->rule.has_objects) {
		uint64_t weight =
			weigh_pair(&to->pairing->weight, before, e, e->time, to);

		/* It stays as what its object is to know. */
		if (to->pairing->rule.stack == PAIR_STACK_START)
			e->node = before->node;
		if (before->lost)
			e->lost = before->lost;
		e->cut |= before->cut;
		pair_more_of(e)->values[0] = (int64_t)weight;
		err = pair_more_of(before)->woken ? release_taken(before, e, to) : 0;
		return err < 0 ? err : 1;
	}
	err = to->pairing->rule.open == PAIR_OPEN_REPORT
		      ? 0
		      : charge_pair(before, e, e->time, to);
	if (err < 0 || to->pairing->rule.has_between)
		return err < 0 ? err : 1;
	if (lines)
		return pair_line_leave(e, first, before, to);
	if (!chain)
		return 0;
	pair_stay(e, before, to);
	e->what = ROLE_END;
	return 1;
}

static int settle_pair(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	struct pair_counts *counts = to->target.pairs;

	switch (pair_role_of(e)) {
	case ROLE_START:
		return settle_start(e, before, to);
	case ROLE_WAKE:
		return settle_wake(e, before, to);
	case ROLE_END:
		return settle_end(e, before, to);
	case ROLE_RELEASE:
		counts->releases++;
		counts->released += before != NULL;
		return before && to->pairing->rule.open != PAIR_OPEN_REPORT
			       ? charge_object(before, e->time, to)
			       : 0;
	case ROLE_LEAVE:
		return 1;
	case ROLE_MOVE:
		counts->moves++;
		return pair_is_open(before) ? pair_line_move(e, before, to)
					    : pair_stay(e, before, to);
	case PAIR_OBJECT:
		return settle_object(e, before, to);
	case ROLE_SAMPLE:
		return settle_sample(e, before, to);
	default:
		counts->cancels++;
		if (to->pairing->rule.has_lines && pair_is_open(before) &&
		    pair_role_of(e) == ROLE_FORGET) {
			counts->cancelled += pair_line_drop(before, to);
			return 0;
		}
		counts->cancelled += pair_is_open(before);
		if (to->pairing->rule.has_lines && pair_is_open(before))
			return pair_line_leave(e, before, pair_line_next(before, to), to);
		if (to->pairing->rule.has_between && before) {
			int err =
				charge_owed(before, owed_until(before, e->time, to), to);

			return err;
		}
		/* Who is preempted was woken by the same one as before. */
		return pair_role_of(e) == ROLE_CANCEL && !pair_is_open(before)
			       ? pair_stay(e, before, to)
			       : 0;
	}
}

int pairing_end(struct settlement *to, uint64_t last)
{
	struct deferred_queue *q = &to->target.deferred[DEFERRED_PAIRS];
	int err = 0;

	for (size_t i = 0; i < deferred_queue_open(q) && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_open_at(q, i);
		uint64_t until = last > e->time ? last : e->time;
		bool object = e->what == PAIR_OBJECT;

		if (to->pairing->rule.has_between) {
			bool counts = to->pairing->rule.open == PAIR_OPEN_COUNT;

			err = charge_owed(e,
					  counts ? owed_until(e, until, to)
						 : between_of(e)->owed,
					  to);
		}
		if ((!pair_is_open(e) && !object) || err < 0)
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

#define PAIR_KIND(size)                                                                  \
	{                                                                                \
		.name = "events that are paired", .fields = (size),                      \
		.of_one_input = true, .open_is_claimed = true, .settles_early = true,    \
		.key = pair_key_of, .settle = settle_pair,                               \
	}

const struct deferred_kind pair_kinds[PAIR_KINDS] = {
	PAIR_KIND(sizeof(struct pair_event)),
	PAIR_KIND(sizeof(struct pair_event) + sizeof(struct pair_more)),
	PAIR_KIND(sizeof(struct pair_event) + sizeof(struct pair_more) +
		  sizeof(struct pair_between)),
};
