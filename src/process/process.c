/*
 * Records come in time order, so each change is appended to a list that is sorted by
 * time, and a question is a bisection. A table has a function for each type of record. A
 * fork copies no maps: the child's space refers to the first n of its parent's. An exec
 * begins a new space; older kernels do not say which COMM is one, and then the first one
 * of a child that perf has forked counts.
 *
 * A growing timeline drops what has ended, so nobody may refer to another's maps there:
 * a child gets copies, and items of lists that were dropped are used again.
 */
#include "process/process.h"

#include <errno.h>

#include "process/classify.h"
#include "process/timeline.h"

/* Copies of maps that a child may begin with: those of a few processes, and as many more for
 * each record. A process of many maps that forks all the time would take the square of them. */
enum {
	COPIES_FREE = 1 << 20,
	COPIES_A_RECORD = 4096,
	MAP_MEMORY = 3 * sizeof(struct map), /* with room and index */
	SOME_MAPS = 16,
	/* A process, a space, a thread, or something of the kernel's, with room and what finds it. */
	ITEM_MEMORY = 2 * sizeof(struct address_space),
	SOME_ITEMS = 256,
	RECORD_ITEMS = 4, /* that one record can make, at the most */
};

static int set_name(struct processes *ps, uint32_t tid, uint64_t time, uint32_t name);

int processes_new(struct context *ctx, const struct recording *rec, struct images *images,
		  enum processes_kind kind, struct processes **ret)
{
	struct processes *ps = calloc(1, sizeof(*ps));
	uint32_t swapper;

	if (!ps)
		return fail_memory(ctx);
	ps->kind = kind;
	ps->rec = rec;
	ps->images = images;
	ps->strings = images->strings;
	ps->comm_exec = rec->comm_exec;
	ps->kernel_map = NONE;
	ps->copies_left = COPIES_FREE;
	if (classifier_new(rec, images, &ps->classifier) < 0 ||
	    intern_add(ps->strings, "swapper", 7, &swapper) < 0 ||
	    set_name(ps, SWAPPER, 0, swapper) < 0) {
		processes_free(ps);
		return fail_memory(ctx);
	}
	*ret = ps;
	return 0;
}

void processes_label_as_printed(struct processes *ps)
{
	ps->as_printed = true;
}

void processes_free(struct processes *ps)
{
	if (!ps)
		return;
	for (size_t i = 0; i < ps->spaces.count; i++) {
		maps_release(&ps->spaces.v[i].maps);
		ranges_release(&ps->spaces.v[i].code);
		jit_images_release(&ps->spaces.v[i].jit);
		maps_release(&ps->spaces.v[i].codes);
		claim_release(&ps->spaces.v[i].claim);
	}
	for (size_t i = 0; i < ps->list.count; i++)
		array_release(&ps->list.v[i].spaces);
	for (size_t i = 0; i < ps->threads.count; i++)
		array_release(&ps->threads.v[i].names);
	array_release(&ps->ended);
	array_release(&ps->dumps);
	array_release(&ps->free_spaces);
	array_release(&ps->free_processes);
	array_release(&ps->free_threads);
	array_release(&ps->spaces);
	array_release(&ps->list);
	array_release(&ps->threads);
	hash_map_release(&ps->by_pid);
	hash_map_release(&ps->by_tid);
	hash_map_release(&ps->others);
	namespaces_release(&ps->namespaces);
	hash_map_release(&ps->cgroups);
	maps_release(&ps->kernel);
	classifier_free(ps->classifier);
	claim_release(&ps->claim);
	free(ps);
}

/* A zeroed item: one that is free, or a new one. NULL without memory. */
#define take_item(items, free)                                                           \
	((free)->count ? &(items)->v[(free)->v[--(free)->count]] : array_add(items))

static struct process *ensure_process(struct processes *ps, uint32_t pid)
{
	uint32_t *index = hash_map_get(&ps->by_pid, pid);

	return index ? &ps->list.v[*index] : NULL;
}

static struct process *get_process(struct processes *ps, uint32_t pid)
{
	struct process *p = ensure_process(ps, pid);

	if (p)
		return p;
	p = take_item(&ps->list, &ps->free_processes);
	if (!p || !hash_map_set(&ps->by_pid, pid, (uint32_t)(p - ps->list.v)))
		return NULL;
	return p;
}

static struct address_space *begin_space(struct processes *ps, struct process *p,
					 uint64_t time)
{
	struct address_space *space = NULL;
	uint32_t *slot;

	/* The slot is reserved first: a space that was taken and has no owner would never
	 * be dropped. */
	if (array_reserve(&p->spaces, 1))
		space = take_item(&ps->spaces, &ps->free_spaces);
	if (!space)
		return NULL;
	space->epoch = space->layout = ++ps->epochs;
	space->from = time;
	space->parent = space->before = NONE;
	slot = array_add(&p->spaces);
	*slot = (uint32_t)(space - ps->spaces.v);
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

/*
 * Does a new map lie where code was, of the space or of those that it began with? Code
 * that the parent has from jitdumps is in no range, so it may lie anywhere. A wrong yes
 * is allowed: answers that were kept are asked for again.
 */
static bool is_over_code(const struct processes *ps, const struct address_space *space,
			 const struct map *map)
{
	for (int i = 0; i < NEAR_ANCESTORS; i++) {
		if (ranges_overlap(&space->code, map->start, map->end))
			return true;
		if (space->parent == NONE)
			return false;
		if (space->parent_codes)
			return true;
		space = &ps->spaces.v[space->parent];
	}
	return true;
}

void lay_out(struct processes *ps, struct address_space *space, struct map *map)
{
	if (map->executable || is_over_code(ps, space, map))
		space->layout = map->epoch;
	map->layout = space->layout;
	if (map->executable)
		ranges_add(&space->code, map->start, map->end);
}

static int add_map_record(struct processes *ps, struct maps *maps,
			  const struct record *rec, uint32_t image, uint64_t shift)
{
	struct map *map;
	uint64_t end;

	/* A hostile size: such a map ends where addresses end. An empty one is left out,
	 * as the index of maps.c needs a byte at least of each. */
	if (__builtin_add_overflow(rec->start, rec->size, &end))
		end = UINT64_MAX;
	if (end == rec->start)
		return 0;
	map = array_add(&maps->list);
	if (!map)
		return -ENOMEM;
	*map = (struct map){ rec->time,	   rec->start,	    end, shift, image,
			     ++ps->epochs, rec->executable, 0 };
	return 0;
}

/* The first map from @first on in which the kernel proper lies. */
static uint32_t find_kernel_map(const struct processes *ps, size_t first)
{
	for (size_t i = first; i < ps->kernel.list.count; i++)
		if (ps->images->list.v[ps->kernel.list.v[i].image].kind == IMAGE_KERNEL)
			return (uint32_t)i;
	return NONE;
}

static int add_kernel_map(struct processes *ps, const struct record *rec, uint32_t image,
			  uint64_t shift)
{
	size_t before;
	int err;

	/* Dropping moves the maps that stay, so the kernel's own has to be looked for
	 * again. */
	if (drop_covered(ps, &ps->kernel, &ps->kernel_settled))
		ps->kernel_map = find_kernel_map(ps, 0);
	before = ps->kernel.list.count;
	err = add_map_record(ps, &ps->kernel, rec, image, shift);
	/* Those before it are none: of many symbols each would look at all. */
	if (ps->kernel_map == NONE)
		ps->kernel_map = find_kernel_map(ps, before);
	return err;
}

static struct jit_origin origin_of(const struct processes *ps, const struct record *rec)
{
	const struct process *p = find_process(ps, rec->pid);
	const struct namespace_id *ids = processes_namespaces(ps, rec->pid, rec->time);

	return (struct jit_origin){
		.started = p && p->spaces.count
				   ? ps->spaces.v[*array_last(&p->spaces)].from
				   : 0,
		.seen = rec->time,
		.pid_namespace = ids ? ids[NAMESPACE_PID].ino : 0,
	};
}

static struct budget *budget_of(const struct processes *ps)
{
	return ps->images->dirs ? ps->images->dirs->budget : NULL;
}

/* Where what is read has an end, its records have asked. */
static bool allow_map(struct processes *ps, struct address_space *space)
{
	struct budget *budget = budget_of(ps);

	if (ps->kind == PROCESSES_WHOLE || space->maps.list.count < space->maps_allowed)
		return true;
	if (!claim_add_part(&space->claim, budget, BUDGET_NAMES,
			    SOME_MAPS * MAP_MEMORY)) {
		budget_refuse(budget, "maps", "processes that live");
		return false;
	}
	space->maps_allowed += SOME_MAPS;
	return true;
}

/* Places are used again, so that there are never more than were there at once. */
static bool allow_items(struct processes *ps)
{
	size_t free_items =
		ps->free_spaces.count + ps->free_processes.count + ps->free_threads.count;
	size_t items = ps->spaces.count + ps->list.count + ps->threads.count +
		       ps->kernel.list.count + ps->cgroups.count - free_items;

	if (ps->kind == PROCESSES_WHOLE || items + RECORD_ITEMS <= ps->items_allowed)
		return true;
	if (!claim_add_part(&ps->claim, budget_of(ps), BUDGET_NAMES,
			    SOME_ITEMS * ITEM_MEMORY)) {
		budget_refuse(budget_of(ps), "records", "processes that live");
		return false;
	}
	ps->items_allowed += SOME_ITEMS;
	return true;
}

/* A map came that no memory is left for: what was at its ends before is not there any more. All that
 * may lie between would take looking at each map. */
static void unmap(struct processes *ps, struct maps *maps, const struct record *rec)
{
	const uint64_t ends[] = { rec->start,
				  rec->start + (rec->size ? rec->size - 1 : 0) };
	size_t count = maps->list.count;

	for (size_t i = 0; i < 2; i++) {
		const struct map *map = maps_find(maps, count, ends[i]);

		if (!map || map->image == IMAGE_ID_UNKNOWN)
			continue;
		/* Answers that were kept end here: the newest map begins a while that
		 * nobody has seen. */
		maps->list.v[map - maps->list.v].image = IMAGE_ID_UNKNOWN;
		array_last(&maps->list)->epoch = array_last(&maps->list)->layout =
			++ps->epochs;
	}
}

static int apply_map(struct processes *ps, const struct record *rec)
{
	struct jit_origin origin = origin_of(ps, rec);
	struct address_space *space;
	struct classified found;
	size_t maps;

	/* Guests are never looked up with maps of the host, nor the other way round. */
	if (rec->mode == MODE_GUEST_KERNEL || rec->mode == MODE_GUEST_USER)
		return 0;
	if (classify_map(ps->classifier, rec, &origin, &found) < 0)
		return -ENOMEM;
	if (found.of_kernel)
		return add_kernel_map(ps, rec, found.image, found.shift);
	/* Runtimes write their map late, and a pid must not come back to life by that. */
	if (rec->code && !find_process(ps, rec->pid))
		return 0;
	space = newest_space(ps, rec->pid);
	if (!space)
		return -ENOMEM;
	if (rec->code && !ps->images->as_perf)
		return add_map_line(ps, space, rec, found.image);
	/* The map of the file goes on to say what the addresses are. */
	if (is_moved_text(ps, space, rec))
		return 0;
	/* Before the budget is asked: what is dropped makes room below the limit. */
	drop_covered(ps, &space->maps, &space->settled);
	if (!allow_map(ps, space)) {
		unmap(ps, &space->maps, rec);
		return 0;
	}
	maps = space->maps.list.count;
	if (add_map_record(ps, &space->maps, rec, found.image, found.shift) < 0 ||
	    jit_images_map(&space->jit, ps->images, found.image) < 0)
		return -ENOMEM;
	if (space->maps.list.count > maps)
		lay_out(ps, space, array_last(&space->maps.list));
	if (is_jit_mark(ps, rec))
		return add_jit_dump(ps, space, rec, &origin);
	return rejoin_moved_text(ps, space);
}

/* As nothing is ever removed, code that is gone becomes a map of nothing over its
 * addresses. */
static int apply_ksymbol(struct processes *ps, const struct record *rec)
{
	uint32_t image = IMAGE_ID_UNKNOWN;

	if (!rec->gone && classify_ksymbol(ps->classifier, rec, &image) < 0)
		return -ENOMEM;
	return add_kernel_map(ps, rec, image, 0);
}

static int set_name(struct processes *ps, uint32_t tid, uint64_t time, uint32_t name)
{
	uint32_t *index = hash_map_get(&ps->by_tid, tid);
	struct thread *thread;
	struct name_at *at;
	uint32_t label;

	if (label_of(ps, tid, name, &label) < 0)
		return -ENOMEM;
	thread = index ? &ps->threads.v[*index]
		       : take_item(&ps->threads, &ps->free_threads);
	if (!thread || (!index && !hash_map_set(&ps->by_tid, tid,
						(uint32_t)(thread - ps->threads.v))))
		return -ENOMEM;
	drop_names(ps, thread);
	at = array_add(&thread->names);
	if (!at)
		return -ENOMEM;
	*at = (struct name_at){ time, name, label };
	return 0;
}

static int apply_comm(struct processes *ps, const struct record *rec)
{
	struct process *p = get_process(ps, rec->pid);
	struct address_space *space;
	uint32_t before;

	if (!p || !newest_space(ps, rec->pid))
		return -ENOMEM;
	p = get_process(ps, rec->pid);
	/*
	 * Recordings with comm_exec say of a COMM whether it is an exec. In others a child
	 * that perf has forked keeps perf's name until its exec, so the first name of its
	 * own is that of the program.
	 */
	if (rec->exec || (!ps->comm_exec && p->forked_by_perf && rec->pid == rec->tid)) {
		before = *array_last(&p->spaces);
		space = begin_space(ps, p, rec->time);
		if (!space)
			return -ENOMEM;
		space->before = before;
		begin_threads(ps, p);
		/* The space that the exec ends stays until the next exec, as
		 * processes_locate_before_exec() looks into it. What may go now is the one
		 * before that. */
		if (note_ended(ps, rec, ps->spaces.v[before].before) < 0)
			return -ENOMEM;
	}
	p->forked_by_perf = false;
	if (note_thread(ps, p, rec) < 0)
		return -ENOMEM;
	return set_name(ps, rec->tid, rec->time, rec->name);
}

/* A process that may be dropped is referred to by nobody: its children have copies. */
static int copy_maps(struct processes *ps, struct address_space *child,
		     const struct address_space *parent)
{
	size_t all = parent->maps.list.count, count = all;
	size_t codes = maps_at(&parent->codes, child->from);
	struct budget *budget = budget_of(ps);

	/* The newest ones. Those above copies_left are counted for processes_maps_cut();
	 * what the budget refuses, that says itself. */
	if (count > ps->copies_left) {
		ps->copies_cut += count - ps->copies_left;
		count = (size_t)ps->copies_left;
	}
	if (!claim_add_part(&child->claim, budget, BUDGET_NAMES, count * MAP_MEMORY)) {
		budget_refuse(budget, "maps", "processes that were forked");
		count = 0;
	}
	ps->copies_left -= count;
	child->maps_allowed = count;
	if (!array_reserve(&child->maps.list, count))
		return -ENOMEM;
	for (size_t i = all - count; i < all; i++) {
		struct map *map = array_add(&child->maps.list);

		*map = parent->maps.list.v[i];
		map->image = jit_images_forked(&child->jit, map->image);
		/*
		 * The child's list begins now, as maps_at() bisects it by time, and each
		 * map gets an epoch of its own, because no two whiles may have the same
		 * one.
		 */
		map->time = child->from;
		map->epoch = ++ps->epochs;
		lay_out(ps, child, map);
	}
	if (!array_reserve(&child->codes.list, codes))
		return -ENOMEM;
	for (size_t i = 0; i < codes; i++)
		*array_add(&child->codes.list) = parent->codes.list.v[i];
	return jit_images_settle(&child->jit);
}

/* The child has what its parent had, or refers to it. */
static int inherit(struct processes *ps, struct address_space *child, uint32_t ppid,
		   uint32_t pid)
{
	const struct process *p = find_process(ps, ppid);
	const struct address_space *parent;

	if (!p || !p->spaces.count)
		return 0;
	parent = &ps->spaces.v[*array_last(&p->spaces)];
	if (parent == child)
		return 0;
	if (jit_images_fork(&child->jit, &parent->jit, ps->images, pid) < 0)
		return -ENOMEM;
	if (ps->kind == PROCESSES_GROWING)
		return copy_maps(ps, child, parent);
	child->parent = *array_last(&p->spaces);
	child->parent_maps = (uint32_t)parent->maps.list.count;
	/* All code is known when its dump is found: some came after the fork. */
	child->parent_codes = (uint32_t)maps_at(&parent->codes, child->from);
	if (child->parent_maps)
		return 0;
	/* One without maps of its own passes its parent on. */
	child->parent_maps = parent->parent_maps;
	child->parent_codes = parent->parent_codes;
	child->parent = parent->parent;
	return 0;
}

static int apply_fork(struct processes *ps, const struct record *rec)
{
	const struct thread *t = find_thread(ps, rec->ptid);
	const struct name_at *name = t && t->names.count ? array_last(&t->names) : NULL;
	struct address_space *space;
	struct process *p;

	if (rec->pid != rec->ppid) {
		p = get_process(ps, rec->pid);
		space = p ? begin_space(ps, p, rec->time) : NULL;
		if (!space)
			return -ENOMEM;
		if (!rec->no_clone && inherit(ps, space, rec->ppid, rec->pid) < 0)
			return -ENOMEM;
		if (namespaces_fork(&ps->namespaces, rec->ppid, rec->pid, rec->time) < 0)
			return -ENOMEM;
		p->forked_by_perf = name && strncmp(intern_text(ps->strings, name->name),
						    "perf", 4) == 0;
		begin_threads(ps, p);
	} else if ((p = ensure_process(ps, rec->pid)) && note_thread(ps, p, rec) < 0) {
		return -ENOMEM;
	}
	return name ? set_name(ps, rec->tid, rec->time, name->name) : 0;
}

/* In a whole timeline nothing ends: late samples still want the maps, and a new process
 * with the same pid begins with its own FORK. */
static int apply_exit(struct processes *ps, const struct record *rec)
{
	struct process *p = ensure_process(ps, rec->pid);
	uint32_t space = NONE;

	if (p && thread_was_last(ps, p, rec) && p->spaces.count)
		space = *array_last(&p->spaces);
	return note_ended(ps, rec, space);
}

/* Threads may go elsewhere; a process is where its first thread is. */
static int apply_namespaces(struct processes *ps, const struct record *rec)
{
	if (rec->pid != rec->tid)
		return 0;
	/* What is known of a process goes with its spaces. */
	if (!newest_space(ps, rec->pid))
		return -ENOMEM;
	if (ps->kind == PROCESSES_GROWING)
		namespaces_forget(&ps->namespaces, rec->pid, ps->forgotten);
	return namespaces_set(&ps->namespaces, rec->pid, rec->time, rec->namespaces);
}

static int apply_cgroup(struct processes *ps, const struct record *rec)
{
	return hash_map_set(&ps->cgroups, rec->id, rec->name) ? 0 : -ENOMEM;
}

uint64_t processes_maps_cut(const struct processes *ps)
{
	return ps->copies_cut;
}

int processes_apply(struct processes *ps, const struct record *rec)
{
	static int (*const apply[])(struct processes * ps, const struct record *rec) = {
		[PERF_RECORD_MMAP] = apply_map,
		[PERF_RECORD_COMM] = apply_comm,
		[PERF_RECORD_EXIT] = apply_exit,
		[PERF_RECORD_FORK] = apply_fork,
		[PERF_RECORD_KSYMBOL] = apply_ksymbol,
		[PERF_RECORD_NAMESPACES] = apply_namespaces,
		[PERF_RECORD_CGROUP] = apply_cgroup,
	};

	if (rec->type >= sizeof(apply) / sizeof(*apply) || !apply[rec->type])
		return 0;
	/*
	 * An EXIT makes no items and gives some back later, so it is applied without
	 * asking. A new name, or program, of a thread that is known takes the place of the
	 * one before, which is wrong from then on.
	 */
	if (rec->type != PERF_RECORD_EXIT && !allow_items(ps) &&
	    !(rec->type == PERF_RECORD_COMM && find_thread(ps, rec->tid) &&
	      ensure_process(ps, rec->pid)))
		return 0;
	ps->version++;
	ps->copies_left += COPIES_A_RECORD;
	return apply[rec->type](ps, rec);
}
