#include "write/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/legend.h"
#include "write/metadata.h"
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
	bool data_by_label;
	struct packed_tree packed;
	struct text title; /* that was made, or empty */
	const char *subject; /* the title that no fact says */
	bool used
		[CLASSES]; /* by the picture's frames, or by narrow ones in their stead */
};

static const char *text_or(const char *text, const char *other)
{
	return text && *text ? text : other;
}

static const char *default_title(const struct ff_graph_options *o, bool in_order)
{
	if (in_order)
		return "Flame Chart";
	return o->flags & FF_GRAPH_INVERTED ? "Icicle Graph" : "Flame Graph";
}

/* flamegraph.pl's font; others with its widths follow it, for machines without it. */
#define DEFAULT_FONT "Verdana"
#define DEFAULT_FONTS "Verdana,DejaVu Sans,Bitstream Vera Sans,Geneva,sans-serif"

#define OWN_LOOK "module"

/* Who asks for flamegraph.pl's ways to choose a colour wants its colours; those of a
 * difference are its own, too. */
static const char *default_colors(const struct ff_graph_options *o,
				  const struct tree_source *in)
{
	return o->flags & (FF_GRAPH_HASH | FF_GRAPH_RANDOM) || o->palette_map ||
			       named_is_difference(in->tree)
		       ? "hot"
		       : OWN_LOOK;
}

/* The palettes of flamegraph.pl have its title, too. */
static void set_title(struct svg *s)
{
	const struct write_facts *facts = s->picture.facts;
	struct ff_graph_options *o = &s->options;

	s->subject = text_or(o->title, facts ? facts->subject : NULL);
	if (!o->title && facts && strcmp(o->colors, OWN_LOOK) == 0)
		title_add(&s->title, facts);
	if (s->title.size && !s->title.failed)
		o->title = s->title.bytes;
	o->title = text_or(o->title, default_title(o, s->picture.in->in_order));
}

static void set_defaults(struct svg *s)
{
	const struct write_facts *facts = s->picture.facts;
	const char *unit = facts ? facts->unit : NULL;
	struct ff_graph_options *o = &s->options;

	o->subtitle = text_or(o->subtitle, "");
	o->notes = text_or(o->notes, "");
	o->fonttype = text_or(o->fonttype, DEFAULT_FONT);
	if (strcmp(o->fonttype, DEFAULT_FONT) == 0)
		o->fonttype = DEFAULT_FONTS;
	o->countname = o->countname ? o->countname : text_or(unit, "samples");
	o->nametype = o->nametype ? o->nametype : "Function:";
	o->colors = text_or(o->colors, default_colors(o, s->picture.in));
	o->height = o->height ? o->height : 16;
	o->fontsize = o->fontsize ? o->fontsize : 12;
	o->fontwidth = o->fontwidth ? o->fontwidth : 0.59;
	o->factor = o->factor ? o->factor : 1;
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
static int check_sizes(struct context *ctx, const struct ff_graph_options *o)
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

static int set_colours(struct context *ctx, struct svg *s)
{
	const struct ff_graph_options *o = &s->options;
	struct picture *p = &s->picture;

	p->classes = strcmp(o->colors, OWN_LOOK) == 0;
	p->colouring.palette = palette_find(p->classes ? "hot" : o->colors);
	if (!p->colouring.palette)
		return fail(ctx, -EINVAL, "no palette '%s': there are " OWN_LOOK ", %s",
			    o->colors, palette_names);
	p->colouring.by = o->flags & FF_GRAPH_HASH     ? COLOUR_BY_HASH
			  : o->flags & FF_GRAPH_RANDOM ? COLOUR_BY_CHANCE
						       : COLOUR_BY_SUM;
	return set_background(ctx, s);
}

/* A background of one's own stays as it is: so do the colours that go with it. */
static int set_theme(struct context *ctx, struct svg *s)
{
	struct ff_graph_options *o = &s->options;

	o->theme = text_or(o->theme, "auto");
	if (strcmp(o->theme, "light") != 0 && strcmp(o->theme, "dark") != 0 &&
	    strcmp(o->theme, "auto") != 0)
		return fail(ctx, -EINVAL, "theme '%s' is not light, dark or auto",
			    o->theme);
	s->page.plain = s->picture.classes && !(o->bgcolors && *o->bgcolors);
	s->picture.theme =
		s->page.plain && strcmp(o->theme, "dark") == 0 ? PAGE_DARK : PAGE_LIGHT;
	s->page.theme = s->picture.theme;
	return 0;
}

static int set_options(struct context *ctx, struct svg *s)
{
	const struct ff_graph_options *o = &s->options;
	int err = check_sizes(ctx, o);

	if (err == 0)
		err = set_colours(ctx, s);
	if (err == 0)
		err = set_theme(ctx, s);
	if (err < 0)
		return err;
	if (strpbrk(o->notes, "<>"))
		return fail(ctx, -EINVAL, "notes cannot hold < or >");
	s->picture.options = o;
	s->picture.layout = (struct layout){
		.width = o->width ? o->width : 1200,
		.frame_height = o->height,
		.font_size = o->fontsize,
		.font_width = o->fontwidth,
		.inverted = o->flags & FF_GRAPH_INVERTED,
		.subtitle = *o->subtitle != '\0',
	};
	s->page.layout = &s->picture.layout;
	s->page.options = o;
	s->page.classes = s->picture.classes;
	s->page.used = s->used;
	s->page.description = "";
	if (o->encoding && *o->encoding && strcasecmp(o->encoding, "utf-8") != 0)
		warn(ctx, "the picture is in UTF-8, not in %s", o->encoding);
	return 0;
}

static int read_files(struct context *ctx, struct svg *s)
{
	const struct ff_graph_options *o = &s->options;
	int err = 0;

	if (o->nameattr)
		err = nameattrs_read(ctx, o->nameattr, &s->picture.nameattrs);
	if (err == 0 && o->palette_map)
		err = palette_map_read(ctx, o->palette_map, &s->picture.palette_map);
	return err;
}

static bool is_chain(const struct svg *s)
{
	return !s->picture.classes && palette_is_chain(s->picture.colouring.palette);
}

static unsigned view_flags(const struct svg *s)
{
	unsigned flags = s->options.flags & FF_GRAPH_REVERSE ? VIEW_REVERSED : 0;

	if (s->picture.classes)
		return flags | VIEW_BY_FUNCTION;
	return flags | (is_chain(s) ? VIEW_CHAIN : 0);
}

/* The data is never turned round, and functions stay apart. */
static unsigned data_flags(const struct svg *s)
{
	return VIEW_COLUMNS | (is_chain(s) ? VIEW_CHAIN : VIEW_BY_FUNCTION);
}

static int make_views(struct context *ctx, struct svg *s)
{
	const struct tree_source *in = s->picture.in;
	unsigned flags = view_flags(s), wanted = data_flags(s);
	bool saved = !(s->options.flags & FF_GRAPH_STATIC), shared;
	int err;

	s->data_by_label = is_chain(s);
	shared = (flags | VIEW_COLUMNS) == wanted;
	err = view_make(ctx, in, saved && shared ? wanted : flags, &s->picture.view);
	if (err < 0 || !saved)
		return err;
	s->data = &s->picture.view;
	if (shared)
		return 0;
	s->data = &s->own;
	return view_make(ctx, in, wanted, &s->own);
}

/* A palette map's, or what the palette says. */
static struct colour colour_of_name(const struct svg *s, struct colouring *colouring,
				    const char *name)
{
	const char *mapped = s->options.palette_map
				     ? palette_map_find(&s->picture.palette_map, name)
				     : NULL;
	struct colour c;

	if (colour_of_separator(name, strlen(name), &c) ||
	    (mapped && colour_parse(mapped, &c)))
		return c;
	return colour_of(colouring, name, strlen(name));
}

static int add_colour(struct svg *s, struct colouring *colouring,
		      const struct data_function *f, struct bytes *to)
{
	const struct tree_source *in = s->picture.in;
	struct text name = { 0 };
	struct colour c;

	/* flamegraph.pl's colours are of names with their marks. */
	text_string(&name, f->name);
	if (!s->data_by_label)
		text_string(&name, view_mark(in, in->symbols->functions.v[f->of].kind));
	if (name.failed)
		return -ENOMEM;
	c = colour_of_name(s, colouring, name.bytes);
	bytes_u8(to, c.r);
	bytes_u8(to, c.g);
	bytes_u8(to, c.b);
	text_release(&name);
	return 0;
}

/* A label has no module: it is text. */
static uint8_t data_class(const struct svg *s, const struct data_function *f)
{
	struct class_subject subject = { .name = f->name,
					 .module = "",
					 .kind = f->kind,
					 .only_text = s->picture.plan.only_text };

	return s->data_by_label ? class_of(&s->picture.plan, &subject)
				: picture_class(&s->picture, f->of);
}

/* The class of each function of the data and, with a palette, its colour there. */
static int add_colours(struct svg *s, struct tree_data *data)
{
	struct colouring colouring = s->picture.colouring; /* chance is the picture's */
	int err = 0;

	for (size_t i = 0; i < data->functions.count && err == 0; i++) {
		const struct data_function *f = &data->functions.v[i];

		bytes_u8(&data->columns[SAVED_FUNCTION_CLASS], data_class(s, f));
		if (!s->picture.classes)
			err = add_colour(s, &colouring, f,
					 &data->columns[SAVED_FUNCTION_COLOUR]);
	}
	return err;
}

static int pack_data(struct context *ctx, struct svg *s)
{
	const struct tree_source *in = s->picture.in;
	const struct write_facts *facts = s->picture.facts;
	struct tree_data data;
	int err;

	if (!s->data)
		return 0;
	err = tree_data_make(ctx, in, s->data, s->data_by_label, &data);
	if (err < 0)
		return err;
	if (facts && facts->report)
		bytes_add(&data.columns[SAVED_REPORT], facts->report->v,
			  facts->report->count);
	if (add_colours(s, &data) < 0)
		err = fail_memory(ctx);
	else
		err = tree_data_pack(ctx, &data, in->threads ? in->threads : 1,
				     &s->packed);
	tree_data_release(&data);
	return err;
}

static void set_total(struct context *ctx, struct svg *s)
{
	const struct ff_graph_options *o = &s->options;
	struct picture *p = &s->picture;
	double sum = picture_value(p, p->view.nodes.v[0].total);

	if (sum < 100 && strcmp(o->countname, "samples") == 0)
		warn(ctx, "stack count is low (%.15g). Did something go wrong?", sum);
	p->total = sum;
	if (o->total >= sum) {
		p->total = o->total;
		s->page.whole = o->total;
	} else if (o->total / sum > 0.02) { /* less: meant as something else */
		warn(ctx,
		     "specified --total %.15g is less than actual total %.15g, so "
		     "ignored",
		     o->total, sum);
	}
}

static uint64_t count_frames(const struct view *v)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < v->nodes.count; i++)
		frames += v->nodes.v[i].label != VIEW_GAP;
	return frames;
}

static void mark_used(struct svg *s)
{
	const struct view *v = &s->picture.view;

	s->used[CLASS_TEXT] = true;
	for (size_t i = 1; i < v->nodes.count; i++)
		if (v->nodes.v[i].label != VIEW_GAP)
			s->used[picture_class(&s->picture, v->nodes.v[i].function)] =
				true;
	for (int i = CLASS_USER; i < CLASSES; i++)
		if (s->used[i])
			s->used[class_middle((uint8_t)i)] = true;
}

static int lay_out(struct context *ctx, struct svg *s)
{
	struct picture *p = &s->picture;
	int err;

	set_total(ctx, s);
	if (s->page.plain)
		mark_used(s);
	err = picture_lay_out(ctx, p);
	if (err < 0)
		return err;
	if (legend_make(p, &s->legend) < 0)
		return fail_memory(ctx);
	s->page.below = page_lines_height(&p->layout, legend_rows(&s->legend));
	s->page.description = s->legend.description.bytes;
	s->page.nodes = count_frames(s->data ? s->data : &p->view);
	s->page.drawn = p->drawn;
	s->page.hidden = p->frames - p->drawn;
	return 0;
}

static int draw(struct context *ctx, struct svg *s)
{
	struct metadata metadata = {
		.in = s->picture.in,
		.facts = s->picture.facts,
		.view = s->data,
		.packed = &s->packed,
		.unit = s->options.countname,
		.subject = s->subject,
		.chain = s->data_by_label,
	};
	int err = lay_out(ctx, s);

	if (err == 0)
		err = pack_data(ctx, s);
	if (err < 0)
		return err;
	page_begin(&s->sink.text, &s->page);
	if (picture_draw(&s->picture, &s->sink) < 0)
		return fail_memory(ctx);
	legend_add(&s->sink.text, &s->legend, &s->page);
	if (s->data)
		metadata_add(&s->sink, &metadata);
	page_end(&s->sink.text, &s->page);
	return 0;
}

static int draw_nothing(struct context *ctx, struct svg *s)
{
	page_error(&s->sink.text, &s->page, "ERROR: No stack counts found.");
	return fail(ctx, -ENODATA, "no stack counts found");
}

static int make_picture(struct context *ctx, struct svg *s)
{
	struct picture *p = &s->picture;
	int err = p->view.nodes.v[0].total ? draw(ctx, s) : draw_nothing(ctx, s);
	int ended = err < 0 && err != -ENODATA ? 0 : sink_end(ctx, &s->sink);

	if (ended < 0)
		return ended;
	if (err == 0 && s->options.palette_map)
		err = palette_map_write(ctx, &p->palette_map, s->options.palette_map);
	return err;
}

static void release(struct svg *s)
{
	picture_release(&s->picture);
	legend_release(&s->legend);
	view_release(&s->own);
	free(s->packed.bytes);
	text_release(&s->sink.text);
	text_release(&s->title);
}

static int write_picture(struct context *ctx, struct svg *s)
{
	int err;

	set_defaults(s);
	set_title(s);
	for (unsigned i = 0; i < s->picture.in->tree->decimals; i++)
		s->picture.unit *= 10;
	err = s->title.failed || class_plan_make(&s->picture.plan, s->picture.in) < 0
		      ? fail_memory(ctx)
		      : 0;
	if (err == 0)
		err = set_options(ctx, s);
	if (err == 0)
		err = read_files(ctx, s);
	if (err == 0)
		err = make_views(ctx, s);
	if (err == 0)
		err = make_picture(ctx, s);
	return err;
}

int svg_write(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, enum svg_place place, FILE *out)
{
	struct svg s = {
		.sink.out = out,
		.page.html = place == SVG_IN_PAGE,
		.picture = { .in = in, .facts = options->facts, .unit = 1 },
	};
	int err;

	if (options->graph)
		s.options = *options->graph;
	err = write_picture(ctx, &s);
	release(&s);
	return err;
}

int write_svg(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, FILE *out)
{
	return svg_write(ctx, in, options, SVG_ALONE, out);
}
