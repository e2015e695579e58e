/*
 * What is to be known of a batch of events before they are settled in order of time: whose a thread is that
 * others tell of by its number alone, and which threads run from the beginning.
 *
 *	switch-in of 7, sample of 7, ...     7 did not run before
 *	sample of 8, switch-out of 8         8 has run since the recording began, for nobody saw it come
 *	fork of 9, switch-out of 9           9 has run since it was forked
 *
 * Of a file the batch is all of it; of a stream a round, and threads of earlier rounds are known.
 */
#include <errno.h>
#include <stdlib.h>

#include "weight/weight.h"

/* A number is one thread's until it is forked anew, of another process perhaps. */
struct birth {
	uint64_t time, position;
	uint32_t tid;
};

/* A thread, by the first event that tells something of it. */
struct surveyed {
	uint64_t time, position; /* of the first event that says whether it runs */
	uint64_t named_time, named_position; /* when its process was */
	uint64_t group;
	uint32_t tid, pid;
	bool is_born; /* its fork is here, too */
	bool seen, ran; /* there is such an event; the thread has run before it */
	bool counts; /* a filter has let pass something of it */
};

/* It takes memory in proportion to what is queued, which has been asked for: twice of what that is. */
struct survey {
	ARRAY(struct surveyed) threads;
	struct hash_map by_birth;
	ARRAY(struct birth) births; /* by tid, then in order of time */
	uint64_t begin;
	enum wall_source source;
};

static int compare_births(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid > y->tid ? 1 : -1;
	if (x->time != y->time)
		return x->time > y->time ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

/* Which of all that have its number at some time: its last birth, + 1, above the number. */
static uint64_t birth_key(const struct survey *s, const struct deferred_event *e)
{
	struct birth now = { e->time, e->position, wall_event_of(e)->tid };
	size_t low = 0, high = s->births.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_births(&s->births.v[middle], &now) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low && s->births.v[low - 1].tid == now.tid ? (uint64_t)low << 32 : 0) |
	       now.tid;
}

static bool is_earlier(const struct deferred_event *e, uint64_t time, uint64_t position)
{
	return e->time < time || (e->time == time && e->position < position);
}

static int survey_event(struct survey *s, const struct deferred_event *e)
{
	const struct wall_event *said = wall_event_of(e);
	uint64_t begin = e->time, key = birth_key(s, e);
	const uint32_t *index = hash_map_get(&s->by_birth, key);
	struct surveyed *thread = index ? &s->threads.v[*index] : NULL;
	bool samples = e->what == WALL_TICK || e->what == WALL_SAMPLE;

	if (!thread) {
		if (!hash_map_set(&s->by_birth, key, (uint32_t)s->threads.count))
			return -ENOMEM;
		thread = array_add(&s->threads);
		if (!thread)
			return -ENOMEM;
		*thread = (struct surveyed){ .tid = said->tid,
					     .is_born = key >> 32,
					     .named_time = UINT64_MAX,
					     .named_position = UINT64_MAX };
	}
	if (e->what == WALL_TICK)
		begin -= said->period < begin ? said->period : begin;
	if (begin < s->begin)
		s->begin = begin;
	if (said->pid && is_earlier(e, thread->named_time, thread->named_position)) {
		thread->named_time = e->time;
		thread->named_position = e->position;
		thread->pid = said->pid;
	}
	if (samples && said->group && !thread->group)
		thread->group = said->group;
	/* No filter has seen records. */
	thread->counts |= (samples || e->what == WALL_STACK ||
			   (e->what == WALL_OUT && s->source == WALL_SWITCHES)) &&
			  !e->lost;
	if (!(samples || e->what == WALL_IN || e->what == WALL_OUT ||
	      e->what == WALL_EXEC || e->what == WALL_EXIT) ||
	    (thread->seen && !is_earlier(e, thread->time, thread->position)))
		return 0;
	thread->seen = true;
	thread->ran = samples || e->what == WALL_OUT;
	thread->time = e->time;
	thread->position = e->position;
	return 0;
}

/* Tells @e what is known of its thread, and what was of it before. */
static int tell_event(const struct survey *s, struct deferred_event *e,
		      struct settlement *to)
{
	struct deferred_queue *state = &to->target.deferred[DEFERRED_WALL_STATE];
	struct wall_event *said = wall_event_of(e);
	const struct surveyed *thread =
		&s->threads.v[*hash_map_get(&s->by_birth, birth_key(s, e))];
	/* Of an earlier batch. */
	const struct deferred_event *known =
		thread->is_born
			? NULL
			: deferred_queue_find(state, wall_key(KEPT_THREAD, said->tid),
					      e->input);
	const struct wall_thread *runs = known ? &wall_kept_of(known)->thread : NULL;
	bool first = thread->seen && thread->ran && !known && e->time == thread->time &&
		     e->position == thread->position;

	if (to->wall->scope == WALL_SELECTED && !thread->counts && !known) {
		e->what = WALL_NOTHING;
		return 0;
	}
	/* The set that it is counted in. */
	if (to->wall->scope == WALL_CGROUP && runs)
		said->group = runs->scope;
	else if (to->wall->scope == WALL_CGROUP && thread->group)
		said->group = hash_u64(thread->group);
	else if (to->wall->scope >= WALL_SELECTED)
		said->group = 0;
	else
		said->group = thread->pid ? thread->pid : runs ? runs->pid : thread->tid;
	said->pid = said->pid ? said->pid : thread->pid ? thread->pid : said->tid;
	if (e->what == WALL_BORN && thread->seen && thread->ran)
		e->what = WALL_STARTS;
	/* Who was forked meanwhile begins then. */
	return first && !thread->is_born ? wall_start_thread(to, e, s->begin) : 0;
}

int wall_survey(struct deferred_queue *q, struct settlement *to)
{
	struct survey s = { .begin = UINT64_MAX, .source = to->wall->source };
	size_t count = deferred_queue_count(q);
	int err = 0;

	to->target.deferred[DEFERRED_WALL_STATE].budget = q->budget;
	if (to->wall->weight != WALL_EXACT || to->wall->source == WALL_GUESS)
		return 0;
	for (size_t i = 0; i < count && err == 0; i++) {
		const struct deferred_event *e = deferred_queue_at(q, i);

		if (e->what != WALL_BORN)
			continue;
		if (array_reserve(&s.births, 1))
			s.births.v[s.births.count++] =
				(struct birth){ e->time, e->position,
						wall_event_of(e)->tid };
		else
			err = -ENOMEM;
	}
	if (s.births.count)
		qsort(s.births.v, s.births.count, sizeof(*s.births.v), compare_births);
	for (size_t i = 0; i < count && err == 0; i++)
		err = survey_event(&s, deferred_queue_at(q, i));
	for (size_t i = 0; i < count && err == 0; i++)
		err = tell_event(&s, deferred_queue_at(q, i), to);
	array_release(&s.threads);
	array_release(&s.births);
	hash_map_release(&s.by_birth);
	return err;
}
