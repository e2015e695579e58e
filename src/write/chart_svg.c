/*
 * A chart as a picture with its data and its viewer. The data is that of a flame graph, so whoever reads
 * graphs back reads this, too, and behind it the chart (chart_data.c). The picture shows the busiest threads
 * with their stacks and one row of each other one; what is narrower than a pixel is joined with its
 * neighbours, as the viewer does it, which can show all of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "write/chart_data.h"
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
	uint32_t *numbers; /* of nodes, in the data */
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

static int pack_chart(struct context *ctx, struct chart_svg *s)
{
	const struct bytes *report = s->options->facts ? s->options->facts->report : NULL;
	struct tree_data data;
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
	err = chart_data_add(s->in, &s->chart, s->numbers, data.columns);
	if (err < 0)
		err = fail_memory(ctx);
	else
		err = tree_data_pack(ctx, &data, s->in->threads ? s->in->threads : 1,
				     &s->packed);
	tree_data_release(&data);
	return err;
}

/* @y: of the thread's first row. */
static void draw_span(struct chart_svg *s, const struct chart_joined *joined,
		      double scale, double y)
{
	static const char *const colours[][CHART_WHATS] = {
		[PAGE_LIGHT] = { "#d9d9d9", "#d9d9d9", "#bcd0ea", "#f0d48a" },
		[PAGE_DARK] = { "#4a4a4a", "#4a4a4a", "#34496b", "#6b5420" },
	};
	const struct chart_span *span = &joined->longest;
	double x = (double)joined->begin * scale;
	double width = (double)(joined->end - joined->begin) * scale;
	struct text *t = &s->drawn;
	const struct named_node *n = &s->in->tree->nodes.v[span->node];
	const char *name =
		span->node ? intern_text(s->in->strings,
					 s->in->symbols->functions.v[n->function].name)
			   : chart_what_name(span->what);

	y += joined->depth * s->layout.frame_height;
	s->spans++;
	text_string(t, "<g><title>");
	if (joined->count > 1) {
		number_commas(t, (double)joined->count);
		text_string(t, " spans of ");
		number_decimal(t, joined->sum, 6);
		text_string(t, " ms, the longest: ");
	}
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

/* All threads that are shown; *@bottom: where they end. */
static int draw_threads(struct chart_svg *s, double least, double *bottom)
{
	const struct chart *c = &s->chart;
	struct text *t = &s->drawn;
	double y = s->layout.ypad1, opened = 0;
	double scale = (s->layout.width - 2.0 * LAYOUT_XPAD) /
		       (double)(c->length ? c->length : 1);
	struct chart_joined_list spans = { 0 };
	size_t shown =
		c->threads.count < THREADS_SHOWN ? c->threads.count : THREADS_SHOWN;
	int err = 0;

	text_clear(t);
	s->spans = 0;
	for (size_t i = 0; i < shown && err == 0; i++) {
		const struct chart_thread *thread = &c->threads.v[i];
		bool is_open = i == 0 || opened < HEIGHT_OPENED;
		struct chart_join how = {
			.in = s->in,
			.numbers = s->numbers,
			.least = (uint64_t)(least / scale),
			.outermost = !is_open,
		};
		uint32_t deepest = 0;
		struct text name = { 0 };
		double height;

		chart_thread_name(c, thread, s->in->strings, &name);
		text_printf(t, "<text x=\"%d\" y=\"", LAYOUT_XPAD);
		number_fixed(t, y + HEADING - 5, 0);
		text_string(t, "\">");
		xml_text(t, name.bytes ? name.bytes : "", name.size);
		text_string(t, ": ");
		title_add_duration(t, thread->ran);
		text_string(t, " on a processor</text>\n");
		t->failed |= name.failed;
		text_release(&name);
		spans.count = 0;
		err = chart_join_thread(c, thread, &how, &spans);
		for (size_t k = 0; k < spans.count; k++) {
			draw_span(s, &spans.v[k], scale, y + HEADING);
			if (spans.v[k].depth > deepest)
				deepest = spans.v[k].depth;
		}
		height = s->layout.frame_height * (deepest + 1.0);
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
	array_release(&spans);
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
	if (chart_coarsen(s->in->chart, RUNS_MOST, &s->chart) < 0 ||
	    class_plan_make(&s->plan, s->in) < 0 ||
	    chart_data_numbers(s->in, &s->view, &s->numbers) < 0)
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
		page_viewer(&s.sink.text, &s.page);
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
	free(s.numbers);
	free(s.packed.bytes);
	text_release(&s.drawn);
	text_release(&s.title);
	text_release(&s.sink.text);
	return err;
}
