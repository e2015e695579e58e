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

struct level {
	ARRAY(struct bar) bars;
};

static void add_level(const struct exchange *e, const struct numbering *names,
		      const struct level *level, struct sink *sink)
{
	struct text *t = &sink->text;
	uint64_t end = 0;

	for (size_t i = 0; i < level->bars.count; i++) {
		const struct bar *b = &level->bars.v[i];
		const struct view_node *n = exchange_node(e, b->node);

		text_string(t, i ? "," : "");
		exchange_add_weight(e, t, b->start - end);
		text_char(t, ',');
		exchange_add_weight(e, t, n->total);
		text_char(t, ',');
		exchange_add_weight(e, t, n->self);
		text_char(t, ',');
		/* Name 0 is the root's. */
		text_u64(t, b->node ? numbering_of(e, names, NUMBER_LABELS, b->node) + 1
				    : 0);
		end = b->start + n->total;
		sink_drain(sink);
	}
}

static int next_level(const struct exchange *e, const struct level *from,
		      struct level *ret)
{
	ret->bars.count = 0;
	for (size_t i = 0; i < from->bars.count; i++) {
		const struct bar *b = &from->bars.v[i];
		uint64_t at = b->start + exchange_node(e, b->node)->self;

		for (uint32_t n = exchange_node(e, b->node)->first; n;
		     n = exchange_node(e, n)->next) {
			struct bar *below = array_add(&ret->bars);

			if (!below)
				return -ENOMEM;
			*below = (struct bar){ n, at };
			at += exchange_node(e, n)->total;
		}
	}
	return 0;
}

static int add_levels(const struct exchange *e, const struct numbering *names,
		      struct sink *sink)
{
	struct level levels[2] = { 0 };
	unsigned now = 0;
	int err = array_add(&levels[0].bars) ? 0 : -ENOMEM;

	for (bool first = true; err == 0 && levels[now].bars.count; now = !now) {
		text_string(&sink->text, first ? "[" : ",\n[");
		first = false;
		add_level(e, names, &levels[now], sink);
		text_char(&sink->text, ']');
		err = next_level(e, &levels[now], &levels[!now]);
	}
	array_release(&levels[0].bars);
	array_release(&levels[1].bars);
	return err;
}

static void add_rest(const struct exchange *e, struct text *t)
{
	const struct write_facts *f = e->facts;
	uint64_t most = 0;

	for (size_t i = 0; i < e->view.nodes.count; i++)
		if (exchange_node(e, (uint32_t)i)->self > most)
			most = exchange_node(e, (uint32_t)i)->self;
	text_string(t, "],\n\"numTicks\":");
	exchange_add_weight(e, t, exchange_node(e, 0)->total);
	text_string(t, ",\"maxSelf\":");
	exchange_add_weight(e, t, most);
	/* What is no time and no bytes is counted, one for one. */
	text_printf(t,
		    "},\n\"metadata\":{\"format\":\"single\",\"spyName\":\"\","
		    "\"sampleRate\":%llu,\"units\":\"%s\",\"name\":",
		    strcmp(e->unit, "nanoseconds") == 0 ? 1000000000ull
		    : f->frequency && f->unit && strcmp(f->unit, "samples") == 0
			    ? (unsigned long long)f->frequency
			    : 100ull,
		    strcmp(e->unit, "bytes") == 0 ? "bytes" : "samples");
	json_text(t, f->command ? f->command : f->subject ? f->subject : "profile");
	text_string(t, "},\"timeline\":null}\n");
}

int write_flamebearer(struct context *ctx, const struct tree_source *in,
		      const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct numbering names = { 0 };
	struct exchange e;
	int err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
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
	add_rest(&e, t);
	t->failed |= err < 0;
	numbering_release(&names);
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
