/*
 * page_begin() and page_end() name the parts of the document in its order. Texts that
 * somebody else chose go through the functions of write/xml.h, so no name can end an
 * element or begin a script. What the viewer has to know stands in data- attributes of
 * the root, from which it begins.
 */
#include "write/page.h"

#include <gen/viewer_chart.h>
#include <gen/viewer_css.h>
#include <gen/viewer_js.h>
#include <string.h>

#include "write/change.h"
#include "write/html.h"
#include "write/number.h"
#include "write/strip.h"
#include "write/xml.h"

static void add_root_attribute(struct text *t, const char *name, const char *value)
{
	text_printf(t, " %s=\"", name);
	xml_quoted(t, value, strlen(value));
	text_char(t, '"');
}

static void add_pixels(struct text *t, const char *name, double value)
{
	text_printf(t, " %s=\"", name);
	number_pixels(t, value);
	text_char(t, '"');
}

static void add_root_number(struct text *t, const char *name, uint64_t value)
{
	text_printf(t, " %s=\"", name);
	text_u64(t, value);
	text_char(t, '"');
}

/* What the viewer has to know of the picture. */
static void add_viewer_facts(struct text *t, const struct page *p)
{
	enum { ORANGE = 3 * CLASS_SHADES }; /* of all user code, where kinds count */
	const struct ff_graph_options *o = p->options;

	text_string(t, " data-flamefold=\"1\"");
	add_root_number(t, "data-fluid", o->width == 0);
	add_root_number(t, "data-inverted", !!(o->flags & FF_GRAPH_INVERTED));
	add_root_number(t, "data-reverse", !!(o->flags & FF_GRAPH_REVERSE));
	add_root_attribute(t, "data-colors", o->colors);
	add_root_number(t, "data-frame-height", p->layout->frame_height);
	add_pixels(t, "data-fontwidth", p->layout->font_width);
	add_root_attribute(t, "data-nametype", o->nametype);
	add_root_attribute(t, "data-countname", o->countname);
	if (o->factor != 1)
		add_pixels(t, "data-factor", o->factor);
	if (p->whole > 0)
		add_pixels(t, "data-whole", p->whole);
	if (o->flags & FF_GRAPH_NEGATE)
		add_root_number(t, "data-negate", 1);
	if (strcmp(o->theme, "auto") != 0)
		add_root_attribute(t, "data-scheme", o->theme);
	if (p->classes || graph_has_viewer(o)) {
		text_string(t, " data-light=\"");
		class_colours_list(t, PAGE_LIGHT);
		text_string(t, "\" data-dark=\"");
		class_colours_list(t, PAGE_DARK);
		text_printf(t,
			    "\" data-ratios=\"%d %d\" data-shades=\"%d %d\" "
			    "data-kinds=\"%d %d %d %d %d %d %d\"",
			    CLASS_RATIO, CLASS_RATIOS, CLASS_USER, CLASS_SHADES,
			    CLASS_TEXT, CLASS_USER + ORANGE, CLASS_KERNEL, CLASS_JIT,
			    CLASS_TEXT, CLASS_INLINED + ORANGE, CLASS_WAKER);
	}
	add_root_number(t, "data-nodes", p->nodes);
	add_root_number(t, "data-drawn", p->drawn);
	add_root_number(t, "data-hidden", p->hidden);
}

/* Fonts and colours are inherited from here. */
static void begin_root(struct text *t, const struct page *p, double height)
{
	const struct layout *l = p->layout;

	text_string(t, "<svg version=\"1.1\"");
	add_pixels(t, "width", l->width);
	add_pixels(t, "height", height);
	text_printf(t, " viewBox=\"0 0 %u ", l->width);
	number_pixels(t, height);
	text_string(t, "\" xmlns=\"http://www.w3.org/2000/svg\" "
		       "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
	add_root_attribute(t, "font-family", p->options->fonttype);
	add_pixels(t, "font-size", l->font_size);
	text_string(t, p->theme == PAGE_DARK ? " fill=\"rgb(255,255,255)\""
					     : " fill=\"rgb(0,0,0)\"");
}

static void add_comments(struct text *t, const struct page *p)
{
	text_string(t, p->chart ? "<!-- Chart of threads, made by flamefold"
				: "<!-- Flame graph, made by flamefold");
	if (graph_has_viewer(p->options))
		text_string(t, ". Open it in a browser: frames zoom when clicked, Ctrl-F "
			       "searches");
	if (!(p->options->flags & FF_GRAPH_STATIC))
		text_string(t, ". 'flamefold fold' reads its stacks back");
	text_string(t, ". -->\n<!-- NOTES: ");
	xml_comment(t, p->options->notes);
	text_string(t, " -->\n");
}

/* The page around the picture is of its colour: dark where the theme is, or where nobody has
 * chosen one and the system is, as long as the viewer has not chosen otherwise. */
void page_style(struct text *t, const struct page *p)
{
	static const char root[] = "svg[data-flamefold]:not([data-theme])";
	bool html = p->html, viewer = graph_has_viewer(p->options);
	bool follows = p->plain && strcmp(p->options->theme, "auto") == 0;

	if (!viewer && !p->plain)
		return;
	/* In SVG the style is XML text, and CDATA keeps a parser from reading it. */
	text_string(t, html ? "<style>" : "<style type=\"text/css\"><![CDATA[\n");
	text_string(t, follows ? "@media (prefers-color-scheme:dark){" : "");
	/* A light page is what is shown without a style. */
	if (follows || (p->plain && p->theme != PAGE_LIGHT))
		text_printf(t, "%s%s{background:" PAGE_DARK_COLOUR "}",
			    html ? "html," : "", root);
	if (follows)
		text_printf(t,
			    "%s{fill:" PAGE_DARK_INK "}%s #canvas{fill:" PAGE_DARK_COLOUR
			    "}%s #bands{stroke:" PAGE_DARK_INK
			    "}%s :is(#frames,#legend) rect{fill:currentColor}"
			    "%s :is(#thin,#runs) path{stroke:currentColor}",
			    root, root, root, root, root);
	/* Frames say their colour by their class: each is one short rule. */
	for (int i = 0; follows && i < CLASSES; i++) {
		if (!p->used[i])
			continue;
		text_printf(t, "[data-flamefold] .c%d{color:", i);
		class_colour_add(t, class_colour(PAGE_DARK, (uint8_t)i));
		if (class_middle((uint8_t)i) == i) {
			text_printf(t, "}[data-flamefold] .r%d{color:", i);
			class_colour_add(t, class_run_colour(PAGE_DARK, (uint8_t)i));
		}
		text_char(t, '}');
	}
	if (follows && p->strip)
		strip_add_dark(t);
	text_string(t, follows ? "}" : "");
	if (viewer && p->chart)
		text_add(t, viewer_chart_css, sizeof(viewer_chart_css) - 1);
	else if (viewer)
		text_add(t, viewer_css, sizeof(viewer_css) - 1);
	if (viewer && (p->difference || p->heat))
		text_add(t, viewer_difference_css, sizeof(viewer_difference_css) - 1);
	if (viewer && p->heat)
		text_add(t, viewer_heat_css, sizeof(viewer_heat_css) - 1);
	text_string(t, html ? "</style>\n" : "]]></style>\n");
}

static void add_prolog(struct text *t, const struct page *p)
{
	if (p->html) {
		html_begin(t, p);
		return;
	}
	text_string(t, "<?xml version=\"1.0\"");
	if (p->options->encoding && *p->options->encoding)
		text_string(t, " encoding=\"UTF-8\"");
	text_string(t, " standalone=\"no\"?>\n");
}

/* One of the texts with an id. */
struct page_text {
	const char *id;
	double x, y;
	const char *text, *extra; /* more attributes */
};

static void add_page_text(struct text *t, const struct page_text *p)
{
	text_printf(t, "<text id=\"%s\" x=\"", p->id);
	number_fixed(t, p->x, 2);
	text_char(t, '"');
	add_pixels(t, "y", p->y);
	text_printf(t, " %s>", p->extra);
	xml_text(t, p->text, strlen(p->text));
	text_string(t, "</text>\n");
}

static void add_texts(struct text *t, const struct page *p)
{
	const struct layout *l = p->layout;
	double middle = l->width / 2, right = (double)l->width - LAYOUT_XPAD;
	double top = l->font_size * 2, bottom = l->height - l->ypad2 / 2;
	struct text size = { 0 };
	/* The viewer shows these when it has started. */
	const struct page_text controls[] = {
		{ "details", LAYOUT_XPAD, bottom, " ", "" },
		{ "unzoom", LAYOUT_XPAD, top, "Reset Zoom",
		  "class=\"hide\" display=\"none\"" },
		{ "search", right - l->font_size * 2, top, "Search",
		  "text-anchor=\"end\" display=\"none\"" },
		{ "ignorecase", right, top, "ic",
		  "text-anchor=\"end\" display=\"none\"" },
		{ "matched", right, bottom, " ", "text-anchor=\"end\"" },
	};
	struct page_text title = { "title", middle, top, p->options->title, "" };
	const struct page_text subtitle = { "subtitle", middle, l->font_size * 4,
					    p->options->subtitle,
					    "text-anchor=\"middle\"" };

	add_pixels(&size, "font-size", l->font_size + 5);
	text_string(&size, " text-anchor=\"middle\"");
	/* A part that lacks memory fails the whole, which is looked at once at the
	 * end. */
	t->failed |= size.failed;
	if (!size.failed)
		title.extra = size.bytes;
	add_page_text(t, &title);
	text_release(&size);
	if (l->subtitle)
		add_page_text(t, &subtitle);
	if (!graph_has_viewer(p->options))
		return;
	/* Those of a chart are in its page; the first of these says what is wrong with it. */
	for (size_t i = 0; i < (p->chart ? 1 : sizeof(controls) / sizeof(controls[0]));
	     i++)
		add_page_text(t, &controls[i]);
}

double page_lines_height(const struct layout *l, unsigned rows)
{
	/* 6 pixels between lines, 4 below the last one. */
	return rows ? rows * (l->font_size + 6) + 4 : 0;
}

double page_line(const struct page *p, unsigned row)
{
	const struct layout *l = p->layout;

	return l->height + (row + 1) * (l->font_size + 6) - 6;
}

void page_begin(struct text *t, const struct page *p)
{
	const char *title = p->options->title;
	double height = p->layout->height + p->below;

	add_prolog(t, p);
	begin_root(t, p, height);
	text_string(t, " role=\"graphics-document\" aria-labelledby=\"document-title\" "
		       "aria-describedby=\"document-description\"");
	add_viewer_facts(t, p);
	text_string(t, ">\n");
	add_comments(t, p);
	text_string(t, "<title id=\"document-title\">");
	xml_text(t, title, strlen(title));
	text_string(t, "</title>\n<desc id=\"document-description\">");
	xml_text(t, p->description, strlen(p->description));
	text_string(t, "</desc>\n");
	/* A page of HTML has the style in its head. */
	if (!p->html)
		page_style(t, p);
	/* flamegraph.pl's background is a gradient from one colour to the other. */
	if (!p->plain || p->difference)
		text_string(t, "<defs>\n");
	if (!p->plain)
		text_printf(t,
			    "\t<linearGradient id=\"background\" y1=\"0\" y2=\"1\" "
			    "x1=\"0\" x2=\"0\" >\n"
			    "\t\t<stop stop-color=\"%s\" offset=\"5%%\" />\n"
			    "\t\t<stop stop-color=\"%s\" offset=\"95%%\" />\n"
			    "\t</linearGradient>\n",
			    p->background[0], p->background[1]);
	if (p->difference)
		change_add_pattern(t);
	if (!p->plain || p->difference)
		text_string(t, "</defs>\n");
	text_printf(t, "<rect id=\"canvas\" x=\"0.0\" y=\"0\" width=\"%u.0\" height=\"",
		    p->layout->width);
	number_fixed(t, height, 1);
	text_string(t, !p->plain	       ? "\" fill=\"url(#background)\"  />\n"
		       : p->theme == PAGE_DARK ? "\" fill=\"" PAGE_DARK_COLOUR "\" />\n"
					       : "\" fill=\"#ffffff\" />\n");
	add_texts(t, p);
}

/* It is the same in SVG and HTML, and holds nothing that would end its element in one of
 * them; the build looks. It is large, so one file has it for both. */
void page_add_script(struct text *t, const struct page *p)
{
	if (p->chart) {
		text_add(t, viewer_chart_js, sizeof(viewer_chart_js) - 1);
		return;
	}
	text_add(t, viewer_js, sizeof(viewer_js) - 1);
	if (p->difference || p->heat)
		text_add(t, viewer_difference_js, sizeof(viewer_difference_js) - 1);
	if (p->heat)
		text_add(t, viewer_heat_js, sizeof(viewer_heat_js) - 1);
	text_add(t, viewer_end_js, sizeof(viewer_end_js) - 1);
}

void page_viewer(struct text *t, const struct page *p)
{
	if (!graph_has_viewer(p->options) || p->html)
		return;
	text_string(t, "<script type=\"text/ecmascript\"><![CDATA[\n");
	page_add_script(t, p);
	text_string(t, "]]></script>\n");
}

void page_end(struct text *t, const struct page *p)
{
	if (!p->chart)
		page_viewer(t, p);
	text_string(t, "</svg>\n");
	if (p->html)
		html_end(t, p);
}

void page_error(struct text *t, const struct page *p, const char *sentence)
{
	const struct layout *l = p->layout;

	add_prolog(t, p);
	begin_root(t, p, l->font_size * 5);
	text_string(t, ">\n");
	add_comments(t, p);
	text_string(t, "<text  x=\"");
	number_fixed(t, l->width / 2, 2);
	text_char(t, '"');
	add_pixels(t, "y", l->font_size * 2);
	text_string(t, " text-anchor=\"middle\">");
	xml_text(t, sentence, strlen(sentence));
	text_string(t, "</text>\n</svg>\n");
	if (p->html)
		html_end(t, p);
}
