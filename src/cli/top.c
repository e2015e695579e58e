/*
 * top: functions, modules, processes or lines, the heaviest first; what is their own and what passes
 * through them. Its numbers are those of perf report --no-children (self) and --children (total).
 *
 *	# 123,456,789 cycles
 *	#  self    total          self         total  function  module
 *	 45.20%   99.80%      55802468     123209875  work      prog
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/columns.h"
#include "cli/json.h"
#include "cli/summary.h"
#include "cli/terminal.h"

enum {
	ROWS = 30, /* where nobody says how many */
	BAR = 10, /* characters */
	NUMBER = 13,
	NAME_MOST = 60, /* in a pipe: longer ones stick out, and nothing is cut */
	NAME_LEAST = 16, /* on a terminal, however narrow it is */
	MODULE_MOST = 24,
};

static const char *const by_names[] = {
	[FF_TABLE_FUNCTION] = "function",
	[FF_TABLE_MODULE] = "module",
	[FF_TABLE_COMM] = "comm",
	[FF_TABLE_LINE] = "line",
};

/* The rows that are shown: all but those below --min, up to -n of them. */
struct shown {
	const struct ff_table *table;
	const struct settings *settings;
	size_t most;
	/* As text: of the two columns of it, and what is a whole bar: the largest of the rows. */
	unsigned name_width, beside_width;
	uint64_t bar;
};

static bool next_shown(const struct shown *s, size_t i, struct ff_table_row *ret)
{
	const struct settings *by = s->settings;

	return i < s->most && ff_table_row(s->table, i, ret) &&
	       share(by->order == FF_TABLE_BY_SELF ? ret->self : ret->total,
		     ff_table_total(s->table)) >= by->least;
}

/* What a line says beside its name: its function; of a function its module. */
static const char *beside_name(const struct ff_table_row *row, bool on_terminal)
{
	if (row->function)
		return row->function;
	return on_terminal ? module_name(row->module) : row->module ? row->module : "";
}

static void put_row(const struct page *page, const struct ff_table_row *row,
		    const struct shown *s)
{
	const char *beside = beside_name(row, page->width > 0);

	put_percent(page, row->self);
	fputs("  ", page->out);
	put_percent(page, row->total);
	if (page->width) {
		fputs("  ", page->out);
		put_bar(page, row->self, s->bar, BAR);
	} else {
		fprintf(page->out, "  %*s  %*s", NUMBER, weight_text(page, row->self),
			NUMBER, weight_text(page, row->total));
	}
	fputs("  ", page->out);
	if (!page->width && name_width(row->name) > s->name_width)
		put_clean(page->out, row->name);
	else
		put_name(page, row->name, s->name_width, *beside && s->beside_width);
	if (*beside && s->beside_width) {
		fputs("  ", page->out);
		put_name(page, beside, s->beside_width, false);
	}
	putc('\n', page->out);
}

/* The terminal's width is shared so that modules get what they need, up to
 * a bound, and names the rest. */
static void find_widths(const struct page *page, struct shown *s)
{
	struct ff_table_row row;
	unsigned fixed = 2 * 7 + 3 * 2 + BAR, left;

	for (size_t i = 0; next_shown(s, i, &row); i++) {
		unsigned name = name_width(row.name);
		unsigned beside = name_width(beside_name(&row, page->width > 0));

		s->bar = row.self > s->bar ? row.self : s->bar;
		if (!page->width && name > NAME_MOST)
			name = NAME_MOST;
		s->name_width = name > s->name_width ? name : s->name_width;
		s->beside_width = beside > s->beside_width ? beside : s->beside_width;
	}
	if (!page->width)
		return;
	left = page->width > fixed + NAME_LEAST ? page->width - fixed : NAME_LEAST;
	if (s->name_width + 2 + s->beside_width <= left)
		return;
	if (s->beside_width > MODULE_MOST && s->name_width > left / 2)
		s->beside_width = MODULE_MOST;
	/* Too narrow for both: names are what people look for. */
	if (s->beside_width + 2 + NAME_LEAST > left)
		s->beside_width = 0;
	left -= s->beside_width ? s->beside_width + 2 : 0;
	s->name_width = s->name_width < left ? s->name_width : left;
}

static void put_text(const struct settings *s, const struct ff_table *t,
		     const struct page *page)
{
	size_t usual = page->height > 8 ? page->height - 5 : ROWS;
	struct shown shown = { .table = t, .settings = s, .most = s->most ?: usual };
	struct ff_table_row row;
	uint64_t hidden = 0;
	size_t i = 0, rest = 0;

	put_heading(page);
	fprintf(page->out, "#  self    total  ");
	if (page->width)
		fprintf(page->out, "%*s", BAR, "");
	else
		fprintf(page->out, "%*s  %*s", NUMBER, "self", NUMBER, "total");
	find_widths(page, &shown);
	fprintf(page->out, "  %s", by_names[s->by]);
	if (shown.beside_width)
		fprintf(page->out, "%*s  %s",
			(int)(shown.name_width -
			      strnlen(by_names[s->by], shown.name_width)),
			"", s->by == FF_TABLE_LINE ? "function" : "module");
	putc('\n', page->out);
	for (; next_shown(&shown, i, &row); i++)
		put_row(page, &row, &shown);
	for (; ff_table_row(t, i, &row); i++) {
		hidden += row.self;
		rest++;
	}
	if (rest)
		fprintf(page->out, "# %s more, which have %s themselves (-n N)\n",
			grouped(rest), percent(hidden, page->total));
}

static void put_json(const struct shown *s, const struct page *page)
{
	struct json j = { .out = page->out };
	const char *name = by_names[s->settings->by];
	struct ff_table_row row;

	json_open(&j, NULL, '{');
	json_text(&j, "unit", page->unit.name);
	json_text(&j, "events", page->unit.events);
	json_number(&j, "decimals", page->unit.decimals);
	json_number(&j, "total", page->total);
	json_text(&j, "by", name);
	json_open(&j, "rows", '[');
	for (size_t i = 0; next_shown(s, i, &row); i++) {
		json_open(&j, NULL, '{');
		json_text(&j, name, row.name);
		if (s->settings->by == FF_TABLE_LINE)
			json_text(&j, "function", row.function);
		if (s->settings->by == FF_TABLE_LINE ||
		    s->settings->by == FF_TABLE_FUNCTION)
			json_text(&j, "module", row.module);
		json_number(&j, "self", row.self);
		json_number(&j, "total", row.total);
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

static void put_csv(const struct shown *s, const struct page *page)
{
	FILE *out = page->out;
	struct ff_table_row row;
	bool lines = s->settings->by == FF_TABLE_LINE;

	fprintf(out, "%s,%smodule,self,total,self_percent,total_percent\r\n",
		by_names[s->settings->by], lines ? "function," : "");
	for (size_t i = 0; next_shown(s, i, &row); i++) {
		put_field(out, row.name);
		putc(',', out);
		if (lines) {
			put_field(out, row.function);
			putc(',', out);
		}
		put_field(out, row.module);
		fprintf(out, ",%s,%s,%.4f,%.4f\r\n", weight_text(page, row.self),
			weight_text(page, row.total), share(row.self, page->total),
			share(row.total, page->total));
	}
}

static int put_top(const struct text_job *job, struct ff_profile *p, FILE *out)
{
	const struct settings *s = job->settings;
	struct page page = page_of(p, out);
	struct ff_table *t;
	int err = ff_table_new(p, s->by, s->order, &t);
	struct shown shown;

	if (err < 0)
		return err;
	page.total = ff_table_total(t);
	shown = (struct shown){ .table = t, .settings = s, .most = s->most ?: SIZE_MAX };
	if (strcmp(job->format, "json") == 0)
		put_json(&shown, &page);
	else if (strcmp(job->format, "csv") == 0)
		put_csv(&shown, &page);
	else
		put_text(s, t, &page);
	ff_table_free(t);
	return 0;
}

static int top_run(const struct settings *s)
{
	struct settings wanted = *s;
	struct text_job job = { .settings = &wanted, .put = put_top };

	if (s->by == FF_TABLE_LINE)
		wanted.profile.flags |= FF_SRCLINE;
	return print_text(&job);
}

const struct command command_top = {
	"top",
	"[options] [INPUT...]",
	"print a table of functions, the heaviest first",
	COMMAND_TOP,
	top_run,
};
