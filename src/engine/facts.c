/* What a profile and its inputs say when asked. */
#include "engine/profile.h"

/* Totals of samples by why their stacks are not whole. */
static const unsigned incomplete_totals[FF_TOTALS] = {
	[FF_TOTAL_SAMPLES_NO_CHAIN] = INCOMPLETE_NO_CHAIN,
	[FF_TOTAL_SAMPLES_CUT_CHAIN] = INCOMPLETE_CUT_CHAIN,
	[FF_TOTAL_SAMPLES_ODD_CHAIN] = INCOMPLETE_ODD_CONTEXT,
	[FF_TOTAL_SAMPLES_MAX_STACK] = INCOMPLETE_MAX_STACK,
	[FF_TOTAL_SAMPLES_CUT_DUMP] = INCOMPLETE_CUT_DUMP,
	[FF_TOTAL_SAMPLES_OTHER_STACK] = INCOMPLETE_OTHER_STACK,
	[FF_TOTAL_SAMPLES_NO_CFI] = INCOMPLETE_NO_CFI,
	[FF_TOTAL_SAMPLES_BAD_ADDRESS] = INCOMPLETE_BAD_ADDRESS,
	[FF_TOTAL_SAMPLES_TOO_DEEP] = INCOMPLETE_TOO_DEEP,
	[FF_TOTAL_SAMPLES_REPEATED] = INCOMPLETE_REPEATED,
	[FF_TOTAL_SAMPLES_NO_CALL] = INCOMPLETE_NO_CALL,
	[FF_TOTAL_SAMPLES_NO_START] = INCOMPLETE_NO_START,
	[FF_TOTAL_SAMPLES_USER_STACK] = INCOMPLETE_USER_STACK,
};

static uint64_t weight_unnamed(const struct ff_profile *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < p->named.nodes.count; i++)
		if (p->symbols.functions.v[p->named.nodes.v[i].function].unnamed)
			sum += named_value(&p->named, i, COLUMN_WEIGHT);
	return sum;
}

uint64_t ff_profile_total(const struct ff_profile *p, enum ff_total which)
{
	const struct weight_sum *sum = &p->collected.sum;
	const uint64_t totals[FF_TOTALS] = {
		[FF_TOTAL_SAMPLES_READ] = sum->samples_read,
		[FF_TOTAL_SAMPLES_TREE] = sum->samples_kept,
		[FF_TOTAL_SAMPLES_TRUNCATED] = p->collected.incomplete.truncated,
		[FF_TOTAL_SAMPLES_UNWOUND] = p->collected.unwound.unwound,
		[FF_TOTAL_FRAMES_UNWOUND] = p->collected.unwound.frames,
		[FF_TOTAL_REPLAYS] = p->collected.unwound.replays,
		[FF_TOTAL_SAMPLES_JOINED] = p->collected.unwound.joined,
		[FF_TOTAL_UNWIND_TIME] = p->collected.unwound.nanoseconds,
		[FF_TOTAL_TABLE_TIME] = p->collected.unwound.table_nanoseconds,
		[FF_TOTAL_WEIGHT_READ] = sum->read,
		[FF_TOTAL_WEIGHT_TREE] = sum->kept,
		[FF_TOTAL_WEIGHT_LOST_EVENT] = sum->lost[LOST_EVENT],
		[FF_TOTAL_WEIGHT_LOST_FILTER] = sum->lost[LOST_FILTER],
		[FF_TOTAL_WEIGHT_LOST_DAMAGED] = sum->lost[LOST_DAMAGED],
		[FF_TOTAL_WEIGHT_LOST_TRUNCATED] = sum->lost[LOST_TRUNCATED],
		[FF_TOTAL_FRAMES] = p->collected.frames.list.count,
		[FF_TOTAL_NODES] = p->named.nodes.count,
	};

	if ((unsigned)which >= FF_TOTALS)
		return 0;
	if (which == FF_TOTAL_WEIGHT_UNNAMED)
		return weight_unnamed(p);
	if (incomplete_totals[which])
		return p->collected.incomplete
			.of[__builtin_ctz(incomplete_totals[which])];
	return totals[which];
}

/* A node of the public tree is one of the named tree, which is an array in preorder. */
static uint32_t index_of(const struct ff_profile *p, const struct ff_node *n)
{
	return (uint32_t)((const struct named_node *)(const void *)n - p->named.nodes.v);
}

static const struct ff_node *node_at(const struct ff_profile *p, uint32_t index)
{
	return (const struct ff_node *)(const void *)&p->named.nodes.v[index];
}

const struct ff_node *ff_profile_root(const struct ff_profile *p)
{
	return p->finished ? node_at(p, 0) : NULL;
}

const struct ff_node *ff_node_parent(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t i = index_of(p, n);

	return i ? node_at(p, p->named.nodes.v[i].parent) : NULL;
}

const struct ff_node *ff_node_child(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t i = index_of(p, n);

	return p->named.nodes.v[i].end > i + 1 ? node_at(p, i + 1) : NULL;
}

const struct ff_node *ff_node_next(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t i = index_of(p, n), end = p->named.nodes.v[i].end;

	return i && end < p->named.nodes.v[p->named.nodes.v[i].parent].end
		       ? node_at(p, end)
		       : NULL;
}

static const struct function *function_of(const struct ff_profile *p,
					  const struct ff_node *n)
{
	return &p->symbols.functions.v[p->named.nodes.v[index_of(p, n)].function];
}

const char *ff_node_name(const struct ff_profile *p, const struct ff_node *n)
{
	return index_of(p, n) ? intern_text(&p->strings, function_of(p, n)->name) : "";
}

const char *ff_node_module(const struct ff_profile *p, const struct ff_node *n)
{
	return index_of(p, n) ? intern_text(&p->strings, function_of(p, n)->module) : "";
}

enum ff_node_kind ff_node_kind(const struct ff_profile *p, const struct ff_node *n)
{
	static const enum ff_node_kind kinds[] = {
		[FUNCTION_LABEL] = FF_NODE_TEXT,      [FUNCTION_USER] = FF_NODE_USER,
		[FUNCTION_KERNEL] = FF_NODE_KERNEL,   [FUNCTION_JIT] = FF_NODE_JIT,
		[FUNCTION_INLINED] = FF_NODE_INLINED, [FUNCTION_GAP] = FF_NODE_GAP,
	};

	return index_of(p, n) ? kinds[function_of(p, n)->kind] : FF_NODE_TEXT;
}

const char *ff_node_file(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t file = index_of(p, n) ? function_of(p, n)->file : 0;

	return file ? intern_text(&p->strings, file) : NULL;
}

unsigned ff_node_line(const struct ff_profile *p, const struct ff_node *n)
{
	return index_of(p, n) ? function_of(p, n)->line : 0;
}

uint64_t ff_node_self(const struct ff_profile *p, const struct ff_node *n)
{
	return named_value(&p->named, index_of(p, n), COLUMN_WEIGHT);
}

uint64_t ff_node_total(const struct ff_profile *p, const struct ff_node *n)
{
	return named_total(&p->named, index_of(p, n));
}

uint64_t ff_node_inferred(const struct ff_profile *p, const struct ff_node *n)
{
	uint64_t total = ff_node_total(p, n);
	uint64_t inferred = named_value(&p->named, index_of(p, n), COLUMN_INFERRED);

	/* Of what is below a frame of a picture some may have been left out. */
	return inferred < total ? inferred : total;
}

const struct ff_input *ff_input_next(const struct ff_profile *p,
				     const struct ff_input *in)
{
	size_t next = in ? in->index + 1 : 0;

	return next < p->inputs.count ? p->inputs.v[next] : NULL;
}

/* NULL for 0, which stands for what a recording does not say. */
static const char *text_or_null(const struct ff_input *in, uint32_t id)
{
	return id ? intern_text(&in->profile->strings, id) : NULL;
}

/* The clock of an input's times. */
static const char *clock_name(const struct recording *rec)
{
	static const struct {
		int32_t clock;
		const char *name;
	} clocks[] = {
		{ CLOCK_OF_PERF, "perf" }, { 0, "realtime" }, { 1, "monotonic" },
		{ 4, "monotonic_raw" },	   { 7, "boottime" }, { 11, "tai" },
	};

	if (!rec->events.count)
		return NULL;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (clocks[i].clock == rec->events.v[0].clock)
			return clocks[i].name;
	return "unknown";
}

const char *ff_input_text(const struct ff_input *in, enum ff_input_text which)
{
	const struct recording *rec = input_recording(in->input);

	if (in->report && (unsigned)which < FF_INPUT_TEXTS && in->report->texts[which])
		return in->report->texts[which];

	switch (which) {
	case FF_INPUT_PATH:
		return input_path(in->input);
	case FF_INPUT_FORMAT:
		return rec->format;
	case FF_INPUT_COMMAND:
		return text_or_null(in, rec->command);
	case FF_INPUT_HOST:
		return text_or_null(in, rec->host);
	case FF_INPUT_KERNEL:
		return text_or_null(in, rec->kernel);
	case FF_INPUT_RECORDER:
		return text_or_null(in, rec->recorder);
	case FF_INPUT_ARCH:
		return text_or_null(in, rec->arch);
	case FF_INPUT_CPU:
		return text_or_null(in, rec->cpu);
	case FF_INPUT_DAMAGE:
		return text_or_null(in, rec->damage);
	case FF_INPUT_FORM:
		return rec->form;
	case FF_INPUT_BYTE_ORDER:
		return !rec->form ? NULL : rec->big_endian ? "big" : "little";
	case FF_INPUT_CLOCK:
		return clock_name(rec);
	case FF_INPUT_TITLE:
		return text_or_null(in, in->title);
	case FF_INPUT_TEXTS:
		break;
	}
	return NULL;
}

uint64_t ff_input_count(const struct ff_input *in, enum ff_input_count which)
{
	const struct recording *rec = input_recording(in->input);

	/* What is said of the file itself is not the recording's. */
	if (in->report && (unsigned)which < FF_INPUT_COUNTS && which != FF_INPUT_BYTES &&
	    which != FF_INPUT_COMPRESSED)
		return in->report->counts[which];

	switch (which) {
	case FF_INPUT_BYTES:
		return rec->bytes;
	case FF_INPUT_RECORDS:
		return rec->records;
	case FF_INPUT_SAMPLES:
		return rec->samples;
	case FF_INPUT_CHAINS:
		return in->tally.chains;
	case FF_INPUT_USER_STACKS:
		return in->tally.user_stacks;
	case FF_INPUT_LOST:
		return rec->lost;
	case FF_INPUT_LOST_SAMPLES:
		return recording_lost_apart(rec);
	case FF_INPUT_THROTTLED:
		return rec->throttled;
	case FF_INPUT_FIRST_TIME:
		return rec->first_time;
	case FF_INPUT_LAST_TIME:
		return rec->last_time;
	case FF_INPUT_PROCESSORS:
		return rec->processors;
	case FF_INPUT_UNKNOWN_RECORDS:
		return rec->unknown;
	case FF_INPUT_TRUNCATED_AT:
		return rec->truncated_at;
	case FF_INPUT_CHANGED:
		return in->changed;
	case FF_INPUT_DELIVERED:
		return in->delivered;
	case FF_INPUT_BARE:
		return in->tally.bare;
	case FF_INPUT_CHAINS_BROKEN:
		return in->tally.chains_broken;
	case FF_INPUT_CALLERS_INFERRED:
		return in->tally.inferred;
	case FF_INPUT_FRAMES_SKIPPED:
		return in->tally.skipped;
	case FF_INPUT_CHAINS_CUT:
		return in->tally.chains_cut;
	case FF_INPUT_USER_STACKS_CUT:
		return in->tally.user_stacks_cut;
	case FF_INPUT_BRANCH_STACKS:
		return in->tally.branch_stacks;
	case FF_INPUT_KERNEL_SAMPLES:
		return rec->kernel_samples;
	case FF_INPUT_GUEST_SAMPLES:
		return rec->guest_samples;
	case FF_INPUT_AUX_LOST:
		return rec->aux_lost;
	case FF_INPUT_LATE_RECORDS:
		return in->late;
	case FF_INPUT_COMPRESSED:
		return rec->compressed;
	case FF_INPUT_KERNEL_HIDDEN:
		return rec->kernel_samples && !rec->kernel_located && !rec->simpleperf;
	case FF_INPUT_COUNTS:
		break;
	}
	return 0;
}

uint64_t ff_input_records(const struct ff_input *in, unsigned type)
{
	const struct recording *rec = input_recording(in->input);

	for (size_t i = 0; in->report && i < in->report->records.count; i++)
		if (in->report->records.v[i].type == type)
			return in->report->records.v[i].count;
	if (type >= RECORD_SIMPLEPERF && type < RECORD_SIMPLEPERF + SIMPLEPERF_TYPES)
		return rec->by_simpleperf_type[type - RECORD_SIMPLEPERF];
	return type < RECORD_TYPES ? rec->by_type[type] : 0;
}

const char *ff_record_name(unsigned type)
{
	return record_name(type);
}

/* The public event is the recording's, with a way back to its strings. */
const struct ff_event *ff_event_next(const struct ff_input *in, const struct ff_event *e)
{
	size_t next = e ? e->index + 1 : 0;

	return next < in->event_count ? &in->events[next] : NULL;
}

const char *ff_event_name(const struct ff_event *e)
{
	return e->name;
}

uint64_t ff_event_samples(const struct ff_event *e)
{
	return e->samples;
}

uint64_t ff_event_count(const struct ff_event *e, enum ff_event_count which)
{
	switch (which) {
	case FF_EVENT_FREQUENCY:
		return e->recorded->frequency;
	case FF_EVENT_PERIOD:
		return e->recorded->period;
	case FF_EVENT_MAX_STACK:
		return e->recorded->max_stack;
	case FF_EVENT_USER_STACK:
		return e->recorded->user_stack;
	case FF_EVENT_DELIVERED:
		return e->split ? e->split : e->samples;
	}
	return 0;
}

const char *ff_event_field(const struct ff_event *e, unsigned bit)
{
	return bit < 64 && e->recorded->sample_type >> bit & 1 ? sample_field_name(bit)
							       : NULL;
}

int ff_event_raw_field(const struct ff_event *e, unsigned i, struct ff_raw_field *ret)
{
	static const struct {
		uint16_t ours;
		unsigned public;
	} flags[] = {
		{ EVENT_FIELD_SIGNED, FF_RAW_SIGNED },
		{ EVENT_FIELD_ARRAY, FF_RAW_ARRAY },
		{ EVENT_FIELD_TEXT, FF_RAW_TEXT },
		{ EVENT_FIELD_DYNAMIC, FF_RAW_DYNAMIC },
		{ EVENT_FIELD_RELATIVE, FF_RAW_RELATIVE },
	};
	const struct event_field *field;

	if (!e->format || i >= e->format->count)
		return 0;
	field = &e->format->fields[i];
	*ret = (struct ff_raw_field){ field->name, field->offset, field->size,
				      field->element, 0 };
	for (size_t k = 0; k < sizeof(flags) / sizeof(*flags); k++)
		if (field->flags & flags[k].ours)
			ret->flags |= flags[k].public;
	return 1;
}

const struct ff_object *ff_object_next(const struct ff_profile *p,
				       const struct ff_object *o)
{
	size_t next = o ? (size_t)(o - p->objects.v) + 1 : 0;

	return next < p->objects.count ? &p->objects.v[next] : NULL;
}

const char *ff_object_path(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->path;
	return intern_text(&o->profile->strings,
			   o->profile->images.list.v[o->image].path);
}

const char *ff_object_build_id(const struct ff_object *o)
{
	return o->build_id;
}

const char *ff_object_file(const struct ff_object *o)
{
	uint32_t file = o->profile->symbols.images.v[o->image].file;

	if (o->saved)
		return o->saved->file;
	return file ? intern_text(&o->profile->strings, file) : NULL;
}

const char *ff_object_debug_file(const struct ff_object *o)
{
	uint32_t file = o->profile->symbols.images.v[o->image].debug_file;

	if (o->saved)
		return o->saved->debug_file;
	return file ? intern_text(&o->profile->strings, file) : NULL;
}

enum ff_object_kind ff_object_kind(const struct ff_object *o)
{
	const struct image *image = &o->profile->images.list.v[o->image];

	if (o->saved)
		return o->saved->kind;
	if (image->owner)
		return FF_OBJECT_RUNTIME;
	switch (image->kind) {
	case IMAGE_FILE:
		return FF_OBJECT_FILE;
	case IMAGE_KERNEL:
		return FF_OBJECT_KERNEL;
	case IMAGE_MODULE:
		return FF_OBJECT_MODULE;
	case IMAGE_VDSO:
		return FF_OBJECT_VDSO;
	default:
		return FF_OBJECT_OTHER;
	}
}

enum ff_object_names ff_object_names(const struct ff_object *o)
{
	static const enum ff_object_names names[] = {
		[IMAGE_NAMES_NONE] = FF_NAMES_NONE,
		[IMAGE_NAMES_EXPORTED] = FF_NAMES_EXPORTED,
		[IMAGE_NAMES_ALL] = FF_NAMES_ALL,
	};

	if (o->saved)
		return o->saved->names;
	return names[o->profile->symbols.images.v[o->image].names];
}

int ff_object_has_debug_info(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->debug_info;
	return o->profile->symbols.images.v[o->image].debug_info;
}

uint64_t ff_object_weight_unnamed(const struct ff_object *o)
{
	return o->unnamed;
}

uint64_t ff_object_addresses(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->addresses;
	return o->profile->symbols.images.v[o->image].frames;
}

uint64_t ff_object_addresses_unnamed(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->addresses_unnamed;
	return o->profile->symbols.images.v[o->image].unnamed;
}

const char *ff_object_problem(const struct ff_object *o)
{
	uint32_t problem = o->profile->symbols.images.v[o->image].problem;

	if (o->saved)
		return o->saved->problem;
	return problem ? intern_text(&o->profile->strings, problem) : NULL;
}

uint64_t ff_object_weight(const struct ff_object *o)
{
	return o->weight;
}

int ff_object_refused(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->refused;
	return o->profile->symbols.images.v[o->image].refused;
}

uint32_t ff_object_runtime(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->runtime;
	return o->profile->images.list.v[o->image].owner;
}

uint64_t ff_object_entries(const struct ff_object *o)
{
	if (o->saved)
		return o->saved->entries;
	return o->profile->symbols.images.v[o->image].entries;
}

const struct ff_process *ff_process_next(const struct ff_profile *p,
					 const struct ff_process *pr)
{
	size_t next = pr ? (size_t)(pr - p->collected.processes.list.v) + 1 : 0;

	return next < p->collected.processes.list.count
		       ? &p->collected.processes.list.v[next]
		       : NULL;
}

uint32_t ff_process_pid(const struct ff_process *pr)
{
	return pr->pid;
}

const char *ff_process_comm(const struct ff_process *pr)
{
	return pr->comm;
}

uint64_t ff_process_samples(const struct ff_process *pr)
{
	return pr->samples;
}
