#ifndef SYMBOL_JIT_NAMES_H
#define SYMBOL_JIT_NAMES_H

#include "symbol/image_names.h"

/*
 * Names of code that a runtime made, for the frames of one image: from its jitdump, or from
 * perf-PID.map of the process, and for what that does not name from its parent's, whose code it may still run.
 * Other images are left as they are, and so are those with names in the recording. In
 * compat mode only images that perf names after such a map have one. 0, or -ENOMEM.
 */
int jit_names_add(const struct source_finder *finder, const struct frames *frames,
		  struct image_names *job, struct source *s);

/*
 * Where the part of a name ends that begins at @at: "root->inlined->innermost" is how
 * perf-map-agent's unfoldall says what was inlined. That of an operator is none.
 */
size_t jit_name_part(const char *name, size_t size, size_t at);

/* Appends "file:line" of the code at @offset in the dump, where that says it. */
void jit_names_line(const struct jitdump *d, struct jitdump_lines *lines, uint64_t offset,
		    struct text *out);

#endif
