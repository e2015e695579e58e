/*
 * A table as text. In a pipe all columns have their numbers and names are whole; a terminal has a
 * bar in place of numbers, and its width is shared between names and modules.
 *
 *	#  self    total          self         total  function  module
 *	 45.20%   99.80%      55802468     123209875  work      prog
 */
#include "cli/listing.h"

#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

enum {
	BAR = 10, /* characters */
	NUMBER = 13,
	NAME_MOST = 60, /* in a pipe: longer ones stick out, and nothing is cut */
	NAME_LEAST = 16, /* on a terminal, however narrow it is */
	MODULE_MOST = 24,
};

/* Of the two columns of text, and what is a whole bar. */
struct widths {
	unsigned name, beside;
	uint64_t bar;
};

const char *listing_word(enum ff_table_by by)
{
	static const char *const words[] = {
		[FF_TABLE_FUNCTION] = "function",
		[FF_TABLE_MODULE] = "module",
		[FF_TABLE_COMM] = "comm",
		[FF_TABLE_LINE] = "line",
	};

	return words[by];
}

struct ff_table_row *table_rows(const struct ff_table *t, size_t *count)
{
	struct ff_table_row *rows = NULL, row = { 0 };
	size_t room = 0;

	*count = 0;
	do {
		if (*count == room) {
			size_t more = room ? 2 * room : 64;
			struct ff_table_row *grown =
				reallocarray(rows, more, sizeof(row));

			if (!grown) {
				free(rows);
				return NULL;
			}
			rows = grown;
			room = more;
		}
		rows[*count] = row;
	} while (ff_table_row(t, *count, &rows[*count]) && ++*count);
	return rows;
}

size_t listing_shown(const struct listing *l)
{
	size_t i = 0;

	while (i < l->count &&
	       share(l->order == FF_TABLE_BY_SELF ? l->rows[i].self : l->rows[i].total,
		     l->total) >= l->least)
		i++;
	return i;
}

/* The row behind the last one that is printed. */
static size_t end_of(const struct listing *l)
{
	size_t shown = listing_shown(l);

	if (l->first >= shown)
		return l->first;
	return shown - l->first > l->most ? l->first + l->most : shown;
}

uint64_t listing_hidden(const struct listing *l, size_t *count)
{
	size_t end = end_of(l);
	uint64_t sum = 0;

	for (size_t i = end; i < l->count; i++)
		sum += l->rows[i].self;
	*count = l->count > end ? l->count - end : 0;
	return sum;
}

/* What a line says beside its name: its function; of a function its module. */
static const char *beside_name(const struct ff_table_row *row, bool on_terminal)
{
	if (row->function)
		return row->function;
	return on_terminal ? module_name(row->module) : row->module ? row->module : "";
}

/* Modules get what they need, up to a bound, and names the rest. */
static struct widths find_widths(const struct listing *l, const struct page *page)
{
	unsigned fixed = 2 * 7 + 3 * 2 + BAR, left;
	struct widths w = { 0 };

	for (size_t i = l->first, end = end_of(l); i < end; i++) {
		const struct ff_table_row *row = &l->rows[i];
		unsigned name = name_width(row->name);
		unsigned beside = name_width(beside_name(row, page->width > 0));

		w.bar = row->self > w.bar ? row->self : w.bar;
		if (!page->width && name > NAME_MOST)
			name = NAME_MOST;
		w.name = name > w.name ? name : w.name;
		w.beside = beside > w.beside ? beside : w.beside;
	}
	if (!page->width)
		return w;
	left = page->width > fixed + NAME_LEAST ? page->width - fixed : NAME_LEAST;
	if (w.name + 2 + w.beside <= left)
		return w;
	if (w.beside > MODULE_MOST && w.name > left / 2)
		w.beside = MODULE_MOST;
	/* Too narrow for both: names are what people look for. */
	if (w.beside + 2 + NAME_LEAST > left)
		w.beside = 0;
	left -= w.beside ? w.beside + 2 : 0;
	w.name = w.name < left ? w.name : left;
	return w;
}

static void put_row(const struct page *page, const struct ff_table_row *row,
		    const struct widths *w)
{
	const char *beside = beside_name(row, page->width > 0);

	put_percent(page, row->self);
	fputs("  ", page->out);
	put_percent(page, row->total);
	if (page->width) {
		fputs("  ", page->out);
		put_bar(page, row->self, w->bar, BAR);
	} else {
		fprintf(page->out, "  %*s  %*s", NUMBER, weight_text(page, row->self),
			NUMBER, weight_text(page, row->total));
	}
	fputs("  ", page->out);
	if (!page->width && name_width(row->name) > w->name)
		put_clean(page->out, row->name);
	else
		put_name(page, row->name, w->name, *beside && w->beside);
	if (*beside && w->beside) {
		fputs("  ", page->out);
		put_name(page, beside, w->beside, false);
	}
	putc('\n', page->out);
}

void listing_put(const struct listing *l, const struct page *page)
{
	struct widths w = find_widths(l, page);
	const char *word = listing_word(l->by);

	fprintf(page->out, "#  self    total  ");
	if (page->width)
		fprintf(page->out, "%*s", BAR, "");
	else
		fprintf(page->out, "%*s  %*s", NUMBER, "self", NUMBER, "total");
	fprintf(page->out, "  %s", word);
	if (w.beside)
		fprintf(page->out, "%*s  %s", (int)(w.name - strnlen(word, w.name)), "",
			l->by == FF_TABLE_LINE ? "function" : "module");
	putc('\n', page->out);
	for (size_t i = l->first, end = end_of(l); i < end; i++)
		put_row(page, &l->rows[i], &w);
}
