#ifndef WRITE_WRITE_H
#define WRITE_WRITE_H

#include <stdio.h>

#include "base/bytes.h"
#include "tree/tree.h"

/*
 * The named tree -> bytes. A writer makes its own view first: nodes with the same
 * label below the same parent become one, because the text formats and the picture
 * tell functions apart by what is printed only.
 */
struct write_input {
	const struct named *tree;
	const struct symbols *symbols;
	const struct intern *strings;
	bool mark_kernel, mark_jit; /* _[k], _[j] */
	bool in_order; /* siblings stay as they came: a flame chart */
	unsigned threads; /* 0: one */
	const struct write_facts *facts; /* NULL: nothing is known */
};

/* Where a tree comes from, for people. NULL and 0: not known. */
struct write_facts {
	const char *unit; /* what a value counts: "samples", "cycles" */
	const char *events, *command, *host;
	const char *process; /* the one that most samples are of; NULL: not known */
	uint32_t pid; /* of it */
	size_t processes; /* that have samples */
	/* The title where it was chosen, or the name of a file that says nothing of itself. */
	const char *subject;
	uint64_t recorded; /* when its first sample was taken, seconds since 1970 */
	uint64_t samples; /* in the tree */
	uint64_t frequency, period; /* of sampling: a second, or fixed */
	uint64_t duration; /* ns, first to last sample */
	uint64_t lost; /* samples the kernel dropped */
	uint64_t truncated; /* samples in the tree whose stack was cut */
	const struct bytes
		*report; /* for those who ask the picture of it; NULL: nothing */
	/* What makes the picture worse than it could be, sentences with " · " between; and
	 * the worst of it in a few words. NULL: nothing. */
	const char *findings, *note;
};

/* stackcollapse-perf.pl's lines, sorted bytewise by stack. -EIO and the like where
 * @out fails. */
int write_folded(struct context *ctx, const struct write_input *in, FILE *out);

enum svg_kind {
	SVG_VIEWER, /* picture, data and viewer */
	SVG_NO_SCRIPT, /* picture and data */
	SVG_STATIC, /* the picture alone */
};

struct svg_options {
	enum svg_kind kind;
	bool html; /* a page around it */
	const char *title, *subtitle, *notes, *fonttype, *countname, *nametype;
	const char *colors, *bgcolors, *theme, *minwidth, *nameattr, *palette_map,
		*encoding;
	unsigned width, height;
	double fontsize, fontwidth, total, factor;
	bool hash, random, reverse, inverted, negate, flamechart;
};

/* NULL and 0 are flamegraph.pl's defaults, but for the colours, the width, which is the page's,
 * and what is drawn of frames that are hardly seen. -ENODATA: nothing to draw, a picture that
 * says so was written. -EINVAL with a sentence for options that cannot be. */
int write_svg(struct context *ctx, const struct write_input *in,
	      const struct svg_options *options, FILE *out);

#endif
