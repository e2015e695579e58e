/*
 * Filters lie by side and key. A sample is kept if each key that has "only" filters has
 * one that matches, and no "drop" filter matches. One answer for each distinct string is
 * remembered by its id, for all patterns of a side and key together, so that patterns
 * cost by names and not by samples. PCRE2 may take most_steps() for one name: a pattern
 * that would take for ever is an error that names it.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <string.h>

#include "filter/filter.h"
#include "filter/values.h"
#include "input/input.h"

/*
 * The order counts: keys with text first, as these have a memo, then the other keys of
 * samples, then those of frames.
 *
 *	comm event cgroup   pid tid cpu time state kthread   duration   symbol dso
 *	TEXT_KEYS --------'                                '          '
 *	SAMPLE_KEYS ---------------------------------------'          '
 *	before KEY_SYMBOL: not of frames -----------------------------'
 */
enum key {
	KEY_COMM,
	KEY_EVENT,
	KEY_CGROUP,
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	KEY_TIME,
	KEY_STATE,
	KEY_KTHREAD,
	KEY_DURATION,
	KEY_SYMBOL,
	KEY_DSO,
	KEYS,
};
#define TEXT_KEYS 3 /* of samples: the first ones */
#define SAMPLE_KEYS KEY_DURATION /* what a sample is asked; then intervals, frames */
#define SIDES 2

/*
 * For one name: a pattern that needs more has no answer, which is an error. Names are the
 * input's, and short ones with the same number of steps for each would take minutes a MB.
 */
enum { STEPS = 4096, STEPS_A_BYTE = 256, STEPS_MOST = 100000 };

struct filter {
	char *text; /* as it was given, for messages */
	pcre2_code *pattern; /* only one of these is in use */
	struct number_list numbers;
	struct time_range time; /* or a duration */
	uint32_t states;
};

typedef int parse_fn(struct context *ctx, struct filter *f, const char *filter,
		     const char *value);

struct filters {
	ARRAY(struct filter) by[SIDES][KEYS];
};

/* What the patterns of one side and key said about a string. */
enum verdict { VERDICT_OPEN, VERDICT_NO, VERDICT_YES };

struct filter_memo {
	pcre2_match_data *match;
	pcre2_match_context *limits;
	ARRAY(uint8_t) verdicts[SIDES][TEXT_KEYS]; /* by string id */
};

/*
 * No PCRE2 option: names are bytes that need not be UTF-8, case counts, and a match may
 * begin anywhere in a name.
 */
static int parse_pattern(struct context *ctx, struct filter *f, const char *filter,
			 const char *value)
{
	PCRE2_UCHAR why[256] = "";
	PCRE2_SIZE at;
	int error;

	f->pattern = pcre2_compile((PCRE2_SPTR)value, PCRE2_ZERO_TERMINATED, 0, &error,
				   &at, NULL);
	if (f->pattern)
		return 0;
	if (error == PCRE2_ERROR_NOMEMORY)
		return fail_memory(ctx);
	pcre2_get_error_message(error, why, sizeof(why));
	return fail(ctx, -EINVAL, "filter '%s': %s, at character %zu of the pattern",
		    filter, (const char *)why, (size_t)at + 1);
}

static int parse_numbers(struct context *ctx, struct filter *f, const char *filter,
			 const char *value)
{
	return number_list_parse(ctx, filter, value, &f->numbers);
}

static int parse_time(struct context *ctx, struct filter *f, const char *filter,
		      const char *value)
{
	return time_range_parse(ctx, filter, value, &f->time);
}

static int parse_states(struct context *ctx, struct filter *f, const char *filter,
			const char *value)
{
	return state_list_parse(ctx, filter, value, &f->states);
}

static int parse_kthread(struct context *ctx, struct filter *f, const char *filter,
			 const char *value)
{
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return fail(ctx, -EINVAL, "filter '%s': kthread is 0 or 1", filter);
	return number_list_parse(ctx, filter, value, &f->numbers);
}

static int parse_duration_range(struct context *ctx, struct filter *f, const char *filter,
				const char *value)
{
	return duration_range_parse(ctx, filter, value, &f->time);
}

/* Bits of perf_event_attr.sample_type. */
enum {
	FIELD_TID = 1 << 1,
	FIELD_TIME = 1 << 2,
	FIELD_CPU = 1 << 7,
	FIELD_CGROUP = 1 << 21
};

static const struct {
	const char *name;
	parse_fn *parse;
	uint64_t field; /* that samples need to answer; 0: none */
} filter_keys[KEYS] = {
	/* clang-format off */
	[KEY_COMM] = { "comm", parse_pattern },
	[KEY_EVENT] = { "event", parse_pattern },
	[KEY_CGROUP] = { "cgroup", parse_pattern, FIELD_CGROUP },
	[KEY_PID] = { "pid", parse_numbers, FIELD_TID },
	[KEY_TID] = { "tid", parse_numbers, FIELD_TID },
	[KEY_CPU] = { "cpu", parse_numbers, FIELD_CPU },
	[KEY_TIME] = { "time", parse_time, FIELD_TIME },
	[KEY_STATE] = { "state", parse_states },
	[KEY_KTHREAD] = { "kthread", parse_kthread },
	[KEY_DURATION] = { "duration", parse_duration_range },
	[KEY_SYMBOL] = { "symbol", parse_pattern },
	[KEY_DSO] = { "dso", parse_pattern },
	/* clang-format on */
};

int filters_new(struct filters **ret)
{
	struct filters *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	*ret = f;
	return 0;
}

static void filter_release(struct filter *f)
{
	free(f->text);
	pcre2_code_free(f->pattern);
	number_list_release(&f->numbers);
}

void filters_free(struct filters *f)
{
	if (!f)
		return;
	for (int side = 0; side < SIDES; side++)
		for (int key = 0; key < KEYS; key++) {
			for (size_t i = 0; i < f->by[side][key].count; i++)
				filter_release(&f->by[side][key].v[i]);
			array_release(&f->by[side][key]);
		}
	free(f);
}

int filters_add(struct context *ctx, struct filters *f, enum filter_side side,
		const char *text)
{
	size_t size = strcspn(text, "=");
	struct filter *added, filter = { 0 };
	enum key key = 0;
	int err;

	if (!text[size])
		return fail(ctx, -EINVAL, "filter '%s' is not KEY=VALUE", text);
	while (key < KEYS && (strlen(filter_keys[key].name) != size ||
			      memcmp(filter_keys[key].name, text, size)))
		key++;
	if (key == KEYS)
		return fail(ctx, -EINVAL,
			    "filter '%s': the keys are comm, event, cgroup, pid, tid, "
			    "cpu, time, symbol, dso; of a mode state, duration, kthread",
			    text);
	if (!text[size + 1])
		return fail(ctx, -EINVAL, "filter '%s' has no value", text);
	filter.text = strdup(text);
	if (!filter.text)
		return fail_memory(ctx);
	err = filter_keys[key].parse(ctx, &filter, text, text + size + 1);
	if (err < 0)
		goto out;
	added = array_add(&f->by[side][key]);
	if (!added) {
		err = fail_memory(ctx);
		goto out;
	}
	/* The list takes over what the filter owns; on failure it was never in a list. */
	*added = filter;
	return 0;
out:
	filter_release(&filter);
	return err;
}

/* @first to before @end, on either side. */
static bool any_filter(const struct filters *f, enum key first, enum key end)
{
	for (int side = 0; side < SIDES; side++)
		for (enum key key = first; key < end; key++)
			if (f->by[side][key].count)
				return true;
	return false;
}

bool filters_ask_samples(const struct filters *f)
{
	return any_filter(f, 0, KEY_SYMBOL);
}

bool filters_ask_times(const struct filters *f)
{
	return any_filter(f, KEY_TIME, KEY_TIME + 1);
}

bool filters_ask_intervals(const struct filters *f)
{
	return any_filter(f, KEY_STATE, KEY_DURATION + 1);
}

bool filters_ask_states(const struct filters *f)
{
	return any_filter(f, KEY_STATE, KEY_STATE + 1);
}

bool filters_ask_durations(const struct filters *f)
{
	return any_filter(f, KEY_DURATION, KEY_DURATION + 1);
}

bool filters_ask_kthreads(const struct filters *f)
{
	return any_filter(f, KEY_KTHREAD, KEY_KTHREAD + 1);
}

bool filters_ask_frames(const struct filters *f)
{
	return any_filter(f, KEY_SYMBOL, KEYS);
}

bool filters_ask_objects(const struct filters *f)
{
	return any_filter(f, KEY_DSO, KEY_DSO + 1);
}

const char *filters_unanswered(const struct filters *f, uint64_t fields)
{
	for (enum key key = 0; key < KEYS; key++)
		/* Keys without a field, such as comm, are answered for every sample. */
		if (filter_keys[key].field & ~fields && any_filter(f, key, key + 1))
			return filter_keys[key].name;
	return NULL;
}

bool filters_need_end(const struct filters *f)
{
	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < f->by[side][KEY_TIME].count; i++) {
			const struct time_range *range = &f->by[side][KEY_TIME].v[i].time;

			if (range->start.kind == BOUND_PERCENT ||
			    range->end.kind == BOUND_PERCENT)
				return true;
		}
	return false;
}

int filter_memo_new(const struct filters *f, struct filter_memo **ret)
{
	struct filter_memo *m = calloc(1, sizeof(*m));

	(void)f;
	if (!m)
		return -ENOMEM;
	/* One pair of offsets is enough: nobody asks where a pattern matches. */
	m->match = pcre2_match_data_create(1, NULL);
	m->limits = pcre2_match_context_create(NULL);
	if (!m->match || !m->limits) {
		filter_memo_free(m);
		return -ENOMEM;
	}
	*ret = m;
	return 0;
}

void filter_memo_free(struct filter_memo *m)
{
	if (!m)
		return;
	for (int side = 0; side < SIDES; side++)
		for (int key = 0; key < TEXT_KEYS; key++)
			array_release(&m->verdicts[side][key]);
	pcre2_match_data_free(m->match);
	pcre2_match_context_free(m->limits);
	free(m);
}

/* One sample, and what it takes to answer for it. */
struct filter_question {
	struct context *ctx;
	const struct filters *filters;
	struct filter_memo *memo;
	const struct intern *strings;
	const struct filter_subject *subject;
};

static uint32_t most_steps(size_t size)
{
	return size < (STEPS_MOST - STEPS) / STEPS_A_BYTE
		       ? STEPS + STEPS_A_BYTE * (uint32_t)size
		       : STEPS_MOST;
}

/* Of @filter, which neither matched nor failed to match. */
static int fail_match(struct context *ctx, const struct filter *filter, int error,
		      const char *name, size_t size)
{
	PCRE2_UCHAR why[256] = "";
	int shown = size < 80 ? (int)size : 80;

	if (error == PCRE2_ERROR_NOMEMORY)
		return fail_memory(ctx);
	if (error == PCRE2_ERROR_MATCHLIMIT)
		return fail(ctx, -EINVAL,
			    "filter '%s': the pattern takes more than %u steps for "
			    "'%.*s%s': make it simpler",
			    filter->text, most_steps(size), shown, name,
			    shown < (int)size ? "..." : "");
	pcre2_get_error_message(error, why, sizeof(why));
	return fail(ctx, -EINVAL, "filter '%s': %s", filter->text, (const char *)why);
}

/* 1: one of them matches; 0; or a negative errno. */
static int any_pattern(struct context *ctx, const struct filter *filters, size_t count,
		       const struct filter_memo *m, struct filter_name name)
{
	/* By name, as the limit grows with its size. */
	pcre2_set_match_limit(m->limits, most_steps(name.size));
	for (size_t i = 0; i < count; i++) {
		int found = pcre2_match(filters[i].pattern, (PCRE2_SPTR)name.text,
					name.size, 0, 0, m->match, m->limits);

		/* 0 is a match, too, with more groups than there is room for offsets. */
		if (found >= 0)
			return 1;
		if (found != PCRE2_ERROR_NOMATCH)
			return fail_match(ctx, &filters[i], found, name.text, name.size);
	}
	return 0;
}

/* A pattern runs once for every different string. */
static int any_text(const struct filter_question *q, enum filter_side side, enum key key,
		    uint32_t id)
{
	__typeof__(q->memo->verdicts[0][0]) *seen = &q->memo->verdicts[side][key];
	const char *name = intern_text(q->strings, id);
	uint8_t *verdict = NULL; /* without memory nothing is remembered */
	size_t more;
	int found;

	/* Ids are dense and grow while inputs are read, and the table grows behind
	 * them. */
	if (id >= seen->count) {
		more = (size_t)id + 1 - seen->count;
		if (array_reserve(seen, more)) {
			memset(seen->v + seen->count, VERDICT_OPEN, more);
			seen->count += more;
		}
	}
	if (id < seen->count)
		verdict = &seen->v[id];
	if (verdict && *verdict != VERDICT_OPEN)
		return *verdict == VERDICT_YES;
	found = any_pattern(q->ctx, q->filters->by[side][key].v,
			    q->filters->by[side][key].count, q->memo,
			    (struct filter_name){ name, strlen(name) });
	/* A pattern that failed has no verdict; the error ends the run. */
	if (verdict && found >= 0)
		*verdict = found ? VERDICT_YES : VERDICT_NO;
	return found;
}

static bool any_number(const struct filter_question *q, enum filter_side side,
		       enum key key, uint32_t number)
{
	for (size_t i = 0; i < q->filters->by[side][key].count; i++)
		if (number_list_has(&q->filters->by[side][key].v[i].numbers, number))
			return true;
	return false;
}

/* @time of an input that goes from @first to @last. */
static bool any_time(const struct filters *f, enum filter_side side, uint64_t time,
		     uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < f->by[side][KEY_TIME].count; i++)
		if (time_range_has(&f->by[side][KEY_TIME].v[i].time, time, first, last))
			return true;
	return false;
}

static bool is_kept_time(const struct filters *f, uint64_t time, uint64_t first,
			 uint64_t last)
{
	/* What was added up over all times is of none. */
	if (time >= TIME_NEVER)
		return !f->by[FILTER_ONLY][KEY_TIME].count;
	return !((f->by[FILTER_ONLY][KEY_TIME].count &&
		  !any_time(f, FILTER_ONLY, time, first, last)) ||
		 any_time(f, FILTER_DROP, time, first, last));
}

/* The first bound of any of them behind @time, or @until. */
static uint64_t next_bound(const struct filters *f, uint64_t time, uint64_t first,
			   uint64_t last, uint64_t until)
{
	uint64_t next = until;

	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < f->by[side][KEY_TIME].count; i++) {
			uint64_t bound = time_range_next(&f->by[side][KEY_TIME].v[i].time,
							 time, first, last);

			next = bound > time && bound < next ? bound : next;
		}
	return next;
}

bool filters_kept_time(const struct filters *f, uint64_t first, uint64_t last,
		       uint64_t *from, uint64_t *until)
{
	if (*from >= *until)
		return is_kept_time(f, *from, first, last);
	/* From each bound to the next one all is kept, or nothing. */
	for (uint64_t at = *from, next; at < *until; at = next) {
		/* Of a stream that goes on the end is not known. */
		next = next_bound(f, at, first, last > *until ? last : *until, *until);
		if (!is_kept_time(f, at, first, last))
			continue;
		*from = at;
		*until = next;
		return true;
	}
	return false;
}

uint64_t filters_time(const struct filters *f, uint64_t *first, uint64_t *last)
{
	uint64_t begin = *first, end = *last, kept = 0;

	for (uint64_t at = begin, next = end;
	     at < end && filters_kept_time(f, begin, end, &at, &next);
	     at = next, next = end) {
		*first = kept ? *first : at;
		*last = next;
		kept += next - at;
	}
	return kept;
}

/* 1, 0 or a negative errno. */
static int any_of_key(const struct filter_question *q, enum filter_side side,
		      enum key key)
{
	const struct filter_subject *s = q->subject;

	switch (key) {
	case KEY_COMM:
		return any_text(q, side, key, s->comm);
	case KEY_EVENT:
		return any_text(q, side, key, s->event);
	case KEY_CGROUP:
		return any_text(q, side, key, s->cgroup);
	case KEY_PID:
		return any_number(q, side, key, s->pid);
	case KEY_TID:
		return any_number(q, side, key, s->tid);
	case KEY_CPU:
		return any_number(q, side, key, s->cpu);
	case KEY_STATE:
		for (size_t i = 0; i < q->filters->by[side][key].count; i++)
			if (state_list_has(q->filters->by[side][key].v[i].states,
					   s->state))
				return 1;
		return 0;
	case KEY_KTHREAD:
		return any_number(q, side, key, s->kthread);
	default:
		/* What was added up over all times is of none. */
		return s->any_time ? side == FILTER_ONLY
				   : s->time < TIME_NEVER &&
					     any_time(q->filters, side, s->time, s->first,
						      s->last);
	}
}

/* Kept: every key asked for has a filter that matches, and no filter to drop does. */
int filters_pass(struct context *ctx, const struct filters *f, struct filter_memo *memo,
		 const struct intern *strings, const struct filter_subject *subject)
{
	struct filter_question q = { ctx, f, memo, strings, subject };

	/* Keys of text come first; their answer is one look for all samples but the first
	 * of a name. */
	for (enum key key = 0; key < SAMPLE_KEYS; key++) {
		int found;

		found = f->by[FILTER_ONLY][key].count ? any_of_key(&q, FILTER_ONLY, key)
						      : 1;
		if (found <= 0)
			return found;
		found = f->by[FILTER_DROP][key].count ? any_of_key(&q, FILTER_DROP, key)
						      : 0;
		if (found != 0)
			return found < 0 ? found : 0;
	}
	return 1;
}

static bool any_duration(const struct filters *f, enum filter_side side, uint64_t ns)
{
	for (size_t i = 0; i < f->by[side][KEY_DURATION].count; i++)
		if (duration_range_has(&f->by[side][KEY_DURATION].v[i].time, ns))
			return true;
	return false;
}

bool filters_pass_duration(const struct filters *f, uint64_t ns)
{
	return (!f->by[FILTER_ONLY][KEY_DURATION].count ||
		any_duration(f, FILTER_ONLY, ns)) &&
	       !any_duration(f, FILTER_DROP, ns);
}

/*
 * Of what a frame says to a key: a bit for each side, FILTER_FRAME_BITS in all.
 *
 *	bit 3      bit 2      bit 1         bit 0
 *	drop dso   only dso   drop symbol   only symbol
 */
static unsigned frame_bit(enum filter_side side, enum key key)
{
	return 1u << ((key - KEY_SYMBOL) * SIDES + side);
}

int filters_match_frame(struct context *ctx, const struct filters *f,
			struct filter_memo *memo, const struct filter_frame *frame)
{
	int bits = 0;

	for (int side = 0; side < SIDES; side++)
		for (enum key key = KEY_SYMBOL; key < KEYS; key++) {
			struct filter_name name =
				key == KEY_DSO ? frame->module : frame->name;
			int found;

			/* A frame of no object matches no dso, not even ".*". */
			if (key == KEY_DSO && name.size == 0)
				continue;
			found = any_pattern(ctx, f->by[side][key].v,
					    f->by[side][key].count, memo, name);
			if (found < 0)
				return found;
			bits |= found ? (int)frame_bit(side, key) : 0;
		}
	return bits;
}

bool filters_pass_frames(const struct filters *f, unsigned matched)
{
	for (enum key key = KEY_SYMBOL; key < KEYS; key++) {
		if (f->by[FILTER_ONLY][key].count &&
		    !(matched & frame_bit(FILTER_ONLY, key)))
			return false;
		if (matched & frame_bit(FILTER_DROP, key))
			return false;
	}
	return true;
}
