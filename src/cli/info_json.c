#include "cli/info.h"

#include <stdlib.h>

#include "cli/finding.h"
#include "cli/json.h"

/* Documentation/info-json.md promises these keys. */
static const struct {
	const char *key;
	enum ff_input_text which;
} texts[] = {
	{ "path", FF_INPUT_PATH },	 { "format", FF_INPUT_FORMAT },
	{ "command", FF_INPUT_COMMAND }, { "host", FF_INPUT_HOST },
	{ "kernel", FF_INPUT_KERNEL },	 { "perf_version", FF_INPUT_RECORDER },
	{ "arch", FF_INPUT_ARCH },	 { "cpu", FF_INPUT_CPU },
	{ "damage", FF_INPUT_DAMAGE },	 { "form", FF_INPUT_FORM },
	{ "clock", FF_INPUT_CLOCK },	 { "byte_order", FF_INPUT_BYTE_ORDER },
	{ "title", FF_INPUT_TITLE },
};

static const struct {
	const char *key;
	enum ff_input_count which;
} counts[] = {
	{ "bytes", FF_INPUT_BYTES },
	{ "processors", FF_INPUT_PROCESSORS },
	{ "samples", FF_INPUT_SAMPLES },
	{ "chains", FF_INPUT_CHAINS },
	{ "user_stacks", FF_INPUT_USER_STACKS },
	{ "lost", FF_INPUT_LOST },
	{ "lost_samples", FF_INPUT_LOST_SAMPLES },
	{ "throttled", FF_INPUT_THROTTLED },
	{ "first_time", FF_INPUT_FIRST_TIME },
	{ "last_time", FF_INPUT_LAST_TIME },
	{ "unknown_records", FF_INPUT_UNKNOWN_RECORDS },
	{ "delivered", FF_INPUT_DELIVERED },
	{ "bare", FF_INPUT_BARE },
	{ "chains_broken", FF_INPUT_CHAINS_BROKEN },
	{ "chains_cut", FF_INPUT_CHAINS_CUT },
	{ "callers_inferred", FF_INPUT_CALLERS_INFERRED },
	{ "frames_skipped", FF_INPUT_FRAMES_SKIPPED },
	{ "user_stacks_cut", FF_INPUT_USER_STACKS_CUT },
	{ "branch_stacks", FF_INPUT_BRANCH_STACKS },
	{ "kernel_samples", FF_INPUT_KERNEL_SAMPLES },
	{ "guest_samples", FF_INPUT_GUEST_SAMPLES },
	{ "aux_lost", FF_INPUT_AUX_LOST },
	{ "late_records", FF_INPUT_LATE_RECORDS },
};

/* What became of the stacks that count. */
static void put_stacks(const struct ff_profile *p, struct json *j)
{
	static const struct {
		const char *key;
		enum ff_total which;
	} totals[] = {
		{ "unwound", FF_TOTAL_SAMPLES_UNWOUND },
		{ "frames_unwound", FF_TOTAL_FRAMES_UNWOUND },
		{ "replays", FF_TOTAL_REPLAYS },
		{ "not_unwound", FF_TOTAL_SAMPLES_USER_STACK },
		{ "truncated", FF_TOTAL_SAMPLES_TRUNCATED },
		{ "cut_dump", FF_TOTAL_SAMPLES_CUT_DUMP },
		{ "other_stack", FF_TOTAL_SAMPLES_OTHER_STACK },
		{ "cut_chain", FF_TOTAL_SAMPLES_CUT_CHAIN },
		{ "odd_chain", FF_TOTAL_SAMPLES_ODD_CHAIN },
		{ "no_cfi", FF_TOTAL_SAMPLES_NO_CFI },
		{ "bad_address", FF_TOTAL_SAMPLES_BAD_ADDRESS },
		{ "no_call", FF_TOTAL_SAMPLES_NO_CALL },
		{ "no_start", FF_TOTAL_SAMPLES_NO_START },
		{ "repeated", FF_TOTAL_SAMPLES_REPEATED },
		{ "too_deep", FF_TOTAL_SAMPLES_TOO_DEEP },
		{ "max_stack", FF_TOTAL_SAMPLES_MAX_STACK },
	};

	json_open(j, "stacks", '{');
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		json_number(j, totals[i].key, ff_profile_total(p, totals[i].which));
	json_close(j, '}');
}

static void put_truncated(const struct ff_input *in, struct json *j)
{
	uint64_t at = ff_input_count(in, FF_INPUT_TRUNCATED_AT);

	json_bool(j, "truncated", at != 0);
	if (at)
		json_number(j, "truncated_at", at);
	else
		json_null(j, "truncated_at");
}

static void put_number_or_null(struct json *j, const char *key, uint64_t value)
{
	if (value)
		json_number(j, key, value);
	else
		json_null(j, key);
}

static void put_fields(const struct ff_event *e, struct json *j)
{
	json_open(j, "fields", '[');
	for (unsigned bit = 0; bit < FIELD_BITS; bit++)
		if (ff_event_field(e, bit))
			json_text(j, NULL, ff_event_field(e, bit));
	json_close(j, ']');
}

static void put_raw_fields(const struct ff_event *e, struct json *j)
{
	struct ff_raw_field f;

	json_open(j, "raw_fields", '[');
	for (unsigned i = 0; ff_event_raw_field(e, i, &f); i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", f.name);
		json_number(j, "offset", f.offset);
		json_number(j, "size", f.size);
		json_bool(j, "signed", f.flags & FF_RAW_SIGNED);
		json_bool(j, "array", f.flags & FF_RAW_ARRAY);
		json_bool(j, "text", f.flags & FF_RAW_TEXT);
		json_bool(j, "dynamic", f.flags & FF_RAW_DYNAMIC);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_duration(const struct ff_input *in, struct json *j)
{
	json_number(j, "duration",
		    ff_input_count(in, FF_INPUT_LAST_TIME) -
			    ff_input_count(in, FF_INPUT_FIRST_TIME));
}

static void put_events(const struct ff_input *in, struct json *j)
{
	const struct ff_event *e = NULL;

	json_open(j, "events", '[');
	while ((e = ff_event_next(in, e))) {
		json_open(j, NULL, '{');
		json_text(j, "name", ff_event_name(e));
		json_number(j, "samples", ff_event_samples(e));
		json_number(j, "delivered", ff_event_count(e, FF_EVENT_DELIVERED));
		put_number_or_null(j, "frequency", ff_event_count(e, FF_EVENT_FREQUENCY));
		put_number_or_null(j, "period", ff_event_count(e, FF_EVENT_PERIOD));
		put_number_or_null(j, "max_stack", ff_event_count(e, FF_EVENT_MAX_STACK));
		json_number(j, "user_stack", ff_event_count(e, FF_EVENT_USER_STACK));
		put_fields(e, j);
		put_raw_fields(e, j);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_warning(const struct ff_finding *f, const char *file, struct json *j)
{
	char *sentence = finding_sentence(f, file), *commands = finding_commands(f, file);

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

static void put_warnings(const struct ff_profile *p, struct json *j)
{
	const struct ff_finding *f = NULL;

	json_open(j, "warnings", '[');
	while ((f = ff_finding_next(p, f)))
		put_warning(f, finding_file(p), j);
	json_close(j, ']');
}

static void put_records(const struct ff_input *in, struct json *j)
{
	json_open(j, "records", '{');
	for (unsigned type = 0; type < RECORD_TYPES; type++)
		if (ff_record_name(type) && ff_input_records(in, type))
			json_number(j, ff_record_name(type), ff_input_records(in, type));
	json_close(j, '}');
}

static void put_processes(const struct ff_profile *p, struct json *j)
{
	const struct ff_process *pr = NULL;

	json_open(j, "processes", '[');
	while ((pr = ff_process_next(p, pr))) {
		json_open(j, NULL, '{');
		json_number(j, "pid", ff_process_pid(pr));
		json_text(j, "comm", ff_process_comm(pr));
		json_number(j, "samples", ff_process_samples(pr));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_object(const struct ff_object *o, struct json *j)
{
	const char *build_id = ff_object_build_id(o);

	json_open(j, NULL, '{');
	json_text(j, "path", ff_object_path(o));
	json_text(j, "build_id", *build_id ? build_id : NULL);
	json_text(j, "file", ff_object_file(o));
	json_text(j, "debug_file", ff_object_debug_file(o));
	if (ff_object_runtime(o) && ff_object_file(o))
		json_number(j, "functions", ff_object_entries(o));
	json_text(j, "problem", ff_object_problem(o));
	json_bool(j, "refused", ff_object_refused(o));
	json_number(j, "weight", ff_object_weight(o));
	json_close(j, '}');
}

static void put_objects(const struct ff_profile *p, struct json *j)
{
	static const char *const keys[OBJECT_CLASSES] = { "found", "incomplete",
							  "missing", "without_file" };

	json_open(j, "objects", '{');
	for (int kind = 0; kind < OBJECT_CLASSES; kind++) {
		const struct ff_object *o = NULL;

		json_open(j, keys[kind], '[');
		while ((o = ff_object_next(p, o)))
			if ((int)object_class(o) == kind)
				put_object(o, j);
		json_close(j, ']');
	}
	json_close(j, '}');
}

void info_json(const struct ff_profile *p, struct json *j)
{
	const struct ff_input *in = ff_input_next(p, NULL);

	json_open(j, NULL, '{');
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_text(j, texts[i].key, ff_input_text(in, texts[i].which));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_number(j, counts[i].key, ff_input_count(in, counts[i].which));
	put_duration(in, j);
	json_bool(j, "compressed", ff_input_count(in, FF_INPUT_COMPRESSED));
	json_bool(j, "kernel_hidden", ff_input_count(in, FF_INPUT_KERNEL_HIDDEN));
	json_bool(j, "changed", ff_input_count(in, FF_INPUT_CHANGED));
	put_truncated(in, j);
	json_number(j, "damaged_samples",
		    ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED));
	json_number(j, "weight", ff_profile_total(p, FF_TOTAL_WEIGHT_TREE));
	put_stacks(p, j);
	put_events(in, j);
	put_records(in, j);
	put_processes(p, j);
	put_objects(p, j);
	put_warnings(p, j);
	json_close(j, '}');
}
