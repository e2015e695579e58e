/*
 * Functions as a table (RFC 4180), as flamefold top --format=csv has them, and with where they are
 * declared.
 */
#include <errno.h>
#include <string.h>

#include "write/exchange.h"

static void add_csv_field(struct text *t, const char *string)
{
	text_char(t, '"');
	exchange_add_clean(t, string ? string : "", '"');
	text_char(t, '"');
}

static void add_percent(struct text *t, uint64_t part, uint64_t whole)
{
	uint64_t units =
		whole ? (uint64_t)((long double)part * 1000000 / whole + 0.5L) : 0;

	text_printf(t, "%llu.%04llu", (unsigned long long)(units / 10000),
		    (unsigned long long)(units % 10000));
}

int write_csv(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct rows rows;
	int err;

	(void)options;
	if (named_is_difference(in->tree))
		return fail(
			ctx, -EINVAL,
			"a difference has no place in this format: svg, html, folded and "
			"pprof have one");
	err = rows_make(ctx, in, ROWS_FUNCTION, ROWS_BY_SELF, &rows);
	if (err < 0)
		return err;
	text_string(
		t, "function,module,file,line,self,total,self_percent,total_percent\r\n");
	for (size_t i = 0; i < rows.list.count; i++) {
		const struct row *r = &rows.list.v[i];

		add_csv_field(t, intern_text(&rows.texts, r->name));
		text_char(t, ',');
		add_csv_field(t, intern_text(&rows.texts, r->module));
		text_char(t, ',');
		add_csv_field(t, r->file ? intern_text(in->strings, r->file) : NULL);
		text_char(t, ',');
		if (r->line)
			text_u64(t, r->line);
		text_char(t, ',');
		number_decimal(t, r->self, rows.decimals);
		text_char(t, ',');
		number_decimal(t, r->total, rows.decimals);
		text_char(t, ',');
		add_percent(t, r->self, rows.total);
		text_char(t, ',');
		add_percent(t, r->total, rows.total);
		text_string(t, "\r\n");
		sink_drain(&sink);
	}
	rows_release(&rows);
	return sink_end(ctx, &sink);
}
