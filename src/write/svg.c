/*
 * A picture with its data and its viewer: options get their defaults and are checked, then views
 * are made, the frames laid out, and the parts written in their order.
 *
 * There may be two views. The data is never turned round and tells functions apart, so that the
 * viewer can do all that without a second file; where the picture shows the same they share one.
 */
#include "write/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "write/change.h"
#include "write/heat.h"
#include "write/legend.h"
#include "write/metadata.h"
#include "write/strip.h"
#include "write/title.h"

/* One document being written. */
struct svg {
	struct ff_graph_options options; /* no NULL and no 0 where there is a default */
	struct picture picture;
	struct page page;
	struct legend legend;
	struct sink sink;
	/* What the data is made of: the picture's view, or one of its own. */
	const struct view *data;
	struct view own;
	unsigned wanted; /* enum view_flag, of the data */
	bool data_by_label;
	struct packed_tree packed;
	const struct write_options *asked;
	const struct heat *heat; /* when it was; NULL: not known, or not shown */
	struct strip strip;
	double sum; /* of all that the picture shows */
	struct text title; /* that was made, or empty */
	const char *subject; /* the title that no fact says */
	bool used
		[CLASSES]; /* by the picture's frames, or by narrow ones in their stead */
};

/* flamegraph.pl's font; others with its widths follow it, for machines without it. */
#define DEFAULT_FONT "Verdana"
#define DEFAULT_FONTS "Verdana,DejaVu Sans,Bitstream Vera Sans,Geneva,sans-serif"

#define OWN_LOOK "module"
#define RATIO_LOOK "ratio"

static const char *text_or(const char *text, const char *other)
{
	return text && *text ? text : other;
}

static bool is_own_look(const char *colors)
{
	return strcmp(colors, OWN_LOOK) == 0 || strcmp(colors, RATIO_LOOK) == 0;
}

static void set_graph_defaults(struct svg *s)
{
	const struct write_facts *facts = s->picture.facts;
	const struct tree_source *in = s->picture.in;
	struct ff_graph_options *o = &s->options;
	/* Who asks for flamegraph.pl's ways to choose a colour wants its colours; those of a
	 * difference are its own, too. */
	bool plain_colours = s->picture.difference ||
			     o->flags & (FF_GRAPH_HASH | FF_GRAPH_RANDOM) ||
			     o->palette_map || named_is_difference(in->tree);

	o->subtitle = text_or(o->subtitle, "");
	o->notes = text_or(o->notes, "");
	o->fonttype = text_or(o->fonttype, DEFAULT_FONT);
	if (strcmp(o->fonttype, DEFAULT_FONT) == 0)
		o->fonttype = DEFAULT_FONTS;
	if (!o->countname)
		o->countname = text_or(facts ? facts->unit : NULL, "samples");
	o->nametype = o->nametype ? o->nametype : "Function:";
	o->colors = text_or(o->colors, plain_colours		       ? "hot"
				       : in->tree->columns->ratio.name ? RATIO_LOOK
								       : OWN_LOOK);
	o->theme = text_or(o->theme, "auto");
	/* flamegraph.pl's sizes: pixels of a row and of letters, a letter's width in
	 * parts of its size. */
	o->height = o->height ? o->height : 16;
	o->fontsize = o->fontsize ? o->fontsize : 12;
	o->fontwidth = o->fontwidth ? o->fontwidth : 0.59;
	o->factor = o->factor ? o->factor : 1;

	/* The palettes of flamegraph.pl have its title, too. */
	s->subject = text_or(o->title, facts ? facts->subject : NULL);
	if (!o->title && facts && is_own_look(o->colors))
		title_add(&s->title, facts);
	if (s->title.size && !s->title.failed)
		o->title = s->title.bytes;
	o->title = text_or(o->title, in->in_order		    ? "Flame Chart"
				     : o->flags & FF_GRAPH_INVERTED ? "Icicle Graph"
								    : "Flame Graph");
}

static const struct background {
	const char *name, *colours[2];
} backgrounds[] = {
	{ "yellow", { "#eeeeee", "#eeeeb0" } },
	{ "blue", { "#eeeeee", "#e0e0ff" } },
	{ "green", { "#eef2ee", "#e0ffe0" } },
	{ "grey", { "#f8f8f8", "#e8e8e8" } },
};

static int set_background(struct context *ctx, struct svg *s)
{
	const char *name = s->options.bgcolors;

	/* Each palette has a background that goes with it. */
	if (!name || !*name)
		name = palette_background(s->picture.colouring.palette);
	for (size_t i = 0; i < sizeof(backgrounds) / sizeof(backgrounds[0]); i++)
		if (strcmp(backgrounds[i].name, name) == 0) {
			memcpy(s->page.background, backgrounds[i].colours,
			       sizeof(s->page.background));
			return 0;
		}
	if (strlen(name) != 7 || name[0] != '#' ||
	    strspn(name + 1, "0123456789abcdefABCDEF") != 6)
		return fail(ctx, -EINVAL,
			    "no background '%s': there are yellow, blue, green, grey and "
			    "#rrggbb",
			    name);
	s->page.background[0] = s->page.background[1] = name;
	return 0;
}

/* Comparisons that a NaN fails, too. */
static int check_graph_sizes(struct context *ctx, const struct ff_graph_options *o)
{
	if (o->width && (o->width <= 2 * LAYOUT_XPAD || o->width > 1000000))
		return fail(ctx, -EINVAL, "width %u is not between 21 and 1000000",
			    o->width);
	if (o->height > 10000)
		return fail(ctx, -EINVAL, "height %u is more than 10000", o->height);
	if (!(o->fontsize > 0 && o->fontsize <= 1000))
		return fail(ctx, -EINVAL, "fontsize is not between 0 and 1000");
	if (!(o->fontwidth > 0 && o->fontwidth <= 1000))
		return fail(ctx, -EINVAL, "fontwidth is not between 0 and 1000");
	if (!(o->factor > -1e100 && o->factor < 1e100) || !(o->total < 1e100))
		return fail(ctx, -EINVAL, "factor or total is not a usable number");
	return 0;
}

/* What the options say becomes the picture's and the page's. */
static int use_options(struct context *ctx, struct svg *s)
{
	const struct ff_graph_options *o = &s->options;
	struct picture *p = &s->picture;
	int err = check_graph_sizes(ctx, o);

	if (err < 0)
		return err;
	p->classes = is_own_look(o->colors);
	p->by_ratio = strcmp(o->colors, RATIO_LOOK) == 0;
	/* A tree with nothing in it has no columns either, and is drawn to try options. */
	if (p->by_ratio && !p->in->tree->columns->ratio.name &&
	    p->in->tree->nodes.count && named_total(p->in->tree, 0))
		return fail(ctx, -EINVAL,
			    "there is no ratio to colour by: --ratio=A/B, or a mode that "
			    "has one");
	/* Our look needs a palette in name only: its colours are those of classes. */
	p->colouring.palette = palette_find(p->classes ? "hot" : o->colors);
	if (!p->colouring.palette)
		return fail(ctx, -EINVAL,
			    "no palette '%s': there are " OWN_LOOK ", " RATIO_LOOK ", %s",
			    o->colors, palette_names);
	p->colouring.by = o->flags & FF_GRAPH_HASH     ? COLOUR_BY_HASH
			  : o->flags & FF_GRAPH_RANDOM ? COLOUR_BY_CHANCE
						       : COLOUR_BY_SUM;
	err = set_background(ctx, s);
	if (err < 0)
		return err;
	if (strcmp(o->theme, "light") != 0 && strcmp(o->theme, "dark") != 0 &&
	    strcmp(o->theme, "auto") != 0)
		return fail(ctx, -EINVAL, "theme '%s' is not light, dark or auto",
			    o->theme);
	if (strpbrk(o->notes, "<>"))
		return fail(ctx, -EINVAL, "notes cannot hold < or >");
	p->options = o;
	p->layout = (struct layout){
		.width = o->width ? o->width : 1200,
		.frame_height = o->height,
		.font_size = o->fontsize,
		.font_width = o->fontwidth,
		.inverted = o->flags & FF_GRAPH_INVERTED,
		.subtitle = *o->subtitle != '\0',
	};
	/* A background of one's own stays as it is: so do the colours that go with it. */
	s->page.plain = p->classes && !(o->bgcolors && *o->bgcolors);
	p->theme =
		s->page.plain && strcmp(o->theme, "dark") == 0 ? PAGE_DARK : PAGE_LIGHT;
	s->page.theme = p->theme;
	s->page.layout = &p->layout;
	s->page.options = o;
	s->page.classes = p->classes;
	s->page.difference = p->difference != NULL;
	s->page.used = s->used;
	s->page.description = "";
	if (o->encoding && *o->encoding && strcasecmp(o->encoding, "utf-8") != 0)
		warn(ctx, "the picture is in UTF-8, not in %s", o->encoding);
	if (o->nameattr)
		err = nameattrs_read(ctx, o->nameattr, &p->nameattrs);
	if (err == 0 && o->palette_map)
		err = palette_map_read(ctx, o->palette_map, &p->palette_map);
	return err;
}

/* The picture's view; of a difference the data's, which the picture's is made of. */
static int make_first_view(struct context *ctx, struct svg *s)
{
	const struct tree_source *in = s->picture.in;
	bool chain =
		!s->picture.classes && palette_is_chain(s->picture.colouring.palette);
	/* A static picture has no data at all. */
	bool saved = !(s->options.flags & FF_GRAPH_STATIC), shared;
	unsigned flags = s->options.flags & FF_GRAPH_REVERSE ? VIEW_REVERSED : 0;

	s->wanted = VIEW_COLUMNS | (chain ? VIEW_CHAIN : VIEW_BY_FUNCTION);
	flags |= s->picture.classes ? VIEW_BY_FUNCTION : chain ? VIEW_CHAIN : 0;
	flags |= in->tree->columns->ratio.name ? VIEW_COLUMNS : 0;
	s->data_by_label = chain;
	/* By function, as its measures are. */
	if (s->picture.difference)
		flags = VIEW_BY_FUNCTION;
	/* The picture's view with all columns is the data's, unless it is reversed or by
	 * label, or shows the larger one of two weights. */
	shared = (flags | VIEW_COLUMNS) == s->wanted && !s->picture.difference;
	s->data = !saved ? NULL : shared ? &s->picture.view : &s->own;
	if (saved && (shared || s->picture.difference))
		flags = s->wanted;
	return view_make(ctx, in, flags,
			 s->picture.difference && saved ? &s->own : &s->picture.view);
}

/* The class of each function of the data and, with a palette, its colour there: a palette map's,
 * or what the palette says. */
static int add_data_colours(struct svg *s, struct tree_data *data)
{
	const struct tree_source *in = s->picture.in;
	struct colouring colouring = s->picture.colouring; /* chance is the picture's */
	struct bytes *to = &data->columns[SAVED_FUNCTION_COLOUR];
	struct text name = { 0 };

	for (size_t i = 0; i < data->functions.count && !name.failed; i++) {
		const struct data_function *f = &data->functions.v[i];
		/* A label has no module: it is text. */
		struct class_subject label = { .name = f->name,
					       .module = "",
					       .kind = f->kind,
					       .only_text = s->picture.plan.only_text };
		const char *mapped = NULL;
		struct colour c;

		bytes_u8(&data->columns[SAVED_FUNCTION_CLASS],
			 s->data_by_label ? class_of(&s->picture.plan, &label)
					  : picture_class(&s->picture, f->of));
		if (s->picture.classes)
			continue;
		/* flamegraph.pl's colours are of names with their marks. */
		text_clear(&name);
		text_string(&name, f->name);
		if (!s->data_by_label)
			text_string(&name,
				    view_mark(in, in->symbols->functions.v[f->of].kind));
		if (name.failed)
			break;
		if (s->options.palette_map)
			mapped = palette_map_find(&s->picture.palette_map, name.bytes);
		if (!colour_of_separator(name.bytes, name.size, &c) &&
		    !(mapped && colour_parse(mapped, &c)))
			c = colour_of(&colouring, name.bytes, name.size);
		bytes_u8(to, c.r);
		bytes_u8(to, c.g);
		bytes_u8(to, c.b);
	}
	text_release(&name);
	return name.failed ? -ENOMEM : 0;
}

/* Rules of a style are for classes that some frame has; runs of narrow ones have a middle
 * shade. 0, or -ENOMEM. */
static int find_used_classes(struct svg *s)
{
	const struct picture *p = &s->picture;
	const struct view *v = &p->view;
	size_t functions = p->in->symbols->functions.count;
	bool *has = calloc(functions + 1, sizeof(*has)); /* a frame; by function */

	if (!has)
		return -ENOMEM;
	s->used[CLASS_TEXT] = true;
	for (uint32_t i = 1; s->page.plain && i < v->nodes.count; i++)
		if (v->nodes.v[i].label == VIEW_GAP)
			continue;
		else if (p->by_ratio)
			s->used[picture_class_of_node(p, i)] = true;
		else
			has[v->nodes.v[i].function] = true;
	for (uint32_t i = 0; i < functions; i++)
		if (has[i])
			s->used[picture_class(p, i)] = true;
	for (int i = CLASS_USER; i < CLASSES; i++)
		if (s->used[i])
			s->used[class_middle((uint8_t)i)] = true;
	free(has);
	return 0;
}

/* What is made before the first byte is written: where frames are, and data of all of them. Neither
 * needs the other. */
struct halves {
	struct svg *svg;
	struct context *ctx, of_data;
	struct tree_data data;
	struct bytes measures, own_measures; /* of a difference */
};

/* Nothing more where there is nothing in it. */
static int make_picture(struct halves *h)
{
	struct svg *s = h->svg;
	struct picture *p = &s->picture;
	const struct ff_graph_options *o = &s->options;
	int err = 0;

	if (p->difference && s->data) {
		p->view = view_borrow(&s->own);
		for (uint32_t i = 0; i < COLUMNS_MOST; i++)
			if (i >= p->in->tree->columns->count ||
			    !p->in->tree->columns->v[i].makes_stacks)
				p->view.values[i] = (struct view_column){ 0 };
	}
	if (p->difference)
		err = change_widen(p->difference, &p->view);
	if (err == 0)
		err = ratio_scale_make(&p->view, o->countname, &p->ratio);
	if (err < 0)
		return fail_memory(h->ctx);
	/* What is 100 %: the sum of all, or --total where that is more. */
	p->total = s->sum = picture_value(p, view_total(&p->view, 0));
	if (!(s->sum > 0))
		return 0;
	if (o->total >= s->sum)
		p->total = s->page.whole = o->total;
	if (find_used_classes(s) < 0)
		return fail_memory(h->ctx);
	if (s->heat && strip_make(s->asked, &p->layout, p->theme, &s->strip) < 0)
		return fail_memory(h->ctx);
	p->layout.above = s->strip.height;
	err = picture_lay_out(h->ctx, p);
	if (err == 0 && p->difference && s->data)
		change_add_measures(&h->measures, &h->own_measures, p->difference,
				    s->data);
	return err;
}

static int make_half(void *arg, size_t i, size_t worker)
{
	struct halves *h = arg;
	struct svg *s = h->svg;
	int err = 0;

	(void)worker;
	if (i == 0)
		return make_picture(h);
	if (s->data == &s->own && !s->picture.difference)
		err = view_make(&h->of_data, s->picture.in, s->wanted, &s->own);
	if (err == 0)
		err = tree_data_make(&h->of_data, s->picture.in, s->data,
				     s->data_by_label, &h->data);
	if (err == 0 && add_data_colours(s, &h->data) < 0)
		err = fail_memory(&h->of_data);
	return err;
}

static int pack_data(struct context *ctx, struct svg *s, struct halves *h)
{
	struct tree_data *data = &h->data;
	const struct tree_source *in = s->picture.in;
	const struct write_facts *facts = s->picture.facts;

	if (!s->data)
		return 0;
	if (facts && facts->report)
		bytes_add(&data->columns[SAVED_REPORT], facts->report->v,
			  facts->report->count);
	data->columns[SAVED_MEASURES] = h->measures;
	data->columns[SAVED_OWN_MEASURES] = h->own_measures;
	h->measures = h->own_measures = (struct bytes){ 0 };
	if (s->page.heat && heat_add_columns(data->columns, s->asked, in, s->data) < 0)
		return fail_memory(ctx);
	return tree_data_pack(ctx, data, in->threads ? in->threads : 1, &s->packed);
}

static void warn_of_total(struct context *ctx, const struct svg *s)
{
	double total = s->options.total;

	if (s->sum < 100 && strcmp(s->options.countname, "samples") == 0)
		warn(ctx, "stack count is low (%.15g). Did something go wrong?", s->sum);
	if (total < s->sum && total / s->sum > 0.02) /* less: meant as something else */
		warn(ctx,
		     "specified --total %.15g is less than actual total %.15g, so "
		     "ignored",
		     total, s->sum);
}

/* All but its end. */
static int draw_document(struct context *ctx, struct svg *s, struct halves *h)
{
	struct picture *p = &s->picture;
	const struct view *nodes = s->data ? s->data : &p->view;
	struct metadata metadata = {
		.in = p->in,
		.facts = p->facts,
		.view = s->data,
		.packed = &s->packed,
		.unit = s->options.countname,
		.subject = s->subject,
		.ratio = &s->picture.ratio,
		.chain = s->data_by_label,
		.difference = p->difference,
	};
	int err;

	/* After the layout, which says how wide the legend may be and what is hidden;
	 * before the page, whose height it adds to. */
	if (legend_make(p, &s->legend) < 0)
		return fail_memory(ctx);
	s->page.below = page_lines_height(&p->layout, legend_rows(&s->legend));
	s->page.description = s->legend.description.bytes;
	for (size_t i = 0; i < nodes->nodes.count; i++)
		s->page.nodes += nodes->nodes.v[i].label != VIEW_GAP;
	s->page.drawn = p->drawn;
	s->page.hidden = p->frames - p->drawn;
	/* Before the first byte is written: what fails until here leaves no half
	 * document. */
	err = pack_data(ctx, s, h);
	tree_data_release(&h->data);
	if (err < 0)
		return err;
	page_begin(&s->sink.text, &s->page);
	if (s->heat)
		strip_add(&s->sink.text, &s->strip, &s->page);
	if (picture_draw(p, &s->sink) < 0)
		return fail_memory(ctx);
	legend_add(&s->sink.text, &s->legend, &s->page);
	if (s->data)
		metadata_add(&s->sink, &metadata);
	page_end(&s->sink.text, &s->page);
	return 0;
}

/* A picture that says there is nothing is written as well, and what is written is closed. */
static int write_document(struct context *ctx, struct svg *s)
{
	struct halves h = { .svg = s, .ctx = ctx, .of_data = *ctx };
	unsigned threads = s->picture.in->threads;
	int err, ended;

	*h.of_data.error = '\0';
	err = parallel_run(threads ? threads : 1, s->data ? 2 : 1, make_half, &h);
	if (s->sum > 0)
		warn_of_total(ctx, s);
	if (err < 0 && *h.of_data.error)
		memcpy(ctx->error, h.of_data.error, sizeof(ctx->error));
	if (err == 0 && s->sum > 0) {
		err = draw_document(ctx, s, &h);
	} else if (err == 0) {
		page_error(&s->sink.text, &s->page, "ERROR: No stack counts found.");
		err = fail(ctx, -ENODATA, "no stack counts found");
	}
	tree_data_release(&h.data);
	bytes_release(&h.measures);
	bytes_release(&h.own_measures);
	/* A document that could not be finished is not closed, and its text is
	 * dropped. */
	if (err < 0 && err != -ENODATA)
		return err;
	ended = sink_end(ctx, &s->sink);
	if (ended < 0 || err < 0)
		return ended < 0 ? ended : err;
	return s->options.palette_map ? palette_map_write(ctx, &s->picture.palette_map,
							  s->options.palette_map)
				      : 0;
}

int svg_write(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, enum svg_container container,
	      FILE *out)
{
	struct svg s = {
		.sink.out = out,
		.asked = options,
		.page.html = container == SVG_IN_PAGE,
		.picture = { .in = in,
			     .facts = options->facts,
			     .difference = options->difference,
			     .unit = 1 },
	};
	int err;

	if (in->chart)
		return write_chart_svg(ctx, in, options, out);
	if (options->graph)
		s.options = *options->graph;
	set_graph_defaults(&s);
	/* Units of one: values are whole numbers of 10^-decimals. */
	for (unsigned i = 0; i < in->tree->decimals; i++)
		s.picture.unit *= 10;
	if (s.title.failed || class_plan_make(&s.picture.plan, in) < 0)
		err = fail_memory(ctx);
	else
		err = use_options(ctx, &s);
	if (err == 0)
		err = make_first_view(ctx, &s);
	if (err == 0) {
		s.heat = s.data_by_label ? NULL : heat_of_picture(options, in);
		s.page.strip = s.heat;
		s.page.heat = s.heat && graph_has_viewer(&s.options);
		err = write_document(ctx, &s);
	}
	picture_release(&s.picture);
	legend_release(&s.legend);
	strip_release(&s.strip);
	view_release(&s.own);
	free(s.packed.bytes);
	text_release(&s.sink.text);
	text_release(&s.title);
	return err;
}

int write_svg(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, FILE *out)
{
	return svg_write(ctx, in, options, SVG_ALONE, out);
}
