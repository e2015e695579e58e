/*
 * The nested set of Grafana's flame graph panel, as a data frame: rows in the order of a walk, each
 * with its depth. Columns lie one after the other, so the walk is taken once for each; labels are
 * numbers into a list (an enum field), which is how the panel keeps them itself.
 * grafana/packages/grafana-flamegraph: checkFields(), nestedSetToLevels().
 */
#include "write/exchange.h"

#include <errno.h>
#include <string.h>

enum grafana_column { GRAFANA_LEVEL, GRAFANA_VALUE, GRAFANA_SELF, GRAFANA_LABEL };

static void add_column(const struct exchange *e, const struct numbering *labels,
		       enum grafana_column column, struct sink *sink)
{
	struct view_walk w = { 0 };
	struct text *t = &sink->text;

	text_char(t, '[');
	do {
		const struct view_node *n = exchange_node(e, w.node);

		text_string(t, w.node ? "," : "");
		if (column == GRAFANA_LEVEL)
			text_u64(t, w.depth);
		else if (column == GRAFANA_VALUE)
			exchange_add_weight(e, t, n->total);
		else if (column == GRAFANA_SELF)
			exchange_add_weight(e, t, n->self);
		else
			/* Number 0 is the root's. */
			text_u64(t,
				 w.node ? numbering_of(e, labels, NUMBER_LABELS, w.node) +
						  1
					: 0);
		sink_drain(sink);
	} while (view_next(&e->view, &w, VIEW_INTO));
	text_char(t, ']');
}

static void add_schema(const struct exchange *e, const struct numbering *labels,
		       struct sink *sink)
{
	struct text *t = &sink->text;
	const char *unit = strcmp(e->unit, "nanoseconds") == 0 ? "ns"
			   : strcmp(e->unit, "bytes") == 0     ? "bytes"
							       : "short";

	text_string(t, "{\"schema\":{\"name\":\"profile\","
		       "\"meta\":{\"preferredVisualisationType\":\"flamegraph\"},"
		       "\"fields\":[\n{\"name\":\"level\",\"type\":\"number\"},\n");
	text_printf(
		t,
		"{\"name\":\"value\",\"type\":\"number\",\"config\":{\"unit\":\"%s\"}},\n"
		"{\"name\":\"self\",\"type\":\"number\",\"config\":{\"unit\":\"%s\"}},\n",
		unit, unit);
	text_string(
		t, "{\"name\":\"label\",\"type\":\"enum\",\"config\":{\"type\":{\"enum\":"
		   "{\"text\":[\"total\"");
	for (size_t i = 0; i < labels->nodes.count; i++) {
		text_string(t, ",\n");
		exchange_add_name(e, t, labels->nodes.v[i]);
		sink_drain(sink);
	}
	text_string(t, "]}}}}]},\n\"data\":{\"values\":[");
}

int write_grafana(struct context *ctx, const struct tree_source *in,
		  const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct numbering labels = { 0 };
	struct exchange e;
	int err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
	err = numbering_make(&e, NUMBER_LABELS, true, &labels);
	if (err == 0)
		add_schema(&e, &labels, &sink);
	for (int c = GRAFANA_LEVEL; err == 0 && c <= GRAFANA_LABEL; c++) {
		text_string(&sink.text, c ? ",\n" : "\n");
		add_column(&e, &labels, (enum grafana_column)c, &sink);
	}
	text_string(&sink.text, "]}}\n");
	sink.text.failed |= err < 0;
	numbering_release(&labels);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
