#ifndef FUZZ_CHOICES_H
#define FUZZ_CHOICES_H

/*
 * Inputs that are programs: steps of one size, each of which a driver turns into something that
 * has the form of the real thing. libFuzzer's own mutations would move all that follows by a
 * byte; these leave, insert, repeat, exchange and drop whole steps, and change one field of one.
 *
 *	| kind flags who what | a (u32) | b (u64) |	16 bytes
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "spread.h"

struct step {
	uint8_t kind, flags, who, what;
	uint32_t a;
	uint64_t b;
};

enum { STEP_SIZE = sizeof(struct step) };

static inline struct step step_at(const uint8_t *data, size_t i)
{
	struct step s;

	memcpy(&s, data + i * STEP_SIZE, sizeof(s));
	return s;
}

/* Numbers that follow from a step: the same ones each time. */
struct numbers {
	uint64_t seed;
};

static inline uint64_t number_next(struct numbers *n)
{
	n->seed += 0x9e3779b97f4a7c15;
	return spread(n->seed);
}

static inline uint64_t number_below(struct numbers *n, uint64_t bound)
{
	return number_next(n) % bound;
}

static inline struct numbers numbers_of(const struct step *s)
{
	return (struct numbers){ s->b * 31 + s->a };
}

/* At the limits of what fields hold, and of what loops and sums do. */
static inline uint64_t number_odd(struct numbers *n)
{
	static const uint64_t odd[] = {
		0,	    1,		7,	    8,		0x7f,	    0x80,
		0xff,	    0xffff,	0x10000,    0x7fffffff, 0x80000000, 0xffffffff,
		1ull << 32, 1ull << 47, 1ull << 61, 1ull << 62, 1ull << 63, INT64_MAX,
		-4096ull,   -4095ull,	-512ull,    -128ull,	-2048ull,   -1ull,
	};

	return odd[number_below(n, sizeof(odd) / sizeof(*odd))];
}

static inline void step_change(uint8_t *step, struct numbers *n)
{
	static const struct {
		uint8_t at, size;
	} fields[] = { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 4 }, { 8, 8 } };
	size_t field = number_below(n, sizeof(fields) / sizeof(*fields));
	uint64_t value = 0;

	memcpy(&value, step + fields[field].at, fields[field].size);
	switch (number_below(n, 5)) {
	case 0:
		value ^= 1ull << number_below(n, 8 * fields[field].size);
		break;
	case 1:
		value += number_below(n, 9) - 4;
		break;
	case 2:
		value = number_odd(n);
		break;
	case 3:
		value = number_below(n, 32);
		break;
	default:
		value = number_next(n);
	}
	memcpy(step + fields[field].at, &value, fields[field].size);
}

/* Another order, one more or one less; the number of steps then. */
static inline size_t steps_rearrange(uint8_t *data, size_t count, size_t most,
				     struct numbers *n)
{
	size_t i = number_below(n, count), k = number_below(n, count);
	uint8_t *one = data + i * STEP_SIZE, *other = data + k * STEP_SIZE;
	uint8_t kept[STEP_SIZE];

	memcpy(kept, one, STEP_SIZE);
	switch (number_below(n, 3)) {
	case 0:
		memcpy(one, other, STEP_SIZE);
		memcpy(other, kept, STEP_SIZE);
		return count;
	case 1:
		if (count < 2)
			return count;
		memmove(one, one + STEP_SIZE, (count - i - 1) * STEP_SIZE);
		return count - 1;
	default:
		if (count >= most)
			return count;
		memmove(other + STEP_SIZE, other, (count - k) * STEP_SIZE);
		memcpy(other, kept, STEP_SIZE);
		return count + 1;
	}
}

static inline size_t steps_mutate(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct numbers n = { seed };
	size_t count = size / STEP_SIZE, changes = 1 + number_below(&n, 4);

	most /= STEP_SIZE;
	if (most == 0)
		return size;
	if (count == 0) {
		memset(data, 0, STEP_SIZE);
		count = 1;
	}
	for (; changes > 0; changes--)
		if (number_below(&n, 3) == 0)
			count = steps_rearrange(data, count, most, &n);
		else
			step_change(data + number_below(&n, count) * STEP_SIZE, &n);
	return count * STEP_SIZE;
}

/* The beginning of one, the end of the other. */
static inline size_t steps_cross(const uint8_t *one, size_t one_size,
				 const uint8_t *other, size_t other_size, uint8_t *ret,
				 size_t most, unsigned seed)
{
	struct numbers n = { seed };
	size_t head = number_below(&n, one_size / STEP_SIZE + 1) * STEP_SIZE;
	size_t from = number_below(&n, other_size / STEP_SIZE + 1) * STEP_SIZE;
	size_t tail = other_size / STEP_SIZE * STEP_SIZE - from;

	if (head > most)
		head = most / STEP_SIZE * STEP_SIZE;
	if (tail > most - head)
		tail = (most - head) / STEP_SIZE * STEP_SIZE;
	memcpy(ret, one, head);
	memcpy(ret + head, other + from, tail);
	return head + tail;
}

#define STEPS_SIZE(bytes, steps)                                                         \
	((bytes) < (steps) * (size_t)STEP_SIZE ? (bytes) : (steps) * (size_t)STEP_SIZE)

/*
 * libFuzzer remembers the operands of comparisons for its own mutations, which are not used
 * here, and that is a third of the time of a run. The linker leads the calls to these instead
 * (--wrap, in the Makefile).
 */
#define NOT_REMEMBERED(operands)                                                         \
	void __wrap___sanitizer_cov_trace_##operands(void);                              \
	void __wrap___sanitizer_cov_trace_##operands(void)                               \
	{                                                                                \
	}

/* What libFuzzer calls; a driver says it once, with the number of steps that it looks at. */
#define MUTATE_BY_STEPS(steps_most)                                                      \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,      \
				       unsigned int seed);                               \
	size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,      \
				       unsigned int seed)                                \
	{                                                                                \
		return steps_mutate(data, size, STEPS_SIZE(max_size, steps_most), seed); \
	}                                                                                \
	size_t LLVMFuzzerCustomCrossOver(                                                \
		const uint8_t *one, size_t one_size, const uint8_t *other,               \
		size_t other_size, uint8_t *out, size_t max_size, unsigned int seed);    \
	size_t LLVMFuzzerCustomCrossOver(                                                \
		const uint8_t *one, size_t one_size, const uint8_t *other,               \
		size_t other_size, uint8_t *out, size_t max_size, unsigned int seed)     \
	{                                                                                \
		return steps_cross(one, one_size, other, other_size, out,                \
				   STEPS_SIZE(max_size, steps_most), seed);              \
	}                                                                                \
	NOT_REMEMBERED(cmp1)                                                             \
	NOT_REMEMBERED(cmp2)                                                             \
	NOT_REMEMBERED(cmp4)                                                             \
	NOT_REMEMBERED(cmp8)                                                             \
	NOT_REMEMBERED(const_cmp1)                                                       \
	NOT_REMEMBERED(const_cmp2)                                                       \
	NOT_REMEMBERED(const_cmp4)                                                       \
	NOT_REMEMBERED(const_cmp8)                                                       \
	NOT_REMEMBERED(switch)

#endif
