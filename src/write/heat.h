#ifndef WRITE_HEAT_H
#define WRITE_HEAT_H

#include "base/bytes.h"
#include "tree/tree.h"
#include "weight/weight.h"
#include "write/write.h"

/* What a picture says of time, by its heat; NULL: nothing, as it is too short or has no times. */
const struct heat *heat_of_picture(const struct write_options *options,
				   const struct tree_source *in);

/* Columns of a picture's data, whose nodes are numbered as @data is walked: it is by function. -ENOMEM where
 * no memory was left for what it needs meanwhile. */
int heat_add_columns(struct bytes *columns, const struct write_options *options,
		     const struct tree_source *in, const struct view *data);

#endif
