/*
 * What a timeline may forget while it goes on: names and maps that later ones took the
 * place of, and processes that have ended a second ago. Samples of them are delivered
 * within two rounds, so nobody asks any more. A timeline of a file, which is asked in
 * any order, forgets nothing.
 */
#include <errno.h>

#include "process/timeline.h"

/*
 * A program that maps and maps again would fill a growing timeline. Maps are looked at
 * once they are twice as many as were left the last time, so each costs a bounded number
 * of looks.
 */
bool drop_covered(struct processes *ps, struct maps *maps, uint32_t *settled)
{
	if (ps->kind == PROCESSES_WHOLE || maps->list.count < MANY_MAPS ||
	    maps->list.count < 2 * (size_t)*settled)
		return false;
	maps_forget(maps, ps->forgotten);
	*settled = (uint32_t)maps->list.count;
	return true;
}

/* Drops the first @n names. */
static void drop_first_names(struct thread *t, size_t n)
{
	if (n == 0)
		return;
	memmove(t->names.v, t->names.v + n, (t->names.count - n) * sizeof(*t->names.v));
	t->names.count -= n;
}

/* A thread that names itself again and again would fill a growing timeline. */
void drop_names(struct processes *ps, struct thread *t)
{
	size_t n;

	if (ps->kind == PROCESSES_WHOLE || t->names.count < MANY_NAMES)
		return;
	n = thread_names_at(t, ps->forgotten);
	/* The last name that is not newer still holds at that time. */
	if (n > 1)
		drop_first_names(t, n - 1);
}

/* The maps of a space, their index, and what any space takes. */
static size_t space_size(const struct processes *ps, uint32_t index)
{
	enum { INDEXED = 2 };
	const struct address_space *space = &ps->spaces.v[index];

	return sizeof(*space) + INDEXED * space->maps.list.room * sizeof(struct map);
}

/* A space that an exec has ended waits for the next one, or for the exit. */
static size_t ended_size(const struct processes *ps, const struct record *rec,
			 uint32_t space)
{
	const struct thread *t = find_thread(ps, rec->tid);
	size_t size = sizeof(struct ended);

	if (t && rec->type == PERF_RECORD_EXIT)
		size += sizeof(*t) + t->names.room * sizeof(*t->names.v);
	if (space == NONE)
		return size;
	size += sizeof(struct process) + space_size(ps, space);
	if (rec->type == PERF_RECORD_EXIT && ps->spaces.v[space].before != NONE)
		size += space_size(ps, ps->spaces.v[space].before);
	return size;
}

static uint64_t thread_key(const struct record *rec)
{
	return (uint64_t)rec->pid << 32 | rec->tid;
}

void begin_threads(struct processes *ps, struct process *p)
{
	p->program = ++ps->programs;
	p->others = 0;
	p->first_ended = false;
}

/* The first thread is not counted: first_ended says of it. Another one may be told of by
 * its FORK and by a COMM, and counts once for each program. */
int note_thread(struct processes *ps, struct process *p, const struct record *rec)
{
	const uint32_t *of;

	if (ps->kind == PROCESSES_WHOLE || rec->pid == rec->tid)
		return 0;
	of = hash_map_get(&ps->others, thread_key(rec));
	if (of && *of == p->program)
		return 0;
	p->others++;
	return hash_map_set(&ps->others, thread_key(rec), p->program) ? 0 : -ENOMEM;
}

/* A thread of the program before an exec has another number and takes nothing off the
 * count. */
bool thread_was_last(struct processes *ps, struct process *p, const struct record *rec)
{
	const uint32_t *of = hash_map_get(&ps->others, thread_key(rec));

	if (rec->pid == rec->tid)
		p->first_ended = true;
	if (of && *of == p->program)
		p->others--;
	if (of)
		hash_map_remove(&ps->others, thread_key(rec));
	return p->first_ended && p->others == 0;
}

int note_ended(struct processes *ps, const struct record *rec, uint32_t space)
{
	struct ended *e;

	if (ps->kind == PROCESSES_WHOLE ||
	    (space == NONE && rec->type != PERF_RECORD_EXIT))
		return 0;
	e = array_add(&ps->ended);
	if (!e)
		return -ENOMEM;
	*e = (struct ended){ rec->time,
			     rec->pid,
			     rec->tid,
			     space,
			     rec->type == PERF_RECORD_EXIT,
			     ended_size(ps, rec, space) };
	ps->ended_size += e->size;
	return 0;
}

/* What lay at @index is gone; the next new one takes its slot. */
static int add_free_index(struct free_list *list, size_t index)
{
	uint32_t *slot = array_add(list);

	if (!slot)
		return -ENOMEM;
	*slot = (uint32_t)index;
	return 0;
}

/* The spaces of a process up to the one that has ended. */
static int drop_spaces(struct processes *ps, const struct ended *e)
{
	uint32_t *index = hash_map_get(&ps->by_pid, e->pid);
	struct process *p = index ? &ps->list.v[*index] : NULL;
	size_t n = 0;

	while (p && n < p->spaces.count && p->spaces.v[n] != e->space)
		n++;
	if (!p || n == p->spaces.count)
		return 0;
	n++;
	for (size_t i = 0; i < n; i++) {
		uint32_t gone = p->spaces.v[i];
		struct address_space *space = &ps->spaces.v[gone];

		maps_release(&space->maps);
		ranges_release(&space->code);
		jit_images_release(&space->jit);
		maps_release(&space->codes);
		claim_release(&space->claim);
		drop_jit_dumps(ps, gone);
		memset(space, 0, sizeof(*space));
		if (add_free_index(&ps->free_spaces, gone) < 0)
			return -ENOMEM;
	}
	p->spaces.count -= n;
	memmove(p->spaces.v, p->spaces.v + n, p->spaces.count * sizeof(*p->spaces.v));
	if (p->spaces.count) {
		/* The oldest that is left must not lead to one that is gone. */
		ps->spaces.v[p->spaces.v[0]].before = NONE;
		return 0;
	}
	/* Before hash_map_remove(), as @index points into the map. */
	n = *index;
	hash_map_remove(&ps->by_pid, e->pid);
	namespaces_drop(&ps->namespaces, e->pid);
	array_release(&p->spaces);
	memset(p, 0, sizeof(*p));
	return add_free_index(&ps->free_processes, n);
}

static int drop_ended_thread(struct processes *ps, const struct ended *e)
{
	uint32_t *index = hash_map_get(&ps->by_tid, e->tid);
	struct thread *t = index ? &ps->threads.v[*index] : NULL;
	size_t at;

	if (!t || e->tid == SWAPPER)
		return 0;
	/* Names from after its end are those of another thread that has got the number
	 * since. */
	drop_first_names(t, thread_names_at(t, e->time));
	if (t->names.count)
		return 0;
	at = *index;
	hash_map_remove(&ps->by_tid, e->tid);
	array_release(&t->names);
	return add_free_index(&ps->free_threads, at);
}

int processes_forget(struct processes *ps, uint64_t time)
{
	size_t n = 0;
	int err = 0;

	for (; n < ps->ended.count && err == 0; n++) {
		const struct ended *e = &ps->ended.v[n];

		/* For want of memory only what had ended at the last call goes: others may
		 * still have samples. */
		if (e->time >= time &&
		    (n >= ps->ended_before || ps->ended_size <= ENDED_MOST))
			break;
		ps->ended_size -= e->size;
		if (e->space != NONE)
			err = drop_spaces(ps, e);
		if (err == 0 && e->name)
			err = drop_ended_thread(ps, e);
	}
	ps->ended.count -= n;
	ps->ended_before = ps->ended.count;
	if (n)
		memmove(ps->ended.v, ps->ended.v + n,
			ps->ended.count * sizeof(*ps->ended.v));
	ps->version += n > 0;
	ps->forgotten = time;
	return err < 0 ? err : read_jit_dumps(ps);
}
