#ifndef JIT_JITDUMP_H
#define JIT_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/hash.h"
#include "base/text.h"

/*
 * jit-PID.dump: what code a runtime made, when, where, and its bytes
 * (tools/perf/Documentation/jitdump-specification.txt of Linux).
 *
 *	header | UNWINDING_INFO | DEBUG_INFO | LOAD name code | MOVE | ... | CLOSE
 *	                                              ^
 *	                                   stands for the code, wherever it lies
 *
 * What precedes a LOAD is about its code. Code is known by where the file has its bytes: two
 * functions that had one address at two times are told apart, and one that was moved stays
 * the same. Records of types that are not known are passed over; one that is not whole, and
 * all behind it, is not used yet: the file may still grow. Its writer is not trusted.
 */
enum {
	JITDUMP_HEADER = 40, /* bytes at the least; a shorter file has just begun */
	JITDUMP_NAME_MOST = 4096, /* bytes; longer names are cut */
	/* More only hostile dumps have: what comes behind is not used. */
	JITDUMP_FUNCTIONS_MOST = 1 << 18,
	JITDUMP_CODES_MOST = 1 << 18,
};

/* A function, by its LOAD. Offsets are those of the file. */
struct jitdump_function {
	uint64_t bytes, size; /* its code */
	uint64_t address; /* where that was made */
	uint64_t name;
	uint32_t name_size;
	uint32_t lines_size;
	uint64_t lines; /* entries of its DEBUG_INFO; 0: none */
	uint64_t
		unwind; /* .eh_frame, which belongs at jitdump_unwind_address(); 0: none */
	uint32_t unwind_size;
};

/* Code that came to lie somewhere. */
struct jitdump_code {
	uint64_t time; /* by the dump's clock */
	uint64_t start, end; /* end exclusive */
	uint32_t function; /* index */
};

struct jitdump {
	int fd; /* its own */
	bool swap; /* of the other byte order */
	bool arch_time; /* its clock is the processor's (TSC); else CLOCK_MONOTONIC, ns */
	bool closed, damaged, full;
	int error; /* errno of a read that failed; 0: none did */
	uint32_t machine; /* EM_* */
	uint32_t pid; /* for itself */
	uint64_t offset; /* of the first record that was not read */
	ARRAY(struct jitdump_function) functions; /* in the file's order, so by bytes */
	ARRAY(struct jitdump_code) codes; /* in the file's order */
	struct hash_map by_index; /* the runtime's number of a function: ours */
	struct budget *budget; /* set by who has opened it; NULL: no limit */
	struct claim claim;
	struct jitdump_function next; /* what the next LOAD is about */
	uint64_t lines_address; /* of its DEBUG_INFO */
};

/* Reads the header; takes over @fd. -EBADMSG for what is not a jitdump of a version that is
 * known, or why it cannot be read: @fd is closed then, too. */
int jitdump_open(int fd, struct jitdump *ret);
void jitdump_close(struct jitdump *d);

/* Reads what has come since. 0, or -ENOMEM. */
int jitdump_read(struct jitdump *d);

/* The function whose bytes @offset is in; NULL where it is in none's. */
const struct jitdump_function *jitdump_find(const struct jitdump *d, uint64_t offset);

/* Appends its name, as much as can be read: 0, or the errno of what cannot. */
int jitdump_name(const struct jitdump *d, const struct jitdump_function *f,
		 struct text *out);

/*
 * The lines of one function, kept until those of another are asked for: its table may have a
 * megabyte, and would be read for each of its addresses. A zeroed one is empty.
 */
struct jitdump_line {
	uint64_t address;
	uint32_t line;
	uint32_t position; /* in the table */
	uint32_t file, file_size; /* the last part of the path, in bytes */
};

struct jitdump_lines {
	uint64_t of; /* where the table is in the dump; 0: none was read */
	char *bytes;
	size_t read; /* bytes of tables, in all: for tests */
	ARRAY(struct jitdump_line) list; /* by address; of one address the last one */
};

/* Appends "file:line" of the code at @offset, as the runtime said it, with the last part of
 * the path only; nothing where it did not. */
void jitdump_line(const struct jitdump *d, struct jitdump_lines *lines,
		  const struct jitdump_function *f, uint64_t offset, struct text *out);
void jitdump_lines_release(struct jitdump_lines *lines);

/* Where .eh_frame belongs, for numbers in it that count from themselves: behind the code,
 * whose size is rounded up to 8 bytes (genelf.c of perf). */
static inline uint64_t jitdump_unwind_address(const struct jitdump_function *f)
{
	return f->address + ((f->size + 7) & ~(uint64_t)7);
}

#endif
