/*
 * What is written: the library's formats and the command's own, by name, suffix and command; without
 * any of these the command's first one is written. A suffix that looks like a format, but is
 * none that the command writes, is an error: else people would find an SVG in out.png. A table
 * says how other programs make such a format of one of ours.
 */
#include "cli/format.h"

#include <flamefold_chart.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/terminal.h"

/* A command of nobody: formats for a browser or a terminal. */
enum { SEEN = 1 << 30 };

static const struct format own_formats[] = {
	{ "text", ".txt", COMMAND_INFO | COMMAND_TOP | COMMAND_TREE, NULL },
	{ "json", ".json", COMMAND_INFO | COMMAND_TOP, NULL },
	{ "csv", ".csv", COMMAND_TOP, NULL },
};

/* The @i'th there is; the first one of a command is its default. False: there are no more. */
static bool format_at(size_t i, struct format *ret)
{
	const struct ff_format *f = ff_format_next(NULL);

	while (f && i > 0) {
		f = ff_format_next(f);
		i--;
	}
	if (!f && i >= sizeof(own_formats) / sizeof(*own_formats))
		return false;
	if (!f) {
		*ret = own_formats[i];
		return true;
	}
	*ret = (struct format){
		.name = ff_format_text(f, FF_FORMAT_NAME),
		.suffixes = ff_format_text(f, FF_FORMAT_SUFFIXES),
		.commands = COMMAND_GRAPH | COMMAND_RECORD | COMMAND_ARCHIVE,
		.of_profile = f,
	};
	if (ff_format_traits(f) & FF_FORMAT_LINES)
		ret->commands |= COMMAND_FOLD;
	if (ff_format_traits(f) & (FF_FORMAT_PICTURE | FF_FORMAT_LINES))
		ret->commands |= COMMAND_DIFF | SEEN;
	/* The one of another program that has two sides. */
	if (strcmp(ret->name, "pprof") == 0)
		ret->commands |= COMMAND_DIFF;
	if (!(ff_format_traits(f) & FF_FORMAT_PICTURE))
		ret->commands |= COMMAND_EXPORT;
	if (strcmp(ret->name, "ff") == 0)
		ret->commands |= COMMAND_MERGE;
	return true;
}

bool format_has_chart(const struct format *f)
{
	return f->of_profile && ff_format_traits(f->of_profile) & FF_FORMAT_CHART;
}

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

static bool has_suffix(const char *path, const struct format *f)
{
	const char *behind = suffix_of(path);
	char suffix[32];
	size_t size;

	/* ".svg" is the end of the whole name; "_folded" is how the word behind the last dot
	 * may end, as in "out.cycles_folded". */
	for (const char *p = f->suffixes; *p; p += size + strspn(p + size, " ")) {
		size = strcspn(p, " ");
		snprintf(suffix, sizeof(suffix), "%.*s", (int)size, p);
		if (*p == '.' ? ends_with(path, suffix)
			      : behind && ends_with(behind, suffix))
			return true;
	}
	return false;
}

static bool has_name(const char *name, const struct format *f)
{
	return strcasecmp(name, f->name) == 0;
}

/* The first one that fits and is the command's, or any that fits. False: none. The latter
 * is for the message: "out.json" is named like a format, but not of this command. */
static bool find_format(const char *text,
			bool (*fits)(const char *, const struct format *), unsigned bit,
			struct format *ret)
{
	struct format f;
	bool found = false;

	for (size_t i = 0; format_at(i, &f); i++) {
		if (!fits(text, &f))
			continue;
		*ret = f;
		found = true;
		if (f.commands & bit)
			break;
	}
	return found;
}

void format_list(unsigned commands, const char *between, const char *last, char *list,
		 size_t size)
{
	struct format f;
	size_t used = 0, left = 0;

	for (size_t i = 0; format_at(i, &f); i++)
		left += f.commands & commands ? 1 : 0;
	*list = '\0';
	/* snprintf() says what it would have written, so a list that is full ends the
	 * loop. */
	for (size_t i = 0; format_at(i, &f) && used < size; i++)
		if (f.commands & commands)
			used += (size_t)snprintf(list + used, size - used, "%s%s", f.name,
						 --left > 1 ? between
						 : left	    ? last
							    : "");
}

void format_words(unsigned command, char *list, size_t size)
{
	/* Those that are for a browser or a terminal: others are listed by the command of their own. */
	bool all = !(command & (COMMAND_GRAPH | COMMAND_RECORD | COMMAND_ARCHIVE));

	format_list(all ? command : SEEN, ", ", all ? " or " : ", ", list, size);
	if (!all)
		snprintf(list + strlen(list), size - strlen(list),
			 " or what 'export' writes");
}

static bool writes_json(unsigned command)
{
	struct format f;
	bool found = false;

	for (size_t i = 0; !found && format_at(i, &f); i++)
		found = f.commands & command && ends_with(f.suffixes, ".json");
	return found;
}

/* @path has a suffix, and it is of no format. */
static int refuse_suffix(const struct settings *s, const char *suffix, const char *list)
{
	char stem[1024], how[2200];
	const char *path = s->output;

	snprintf(stem, sizeof(stem), "%.*s", (int)(suffix - 1 - path), path);
	if (strcasecmp(suffix, "json") == 0 && s->command->bit == COMMAND_DIFF)
		return usage_error("'%s' is named like JSON, but '%s' writes %s, and its "
				   "table, --table=json, to standard output",
				   path, s->command->name, list);
	/* Many formats are JSON. */
	if (strcasecmp(suffix, "json") == 0 && writes_json(s->command->bit))
		return usage_error("'%s' could be of several formats: name one, like "
				   "-f speedscope or %s.speedscope.json; '%s' writes %s",
				   path, stem, s->command->name, list);
	/* What other programs make of ours has a remedy; a suffix that is only a name is
	 * free with -f. */
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
	/* Of merge -f is a list of inputs. */
	return usage_error("'%s' is named like %s, but '%s' writes %s%s", path, suffix,
			   s->command->name, list,
			   s->command->bit == COMMAND_MERGE
				   ? ""
				   : ": -f FORMAT writes it under any name");
}

int format_choose(const struct settings *s, struct format *ret)
{
	unsigned bit = s->command->bit;
	struct format f;
	bool found = false;
	const char *suffix;
	char list[FORMAT_LIST_MOST];

	format_words(bit, list, sizeof(list));
	/* --format wins over the name; without either the command's first one is written. */
	if (s->format) {
		found = find_format(s->format, has_name, bit, &f);
		if (!found || !(f.commands & bit))
			return usage_error(
				"option '--format' takes %s for '%s', not '%s'", list,
				s->command->name, s->format);
	} else if (s->output) {
		found = find_format(s->output, has_suffix, bit, &f);
		if (found && !(f.commands & bit) && strcasecmp(f.suffixes, ".json") == 0)
			found = false;
		if (found && !(f.commands & bit))
			return usage_error("'%s' is named like %s, but '%s' writes %s",
					   s->output, f.name, s->command->name, list);
		suffix = found ? NULL : suffix_of(s->output);
		if (suffix)
			return refuse_suffix(s, suffix, list);
	}
	if (!found && bit == COMMAND_EXPORT)
		return usage_error("say for which program: -f FORMAT is %s", list);
	for (size_t i = 0; !found && format_at(i, &f); i++)
		found = f.commands & bit;
	*ret = f;
	return 0;
}

bool format_is_stored(const struct format *f)
{
	return f->of_profile && strcmp(f->name, "ff") == 0;
}
