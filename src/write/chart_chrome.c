/*
 * A chart as Chrome's trace events ("Trace Event Format", complete events): each span is one event "X"
 * with its beginning and its length in microseconds, on the track of its thread.
 *
 *	{"ph":"X","pid":7,"tid":8,"ts":10.5,"dur":3,"name":"work","cat":"user","args":{"samples":3}}
 *
 * That a function ran from one sample to the next is taken to be so, not known: hence how many samples
 * say it. What a thread waits in is of the category "off-cpu", and ends in "[waiting]" or "[runqueue]".
 */
#include <errno.h>

#include "chart/chart.h"
#include "write/exchange.h"

static void add_complete_event(const struct tree_source *in,
			       const struct chart_thread *thread,
			       const struct chart_span *span, struct text *t)
{
	const struct function *f =
		span->node ? &in->symbols->functions
				      .v[in->tree->nodes.v[span->node].function]
			   : NULL;
	const char *name =
		f ? intern_text(in->strings, f->name) : chart_what_name(span->what);
	const char *kind = span->what >= CHART_WAITING ? "off-cpu"
			   : f			       ? exchange_kind(f)
						       : NULL;

	text_printf(t, ",\n{\"ph\":\"X\",\"pid\":%llu,\"tid\":%u,\"ts\":",
		    (unsigned long long)chart_process(thread),
		    thread->tid ? thread->tid : thread->cpu);
	number_decimal(t, span->begin, 3);
	text_string(t, ",\"dur\":");
	number_decimal(t, span->end - span->begin, 3);
	text_string(t, ",\"name\":");
	json_quoted(t, name);
	text_printf(t, ",\"cat\":\"%s\"", kind ? kind : "user");
	if (span->samples)
		text_printf(t, ",\"args\":{\"samples\":%llu}",
			    (unsigned long long)span->samples);
	text_char(t, '}');
}

/* A process is called as its first thread is, whose number it has; where that is not in the chart as
 * the first one that is. */
static void add_process_name(const struct tree_source *in, size_t index, struct text *t)
{
	const struct chart *chart = in->chart;
	const struct chart_thread *first = &chart->threads.v[index], *named = first;
	const struct chart_thread *end = chart->threads.v + chart->threads.count;
	const char *comm;

	for (const struct chart_thread *other = first;
	     other < end && chart_process(other) == chart_process(first); other++)
		if (other->tid == other->pid)
			named = other;
	comm = named->comm ? intern_text(in->strings, named->comm) : "process";
	text_printf(t,
		    "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%llu,\"tid\":%u,"
		    "\"ts\":0,\"args\":{\"name\":",
		    index ? "," : "", (unsigned long long)chart_process(first),
		    first->tid ? first->tid : first->cpu);
	if (chart->inputs > 1) {
		struct text name = { 0 };

		text_printf(&name, "input %u: %s", named->input + 1, comm);
		json_string(t, name.bytes ? name.bytes : "", name.size);
		t->failed |= name.failed;
		text_release(&name);
	} else {
		json_quoted(t, comm);
	}
	text_string(t, "}}");
}

/* Names, and the order in which tracks are to be. */
static void add_track(const struct tree_source *in, size_t index, struct text *t)
{
	const struct chart_thread *thread = &in->chart->threads.v[index];
	const struct chart_thread *before = index ? thread - 1 : NULL;
	unsigned long long pid = chart_process(thread);
	uint32_t tid = thread->tid ? thread->tid : thread->cpu;
	struct text name = { 0 };

	chart_thread_name(in->chart, thread, in->strings, &name);
	t->failed |= name.failed;
	if (!before || chart_process(before) != pid) {
		add_process_name(in, index, t);
		text_printf(t,
			    ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":"
			    "%llu,\"tid\":%u,\"ts\":0,\"args\":{\"sort_index\":%zu}}",
			    pid, tid, index);
	}
	text_printf(t,
		    ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%llu,\"tid\":%u,"
		    "\"ts\":0,\"args\":{\"name\":",
		    pid, tid);
	json_string(t, name.bytes ? name.bytes : "", name.size);
	text_printf(t,
		    "}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%llu,"
		    "\"tid\":%u,\"ts\":0,\"args\":{\"sort_index\":%zu}}",
		    pid, tid, index);
	text_release(&name);
}

int write_chart_chrome(struct context *ctx, const struct tree_source *in,
		       const struct write_options *options, FILE *out)
{
	const struct chart *chart = in->chart;
	struct sink sink = { .out = out };
	struct chart_walk walk = { 0 };
	int step = CHART_END;

	(void)options;
	text_string(&sink.text, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
	for (size_t i = 0; i < chart->threads.count; i++) {
		add_track(in, i, &sink.text);
		sink_drain(&sink);
	}
	for (size_t i = 0; i < chart->threads.count && step >= 0; i++) {
		struct chart_span span;

		chart_walk_start(&walk, chart, in, &chart->threads.v[i]);
		while ((step = chart_next(&walk, &span)) > 0) {
			if (step == CHART_CLOSES)
				add_complete_event(in, &chart->threads.v[i], &span,
						   &sink.text);
			sink_drain(&sink);
		}
	}
	text_string(&sink.text, "]}\n");
	sink.text.failed |= step < 0;
	chart_walk_release(&walk);
	return sink_end(ctx, &sink);
}
