#ifndef ELF_OBJECT_H
#define ELF_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/budget.h"
#include "base/context.h"

/*
 * An open ELF file. Its bytes are not trusted, and read, not mapped.
 *
 * Recordings name an address by its offset in the file; symbols and debug
 * information by its virtual address. The load segments say which is which, and no
 * single distance does: linkers leave a page between segments in one and not in the
 * other.
 *
 *	offset   0     600          2e00
 *	         | R   | R X        | RW |
 *	address  0     1600         4e00
 *
 * One handle belongs to one thread at a time (elfutils is built without locks).
 */
enum { OBJECT_BUILD_ID_MAX = 64 };

struct segment {
	uint64_t offset, size, address;
	bool exec, writable;
};

/* From start up to end. */
struct address_range {
	uint64_t start, end;
};

struct object {
	struct Elf *elf;
	int fd; /* -1: from memory */
	/* errno of the last read of it that failed; 0: none. Copies share it. */
	_Atomic int *read_error;
	uint64_t size; /* of the file */
	unsigned machine; /* EM_* */
	bool relocatable; /* its symbols have no addresses: a .o or a kernel module */
	uint64_t entry; /* address of the first instruction; 0: none */
	ARRAY(struct segment) segments; /* executable ones first */
	ARRAY(struct address_range) code; /* of those: ascending, and none overlap */
	/* Of sections; up to a zero, which is the last byte. */
	const char *names;
	size_t names_size;
	uint8_t build_id_size; /* 0: it has none */
	uint8_t build_id[OBJECT_BUILD_ID_MAX];
	struct claim claim; /* for a file in memory, which it was unpacked to */
	struct budget *budget; /* who opened it counts memory; NULL: nobody does */
};

/* Once in a process, before objects are opened from several threads. */
void object_prepare(void);

/* Regular files only; waits for nothing. A negative errno with a sentence; -EBADMSG
 * where it is no ELF file. */
int object_open(struct context *ctx, const char *path, struct object *ret);

/* The same as root with these rights only, which may be those of a process. */
struct user_rights;
int object_open_as(struct context *ctx, const struct user_rights *rights,
		   const char *path, struct object *ret);

/* The same of a file that @by says is there, a debug link or a part of its debug information:
 * as root only what the owner of @by could open, -EACCES. */
int object_open_named(struct context *ctx, const struct object *by, const char *path,
		      struct object *ret);

/* A descriptor of such a file, whatever is in it; or as object_open(). */
int object_open_file(struct context *ctx, const char *path);

/* The same of an open file, which the object takes over, also where it fails; @name is for
 * the sentence. */
int object_open_fd(struct context *ctx, int fd, const char *name, struct object *ret);

/* Something of it is left out for memory: notes it by the path of the file. */
void object_refuse(const struct object *o, const char *what);

/* @image stays the caller's and outlives the object. */
int object_open_memory(struct context *ctx, const void *image, size_t size,
		       struct object *ret);

/* The vdso that the kernel gave to this process. -ENOENT where there is none. */
int object_open_vdso(struct context *ctx, struct object *ret);

void object_close(struct object *o); /* a zeroed or closed one is fine */

/* False where no segment holds @offset. */
bool object_address(const struct object *o, uint64_t offset, uint64_t *ret);

/* Bytes of the file; false where it has not as many at @offset. */
bool object_read(const struct object *o, uint64_t offset, void *ret, size_t size);

/* As many bytes of the file as are there: what cannot be read is noted. For those with an fd. */
size_t object_read_some(const struct object *o, uint64_t offset, void *ret, size_t size);

/* What is read of it is not whole: errno, 0 where nothing has failed so far. libelf says of a
 * section that it cannot read, or has no memory for, that it is not there. */
int object_read_error(const struct object *o);
void object_note_error(_Atomic int *read_error, int error); /* NULL and 0 are fine */

/* An error that does not say that there is no such file: EMFILE, EIO and the like; negative. */
bool object_is_trouble(int err);

/* Where data begins at or behind @offset: a sparse file can be of any size, and is read no further
 * than it has something. The size of the file where there is none. For those with an fd. */
uint64_t object_next_data(const struct object *o, uint64_t offset);

/* True where an executable segment holds @address. */
bool object_is_code(const struct object *o, uint64_t address);

/* Where the code ends that holds @address; 0: none does. */
uint64_t object_code_end(const struct object *o, uint64_t address);

/* A build id as recorded: perf pads or cuts it to 20 bytes. */
bool object_has_build_id(const struct object *o, const uint8_t *id, size_t size);

bool object_has_symtab(const struct object *o);
bool object_has_debug_info(const struct object *o);
bool object_has_debug_frame(const struct object *o);
bool object_is_go(const struct object *o); /* the Go compiler made it */
bool object_needs_others(const struct object *o); /* it is linked to libraries */

/* Name and checksum of the file that holds its debug information; false where it
 * names none. *@name is valid until object_close(). */
bool object_debug_link(const struct object *o, const char **name, uint32_t *checksum);

/* The checksum that debug links hold, over the whole of @o's file. */
int object_checksum(struct context *ctx, const struct object *o, uint32_t *ret);

#endif
