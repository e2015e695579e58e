#ifndef WRITE_WRITE_H
#define WRITE_WRITE_H

#include <stdio.h>

#include "symbol/symbol.h"

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
};

/* stackcollapse-perf.pl's lines, sorted bytewise by stack. -EIO and the like where
 * @out fails. */
int write_folded(struct context *ctx, const struct write_input *in, FILE *out);

struct svg_options {
	const char *title, *subtitle, *notes, *fonttype, *countname, *nametype;
	const char *colors, *bgcolors, *minwidth, *nameattr, *palette_map, *encoding;
	unsigned width, height;
	double fontsize, fontwidth, total, factor;
	bool hash, random, reverse, inverted, negate, flamechart;
};

/* NULL and 0 are flamegraph.pl's defaults. -ENODATA: nothing to draw, a picture that
 * says so was written. -EINVAL with a sentence for options that cannot be. */
int write_svg(struct context *ctx, const struct write_input *in,
	      const struct svg_options *options, FILE *out);

#endif
