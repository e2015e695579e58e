#ifndef SYMBOL_MAP_FILES_H
#define SYMBOL_MAP_FILES_H

#include "jit/jit.h"
#include "symbol/image_names.h"

/*
 * The perf-PID.map files that a run asks. Many processes may have one file: by its names, in
 * their mount namespaces, and because children go on with the code of their parent. Such a
 * file is read once, for the addresses of all who ask it; and all files together have a limit.
 *
 *	process 7 --- /tmp/perf-7.map ---.
 *	process 8 --- /tmp/perf-8.map ---+--- device, inode, size and time
 *	process 9, forked by 8 ----------'
 */
struct map_files;

/* Bytes that are read in all. */
#define MAP_FILES_MOST ((uint64_t)4 << 30)

/* Looks whose files @jobs may ask. They, @finder and @frames outlive it. 0, or -ENOMEM. */
int map_files_new(const struct source_finder *finder, const struct frames *frames,
		  struct image_names *const *jobs, size_t count, struct map_files **ret);
void map_files_free(struct map_files *m); /* NULL is fine */

/* The first image whose process's map @image asks; those behind it are by forked_from, and no
 * more than MAP_PARENTS_MOST are asked. perf looks at the map of the process that mapped the memory. */
enum { MAP_PARENTS_MOST = 64 /* more only hostile recordings have */ };
uint32_t map_files_first(const struct source_finder *finder, uint32_t image);

/* The map of an image's process; ret->fd is -1 where there is none. 0, or -ENOMEM. */
int map_files_open(const struct source_finder *finder, uint32_t image,
		   struct jit_file *ret);

/* The address of a frame for maps: perf looks for callers where they go on. */
uint64_t map_files_address(const struct source_finder *finder, const struct frame *f);

struct map_answer {
	const struct perf_map *map; /* NULL: left out, more than the limit */
	struct perf_map own;
	uint32_t *of_address; /* for each: index in map->list + 1; 0: none covers it */
};

struct map_question {
	int fd;
	uint32_t image; /* whose process's map it is */
	const uint64_t *addresses; /* ascending */
	size_t count;
};

/* What the file says. Any number of threads may ask. 0, or -ENOMEM. */
int map_files_ask(struct map_files *m, const struct map_question *q,
		  struct map_answer *ret);
void map_answer_release(struct map_answer *a); /* a zeroed one is fine */

#endif
