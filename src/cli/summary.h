#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/analysis.h"

/* What is missing, a line each with what mends it; nothing where all is there. @written: a
 * file that was made and has the answers, for inputs that cannot be asked again; or NULL. */
void print_missing(const struct settings *s, const struct ff_profile *p,
		   const char *written);

/* --stats: where weight and time went. @written: when the output was complete. */
void print_stats(const struct analysis *a, double written);

/* Totals of a mode are there where one was asked for. */
static inline bool is_of_mode(const struct ff_fact *total)
{
	return total->which >= FF_TOTAL_PAIR_EVENTS;
}

/* And of the one that was asked for: each of the two is all 0 where it was not. */
static inline bool is_of_this_mode(const struct ff_profile *p,
				   const struct ff_fact *total)
{
	return is_of_mode(total) &&
	       ff_profile_total(p, total->which >= FF_TOTAL_WALL_EVENTS
					   ? FF_TOTAL_WALL_EVENTS
					   : FF_TOTAL_PAIR_EVENTS);
}

/* Was one asked for whose events are counted? */
static inline bool has_mode(const struct ff_profile *p)
{
	return ff_profile_total(p, FF_TOTAL_PAIR_EVENTS) ||
	       ff_profile_total(p, FF_TOTAL_WALL_EVENTS);
}

/* Why the tree is empty. */
void explain_empty(const struct ff_profile *p);

/* "1,234,567"; of the last eight calls. */
const char *grouped(uint64_t value);

/* "12.3 %", "< 0.1 %"; of the last eight calls. */
const char *percent(uint64_t part, uint64_t whole);

#endif
