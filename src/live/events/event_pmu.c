/*
 * A term is looked for in this order: those that perf has for all events
 * (tools/perf/Documentation/perf-list.txt), the PMU's format/, its events/, which stand
 * for terms (at most NESTED_MOST deep), and perf's own names. The ABI is
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events: the low
 * bits of a value go to the first range, the next ones to the next.
 *
 *	"config:0-7,32-35" and 0xabc     config = 0xa000000bc
 */
#include "live/events/event_pmu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "live/events/event_names.h"
#include "live/events/id_list.h"

enum {
	SMALL_FILE = 64 << 10, /* files of sysfs have a page */
	PATH_ROOM = 512,
	NESTED_MOST = 2, /* an event's name stands for terms, and no term of those does */
};

/*
 *	ROOT/sys/bus/event_source/devices/PMU/
 *	    type              the number for attr.type
 *	    format/TERM       "config:0-7": where the value goes
 *	    events/NAME       "event=0x3c,umask=1": the terms that it stands for
 *	    cpus, cpumask     "0-3": its processors, where they are not all
 */
struct pmu {
	const struct event_lookup *lookup;
	struct text_part name;
	struct live_event *event;
};

/* The path of a PMU's file. False where the names would not fit, or are none of a file: they
 * come from the command line, and "../.." must not lead out of the directory. */
static bool pmu_path(const struct event_lookup *lookup, struct text_part pmu,
		     const char *what, struct text_part file, char room[PATH_ROOM])
{
	int size;

	if (pmu.size == 0 || memchr(pmu.p, '/', pmu.size) || pmu.p[0] == '.' ||
	    memchr(file.p, '/', file.size) || (file.size && file.p[0] == '.'))
		return false;
	size = snprintf(room, PATH_ROOM, "%s/sys/bus/event_source/devices/%.*s%s%.*s",
			lookup->root, (int)pmu.size, pmu.p, what, (int)file.size, file.p);
	return size > 0 && size < PATH_ROOM;
}

/* The file's text without the newline, NULL where it cannot be read; to be freed. */
static char *read_pmu_file(const struct event_lookup *lookup, struct text_part pmu,
			   const char *what, struct text_part file)
{
	struct context unheard = { .log = NULL };
	char path[PATH_ROOM], *text;
	size_t size;

	if (!pmu_path(lookup, pmu, what, file, path) ||
	    file_slurp(&unheard, path, SMALL_FILE, &text, &size) < 0)
		return NULL;
	while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
		text[--size] = '\0';
	return text;
}

static const struct text_part no_file = { "", 0 };

bool event_pmu_exists(const struct event_lookup *lookup, struct text_part name)
{
	char path[PATH_ROOM];

	return pmu_path(lookup, name, "/type", no_file, path) && access(path, F_OK) == 0;
}

/* Offers the names in a directory. */
static void offer_names(const char *path, struct suggestion *n)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		size_t size = strlen(entry->d_name);

		/* Of an event "x" the files "x.scale" and "x.unit" tell more. */
		if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
			suggestion_offer(n, entry->d_name, size);
	}
	if (dir)
		closedir(dir);
}

static uint64_t *config_of(struct live_event *event, struct text_part name)
{
	const struct {
		const char *name;
		uint64_t *field;
	} fields[] = {
		{ "config", (uint64_t *)&event->attr.config },
		{ "config1", (uint64_t *)&event->attr.config1 },
		{ "config2", (uint64_t *)&event->attr.config2 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strlen(fields[i].name) == name.size &&
		    memcmp(fields[i].name, name.p, name.size) == 0)
			return fields[i].field;
	return NULL;
}

/*
 * Puts the low bits of @value where "0-7,32-35" says, the next ones into the next range;
 * false where it has more than fit. "config:9" is one bit. The sysfs of a machine is
 * trusted no more than a file: a range outside of 64 bits is refused.
 */
static bool spread_bits(const char *ranges, uint64_t value, uint64_t *field)
{
	const char *p = ranges;

	for (;;) {
		unsigned first, last, bits;
		int used = 0;

		if (sscanf(p, "%u-%u%n", &first, &last, &used) < 2 || !used) {
			used = 0;
			if (sscanf(p, "%u%n", &first, &used) < 1)
				return false;
			last = first;
		}
		if (first > last || last > 63)
			return false;
		bits = last - first + 1;
		if (bits == 64) {
			*field = value;
			value = 0;
		} else {
			uint64_t mask = ((uint64_t)1 << bits) - 1;

			*field = (*field & ~(mask << first)) | (value & mask) << first;
			value >>= bits;
		}
		p += used;
		if (*p != ',')
			return *p == '\0' && value == 0;
		p++;
	}
}

/* Sets @term as its format file says: "config1:0-7" has a field and ranges of bits. */
static int set_format(struct pmu *pmu, struct text_part term, uint64_t value,
		      char *format)
{
	const struct event_lookup *lookup = pmu->lookup;
	char *colon = strchr(format, ':');
	struct text_part field = { format, colon ? (size_t)(colon - format) : 0 };
	uint64_t *config = config_of(pmu->event, field);

	if (!config)
		return fail(
			lookup->ctx, -EINVAL,
			"'%s': the kernel wants '%.*s' in '%s', which is not known here",
			lookup->text, (int)term.size, term.p, format);
	if (spread_bits(colon + 1, value, config))
		return 0;
	return fail(lookup->ctx, -EINVAL,
		    "'%s': %#llx is too much for '%.*s', which has %s", lookup->text,
		    (unsigned long long)value, (int)term.size, term.p, format);
}

/* A number as C has it, and nothing else: strtoull() would take a sign and spaces. */
static bool whole_number(struct text_part text, uint64_t *ret)
{
	char room[32], *end;

	if (text.size == 0 || text.size >= sizeof(room) || text.p[0] < '0' ||
	    text.p[0] > '9')
		return false;
	memcpy(room, text.p, text.size);
	room[text.size] = '\0';
	errno = 0;
	*ret = strtoull(room, &end, 0);
	return *end == '\0' && errno == 0;
}

static bool part_is(struct text_part text, const char *word)
{
	return strlen(word) == text.size && memcmp(text.p, word, text.size) == 0;
}

/* Terms that perf has for all events. 1: it was one. */
static int set_common(const struct event_lookup *lookup, struct text_part term,
		      struct text_part value, struct live_event *event)
{
	static const char *const elsewhere[] = {
		"call-graph", "stack-size", "max-stack",     "time",
		"inherit",    "no-inherit", "no-overwrite",  "overwrite",
		"percore",    "aux-output", "driver-config", "aux-sample-size",
	};
	uint64_t *config = config_of(event, term), n = 0;
	bool numeric = whole_number(value, &n);

	if (part_is(term, "name")) {
		event->name = arena_text(lookup->arena, value.p, value.size);
		return event->name ? 1 : fail_memory(lookup->ctx);
	}
	if (part_is(term, "period") || part_is(term, "freq") || config) {
		if (!numeric || (!config && n == 0))
			return fail(lookup->ctx, -EINVAL, "'%s': '%.*s' wants a number",
				    lookup->text, (int)term.size, term.p);
		if (config) {
			*config = n;
			return 1;
		}
		event->rated = true;
		event->attr.freq = term.p[0] == 'f';
		event->attr.sample_period = n;
		return 1;
	}
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (part_is(term, elsewhere[i]))
			return fail(
				lookup->ctx, -EINVAL,
				"'%s': '%s' cannot be chosen for one event; the options "
				"of the command hold for all",
				lookup->text, elsewhere[i]);
	return 0;
}

/* The next one of "a=1,b" ; false at the end. */
static bool next_term(struct text_part *left, struct text_part *term,
		      struct text_part *value)
{
	const char *comma, *equals;

	if (left->size == 0)
		return false;
	comma = memchr(left->p, ',', left->size);
	term->p = left->p;
	term->size = comma ? (size_t)(comma - left->p) : left->size;
	left->p += term->size + (comma != NULL);
	left->size -= term->size + (comma != NULL);
	equals = memchr(term->p, '=', term->size);
	*value = (struct text_part){ term->p + term->size, 0 };
	if (equals) {
		value->p = equals + 1;
		value->size = (size_t)(term->p + term->size - value->p);
		term->size = (size_t)(equals - term->p);
	}
	return true;
}

/* Each term is one that perf has for all events, or the PMU's own files have it: its formats, or
 * its events. */
static int set_terms(struct pmu *pmu, struct text_part terms, int depth)
{
	const struct event_lookup *lookup = pmu->lookup;
	char path[PATH_ROOM], room[SUGGESTION_MOST + 32], *text;
	struct text_part term, value;
	struct suggestion near;
	uint64_t config;
	uint32_t type;
	int err = 0;

	while (err >= 0 && next_term(&terms, &term, &value)) {
		uint64_t n = 1;

		if (term.size == 0)
			continue;
		err = set_common(lookup, term, value, pmu->event);
		if (err != 0)
			continue;
		text = read_pmu_file(lookup, pmu->name, "/format/", term);
		if (text) {
			err = value.size && !whole_number(value, &n)
				      ? fail(lookup->ctx, -EINVAL,
					     "'%s': '%.*s' wants a number", lookup->text,
					     (int)term.size, term.p)
				      : set_format(pmu, term, n, text);
			free(text);
			continue;
		}
		if (value.size == 0 && depth < NESTED_MOST)
			text = read_pmu_file(lookup, pmu->name, "/events/", term);
		if (text) {
			err = set_terms(pmu, (struct text_part){ text, strlen(text) },
					depth + 1);
			free(text);
			continue;
		}
		/* "cpu/cycles/", where the kernel has no file for it; "cpu/r1a8/". The high
		 * half says which PMU (PERF_PMU_TYPE_SHIFT). */
		if (value.size == 0 &&
		    event_name_known(term.p, term.size, &type, &config)) {
			bool raw = type == PERF_TYPE_RAW;

			pmu->event->attr.config =
				raw ? config
				    : config | (uint64_t)pmu->event->attr.type << 32;
			if (!raw)
				pmu->event->attr.type = type;
			continue;
		}
		suggestion_start(&near, term.p, term.size);
		if (pmu_path(lookup, pmu->name, "/format", no_file, path))
			offer_names(path, &near);
		if (pmu_path(lookup, pmu->name, "/events", no_file, path))
			offer_names(path, &near);
		err = fail(lookup->ctx, -EINVAL,
			   "'%s': '%.*s' has no event and no term '%.*s'%s", lookup->text,
			   (int)pmu->name.size, pmu->name.p, (int)term.size, term.p,
			   suggestion_question(&near, room));
	}
	return err < 0 ? err : 0;
}

int event_terms_set(const struct event_lookup *lookup, struct text_part terms,
		    struct live_event *event)
{
	struct text_part term, value;
	int err = 1;

	while (err > 0 && next_term(&terms, &term, &value))
		err = set_common(lookup, term, value, event);
	if (err == 0)
		return fail(
			lookup->ctx, -EINVAL,
			"'%s': there is no term '%.*s'; 'period', 'freq' and 'name' are",
			lookup->text, (int)term.size, term.p);
	return err < 0 ? err : 0;
}

int event_pmu_set(const struct event_lookup *lookup, struct text_part name,
		  struct text_part terms, struct live_event *event)
{
	struct pmu pmu = { lookup, name, event };
	char *text = read_pmu_file(lookup, name, "/type", no_file);
	bool exists;
	struct id_list cpus = { 0 };
	uint64_t type;
	int err;

	exists = text && whole_number((struct text_part){ text, strlen(text) }, &type);
	free(text);
	if (!exists) {
		char path[PATH_ROOM], room[SUGGESTION_MOST + 32];
		struct suggestion n;

		suggestion_start(&n, name.p, name.size);
		snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices",
			 lookup->root);
		offer_names(path, &n);
		if (access(path, F_OK) != 0)
			return fail(lookup->ctx, -EINVAL, "'%s': there is no %s",
				    lookup->text, path);
		return fail(lookup->ctx, -EINVAL,
			    "'%s': this machine has no PMU '%.*s'%s", lookup->text,
			    (int)name.size, name.p, suggestion_question(&n, room));
	}
	event->attr.type = (uint32_t)type;
	err = set_terms(&pmu, terms, 0);
	if (err < 0)
		return err;
	/* Its processors, where it does not have all: kinds of processor (cpu_core) list
	 * them in cpus, other PMUs in cpumask. */
	text = read_pmu_file(lookup, name, "/cpus", no_file);
	if (!text)
		text = read_pmu_file(lookup, name, "/cpumask", no_file);
	if (text && *text && id_list_parse(text, ID_CPU_MOST, &cpus) == 0) {
		event->cpus = arena_alloc(lookup->arena, cpus.count * sizeof(*cpus.v));
		event->cpu_count = event->cpus ? cpus.count : 0;
		if (event->cpus)
			memcpy(event->cpus, cpus.v, cpus.count * sizeof(*cpus.v));
		else
			err = fail_memory(lookup->ctx);
	}
	array_release(&cpus);
	free(text);
	return err;
}

int event_pmu_of_event(const struct event_lookup *lookup, struct text_part name,
		       const char **ret, struct suggestion *n)
{
	char path[PATH_ROOM];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", lookup->root);
	dir = opendir(path);
	while (dir && found == 0 && (entry = readdir(dir)) != NULL) {
		struct text_part pmu = { entry->d_name, strlen(entry->d_name) };
		char *text = read_pmu_file(lookup, pmu, "/events/", name);

		if (text) {
			*ret = arena_text(lookup->arena, pmu.p, pmu.size);
			found = *ret ? 1 : fail_memory(lookup->ctx);
		} else if (pmu_path(lookup, pmu, "/events", no_file, path)) {
			offer_names(path, n);
		}
		free(text);
	}
	if (dir)
		closedir(dir);
	return found;
}

size_t event_pmu_hybrid(const struct event_lookup *lookup, const char **ret, size_t room)
{
	static const char *const kinds[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && count < room; i++)
		if (event_pmu_exists(lookup,
				     (struct text_part){ kinds[i], strlen(kinds[i]) }))
			ret[count++] = kinds[i];
	return count;
}
