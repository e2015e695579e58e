/*
 * A command that is over before the first sample is due is the first thing that many try: "ls".
 * What it ran is known, for the library has waited for it and for nobody else (getrusage(2));
 * a rate of F samples a second sees one moment every 1/F seconds of that.
 */
#include "cli/short_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/summary.h"
#include "cli/terminal.h"

enum {
	RATE_OF_DEFAULT = 99,
	SAMPLES_WANTED = 20,
	/* A run that is that many intervals long has no samples for some other reason. */
	INTERVALS_MOST = 5,
};

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Does the event come as processor time goes by? */
static bool is_clock(const char *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "cycles",
					      "cpu-cycles" };
	size_t size = strcspn(event, ":/");

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (strlen(clocks[i]) == size && strncmp(event, clocks[i], size) == 0)
			return event[size] != '/';
	return false;
}

static uint64_t highest_rate(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long rate = 0;

	if (f && fscanf(f, "%llu", &rate) != 1)
		rate = 0;
	if (f)
		fclose(f);
	return rate;
}

/* Sampled faster it would have had samples, where it was too short for this rate. */
static void explain_command(double seconds, uint64_t rate)
{
	double wanted = SAMPLES_WANTED / seconds;
	uint64_t better = 1;
	char option[32];

	if (!rate || rate >= highest_rate() || seconds * (double)rate >= INTERVALS_MOST) {
		say("no samples in the %.2f ms of processor time that the command ran",
		    seconds * 1e3);
		return;
	}
	/* 1, 2 or 5 and zeros: at least what is wanted. */
	while ((double)better * 10 < wanted)
		better *= 10;
	if (wanted > (double)better)
		better *= wanted <= 2 * (double)better	 ? 2
			  : wanted <= 5 * (double)better ? 5
							 : 10;
	if (better < highest_rate())
		snprintf(option, sizeof(option), "%llu", (unsigned long long)better);
	else
		snprintf(option, sizeof(option), "max");
	say("no samples: the command ran %.2f ms of processor time, and %s samples a "
	    "second "
	    "see one moment every %.2f ms of it; 'flamefold record -F %s' sees more",
	    seconds * 1e3, grouped(rate), 1e3 / (double)rate, option);
}

/* Switches are read of all. An interval that began before a record was lost may have ended with that one. */
static void explain_others(const struct ff_profile *p, uint64_t lost)
{
	const char *samples = grouped(ff_profile_total(p, FF_TOTAL_SAMPLES_READ));

	if (lost)
		say("no samples: all %s of the mode are of others than what was to be "
		    "recorded, and %s records were lost: what was open then does not "
		    "count",
		    samples, grouped(lost));
	else
		say("no samples: all %s of the mode are of others than what was to be "
		    "recorded",
		    samples);
}

void explain_empty_run(const struct settings *s, const struct ff_profile *p)
{
	bool unread = ff_profile_total(p, FF_TOTAL_SAMPLES_READ) == 0;
	/* Samples a second of processor time; 0: they do not come so. */
	uint64_t rate = s->record.frequency ? s->record.frequency : RATE_OF_DEFAULT;
	const struct ff_input *in = ff_input_next(p, NULL);
	uint64_t lost = in ? ff_input_count(in, FF_INPUT_LOST) +
					ff_input_count(in, FF_INPUT_LOST_SAMPLES)
			   : 0;
	struct rusage usage;
	double seconds = 0;

	/* One event that comes at other times is enough for the rate to say nothing. */
	for (size_t i = 0; i < s->record.event_count; i++)
		if (!is_clock(s->events[i]))
			rate = 0;
	if (s->record.period)
		rate = 0;
	if (getrusage(RUSAGE_CHILDREN, &usage) == 0)
		seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	if (unread && (s->profile.mode || s->profile.pair)) {
		/* What is not there may have been among what the kernel had no room for. */
		if (lost)
			say("no event of the mode was read: %s records were lost, and "
			    "some "
			    "of these may have been such",
			    grouped(lost));
		else
			say("none of the events of the mode happened");
		return;
	}
	if (unread && seconds > 0) {
		explain_command(seconds, rate);
		return;
	}
	/* Nobody has asked for a filter. */
	if (s->profile.mode && !s->filter_count &&
	    ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER))
		explain_others(p, lost);
	else
		explain_empty(p);
	/* Nobody knows how long processes ran that were not started from here. */
	if (unread && !s->input_count && rate && rate < highest_rate())
		say("what was to be sampled ran for less than the %.2f ms of processor "
		    "time in which %s samples a second see one moment, or waited, which "
		    "takes none",
		    1e3 / (double)rate, grouped(rate));
}

int refuse_run(const struct ff_profile *p, int err)
{
	if (err == -EINVAL)
		return usage_error("%s", ff_profile_error(p));
	say("%s", ff_profile_error(p));
	/* A program that is not there: what a shell says of it. */
	return ff_record_exit_status(p) > 0 ? ff_record_exit_status(p) : EXIT_INPUT;
}
