/*
 * Attributes for what is small, then the packed tree in base91. That stands in elements
 * of 1 MiB of text, as XML parsers refuse much longer ones, and each but the last holds
 * whole blocks: the texts can be put together and decoded as one, or each for itself.
 */
#include "write/metadata.h"

#include <flamefold.h>
#include <string.h>

#include "base/base91.h"
#include "diff/diff.h"
#include "write/number.h"
#include "write/xml.h"

enum {
	CHUNK = 1 << 20, /* text of an element: parsers have limits */
	LINE_BLOCKS = 240,
	LINE = LINE_BLOCKS * BASE91_BYTES, /* bytes that become a line of text */
	LINES = (CHUNK - 1) / (LINE_BLOCKS * BASE91_TEXT + 1), /* of an element */
};

uint64_t unnamed_weight(const struct tree_source *in, const struct view *v)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < v->nodes.count; i++)
		if (v->nodes.v[i].label != VIEW_GAP &&
		    in->symbols->functions.v[v->nodes.v[i].function].unnamed)
			sum += view_self(v, i);
	return sum;
}

/* What is not known, and a number that is 0, have no attribute. */
static void add_data_text(struct text *t, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	text_printf(t, " data-%s=\"", name);
	xml_quoted(t, value, strlen(value));
	text_char(t, '"');
}

static void add_data_number(struct text *t, const char *name, uint64_t value,
			    unsigned decimals)
{
	if (!value)
		return;
	text_printf(t, " data-%s=\"", name);
	number_decimal(t, value, decimals);
	text_char(t, '"');
}

/* What A is multiplied by, and how far weights differ by noise: the variance of a sum, by the sum. */
static void add_difference(struct text *t, const struct difference *d)
{
	double noise = 0;

	for (int s = 0; s < DIFF_SIDES; s++) {
		const struct diff_total *total = &d->total[s];
		double unit = total->weight ? total->phi * total->squares /
						      (double)total->weight
					    : 0;

		unit *= s == DIFF_A ? d->scale : 1;
		noise = unit > noise ? unit : noise;
	}
	text_printf(t,
		    " data-scale=\"%.17g\" data-noise=\"%.9g\" data-level=\"%.9g\" "
		    "data-reach=\"%.9g\"",
		    d->scale, noise, d->uncoloured ? 0 : d->options.level, d->reach);
	/* Where colours are refused nothing is sure enough to have one. */
	add_data_text(t, "a", d->total[DIFF_A].paths.bytes);
	add_data_text(t, "b", d->total[DIFF_B].paths.bytes);
	add_data_text(t, "normalize", difference_normalize_name(d->options.normalize));
}

static uint64_t sum(const struct view *v, uint32_t column)
{
	uint64_t all = 0;

	for (uint32_t i = 0; view_has(v, column) && i < v->nodes.count; i++)
		all += view_value(v, i, column);
	return all;
}

static void add_header(struct text *t, const struct metadata *m)
{
	static const struct write_facts nothing = { 0 };
	const struct write_facts *f = m->facts ? m->facts : &nothing;
	const struct ratio_scale *r = m->ratio;
	const struct column_ratio *ratio = r->ratio;
	const struct view *v = m->view;
	const struct column *columns = v->columns->v;
	struct text names = { 0 };

	text_string(t, "<metadata id=\"flamefold-data\"");
	add_data_number(t, "format", SAVED_FORMAT, 0);
	add_data_text(t, "packing", m->packed->is_zlib ? "zlib" : "none");
	add_data_number(t, "bytes", m->packed->whole, 0);
	add_data_number(t, "nodes", v->nodes.count, 0);
	add_data_number(t, "total", v->nodes.v[0].total, v->decimals);
	/* Only columns with a role have an attribute here. */
	for (uint32_t i = COLUMN_WEIGHT + 1; i < COLUMN_ROLES; i++)
		if (columns[i].makes_stacks)
			add_data_number(t, columns[i].name, sum(v, i), v->decimals);
	add_data_text(t, "unit", m->unit);
	add_data_number(t, "samples", f->samples, 0);
	add_data_text(t, "event", f->events);
	add_data_number(t, "frequency", f->frequency, 0);
	add_data_number(t, "period", f->period, 0);
	add_data_number(t, "duration", f->duration, 0);
	add_data_number(t, "lost", f->lost, 0);
	add_data_number(t, "truncated", f->truncated, 0);
	add_data_number(t, "unknown", unnamed_weight(m->in, v), v->decimals);
	/* Which columns it is of, by their numbers and their names, and what its colours go by. */
	if (ratio) {
		text_printf(&names, "%s/%s", columns[ratio->of].name,
			    columns[ratio->by].name);
		add_data_text(t, "ratio", ratio->name);
		add_data_text(t, "ratio-names", names.bytes);
		text_printf(
			t, " data-ratio-columns=\"%d %d\" data-ratio-limits=\"%g %g %g\"",
			saved_column_of(ratio->of), saved_column_of(ratio->by), r->low,
			r->middle, r->high);
		add_data_number(t, "ratio-least", ratio->least, 0);
		add_data_number(t, "ratio-share", ratio->is_share, 0);
		t->failed |= names.failed;
		text_release(&names);
	}
	add_data_number(t, "chart", m->in->in_order, 0);
	add_data_number(t, "chain", m->chain, 0);
	add_data_text(t, "command", f->command);
	add_data_number(t, "recorded", f->recorded, 0);
	add_data_text(t, "title", m->subject);
	if (m->difference)
		add_difference(t, m->difference);
	add_data_text(t, "findings", f->findings);
	add_data_text(t, "generator", "flamefold " FF_VERSION);
	text_string(t, ">\n");
}

void metadata_add(struct sink *sink, const struct metadata *m)
{
	const size_t most = LINES * LINE;
	const uint8_t *bytes = m->packed->bytes;
	size_t left = m->packed->size;

	add_header(&sink->text, m);
	while (left) {
		size_t chunk = left < most ? left : most;

		left -= chunk;
		text_string(&sink->text, "<data>\n");
		while (chunk) {
			size_t n = chunk < LINE ? chunk : LINE;

			base91_add(&sink->text, bytes, n);
			text_char(&sink->text, '\n');
			/* Line by line: the text in memory does not grow with the
			 * picture. */
			sink_drain(sink);
			bytes += n;
			chunk -= n;
		}
		text_string(&sink->text, "</data>\n");
	}
	text_string(&sink->text, "</metadata>\n");
}
