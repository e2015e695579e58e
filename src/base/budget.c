/*
 * The budget is one number, and a claim adds to it: nobody waits for memory that others have,
 * since those may wait for the same. What is there is what the kernel says of this
 * process: proc(5), cgroups(7), Documentation/admin-guide/cgroup-v1/memory.rst of Linux.
 */
#include "base/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/mounts.h"

enum { TEXT_MOST = 4 << 20, PATH_ROOM = 4096, NAMED_MOST = 1 << 16 };

void budget_init(struct budget *b, uint64_t most)
{
	*b = (struct budget){ .most = most };
	pthread_mutex_init(&b->lock, NULL);
}

void budget_release(struct budget *b)
{
	if (b->most)
		pthread_mutex_destroy(&b->lock);
	hash_map_release(&b->known);
	*b = (struct budget){ 0 };
}

bool budget_take_part(struct budget *b, enum budget_part part, uint64_t size)
{
	uint64_t used, most;

	if (!b)
		return true;
	most = part == BUDGET_ALL ? b->most : b->most / BUDGET_ALL * part;
	used = atomic_load_explicit(&b->used, memory_order_relaxed);
	do {
		if (used > most || size > most - used)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&b->used, &used, used + size,
							memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

void budget_give_back(struct budget *b, uint64_t size)
{
	if (b)
		atomic_fetch_sub_explicit(&b->used, size, memory_order_relaxed);
}

void budget_refuse(struct budget *b, const char *what, const char *name)
{
	char text[sizeof(b->first)];
	uint64_t key;

	if (!b)
		return;
	snprintf(text, sizeof(text), "%s of '%.400s'", what, name);
	key = hash_bytes(text, strlen(text));
	pthread_mutex_lock(&b->lock);
	/* Behind so many, and without memory, it is counted as another one. */
	if (!hash_map_get(&b->known, key)) {
		if (b->known.count < NAMED_MOST)
			hash_map_set(&b->known, key, 1);
		if (b->refused++ == 0 || strcmp(text, b->first) < 0)
			memcpy(b->first, text, sizeof(text));
	}
	pthread_mutex_unlock(&b->lock);
}

bool claim_add(struct claim *c, struct budget *b, uint64_t size)
{
	return claim_add_part(c, b, BUDGET_ALL, size);
}

bool claim_add_part(struct claim *c, struct budget *b, enum budget_part part,
		    uint64_t size)
{
	if (!budget_take_part(b, part, size))
		return false;
	c->budget = b;
	c->size += size;
	return true;
}

void claim_settle(struct claim *c, struct budget *b, uint64_t size)
{
	if (b)
		atomic_fetch_add_explicit(&b->used, size, memory_order_relaxed);
	claim_release(c);
	*c = (struct claim){ b, size };
}

void claim_join(struct claim *c, struct claim *from)
{
	if (from->budget)
		c->budget = from->budget;
	c->size += from->size;
	*from = (struct claim){ 0 };
}

void claim_release(struct claim *c)
{
	budget_give_back(c->budget, c->size);
	*c = (struct claim){ 0 };
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A small file, to be freed; NULL where it cannot be read. */
static char *slurp_setting(const char *root, const char *path)
{
	struct context unheard = { .log = NULL };
	char whole[PATH_ROOM], *text;
	size_t size;

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole) ||
	    file_slurp(&unheard, whole, TEXT_MOST, &text, &size) < 0)
		return NULL;
	return text;
}

/* The number of a file, or behind @key at the beginning of one of its lines; "max", and where there
 * is none, is UINT64_MAX. */
static uint64_t read_cgroup_number(const char *root, const char *path, const char *key)
{
	char *text = slurp_setting(root, path), *at = text, *end;
	uint64_t value = UINT64_MAX;

	while (at && *key && strncmp(at, key, strlen(key)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (at) {
		at += strlen(key);
		value = strtoull(at, &end, 10);
		if (end == at)
			value = UINT64_MAX;
	}
	free(text);
	return value;
}

/* The group of this process in the hierarchy that limits memory: "4:memory:/a/b", or, of the
 * second version, "0::/a/b". False where it is in none. */
static bool own_group(const char *root, bool second, char path[PATH_ROOM])
{
	char *text = slurp_setting(root, "/proc/self/cgroup"), *save = NULL;
	bool found = false;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line && !found;
	     line = strtok_r(NULL, "\n", &save)) {
		char *names = strchr(line, ':');
		char *group = names ? strchr(names + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		found = second ? !names[1] : mount_has_word(names + 1, "memory");
		if (found)
			snprintf(path, PATH_ROOM, "%s", group);
	}
	free(text);
	return found;
}

/* The limits of a group and of all around it that can be seen. */
static uint64_t group_limit(const char *root, const struct mount_line *m, bool second,
			    const char *group)
{
	size_t mount_size = strlen(m->mounted_at), cut = strlen(m->root);
	char path[PATH_ROOM], file[PATH_ROOM + 32];
	uint64_t least = UINT64_MAX;

	/* A part of the hierarchy may be mounted; of a group outside of it nothing is seen. */
	if (cut == 1)
		cut = 0;
	if (strncmp(group, m->root, cut) != 0 || (group[cut] && group[cut] != '/'))
		group = "";
	else
		group += cut;
	if (snprintf(path, sizeof(path), "%s%s", m->mounted_at, group) >=
	    (int)sizeof(path))
		return least;
	for (;;) {
		static const char *const names[] = { "memory.max", "memory.high",
						     "memory.limit_in_bytes" };
		char *slash;

		for (int i = second ? 0 : 2; i < (second ? 2 : 3); i++) {
			snprintf(file, sizeof(file), "%s/%s", path, names[i]);
			least = smaller(least, read_cgroup_number(root, file, ""));
		}
		slash = strrchr(path, '/');
		if (strlen(path) <= mount_size || !slash)
			return least;
		*slash = '\0';
	}
}

/* The least limit of all groups that this process is in, of either version. */
static uint64_t control_groups(const char *root)
{
	char *text = slurp_setting(root, "/proc/self/mountinfo"), *save = NULL;
	uint64_t least = UINT64_MAX;
	char group[PATH_ROOM];
	struct mount_line m;

	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		bool second;

		if (!mount_line_read(line, &m))
			continue;
		second = strcmp(m.type, "cgroup2") == 0;
		if ((second || (strcmp(m.type, "cgroup") == 0 &&
				mount_has_word(m.options, "memory"))) &&
		    own_group(root, second, group))
			least = smaller(least, group_limit(root, &m, second, group));
	}
	free(text);
	return least;
}

/* A line of meminfo, in bytes. */
static uint64_t machine_memory(const char *root, const char *key)
{
	uint64_t value = read_cgroup_number(root, "/proc/meminfo", key);

	return value > UINT64_MAX >> 10 ? UINT64_MAX : value << 10;
}

uint64_t budget_usual(const char *root)
{
	uint64_t there = machine_memory(root, "MemTotal:"), most;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		there = smaller(there, limit.rlim_cur);
	if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		there = smaller(there, limit.rlim_cur);
	there = smaller(there, control_groups(root));
	most = smaller(there / 4, machine_memory(root, "MemAvailable:") / 2);
	return most > BUDGET_LEAST ? most : BUDGET_LEAST;
}
