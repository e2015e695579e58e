#include <errno.h>
#include <string.h>

#include "write/colour.h"
#include "write/layout.h"
#include "write/nameattr.h"
#include "write/number.h"
#include "write/page.h"
#include "write/palette_map.h"
#include "write/sink.h"
#include "write/utf8.h"
#include "write/view.h"
#include "write/xml.h"

/* One picture being written. */
struct svg {
	struct svg_options options; /* no NULL and no 0 where there is a default */
	struct view view;
	struct layout layout;
	struct page page;
	struct colouring colouring;
	struct nameattrs nameattrs;
	struct palette_map palette_map;
	struct sink sink;
	double unit; /* values of the view are divided by it */
	double total; /* what is 100 %: the root's value or --total */
	double least; /* narrower frames are left out */
	double most_delta;
	const char *background;
	bool low_counts_matter;
};

static const char *text_or(const char *text, const char *other)
{
	return text && *text ? text : other;
}

static const char *default_title(const struct svg_options *o)
{
	if (o->flamechart)
		return "Flame Chart";
	return o->inverted ? "Icicle Graph" : "Flame Graph";
}

/* flamegraph.pl's font; others with its widths follow it, for machines without it. */
#define DEFAULT_FONT "Verdana"
#define DEFAULT_FONTS "Verdana,DejaVu Sans,Bitstream Vera Sans,Geneva,sans-serif"

static void set_defaults(struct svg_options *o)
{
	o->title = text_or(o->title, default_title(o));
	o->subtitle = text_or(o->subtitle, "");
	o->notes = text_or(o->notes, "");
	o->fonttype = text_or(o->fonttype, DEFAULT_FONT);
	if (strcmp(o->fonttype, DEFAULT_FONT) == 0)
		o->fonttype = DEFAULT_FONTS;
	o->countname = o->countname ? o->countname : "samples";
	o->nametype = o->nametype ? o->nametype : "Function:";
	o->colors = text_or(o->colors, "hot");
	o->minwidth = text_or(o->minwidth, "0.1");
	o->width = o->width ? o->width : 1200;
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
	const char *name =
		text_or(s->options.bgcolors, palette_background(s->colouring.palette));

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
static int check_sizes(struct context *ctx, const struct svg_options *o)
{
	if (o->width <= 2 * LAYOUT_XPAD || o->width > 1000000)
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

static int set_options(struct context *ctx, struct svg *s)
{
	const struct svg_options *o = &s->options;
	int err = check_sizes(ctx, o);

	if (err < 0)
		return err;
	if (strpbrk(o->notes, "<>"))
		return fail(ctx, -EINVAL, "notes cannot hold < or >");
	s->colouring.palette = palette_find(o->colors);
	if (!s->colouring.palette)
		return fail(ctx, -EINVAL, "no palette '%s': there are %s", o->colors,
			    palette_names);
	s->colouring.by = o->hash     ? COLOUR_BY_HASH
			  : o->random ? COLOUR_BY_CHANCE
				      : COLOUR_BY_SUM;
	s->layout = (struct layout){
		.width = o->width,
		.frame_height = o->height,
		.font_size = o->fontsize,
		.font_width = o->fontwidth,
		.inverted = o->inverted,
		.subtitle = *o->subtitle != '\0',
	};
	s->page = (struct page){
		.layout = &s->layout,
		.title = o->title,
		.subtitle = o->subtitle,
		.notes = o->notes,
		.fonttype = o->fonttype,
		.nametype = o->nametype,
		.declare_encoding = o->encoding && *o->encoding,
	};
	if (s->page.declare_encoding && strcasecmp(o->encoding, "utf-8") != 0)
		warn(ctx, "the picture is in UTF-8, not in %s", o->encoding);
	return set_background(ctx, s);
}

static double value_of(const struct svg *s, uint64_t units)
{
	return (double)units / s->unit;
}

static int read_files(struct context *ctx, struct svg *s)
{
	const struct svg_options *o = &s->options;
	int err = 0;

	if (o->nameattr)
		err = nameattrs_read(ctx, o->nameattr, &s->nameattrs);
	if (err == 0 && o->palette_map)
		err = palette_map_read(ctx, o->palette_map, &s->palette_map);
	return err;
}

/* Own values only: a frame between two others shows no difference. */
static double delta_of(const struct svg *s, uint32_t node)
{
	const struct view *v = &s->view;

	return value_of(s, v->nodes.v[node].self) - value_of(s, v->before.v[node]);
}

static void set_most_delta(struct svg *s)
{
	s->most_delta = 1;
	for (uint32_t i = 0; i < s->view.before.count; i++) {
		double delta = delta_of(s, i);

		if (delta < 0)
			delta = -delta;
		if (delta > s->most_delta)
			s->most_delta = delta;
	}
}

static void set_total(struct context *ctx, struct svg *s)
{
	const struct svg_options *o = &s->options;
	double sum = value_of(s, s->view.nodes.v[0].total);

	if (sum < 100 && strcmp(o->countname, "samples") == 0)
		warn(ctx, "stack count is low (%.15g). Did something go wrong?", sum);
	s->total = sum;
	if (o->total >= sum)
		s->total = o->total;
	else if (o->total / sum > 0.02) /* less: meant as something else */
		warn(ctx,
		     "specified --total %.15g is less than actual total %.15g, so "
		     "ignored",
		     o->total, sum);
}

static bool is_drawn(const struct svg *s, const struct view_walk *w)
{
	const struct view_node *n = &s->view.nodes.v[w->node];

	return n->label != VIEW_GAP &&
	       !(value_of(s, w->start + n->total) - value_of(s, w->start) < s->least);
}

/* The deepest frame that is drawn decides how high the picture is. */
static uint32_t depth_drawn(const struct svg *s)
{
	struct view_walk w = { 0 };
	enum view_step step;
	uint32_t most = 0;

	do {
		step = VIEW_OVER;
		if (is_drawn(s, &w)) {
			step = VIEW_INTO;
			if (w.depth > most)
				most = w.depth;
		}
	} while (view_next(&s->view, &w, step));
	return most;
}

static int set_layout(struct context *ctx, struct svg *s)
{
	set_most_delta(s);
	set_total(ctx, s);
	s->layout.total = s->total;
	layout_init(&s->layout);
	if (!layout_least_value(&s->layout, s->options.minwidth, &s->least))
		return fail(ctx, -EINVAL,
			    "minwidth '%s' is no number of pixels and no percentage",
			    s->options.minwidth);
	layout_set_depth(&s->layout, depth_drawn(s));
	return 0;
}

/* A frame: where it is and what it says. */
struct piece {
	uint32_t node;
	const char *name; /* with its mark */
	size_t size, shown; /* the same without the mark */
	const struct nameattr *attr;
	struct box box;
	double value;
};

static size_t size_without_mark(const char *name, size_t size)
{
	const char *mark = name + size - 4;

	if (size >= 4 && mark[0] == '_' && mark[1] == '[' && strchr("kwij", mark[2]) &&
	    mark[3] == ']')
		return size - 4;
	return size;
}

static struct piece frame_of(struct svg *s, const struct view_walk *w)
{
	const struct view_node *n = &s->view.nodes.v[w->node];
	double start = value_of(s, w->start), end = value_of(s, w->start + n->total);
	struct piece f = {
		.node = w->node,
		.name = label_text(&s->view.labels, n->label),
		.size = s->view.labels.sizes.v[n->label],
	};

	if (w->node == 0)
		end = s->total;
	f.value = end - start;
	f.shown = size_without_mark(f.name, f.size);
	f.box = layout_frame(&s->layout, w->depth, start, end);
	if (s->options.nameattr)
		f.attr = nameattrs_find(&s->nameattrs, f.name, f.size);
	return f;
}

static void add_percent(struct text *t, const struct svg *s, double value)
{
	number_fixed(t, 100 * value / (s->total * s->options.factor), 2);
	text_char(t, '%');
}

static void add_delta(struct text *t, const struct svg *s, uint32_t node)
{
	double delta = delta_of(s, node);

	if (s->options.negate && delta)
		delta = -delta;
	text_string(t, delta > 0 ? "; +" : "; ");
	add_percent(t, s, delta);
}

/* "name (1,234 samples, 5.67%)" */
static void add_title(struct text *t, const struct svg *s, const struct piece *f)
{
	double count = number_round(f->value * s->options.factor);

	if (f->node == 0)
		text_string(t, "all");
	else
		xml_quoted(t, f->name, f->shown);
	text_string(t, " (");
	number_commas(t, count);
	text_char(t, ' ');
	xml_quoted(t, s->options.countname, strlen(s->options.countname));
	text_string(t, ", ");
	if (f->node == 0)
		text_string(t, "100%");
	else
		add_percent(t, s, count);
	if (f->node && s->view.before.count)
		add_delta(t, s, f->node);
	text_char(t, ')');
}

static void format_colour(struct text *t, struct colour c)
{
	text_string(t, "rgb(");
	text_u64(t, c.r);
	text_char(t, ',');
	text_u64(t, c.g);
	text_char(t, ',');
	text_u64(t, c.b);
	text_char(t, ')');
}

static int add_mapped_colour(struct text *t, struct svg *s, const struct piece *f)
{
	struct text computed = { 0 };
	const char *colour = "";
	int err;

	format_colour(&computed, colour_of(&s->colouring, f->name, f->size));
	err = computed.failed ? -ENOMEM
			      : palette_map_colour(&s->palette_map, f->name,
						   computed.bytes, &colour);
	xml_quoted(t, colour, strlen(colour));
	text_release(&computed);
	return err;
}

static int add_colour(struct text *t, struct svg *s, const struct piece *f)
{
	static const struct colour dark = { 160, 160, 160 }, light = { 200, 200, 200 };
	double sign = s->options.negate ? -1 : 1;

	if (strcmp(f->name, "--") == 0)
		format_colour(t, dark);
	else if (strcmp(f->name, "-") == 0)
		format_colour(t, light);
	else if (s->view.before.count)
		format_colour(
			t, colour_of_delta(sign * delta_of(s, f->node), s->most_delta));
	else if (s->options.palette_map)
		return add_mapped_colour(t, s, f);
	else
		format_colour(t, colour_of(&s->colouring, f->name, f->size));
	return 0;
}

static int add_rectangle(struct text *t, struct svg *s, const struct piece *f)
{
	const struct box *b = &f->box;
	double left = number_round_tenths(b->x1), right = number_round_tenths(b->x2);
	int err;

	text_string(t, "<rect x=\"");
	number_fixed(t, b->x1, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, b->y1);
	text_string(t, "\" width=\"");
	number_fixed(t, right - left, 1);
	text_string(t, "\" height=\"");
	number_fixed(t, b->y2 - b->y1, 1);
	text_string(t, "\" fill=\"");
	err = add_colour(t, s, f);
	text_string(t, "\" rx=\"2\" ry=\"2\" />\n");
	return err;
}

/* The first @count characters; a name that is longer ends in two dots. */
static void add_name(struct text *t, const struct piece *f, size_t count)
{
	const char *p = f->name, *end = f->name + f->shown, *cut = end;
	size_t n = 0;

	for (; p < end && n < count; n++) {
		if (n == count - 2)
			cut = p;
		utf8_next(&p, end);
	}
	if (p == end) {
		xml_text(t, f->name, f->shown);
		return;
	}
	xml_text(t, f->name, (size_t)(cut - f->name));
	text_string(t, "..");
}

static void add_label(struct text *t, const struct svg *s, const struct piece *f)
{
	size_t count = layout_characters(&s->layout, &f->box);

	text_string(t, "<text  x=\"");
	number_fixed(t, f->box.x1 + 3, 2);
	text_string(t, "\" y=\"");
	number_pixels(t, 3 + (f->box.y1 + f->box.y2) / 2);
	text_string(t, "\" >");
	/* Room for one character and two dots. */
	if (count >= 3)
		add_name(t, f, count);
	text_string(t, "</text>\n");
}

static int add_frame(struct text *t, struct svg *s, const struct piece *f)
{
	const char *title = f->attr ? f->attr->values[NAMEATTR_TITLE] : NULL;
	int err;

	nameattr_open(t, f->attr);
	text_string(t, "<title>");
	if (title)
		xml_requoted(t, title);
	else
		add_title(t, s, f);
	text_string(t, "</title>");
	err = add_rectangle(t, s, f);
	add_label(t, s, f);
	nameattr_close(t, f->attr);
	return err;
}

static int add_frames(struct svg *s)
{
	struct view_walk w = { 0 };
	enum view_step step;

	do {
		step = VIEW_OVER;
		if (is_drawn(s, &w)) {
			struct piece f = frame_of(s, &w);
			int err = add_frame(&s->sink.text, s, &f);

			if (err < 0)
				return err;
			sink_drain(&s->sink);
			step = VIEW_INTO;
		}
	} while (view_next(&s->view, &w, step) && s->sink.err == 0);
	return 0;
}

static int draw(struct context *ctx, struct svg *s)
{
	int err = set_layout(ctx, s);

	if (err < 0)
		return err;
	page_begin(&s->sink.text, &s->page);
	err = add_frames(s);
	if (err < 0)
		return fail_memory(ctx);
	page_end(&s->sink.text);
	return 0;
}

static int draw_nothing(struct context *ctx, struct svg *s)
{
	page_error(&s->sink.text, &s->page, "ERROR: No stack counts found.");
	return fail(ctx, -ENODATA, "no stack counts found");
}

static int make_picture(struct context *ctx, struct svg *s)
{
	int err = s->view.nodes.v[0].total ? draw(ctx, s) : draw_nothing(ctx, s);
	int ended = err < 0 && err != -ENODATA ? 0 : sink_end(ctx, &s->sink);

	if (ended < 0)
		return ended;
	if (err == 0 && s->options.palette_map)
		err = palette_map_write(ctx, &s->palette_map, s->options.palette_map);
	return err;
}

static unsigned view_flags(const struct svg *s)
{
	return (s->options.reverse ? VIEW_REVERSED : 0) |
	       (palette_is_chain(s->colouring.palette) ? VIEW_CHAIN : 0);
}

static void release(struct svg *s)
{
	view_release(&s->view);
	nameattrs_release(&s->nameattrs);
	palette_map_release(&s->palette_map);
	text_release(&s->sink.text);
}

int write_svg(struct context *ctx, const struct write_input *in,
	      const struct svg_options *options, FILE *out)
{
	struct svg s = { .sink.out = out, .unit = 1 };
	int err;

	if (options)
		s.options = *options;
	set_defaults(&s.options);
	for (unsigned i = 0; i < in->tree->decimals; i++)
		s.unit *= 10;
	err = set_options(ctx, &s);
	if (err == 0)
		err = read_files(ctx, &s);
	if (err == 0)
		err = view_make(ctx, in, view_flags(&s), &s.view);
	if (err == 0)
		err = make_picture(ctx, &s);
	release(&s);
	return err;
}
