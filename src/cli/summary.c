/*
 * The library finds what is missing (ff_finding_next()); here its findings become lines
 * for people. What was left out on purpose needs no remedy and comes first. For a
 * recording without samples only the findings that explain this are printed.
 */
#include "cli/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/finding.h"
#include "cli/terminal.h"

/* A text lives until the eighth one after it: a line has no more numbers than that. */
static char *next_slot(size_t *size)
{
	static char slots[8][32];
	static unsigned next;

	*size = sizeof(slots[0]);
	return slots[next++ % 8];
}

const char *grouped(uint64_t value)
{
	size_t size;
	char *p = next_slot(&size) + size - 1;

	*p = '\0';
	/* From the last digit to the first, for commas are counted from the end. */
	for (int digits = 1;; digits++) {
		*--p = (char)('0' + value % 10);
		value /= 10;
		if (!value)
			return p;
		if (digits % 3 == 0)
			*--p = ',';
	}
}

const char *percent(uint64_t part, uint64_t whole)
{
	size_t size;
	char *text = next_slot(&size);
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	/* Rounding must not turn a little into nothing, nor nearly all into all. */
	if (part && share < 0.1)
		snprintf(text, size, "< 0.1 %%");
	else if (part < whole && share >= 99.95)
		snprintf(text, size, "> 99.9 %%");
	else
		snprintf(text, size, "%.1f %%", share);
	return text;
}

static void say_finding(const struct ff_finding *f, const char *file)
{
	char *sentence = finding_sentence(f, file);

	if (sentence)
		say_warning("%s", sentence);
	free(sentence);
}

static bool is_kind(const struct ff_finding *f, const char *kind)
{
	return strcmp(ff_finding_text(f, FF_FINDING_KIND), kind) == 0;
}

void print_missing(const struct settings *s, const struct ff_profile *p,
		   const char *written)
{
	/* What was asked to be left out, and needs no remedy. A mode may read events of all processors
	 * where some processes are asked for, and nobody has asked for a filter. */
	const struct {
		enum ff_total which;
		const char *what;
	} parts[] = {
		{ FF_TOTAL_WEIGHT_LOST_FILTER,
		  s->filter_count || !(s->profile.mode || s->profile.pair)
			  ? "filtered out"
			  : "is of processes that were not asked for" },
		{ FF_TOTAL_WEIGHT_LOST_TRUNCATED, "left out as truncated" },
		{ FF_TOTAL_WEIGHT_LOST_DAMAGED, "in damaged records" },
	};
	uint64_t read = ff_profile_total(p, FF_TOTAL_WEIGHT_READ);
	const char *file = finding_file(p);
	const struct ff_finding *f = NULL;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		uint64_t weight = ff_profile_total(p, parts[i].which);

		if (weight)
			say_warning("%s %s", percent(weight, read), parts[i].what);
	}
	while ((f = ff_finding_next(p, f)))
		/* The library says damage when it comes to it. */
		if (!is_kind(f, "damage"))
			say_finding(f, file ? file : written);
}

/* Why a recording has none. */
static void say_reasons(const struct ff_profile *p)
{
	static const char *const kinds[] = { "counters",     "trace",	"lost",
					     "lost_samples", "filters", "memory" };
	const struct ff_finding *f = NULL;

	while ((f = ff_finding_next(p, f)))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (is_kind(f, kinds[i]))
				say_finding(f, finding_file(p));
}

void explain_empty(const struct ff_profile *p)
{
	uint64_t read = ff_profile_total(p, FF_TOTAL_SAMPLES_READ);
	uint64_t events = ff_profile_total(p, FF_TOTAL_PAIR_EVENTS);

	if (!read && events) {
		say("no samples: among %s events of the mode no start has an end",
		    grouped(events));
	} else if (!read) {
		say("no samples");
		say_reasons(p);
	} else if (ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER)) {
		say("no samples: the filters left none of %s", grouped(read));
		say_reasons(p);
	} else if (ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_EVENT)) {
		say("no samples: all %s are of other events", grouped(read));
	} else {
		say("no samples: none of %s weighs anything", grouped(read));
		say_reasons(p);
	}
}

void print_stats(const struct analysis *a, double written)
{
	const struct ff_fact *f = NULL;
	struct rusage usage;

	status_clear();
	while ((f = ff_fact_next(FF_VIEW_STATS, FF_FACT_TOTAL, f))) {
		uint64_t total = ff_profile_total(a->profile, f->which);

		if (is_of_mode(f) && !is_of_this_mode(a->profile, f))
			continue;
		if (f->unit == FF_UNIT_NANOSECONDS)
			fprintf(stderr, "%-32s %20.3f\n", f->label, (double)total / 1e9);
		else
			fprintf(stderr, "%-32s %20s\n", f->label, grouped(total));
	}
	fprintf(stderr, "%-32s %20.3f\n", "seconds reading", a->was_read - a->started);
	fprintf(stderr, "%-32s %20.3f\n", "seconds naming", a->was_named - a->was_read);
	fprintf(stderr, "%-32s %20.3f\n", "seconds writing", written - a->was_named);
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		fprintf(stderr, "%-32s %20s\n", "most memory, KiB",
			grouped((uint64_t)usage.ru_maxrss));
}
