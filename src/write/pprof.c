/*
 * perftools.profiles.Profile (google/pprof, proto/profile.proto), packed by gzip. Fields may come in any
 * order, and strings are known when all else was written, so their table is last and one pass does.
 *
 *	sample_type, period ...    what values are
 *	sample *                   locations, the leaf first, and values; the process is a label
 *	mapping *, location *, function *
 *	string_table *
 *
 * What `pprof -diff_base` makes of two profiles is one as well: samples of the first have values below
 * zero and the label pprof::base, and percentages are of them. So a difference is written, as it was read:
 * no scale, for who reads it has -normalize.
 *
 * Locations have no address, as none is known for a function of a tree: nothing is invented, so
 * pprof's -disasm has nothing to show, and all else works.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/gzip.h"
#include "write/locations.h"
#include "write/proto.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	LABEL_UNIT = 4,
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5,
};

/* A label as it is in the table of strings. */
struct pprof_label {
	uint32_t key, text, unit;
	uint64_t number;
	bool is_known;
};

struct pprof_writer {
	struct exchange e;
	struct locations locations;
	struct intern strings;
	/* Strings of labels are known after the first sample that has them. */
	uint32_t comm, pid, tid;
	ARRAY(struct pprof_label) labels; /* by function: those of its name */
	/* Of each sample, in this order: columns. */
	uint32_t values[COLUMNS_FURTHER + 2];
	size_t value_count;
	struct gzip gzip;
	struct text all; /* on its way to gzip */
	struct text message, part; /* being made: one of Profile's, and one in that */
};

static uint64_t bytes_number(struct pprof_writer *w, const char *bytes, size_t size)
{
	uint32_t id = 0;

	if (intern_add(&w->strings, bytes, size, &id) < 0)
		w->all.failed = true;
	return id;
}

static uint64_t string_number(struct pprof_writer *w, const char *string)
{
	return string ? bytes_number(w, string, strlen(string)) : 0;
}

/* The message is whole: it goes out. */
static void put_message(struct pprof_writer *w, unsigned field)
{
	w->all.failed |= w->message.failed | w->part.failed;
	proto_bytes(&w->all, field, w->message.bytes ? w->message.bytes : "",
		    w->message.size);
	text_clear(&w->message);
	gzip_drain(&w->gzip, &w->all);
}

static void put_pprof_part(struct pprof_writer *w, unsigned field)
{
	proto_bytes(&w->message, field, w->part.bytes ? w->part.bytes : "", w->part.size);
	text_clear(&w->part);
}

static void put_value_type(struct pprof_writer *w, unsigned field, const char *type,
			   const char *unit)
{
	proto_number(&w->message, TYPE_TYPE, string_number(w, type));
	proto_number(&w->message, TYPE_UNIT, string_number(w, unit));
	put_message(w, field);
}

/* A profile that was pprof's has its values in their order; any other one how many samples there are, and
 * what they weigh. */
static void choose_values(struct pprof_writer *w)
{
	const struct write_values *values = w->e.facts->values;
	uint32_t further = COLUMN_ROLES, end = w->e.view.columns->count;

	if (!values && w->e.has_samples)
		w->values[w->value_count++] = COLUMN_SAMPLES;
	while (values && further < end && w->value_count < values->before)
		w->values[w->value_count++] = further++;
	w->values[w->value_count++] = COLUMN_WEIGHT;
	while (values && further < end)
		w->values[w->value_count++] = further++;
}

/* As pprof calls them: things are counted, and the type says which. */
static const char *unit_of_value(const char *type, const char *unit)
{
	return strcmp(unit, "ns") == 0	    ? "nanoseconds"
	       : strcmp(unit, "bytes") == 0 ? unit
	       : strcmp(unit, type) == 0    ? "count"
					    : unit;
}

/* A heap profile counts bytes of "space" between two samples, which is none of its values. */
static void put_period(struct pprof_writer *w, const char *type, const char *unit)
{
	const struct write_facts *f = w->e.facts;
	uint64_t period = f->period ? f->period
			  : f->frequency && strcmp(unit, "nanoseconds") == 0
				  ? 1000000000 / f->frequency
				  : 1;

	if (f->values && f->values->period_name) {
		type = f->values->period_name;
		unit = f->values->period_unit;
		period = f->values->period;
	}
	put_value_type(w, PROFILE_PERIOD_TYPE, type, unit);
	proto_number(&w->all, PROFILE_PERIOD, period);
}

static void put_types(struct pprof_writer *w)
{
	const struct write_facts *f = w->e.facts;
	const struct column *columns = w->e.view.columns->v;
	const char *type = f->values ? f->values->name : w->e.type;
	char unit[48];

	/* Numbers are whole here: fractions of folded text are counted in their last digit. */
	if (w->e.view.decimals)
		snprintf(unit, sizeof(unit), "1e-%u %s", w->e.view.decimals, w->e.unit);
	else
		snprintf(unit, sizeof(unit), "%s",
			 f->values ? unit_of_value(type, f->values->unit) : w->e.unit);
	for (size_t i = 0; i < w->value_count; i++) {
		const struct column *c = &columns[w->values[i]];

		if (w->values[i] == COLUMN_WEIGHT)
			put_value_type(w, PROFILE_SAMPLE_TYPE, type, unit);
		else
			put_value_type(w, PROFILE_SAMPLE_TYPE, c->name,
				       unit_of_value(c->name, c->unit));
	}
	put_period(w, type, unit);
	/* Without it the last one is what pprof shows. */
	if (w->values[w->value_count - 1] != COLUMN_WEIGHT)
		proto_number(&w->all, PROFILE_DEFAULT_TYPE, string_number(w, type));
	/* The exact time, unless it is that of another input. */
	proto_number(&w->all, PROFILE_TIME,
		     f->values && f->values->recorded_ns / 1000000000 == f->recorded
			     ? f->values->recorded_ns
			     : f->recorded * 1000000000);
	proto_number(&w->all, PROFILE_DURATION, f->duration);
	if (f->command)
		proto_number(&w->all, PROFILE_COMMENT, string_number(w, f->command));
	if (f->host)
		proto_number(&w->all, PROFILE_COMMENT, string_number(w, f->host));
}

static void put_pprof_label(struct pprof_writer *w, const struct pprof_label *label)
{
	proto_number(&w->part, LABEL_KEY, label->key);
	proto_number(&w->part, LABEL_TEXT, label->text);
	proto_number(&w->part, LABEL_NUMBER, label->number);
	proto_number(&w->part, LABEL_UNIT, label->unit);
	put_pprof_part(w, SAMPLE_LABEL);
}

/* What a node stands for that is a process or a label: the same for all that have its function. */
static struct pprof_label *pprof_label_of(struct pprof_writer *w, uint32_t node)
{
	struct pprof_label *label = &w->labels.v[exchange_node(&w->e, node)->function];

	if (label->is_known)
		return label;
	label->is_known = true;
	if (exchange_is_label(&w->e, node)) {
		struct sample_label l = exchange_label(&w->e, node);

		label->key = (uint32_t)string_number(w, l.key);
		if (l.unit) {
			label->number = strtoull(l.value, NULL, 10);
			label->unit = (uint32_t)bytes_number(w, l.unit, l.unit_size);
		} else {
			label->text = (uint32_t)string_number(w, l.value);
		}
	} else {
		struct process_name p = exchange_process(&w->e, node);

		label->key = w->comm;
		label->text = (uint32_t)bytes_number(w, p.comm, p.size);
	}
	return label;
}

static void put_pprof_sample(struct pprof_writer *w, uint32_t node, uint64_t value,
			     bool is_base)
{
	uint32_t process = locations_process(&w->locations, node);
	uint32_t leaf = locations_leaf(&w->locations, node), at = leaf;
	bool has_pid = false, has_tid = false;

	if (w->locations.of_node[at] == 0)
		at = 0;
	while (at)
		proto_varint(&w->part, locations_next(&w->locations, &at));
	put_pprof_part(w, SAMPLE_LOCATION);
	for (size_t i = 0; i < w->value_count; i++) {
		uint32_t column = w->values[i];

		if (column == COLUMN_WEIGHT)
			proto_varint(&w->part, is_base ? -value : value);
		else
			proto_varint(&w->part, view_value(&w->e.view, node, column));
	}
	put_pprof_part(w, SAMPLE_VALUE);
	for (at = node; at != leaf; at = exchange_node(&w->e, at)->parent) {
		const struct pprof_label *label = pprof_label_of(w, at);

		has_pid |= label->key == w->pid;
		has_tid |= label->key == w->tid;
		put_pprof_label(w, label);
	}
	if (is_base)
		put_pprof_label(w,
				&(struct pprof_label){
					.key = (uint32_t)string_number(w, "pprof::base"),
					.text = (uint32_t)string_number(w, "true") });
	if (process) {
		struct process_name p = exchange_process(&w->e, process);

		if (p.size)
			put_pprof_label(w, pprof_label_of(w, process));
		if (p.pid && !has_pid)
			put_pprof_label(w, &(struct pprof_label){ .key = w->pid,
								  .number = p.pid });
		if (p.tid && !has_tid)
			put_pprof_label(w, &(struct pprof_label){ .key = w->tid,
								  .number = p.tid });
	}
	put_message(w, PROFILE_SAMPLE);
}

/* What samples are lists of. line[0] of a location is the innermost of what was inlined there, and the
 * last one the function itself. */
static void put_pprof_code(struct pprof_writer *w)
{
	const struct locations *l = &w->locations;

	for (size_t i = 1; i < l->modules.count; i++) {
		const struct write_module *m = &l->modules.v[i];

		proto_number(&w->message, MAPPING_ID, i);
		proto_number(&w->message, MAPPING_FILE, string_number(w, m->path));
		proto_number(&w->message, MAPPING_BUILD_ID,
			     string_number(w, *m->build_id ? m->build_id : NULL));
		/* Else pprof looks for symbols on the machine where it runs. */
		for (unsigned field = MAPPING_HAS_FUNCTIONS; field <= MAPPING_HAS_INLINES;
		     field++)
			proto_number(&w->message, field, 1);
		put_message(w, PROFILE_MAPPING);
	}
	for (uint32_t i = 1; i < l->list.count; i++) {
		if (!l->list.v[i].used)
			continue;
		proto_number(&w->message, LOCATION_ID, i);
		proto_number(&w->message, LOCATION_MAPPING, l->list.v[i].module);
		for (uint32_t at = i; at; at = l->list.v[at].outer) {
			proto_number(&w->part, LINE_FUNCTION,
				     numbering_of(&w->e, &l->functions, NUMBER_FUNCTIONS,
						  l->list.v[at].node) +
					     1);
			put_pprof_part(w, LOCATION_LINE);
		}
		put_message(w, PROFILE_LOCATION);
	}
	for (size_t i = 0; i < l->functions.nodes.count; i++) {
		uint32_t node = l->functions.nodes.v[i];
		const struct function *f = exchange_function(&w->e, node);
		uint64_t name =
			string_number(w, label_text(&w->e.view.labels,
						    exchange_node(&w->e, node)->label));

		proto_number(&w->message, FUNCTION_ID, i + 1);
		proto_number(&w->message, FUNCTION_NAME, name);
		proto_number(&w->message, FUNCTION_SYSTEM_NAME, name);
		proto_number(&w->message, FUNCTION_FILE,
			     string_number(w, exchange_text(&w->e, f->file)));
		proto_number(&w->message, FUNCTION_START, f->line);
		put_message(w, PROFILE_FUNCTION);
	}
}

/* Values have a sign, and who reads them adds them up. */
static bool column_fits(const struct pprof_writer *w, uint32_t column)
{
	uint64_t sum = 0;
	bool fits = true;

	for (uint32_t i = 0; i < w->e.view.nodes.count; i++)
		fits &= !__builtin_add_overflow(sum, view_value(&w->e.view, i, column),
						&sum);
	return fits && sum <= INT64_MAX;
}

int write_pprof(struct context *ctx, const struct tree_source *in,
		const struct write_options *options, FILE *out)
{
	struct pprof_writer w = { 0 };
	int err = exchange_open(ctx, in, options, VIEW_BY_FUNCTION | EXCHANGE_DIFFERENCES,
				&w.e);
	bool fits;

	if (err < 0)
		return err;
	choose_values(&w);
	fits = column_fits(&w, COLUMN_BEFORE);
	for (size_t i = 0; i < w.value_count; i++)
		fits &= column_fits(&w, w.values[i]);
	if (!fits)
		err = fail(
			ctx, -EOVERFLOW,
			"all weighs more than 2^63, which is more than pprof's numbers "
			"hold: --count=samples weighs by samples");
	else if (intern_init(&w.strings) < 0 || locations_make(&w.e, &w.locations) < 0 ||
		 gzip_open(&w.gzip, out) < 0)
		err = fail_memory(ctx);
	if (err == 0 && !array_reserve(&w.labels, w.e.in.symbols->functions.count + 1))
		err = fail_memory(ctx);
	if (err == 0) {
		memset(w.labels.v, 0, w.labels.room * sizeof(*w.labels.v));
		put_types(&w);
		w.comm = (uint32_t)string_number(&w, "comm");
		w.pid = (uint32_t)string_number(&w, "pid");
		w.tid = (uint32_t)string_number(&w, "tid");
		for (uint32_t i = 0; i < w.e.view.nodes.count; i++) {
			uint64_t base = view_value(&w.e.view, i, COLUMN_BEFORE);
			uint64_t self = exchange_node(&w.e, i)->self;

			if (base)
				put_pprof_sample(&w, i, base, true);
			if (self || (!base && exchange_has_sample(&w.e, i)))
				put_pprof_sample(&w, i, self, false);
		}
		put_pprof_code(&w);
		for (size_t i = 0; i < w.strings.texts.count; i++) {
			proto_string(&w.all, PROFILE_STRING,
				     intern_text(&w.strings, (uint32_t)i));
			gzip_drain(&w.gzip, &w.all);
		}
		err = gzip_end(ctx, &w.gzip, &w.all);
	}
	text_release(&w.message);
	text_release(&w.part);
	array_release(&w.labels);
	intern_release(&w.strings);
	locations_release(&w.locations);
	exchange_close(&w.e);
	return err;
}
