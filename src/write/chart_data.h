#ifndef WRITE_CHART_DATA_H
#define WRITE_CHART_DATA_H

#include "base/bytes.h"
#include "chart/chart.h"

/* By node of the named tree its number in the data, which is its place in preorder. 0, or -ENOMEM. */
int chart_data_numbers(const struct tree_source *in, const struct view *view,
		       uint32_t **ret);

/* @chart: as coarse as it is to be. @columns: by enum saved_column. 0, or -ENOMEM. */
int chart_data_add(const struct tree_source *in, const struct chart *chart,
		   const uint32_t *numbers, struct bytes *columns);

#endif
