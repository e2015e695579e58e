#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "cli/analysis.h"
#include "cli/format.h"
#include "cli/output.h"

/* The one file that comes of an analysis. */

/* Before the work: what will be written, and where to (NULL: standard output). All that can
 * be found wrong with it is found now: 0, or an exit code with its message printed. */
int result_prepare(const struct settings *s, struct format *format, const char **path);

/* The same of a text about inputs, which goes to standard output where nothing else is said; and which
 * inputs these are. */
int text_prepare(const struct settings *s, struct format *format,
		 const char *const **inputs, size_t *count);

/* @s, and what an output of this format needs beyond it. */
struct settings result_settings(const struct settings *s, const struct format *format);

/* As output_close(); @out is zeroed, but for .sentence. An empty tree is said, and replaces
 * no file. */
int result_write(const struct analysis *a, const struct settings *s,
		 const struct format *format, struct output *out, const char *path);

#endif
