/*
 * Where a recording changes. Each stack is of a kind: its deepest function that has a fiftieth of all
 * weight with what it calls; and cells without samples are of one of their own. Time is cut in two where
 * the two parts are most unlike, which is where the likelihood of what was seen, if each part has
 * kinds in shares of its own, is most above that of the whole; and so on with either part. One sweep
 * over what lies between two cuts finds the best place among all cells.
 *
 * Chance makes any two parts unlike: a cut is one if its gain is above what so many shares fitted
 * to noise would bring (Schwarz), and the parts next to each other differ in a fifth of their time. So what
 * comes and goes often, ten times a second, is of one phase.
 */
#include "engine/phases.h"

#include <errno.h>
#include <math.h>

#include "engine/profile.h"

enum {
	KIND_PARTS = 50, /* of all weight: less has no kind of its own */
	PHASES_MOST = 24,
	CELLS_LEAST = 10, /* of a phase */
	SPAN_PARTS = 100, /* of all time: no phase is shorter */
};
#define UNLIKE 0.2 /* of the time: phases that differ in less are one */

/* So much of a kind in a cell. */
struct seen {
	uint32_t cell, kind;
	double count; /* samples, or as many as would weigh so much */
};

struct kind {
	uint32_t node; /* 0: nothing runs */
	double all, left,
		here; /* in the part that is looked at; before a cut; in a phase */
};

struct finder {
	const struct ff_profile *p;
	ARRAY(struct seen) seen; /* by cell */
	ARRAY(struct kind) kinds; /* 0: nothing */
	ARRAY(uint32_t) cuts; /* cells that begin a phase */
	uint32_t first, end,
		least; /* cells: from the first to the last one with something; of a phase */
};

static double entropy(double count)
{
	return count > 0 ? count * log(count) : 0;
}

static int list_kinds(struct finder *f)
{
	const struct named *tree = &f->p->named;
	const struct heat *h = &f->p->collected.heat;
	uint64_t least = named_total(tree, 0) / KIND_PARTS + 1, samples = 0;
	uint32_t *kinds = calloc(tree->nodes.count, sizeof(*kinds)), cells = 0;
	double unit, usual;
	int err = kinds && array_add(&f->kinds) ? 0 : -ENOMEM;

	/* A parent's number is below its children's. */
	for (uint32_t i = 0; i < tree->nodes.count && err == 0; i++) {
		struct kind *kind;

		kinds[i] = i ? kinds[tree->nodes.v[i].parent] : 0;
		if (i && named_total(tree, i) < least)
			continue;
		kind = array_add(&f->kinds);
		if (!kind) {
			err = -ENOMEM;
			break;
		}
		kind->node = i;
		kinds[i] = (uint32_t)f->kinds.count - 1;
	}
	for (size_t i = 0; i < h->cells.count; i++) {
		samples += h->cells.v[i].samples;
		cells += i == 0 || h->cells.v[i].cell != h->cells.v[i - 1].cell;
	}
	samples = samples ? samples : 1;
	unit = (double)named_total(tree, 0) / (double)samples;
	usual = (double)samples / (cells ? cells : 1);
	/* What was before and after it is not asked for, or nothing is known of it. */
	f->first = h->cells.count ? h->cells.v[0].cell : 0;
	f->end = h->cells.count ? array_last(&h->cells)->cell + 1 : 0;
	for (size_t i = 0, next = f->first; i < h->cells.count && err == 0; i++) {
		const struct heat_cell *c = &h->cells.v[i];

		if (!array_reserve(&f->seen, 2)) {
			err = -ENOMEM;
			break;
		}
		/* Up to a cell that has something. */
		if (next < c->cell)
			f->seen.v[f->seen.count++] =
				(struct seen){ (uint32_t)next, 0,
					       usual * (double)(c->cell - next) };
		f->seen.v[f->seen.count++] = (struct seen){ c->cell, kinds[c->node],
							    (double)c->weight / unit };
		next = (size_t)c->cell + 1;
	}
	free(kinds);
	return err;
}

static size_t seen_from(const struct finder *f, uint32_t cell)
{
	size_t low = 0, high = f->seen.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->seen.v[middle].cell < cell)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The best cell to begin a phase between the two; 0: none. */
static uint32_t best_cut(struct finder *f, uint32_t from, uint32_t until)
{
	size_t first = seen_from(f, from), end = seen_from(f, until);
	double all = 0, whole = 0, left = 0, lefts = 0, rights = 0, best = 0, used = 0;
	uint32_t cut = 0;

	for (size_t k = 0; k < f->kinds.count; k++)
		f->kinds.v[k].all = f->kinds.v[k].left = 0;
	for (size_t i = first; i < end; i++)
		f->kinds.v[f->seen.v[i].kind].all += f->seen.v[i].count;
	for (size_t k = 0; k < f->kinds.count; k++) {
		all += f->kinds.v[k].all;
		whole += entropy(f->kinds.v[k].all);
		used += f->kinds.v[k].all > 0;
	}
	rights = whole;
	for (size_t i = first; i < end; i++) {
		const struct seen *s = &f->seen.v[i];
		struct kind *kind = &f->kinds.v[s->kind];
		double right = kind->all - kind->left, gain;

		/* What is before this cell, and what is not. */
		gain = lefts - entropy(left) + rights - entropy(all - left) - whole +
		       entropy(all);
		if ((i == first || s->cell != s[-1].cell) && gain > best &&
		    s->cell - from >= f->least && until - s->cell >= f->least) {
			best = gain;
			cut = s->cell;
		}
		lefts += entropy(kind->left + s->count) - entropy(kind->left);
		rights += entropy(right - s->count) - entropy(right);
		kind->left += s->count;
		left += s->count;
	}
	return best > (used + 2) * log(all + 2) ? cut : 0;
}

/* In how much of their time two parts that lie next to each other differ, 0 to 1. */
static double difference(struct finder *f, const uint32_t cells[3])
{
	double sums[2] = { 0 }, differ = 0;

	for (size_t k = 0; k < f->kinds.count; k++)
		f->kinds.v[k].all = f->kinds.v[k].left = 0;
	for (size_t i = seen_from(f, cells[0]); i < seen_from(f, cells[2]); i++) {
		const struct seen *s = &f->seen.v[i];
		struct kind *kind = &f->kinds.v[s->kind];

		*(s->cell < cells[1] ? &kind->left : &kind->all) += s->count;
		sums[s->cell >= cells[1]] += s->count;
	}
	for (size_t k = 0; k < f->kinds.count; k++)
		differ += fabs(f->kinds.v[k].left / (sums[0] > 0 ? sums[0] : 1) -
			       f->kinds.v[k].all / (sums[1] > 0 ? sums[1] : 1));
	return differ / 2;
}

/* f->cuts: the first and the last cell, and cuts between them, in order. */
static int cut_all(struct finder *f)
{
	for (size_t i = 0; i + 1 < f->cuts.count && f->cuts.count <= PHASES_MOST;) {
		uint32_t cut = best_cut(f, f->cuts.v[i], f->cuts.v[i + 1]);

		if (!cut) {
			i++;
			continue;
		}
		if (!array_reserve(&f->cuts, 1))
			return -ENOMEM;
		memmove(&f->cuts.v[i + 2], &f->cuts.v[i + 1],
			(f->cuts.count - i - 1) * sizeof(*f->cuts.v));
		f->cuts.v[i + 1] = cut;
		f->cuts.count++;
	}
	/* The two that are most alike become one, as long as they are alike. */
	while (f->cuts.count > 2) {
		double least = 1;
		size_t at = 0;

		for (size_t i = 1; i + 1 < f->cuts.count; i++) {
			double d = difference(f, &f->cuts.v[i - 1]);

			if (d < least) {
				least = d;
				at = i;
			}
		}
		if (!at || least >= UNLIKE)
			break;
		memmove(&f->cuts.v[at], &f->cuts.v[at + 1],
			(f->cuts.count - at - 1) * sizeof(*f->cuts.v));
		f->cuts.count--;
	}
	return 0;
}

/* The function that a phase has most of beyond its share in all. */
static void name_phase(struct finder *f, uint32_t from, uint32_t until,
		       struct ff_phase *ret)
{
	const struct named *tree = &f->p->named;
	double here = 0, all = 0, most = 0.1;

	for (size_t k = 0; k < f->kinds.count; k++)
		f->kinds.v[k].all = f->kinds.v[k].here = 0;
	for (size_t i = 0; i < f->seen.count; i++) {
		const struct seen *s = &f->seen.v[i];
		bool is_here = s->cell >= from && s->cell < until;

		f->kinds.v[s->kind].all += s->count;
		f->kinds.v[s->kind].here += is_here ? s->count : 0;
		all += s->count;
		here += is_here ? s->count : 0;
	}
	/* What it calls is its own: those behind a kind come after it. */
	for (size_t k = f->kinds.count; k-- > 1;)
		for (size_t up = k; up-- > 1;) {
			uint32_t node = f->kinds.v[k].node, above = f->kinds.v[up].node;

			if (above < node && node < tree->nodes.v[above].end) {
				f->kinds.v[up].all += f->kinds.v[k].all;
				f->kinds.v[up].here += f->kinds.v[k].here;
				break;
			}
		}
	ret->name = "";
	for (size_t k = 0; k < f->kinds.count && here > 0; k++) {
		bool is_root = k && !f->kinds.v[k].node;
		const struct kind *kind = &f->kinds.v[k];
		double share = kind->here / here;
		double above =
			share -
			(all > here ? (kind->all - kind->here) / (all - here) : share);

		/* Of those that are as telling the outermost, which stands first. */
		if (is_root || above <= most + 0.02)
			continue;
		most = above;
		ret->share = share;
		ret->name =
			kind->node
				? intern_text(
					  &f->p->strings,
					  f->p->symbols.functions
						  .v[tree->nodes.v[kind->node].function]
						  .name)
				: "[nothing runs]";
	}
}

int phases_find(struct ff_profile *p, struct phase_list *ret)
{
	const struct heat *h = &p->collected.heat;
	struct finder f = { .p = p };
	int err = list_kinds(&f);

	f.least = (f.end - f.first) / SPAN_PARTS > CELLS_LEAST
			  ? (f.end - f.first) / SPAN_PARTS
			  : CELLS_LEAST;
	if (err == 0 && f.end && array_reserve(&f.cuts, 2)) {
		f.cuts.v[f.cuts.count++] = f.first;
		f.cuts.v[f.cuts.count++] = f.end;
		err = cut_all(&f);
	} else if (f.end) {
		err = -ENOMEM;
	}
	for (size_t i = 0; i + 1 < f.cuts.count && err == 0; i++) {
		struct ff_phase *phase = array_add(&ret->list);

		if (!phase) {
			err = -ENOMEM;
			break;
		}
		phase->start = f.cuts.v[i] * h->width;
		phase->end = f.cuts.v[i + 1] * h->width;
		for (size_t k = 0; k < h->cells.count; k++)
			if (h->cells.v[k].cell >= f.cuts.v[i] &&
			    h->cells.v[k].cell < f.cuts.v[i + 1])
				phase->weight += h->cells.v[k].weight;
		name_phase(&f, f.cuts.v[i], f.cuts.v[i + 1], phase);
	}
	array_release(&f.seen);
	array_release(&f.kinds);
	array_release(&f.cuts);
	return err;
}
