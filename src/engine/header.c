/*
 * Where a profile comes from, in the words of a picture's header: what it counts, the recording's
 * host, command and time, its process where there is one. A fact is there only if it holds for the
 * whole picture: of several inputs those that all share, of one input also what it says of itself.
 */
#include <errno.h>

#include "base/text.h"
#include "engine/profile.h"
#include "weight/weight.h"
#include "write/write.h"

/* "cycles:u" counts cycles, "cpu_core/cycles/" too; the kernel's clocks count nanoseconds. */
static int event_unit(struct ff_profile *p, const struct event *e, uint32_t *ret)
{
	const char *name = intern_text(&p->strings, e->name);
	const char *slash = strchr(name, '/');
	size_t size;

	if (e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CPU_CLOCK ||
					      e->config == PERF_COUNT_SW_TASK_CLOCK))
		return intern_add(&p->strings, "ns", 2, ret);
	/* "cpu_core/cycles/" is named by its PMU first; what it counts stands behind
	 * that. */
	if (slash && slash[1])
		name = slash + 1;
	size = strcspn(name, "/:");
	return size ? intern_add(&p->strings, name, size, ret)
		    : intern_add(&p->strings, "samples", 7, ret);
}

/* What intervals are counted in, and what they are. */
static int note_pairs(struct ff_profile *p, struct ff_input *input,
		      const struct pairing *pairing)
{
	struct slice unit = pairing->rule.unit, title = pairing->rule.title;
	const char *name = p->options.pair ? "a pairing" : p->options.mode;
	int err = intern_add(&p->strings, name, strlen(name), &input->event_names);

	/* Before that of the command line, which the writers know. */
	if (err == 0 && title.size)
		err = intern_add(&p->strings, title.text, title.size, &input->title);
	return err == 0 && unit.size
		       ? intern_add(&p->strings, unit.text, unit.size, &input->unit)
		       : err;
}

int note_events(struct ff_profile *p, struct ff_input *input,
		const struct event_choice *choice, const struct pairing *pairing)
{
	const struct recording *rec = input_recording(input->input);
	struct text names = { 0 };
	uint32_t common = 0;
	int err = 0;

	input->has_samples = true;
	if (pairing->is_bound)
		return note_pairs(p, input, pairing);
	for (size_t i = 0; i < rec->events.count && err == 0; i++) {
		const struct event *e = &rec->events.v[i];
		uint32_t unit = 0;

		/* Events that gave nothing would only make the header longer. */
		if (!event_is_wanted(choice, i) || !(e->samples | input_split(input, i)))
			continue;
		/* A sample of a tracepoint weighs 1, and so does every one with
		 * --count=samples. */
		if (p->options.count != FF_COUNT_SAMPLES &&
		    e->type != PERF_TYPE_TRACEPOINT)
			err = event_unit(p, e, &unit);
		/* 0 stands for samples: what two events with two units are counted in. */
		common = names.size == 0 || unit == common ? unit : 0;
		if (err == 0) {
			text_string(&names, names.size ? ", " : "");
			text_string(&names, intern_text(&p->strings, e->name));
			err = names.failed ? -ENOMEM : 0;
		}
		input->frequency = e->frequency;
		input->period = e->frequency ? 0 : e->period;
	}
	input->unit = common;
	/* The pattern stands for all its events, which may be hundreds. */
	if (choice->labels.count && names.size) {
		text_clear(&names);
		text_string(&names, choice->pattern);
		err = names.failed ? -ENOMEM : err;
	}
	if (err == 0 && names.size)
		err = intern_add(&p->strings, names.bytes, names.size,
				 &input->event_names);
	text_release(&names);
	return err;
}

static const char *unit_text(const struct ff_profile *p, const struct ff_input *input)
{
	return input->unit ? intern_text(&p->strings, input->unit) : "samples";
}

/* Each input counts the first event it has samples of: of another one it may be another. */
void say_mixed_units(struct ff_profile *p, const struct ff_input *input)
{
	/* Who asks for all events mixes them. */
	if (p->options.event && strcmp(p->options.event, "all") == 0)
		return;
	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct ff_input *other = p->inputs.v[i];

		if (other == input || !other->event_names || !input->event_names ||
		    other->unit == input->unit)
			continue;
		warn(&p->ctx,
		     "'%s' counts %s and '%s' %s, which are added up all the same "
		     "(--event=NAME, --count=samples)",
		     input_path(other->input), unit_text(p, other),
		     input_path(input->input), unit_text(p, input));
		return;
	}
}

/*
 * The text of the first input, if all have the same one. @member: the offset of a string
 * id in struct ff_input.
 */
static const char *common_text(const struct ff_profile *p, size_t member)
{
	uint32_t id = 0;

	for (size_t i = 0; i < p->inputs.count; i++) {
		uint32_t other =
			*(const uint32_t *)((const char *)p->inputs.v[i] + member);

		if (i > 0 && other != id)
			return NULL;
		id = other;
	}
	return id ? intern_text(&p->strings, id) : NULL;
}

/* By the clock that a recording says, or where samples have the time of day themselves. */
static uint64_t recorded_at(const struct recording *rec)
{
	const uint64_t second = 1000000000;
	const int32_t realtime = 0;

	if (rec->recorded)
		return rec->recorded;
	if (!rec->events.count || !rec->first_time)
		return 0;
	if (rec->events.v[0].clock == realtime)
		return rec->first_time / second;
	/*
	 * One moment is known on both clocks, which run equally fast:
	 *
	 *	day_time    (of day)   ---+-------------+--->
	 *	clock_time  (samples)  ---+-------------+--->  first_time
	 */
	return rec->day_time && rec->events.v[0].clock == rec->day_clock
		       ? (rec->day_time - rec->clock_time + rec->first_time) / second
		       : 0;
}

/* A picture's title, and the name of a file of folded text: the last part of its path. */
static const char *subject_of(const struct ff_profile *p, const struct ff_input *input)
{
	const char *path = input_path(input->input);
	const char *slash = strrchr(path, '/');

	if (input->title)
		return intern_text(&p->strings, input->title);
	/* A descriptor, a pipe or memory has no name of its own that a reader would
	 * know. */
	if (strcmp(input_recording(input->input)->format, "folded text") != 0 ||
	    strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 ||
	    strcmp(path, "-") == 0 || path[0] == '<')
		return NULL;
	return slash ? slash + 1 : path;
}

/* Of the samples in the tree; where these are intervals, as many as of the stacks of events. */
static uint64_t samples_truncated(const struct ff_profile *p)
{
	uint64_t truncated = ff_profile_total(p, FF_TOTAL_SAMPLES_TRUNCATED);
	uint64_t samples = p->collected.sum.samples_kept, stacks = stacks_walked(p);

	return stacks && p->collected.pairs.stacks
		       ? (uint64_t)((double)truncated / (double)stacks * (double)samples)
		       : truncated;
}

struct write_facts profile_facts(const struct ff_profile *p)
{
	struct write_facts facts = {
		.unit = common_text(p, offsetof(struct ff_input, unit)),
		.events = common_text(p, offsetof(struct ff_input, event_names)),
		.truncated = samples_truncated(p),
	};
	/* One input whose samples are not known makes the number of all unknown. */
	bool has_samples = p->inputs.count > 0;

	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct recording *rec = input_recording(p->inputs.v[i]->input);

		facts.lost += rec->lost + recording_lost_apart(rec);
		has_samples &= p->inputs.v[i]->has_samples;
	}
	if (has_samples)
		facts.samples = p->collected.sum.samples_kept;
	if (p->inputs.count == 1) {
		const struct ff_input *input = p->inputs.v[0];
		const struct recording *rec = input_recording(input->input);
		const struct ff_process *process = ff_process_next(p, NULL);

		if (process) {
			facts.process = ff_process_comm(process);
			facts.pid = ff_process_pid(process);
			facts.processes = p->collected.processes.list.count;
		}
		facts.subject = subject_of(p, input);
		facts.host = ff_input_text(input, FF_INPUT_HOST);
		facts.recorded = recorded_at(rec);
		facts.command = ff_input_text(input, FF_INPUT_COMMAND);
		facts.frequency = input->frequency;
		facts.period = input->period;
		facts.duration = rec->last_time - rec->first_time;
	}
	return facts;
}
