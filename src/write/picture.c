/*
 * A walk in preorder that goes below a frame only if that is drawn: children are never
 * wider than their parent. So the cost is that of frames that are seen, and of their
 * neighbours.
 *
 *	titled   elements, written as the walk comes to them
 *	thin     lines, gathered by colour, one path each
 *	runs     neighbours joined to one line, gathered likewise
 *
 * Paths are relative and in tenths of a pixel, which takes a few bytes a frame, and are
 * written behind all titles. How wide a frame has to be for each of these is chosen
 * before, by --minwidth or by how many there would be.
 */
#include "write/picture.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "write/change.h"
#include "write/number.h"
#include "write/xml.h"

double picture_value(const struct picture *p, uint64_t units)
{
	return (double)units / p->unit;
}

/* Own values only: a frame between two others shows no difference. */
static double delta_of(const struct picture *p, uint32_t node)
{
	const struct view *v = &p->view;

	return picture_value(p, view_self(v, node)) -
	       picture_value(p, view_value(v, node, p->before));
}

static bool is_difference(const struct picture *p)
{
	return p->before < COLUMNS_MOST;
}

/*
 * Both ends are scaled before they are subtracted, in flamegraph.pl's steps: else the
 * difference may fall on the other side of @least.
 */
static bool is_drawn(const struct picture *p, const struct view_walk *w, double least)
{
	const struct view_node *n = &p->view.nodes.v[w->node];

	return n->label != VIEW_GAP && w->depth <= p->rows &&
	       !(picture_value(p, w->start + view_total(&p->view, w->node)) -
			 picture_value(p, w->start) <
		 least);
}

/* Within the rows that count_frames() has found, narrow frames are drawn, too. */
static bool is_in_run(const struct picture *p, const struct view_walk *w)
{
	const struct view_node *n = &p->view.nodes.v[w->node];

	return n->label != VIEW_GAP && view_total(&p->view, w->node) > 0 &&
	       w->depth <= p->deepest;
}

/* The deepest row decides how high the picture is: flamegraph.pl's that of frames that
 * are drawn, ours that of grey ones, too. */
static void count_frames(struct picture *p)
{
	struct view_walk w = { 0 };
	enum view_step step;
	uint32_t deepest = 0;

	/* No limit for is_in_run() as long as the deepest row is not known. */
	p->deepest = UINT32_MAX;
	p->drawn = p->frames = 0;
	do {
		bool drawn = is_drawn(p, &w, p->least);

		step = drawn ? VIEW_INTO : VIEW_OVER;
		p->drawn += drawn;
		if ((drawn || (!p->is_exact && is_in_run(p, &w))) && w.depth > deepest)
			deepest = w.depth;
	} while (view_next(&p->view, &w, step));
	p->deepest = deepest;
	for (size_t i = 0; i < p->view.nodes.count; i++)
		p->frames += p->view.nodes.v[i].label != VIEW_GAP;
}

/* Frames as wide as @drawn are drawn, those as wide as @titled with a title. */
static bool set_least(struct picture *p, const char *drawn, const char *titled)
{
	if (!layout_least_value(&p->layout, drawn, &p->least) ||
	    !layout_least_value(&p->layout, titled, &p->least_titled))
		return false;
	p->is_exact = strcmp(drawn, titled) == 0;
	p->rows = UINT32_MAX;
	count_frames(p);
	return true;
}

/*
 * Very deep stacks: browsers need minutes for the elements of all their rows, or give up. The
 * viewer draws only what is in its window; what is drawn for it here ends at the row up to
 * which there are no more frames than this, and says so.
 */
static int limit_rows(struct picture *p)
{
	enum { ROWS_MOST = 4096, FRAMES_MOST = 20000, WIDTH = 1200 };
	double most = p->layout.width > WIDTH
			      ? (double)FRAMES_MOST / WIDTH * p->layout.width
			      : FRAMES_MOST;
	struct view_walk w = { 0 };
	enum view_step step;
	uint32_t *of_row, row = 0;
	uint64_t frames = 1;

	if (p->deepest <= ROWS_MOST && (double)p->drawn <= most)
		return 0;
	/* By row from 0, and one more, for of_row[row + 1] is read. */
	of_row = calloc((size_t)p->deepest + 2, sizeof(*of_row));
	if (!of_row)
		return -ENOMEM;
	do {
		step = is_drawn(p, &w, p->least) ? VIEW_INTO : VIEW_OVER;
		of_row[w.depth] += step == VIEW_INTO;
	} while (view_next(&p->view, &w, step));
	while (row < p->deepest && row < ROWS_MOST &&
	       (double)(frames += of_row[row + 1]) <= most)
		row++;
	free(of_row);
	p->rows = row;
	count_frames(p);
	return 0;
}

int picture_lay_out(struct context *ctx, struct picture *p)
{
	enum { FRAMES_MOST = 4000 };
	const char *given = p->options->minwidth;

	p->most_delta = 1;
	p->most_change = p->difference ? change_most(p->difference) : 0;
	if (p->difference && change_find_moves(p->difference, &p->moves) < 0)
		return fail_memory(ctx);
	p->before = view_weight_before(&p->view);
	for (uint32_t i = 0; is_difference(p) && i < p->view.nodes.count; i++) {
		double delta = delta_of(p, i);

		if (delta < 0)
			delta = -delta;
		if (delta > p->most_delta)
			p->most_delta = delta;
	}
	p->layout.total = p->total;
	layout_init(&p->layout);
	/*
	 * What --minwidth says, or what flamegraph.pl does, with its colours and as long as
	 * the file does not get large by it. Else: half a pixel can be seen, and a title can
	 * be pointed at from two pixels on.
	 */
	if (given && *given) {
		if (!set_least(p, given, given))
			return fail(ctx, -EINVAL,
				    "minwidth '%s' is neither a number of pixels nor a "
				    "percentage",
				    given);
	} else if (p->classes || !set_least(p, "0.1", "0.1") || p->drawn > FRAMES_MOST) {
		set_least(p, "0.5", "2");
		if (limit_rows(p) < 0)
			return fail_memory(ctx);
	}
	layout_set_depth(&p->layout, p->deepest);
	return 0;
}

uint8_t picture_class(const struct picture *p, uint32_t function)
{
	struct class_subject subject = class_subject_of(&p->plan, p->in, function);

	return class_of(&p->plan, &subject);
}

/*
 * A frame: where it is and what it says. The name is borrowed from the view, for one step
 * of the walk.
 */
struct drawn_frame {
	uint32_t node;
	const char *name; /* with its mark */
	size_t size, shown; /* the same without the mark */
	const struct nameattr *attr;
	struct box box;
	double value;
};

static struct drawn_frame frame_of(const struct picture *p, const struct view_walk *w)
{
	const struct view_node *n = &p->view.nodes.v[w->node];
	double start = picture_value(p, w->start);
	double end = picture_value(p, w->start + view_total(&p->view, w->node));
	struct drawn_frame f = {
		.node = w->node,
		.name = label_text(&p->view.labels, n->label),
		.size = p->view.labels.sizes.v[n->label],
	};
	const char *mark = f.name + f.size - 4;

	/* --total may be more than the sum. */
	if (w->node == 0)
		end = p->total;
	f.value = end - start;
	f.shown = f.size;
	/* As in flamegraph.pl, "_[k]" and such choose a colour and are not shown. */
	if (f.size >= 4 && mark[0] == '_' && mark[1] == '[' && strchr("kwij", mark[2]) &&
	    mark[3] == ']')
		f.shown -= 4;
	f.box = layout_frame(&p->layout, w->depth, start, end);
	if (p->options->nameattr)
		f.attr = nameattrs_find(&p->nameattrs, f.name, f.size);
	return f;
}

static void add_frame_percent(struct text *t, const struct picture *p, double value)
{
	number_fixed(t, 100 * value / (p->total * p->options->factor), 2);
	text_char(t, '%');
}

/* "name (1,234 samples, 5.67%)"; in a comparison with what has changed behind it. */
static void add_title(struct text *t, const struct picture *p,
		      const struct drawn_frame *f)
{
	enum { NAME_MOST = 1000 };
	double count = number_round(f->value * p->options->factor), delta;
	const char *cut = f->name, *end = f->name + f->shown;

	if (f->node == 0) {
		text_string(t, "all");
	} else if (!p->classes || f->shown <= NAME_MOST) {
		xml_quoted(t, f->name, f->shown);
	} else {
		/* A name that is longer than anybody reads is cut in our look: a page of them,
		 * in every frame, is for the data. */
		while (cut < f->name + NAME_MOST)
			utf8_next(&cut, end);
		xml_quoted(t, f->name, (size_t)(cut - f->name));
		text_string(t, "..");
	}
	text_string(t, " (");
	if (p->difference) {
		change_add_title(t, p->difference, f->node);
		text_char(t, ')');
		return;
	}
	number_commas(t, count);
	text_char(t, ' ');
	xml_quoted(t, p->options->countname, strlen(p->options->countname));
	text_string(t, ", ");
	if (f->node == 0)
		text_string(t, "100%");
	else
		add_frame_percent(t, p, count);
	if (f->node && is_difference(p)) {
		delta = delta_of(p, f->node);
		/* 0 stays as it is: a negative one is printed with its sign. */
		if (p->options->flags & FF_GRAPH_NEGATE && delta)
			delta = -delta;
		text_string(t, delta > 0 ? "; +" : "; ");
		add_frame_percent(t, p, delta);
	}
	if (p->ratio.of_node && !isnan(p->ratio.of_node[f->node])) {
		text_string(t, "; ");
		xml_quoted(t, p->ratio.ratio->name, strlen(p->ratio.ratio->name));
		text_char(t, ' ');
		ratio_add(t, &p->ratio, p->ratio.of_node[f->node]);
	}
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

/* flamegraph.pl's order of rules. */
static void add_colour(struct text *t, struct picture *p, const struct drawn_frame *f)
{
	double sign = p->options->flags & FF_GRAPH_NEGATE ? -1 : 1;
	struct colour colour;
	struct text computed = { 0 };
	const char *mapped = "";

	if (colour_of_separator(f->name, f->size, &colour)) {
		format_colour(t, colour);
		return;
	}
	if (p->difference) {
		format_colour(t, change_colour(p->difference, f->node, p->most_change));
		return;
	}
	if (is_difference(p)) {
		format_colour(
			t, colour_of_delta(sign * delta_of(p, f->node), p->most_delta));
		return;
	}
	colour = colour_of(&p->colouring, f->name, f->size);
	if (!p->options->palette_map) {
		format_colour(t, colour);
		return;
	}
	/* The map has the colour of another picture for that name, or keeps this one. */
	format_colour(&computed, colour);
	/* Also where the map has no colour yet: it takes this one, for the next
	 * picture. */
	if (computed.failed ||
	    palette_map_colour(&p->palette_map, f->name, computed.bytes, &mapped) < 0)
		t->failed = true;
	xml_quoted(t, mapped, strlen(mapped));
	text_release(&computed);
}

/* The root has no function; a tree without weight has none at all. */
uint8_t picture_class_of_node(const struct picture *p, uint32_t node)
{
	if (p->by_ratio)
		return ratio_class(&p->ratio, p->ratio.of_node[node]);
	return node ? picture_class(p, p->view.nodes.v[node].function) : CLASS_TEXT;
}

/* fill="...", in the default look with the class that dark pages go by. */
static void add_fill(struct text *t, struct picture *p, const struct drawn_frame *f)
{
	uint8_t class;

	text_string(t, "fill=\"");
	if (!p->classes) {
		add_colour(t, p, f);
		text_char(t, '"');
		return;
	}
	class = picture_class_of_node(p, f->node);
	class_colour_add(t, class_colour(p->theme, class));
	text_printf(t, "\" class=\"c%u\"", class);
}

/*
 * Our look says the same in fewer letters, on whole pixels, and leaves one to the neighbour
 * where there is room for it:
 *
 *	| main                     |
 *	| parse         | |read |sa|
 */
static void add_short_rectangle(struct text *t, struct picture *p,
				const struct drawn_frame *f)
{
	enum { NO_GAP = 2, GAP = 1 };
	const struct box *b = &f->box;
	double left = number_round(b->x1), wide = number_round(b->x2) - left;

	/* A frame of a pixel or two would vanish on whole pixels. */
	if (b->x2 - b->x1 < NO_GAP) {
		left = number_round_tenths(b->x1);
		wide = number_round_tenths(number_round_tenths(b->x2) - left);
	}
	text_string(t, "<rect x=\"");
	number_pixels(t, left);
	text_string(t, "\" y=\"");
	number_pixels(t, b->y1);
	text_string(t, "\" width=\"");
	number_pixels(t, wide > NO_GAP ? wide - GAP : wide);
	text_string(t, "\" height=\"");
	number_pixels(t, b->y2 - b->y1);
	text_string(t, "\" ");
	add_fill(t, p, f);
	text_string(t, " rx=\"2\"/>");
}

static void add_rectangle(struct text *t, struct picture *p, const struct drawn_frame *f)
{
	const struct box *b = &f->box;
	/* The width is of rounded ends, so that neighbours touch as flamegraph.pl's
	 * do. */
	double left = number_round_tenths(b->x1), right = number_round_tenths(b->x2);

	text_string(t, "<rect x=\"");
	number_fixed(t, b->x1, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, b->y1);
	text_string(t, "\" width=\"");
	number_fixed(t, right - left, 1);
	text_string(t, "\" height=\"");
	number_fixed(t, b->y2 - b->y1, 1);
	text_string(t, "\" ");
	add_fill(t, p, f);
	if (p->difference && change_is_new(p->difference, f->node))
		text_string(t, CHANGE_NEW);
	text_string(t, " rx=\"2\" ry=\"2\" />\n");
}

static void add_part(struct text *t, const struct box *b, const char *look)
{
	text_string(t, "<path d=\"M");
	number_pixels(t, number_round_tenths(b->x1));
	text_char(t, ' ');
	number_pixels(t, b->y1);
	text_char(t, 'h');
	number_pixels(t, number_round_tenths(b->x2 - b->x1));
	text_char(t, 'v');
	number_pixels(t, b->y2 - b->y1);
	text_char(t, 'h');
	number_pixels(t, -number_round_tenths(b->x2 - b->x1));
	text_printf(t, "z\" %s/>", look);
}

/* Over a frame lines where it is gone, and along its edge to the caller how much more and less there
 * is within it, where it has about as much of both. */
static void add_picture_parts(struct text *t, const struct picture *p,
			      const struct drawn_frame *f)
{
	enum { THICK = 3, LEAST = 8 };
	const struct difference *d = p->difference;
	double pixels = d->whole / p->unit * p->layout.per_value;
	struct change_moves moves = change_moves_of(d, p->moves, f->node);
	struct box strip = f->box, rest = f->box;

	if (change_is_gone(d, f->node))
		add_part(t, &f->box, CHANGE_GONE);
	if (f->box.x2 - f->box.x1 < LEAST || !change_is_moved(&moves))
		return;
	if (p->layout.inverted)
		strip.y2 = strip.y1 + THICK;
	else
		strip.y1 = strip.y2 - THICK;
	rest.y1 = strip.y1;
	rest.y2 = strip.y2;
	strip.x2 = strip.x1 + moves.more * pixels;
	rest.x1 = strip.x2;
	rest.x2 = rest.x1 + moves.less * pixels;
	add_part(t, &strip, CHANGE_MORE);
	add_part(t, &rest, CHANGE_LESS);
}

/* A group with the title, the rectangle and, where there is room for one, the name in it. */
static void add_titled_frame(struct text *t, struct picture *p,
			     const struct drawn_frame *f)
{
	const char *title = f->attr ? f->attr->values[NAMEATTR_TITLE] : NULL;
	size_t count = layout_characters(&p->layout, &f->box);
	bool has_room = count >= 3; /* for one character and two dots */
	const char *at = f->name, *end = f->name + f->shown, *cut = end;
	struct text change = { 0 };

	/* How it changed is in the label where both find room: a colour alone says it to some
	 * people only. */
	if (p->difference)
		change_add_label(&change, p->difference, f->node);
	if (change.size + 3 <= count)
		count -= change.size;
	else
		text_clear(&change);

	if (p->classes && !f->attr)
		text_string(t, "<g>");
	else
		nameattr_open(t, f->attr);
	text_string(t, "<title>");
	if (title)
		xml_requoted(t, title);
	else
		add_title(t, p, f);
	text_string(t, "</title>");
	if (p->classes)
		add_short_rectangle(t, p, f);
	else
		add_rectangle(t, p, f);
	if (p->difference)
		add_picture_parts(t, p, f);
	/* flamegraph.pl writes an empty name, too. */
	if (p->is_exact || has_room) {
		text_string(t, p->classes ? "<text x=\"" : "<text  x=\"");
		if (p->classes)
			number_pixels(t, number_round_tenths(f->box.x1 + 3));
		else
			number_fixed(t, f->box.x1 + 3, 2);
		text_string(t, "\" y=\"");
		number_pixels(t, 3 + (f->box.y1 + f->box.y2) / 2);
		text_string(t, p->classes ? "\">" : "\" >");
		/* The first characters; a name that is longer ends in two dots. */
		for (size_t n = 0; at < end && n < count; n++) {
			/* Where the two dots begin, if it turns out that the name is too
			 * long. */
			if (n + 2 == count)
				cut = at;
			utf8_next(&at, end);
		}
		if (has_room && f->node == 0) {
			text_string(t, "all");
		} else if (has_room && at == end) {
			xml_text(t, f->name, f->shown);
		} else if (has_room) {
			xml_text(t, f->name, (size_t)(cut - f->name));
			text_string(t, "..");
		}
		text_add(t, change.bytes ?: "", change.size);
		text_string(t, p->classes ? "</text>" : "</text>\n");
	}
	t->failed |= change.failed;
	text_release(&change);
	nameattr_close(t, f->attr);
}

/* Lines as thick as a row is high, of one colour. Their path is in tenths of a pixel from left
 * to right, all whole numbers, and goes on from where the last line ended. */
struct lines {
	struct text path;
	double from, to, y; /* of the line that may go on; to 0: none */
	int64_t x; /* where the path is, in tenths */
	double at; /* its y */
};

static int64_t tenths(double pixels)
{
	return (int64_t)number_round(number_round_tenths(pixels) * 10);
}

static void add_path_number(struct text *t, int64_t value)
{
	if (value < 0)
		text_char(t, '-');
	text_u64(t, (uint64_t)(value < 0 ? -value : value));
}

static void end_line(struct lines *l)
{
	int64_t from = tenths(l->from), to = tenths(l->to);
	double down = l->y - l->at;

	/* A line that rounds to nothing is not drawn, and the path stays where it is. */
	if (to > from) {
		text_char(&l->path, l->path.size ? 'm' : 'M');
		add_path_number(&l->path, from - l->x);
		/* A minus sign separates two numbers as well as a blank does. */
		if (!(down < 0))
			text_char(&l->path, ' ');
		number_pixels(&l->path, down);
		text_char(&l->path, 'h');
		add_path_number(&l->path, to - from);
		l->x = to;
		l->at = l->y;
	}
	l->to = 0;
}

/* Neighbours become one line: a gap of less than half a tenth of a pixel would be rounded
 * off. */
static void draw_line(struct lines *l, const struct box *box)
{
	double y = (box->y1 + box->y2) / 2;

	if (l->to > 0 && l->y == y && box->x1 - l->to < 0.05) {
		l->to = box->x2;
		return;
	}
	end_line(l);
	l->from = box->x1;
	l->to = box->x2;
	l->y = y;
}

/* Paths of one group, each with attributes of its own. */
struct painted {
	struct intern paints; /* attributes of a path */
	ARRAY(struct lines) paths; /* by paint */
};

/* What is drawn after the titled frames. */
struct narrow_run {
	struct painted thin, runs; /* runs only in the default look */
	struct lines grey, bands;
	/* The run that may go on, and the widest frame in it. */
	struct box run;
	double widest;
	uint8_t class;
	struct text paint;
};

static void painted_release(struct painted *p)
{
	for (size_t i = 0; i < p->paths.count; i++)
		text_release(&p->paths.v[i].path);
	array_release(&p->paths);
	intern_release(&p->paints);
}

static int add_painted(struct painted *p, const struct text *paint, const struct box *box)
{
	uint32_t id;

	if (paint->failed || intern_add(&p->paints, paint->bytes, paint->size, &id) < 0)
		return -ENOMEM;
	while (p->paths.count <= id)
		if (!array_add(&p->paths))
			return -ENOMEM;
	draw_line(&p->paths.v[id], box);
	return 0;
}

static void set_paint(struct text *t, struct colour colour, char letter, uint8_t class)
{
	text_clear(t);
	text_string(t, "stroke=\"");
	class_colour_add(t, colour);
	text_printf(t, "\" class=\"%c%u\"", letter, class);
}

/* A run has the colour of the widest frame in it, which is known when it ends. */
static int end_run(struct narrow_run *n, const struct picture *p)
{
	if (!(n->widest > 0))
		return 0;
	n->widest = 0;
	set_paint(&n->paint, class_run_colour(p->theme, n->class), 'r', n->class);
	return add_painted(&n->runs, &n->paint, &n->run);
}

/* Neighbours are one run. */
static int add_to_run(struct narrow_run *n, const struct picture *p,
		      const struct drawn_frame *f)
{
	double wide = f->box.x2 - f->box.x1;
	bool goes_on =
		n->widest > 0 && n->run.y1 == f->box.y1 && f->box.x1 - n->run.x2 < 0.05;
	int err = goes_on ? 0 : end_run(n, p);

	if (!p->classes) {
		draw_line(&n->grey, &f->box);
		return 0;
	}
	if (!goes_on)
		n->run = f->box;
	n->run.x2 = f->box.x2;
	if (wide > n->widest) {
		n->widest = wide;
		n->class = class_middle(picture_class_of_node(p, f->node));
	}
	return err;
}

static void put_painted(struct sink *sink, struct painted *p, const char *id,
			unsigned thick)
{
	struct text *t = &sink->text;

	text_printf(t,
		    "<g id=\"%s\" fill=\"none\" stroke-width=\"%u\" "
		    "transform=\"scale(.1 1)\">\n",
		    id, thick);
	/* Text 0 is the empty one, which is nobody's paint. */
	for (uint32_t i = 1; i < p->paths.count; i++) {
		struct lines *l = &p->paths.v[i];

		end_line(l);
		text_printf(t, "<path %s d=\"", intern_text(&p->paints, i));
		text_add(t, l->path.bytes, l->path.size);
		text_string(t, "\" />\n");
		t->failed |= l->path.failed;
		sink_drain(sink);
	}
	text_string(t, "</g>\n");
}

static void put_lines(struct text *t, const char *id, const char *paint, unsigned thick,
		      struct lines *l)
{
	end_line(l);
	text_printf(t,
		    "<path id=\"%s\" fill=\"none\" %s stroke-width=\"%u\" "
		    "transform=\"scale(.1 1)\" d=\"",
		    id, paint, thick);
	text_add(t, l->path.bytes ? l->path.bytes : "", l->path.size);
	text_string(t, "\" />\n");
	t->failed |= l->path.failed;
}

/* One walk: titled frames are written at once, all others are gathered in @n. */
static int draw_all(struct picture *p, struct sink *sink, struct narrow_run *n)
{
	bool has_bands = p->classes && !(p->options->flags & FF_GRAPH_REVERSE);
	struct view_walk w = { 0 };
	enum view_step step;
	int err = 0;

	do {
		bool drawn = is_drawn(p, &w, p->least);
		double own, wide;
		struct drawn_frame f;
		struct box band;
		uint8_t class;

		step = drawn ? VIEW_INTO : VIEW_OVER;
		if (!drawn && !is_in_run(p, &w))
			continue;
		f = frame_of(p, &w);
		if (!drawn) {
			err = add_to_run(n, p, &f);
			continue;
		}
		if (!is_drawn(p, &w, p->least_titled)) {
			if (p->classes) {
				class = class_middle(picture_class_of_node(p, f.node));
				set_paint(&n->paint, class_colour(p->theme, class), 'c',
					  class);
			} else {
				text_clear(&n->paint);
				text_string(&n->paint, "stroke=\"");
				add_colour(&n->paint, p, &f);
				text_char(&n->paint, '"');
			}
			err = add_painted(&n->thin, &n->paint, &f.box);
			continue;
		}
		add_titled_frame(&sink->text, p, &f);
		sink_drain(sink);
		/* An own value that is less than all of it, as a band along the edge, as the
		 * viewer has it. */
		own = picture_value(p, view_self(&p->view, f.node)) * p->layout.per_value;
		wide = f.box.x2 - f.box.x1;
		if (!has_bands || wide < 4 || own < 1 || own > wide - 0.1)
			continue;
		band = f.box;
		band.x2 = band.x1 + own;
		if (p->layout.inverted)
			band.y1 = band.y2 - 2;
		else
			band.y2 = band.y1 + 2;
		draw_line(&n->bands, &band);
	} while (err == 0 && sink->err == 0 && view_next(&p->view, &w, step));
	return err < 0 ? err : end_run(n, p);
}

int picture_draw(struct picture *p, struct sink *sink)
{
	struct text *t = &sink->text;
	unsigned thick = p->layout.frame_height - (p->layout.frame_height > 1);
	struct narrow_run n = { 0 };
	int err = intern_init(&n.thin.paints);

	if (err == 0)
		err = intern_init(&n.runs.paints);
	text_string(t, "<g id=\"picture\">\n<g id=\"frames\">\n");
	if (err == 0)
		err = draw_all(p, sink, &n);
	text_string(t, "</g>\n");
	/* Behind all titled frames: paths are whole only when the walk has ended. */
	put_painted(sink, &n.thin, "thin", thick);
	if (p->classes) {
		put_painted(sink, &n.runs, "runs", thick);
		put_lines(t, "bands",
			  p->theme == PAGE_DARK
				  ? "stroke=\"#fff\" stroke-opacity=\".25\""
				  : "stroke=\"#000\" stroke-opacity=\".25\"",
			  2, &n.bands);
	} else {
		put_lines(t, "grey", "stroke=\"#a8a8a8\"", thick, &n.grey);
	}
	text_string(t, "</g>\n");
	painted_release(&n.thin);
	painted_release(&n.runs);
	text_release(&n.paint);
	text_release(&n.grey.path);
	text_release(&n.bands.path);
	return err;
}

void picture_release(struct picture *p)
{
	view_release(&p->view);
	free(p->moves);
	ratio_scale_release(&p->ratio);
	nameattrs_release(&p->nameattrs);
	palette_map_release(&p->palette_map);
}
