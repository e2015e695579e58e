#ifndef JIT_PERF_MAP_H
#define JIT_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/text.h"

/*
 * perf-PID.map: what code a runtime made, a line a function.
 *
 *	START SIZE name, which may have spaces in it
 *
 * Numbers are hexadecimal, with or without 0x, in any case; lines may end in CR LF
 * (tools/perf/Documentation/jit-interface.txt of Linux, and what runtimes write). The order
 * of the lines is that of time: a later one takes the addresses it covers from all before
 * it, and what lies around it stays.
 *
 *	1000 400 outer    |outer----------------------|
 *	1100 40 inner           |inner|
 *	1000 8 stub       |stub|
 *	                  |stub|outer-|inner|outer----|
 *
 * The file may grow while it is read: a last line without its end is not used. Its writer is
 * not trusted, and it may have millions of lines, so only what covers one of the addresses
 * that are asked for is kept.
 */
enum {
	PERF_MAP_NAME_MOST = 4096, /* bytes; longer names are cut */
	/* Bytes that are read: of a longer file those at its end, which are the newest. */
	PERF_MAP_MOST = 512 << 20,
};

struct perf_map_entry {
	uint64_t start, end; /* end exclusive */
	size_t name; /* offset in names; NUL behind it */
	uint32_t turn; /* 0, or that of struct perf_map_later */
};

struct perf_map {
	uint64_t entries; /* lines that were understood */
	uint64_t ignored; /* and those that were not */
	uint64_t skipped; /* bytes at the beginning of a file that is too long */
	int error; /* errno of the read that ended it; 0: none failed */
	bool cut; /* no memory was left for what comes behind */
	struct claim claim;
	ARRAY(struct perf_map_entry)
	list; /* what covers an address, in the file's order */
	struct text names;
	uint32_t *of_address; /* for each of them: index in list + 1; 0: none covers it */
};

/*
 * A line that was written over code which had run already: it names what ran from then on, and
 * what ran before only where no other line does.
 */
struct perf_map_later {
	uint64_t offset; /* in the file, behind its end */
	uint64_t start, end; /* that it has: else another line stands there by now */
	uint32_t
		turn; /* from 1 on: the same for lines of one time, more for later ones */
};

struct perf_map_question {
	const uint64_t *addresses; /* ascending */
	size_t count;
	const struct perf_map_later *later; /* ascending offsets */
	size_t later_count;
	uint64_t
		until; /* lines that end behind it are later than all others; 0: none is */
};

/* Names for addresses from an open file that is read with pread.
 * What cannot be read ends it, and so does @budget (NULL: none) with nothing left for what covers
 * addresses. 0, or -ENOMEM. */
int perf_map_read(int fd, const struct perf_map_question *question, struct budget *budget,
		  struct perf_map *ret);
void perf_map_release(struct perf_map *m); /* a zeroed one is fine */

/* One line without its end: false where it is none. *@name lies in it, *@size bytes. */
bool perf_map_line(const char *line, size_t length, struct perf_map_entry *ret,
		   const char **name, size_t *size);

/* Gets a line without its end, which is before the byte at @offset of the file. 0, or a negative errno. */
typedef int perf_map_take(void *arg, const char *line, size_t length, uint64_t offset);

/* All whole lines of the file from *@from on that end before @until. *@from is behind the last of them
 * then. What cannot be read ends it. 0, or what @take returned. */
int perf_map_each(int fd, uint64_t *from, uint64_t until, perf_map_take *take, void *arg);

#endif
