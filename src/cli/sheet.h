#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "cli/output.h"
#include "cli/settings.h"

/*
 * Rows of a few columns: aligned text with a heading, CSV, or an array of JSON. Names that somebody else
 * chose are printed without control characters.
 */
struct sheet_column {
	const char *name;
	int width; /* of text; negative: to the right; 0: the last one, as it is */
	enum { SHEET_WORDS, SHEET_NUMBER, SHEET_LIST } kind;
};

struct sheet {
	const struct sheet_column *columns;
	size_t count;
	enum { SHEET_TEXT, SHEET_CSV, SHEET_JSON } form;
	size_t rows;
	const char *
		list; /* of the next row, for JSON: each text with a NUL behind it, "" at the end */
	struct output out;
};

/* By --format, or the suffix of the output; text. 0, or an exit code with its message printed. */
int sheet_open(struct sheet *l, const struct settings *s);
/* A cell for each column; of a number "": it is not known. */
void sheet_row(struct sheet *l, const char *const *cells);
int sheet_close(struct sheet *l);

#endif
