/*
 * Paths as others lay their files out: perf's cache (tools/perf/util/build-id.c), which
 * is in the home directory of whoever reports or below the symfs, and the debug
 * directory as GDB has it (GDB manual, "Separate Debug Files"). Both have .build-id/,
 * with the first byte of the id as a directory.
 */
#include "find/search_dirs.h"

#include <stdlib.h>
#include <string.h>

#define DELETED " (deleted)"
#define DEBUG_DIR "/usr/lib/debug"
#define CACHE_DIR "/.debug"

bool symfs_is_set(const struct search_dirs *dirs)
{
	return dirs->symfs && *dirs->symfs;
}

bool add_build_id_cache(const struct search_dirs *dirs, struct text *path)
{
	const char *home = getenv("HOME");

	if (dirs->build_id_dir) {
		text_string(path, dirs->build_id_dir);
		return *dirs->build_id_dir;
	}
	if (symfs_is_set(dirs))
		text_string(path, dirs->symfs);
	else if (home && *home == '/')
		text_string(path, home);
	else
		return false;
	text_string(path, CACHE_DIR);
	return true;
}

void add_debug_dir(const struct search_dirs *dirs, const char *root, struct text *path)
{
	const char *dir = dirs->debug_dir ? dirs->debug_dir : DEBUG_DIR;

	text_string(path, root);
	if (*root && *dir != '/')
		text_char(path, '/');
	text_string(path, dir);
}

bool add_build_id_path(const uint8_t *id, size_t size, enum build_id_form form,
		       struct text *path)
{
	size_t used = size, bare = size;

	/* Ids are of 8 (lld's short ones), 16 (MD5, UUID) or 20 bytes (SHA-1), or longer. */
	while (used > 0 && id[used - 1] == 0)
		used--;
	if (size == 20 && used <= 16)
		bare = used > 8 ? 16 : 8;
	if (size < 2 || (form == BUILD_ID_BARE && bare == size))
		return false;
	if (form == BUILD_ID_BARE)
		size = bare;
	text_printf(path, "/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < size; i++)
		text_printf(path, "%02x", id[i]);
	return true;
}

void add_build_id(const uint8_t *id, size_t size, struct text *out)
{
	for (size_t i = 0; i < size; i++)
		text_printf(out, "%02x", id[i]);
	if (size == 0)
		text_string(out, "none");
}

bool is_deleted(const char *path, size_t *size)
{
	size_t suffix = sizeof(DELETED) - 1;

	*size = strlen(path);
	if (*size <= suffix || strcmp(path + *size - suffix, DELETED) != 0)
		return false;
	*size -= suffix;
	return true;
}

bool path_climbs(const char *path)
{
	for (const char *p = strstr(path, "/.."); p; p = strstr(p + 1, "/.."))
		if (p[3] == '/' || p[3] == '\0')
			return true;
	return false;
}
