/*
 * "ID PARENT MAJ:MIN ROOT PLACE OPTIONS [TAG]... - TYPE SOURCE OPTIONS": between the options of the
 * mount and the dash are any number of tags. Blanks, tabs, newlines and backslashes of a path
 * are written as "\040" and the like.
 */
#include "base/mounts.h"

#include <stddef.h>
#include <string.h>

static void unescape_octal(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' &&
		    p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			*to = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 |
				     (p[3] - '0'));
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

static bool take_words(char *text, char **ret, size_t count)
{
	char *save = NULL;

	for (size_t i = 0; i < count; i++) {
		ret[i] = strtok_r(i ? NULL : text, " ", &save);
		if (!ret[i])
			return false;
	}
	return true;
}

bool mount_line_read(char *line, struct mount_line *ret)
{
	enum { ROOT = 3, PLACE, BEFORE, TYPE = 0, OPTIONS = 2, BEHIND };
	char *rest = strstr(line, " - "), *before[BEFORE], *behind[BEHIND];

	if (!rest)
		return false;
	*rest = '\0';
	if (!take_words(line, before, BEFORE) || !take_words(rest + 3, behind, BEHIND))
		return false;
	unescape_octal(before[ROOT]);
	unescape_octal(before[PLACE]);
	*ret = (struct mount_line){ before[ROOT], before[PLACE], behind[TYPE],
				    behind[OPTIONS] };
	return true;
}

bool mount_has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (strncmp(p, word, size) == 0 && (p[size] == ',' || !p[size]))
			return true;
	}
	return false;
}
