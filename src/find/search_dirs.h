#ifndef FIND_SEARCH_DIRS_H
#define FIND_SEARCH_DIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct budget;
struct debuginfod;

/* Where object files are looked for. Strings outlive it. */
struct search_dirs {
	const char *symfs; /* NULL, "": object files are where they were recorded */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	/* NULL: ~/.debug, or with symfs SYMFS/.debug, as perf has it; "": none. */
	const char *build_id_dir;
	/* Where perf-PID.map and jit-PID.dump are; NULL: where runtimes put them. */
	const char *map_dir;
	bool trust_maps; /* whoever owns them */
	bool force; /* a file that is provably not the recorded one counts, if there is no other */
	struct debuginfod *debuginfod; /* asked when nothing else helps; NULL: never */
	struct budget *budget; /* of memory for what is in files; NULL: nobody counts */
};

bool symfs_is_set(const struct search_dirs *dirs);

/* Appends the directory of perf's build-id cache; false where there is none. */
bool add_build_id_cache(const struct search_dirs *dirs, struct text *path);

/* Appends the directory of debug files, as the system that lies below @root has it. */
void add_debug_dir(const struct search_dirs *dirs, const char *root, struct text *path);

/*
 * Appends "/.build-id/xx/rest". @whole: all of a recorded id; else without the zeros to
 * which older recorders fill it up to 20 bytes. False where that would be the same, or
 * where the id is too short to be split.
 */
enum build_id_form { BUILD_ID_WHOLE, BUILD_ID_BARE, BUILD_ID_FORMS };
bool add_build_id_path(const uint8_t *id, size_t size, enum build_id_form form,
		       struct text *path);

/* Appends a build id in hex, or "none". */
void add_build_id(const uint8_t *id, size_t size, struct text *out);

/* A path without the " (deleted)" that the kernel appends, by its size; false where it
 * has none. */
bool is_deleted(const char *path, size_t *size);

/* True where a path could leave the directory that it is appended to. */
bool path_climbs(const char *path);

#endif
