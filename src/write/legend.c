#include "write/legend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "write/metadata.h"
#include "write/number.h"
#include "write/xml.h"

enum {
	TOP = 5, /* functions that the description names */
	PATH = 20, /* frames of the hottest path */
	NAMES = 2, /* that a colour goes by */
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
	struct hash_map by_name; /* of class << 32 | id of the name */
};

static int shares_add(struct shares *s, const char *name, size_t size, uint8_t class,
		      uint64_t weight)
{
	struct share *slot;
	uint32_t id, *known;

	if (intern_add(&s->names, name, size, &id) < 0)
		return -ENOMEM;
	known = hash_map_get(&s->by_name, (uint64_t) class << 32 | id);
	if (known) {
		s->list.v[*known].weight += weight;
		return 0;
	}
	slot = array_add(&s->list);
	if (!slot || !hash_map_set(&s->by_name, (uint64_t) class << 32 | id,
				   (uint32_t)s->list.count - 1))
		return -ENOMEM;
	*slot = (struct share){ intern_text(&s->names, id), size, weight, class };
	return 0;
}

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

static void add_percent(struct text *t, const struct picture *p, uint64_t weight)
{
	double percent = 100 * picture_value(p, weight) / p->total;

	number_fixed(t, percent, percent < 10 ? 1 : 0);
	text_string(t, " %");
}

/* Own weight by label. */
static int sum_labels(const struct picture *p, struct shares *s)
{
	const struct view *v = &p->view;
	size_t count = v->labels.sizes.count;
	uint64_t *weights = calloc(count, sizeof(*weights));
	int err = weights ? 0 : -ENOMEM;

	for (size_t i = 1; weights && i < v->nodes.count; i++)
		if (v->nodes.v[i].label != VIEW_GAP)
			weights[v->nodes.v[i].label] += v->nodes.v[i].self;
	for (uint32_t i = 1; i < count && err == 0; i++)
		if (weights[i])
			err = shares_add(s, label_text(&v->labels, i),
					 v->labels.sizes.v[i], 0, weights[i]);
	free(weights);
	return err;
}

static void add_name(struct text *t, const char *name, size_t size)
{
	text_add(t, name, size < LONGEST ? size : LONGEST);
	if (size >= LONGEST)
		text_string(t, "...");
}

static void add_top(struct text *t, const struct picture *p, const struct shares *s)
{
	text_string(t, " Most of their own have");
	for (size_t i = 0; i < s->list.count && i < TOP; i++) {
		text_string(t, i ? ", " : " ");
		add_name(t, s->list.v[i].name, s->list.v[i].size);
		text_char(t, ' ');
		add_percent(t, p, s->list.v[i].weight);
	}
	text_char(t, '.');
}

/* From the root always on to the heaviest child. */
static void add_path(struct text *t, const struct picture *p)
{
	const struct view_node *nodes = p->view.nodes.v;
	uint32_t node = 0;

	text_string(t, " Hottest path:");
	for (int depth = 0; depth < PATH; depth++) {
		uint32_t best = 0;

		for (uint32_t i = nodes[node].first; i; i = nodes[i].next)
			if (nodes[i].label != VIEW_GAP &&
			    (!best || nodes[i].total > nodes[best].total))
				best = i;
		if (!best || nodes[best].total < nodes[node].self)
			break;
		text_string(t, depth ? " > " : " ");
		add_name(t, label_text(&p->view.labels, nodes[best].label),
			 p->view.labels.sizes.v[nodes[best].label]);
		node = best;
	}
	text_string(t, ", ");
	add_percent(t, p, nodes[node].total);
	text_char(t, '.');
}

static int describe(const struct picture *p, struct text *t)
{
	const struct write_facts *facts = p->in->facts;
	struct shares s = { 0 };
	int err = intern_init(&s.names);

	if (err == 0)
		err = sum_labels(p, &s);
	shares_sort(&s);
	number_commas(t, number_round(p->total * p->options->factor));
	text_printf(t, " %s", p->options->countname);
	if (facts && facts->events && *facts->events)
		text_printf(t, " of %s", facts->events);
	text_string(t, " in ");
	number_commas(t, (double)(p->frames - 1));
	text_string(t, " frames.");
	if (s.list.count && err == 0) {
		add_top(t, p, &s);
		add_path(t, p);
	}
	shares_release(&s);
	return err;
}

/* Own weight by group, for each class. */
static int sum_groups(const struct picture *p, struct shares *s)
{
	const struct view *v = &p->view;
	size_t count = p->in->symbols->functions.count;
	uint64_t *weights = calloc(count + 1, sizeof(*weights));
	int err = weights ? 0 : -ENOMEM;

	for (size_t i = 1; weights && i < v->nodes.count; i++)
		if (v->nodes.v[i].label != VIEW_GAP)
			weights[v->nodes.v[i].function] += v->nodes.v[i].self;
	for (uint32_t i = 0; i < count && err == 0; i++) {
		struct class_subject subject;
		const char *group;
		uint8_t class;
		size_t size;

		if (!weights[i])
			continue;
		subject = picture_subject(p, i);
		class = class_of(&subject);
		group = class_group(&subject, &size);
		if (class == CLASS_UNNAMED) {
			group = "no symbol";
			size = strlen(group);
		}
		if (group)
			err = shares_add(s, group, size, class, weights[i]);
	}
	free(weights);
	return err;
}

/* A colour and the names it goes by. */
struct entry {
	uint64_t weight;
	struct text names;
	unsigned count;
	uint8_t class;
};

static int heavier_entry(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->class - b->class;
}

static void add_entry(struct text *t, const struct entry *e, double x, double y,
		      double size)
{
	text_string(t, "<g><rect x=\"");
	number_fixed(t, x, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, y - size + 1);
	text_printf(t, "\" width=\"");
	number_pixels(t, size);
	text_string(t, "\" height=\"");
	number_pixels(t, size);
	text_string(t, "\" fill=\"");
	class_colour_add(t, class_colours[e->class].light);
	text_printf(t, "\" class=\"c%u\" /><text x=\"", e->class);
	number_fixed(t, x + size + 4, 1);
	text_string(t, "\" y=\"");
	number_pixels(t, y);
	text_string(t, "\">");
	xml_text(t, e->names.bytes, e->names.size);
	if (e->count > NAMES)
		text_printf(t, ", %u more", e->count - NAMES);
	text_string(t, "</text></g>\n");
}

/* As many as find room beside each other, the heaviest first. */
static void add_entries(struct text *t, const struct picture *p, struct entry *entries)
{
	const struct layout *l = &p->layout;
	double x = LAYOUT_XPAD, y = l->height + l->font_size, size = l->font_size;

	qsort(entries, CLASSES, sizeof(*entries), heavier_entry);
	for (int i = 0; i < CLASSES && entries[i].count; i++) {
		size_t letters =
			entries[i].names.size + (entries[i].count > NAMES ? 8 : 0);
		double wide = size + 20 + (double)letters * l->font_size * l->font_width;

		if (x + wide > l->width)
			continue;
		add_entry(t, &entries[i], x, y, size);
		x += wide;
	}
}

static int add_colours(const struct picture *p, struct text *t)
{
	struct entry entries[CLASSES] = { 0 };
	struct shares s = { 0 };
	int err = intern_init(&s.names);

	if (err == 0)
		err = sum_groups(p, &s);
	shares_sort(&s);
	for (uint8_t i = 0; i < CLASSES; i++)
		entries[i].class = i;
	for (size_t i = 0; i < s.list.count && err == 0; i++) {
		const struct share *share = &s.list.v[i];
		struct entry *e = &entries[share->class];

		e->weight += share->weight;
		if (e->count++ < NAMES) {
			text_string(&e->names, e->count > 1 ? ", " : "");
			add_name(&e->names, share->name,
				 share->size < 30 ? share->size : 30);
		}
	}
	if (err == 0)
		add_entries(t, p, entries);
	for (int i = 0; i < CLASSES; i++) {
		t->failed |= entries[i].names.failed;
		text_release(&entries[i].names);
	}
	shares_release(&s);
	return err;
}

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
		text_string(t, " pixels: grey");
	} else {
		text_string(t, "half a pixel");
		if (p->rows < UINT32_MAX)
			text_printf(t, ", or beyond row %" PRIu32, p->rows);
		text_string(t, ": grey");
	}
	if (p->options->kind == SVG_VIEWER)
		text_string(t, "; in a browser a click zooms in");
	text_string(t, ". ");
}

static void add_share(struct text *t, const struct picture *p, uint64_t weight,
		      const char *what)
{
	if (!weight)
		return;
	if (picture_value(p, weight) < 0.0005 * p->total)
		text_string(t, "less than 0.1 %");
	else
		add_percent(t, p, weight);
	text_printf(t, " %s. ", what);
}

/* What a reader has to know before trusting the picture. */
static void add_facts(struct text *t, const struct picture *p)
{
	const struct write_facts *f = p->in->facts;
	uint64_t all = p->view.nodes.v[0].total;

	if (p->classes)
		add_share(t, p, unnamed_weight(p->in, &p->view), "without a symbol");
	if (!f)
		return;
	if (f->truncated && f->samples)
		add_share(t, p,
			  (uint64_t)((unsigned __int128)all *
				     (f->truncated < f->samples ? f->truncated
								: f->samples) /
				     f->samples),
			  "with a cut stack");
	if (f->note)
		text_printf(t, "%s. ", f->note);
	if (f->lost) {
		number_commas(t, (double)f->lost);
		text_string(t, " samples lost. ");
	}
}

int legend_make(const struct picture *p, struct legend *ret)
{
	struct legend l = { 0 };
	int err = describe(p, &l.description);

	if (err == 0 && p->classes)
		err = add_colours(p, &l.colours);
	add_hidden(&l.note, p);
	add_facts(&l.note, p);
	if (l.description.failed || l.colours.failed || l.note.failed)
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
