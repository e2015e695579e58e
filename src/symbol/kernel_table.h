#ifndef SYMBOL_KERNEL_TABLE_H
#define SYMBOL_KERNEL_TABLE_H

#include "base/intern.h"
#include "find/find.h"
#include "symbol/kallsyms.h"

/* Whose a kallsyms is, which says what has to be proved before its names are used. */
enum table_origin {
	TABLE_GIVEN, /* nothing: who gives it has to know */
	TABLE_RECORDED, /* that came with the recording: of the same boot */
	TABLE_OF_BUILD, /* perf's copy by the recorded build id: of any boot */
	TABLE_HERE, /* of the kernel that runs now: everything */
};

/* How many symbols a recording can say the kernel's place with; perf knows two. */
enum { TABLE_REFERENCES = 8 };

/* A kallsyms, read once. */
struct kernel_table {
	char *path; /* NULL: none is to be used */
	enum table_origin origin;
	bool here; /* of the kernel that runs now, also where it was given */
	bool loaded;
	int err; /* with a sentence in ctx */
	struct context ctx;
	struct kallsyms kallsyms;
	struct table_reference {
		uint32_t name; /* string id */
		bool found;
		uint64_t address;
	} references[TABLE_REFERENCES]; /* that were asked for */
	size_t reference_count;
};

/* Reads it, and where modules were loaded to, which a file "modules" beside one that is
 * called "kallsyms" says (as in /proc). */
void kernel_table_read(struct kernel_table *t);
void kernel_table_release(struct kernel_table *t); /* a zeroed one is fine */

/* Where that symbol of the kernel is, false where it has none; remembers the answer. One
 * thread at a time. */
bool kernel_table_find(struct kernel_table *t, const struct intern *strings,
		       uint32_t name, uint64_t *ret);

/* Paths of perf's copies, to be freed; NULL where there is none that can be read: by the
 * build id of the kernel that runs now, and by that of another one. */
char *kernel_table_copy_here(const struct search_dirs *dirs);
char *kernel_table_copy_of(const struct search_dirs *dirs, const uint8_t *build_id,
			   size_t size);

/* Is it this machine's /proc/kallsyms, by whatever name? */
bool kernel_table_is_proc(const char *path);

#define PROC_KALLSYMS "/proc/kallsyms"

#endif
