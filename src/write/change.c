/*
 * A difference as a picture shows it: orange for more, blue for less, and grey for what noise
 * explains. These two can be told apart by whoever cannot tell red from green, and a sign says it
 * once more.
 */
#include "write/change.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "write/layout.h"
#include "write/number.h"
#include "write/swatch.h"

enum { LEFT = 10 }; /* pixels: where the root begins */

/* Grey, more, less: the same ones stand in viewer/paint.js. */
static const struct colour calm = { 217, 217, 217 }, more = { 230, 97, 1 },
			   less = { 94, 155, 216 };

int change_widen(const struct difference *d, struct view *v)
{
	size_t count = v->nodes.count;
	struct view_weight *wide;

	if (!array_reserve(&v->given, count))
		return -ENOMEM;
	wide = v->given.v;
	for (size_t i = 0; i < count; i++) {
		uint64_t self = v->nodes.v[i].self;
		double before =
			d->scale * (double)view_value(v, (uint32_t)i, COLUMN_BEFORE);

		if (before > (double)self)
			self = (uint64_t)number_round(before);
		wide[i] = (struct view_weight){ self, self };
	}
	/* A parent's index is below its children's. */
	for (size_t i = count; i-- > 1;)
		wide[v->nodes.v[i].parent].total += wide[i].total;
	v->given.count = count;
	return 0;
}

/* Grey, where names are missing on one side: nearly all would be new or gone. */
static bool is_coloured(const struct difference *d, uint32_t node)
{
	return difference_is_significant(d, node) && !d->uncoloured;
}

double change_most(const struct difference *d)
{
	double most = 0;

	/* The first is the root. */
	for (size_t i = 1; i < d->tests.count; i++) {
		uint32_t node = d->tests.v[i].node;

		if (is_coloured(d, node))
			most = fmax(most, fabs(difference_measure(d, node).delta));
	}
	return most;
}

static uint8_t mix(uint8_t from, uint8_t to, double share)
{
	return (uint8_t)floor(from + (to - from) * share + 0.5);
}

struct colour change_colour(const struct difference *d, uint32_t node, double most)
{
	double delta = difference_measure(d, node).delta, share;
	const struct colour *to = delta > 0 ? &more : &less;

	if (!is_coloured(d, node) || !(most > 0))
		return calm;
	/* The least one that is no noise can be told from grey. */
	share = fabs(delta) < most ? 0.25 + 0.75 * sqrt(fabs(delta) / most) : 1;
	return (struct colour){ mix(calm.r, to->r, share), mix(calm.g, to->g, share),
				mix(calm.b, to->b, share) };
}

/* What is below a path that one side alone has is that side's, however little it is. */
static bool is_alone(const struct difference *d, uint32_t node, bool gone)
{
	for (; node; node = d->named.nodes.v[node].parent) {
		const struct diff_measure m = difference_measure(d, node);

		if ((gone ? m.b : m.a) != 0)
			break;
		if (is_coloured(d, node))
			return true;
	}
	return false;
}

bool change_is_new(const struct difference *d, uint32_t node)
{
	return is_alone(d, node, false);
}

bool change_is_gone(const struct difference *d, uint32_t node)
{
	return is_alone(d, node, true);
}

int change_find_moves(const struct difference *d, struct change_moves **ret)
{
	struct change_moves *all = calloc(d->tests.count + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	/* A caller's index is below its callees'. */
	for (size_t i = d->tests.count; i-- > 0;) {
		uint32_t node = d->tests.v[i].node;
		struct change_moves *m = &all[i], *caller = &all[d->tests.v[i].caller];

		if (is_coloured(d, node)) {
			double delta = difference_measure(d, node).delta;

			m->more = fmax(m->more, delta);
			m->less = fmax(m->less, -delta);
		}
		if (i) {
			caller->more += m->more;
			caller->less += m->less;
		}
	}
	*ret = all;
	return 0;
}

struct change_moves change_moves_of(const struct difference *d,
				    const struct change_moves *all, uint32_t node)
{
	uint32_t test = difference_test_of(d, node);

	return test == DIFF_UNTESTED ? (struct change_moves){ 0 } : all[test];
}

bool change_is_moved(const struct change_moves *m)
{
	return m->more > 0 && m->less > 0 &&
	       fabs(m->more - m->less) <= (m->more + m->less) / 2;
}

void change_add_pattern(struct text *t)
{
	text_string(t, "\t<pattern id=\"gone-lines\" width=\"6\" height=\"6\" "
		       "patternUnits=\"userSpaceOnUse\" "
		       "patternTransform=\"rotate(45)\">"
		       "<rect width=\"2.5\" height=\"6\" fill=\"#fff\" "
		       "fill-opacity=\".6\" /></pattern>\n");
}

/* Points of the whole, with two digits, and more where these would be 0. */
static void add_points(struct text *t, double part)
{
	double points = 100 * fabs(part);

	if (points > 0 && points < 0.005)
		text_printf(t, "%.1g", points);
	else
		number_fixed(t, points, 2);
}

void change_add_title(struct text *t, const struct difference *d, uint32_t node)
{
	const struct diff_measure m = difference_measure(d, node);

	text_string(t, "A ");
	add_points(t, m.a);
	text_string(t, " %, B ");
	add_points(t, m.b);
	text_string(t, " %: ");
	text_string(t, m.delta > 0 ? "▲ +" : m.delta < 0 ? "▼ -" : "");
	add_points(t, m.delta);
	text_string(t, " points ± ");
	add_points(t, m.critical * m.error);
	if (m.q < 1)
		text_printf(t, ", q %.2g", m.q);
	if (!difference_is_significant(d, node)) {
		text_string(t, ", noise; ");
		add_points(t, difference_detectable(d, node));
		text_string(t, " would have been found");
	}
}

void change_add_label(struct text *t, const struct difference *d, uint32_t node)
{
	double delta;

	if (!node || !is_coloured(d, node))
		return;
	delta = difference_measure(d, node).delta;
	text_string(t, delta > 0 ? " ▲" : " ▼");
	number_fixed(t, 100 * fabs(delta), 1);
}

/* What lies over a square of the legend as it lies over frames. */
static void add_overlay(struct text *t, const char *look, const struct box *b)
{
	text_string(t, "<rect x=\"");
	number_fixed(t, b->x1, 1);
	text_string(t, "\" y=\"");
	number_fixed(t, b->y1, 1);
	text_string(t, "\" width=\"");
	number_fixed(t, b->x2 - b->x1, 1);
	text_string(t, "\" height=\"");
	number_fixed(t, b->y2 - b->y1, 1);
	text_printf(t, "\" %s/>\n", look);
}

void change_add_legend(struct text *t, const struct difference *d, double y, double size)
{
	double most = change_most(d), x = LEFT;
	const struct {
		struct colour colour;
		const char *outline, *says;
		int sign; /* of the number behind it; 0: none */
	} entries[] = {
		{ less, "", "less, up to ▼", -1 }, { calm, "", "no more than noise", 0 },
		{ more, "", "more, up to ▲", 1 },  { more, CHANGE_NEW, "new", 0 },
		{ less, "", "gone", 0 },	   { calm, "", "moved within it", 0 },
	};
	enum { GONE = 4, MOVED };

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		const struct colour *c = &entries[i].colour;
		struct box square = {
			.x1 = x, .x2 = x + size, .y1 = y + 1 - size, .y2 = y + 1
		};
		struct box left = square, right = square;
		struct text says = { 0 }, look = { 0 };

		left.x2 = right.x1 = x + size / 2;
		left.y1 = right.y1 = y + 1 - size / 4;
		text_string(&says, entries[i].says);
		if (entries[i].sign) {
			number_fixed(&says, 100 * most, 2);
			text_string(&says, " points");
		}
		text_printf(&look, "fill=\"rgb(%u,%u,%u)\"%s", c->r, c->g, c->b,
			    entries[i].outline);
		swatch_add(t, &(struct swatch){ x, y, size, says.bytes }, &look);
		if (i == GONE)
			add_overlay(t, CHANGE_GONE, &square);
		if (i == MOVED) {
			add_overlay(t, CHANGE_MORE, &left);
			add_overlay(t, CHANGE_LESS, &right);
		}
		x += size + 24 + 0.6 * size * (double)says.size;
		t->failed |= says.failed;
		text_release(&says);
		text_release(&look);
	}
}

int change_describe(struct text *t, const struct difference *d)
{
	enum { ROWS = 5 };
	struct text sentence = { 0 };
	int more_to_say = 1;

	for (unsigned i = 0; more_to_say > 0; i++) {
		more_to_say = difference_sentence(d, i, &sentence);
		if (more_to_say > 0)
			text_printf(t, "%s. ", sentence.bytes);
	}
	for (size_t i = 0; i < d->rows.count && i < ROWS; i++) {
		uint32_t node = d->rows.v[i].node;
		const struct function *f =
			&d->symbols.functions.v[d->named.nodes.v[node].function];

		text_printf(t, "%s %s: ", difference_kind_name(d->rows.v[i].kind),
			    intern_text(&d->strings, f->name));
		change_add_title(t, d, node);
		text_string(t, ". ");
	}
	text_release(&sentence);
	return more_to_say < 0 ? -ENOMEM : 0;
}

/* @number: of the node. That of the last one is taken away, and becomes it. */
static void add_measure(struct bytes *to, const struct difference *d,
			const struct diff_measure *m, uint64_t number, uint64_t *last)
{
	double unit = d->whole > 0 ? d->whole : 1;

	if (!(m->q < 1) || d->uncoloured)
		return;
	bytes_varint(to, number - *last);
	bytes_varint(to, (uint64_t)(m->error * unit));
	/* A tenth of a digit is enough, and 0 is what is below 1e-25. */
	bytes_varint(to, m->q > 1e-25 ? (uint64_t)(250 + 10 * log10(m->q)) : 0);
	*last = number;
}

void change_add_measures(struct bytes *all, struct bytes *own, const struct difference *d,
			 const struct view *data)
{
	struct view_walk w = { 0 };
	uint64_t number = 0, last = 0, last_own = 0;

	/* As columns are written: nodes are numbered as the walk comes to them. */
	while (view_next(data, &w, VIEW_INTO)) {
		const struct diff_measure *by_itself = difference_own(d, w.node);

		number++;
		if (difference_q(d, w.node) < 1) {
			struct diff_measure m = difference_measure(d, w.node);

			add_measure(all, d, &m, number, &last);
		}
		if (by_itself)
			add_measure(own, d, by_itself, number, &last_own);
	}
}
