/*
 * Chrome's trace event format in its sampled form ("Trace Event Format", section on samples): frames by
 * id with their parents, and samples that name one.
 *
 *	"stackFrames":{"1":{"name":"main"},"2":{"name":"work","parent":1}}
 *	"samples":[{"pid":1,"tid":1,"ts":0,"name":"cycles","sf":2,"weight":7}]
 *
 * Readers take the time to the next sample for a sample's weight (speedscope passes over "weight"), so a
 * stack stands for as many microseconds as it weighs, one after the other, and a sample of the frame
 * "(end)" ends each thread. Nothing has happened in that order. A frame 0 would be "no frame".
 */
#include "write/exchange.h"

static void add_frames(const struct exchange *e, struct sink *sink)
{
	struct text *t = &sink->text;

	for (uint32_t i = 1; i < e->view.nodes.count; i++) {
		const struct view_node *n = exchange_node(e, i);
		const struct function *f = exchange_function(e, i);

		text_printf(t, "\"%u\":{\"name\":", i);
		exchange_add_name(e, t, i);
		if (f->module) {
			text_string(t, ",\"category\":");
			json_quoted(t, exchange_text(e, f->module));
		}
		if (n->parent)
			text_printf(t, ",\"parent\":%u", n->parent);
		text_string(t, "},\n");
		sink_drain(sink);
	}
	text_printf(t, "\"%u\":{\"name\":\"(end)\"}", (uint32_t)e->view.nodes.count);
}

/* The @number'th child of the root: all of one process is one thread. Text is one thread. */
static struct process_name thread_of(const struct exchange *e, uint32_t node,
				     uint64_t number)
{
	struct process_name p = { .comm = "all", .size = 3 };

	if (e->has_code)
		p = exchange_process(e, node);
	p.pid = p.pid ?: number;
	p.tid = p.tid ?: p.pid;
	return p;
}

/* Readers take a file without such events for none. */
static void add_thread_names(const struct exchange *e, struct sink *sink)
{
	struct text *t = &sink->text;
	uint64_t number = 0;
	uint32_t node = exchange_node(e, 0)->first;

	do {
		struct process_name p = { .comm = "all", .size = 3, .pid = 1, .tid = 1 };

		number++;
		if (node)
			p = thread_of(e, node, number);
		text_printf(
			t,
			"%s\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%llu,\"tid\":"
			"%llu,\"ts\":0,\"args\":{\"name\":",
			number > 1 ? "," : "", (unsigned long long)p.pid,
			(unsigned long long)p.tid);
		json_string(t, p.comm, p.size);
		text_string(t, "}}");
		sink_drain(sink);
		node = node && e->has_code ? exchange_node(e, node)->next : 0;
	} while (node);
}

static void add_sample(const struct exchange *e, struct text *t, uint32_t frame,
		       const struct process_name *p)
{
	text_printf(t,
		    "\n{\"pid\":%llu,\"tid\":%llu,\"name\":", (unsigned long long)p->pid,
		    (unsigned long long)p->tid);
	json_quoted(t, e->type);
	text_printf(t, ",\"sf\":%u,\"ts\":", frame);
}

/* Nanoseconds are a thousandth of what "ts" counts. */
static void add_time(const struct exchange *e, struct text *t, uint64_t at)
{
	bool is_time = e->unit[0] == 'n';

	number_decimal(t, at, e->view.decimals + (is_time ? 3 : 0));
}

int write_chrome(struct context *ctx, const struct tree_source *in,
		 const struct write_options *options, FILE *out)
{
	struct sink sink = { .out = out };
	struct text *t = &sink.text;
	struct view_walk w = { 0 };
	struct process_name p = { .comm = "" };
	uint64_t at = 0, threads = 0;
	struct exchange e;
	bool first = true, more;
	int err = exchange_open(ctx, in, options, 0, &e);

	if (err < 0)
		return err;
	text_string(t, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
	add_thread_names(&e, &sink);
	text_string(t, "],\n\"stackFrames\":{\n");
	add_frames(&e, &sink);
	text_string(t, "},\n\"samples\":[");
	for (more = view_next(&e.view, &w, VIEW_INTO); more;) {
		const struct view_node *n = exchange_node(&e, w.node);

		if (w.depth == 1 && (e.has_code || !threads)) {
			p = thread_of(&e, w.node, ++threads);
			at = 0;
		}
		if (n->self) {
			text_string(t, first ? "" : ",");
			first = false;
			add_sample(&e, t, w.node, &p);
			add_time(&e, t, at);
			text_string(t, ",\"weight\":");
			exchange_add_weight(&e, t, n->self);
			text_char(t, '}');
			at += n->self;
			sink_drain(&sink);
		}
		more = view_next(&e.view, &w, VIEW_INTO);
		if (at && (!more || (w.depth == 1 && e.has_code))) {
			text_char(t, ',');
			add_sample(&e, t, (uint32_t)e.view.nodes.count, &p);
			add_time(&e, t, at);
			text_string(t, ",\"weight\":0}");
		}
	}
	text_string(t, "]}\n");
	exchange_close(&e);
	return sink_end(ctx, &sink);
}
