/*
 * top: functions, modules, processes or lines, the heaviest first; what is their own and what passes
 * through them. Its numbers are those of perf report --no-children (self) and --children (total).
 * Of files, or of what runs now.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/listing.h"
#include "cli/live_top.h"
#include "cli/terminal.h"

static int put_top(const struct text_job *job, struct ff_profile *p, FILE *out)
{
	const struct settings *s = job->settings;
	struct page page = page_of(p, out);
	struct listing l = {
		.by = s->by, .order = s->order, .least = s->least, .most = s->most
	};
	struct ff_table_row *rows;
	struct ff_table *t;
	int err = ff_table_new(p, s->by, s->order, &t);

	if (err < 0)
		return err;
	rows = table_rows(t, &l.count);
	page.total = l.total = ff_table_total(t);
	l.rows = rows;
	if (rows)
		listing_write(&l, job->format, &page);
	free(rows);
	ff_table_free(t);
	return rows ? 0 : -ENOMEM;
}

static int top_run(const struct settings *s)
{
	struct settings wanted = *s;
	struct text_job job = { .settings = &wanted, .put = put_top };
	int code = live_top_check(&wanted);

	if (s->by == FF_TABLE_LINE)
		wanted.profile.flags |= FF_SRCLINE;
	if (code)
		return code;
	return wanted.target ? live_top_run(&wanted) : print_text(&job);
}

const struct command command_top = {
	"top",
	"[options] [INPUT...]",
	"print a table of functions, heaviest first; of what runs now: -p, -a",
	COMMAND_TOP,
	top_run,
};
