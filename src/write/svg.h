#ifndef WRITE_SVG_H
#define WRITE_SVG_H

#include "write/write.h"

enum svg_container { SVG_ALONE, SVG_IN_PAGE };

int svg_write(struct context *ctx, const struct tree_source *in,
	      const struct write_options *options, enum svg_container container,
	      FILE *out);

#endif
