/*
 * Chrome's trace event format in its sampled form ("Trace Event Format", section on samples): frames by
 * id with their parents, and samples that name one.
 *
 *	"stackFrames":{"1":{"name":"main"},"2":{"name":"work","parent":1}}
 *	"samples":[{"pid":1,"tid":1,"ts":0,"name":"cycles","sf":2,"weight":7}]
 *
 * Readers take the time to the next sample for a sample's weight (speedscope passes over "weight"), so a
 * stack stands for as many microseconds as it weighs, one after the other, and a sample of the frame
 * "(end)" ends each thread; one that has changed its name goes on where it was. Nothing has happened in
 * that order. A frame 0 would be "no frame".
 */
#include "write/exchange.h"

#include <errno.h>

struct chrome_thread {
	struct process_name is;
	uint64_t at; /* where its next sample begins */
};

struct chrome {
	struct exchange e;
	ARRAY(struct chrome_thread) threads;
	struct hash_map by_ids;
	uint64_t samples; /* written */
	struct sink sink;
};

/* Behind those of nodes; the next one is of stacks that have none. */
static uint32_t end_frame(const struct exchange *e)
{
	return (uint32_t)e->view.nodes.count;
}

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
	text_printf(t, "\"%u\":{\"name\":\"(end)\"}", end_frame(e));
	if (exchange_node(e, 0)->self)
		text_printf(t, ",\n\"%u\":{\"name\":\"\"}", end_frame(e) + 1);
}

/* Of all stacks below the roots of one thread: it has several where its name has changed. */
static struct chrome_thread *find_thread(struct chrome *c, uint32_t root, uint64_t number)
{
	/* Text is one thread. */
	struct process_name p = { .comm = "all", .size = 3 };
	const uint32_t *known;
	struct chrome_thread *thread;
	uint64_t key;

	if (root && c->e.has_code)
		p = exchange_process(&c->e, root);
	/* Who is not known by a number gets that of the root. */
	p.pid = p.pid ?: number;
	p.tid = p.tid ?: p.pid;
	key = p.pid << 32 ^ p.tid;
	known = hash_map_get(&c->by_ids, key);
	if (known)
		return &c->threads.v[*known];
	thread = array_add(&c->threads);
	if (!thread || !hash_map_set(&c->by_ids, key, (uint32_t)c->threads.count - 1))
		return NULL;
	*thread = (struct chrome_thread){ p, 0 };
	return thread;
}

/* Readers take a file without such events for none. 0, or -ENOMEM. */
static int add_threads(struct chrome *c)
{
	struct text *t = &c->sink.text;
	uint32_t root = exchange_node(&c->e, 0)->first;

	for (uint64_t number = 1; number == 1 || root; number++) {
		size_t before = c->threads.count;
		const struct chrome_thread *thread = find_thread(c, root, number);

		if (!thread)
			return -ENOMEM;
		root = root && c->e.has_code ? exchange_node(&c->e, root)->next : 0;
		if (c->threads.count == before)
			continue;
		text_printf(
			t,
			"%s\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%llu,\"tid\":"
			"%llu,\"ts\":0,\"args\":{\"name\":",
			before ? "," : "", (unsigned long long)thread->is.pid,
			(unsigned long long)thread->is.tid);
		json_string(t, thread->is.comm, thread->is.size);
		text_string(t, "}}");
		sink_drain(&c->sink);
	}
	return 0;
}

/* "ts" counts microseconds. */
static void add_chrome_sample(struct chrome *c, const struct chrome_thread *thread,
			      uint32_t frame, uint64_t weight)
{
	struct text *t = &c->sink.text;
	bool is_time = c->e.unit[0] == 'n';

	text_printf(
		t, "%s\n{\"pid\":%llu,\"tid\":%llu,\"name\":", c->samples++ ? "," : "",
		(unsigned long long)thread->is.pid, (unsigned long long)thread->is.tid);
	json_quoted(t, c->e.type);
	text_printf(t, ",\"sf\":%u,\"ts\":", frame);
	number_decimal(t, thread->at, c->e.view.decimals + (is_time ? 3 : 0));
	text_string(t, ",\"weight\":");
	exchange_add_weight(&c->e, t, weight);
	text_char(t, '}');
	sink_drain(&c->sink);
}

int write_chrome(struct context *ctx, const struct tree_source *in,
		 const struct write_options *options, FILE *out)
{
	struct chrome c = { .sink.out = out };
	struct text *t = &c.sink.text;
	struct view_walk w = { 0 };
	struct chrome_thread *thread;
	uint64_t roots = 0;
	int err;

	if (in->chart)
		return write_chart_chrome(ctx, in, options, out);
	err = exchange_open(ctx, in, options, 0, &c.e);

	if (err < 0)
		return err;
	text_string(t, "{\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[");
	err = add_threads(&c);
	text_string(t, "],\n\"stackFrames\":{\n");
	add_frames(&c.e, &c.sink);
	text_string(t, "},\n\"samples\":[");
	/* What has no frame is the first one's. */
	thread = c.threads.v;
	for (bool more = err == 0; more; more = view_next(&c.e.view, &w, VIEW_INTO)) {
		uint64_t weight = exchange_node(&c.e, w.node)->self;

		if (w.depth == 1)
			thread = find_thread(&c, w.node, c.e.has_code ? ++roots : 1);
		if (!weight)
			continue;
		add_chrome_sample(&c, thread, w.node ?: end_frame(&c.e) + 1, weight);
		thread->at += weight;
	}
	for (size_t i = 0; i < c.threads.count; i++)
		if (c.threads.v[i].at)
			add_chrome_sample(&c, &c.threads.v[i], end_frame(&c.e), 0);
	text_string(t, "]}\n");
	t->failed |= err < 0;
	array_release(&c.threads);
	hash_map_release(&c.by_ids);
	exchange_close(&c.e);
	return sink_end(ctx, &c.sink);
}
