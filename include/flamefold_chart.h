/*
 * libflamefold: what threads did when.
 *
 * With FF_CHART a profile keeps when its samples were taken, and when threads had a processor, as far as
 * switches between them were recorded. Formats with FF_FORMAT_CHART write that then instead of the graph:
 *
 *	ff_profile_new(&p, &(struct ff_options){ .size = sizeof(options), .flags = FF_CHART });
 *	ff_profile_read(p, "perf.data");
 *	ff_profile_finish(p);
 *	ff_write(p, ff_format_find("svg"), NULL, stdout);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef FLAMEFOLD_CHART_H
#define FLAMEFOLD_CHART_H

#include <flamefold.h>

/* A flag of struct ff_options. Not with a mode, whose weights are no moments. */
enum { FF_CHART = 1 << 20 };

/* One of enum ff_format_trait. */
enum { FF_FORMAT_CHART = 1 << 16 };

#endif
