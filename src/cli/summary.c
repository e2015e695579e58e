#include "cli/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/info.h"
#include "cli/terminal.h"

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

	if (part && share < 0.1)
		snprintf(text, size, "< 0.1 %%");
	else if (part < whole && share >= 99.95)
		snprintf(text, size, "> 99.9 %%");
	else
		snprintf(text, size, "%.1f %%", share);
	return text;
}

static uint64_t count_inputs(const struct ff_profile *p, enum ff_input_count which)
{
	const struct ff_input *in = NULL;
	uint64_t sum = 0;

	while ((in = ff_input_next(p, in)))
		sum += ff_input_count(in, which);
	return sum;
}

/* What is missing, as parts of one line. */
struct line {
	FILE *out;
	bool begun;
};

static void part(struct line *l, uint64_t count, const char *amount, const char *what)
{
	if (!count)
		return;
	fprintf(l->out, "%s%s %s", l->begun ? "; " : "", amount, what);
	l->begun = true;
}

/* Samples of other events are not among them: the library names those events. */
static void list_missing(const struct ff_profile *p, struct line *l)
{
	uint64_t read = ff_profile_total(p, FF_TOTAL_WEIGHT_READ);
	uint64_t tree = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);
	uint64_t unnamed = ff_profile_total(p, FF_TOTAL_WEIGHT_UNNAMED);
	uint64_t filtered = ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER);
	uint64_t damaged = ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED);
	uint64_t dropped = ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_TRUNCATED);
	uint64_t cut = ff_profile_total(p, FF_TOTAL_SAMPLES_TRUNCATED);
	uint64_t dumps = ff_profile_total(p, FF_TOTAL_SAMPLES_USER_STACK);
	uint64_t lost = count_inputs(p, FF_INPUT_LOST);
	uint64_t lost_samples = count_inputs(p, FF_INPUT_LOST_SAMPLES);

	part(l, unnamed, percent(unnamed, tree),
	     "of the weight has no symbol (see 'flamefold info --symbols')");
	part(l, filtered, percent(filtered, read), "filtered out");
	part(l, damaged, grouped(damaged), "records damaged");
	part(l, lost, grouped(lost), "records lost while recording");
	part(l, lost_samples, grouped(lost_samples), "samples lost while recording");
	part(l, dropped, percent(dropped, read), "left out as truncated");
	part(l, cut, grouped(cut),
	     cut == 1 ? "stack does not reach its root"
		      : "stacks do not reach their root");
	part(l, dumps, grouped(dumps), "stack dumps not unwound");
}

static bool is_perf_data(const struct ff_input *in)
{
	const char *format = ff_input_text(in, FF_INPUT_FORMAT);

	return format && strncmp(format, "perf.data", 9) == 0;
}

/* The picture is flat then: worth a sentence of its own. */
static void advise_chains(const struct ff_profile *p)
{
	const struct ff_input *in = NULL;

	while ((in = ff_input_next(p, in)))
		if (is_perf_data(in) && ff_input_count(in, FF_INPUT_SAMPLES) &&
		    !ff_input_count(in, FF_INPUT_CHAINS) &&
		    !ff_input_count(in, FF_INPUT_USER_STACKS))
			say("'%s' has no call chains: record with 'perf record -g' (the "
			    "same as "
			    "--call-graph fp)",
			    ff_input_text(in, FF_INPUT_PATH));
}

/* What costs names and can be helped is said here too. */
static void print_warning(void *arg, const char *kind, const char *text)
{
	(void)arg;
	if (strcmp(kind, "kernel") == 0 || strcmp(kind, "refused") == 0)
		say("%s", text);
}

void print_missing(const struct ff_profile *p)
{
	char *text = NULL;
	size_t size;
	struct line l = { open_memstream(&text, &size), false };

	if (!l.out)
		return;
	list_missing(p, &l);
	fclose(l.out);
	if (l.begun)
		say("%s", text);
	free(text);
	advise_chains(p);
	info_warnings(p, print_warning, NULL);
}

/* Why a recording has none. */
static void print_reason(void *arg, const char *kind, const char *text)
{
	static const char *const kinds[] = { "counters", "trace", "lost",
					     "lost_samples" };

	(void)arg;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			say("%s", text);
}

void explain_empty(const struct ff_profile *p)
{
	uint64_t read = ff_profile_total(p, FF_TOTAL_SAMPLES_READ);

	if (!read) {
		say("no samples");
		info_warnings(p, print_reason, NULL);
	} else if (ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER)) {
		say("no samples: the filters left none of %s", grouped(read));
	} else if (ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_EVENT)) {
		say("no samples: all %s are of other events", grouped(read));
	} else {
		say("no samples: none of %s weighs anything", grouped(read));
	}
}

static const struct {
	enum ff_total which;
	const char *name;
} totals[] = {
	{ FF_TOTAL_SAMPLES_READ, "samples read" },
	{ FF_TOTAL_SAMPLES_TREE, "samples in the tree" },
	{ FF_TOTAL_SAMPLES_NO_CHAIN, "  without call chain" },
	{ FF_TOTAL_SAMPLES_USER_STACK, "  with a stack dump not unwound" },
	{ FF_TOTAL_SAMPLES_UNWOUND, "samples unwound" },
	{ FF_TOTAL_FRAMES_UNWOUND, "  frames" },
	{ FF_TOTAL_REPLAYS, "  replays with all registers" },
	{ FF_TOTAL_SAMPLES_TRUNCATED, "samples truncated" },
	{ FF_TOTAL_SAMPLES_CUT_DUMP, "  stack dump too small" },
	{ FF_TOTAL_SAMPLES_CUT_CHAIN, "  call chain at its limit" },
	{ FF_TOTAL_SAMPLES_ODD_CHAIN, "  call chain ends in garbage" },
	{ FF_TOTAL_SAMPLES_NO_CFI, "  no unwind information" },
	{ FF_TOTAL_SAMPLES_BAD_ADDRESS, "  return address without code" },
	{ FF_TOTAL_SAMPLES_REPEATED, "  a frame that leads back" },
	{ FF_TOTAL_SAMPLES_TOO_DEEP, "  deeper than any stack" },
	{ FF_TOTAL_SAMPLES_MAX_STACK, "  --max-stack" },
	{ FF_TOTAL_WEIGHT_READ, "weight read" },
	{ FF_TOTAL_WEIGHT_TREE, "weight in the tree" },
	{ FF_TOTAL_WEIGHT_UNNAMED, "  without symbol" },
	{ FF_TOTAL_WEIGHT_LOST_EVENT, "weight of other events" },
	{ FF_TOTAL_WEIGHT_LOST_FILTER, "weight filtered out" },
	{ FF_TOTAL_WEIGHT_LOST_DAMAGED, "weight of damaged records" },
	{ FF_TOTAL_WEIGHT_LOST_TRUNCATED, "weight left out as truncated" },
	{ FF_TOTAL_FRAMES, "distinct frames" },
	{ FF_TOTAL_NODES, "nodes of the tree" },
};

void print_stats(const struct analysis *a, double written)
{
	struct rusage usage;

	status_clear();
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		fprintf(stderr, "%-32s %20s\n", totals[i].name,
			grouped(ff_profile_total(a->profile, totals[i].which)));
	fprintf(stderr, "%-32s %20.3f\n", "seconds unwinding",
		(double)ff_profile_total(a->profile, FF_TOTAL_UNWIND_TIME) / 1e9);
	fprintf(stderr, "%-32s %20.3f\n", "seconds making unwind tables",
		(double)ff_profile_total(a->profile, FF_TOTAL_TABLE_TIME) / 1e9);
	fprintf(stderr, "%-32s %20.3f\n", "seconds reading", a->was_read - a->started);
	fprintf(stderr, "%-32s %20.3f\n", "seconds naming", a->was_named - a->was_read);
	fprintf(stderr, "%-32s %20.3f\n", "seconds writing", written - a->was_named);
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		fprintf(stderr, "%-32s %20s\n", "most memory, KiB",
			grouped((uint64_t)usage.ru_maxrss));
}
