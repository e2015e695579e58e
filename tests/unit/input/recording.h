#ifndef TESTS_RECORDING_H
#define TESTS_RECORDING_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "input/input.h"

/*
 * A perf.data file for tests, made field by field and then opened:
 *
 *	struct made m;
 *
 *	made_begin(&m, &(struct attr){ .sample_type = ST_IP }, 1);
 *	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
 *	u64(&m, 0x1234);
 *	end_record(&m);
 *	made_open(&m);
 *	...questions to m.in...
 *	made_end(&m);
 *
 * tests/perfdata makes richer ones for the command; here every byte is in sight.
 */
enum {
	ST_IP = 1 << 0,
	ST_TID = 1 << 1,
	ST_TIME = 1 << 2,
	ST_ADDR = 1 << 3,
	ST_READ = 1 << 4,
	ST_CALLCHAIN = 1 << 5,
	ST_ID = 1 << 6,
	ST_CPU = 1 << 7,
	ST_PERIOD = 1 << 8,
	ST_STREAM_ID = 1 << 9,
	ST_RAW = 1 << 10,
	ST_BRANCH_STACK = 1 << 11,
	ST_REGS_USER = 1 << 12,
	ST_STACK_USER = 1 << 13,
	ST_IDENTIFIER = 1 << 16,
};
#define FLAG_FREQ (1ull << 10)
#define FLAG_SAMPLE_ID_ALL (1ull << 18)
#define FLAG_COMM_EXEC (1ull << 24)
#define FLAG_BUILD_ID (1ull << 34)

struct attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags, branch, regs_user;
	uint64_t id; /* of its samples; 0: none */
};

struct made {
	struct text bytes;
	size_t attr_size, record, data; /* offsets of the open record, of the data */
	struct context ctx;
	struct intern strings;
	struct input *in;
	enum input_kind kind;
	char path[40];
};

enum { DATA_SIZE_AT = 48 };

static inline void bytes(struct made *m, const void *p, size_t size)
{
	text_add(&m->bytes, p, size);
}

static inline void zeros(struct made *m, size_t size)
{
	for (size_t i = 0; i < size; i++)
		text_char(&m->bytes, '\0');
}

static inline void u64(struct made *m, uint64_t value)
{
	bytes(m, &value, sizeof(value));
}

static inline void u32(struct made *m, uint32_t value)
{
	bytes(m, &value, sizeof(value));
}

static inline void two(struct made *m, uint32_t a, uint32_t b)
{
	u32(m, a);
	u32(m, b);
}

/* With its NUL, padded to 8. */
static inline void string(struct made *m, const char *text)
{
	size_t size = strlen(text) + 1;

	bytes(m, text, size);
	zeros(m, -size & 7);
}

static inline void poke(struct made *m, size_t at, const void *p, size_t size)
{
	memcpy(m->bytes.bytes + at, p, size);
}

static inline void poke_u64(struct made *m, size_t at, uint64_t value)
{
	poke(m, at, &value, sizeof(value));
}

static inline void put_attr(struct made *m, const struct attr *a)
{
	size_t start = m->bytes.size;

	u32(m, a->type);
	u32(m, (uint32_t)m->attr_size);
	u64(m, a->config);
	u64(m, a->period);
	u64(m, a->sample_type);
	u64(m, a->read_format);
	u64(m, a->flags);
	u64(m, 0); /* wakeup, breakpoint */
	u64(m, 0);
	if (m->attr_size > 64) {
		u64(m, 0);
		u64(m, a->branch);
		u64(m, a->regs_user);
	}
	if (m->bytes.size > start + m->attr_size)
		m->bytes.size = start + m->attr_size;
	zeros(m, start + m->attr_size - m->bytes.size);
}

/* header | ids, one an event | attrs | data: @attr_size bytes an attr. */
static inline void made_begin_sized(struct made *m, const struct attr *attrs,
				    size_t count, size_t attr_size)
{
	size_t ids = 104, at = ids + 8 * count;

	memset(m, 0, sizeof(*m));
	m->attr_size = attr_size;
	m->data = at + count * (attr_size + 16);
	bytes(m, "PERFILE2", 8);
	u64(m, 104);
	u64(m, attr_size + 16);
	u64(m, at);
	u64(m, count * (attr_size + 16));
	u64(m, m->data);
	zeros(m, 104 - 48); /* data size, event types, features */
	for (size_t i = 0; i < count; i++)
		u64(m, attrs[i].id);
	for (size_t i = 0; i < count; i++) {
		put_attr(m, &attrs[i]);
		u64(m, ids + 8 * i);
		u64(m, attrs[i].id ? 8 : 0);
	}
	cr_assert_eq(m->bytes.size, m->data);
	cr_assert_eq(intern_init(&m->strings), 0);
}

static inline void made_begin(struct made *m, const struct attr *attrs, size_t count)
{
	made_begin_sized(m, attrs, count, 128);
}

static inline void begin_record(struct made *m, uint32_t type, uint16_t misc)
{
	m->record = m->bytes.size;
	u32(m, type);
	u32(m, misc);
}

static inline void end_record(struct made *m)
{
	uint16_t size = (uint16_t)(m->bytes.size - m->record);

	cr_assert_eq(m->record + size, m->bytes.size, "a record has less than 64 KiB");
	poke(m, m->record + 6, &size, sizeof(size));
}

/* Writes what is there and opens it: the result of input_open(). */
static inline int made_try(struct made *m)
{
	int fd;

	strcpy(m->path, "/tmp/flamefold-test-XXXXXX");
	fd = mkstemp(m->path);
	cr_assert_geq(fd, 0);
	cr_assert_not(m->bytes.failed);
	cr_assert_eq(write(fd, m->bytes.bytes, m->bytes.size), (ssize_t)m->bytes.size);
	close(fd);
	return input_open(&m->ctx, m->path, &m->strings, &m->in, &m->kind);
}

static inline void made_open(struct made *m)
{
	int err;

	poke_u64(m, DATA_SIZE_AT, m->bytes.size - m->data);
	err = made_try(m);
	cr_assert_eq(err, 0, "%d: %s", err, m->ctx.error);
}

static inline void made_end(struct made *m)
{
	if (m->path[0])
		unlink(m->path);
	input_close(m->in);
	intern_release(&m->strings);
	text_release(&m->bytes);
}

/* state_next() that passes over what is no change. */
static inline int next_state(struct made *m, struct record *ret)
{
	int err;

	do
		err = state_next(&m->ctx, m->in, ret);
	while (err == 1 && ret->type == RECORD_NONE);
	return err;
}

/* The first pass to its end; the number of changes of state. */
static inline size_t pass_states(struct made *m)
{
	struct record rec;
	size_t n = 0;
	int err;

	while ((err = next_state(m, &rec)) == 1)
		n++;
	cr_assert_eq(err, 0, "%s", m->ctx.error);
	return n;
}

/* What most tests need: samples with a time, records with a trailer. */
static const struct attr plain = { .sample_type = ST_IP | ST_TID | ST_TIME | ST_PERIOD,
				   .flags = FLAG_SAMPLE_ID_ALL | FLAG_COMM_EXEC };

/* The trailer of a plain event's records. */
static inline void trailer(struct made *m, uint32_t pid, uint32_t tid, uint64_t time)
{
	two(m, pid, tid);
	u64(m, time);
}

static inline void sample(struct made *m, uint64_t ip, uint32_t pid, uint64_t time,
			  uint64_t period)
{
	begin_record(m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(m, ip);
	two(m, pid, pid + 1);
	u64(m, time);
	u64(m, period);
	end_record(m);
}

static inline const char *text(const struct made *m, uint32_t id)
{
	return intern_text(&m->strings, id);
}

/* The only sample after the first pass. */
static inline struct sample only_sample(struct made *m)
{
	static struct sample s;
	static uint64_t chain[64];
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample none;

	pass_states(m);
	cr_assert_eq(input_chunks(m->in), 1);
	cr_assert_eq(sample_reader_new(&m->ctx, m->in, &r), 0);
	cr_assert_eq(sample_reader_start(&m->ctx, r, 0), 0);
	cr_assert_eq(sample_next(&m->ctx, r, &s, &damaged), 1);
	if (s.chain_count && s.chain_count <= 64) {
		memcpy(chain, s.chain, 8 * s.chain_count);
		s.chain = (uint8_t *)chain;
	}
	cr_assert_eq(sample_next(&m->ctx, r, &none, &damaged), 0);
	cr_assert_eq(damaged, 0);
	sample_reader_free(r);
	return s;
}

static inline struct record only_state(struct made *m)
{
	struct record rec, none;

	cr_assert_eq(next_state(m, &rec), 1, "%s", m->ctx.error);
	cr_assert_eq(next_state(m, &none), 0);
	return rec;
}

#endif
