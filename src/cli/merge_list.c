/*
 * Lists of inputs are as long as an archive: they come by lines, or, as find -print0 writes them, with a
 * NUL behind each.
 */
#include "cli/merge_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis.h"
#include "cli/terminal.h"

static int no_list_memory(void)
{
	say("out of memory");
	return EXIT_INPUT;
}

/* All of a file, with a NUL behind it; NULL without memory. A part of a list is none: ferror(). */
static char *read_whole(FILE *in, size_t *size)
{
	size_t room = 0;
	char *text = NULL;

	for (*size = 0;;) {
		char *more;
		size_t got;

		if (room - *size < 2) {
			room = room ? 2 * room : 1 << 16;
			more = realloc(text, room);
			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
		got = fread(text + *size, 1, room - 1 - *size, in);
		*size += got;
		if (!got)
			break;
	}
	text[*size] = '\0';
	return text;
}

int merge_list_read(const struct settings *s, size_t words, struct merge_list *ret)
{
	const char *const *named = s->inputs + words;
	size_t size = 0, count = s->input_count - words, names = 1;
	bool standard = s->merge.list && strcmp(s->merge.list, "-") == 0;
	int code = 0;
	char end = '\n';

	*ret = (struct merge_list){ 0 };
	if (s->merge.list) {
		FILE *in = standard ? stdin : fopen(s->merge.list, "re");

		if (!in) {
			say("cannot open '%s': %s", s->merge.list, strerror(errno));
			return EXIT_INPUT;
		}
		ret->text = read_whole(in, &size);
		if (ret->text && ferror(in)) {
			say("cannot read '%s': %s", s->merge.list, strerror(errno));
			code = EXIT_INPUT;
		}
		if (!standard)
			fclose(in);
		if (!ret->text)
			return no_list_memory();
	} else if (!words && (!s->merge.watch || count)) {
		/* Nobody waits for what is named by nothing but its directory. */
		code = choose_inputs(s, &named, &count);
	}
	if (code)
		return code;
	/* A NUL in it, as find -print0 writes them, says that lines mean nothing. */
	if (size && memchr(ret->text, '\0', size))
		end = '\0';
	for (size_t i = 0; i < size; i++)
		names += ret->text[i] == end;
	ret->inputs = calloc(count + names, sizeof(*ret->inputs));
	if (!ret->inputs)
		return no_list_memory();
	memcpy(ret->inputs, named, count * sizeof(*named));
	ret->count = count;
	/* Names of --from stand behind those of the command line. */
	for (char *p = ret->text; p && p < ret->text + size;) {
		char *stop = memchr(p, end, (size_t)(ret->text + size - p));

		stop = stop ? stop : ret->text + size;
		*stop = '\0';
		if (*p)
			ret->inputs[ret->count++] = p;
		p = stop + 1;
	}
	if (s->merge.list && ret->count == 0) {
		say("'%s' names no inputs", s->merge.list);
		return EXIT_INPUT;
	}
	return 0;
}

void merge_list_release(struct merge_list *list)
{
	free(list->inputs);
	free(list->text);
	*list = (struct merge_list){ 0 };
}
