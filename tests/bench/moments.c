/*
 * moments SAMPLES FILE: a perf.data of 8 threads that are sampled by a clock of 1 ms with some jitter, in
 * stacks of 12 frames: every third sample is in another stack than the one before, and each thread sleeps
 * now and then. For what takes long with many samples.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, DEPTH = 12, PERIOD = 1000000, ATTR = 128, CODE = 0x400000 };

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, types;
	uint64_t features[4];
};

struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period, count, chain[1 + DEPTH];
};

static uint64_t state = 88172645463325252ull;

static uint64_t chance(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static void put(FILE *out, uint32_t type, const void *body, size_t size)
{
	struct perf_event_header header = { type, PERF_RECORD_MISC_USER,
					    (uint16_t)(sizeof(header) + size) };

	fwrite(&header, sizeof(header), 1, out);
	fwrite(body, size, 1, out);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN,
		.comm = 1,
	};
	struct file_header h = { .magic = 0x32454c4946524550, /* PERFILE2 */
				 .size = sizeof(h),
				 .attr_size = ATTR + sizeof(struct section),
				 .attrs = { sizeof(h), ATTR + sizeof(struct section) } };
	struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = { 1, 1, "work" };
	struct {
		uint32_t pid, tid;
		uint64_t start, length, offset;
		char path[16];
	} map = { 1, 1, CODE, 1 << 20, 0, "/no/work" };
	struct section none = { 0 };
	struct sample_record r[THREADS] = { 0 };
	uint64_t samples = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	FILE *out = argc == 3 ? fopen(argv[2], "wb") : NULL;

	if (!samples || !out) {
		fprintf(stderr, "usage: moments SAMPLES FILE\n");
		return 2;
	}
	h.data.offset = sizeof(h) + h.attr_size;
	h.data.size = sizeof(struct perf_event_header) * 2 + sizeof(comm) + sizeof(map) +
		      samples * sizeof(*r);
	fwrite(&h, sizeof(h), 1, out);
	fwrite(&attr, ATTR < sizeof(attr) ? ATTR : sizeof(attr), 1, out);
	for (size_t i = sizeof(attr); i < ATTR; i++)
		fputc(0, out);
	fwrite(&none, sizeof(none), 1, out);
	put(out, PERF_RECORD_COMM, &comm, sizeof(comm));
	put(out, PERF_RECORD_MMAP, &map, sizeof(map));
	for (int t = 0; t < THREADS; t++)
		r[t] = (struct sample_record){
			.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
				    sizeof(*r) },
			.pid = 1,
			.tid = 1 + (uint32_t)t,
			.cpu = (uint32_t)t,
			.time = PERIOD,
			.period = PERIOD,
			.count = 1 + DEPTH,
			.chain = { PERF_CONTEXT_USER },
		};
	for (uint64_t i = 0; i < samples; i++) {
		struct sample_record *s = &r[i % THREADS];
		/* So many frames from the leaf on are others: mostly few. */
		uint64_t from = i < THREADS   ? DEPTH
				: chance(3)   ? 0
				: chance(500) ? 1 + chance(3)
					      : 1 + chance(DEPTH - 1);

		s->time += PERIOD - 5000 + chance(10000);
		if (chance(1000) == 0)
			s->time += PERIOD * chance(200);
		for (uint64_t k = from; k > 0; k--)
			s->chain[k] = CODE + 0x1000 * (DEPTH - k) + 0x10 * chance(3);
		s->ip = s->chain[1];
		fwrite(s, sizeof(*s), 1, out);
	}
	return fclose(out) ? 1 : 0;
}
