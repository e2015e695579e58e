/*
 * OpenTelemetry's profiles, opentelemetry.proto.profiles.v1development as of release 1.11.0 of the proto,
 * in its state "alpha": ProfilesData in protocol buffers.
 *
 *	resource_profiles    host and command; below it a profile for each kind of value
 *	  samples            (stack, attributes), value; the process is an attribute
 *	dictionary           mappings, locations, functions, strings, attributes, stacks
 *
 * Entry 0 of each table is there and empty. Sizes stand before messages, and these are as large as the
 * tree, so all is gone over twice: once it is measured, then it is written. What that gives numbers to
 * gets the same ones again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/locations.h"
#include "write/proto.h"

enum {
	DATA_RESOURCES = 1,
	DATA_DICTIONARY = 2,
	RESOURCES_RESOURCE = 1,
	RESOURCES_SCOPES = 2,
	SCOPES_SCOPE = 1,
	SCOPES_PROFILES = 2,
	PROFILE_TYPE = 1,
	PROFILE_SAMPLES = 2,
	PROFILE_TIME = 3,
	PROFILE_DURATION = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
	TABLE_MAPPINGS = 1,
	TABLE_LOCATIONS = 2,
	TABLE_FUNCTIONS = 3,
	TABLE_LINKS = 4,
	TABLE_STRINGS = 5,
	TABLE_ATTRIBUTES = 6,
	TABLE_STACKS = 7,
	MAPPING_FILE = 4,
	MAPPING_ATTRIBUTES = 5,
	LOCATION_MAPPING = 1,
	LOCATION_LINES = 3,
	LOCATION_ATTRIBUTES = 4,
	ANY_TEXT = 1,
	ANY_NUMBER = 3,
};

/* What separates the key of an attribute from its value, and whether that is a number. */
enum { IS_TEXT = '\1', IS_NUMBER = '\2' };

struct otlp_writer {
	struct exchange e;
	struct locations locations;
	struct intern strings, attributes;
	uint32_t *stack_of_node; /* 0: the empty stack */
	ARRAY(uint32_t) stacks; /* by number: a node that has it */
	uint32_t *
		attributes_of; /* by location its kind's, then by mapping its build id's; 0: none */
	/* Of the process of the last sample: its attributes, 0 where there is none. */
	uint32_t process, of_process[3];
	bool measures;
	uint64_t size; /* measured */
	struct sink sink;
	struct text message, part; /* being made */
};

static void put_otlp(struct otlp_writer *w, unsigned field)
{
	struct text *m = &w->message;

	w->sink.text.failed |= m->failed | w->part.failed;
	if (w->measures)
		w->size += proto_begin_size(field, m->size) + m->size;
	else
		proto_bytes(&w->sink.text, field, m->bytes ? m->bytes : "", m->size);
	text_clear(m);
	sink_drain(&w->sink);
}

static void put_part(struct otlp_writer *w, unsigned field)
{
	proto_bytes(&w->message, field, w->part.bytes ? w->part.bytes : "", w->part.size);
	text_clear(&w->part);
}

static uint32_t otlp_number(struct otlp_writer *w, struct intern *in, const char *text)
{
	uint32_t id = 0;

	if (text && intern_add(in, text, strlen(text), &id) < 0)
		w->sink.text.failed = true;
	return id;
}

/* "thread.name" and a value; 0: there is none. */
static uint32_t attribute(struct otlp_writer *w, const char *key, const char *value,
			  size_t size)
{
	struct text t = { 0 };
	uint32_t id = 0;

	text_printf(&t, "%s%c", key, IS_TEXT);
	text_add(&t, value, size);
	if (!t.failed)
		id = otlp_number(w, &w->attributes, t.bytes);
	w->sink.text.failed |= t.failed;
	text_release(&t);
	return id;
}

static uint32_t number_attribute(struct otlp_writer *w, const char *key, uint64_t value)
{
	char text[64];

	if (!value)
		return 0;
	snprintf(text, sizeof(text), "%s%c%llu", key, IS_NUMBER,
		 (unsigned long long)value);
	return otlp_number(w, &w->attributes, text);
}

static void add_value_type(struct otlp_writer *w, const char *type, const char *unit)
{
	proto_number(&w->part, 1, otlp_number(w, &w->strings, type));
	proto_number(&w->part, 2, otlp_number(w, &w->strings, unit));
}

/* A message of a profile's head: it goes out as it is. */
static void put_bare(struct otlp_writer *w)
{
	if (w->measures)
		w->size += w->message.size;
	else
		text_add(&w->sink.text, w->message.bytes ? w->message.bytes : "",
			 w->message.size);
	text_clear(&w->message);
}

static void put_profile(struct otlp_writer *w, bool samples)
{
	const struct write_facts *f = w->e.facts;
	char unit[48];

	if (w->e.view.decimals && !samples)
		snprintf(unit, sizeof(unit), "1e-%u %s", w->e.view.decimals, w->e.unit);
	else
		snprintf(unit, sizeof(unit), "%s", samples ? "count" : w->e.unit);
	add_value_type(w, samples ? "samples" : w->e.type, unit);
	put_part(w, PROFILE_TYPE);
	proto_fixed64(&w->message, PROFILE_TIME, f->recorded * 1000000000);
	proto_number(&w->message, PROFILE_DURATION, f->duration);
	add_value_type(w, w->e.type, w->e.unit);
	put_part(w, PROFILE_PERIOD_TYPE);
	proto_number(&w->message, PROFILE_PERIOD, f->period);
	put_bare(w);
	for (uint32_t i = 0; i < w->e.view.nodes.count; i++) {
		uint64_t value = samples ? exchange_samples(&w->e, i)
					 : exchange_node(&w->e, i)->self;
		uint32_t process;

		if (!value)
			continue;
		process = locations_process(&w->locations, i);
		proto_number(&w->message, SAMPLE_STACK,
			     w->stack_of_node[locations_leaf(&w->locations, i)]);
		if (process && process != w->process) {
			struct process_name p = exchange_process(&w->e, process);

			w->process = process;
			w->of_process[0] = attribute(w, "thread.name", p.comm, p.size);
			w->of_process[1] = number_attribute(w, "process.pid", p.pid);
			w->of_process[2] = number_attribute(w, "thread.id", p.tid);
		}
		for (int k = 0; process && k < 3; k++)
			if (w->of_process[k])
				proto_varint(&w->part, w->of_process[k]);
		if (process)
			put_part(w, SAMPLE_ATTRIBUTES);
		proto_varint(&w->part, value);
		put_part(w, SAMPLE_VALUES);
		put_otlp(w, PROFILE_SAMPLES);
	}
}

static void add_resource(struct otlp_writer *w, struct text *t, const char *key,
			 const char *value)
{
	struct text any = { 0 };

	if (!value)
		return;
	proto_string(&any, ANY_TEXT, value);
	proto_string(&w->part, 1, key);
	proto_bytes(&w->part, 2, any.bytes ? any.bytes : "", any.size);
	proto_bytes(t, 1, w->part.bytes ? w->part.bytes : "", w->part.size);
	text_clear(&w->part);
	w->sink.text.failed |= any.failed | w->part.failed;
	text_release(&any);
}

static void put_resources(struct otlp_writer *w)
{
	struct text resource = { 0 }, scope = { 0 }, *out = &w->sink.text;
	uint64_t sizes[2] = { 0 }, scopes, whole;
	unsigned first = !w->e.has_samples;

	add_resource(w, &resource, "host.name", w->e.facts->host);
	add_resource(w, &resource, "process.command_line", w->e.facts->command);
	proto_string(&scope, 1, "flamefold");
	proto_string(&scope, 2, FF_VERSION);
	scopes = proto_begin_size(SCOPES_SCOPE, scope.size) + scope.size;
	for (unsigned i = first; i < 2; i++) {
		w->measures = true;
		w->size = 0;
		put_profile(w, i == 0);
		w->measures = false;
		sizes[i] = w->size;
		scopes += proto_begin_size(SCOPES_PROFILES, sizes[i]) + sizes[i];
	}
	whole = proto_begin_size(RESOURCES_RESOURCE, resource.size) + resource.size +
		proto_begin_size(RESOURCES_SCOPES, scopes) + scopes;
	proto_begin(out, DATA_RESOURCES, whole);
	proto_bytes(out, RESOURCES_RESOURCE, resource.bytes ? resource.bytes : "",
		    resource.size);
	proto_begin(out, RESOURCES_SCOPES, scopes);
	proto_bytes(out, SCOPES_SCOPE, scope.bytes ? scope.bytes : "", scope.size);
	for (unsigned i = first; i < 2; i++) {
		proto_begin(out, SCOPES_PROFILES, sizes[i]);
		put_profile(w, i == 0);
	}
	out->failed |= resource.failed | scope.failed;
	text_release(&resource);
	text_release(&scope);
}

/* Mappings, then locations, then functions: entry 0 of each first. */
static void put_code(struct otlp_writer *w)
{
	const struct locations *l = &w->locations;
	const uint32_t *kinds = w->attributes_of, *builds = kinds + l->list.count;

	for (size_t i = 0; i < l->modules.count; i++) {
		if (i)
			proto_number(&w->message, MAPPING_FILE,
				     otlp_number(w, &w->strings, l->modules.v[i].path));
		if (i && builds[i]) {
			proto_varint(&w->part, builds[i]);
			put_part(w, MAPPING_ATTRIBUTES);
		}
		put_otlp(w, TABLE_MAPPINGS);
	}
	for (uint32_t i = 0; i < l->list.count; i++) {
		proto_number(&w->message, LOCATION_MAPPING, l->list.v[i].module);
		for (uint32_t at = i; at; at = l->list.v[at].outer) {
			proto_number(&w->part, 1,
				     numbering_of(&w->e, &l->functions, NUMBER_FUNCTIONS,
						  l->list.v[at].node) +
					     1);
			put_part(w, LOCATION_LINES);
		}
		if (i && kinds[i]) {
			proto_varint(&w->part, kinds[i]);
			put_part(w, LOCATION_ATTRIBUTES);
		}
		put_otlp(w, TABLE_LOCATIONS);
	}
	put_otlp(w, TABLE_FUNCTIONS);
	for (size_t i = 0; i < l->functions.nodes.count; i++) {
		uint32_t node = l->functions.nodes.v[i];
		const struct function *f = exchange_function(&w->e, node);
		uint32_t name = otlp_number(
			w, &w->strings,
			label_text(&w->e.view.labels, exchange_node(&w->e, node)->label));

		proto_number(&w->message, 1, name);
		proto_number(&w->message, 2, name);
		proto_number(&w->message, 3,
			     otlp_number(w, &w->strings, exchange_text(&w->e, f->file)));
		proto_number(&w->message, 4, f->line);
		put_otlp(w, TABLE_FUNCTIONS);
	}
	put_otlp(w, TABLE_LINKS);
}

/* Strings last: all others give them their numbers, once more when they are measured. */
static void put_dictionary(struct otlp_writer *w)
{
	struct text any = { 0 };

	put_code(w);
	for (uint32_t i = 0; i < w->attributes.texts.count; i++) {
		const char *text = intern_text(&w->attributes, i);
		size_t size = strcspn(text, "\1\2");
		uint32_t key = 0;

		if (i && intern_add(&w->strings, text, size, &key) < 0)
			any.failed = true;
		if (i && text[size] == IS_TEXT)
			proto_string(&any, ANY_TEXT, text + size + 1);
		else if (i)
			proto_number(&any, ANY_NUMBER,
				     strtoull(text + size + 1, NULL, 10));
		proto_number(&w->message, 1, key);
		if (i)
			proto_bytes(&w->message, 2, any.bytes ? any.bytes : "", any.size);
		put_otlp(w, TABLE_ATTRIBUTES);
		text_clear(&any);
	}
	w->sink.text.failed |= any.failed;
	text_release(&any);
	put_otlp(w, TABLE_STACKS);
	for (size_t i = 1; i < w->stacks.count; i++) {
		uint32_t at = w->stacks.v[i];

		while (at)
			proto_varint(&w->part, locations_next(&w->locations, &at));
		put_part(w, 1);
		put_otlp(w, TABLE_STACKS);
	}
	for (uint32_t i = 0; i < w->strings.texts.count; i++) {
		struct text *m = &w->message;

		proto_string(m, TABLE_STRINGS, intern_text(&w->strings, i));
		put_bare(w);
		sink_drain(&w->sink);
	}
}

/* Stacks of several processes may be the same: each is in the table once. Only those are there that
 * samples have. */
static int number_stacks(struct otlp_writer *w)
{
	const struct exchange *e = &w->e;
	size_t count = e->view.nodes.count;
	uint32_t *path = calloc(count, sizeof(*path)), paths = 0;
	struct hash_map known = { 0 }, numbers = { 0 };
	int err = path && array_add(&w->stacks) ? 0 : -ENOMEM;

	for (uint32_t i = 1; err == 0 && i < count; i++) {
		const struct view_node *n = exchange_node(e, i);
		uint64_t key = (uint64_t)path[n->parent] << 32 | n->function;
		const uint32_t *same;

		if (!w->locations.of_node[i])
			continue;
		same = hash_map_get(&known, key);
		path[i] = same ? *same : ++paths;
		if (!same && !hash_map_set(&known, key, path[i]))
			err = -ENOMEM;
		if (err < 0 || (!n->self && !exchange_samples(e, i)))
			continue;
		same = hash_map_get(&numbers, path[i]);
		if (!same) {
			uint32_t *node = array_add(&w->stacks);

			if (!node || !hash_map_set(&numbers, path[i],
						   (uint32_t)w->stacks.count - 1)) {
				err = -ENOMEM;
				break;
			}
			*node = i;
		}
		w->stack_of_node[i] = same ? *same : (uint32_t)w->stacks.count - 1;
	}
	hash_map_release(&known);
	hash_map_release(&numbers);
	free(path);
	return err;
}

/* Numbers for all that samples refer to: locations, stacks, and attributes of locations (their kind, in
 * the words of the semantic conventions) and of mappings (their build ids). */
static int begin(struct otlp_writer *w)
{
	const struct locations *l = &w->locations;
	uint32_t *builds;

	if (intern_init(&w->strings) < 0 || intern_init(&w->attributes) < 0 ||
	    locations_make(&w->e, &w->locations) < 0)
		return -ENOMEM;
	w->attributes_of = calloc(l->list.count + l->modules.count, sizeof(*builds));
	w->stack_of_node = calloc(w->e.view.nodes.count, sizeof(*w->stack_of_node));
	if (!w->attributes_of || !w->stack_of_node)
		return -ENOMEM;
	builds = w->attributes_of + l->list.count;
	for (size_t i = 1; i < l->list.count; i++) {
		uint32_t at = (uint32_t)i;
		const char *kind;

		while (l->list.v[at].outer)
			at = l->list.v[at].outer;
		kind = exchange_kind(exchange_function(&w->e, l->list.v[at].node));
		/* Which runtime made code of kind "jit" is not known. */
		if (kind && strcmp(kind, "jit") != 0) {
			kind = strcmp(kind, "kernel") == 0 ? "kernel" : "native";
			w->attributes_of[i] =
				attribute(w, "profile.frame.type", kind, strlen(kind));
		}
	}
	for (size_t i = 1; i < l->modules.count; i++)
		if (*l->modules.v[i].build_id)
			builds[i] = attribute(w, "process.executable.build_id.gnu",
					      l->modules.v[i].build_id,
					      strlen(l->modules.v[i].build_id));
	return number_stacks(w);
}

int write_otlp(struct context *ctx, const struct tree_source *in,
	       const struct write_options *options, FILE *out)
{
	struct otlp_writer w = { .sink.out = out };
	int err = exchange_open(ctx, in, options, VIEW_BY_FUNCTION, &w.e);

	if (err < 0)
		return err;
	if (exchange_node(&w.e, 0)->total > INT64_MAX)
		err = fail(ctx, -EOVERFLOW,
			   "all weighs more than 2^63, which is more than OTLP's numbers "
			   "hold: --count=samples weighs by samples");
	else if (begin(&w) < 0)
		err = fail_memory(ctx);
	if (err == 0) {
		put_resources(&w);
		w.measures = true;
		w.size = 0;
		put_dictionary(&w);
		w.measures = false;
		proto_begin(&w.sink.text, DATA_DICTIONARY, w.size);
		put_dictionary(&w);
		err = sink_end(ctx, &w.sink);
	}
	text_release(&w.message);
	text_release(&w.part);
	intern_release(&w.strings);
	intern_release(&w.attributes);
	free(w.attributes_of);
	free(w.stack_of_node);
	array_release(&w.stacks);
	locations_release(&w.locations);
	exchange_close(&w.e);
	return err;
}
