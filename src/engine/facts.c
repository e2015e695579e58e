/*
 * What a profile has when it is asked: nodes of its tree, inputs, events, objects, processes. The
 * public structs are the engine's own, so that an answer is a look and costs no copy; what a
 * picture says of its objects stands for what was found of them. Single facts of inputs and
 * profiles are in fact_list.c.
 */
#include "engine/profile.h"

/* A node of the public tree is one of the named tree, which is an array in preorder. */
static uint32_t node_index(const struct ff_profile *p, const struct ff_node *n)
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
	uint32_t i = node_index(p, n);

	return i ? node_at(p, p->named.nodes.v[i].parent) : NULL;
}

/*
 * The tree is in preorder, and .end is the first node behind all that is below a node:
 *
 *	index   0 all   1 main   2 parse   3 read   4 idle
 *	end     5       4        3         4        5
 *
 * So the first child is the next node, and the next sibling is at .end, unless that is
 * the parent's end, too.
 */
const struct ff_node *ff_node_child(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t i = node_index(p, n);

	return p->named.nodes.v[i].end > i + 1 ? node_at(p, i + 1) : NULL;
}

const struct ff_node *ff_node_next(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t i = node_index(p, n), end = p->named.nodes.v[i].end;

	return i && end < p->named.nodes.v[p->named.nodes.v[i].parent].end
		       ? node_at(p, end)
		       : NULL;
}

static const struct function *function_of(const struct ff_profile *p,
					  const struct ff_node *n)
{
	return &p->symbols.functions.v[p->named.nodes.v[node_index(p, n)].function];
}

/* The root is nobody's function: it has an index of 0 and an empty name. */
const char *ff_node_name(const struct ff_profile *p, const struct ff_node *n)
{
	return node_index(p, n) ? intern_text(&p->strings, function_of(p, n)->name) : "";
}

const char *ff_node_module(const struct ff_profile *p, const struct ff_node *n)
{
	return node_index(p, n) ? intern_text(&p->strings, function_of(p, n)->module)
				: "";
}

enum ff_node_kind ff_node_kind(const struct ff_profile *p, const struct ff_node *n)
{
	/* Spelled out, so that the library's own numbers can change without those of the
	 * header. */
	static const enum ff_node_kind kinds[] = {
		[FUNCTION_LABEL] = FF_NODE_TEXT,      [FUNCTION_USER] = FF_NODE_USER,
		[FUNCTION_KERNEL] = FF_NODE_KERNEL,   [FUNCTION_JIT] = FF_NODE_JIT,
		[FUNCTION_INLINED] = FF_NODE_INLINED, [FUNCTION_GAP] = FF_NODE_GAP,
	};

	return node_index(p, n) ? kinds[function_of(p, n)->kind] : FF_NODE_TEXT;
}

const char *ff_node_file(const struct ff_profile *p, const struct ff_node *n)
{
	uint32_t file = node_index(p, n) ? function_of(p, n)->file : 0;

	return file ? intern_text(&p->strings, file) : NULL;
}

unsigned ff_node_line(const struct ff_profile *p, const struct ff_node *n)
{
	return node_index(p, n) ? function_of(p, n)->line : 0;
}

uint64_t ff_node_self(const struct ff_profile *p, const struct ff_node *n)
{
	return named_value(&p->named, node_index(p, n), COLUMN_WEIGHT);
}

uint64_t ff_node_total(const struct ff_profile *p, const struct ff_node *n)
{
	return named_total(&p->named, node_index(p, n));
}

uint64_t ff_node_inferred(const struct ff_profile *p, const struct ff_node *n)
{
	uint64_t total = ff_node_total(p, n);
	uint64_t inferred = named_value(&p->named, node_index(p, n), COLUMN_INFERRED);

	/* Of what is below a frame of a picture some may have been left out. */
	return inferred < total ? inferred : total;
}

const struct ff_input *ff_input_next(const struct ff_profile *p,
				     const struct ff_input *in)
{
	size_t next = in ? in->index + 1 : 0;

	return next < p->inputs.count ? p->inputs.v[next] : NULL;
}

uint64_t ff_input_records(const struct ff_input *in, unsigned type)
{
	const struct recording *rec = input_recording(in->input);

	/* A picture's own counts are of the recording it was made of. */
	for (size_t i = 0; in->report && i < in->report->records.count; i++)
		if (in->report->records.v[i].type == type)
			return in->report->records.v[i].count;
	/* simpleperf numbers its types from 32,768 on; they are counted in an array of
	 * their own. */
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
	/* Where groups of counters were split: as many as came of them for this event. */
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

/*
 * In this and the functions below: an object of a picture says what the picture says, for
 * there is no image of it, and .image is 0.
 */
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
	/* Code that a runtime made has an owner, whatever kind its image is. */
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
	/* As above: the header's numbers are not those of enum image_names. */
	static const enum ff_object_names names[] = {
		[SYMBOLS_NONE] = FF_NAMES_NONE,
		[SYMBOLS_EXPORTED] = FF_NAMES_EXPORTED,
		[SYMBOLS_ALL] = FF_NAMES_ALL,
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
