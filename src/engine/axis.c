/*
 * Several recordings on one axis of time, where it is certain that one clock timed them all: clocks
 * begin anew when a machine starts, and each machine has its own. So what is to be shown is that one
 * machine made them between two starts.
 *
 *	must be the same     host name, release of the kernel, the clock that was asked for
 *	must not differ      where the kernel lies (at random, anew at each start); the moment at which
 *			     the clock showed 0, by the time of day that perf record -k writes
 *	and shows it         that moment; or a process that is in both: the same pid with the same file
 *			     at the same address, of 2^28 that the kernel chooses from
 *
 * Two that either of these joins are of one start, and so are those that they are joined to: all
 * have to hang together. Where two differ, or nothing joins them, each input keeps an axis of its own.
 *
 * The 0 of the axis is the first sample of all inputs, and only who has seen all records knows it: headers say the
 * one that perf saw first. So the first pass is made over each input before any is read.
 */
#include <flamefold_chart.h>
#include <flamefold_time.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/job.h"

enum {
	DAY_TOLERANCE = 10000000, /* ns that two clocks may be read apart */
	RAW_DRIFT =
		5000, /* a part of the time in between: what nobody keeps to the time of day */
	KEYS_MOST = 1 << 16, /* maps of an input that are compared */
	KEY_MEMORY = 64, /* bytes that one takes, with room to grow */
};
/* Linux 5.9, of 2020, has written the time of day first: a clock that shows less was never set. */
#define DAY_LEAST (UINT64_C(1577836800) * 1000000000)

/* What all inputs have to say alike. */
enum axis_sign { SIGN_HOST, SIGN_KERNEL, SIGN_CLOCK, SIGN_ADDRESS, AXIS_SIGNS };
static const char *const sign_names[AXIS_SIGNS] = {
	[SIGN_HOST] = "host",
	[SIGN_KERNEL] = "kernel",
	[SIGN_CLOCK] = "clock",
	[SIGN_ADDRESS] = "address of the kernel",
};

struct axis_search {
	struct ff_profile *p;
	const char **paths;
	struct {
		const char *text; /* NULL: nobody has said it yet */
		const char *path;
	} said[AXIS_SIGNS];
	struct {
		uint64_t since; /* ns since 1970, when the clock showed 0 */
		uint64_t read; /* what it showed when that was asked */
		uint32_t input; /* + 1; 0: no input has said it */
	} least, most;
	uint32_t *joined; /* by input: one of its start, up to one that is its own */
	bool *is_empty; /* by input: nothing was sampled in it */
	struct hash_map keys; /* of maps -> the first input that has them */
	struct claim claim;
	bool has_times;
};

/* What is known of an input only while its records are gone over. */
struct axis_scan {
	struct context ctx;
	struct budget budget;
	struct intern strings;
	char address[32]; /* of a symbol of the kernel, in hex; "": not known */
	ARRAY(uint64_t) keys;
};

/* No axis. Returns 0, or -ENOMEM. */
__attribute__((format(printf, 2, 3))) static int refuse_axis(struct axis_search *s,
							     const char *format, ...)
{
	char words[900];
	struct text why = { 0 };
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	text_printf(&why, "its inputs have clocks of their own: %s", words);
	if (!why.failed)
		s->p->axis.why = arena_text(&s->p->arena, why.bytes, why.size);
	text_release(&why);
	return s->p->axis.why ? 0 : -ENOMEM;
}

/* Nothing is compared where it is "", not known. */
static int compare_sign(struct axis_search *s, enum axis_sign sign, uint32_t input,
			const char *text)
{
	const char *path = s->paths[input];

	if (s->p->axis.why || !*text)
		return 0;
	if (!s->said[sign].text) {
		s->said[sign].path = path;
		s->said[sign].text = arena_text(&s->p->arena, text, strlen(text));
		return s->said[sign].text ? 0 : -ENOMEM;
	}
	if (strcmp(s->said[sign].text, text) == 0)
		return 0;
	return refuse_axis(
		s, "the %s of '%s' is %s, that of '%s' is %s%s", sign_names[sign],
		s->said[sign].path, s->said[sign].text, path, text,
		sign == SIGN_ADDRESS ? ": the machine was started in between" : "");
}

static uint32_t start_of(struct axis_search *s, uint32_t input)
{
	while (s->joined[input] != input)
		input = s->joined[input] = s->joined[s->joined[input]];
	return input;
}

static void join_inputs(struct axis_search *s, uint32_t a, uint32_t b)
{
	s->joined[start_of(s, a)] = start_of(s, b);
}

/*
 * Linux on x86-64 chooses from 2^28 addresses where a program lies that may lie anywhere, and as many for
 * libraries. Without that, and where a program's is fixed, they lie in what is left out here:
 *
 *	0x400000   0x555555554000 + 4 GiB .. + 1 TiB    0x7ff000000000 - 960 GiB ..   0x7fffffffffff
 *	fixed      at random                            at random
 */
static bool is_random_place(uint64_t address)
{
	const uint64_t programs = 0x555555554000, libraries = 0x7ff000000000;
	const uint64_t gib = UINT64_C(1) << 30;

	return (address >= programs + 4 * gib && address < programs + 1024 * gib) ||
	       (address >= libraries - 960 * gib && address < libraries);
}

static int note_map(struct axis_scan *x, const struct record *r)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const char *name = intern_text(&x->strings, r->name);
	uint64_t parts[4] = { r->pid, r->start, r->offset, 0 }, *key;

	if (r->type != PERF_RECORD_MMAP)
		return 0;
	/* Its name ends with that of the symbol whose address it has. */
	if (r->mode == MODE_KERNEL && r->offset && !*x->address &&
	    strncmp(name, kernel, sizeof(kernel) - 1) == 0)
		snprintf(x->address, sizeof(x->address), "0x%" PRIx64, r->offset);
	if (r->mode != MODE_USER || *name != '/' || !is_random_place(r->start) ||
	    x->keys.count >= KEYS_MOST)
		return 0;
	parts[3] = hash_bytes(name, strlen(name));
	key = array_add(&x->keys);
	if (!key)
		return -ENOMEM;
	*key = hash_bytes(parts, sizeof(parts));
	return 0;
}

/* Joins the inputs that have a process in common. */
static int compare_processes(struct axis_search *s, uint32_t input,
			     const struct axis_scan *x)
{
	for (size_t i = 0; i < x->keys.count; i++) {
		const uint32_t *known = hash_map_get(&s->keys, x->keys.v[i]);

		if (known) {
			join_inputs(s, *known, input);
			continue;
		}
		if (!claim_add_part(&s->claim, &s->p->budget, BUDGET_NAMES, KEY_MEMORY))
			return refuse_axis(s, "the memory limit leaves no room to "
					      "compare their processes");
		if (!hash_map_set(&s->keys, x->keys.v[i], input))
			return -ENOMEM;
	}
	return 0;
}

/* Joins the inputs whose clocks showed 0 at one moment. Those of the time of day have done so in 1970. */
static int compare_days(struct axis_search *s, uint32_t input,
			const struct recording *rec)
{
	uint64_t since = rec->day_time - rec->clock_time, tolerance = DAY_TOLERANCE;

	if (rec->day_time < DAY_LEAST || rec->clock_time > rec->day_time ||
	    rec->day_clock != rec->events.v[0].clock ||
	    (rec->day_clock != CLOCK_MONOTONIC && rec->day_clock != CLOCK_MONOTONIC_RAW &&
	     rec->day_clock != CLOCK_BOOTTIME))
		return 0;
	if (!s->least.input || since < s->least.since) {
		s->least.since = since;
		s->least.read = rec->clock_time;
		s->least.input = input + 1;
	}
	if (!s->most.input || since > s->most.since) {
		s->most.since = since;
		s->most.read = rec->clock_time;
		s->most.input = input + 1;
	}
	if (rec->day_clock == CLOCK_MONOTONIC_RAW)
		tolerance +=
			(s->most.read > s->least.read ? s->most.read - s->least.read
						      : s->least.read - s->most.read) /
			RAW_DRIFT;
	if (s->most.since - s->least.since > tolerance)
		return refuse_axis(s,
				   "by the time of day the clocks of '%s' and '%s' began "
				   "%" PRIu64 ".%03u s apart",
				   s->paths[s->least.input - 1],
				   s->paths[s->most.input - 1],
				   (s->most.since - s->least.since) / 1000000000,
				   (unsigned)((s->most.since - s->least.since) %
					      1000000000 / 1000000));
	/* It may be one of them. */
	join_inputs(s, input, s->least.input - 1);
	join_inputs(s, input, s->most.input - 1);
	return 0;
}

/* False where samples have no times, or of several clocks. */
static bool has_one_clock(const struct recording *rec)
{
	for (size_t i = 0; i < rec->events.count; i++)
		if (!(rec->events.v[i].sample_type & PERF_SAMPLE_TIME) ||
		    rec->events.v[i].clock != rec->events.v[0].clock)
			return false;
	return true;
}

static void add_times(struct axis_search *s, const struct recording *rec)
{
	struct time_axis *times = &s->p->axis.times;

	for (size_t i = 0; i < rec->events.count; i++) {
		if (rec->events.v[i].first_time >= TIME_NEVER)
			continue;
		if (!s->has_times || rec->first_time < times->first)
			times->first = rec->first_time;
		if (!s->has_times || rec->last_time > times->last)
			times->last = rec->last_time;
		s->has_times = true;
	}
}

/* All records have been gone over. */
static int compare_input(struct axis_search *s, uint32_t input,
			 const struct recording *rec, const struct axis_scan *x)
{
	const char *host = intern_text(&x->strings, rec->host);
	const char *kernel = intern_text(&x->strings, rec->kernel);
	const char *arch = intern_text(&x->strings, rec->arch);
	int err;

	s->is_empty[input] = !rec->samples;
	if (!rec->samples)
		return 0;
	if (!has_one_clock(rec))
		return refuse_axis(s, "'%s' does not have all times of one clock",
				   s->paths[input]);
	if (!*host || !*kernel)
		return refuse_axis(s,
				   "'%s' does not say which machine it was recorded on",
				   s->paths[input]);
	add_times(s, rec);
	err = compare_sign(s, SIGN_HOST, input, host);
	if (err == 0)
		err = compare_sign(s, SIGN_KERNEL, input, kernel);
	if (err == 0)
		err = compare_sign(s, SIGN_CLOCK, input,
				   clock_name(rec->events.v[0].clock));
	if (err == 0)
		err = compare_sign(s, SIGN_ADDRESS, input, x->address);
	if (err == 0 && !s->p->axis.why)
		err = compare_days(s, input, rec);
	if (err == 0 && !s->p->axis.why && strcmp(arch, "x86_64") == 0)
		err = compare_processes(s, input, x);
	return err;
}

/* The first pass over one. Whatever is wrong with it is said when it is read. */
static int scan_input(struct axis_search *s, uint32_t input, struct axis_scan *x)
{
	const char *path = s->paths[input];
	struct input *in = NULL;
	enum input_kind kind;
	struct record record;
	struct stat st;
	int err;

	if (strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return refuse_axis(s, "'%s' can be read once only", path);
	err = input_open(&x->ctx, path, &x->strings, &in, &kind);
	if (err < 0)
		return err == -ENOMEM ? err : refuse_axis(s, "'%s' cannot be read", path);
	if (input_is_stream(in))
		err = refuse_axis(s, "'%s' can be read once only", path);
	else if (kind != INPUT_PERF || input_recording(in)->is_text)
		err = refuse_axis(s, "'%s' does not say which clock it has", path);
	if (err == 0 && !s->p->axis.why) {
		scan_in_parts(s->p, in);
		while ((err = state_next(&x->ctx, in, &record)) > 0)
			if (note_map(x, &record) < 0) {
				err = -ENOMEM;
				break;
			}
		if (err == 0)
			err = compare_input(s, input, input_recording(in), x);
		else if (err != -ENOMEM)
			err = refuse_axis(s, "'%s' cannot be read", path);
	}
	input_close(in);
	return err;
}

/* A profile has no part in it: strings and claims of the scan are gone when the input is read. */
static int look_at_input(struct axis_search *s, uint32_t input)
{
	struct axis_scan x = { 0 };
	int err = intern_init(&x.strings);

	budget_init(&x.budget, s->p->budget.most);
	x.ctx.budget = &x.budget;
	if (err == 0)
		err = scan_input(s, input, &x);
	array_release(&x.keys);
	intern_release(&x.strings);
	budget_release(&x.budget);
	return err;
}

/* Do all hang together? */
static int judge_joined(struct axis_search *s, uint32_t count)
{
	uint32_t first = 0;

	while (first < count && s->is_empty[first])
		first++;
	for (uint32_t i = first; i < count; i++)
		if (!s->is_empty[i] && start_of(s, i) != start_of(s, first))
			return refuse_axis(s,
					   "nothing shows that '%s' and '%s' were "
					   "recorded without a start of the machine in "
					   "between: perf record -k CLOCK_MONOTONIC "
					   "writes what does",
					   s->paths[first], s->paths[i]);
	return 0;
}

static int find_axis(struct axis_search *s, uint32_t count)
{
	int err = 0;

	s->joined = calloc(count, sizeof(*s->joined));
	s->is_empty = calloc(count, sizeof(*s->is_empty));
	if (!s->joined || !s->is_empty)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		s->joined[i] = i;
	for (uint32_t i = 0; i < count && err == 0 && !s->p->axis.why; i++) {
		show_progress(s->p, "comparing clocks", i, count);
		err = look_at_input(s, i);
	}
	if (err == 0 && !s->p->axis.why)
		err = judge_joined(s, count);
	return err;
}

int ff_profile_expect(struct ff_profile *p, const char *const *paths, size_t count)
{
	struct axis_search s = { .p = p };
	bool asks = filters_ask_times(p->filters);
	int err = 0;

	if (p->inputs.count || p->axis.paths || p->axis.why)
		return fail(&p->ctx, -EINVAL,
			    "what will be read is said once, before anything is");
	if (count < 2 || count >= UINT32_MAX ||
	    !(asks || p->options.flags & (FF_HEAT | FF_CHART)))
		return 0;
	s.paths = arena_alloc(&p->arena, count * sizeof(*s.paths));
	for (size_t i = 0; s.paths && i < count && err == 0; i++) {
		s.paths[i] = arena_text(&p->arena, paths[i], strlen(paths[i]));
		err = s.paths[i] ? 0 : -ENOMEM;
	}
	err = s.paths && err == 0 ? find_axis(&s, (uint32_t)count) : -ENOMEM;
	free(s.joined);
	free(s.is_empty);
	hash_map_release(&s.keys);
	claim_release(&s.claim);
	if (err < 0)
		return fail_memory(&p->ctx);
	p->axis.count = count;
	if (!p->axis.why && s.has_times)
		p->axis.paths = s.paths;
	else if (p->axis.why && p->options.flags & FF_CHART)
		warn(&p->ctx, "each input of the chart begins at 0, for %s", p->axis.why);
	else if (asks && p->axis.why)
		warn(&p->ctx,
		     "time= is counted from the first sample of each input, for %s",
		     p->axis.why);
	return 0;
}

const struct time_axis *axis_of_input(const struct ff_profile *p,
				      const struct ff_input *input)
{
	return p->axis.paths && input->index < p->axis.count &&
			       strcmp(p->axis.paths[input->index],
				      input_path(input->input)) == 0
		       ? &p->axis.times
		       : NULL;
}
