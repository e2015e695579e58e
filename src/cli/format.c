/*
 * A table of formats, by name, suffix and command; without any of these the command's
 * first one is written. A suffix that looks like a format, but is none that the command
 * writes, is an error: else people would find an SVG in out.png. A second table says how
 * other programs make such a format of one of ours.
 */
#include "cli/format.h"

#include <ctype.h>
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

/* What people ask for that is not written here, and how they get it. */
static const struct {
	const char *suffix;
	const char *how; /* %1$s: the name without the suffix */
} others[] = {
	{ "png", "write %1$s.svg, and rsvg-convert -o %1$s.png %1$s.svg" },
	{ "pdf", "write %1$s.svg, and rsvg-convert -f pdf -o %1$s.pdf %1$s.svg" },
	{ "ps", "write %1$s.svg, and rsvg-convert -f ps -o %1$s.ps %1$s.svg" },
	{ "eps", "write %1$s.svg, and rsvg-convert -f eps -o %1$s.eps %1$s.svg" },
	{ "jpg", "write %1$s.svg, and rsvg-convert -o %1$s.png %1$s.svg" },
	{ "jpeg", "write %1$s.svg, and rsvg-convert -o %1$s.png %1$s.svg" },
	{ "gif", "write %1$s.svg, and rsvg-convert -o %1$s.png %1$s.svg" },
	{ "webp", "write %1$s.svg, and rsvg-convert -o %1$s.png %1$s.svg" },
	{ "svgz", "-o - | gzip >%1$s.svgz" },
	{ "gz", "-o - | gzip >%1$s.gz" },
	{ "zst", "-o - | zstd >%1$s.zst" },
	{ "xz", "-o - | xz >%1$s.xz" },
};

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path), end = strlen(suffix);

	return size > end && strcasecmp(path + size - end, suffix) == 0;
}

/* What a name ends in that would be a format: letters and digits behind the last dot, a letter
 * first. Not so "cpu.20261120", ".profile" and "/dev/fd/3". NULL: nothing. */
static const char *suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.'), *p = dot ? dot + 1 : NULL;

	if (!dot || dot == name || !isalpha((unsigned char)*p))
		return NULL;
	while (isalnum((unsigned char)*p) || *p == '_' || *p == '-')
		p++;
	return *p ? NULL : dot + 1;
}

/* As FlameGraph and async-profiler name it: "out.kern_folded", "out.perf-folded". */
static bool is_folded(const char *suffix)
{
	return ends_with(suffix, "_folded") || ends_with(suffix, "-folded") ||
	       strcasecmp(suffix, "collapsed") == 0;
}

static bool has_suffix(const char *path, enum format f)
{
	const char *suffix = suffix_of(path);

	if (f == FORMAT_FOLDED && suffix && is_folded(suffix))
		return true;
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

/* @path has a suffix, and it is of no format. */
static int refuse_suffix(const struct settings *s, const char *suffix, const char *list)
{
	char stem[1024], how[2200];
	const char *path = s->output;

	snprintf(stem, sizeof(stem), "%.*s", (int)(suffix - 1 - path), path);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcasecmp(suffix, others[i].suffix))
			continue;
		snprintf(how, sizeof(how), others[i].how, stem);
		return usage_error("'%s' is named like %s, but '%s' writes %s: %s", path,
				   suffix, s->command->name, list, how);
	}
	if (strcasecmp(suffix, "data") == 0)
		return usage_error("'%s' is named like a recording, but '%s' writes %s",
				   path, s->command->name, list);
	return usage_error("'%s' is named like %s, but '%s' writes %s: -f FORMAT writes "
			   "it under any name",
			   path, suffix, s->command->name, list);
}

int format_choose(const struct settings *s, enum format *ret)
{
	unsigned bit = s->command->bit;
	enum format f = FORMATS;
	const char *suffix;
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
		suffix = f == FORMATS ? suffix_of(s->output) : NULL;
		if (suffix)
			return refuse_suffix(s, suffix, list);
	}
	for (enum format first = 0; f == FORMATS; first++)
		if (formats[first].commands & bit)
			f = first;
	*ret = f;
	return 0;
}
