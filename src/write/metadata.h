#ifndef WRITE_METADATA_H
#define WRITE_METADATA_H

#include "write/ratio.h"
#include "write/sink.h"
#include "write/write.h"

/* The <metadata> element that holds the tree: Documentation/svg-format.md. */
struct metadata {
	const struct tree_source *in;
	const struct write_facts *facts; /* NULL: nothing is known */
	const struct view *view; /* that the data was made of */
	const struct packed_tree *packed;
	const char *unit; /* what a value counts */
	const char *
		subject; /* the title, where nothing else says it; NULL: something does */
	const struct difference *difference; /* NULL: the tree is of none */
	const struct ratio_scale *ratio;
	bool chain; /* the view has --colors=chain's frames */
};

void metadata_add(struct sink *sink, const struct metadata *m);

/* Value of leaves without a symbol, in units of the view. */
uint64_t unnamed_weight(const struct tree_source *in, const struct view *v);

#endif
