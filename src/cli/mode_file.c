#include "cli/mode_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_MOST = 64 };

/* What is read, and where. */
struct reading {
	struct mode_file *file;
	size_t line; /* from 1 */
	size_t room; /* for a rule: of all that is in the file */
	size_t used; /* of it by the last one */
	char *why;
	size_t why_size;
};

static int __attribute__((format(printf, 2, 3)))
refuse_line(struct reading *r, const char *format, ...)
{
	int size = snprintf(r->why, r->why_size, "line %zu: ", r->line);
	va_list args;

	va_start(args, format);
	if ((size_t)size < r->why_size)
		vsnprintf(r->why + size, r->why_size - (size_t)size, format, args);
	va_end(args);
	return -EINVAL;
}

static struct own_mode *last_mode(struct reading *r)
{
	return r->file->count ? &r->file->modes[r->file->count - 1] : NULL;
}

/* Its rule begins with the lines that are before it, which are empty. */
static int add_mode(struct reading *r, const char *name, size_t size)
{
	struct own_mode *modes, *m;

	if (r->file->count == MODE_FILE_MODES_MOST)
		return refuse_line(r, "there are more than %d modes",
				   MODE_FILE_MODES_MOST);
	for (size_t i = 0; i < r->file->count; i++)
		if (strlen(r->file->modes[i].name) == size &&
		    strncasecmp(r->file->modes[i].name, name, size) == 0)
			return refuse_line(r, "there are two modes '%.*s'", (int)size,
					   name);
	modes = realloc(r->file->modes, (r->file->count + 1) * sizeof(*modes));
	if (!modes)
		return -ENOMEM;
	r->file->modes = modes;
	m = &modes[r->file->count++];
	*m = (struct own_mode){ .name = strndup(name, size), .rule = malloc(r->room) };
	if (!m->name || !m->rule)
		return -ENOMEM;
	r->used = r->line - 1;
	memset(m->rule, '\n', r->used);
	m->rule[r->used] = '\0';
	return 0;
}

/* What stands behind the word at the beginning of a line; NULL: another word does. */
static const char *behind_word(const char *line, size_t size, const char *word,
			       size_t *ret)
{
	size_t skip = strlen(word);

	if (size < skip || memcmp(line, word, skip) != 0 ||
	    (size > skip && !isspace((unsigned char)line[skip])))
		return NULL;
	while (skip < size && isspace((unsigned char)line[skip]))
		skip++;
	*ret = size - skip;
	return line + skip;
}

static int take_mode_line(struct reading *r, const char *line, size_t size)
{
	struct own_mode *m = last_mode(r);
	const char *value;
	size_t length;
	char **text = NULL;

	value = behind_word(line, size, "mode", &length);
	if (value) {
		for (size_t i = 0; i < length; i++)
			if (!isalnum((unsigned char)value[i]) && value[i] != '_' &&
			    value[i] != '-')
				length = 0;
		if (length == 0 || length > NAME_MOST)
			return refuse_line(
				r, "the name of a mode has letters, digits, - and _");
		if (m && !*m->name)
			return refuse_line(
				r, "what is before the first mode belongs to none");
		size = 0;
		if (add_mode(r, value, length) < 0)
			return *r->why ? -EINVAL : -ENOMEM;
	} else if (!m && size && *line != '#' && add_mode(r, "", 0) < 0) {
		return -ENOMEM;
	}
	m = last_mode(r);
	if (!m)
		return 0;
	if ((value = behind_word(line, size, "question", &length)))
		text = &m->question;
	else if ((value = behind_word(line, size, "colors", &length)))
		text = &m->colors;
	else if ((value = behind_word(line, size, "title", &length)))
		text = &m->title;
	if (text) {
		if (*text || length == 0)
			return refuse_line(r, *text ? "it is said twice"
						    : "what it is is not said");
		*text = strndup(value, length);
		size = 0;
		if (!*text)
			return -ENOMEM;
	}
	memcpy(m->rule + r->used, line, size);
	r->used += size;
	memcpy(m->rule + r->used++, "\n", 2);
	return 0;
}

int mode_file_parse(const char *text, size_t size, struct mode_file *ret, char *why,
		    size_t why_size)
{
	struct reading r = {
		.file = ret, .room = size + 2, .why = why, .why_size = why_size
	};
	const char *end = text + size;
	int err = 0;

	*ret = (struct mode_file){ 0 };
	*why = '\0';
	while (text < end && err == 0) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const char *line = text, *last = stop ? stop : end;

		r.line++;
		if (memchr(line, '\0', (size_t)(last - line)))
			return refuse_line(&r, "this is no text");
		while (line < last && isspace((unsigned char)*line))
			line++;
		while (line < last && isspace((unsigned char)last[-1]))
			last--;
		err = take_mode_line(&r, line, (size_t)(last - line));
		text = stop ? stop + 1 : end;
	}
	r.line += r.line == 0;
	if (err == 0 && ret->count == 0)
		return refuse_line(&r, "there is no mode in it");
	return err;
}

void mode_file_release(struct mode_file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		free(file->modes[i].name);
		free(file->modes[i].question);
		free(file->modes[i].colors);
		free(file->modes[i].title);
		free(file->modes[i].rule);
	}
	free(file->modes);
	*file = (struct mode_file){ 0 };
}
