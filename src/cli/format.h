#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/settings.h"

enum format {
	FORMAT_SVG,
	FORMAT_HTML,
	FORMAT_FOLDED,
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMATS,
};

static inline bool format_is_picture(enum format f)
{
	return f == FORMAT_SVG || f == FORMAT_HTML;
}

/* By --format, by the suffix of the output, or the command's own. 0, or an exit code
 * with its message printed. */
int format_choose(const struct settings *s, enum format *ret);

#endif
