/*
 * Events in order of time become weights. A set of threads has W, the integral of dt/n, and each thread that
 * runs what W was when it was looked at last: what it is owed grows by the difference. Its next sample
 * gets that. A set in which nothing runs waits for who runs next:
 *
 *	A in    n 0 -> 1    the gap since the last one went out is of what A waited in
 *	B in    n 1 -> 2    W += dt / 1
 *	A tick  n 2         W += dt / 2, and A's sample weighs what A is owed
 *	A out   n 2 -> 1    W += dt / 2, A is owed the rest
 *
 * Threads are in a set or not, and are never counted up and down: one that goes out twice, for the record
 * between was lost, does so once, and is a repair.
 *
 * What is owed to a thread when it ends is its last sample's. One that had none leaves it to its set, whose
 * next samples stand for it, as far as their periods are longer than what their threads have run.
 */
#include <errno.h>

#include "weight/charge.h"
#include "weight/path.h"

/* Samples may come from within the switch itself, when its thread is out already. */
enum { SWITCH_NS = 20000 };

static struct deferred_queue *state_of(const struct settlement *to)
{
	return &to->target.deferred[DEFERRED_WALL_STATE];
}

static struct deferred_event *find_kept(const struct settlement *to,
					enum wall_kept_what what, uint64_t id,
					uint16_t input)
{
	return deferred_queue_find(state_of(to), wall_key(what, id), input);
}

/* It is kept from now on, zeroed. *@ret: NULL where there is no memory left for it. */
static int keep_new(struct settlement *to, enum wall_kept_what what, uint64_t id,
		    const struct deferred_event *of, struct deferred_event **ret)
{
	uint64_t room[(sizeof(*of) + sizeof(struct wall_kept)) / sizeof(uint64_t)] = {
		0
	};
	struct deferred_event *fresh = (void *)room;
	int err;

	fresh->time = of->time;
	fresh->input = of->input;
	fresh->what = (uint8_t)what;
	wall_kept_of(fresh)->key = wall_key(what, id);
	err = deferred_queue_open_one(state_of(to), fresh, ret);
	/* Of whom nothing is kept from now on, samples are in no weight. */
	if (!*ret)
		deferred_queue_leave_out(state_of(to), of->time);
	return err;
}

static int find_or_keep(struct settlement *to, enum wall_kept_what what, uint64_t id,
			const struct deferred_event *of, struct deferred_event **ret)
{
	*ret = find_kept(to, what, id, of->input);
	return *ret ? 0 : keep_new(to, what, id, of, ret);
}

/* A weight, and the CPU time that is in it. */
static int charge_scaled(struct settlement *to, struct charge charge, uint64_t cpu)
{
	int err = weight_charge(&to->target, &charge);

	/* What 64 bits cannot hold is of times that are damaged. */
	if (err > 0 && cpu && cpu < WEIGHT_IMPOSSIBLE - to->target.wall->cpu_time) {
		to->target.wall->cpu_time += cpu;
		err = trie_charge(to->target.trie, charge.node, to->wall->cpu, cpu);
	}
	return err < 0 ? err : 0;
}

static int charge_wall(struct settlement *to, struct charge charge, uint64_t cpu)
{
	/* A product that wraps could look possible. */
	if (charge.weight < WEIGHT_IMPOSSIBLE)
		charge.weight *= to->factor;
	return charge_scaled(to, charge, cpu);
}

/* On the stack of @node, or only the root of it, with a name on top. */
static int charge_named(struct settlement *to, uint32_t node, bool root_only,
			uint32_t name, struct charge charge)
{
	const struct trie *t = to->target.trie;
	struct path path = { 0 };
	int err = 0;

	while (root_only && node && t->nodes[node].parent)
		node = t->nodes[node].parent;
	if (charge.weight == 0)
		return 0;
	if (!charge.lost) {
		err = path_add_forward(&path, t, node);
		if (err == 0)
			err = path_add_name(&path, to->target.frames, name, 0);
		if (err == 0)
			err = path_stack(&path, &to->target, &charge.node);
		charge.cut |= err > 0;
		free(path.v);
	}
	return err < 0 ? err : charge_wall(to, charge, 0);
}

/* May a switch between the two be among what was not seen? */
static bool wall_is_broken(const struct settlement *to, uint64_t from, uint64_t until)
{
	return weight_is_broken(to->wall->rec, &to->target.deferred[DEFERRED_WALL], from,
				until);
}

/* W goes on to @time; while nothing runs it stands still, and a gap begins where it does. It stands still, too,
 * where that would be more than three days: nobody runs as long without a record, so a time is damaged, and
 * W has no room for it. */
static void advance(struct settlement *to, struct wall_set *set, uint64_t time)
{
	uint64_t elapsed, part;

	if (!set->running || time <= set->last)
		return;
	elapsed = time - set->last;
	set->last = time;
	if (elapsed >> (64 - WALL_FRACTION)) {
		to->target.wall->broken++;
		return;
	}
	part = (elapsed % set->running << WALL_FRACTION) + set->rest;
	set->integral += (elapsed / set->running << WALL_FRACTION) + part / set->running;
	set->rest = part % set->running;
}

/* What it has run since it was looked at last. */
static void catch_up(struct wall_thread *thread, const struct wall_set *set)
{
	if (thread->runs) {
		thread->owed += set->integral - thread->mark;
		thread->ran += set->last - thread->since;
	}
	thread->mark = set->integral;
	thread->since = set->last;
}

/* It may have gone out and come again meanwhile: nobody owes it that. */
static void forget_run(struct wall_thread *thread, const struct wall_set *set)
{
	thread->mark = set->integral;
	thread->since = set->last;
}

/* Nothing of the set has run from @from on until @thread does. */
static int charge_gap(struct settlement *to, struct deferred_event *set,
		      const struct deferred_event *thread, uint64_t from, uint64_t until)
{
	const struct wall_thread *ender = &wall_kept_of(thread)->thread;
	struct charge charge = { .weight = until - from,
				 .lost = thread->lost,
				 .cut = thread->cut,
				 .node = thread->node };
	uint64_t woken =
		ender->woken > from && ender->woken < until ? ender->woken : until;
	int err;

	if (until <= from)
		return 0;
	/* Something may have run. */
	if (wall_is_broken(to, from, until)) {
		to->target.wall->broken++;
		return 0;
	}
	to->target.wall->gap_time += charge.weight;
	/* Who was ready before the others stopped has not waited for anything else. */
	if (ender->runnable || (ender->woken && ender->woken <= from))
		woken = from;
	if (!thread->node && !set->node && !charge.lost) {
		wall_kept_of(set)->set.waited += charge.weight;
		return 0;
	}
	charge.weight = woken - from;
	if (charge.weight && thread->node)
		err = charge_wall(to, charge, 0);
	else
		err = charge_named(to, set->node, true, to->wall->waiting, charge);
	charge.weight = until - woken;
	if (err == 0)
		err = charge_named(to, thread->node ? thread->node : set->node,
				   !thread->node, to->wall->runqueue, charge);
	return err;
}

/* The thread of an event, if there is one, and the set that it is in, or would be. */
struct party {
	struct deferred_event *thread, *set;
};

static struct party find_party(const struct settlement *to,
			       const struct deferred_event *e)
{
	const struct wall_event *said = wall_event_of(e);
	struct party x = { .thread = find_kept(to, KEPT_THREAD, said->tid, e->input) };

	/* A number that another process has now: its thread was not seen to end. */
	x.set = find_kept(to, KEPT_SET,
			  x.thread ? wall_kept_of(x.thread)->thread.scope : said->group,
			  e->input);
	return x;
}

/* A thread is known from now on, and does not run yet. @x->thread: NULL where there is no memory for it. */
static int meet_thread(struct settlement *to, const struct deferred_event *e,
		       struct party *x)
{
	const struct wall_event *said = wall_event_of(e);
	struct deferred_event *process, *next;
	struct wall_thread *thread;
	struct wall_set *set;
	uint32_t *first;
	int err;

	if (x->thread)
		return 0;
	err = find_or_keep(to, KEPT_SET, said->group, e, &x->set);
	if (!x->set)
		return err;
	err = keep_new(to, KEPT_THREAD, said->tid, e, &x->thread);
	/* The array may have moved. */
	x->set = find_kept(to, KEPT_SET, said->group, e->input);
	if (!x->thread)
		return err;
	thread = &wall_kept_of(x->thread)->thread;
	thread->tid = said->tid;
	thread->pid = said->pid;
	thread->scope = said->group;
	set = &wall_kept_of(x->set)->set;
	set->threads++;
	set->has_first |= said->tid == said->pid;
	/* An exec ends the other threads of its process, and has to find them. Which is no matter of memory: one
	 * that has none for the list goes on. */
	err = find_or_keep(to, KEPT_THREADS, said->pid, e, &process);
	*x = find_party(to, e);
	if (!process)
		return err;
	first = &wall_kept_of(process)->first;
	next = *first ? find_kept(to, KEPT_THREAD, *first, e->input) : NULL;
	if (next) {
		wall_kept_of(next)->thread.before = said->tid;
		wall_kept_of(x->thread)->thread.next = *first;
	}
	*first = said->tid;
	return 0;
}

/* From @time on. */
static int begin_to_run(struct settlement *to, struct party *x, uint64_t time)
{
	struct wall_thread *thread = &wall_kept_of(x->thread)->thread;
	struct wall_set *set = &wall_kept_of(x->set)->set;
	int err = 0;

	if (set->running == 0 && set->last && time > set->last)
		err = charge_gap(to, x->set, x->thread, set->last, time);
	if (set->running)
		advance(to, set, time);
	else if (time > set->last)
		set->last = time;
	x->thread->node = 0;
	thread->mark = set->integral;
	thread->since = set->last;
	thread->runs = true;
	thread->runnable = false;
	thread->woken = 0;
	set->running++;
	return err;
}

static void stop_to_run(const struct settlement *to, struct party *x)
{
	struct wall_thread *thread = &wall_kept_of(x->thread)->thread;
	struct wall_set *set = &wall_kept_of(x->set)->set;

	if (thread->runs && wall_is_broken(to, thread->since, set->last)) {
		to->target.wall->broken++;
		forget_run(thread, set);
	}
	catch_up(thread, set);
	if (thread->runs)
		set->running--;
	thread->runs = false;
	thread->left = set->last;
	thread->woken = 0;
}

/* Its last sample gets what it is owed, or its set does. */
static int settle_rest(struct settlement *to, struct party *x)
{
	struct wall_thread *thread = &wall_kept_of(x->thread)->thread;
	struct wall_set *set = &wall_kept_of(x->set)->set;
	struct charge charge = { .weight = thread->owed >> WALL_FRACTION,
				 .node = x->thread->behind,
				 .lost = x->thread->lost,
				 .cut = x->thread->cut };
	uint64_t ran = thread->ran;

	if (!charge.node && !charge.lost) {
		set->pool += thread->owed;
		set->pool_ran += ran;
		thread->owed = thread->ran = 0;
		return 0;
	}
	set->pool += thread->owed & ((1 << WALL_FRACTION) - 1);
	thread->owed = thread->ran = 0;
	return charge.weight ? charge_wall(to, charge, ran) : 0;
}

/* What its threads have left is in the picture as far as its name is known. */
static int settle_pool(struct settlement *to, const struct deferred_event *e)
{
	const struct wall_set *set = &wall_kept_of(e)->set;
	/* Parts of ns that threads have left are one ns in the end. */
	struct charge charge = { .weight = (set->pool + (1 << (WALL_FRACTION - 1))) >>
					   WALL_FRACTION };

	if (e->node)
		return charge_named(to, e->node, true, to->wall->unsampled, charge);
	to->target.wall->unplaced += charge.weight + set->waited;
	return 0;
}

/* Its number may be another one's from now on, which has not waited since this one ended. */
static int drop_set(struct settlement *to, const struct deferred_event *set)
{
	int err = settle_pool(to, set);

	if (err < 0)
		return err;
	deferred_queue_drop(state_of(to), wall_kept_of(set)->key, set->input);
	return 0;
}

/* The last one of a process takes its set along, unless the first one was never seen: that may be
 * alive, and wait for the others. */
static int drop_thread(struct settlement *to, const struct deferred_event *e,
		       struct party *x)
{
	const struct wall_thread thread = wall_kept_of(x->thread)->thread;
	const struct wall_set *set = &wall_kept_of(x->set)->set;
	struct deferred_event *process, *before, *next;
	bool is_last =
		to->wall->scope <= WALL_CGROUP && set->threads == 1 && set->has_first;
	int err;

	stop_to_run(to, x);
	err = settle_rest(to, x);
	wall_kept_of(x->set)->set.threads--;
	if (err < 0)
		return err;
	/* Those of its process are a list. */
	process = find_kept(to, KEPT_THREADS, thread.pid, e->input);
	before = thread.before ? find_kept(to, KEPT_THREAD, thread.before, e->input)
			       : NULL;
	next = thread.next ? find_kept(to, KEPT_THREAD, thread.next, e->input) : NULL;
	if (next)
		wall_kept_of(next)->thread.before = thread.before;
	if (before)
		wall_kept_of(before)->thread.next = thread.next;
	else if (process && wall_kept_of(process)->first == thread.tid)
		wall_kept_of(process)->first = thread.next;
	if (process && !wall_kept_of(process)->first)
		deferred_queue_drop(state_of(to), wall_kept_of(process)->key, e->input);
	deferred_queue_drop(state_of(to), wall_key(KEPT_THREAD, thread.tid), e->input);
	x->thread = NULL;
	return is_last ? drop_set(to, x->set) : 0;
}

/* A sample is of a stack of the set, whose root has also what no stack is known of: by the name that it has
 * at that time. */
static int learn_stack(struct settlement *to, struct deferred_event *set,
		       const struct deferred_event *e)
{
	struct wall_set *of = &wall_kept_of(set)->set;
	struct charge charge = { .weight = of->waited };

	if (!e->node || e->lost)
		return 0;
	set->node = e->node;
	of->waited = 0;
	return charge_named(to, e->node, true, to->wall->waiting, charge);
}

static int settle_wall_sample(struct settlement *to, const struct deferred_event *e,
			      struct party *x)
{
	const struct wall_event *said = wall_event_of(e);
	struct wall_thread *thread;
	struct wall_set *set;
	struct charge charge = { .node = e->node, .lost = e->lost, .cut = e->cut };
	uint64_t owed = 0, ran = 0, from = e->time;
	bool broken;
	int err;

	to->target.wall->samples++;
	err = x->set ? learn_stack(to, x->set, e) : 0;
	if (!x->thread) {
		/* On its way out of the system it counts no more. */
		weight_sum_damaged(to->target.sum, state_of(to)->refused);
		return err;
	}
	if (err < 0)
		return err;
	set = &wall_kept_of(x->set)->set;
	thread = &wall_kept_of(x->thread)->thread;
	x->thread->lost = e->lost;
	if (!thread->runs && !(thread->left && e->time - thread->left < SWITCH_NS)) {
		/* Nobody saw it come. Where nothing else ran, it did for its period. */
		to->target.wall->repairs++;
		if (!set->running && e->what == WALL_TICK)
			from = said->period < e->time ? e->time - said->period : 0;
		err = begin_to_run(to, x, from > set->last ? from : set->last);
	}
	broken = thread->runs && wall_is_broken(to, thread->since, e->time);
	to->target.wall->broken += broken;
	advance(to, set, e->time);
	if (broken && e->what != WALL_TICK)
		forget_run(thread, set);
	catch_up(thread, set);
	/* What the sample says itself is not lost: it has run for a period. */
	if (broken && e->what == WALL_TICK && thread->ran > said->period) {
		thread->owed = (uint64_t)((unsigned __int128)thread->owed * said->period /
					  thread->ran);
		thread->ran = said->period;
	}
	owed = thread->owed;
	ran = thread->ran;
	if (e->what == WALL_TICK && set->pool && !e->lost) {
		/* What threads that are gone have left: as much as the sample's period says
		 * more than its own has run. */
		uint64_t lack = said->period > ran ? said->period - ran : 0,
			 part = set->pool;

		if (lack < set->pool_ran)
			part = (uint64_t)((unsigned __int128)part * lack / set->pool_ran);
		else
			lack = set->pool_ran;
		owed += part;
		ran += lack;
		set->pool -= part;
		set->pool_ran -= lack;
	}
	charge.weight = owed >> WALL_FRACTION;
	thread->owed = owed & ((1 << WALL_FRACTION) - 1);
	thread->ran = 0;
	if (!e->lost)
		x->thread->behind = e->node;
	/* It began to run just now: nothing is its own yet. */
	return err < 0 || (charge.weight == 0 && ran == 0) ? err
							   : charge_wall(to, charge, ran);
}

static int settle_in(struct settlement *to, const struct deferred_event *e,
		     struct party *x)
{
	int err = meet_thread(to, e, x);
	struct wall_thread *thread;

	if (err < 0 || !x->thread)
		return err;
	thread = &wall_kept_of(x->thread)->thread;
	to->target.wall->switches++;
	if (thread->runs) {
		to->target.wall->repairs++;
		if (!wall_is_broken(to, thread->since, e->time)) {
			advance(to, &wall_kept_of(x->set)->set, e->time);
			return 0;
		}
		/* It went out, which was lost: it has not run since it was seen last. */
		thread->runs = false;
		wall_kept_of(x->set)->set.running--;
	}
	return begin_to_run(to, x, e->time);
}

static int settle_out(struct settlement *to, const struct deferred_event *e,
		      struct party *x)
{
	const struct wall_event *said = wall_event_of(e);
	struct wall_thread *thread;
	int err = 0;

	/* The last switch of one that has ended: all others are known from what is before it. */
	if (!x->thread)
		return 0;
	thread = &wall_kept_of(x->thread)->thread;
	if (e->what == WALL_OUT) {
		to->target.wall->switches++;
		to->target.wall->repairs += !thread->runs;
		advance(to, &wall_kept_of(x->set)->set, e->time);
		stop_to_run(to, x);
	}
	/* Of a switch's record the call chain came before it. */
	if (e->what == WALL_STACK || to->wall->source == WALL_SWITCHES) {
		/* Its process alone is no stack. */
		x->thread->node = to->target.trie->nodes[e->node].parent ? e->node : 0;
		x->thread->cut = e->cut;
		x->thread->lost = e->lost;
		err = learn_stack(to, x->set, e);
	}
	thread->runnable = said->period == WALL_RUNNABLE;
	if (err == 0 && e->what == WALL_OUT && said->period == WALL_DEAD)
		err = drop_thread(to, e, x);
	return err;
}

/* Of a process that begins another program only one thread is left, which has the first one's number. */
static int settle_exec(struct settlement *to, const struct deferred_event *e,
		       struct party *x)
{
	const struct wall_event *said = wall_event_of(e);
	const struct deferred_event *process;
	int err = meet_thread(to, e, x);

	if (err < 0 || !x->thread)
		return err;
	if (!wall_kept_of(x->thread)->thread.runs)
		err = begin_to_run(to, x, e->time);
	/* What was before is the other program's. */
	advance(to, &wall_kept_of(x->set)->set, e->time);
	catch_up(&wall_kept_of(x->thread)->thread, &wall_kept_of(x->set)->set);
	if (err == 0)
		err = settle_rest(to, x);
	x->thread->behind = x->set->node = 0;
	process = find_kept(to, KEPT_THREADS, said->pid, e->input);
	for (uint32_t tid = process ? wall_kept_of(process)->first : 0, next;
	     tid && err == 0; tid = next) {
		struct party gone = { .thread =
					      find_kept(to, KEPT_THREAD, tid, e->input) };
		const struct wall_thread *thread = &wall_kept_of(gone.thread)->thread;

		next = thread->next;
		if (tid == said->tid)
			continue;
		gone.set = find_kept(to, KEPT_SET, thread->scope, e->input);
		advance(to, &wall_kept_of(gone.set)->set, e->time);
		err = drop_thread(to, e, &gone);
	}
	return err;
}

int wall_start_thread(struct settlement *to, const struct deferred_event *of,
		      uint64_t time)
{
	struct party x = find_party(to, of);
	int err = meet_thread(to, of, &x);

	if (err < 0 || !x.thread || wall_kept_of(x.thread)->thread.runs)
		return err;
	return begin_to_run(to, &x, time);
}

/* Its number is no other one's any more, and as the first one of a process that of no other process. */
static int settle_fork(struct settlement *to, const struct deferred_event *e,
		       struct party *x)
{
	const struct wall_event *said = wall_event_of(e);
	int err = 0;

	if (x->thread) {
		to->target.wall->repairs++;
		advance(to, &wall_kept_of(x->set)->set, e->time);
		err = drop_thread(to, e, x);
	}
	if (to->wall->scope == WALL_PROCESS && said->tid == said->pid) {
		x->set = find_kept(to, KEPT_SET, said->group, e->input);
		if (err == 0 && x->set && !wall_kept_of(x->set)->set.threads)
			err = drop_set(to, x->set);
	}
	return err < 0 || e->what == WALL_BORN ? err : wall_start_thread(to, e, e->time);
}

/* As perf counts (tools/perf/util/machine.c, since 6.15): one runs from the start, and who ends does
 * not go out before. */
static int settle_instant(struct settlement *to, const struct deferred_event *e)
{
	const struct wall *wall = to->wall;
	const struct wall_event *said = wall_event_of(e);
	struct charge charge = { .node = e->node, .lost = e->lost, .cut = e->cut };
	struct deferred_event *all = find_kept(to, KEPT_SET, 0, e->input);
	int32_t *level;
	uint64_t divisor;

	if (!all) {
		int err = keep_new(to, KEPT_SET, 0, e, &all);
		if (!all) {
			weight_sum_damaged(to->target.sum, 1);
			return err;
		}
		wall_kept_of(all)->set.level = 1;
	}
	level = &wall_kept_of(all)->set.level;
	to->target.wall->switches += e->what == WALL_IN || e->what == WALL_OUT;
	*level += (e->what == WALL_IN) - (e->what == WALL_OUT) - (e->what == WALL_EXIT);
	if (e->what != WALL_TICK && e->what != WALL_SAMPLE)
		return 0;
	to->target.wall->samples++;
	divisor = *level < 1 ? 1 : (uint64_t)*level;
	if (wall->processors && divisor > wall->processors)
		divisor = wall->processors;
	/* Rounded as perf does, in its unit. */
	charge.weight = said->period;
	if (charge.weight < WEIGHT_IMPOSSIBLE / to->factor)
		charge.weight = charge.weight * to->factor / divisor;
	return charge_scaled(to, charge, e->what == WALL_TICK ? said->period : 0);
}

/* Nobody tells of switches: a processor runs what it was sampled in last, unless that is too long ago. */
static int settle_guess(struct settlement *to, const struct deferred_event *e)
{
	const struct wall_event *said = wall_event_of(e);
	struct charge charge = { .node = e->node, .lost = e->lost, .cut = e->cut };
	struct deferred_event *kept;
	struct wall_kept *own;
	uint64_t scope = to->wall->scope >= WALL_SELECTED ? 0 : said->pid, level = 0,
		 weight;
	int err;

	if (e->what != WALL_TICK && e->what != WALL_SAMPLE)
		return 0;
	to->target.wall->samples++;
	if (e->lost && to->wall->scope == WALL_SELECTED) {
		/* What runs there now is none of those that share. */
		kept = find_kept(to, KEPT_PROCESSOR, said->group & UINT32_MAX, e->input);
		if (kept)
			wall_kept_of(kept)->processor.until = 0;
		charge.weight = said->period;
		return charge_wall(to, charge, 0);
	}
	/* From here on what is kept stays where it is. */
	deferred_queue_open(state_of(to));
	err = find_or_keep(to, KEPT_PROCESSOR, said->group & UINT32_MAX, e, &kept);
	if (!kept) {
		weight_sum_damaged(to->target.sum, 1);
		return err;
	}
	own = wall_kept_of(kept);
	own->processor.scope = scope;
	if (__builtin_add_overflow(e->time, 1000 * (said->group >> 32),
				   &own->processor.until))
		own->processor.until = UINT64_MAX;
	for (size_t i = 0; i < deferred_queue_open(state_of(to)); i++) {
		const struct deferred_event *other =
			deferred_queue_open_at(state_of(to), i);

		level += other->input == e->input &&
			 wall_kept_of(other)->processor.scope == scope &&
			 wall_kept_of(other)->processor.until >= e->time;
	}
	weight = said->period + own->processor.rest;
	charge.weight = weight / level;
	own->processor.rest = weight % level;
	return charge_wall(to, charge, e->what == WALL_TICK ? said->period : 0);
}

static int settle_wall(struct deferred_event *e, const struct deferred_event *before,
		       struct settlement *to)
{
	struct party x;

	(void)before;
	if (to->wall->weight == WALL_INSTANT)
		return settle_instant(to, e);
	if (to->wall->source == WALL_GUESS)
		return settle_guess(to, e);
	/* The idle thread is in no set. */
	if (e->what == WALL_NOTHING || !wall_event_of(e)->tid)
		return 0;
	x = find_party(to, e);
	switch (e->what) {
	case WALL_BORN:
	case WALL_STARTS:
		return settle_fork(to, e, &x);
	case WALL_IN:
		return settle_in(to, e, &x);
	case WALL_OUT:
	case WALL_STACK:
		return settle_out(to, e, &x);
	case WALL_EXEC:
		return settle_exec(to, e, &x);
	case WALL_EXIT:
		if (!x.thread)
			return 0;
		advance(to, &wall_kept_of(x.set)->set, e->time);
		return drop_thread(to, e, &x);
	case WALL_WOKEN:
		if (x.thread && !wall_kept_of(x.thread)->thread.runs &&
		    !wall_kept_of(x.thread)->thread.woken)
			wall_kept_of(x.thread)->thread.woken = e->time;
		return 0;
	default:
		return settle_wall_sample(to, e, &x);
	}
}

int wall_end(struct settlement *to)
{
	struct deferred_queue *q = state_of(to);
	int err = 0;

	if (to->wall->weight != WALL_EXACT || to->wall->source == WALL_GUESS)
		return 0;
	for (size_t i = 0; i < deferred_queue_open(q) && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_open_at(q, i);
		struct party x;

		if (e->what != KEPT_THREAD)
			continue;
		x.thread =
			find_kept(to, KEPT_THREAD, wall_kept_of(e)->thread.tid, e->input);
		x.set = find_kept(to, KEPT_SET, wall_kept_of(e)->thread.scope, e->input);
		stop_to_run(to, &x);
		err = settle_rest(to, &x);
	}
	for (size_t i = 0; i < deferred_queue_open(q) && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_open_at(q, i);

		if (e->what == KEPT_SET)
			err = settle_pool(to, e);
	}
	return err;
}

static uint64_t key_of_events(const struct deferred_event *e)
{
	(void)e;
	return 0;
}

/* What is kept is never queued. */
static int settle_state(struct deferred_event *e, const struct deferred_event *before,
			struct settlement *to)
{
	(void)e;
	(void)before;
	(void)to;
	return 0;
}

static uint64_t key_of_kept(const struct deferred_event *e)
{
	return wall_kept_of(e)->key;
}

const struct deferred_kind wall_kind = {
	.name = "switches between threads",
	.fields = sizeof(struct wall_event),
	.of_one_input = true,
	.begin = wall_survey,
	.key = key_of_events,
	.settle = settle_wall,
};

const struct deferred_kind wall_state_kind = {
	.name = "threads that run",
	.fields = sizeof(struct wall_kept),
	.of_one_input = true,
	.open_is_claimed = true,
	.key = key_of_kept,
	.settle = settle_state,
};
