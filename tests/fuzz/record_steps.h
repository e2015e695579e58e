#ifndef FUZZ_RECORD_STEPS_H
#define FUZZ_RECORD_STEPS_H

/*
 * Steps (choices.h) as events and records of all types, with fields that fit together. What is
 * wrong is wrong in one place.
 */
#include <live/live.h>

#include "choices.h"
#include "recording.h"

enum {
	EVENTS_MOST_HERE = 4,
	ROOM = 1 << 20,
	START = 0x400000, /* of maps, which are MAP_SIZE apart */
	MAP_SIZE = 0x10000,
	MAPS = 6,
	/* struct perf_event_attr */
	FLAG_FREQ = 10,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_COMM_EXEC = 24,
};

struct making {
	struct out records;
	struct event_written events[EVENTS_MOST_HERE];
	unsigned event_count;
	uint64_t time;
	uint64_t samples; /* whole ones */
	bool damaged; /* on purpose */
};

static const char *const names[] = {
	"/nonexistent/program",
	"/nonexistent/libx.so.1",
	"[vdso]",
	"//anon",
	"[heap]",
	"/memfd:x (deleted)",
	"/nonexistent/a b;c",
	"[stack]",
	"/SYSV00000000",
	"[vsyscall]",
	"",
	"/nonexistent/app.odex",
};
static const char *const comms[] = { "sh",   "a b",	    "x;y",     "",
				     "java", "kworker/0:1", ":-1",     "\x1b[31m",
				     "1",    "perf-exec",   "\xff\xfe" };

/* Some fill their place. */
static const char *const line_names[] = {
	"f", "Foo::bar()", "LazyCompile:~a b;c x.js:1", "no_nul_..", "", "\x1b[1m"
};

#define PICK(list, number) ((list)[(number) % (sizeof(list) / sizeof(*(list)))])

/* What the kernel and perf of today know, and what a reader has to step over. */
static const uint64_t sample_types =
	PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
	PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
	PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW |
	PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
	PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
	PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
	PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX;

static bool is_bpf_output(const struct event_written *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       e->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

static void add_event(struct making *m, const struct step *s)
{
	static const char *const event_names[] = {
		"cycles", "cycles:u", "sched:sched_switch", "cpu-clock", "a;b", ""
	};
	struct event_written *e = &m->events[m->event_count];
	struct numbers n = numbers_of(s);
	uint64_t base = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_IDENTIFIER;

	if (m->event_count == EVENTS_MOST_HERE)
		return;
	*e = (struct event_written){ .name = PICK(event_names, s->what) };
	e->attr = (struct perf_event_attr){
		.type = s->who % 6,
		.config = number_below(&n, 12),
		.sample_period =
			s->flags & 1 ? 1 + number_below(&n, 1000) : number_odd(&n),
		.sample_type = base | (s->b & sample_types),
		.read_format = s->a & 31,
		.branch_sample_type = number_next(&n) & (1 << 11 | 1 << 17 | 1 << 19 | 8),
		.sample_regs_user = s->flags & 2 ? 0xff0fff : number_below(&n, 1 << 20),
		.sample_regs_intr = number_below(&n, 1 << 10),
		.sample_stack_user = 256,
		.sample_max_stack = (uint16_t)(s->flags & 4 ? 5 : 127),
	};
	if (is_bpf_output(e))
		e->name = "offcpu-time";
	/* Without IDENTIFIER, TIME or TID only where it is the one event. */
	if (s->flags & 8 && m->event_count == 0)
		e->attr.sample_type = s->b & (sample_types | PERF_SAMPLE_IDENTIFIER);
	e->flags = (uint64_t)(s->flags >> 4 & 1) << FLAG_FREQ |
		   (uint64_t)(~s->flags >> 5 & 1) << FLAG_SAMPLE_ID_ALL |
		   1ull << FLAG_COMM_EXEC | (s->a >> 8 & 2);
	e->id_count = 1 + s->who % 3;
	for (unsigned i = 0; i < e->id_count; i++)
		e->ids[i] = 100 * (m->event_count + 1) + i;
	m->event_count++;
}

/* All that records say about themselves. */
struct origin {
	const struct event_written *event;
	uint32_t pid, tid, cpu;
	uint64_t time, id;
	uint16_t mode;
};

static struct origin origin_of(struct making *m, const struct step *s)
{
	struct origin ret = {
		.event = &m->events[s->what % m->event_count],
		.pid = s->who & 0x80 ? 0 : 1 + s->who % 3,
		.cpu = s->who >> 4 & 3,
		.mode = s->flags & 1 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
	};

	m->time += s->a & 0xff;
	ret.tid = s->flags & 2 ? ret.pid + 1 : ret.pid;
	/* Some come late, some have a time that is none. */
	ret.time = s->flags & 4 ? m->time - (s->a >> 8 & 0xfff) : m->time;
	if ((s->flags & 0xc) == 0xc)
		ret.time = s->b;
	ret.id = ret.event->ids[s->a % ret.event->id_count];
	return ret;
}

static void put_trailer(struct out *o, const struct origin *from)
{
	uint64_t type = from->event->attr.sample_type;

	if (!(from->event->flags >> FLAG_SAMPLE_ID_ALL & 1))
		return;
	if (type & PERF_SAMPLE_TID) {
		put32(o, from->pid);
		put32(o, from->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put64(o, from->time);
	if (type & PERF_SAMPLE_ID)
		put64(o, from->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put64(o, from->id);
	if (type & PERF_SAMPLE_CPU) {
		put32(o, from->cpu);
		put32(o, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		put64(o, from->id);
}

static uint64_t address_of(struct numbers *n, bool kernel)
{
	uint64_t near = number_below(n, 24) * 0x10;

	if (kernel)
		return 0xffffffff81000000 + near * 0x40;
	return number_below(n, 12) ? START + number_below(n, MAPS) * MAP_SIZE + near
				   : number_next(n);
}

static void put_chain(struct out *o, const struct step *s, struct numbers *n)
{
	static const uint64_t contexts[] = { -128ull,  -512ull,	 -2048ull, -2176ull,
					     -2560ull, -4095ull, -640ull };
	unsigned kernel = s->flags & 1 ? 1 + (unsigned)number_below(n, 4) : 0;
	unsigned user = (unsigned)number_below(n, (s->flags & 0x30) == 0x10 ? 200 : 12);
	uint64_t odd = s->flags & 0x20 ? number_below(n, 3) : 0;

	put64(o, (kernel ? 1 + kernel : 0) + 1 + user + odd);
	if (kernel)
		put64(o, contexts[0]);
	for (unsigned i = 0; i < kernel; i++)
		put64(o, address_of(n, true));
	put64(o, contexts[1]);
	for (unsigned i = 0; i < user; i++)
		put64(o, address_of(n, false));
	for (; odd > 0; odd--)
		put64(o,
		      s->flags & 0x40 ? PICK(contexts, number_next(n)) : number_odd(n));
}

static void put_read(struct out *o, const struct making *m, const struct origin *from,
		     struct numbers *n)
{
	uint64_t format = from->event->attr.read_format;
	unsigned count = format & PERF_FORMAT_GROUP ? m->event_count : 1;
	int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (format & PERF_FORMAT_GROUP)
		put64(o, count);
	else
		put64(o, number_below(n, 1 << 20));
	for (; times > 0; times--)
		put64(o, number_below(n, 1 << 20));
	for (unsigned i = 0; i < count; i++) {
		if (format & PERF_FORMAT_GROUP)
			put64(o,
			      number_below(n, 16) ? from->time * (i + 1) : number_odd(n));
		if (format & PERF_FORMAT_ID)
			put64(o, count > 1 ? m->events[i].ids[0] : from->id);
		if (format & 1 << 4) /* PERF_FORMAT_LOST */
			put64(o, number_below(n, 4));
	}
}

static void put_branches(struct out *o, const struct origin *from, struct numbers *n)
{
	uint64_t type = from->event->attr.branch_sample_type;
	unsigned count = (unsigned)number_below(n, 8);

	put64(o, count);
	if (type & 1 << 17) /* PERF_SAMPLE_BRANCH_HW_INDEX */
		put64(o, 0);
	for (unsigned i = 0; i < 2 * count; i++) {
		put64(o, address_of(n, false));
		if (i % 2)
			put64(o, number_below(n, 64));
	}
	if (type & 1 << 19) /* PERF_SAMPLE_BRANCH_COUNTERS */
		for (unsigned i = 0; i < count; i++)
			put64(o, 0);
}

static void put_registers(struct out *o, uint64_t mask, struct numbers *n)
{
	uint64_t abi = number_below(n, 3);

	put64(o, abi);
	for (; abi && mask; mask &= mask - 1)
		put64(o, number_below(n, 3) ? address_of(n, false) : 0x7fff0000);
}

static void put_stack(struct out *o, const struct step *s, struct numbers *n)
{
	uint64_t words = s->flags & 0x80 ? 0 : 8 * number_below(n, 8);

	put64(o, 8 * words);
	for (uint64_t i = 0; i < words; i++)
		put64(o, number_below(n, 3) ? address_of(n, false) : number_next(n));
	if (words)
		put64(o, 8 * number_below(n, words + 1));
}

static uint64_t period_of(const struct step *s, struct numbers *n)
{
	if (s->who & 8)
		return number_odd(n) &
		       (1ull << 56 | (s->who & 4 ? UINT64_MAX : UINT32_MAX));
	return 1 + number_below(n, 1000);
}

/* What perf record --off-cpu puts there, or nearly: a count of more than there is, a chain of
 * something else, nothing behind it. */
static void put_off_cpu(struct out *o, size_t size, struct numbers *n)
{
	for (size_t i = 0; i < size / 8; i++)
		put64(o,
		      i == 0 ? (1 + number_below(n, 4)) << 32 | (1 + number_below(n, 4))
		      : i == 1 && number_below(n, 4) ? number_below(n, 1000)
		      : i == 1			     ? number_odd(n)
		      : i == 2 && number_below(n, 4) ? number_below(n, size / 8)
		      : i == 2			     ? number_odd(n)
		      : i == 3 && number_below(n, 4) ? PERF_CONTEXT_USER
						     : address_of(n, false));
	put_zeros(o, size % 8);
}

/* PERF_SAMPLE_*, in the order of perf_event.h. */
static void put_ending(struct making *m, const struct step *s, const struct origin *from,
		       struct numbers *n)
{
	const struct perf_event_attr *attr = &from->event->attr;
	uint64_t type = attr->sample_type, more;
	struct out *o = &m->records;
	size_t raw;

	if (type & PERF_SAMPLE_READ)
		put_read(o, m, from, n);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(o, s, n);
	if (type & PERF_SAMPLE_RAW) {
		raw = 4 + 8 * number_below(n, 6);
		put32(o, (uint32_t)raw);
		if (is_bpf_output(from->event))
			put_off_cpu(o, raw, n);
		else
			put_zeros(o, raw);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(o, from, n);
	if (type & PERF_SAMPLE_REGS_USER)
		put_registers(o, attr->sample_regs_user, n);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(o, s, n);
	more = type &
	       (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION);
	for (; more; more &= more - 1)
		put64(o, number_next(n));
	if (type & PERF_SAMPLE_REGS_INTR)
		put_registers(o, attr->sample_regs_intr, n);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		put64(o, number_next(n));
	if (type & PERF_SAMPLE_CGROUP)
		put64(o, number_below(n, 3));
	more = type & (PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	for (; more; more &= more - 1)
		put64(o, 4096);
	if (type & PERF_SAMPLE_AUX) {
		put64(o, 16);
		put_zeros(o, 16);
	}
}

static void put_sample(struct making *m, const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	uint64_t type = from.event->attr.sample_type;
	struct out *o = &m->records;

	record_begin(o, PERF_RECORD_SAMPLE, from.mode);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put64(o, from.id);
	if (type & PERF_SAMPLE_IP)
		put64(o, address_of(&n, s->flags & 1));
	if (type & PERF_SAMPLE_TID) {
		put32(o, from.pid);
		put32(o, from.tid);
	}
	if (type & PERF_SAMPLE_TIME)
		put64(o, from.time);
	if (type & PERF_SAMPLE_ADDR)
		put64(o, number_next(&n));
	if (type & PERF_SAMPLE_ID)
		put64(o, from.id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put64(o, from.id);
	if (type & PERF_SAMPLE_CPU) {
		put32(o, from.cpu);
		put32(o, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		put64(o, period_of(s, &n));
	put_ending(m, s, &from, &n);
	m->samples += record_end(o);
}

/* The second one has no NUL of its own where it ends with the place of both. */
static void put_two_names(struct out *o, const char *first, const char *second)
{
	size_t start = o->size;

	put(o, first, strlen(first) + 1);
	put(o, second, strlen(second));
	put_align(o, start);
}

static void put_build_id(struct out *o, uint64_t size, uint64_t first)
{
	uint8_t bytes[24] = { (uint8_t)size, 0, 0, 0, (uint8_t)first };

	put(o, bytes, sizeof(bytes));
}

static void put_map(struct making *m, const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	bool second = s->flags & 0x20, kernel = s->flags & 1;
	/* As flamefold records a line of perf-PID.map (live/live.h). */
	bool line = second && !kernel && (s->flags & 0x88) == 0x08;
	struct out *o = &m->records;

	record_begin(o, second ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
		     (uint16_t)(from.mode | (s->flags & 0x40 ? 1 << 13 : 0) |
				(second && s->flags & 0x80 ? 1 << 14 : 0)));
	put32(o, kernel ? UINT32_MAX : from.pid);
	put32(o, kernel ? 0 : from.tid);
	put64(o, kernel ? 0xffffffff81000000 : START + s->b % MAPS * MAP_SIZE);
	put64(o, s->flags & 0x10 ? number_odd(&n) : (1 + number_below(&n, 3)) * MAP_SIZE);
	put64(o, kernel ? 0xffffffff81000000 : 4096 * number_below(&n, 3));
	if (second) {
		if (s->flags & 0x80) {
			put_build_id(o, 20 + (s->b >> 8 & 1), number_below(&n, 3));
		} else {
			put32(o, 8);
			put32(o, 1);
			put64(o, number_below(&n, 3));
			put64(o, line ? LIVE_LINE_GENERATION : 0);
		}
		put32(o, 5);
		put32(o, 2);
	}
	if (line)
		put_two_names(o, "//anon", PICK(line_names, s->b >> 16));
	else
		put_name(o, kernel ? "[kernel.kallsyms]_text" : PICK(names, s->b >> 16));
	put_trailer(o, &from);
	record_end(o);
}

static void put_comm(struct making *m, const struct step *s)
{
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;

	record_begin(o, PERF_RECORD_COMM, s->flags & 0x10 ? 1 << 13 : 0);
	put32(o, from.pid);
	put32(o, from.tid);
	put_name(o, PICK(comms, s->b));
	put_trailer(o, &from);
	record_end(o);
}

static void put_fork(struct making *m, const struct step *s)
{
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;

	record_begin(o, s->flags & 0x10 ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);
	put32(o, from.pid);
	put32(o, (uint32_t)(s->b % 4));
	put32(o, from.tid);
	put32(o, (uint32_t)(s->b % 4));
	put64(o, from.time);
	put_trailer(o, &from);
	record_end(o);
}

/* Records of fixed fields, of which a reader takes some and passes over others. */
static void put_fixed(struct making *m, const struct step *s)
{
	static const struct {
		uint8_t type, words;
		bool user; /* perf's own: it has no trailer */
	} types[] = {
		{ PERF_RECORD_LOST, 2, false },
		{ PERF_RECORD_THROTTLE, 3, false },
		{ 6, 3, false },
		{ 8, 2, false },
		{ PERF_RECORD_AUX, 3, false },
		{ 12, 1, false },
		{ 13, 1, false },
		{ 14, 0, false },
		{ 15, 1, false },
		{ 21, 1, false },
		{ 65, 3, true },
		{ USER_FINISHED_ROUND, 0, true },
		{ 69, 5, true },
		{ 70, 2, true },
		{ 73, 4, true },
		{ 74, 2, true },
		{ 77, 2, true },
		{ USER_TIME_CONV, 3, true },
		{ USER_FINISHED_INIT, 0, true },
		{ 90, 2, true },
		{ 127, 1, true },
	};
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;
	size_t kind = s->b % (sizeof(types) / sizeof(*types));

	/* Half of the switches are out. */
	record_begin(o, types[kind].type,
		     types[kind].type / 2 == 7 && s->flags & 0x20 ? 3 << 13 : 0);
	for (unsigned i = 0; i < types[kind].words; i++)
		put64(o, s->flags & 0x10 ? number_odd(&n) : number_below(&n, 40));
	if (!types[kind].user)
		put_trailer(o, &from);
	record_end(o);
}

static void put_symbol(struct making *m, const struct step *s)
{
	static const char *const symbols[] = { "bpf_prog_0123456789abcdef_f",
					       "bpf_trampoline_1", "f", "", "a;b" };
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;

	record_begin(o, 17, 0); /* KSYMBOL */
	put64(o, address_of(&n, true));
	put32(o, (uint32_t)(s->flags & 0x10 ? number_odd(&n) : 0x100));
	put16(o, 1 + s->b % 2);
	put16(o, s->flags >> 5 & 1);
	put_name(o, PICK(symbols, s->b >> 8));
	put_trailer(o, &from);
	record_end(o);
	record_begin(o, 18, 0); /* BPF_EVENT */
	put16(o, 1 + (s->flags >> 6 & 1));
	put16(o, 0);
	put32(o, 1);
	put(o, "\1\2\3\4\5\6\7", 8);
	put_trailer(o, &from);
	record_end(o);
}

static void put_world(struct making *m, const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;
	bool cgroup = s->flags & 0x10;

	record_begin(o, cgroup ? 19 : 16, 0); /* CGROUP, NAMESPACES */
	if (cgroup) {
		put64(o, s->b % 3);
		put_name(o, s->b & 4 ? "/" : "/a.slice/b;c");
	} else {
		put32(o, from.pid);
		put32(o, from.tid);
		put64(o, s->b % 9);
		for (uint64_t i = 0; i < s->b % 9; i++) {
			put64(o, 4);
			put64(o, number_below(&n, 5));
		}
	}
	put_trailer(o, &from);
	record_end(o);
}

/* A sample whose user's part comes later, and that part. */
static void put_deferred(struct making *m, const struct step *s)
{
	struct numbers n = numbers_of(s);
	struct origin from = origin_of(m, s);
	struct out *o = &m->records;
	unsigned count = (unsigned)number_below(&n, 8);

	record_begin(o, 22, PERF_RECORD_MISC_USER);
	put64(o, s->b % 4);
	put64(o, count + 1);
	put64(o, -512ull);
	for (unsigned i = 0; i < count; i++)
		put64(o, address_of(&n, false));
	put_trailer(o, &from);
	record_end(o);
}

/* The record before is not what it says. */
static void damage(struct making *m, const struct step *s)
{
	struct out *o = &m->records;
	size_t size = o->size - o->record, at;
	struct numbers n = numbers_of(s);

	if (size < 16)
		return;
	m->damaged = true;
	at = o->record + 8 * number_below(&n, size / 8);
	switch (s->b % 4) {
	case 0:
		patch16(o, o->record + 6, (uint16_t)number_odd(&n));
		break;
	case 1:
		patch64(o, at, number_odd(&n));
		break;
	case 2:
		patch64(o, at, number_next(&n));
		break;
	default:
		o->size -= 8 * (1 + number_below(&n, size / 8 - 1));
		if (s->flags & 1)
			patch16(o, o->record + 6, (uint16_t)(o->size - o->record));
	}
}

static void add_record(struct making *m, const struct step *s)
{
	static void (*const makers[])(struct making *, const struct step *) = {
		put_sample, put_sample,	  put_sample, put_sample, put_map,
		put_map,    put_comm,	  put_fork,   put_fixed,  put_symbol,
		put_world,  put_deferred, put_sample, put_fixed,  put_sample,
	};

	if (s->kind & 0x80 && (s->kind & 0x1f) == 0x1f)
		damage(m, s);
	else
		PICK(makers, s->kind)(m, s);
}

/* No machine whose stacks can be unwound here has the other byte order. */
static void forget_stacks(struct making *m)
{
	for (unsigned i = 0; i < m->event_count; i++)
		m->events[i].attr.sample_type &=
			~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
}

/* What the steps behind the first one say. */
static void make_records(struct making *m, const uint8_t *data, size_t steps, bool big,
			 bool stacks)
{
	static uint8_t room[ROOM];

	*m = (struct making){ .records = { room, 0, sizeof(room), 0, big, false },
			      .time = 1000 };
	for (size_t i = 1; i < steps; i++) {
		struct step s = step_at(data, i);

		if (s.kind >= 0xf8)
			add_event(m, &s);
	}
	if (m->event_count == 0)
		add_event(m, &(struct step){ .flags = 1 | 2,
					     .b = PERF_SAMPLE_CALLCHAIN |
						  PERF_SAMPLE_PERIOD | PERF_SAMPLE_CPU });
	if (!stacks)
		forget_stacks(m);
	for (size_t i = 1; i < steps; i++) {
		struct step s = step_at(data, i);

		if (s.kind < 0xf8)
			add_record(m, &s);
	}
}

#endif
