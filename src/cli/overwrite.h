#ifndef CLI_OVERWRITE_H
#define CLI_OVERWRITE_H

#include "cli/settings.h"

/* Before the work: is what would be written to (NULL, "-": standard output) read as well, or a
 * recording? 0, or an exit code with its message printed. */
int overwrite_check(const struct settings *s, const char *path, const char *const *inputs,
		    size_t count);

/* The same of several at once: what is read is looked at once. */
struct written_files {
	const char *const *paths;
	size_t count;
};
int overwrite_check_all(const struct settings *s, const struct written_files *written,
			const char *const *inputs, size_t count);

/* Two paths of one file, be it there or not. */
bool same_file(const char *a, const char *b);

#endif
