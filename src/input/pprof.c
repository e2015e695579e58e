/*
 * A profile is one message of Protocol Buffers, whose fields come in any order: samples are lists of
 * locations, these of functions, and all of them refer to a table of strings, which is last in the files of
 * most writers. So it is gone through twice:
 *
 *	1	string_table, mapping, function	-> where each is
 *	2	sample_type			-> events, the one that pprof shows first
 *		location			-> struct listed_location
 *	3	sample				-> a struct listed_sample for each value that is not 0
 *
 * line[0] of a location is the innermost of the functions that were inlined there, and the last one the
 * function itself. Fields: proto/profile.proto of google/pprof, where its rules are as well.
 */
#include "input/pprof.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/proto_reader.h"

enum profile_field {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DROP_FRAMES = 7,
	PROFILE_KEEP_FRAMES = 8,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	PROFILE_DOC_URL = 15,
	PROFILE_FIELDS,
};

enum {
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	TYPE_FIELDS,
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_FIELDS,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5,
	FUNCTION_FIELDS,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LOCATION_FIELDS,
	LINE_FUNCTION = 1,
	LINE_FIELDS,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	LABEL_UNIT = 4,
	LABEL_FIELDS,
	ROW_ROOM = 96, /* bytes that a row of a table takes, with its place by number */
	TYPES_MOST = 60, /* one weighs, and others have further columns */
	LINES_MOST =
		1 << 10, /* of a location: functions that were inlined in each other */
	LABELS_MOST = 1 << 10, /* of a sample */
	/* Threads that have no number get one that no process has. */
	THREAD_WITHOUT_NUMBER = 1u << 31,
};

/* What values are. */
struct pprof_type {
	struct printed_part name, unit;
	uint64_t scale; /* a value is so many of the event's unit */
	uint16_t event;
	bool is_count;
};

struct pprof_mapping {
	struct printed_part file, build_id;
};

struct pprof_function {
	struct printed_part name, file;
	uint64_t line;
};

struct pprof {
	struct input *in;
	struct listed *listed;
	ARRAY(struct printed_part) strings;
	ARRAY(struct pprof_mapping) mappings;
	ARRAY(struct pprof_function) functions;
	struct hash_map mapping_of_id, function_of_id, location_of_id; /* -> indexes */
	struct pprof_type types[TYPES_MOST];
	size_t type_count;
	struct hash_map thread_of; /* hash of (pid, tid, comm) -> number */
	uint64_t below_zero; /* values */
	const char *why; /* it is not a profile */
	size_t where; /* offset in the file, unpacked */
};

/* May a profile have the field written so? */
static bool is_profile_field(const struct proto_field *f)
{
	switch (f->number) {
	case PROFILE_DROP_FRAMES:
	case PROFILE_KEEP_FRAMES:
	case PROFILE_TIME:
	case PROFILE_DURATION:
	case PROFILE_PERIOD:
	case PROFILE_DEFAULT_TYPE:
	case PROFILE_DOC_URL:
		return f->wire == PROTO_VARINT;
	case PROFILE_COMMENT:
		return f->wire == PROTO_VARINT || f->wire == PROTO_BYTES;
	default:
		return f->number < PROFILE_FIELDS && f->wire == PROTO_BYTES;
	}
}

/* Text does not have what a profile begins with: a value's type, or the string table, whose first string is
 * empty. What comes behind that has to be fields of a profile as far as it is there. */
bool pprof_begins(const uint8_t *bytes, size_t size)
{
	struct cursor c = cursor_of(bytes, size);
	size_t fields = 0;
	bool told = false;

	while (cursor_left(&c) && fields < PROFILE_FIELDS) {
		uint64_t numbers[TYPE_FIELDS] = { 0 };
		struct proto_field f;
		struct cursor tag = c;

		if (!proto_next(&c, &f)) {
			/* Only its beginning is there. */
			f.number = cursor_varint(&tag) >> 3;
			return told && f.number && f.number < PROFILE_FIELDS;
		}
		if (!is_profile_field(&f))
			return false;
		if (f.number == PROFILE_TYPE || f.number == PROFILE_PERIOD_TYPE) {
			if (!proto_numbers(f.bytes, numbers, TYPE_FIELDS) ||
			    !numbers[TYPE_NAME])
				return false;
			told = true;
		}
		told |= f.number == PROFILE_STRING && fields == 0 &&
			cursor_left(&f.bytes) == 0;
		fields++;
	}
	return told;
}

static int refuse_pprof(struct context *ctx, struct pprof *p, const char *why,
			const void *where)
{
	p->why = why;
	p->where = (size_t)((const uint8_t *)where - p->listed->bytes);
	return fail(ctx, -EBADMSG, "'%s' is not a whole profile of pprof: %s at byte %zu",
		    p->in->file.path, p->why, p->where);
}

/* Numbers are of the string table; what is none of it is nothing. */
static struct printed_part pprof_string(const struct pprof *p, uint64_t number)
{
	return number < p->strings.count ? p->strings.v[number]
					 : (struct printed_part){ "", 0 };
}

static bool pprof_text_is(const struct printed_part *part, const char *text)
{
	return part->size == strlen(text) && memcmp(part->text, text, part->size) == 0;
}

/* A mapping or a function gets a number, by which locations find it. */
static int note_table_row(struct context *ctx, struct pprof *p,
			  const struct proto_field *f)
{
	uint64_t n[MAPPING_FIELDS] = { 0 };
	bool is_mapping = f->number == PROFILE_MAPPING;

	_Static_assert(FUNCTION_FIELDS <= MAPPING_FIELDS, "a row has room for both");
	if (listed_claim(ctx, p->in, ROW_ROOM) < 0)
		return -EFBIG;
	if (!proto_numbers(f->bytes, n, MAPPING_FIELDS))
		return refuse_pprof(ctx, p,
				    is_mapping ? "a mapping is damaged"
					       : "a function is damaged",
				    f->bytes.p);
	if (is_mapping) {
		struct pprof_mapping *m = array_add(&p->mappings);

		if (!m || !hash_map_set(&p->mapping_of_id, n[MAPPING_ID],
					(uint32_t)p->mappings.count - 1))
			return fail_memory(ctx);
		m->file = pprof_string(p, n[MAPPING_FILE]);
		m->build_id = pprof_string(p, n[MAPPING_BUILD_ID]);
	} else {
		struct pprof_function *function = array_add(&p->functions);

		if (!function || !hash_map_set(&p->function_of_id, n[FUNCTION_ID],
					       (uint32_t)p->functions.count - 1))
			return fail_memory(ctx);
		function->name = pprof_string(p, n[FUNCTION_NAME]);
		if (!function->name.size)
			function->name = pprof_string(p, n[FUNCTION_SYSTEM_NAME]);
		function->file = pprof_string(p, n[FUNCTION_FILE]);
		function->line = n[FUNCTION_START] <= INT32_MAX ? n[FUNCTION_START] : 0;
	}
	return 0;
}

/* What its mappings tell of files goes where a recording's header has it. */
static int note_build_ids(struct context *ctx, struct pprof *p)
{
	for (size_t i = 0; i < p->mappings.count; i++) {
		const struct pprof_mapping *m = &p->mappings.v[i];
		struct known_build_id id = { .mode = MODE_USER };
		size_t digits = m->build_id.size;
		bool whole = m->file.size && digits && digits % 2 == 0 &&
			     digits / 2 <= sizeof(id.id);
		struct known_build_id *slot;

		for (size_t k = 0; whole && k < digits; k++) {
			const char *hex = "0123456789abcdef", *at;
			char c = m->build_id.text[k];

			at = c ? strchr(hex, c >= 'A' && c <= 'F' ? c | 0x20 : c) : NULL;
			whole = at != NULL;
			if (whole)
				id.id[k / 2] = (uint8_t)(id.id[k / 2] << 4 | (at - hex));
		}
		if (!whole)
			continue;
		id.size = (uint8_t)(digits / 2);
		if (listed_add_name(ctx, p->in, m->file, &id.path) < 0)
			return -ENOMEM;
		slot = array_add(&p->in->rec.build_ids);
		if (!slot)
			return fail_memory(ctx);
		*slot = id;
	}
	return 0;
}

/* Each type of value is an event. The first one is what counts when nobody says which: the default that
 * the profile has, or its last one. */
static int make_events(struct context *ctx, struct pprof *p, uint64_t default_type)
{
	/* By pprof's names of units, which are Go's. */
	static const struct {
		const char *name, *unit;
		uint64_t scale;
	} units[] = {
		{ "nanoseconds", "ns", 1 },	   { "ns", "ns", 1 },
		{ "microseconds", "ns", 1000 },	   { "us", "ns", 1000 },
		{ "milliseconds", "ns", 1000000 }, { "ms", "ns", 1000000 },
		{ "seconds", "ns", 1000000000 },   { "s", "ns", 1000000000 },
		{ "bytes", "bytes", 1 },	   { "byte", "bytes", 1 },
	};
	size_t first = p->type_count ? p->type_count - 1 : 0;
	struct printed_part wanted = pprof_string(p, default_type);
	char room[64];

	for (size_t i = 0; wanted.size && i < p->type_count; i++)
		if (p->types[i].name.size == wanted.size &&
		    memcmp(p->types[i].name.text, wanted.text, wanted.size) == 0)
			first = i;
	p->in->rec.values_before = (uint32_t)first;
	for (size_t i = 0; i < p->type_count; i++) {
		/* 0 is the first one, and all others keep their order behind it. */
		size_t at = i == 0 ? first : i <= first ? i - 1 : i;
		struct pprof_type *type = &p->types[at];
		const struct printed_part *named;
		const char *unit = NULL;
		int err;

		type->event = (uint16_t)i;
		type->scale = 1;
		for (size_t k = 0; k < sizeof(units) / sizeof(*units) && !unit; k++)
			if (pprof_text_is(&type->unit, units[k].name)) {
				type->scale = units[k].scale;
				unit = units[k].unit;
			}
		/* Else things are counted: what they are called is the unit. */
		if (!unit) {
			type->is_count = type->unit.size == 0 ||
					 pprof_text_is(&type->unit, "count");
			named = type->is_count ? &type->name : &type->unit;
			snprintf(room, sizeof(room), "%.*s",
				 (int)(named->size < 63 ? named->size : 63), named->text);
			unit = room;
		}
		if (!type->name.size)
			type->name = (struct printed_part){ "samples", 7 };
		err = listed_add_event(ctx, p->in, type->name, unit);
		if (err < 0)
			return err;
	}
	return 0;
}

static int take_location(struct context *ctx, struct pprof *p, struct cursor c)
{
	struct listed_frame frame = { 0 };
	uint64_t n[LOCATION_FIELDS] = { 0 };
	const uint8_t *start = c.p;
	struct cursor all = c;
	const uint32_t *index;
	size_t lines = 0, at = 0;
	struct proto_field f;
	uint32_t number;
	int err;

	/* Its mapping may stand behind its lines. */
	while (proto_next(&c, &f)) {
		lines += f.number == LOCATION_LINE && f.wire == PROTO_BYTES;
		if (f.number < LOCATION_FIELDS && f.wire == PROTO_VARINT)
			n[f.number] = f.value;
	}
	if (c.bad)
		return refuse_pprof(ctx, p, "a location is damaged", start);
	index = hash_map_get(&p->mapping_of_id, n[LOCATION_MAPPING]);
	if (index)
		frame.module = p->mappings.v[*index].file;
	frame.address = n[LOCATION_ADDRESS];
	err = listed_claim(ctx, p->in, ROW_ROOM);
	if (err == 0)
		err = listed_add_location(ctx, p->in, &number);
	if (err == 0 && !hash_map_set(&p->location_of_id, n[LOCATION_ID], number))
		err = fail_memory(ctx);
	if (err == 0 && lines == 0)
		err = listed_add_frame(ctx, p->in, &frame);
	while (err == 0 && proto_next(&all, &f)) {
		uint64_t line[LINE_FIELDS] = { 0 };

		if (f.number != LOCATION_LINE || f.wire != PROTO_BYTES)
			continue;
		if (!proto_numbers(f.bytes, line, LINE_FIELDS))
			return refuse_pprof(ctx, p, "a line is damaged", f.bytes.p);
		frame.inlined = ++at < lines;
		/* The function itself is always there, whatever is inlined in it. */
		if (frame.inlined && at >= LINES_MOST)
			continue;
		index = hash_map_get(&p->function_of_id, line[LINE_FUNCTION]);
		frame.name = frame.file = (struct printed_part){ 0 };
		frame.line = 0;
		if (index) {
			frame.name = p->functions.v[*index].name;
			frame.file = p->functions.v[*index].file;
			frame.line = p->functions.v[*index].line;
		}
		err = listed_add_frame(ctx, p->in, &frame);
	}
	return err;
}

/* Who a sample is of, as far as its labels tell. */
struct pprof_owner {
	struct printed_part comm;
	uint32_t pid, tid;
	bool has_pid, has_tid;
};

static int find_owner(struct context *ctx, struct pprof *p, const struct pprof_owner *o,
		      uint32_t *ret)
{
	struct listed_thread thread = { UINT32_MAX, UINT32_MAX, 0 };
	const uint32_t *known;
	uint64_t key;
	int err;

	*ret = LISTED_NOBODY;
	if (!o->comm.size && !o->has_pid && !o->has_tid)
		return 0;
	if (o->comm.size && listed_add_name(ctx, p->in, o->comm, &thread.comm) < 0)
		return -ENOMEM;
	key = hash_u64((uint64_t)o->pid << 32 | o->tid);
	key = hash_u64(key ^ (uint64_t)thread.comm << 2 ^ (uint64_t)o->has_tid << 1 ^
		       o->has_pid);
	known = hash_map_get(&p->thread_of, key);
	if (known) {
		*ret = *known;
		return 0;
	}
	thread.tid = o->has_tid
			     ? o->tid
			     : THREAD_WITHOUT_NUMBER + (uint32_t)p->listed->threads.count;
	thread.pid = o->has_pid ? o->pid : thread.tid;
	p->in->rec.pids_printed |= o->has_pid;
	err = listed_claim(ctx, p->in, ROW_ROOM);
	if (err == 0)
		err = listed_add_thread(ctx, p->in, thread, ret);
	if (err == 0 && !hash_map_set(&p->thread_of, key, *ret))
		err = fail_memory(ctx);
	return err;
}

/* Labels of one sample: who it is of, and what else is to be kept. */
static int take_labels(struct context *ctx, struct pprof *p, struct cursor c,
		       struct listed_sample *sample)
{
	struct pprof_owner owner = { 0 };
	struct proto_field f;
	int err = 0;

	sample->labels = (uint32_t)p->listed->labels.count;
	while (err == 0 && proto_next(&c, &f)) {
		uint64_t n[LABEL_FIELDS] = { 0 };
		struct listed_label label;
		bool is_comm, is_id;

		if (f.number != SAMPLE_LABEL || f.wire != PROTO_BYTES)
			continue;
		if (!proto_numbers(f.bytes, n, LABEL_FIELDS))
			return refuse_pprof(ctx, p, "a label is damaged", f.bytes.p);
		label = (struct listed_label){
			.key = pprof_string(p, n[LABEL_KEY]),
			.text = pprof_string(p, n[LABEL_TEXT]),
			.unit = pprof_string(p, n[LABEL_UNIT]),
			.number = (int64_t)n[LABEL_NUMBER],
			.is_number = n[LABEL_TEXT] == 0,
		};
		is_comm = !label.is_number && pprof_text_is(&label.key, "comm");
		is_id = label.is_number && label.number >= 0 && label.number <= INT32_MAX;
		/* The name of a thread goes for the program's where there is none. */
		if (is_comm || (!label.is_number && !owner.comm.size &&
				(pprof_text_is(&label.key, "thread") ||
				 pprof_text_is(&label.key, "thread_name") ||
				 pprof_text_is(&label.key, "thread name"))))
			owner.comm = label.text;
		if (is_id && pprof_text_is(&label.key, "pid")) {
			owner.pid = (uint32_t)label.number;
			owner.has_pid = true;
		} else if (is_id && pprof_text_is(&label.key, "tid")) {
			owner.tid = (uint32_t)label.number;
			owner.has_tid = true;
		}
		if (!is_comm && p->listed->keeps_labels &&
		    p->listed->labels.count - sample->labels < LABELS_MOST)
			err = listed_add_label(ctx, p->in, &label);
	}
	sample->label_count = (uint32_t)p->listed->labels.count - sample->labels;
	return err < 0 ? err : find_owner(ctx, p, &owner, &sample->thread);
}

/* The stack: a list of locations that begins at the leaf, so its nodes are made from its end on. */
static int take_stack(struct context *ctx, struct pprof *p, struct cursor c,
		      uint32_t *ret)
{
	struct listed *l = p->listed;
	size_t before = l->nodes.count, first, last;
	struct proto_field f;
	uint64_t id;
	uint32_t node;
	int err = 0;

	*ret = 0;
	while (err == 0 && proto_next(&c, &f)) {
		if (f.number != SAMPLE_LOCATION)
			continue;
		while (err == 0 && proto_next_number(&f, &id)) {
			const uint32_t *location = hash_map_get(&p->location_of_id, id);

			if (!location)
				return refuse_pprof(
					ctx, p,
					"a sample has a location that is not there", c.p);
			/* The next one is its caller. */
			err = listed_add_node(
				ctx, p->in, (struct listed_node){ 0, *location }, &node);
			if (err == 0)
				l->nodes.v[node].parent = node + 1;
		}
		if (f.bytes.bad)
			return refuse_pprof(ctx, p, "a sample is damaged", c.p);
	}
	first = before;
	last = l->nodes.count;
	if (err < 0 || first == last)
		return err;
	l->nodes.v[last - 1].parent = 0;
	*ret = (uint32_t)first;
	return 0;
}

static int take_pprof_sample(struct context *ctx, struct pprof *p, struct cursor c)
{
	struct listed_sample sample = { .time = p->listed->samples.count };
	uint64_t values[TYPES_MOST], value, times;
	const uint8_t *start = c.p;
	struct cursor all = c;
	struct proto_field f;
	size_t count = 0;
	int err;

	while (proto_next(&c, &f)) {
		while (f.number == SAMPLE_VALUE && count <= p->type_count &&
		       proto_next_number(&f, &value)) {
			if (count < p->type_count)
				values[count] = value;
			count++;
		}
		c.bad |= f.bytes.bad;
	}
	if (c.bad || count != p->type_count)
		return refuse_pprof(
			ctx, p,
			c.bad ? "a sample is damaged"
			      : "a sample has not as many values as there are "
				"types of them",
			start);
	err = take_stack(ctx, p, all, &sample.node);
	if (err == 0)
		err = take_labels(ctx, p, all, &sample);
	for (size_t i = 0; err == 0 && i < count; i++) {
		const struct pprof_type *type = &p->types[i];

		if ((int64_t)values[i] < 0)
			p->below_zero++;
		if ((int64_t)values[i] <= 0)
			continue;
		if (__builtin_mul_overflow(values[i], type->scale, &sample.weight))
			return refuse_pprof(ctx, p, "a value is too large", start);
		sample.event = type->event;
		/* "samples/count cpu/nanoseconds", "alloc_objects/count alloc_space/bytes": how
		 * many they are stands before what they weigh. */
		times = type->is_count			    ? values[i]
			: i > 0 && p->types[i - 1].is_count ? values[i - 1]
							    : 1;
		sample.times = times > 0 && times < UINT32_MAX ? (uint32_t)times : 1;
		err = listed_add_sample(ctx, p->in, &sample);
	}
	return err;
}

/* Numbers of the profile, and comments, of which flamefold's own first one is a command line. */
static int take_facts(struct context *ctx, struct pprof *p, const uint64_t *facts,
		      struct cursor period_type, uint64_t comment)
{
	uint64_t n[TYPE_FIELDS] = { 0 };
	struct recording *rec = &p->in->rec;
	struct printed_part text = pprof_string(p, comment), type;

	rec->recorded =
		facts[PROFILE_TIME] <= INT64_MAX ? facts[PROFILE_TIME] / 1000000000 : 0;
	rec->recorded_ns = rec->recorded ? facts[PROFILE_TIME] : 0;
	rec->last_time =
		facts[PROFILE_DURATION] <= INT64_MAX ? facts[PROFILE_DURATION] : 0;
	if (text.size && listed_add_name(ctx, p->in, text, &rec->command) < 0)
		return -ENOMEM;
	proto_numbers(period_type, n, TYPE_FIELDS);
	type = pprof_string(p, n[TYPE_NAME]);
	if (type.size && facts[PROFILE_PERIOD] <= INT64_MAX) {
		rec->period = facts[PROFILE_PERIOD];
		if (listed_add_name(ctx, p->in, type, &rec->period_name) < 0 ||
		    listed_add_name(ctx, p->in, pprof_string(p, n[TYPE_UNIT]),
				    &rec->period_unit) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < p->type_count; i++)
		if (p->types[i].name.size == type.size &&
		    memcmp(p->types[i].name.text, type.text, type.size) == 0 &&
		    facts[PROFILE_PERIOD] <= INT64_MAX)
			rec->events.v[p->types[i].event].period =
				facts[PROFILE_PERIOD] * p->types[i].scale;
	return 0;
}

/* The first time through: strings, and what has types. Rows of tables are taken when all strings are
 * known. */
static int parse_tables(struct context *ctx, struct pprof *p)
{
	struct cursor c = cursor_of(p->listed->bytes, p->listed->size), again = c;
	struct cursor period_type = cursor_of(NULL, 0), types[TYPES_MOST];
	uint64_t facts[PROFILE_FIELDS] = { 0 }, comment = 0, number;
	const uint8_t *at = c.p;
	struct proto_field f;
	int err = 0;

	for (; proto_next(&c, &f); at = c.p) {
		struct printed_part *string;

		if (f.number < PROFILE_FIELDS && !is_profile_field(&f))
			return refuse_pprof(ctx, p, "a field is of another kind", at);
		if (f.number < PROFILE_FIELDS && f.wire == PROTO_VARINT)
			facts[f.number] = f.value;
		if (f.number == PROFILE_COMMENT && !comment &&
		    proto_next_number(&f, &number))
			comment = number;
		if (f.number == PROFILE_PERIOD_TYPE)
			period_type = f.bytes;
		if (f.number == PROFILE_TYPE && p->type_count == TYPES_MOST)
			return refuse_pprof(ctx, p, "it has too many types of values",
					    at);
		if (f.number == PROFILE_TYPE)
			types[p->type_count++] = f.bytes;
		if (f.number != PROFILE_STRING)
			continue;
		if (listed_claim(ctx, p->in, sizeof(*string)) < 0)
			return -EFBIG;
		string = array_add(&p->strings);
		if (!string)
			return fail_memory(ctx);
		*string = (struct printed_part){ (const char *)f.bytes.p,
						 cursor_left(&f.bytes) };
	}
	if (c.bad)
		return refuse_pprof(ctx, p, "its bytes are damaged or cut", at);
	for (size_t i = 0; i < p->type_count; i++) {
		uint64_t n[TYPE_FIELDS] = { 0 };

		if (!proto_numbers(types[i], n, TYPE_FIELDS))
			return refuse_pprof(ctx, p, "a type is damaged", types[i].p);
		p->types[i].name = pprof_string(p, n[TYPE_NAME]);
		p->types[i].unit = pprof_string(p, n[TYPE_UNIT]);
	}
	while (err == 0 && proto_next(&again, &f))
		if (f.number == PROFILE_MAPPING || f.number == PROFILE_FUNCTION)
			err = note_table_row(ctx, p, &f);
	if (err == 0)
		err = make_events(ctx, p, facts[PROFILE_DEFAULT_TYPE]);
	if (err == 0)
		err = take_facts(ctx, p, facts, period_type, comment);
	return err < 0 ? err : note_build_ids(ctx, p);
}

static int parse_pprof(struct context *ctx, struct input *in, struct listed *l)
{
	struct pprof p = { .in = in, .listed = l };
	int err = parse_tables(ctx, &p);

	for (int pass = PROFILE_LOCATION; err == 0; pass = PROFILE_SAMPLE) {
		struct cursor c = cursor_of(l->bytes, l->size);
		struct proto_field f;

		while (err == 0 && proto_next(&c, &f)) {
			if (f.number != (uint64_t)pass)
				continue;
			err = pass == PROFILE_LOCATION
				      ? take_location(ctx, &p, f.bytes)
				      : take_pprof_sample(ctx, &p, f.bytes);
		}
		if (pass == PROFILE_SAMPLE)
			break;
	}
	if (err == 0 && p.below_zero)
		warn(ctx,
		     "'%s': left out %llu values below zero, as of a difference: "
		     "flamefold diff compares two profiles",
		     in->file.path, (unsigned long long)p.below_zero);
	array_release(&p.strings);
	array_release(&p.mappings);
	array_release(&p.functions);
	hash_map_release(&p.mapping_of_id);
	hash_map_release(&p.function_of_id);
	hash_map_release(&p.location_of_id);
	hash_map_release(&p.thread_of);
	return err;
}

int pprof_open(struct context *ctx, struct input *in)
{
	struct listed *l;
	int err = listed_read(ctx, in, &l);

	if (err < 0)
		return err;
	l->parse = parse_pprof;
	in->rec.format = "profile of pprof";
	in->rec.shares_samples = in->rec.has_no_times = true;
	return listed_open(ctx, in, l);
}
