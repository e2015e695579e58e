#ifndef TESTS_DIFF_SIDES_H
#define TESTS_DIFF_SIDES_H

#include "diff/diff.h"
#include "unit/write/tree.h"

/* A program that is sampled: leaves of a tree, each with its share of the time. */
enum { SIDES_LEAVES_MOST = 64 };
struct program {
	const char *stacks[SIDES_LEAVES_MOST];
	double shares[SIDES_LEAVES_MOST]; /* need not add up to 1 */
	size_t count;
	unsigned
		burst; /* so many samples, on average, are of one stack one after the other */
	size_t samples; /* a hundred a second */
};

/* Adds a recording of it. @seed: of what is left to chance. @timed: samples have times. */
void record_side(struct difference *d, enum diff_side side, const struct program *p,
		 uint64_t seed, bool timed);

/* Adds stacks as folded text has them, "a;b 1\nc 2\n". */
void add_text_side(struct difference *d, enum diff_side side, const char *text);

/* The node of a path, or UINT32_MAX. */
uint32_t node_of_path(const struct difference *d, const char *path);

/* Finishes it; the sentence of a failure is the test's. */
void finish(struct difference *d, enum diff_normalize normalize);

/* "changed main;work +2.0" for each row, a line each; to be freed. */
char *rows_of(const struct difference *d);

#endif
