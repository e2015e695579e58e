/*
 * Rows are counted from the root: from the bottom up, or inverted, from the top down.
 * Widths are values times .per_value. What flamegraph.pl computes in doubles is computed
 * here in the same steps, and text becomes a number without strtod(), which goes by the
 * locale.
 */
#include "write/layout.h"

/*
 * From the top: title, subtitle where there is one, a strip of time likewise, rows, and the line of
 * details:
 *
 *	ypad1 | ypad3 | above | rows: frame_height each | ypad2
 */
void layout_init(struct layout *l)
{
	l->ypad1 = l->font_size * 3;
	l->ypad2 = l->font_size * 2 + 10;
	l->ypad3 = l->subtitle ? l->font_size * 2 : 0;
	/* Pixels of one unit of value. */
	l->per_value = ((double)l->width - 2 * LAYOUT_XPAD) / l->total;
}

void layout_set_depth(struct layout *l, uint32_t depth)
{
	l->height = ((double)depth + 1) * l->frame_height + l->ypad1 + l->ypad2 +
		    l->ypad3 + l->above;
}

double layout_above(const struct layout *l)
{
	return l->ypad1 + l->ypad3;
}

/* Digits with a point; a second point ends the number, as it does in Perl. No
 * strtod(): a locale may have another point. */
bool layout_least_value(const struct layout *l, const char *minwidth, double *ret)
{
	const char *p = minwidth;
	double value = 0, unit = 1;
	bool behind = false, over = false;

	for (; (*p >= '0' && *p <= '9') || *p == '.'; p++) {
		if (*p == '.') {
			over = behind;
			behind = true;
		} else if (!over) {
			/* Value and unit grow together, and are divided once at the end:
			 * fewer roundings. */
			value = value * 10 + (*p - '0');
			unit *= behind ? 10 : 1;
		}
	}
	if (p == minwidth)
		return false;
	value /= unit;
	if (*p == '%') {
		p++;
		*ret = l->total * value / 100;
	} else {
		*ret = value / l->per_value;
	}
	return *p == '\0';
}

/* Where values add up to more than 64 bits hold, a frame may be much wider than all. */
static double x_of(const struct layout *l, double value)
{
	const double most = 1e12;
	double x = LAYOUT_XPAD + value * l->per_value;

	return x < most ? x : most;
}

struct box layout_frame(const struct layout *l, uint32_t depth, double start, double end)
{
	struct box b = { .x1 = x_of(l, start), .x2 = x_of(l, end) };
	double base = l->height - l->ypad2, top = layout_above(l) + l->above;

	if (l->inverted) {
		b.y1 = top + (double)depth * l->frame_height;
		b.y2 = top + ((double)depth + 1) * l->frame_height - 1;
	} else {
		/* One pixel of a row is left between it and the next one. */
		b.y1 = base - ((double)depth + 1) * l->frame_height + 1;
		b.y2 = base - (double)depth * l->frame_height;
	}
	return b;
}

size_t layout_characters(const struct layout *l, const struct box *box)
{
	double n = (box->x2 - box->x1) / (l->font_size * l->font_width);

	if (!(n > 0))
		return 0;
	/* Weights that wrap make a frame wider than the page, by any factor. */
	return n < UINT32_MAX ? (size_t)n : UINT32_MAX;
}
