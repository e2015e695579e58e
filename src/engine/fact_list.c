/*
 * What can be said of an input and of a profile: texts, counts and totals, each described once,
 * with its key, its words, the views that show it and where its value lies. A view walks over the
 * list instead of having one of its own, so that a new fact is a row here and an id in
 * <flamefold.h>.
 *
 * A view shows facts by rank, and those of one rank in the order of the list. Most are of rank 1;
 * higher ones are for views that were there before the list, whose order others depend on: the
 * keys of --format=json, and the bytes of pictures.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "engine/profile.h"

/* Where a fact's member lies. COMPUTED facts have a function instead. */
enum fact_source {
	COMPUTED,
	OF_RECORDING,
	OF_RECORDING_NAME, /* a C string */
	OF_INPUT,
	OF_PROFILE,
};

struct fact {
	struct ff_fact said;
	uint8_t rank[FF_VIEWS]; /* 0: not shown */
	enum fact_source source;
	uint16_t offset,
		size; /* of the member in what it is of; a text's is a string id */
	bool of_file; /* of the picture itself, where the input is one */
	const char *(*text)(const struct ff_input *in);
	uint64_t (*count)(const struct ff_input *in);
	uint64_t (*total)(const struct ff_profile *p);
};

static const char *input_path_text(const struct ff_input *in)
{
	return input_path(in->input);
}

static const char *byte_order_text(const struct ff_input *in)
{
	const struct recording *rec = input_recording(in->input);

	/* What has no form is no recording, and has no byte order: folded text, a
	 * picture. */
	return !rec->form ? NULL : rec->big_endian ? "big" : "little";
}

const char *clock_name(int32_t clock)
{
	static const struct {
		int32_t clock;
		const char *name;
	} clocks[] = {
		{ CLOCK_OF_PERF, "perf" }, { 0, "realtime" }, { 1, "monotonic" },
		{ 4, "monotonic_raw" },	   { 7, "boottime" }, { 11, "tai" },
	};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (clocks[i].clock == clock)
			return clocks[i].name;
	return "unknown";
}

/* The clock of an input's times: the first event's stands for all. */
static const char *clock_text(const struct ff_input *in)
{
	const struct recording *rec = input_recording(in->input);

	return rec->events.count ? clock_name(rec->events.v[0].clock) : NULL;
}

static uint64_t lost_samples_count(const struct ff_input *in)
{
	return recording_lost_apart(input_recording(in->input));
}

static uint64_t kernel_hidden_count(const struct ff_input *in)
{
	const struct recording *rec = input_recording(in->input);

	return rec->kernel_samples && !rec->kernel_located && !rec->simpleperf;
}

/*
 * By node of the named tree, not of the trie: a function that was inlined has a name of
 * its own.
 */
static uint64_t weight_unnamed_total(const struct ff_profile *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < p->named.nodes.count; i++)
		if (p->symbols.functions.v[p->named.nodes.v[i].function].unnamed)
			sum += named_value(&p->named, i, COLUMN_WEIGHT);
	return sum;
}

static uint64_t pair_events_total(const struct ff_profile *p)
{
	const struct pair_counts *c = &p->collected.pairs;

	return c->starts + c->wakes + c->ends + c->cancels + c->samples + c->inner +
	       c->releases + c->moves;
}

/* Of an object, whose address came again, the release was not seen. */
static uint64_t restarted_total(const struct ff_profile *p)
{
	return p->collected.pairs.restarted + p->collected.pairs.reused;
}

static uint64_t wall_events_total(const struct ff_profile *p)
{
	return p->collected.wall.switches + p->collected.wall.samples;
}

/*
 * A row of the table reads
 *
 *	{ KIND(ID, UNIT, key, words), SHOWN(json, info, stats, picture), value }
 */
#define FACT(kind_, id, unit_, ...)                                                      \
	.said = { .kind = (kind_), .which = (id), .unit = (unit_), __VA_ARGS__ }
#define TEXT(id, ...) FACT(FF_FACT_TEXT, FF_INPUT_##id, FF_UNIT_TEXT, __VA_ARGS__)
#define COUNT(id, unit, ...)                                                             \
	FACT(FF_FACT_COUNT, FF_INPUT_##id, FF_UNIT_##unit, __VA_ARGS__)
#define TOTAL(id, unit, ...)                                                             \
	FACT(FF_FACT_TOTAL, FF_TOTAL_##id, FF_UNIT_##unit, __VA_ARGS__)
#define SHOWN(json, info, stats, picture)                                                \
	.rank = { [FF_VIEW_JSON] = (json),                                               \
		  [FF_VIEW_INFO] = (info),                                               \
		  [FF_VIEW_STATS] = (stats),                                             \
		  [FF_VIEW_PICTURE] = (picture) }
#define MEMBER(source_, type, member)                                                    \
	.source = (source_), .offset = offsetof(type, member),                           \
	.size = sizeof(((type *)NULL)->member)
#define RECORDING(member) MEMBER(OF_RECORDING, struct recording, member)
#define NAME(member) MEMBER(OF_RECORDING_NAME, struct recording, member)
#define INPUT(member) MEMBER(OF_INPUT, struct ff_input, member)
#define PROFILE(member) MEMBER(OF_PROFILE, struct ff_profile, member)
#define INCOMPLETE(reason) PROFILE(collected.incomplete.of[__builtin_ctz(reason)])

/* clang-format off: a fact is a line for what it is, and one for where it is shown and kept. */
static const struct fact facts[] = {
	{ TEXT(PATH, "path", "file"), SHOWN(1, 0, 0, 0), .text = input_path_text },
	{ TEXT(FORMAT, "format", "format"), SHOWN(1, 0, 0, 0), NAME(format) },
	{ TEXT(COMMAND, "command", "command line"), SHOWN(1, 1, 0, 1),
	  RECORDING(command) },
	{ TEXT(HOST, "host", "host"), SHOWN(1, 1, 0, 1), RECORDING(host) },
	{ TEXT(KERNEL, "kernel", "kernel"), SHOWN(1, 1, 0, 1), RECORDING(kernel) },
	{ TEXT(RECORDER, "perf_version", "perf version"), SHOWN(1, 1, 0, 1),
	  RECORDING(recorder) },
	{ TEXT(ARCH, "arch", "architecture"), SHOWN(1, 1, 0, 1), RECORDING(arch) },
	{ TEXT(CPU, "cpu", "processor"), SHOWN(1, 0, 0, 1), RECORDING(cpu) },
	{ TEXT(DAMAGE, "damage", "damage"), SHOWN(1, 0, 0, 1), RECORDING(damage) },
	{ TEXT(FORM, "form", "form"), SHOWN(1, 0, 0, 0), NAME(form) },
	{ TEXT(CLOCK, "clock", "clock"), SHOWN(1, 1, 0, 1), .text = clock_text },
	{ TEXT(BYTE_ORDER, "byte_order", "byte order"), SHOWN(1, 0, 0, 1),
	  .text = byte_order_text },
	{ TEXT(TITLE, "title", "title"), SHOWN(1, 0, 0, 0), INPUT(title) },

	{ COUNT(BYTES, BYTES, "bytes", "bytes"), SHOWN(1, 0, 0, 0), RECORDING(bytes),
	  .of_file = true },
	{ COUNT(RECORDS, NUMBER, "records", "records"), SHOWN(0, 0, 0, 1),
	  RECORDING(records) },
	{ COUNT(PROCESSORS, NUMBER, "processors", "processors online"), SHOWN(1, 0, 0, 1),
	  RECORDING(processors) },
	{ COUNT(SAMPLES, NUMBER, "samples", "samples"), SHOWN(1, 0, 0, 1),
	  RECORDING(samples) },
	{ COUNT(CHAINS, NUMBER, "chains", "with a call chain"), SHOWN(1, 1, 0, 1),
	  INPUT(tally.chains) },
	{ COUNT(USER_STACKS, NUMBER, "user_stacks", "with a user stack dump"),
	  SHOWN(1, 2, 0, 1), INPUT(tally.user_stacks) },
	{ COUNT(LOST, NUMBER, "lost", "records lost"), SHOWN(1, 0, 0, 1),
	  RECORDING(lost) },
	{ COUNT(LOST_SAMPLES, NUMBER, "lost_samples", "samples lost"), SHOWN(1, 0, 0, 1),
	  .count = lost_samples_count },
	{ COUNT(THROTTLED, NUMBER, "throttled", "times throttled"), SHOWN(1, 0, 0, 1),
	  RECORDING(throttled) },
	{ COUNT(FIRST_TIME, NANOSECONDS, "first_time", "time of the first sample"),
	  SHOWN(1, 0, 0, 1), RECORDING(first_time) },
	{ COUNT(LAST_TIME, NANOSECONDS, "last_time", "time of the last sample"),
	  SHOWN(1, 0, 0, 1), RECORDING(last_time) },
	{ COUNT(UNKNOWN_RECORDS, NUMBER, "unknown_records", "unknown, skipped"),
	  SHOWN(1, 0, 0, 1), RECORDING(unknown) },
	{ COUNT(TRUNCATED_AT, BYTES, "truncated_at", "readable"), SHOWN(0, 0, 0, 1),
	  RECORDING(truncated_at) },
	{ COUNT(DELIVERED, NUMBER, "delivered",
		"samples when groups of counters are split"),
	  SHOWN(1, 0, 0, 1), INPUT(delivered) },
	{ COUNT(BARE, NUMBER, "bare", "with neither chain nor dump"), SHOWN(1, 3, 0, 1),
	  INPUT(tally.bare) },
	{ COUNT(CHAINS_BROKEN, NUMBER, "chains_broken",
		"with a call chain that ends in garbage"),
	  SHOWN(1, 1, 0, 1), INPUT(tally.chains_broken) },
	{ COUNT(CHAINS_CUT, NUMBER, "chains_cut", "with a call chain that is cut"),
	  SHOWN(1, 1, 0, 1), INPUT(tally.chains_cut) },
	{ COUNT(CALLERS_INFERRED, NUMBER, "callers_inferred",
		"with the caller of a function without a frame, by the code alone"),
	  SHOWN(1, 1, 0, 1), INPUT(tally.inferred) },
	{ COUNT(FRAMES_SKIPPED, NUMBER, "frames_skipped",
		"with frames that are missing in their midst"),
	  SHOWN(1, 1, 0, 1), INPUT(tally.skipped) },
	{ COUNT(USER_STACKS_CUT, NUMBER, "user_stacks_cut",
		"with a user stack dump that is cut"),
	  SHOWN(1, 2, 0, 1), INPUT(tally.user_stacks_cut) },
	{ COUNT(BRANCH_STACKS, NUMBER, "branch_stacks", "with branch records"),
	  SHOWN(1, 3, 0, 1), INPUT(tally.branch_stacks) },
	{ COUNT(KERNEL_SAMPLES, NUMBER, "kernel_samples", "taken in the kernel"),
	  SHOWN(1, 3, 0, 1), RECORDING(kernel_samples) },
	{ COUNT(GUEST_SAMPLES, NUMBER, "guest_samples", "taken in a guest"),
	  SHOWN(1, 3, 0, 1), RECORDING(guest_samples) },
	{ COUNT(AUX_LOST, NUMBER, "aux_lost", "pieces of AUX data not whole"),
	  SHOWN(1, 0, 0, 1), RECORDING(aux_lost) },
	{ COUNT(LATE_RECORDS, NUMBER, "late_records", "records came too late"),
	  SHOWN(1, 0, 0, 0), INPUT(late) },
	{ COUNT(UNTIMED, NUMBER, "untimed",
		"without a time, added up over all of the recording"),
	  SHOWN(1, 3, 0, 1), RECORDING(untimed) },
	{ COUNT(COMPRESSED, FLAG, "compressed", "compressed"), SHOWN(1, 0, 0, 0),
	  RECORDING(compressed), .of_file = true },
	{ COUNT(KERNEL_HIDDEN, FLAG, "kernel_hidden", "place of the kernel not recorded"),
	  SHOWN(1, 0, 0, 1), .count = kernel_hidden_count },
	{ COUNT(CHANGED, FLAG, "changed", "changed while it was read"), SHOWN(1, 0, 0, 0),
	  INPUT(changed) },

	{ TOTAL(SAMPLES_READ, NUMBER, NULL, "samples read"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.sum.samples_read) },
	{ TOTAL(SAMPLES_TREE, NUMBER, NULL, "samples in the tree"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.sum.samples_kept) },
	{ TOTAL(SAMPLES_NO_CHAIN, NUMBER, NULL, "  without call chain"),
	  SHOWN(0, 0, 1, 0), INCOMPLETE(INCOMPLETE_NO_CHAIN) },
	{ TOTAL(SAMPLES_USER_STACK, NUMBER, "not_unwound",
		"  with a stack dump not unwound"),
	  SHOWN(2, 0, 1, 1), INCOMPLETE(INCOMPLETE_USER_STACK) },
	{ TOTAL(SAMPLES_UNWOUND, NUMBER, "unwound", "samples unwound"), SHOWN(1, 0, 1, 4),
	  PROFILE(collected.unwound.unwound) },
	{ TOTAL(FRAMES_UNWOUND, NUMBER, "frames_unwound", "  frames"), SHOWN(1, 0, 1, 4),
	  PROFILE(collected.unwound.frames) },
	{ TOTAL(REPLAYS, NUMBER, "replays", "  replays with all registers"),
	  SHOWN(1, 0, 1, 4), PROFILE(collected.unwound.replays) },
	{ TOTAL(SAMPLES_JOINED, NUMBER, NULL, "  joined with frame pointers"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.unwound.joined) },
	{ TOTAL(SAMPLES_TRUNCATED, NUMBER, "truncated", "samples truncated"),
	  SHOWN(2, 0, 1, 0), PROFILE(collected.incomplete.truncated) },
	{ TOTAL(SAMPLES_CUT_DUMP, NUMBER, "cut_dump", "  stack dump too small",
		"stack dump too small"),
	  SHOWN(2, 1, 1, 1), INCOMPLETE(INCOMPLETE_CUT_DUMP) },
	{ TOTAL(SAMPLES_OTHER_STACK, NUMBER, "other_stack",
		"  next frame on another stack",
		"next frame on a stack that was not copied"),
	  SHOWN(2, 1, 1, 3), INCOMPLETE(INCOMPLETE_OTHER_STACK) },
	{ TOTAL(SAMPLES_CUT_CHAIN, NUMBER, "cut_chain", "  call chain at its limit",
		"call chain at the recorder's limit"),
	  SHOWN(2, 1, 1, 1), INCOMPLETE(INCOMPLETE_CUT_CHAIN) },
	{ TOTAL(SAMPLES_ODD_CHAIN, NUMBER, "odd_chain", "  call chain ends in garbage",
		"call chain ends in garbage"),
	  SHOWN(2, 1, 1, 1), INCOMPLETE(INCOMPLETE_ODD_CONTEXT) },
	{ TOTAL(SAMPLES_NO_CFI, NUMBER, "no_cfi", "  no unwind information",
		"no unwind information"),
	  SHOWN(2, 1, 1, 1), INCOMPLETE(INCOMPLETE_NO_CFI) },
	{ TOTAL(SAMPLES_NO_CALL, NUMBER, "no_call", "  return address behind no call",
		"return address behind no call"),
	  SHOWN(3, 1, 1, 2), INCOMPLETE(INCOMPLETE_NO_CALL) },
	{ TOTAL(SAMPLES_NO_START, NUMBER, "no_start", "  root is not a start",
		"root is not where threads start"),
	  SHOWN(3, 1, 1, 2), INCOMPLETE(INCOMPLETE_NO_START) },
	{ TOTAL(SAMPLES_BAD_ADDRESS, NUMBER, "bad_address",
		"  return address without code", "return address where there is no code"),
	  SHOWN(2, 1, 1, 1), INCOMPLETE(INCOMPLETE_BAD_ADDRESS) },
	{ TOTAL(SAMPLES_REPEATED, NUMBER, "repeated", "  a frame that leads back",
		"a frame that leads back"),
	  SHOWN(3, 1, 1, 1), INCOMPLETE(INCOMPLETE_REPEATED) },
	{ TOTAL(SAMPLES_TOO_DEEP, NUMBER, "too_deep", "  deeper than any stack",
		"more frames than any stack has"),
	  SHOWN(3, 1, 1, 1), INCOMPLETE(INCOMPLETE_TOO_DEEP) },
	{ TOTAL(SAMPLES_MAX_STACK, NUMBER, "max_stack", "  --max-stack",
		"more frames than --max-stack"),
	  SHOWN(3, 1, 1, 1), INCOMPLETE(INCOMPLETE_MAX_STACK) },
	{ TOTAL(WEIGHT_READ, NUMBER, NULL, "weight read"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.sum.read) },
	{ TOTAL(WEIGHT_TREE, NUMBER, NULL, "weight in the tree"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.sum.kept) },
	{ TOTAL(WEIGHT_UNNAMED, NUMBER, NULL, "  without symbol"), SHOWN(0, 0, 1, 0),
	  .total = weight_unnamed_total },
	{ TOTAL(WEIGHT_LOST_EVENT, NUMBER, NULL, "weight of other events"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.sum.lost[LOST_EVENT]) },
	{ TOTAL(WEIGHT_LOST_FILTER, NUMBER, NULL, "weight filtered out"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.sum.lost[LOST_FILTER]) },
	{ TOTAL(WEIGHT_LOST_DAMAGED, NUMBER, NULL, "weight of damaged records"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.sum.lost[LOST_DAMAGED]) },
	{ TOTAL(WEIGHT_LOST_TRUNCATED, NUMBER, NULL, "weight left out as truncated"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.sum.lost[LOST_TRUNCATED]) },
	{ TOTAL(FRAMES, NUMBER, NULL, "distinct frames"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.frames.list.count) },
	{ TOTAL(NODES, NUMBER, NULL, "nodes of the tree"), SHOWN(0, 0, 1, 0),
	  PROFILE(named.nodes.count) },
	{ TOTAL(UNWIND_TIME, NANOSECONDS, NULL, "seconds unwinding"), SHOWN(0, 0, 1, 0),
	  PROFILE(collected.unwound.nanoseconds) },
	{ TOTAL(TABLE_TIME, NANOSECONDS, NULL, "seconds making unwind tables"),
	  SHOWN(0, 0, 1, 0), PROFILE(collected.unwound.table_nanoseconds) },
	{ TOTAL(PAIR_EVENTS, NUMBER, "events", "events of the mode"), SHOWN(4, 4, 2, 0),
	  .total = pair_events_total },
	{ TOTAL(PAIR_STARTS, NUMBER, "starts", "  starts"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.starts) },
	{ TOTAL(PAIR_ENDS, NUMBER, "ends", "  ends"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.ends) },
	{ TOTAL(PAIR_PAIRED, NUMBER, "paired", "  paired"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.paired) },
	{ TOTAL(PAIR_OPEN_AT_START, NUMBER, "ends_without_start",
		"  ends without a start"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.unopened) },
	{ TOTAL(PAIR_OPEN_AT_END, NUMBER, "starts_without_end",
		"  starts without an end"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.still_open) },
	{ TOTAL(PAIR_CANCELLED, NUMBER, "cancelled", "  cancelled"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.cancelled) },
	{ TOTAL(PAIR_RESTARTED, NUMBER, "restarted", "  started again before an end"),
	  SHOWN(4, 4, 2, 0), .total = restarted_total },
	{ TOTAL(PAIR_BROKEN, NUMBER, "lost", "  records lost meanwhile"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.broken) },
	{ TOTAL(PAIR_NEGATIVE, NUMBER, "negative", "  weight below 0"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.negative) },
	{ TOTAL(PAIR_WITHOUT_WAKER, NUMBER, "without_waker", "  without a waker"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.without_waker) },
	{ TOTAL(PAIR_WOKEN_AGAIN, NUMBER, "woken_again", "  woken again"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.woken_again) },
	{ TOTAL(PAIR_NOT_WAITED, NUMBER, "not_waited", "  woken without a wait"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.not_waited) },
	{ TOTAL(PAIR_STALE, NUMBER, "stale", "  chains cut as stale"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.stale) },
	{ TOTAL(PAIR_OBJECTS, NUMBER, "objects", "  objects"), SHOWN(4, 4, 2, 0),
	  PROFILE(collected.pairs.objects) },
	{ TOTAL(PAIR_RELEASED, NUMBER, "released", "  of these released"),
	  SHOWN(4, 4, 2, 0), PROFILE(collected.pairs.released) },
	{ TOTAL(WALL_EVENTS, NUMBER, "wall_events", "switches and samples"),
	  SHOWN(4, 4, 3, 0), .total = wall_events_total },
	{ TOTAL(WALL_REPAIRS, NUMBER, "repaired", "  repaired"), SHOWN(4, 4, 3, 0),
	  PROFILE(collected.wall.repairs) },
	{ TOTAL(WALL_BROKEN, NUMBER, "switches_lost",
		"  records of switches lost meanwhile"),
	  SHOWN(4, 4, 3, 0), PROFILE(collected.wall.broken) },
	{ TOTAL(WALL_GAP_TIME, NANOSECONDS, "gap_ns", "  seconds in which nothing ran"),
	  SHOWN(4, 4, 3, 0), PROFILE(collected.wall.gap_time) },
	{ TOTAL(WALL_UNPLACED, NANOSECONDS, "unplaced_ns", "  seconds without a stack"),
	  SHOWN(4, 4, 3, 0), PROFILE(collected.wall.unplaced) },
};
/* clang-format on */

enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

/* NULL for what a newer header asks for. */
static const struct fact *find_fact(enum ff_fact_kind kind, unsigned which)
{
	for (size_t i = 0; i < FACTS; i++)
		if (facts[i].said.kind == kind && facts[i].said.which == which)
			return &facts[i];
	return NULL;
}

const struct ff_fact *ff_fact_find(enum ff_fact_kind kind, unsigned which)
{
	const struct fact *fact = find_fact(kind, which);

	return fact ? &fact->said : NULL;
}

/*
 * The next one is the least by (rank, place in the list) that is greater than @f's: a
 * search of the whole list, which is short, in place of a sorted copy for each view.
 */
const struct ff_fact *ff_fact_next(enum ff_fact_view view, enum ff_fact_kind kind,
				   const struct ff_fact *f)
{
	const struct fact *after = f ? find_fact(kind, f->which) : NULL, *next = NULL;

	if ((unsigned)view >= FF_VIEWS)
		return NULL;
	for (const struct fact *fact = facts; fact < facts + FACTS; fact++) {
		unsigned rank = fact->rank[view];

		if (fact->said.kind != kind || !rank ||
		    (next && rank >= next->rank[view]))
			continue;
		if (!after || rank > after->rank[view] ||
		    (rank == after->rank[view] && fact > after))
			next = fact;
	}
	return next ? &next->said : NULL;
}

const struct ff_fact *fact_of_key(enum ff_fact_kind kind, const char *key)
{
	for (const struct fact *fact = facts; fact < facts + FACTS; fact++)
		if (fact->said.kind == kind && fact->rank[FF_VIEW_PICTURE] &&
		    strcmp(fact->said.key, key) == 0)
			return &fact->said;
	return NULL;
}

/* What @base, a struct of the fact's source, has for it. */
static uint64_t number_of(const struct fact *fact, const void *base)
{
	const char *member = (const char *)base + fact->offset;
	uint8_t byte;
	/* The size of a member tells its type: a flag, a string id or a count. */
	uint32_t word;
	uint64_t number;

	switch (fact->size) {
	case sizeof(byte):
		memcpy(&byte, member, sizeof(byte));
		return byte;
	case sizeof(word):
		memcpy(&word, member, sizeof(word));
		return word;
	default:
		memcpy(&number, member, sizeof(number));
		return number;
	}
}

const char *ff_input_text(const struct ff_input *in, enum ff_input_text which)
{
	const struct fact *fact = find_fact(FF_FACT_TEXT, which);
	const struct recording *rec = input_recording(in->input);
	const char *name;
	uint32_t id;

	if (!fact)
		return NULL;
	/* What a picture says of its recording goes before what the picture is itself. */
	if (in->report && in->report->texts[which])
		return in->report->texts[which];
	if (fact->text)
		return fact->text(in);
	if (fact->source == OF_RECORDING_NAME) {
		memcpy(&name, (const char *)rec + fact->offset, sizeof(name));
		return name;
	}
	id = (uint32_t)number_of(fact, fact->source == OF_INPUT ? (const void *)in : rec);
	/* 0 stands for what a recording does not say. */
	return id ? intern_text(&in->profile->strings, id) : NULL;
}

uint64_t ff_input_count(const struct ff_input *in, enum ff_input_count which)
{
	const struct fact *fact = find_fact(FF_FACT_COUNT, which);

	if (!fact)
		return 0;
	/* A picture's size and packing are its own; its counts are those of the
	 * recording. */
	if (in->report && !fact->of_file)
		return in->report->counts[which];
	if (fact->count)
		return fact->count(in);
	return number_of(fact, fact->source == OF_INPUT ? (const void *)in
							: input_recording(in->input));
}

uint64_t ff_profile_total(const struct ff_profile *p, enum ff_total which)
{
	const struct fact *fact = find_fact(FF_FACT_TOTAL, which);

	if (!fact)
		return 0;
	return fact->total ? fact->total(p) : number_of(fact, p);
}

void profile_add_total(struct ff_profile *p, enum ff_total which, uint64_t value)
{
	const struct fact *fact = find_fact(FF_FACT_TOTAL, which);

	/* Only totals that are stored can be added to; a computed one has no place. */
	assert(fact && fact->source == OF_PROFILE && fact->size == sizeof(value));
	value += number_of(fact, p);
	memcpy((char *)p + fact->offset, &value, sizeof(value));
}
