/*
 * How far would the sides differ if nothing had changed? Samples of one recording are not
 * independent: programs have phases, requests, timers. So each recording is cut into K pieces of
 * equal time (or, of several recordings, each one is a piece), and how far these differ says how
 * far two recordings would:
 *
 *	x_k  weight of a node in piece k, with all below it	X = sum of x_k
 *	t_k  weight of all in piece k				T = sum of t_k
 *	r_k = x_k - (X / T) t_k
 *
 * The variance of the share X / T is K / (K - 1) * sum of r_k^2 / T^2: the delete-one jackknife of a
 * ratio, by its linear part (Cochran, Sampling Techniques, 6.4). Where weights themselves are
 * compared it is that of a sum, with the mean of x_k in place of the share. It is never taken to be
 * less than that of as many independent samples.
 *
 * The walk goes over the tree once, from its end: the pieces of a node are its own and those of its
 * children, which were passed just before it, so one row of pieces for each depth is enough.
 */
#include "diff/noise.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "diff/discovery.h"
#include "diff/student.h"

enum {
	BLOCK_SAMPLES = 50, /* a piece has as many, */
	BLOCKS_FEWEST = 8, /* fewer are not joined to larger ones */
	LARGE = 30, /* samples of a node that says how much more noise there is */
};
#define ROUNDING 1e-12 /* of sums of doubles, in parts of them */
#define BLOCK_SECONDS 0.5 /* or it is as long */
#define POWER 0.8416 /* standard errors: 8 of 10 lie above minus that */
#define CORRELATION_MOST 0.3 /* of neighbours: else pieces are too short */

/* The walk over one side. */
struct block_walk {
	struct difference *d;
	enum diff_side side;
	uint32_t blocks;
	uint32_t *block_of; /* by input, or NULL: by time */
	uint32_t joined; /* pieces of time that are one block */
	size_t *start; /* by node: its cells in order */
	uint32_t *order;
	uint32_t *depth;
	double *rows; /* blocks of each depth */
	double *own; /* blocks of one node by itself */
	double *late; /* by node: what it has in the last blocks; NULL: nobody asks */
	double *totals; /* by block */
	double whole;
	double neighbours, squares; /* sums over large nodes, of residuals */
};

static uint32_t block_of_cell(const struct block_walk *w, const struct diff_cell *c)
{
	uint32_t block = c->block / w->joined;

	if (w->block_of)
		return w->block_of[c->input];
	/* What is left over goes with the last one. */
	return block < w->blocks ? block : w->blocks - 1;
}

/* Cells of the side, by node. */
static int sort_cells(struct block_walk *w)
{
	const struct difference *d = w->d;
	size_t nodes = d->nodes.count, inputs = 0, deepest = 0;

	w->start = calloc(nodes + 2, sizeof(*w->start));
	w->order = malloc((d->cells.count + 1) * sizeof(*w->order));
	w->depth = calloc(nodes, sizeof(*w->depth));
	w->totals = calloc(w->blocks, sizeof(*w->totals));
	if (d->total[w->side].are_files)
		w->block_of = calloc(d->inputs + 1, sizeof(*w->block_of));
	if (!w->start || !w->order || !w->depth || !w->totals ||
	    (d->total[w->side].are_files && !w->block_of))
		return -ENOMEM;
	for (size_t i = 0, last = SIZE_MAX; w->block_of && i < d->cells.count; i++) {
		const struct diff_cell *c = &d->cells.v[i];

		/* Inputs of both sides may have come in any order; an empty one has no cells,
		 * and is a block all the same. */
		if (c->side != w->side || c->input == last)
			continue;
		last = c->input;
		w->block_of[last] = (uint32_t)inputs++;
	}
	for (size_t i = 0; i < d->cells.count; i++)
		if (d->cells.v[i].side == w->side)
			w->start[d->cells.v[i].node + 2]++;
	for (size_t i = 0; i < nodes; i++)
		w->start[i + 2] += w->start[i + 1];
	for (size_t i = 0; i < d->cells.count; i++) {
		const struct diff_cell *c = &d->cells.v[i];

		if (c->side != w->side)
			continue;
		w->order[w->start[c->node + 1]++] = (uint32_t)i;
		w->totals[block_of_cell(w, c)] += (double)c->weight;
	}
	for (size_t i = 1; i < nodes; i++) {
		w->depth[i] = w->depth[d->nodes.v[i].parent] + 1;
		if (w->depth[i] > deepest)
			deepest = w->depth[i];
	}
	for (uint32_t k = 0; k < w->blocks; k++)
		w->whole += w->totals[k];
	w->rows = calloc((deepest + 2) * w->blocks, sizeof(*w->rows));
	w->own = calloc(w->blocks, sizeof(*w->own));
	return w->rows && w->own ? 0 : -ENOMEM;
}

/* What a block has beyond what would be there if all were alike. @weight: of all blocks. */
static double rest_of_block(const struct block_walk *w, double weight, uint32_t k,
			    double value)
{
	return value - (!w->d->of_shares ? weight / w->blocks
			: w->whole > 0	 ? weight / w->whole * w->totals[k]
					 : 0);
}

static void walk_blocks(struct block_walk *w, const double *inclusive, double *variance,
			double *own_variance)
{
	const struct difference *d = w->d;
	double degrees = (double)w->blocks / (w->blocks - 1), late = 0;
	uint32_t late_from = w->blocks - w->blocks / LATE_PARTS;

	for (uint32_t k = late_from; k < w->blocks; k++)
		late += w->totals[k];
	/* Where weights are compared all blocks are as long as each other. */
	if (!d->of_shares)
		late = w->whole / w->blocks * (w->blocks - late_from);

	for (size_t i = d->nodes.count; i-- > 0;) {
		double *all = w->rows + (size_t)w->depth[i] * w->blocks;
		double *below = all + w->blocks, squares = 0, before = 0;
		double share = w->whole > 0 ? inclusive[i] / w->whole : 0;
		double self = (double)difference_value(d, (uint32_t)i)->self[w->side];
		bool is_large = share > 0.01 && share < 0.99;

		for (size_t c = w->start[i]; c < w->start[i + 1]; c++) {
			const struct diff_cell *cell = &d->cells.v[w->order[c]];

			w->own[block_of_cell(w, cell)] += (double)cell->weight;
		}
		own_variance[i] = 0;
		for (uint32_t k = 0; k < w->blocks && w->start[i] < w->start[i + 1];
		     k++) {
			double rest = rest_of_block(w, self, k, w->own[k]);

			own_variance[i] += rest * rest * degrees;
			below[k] += w->own[k];
			w->own[k] = 0;
		}
		for (uint32_t k = 0; k < w->blocks; k++) {
			double rest = rest_of_block(w, inclusive[i], k, below[k]);

			squares += rest * rest;
			w->neighbours += is_large && k ? rest * before : 0;
			before = rest;
			all[k] += below[k];
			if (w->late && k >= late_from && late > 0)
				w->late[i] += below[k] / late;
			below[k] = 0;
		}
		w->squares += is_large ? squares : 0;
		variance[i] = squares * degrees;
	}
}

static int measure_side(struct difference *d, enum diff_side side, struct noise *n)
{
	struct diff_total *total = &d->total[side];
	uint32_t blocks = total->pieces, joined = 1;
	double whole = (double)total->weight, measured = 0, independent = 0;
	int err = 0;

	total->are_files = total->inputs > 1;
	if (total->are_files)
		blocks = total->inputs;
	/* What is there says nothing of how far its parts differ. A pipe's may be one. */
	else if (!total->has_times || blocks < 2 ||
		 (total->seconds / blocks < BLOCK_SECONDS &&
		  (double)total->samples / blocks < BLOCK_SAMPLES))
		blocks = 0;
	total->phi = 1;
	total->blocks = blocks;
	if (!blocks || !total->weight)
		return 0;
	n->variance[side] = pages_zeroed(d->nodes.count, sizeof(double));
	n->own_variance[side] = pages_zeroed(d->nodes.count, sizeof(double));
	if (!n->variance[side] || !n->own_variance[side])
		return -ENOMEM;
	for (bool again = true; again && err == 0;) {
		struct block_walk w = {
			.d = d, .side = side, .blocks = blocks, .joined = joined
		};

		if (side == DIFF_B && !total->are_files && blocks >= LATE_PARTS) {
			free(d->late);
			w.late = d->late = pages_zeroed(d->nodes.count, sizeof(double));
			if (!d->late)
				return -ENOMEM;
		}
		err = sort_cells(&w);
		if (err == 0)
			walk_blocks(&w, n->inclusive[side], n->variance[side],
				    n->own_variance[side]);
		/* Neighbours that go up and down together are pieces of one and the same
		 * thing, so they say less than their number makes believe. */
		again = !total->are_files && blocks / 2 >= BLOCKS_FEWEST &&
			w.neighbours > CORRELATION_MOST * w.squares;
		total->blocks = blocks;
		free(w.block_of);
		free(w.start);
		free(w.order);
		free(w.depth);
		free(w.rows);
		free(w.own);
		free(w.totals);
		blocks /= again ? 2 : 1;
		joined *= again ? 2 : 1;
	}
	n->freedom[side] = total->blocks - 1;
	/* By how many times blocks differ more than independent samples would. */
	for (size_t i = 1; i < d->nodes.count; i++) {
		double share = n->inclusive[side][i] / whole;

		if (share * (double)total->samples < LARGE)
			continue;
		measured += n->variance[side][i];
		independent += share * (1 - share) * total->squares;
	}
	if (independent > 0 && measured > independent)
		total->phi = measured / independent;
	return err;
}

int noise_measure(struct difference *d)
{
	size_t count = d->nodes.count;
	struct noise *n = &d->noise;
	double **inclusive = n->inclusive;
	int err;

	n->samples = pages_room(count * sizeof(double));
	for (int s = 0; s < DIFF_SIDES; s++)
		inclusive[s] = pages_zeroed(count, sizeof(double));
	err = n->samples && inclusive[DIFF_A] && inclusive[DIFF_B] ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < count && err == 0; i++) {
		const struct diff_value *own = difference_value(d, i);

		n->samples[i] =
			(double)own->samples[DIFF_A] + (double)own->samples[DIFF_B];
	}
	for (uint32_t i = (uint32_t)count; i-- > 0 && err == 0;) {
		const struct diff_value *own = difference_value(d, i);
		uint32_t parent = d->nodes.v[i].parent;

		for (int s = 0; s < DIFF_SIDES; s++) {
			inclusive[s][i] += (double)own->self[s];
			inclusive[s][parent] += i ? inclusive[s][i] : 0;
		}
		n->samples[parent] += i ? n->samples[i] : 0;
	}
	for (int s = 0; s < DIFF_SIDES && err == 0; s++)
		err = measure_side(d, (enum diff_side)s, n);
	return err;
}

void noise_release(struct noise *n)
{
	for (int s = 0; s < DIFF_SIDES; s++) {
		free(n->variance[s]);
		free(n->own_variance[s]);
		free(n->inclusive[s]);
	}
	free(n->samples);
	free(n->critical);
	*n = (struct noise){ 0 };
}

/* Something that both sides have, in their own weights, and how far blocks differ in it. */
struct observed {
	double weight[DIFF_SIDES];
	double variance[DIFF_SIDES]; /* only with blocks */
};

/* At a node and below. */
static struct observed observe(const struct difference *d, uint32_t node)
{
	const struct noise *n = &d->noise;
	struct observed all;

	for (int s = 0; s < DIFF_SIDES; s++) {
		all.weight[s] = n->inclusive[s][node];
		all.variance[s] = n->variance[s] ? n->variance[s][node] : 0;
	}
	return all;
}

/* 0 where there is no whole. */
static double part_of(double weight, double whole)
{
	return whole > 0 ? weight / whole : 0;
}

/* Its difference and how exactly that is known. Degrees of freedom of it. */
static double measure(const struct difference *d, const struct observed *o,
		      struct diff_measure *m)
{
	const struct noise *n = &d->noise;
	double a = (double)d->total[DIFF_A].weight, b = (double)d->total[DIFF_B].weight;
	double wholes[DIFF_SIDES] = { a, b }, variance[DIFF_SIDES];
	double share = fmin(part_of(o->weight[DIFF_A] + o->weight[DIFF_B], a + b), 1);
	double sum, parts = 0;

	m->a = part_of(o->weight[DIFF_A], a) * n->to;
	m->b = part_of(o->weight[DIFF_B], b);
	m->delta = m->b - m->a;
	for (int s = 0; s < DIFF_SIDES; s++) {
		double least = share * (d->of_shares ? 1 - share : 1) * n->unit[s];
		double measured = least;

		/* What blocks say, but never less than as many independent samples; without blocks of
		 * its own a side is as noisy as the other one. */
		if (n->variance[s])
			measured = o->variance[s] / wholes[s] / wholes[s];
		variance[s] = !n->variance[s]	 ? least * d->total[!s].phi
			      : measured > least ? measured
						 : least;
	}
	variance[DIFF_A] *= n->to * n->to;
	sum = variance[DIFF_A] + variance[DIFF_B];
	m->error = sqrt(sum + m->a * m->a * d->scale_error * d->scale_error);
	/* Welch's degrees, where blocks say how large both variances are. */
	for (int s = 0; s < DIFF_SIDES; s++)
		parts += n->variance[s] ? variance[s] * variance[s] / n->freedom[s] : 0;
	return parts > 0 ? sum * sum / parts : INFINITY;
}

/* Most paths have too few samples to be tested. And of what is all of either side sums may differ in
 * their last digit, which is no change, though there is no noise in it either. */
static double probability(const struct diff_measure *m, double freedom)
{
	if (!(fabs(m->delta) > ROUNDING * (m->a + m->b)))
		return 1;
	return m->error > 0 ? student_two_sided(m->delta / m->error, freedom) : 0;
}

double noise_probability(const struct difference *d, uint32_t node)
{
	struct observed all = observe(d, node);
	struct diff_measure m;
	double freedom = measure(d, &all, &m);

	return probability(&m, freedom);
}

struct diff_measure difference_measure(const struct difference *d, uint32_t node)
{
	const struct noise *n = &d->noise;
	struct observed all = observe(d, node);
	struct diff_measure m = {
		.q = difference_q(d, node),
		.critical = n->critical ? n->critical[node] : n->usual,
	};

	measure(d, &all, &m);
	return m;
}

double difference_detectable(const struct difference *d, uint32_t node)
{
	return d->reach * difference_measure(d, node).error;
}

double difference_reach(const struct difference *d, double freedom)
{
	return student_critical(d->options.level / (double)d->tests.count, freedom) +
	       POWER;
}

/* The last degrees of freedom that there were, and what they say. */
struct known {
	double freedom, critical;
};

static double critical_of(struct known *known, double freedom)
{
	/* Searching for it takes long, and degrees are mostly the same. */
	if (freedom != known->freedom &&
	    !(fabs(freedom - known->freedom) < 0.01 * known->freedom))
		*known = (struct known){ freedom, student_critical(0.05, freedom) };
	return known->critical;
}

/* What all measures need, and where they are: 0, or -ENOMEM. */
static int prepare_tests(struct difference *d)
{
	struct noise *n = &d->noise;
	double a = (double)d->total[DIFF_A].weight, b = (double)d->total[DIFF_B].weight;
	double wholes[DIFF_SIDES] = { a, b };

	/* Without blocks degrees of freedom are without an end. */
	if (n->variance[DIFF_A] || n->variance[DIFF_B])
		n->critical = pages_room(d->nodes.count * sizeof(*n->critical));
	else
		n->usual = student_critical(0.05, INFINITY);
	if (!n->critical && (n->variance[DIFF_A] || n->variance[DIFF_B]))
		return -ENOMEM;
	d->whole = b > 0 ? b : d->scale * a;
	n->to = d->options.normalize == DIFF_SHARE || d->fell_back ? 1
		: d->whole > 0 ? d->scale * a / d->whole
			       : 0;
	for (int s = 0; s < DIFF_SIDES; s++)
		n->unit[s] = part_of(part_of(d->total[s].squares, wholes[s]), wholes[s]);
	return 0;
}

int noise_test(struct difference *d)
{
	struct noise *n = &d->noise;
	struct known known = { .freedom = NAN };
	double most = 0;

	if (prepare_tests(d) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->nodes.count; i++) {
		const struct diff_value *value = difference_value(d, i);
		double samples =
			(double)value->samples[DIFF_A] + (double)value->samples[DIFF_B];
		struct observed all, own;
		struct diff_measure m;
		struct diff_own *slot;
		double freedom;

		if (n->critical) {
			all = observe(d, i);
			n->critical[i] = critical_of(&known, measure(d, &all, &m));
		}
		/* With an empty side nothing is compared. */
		if (samples < d->options.fewest || !d->total[DIFF_A].weight ||
		    !d->total[DIFF_B].weight)
			continue;
		for (int s = 0; s < DIFF_SIDES; s++) {
			own.weight[s] = (double)value->self[s];
			own.variance[s] = n->variance[s] ? n->own_variance[s][i] : 0;
		}
		slot = array_add(&d->owns);
		if (!slot)
			return -ENOMEM;
		slot->node = i;
		slot->measure.q = 1;
		freedom = measure(d, &own, &slot->measure);
		slot->measure.critical = critical_of(&known, freedom);
		slot->p = probability(&slot->measure, freedom);
	}
	if (discovery_adjust(d) < 0 || discovery_adjust_own(d) < 0)
		return -ENOMEM;
	/* One change among all has to be as improbable as this to be found. */
	for (int s = 0; s < DIFF_SIDES; s++)
		most += n->variance[s] ? n->freedom[s] : INFINITY;
	d->reach = d->tests.count ? difference_reach(d, most) : 0;
	for (size_t i = 0; i < d->tests.count; i++)
		d->detectable =
			fmax(d->detectable, difference_detectable(d, d->tests.v[i].node));
	/* Pictures need the memory, and do not ask for these. */
	for (int s = 0; s < DIFF_SIDES; s++) {
		free(n->own_variance[s]);
		n->own_variance[s] = NULL;
	}
	free(n->samples);
	n->samples = NULL;
	return 0;
}
