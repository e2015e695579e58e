/*
 * Fields of a sample come in the order of the bits of sample_type (PERF_RECORD_SAMPLE
 * in include/uapi/linux/perf_event.h). Those at the front have fixed places, which are
 * computed once for each event; what comes behind, from the counters' values on, has
 * sizes of its own and is passed with a cursor. Nothing is copied: chains and copies of
 * stacks are borrowed from the window, but where the byte order is the other one, or a
 * chain is put together from several.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "input/deferred.h"
#include "input/listed.h"
#include "input/perf.h"
#include "input/script.h"
#include "input/simpleperf.h"

enum {
	CHAIN_MOST = 1 << 14, /* entries of a chain that is put together here */
	BRANCH_ENTRY = sizeof(struct perf_branch_entry),
	BRANCH_TARGET = offsetof(struct perf_branch_entry, to),
};

struct sample_reader {
	const struct input *in;
	struct script_reader *script; /* of text: all else is not used */
	struct listed_reader *listed; /* likewise, of a list */
	struct file file; /* of the source at hand; shared, where it is packed */
	struct stream stream;
	uint32_t source; /* + 1; 0: none yet */
	uint64_t newest;
	uint8_t *swapped; /* the sample in this machine's order, where it needs one */
	uint64_t *chain; /* one that was put together */
	bool any_target; /* see sample_reader_take_any_target() */
	const uint8_t *readable_end; /* of the sample at hand and what is behind it */
};

int sample_reader_new(struct context *ctx, const struct input *in,
		      struct sample_reader **ret)
{
	struct sample_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return fail_memory(ctx);
	r->in = in;
	r->swapped = in->swapped ? malloc(RECORD_MOST) : NULL;
	if (in->swapped && !r->swapped) {
		free(r);
		return fail_memory(ctx);
	}
	*ret = r;
	return 0;
}

static void leave_source(struct sample_reader *r)
{
	stream_release(&r->stream);
	file_close(&r->file);
	r->source = 0;
}

void sample_reader_free(struct sample_reader *r)
{
	if (!r)
		return;
	leave_source(r);
	script_reader_free(r->script);
	listed_reader_free(r->listed);
	free(r->swapped);
	free(r->chain);
	free(r);
}

void sample_reader_take_any_target(struct sample_reader *r)
{
	/* Of a pipe, perf itself sees whatever lies in its memory behind a record. */
	r->any_target = !r->in->pipe;
}

int sample_reader_start(struct context *ctx, struct sample_reader *r, size_t chunk)
{
	const struct chunk *c = &r->in->chunks.v[chunk];
	int err;

	if (r->in->script)
		return script_reader_start(ctx, r->in, &r->script, chunk);
	if (r->in->listed)
		return listed_reader_start(ctx, r->in, &r->listed, chunk);
	if (r->source != c->source + 1) {
		leave_source(r);
		err = file_share(ctx, &r->in->sources.v[c->source].file, &r->file);
		if (err < 0)
			return err;
		if (stream_init(&r->stream, &r->file, r->in->swapped) < 0)
			return fail_memory(ctx);
		r->stream.skips_text = r->in->pipe;
		r->stream.margin = r->any_target ? BRANCH_TARGET + 8 : 0;
		r->source = c->source + 1;
	}
	stream_start(&r->stream, c->start, c->end);
	r->newest = c->time;
	return 0;
}

size_t input_chunks(const struct input *in)
{
	return in->chunks.count;
}

uint64_t input_oldest_from(const struct input *in, size_t chunk)
{
	return chunk < in->chunks.count ? in->chunks.v[chunk].oldest : UINT64_MAX;
}

/*
 * The counters of a READ field: "value, [enabled], [running], [id], [lost]", or of a
 * group "count, [enabled], [running], {value, [id], [lost]}[count]". A single one is
 * handed out as a group of one. Without ids nobody can tell whose the values are.
 */
static void read_counters(struct cursor *c, uint64_t format, struct sample *ret)
{
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint32_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t members = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 1;
	const uint8_t *value, *id;

	if (format & PERF_FORMAT_GROUP) {
		cursor_bytes(c, 8 * times);
		if (members > cursor_left(c) / 8) {
			c->bad = true;
			return;
		}
		ret->group_count = format & PERF_FORMAT_ID ? (uint32_t)members : 0;
		ret->group_stride = each;
		ret->group = cursor_bytes(c, 8 * (size_t)members * each);
		return;
	}
	value = cursor_bytes(c, 8);
	cursor_bytes(c, 8 * times);
	id = format & PERF_FORMAT_ID ? cursor_bytes(c, 8) : NULL;
	if (value && id) {
		memcpy(ret->value, value, 8);
		memcpy(ret->value + 1, id, 8);
		ret->group_count = 1;
		ret->group_stride = 2;
	}
	if (format & PERF_FORMAT_LOST)
		cursor_u64(c);
}

/* What lies between the user's stack and the cgroup. */
static void skip_to_cgroup(struct cursor *c, uint64_t type,
			   const struct sample_layout *layout)
{
	static const uint32_t words[] = { PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT,
					  PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (type & words[i])
			cursor_u64(c);
	/* "u64 abi; u64 register[]", the latter only where there is an ABI. */
	if (type & PERF_SAMPLE_REGS_INTR && cursor_u64(c) != 0)
		cursor_bytes(c, 8 * (size_t)__builtin_popcountll(layout->regs_intr));
	if (type & PERF_SAMPLE_PHYS_ADDR)
		cursor_u64(c);
}

/* Room for a chain of its own. */
static uint64_t *own_chain(struct sample_reader *r)
{
	if (!r->chain)
		r->chain = malloc(CHAIN_MOST * sizeof(*r->chain));
	return r->chain;
}

static void use_chain(struct sample_reader *r, struct sample *ret, uint32_t count)
{
	ret->chain = (const uint8_t *)r->chain;
	ret->chain_count = count;
}

/*
 * The processor's branch records as the user's chain: the newest entry's target is where
 * it is, the sources are the calls that led there (perf, resolve_lbr_callchain_sample()).
 */
static int use_branches(struct sample_reader *r, struct sample *ret,
			const uint8_t *branches, uint64_t count)
{
	bool has_target = count > 0 || (r->any_target &&
					r->readable_end - branches >= BRANCH_TARGET + 8);
	uint32_t n = 0;

	while (n < ret->chain_count && sample_chain(ret, n) != PERF_CONTEXT_USER)
		n++;
	if (n == ret->chain_count || !has_target || n + count + 2 > CHAIN_MOST)
		return 0;
	if (!own_chain(r))
		return -ENOMEM;
	memcpy(r->chain, ret->chain, 8 * (size_t)++n);
	r->chain[n++] = u64_at(branches + BRANCH_TARGET);
	for (uint64_t i = 0; i < count; i++)
		r->chain[n++] = u64_at(branches + BRANCH_ENTRY * i);
	ret->exact_chain = true;
	use_chain(r, ret, n);
	return 0;
}

/* What the kernel told later takes the place of its cookie. */
static int use_deferred(struct sample_reader *r, struct sample *ret)
{
	uint32_t n = ret->chain_count, more = 0;
	const uint8_t *chain = NULL;

	if (n < 2 || sample_chain(ret, n - 2) != PERF_CONTEXT_USER_DEFERRED)
		return 0;
	for (int i = 0; !chain && i < DEFERRED_ROUNDS; i++)
		chain = deferred_find(r->in->deferred[i], ret->tid,
				      sample_chain(ret, n - 1), &more);
	if (!chain || n + more > CHAIN_MOST)
		return 0;
	if (!own_chain(r))
		return -ENOMEM;
	memcpy(r->chain, ret->chain, 8 * (size_t)(n - 2));
	memcpy(r->chain + n - 2, chain, 8 * (size_t)more);
	use_chain(r, ret, n - 2 + more);
	return 0;
}

/*
 * perf record --off-cpu (since 6.16) packs its sample into the raw data of another one, that of a BPF
 * program: "u64 ids, period, count, chain[count], [cgroup]" behind a size of 4 bytes, so that they
 * end 4 bytes before the data does.
 *
 *	a wait that was long enough, when it ends	ids = pid << 32 | tid
 *	others, added up at the end			ids = tid << 32 | pid
 *
 * Which of the two it is records of threads tell; where there are none, a process is older than its
 * threads. Of an event whose name was not recorded
 * only what is just such a sample is one.
 */
static int use_off_cpu(struct sample_reader *r, struct sample *ret, bool named,
		       bool *damaged)
{
	struct cursor c = in_cursor(r->in, ret->raw, ret->raw_size);
	size_t left = cursor_left(&c) / 8;
	uint64_t ids = cursor_u64(&c), period = cursor_u64(&c), count = cursor_u64(&c);
	uint32_t low = (uint32_t)ids, high = (uint32_t)(ids >> 32);
	bool low_is_thread = input_is_thread(r->in, low);
	bool swap = low_is_thread != input_is_thread(r->in, high) ? low_is_thread
								  : low > high;

	*damaged = named && (c.bad || count > left - 3);
	if (c.bad || *damaged || count > CHAIN_MOST ||
	    (!named && (count == 0 || left != count + 4)))
		return 0;
	if (!own_chain(r))
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++)
		r->chain[i] = cursor_u64(&c);
	if (!named && r->chain[0] != PERF_CONTEXT_USER)
		return 0;
	ret->pid = swap ? high : low;
	ret->tid = swap ? low : high;
	ret->period = period;
	ret->ip = count > 1 ? r->chain[1] : 0;
	ret->mode = MODE_USER;
	ret->is_wait = true;
	ret->has_chain = true;
	use_chain(r, ret, (uint32_t)count);
	if (left > count + 3)
		ret->cgroup = cursor_u64(&c);
	return 0;
}

/* simpleperf may have unwound the user's half into a record of its own. */
static int use_unwound(struct sample_reader *r, struct sample *ret)
{
	uint32_t n = ret->chain_count, more;
	const uint8_t *chain = simpleperf_chain(r->in, ret->tid, ret->time, &more);
	bool user = ret->mode == MODE_USER, has_frames = false;

	/* Has the chain an address of user space, or its marker at the most? */
	for (uint32_t i = 0; chain && i < n && !has_frames; i++) {
		uint64_t ip = sample_chain(ret, i);

		has_frames = user && ip < PERF_CONTEXT_MAX;
		user |= ip == PERF_CONTEXT_USER;
	}
	if (!chain || has_frames || (uint64_t)n + more + 1 > CHAIN_MOST)
		return 0;
	if (!own_chain(r))
		return -ENOMEM;
	if (n)
		memcpy(r->chain, ret->chain, 8 * (size_t)n);
	r->chain[n++] = PERF_CONTEXT_USER;
	memcpy(r->chain + n, chain, 8 * (size_t)more);
	ret->has_chain = true;
	use_chain(r, ret, n + more);
	return 0;
}

/* What follows the chain, as far as something of it is wanted. */
static int decode_tail(struct sample_reader *r, struct cursor *c,
		       const struct event *event, const struct sample_layout *l,
		       struct sample *ret)
{
	uint64_t type = event->sample_type, count = 0;
	const uint8_t *branches = NULL;

	if (type & PERF_SAMPLE_RAW) { /* "u32 size; u8 bytes[size]" */
		uint32_t size = cursor_u32(c);

		ret->raw = cursor_bytes(c, size);
		ret->raw_size = ret->raw ? size : 0;
	}
	/* "u64 count; [index]; {from, to, flags}[count]; [counters[count]]" */
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		count = cursor_u64(c);
		if (l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			cursor_u64(c);
		if (count > cursor_left(c) / BRANCH_ENTRY) {
			c->bad = true;
			count = 0;
		} else {
			branches = cursor_bytes(c, BRANCH_ENTRY * (size_t)count);
			if (l->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
				cursor_bytes(c, 8 * (size_t)count);
		}
	}
	ret->branch_count = (uint32_t)count;
	if (type & PERF_SAMPLE_REGS_USER) { /* "u64 abi; u64 register[]" */
		uint64_t abi = cursor_u64(c);
		size_t registers = (size_t)__builtin_popcountll(l->regs_user);

		if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
			ret->user_registers = cursor_bytes(c, 8 * registers);
			ret->user_mask = l->regs_user;
			ret->user_abi = abi > UINT8_MAX ? UINT8_MAX : (uint8_t)abi;
		}
	}
	/* "u64 size; u8 bytes[size]; u64 filled", the last only where there is room for
	 * any. */
	if (type & PERF_SAMPLE_STACK_USER) {
		uint64_t size = cursor_u64(c), filled;

		if (size) {
			ret->has_user_stack = true;
			ret->user_stack = cursor_bytes(c, (size_t)size);
			filled = cursor_u64(c);
			ret->user_stack_cut = filled >= size;
			ret->user_stack_size = (uint32_t)(filled < size ? filled : size);
		}
	}
	if (type & PERF_SAMPLE_CGROUP) {
		skip_to_cgroup(c, type, l);
		ret->cgroup = cursor_u64(c);
	}
	if (c->bad)
		return 0;
	if (type & PERF_SAMPLE_RAW && l->off_cpu)
		return use_off_cpu(r, ret, l->off_cpu == 2, &c->bad);
	return branches && l->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK
		       ? use_branches(r, ret, branches, count)
		       : 0;
}

/* 1, 0 where the record does not hold what its event says, or -ENOMEM. */
static int decode_fields(struct sample_reader *r, int index, const uint8_t *p,
			 size_t size, struct sample *ret)
{
	const struct event *event = &r->in->rec.events.v[index];
	const struct sample_layout *l = &r->in->layouts.v[index];
	struct cursor c;
	int err = 0;

	if (size < l->fixed)
		return 0;
	/* Where no event of the recording has times, places in the file go for them. */
	ret->time = l->time	       ? u64_at(p + l->time)
		    : r->in->any_timed ? r->newest
				       : ret->position;
	see_time(&r->newest, ret->time);
	ret->ip = l->ip ? u64_at(p + l->ip) : 0;
	ret->pid = l->tid ? u32_at(p + l->tid) : UINT32_MAX;
	ret->tid = l->tid ? u32_at(p + l->tid + 4) : UINT32_MAX;
	ret->cpu = l->cpu ? u32_at(p + l->cpu) : UINT32_MAX;
	ret->period = l->period ? u64_at(p + l->period) : event->period;
	c = cursor_of(p + l->fixed, size - l->fixed);
	if (event->sample_type & PERF_SAMPLE_READ)
		read_counters(&c, event->read_format, ret);
	if (event->sample_type &
	    PERF_SAMPLE_CALLCHAIN) { /* "u64 count, address[count]" */
		uint64_t count = cursor_u64(&c);

		if (count > cursor_left(&c) / 8)
			return 0;
		ret->has_chain = true;
		ret->chain = cursor_bytes(&c, 8 * (size_t)count);
		ret->chain_count = (uint32_t)count;
	}
	if (c.bad)
		return 0;
	if (event->sample_type & SAMPLE_TAIL)
		err = decode_tail(r, &c, event, l, ret);
	if (err == 0)
		err = use_deferred(r, ret);
	if (err == 0 && r->in->simpleperf)
		err = use_unwound(r, ret);
	return err < 0 ? err : !c.bad;
}

/* Finds the event, puts the bytes into the order of this machine, and sets what the
 * head says. 1, 0 where the sample cannot be understood, or -ENOMEM. */
static int decode_raw(struct sample_reader *r, const struct raw_record *raw,
		      struct sample *ret)
{
	int index = event_of_sample(r->in, raw->bytes, raw->head.size);
	const uint8_t *p = raw->bytes;
	size_t margin = raw->margin;

	if (index < 0)
		return 0;
	if (r->in->swapped) {
		if (!sample_swap(r->in, index, p, raw->head.size, r->swapped))
			return 0;
		p = r->swapped;
		margin = 0;
	}
	*ret = (struct sample){ .event = (uint16_t)index,
				.mode = raw->head.misc & PERF_RECORD_MISC_CPUMODE_MASK,
				.exact_chain = r->in->rec.simpleperf,
				.position = raw->position };
	if (r->source)
		ret->position |= (uint64_t)(r->source - 1) << SOURCE_SHIFT;
	r->readable_end = p + raw->head.size + margin;
	return decode_fields(r, index, p, raw->head.size, ret);
}

int sample_decode(struct context *ctx, struct sample_reader *r, const uint8_t *bytes,
		  uint64_t position, struct sample *ret)
{
	struct raw_record raw = { .bytes = bytes, .position = position };
	int found;

	raw.head = record_head_at(bytes, r->in->swapped);
	found = decode_raw(r, &raw, ret);
	return found < 0 ? fail_memory(ctx) : found;
}

uint64_t sample_reader_damaged_at(const struct sample_reader *r)
{
	return r->stream.damage ? r->stream.damaged_at : UINT64_MAX;
}

int sample_next(struct context *ctx, struct sample_reader *r, struct sample *ret,
		uint64_t *damaged)
{
	/* Where samples lack times of their own, those of other records are theirs. */
	bool others_have_times = !r->in->all_timed && r->in->any_timed;
	struct raw_record raw;
	int found;

	if (r->script)
		return script_reader_next(ctx, r->script, ret, damaged);
	if (r->listed)
		return listed_reader_next(ctx, r->listed, ret);
	while ((found = stream_next(ctx, &r->stream, &raw)) > 0) {
		if (raw.head.type != PERF_RECORD_SAMPLE) {
			if (others_have_times)
				see_time(&r->newest,
					 trailer_time(r->in, raw.bytes, raw.head.size));
			continue;
		}
		found = decode_raw(r, &raw, ret);
		if (found < 0)
			return fail_memory(ctx);
		if (found > 0)
			return 1;
		++*damaged;
	}
	return found;
}
