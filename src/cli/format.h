#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/settings.h"

/* One that some command writes. */
struct format {
	const char *name, *suffixes; /* as FF_FORMAT_NAME and FF_FORMAT_SUFFIXES */
	unsigned commands; /* of enum command_bit: those that write it */
	const struct ff_format *of_profile; /* NULL: of what info tells */
};

static inline bool format_is_picture(const struct format *f)
{
	return f->of_profile && ff_format_traits(f->of_profile) & FF_FORMAT_PICTURE;
}

static inline bool format_is_lines(const struct format *f)
{
	return f->of_profile && ff_format_traits(f->of_profile) & FF_FORMAT_LINES;
}

/* A profile file. */
bool format_is_stored(const struct format *f);

/* It can be what threads did when. */
bool format_has_chart(const struct format *f);

enum { FORMAT_LIST_MOST = 256 };

/* It is another program's, with places for kinds of frames and where they are declared. */
static inline bool format_has_frames(const struct format *f)
{
	return f->of_profile && ff_format_traits(f->of_profile) & FF_FORMAT_FRAMES;
}

/* Names of the formats that one of the commands writes, with @between two of them and @last
 * before the last. */
void format_list(unsigned commands, const char *between, const char *last, char *list,
		 size_t size);

/* The same in words, for a message: "svg, html, folded or what 'export' writes". */
void format_words(unsigned command, char *list, size_t size);

/* By --format, by the suffix of the output, or the command's own. 0, or an exit code
 * with its message printed. */
int format_choose(const struct settings *s, struct format *ret);

#endif
