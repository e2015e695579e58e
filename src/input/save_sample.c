#include "input/save_sample.h"

#include <string.h>

#include "base/cursor.h"

/* Fields of 8 bytes before all others. */
#define FIXED                                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |   \
	 PERF_SAMPLE_PERIOD)
#define LEFT_OUT (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

enum {
	HEAD = sizeof(struct perf_event_header),
	BRANCH_ENTRY = 24,
};

bool save_sample_shrinks(const struct perf_event_attr *attr)
{
	return attr->sample_type & LEFT_OUT;
}

void save_sample_attr(struct perf_event_attr *attr)
{
	attr->sample_type &= ~(uint64_t)LEFT_OUT;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
}

/* @count items of @size bytes; a count that cannot be is bad. */
static void skip(struct cursor *c, uint64_t count, size_t size)
{
	cursor_bytes(c, count > cursor_left(c) / size ? cursor_left(c) + 1
						      : (size_t)count * size);
}

/* "value, [enabled], [running], [id], [lost]", or of a group "count, [enabled], [running],
 * then for each value, [id], [lost]". */
static void skip_read(struct cursor *c, uint64_t format)
{
	unsigned times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0) +
			 (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0);
	unsigned each = 1 + (format & PERF_FORMAT_ID ? 1 : 0) +
			(format & PERF_FORMAT_LOST ? 1 : 0);
	uint64_t count = format & PERF_FORMAT_GROUP ? cursor_u64(c) : 1;

	skip(c, times, 8);
	skip(c, count, 8 * (size_t)each);
}

static void skip_branches(struct cursor *c, uint64_t kinds)
{
	uint64_t count = cursor_u64(c);

	if (kinds & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_u64(c);
	skip(c, count, BRANCH_ENTRY + (kinds & PERF_SAMPLE_BRANCH_COUNTERS ? 8 : 0));
}

static void skip_stack(struct cursor *c)
{
	uint64_t size = cursor_u64(c);

	skip(c, size, 1);
	if (size)
		cursor_u64(c); /* how much of it is filled */
}

/* Where the parts begin that are not copied as they are. */
struct parts {
	const uint8_t *chain, *behind_chain; /* without its count; NULL: none */
	const uint8_t *out, *rest; /* what is left out, and what follows it */
};

static bool find_parts(const struct perf_event_attr *attr, const uint8_t *bytes,
		       size_t size, struct parts *ret)
{
	struct cursor c = cursor_of(bytes, size);
	uint64_t type = attr->sample_type;

	*ret = (struct parts){ 0 };
	cursor_bytes(&c, HEAD);
	skip(&c, (uint64_t)__builtin_popcountll(type & FIXED), 8);
	if (type & PERF_SAMPLE_READ)
		skip_read(&c, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t count = cursor_u64(&c);

		ret->chain = c.p;
		skip(&c, count, 8);
		ret->behind_chain = c.p;
	}
	if (type & PERF_SAMPLE_RAW)
		skip(&c, cursor_u32(&c), 1);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(&c, attr->branch_sample_type);
	ret->out = c.p;
	if (type & PERF_SAMPLE_REGS_USER && cursor_u64(&c) != PERF_SAMPLE_REGS_ABI_NONE)
		skip(&c, (uint64_t)__builtin_popcountll(attr->sample_regs_user), 8);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(&c);
	ret->rest = c.p;
	return !c.bad;
}

/* Behind the leaf of the user's part; NULL where the chain has none. */
static const uint8_t *place_of_caller(const struct parts *p)
{
	const uint64_t user = PERF_CONTEXT_USER;

	for (const uint8_t *at = p->chain; at && at < p->behind_chain; at += 8)
		if (memcmp(at, &user, sizeof(user)) == 0)
			return p->behind_chain - at >= 16 ? at + 16 : NULL;
	return NULL;
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

static uint8_t *copy(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
	memcpy(to, from, (size_t)(end - from));
	return to + (end - from);
}

/* The caller goes to @place; the chain ends at @end. */
static uint8_t *copy_with_caller(uint8_t *to, const struct parts *p,
				 const uint8_t *beginning, const uint8_t *place,
				 const uint8_t *end, uint64_t caller)
{
	uint64_t count = (uint64_t)(end - p->chain) / 8 + 1;

	to = copy(to, beginning, p->chain - sizeof(count));
	memcpy(to, &count, sizeof(count));
	to = copy(to + sizeof(count), p->chain, place);
	memcpy(to, &caller, sizeof(caller));
	to = copy(to + sizeof(caller), place, end);
	return copy(to, p->behind_chain, p->out);
}

size_t save_sample_shrink(const struct perf_event_attr *attr, const uint8_t *bytes,
			  size_t size, uint64_t caller, bool cut, uint8_t *to)
{
	const uint8_t *place, *chain_end;
	struct parts parts;
	uint8_t *end;
	uint16_t now;

	if (!find_parts(attr, bytes, size, &parts))
		return 0;
	place = caller ? place_of_caller(&parts) : NULL;
	chain_end = place && cut ? parts.behind_chain - 8 : parts.behind_chain;
	/* A caller takes the place of 8 of the bytes that are left out. */
	if (place && place <= chain_end && parts.rest - parts.out >= 8)
		end = copy_with_caller(to, &parts, bytes, place, chain_end, caller);
	else
		end = copy(to, bytes, parts.out);
	end = copy(end, parts.rest, bytes + size);
	now = (uint16_t)(end - to);
	memcpy(to + offsetof(struct perf_event_header, size), &now, sizeof(now));
	return now;
}

/* No registers: PERF_SAMPLE_REGS_ABI_NONE; no stack: 0 bytes of it. */
static uint8_t *copy_nothing(uint8_t *to, const struct perf_event_attr *attr)
{
	const uint64_t nothing = 0;

	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		to = copy(to, (const uint8_t *)&nothing, (const uint8_t *)(&nothing + 1));
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		to = copy(to, (const uint8_t *)&nothing, (const uint8_t *)(&nothing + 1));
	return to;
}

size_t save_sample_unwound(const struct perf_event_attr *attr, const uint8_t *bytes,
			   size_t size, const uint64_t *user, size_t user_count,
			   uint8_t *to)
{
	const uint8_t *kernel_end, *made = (const uint8_t *)user;
	struct parts parts;
	uint64_t count;
	uint8_t *end;
	uint16_t now;

	if (!find_parts(attr, bytes, size, &parts))
		return 0;
	if (!parts.chain || user_part(&parts) == parts.behind_chain) {
		memcpy(to, bytes, size);
		return size;
	}
	kernel_end = user_part(&parts);
	/* What takes more room than what it is made of is left as it is. */
	if (8 * user_count > (size_t)(parts.behind_chain - kernel_end) +
				     (size_t)(parts.rest - parts.out) - 16)
		user = NULL;
	count = (uint64_t)(kernel_end - parts.chain) / 8 + (user ? user_count : 0);
	end = copy(to, bytes, parts.chain - sizeof(count));
	memcpy(end, &count, sizeof(count));
	end = copy(end + sizeof(count), parts.chain, kernel_end);
	if (user)
		end = copy(end, made, made + 8 * user_count);
	end = copy(end, parts.behind_chain, parts.out);
	end = user ? copy_nothing(end, attr) : copy(end, parts.out, parts.rest);
	end = copy(end, parts.rest, bytes + size);
	now = (uint16_t)(end - to);
	memcpy(to + offsetof(struct perf_event_header, size), &now, sizeof(now));
	return now;
}
