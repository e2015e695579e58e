/*
 * Two ways to the same records. PROCMAP_QUERY gives executable maps alone, and the build id with each;
 * /proc/PID/maps has to be read whole, and build ids from the files. Either way a file is asked for its
 * build id once: (device, inode) tells it again in the next process. Fields are those of
 * PERF_RECORD_MMAP2 as the kernel writes them when something is mapped (kernel/events/core.c).
 */
#include "live/preexisting/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process_root.h"
#include "elf/elf.h"
#include "find/find.h"

enum {
	NAME_ROOM = 4096, /* PATH_MAX */
	LINE_ROOM = 64 << 10, /* many lines at once */
};

/* include/uapi/linux/fs.h of Linux 6.11; headers of older ones lack it. */
struct map_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, ino;
	uint32_t maj, min, name_size, build_id_size;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)
enum {
	QUERY_READABLE = 1,
	QUERY_WRITABLE = 2,
	QUERY_EXECUTABLE = 4,
	QUERY_SHARED = 8,
	QUERY_OR_NEXT = 16,
};

void preexisting_maps_release(struct preexisting_maps *m)
{
	array_release(&m->files);
	hash_release(&m->by_inode);
	free(m->room);
	*m = (struct preexisting_maps){ .room = NULL };
}

static void take_build_id(struct preexisting_map *map, const uint8_t *id, size_t size)
{
	map->build_id_size =
		size > sizeof(map->build_id) ? sizeof(map->build_id) : (uint8_t)size;
	memcpy(map->build_id, id, map->build_id_size);
}

/* As the kernel names memory without a file in its records. */
static void name_map(struct preexisting_map *map, const char *name, size_t size)
{
	static const char nameless[] = "//anon";

	map->name = size ? name : nameless;
	map->name_size = size ? size : sizeof(nameless) - 1;
	/* The offset in a file that there is none of. */
	if (!map->ino)
		map->offset = 0;
}

/* Of a file that was not seen yet. @fd: of the process's maps, where that can be asked;
 * else -1. */
static void find_build_id(int dir, int fd, struct preexisting_map *map)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct map_query query = { .size = sizeof(query),
				   .address = map->start,
				   .build_id_size = sizeof(id),
				   .build_id = (uintptr_t)id };
	const struct file_id recorded = { map->maj, map->min, map->ino, 0 };
	struct context unheard = { .log = NULL };
	char link[32], path[2 * NAME_ROOM];
	struct object object;
	struct file_id found;
	uint32_t pid;
	ssize_t size;

	if (fd >= 0) {
		if (ioctl(fd, MAP_QUERY, &query) == 0 && query.ino == map->ino)
			take_build_id(map, id, query.build_id_size);
		return;
	}
	/* The file that is mapped: only who may look into any process may open that. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/map_files/%llx-%llx", dir,
		 (unsigned long long)map->start,
		 (unsigned long long)map->start + map->size);
	if (object_open(&unheard, path, &object) == 0) {
		take_build_id(map, object.build_id, object.build_id_size);
		object_close(&object);
		return;
	}
	/* Or what the process has under its path: as everywhere, only what it could read itself,
	 * and inside of its root. The file has to be the one that is mapped. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	size = readlink(link, path, NAME_ROOM - sizeof("/root"));
	if (size <= 0)
		return;
	snprintf(path + size, sizeof(path) - (size_t)size, "/root%.*s",
		 (int)map->name_size, map->name);
	if (!process_root_path(path, &pid) || object_open(&unheard, path, &object) < 0)
		return;
	if (process_file_id(object.fd, &recorded, &found) && found.maj == map->maj &&
	    found.min == map->min && found.ino == map->ino)
		take_build_id(map, object.build_id, object.build_id_size);
	object_close(&object);
}

/* Adds the record of @map, with the build id that its file has, or had in a process
 * before. */
static int add_map(struct preexisting_maps *m, int dir, int fd,
		   struct preexisting_map *map, struct bytes *to)
{
	uint64_t hash =
		hash_u64(map->ino ^ (uint64_t)map->maj << 56 ^ (uint64_t)map->min << 36);
	uint64_t i = hash_start(hash);
	struct preexisting_file *file = NULL;
	bool asks = map->ino && !m->by_inode_only;
	uint32_t id;

	while (asks && !file && (id = hash_find(&m->by_inode, hash, &i)) != HASH_NONE) {
		struct preexisting_file *f = &m->files.v[id];

		if (f->ino == map->ino && f->maj == map->maj && f->min == map->min)
			file = f;
	}
	if (file) {
		take_build_id(map, file->build_id, file->build_id_size);
	} else if (asks) {
		find_build_id(dir, fd, map);
		/* Noted without an id, too: it is not asked again. */
		if (!array_reserve(&m->files, 1) ||
		    !hash_add(&m->by_inode, hash, (uint32_t)m->files.count))
			return -ENOMEM;
		file = array_add(&m->files);
		*file = (struct preexisting_file){
			map->maj, map->min, map->ino, map->build_id_size, { 0 }
		};
		memcpy(file->build_id, map->build_id, sizeof(file->build_id));
	}
	preexisting_map(to, PERF_RECORD_MISC_USER, map);
	return 0;
}

/* -ENOTTY: the kernel cannot be asked so. */
static int query_maps(struct preexisting_maps *m, int dir, int fd, uint32_t pid,
		      struct bytes *to)
{
	/* As the kernel names such maps in its records. */
	static const char too_long[] = "//toolong";
	struct map_query query = { .size = sizeof(query) };
	uint64_t address = 0;
	int err = 0;

	while (err == 0) {
		struct preexisting_map map = { .pid = pid, .tid = pid };

		query.flags = QUERY_EXECUTABLE | QUERY_OR_NEXT;
		query.address = address;
		query.name = (uintptr_t)m->room;
		query.name_size = NAME_ROOM;
		err = ioctl(fd, MAP_QUERY, &query) < 0 ? -errno : 0;
		/* A path of more than PATH_MAX bytes is no reason to miss what is mapped
		 * behind it. */
		if (err == -ENAMETOOLONG) {
			query.name = 0;
			query.name_size = 0;
			err = ioctl(fd, MAP_QUERY, &query) < 0 ? -errno : 0;
		}
		if (err < 0)
			return err == -ENOENT ? 0 : err;
		map.start = query.start;
		map.size = query.end - query.start;
		map.offset = query.offset;
		map.maj = query.maj;
		map.min = query.min;
		map.ino = query.ino;
		map.prot = (query.vma_flags & QUERY_READABLE ? PROT_READ : 0) |
			   (query.vma_flags & QUERY_WRITABLE ? PROT_WRITE : 0) |
			   (query.vma_flags & QUERY_EXECUTABLE ? PROT_EXEC : 0);
		map.flags = query.vma_flags & QUERY_SHARED ? MAP_SHARED : MAP_PRIVATE;
		if (!query.name)
			name_map(&map, too_long, sizeof(too_long) - 1);
		else
			name_map(&map, m->room,
				 query.name_size ? query.name_size - 1 : 0);
		err = add_map(m, dir, fd, &map, to);
		/* A kernel that does not get on would be asked for ever. */
		if (query.end <= address)
			break;
		address = query.end;
	}
	return err;
}

static bool hex(const char **p, char end, uint64_t *ret)
{
	uint64_t value = 0;
	const char *start = *p;

	for (;; ++*p) {
		char c = **p;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*ret = value;
	return *p > start && *(*p)++ == end;
}

/* "7f12000-7f13000 r-xp 00001000 08:01 1234    /path". False where it is no code. */
static bool next_maps_line(char *line, struct preexisting_map *map)
{
	const char *p = line;
	uint64_t end, maj, min;
	char *name, *to;

	if (!hex(&p, '-', &map->start) || !hex(&p, ' ', &end) || strlen(p) < 5 ||
	    p[2] != 'x' || end <= map->start)
		return false;
	map->size = end - map->start;
	map->prot = (p[0] == 'r' ? PROT_READ : 0) | (p[1] == 'w' ? PROT_WRITE : 0) |
		    PROT_EXEC;
	map->flags = p[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	p += 5;
	if (!hex(&p, ' ', &map->offset) || !hex(&p, ':', &maj) || !hex(&p, ' ', &min) ||
	    *p < '0' || *p > '9')
		return false;
	for (map->ino = 0; *p >= '0' && *p <= '9'; p++)
		map->ino = map->ino * 10 + (uint64_t)(*p - '0');
	map->maj = (uint32_t)maj;
	map->min = (uint32_t)min;
	p += strspn(p, " ");
	name = to = line + (p - line);
	/* A newline in a path is written as "\012", and nothing else is. */
	while (*p) {
		bool newline = strncmp(p, "\\012", 4) == 0;

		*to++ = newline ? '\n' : *p;
		p += newline ? 4 : 1;
	}
	*to = '\0';
	name_map(map, name, (size_t)(to - name));
	return true;
}

int preexisting_maps_read(struct preexisting_maps *m, int dir, uint32_t pid,
			  struct bytes *to)
{
	int fd, err = -ENOTTY;
	ssize_t got = 1;
	size_t size = 0;

	if (!m->room)
		m->room = malloc(LINE_ROOM);
	if (!m->room)
		return -ENOMEM;
	fd = openat(dir, "maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!m->no_query)
		err = query_maps(m, dir, fd, pid, to);
	if (err != -ENOTTY) {
		close(fd);
		return err;
	}
	m->no_query = true;
	err = 0;
	/* Line by line; what has come of the last one is kept for the next read. */
	while (err == 0 && got != 0 && size < LINE_ROOM) {
		char *p = m->room, *end;

		got = read(fd, m->room + size, LINE_ROOM - size);
		if (got < 0) {
			err = errno == EINTR ? 0 : -errno;
			continue;
		}
		size += (size_t)got;
		while (err == 0 && (end = memchr(p, '\n', size)) != NULL) {
			struct preexisting_map map = { .pid = pid, .tid = pid };

			*end++ = '\0';
			/* The kernel's page of old is in no map of a process. */
			if (next_maps_line(p, &map) && map.start < (uint64_t)1 << 63)
				err = add_map(m, dir, -1, &map, to);
			size -= (size_t)(end - p);
			p = end;
		}
		memmove(m->room, p, size);
	}
	close(fd);
	return err;
}
