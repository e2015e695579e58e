/*
 * A chart as a picture with its data and its viewer. The data is that of a flame graph, so whoever reads
 * graphs back reads this, too, and behind it the runs of each thread, as nodes of that tree:
 *
 *	182 threads      183 gaps      184 lengths      185 nodes      186 what they are, and samples
 *
 * one column each, because like values lie together and pack well. Of many runs there is a second level with
 * fewer of them, for as long as all of the time is shown. The picture shows the busiest threads
 * with their stacks and one row of each other one; what is narrower than a pixel is joined with its
 * neighbours, as the viewer does it, which can show all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "chart/chart.h"
#include "write/classes.h"
#include "write/legend.h"
#include "write/metadata.h"
#include "write/number.h"
#include "write/page.h"
#include "write/title.h"
#include "write/xml.h"

enum {
	RUNS_MOST =
		3000000, /* in the file: some 25 MB of text, which browsers read in a second */
	RUNS_AT_ONCE = 100000, /* are drawn in a blink */
	CELLS_SEEN = 4096, /* at most, by who sees all of the time: two a pixel */
	THREADS_SHOWN = 50,
	HEIGHT_OPENED =
		700, /* pixels: threads are drawn with their stacks as far as that */
	SPANS_DRAWN = 6000, /* elements that browsers show at once */
	HEADING = 18, /* pixels, above the spans of a thread */
};

struct chart_svg {
	const struct tree_source *in;
	const struct write_options *options;
	struct ff_graph_options graph;
	struct chart chart; /* as coarse as the file has it */
	struct view view;
	struct class_plan plan;
	struct layout layout;
	struct page page;
	struct packed_tree packed;
	struct text title, drawn;
	struct sink sink;
	size_t spans; /* drawn */
	bool used[CLASSES];
};

/* By node of the named tree its number in the data, which is its place in preorder. 0, or -ENOMEM. */
static int number_nodes(const struct chart_svg *s, uint32_t **ret)
{
	const struct view *v = &s->view;
	const struct named *tree = s->in->tree;
	uint32_t *order = calloc(v->nodes.count + 1, sizeof(*order)), *numbers = NULL;
	struct view_walk walk = { 0 };
	int err = order ? view_places(s->in, &numbers) : -ENOMEM;

	for (uint32_t i = 1; err == 0 && view_next(v, &walk, VIEW_INTO); i++)
		order[walk.node] = i;
	for (uint32_t i = 1; err == 0 && i < tree->nodes.count; i++)
		numbers[i] = order[numbers[i]];
	free(order);
	if (err == 0)
		*ret = numbers;
	return err;
}

/* Into five columns, of which @head is the first. */
static int add_runs(const struct chart_svg *s, const struct chart *c,
		    const uint32_t *numbers, struct bytes *head)
{
	int err = 0;

	bytes_varint(head, c->length);
	bytes_varint(head, c->cell);
	bytes_varint(head, s->in->chart->runs.count);
	bytes_varint(head, c->threads.count);
	for (size_t i = 0; i < c->threads.count && err == 0; i++) {
		const struct chart_thread *t = &c->threads.v[i];
		struct text name = { 0 };
		uint64_t at = 0;
		uint32_t last = 0;

		chart_thread_name(c, t, s->in->strings, &name);
		err = name.failed ? -ENOMEM : 0;
		if (err == 0)
			bytes_add(head, name.bytes, name.size);
		bytes_u8(head, 0);
		text_release(&name);
		bytes_varint(head, chart_process(t));
		bytes_varint(head, t->tid == 0);
		bytes_varint(head, t->ran);
		bytes_varint(head, t->end - t->first);
		for (size_t k = t->first; k < t->end; k++) {
			const struct chart_run *run = &c->runs.v[k];
			uint32_t node = numbers[run->node];

			bytes_varint(&head[SAVED_CHART_GAP - SAVED_CHART],
				     run->begin - at);
			bytes_varint(&head[SAVED_CHART_LENGTH - SAVED_CHART],
				     run->end - run->begin);
			/* Forward, or back. */
			bytes_varint(&head[SAVED_CHART_NODE - SAVED_CHART],
				     node >= last ? 2 * (uint64_t)(node - last)
						  : 2 * (uint64_t)(last - node) - 1);
			bytes_varint(&head[SAVED_CHART_WHAT - SAVED_CHART],
				     run->samples * UINT64_C(4) + run->what);
			at = run->end;
			last = node;
		}
	}
	return err;
}

static int pack_chart(struct context *ctx, struct chart_svg *s)
{
	const struct bytes *report = s->options->facts ? s->options->facts->report : NULL;
	struct chart coarse = { 0 };
	struct tree_data data;
	uint32_t *numbers = NULL;
	int err = tree_data_make(ctx, s->in, &s->view, false, &data);

	if (err < 0)
		return err;
	if (report)
		bytes_add(&data.columns[SAVED_REPORT], report->v, report->count);
	for (size_t i = 0; i < data.functions.count; i++) {
		struct class_subject subject =
			class_subject_of(&s->plan, s->in, data.functions.v[i].of);

		bytes_u8(&data.columns[SAVED_FUNCTION_CLASS],
			 class_of(&s->plan, &subject));
	}
	/* All runs, and where these are many, as few as all of the time needs: a browser draws that
	 * at once. */
	err = number_nodes(s, &numbers);
	if (err == 0)
		err = add_runs(s, &s->chart, numbers, &data.columns[SAVED_CHART]);
	if (err == 0 && s->chart.runs.count > RUNS_AT_ONCE)
		err = chart_coarsen(&s->chart, RUNS_AT_ONCE, s->chart.length / CELLS_SEEN,
				    &coarse);
	if (err == 0 && coarse.cell && coarse.runs.count < s->chart.runs.count / 2)
		err = add_runs(s, &coarse, numbers, &data.columns[SAVED_CHART_COARSE]);
	chart_release(&coarse);
	free(numbers);
	if (err < 0)
		err = fail_memory(ctx);
	else
		err = tree_data_pack(ctx, &data, s->in->threads ? s->in->threads : 1,
				     &s->packed);
	tree_data_release(&data);
	return err;
}

static void draw_span(struct chart_svg *s, const struct chart_span *span, double x,
		      double width, double y)
{
	static const char *const colours[][CHART_WHATS] = {
		[PAGE_LIGHT] = { "#d9d9d9", "#d9d9d9", "#bcd0ea", "#f0d48a" },
		[PAGE_DARK] = { "#4a4a4a", "#4a4a4a", "#34496b", "#6b5420" },
	};
	struct text *t = &s->drawn;
	const struct named_node *n = &s->in->tree->nodes.v[span->node];
	const char *name =
		span->node ? intern_text(s->in->strings,
					 s->in->symbols->functions.v[n->function].name)
			   : chart_what_name(span->what);

	s->spans++;
	text_string(t, "<g><title>");
	xml_text(t, name, strlen(name));
	text_string(t, " (");
	number_decimal(t, span->end - span->begin, 6);
	text_string(t, " ms)</title><rect x=\"");
	number_fixed(t, LAYOUT_XPAD + x, 1);
	text_string(t, "\" y=\"");
	number_fixed(t, y, 0);
	text_string(t, "\" width=\"");
	number_fixed(t, width > 0.6 ? width : 0.6, 1);
	text_printf(t, "\" height=\"%u\" ", s->layout.frame_height - 1);
	if (span->what == CHART_SAMPLED && span->node) {
		struct class_subject subject =
			class_subject_of(&s->plan, s->in, n->function);
		uint8_t class = class_of(&s->plan, &subject);

		s->used[class] = true;
		text_printf(t, "class=\"c%u\" fill=\"", class);
		class_colour_add(t, class_colour(s->page.theme, class));
	} else {
		text_printf(t, "class=\"w%u\" fill=\"%s", span->what ? span->what : 1,
			    colours[s->page.theme][span->what]);
	}
	text_string(t, "\"/>");
	/* As much of the name as there is surely room for. */
	if (width > 30) {
		size_t room = (size_t)((width - 6) / 7.1), size = strlen(name);

		text_string(t, "<text x=\"");
		number_fixed(t, LAYOUT_XPAD + x + 3, 1);
		text_string(t, "\" y=\"");
		number_fixed(t, y + s->layout.frame_height - 4, 0);
		text_string(t, "\">");
		while (size > room && room > 2 && (name[room - 2] & 0xc0) == 0x80)
			room--;
		xml_text(t, name, size <= room ? size : room - 2);
		text_string(t, size <= room ? "</text>" : "..</text>");
	}
	text_string(t, "</g>\n");
}

/* What is narrower than @least pixels is drawn with its neighbours as the longest of them. */
struct narrow_span {
	struct chart_span longest;
	uint64_t begin, end; /* end 0: there is none */
};

struct thread_picture {
	double top, least, scale; /* pixels; a ns has so many */
	bool opened; /* else all is in one row */
	ARRAY(struct narrow_span) narrow; /* by depth */
};

static void end_narrow(struct chart_svg *s, const struct thread_picture *p, size_t depth)
{
	struct narrow_span *n = &p->narrow.v[depth];

	if (n->end)
		draw_span(s, &n->longest, (double)n->begin * p->scale,
			  (double)(n->end - n->begin) * p->scale,
			  p->top + (p->opened ? (double)depth * s->layout.frame_height
					      : 0));
	n->end = 0;
}

static int draw_thread_spans(struct chart_svg *s, struct thread_picture *p,
			     const struct chart_thread *thread)
{
	struct chart_walk walk = { 0 };
	struct chart_span span;
	int step;

	chart_walk_start(&walk, &s->chart, s->in, thread);
	while ((step = chart_next(&walk, &span)) > 0) {
		size_t depth = p->opened ? walk.open.count : 0;
		struct narrow_span *n;
		double width;

		if (step == CHART_OPENS || (!p->opened && walk.open.count))
			continue;
		while (p->narrow.count <= depth)
			if (!array_add(&p->narrow)) {
				step = -ENOMEM;
				goto out;
			}
		n = &p->narrow.v[depth];
		width = (double)(span.end - span.begin) * p->scale;
		if (n->end && (width >= p->least ||
			       (double)(span.begin - n->end) * p->scale >= p->least))
			end_narrow(s, p, depth);
		if (width >= p->least) {
			draw_span(s, &span, (double)span.begin * p->scale, width,
				  p->top + (double)depth * s->layout.frame_height);
			continue;
		}
		if (!n->end)
			*n = (struct narrow_span){ span, span.begin, span.end };
		n->end = span.end;
		if (span.end - span.begin > n->longest.end - n->longest.begin)
			n->longest = span;
	}
	for (size_t i = 0; i < p->narrow.count; i++)
		end_narrow(s, p, i);
out:
	array_release(&p->narrow);
	chart_walk_release(&walk);
	return step < 0 ? step : 0;
}

static uint32_t thread_depth(const struct chart_svg *s, const struct chart_thread *t)
{
	uint32_t deepest = 1;

	for (size_t i = t->first; i < t->end; i++) {
		uint32_t depth = s->chart.runs.v[i].what != CHART_SAMPLED;

		for (uint32_t n = s->chart.runs.v[i].node; n;
		     n = s->in->tree->nodes.v[n].parent)
			depth++;
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

/* All threads that are shown; *@bottom: where they end. */
static int draw_threads(struct chart_svg *s, double least, double *bottom)
{
	const struct chart *c = &s->chart;
	struct text *t = &s->drawn;
	double y = s->layout.ypad1, opened = 0;
	size_t shown =
		c->threads.count < THREADS_SHOWN ? c->threads.count : THREADS_SHOWN;
	int err = 0;

	text_clear(t);
	s->spans = 0;
	for (size_t i = 0; i < shown && err == 0; i++) {
		const struct chart_thread *thread = &c->threads.v[i];
		bool is_open = i == 0 || opened < HEIGHT_OPENED;
		double height = s->layout.frame_height *
				(is_open ? (double)thread_depth(s, thread) : 1.0);
		struct thread_picture p = {
			.top = y + HEADING,
			.least = least,
			.scale = (s->layout.width - 2.0 * LAYOUT_XPAD) /
				 (double)(c->length ? c->length : 1),
			.opened = is_open,
		};
		struct text name = { 0 };

		chart_thread_name(c, thread, s->in->strings, &name);
		text_printf(t, "<text x=\"%d\" y=\"", LAYOUT_XPAD);
		number_fixed(t, y + HEADING - 5, 0);
		text_string(t, "\">");
		xml_text(t, name.bytes ? name.bytes : "", name.size);
		text_string(t, ": ");
		number_decimal(t, thread->ran, 6);
		text_string(t, " ms on a processor</text>\n");
		t->failed |= name.failed;
		text_release(&name);
		err = draw_thread_spans(s, &p, thread);
		opened += is_open ? height : 0;
		y += HEADING + height + 4;
	}
	if (shown < c->threads.count) {
		text_printf(t, "<text x=\"%d\" y=\"", LAYOUT_XPAD);
		number_fixed(t, y + HEADING - 5, 0);
		text_printf(t, "\">%zu more threads, with less processor time</text>\n",
			    c->threads.count - shown);
		y += HEADING;
	}
	*bottom = y;
	return err;
}

static int set_up_chart(struct context *ctx, struct chart_svg *s)
{
	struct ff_graph_options *o = &s->graph;
	const struct write_facts *facts = s->options->facts;
	int err = view_make(ctx, s->in, VIEW_COLUMNS | VIEW_BY_FUNCTION, &s->view);

	if (err < 0)
		return err;
	if (chart_coarsen(s->in->chart, RUNS_MOST, UINT64_MAX, &s->chart) < 0 ||
	    class_plan_make(&s->plan, s->in) < 0)
		return fail_memory(ctx);
	if (!o->title && facts)
		title_add(&s->title, facts);
	if (!o->title)
		o->title = s->title.size && !s->title.failed ? s->title.bytes : "Chart";
	o->notes = o->notes ? o->notes : "";
	o->subtitle = o->subtitle ? o->subtitle : "";
	o->fonttype = "Verdana,DejaVu Sans,Bitstream Vera Sans,Geneva,sans-serif";
	o->countname = facts && facts->unit ? facts->unit : "samples";
	o->nametype = "Function:";
	o->colors = "module";
	o->theme = o->theme && *o->theme ? o->theme : "auto";
	o->factor = 1;
	s->layout = (struct layout){ .width = o->width ? o->width : 1200,
				     .frame_height = 16,
				     .font_size = 12,
				     .font_width = 0.59,
				     .inverted = true,
				     .subtitle = *o->subtitle != '\0' };
	layout_init(&s->layout);
	s->page = (struct page){
		.layout = &s->layout,
		.options = o,
		.background = { "#ffffff", "#ffffff" },
		.classes = true,
		.plain = true,
		.chart = true,
		.theme = strcmp(o->theme, "dark") == 0 ? PAGE_DARK : PAGE_LIGHT,
		.used = s->used,
		.nodes = s->view.nodes.count,
		.description = "What each thread did when: time goes from left to right, "
			       "callers are above what they call.",
	};
	return 0;
}

int write_chart_svg(struct context *ctx, const struct tree_source *in,
		    const struct write_options *options, FILE *out)
{
	struct chart_svg s = { .in = in, .options = options, .sink.out = out };
	struct metadata metadata = { .in = in, .facts = options->facts };
	double least = 1, bottom = 0;
	int err;

	if (options->graph)
		s.graph = *options->graph;
	err = set_up_chart(ctx, &s);
	if (err == 0 && !s.chart.threads.count)
		page_error(&s.sink.text, &s.page, "ERROR: No samples with times found.");
	while (err == 0 && s.chart.threads.count) {
		err = draw_threads(&s, least, &bottom) < 0 ? fail_memory(ctx) : 0;
		/* Stacks may be so deep that one span of each depth is more than that. */
		if (s.spans <= SPANS_DRAWN || least > s.layout.width)
			break;
		least *= 2;
	}
	if (err == 0 && s.chart.threads.count)
		err = pack_chart(ctx, &s);
	if (err == 0 && s.chart.threads.count) {
		struct ratio_scale ratio = { 0 };

		s.layout.height = bottom + s.layout.ypad2;
		s.page.drawn = s.spans;
		metadata.view = &s.view;
		metadata.packed = &s.packed;
		metadata.unit = s.graph.countname;
		metadata.ratio = &ratio;
		page_begin(&s.sink.text, &s.page);
		text_string(&s.sink.text, "<g id=\"frames\">\n");
		text_add(&s.sink.text, s.drawn.bytes, s.drawn.size);
		text_string(&s.sink.text, "</g>\n");
		s.sink.text.failed |= s.drawn.failed;
		if (!(s.graph.flags & FF_GRAPH_STATIC))
			metadata_add(&s.sink, &metadata);
		page_end(&s.sink.text, &s.page);
	}
	if (err == 0)
		err = sink_end(ctx, &s.sink);
	if (err == 0 && !s.chart.threads.count)
		err = fail(ctx, -ENODATA, "no samples with times found");
	chart_release(&s.chart);
	view_release(&s.view);
	free(s.packed.bytes);
	text_release(&s.drawn);
	text_release(&s.title);
	text_release(&s.sink.text);
	return err;
}
