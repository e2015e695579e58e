/*
 * A range of time is two bounds, each from the first sample on: a number of seconds with nine
 * digits behind the point, or with a unit, or a percentage of all there is. All are kept as
 * integers, in ns or in 1e-9 of a percent, so that ranges which touch share no sample and leave
 * none out. perf report --time has the same words (tools/perf/Documentation/perf-report.txt).
 */
#include <errno.h>
#include <string.h>

#include "filter/values.h"

#define BILLION 1000000000u
#define ALL_PERCENT (100ull * BILLION)

/* "12", "12.5" or ".5" in units of 1e-9; digits behind the ninth are left out. */
static bool parse_decimal(const char *text, size_t size, uint64_t *ret)
{
	const char *end = text + size;
	uint64_t whole = 0, part = 0;
	uint32_t unit = BILLION;
	size_t digits = 0;

	for (; text < end && *text >= '0' && *text <= '9'; text++, digits++) {
		whole = whole * 10 + (uint64_t)(*text - '0');
		/* So that whole * BILLION and a part below BILLION fit in 64 bits. */
		if (whole > UINT64_MAX / BILLION - 1)
			return false;
	}
	if (text < end && *text == '.')
		for (text++; text < end && *text >= '0' && *text <= '9';
		     text++, digits++) {
			/* 0 behind the ninth digit: what follows adds nothing. */
			unit /= 10;
			part += unit * (uint64_t)(*text - '0');
		}
	*ret = whole * BILLION + part;
	return text == end && digits > 0;
}

/* What "100ms" has behind its number: ns of one, and its size is taken from @size. Without
 * one it is seconds; 0: it is no unit. */
static uint64_t take_unit(const char *text, size_t *size)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", BILLION },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", BILLION },
		{ "m", 60ull * BILLION },
		{ "min", 60ull * BILLION },
		{ "h", 3600ull * BILLION },
	};
	size_t number = *size;

	/* The unit is what letters there are at the end; the point and digits stay. */
	while (number && text[number - 1] >= 'a' && text[number - 1] <= 'z')
		number--;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == *size - number &&
		    memcmp(units[i].name, text + number, *size - number) == 0) {
			*size = number;
			return units[i].ns;
		}
	return 0;
}

static bool parse_bound(const char *text, size_t size, struct time_bound *ret)
{
	unsigned __int128 ns;
	uint64_t unit = BILLION;

	ret->kind = BOUND_OPEN;
	if (size == 0)
		return true;
	ret->kind = BOUND_NS;
	if (text[size - 1] == '%') {
		ret->kind = BOUND_PERCENT;
		size--;
	} else {
		unit = take_unit(text, &size);
	}
	if (!unit || !parse_decimal(text, size, &ret->value))
		return false;
	/* The value is in 1e-9 of a unit. A percentage has BILLION for its unit, and
	 * stays as it is. */
	ns = (unsigned __int128)ret->value * unit / BILLION;
	if (ns > UINT64_MAX)
		return false;
	ret->value = (uint64_t)ns;
	return ret->kind == BOUND_NS || ret->value <= ALL_PERCENT;
}

int time_range_parse(struct context *ctx, const char *filter, const char *value,
		     struct time_range *ret)
{
	/* Only between percentages may a '-' stand instead of the comma. */
	size_t start = strcspn(value, strchr(value, '%') ? "-," : ",");
	const char *end = value + start + 1;

	if (!value[start])
		return fail(ctx, -EINVAL,
			    "filter '%s': a time is START,END in seconds, or with "
			    "units (100ms,2s), or 10%%-20%%",
			    filter);
	if (!parse_bound(value, start, &ret->start))
		return fail(ctx, -EINVAL, "filter '%s': '%.*s' is not a time", filter,
			    (int)start, value);
	if (!parse_bound(end, strlen(end), &ret->end))
		return fail(ctx, -EINVAL, "filter '%s': '%s' is not a time", filter, end);
	if (ret->start.kind == BOUND_OPEN && ret->end.kind == BOUND_OPEN)
		return fail(ctx, -EINVAL, "filter '%s' has neither start nor end",
			    filter);
	/* A time and a percentage can be compared only when all has been read. */
	if (ret->start.kind == ret->end.kind && ret->start.value > ret->end.value)
		return fail(ctx, -EINVAL, "filter '%s' ends before it starts", filter);
	return 0;
}

int duration_range_parse(struct context *ctx, const char *filter, const char *value,
			 struct time_range *ret)
{
	const char *dots = strstr(value, "..");
	const char *end = dots ? dots + 2 : NULL;

	if (!dots || !parse_bound(value, (size_t)(dots - value), &ret->start) ||
	    !parse_bound(end, strlen(end), &ret->end) ||
	    ret->start.kind == BOUND_PERCENT || ret->end.kind == BOUND_PERCENT)
		return fail(ctx, -EINVAL,
			    "filter '%s': a duration is 1ms.., ..2s or 1ms..2s", filter);
	if (ret->start.kind == BOUND_OPEN && ret->end.kind == BOUND_OPEN)
		return fail(ctx, -EINVAL, "filter '%s' has neither least nor most",
			    filter);
	if (ret->end.kind == BOUND_NS && ret->start.kind == BOUND_NS &&
	    ret->start.value > ret->end.value)
		return fail(ctx, -EINVAL, "filter '%s' runs backwards", filter);
	return 0;
}

bool duration_range_has(const struct time_range *range, uint64_t ns)
{
	return (range->start.kind == BOUND_OPEN || ns >= range->start.value) &&
	       (range->end.kind == BOUND_OPEN || ns < range->end.value);
}

/* In ns from the first sample; rounded down, so neighbouring ranges share no time. */
static uint64_t bound_ns(const struct time_bound *b, uint64_t span)
{
	if (b->kind == BOUND_PERCENT)
		return (uint64_t)((unsigned __int128)span * b->value / ALL_PERCENT);
	return b->value;
}

bool time_range_has(const struct time_range *range, uint64_t time, uint64_t first,
		    uint64_t last)
{
	uint64_t span = last > first ? last - first : 0;
	uint64_t at = time > first ? time - first : 0;

	if (range->start.kind != BOUND_OPEN && at < bound_ns(&range->start, span))
		return false;
	/* The last sample is at the end of all time, and 100 % has it. */
	return range->end.kind == BOUND_OPEN ||
	       (range->end.kind == BOUND_PERCENT && range->end.value == ALL_PERCENT) ||
	       at < bound_ns(&range->end, span);
}

uint64_t time_range_next(const struct time_range *range, uint64_t time, uint64_t first,
			 uint64_t last)
{
	const struct time_bound *bounds[] = { &range->start, &range->end };
	uint64_t next = last;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		uint64_t ns = bound_ns(bounds[i], last - first);

		if (bounds[i]->kind != BOUND_OPEN && ns > time - first &&
		    ns < next - first)
			next = first + ns;
	}
	return next;
}
