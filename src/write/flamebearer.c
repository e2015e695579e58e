/*
 * Pyroscope's flamebearer: levels of bars from the root on, four numbers a bar.
 *
 *	[offset, total, self, name]     offset: from the end of the bar before, in its level
 *
 * A node's own weight lies to the left of its children, as in Pyroscope's own
 * (pkg/og/structs/flamebearer/flamebearer.go). Nodes of a level come from those of the one above
 * it, so memory is two levels.
 */
#include "write/exchange.h"

#include <errno.h>
#include <string.h>

struct bar {
	uint32_t node;
	uint64_t start; /* of the whole */
};

static int add_levels(const struct exchange *e, const struct numbering *names,
		      struct sink *sink)
{
	struct {
		ARRAY(struct bar) bars;
	} levels[2] = { 0 };
	struct text *t = &sink->text;
	unsigned now = 0;
	int err = array_add(&levels[0].bars) ? 0 : -ENOMEM;

	for (bool first = true; err == 0 && levels[now].bars.count; now = !now) {
		uint64_t end = 0;

		text_string(t, first ? "[" : ",\n[");
		first = false;
		levels[!now].bars.count = 0;
		for (size_t i = 0; err == 0 && i < levels[now].bars.count; i++) {
			const struct bar b = levels[now].bars.v[i];
			const struct view_node *n = exchange_node(e, b.node);
			uint64_t at = b.start + n->self;

			text_string(t, i ? "," : "");
			exchange_add_weight(e, t, b.start - end);
			text_char(t, ',');
			exchange_add_weight(e, t, n->total);
			text_char(t, ',');
			exchange_add_weight(e, t, n->self);
			/* Name 0 is the root's. */
			text_printf(
				t, ",%u",
				b.node ? numbering_of(e, names, NUMBER_LABELS, b.node) + 1
				       : 0);
			end = b.start + n->total;
			sink_drain(sink);
			for (uint32_t c = n->first; err == 0 && c;
			     c = exchange_node(e, c)->next) {
				struct bar *below = array_add(&levels[!now].bars);

				if (below)
					*below = (struct bar){ c, at };
				else
					err = -ENOMEM;
				at += exchange_node(e, c)->total;
			}
		}
		text_char(t, ']');
	}
	array_release(&levels[0].bars);
	array_release(&levels[1].bars);
	return err;
}

int write_flamebearer(struct context *ctx, const struct tree_source *in,
		      const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct numbering names = { 0 };
	const struct write_facts *f;
	uint64_t most = 0;
	struct exchange e;
	int err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
	f = e.facts;
	err = numbering_make(&e, NUMBER_LABELS, true, &names);
	text_string(t, "{\"version\":1,\"flamebearer\":{\"names\":[\"total\"");
	for (size_t i = 0; err == 0 && i < names.nodes.count; i++) {
		text_string(t, ",\n");
		exchange_add_name(&e, t, names.nodes.v[i]);
		sink_drain(&sink);
	}
	text_string(t, "],\n\"levels\":[");
	if (err == 0)
		err = add_levels(&e, &names, &sink);
	for (uint32_t i = 0; i < e.view.nodes.count; i++)
		if (exchange_node(&e, i)->self > most)
			most = exchange_node(&e, i)->self;
	text_string(t, "],\n\"numTicks\":");
	exchange_add_weight(&e, t, exchange_node(&e, 0)->total);
	text_string(t, ",\"maxSelf\":");
	exchange_add_weight(&e, t, most);
	/* What is no time and no bytes is counted, one for one. */
	text_printf(t,
		    "},\n\"metadata\":{\"format\":\"single\",\"spyName\":\"\","
		    "\"sampleRate\":%llu,\"units\":\"%s\",\"name\":",
		    strcmp(e.unit, "nanoseconds") == 0 ? 1000000000ull
		    : f->frequency && f->unit && strcmp(f->unit, "samples") == 0
			    ? (unsigned long long)f->frequency
			    : 100ull,
		    strcmp(e.unit, "bytes") == 0 ? "bytes" : "samples");
	json_quoted(t, f->command ? f->command : f->subject ? f->subject : "profile");
	text_string(t, "},\"timeline\":null}\n");
	t->failed |= err < 0;
	numbering_release(&names);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
