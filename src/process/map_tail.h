#ifndef PROCESS_MAP_TAIL_H
#define PROCESS_MAP_TAIL_H

#include "process/keep_map.h"

/* The map was found: what is in it already may be older than all samples. */
void map_tail_begin(struct kept_map *m);

/* Lines behind it are not taken yet: see struct perf_map_question. 0: all are, or it is not @fd. */
uint64_t map_tail_until(const struct kept_map *m, int fd);

#endif
