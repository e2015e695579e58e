/*
 * What the library has found, as sentences. Commands in them name the input, so that they can be
 * typed as they stand.
 */
#include "cli/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word as a shell reads it. */
static void put_word(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+@%=";

	if (*word && word[strspn(word, plain)] == '\0') {
		fprintf(out, "%s%s", *word == '-' ? "./" : "", word);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

static void put_commands(const struct ff_finding *f, const char *file, FILE *out)
{
	static const char word[] = "FILE";
	const char *text = ff_finding_text(f, FF_FINDING_REMEDY), *at;

	while (file && (at = strstr(text, word))) {
		fwrite(text, 1, (size_t)(at - text), out);
		put_word(file, out);
		text = at + sizeof(word) - 1;
	}
	fputs(text, out);
}

static char *print(const struct ff_finding *f, const char *cause, const char *file)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(cause, out);
	if (ff_finding_text(f, FF_FINDING_REMEDY)) {
		fputs(*cause ? ": " : "", out);
		put_commands(f, file, out);
	}
	fclose(out);
	return text;
}

char *finding_sentence(const struct ff_finding *f, const char *file)
{
	return print(f, ff_finding_text(f, FF_FINDING_CAUSE), file);
}

char *finding_commands(const struct ff_finding *f, const char *file)
{
	return ff_finding_text(f, FF_FINDING_REMEDY) ? print(f, "", file) : NULL;
}

const char *finding_file(const struct ff_profile *p)
{
	const struct ff_input *in = ff_input_next(p, NULL);
	const char *path = in ? ff_input_text(in, FF_INPUT_PATH) : NULL;
	const char *form = in ? ff_input_text(in, FF_INPUT_FORM) : NULL;

	if (!path || strcmp(path, "-") == 0 || (form && strcmp(form, "live") == 0))
		return NULL;
	return path;
}
