/*
 * Own weights are added up by label for the sentence, by colour's group for the legend;
 * entries go by weight, as many as find room in a line, and no colour comes twice. The
 * hottest path goes to the heaviest child until a node's own weight is more than that
 * has.
 */
#include "write/legend.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "write/change.h"
#include "write/metadata.h"
#include "write/number.h"
#include "write/swatch.h"
#include "write/xml.h"

enum {
	TOP = 5, /* functions that the description names */
	PATH = 20, /* frames of the hottest path */
	LONGEST = 200, /* bytes of a name */
};

/* What has how much, of functions or groups. */
struct share {
	const char *name;
	size_t size;
	uint64_t weight;
	uint8_t class;
};

struct shares {
	ARRAY(struct share) list;
	struct intern names;
	struct hash_map by_name; /* of the id of the name, and 1 << 32 in the kernel */
};

static int shares_add(struct shares *s, const char *name, size_t size, uint8_t class,
		      uint64_t weight)
{
	struct share *slot;
	uint32_t id, *known;
	uint64_t key;

	if (intern_add(&s->names, name, size, &id) < 0)
		return -ENOMEM;
	/* A module of the kernel may have the name of a program. */
	key = (uint64_t)(class >= CLASS_KERNEL && class < CLASS_FLAME) << 32 | id;
	known = hash_map_get(&s->by_name, key);
	if (known) {
		slot = &s->list.v[*known];
		slot->weight += weight;
		/* An entry has the colour of inlined code only where it has no other code. */
		if ((slot->class >= CLASS_INLINED && slot->class < CLASS_KERNEL) ||
		    slot->class >= CLASS_FLAME_INLINED)
			slot->class = class;
		return 0;
	}
	slot = array_add(&s->list);
	if (!slot || !hash_map_set(&s->by_name, key, (uint32_t)s->list.count - 1))
		return -ENOMEM;
	*slot = (struct share){ intern_text(&s->names, id), size, weight, class };
	return 0;
}

static int heavier_function(const void *left, const void *right, void *arg)
{
	const uint64_t *weights = arg;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (weights[a] != weights[b])
		return weights[a] < weights[b] ? 1 : -1;
	return a < b ? -1 : a > b;
}

/*
 * By class and name where weights are equal, so that the order is the same in every run.
 */
static int heavier(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->class != b->class)
		return a->class - b->class;
	return strcmp(a->name, b->name);
}

static void shares_sort(struct shares *s)
{
	if (s->list.count)
		qsort(s->list.v, s->list.count, sizeof(*s->list.v), heavier);
}

static void shares_release(struct shares *s)
{
	array_release(&s->list);
	intern_release(&s->names);
	hash_map_release(&s->by_name);
}

static void add_legend_percent(struct text *t, const struct picture *p, uint64_t weight)
{
	double percent = 100 * picture_value(p, weight) / p->total;

	number_fixed(t, percent, percent < 10 ? 1 : 0);
	text_string(t, " %");
}

static void add_legend_name(struct text *t, const char *name, size_t size)
{
	text_add(t, name, size < LONGEST ? size : LONGEST);
	if (size >= LONGEST)
		text_string(t, "...");
}

/* From the root always on to the heaviest child. A node whose own weight is more than that
 * child's ends the path: it is what the reader looks for. */
static void add_path(struct text *t, const struct picture *p)
{
	const struct view_node *nodes = p->view.nodes.v;
	uint32_t node = 0;

	text_string(t, " Hottest path:");
	for (int depth = 0; depth < PATH; depth++) {
		uint32_t best = 0;

		for (uint32_t i = nodes[node].first; i; i = nodes[i].next)
			/* Of equal children the first. */
			if (nodes[i].label != VIEW_GAP &&
			    (!best ||
			     view_total(&p->view, i) > view_total(&p->view, best)))
				best = i;
		if (!best || view_total(&p->view, best) < view_self(&p->view, node))
			break;
		text_string(t, depth ? " > " : " ");
		add_legend_name(t, label_text(&p->view.labels, nodes[best].label),
				p->view.labels.sizes.v[nodes[best].label]);
		node = best;
	}
	text_string(t, ", ");
	add_legend_percent(t, p, view_total(&p->view, node));
	text_char(t, '.');
}

/* The sentence that stands for the picture where nobody can see it. */
static int describe_picture(const struct picture *p, struct text *t)
{
	const struct write_facts *facts = p->facts;
	const struct view *v = &p->view;
	size_t labels = v->labels.sizes.count;
	struct shares s = { 0 };
	uint64_t *weights = calloc(labels, sizeof(*weights)); /* own ones, by label */
	int err = weights ? intern_init(&s.names) : -ENOMEM;

	for (uint32_t i = 1; weights && i < v->nodes.count; i++)
		if (v->nodes.v[i].label != VIEW_GAP)
			weights[v->nodes.v[i].label] += view_self(v, i);
	for (uint32_t i = 1; i < labels && err == 0; i++)
		if (weights[i])
			err = shares_add(&s, label_text(&v->labels, i),
					 v->labels.sizes.v[i], 0, weights[i]);
	free(weights);
	shares_sort(&s);
	/* In the unit that frames are titled in: --factor applies. */
	number_commas(t, number_round(p->total * p->options->factor));
	text_printf(t, " %s", p->options->countname);
	if (facts && facts->events && *facts->events)
		text_printf(t, " of %s", facts->events);
	text_string(t, " in ");
	/* The root is not a frame of the program. */
	number_commas(t, (double)(p->frames - 1));
	text_string(t, " frames.");
	if (s.list.count && err == 0) {
		text_string(t, " Most of their own have");
		for (size_t i = 0; i < s.list.count && i < TOP; i++) {
			text_string(t, i ? ", " : " ");
			add_legend_name(t, s.list.v[i].name, s.list.v[i].size);
			text_char(t, ' ');
			add_legend_percent(t, p, s.list.v[i].weight);
		}
		text_char(t, '.');
		add_path(t, p);
	}
	if (p->by_ratio && err == 0) {
		text_printf(t, " Colours go from blue for %s ", p->ratio.ratio->name);
		ratio_add(t, &p->ratio, p->ratio.low);
		text_string(t, " to orange for ");
		ratio_add(t, &p->ratio, p->ratio.high);
		text_char(t, '.');
	}
	shares_release(&s);
	return err;
}

/* What a legend names with a colour: a module, a kind, or a function of a flame. An entry has
 * the colour of the heaviest function that it is about, if one is not inlined. */
static int sum_groups(const struct picture *p, struct shares *s)
{
	size_t count = p->in->symbols->functions.count;
	uint64_t *weights = class_weights(p->in);
	uint32_t *order = calloc(count + 1, sizeof(*order));
	int err = weights && order ? 0 : -ENOMEM;
	size_t used = 0;

	for (uint32_t i = 0; i < count && err == 0; i++)
		if (weights[i])
			order[used++] = i;
	if (err == 0)
		qsort_r(order, used, sizeof(*order), heavier_function, weights);
	for (size_t i = 0; i < used && err == 0; i++) {
		struct class_subject subject =
			class_subject_of(&p->plan, p->in, order[i]);
		uint8_t class = class_of(&p->plan, &subject);
		size_t size;
		const char *name = class_group(&p->plan, &subject, &size);

		/* Text, and code of no module outside a flame, have no entry. */
		if (!name && class < CLASS_FLAME)
			continue;
		if (!name) {
			name = subject.name;
			size = strlen(name);
		}
		err = shares_add(s, name, size, class, weights[order[i]]);
	}
	free(order);
	free(weights);
	return err;
}

/* The colour of @class at @x, and what it means. @label: NULL: there was no memory for it. */
static void add_class(struct text *t, const struct picture *p, uint8_t class, double x,
		      const char *label)
{
	double size = p->layout.font_size;
	struct swatch swatch = { x, p->layout.height + size, size, label };
	struct text colour = { 0 };

	text_string(&colour, "fill=\"");
	class_colour_add(&colour, class_colour(p->theme, class));
	text_printf(&colour, "\" class=\"c%u\"", class);
	swatch_add(t, &swatch, &colour);
	text_release(&colour);
}

/* As many as find room beside each other, the heaviest first; no colour twice. */
static void add_entries(struct text *t, const struct picture *p, const struct shares *s)
{
	enum { NAME_MOST = 30, FUNCTIONS_MOST = 6 };
	const struct layout *l = &p->layout;
	double x = LAYOUT_XPAD, size = l->font_size;
	struct text name = { 0 };
	bool used[CLASSES] = { 0 };
	int functions = 0;

	for (size_t i = 0; i < s->list.count; i++) {
		const struct share *e = &s->list.v[i];
		bool is_function = e->class >= CLASS_FLAME && !p->plan.flame;
		double wide;

		/* An entry explains a colour; a second one with it would not. */
		if (used[e->class] || (is_function && functions == FUNCTIONS_MOST))
			continue;
		text_clear(&name);
		add_legend_name(&name, e->name,
				e->size < NAME_MOST ? e->size : NAME_MOST);
		wide = size + 20 + (double)name.size * l->font_size * l->font_width;
		/* A shorter one behind it may still find room. */
		if (x + wide > l->width)
			continue;
		used[e->class] = true;
		functions += is_function;
		if (!name.failed)
			add_class(t, p, e->class, x, name.bytes);
		x += wide;
	}
	t->failed |= name.failed;
	text_release(&name);
}

/* A step of the scale each, and what is grey. */
static void add_ratio_entries(struct text *t, const struct picture *p)
{
	const struct ratio_scale *r = &p->ratio;
	const struct layout *l = &p->layout;
	double x = LAYOUT_XPAD, size = l->font_size;
	struct text label = { 0 };

	for (int step = 0; step <= RATIO_STEPS; step++) {
		bool grey = step == RATIO_STEPS;
		double value = grey ? NAN : ratio_step(r, step);

		/* Each value of a share is exact. */
		if (grey && r->ratio->is_share)
			continue;
		text_clear(&label);
		if (step == 0)
			text_printf(&label, "%s ", r->ratio->name);
		if (!r->ratio->is_share && step == 0)
			text_string(&label, "up to ");
		if (grey)
			text_string(&label,
				    r->ratio->least ? "too few samples" : "not known");
		else
			ratio_add(&label, r, value);
		if (!r->ratio->is_share && step == RATIO_STEPS / 2)
			text_string(&label, " in all");
		if (!r->ratio->is_share && step == RATIO_STEPS - 1)
			text_string(&label, " and more");
		add_class(t, p, ratio_class(r, value), x, label.bytes);
		x += size + 20 + (double)label.size * size * l->font_width;
	}
	t->failed |= label.failed;
	text_release(&label);
}

/* Frames that no reader of the static picture can point at, and where they are to be seen. */
static void add_hidden(struct text *t, const struct picture *p)
{
	uint64_t hidden = p->frames - p->drawn;

	if (!hidden)
		return;
	number_commas(t, (double)hidden);
	text_string(t, " of ");
	number_commas(t, (double)p->frames);
	text_string(t, " frames are narrower than ");
	if (p->is_exact) {
		number_pixels(t, p->least * p->layout.per_value);
		text_string(t, " pixels");
	} else {
		text_string(t, "half a pixel");
		if (p->rows < UINT32_MAX)
			text_printf(t, ", or beyond row %" PRIu32, p->rows);
	}
	text_string(t, p->classes ? ": drawn together" : ": grey");
	if (graph_has_viewer(p->options))
		text_string(t, "; in a browser a click zooms in");
	text_string(t, ". ");
}

static void add_fact(struct text *t, const struct picture *p, uint64_t weight,
		     const char *what)
{
	if (!weight)
		return;
	if (picture_value(p, weight) < 0.0005 * p->total)
		text_string(t, "less than 0.1 %");
	else
		add_legend_percent(t, p, weight);
	text_printf(t, " %s. ", what);
}

int legend_make(const struct picture *p, struct legend *ret)
{
	const struct write_facts *f = p->facts;
	/* Never more than there are, or the share would be above 100 %. */
	uint64_t cut = !f ? 0 : f->truncated < f->samples ? f->truncated : f->samples;
	uint64_t all = view_total(&p->view, 0);
	struct legend l = { 0 };
	struct text *note = &l.note;
	int err = p->difference ? change_describe(&l.description, p->difference)
				: describe_picture(p, &l.description);

	if (p->difference)
		change_add_legend(&l.colours, p->difference,
				  p->layout.height + p->layout.font_size,
				  p->layout.font_size);
	if (err == 0 && p->by_ratio) {
		add_ratio_entries(&l.colours, p);
	} else if (err == 0 && p->classes) {
		struct shares s = { 0 };

		err = intern_init(&s.names);
		if (err == 0)
			err = sum_groups(p, &s);
		shares_sort(&s);
		if (err == 0)
			add_entries(&l.colours, p, &s);
		shares_release(&s);
	}
	add_hidden(note, p);
	/* What a reader has to know before trusting the picture. */
	if (p->classes)
		add_fact(note, p, unnamed_weight(p->in, &p->view), "without a symbol");
	/* Samples with a cut stack are counted, not weighed. */
	if (cut)
		add_fact(note, p, (uint64_t)((unsigned __int128)all * cut / f->samples),
			 "with a cut stack");
	if (f && f->note)
		text_printf(note, "%s. ", f->note);
	if (f && f->lost) {
		number_commas(note, (double)f->lost);
		text_string(note, " samples lost. ");
	}
	if (l.description.failed || l.colours.failed || note->failed)
		err = -ENOMEM;
	if (err < 0)
		legend_release(&l);
	else
		*ret = l;
	return err;
}

void legend_release(struct legend *l)
{
	text_release(&l->description);
	text_release(&l->colours);
	text_release(&l->note);
}

unsigned legend_rows(const struct legend *l)
{
	return (l->colours.size > 0) + (l->note.size > 0);
}

void legend_add(struct text *t, const struct legend *l, const struct page *p)
{
	if (l->colours.size) {
		text_string(t, "<g id=\"legend\">\n");
		text_add(t, l->colours.bytes, l->colours.size);
		text_string(t, "</g>\n");
	}
	if (!l->note.size)
		return;
	text_printf(t, "<text id=\"note\" x=\"%d\" y=\"", LAYOUT_XPAD);
	number_pixels(t, page_line(p, l->colours.size > 0));
	text_string(t, "\">");
	xml_text(t, l->note.bytes, l->note.size);
	text_string(t, "</text>\n");
}
