#include "cli/sheet.h"

#include <string.h>
#include <strings.h>

#include "cli/columns.h"
#include "cli/terminal.h"

int sheet_open(struct sheet *l, const struct settings *s)
{
	static const char *const forms[] = { "text", "csv", "json" };
	const char *dot = s->output ? strrchr(s->output, '.') : NULL;
	const char *wanted = s->format ? s->format : dot ? dot + 1 : "text";
	size_t i = 0;
	int code;

	while (i < 3 && strcasecmp(wanted, forms[i]) != 0)
		i++;
	if (i == 3 && s->format)
		return usage_error(
			"option '--format' takes text, csv or json for what is "
			"listed, not '%s'",
			wanted);
	/* Any other name is one of text. */
	l->form = i == 3 ? SHEET_TEXT : (unsigned)i;
	l->rows = 0;
	code = output_check(s->output);
	if (code == 0)
		code = output_open(&l->out, s->output);
	return code;
}

static void put_cell(FILE *out, const struct sheet_column *c, const char *cell)
{
	struct page page = { .out = out };
	unsigned size = name_width(cell);
	unsigned width = (unsigned)(c->width < 0 ? -c->width : c->width);

	if (c->width < 0 && size < width)
		fprintf(out, "%*s", (int)(width - size), "");
	if (c->width <= 0 || size >= width)
		put_clean(out, cell);
	else
		put_name(&page, cell, width, true);
}

static void put_csv_cell(FILE *out, const char *cell)
{
	bool quote = cell[strcspn(cell, "\",\r\n")];

	if (quote)
		putc('"', out);
	for (; *cell; cell++) {
		if (*cell == '"')
			putc('"', out);
		putc(*cell, out);
	}
	if (quote)
		putc('"', out);
}

/* What is no UTF-8 is a '?'. */
static void put_json_text(FILE *out, const char *cell)
{
	putc('"', out);
	while (*cell) {
		size_t size = ff_utf8_size(cell);

		if (!size)
			putc('?', out);
		else if (size == 1 && (*cell == '"' || *cell == '\\'))
			fprintf(out, "\\%c", *cell);
		else if (size == 1 && (unsigned char)*cell < ' ')
			fprintf(out, "\\u%04x", (unsigned char)*cell);
		else
			fwrite(cell, 1, size, out);
		cell += size ? size : 1;
	}
	putc('"', out);
}

/* Texts may have blanks in them, so a program needs to see where each ends. */
static void put_json_list(FILE *out, const char *list)
{
	putc('[', out);
	for (const char *at = list; at && *at; at += strlen(at) + 1) {
		fputs(at == list ? "" : ", ", out);
		put_json_text(out, at);
	}
	putc(']', out);
}

static void put_json_cell(struct sheet *l, size_t column, const char *cell)
{
	FILE *out = l->out.stream;

	fprintf(out, "\"%s\": ", l->columns[column].name);
	if (l->columns[column].kind == SHEET_NUMBER)
		fputs(*cell ? cell : "null", out);
	else if (l->columns[column].kind == SHEET_LIST)
		put_json_list(out, l->list);
	else
		put_json_text(out, cell);
}

void sheet_row(struct sheet *l, const char *const *cells)
{
	static const char *const between[] = { "  ", ",", ", " };
	FILE *out = l->out.stream;

	size_t end = l->count;

	/* No blanks at the end of a line. */
	while (l->form == SHEET_TEXT && end > 1 && !*cells[end - 1])
		end--;
	if (l->rows == 0 && l->form == SHEET_JSON)
		fputs("[\n", out);
	for (size_t i = 0; l->rows == 0 && l->form != SHEET_JSON && i < l->count; i++) {
		struct sheet_column c = l->columns[i];
		const char *mark = i == 0 && l->form == SHEET_TEXT ? "# " : "";
		char name[32];

		snprintf(name, sizeof(name), "%s%s", mark, c.name);
		fputs(i ? between[l->form] : "", out);
		if (l->form == SHEET_TEXT)
			put_cell(out, &c, name);
		else
			put_csv_cell(out, name);
	}
	if (l->form == SHEET_JSON)
		fputs(l->rows ? ",\n{ " : "{ ", out);
	else if (l->rows == 0)
		putc('\n', out);
	for (size_t i = 0; i < end; i++) {
		bool unknown = l->columns[i].kind == SHEET_NUMBER && !*cells[i];

		fputs(i ? between[l->form] : "", out);
		if (l->form == SHEET_TEXT && i + 1 == end && l->columns[i].width > 0)
			put_clean(out, cells[i]);
		else if (l->form == SHEET_TEXT)
			put_cell(out, &l->columns[i], unknown ? "-" : cells[i]);
		else if (l->form == SHEET_CSV)
			put_csv_cell(out, cells[i]);
		else
			put_json_cell(l, i, cells[i]);
	}
	fputs(l->form == SHEET_JSON ? " }" : "\n", out);
	l->rows++;
}

int sheet_close(struct sheet *l)
{
	int code;

	if (l->form == SHEET_JSON)
		fputs(l->rows ? "\n]\n" : "[]\n", l->out.stream);
	code = output_close(&l->out, 0, NULL);
	return code == OUTPUT_UNREAD ? 0 : code;
}
