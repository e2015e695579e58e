#include "process/process.h"

#include <errno.h>

#include "process/classify.h"
#include "process/maps.h"

enum {
	NONE = UINT32_MAX,
	ANCESTORS_MOST =
		1024, /* forks looked through for a map; only hostile files have more */
	SWAPPER = 0,
	EXEC_MAPS = 3, /* those an exec makes: the program, its interpreter, the vdso */
};

/* Where the kernel's half of the addresses begins. */
#define KERNEL_HALF (1ull << 63)

/* A while in which a process had one address space: from a fork or exec to the next. */
struct address_space {
	uint64_t from;
	uint32_t parent; /* whose maps it began with, or NONE */
	uint32_t parent_maps; /* how many of them there were */
	uint32_t before; /* the space that an exec ended, or NONE */
	uint32_t epoch; /* its epochs are this + the number of its maps */
	struct maps maps;
};

struct process {
	ARRAY(uint32_t) spaces; /* in time order */
	bool forked_by_perf; /* and has not got a name of its own yet */
};

struct name_at {
	uint64_t time;
	uint32_t name, label;
};

struct thread {
	ARRAY(struct name_at) names; /* in time order */
};

struct processes {
	struct images *images;
	struct intern *strings;
	struct classifier *classifier;
	bool comm_exec;
	ARRAY(struct address_space) spaces;
	ARRAY(struct process) list;
	ARRAY(struct thread) threads;
	struct hash_map by_pid, by_tid; /* index in list, in threads */
	struct maps kernel;
	uint32_t kernel_map; /* the first in it of the kernel proper, or NONE */
};

static int set_name(struct processes *ps, uint32_t tid, uint64_t time, uint32_t name);

int processes_new(struct context *ctx, const struct recording *rec, struct images *images,
		  struct intern *strings, struct processes **ret)
{
	struct processes *ps = calloc(1, sizeof(*ps));
	uint32_t swapper;

	if (!ps)
		return fail_memory(ctx);
	ps->images = images;
	ps->strings = strings;
	ps->comm_exec = rec->comm_exec;
	ps->kernel_map = NONE;
	if (classifier_new(rec, images, strings, &ps->classifier) < 0 ||
	    intern_add(strings, "swapper", 7, &swapper) < 0 ||
	    set_name(ps, SWAPPER, 0, swapper) < 0) {
		processes_free(ps);
		return fail_memory(ctx);
	}
	*ret = ps;
	return 0;
}

void processes_free(struct processes *ps)
{
	if (!ps)
		return;
	for (size_t i = 0; i < ps->spaces.count; i++)
		maps_release(&ps->spaces.v[i].maps);
	for (size_t i = 0; i < ps->list.count; i++)
		array_release(&ps->list.v[i].spaces);
	for (size_t i = 0; i < ps->threads.count; i++)
		array_release(&ps->threads.v[i].names);
	array_release(&ps->spaces);
	array_release(&ps->list);
	array_release(&ps->threads);
	hash_map_release(&ps->by_pid);
	hash_map_release(&ps->by_tid);
	maps_release(&ps->kernel);
	classifier_free(ps->classifier);
	free(ps);
}

static struct process *get_process(struct processes *ps, uint32_t pid)
{
	uint32_t *index = hash_map_get(&ps->by_pid, pid);

	if (index)
		return &ps->list.v[*index];
	if (!array_reserve(&ps->list, 1) ||
	    !hash_map_set(&ps->by_pid, pid, (uint32_t)ps->list.count))
		return NULL;
	return array_add(&ps->list);
}

static const struct process *find_process(const struct processes *ps, uint32_t pid)
{
	const uint32_t *index = hash_map_get(&ps->by_pid, pid);

	return index ? &ps->list.v[*index] : NULL;
}

static const struct thread *find_thread(const struct processes *ps, uint32_t tid)
{
	const uint32_t *index = hash_map_get(&ps->by_tid, tid);

	return index ? &ps->threads.v[*index] : NULL;
}

static struct address_space *begin_space(struct processes *ps, struct process *p,
					 uint64_t time)
{
	struct address_space *space = NULL;
	uint32_t *slot;

	if (array_reserve(&p->spaces, 1))
		space = array_add(&ps->spaces);
	if (!space)
		return NULL;
	space->from = time;
	space->parent = space->before = NONE;
	slot = array_add(&p->spaces);
	*slot = (uint32_t)ps->spaces.count - 1;
	return space;
}

/* A process that is first heard of by a map or a name was always there. */
static struct address_space *newest_space(struct processes *ps, uint32_t pid)
{
	struct process *p = get_process(ps, pid);

	if (!p)
		return NULL;
	if (!p->spaces.count)
		return begin_space(ps, p, 0);
	return &ps->spaces.v[*array_last(&p->spaces)];
}

static int add_map(struct maps *maps, const struct record *rec, uint32_t image,
		   uint64_t shift)
{
	struct map *map;
	uint64_t end;

	if (__builtin_add_overflow(rec->start, rec->size, &end))
		end = UINT64_MAX;
	if (end == rec->start)
		return 0;
	map = array_add(&maps->list);
	if (!map)
		return -ENOMEM;
	*map = (struct map){ rec->time, rec->start, end, shift, image };
	return 0;
}

static int apply_map(struct processes *ps, const struct record *rec)
{
	struct address_space *space;
	struct classified found;

	/* Guests are never looked up with maps of the host, nor the other way round. */
	if (rec->mode == MODE_GUEST_KERNEL || rec->mode == MODE_GUEST_USER)
		return 0;
	if (classify_map(ps->classifier, rec, &found) < 0)
		return -ENOMEM;
	if (found.of_kernel) {
		if (ps->kernel_map == NONE &&
		    ps->images->list.v[found.image].kind == IMAGE_KERNEL && rec->size)
			ps->kernel_map = (uint32_t)ps->kernel.list.count;
		return add_map(&ps->kernel, rec, found.image, found.shift);
	}
	space = newest_space(ps, rec->pid);
	return space ? add_map(&space->maps, rec, found.image, found.shift) : -ENOMEM;
}

static int apply_ksymbol(struct processes *ps, const struct record *rec)
{
	uint32_t image = IMAGE_ID_UNKNOWN;

	if (!rec->gone && classify_ksymbol(ps->classifier, rec, &image) < 0)
		return -ENOMEM;
	return add_map(&ps->kernel, rec, image, 0);
}

/* The text with '_' for spaces: a name must not end a field of folded text. */
static int label_of(struct processes *ps, uint32_t name, uint32_t *ret)
{
	const char *text = intern_text(ps->strings, name);
	size_t size = strlen(text);
	char *copy;
	int err;

	if (!memchr(text, ' ', size)) {
		*ret = name;
		return 0;
	}
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		if (copy[i] == ' ')
			copy[i] = '_';
	err = intern_add(ps->strings, copy, size, ret);
	free(copy);
	return err;
}

static int set_name(struct processes *ps, uint32_t tid, uint64_t time, uint32_t name)
{
	uint32_t *index = hash_map_get(&ps->by_tid, tid);
	struct thread *thread;
	struct name_at *at;
	uint32_t label;

	if (label_of(ps, name, &label) < 0)
		return -ENOMEM;
	if (!index) {
		if (!array_add(&ps->threads) ||
		    !hash_map_set(&ps->by_tid, tid, (uint32_t)ps->threads.count - 1))
			return -ENOMEM;
		index = hash_map_get(&ps->by_tid, tid);
	}
	thread = &ps->threads.v[*index];
	at = array_add(&thread->names);
	if (!at)
		return -ENOMEM;
	*at = (struct name_at){ time, name, label };
	return 0;
}

static bool is_exec(const struct processes *ps, const struct process *p,
		    const struct record *rec)
{
	return rec->exec || (!ps->comm_exec && p->forked_by_perf && rec->pid == rec->tid);
}

static int begin_program(struct processes *ps, struct process *p, uint64_t time)
{
	uint32_t before = *array_last(&p->spaces);
	struct address_space *space = begin_space(ps, p, time);

	if (!space)
		return -ENOMEM;
	space->before = before;
	return 0;
}

static int apply_comm(struct processes *ps, const struct record *rec)
{
	struct process *p = get_process(ps, rec->pid);

	if (!p || !newest_space(ps, rec->pid))
		return -ENOMEM;
	p = get_process(ps, rec->pid);
	if (is_exec(ps, p, rec) && begin_program(ps, p, rec->time) < 0)
		return -ENOMEM;
	p->forked_by_perf = false;
	return set_name(ps, rec->tid, rec->time, rec->name);
}

static const struct name_at *newest_name(const struct processes *ps, uint32_t tid)
{
	const struct thread *t = find_thread(ps, tid);

	return t && t->names.count ? array_last(&t->names) : NULL;
}

/* Refers to what the parent had; one without maps of its own passes its parent on. */
static void inherit(struct processes *ps, struct address_space *child, uint32_t ppid)
{
	const struct process *parent = find_process(ps, ppid);
	uint32_t index;

	if (!parent || !parent->spaces.count)
		return;
	index = *array_last(&parent->spaces);
	if (&ps->spaces.v[index] == child)
		return;
	child->parent = index;
	child->parent_maps = (uint32_t)ps->spaces.v[index].maps.list.count;
	if (child->parent_maps)
		return;
	child->parent_maps = ps->spaces.v[index].parent_maps;
	child->parent = ps->spaces.v[index].parent;
}

static int apply_fork(struct processes *ps, const struct record *rec)
{
	const struct name_at *name = newest_name(ps, rec->ptid);
	struct address_space *space;
	struct process *p;

	if (rec->pid != rec->ppid) {
		p = get_process(ps, rec->pid);
		space = p ? begin_space(ps, p, rec->time) : NULL;
		if (!space)
			return -ENOMEM;
		if (!rec->no_clone)
			inherit(ps, space, rec->ppid);
		p->forked_by_perf = name && strncmp(intern_text(ps->strings, name->name),
						    "perf", 4) == 0;
	}
	return name ? set_name(ps, rec->tid, rec->time, name->name) : 0;
}

static int apply_exit(struct processes *ps, const struct record *rec)
{
	/* Nothing ends: late samples still want the maps, and a new process with the
	 * same pid begins with its own FORK. */
	(void)ps;
	(void)rec;
	return 0;
}

int processes_apply(struct processes *ps, const struct record *rec)
{
	static int (*const apply[])(struct processes * ps, const struct record *rec) = {
		[RECORD_MMAP] = apply_map,	  [RECORD_COMM] = apply_comm,
		[RECORD_EXIT] = apply_exit,	  [RECORD_FORK] = apply_fork,
		[RECORD_KSYMBOL] = apply_ksymbol,
	};

	if (rec->type >= sizeof(apply) / sizeof(*apply) || !apply[rec->type])
		return 0;
	return apply[rec->type](ps, rec);
}

/* Epoch 0 is that of a process nothing is known of. */
int processes_finish(struct processes *ps)
{
	uint64_t epoch = 1;

	for (size_t i = 0; i < ps->spaces.count; i++) {
		ps->spaces.v[i].epoch = (uint32_t)epoch;
		epoch += ps->spaces.v[i].maps.list.count + 1;
	}
	return epoch <= UINT32_MAX ? 0 : -ENOMEM;
}

/* How many of a process's spaces began at or before @time. */
static size_t spaces_at(const struct processes *ps, const struct process *p,
			uint64_t time)
{
	size_t low = 0, high = p->spaces.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ps->spaces.v[p->spaces.v[middle]].from <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Narrows @ret to the while around @time in which no map was added. */
static size_t between_maps(const struct maps *maps, uint64_t time, struct space *ret)
{
	size_t n = maps_at(maps, time);

	if (n > 0 && maps->list.v[n - 1].time > ret->from)
		ret->from = maps->list.v[n - 1].time;
	if (n < maps->list.count && maps->list.v[n].time < ret->until)
		ret->until = maps->list.v[n].time;
	return n;
}

void processes_space(const struct processes *ps, uint32_t pid, uint64_t time,
		     struct space *ret)
{
	const struct process *p = find_process(ps, pid);
	const struct address_space *space;
	size_t n;

	*ret = (struct space){ .index = NONE, .until = UINT64_MAX };
	if (!p)
		return;
	n = spaces_at(ps, p, time);
	if (n < p->spaces.count)
		ret->until = ps->spaces.v[p->spaces.v[n]].from;
	if (n == 0)
		return;
	ret->index = p->spaces.v[n - 1];
	space = &ps->spaces.v[ret->index];
	ret->from = space->from;
	ret->epoch = space->epoch + (uint32_t)between_maps(&space->maps, time, ret);
}

void processes_kernel_space(const struct processes *ps, uint64_t time, struct space *ret)
{
	*ret = (struct space){ .index = NONE, .until = UINT64_MAX };
	ret->epoch = (uint32_t)between_maps(&ps->kernel, time, ret);
}

static void place_in(const struct map *map, uint64_t ip, struct place *ret)
{
	ret->image = map->image;
	ret->address = ip + map->shift;
}

/* Through the first @n maps of a space and then those of its parents. */
static bool place_through(const struct processes *ps, uint32_t index, size_t n,
			  uint64_t ip, struct place *ret)
{
	for (int i = 0; index != NONE && i < ANCESTORS_MOST; i++) {
		struct address_space *at = &ps->spaces.v[index];
		const struct map *map = maps_find(&at->maps, n, ip);

		if (map) {
			place_in(map, ip, ret);
			return true;
		}
		n = at->parent_maps;
		index = at->parent;
	}
	return false;
}

bool processes_place(const struct processes *ps, const struct space *space, uint64_t ip,
		     struct place *ret)
{
	if (space->index == NONE)
		return false;
	return place_through(ps, space->index,
			     space->epoch - ps->spaces.v[space->index].epoch, ip, ret);
}

bool processes_place_before_exec(const struct processes *ps, const struct space *space,
				 uint64_t ip, struct place *ret)
{
	const struct address_space *at;

	if (space->index == NONE)
		return false;
	at = &ps->spaces.v[space->index];
	if (at->before == NONE || space->epoch - at->epoch > EXEC_MAPS)
		return false;
	return place_through(ps, at->before, ps->spaces.v[at->before].maps.list.count, ip,
			     ret);
}

bool processes_kernel_place(const struct processes *ps, const struct space *space,
			    uint64_t ip, struct place *ret)
{
	struct maps *maps = (struct maps *)&ps->kernel;
	const struct map *map = maps_find(maps, space->epoch, ip);

	if (!map && ip >= KERNEL_HALF && ps->kernel_map != NONE &&
	    ps->kernel_map < space->epoch)
		map = &ps->kernel.list.v[ps->kernel_map];
	if (map)
		place_in(map, ip, ret);
	return map;
}

/* How many of a thread's names it had got by @time. */
static size_t names_at(const struct thread *t, uint64_t time)
{
	size_t low = 0, high = t->names.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->names.v[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool name_of(const struct processes *ps, uint32_t tid, uint64_t time,
		    struct comm *ret)
{
	const struct thread *t = find_thread(ps, tid);
	size_t n;

	if (!t)
		return false;
	n = names_at(t, time);
	if (n < t->names.count && t->names.v[n].time < ret->until)
		ret->until = t->names.v[n].time;
	if (n == 0)
		return false;
	if (t->names.v[n - 1].time > ret->from)
		ret->from = t->names.v[n - 1].time;
	ret->name = t->names.v[n - 1].name;
	ret->label = t->names.v[n - 1].label;
	return true;
}

void processes_comm(const struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time,
		    struct comm *ret)
{
	*ret = (struct comm){ .until = UINT64_MAX };
	if (!name_of(ps, tid, time, ret))
		name_of(ps, pid, time, ret);
}
