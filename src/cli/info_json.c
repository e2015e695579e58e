/*
 * What info --format=json says: Documentation/info-json.md promises the keys and their order.
 * Plain facts are the library's list of them; here are those that are lists or objects, or made of
 * two.
 */
#include "cli/info.h"

#include <stdlib.h>

#include "cli/finding.h"
#include "cli/json.h"
#include "cli/summary.h"

/* The key is there in any case, and null says that there is no such number. */
static void put_number_or_null(struct json *j, const char *key, uint64_t value)
{
	if (value)
		json_number(j, key, value);
	else
		json_null(j, key);
}

static void put_json_events(const struct ff_input *in, struct json *j)
{
	const struct ff_event *e = NULL;
	struct ff_raw_field raw;

	json_open(j, "events", '[');
	while ((e = ff_event_next(in, e))) {
		json_open(j, NULL, '{');
		json_text(j, "name", ff_event_name(e));
		json_number(j, "samples", ff_event_samples(e));
		json_number(j, "delivered", ff_event_count(e, FF_EVENT_DELIVERED));
		/* An event has a frequency or a period, and 0 is neither. */
		put_number_or_null(j, "frequency", ff_event_count(e, FF_EVENT_FREQUENCY));
		put_number_or_null(j, "period", ff_event_count(e, FF_EVENT_PERIOD));
		put_number_or_null(j, "max_stack", ff_event_count(e, FF_EVENT_MAX_STACK));
		json_number(j, "user_stack", ff_event_count(e, FF_EVENT_USER_STACK));
		json_open(j, "fields", '[');
		for (unsigned bit = 0; bit < FIELD_BITS; bit++)
			if (ff_event_field(e, bit))
				json_text(j, NULL, ff_event_field(e, bit));
		json_close(j, ']');
		/* What a program needs to find its values in raw data: the tracepoint's own
		 * format. */
		json_open(j, "raw_fields", '[');
		for (unsigned i = 0; ff_event_raw_field(e, i, &raw); i++) {
			json_open(j, NULL, '{');
			json_text(j, "name", raw.name);
			json_number(j, "offset", raw.offset);
			json_number(j, "size", raw.size);
			json_bool(j, "signed", raw.flags & FF_RAW_SIGNED);
			json_bool(j, "array", raw.flags & FF_RAW_ARRAY);
			json_bool(j, "text", raw.flags & FF_RAW_TEXT);
			json_bool(j, "dynamic", raw.flags & FF_RAW_DYNAMIC);
			json_close(j, '}');
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* The remedy stands in the text, and alone, for programs that offer it. */
static void put_json_warnings(const struct ff_profile *p, struct json *j)
{
	const char *file = finding_file(p);
	const struct ff_finding *f = NULL;

	json_open(j, "warnings", '[');
	while ((f = ff_finding_next(p, f))) {
		char *sentence = finding_sentence(f, file);
		char *commands = finding_commands(f, file);

		json_open(j, NULL, '{');
		json_text(j, "kind", ff_finding_text(f, FF_FINDING_KIND));
		json_text(j, "text", sentence);
		json_text(j, "cause", ff_finding_text(f, FF_FINDING_CAUSE));
		json_text(j, "remedy", commands);
		json_number(j, "part", ff_finding_part(f));
		json_number(j, "whole", ff_finding_whole(f));
		json_close(j, '}');
		free(sentence);
		free(commands);
	}
	json_close(j, ']');
}

/* Where they were asked for; times are ns. */
static void put_json_phases(const struct ff_profile *p, struct json *j)
{
	const struct ff_phase *phases;
	size_t count = ff_profile_phases(p, &phases);

	if (!count) {
		json_null(j, "phases");
		return;
	}
	json_open(j, "phases", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(j, NULL, '{');
		json_number(j, "start", phases[i].start);
		json_number(j, "end", phases[i].end);
		json_number(j, "weight", phases[i].weight);
		json_text(j, "function", *phases[i].name ? phases[i].name : NULL);
		json_number(j, "share_ppm", (uint64_t)(phases[i].share * 1e6 + 0.5));
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* By type of record, by process and by object. */
static void put_breakdown(const struct ff_profile *p, const struct ff_input *in,
			  struct json *j)
{
	static const char *const keys[OBJECT_CLASSES] = { "found", "incomplete",
							  "missing", "without_file" };
	const struct ff_process *pr = NULL;

	json_open(j, "records", '{');
	for (unsigned type = 0; type < RECORD_TYPES; type++)
		if (ff_record_name(type) && ff_input_records(in, type))
			json_number(j, ff_record_name(type), ff_input_records(in, type));
	json_close(j, '}');

	json_open(j, "processes", '[');
	while ((pr = ff_process_next(p, pr))) {
		json_open(j, NULL, '{');
		json_number(j, "pid", ff_process_pid(pr));
		json_text(j, "comm", ff_process_comm(pr));
		json_number(j, "samples", ff_process_samples(pr));
		json_close(j, '}');
	}
	json_close(j, ']');

	json_open(j, "objects", '{');
	for (int kind = 0; kind < OBJECT_CLASSES; kind++) {
		const struct ff_object *o = NULL;

		json_open(j, keys[kind], '[');
		while ((o = ff_object_next(p, o))) {
			const char *build_id = ff_object_build_id(o);

			if ((int)object_class(o) != kind)
				continue;
			json_open(j, NULL, '{');
			json_text(j, "path", ff_object_path(o));
			json_text(j, "build_id", *build_id ? build_id : NULL);
			json_text(j, "file", ff_object_file(o));
			json_text(j, "debug_file", ff_object_debug_file(o));
			/* Only the map of a runtime has functions to count; 0 would say that it is
			 * empty. */
			if (ff_object_runtime(o) && ff_object_file(o))
				json_number(j, "functions", ff_object_entries(o));
			json_text(j, "problem", ff_object_problem(o));
			json_bool(j, "refused", ff_object_refused(o));
			json_number(j, "weight", ff_object_weight(o));
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	json_close(j, '}');
}

void info_json(const struct ff_profile *p, struct json *j)
{
	const struct ff_input *in = ff_input_next(p, NULL);
	uint64_t at = ff_input_count(in, FF_INPUT_TRUNCATED_AT);
	const struct ff_fact *f = NULL;

	json_open(j, NULL, '{');
	while ((f = ff_fact_next(FF_VIEW_JSON, FF_FACT_TEXT, f)))
		json_text(j, f->key, ff_input_text(in, f->which));
	/* Numbers come before flags, and what is made of two of them between: the order is
	 * promised, though no reader of JSON should need it. */
	while ((f = ff_fact_next(FF_VIEW_JSON, FF_FACT_COUNT, f)))
		if (f->unit != FF_UNIT_FLAG)
			json_number(j, f->key, ff_input_count(in, f->which));
	json_number(j, "duration",
		    ff_input_count(in, FF_INPUT_LAST_TIME) -
			    ff_input_count(in, FF_INPUT_FIRST_TIME));
	while ((f = ff_fact_next(FF_VIEW_JSON, FF_FACT_COUNT, f)))
		if (f->unit == FF_UNIT_FLAG)
			json_bool(j, f->key, ff_input_count(in, f->which));
	json_bool(j, "truncated", at != 0);
	put_number_or_null(j, "truncated_at", at);
	json_number(j, "damaged_samples",
		    ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED));
	json_number(j, "weight", ff_profile_total(p, FF_TOTAL_WEIGHT_TREE));

	/* What became of the stacks that count. */
	json_open(j, "stacks", '{');
	while ((f = ff_fact_next(FF_VIEW_JSON, FF_FACT_TOTAL, f)))
		if (!is_of_mode(f))
			json_number(j, f->key, ff_profile_total(p, f->which));
	json_close(j, '}');
	/* And of its events, where a mode was asked for. */
	if (has_mode(p)) {
		json_open(j, "mode", '{');
		while ((f = ff_fact_next(FF_VIEW_JSON, FF_FACT_TOTAL, f)))
			if (is_of_this_mode(p, f))
				json_number(j, f->key, ff_profile_total(p, f->which));
		json_close(j, '}');
	} else {
		json_null(j, "mode");
	}

	put_json_events(in, j);
	info_stored_json(in, j);
	put_breakdown(p, in, j);
	put_json_phases(p, j);
	put_json_warnings(p, j);
	json_close(j, '}');
}
