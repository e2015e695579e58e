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

/* Names for @addresses, in ascending order, from an open file that is read with pread.
 * What cannot be read ends it, and so does @budget (NULL: none) with nothing left for what covers
 * addresses. 0, or -ENOMEM. */
int perf_map_read(int fd, const uint64_t *addresses, size_t count, struct budget *budget,
		  struct perf_map *ret);
void perf_map_release(struct perf_map *m); /* a zeroed one is fine */

/* One line without its end: false where it is none. *@name lies in it, *@size bytes. */
bool perf_map_line(const char *line, size_t length, struct perf_map_entry *ret,
		   const char **name, size_t *size);

#endif
