/*
 * Samples of a live run carry registers and a copy of the stack for us to unwind, and
 * what was found takes less room in the saved file than what it was found by. One walk
 * over the fields finds where the parts begin that change, and the rest is copied
 * around them. Nothing gets longer, so a sample is written where the kernel's would
 * lie.
 *
 * Source of the layout: PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h.
 */
#include "input/save_sample.h"

#include <string.h>

#include "base/cursor.h"
#include "input/save.h"

/* Fields of 8 bytes before all others. */
#define FIXED                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |   \
	 PERF_SAMPLE_PERIOD)
#define LEFT_OUT (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

bool save_sample_shrinks(const struct perf_event_attr *attr)
{
	return attr->sample_type & LEFT_OUT;
}

void save_sample_attr(struct perf_event_attr *attr, bool keeps_registers)
{
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	attr->sample_stack_user = 0;
	if (keeps_registers)
		return;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = 0;
}

/* @count items of @size bytes; a count that cannot be is bad. */
static void skip(struct cursor *c, uint64_t count, size_t size)
{
	cursor_bytes(c, count > cursor_left(c) / size ? cursor_left(c) + 1
						      : (size_t)count * size);
}

/* Where the parts begin that are not copied as they are. */
struct parts {
	const uint8_t *chain, *behind_chain; /* without its count; NULL: none */
	const uint8_t *out, *rest; /* what is left out, and what follows it */
};

/* False where the sample does not hold what the attributes say. */
static bool split_sample(const struct perf_event_attr *attr, const uint8_t *bytes,
			 size_t size, bool keeps_registers, struct parts *ret)
{
	struct cursor c = cursor_of(bytes, size);
	uint64_t type = attr->sample_type, count;

	*ret = (struct parts){ 0 };
	cursor_bytes(&c, RECORD_HEAD);
	skip(&c, (uint64_t)__builtin_popcountll(type & FIXED), 8);
	/* "value, [enabled], [running], [id], [lost]", or of a group "count, [enabled],
	 * [running], {value, [id], [lost]}[count]". */
	if (type & PERF_SAMPLE_READ) {
		uint64_t format = attr->read_format;

		count = format & PERF_FORMAT_GROUP ? cursor_u64(&c) : 1;
		skip(&c,
		     !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING),
		     8);
		skip(&c, count,
		     8 * (size_t)(1 + !!(format & PERF_FORMAT_ID) +
				  !!(format & PERF_FORMAT_LOST)));
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		count = cursor_u64(&c);
		ret->chain = c.p;
		skip(&c, count, 8);
		ret->behind_chain = c.p;
	}
	if (type & PERF_SAMPLE_RAW)
		skip(&c, cursor_u32(&c), 1);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t kinds = attr->branch_sample_type;

		count = cursor_u64(&c);
		if (kinds & PERF_SAMPLE_BRANCH_HW_INDEX)
			cursor_u64(&c);
		skip(&c, count,
		     sizeof(struct perf_branch_entry) +
			     (kinds & PERF_SAMPLE_BRANCH_COUNTERS ? 8 : 0));
	}
	ret->out = c.p;
	if (type & PERF_SAMPLE_REGS_USER && cursor_u64(&c) != PERF_SAMPLE_REGS_ABI_NONE)
		skip(&c, (uint64_t)__builtin_popcountll(attr->sample_regs_user), 8);
	if (keeps_registers)
		ret->out = c.p;
	if (type & PERF_SAMPLE_STACK_USER) {
		count = cursor_u64(&c);
		skip(&c, count, 1);
		if (count)
			cursor_u64(&c); /* how much of it is filled */
	}
	ret->rest = c.p;
	return !c.bad;
}

/* Where the user's part begins, at its marker; the chain's end where it has none. */
static const uint8_t *user_part(const struct parts *p)
{
	const uint64_t user = PERF_CONTEXT_USER;
	const uint8_t *at = p->chain;

	while (at < p->behind_chain && memcmp(at, &user, sizeof(user)) != 0)
		at += sizeof(user);
	return at;
}

static uint8_t *put(uint8_t *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

static uint8_t *put_range(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
	return put(to, from, (size_t)(end - from));
}

/* The sample ends at @end: its head is told. */
static size_t end_sample(uint8_t *to, const uint8_t *end)
{
	uint16_t size = (uint16_t)(end - to);

	memcpy(to + offsetof(struct perf_event_header, size), &size, sizeof(size));
	return size;
}

size_t save_sample_shrink(const struct perf_event_attr *attr, const uint8_t *bytes,
			  size_t size, const struct save_found *found, uint8_t *to)
{
	const uint8_t *user, *user_chain = NULL, *chain_end;
	struct parts parts;
	uint8_t *end;

	if (!split_sample(attr, bytes, size, found->keeps_registers, &parts))
		return 0;
	/* Behind the leaf of the user's part, which its marker stands before. */
	user = parts.chain ? user_part(&parts) : NULL;
	if (found->caller && user && parts.behind_chain - user >= 16)
		user_chain = user + 16;
	chain_end =
		user_chain && found->cut ? parts.behind_chain - 8 : parts.behind_chain;
	/* A caller takes the place of 8 of the bytes that are left out. */
	if (user_chain && user_chain <= chain_end && parts.rest - parts.out >= 8) {
		uint64_t count = (uint64_t)(chain_end - parts.chain) / 8 + 1;

		end = put_range(to, bytes, parts.chain - sizeof(count));
		end = put(end, &count, sizeof(count));
		end = put_range(end, parts.chain, user_chain);
		end = put(end, &found->caller, sizeof(found->caller));
		end = put_range(end, user_chain, chain_end);
		end = put_range(end, parts.behind_chain, parts.out);
	} else {
		end = put_range(to, bytes, parts.out);
	}
	return end_sample(to, put_range(end, parts.rest, bytes + size));
}

size_t save_sample_unwound(const struct perf_event_attr *attr, const uint8_t *bytes,
			   size_t size, const struct save_found *found, uint8_t *to)
{
	static const uint64_t
		nothing; /* PERF_SAMPLE_REGS_ABI_NONE; 0 bytes of the stack */
	const uint64_t *user = found->user;
	const uint8_t *kernel_end;
	struct parts parts;
	uint64_t count;
	uint8_t *end;

	if (!split_sample(attr, bytes, size, found->keeps_registers, &parts))
		return 0;
	if (!parts.chain || user_part(&parts) == parts.behind_chain) {
		memcpy(to, bytes, size);
		return size;
	}
	kernel_end = user_part(&parts);
	/* What takes more room than what it is made of is left as it is. */
	if (8 * found->user_count > (size_t)(parts.behind_chain - kernel_end) +
					    (size_t)(parts.rest - parts.out) - 16)
		user = NULL;
	count = (uint64_t)(kernel_end - parts.chain) / 8 + (user ? found->user_count : 0);
	end = put_range(to, bytes, parts.chain - sizeof(count));
	end = put(end, &count, sizeof(count));
	end = put_range(end, parts.chain, kernel_end);
	if (user)
		end = put(end, user, 8 * found->user_count);
	end = put_range(end, parts.behind_chain, parts.out);
	if (!user)
		end = put_range(end, parts.out, parts.rest);
	if (user && attr->sample_type & PERF_SAMPLE_REGS_USER && !found->keeps_registers)
		end = put(end, &nothing, sizeof(nothing));
	if (user && attr->sample_type & PERF_SAMPLE_STACK_USER)
		end = put(end, &nothing, sizeof(nothing));
	return end_sample(to, put_range(end, parts.rest, bytes + size));
}
