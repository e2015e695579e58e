#include "write/page.h"

#include <gen/viewer_css.h>
#include <gen/viewer_js.h>
#include <string.h>

#include "write/number.h"
#include "write/xml.h"

static void add_attribute(struct text *t, const char *name, const char *value)
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

/* Fonts and colours are inherited from here; the viewer reads the data- attributes. */
static void add_root(struct text *t, const struct page *p, double height)
{
	const struct layout *l = p->layout;

	text_string(t, "<svg version=\"1.1\"");
	add_pixels(t, "width", l->width);
	add_pixels(t, "height", height);
	text_printf(t, " viewBox=\"0 0 %u ", l->width);
	number_pixels(t, height);
	text_string(t, "\" xmlns=\"http://www.w3.org/2000/svg\" "
		       "xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
	add_attribute(t, "font-family", p->fonttype);
	add_pixels(t, "font-size", l->font_size);
	text_string(t, " fill=\"rgb(0,0,0)\"");
	add_attribute(t, "data-nametype", p->nametype);
	add_pixels(t, "data-fontwidth", l->font_width);
	text_printf(t, " data-inverted=\"%d\">\n", l->inverted);
}

static void add_head(struct text *t, const struct page *p, double height)
{
	text_string(t, "<?xml version=\"1.0\"");
	if (p->declare_encoding)
		text_string(t, " encoding=\"UTF-8\"");
	text_string(t, " standalone=\"no\"?>\n"
		       "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "
		       "\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n");
	add_root(t, p, height);
	text_string(t,
		    "<!-- Flame graph, made by flamefold. Open it in a browser: frames "
		    "zoom when clicked, Ctrl-F searches. -->\n<!-- NOTES: ");
	xml_comment(t, p->notes);
	text_string(t, " -->\n");
}

static void add_background(struct text *t, const struct page *p)
{
	static const char *const offsets[] = { "5%", "95%" };

	text_string(t, "<defs>\n\t<linearGradient id=\"background\" y1=\"0\" y2=\"1\" "
		       "x1=\"0\" x2=\"0\" >\n");
	for (int i = 0; i < 2; i++)
		text_printf(t, "\t\t<stop stop-color=\"%s\" offset=\"%s\" />\n",
			    p->background[i], offsets[i]);
	text_string(t, "\t</linearGradient>\n</defs>\n");
}

/* The viewer's files hold no "]]>"; a test looks. */
static void add_viewer(struct text *t)
{
	text_string(t, "<style type=\"text/css\"><![CDATA[\n");
	text_add(t, viewer_css, sizeof(viewer_css) - 1);
	text_string(t, "]]></style>\n"
		       "<script type=\"text/ecmascript\"><![CDATA[\n(() => {\n"
		       "\"use strict\";\n");
	text_add(t, viewer_js, sizeof(viewer_js) - 1);
	text_string(t, "})();\n]]></script>\n");
}

/* One of the texts with an id; @extra: more attributes. */
static void add_text(struct text *t, const char *id, double x, double y, const char *text,
		     const char *extra)
{
	text_printf(t, "<text id=\"%s\" x=\"", id);
	number_fixed(t, x, 2);
	text_char(t, '"');
	add_pixels(t, "y", y);
	text_printf(t, " %s>", extra);
	xml_text(t, text, strlen(text));
	text_string(t, "</text>\n");
}

static void add_texts(struct text *t, const struct page *p)
{
	const struct layout *l = p->layout;
	double middle = l->width / 2, top = l->font_size * 2;
	double bottom = l->height - l->ypad2 / 2, right = (double)l->width - LAYOUT_XPAD;
	struct text size = { 0 };

	add_pixels(&size, "font-size", l->font_size + 5);
	text_string(&size, " text-anchor=\"middle\"");
	t->failed |= size.failed;
	add_text(t, "title", middle, top, p->title, size.failed ? "" : size.bytes);
	text_release(&size);
	if (l->subtitle)
		add_text(t, "subtitle", middle, l->font_size * 4, p->subtitle,
			 "text-anchor=\"middle\"");
	add_text(t, "details", LAYOUT_XPAD, bottom, " ", "");
	/* The viewer shows these when it has started. */
	add_text(t, "unzoom", LAYOUT_XPAD, top, "Reset Zoom",
		 "class=\"hide\" display=\"none\"");
	add_text(t, "search", right - l->font_size * 2, top, "Search",
		 "text-anchor=\"end\" opacity=\"0.1\"");
	add_text(t, "ignorecase", right, top, "ic",
		 "text-anchor=\"end\" opacity=\"0.1\"");
	add_text(t, "matched", right, bottom, " ", "text-anchor=\"end\"");
}

static void add_canvas(struct text *t, const struct page *p, double height)
{
	text_printf(t, "<rect x=\"0.0\" y=\"0\" width=\"%u.0\" height=\"",
		    p->layout->width);
	number_fixed(t, height, 1);
	text_string(t, "\" fill=\"url(#background)\"  />\n");
}

void page_begin(struct text *t, const struct page *p)
{
	double height = p->layout->height;

	add_head(t, p, height);
	add_background(t, p);
	add_viewer(t);
	add_canvas(t, p, height);
	add_texts(t, p);
	text_string(t, "<g id=\"frames\">\n");
}

void page_end(struct text *t)
{
	text_string(t, "</g>\n</svg>\n");
}

void page_error(struct text *t, const struct page *p, const char *sentence)
{
	const struct layout *l = p->layout;

	add_head(t, p, l->font_size * 5);
	text_string(t, "<text  x=\"");
	number_fixed(t, l->width / 2, 2);
	text_char(t, '"');
	add_pixels(t, "y", l->font_size * 2);
	text_string(t, " text-anchor=\"middle\">");
	xml_text(t, sentence, strlen(sentence));
	text_string(t, "</text>\n</svg>\n");
}
