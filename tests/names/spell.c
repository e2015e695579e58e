/*
 * spell FORM: names from standard input, a line each, as flamefold would write them. FORM is
 * perf, short or full; with merge behind it without what compilers append for clones. FORM may
 * be shorten, too: names that are written out, with those of the C++ library in short.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/spelling.h"
#include "symbol/standard.h"
#include "symbol/tidy.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum demangle_form form;
	} forms[] = { { "perf", DEMANGLE_PERF },
		      { "short", DEMANGLE_SHORT },
		      { "full", DEMANGLE_FULL } };
	struct spelling spelling = { .form = DEMANGLE_NO, .merge_clones = argc > 2 };
	const bool shorten = argc > 1 && strcmp(argv[1], "shorten") == 0;
	struct text name = { 0 };
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(argv[1], forms[i].name) == 0)
			spelling.form = forms[i].form;
	if (spelling.form == DEMANGLE_NO && !shorten)
		return 2;
	while ((size = getline(&line, &room, stdin)) > 0) {
		text_clear(&name);
		spell(&spelling, line, (size_t)size - (line[size - 1] == '\n'), &name);
		if (shorten)
			standard_shorten(&name, 0);
		puts(name.bytes ? name.bytes : "");
	}
	text_release(&name);
	free(line);
	return 0;
}
