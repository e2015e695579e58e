/* Programs that did not change, recorded twice; and some that did. Seeds are fixed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff/noise.h"
#include "unit/diff/sides.h"

enum { SEEDS = 200, SAMPLES = 6000 };

static char stacks[40][32], many[SIDES_LEAVES_MOST][32];

/* Forty leaves of eight callers, from 6 % to little. */
static struct program usual_program(unsigned burst)
{
	struct program p = { .count = 40, .burst = burst, .samples = SAMPLES };

	for (size_t i = 0; i < p.count; i++) {
		snprintf(stacks[i], sizeof(stacks[i]), "main;f%zu;g%zu", i % 8, i);
		p.stacks[i] = stacks[i];
		p.shares[i] = 1.0 / (double)(i + 3);
	}
	return p;
}

struct alarms {
	unsigned comparisons; /* with one, of SEEDS */
	uint64_t nodes, tested;
	unsigned comparisons_of_own; /* with one that is of what a path has by itself */
};

/* How often is something said to have changed, where nothing has? */
static struct alarms compare_with_itself(unsigned burst, bool timed)
{
	struct program p = usual_program(burst);
	struct alarms all = { 0 };

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct difference d;

		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &p, 2 * seed, timed);
		record_side(&d, DIFF_B, &p, 2 * seed + 1, timed);
		finish(&d, DIFF_SHARE);
		all.nodes += d.significant;
		all.tested += d.tests.count;
		all.comparisons += d.significant > 0;
		all.comparisons_of_own += d.owns_significant > 0;
		cr_assert_geq(d.owns.count, p.count / 2);
		difference_release(&d);
	}
	return all;
}

Test(noise, independent_samples_raise_no_more_false_alarms_than_one_in_twenty)
{
	struct alarms all = compare_with_itself(1, true);

	cr_expect_leq(all.nodes * 20, all.tested, "%lu of %lu", all.nodes, all.tested);
	cr_expect_leq(all.comparisons, SEEDS / 20, "%u", all.comparisons);
	cr_expect_leq(all.comparisons_of_own, SEEDS / 20, "%u", all.comparisons_of_own);
}

Test(noise, bursts_raise_no_more_either)
{
	struct alarms all = compare_with_itself(9, true);

	cr_expect_leq(all.nodes * 20, all.tested, "%lu of %lu", all.nodes, all.tested);
	cr_expect_leq(all.comparisons, SEEDS / 20, "%u", all.comparisons);
	cr_expect_leq(all.comparisons_of_own, SEEDS / 20, "%u", all.comparisons_of_own);
}

/* The test of the test: who takes bursts for independent samples cries wolf. */
Test(noise, without_pieces_of_time_bursts_would)
{
	struct alarms all = compare_with_itself(9, false);

	cr_expect_geq(all.comparisons, SEEDS / 2, "%u", all.comparisons);
	cr_expect_geq(all.comparisons_of_own, SEEDS / 2, "%u", all.comparisons_of_own);
}

Test(noise, a_change_as_large_as_what_can_be_seen_is_found)
{
	struct program p = usual_program(2), more;
	unsigned found = 0, alarms = 0;
	double detectable = 0;

	p.samples = 24000;
	more = p;
	/* 2 points of one leaf that has 4.4. */
	more.shares[5] += 0.06;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct difference d;
		uint32_t leaf;
		char *rows;

		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &p, 2 * seed, true);
		record_side(&d, DIFF_B, &more, 2 * seed + 1, true);
		finish(&d, DIFF_SHARE);
		leaf = node_of_path(&d, "main;f5;g5");
		cr_assert_neq(leaf, UINT32_MAX);
		detectable += difference_detectable(&d, leaf) / SEEDS;
		rows = rows_of(&d);
		/* Not its caller, which has changed as much. */
		found += strstr(rows, "changed main;f5;g5 +") != NULL;
		alarms += strstr(rows, "changed main;f5 ") != NULL;
		free(rows);
		difference_release(&d);
	}
	cr_expect(detectable < 0.02, "%g", detectable);
	cr_expect_geq(10 * found, 8 * SEEDS, "%u", found);
	cr_expect_leq(10 * alarms, SEEDS, "%u", alarms);
}

/* A caller that does more by itself, and less in its callee: its sum says nothing of either. */
Test(noise, own_values_are_tested_by_themselves)
{
	struct program p = { .stacks = { "main;f", "main;f;g", "main;h" },
			     .shares = { 20, 30, 50 },
			     .count = 3,
			     .burst = 2,
			     .samples = 12000 };
	struct program more = p;
	const struct diff_measure *f, *g, *h;
	struct diff_measure all;
	struct difference d;

	more.shares[0] = 30;
	more.shares[1] = 20;
	cr_assert_eq(difference_init(&d), 0);
	record_side(&d, DIFF_A, &p, 1, true);
	record_side(&d, DIFF_B, &more, 2, true);
	finish(&d, DIFF_SHARE);
	f = difference_own(&d, node_of_path(&d, "main;f"));
	g = difference_own(&d, node_of_path(&d, "main;f;g"));
	h = difference_own(&d, node_of_path(&d, "main;h"));
	cr_assert(f && g && h);
	cr_expect(f->q < 0.01 && fabs(f->delta - 0.1) < 0.03);
	cr_expect(g->q < 0.01 && fabs(g->delta + 0.1) < 0.03);
	cr_expect(h->q > 0.05);
	/* A leaf is what it has by itself. */
	cr_expect(fabs(h->error -
		       difference_measure(&d, node_of_path(&d, "main;h")).error) < 1e-12);
	/* What has no samples by itself is not there. */
	/* Twenty pieces a side tell less of an error than all samples would. */
	all = difference_measure(&d, node_of_path(&d, "main;h"));
	cr_expect(all.critical > 1.97 && all.critical < 2.2, "%g", all.critical);
	cr_expect(fabs(h->critical / all.critical - 1) < 0.01);
	cr_expect_null(difference_own(&d, node_of_path(&d, "main")));
	difference_release(&d);
}

/* Of much that has changed one in twenty may be false, but not in another branch. */
Test(noise, a_branch_without_a_change_is_not_looked_into)
{
	struct program p = { .count = 60, .burst = 2, .samples = 20000 }, more;
	unsigned alarms = 0, opened = 0;

	for (size_t i = 0; i < p.count; i++) {
		snprintf(many[i], sizeof(many[i]), i < 40 ? "b;f;f%zu" : "b;g;g%zu", i);
		p.stacks[i] = many[i];
		p.shares[i] = 1;
	}
	more = p;
	for (size_t i = 0; i < 40; i++)
		more.shares[i] = i % 2 ? 0.5 : 1.5;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		unsigned found = 0;
		struct difference d;

		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &p, 2 * seed, true);
		record_side(&d, DIFF_B, &more, 2 * seed + 1, true);
		finish(&d, DIFF_SHARE);
		for (size_t i = 0; i < p.count; i++) {
			bool is_found = difference_is_significant(
				&d, node_of_path(&d, p.stacks[i]));

			opened += i < 40 && is_found;
			found += i >= 40 && is_found;
		}
		alarms += found > 0;
		difference_release(&d);
	}
	/* Without families it is two thirds. */
	cr_expect_leq(alarms, SEEDS / 20, "%u", alarms);
	cr_expect_geq(opened, 36 * SEEDS, "%u", opened);
}

/* Phases that are longer than a twentieth of the recording are few. */
Test(noise, pieces_that_depend_on_their_neighbours_are_joined)
{
	struct program p = usual_program(400), quick = usual_program(9);
	unsigned joined = 0, alarms = 0, joined_quick = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct difference d;

		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &p, 2 * seed, true);
		record_side(&d, DIFF_B, &p, 2 * seed + 1, true);
		finish(&d, DIFF_SHARE);
		joined += d.total[DIFF_A].blocks < TIME_BLOCKS;
		alarms += d.significant > 0;
		difference_release(&d);
		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &quick, 2 * seed, true);
		record_side(&d, DIFF_B, &quick, 2 * seed + 1, true);
		finish(&d, DIFF_SHARE);
		joined_quick += d.total[DIFF_A].blocks < TIME_BLOCKS;
		difference_release(&d);
	}
	cr_expect_geq(joined, SEEDS * 3 / 4, "%u", joined);
	cr_expect_leq(joined_quick, SEEDS / 20, "%u", joined_quick);
	cr_expect_leq(alarms, SEEDS / 20, "%u", alarms);
}

Test(noise, phi_tells_how_much_more_noise_there_is)
{
	struct program p = usual_program(9);
	double phi = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct difference d;

		cr_assert_eq(difference_init(&d), 0);
		record_side(&d, DIFF_A, &p, 2 * seed, true);
		record_side(&d, DIFF_B, &p, 2 * seed + 1, true);
		finish(&d, DIFF_SHARE);
		phi += d.total[DIFF_A].phi / 20;
		difference_release(&d);
	}
	/* Runs of geometric length with mean m: 2 m - 1. */
	cr_expect(phi > 12 && phi < 22, "%g", phi);
}
