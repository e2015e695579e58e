/*
 * What the library has found, as sentences. Commands in them name the input, so that they can be
 * typed as they stand.
 */
#include "cli/finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word as a shell reads it. */
static void put_shell_word(const char *word, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+@%=";

	/* A name that begins with "-" would be taken for an option. */
	if (*word && word[strspn(word, plain)] == '\0') {
		fprintf(out, "%s%s", *word == '-' ? "./" : "", word);
		return;
	}
	/* Nothing is special between single quotes, but they themselves. */
	putc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			putc(*word, out);
	putc('\'', out);
}

/*
 * The cause and the remedy, in which FILE stands for the input. NULL: without memory.
 *
 *	CAUSE, 'flamefold info FILE'  ->  CAUSE: flamefold info 'my perf.data'
 */
static char *cause_and_remedy(const struct ff_finding *f, const char *cause,
			      const char *file)
{
	static const char word[] = "FILE";
	const char *remedy = ff_finding_text(f, FF_FINDING_REMEDY), *at;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(cause, out);
	if (remedy) {
		fputs(*cause ? ": " : "", out);
		while (file && (at = strstr(remedy, word))) {
			fwrite(remedy, 1, (size_t)(at - remedy), out);
			put_shell_word(file, out);
			remedy = at + sizeof(word) - 1;
		}
		fputs(remedy, out);
	}
	fclose(out);
	return text;
}

char *finding_sentence(const struct ff_finding *f, const char *file)
{
	return cause_and_remedy(f, ff_finding_text(f, FF_FINDING_CAUSE), file);
}

char *finding_commands(const struct ff_finding *f, const char *file)
{
	return ff_finding_text(f, FF_FINDING_REMEDY) ? cause_and_remedy(f, "", file)
						     : NULL;
}

const char *finding_file(const struct ff_profile *p)
{
	const struct ff_input *in = ff_input_next(p, NULL);
	const char *path = in ? ff_input_text(in, FF_INPUT_PATH) : NULL;
	const char *form = in ? ff_input_text(in, FF_INPUT_FORM) : NULL;

	/* What came by a pipe, or was sampled just now, cannot be read again. */
	if (!path || strcmp(path, "-") == 0 || (form && strcmp(form, "live") == 0))
		return NULL;
	return path;
}
