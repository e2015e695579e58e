/*
 * A recording of two processors whose buffers were written out in turn, read in chunks of a few samples:
 * what waits for its end is settled while chunks are still to be read, by whom they are read no matter.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/array.h"
#include "base/perf_abi.h"
#include "engine/profile.h"

enum { HEADER = 104, ATTR = 64, EVENTS = 2, THREADS = 13 };

/* As perf writes it: attributes, their ids, then the data. */
static struct perf_file {
	ARRAY(uint8_t) bytes;
} file;

static void put(const void *bytes, size_t size)
{
	cr_assert(array_reserve(&file.bytes, size));
	memcpy(file.bytes.v + file.bytes.count, bytes, size);
	file.bytes.count += size;
}

static void put_u64(uint64_t value)
{
	put(&value, sizeof(value));
}

/* Thread @tid goes off, or comes back. */
static void put_sample(uint64_t event, uint32_t tid, uint64_t time)
{
	const uint64_t chain[] = { 2, (uint64_t)-512, 0x1000 + tid % 5 };
	struct perf_event_header head = {
		PERF_RECORD_SAMPLE, 2, (uint16_t)(sizeof(head) + 4 * 8 + sizeof(chain))
	};
	uint32_t ids[] = { 1, tid };

	put(&head, sizeof(head));
	put_u64(event);
	put_u64(chain[2]);
	put(ids, sizeof(ids));
	put_u64(time);
	put(chain, sizeof(chain));
}

/* @late: how far what is written may lie behind what was written before it. */
static void make_file(size_t rounds, uint64_t late)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
	};
	size_t ids = HEADER + EVENTS * (ATTR + 16), data = ids + EVENTS * 8, size;

	srand(5);
	file.bytes.count = 0;
	put("PERFILE2", 8);
	for (const uint64_t *
		     v = (uint64_t[]){ HEADER, ATTR + 16, HEADER, EVENTS * (ATTR + 16),
				       data, 0, 0, 0, 0, 0, 0, 0 },
		    *end = v + 12;
	     v < end; v++)
		put_u64(*v);
	for (uint64_t i = 0; i < EVENTS; i++) {
		struct perf_event_attr one = attr;

		one.config =
			i ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CONTEXT_SWITCHES;
		put(&one, ATTR);
		put_u64(ids + i * 8);
		put_u64(8);
	}
	put_u64(1);
	put_u64(2);
	/* A round is of 1000 ns: all of one processor, then all of the other, which has the ends. */
	for (size_t round = 0; round < rounds; round++)
		for (int cpu = 0; cpu < 2; cpu++)
			for (uint32_t tid = 1; tid <= THREADS; tid++) {
				uint64_t time = 5000 + round * 1000 + tid * 50;

				time += (uint64_t)rand() % 3 * (uint64_t)cpu * 700;
				if (late)
					time -= (uint64_t)rand() % late;
				put_sample(1 + (uint64_t)cpu, tid, time);
			}
	size = file.bytes.count - data;
	memcpy(file.bytes.v + 48, &size, sizeof(size));
}

static uint64_t memory; /* of the profile; 0: as much as is usual */

/* What is folded of it, to be freed. @chunk: bytes; 0: as is good for files. */
static char *fold(unsigned threads, uint64_t chunk, const char *rule)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	options.threads = threads;
	options.pair = rule;
	options.memory = memory;
	options.flags = FF_ADDRS;
	cr_assert_eq(ff_profile_new(&p, &options), 0, "%s", ff_profile_error(p));
	p->parts.chunk = chunk;
	cr_assert_eq(ff_profile_read_memory(p, file.bytes.v, file.bytes.count, "made"), 0,
		     "%s", ff_profile_error(p));
	cr_assert_eq(ff_profile_finish(p), 0);
	cr_assert_eq(ff_write_folded(p, f), 0);
	fprintf(f, "ends %llu, starts %llu, paired %llu\n",
		(unsigned long long)p->collected.pairs.ends,
		(unsigned long long)p->collected.pairs.starts,
		(unsigned long long)p->collected.pairs.paired);
	fclose(f);
	ff_profile_free(p);
	return text;
}

static void check_all_ways(const char *rule)
{
	char *whole = fold(1, 0, rule);

	cr_assert_gt(strlen(whole), 100);
	for (unsigned threads = 1; threads < 6; threads += 2)
		for (uint64_t chunk = 64; chunk < 20000; chunk *= 7) {
			char *parts = fold(threads, chunk, rule);

			cr_expect_str_eq(parts, whole, "%u threads, chunks of %llu bytes",
					 threads, (unsigned long long)chunk);
			free(parts);
		}
	free(whole);
}

Test(second_pass, intervals_are_the_same_however_many_chunks_and_threads_there_are)
{
	static const char *const rules[] = {
		"start context-switches key tid; end page-faults key tid; weight t",
		"start context-switches key tid; end page-faults key tid; "
		"stack end; weight t",
		"start context-switches key tid; end page-faults key tid; "
		"open count; first; weight t",
		"start context-switches key tid; wake page-faults key tid % 13 + 1; "
		"end page-faults key tid; stack chain; weight t",
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		for (uint64_t late = 0; late < 300000; late = late * 17 + 1) {
			make_file(40, late < 5000 ? late : 5000);
			check_all_ways(rules[i]);
		}
	array_release(&file.bytes);
}

Test(second_pass, what_waits_for_its_end_needs_memory_for_some_chunks_at_the_most)
{
	const char *rule =
		"start context-switches key tid; end page-faults key tid; weight t";
	char *whole, *parts;

	/* 200,000 events, for all of which there would be no room. */
	make_file(8000, 0);
	whole = fold(1, 0, rule);
	memory = 8 << 20;
	for (unsigned threads = 1; threads < 4; threads++) {
		parts = fold(threads, 20000, rule);
		cr_expect_str_eq(parts, whole, "%u threads", threads);
		free(parts);
	}
	parts = fold(1, 1 << 30, rule);
	cr_expect_str_neq(parts, whole, "one chunk");
	free(parts);
	free(whole);
	array_release(&file.bytes);
}
