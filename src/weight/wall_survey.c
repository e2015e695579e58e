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

/* A thread, by the first event that tells something of it. */
struct surveyed {
	uint64_t time, position; /* of the first event that says whether it runs */
	uint64_t born, born_time; /* index of its fork, + 1; 0: none */
	uint64_t named_time, named_position; /* when its process was */
	uint64_t group;
	uint32_t tid, pid;
	bool seen, ran; /* there is such an event; the thread has run before it */
	bool counts; /* a filter has let pass something of it */
};

/* It takes memory in proportion to what is queued, which has been asked for: twice of what that is. */
struct survey {
	ARRAY(struct surveyed) threads;
	struct hash_map by_tid;
	uint64_t begin;
	enum wall_source source;
};

static struct surveyed *survey_thread(struct survey *s, uint32_t tid)
{
	const uint32_t *index = hash_map_get(&s->by_tid, tid);
	struct surveyed *thread;

	if (index)
		return &s->threads.v[*index];
	if (!hash_map_set(&s->by_tid, tid, (uint32_t)s->threads.count))
		return NULL;
	thread = array_add(&s->threads);
	if (thread) {
		*thread = (struct surveyed){ .tid = tid };
		thread->named_time = thread->named_position = UINT64_MAX;
	}
	return thread;
}

static bool is_earlier(const struct deferred_event *e, uint64_t time, uint64_t position)
{
	return e->time < time || (e->time == time && e->position < position);
}

static int survey_event(struct survey *s, const struct deferred_event *e, size_t index)
{
	const struct wall_event *said = wall_event_of(e);
	uint64_t begin = e->time;
	struct surveyed *thread = survey_thread(s, said->tid);
	bool samples = e->what == WALL_TICK || e->what == WALL_SAMPLE;

	if (!thread)
		return -ENOMEM;
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
	if (e->what == WALL_BORN &&
	    (!thread->born || is_earlier(e, thread->born_time, 0))) {
		thread->born = index + 1;
		thread->born_time = e->time;
	}
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
static int tell_event(const struct survey *s, struct deferred_event *e, size_t index,
		      struct settlement *to)
{
	struct deferred_queue *state = &to->target.deferred[DEFERRED_WALL_STATE];
	struct wall_event *said = wall_event_of(e);
	const struct surveyed *thread =
		&s->threads.v[*hash_map_get(&s->by_tid, said->tid)];
	const struct deferred_event *known =
		deferred_queue_find(state, wall_key(KEPT_THREAD, said->tid), e->input);
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
	if (e->what == WALL_BORN && thread->born == index + 1 && thread->seen &&
	    thread->ran && !known && e->time <= thread->time)
		e->what = WALL_STARTS;
	/* Who was forked meanwhile begins then. */
	if (!first || (thread->born && thread->born_time <= thread->time))
		return 0;
	return wall_start_thread(to, e, s->begin);
}

int wall_survey(struct deferred_queue *q, struct settlement *to)
{
	struct survey s = { .begin = UINT64_MAX, .source = to->wall->source };
	size_t count = deferred_queue_count(q);
	int err = 0;

	to->target.deferred[DEFERRED_WALL_STATE].budget = q->budget;
	if (to->wall->weight != WALL_EXACT || to->wall->source == WALL_GUESS)
		return 0;
	for (size_t i = 0; i < count && err == 0; i++)
		err = survey_event(&s, deferred_queue_at(q, i), i);
	for (size_t i = 0; i < count && err == 0; i++)
		err = tell_event(&s, deferred_queue_at(q, i), i, to);
	array_release(&s.threads);
	hash_map_release(&s.by_tid);
	return err;
}
