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
int event_unit(struct ff_profile *p, const struct event *e, uint32_t *ret)
{
	const char *name = intern_text(&p->strings, e->name);
	const char *slash = strchr(name, '/');
	size_t size;

	if (e->unit) {
		*ret = e->unit;
		return 0;
	}
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

int note_events(struct ff_profile *p, struct ff_input *input,
		const struct event_choice *choice, const struct pairing *pairing,
		const struct wall *wall)
{
	const struct recording *rec = input_recording(input->input);
	struct slice unit_of_mode = pairing->rule.unit, title = pairing->rule.title;
	struct text names = { 0 };
	const char *of_wall;
	uint32_t common = 0;
	int err = 0;

	input->has_samples = true;
	/* What intervals are counted in, and what they are. */
	if (pairing->is_bound) {
		const char *mode = p->options.mode;
		const char *name = p->options.pair && (!mode || mode_find(mode))
					   ? "a pairing"
					   : mode;

		err = intern_add(&p->strings, name, strlen(name), &input->event_names);
		/* Before that of the command line, which the writers know. */
		if (err == 0 && title.size)
			err = intern_add(&p->strings, title.text, title.size,
					 &input->title);
		if (err == 0 && unit_of_mode.size)
			err = intern_add(&p->strings, unit_of_mode.text,
					 unit_of_mode.size, &input->unit);
		return err;
	}
	for (size_t i = 0; i < rec->events.count && err == 0; i++) {
		const struct event *e = &rec->events.v[i];
		uint32_t unit = 0;

		/* Events that gave nothing would only make the header longer. */
		if (!event_is_wanted(choice, i) ||
		    event_column(choice, i) != COLUMN_WEIGHT ||
		    !(e->samples | input_split(input, i)))
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
	if (err < 0 || !wall->is_bound)
		return err;
	/* All of it is time, of whatever event: but of a period's parts, which are the
	 * event's own. */
	if (wall->weight == WALL_EXACT && wall->source != WALL_GUESS)
		err = intern_add(&p->strings, "ns", 2, &input->unit);
	of_wall = wall->source == WALL_GUESS ? "Wall-Clock Time (approximate)"
					     : "Wall-Clock Time";
	return err < 0 ? err
		       : intern_add(&p->strings, of_wall, strlen(of_wall), &input->title);
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

uint64_t input_recorded_at(const struct ff_input *input)
{
	return recorded_at(input_recording(input->input));
}

uint64_t recording_time_kept(const struct ff_profile *p, const struct recording *rec)
{
	uint64_t first = rec->first_time, last = rec->last_time;

	return filters_time(p->filters, &first, &last);
}

struct write_facts profile_facts(const struct ff_profile *p)
{
	struct write_facts facts = {
		.unit = common_text(p, offsetof(struct ff_input, unit)),
		.events = common_text(p, offsetof(struct ff_input, event_names)),
		.truncated = ff_profile_total(p, FF_TOTAL_SAMPLES_TRUNCATED),
		.values = p->values.name ? &p->values : NULL,
	};
	uint64_t samples = p->collected.sum.samples_kept, stacks = stacks_walked(p);
	/* One input whose samples are not known makes the number of all unknown. */
	bool has_samples = p->inputs.count > 0;

	for (size_t i = 0; i < p->inputs.count; i++) {
		const struct recording *rec = input_recording(p->inputs.v[i]->input);

		facts.lost += rec->lost + recording_lost_apart(rec);
		has_samples &= p->inputs.v[i]->has_samples;
	}
	if (has_samples)
		facts.samples = samples;
	/* Of the samples in the tree; where these are intervals, as many as of the stacks of
	 * events. */
	if (stacks && p->collected.pairs.stacks)
		facts.truncated = (uint64_t)((double)facts.truncated / (double)stacks *
					     (double)samples);
	if (p->inputs.count == 1) {
		const struct ff_input *input = p->inputs.v[0];
		const struct recording *rec = input_recording(input->input);
		const struct ff_process *process = ff_process_next(p, NULL);
		const char *path = input_path(input->input), *slash = strrchr(path, '/');

		if (process) {
			facts.process = ff_process_comm(process);
			facts.pid = ff_process_pid(process);
			facts.processes = p->collected.processes.list.count;
		}
		/* A picture's title, and the name of a file of folded text: the last part of
		 * its path. A descriptor, a pipe or memory has no name of its own that a
		 * reader would know. */
		if (input->title)
			facts.subject = intern_text(&p->strings, input->title);
		else if (strcmp(rec->format, "folded text") == 0 &&
			 strncmp(path, "/dev/", 5) != 0 &&
			 strncmp(path, "/proc/", 6) != 0 && strcmp(path, "-") != 0 &&
			 path[0] != '<')
			facts.subject = slash ? slash + 1 : path;
		facts.host = ff_input_text(input, FF_INPUT_HOST);
		facts.recorded = recorded_at(rec);
		facts.command = ff_input_text(input, FF_INPUT_COMMAND);
		facts.frequency = input->frequency;
		facts.period = input->period;
		facts.duration = recording_time_kept(p, rec);
		if (!p->collected.blocks.refused)
			facts.blocks = &p->collected.blocks;
	}
	return facts;
}
