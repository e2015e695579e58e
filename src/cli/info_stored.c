/*
 * What a profile file was made of. Lists may have a hundred thousand entries: people see the first of
 * them and how many there are, programs all.
 */
#include <flamefold_store.h>
#include <inttypes.h>
#include <time.h>

#include "cli/info.h"
#include "cli/summary.h"
#include "cli/terminal.h"

enum { ROWS = 20 };

/* Of UTC, as recordings are of any zone. */
static void put_time(FILE *out, uint64_t seconds)
{
	time_t at = (time_t)seconds;
	char text[64] = "";
	struct tm utc;

	if (seconds && gmtime_r(&at, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc);
	fprintf(out, "%19s", text);
}

static void put_more(FILE *out, size_t rows, size_t shown)
{
	if (rows > shown)
		fprintf(out, "%19s  %s more\n", "", grouped(rows - shown));
}

/* A value with its decimals. */
static void put_value(FILE *out, uint64_t value, unsigned decimals)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < decimals; i++)
		unit *= 10;
	if (decimals)
		fprintf(out, "%*s.%0*" PRIu64, 18 - (int)decimals, grouped(value / unit),
			(int)decimals, value % unit);
	else
		fprintf(out, "%19s", grouped(value));
}

static const char *event_or_text(const struct ff_stored_column *c)
{
	return c->event ? c->event : "folded text";
}

void info_stored_text(const struct ff_input *in, FILE *out)
{
	uint64_t all = ff_stored_inputs(in);
	struct ff_stored_column c;
	struct ff_stored_input input;
	struct ff_stored_period p;
	const char *key, *value;
	size_t i;

	if (!ff_stored_column(in, 0, &c) && !all)
		return;
	fprintf(out, "\nmade of\n%19s  %s\n", grouped(all),
		all == 1 ? "input" : "inputs");
	for (i = 0; ff_stored_input(in, i, &input); i++) {
		if (i >= ROWS)
			continue;
		put_time(out, input.recorded);
		fputs("  ", out);
		put_clean(out, input.name);
		if (input.host) {
			fputs("  on ", out);
			put_clean(out, input.host);
		}
		if (input.kernel) {
			fputs(", kernel ", out);
			put_clean(out, input.kernel);
		}
		if (input.times > 1)
			fprintf(out, ", %s times", grouped(input.times));
		putc('\n', out);
	}
	put_more(out, i, ROWS);
	if (ff_stored_label(in, 0, &key, &value))
		fputs("\nlabels\n", out);
	for (i = 0; ff_stored_label(in, i, &key, &value); i++) {
		if (i >= ROWS)
			continue;
		fprintf(out, "%19s  ", "");
		put_clean(out, key);
		putc('=', out);
		put_clean(out, value);
		putc('\n', out);
	}
	put_more(out, i, ROWS);
	if (ff_stored_column(in, 0, &c))
		fputs("\nsums by event\n", out);
	for (i = 0; ff_stored_column(in, i, &c); i++) {
		put_value(out, c.total, c.decimals);
		fputs("  ", out);
		put_clean(out, event_or_text(&c));
		fputs(": ", out);
		put_clean(out, c.name);
		fputs(c.unit ? ", " : "", out);
		put_clean(out, c.unit ? c.unit : "");
		putc('\n', out);
	}
	if (ff_stored_period(in, 0, &p))
		fputs("\nsums by time (UTC)\n", out);
	for (i = 0; ff_stored_period(in, i, &p) && ff_stored_column(in, p.column, &c);
	     i++) {
		if (i >= ROWS)
			continue;
		put_time(out, p.start);
		fprintf(out, " + %s s", grouped(p.size));
		put_value(out, p.sum, c.decimals);
		fputs("  ", out);
		put_clean(out, event_or_text(&c));
		putc('\n', out);
	}
	put_more(out, i, ROWS);
}

void info_stored_json(const struct ff_input *in, struct json *j)
{
	struct ff_stored_column c;
	struct ff_stored_input input;
	struct ff_stored_period p;
	const char *key, *value;

	if (!ff_stored_column(in, 0, &c) && !ff_stored_inputs(in)) {
		json_null(j, "made_of");
		return;
	}
	json_open(j, "made_of", '{');
	json_number(j, "inputs", ff_stored_inputs(in));
	json_open(j, "listed", '[');
	for (size_t i = 0; ff_stored_input(in, i, &input); i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", input.name);
		json_text(j, "sha256", input.hash);
		json_text(j, "host", input.host);
		json_text(j, "kernel", input.kernel);
		json_number(j, "recorded", input.recorded);
		json_number(j, "times", input.times);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "labels", '[');
	for (size_t i = 0; ff_stored_label(in, i, &key, &value); i++) {
		json_open(j, NULL, '{');
		json_text(j, "key", key);
		json_text(j, "value", value);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "columns", '[');
	for (size_t i = 0; ff_stored_column(in, i, &c); i++) {
		json_open(j, NULL, '{');
		json_text(j, "event", c.event);
		json_text(j, "name", c.name);
		json_text(j, "unit", c.unit);
		json_number(j, "decimals", c.decimals);
		json_number(j, "total", c.total);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_open(j, "periods", '[');
	for (size_t i = 0; ff_stored_period(in, i, &p); i++) {
		json_open(j, NULL, '{');
		json_number(j, "start", p.start);
		json_number(j, "seconds", p.size);
		json_number(j, "column", p.column);
		json_number(j, "sum", p.sum);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}
