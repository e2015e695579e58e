/*
 * Each step of colour is a path over all cells that have as much or more, so it lies upon the one before it:
 * where weights go up and down there are half as many lines as if each had its own cells, and between cells no
 * page shines through. Lines are as thick as a row, and numbers are cells: one unit of the group's scale.
 */
#include "write/strip.h"

#include <errno.h>
#include <flamefold_time.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "write/number.h"
#include "write/xml.h"

enum {
	STEPS = 4,
	TALL = 100, /* pixels, about */
	CELLS_MOST = 3000, /* drawn */
	BYTES_MOST = 6000, /* of paths, as far as wider columns help */
	COLUMNS_LEAST = 40,
	NAME_MOST = 200, /* bytes */
};

/* From little to much; the first one is that of nothing. */
static const char *const colours[][STEPS + 1] = {
	[PAGE_LIGHT] = { "#f5f5f5", "#f9efce", "#fdd47e", "#f2742c", "#ab2618" },
	[PAGE_DARK] = { "#26272a", "#382725", "#622c1c", "#b1471e", "#e4933d" },
};

static const char mark_colour[] = "#e600e6";

/* Columns of so many rows, as the viewer has them (gridOf() in heat_data.js). */
struct strip_grid {
	uint64_t cell; /* ns */
	unsigned rows;
};

static struct strip_grid grid_of(const struct heat *h, double length, double columns_most)
{
	static const struct strip_grid scales[] = {
		{ UINT64_C(20000000), 50 },	  { UINT64_C(100000000), 50 },
		{ UINT64_C(1000000000), 60 },	  { UINT64_C(5000000000), 60 },
		{ UINT64_C(60000000000), 60 },	  { UINT64_C(3600000000000), 24 },
		{ UINT64_C(86400000000000), 10 },
	};

	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++)
		if (scales[i].cell >= h->width && scales[i].cell % h->width == 0 &&
		    length / ((double)scales[i].cell * scales[i].rows) <= columns_most)
			return scales[i];
	return (struct strip_grid){
		h->width * (uint64_t)ceil(length / (double)h->width / 10 / columns_most),
		10,
	};
}

static int by_amount(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* What a lot is: a few cells that have far more than all others do not make those pale. */
static double much_of(const double *sums, double *room, size_t count)
{
	size_t some = 0;

	for (size_t i = 0; i < count; i++)
		if (sums[i] > 0)
			room[some++] = sums[i];
	qsort(room, some, sizeof(*room), by_amount);
	return some ? room[some * 99 / 100] : 1;
}

/* @sums: row by row, the end of a column's time at the top. */
static void draw_steps(struct strip *s, const double *sums, double much,
		       enum page_theme theme)
{
	text_clear(&s->paths);
	for (int step = 1; step <= STEPS; step++) {
		double least = much * (step - 1) / STEPS;
		int x = 0, y = 0;

		text_printf(&s->paths, "<path class=\"h%d\" stroke=\"%s\" d=\"", step,
			    colours[theme][step]);
		for (int row = 0; row < (int)s->rows; row++) {
			const double *line = &sums[(size_t)row * s->columns];

			for (int from = 0, to; from < (int)s->columns; from = to + 1) {
				for (to = from; to < (int)s->columns && line[to] > 0 &&
						line[to] >= least;)
					to++;
				if (to == from)
					continue;
				text_printf(&s->paths, "m%d %dh%d", from - x, row - y,
					    to - from);
				x = to;
				y = row;
			}
		}
		text_string(&s->paths, "\"/>\n");
	}
}

/* As the viewer says it: seconds, or minutes, hours and seconds where there are so many. */
static void say_time(struct text *t, double seconds, uint64_t width)
{
	unsigned digits = width < 100000000 ? 2 : width < 1000000000 ? 1 : 0;
	double whole = floor(seconds);

	if (seconds < 120) {
		number_fixed(t, seconds, digits);
		text_string(t, " s");
		return;
	}
	if (seconds >= 3600)
		text_printf(t, "%.0f:", floor(whole / 3600));
	text_printf(t, "%02d:", (int)fmod(whole / 60, 60));
	if (fmod(seconds, 60) < 10)
		text_char(t, '0');
	number_fixed(t, fmod(seconds, 60), digits);
}

/* A length of time that is one of a few units, "20 ms". */
static void say_length(struct text *t, double ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { " d", 864e11 },
		      { " h", 36e11 },
		      { " min", 6e10 },
		      { " s", 1e9 },
		      { " ms", 1e6 } };
	size_t i = 0;

	while (i + 1 < sizeof(units) / sizeof(*units) && ns < units[i].ns)
		i++;
	number_pixels(t, ns / units[i].ns);
	text_string(t, units[i].name);
}

/* Where it changes, as lines with a tip; and of each part what tells it from the others. */
static void draw_phases(struct strip *s, const struct write_options *options,
			double pixels_per_ns)
{
	for (size_t i = 0; i < options->phase_count; i++) {
		const struct ff_phase *p = &options->phases[i];
		size_t size = strlen(p->name);

		if (i > 0) {
			text_char(&s->marks, 'M');
			number_fixed(&s->marks, (double)p->start * pixels_per_ns, 1);
			text_printf(&s->marks, " 0v%.0fm-4 -%.0fh8l-4 6z",
				    s->rows * s->row_height, s->rows * s->row_height);
		}
		text_string(&s->phases, i ? "; " : ". ");
		say_time(&s->phases, (double)p->start / 1e9, options->heat->width);
		text_string(&s->phases, " to ");
		say_time(&s->phases, (double)p->end / 1e9, options->heat->width);
		text_char(&s->phases, ' ');
		xml_text(&s->phases, p->name, size < NAME_MOST ? size : NAME_MOST);
	}
}

int strip_make(const struct write_options *options, const struct layout *l,
	       enum page_theme theme, struct strip *s)
{
	const struct heat *h = options->heat;
	uint64_t cells = array_last(&h->cells)->cell + UINT64_C(1);
	double length = (double)cells * (double)h->width,
	       wide = l->width - 2 * LAYOUT_XPAD;
	struct strip_grid grid = grid_of(h, length, fmax(2, floor(wide / 2)));
	uint64_t per = grid.cell / h->width,
		 all = (cells + per * grid.rows - 1) / (per * grid.rows);
	unsigned down, across;

	/* Rows are worth more than columns: what comes at even times is seen in them. */
	down = all * grid.rows > CELLS_MOST && grid.rows % 2 == 0 ? 2 : 1;
	s->rows = grid.rows / down;
	across = (unsigned)((all * s->rows + CELLS_MOST - 1) / CELLS_MOST);
	for (;; across *= 2) {
		double *sums, *room;

		s->columns = (unsigned)((all + across - 1) / across);
		sums = calloc((size_t)s->columns * s->rows, 2 * sizeof(*sums));
		if (!sums)
			return -ENOMEM;
		room = sums + (size_t)s->columns * s->rows;
		for (size_t i = 0; i < h->cells.count; i++) {
			uint64_t cell = h->cells.v[i].cell / per;
			size_t row = s->rows - 1 - cell % grid.rows / down;
			double *sum = &sums[row * s->columns + cell / grid.rows / across];

			/* Those of one cell, which many stacks may have. */
			*sum += (double)h->cells.v[i].weight;
			while (i + 1 < h->cells.count &&
			       h->cells.v[i + 1].cell == h->cells.v[i].cell)
				*sum += (double)h->cells.v[++i].weight;
		}
		/* The last one may be of less time. */
		for (size_t row = 0; row < s->rows; row++)
			sums[(row + 1) * s->columns - 1] *=
				(double)across /
				(double)(all - (uint64_t)(s->columns - 1) * across);
		draw_steps(s, sums, much_of(sums, room, (size_t)s->columns * s->rows),
			   theme);
		free(sums);
		if (s->paths.size <= BYTES_MOST || s->columns < 2 * COLUMNS_LEAST)
			break;
	}
	s->shown = (double)all / across;
	s->row_height = round(fmax(1, (double)TALL / s->rows));
	s->height = s->rows * s->row_height + l->font_size + 10;
	say_time(&s->end, length / 1e9, h->width);
	text_string(&s->says, "a column is ");
	if (across > 1)
		text_printf(&s->says, "%u x ", across);
	say_length(&s->says, (double)grid.cell * grid.rows);
	text_string(&s->says, ", a cell ");
	say_length(&s->says, (double)grid.cell * down);
	draw_phases(s, options, wide / ((double)all * grid.rows * (double)grid.cell));
	return s->paths.failed || s->says.failed || s->end.failed || s->marks.failed ||
			       s->phases.failed
		       ? -ENOMEM
		       : 0;
}

void strip_release(struct strip *s)
{
	text_release(&s->paths);
	text_release(&s->says);
	text_release(&s->end);
	text_release(&s->marks);
	text_release(&s->phases);
}

void strip_add(struct text *t, const struct strip *s, const struct page *p)
{
	const struct layout *l = p->layout;
	double wide = l->width - 2 * LAYOUT_XPAD, tall = s->rows * s->row_height;
	double top = layout_above(l), line = top + tall + l->font_size;

	text_printf(t,
		    "<g id=\"time\" role=\"img\"><title>Time, from 0 s to %s: %s, the "
		    "stronger its colour the more ran in it%s</title>\n"
		    "<svg x=\"%d\" y=\"",
		    s->end.bytes, s->says.bytes, s->phases.size ? s->phases.bytes : "",
		    LAYOUT_XPAD);
	number_pixels(t, top);
	text_printf(t, "\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 -.5 ", wide, tall);
	number_fixed(t, s->shown, 2);
	text_printf(
		t,
		" %u\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">"
		"<rect class=\"h0\" y=\"-.5\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
		s->rows, s->columns, s->rows, colours[p->theme][0]);
	text_add(t, s->paths.bytes, s->paths.size);
	text_string(t, "</svg>\n");
	if (s->marks.size) {
		text_printf(t, "<path transform=\"translate(%d ", LAYOUT_XPAD);
		number_pixels(t, top);
		text_printf(t, ")\" fill=\"%s\" stroke=\"%s\" d=\"%s\"/>\n", mark_colour,
			    mark_colour, s->marks.bytes);
	}
	text_printf(t, "<text x=\"%d\" y=\"", LAYOUT_XPAD);
	number_pixels(t, line);
	text_string(t, "\">0 s</text>");
	/* Where there is room between the other two. */
	if ((double)(s->says.size + 2 * s->end.size + 4) * l->font_size * l->font_width <
	    wide) {
		text_printf(t, "<text x=\"%u\" y=\"", l->width / 2);
		number_pixels(t, line);
		text_printf(t, "\" text-anchor=\"middle\">%s</text>", s->says.bytes);
	}
	text_printf(t, "<text x=\"%u\" y=\"", l->width - LAYOUT_XPAD);
	number_pixels(t, line);
	text_printf(t, "\" text-anchor=\"end\">%s</text></g>\n", s->end.bytes);
}

void strip_add_dark(struct text *t)
{
	text_printf(t, "[data-flamefold] .h0{fill:%s}", colours[PAGE_DARK][0]);
	for (int step = 1; step <= STEPS; step++)
		text_printf(t, "[data-flamefold] .h%d{stroke:%s}", step,
			    colours[PAGE_DARK][step]);
}
