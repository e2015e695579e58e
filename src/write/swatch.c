/* One entry of a legend, whatever its colours mean. */
#include "write/swatch.h"

#include <string.h>

#include "write/number.h"
#include "write/xml.h"

void swatch_add(struct text *t, const struct swatch *s, const struct text *look)
{
	text_string(t, "<g><rect x=\"");
	number_fixed(t, s->x, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, s->y - s->size + 1);
	text_string(t, "\" width=\"");
	number_pixels(t, s->size);
	text_string(t, "\" height=\"");
	number_pixels(t, s->size);
	text_printf(t, "\" %s rx=\"2\" /><text x=\"", look->bytes ?: "");
	number_fixed(t, s->x + s->size + 4, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, s->y);
	text_string(t, "\">");
	if (s->label)
		xml_text(t, s->label, strlen(s->label));
	text_string(t, "</text></g>\n");
	t->failed |= look->failed;
}
