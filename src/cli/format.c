#include "cli/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal.h"

static const struct {
	const char *name;
	const char *suffixes[2];
	unsigned commands; /* the first format of a command is its default */
} formats[FORMATS] = {
	[FORMAT_SVG] = { "svg", { ".svg" }, COMMAND_GRAPH | COMMAND_RECORD },
	[FORMAT_HTML] = { "html", { ".html", ".htm" }, COMMAND_GRAPH | COMMAND_RECORD },
	[FORMAT_FOLDED] = { "folded",
			    { ".folded", ".txt" },
			    COMMAND_GRAPH | COMMAND_FOLD | COMMAND_RECORD },
	[FORMAT_TEXT] = { "text", { ".txt" }, COMMAND_INFO },
	[FORMAT_JSON] = { "json", { ".json" }, COMMAND_INFO },
};

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path), end = strlen(suffix);

	return size > end && strcasecmp(path + size - end, suffix) == 0;
}

static bool has_suffix(const char *path, enum format f)
{
	for (int i = 0; i < 2 && formats[f].suffixes[i]; i++)
		if (ends_with(path, formats[f].suffixes[i]))
			return true;
	return false;
}

static bool has_name(const char *name, enum format f)
{
	return strcasecmp(name, formats[f].name) == 0;
}

/* The first one that fits and is the command's, or any that fits, or FORMATS. */
static enum format find(const char *text, bool (*fits)(const char *, enum format),
			unsigned bit)
{
	enum format other = FORMATS;

	for (enum format f = 0; f < FORMATS; f++) {
		if (!fits(text, f))
			continue;
		if (formats[f].commands & bit)
			return f;
		other = f;
	}
	return other;
}

static void list_formats(unsigned bit, char *list, size_t size)
{
	size_t used = 0, left = 0;

	for (enum format f = 0; f < FORMATS; f++)
		left += formats[f].commands & bit ? 1 : 0;
	for (enum format f = 0; f < FORMATS; f++)
		if (formats[f].commands & bit)
			used += (size_t)snprintf(list + used, size - used, "%s%s",
						 formats[f].name,
						 --left > 1 ? ", "
						 : left	    ? " or "
							    : "");
}

int format_choose(const struct settings *s, enum format *ret)
{
	unsigned bit = s->command->bit;
	enum format f = FORMATS;
	char list[64];

	list_formats(bit, list, sizeof(list));
	if (s->format) {
		f = find(s->format, has_name, bit);
		if (f == FORMATS || !(formats[f].commands & bit))
			return usage_error(
				"option '--format' takes %s for '%s', not '%s'", list,
				s->command->name, s->format);
	} else if (s->output) {
		f = find(s->output, has_suffix, bit);
		if (f != FORMATS && !(formats[f].commands & bit))
			return usage_error("'%s' is named like %s, but '%s' writes %s",
					   s->output, formats[f].name, s->command->name,
					   list);
	}
	for (enum format first = 0; f == FORMATS; first++)
		if (formats[first].commands & bit)
			f = first;
	*ret = f;
	return 0;
}
