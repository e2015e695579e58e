/*
 * The picture in a page of its own, where the viewer has room for more than in an image. The
 * page's policy forbids all that would be loaded and every script but the viewer, which it
 * knows by a hash that the build has made of it; so a name that somehow became markup would
 * still run nothing.
 */
#include "write/html.h"

#include <gen/viewer_hash.h>
#include <string.h>

#include "write/svg.h"
#include "write/xml.h"

void html_begin(struct text *t, const struct page *p)
{
	const char *theme = p->options->theme;

	text_string(t, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		       "<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\""
		       "default-src 'none'; base-uri 'none'; form-action 'none'; ");
	if (graph_has_viewer(p->options))
		text_printf(t, "script-src '%s'; ",
			    p->difference ? viewer_difference_hash
			    : p->heat	  ? viewer_heat_hash
					  : viewer_hash);
	text_string(t, "style-src 'unsafe-inline'; img-src data: blob:\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, "
		       "initial-scale=1\">\n");
	text_printf(t, "<meta name=\"color-scheme\" content=\"%s\">\n<title>",
		    strcmp(theme, "auto") == 0 ? "light dark" : theme);
	xml_text(t, p->options->title, strlen(p->options->title));
	text_string(t, "</title>\n");
	page_style(t, p);
	text_string(t, "</head>\n<body>\n<div id=\"controls\"></div>\n"
		       "<main id=\"graph\">\n");
}

void html_end(struct text *t, const struct page *p)
{
	text_string(t, "</main>\n");
	if (p->nodes)
		text_string(t, "<div id=\"table\"></div>\n");
	if (p->nodes && graph_has_viewer(p->options)) {
		text_string(t, "<script>");
		page_add_script(t, p);
		text_string(t, "</script>\n");
	}
	text_string(t, "</body>\n</html>\n");
}

int write_html(struct context *ctx, const struct tree_source *in,
	       const struct write_options *options, FILE *out)
{
	return svg_write(ctx, in, options, SVG_IN_PAGE, out);
}
