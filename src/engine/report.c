/*
 * What a profile says of its recording, as bytes that a picture carries, and back: so that the
 * picture answers what the recording did.
 *
 * A list of entries, each a number of fields and the fields, texts that end in a NUL. The first
 * one is a word that says what the entry is; entries with an unknown word are passed over, and
 * so are fields behind those that are known. Documentation/svg-format.md lists them.
 *
 * Processes can be more than all the rest, so one entry has all of them, list after list: pids as the steps
 * from one to the next, names as numbers of a list. Each of these packs well by itself.
 *
 * Nothing is in it that depends on how the recording was read: by a pipe or from a file, packed
 * or not, by how many threads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/cursor.h"
#include "engine/profile.h"

/* The longest entry has 15 fields; what else one has is skipped. */
enum { FIELDS_MOST = 16 };

#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* A number as text, good for the entry that is being written. */
struct digits {
	char text[24];
};

static const char *number_text(struct digits *d, uint64_t value)
{
	snprintf(d->text, sizeof(d->text), "%" PRIu64, value);
	return d->text;
}

/*
 * An entry, as it lies in the bytes:
 *
 *	varint   text  NUL  text  NUL  ...
 *	fields   word       first field
 */
static void put_entry(struct bytes *b, const char *const *fields, size_t count)
{
	bytes_varint(b, count);
	for (size_t i = 0; i < count; i++) {
		const char *field = fields[i] ? fields[i] : "";

		bytes_add(b, field, strlen(field) + 1);
	}
}

static void put_pair(struct bytes *b, const char *word, const char *name, uint64_t value)
{
	struct digits d;
	const char *fields[] = { word, name, number_text(&d, value) };

	/* 0 is what a reader takes where there is no entry. */
	if (value)
		put_entry(b, fields, COUNT_OF(fields));
}

/* Records of the types from @first on that there are. Between perf's own and simpleperf's
 * types are 32,640 that are not counted. */
static void put_record_counts(struct bytes *b, const struct ff_input *in, unsigned first,
			      unsigned end)
{
	for (unsigned type = first; type < end; type++) {
		uint64_t records = ff_input_records(in, type);
		struct digits d;

		if (records)
			put_pair(b, "record", number_text(&d, type), records);
	}
}

static void put_recording(struct bytes *b, const struct ff_input *in)
{
	const struct ff_fact *f = NULL;
	const struct ff_event *e = NULL;
	struct digits d[7];

	while ((f = ff_fact_next(FF_VIEW_PICTURE, FF_FACT_TEXT, f))) {
		const char *fields[] = { "text", f->key, ff_input_text(in, f->which) };

		if (fields[2])
			put_entry(b, fields, COUNT_OF(fields));
	}
	while ((f = ff_fact_next(FF_VIEW_PICTURE, FF_FACT_COUNT, f)))
		put_pair(b, "count", f->key, ff_input_count(in, f->which));
	while ((e = ff_event_next(in, e))) {
		const char *fields[] = {
			"event",
			ff_event_name(e),
			number_text(&d[0], ff_event_samples(e)),
			number_text(&d[1], ff_event_count(e, FF_EVENT_DELIVERED)),
			number_text(&d[2], ff_event_count(e, FF_EVENT_FREQUENCY)),
			number_text(&d[3], ff_event_count(e, FF_EVENT_PERIOD)),
			number_text(&d[4], ff_event_count(e, FF_EVENT_MAX_STACK)),
			number_text(&d[5], ff_event_count(e, FF_EVENT_USER_STACK)),
			number_text(&d[6], e->recorded->sample_type),
		};

		put_entry(b, fields, COUNT_OF(fields));
	}
	put_record_counts(b, in, 0, RECORD_TYPES);
	put_record_counts(b, in, RECORD_SIMPLEPERF, RECORD_SIMPLEPERF + SIMPLEPERF_TYPES);
}

static void put_object_entry(struct bytes *b, const struct ff_object *o)
{
	struct digits d[9];
	const char *fields[] = {
		"object",
		ff_object_path(o),
		number_text(&d[0], ff_object_kind(o)),
		ff_object_build_id(o),
		ff_object_file(o),
		ff_object_debug_file(o),
		ff_object_problem(o),
		number_text(&d[1], ff_object_names(o)),
		/* What of it can be said by a bit. */
		number_text(&d[2], (uint64_t)(ff_object_has_debug_info(o) != 0) |
					   (uint64_t)(ff_object_refused(o) != 0) << 1),
		number_text(&d[3], ff_object_weight(o)),
		number_text(&d[4], ff_object_weight_unnamed(o)),
		number_text(&d[5], ff_object_addresses(o)),
		number_text(&d[6], ff_object_addresses_unnamed(o)),
		number_text(&d[7], ff_object_runtime(o)),
		number_text(&d[8], ff_object_entries(o)),
	};

	put_entry(b, fields, COUNT_OF(fields));
}

/* Two processes of one pid are one in the list, so there are no equal ones. */
static int processes_by_pid(const void *a, const void *b)
{
	const struct ff_process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void put_text(struct bytes *b, const char *text)
{
	bytes_add(b, text, strlen(text) + 1);
}

static void put_decimal(struct bytes *b, uint64_t value)
{
	struct digits d;

	put_text(b, number_text(&d, value));
}

/*
 * @v: by pid; @name: of each its number among @names. Of sh 7, cc1 8 and sh 13, which have 10, 20 and 5 samples:
 *
 *	processes  3  3   ""  cc1  sh     7 1 5     2 1 2     10 20 5
 *	                  names           pids      names     samples
 */
static void put_process_lists(struct bytes *b, const struct ff_process *v, size_t count,
			      const uint32_t *name, const struct intern *names)
{
	bytes_varint(b, 3 + names->texts.count + 3 * count);
	put_text(b, "processes");
	put_decimal(b, count);
	put_decimal(b, names->texts.count);
	for (uint32_t i = 0; i < names->texts.count; i++)
		put_text(b, intern_text(names, i));
	for (size_t i = 0; i < count; i++)
		put_decimal(b, v[i].pid - (i ? v[i - 1].pid : 0));
	for (size_t i = 0; i < count; i++)
		put_decimal(b, name[i]);
	for (size_t i = 0; i < count; i++)
		put_decimal(b, v[i].samples);
}

/* Names are numbered as the list has them, whose first processes have the most samples: those that many
 * have get short numbers. */
static int put_processes(struct bytes *b, const struct process_list *all)
{
	size_t count = all->list.count;
	struct ff_process *by_pid = malloc(count * sizeof(*by_pid));
	uint32_t *name = malloc(count * sizeof(*name)), id;
	struct intern names;
	int err = intern_init(&names);

	if (!by_pid || !name)
		err = -ENOMEM;
	for (size_t i = 0; i < count && err == 0; i++) {
		const char *comm = all->list.v[i].comm;

		by_pid[i] = all->list.v[i];
		err = comm ? intern_add(&names, comm, strlen(comm), &id) : 0;
	}
	if (err == 0) {
		qsort(by_pid, count, sizeof(*by_pid), processes_by_pid);
		for (size_t i = 0; i < count; i++) {
			const char *comm = by_pid[i].comm ? by_pid[i].comm : "";

			intern_find(&names, comm, strlen(comm), &name[i]);
		}
		put_process_lists(b, by_pid, count, name, &names);
	}
	intern_release(&names);
	free(by_pid);
	free(name);
	return err;
}

int report_write(const struct ff_profile *p, struct bytes *ret)
{
	const struct ff_fact *f = NULL;
	bool recorded = false;
	struct digits d[2];
	int err = 0;

	/* Folded text says nothing of itself. */
	for (size_t i = 0; i < p->inputs.count; i++)
		recorded |= p->inputs.v[i]->report ||
			    input_recording(p->inputs.v[i]->input)->form;
	if (!recorded)
		return 0;
	/* Of several inputs only what is true of all is kept: totals, processes, objects,
	 * findings. */
	if (p->inputs.count == 1)
		put_recording(ret, p->inputs.v[0]);
	while ((f = ff_fact_next(FF_VIEW_PICTURE, FF_FACT_TOTAL, f)))
		put_pair(ret, "stacks", f->key, ff_profile_total(p, f->which));
	if (p->collected.processes.list.count)
		err = put_processes(ret, &p->collected.processes);
	for (size_t i = 0; i < p->objects.count; i++)
		put_object_entry(ret, &p->objects.v[i]);
	for (size_t i = 0; i < p->findings.count; i++) {
		const struct ff_finding *found = &p->findings.v[i];
		const char *fields[] = {
			"finding",
			found->kind,
			found->cause,
			found->remedy,
			number_text(&d[0], found->part),
			number_text(&d[1], found->whole),
		};

		put_entry(ret, fields, COUNT_OF(fields));
	}
	return ret->failed ? -ENOMEM : err;
}

/* A report that is read. */
struct taking {
	struct ff_profile *p;
	struct ff_input *in;
	struct saved_report *report;
	const char *fields[FIELDS_MOST]; /* "" where the entry has no more */
	uint64_t count; /* of its fields */
};

/* "" and whatever is no number are 0. */
static uint64_t number_at(const struct taking *t, size_t field)
{
	return strtoull(t->fields[field], NULL, 10);
}

/* Copied to the profile; NULL where it is empty. */
static int copied_text(struct taking *t, const char *text, const char **ret)
{
	uint32_t id;

	*ret = NULL;
	if (!*text)
		return 0;
	if (intern_add(&t->p->strings, text, strlen(text), &id) < 0)
		return -ENOMEM;
	*ret = intern_text(&t->p->strings, id);
	return 0;
}

static int text_at(struct taking *t, size_t field, const char **ret)
{
	return copied_text(t, t->fields[field], ret);
}

static int take_text_entry(struct taking *t)
{
	const struct ff_fact *f = fact_of_key(FF_FACT_TEXT, t->fields[1]);

	return f ? text_at(t, 2, &t->report->texts[f->which]) : 0;
}

static int take_count_entry(struct taking *t)
{
	const struct ff_fact *f = fact_of_key(FF_FACT_COUNT, t->fields[1]);

	if (f)
		t->report->counts[f->which] = number_at(t, 2);
	return 0;
}

static int take_event_entry(struct taking *t)
{
	struct event *recorded = arena_alloc(&t->p->arena, sizeof(*recorded));
	struct ff_event *e = array_add(&t->report->events);

	if (!recorded || !e)
		return -ENOMEM;
	/* As much of a recorded event as anything asks for, so that a picture's events
	 * look like others. */
	*recorded = (struct event){ .frequency = number_at(t, 4),
				    .period = number_at(t, 5),
				    .max_stack = (uint16_t)number_at(t, 6),
				    .user_stack = (uint32_t)number_at(t, 7),
				    .sample_type = number_at(t, 8) };
	*e = (struct ff_event){ .name = "",
				.recorded = recorded,
				.samples = number_at(t, 2),
				.split = number_at(t, 3),
				.index = (uint32_t)t->report->events.count - 1 };
	if (text_at(t, 1, &e->name) < 0)
		return -ENOMEM;
	e->name = e->name ? e->name : "";
	return 0;
}

static int take_record_entry(struct taking *t)
{
	struct record_count *r = array_add(&t->report->records);

	if (!r)
		return -ENOMEM;
	*r = (struct record_count){ (unsigned)number_at(t, 1), number_at(t, 2) };
	return 0;
}

static int take_stacks_entry(struct taking *t)
{
	const struct ff_fact *f = fact_of_key(FF_FACT_TOTAL, t->fields[1]);

	if (f)
		profile_add_total(t->p, f->which, number_at(t, 2));
	return 0;
}

static int take_process(struct taking *t, uint32_t pid, const char *comm,
			uint64_t samples)
{
	struct ff_process *pr = collected_process(&t->p->collected, pid);

	if (!pr)
		return -ENOMEM;
	/* Several pictures may have one process. */
	pr->samples += samples;
	if ((!pr->comm || !*pr->comm) && copied_text(t, comm, &pr->comm) < 0)
		return -ENOMEM;
	pr->comm = pr->comm ? pr->comm : "";
	return 0;
}

/* One of them, as pictures had it before there were lists. */
static int take_process_entry(struct taking *t)
{
	return take_process(t, (uint32_t)number_at(t, 1), t->fields[2], number_at(t, 3));
}

static const char *behind_text(const char *text)
{
	return text + strlen(text) + 1;
}

static const char *texts_behind(const char *text, uint64_t count)
{
	for (; count; count--)
		text = behind_text(text);
	return text;
}

/* Lists of all of them, see put_process_lists(). Fields are texts that are whole, as the caller has seen; that they
 * are as many as the numbers say is asked here, before anything goes by these. */
static int take_processes_entry(struct taking *t)
{
	uint64_t count = number_at(t, 1), name_count = number_at(t, 2);
	const char **names, *name = t->fields[2], *step, *number, *samples;
	uint32_t pid = 0;
	int err = 0;

	if (count > t->count / 3 || name_count > t->count ||
	    t->count < 3 + name_count + 3 * count)
		return -EBADMSG;
	names = malloc(name_count * sizeof(*names) + 1);
	if (!names)
		return -ENOMEM;
	for (uint64_t i = 0; i < name_count; i++)
		names[i] = name = behind_text(name);
	step = behind_text(name);
	number = texts_behind(step, count);
	samples = texts_behind(number, count);
	for (uint64_t i = 0; i < count && err == 0; i++) {
		uint64_t at = strtoull(number, NULL, 10);

		pid += (uint32_t)strtoull(step, NULL, 10);
		err = at < name_count ? take_process(t, pid, names[at],
						     strtoull(samples, NULL, 10))
				      : -EBADMSG;
		step = behind_text(step);
		number = behind_text(number);
		samples = behind_text(samples);
	}
	free(names);
	return err;
}

static int take_object_entry(struct taking *t)
{
	struct saved_object *o = array_add(&t->report->objects);
	const char *id = t->fields[3];

	if (!o)
		return -ENOMEM;
	*o = (struct saved_object){
		/* A value that this version does not know becomes one that it does:
		 * tables are indexed by it. */
		.kind = (unsigned)number_at(t, 2) <= FF_OBJECT_OTHER
				? (enum ff_object_kind)number_at(t, 2)
				: FF_OBJECT_OTHER,
		.names = (unsigned)number_at(t, 7) <= FF_NAMES_ALL
				 ? (enum ff_object_names)number_at(t, 7)
				 : FF_NAMES_NONE,
		.debug_info = number_at(t, 8) & 1,
		.refused = number_at(t, 8) >> 1 & 1,
		.weight = number_at(t, 9),
		.unnamed = number_at(t, 10),
		.addresses = number_at(t, 11),
		.addresses_unnamed = number_at(t, 12),
		.runtime = (uint32_t)number_at(t, 13),
		.entries = number_at(t, 14),
	};
	/* Hexadecimal digits and nothing else, whatever stands there: it is shown as it is. */
	if (id[strspn(id, "0123456789abcdef")] == '\0')
		snprintf(o->build_id, sizeof(o->build_id), "%s", id);
	if (text_at(t, 1, &o->path) < 0 || text_at(t, 4, &o->file) < 0 ||
	    text_at(t, 5, &o->debug_file) < 0 || text_at(t, 6, &o->problem) < 0)
		return -ENOMEM;
	o->path = o->path ? o->path : "";
	return 0;
}

static int take_finding_entry(struct taking *t)
{
	struct ff_finding *f = array_add(&t->report->findings);

	if (!f)
		return -ENOMEM;
	*f = (struct ff_finding){ .part = number_at(t, 4), .whole = number_at(t, 5) };
	if (text_at(t, 1, &f->kind) < 0 || text_at(t, 2, &f->cause) < 0 ||
	    text_at(t, 3, &f->remedy) < 0)
		return -ENOMEM;
	/* A sentence without words is taken back. */
	if (!f->kind || !f->cause)
		t->report->findings.count--;
	return 0;
}

static const struct {
	const char *word;
	int (*take)(struct taking *t);
} entry_words[] = {
	{ "text", take_text_entry },	       { "count", take_count_entry },
	{ "event", take_event_entry },	       { "record", take_record_entry },
	{ "stacks", take_stacks_entry },       { "process", take_process_entry },
	{ "processes", take_processes_entry }, { "object", take_object_entry },
	{ "finding", take_finding_entry },
};

int report_read(struct ff_profile *p, struct ff_input *in, const void *bytes, size_t size)
{
	struct cursor c = cursor_of(bytes, size);
	struct taking t = { .p = p, .in = in };
	int err = 0;

	if (!size)
		return 0;
	in->report = t.report = calloc(1, sizeof(*t.report));
	if (!t.report)
		return fail_memory(&p->ctx);
	while (cursor_left(&c) && err == 0) {
		uint64_t count = cursor_varint(&c);

		for (size_t i = 0; i < FIELDS_MOST; i++)
			t.fields[i] = "";
		t.count = count;
		for (uint64_t i = 0; i < count && !c.bad; i++) {
			const uint8_t *end = memchr(c.p, '\0', cursor_left(&c));

			if (i < FIELDS_MOST)
				t.fields[i] = (const char *)c.p;
			/* A text that the bytes end within is not one: the entry is
			 * damaged. */
			if (end)
				c.p = end + 1;
			else
				c.bad = true;
		}
		for (size_t i = 0; i < COUNT_OF(entry_words) && err == 0 && !c.bad; i++)
			if (strcmp(t.fields[0], entry_words[i].word) == 0)
				err = entry_words[i].take(&t);
		if (c.bad || err == -EBADMSG)
			return fail(&p->ctx, -EBADMSG,
				    "'%s': the data of the picture is damaged: what it "
				    "says of the recording is cut",
				    input_path(in->input));
	}
	return err < 0 ? fail_memory(&p->ctx) : 0;
}

void report_free(struct saved_report *r)
{
	if (!r)
		return;
	array_release(&r->events);
	array_release(&r->records);
	array_release(&r->objects);
	array_release(&r->findings);
	free(r);
}

bool report_is_all(const struct ff_profile *p)
{
	for (size_t i = 0; i < p->inputs.count; i++)
		if (!p->inputs.v[i]->report)
			return false;
	return p->inputs.count > 0;
}
