/*
 * -v: what is done, when, and with what. Stages are those of the library's progress, each
 * said once, with the seconds since the start; the rest is what the profile can be asked
 * for.
 */
#include "cli/verbose.h"

#include <string.h>

#include "cli/summary.h"
#include "cli/terminal.h"

void tell_stage(struct analysis *a, const char *what)
{
	/* Progress comes again and again within a stage. */
	if (strcmp(a->stage, what) == 0)
		return;
	snprintf(a->stage, sizeof(a->stage), "%s", what);
	say_note("%.3f s: %s", now() - a->started, what);
}

void tell_analysis(const struct analysis *a)
{
	const struct ff_input *in = NULL;
	const struct ff_object *o = NULL;

	if (!a->verbose)
		return;
	while ((in = ff_input_next(a->profile, in))) {
		const char *recorder = ff_input_text(in, FF_INPUT_RECORDER);
		const struct ff_event *e = NULL;

		say_note("%s: %s, %s bytes, %s records%s%s",
			 ff_input_text(in, FF_INPUT_PATH),
			 ff_input_text(in, FF_INPUT_FORMAT),
			 grouped(ff_input_count(in, FF_INPUT_BYTES)),
			 grouped(ff_input_count(in, FF_INPUT_RECORDS)),
			 recorder ? ", by " : "", recorder ? recorder : "");
		while ((e = ff_event_next(in, e))) {
			uint64_t rate = ff_event_count(e, FF_EVENT_FREQUENCY);
			uint64_t period = ff_event_count(e, FF_EVENT_PERIOD);

			/* A recording may name events that never came. */
			if (!ff_event_samples(e))
				continue;
			say_note("  %s samples of %s, %s%s", grouped(ff_event_samples(e)),
				 ff_event_name(e),
				 rate ? "a second of a processor: " : "one every ",
				 grouped(rate ? rate : period));
		}
	}

	/* Where names come from, or why they do not. */
	while ((o = ff_object_next(a->profile, o))) {
		const char *file = ff_object_file(o), *debug = ff_object_debug_file(o);
		const char *problem = ff_object_problem(o);

		say_note("%s: %s%s%s%s%s", ff_object_path(o),
			 file ? "names of " : "without a file", file ? file : "",
			 debug ? " and " : "", debug ? debug : "",
			 problem ? " (it has a problem)" : "");
		if (problem)
			say_note("  %s", problem);
	}
}
