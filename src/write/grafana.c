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
	struct text *t = &sink.text;
	struct numbering labels = { 0 };
	struct exchange e;
	int err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
	err = numbering_make(&e, NUMBER_LABELS, true, &labels);
	if (err == 0)
		add_schema(&e, &labels, &sink);
	for (int c = GRAFANA_LEVEL; err == 0 && c <= GRAFANA_LABEL; c++) {
		struct view_walk w = { 0 };

		text_string(t, c ? ",\n[" : "\n[");
		do {
			const struct view_node *n = exchange_node(&e, w.node);

			text_string(t, w.node ? "," : "");
			if (c == GRAFANA_LEVEL)
				text_u64(t, w.depth);
			else if (c == GRAFANA_LABEL)
				/* Number 0 is the root's. */
				text_u64(t, w.node ? numbering_of(&e, &labels,
								  NUMBER_LABELS, w.node) +
							     1
						   : 0);
			else
				exchange_add_weight(
					&e, t, c == GRAFANA_VALUE ? n->total : n->self);
			sink_drain(&sink);
		} while (view_next(&e.view, &w, VIEW_INTO));
		text_char(t, ']');
	}
	text_string(t, "]}}\n");
	t->failed |= err < 0;
	numbering_release(&labels);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
