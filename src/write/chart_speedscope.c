/*
 * A chart in speedscope's file format, "evented": for each thread a profile, in which frames are opened
 * and closed in order of time. https://www.speedscope.app/file-format-schema.json
 *
 *	{"type":"O","frame":0,"at":10},{"type":"C","frame":0,"at":80}
 *
 * What a thread waits in ends in a frame "[waiting]" or "[runqueue]".
 */
#include <errno.h>
#include <stdlib.h>

#include "chart/chart.h"
#include "write/exchange.h"

/* Of so many threads the list can still be used; the busiest ones are the first. */
enum { THREADS_MOST = 1000 };

struct evented {
	const struct tree_source *in;
	uint32_t *
		frames; /* by function, and CHART_WHATS more: number; UINT32_MAX: not used */
	size_t count;
	struct chart_walk walk;
	struct sink sink;
};

static size_t frame_key(const struct evented *e, const struct chart_span *span)
{
	return span->node ? e->in->tree->nodes.v[span->node].function
			  : e->in->symbols->functions.count + span->what;
}

static int add_evented_frames(struct evented *e, const struct chart_thread *thread)
{
	const struct tree_source *in = e->in;
	struct text *t = &e->sink.text;
	struct chart_span span;
	int step;

	chart_walk_start(&e->walk, in->chart, in, thread);
	while ((step = chart_next(&e->walk, &span)) > 0) {
		size_t key = frame_key(e, &span),
		       functions = in->symbols->functions.count;
		const struct function *f =
			key < functions ? &in->symbols->functions.v[key] : NULL;
		uint32_t file = f ? f->file ? f->file : f->module : 0;

		if (step != CHART_OPENS || e->frames[key] != UINT32_MAX)
			continue;
		text_string(t, e->count ? ",\n{\"name\":" : "\n{\"name\":");
		json_quoted(t, f ? intern_text(in->strings, f->name)
				 : chart_what_name((enum chart_what)(key - functions)));
		if (file) {
			text_string(t, ",\"file\":");
			json_quoted(t, intern_text(in->strings, file));
		}
		if (f && f->file && f->line)
			text_printf(t, ",\"line\":%u", f->line);
		text_char(t, '}');
		e->frames[key] = (uint32_t)e->count++;
		sink_drain(&e->sink);
	}
	return step;
}

static int add_evented_thread(struct evented *e, const struct chart_thread *thread)
{
	const struct chart *chart = e->in->chart;
	struct text *t = &e->sink.text, name = { 0 };
	struct chart_span span;
	bool first = true;
	int step;

	chart_thread_name(chart, thread, e->in->strings, &name);
	t->failed |= name.failed;
	text_string(t, "{\"type\":\"evented\",\"name\":");
	json_string(t, name.bytes ? name.bytes : "", name.size);
	text_printf(t,
		    ",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":%llu,"
		    "\"events\":[",
		    (unsigned long long)chart->length);
	text_release(&name);
	chart_walk_start(&e->walk, chart, e->in, thread);
	while ((step = chart_next(&e->walk, &span)) > 0) {
		text_printf(t, "%s{\"type\":\"%s\",\"frame\":%u,\"at\":%llu}",
			    first ? "\n" : ",\n", step == CHART_OPENS ? "O" : "C",
			    e->frames[frame_key(e, &span)],
			    (unsigned long long)(step == CHART_OPENS ? span.begin
								     : span.end));
		first = false;
		sink_drain(&e->sink);
	}
	text_string(t, "]}");
	return step;
}

int write_chart_speedscope(struct context *ctx, const struct tree_source *in,
			   const struct write_options *options, FILE *out)
{
	const struct chart *chart = in->chart;
	size_t functions = in->symbols->functions.count + CHART_WHATS;
	size_t threads =
		chart->threads.count < THREADS_MOST ? chart->threads.count : THREADS_MOST;
	struct evented e = { .in = in,
			     .frames = malloc(functions * sizeof(*e.frames)),
			     .sink.out = out };
	const char *command = options->facts ? options->facts->command : NULL;
	int err = e.frames ? 0 : -ENOMEM;

	if (threads < chart->threads.count)
		warn(ctx,
		     "speedscope shows %zu threads at most: %zu with less processor time "
		     "are left out",
		     threads, chart->threads.count - threads);
	for (size_t i = 0; err == 0 && i < functions; i++)
		e.frames[i] = UINT32_MAX;
	text_string(&e.sink.text,
		    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		    "\"exporter\":\"flamefold " FF_VERSION "\",\"name\":");
	json_quoted(&e.sink.text, command ? command : "chart");
	text_string(&e.sink.text, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	for (size_t i = 0; i < threads && err >= 0; i++)
		err = add_evented_frames(&e, &chart->threads.v[i]);
	text_string(&e.sink.text, "]},\n\"profiles\":[\n");
	for (size_t i = 0; i < threads && err >= 0; i++) {
		text_string(&e.sink.text, i ? ",\n" : "");
		err = add_evented_thread(&e, &chart->threads.v[i]);
	}
	/* It wants one at least. */
	if (threads == 0)
		text_string(&e.sink.text,
			    "{\"type\":\"evented\",\"name\":\"nothing\",\"unit\":"
			    "\"nanoseconds\",\"startValue\":0,\"endValue\":0,"
			    "\"events\":[]}");
	text_string(&e.sink.text, "]}\n");
	e.sink.text.failed |= err < 0;
	chart_walk_release(&e.walk);
	free(e.frames);
	return sink_end(ctx, &e.sink);
}
