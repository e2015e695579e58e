/*
 * Sections from what the recording is to what is wrong with it. Labels are in a column
 * of 14 letters, numbers in one of 16. A line or section of which nothing is known is
 * left out. All that somebody else chose, names and paths, is printed without its
 * control characters.
 *
 *	samples       1,204, 1,204 with a call chain
 *	           1,204  cycles
 *	                  99 Hz; ...
 */
#include <stdlib.h>
#include <string.h>

#include "cli/finding.h"
#include "cli/info.h"
#include "cli/summary.h"
#include "cli/terminal.h"

#define TOP_PROCESSES 10
#define TOP_OBJECTS 20

/* What stands before the first two blanks of a line is bold on a terminal: put_report(). */
static void put_label(FILE *out, const char *label)
{
	fprintf(out, "%-14s", label);
}

/* Only what the recorder wrote down has a line. */
static void put_input_text(const struct ff_input *in, enum ff_input_text which, FILE *out)
{
	const char *text = ff_input_text(in, which);

	if (!text)
		return;
	put_label(out, ff_fact_find(FF_FACT_TEXT, which)->label);
	put_clean(out, text);
	putc('\n', out);
}

/* What the recording is: its file, machine and program, its time, and how much it lost. */
static void put_input(const struct ff_input *in, FILE *out)
{
	const char *form = ff_input_text(in, FF_INPUT_FORM);
	const char *order = ff_input_text(in, FF_INPUT_BYTE_ORDER);
	const char *cpu = ff_input_text(in, FF_INPUT_CPU);
	uint64_t online = ff_input_count(in, FF_INPUT_PROCESSORS);
	uint64_t first = ff_input_count(in, FF_INPUT_FIRST_TIME);
	uint64_t last = ff_input_count(in, FF_INPUT_LAST_TIME);
	const struct ff_fact *f = NULL;

	put_input_text(in, FF_INPUT_PATH, out);
	put_label(out, "format");
	put_clean(out, ff_input_text(in, FF_INPUT_FORMAT) ?: "unknown");
	if (form && strcmp(form, "pipe") == 0)
		fputs(", as written to a pipe", out);
	if (order && strcmp(order, "big") == 0)
		fputs(", big-endian", out);
	if (ff_input_count(in, FF_INPUT_COMPRESSED))
		fputs(", compressed", out);
	/* Of what is packed it is not known before all has been unpacked. */
	if (ff_input_count(in, FF_INPUT_BYTES))
		fprintf(out, ", %s bytes", grouped(ff_input_count(in, FF_INPUT_BYTES)));
	putc('\n', out);

	put_input_text(in, FF_INPUT_TITLE, out);
	while ((f = ff_fact_next(FF_VIEW_INFO, FF_FACT_TEXT, f)))
		put_input_text(in, f->which, out);
	if (cpu || online) {
		put_label(out, "processor");
		put_clean(out, cpu ? cpu : "unknown");
		if (online)
			fprintf(out, ", %s online", grouped(online));
		putc('\n', out);
	}
	/* Samples without times have no duration. */
	if (last) {
		put_label(out, "duration");
		fprintf(out, "%.3f s between the first sample and the last\n",
			(double)(last - first) / 1e9);
	}
}

/* What came through and what did not. Folded text has no records, and so none of this. */
static void put_samples_and_lost(const struct ff_profile *p, const struct ff_input *in,
				 FILE *out)
{
	uint64_t samples = ff_input_count(in, FF_INPUT_SAMPLES);
	uint64_t delivered = ff_input_count(in, FF_INPUT_DELIVERED);
	uint64_t aux = ff_input_count(in, FF_INPUT_AUX_LOST);
	uint64_t late = ff_input_count(in, FF_INPUT_LATE_RECORDS);

	if (!ff_input_count(in, FF_INPUT_RECORDS))
		return;
	put_label(out, "samples");
	fprintf(out, "%s, %s with a call chain", grouped(samples),
		grouped(ff_input_count(in, FF_INPUT_CHAINS)));
	/* One record of a group that is read together is a sample of each counter in it. What a
	 * mode weighs is told of below. */
	if (delivered != samples && !has_mode(p))
		fprintf(out, "; %s when groups of counters are split",
			grouped(delivered));
	putc('\n', out);

	put_label(out, "lost");
	fprintf(out, "%s records, %s samples; throttled %s times",
		grouped(ff_input_count(in, FF_INPUT_LOST)),
		grouped(ff_input_count(in, FF_INPUT_LOST_SAMPLES)),
		grouped(ff_input_count(in, FF_INPUT_THROTTLED)));
	if (aux)
		fprintf(out, "; %s pieces of AUX data not whole", grouped(aux));
	if (late)
		fprintf(out, "; %s records came too late", grouped(late));
	putc('\n', out);
}

/* Numbers stand right, so that their sizes are seen at a glance. */
static void put_count_row(FILE *out, uint64_t count, const char *name)
{
	fprintf(out, "%16s  ", grouped(count));
	put_clean(out, name);
	putc('\n', out);
}

/* Each event, with all that its attributes say of how it was sampled. */
static void put_events(const struct ff_input *in, FILE *out)
{
	const struct ff_event *e = ff_event_next(in, NULL);

	if (e)
		fputs("\nsamples by event\n", out);
	for (; e; e = ff_event_next(in, e)) {
		uint64_t frequency = ff_event_count(e, FF_EVENT_FREQUENCY);
		uint64_t period = ff_event_count(e, FF_EVENT_PERIOD);
		uint64_t dump = ff_event_count(e, FF_EVENT_USER_STACK);
		uint64_t delivered = ff_event_count(e, FF_EVENT_DELIVERED);

		put_count_row(out, ff_event_samples(e), ff_event_name(e));
		/* How it was sampled stands below its name. */
		fprintf(out, "%16s  ", "");
		if (frequency)
			fprintf(out, "%s Hz;", grouped(frequency));
		else if (period)
			fprintf(out, "every %s;", grouped(period));
		if (delivered != ff_event_samples(e))
			fprintf(out, " %s when groups of counters are split;",
				grouped(delivered));
		if (dump)
			fprintf(out, " stack dumps of %s bytes;", grouped(dump));
		for (unsigned bit = 0; bit < FIELD_BITS; bit++)
			if (ff_event_field(e, bit))
				fprintf(out, " %s", ff_event_field(e, bit));
		putc('\n', out);
	}
}

/* Zeros are left out: most of what can be known of samples is not in any one recording. */
static void put_share(uint64_t count, uint64_t samples, const char *what, FILE *out)
{
	if (count)
		fprintf(out, "%16s  %7s  %s\n", grouped(count), percent(count, samples),
			what);
}

/* Three tables of counts: what came with the samples, how unwinding ended where it did not at the
 * root, and the records of each type. */
static void put_count_tables(const struct ff_profile *p, const struct ff_input *in,
			     FILE *out)
{
	uint64_t samples = ff_input_count(in, FF_INPUT_SAMPLES);
	uint64_t kept = ff_profile_total(p, FF_TOTAL_SAMPLES_TREE);
	uint64_t unknown = ff_input_count(in, FF_INPUT_UNKNOWN_RECORDS);
	bool has_records = ff_input_count(in, FF_INPUT_RECORDS);
	const struct ff_fact *f = NULL;

	/* An old picture knows how many samples there were, and no more. */
	if (samples && has_records) {
		fputs("\nsamples by what is known of them\n", out);
		while ((f = ff_fact_next(FF_VIEW_INFO, FF_FACT_COUNT, f)))
			put_share(ff_input_count(in, f->which), samples, f->label, out);
	}
	if (ff_profile_total(p, FF_TOTAL_SAMPLES_TRUNCATED)) {
		fputs("\nstacks that do not reach their root\n", out);
		while ((f = ff_fact_next(FF_VIEW_INFO, FF_FACT_TOTAL, f)))
			if (!is_of_mode(f))
				put_share(ff_profile_total(p, f->which), kept,
					  f->sentence, out);
	}
	if (has_mode(p))
		fputs("\nwhat became of the events of the mode\n", out);
	while ((f = ff_fact_next(FF_VIEW_INFO, FF_FACT_TOTAL, f))) {
		uint64_t total = ff_profile_total(p, f->which);
		const char *label = f->label + strspn(f->label, " ");

		if (!is_of_mode(f) || !total)
			continue;
		if (f->unit == FF_UNIT_NANOSECONDS)
			fprintf(out, "%16.3f  %s\n", (double)total / 1e9, label);
		else
			put_count_row(out, total, label);
	}

	if (!has_records)
		return;
	fputs("\nrecords by type\n", out);
	for (unsigned type = 0; type < RECORD_TYPES; type++)
		if (ff_record_name(type) && ff_input_records(in, type))
			put_count_row(out, ff_input_records(in, type),
				      ff_record_name(type));
	if (unknown)
		put_count_row(out, unknown, "unknown, skipped");
}

static void put_top_processes(const struct ff_profile *p, FILE *out)
{
	const struct ff_process *pr = ff_process_next(p, NULL);
	uint64_t rest = 0;

	if (pr)
		fputs("\nsamples by process\n", out);
	/* Thousands of short processes would hide what stands behind them. */
	for (int n = 0; pr; n++, pr = ff_process_next(p, pr)) {
		if (n >= TOP_PROCESSES) {
			rest++;
			continue;
		}
		fprintf(out, "%16s  %7u  ", grouped(ff_process_samples(pr)),
			ff_process_pid(pr));
		put_clean(out, ff_process_comm(pr));
		putc('\n', out);
	}
	if (rest)
		fprintf(out, "%16s  %s more\n", "", grouped(rest));
}

/* Objects of one class, so that who looks for what is missing need not read what was found. A file
 * is named where it is not the recorded path: below --symfs, in a cache, or a map that a runtime
 * wrote. The problem stands on a line of its own, since it is a sentence. */
static void put_class(const struct ff_profile *p, enum object_class kind, FILE *out)
{
	static const char *const headings[OBJECT_CLASSES] = {
		"objects found",
		"objects found that lack something",
		"objects missing",
		"code without a file",
	};
	uint64_t weight = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);
	const struct ff_object *o = NULL;
	uint64_t n = 0;

	while ((o = ff_object_next(p, o))) {
		const char *path = ff_object_path(o), *file = ff_object_file(o);
		const char *build_id = ff_object_build_id(o);

		if (object_class(o) != kind)
			continue;
		if (n++ == 0)
			fprintf(out, "\n%s, by weight of leaf frames\n", headings[kind]);
		if (n > TOP_OBJECTS)
			continue;
		fprintf(out, "%16s  ", percent(ff_object_weight(o), weight));
		put_clean(out, path);
		if (*build_id)
			fprintf(out, "  %s", build_id);
		if (file && ff_object_runtime(o))
			fprintf(out, "  %s functions", grouped(ff_object_entries(o)));
		if (file && (strcmp(file, path) || ff_object_runtime(o))) {
			fputs("  from ", out);
			put_clean(out, file);
		}
		putc('\n', out);
		if (ff_object_problem(o)) {
			fprintf(out, "%16s  ", "");
			put_clean(out, ff_object_problem(o));
			putc('\n', out);
		}
	}
	if (n > TOP_OBJECTS)
		fprintf(out, "%16s  %s more\n", "", grouped(n - TOP_OBJECTS));
}

/* "   0.000 s    12.340 s  12.345  main  80 %": from when to when, what tells it from the others. */
static void put_phases(const struct ff_profile *p, FILE *out)
{
	const struct ff_phase *phases;
	size_t count = ff_profile_phases(p, &phases);

	if (count)
		fputs("\nphases, seconds from the first sample on\n", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%16.3f  %.3f  ", (double)phases[i].start / 1e9,
			(double)phases[i].end / 1e9);
		if (*phases[i].name) {
			put_clean(out, phases[i].name);
			fprintf(out, " (%s of it)",
				percent((uint64_t)(phases[i].share * 1e6 + 0.5),
					1000000));
		} else {
			fputs("nothing tells it from the others", out);
		}
		putc('\n', out);
	}
}

void info_text(const struct ff_profile *p, FILE *out)
{
	const struct ff_input *in = ff_input_next(p, NULL);
	const struct ff_finding *found = ff_finding_next(p, NULL);
	uint64_t at = ff_input_count(in, FF_INPUT_TRUNCATED_AT);

	put_input(in, out);
	put_samples_and_lost(p, in, out);
	put_input_text(in, FF_INPUT_DAMAGE, out);
	if (at) {
		put_label(out, "readable");
		fprintf(out, "up to byte %s\n", grouped(at));
	}
	put_label(out, "weight");
	fprintf(out, "%s in %s nodes\n",
		grouped(ff_profile_total(p, FF_TOTAL_WEIGHT_TREE)),
		grouped(ff_profile_total(p, FF_TOTAL_NODES)));
	info_stored_text(in, out);
	put_events(in, out);
	put_count_tables(p, in, out);
	put_top_processes(p, out);
	put_phases(p, out);
	for (int kind = 0; kind < OBJECT_CLASSES; kind++)
		put_class(p, kind, out);

	if (found)
		fputs("\nwarnings\n", out);
	for (; found; found = ff_finding_next(p, found)) {
		char *text = finding_sentence(found, finding_file(p));

		fputs("  ", out);
		/* Without memory for the sentence its cause is better than nothing. */
		put_clean(out, text ? text : ff_finding_text(found, FF_FINDING_CAUSE));
		putc('\n', out);
		free(text);
	}
}
