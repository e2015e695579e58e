/*
 * speedscope's file format, "sampled": lists of frames from the root on, and as many weights.
 * https://www.speedscope.app/file-format-schema.json. There is a profile of all, and where stacks
 * begin with several processes (or threads, as --tid has them) one of each, in which the process is no
 * frame. A stack that was seen many times is one sample of its whole weight: its order in time is not
 * in a tree.
 */
#include "write/exchange.h"

#include <errno.h>
#include <string.h>

/* Of so many processes the drop-down list can still be used. */
enum { PROFILES_MOST = 1000 };

struct speedscope {
	struct exchange e;
	struct numbering frames; /* by function */
	struct sink sink;
};

/* The stacks, or their weights, that end at nodes of the profile: those below @root, and with all
 * (@root 0) their processes. */
static int add_samples(struct speedscope *s, uint32_t root, bool weights)
{
	struct exchange_walk w = { 0 };
	struct text *t = &s->sink.text;
	uint32_t skipped = root ? 2 : 1; /* frames that are none of the stack's */
	bool first = true, inside = !root;
	int more;

	/* A process is one of the root's children: its walk begins there. */
	if (root) {
		w.at = (struct view_walk){ .node = root, .depth = 1 };
		if (!array_add(&w.path) || !array_add(&w.path))
			return -ENOMEM;
		w.path.v[1] = root;
		inside = true;
	}
	more = root ? 1 : exchange_next(&s->e, &w);
	while (more > 0 && inside) {
		const struct view_node *n = exchange_node(&s->e, w.at.node);

		if (n->self) {
			text_string(t, first ? "" : ",");
			first = false;
			if (weights)
				exchange_add_weight(&s->e, t, n->self);
			else
				text_char(t, '[');
			for (uint32_t i = skipped; !weights && i <= w.at.depth; i++)
				text_printf(t, i > skipped ? ",%u" : "%u",
					    numbering_of(&s->e, &s->frames,
							 NUMBER_FUNCTIONS, w.path.v[i]));
			text_string(t, weights ? "" : "]");
			sink_drain(&s->sink);
		}
		more = exchange_next(&s->e, &w);
		inside = !root || w.at.depth > 1;
	}
	array_release(&w.path);
	return more < 0 ? more : 0;
}

static int add_speedscope_profile(struct speedscope *s, uint32_t root)
{
	struct text *t = &s->sink.text;
	const char *unit = s->e.unit;
	int err;

	text_string(t, root ? ",\n{\"type\":\"sampled\",\"name\":"
			    : "\n{\"type\":\"sampled\",\"name\":");
	if (root)
		exchange_add_name(&s->e, t, root);
	else
		text_string(t, "\"all\"");
	text_printf(t, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		    strcmp(unit, "count") == 0 ? "none" : unit);
	exchange_add_weight(&s->e, t, exchange_node(&s->e, root)->total);
	text_string(t, ",\"samples\":[");
	err = add_samples(s, root, false);
	text_string(t, "],\"weights\":[");
	if (err == 0)
		err = add_samples(s, root, true);
	text_string(t, "]}");
	return err;
}

int write_speedscope(struct context *ctx, const struct tree_source *in,
		     const struct write_options *options, FILE *out)
{
	struct speedscope s = { .sink.out = out };
	struct text *t = &s.sink.text;
	uint32_t processes = 0;
	int err;

	if (in->chart)
		return write_chart_speedscope(ctx, in, options, out);
	err = exchange_open(ctx, in, options, 0, &s.e);

	if (err < 0)
		return err;
	err = numbering_make(&s.e, NUMBER_FUNCTIONS, true, &s.frames);
	text_string(t,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"exporter\":\"flamefold " FF_VERSION "\",\"name\":");
	json_quoted(t, s.e.facts->command   ? s.e.facts->command
		       : s.e.facts->subject ? s.e.facts->subject
					    : "profile");
	text_string(t, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	for (size_t i = 0; err == 0 && i < s.frames.nodes.count; i++) {
		uint32_t node = s.frames.nodes.v[i];
		const struct function *f = exchange_function(&s.e, node);
		/* Its sandwich view groups by file; a library's name says more than nothing. */
		const char *file = exchange_text(&s.e, f->file ? f->file : f->module);

		text_string(t, i ? ",\n{\"name\":" : "\n{\"name\":");
		exchange_add_name(&s.e, t, node);
		if (file) {
			text_string(t, ",\"file\":");
			json_quoted(t, file);
		}
		if (f->file && f->line)
			text_printf(t, ",\"line\":%u", f->line);
		text_char(t, '}');
		sink_drain(&s.sink);
	}
	text_string(t, "]},\n\"profiles\":[");
	if (err == 0)
		err = add_speedscope_profile(&s, 0);
	for (uint32_t i = exchange_node(&s.e, 0)->first; i;
	     i = exchange_node(&s.e, i)->next)
		processes += exchange_is_process(&s.e, i);
	for (uint32_t i = exchange_node(&s.e, 0)->first; err == 0 && i;
	     i = exchange_node(&s.e, i)->next)
		if (processes > 1 && processes <= PROFILES_MOST &&
		    exchange_is_process(&s.e, i))
			err = add_speedscope_profile(&s, i);
	text_string(t, "]}\n");
	t->failed |= err < 0;
	numbering_release(&s.frames);
	exchange_close(&s.e);
	return sink_end(ctx, &s.sink);
}
