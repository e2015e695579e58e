/*
 * All lists are sorted by time, so what held at a time is the last item at or before it,
 * and it holds until the next one begins. An answer carries both ends, so that callers
 * ask again only when time has left them.
 *
 * An address is looked for in the first n maps of a space, then in the first ones of its
 * parent, as many as there were when it forked, and so on, at most ANCESTORS_MOST times.
 */
#include "process/timeline.h"

uint64_t processes_version(const struct processes *ps)
{
	return ps->version;
}

/* How many of a thread's names it had got by @time. */
size_t thread_names_at(const struct thread *t, uint64_t time)
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

	/* Epoch 0 is that of a process nothing is known of. */
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
	ret->maps = (uint32_t)between_maps(&space->maps, time, ret);
	ret->epoch = ret->maps ? space->maps.list.v[ret->maps - 1].epoch : space->epoch;
	ret->codes = (uint32_t)between_maps(&space->codes, time, ret);
	/* The newest of all begins the while. */
	if (ret->codes && (!ret->maps || space->codes.list.v[ret->codes - 1].time >=
						 space->maps.list.v[ret->maps - 1].time))
		ret->epoch = space->codes.list.v[ret->codes - 1].epoch;
	ret->layout = ret->maps ? space->maps.list.v[ret->maps - 1].layout : space->epoch;
	/* Code of runtimes changes layout below, and files stays as it is. */
	ret->files = ret->layout;
	if (ret->codes)
		ret->layout = ret->epoch;
}

void processes_kernel_space(const struct processes *ps, uint64_t time, struct space *ret)
{
	*ret = (struct space){ .index = NONE, .until = UINT64_MAX };
	ret->maps = (uint32_t)between_maps(&ps->kernel, time, ret);
	ret->epoch = ret->maps ? ps->kernel.list.v[ret->maps - 1].epoch : 0;
	ret->layout = ret->epoch;
}

static void locate_in(const struct map *map, uint64_t ip, struct location *ret)
{
	ret->image = map->image;
	ret->address = ip + map->shift;
	ret->start = map->start;
	ret->executable = map->executable;
}

/* Through the first maps and code of a space, as many as @space has, and then those of its
 * parents. */
static bool locate_through(const struct processes *ps, const struct space *space,
			   uint64_t ip, struct location *ret)
{
	uint32_t index = space->index, maps = space->maps, codes = space->codes;

	for (int i = 0; index != NONE && i < ANCESTORS_MOST; i++) {
		struct address_space *at = &ps->spaces.v[index];
		const struct map *map = maps_find(&at->maps, maps, ip);
		const struct map *code = codes ? maps_find(&at->codes, codes, ip) : NULL;

		/*
		 * What a runtime says of its code is worth more than that there is memory
		 * without a file, which the recorder says again when a part of it changes.
		 * Where a file came later the code is gone.
		 */
		if (!map || (code && (ps->images->list.v[map->image].kind == IMAGE_ANON ||
				      code->time >= map->time)))
			map = code;
		if (map) {
			locate_in(map, ip, ret);
			return true;
		}
		maps = at->parent_maps;
		codes = at->parent_codes;
		index = at->parent;
	}
	return false;
}

bool processes_locate(const struct processes *ps, const struct space *space, uint64_t ip,
		      struct location *ret)
{
	if (!locate_through(ps, space, ip, ret))
		return false;
	ret->image = jit_images_forked(&ps->spaces.v[space->index].jit, ret->image);
	return true;
}

bool processes_lowest_code(const struct processes *ps, const struct space *space,
			   uint64_t *ret)
{
	enum { FIRST_MAPS = 64, FIRST_ANCESTORS = 16 };
	uint32_t index = space->index;
	size_t count = space->maps;

	*ret = UINT64_MAX;
	/* The program is mapped before all else, by an exec as by who lists the maps of a process. */
	for (int i = 0; index != NONE && i < FIRST_ANCESTORS; i++) {
		const struct address_space *at = &ps->spaces.v[index];

		for (size_t k = 0; k < count && k < FIRST_MAPS; k++) {
			const struct map *map = &at->maps.list.v[k];

			if (map->executable && map->start < *ret)
				*ret = map->start;
		}
		count = at->parent_maps;
		index = at->parent;
	}
	return *ret != UINT64_MAX;
}

size_t processes_code_files(const struct processes *ps, const struct space *space,
			    uint32_t *ret, size_t most)
{
	enum { LOOKED_AT = 1 << 14 }; /* maps */
	size_t maps = space->maps, found = 0, seen = 0;
	uint32_t index = space->index;

	for (int i = 0; index != NONE && i < ANCESTORS_MOST; i++) {
		const struct address_space *at = &ps->spaces.v[index];

		for (size_t k = 0; k < maps; k++) {
			const struct map *map = &at->maps.list.v[k];
			size_t known = 0;

			if (seen++ == LOOKED_AT)
				return most + 1;
			if (!map->executable ||
			    ps->images->list.v[map->image].kind != IMAGE_FILE)
				continue;
			while (known < found && ret[known] != map->image)
				known++;
			if (known < found)
				continue;
			if (found == most)
				return most + 1;
			ret[found++] = map->image;
		}
		maps = at->parent_maps;
		index = at->parent;
	}
	return index == NONE ? found : most + 1;
}

bool processes_locate_before_exec(const struct processes *ps, const struct space *space,
				  uint64_t ip, struct location *ret)
{
	const struct address_space *at;
	struct space before;
	size_t codes = 0;

	if (space->index == NONE)
		return false;
	at = &ps->spaces.v[space->index];
	/* Only while there are no more maps than an exec makes. */
	if (at->before == NONE || space->maps > EXEC_MAPS)
		return false;
	for (size_t i = 0; i < space->maps; i++)
		codes += at->maps.list.v[i].executable;
	if (codes > EXEC_CODES)
		return false;
	before = (struct space){
		.index = at->before,
		.maps = (uint32_t)ps->spaces.v[at->before].maps.list.count,
		.codes = (uint32_t)ps->spaces.v[at->before].codes.list.count,
	};
	return locate_through(ps, &before, ip, ret);
}

bool processes_locate_kernel(const struct processes *ps, const struct space *space,
			     uint64_t ip, struct location *ret)
{
	/* Not const: the first question makes the index, whoever asks it. */
	struct maps *maps = (struct maps *)&ps->kernel;
	const struct map *map = maps_find(maps, space->maps, ip);

	if (!map && ip >= KERNEL_HALF && ps->kernel_map != NONE &&
	    ps->kernel_map < space->maps)
		map = &ps->kernel.list.v[ps->kernel_map];
	if (map)
		locate_in(map, ip, ret);
	return map;
}

static bool find_name_at(const struct processes *ps, uint32_t tid, uint64_t time,
			 struct comm *ret)
{
	const struct thread *t = find_thread(ps, tid);
	size_t n;

	if (!t)
		return false;
	n = thread_names_at(t, time);
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
	/* One that nobody has named goes by its process, which perf does not look at. */
	if (!find_name_at(ps, tid, time, ret) && !ps->as_printed)
		find_name_at(ps, pid, time, ret);
}

const struct namespace_id *processes_namespaces(const struct processes *ps, uint32_t pid,
						uint64_t time)
{
	return namespaces_at(&ps->namespaces, pid, time);
}

uint32_t processes_cgroup(const struct processes *ps, uint64_t id)
{
	const uint32_t *path = hash_map_get(&ps->cgroups, id);

	return path ? *path : 0;
}
