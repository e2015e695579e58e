/*
 * A table for programs: JSON, and CSV as RFC 4180 has it; and as text for people, with a line below it
 * of what it leaves out.
 */
#include "cli/listing.h"

#include <string.h>

#include "cli/json.h"
#include "cli/summary.h"
#include "cli/terminal.h"

static size_t rows_of(const struct listing *l)
{
	size_t shown = listing_shown(l);

	return shown < l->most ? shown : l->most;
}

static void put_json(const struct listing *l, const struct page *page)
{
	struct json j = { .out = page->out };
	const char *name = listing_word(l->by);

	json_open(&j, NULL, '{');
	json_text(&j, "unit", page->unit.name);
	json_text(&j, "events", page->unit.events);
	json_number(&j, "decimals", page->unit.decimals);
	json_number(&j, "total", page->total);
	json_text(&j, "by", name);
	json_open(&j, "rows", '[');
	for (size_t i = 0, end = rows_of(l); i < end; i++) {
		const struct ff_table_row *row = &l->rows[i];

		json_open(&j, NULL, '{');
		json_text(&j, name, row->name);
		if (l->by == FF_TABLE_LINE)
			json_text(&j, "function", row->function);
		if (l->by == FF_TABLE_LINE || l->by == FF_TABLE_FUNCTION)
			json_text(&j, "module", row->module);
		json_number(&j, "self", row->self);
		json_number(&j, "total", row->total);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}

/* RFC 4180: a '"' within quotes is written twice. Bytes are replaced as in the table that export
 * writes. */
static void put_field(FILE *out, const char *text)
{
	putc('"', out);
	for (size_t size; text && *text; text += size ?: 1) {
		size = ff_utf8_size(text);
		if (*text == '"')
			putc('"', out);
		if (size == 0 || control_size(text))
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(text, 1, size, out);
	}
	putc('"', out);
}

static void put_csv(const struct listing *l, const struct page *page)
{
	FILE *out = page->out;
	bool lines = l->by == FF_TABLE_LINE;

	fprintf(out, "%s,%smodule,self,total,self_percent,total_percent\r\n",
		listing_word(l->by), lines ? "function," : "");
	for (size_t i = 0, end = rows_of(l); i < end; i++) {
		const struct ff_table_row *row = &l->rows[i];

		put_field(out, row->name);
		putc(',', out);
		if (lines) {
			put_field(out, row->function);
			putc(',', out);
		}
		put_field(out, row->module);
		fprintf(out, ",%s,%s,%.4f,%.4f\r\n", weight_text(page, row->self),
			weight_text(page, row->total), share(row->self, page->total),
			share(row->total, page->total));
	}
}

void listing_write(struct listing *l, const char *format, const struct page *page)
{
	enum { ROWS = 30 }; /* where nobody says how many */
	bool json = strcmp(format, "json") == 0, csv = strcmp(format, "csv") == 0;
	uint64_t hidden;
	size_t rest;

	if (!l->most)
		l->most = json || csv	     ? SIZE_MAX
			  : page->height > 8 ? page->height - 5
					     : ROWS;
	if (json || csv) {
		(json ? put_json : put_csv)(l, page);
		return;
	}
	put_heading(page);
	listing_put(l, page);
	hidden = listing_hidden(l, &rest);
	if (rest)
		fprintf(page->out, "# %s more, which have %s themselves (-n N)\n",
			grouped(rest), percent(hidden, page->total));
}
