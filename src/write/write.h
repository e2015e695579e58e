#ifndef WRITE_WRITE_H
#define WRITE_WRITE_H

#include <flamefold.h>
#include <stdio.h>

#include "base/bytes.h"
#include "store/store.h"
#include "tree/tree.h"

/*
 * The named tree -> bytes. A writer makes its own view first: nodes with the same
 * label below the same parent become one, because the text formats and the picture
 * tell functions apart by what is printed only.
 */

/* A file that frames are of. */
struct write_module {
	const char *path; /* that of functions: the text of their string */
	const char *build_id; /* hex; "": not known */
};

/* All further columns are values that each sample has beside its weight. */
struct write_values {
	const char *name, *unit; /* of the weight */
	uint32_t before; /* columns that come before it, where their order counts */
	/* What is counted between two samples; NULL: the weight. */
	const char *period_name, *period_unit;
	uint64_t period;
	uint64_t recorded_ns; /* since 1970; 0: not known */
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
	const struct write_values *values; /* NULL: samples have one, their weight */
	const struct time_blocks *blocks; /* of the weight's time, sorted; NULL: none */
	const struct bytes
		*report; /* for those who ask the picture of it; NULL: nothing */
	/* What makes the picture worse than it could be, sentences with " · " between; and
	 * the worst of it in a few words. NULL: nothing. */
	const char *findings, *note;
	/* What process frames are: "comm", "comm-PID", "comm-PID/TID". */
	enum ff_root root;
	const struct write_module *modules; /* those whose build ids are known */
	size_t module_count;
};

/* How, and of what. */
struct difference;
struct ff_phase;
struct heat;
struct write_options {
	const struct ff_graph_options *graph; /* all of it; NULL: the defaults */
	/* Whose tree it is, with what is known of its noise; NULL: of one profile, or of a difference
	 * that somebody else has made. */
	const struct difference *difference;
	const struct write_facts *facts; /* NULL: nothing is known */
	const struct heat *heat; /* by node of the tree; NULL: nothing of time is known */
	const struct heat *processors; /* the same by processor; NULL: not known */
	const struct ff_phase *phases; /* of it */
	size_t phase_count;
};

/* -EIO and the like where @out fails. */
typedef int write_fn(struct context *ctx, const struct tree_source *in,
		     const struct write_options *options, FILE *out);

struct ff_format {
	const char *name, *suffixes, *description; /* see enum ff_format_text */
	unsigned traits; /* of enum ff_format_trait */
	write_fn *write;
};

/* The table of formats.c: ends with one without a name. */
extern const struct ff_format write_formats[];

/* stackcollapse-perf.pl's lines, sorted bytewise by stack. */
write_fn write_folded;

/* A profile file, of what has no order of its own and is no difference: else -EINVAL with a sentence. */
write_fn write_profile;

/* What a profile file says beside its tree. */
void write_profile_facts(const struct write_facts *known, struct store_facts *facts,
			 struct store_origin *origin);

/* Of the options NULL and 0 are flamegraph.pl's defaults, but for the colours, the width, which is
 * the page's, and what is drawn of frames that are hardly seen. -ENODATA: nothing to draw, a
 * picture that says so was written. -EINVAL with a sentence for options that cannot be. */
write_fn write_svg;
write_fn write_html; /* a page around it */

/* In place of the graph, where in->chart is. */
write_fn write_chart_svg, write_chart_chrome, write_chart_speedscope;

/* For other programs (exchange.h): -EINVAL for a difference, which has no place in them. */
write_fn write_pprof, write_speedscope, write_firefox, write_callgrind, write_d3,
	write_grafana, write_flamebearer, write_otlp, write_chrome, write_csv,
	write_tree_json;

/* Picture, data and viewer. */
static inline bool graph_has_viewer(const struct ff_graph_options *o)
{
	return !(o->flags & (FF_GRAPH_STATIC | FF_GRAPH_NO_SCRIPT));
}

#endif
