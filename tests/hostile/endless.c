/*
 * A recording without end, as `perf record -a -g -o -` writes it:
 *
 *	endless MEGABYTES [PROCESSES [KIND]]
 *
 * Rounds of samples of eight processors whose times overlap; in each round PROCESSES (4)
 * programs are started and as many have ended, one of which is still sampled in the next round.
 * The number of samples goes to stderr. Kinds:
 *
 *	plain      what it is without one
 *	forks      many programs in no time: two samples of a processor in a round
 *	deferred   the user's chain comes in a record of its own; each time there is another
 *	           one, of no sample
 *	groups     each sample has read four counters, and counts as four
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROCESSORS = 8,
	COUNTERS = 4,
	FIRST = 2, /* process */
	STEP = 250000, /* ns between two of them */
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	READ = 1 << 4,
	CALLCHAIN = 1 << 5,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
};

static const struct kind {
	const char *name;
	uint32_t samples; /* of a processor in a round */
	uint32_t depth; /* of a chain */
	bool deferred, groups;
} kinds[] = {
	{ "plain", 200, 30, false, false },
	{ "forks", 2, 30, false, false },
	{ "deferred", 200, 30, true, false },
	{ "groups", 200, 4, false, true },
};

static uint8_t bytes[64 << 10];
static size_t size;
static uint64_t written;

static void u64(uint64_t value)
{
	memcpy(bytes + size, &value, 8);
	size += 8;
}

static void two(uint32_t a, uint32_t b)
{
	u64(a | (uint64_t)b << 32);
}

static void begin(uint32_t type, uint16_t misc)
{
	size = 0;
	two(type, misc);
}

static void end(void)
{
	uint16_t whole = (uint16_t)size;

	memcpy(bytes + 6, &whole, 2);
	if (fwrite(bytes, 1, size, stdout) != size)
		exit(1);
	written += size;
}

static void text(const char *t)
{
	size_t length = strlen(t) + 1;

	memset(bytes + size, 0, 64);
	memcpy(bytes + size, t, length);
	size += (length + 7) & ~(size_t)7;
}

static void trailer(uint32_t pid, uint64_t time)
{
	two(pid, pid);
	u64(time);
	two(0, 0); /* processor */
}

static void attr(const struct kind *kind)
{
	begin(64, 0);
	two(1, 128); /* software, size */
	u64(0); /* cpu-clock */
	u64(4000);
	u64(IP | TID | TIME | CALLCHAIN | CPU | PERIOD | (kind->groups ? READ : 0));
	u64(1 << 2 | 1 << 3); /* id, group */
	u64(1 << 10 | 1 << 18 | 1 << 24); /* freq, sample_id_all, comm_exec */
	while (size < 8 + 128)
		u64(0);
	for (uint32_t i = 0; kind->groups && i < PROCESSORS * COUNTERS; i++)
		u64(i + 1);
	end();
}

static void start(uint32_t pid, uint64_t time)
{
	static const char *const names[] = { "cc1", "as", "ld", "sh", "make" };

	begin(7, 0); /* FORK */
	two(pid, 1);
	two(pid, 1);
	u64(time);
	trailer(1, time);
	end();
	begin(3, 1 << 13); /* COMM, exec */
	two(pid, pid);
	text(names[pid % 5]);
	trailer(pid, time + 1);
	end();
	for (uint32_t i = 0; i < 4; i++) {
		begin(1, 2); /* MMAP */
		two(pid, pid);
		u64(0x1000000ull * (i + 1));
		u64(0x1000000);
		u64(0);
		text(i ? "/usr/lib/libc.so.6" : "/usr/bin/program");
		trailer(pid, time + 2 + i);
		end();
	}
}

static void stop(uint32_t pid, uint64_t time)
{
	begin(4, 0); /* EXIT */
	two(pid, 1);
	two(pid, 1);
	u64(time);
	trailer(pid, time);
	end();
}

static void counters(uint32_t cpu)
{
	static uint64_t value;

	u64(COUNTERS);
	for (uint32_t i = 0; i < COUNTERS; i++) {
		u64(++value);
		u64(cpu * COUNTERS + i + 1);
	}
}

static void user_chain(uint64_t from, uint32_t depth)
{
	u64((uint64_t)-512);
	for (uint32_t i = 0; i <= depth; i++)
		u64(from + i * 0x1000);
}

/* The chain of @cookie. */
static void deferred(uint32_t pid, uint64_t time, uint64_t cookie, uint64_t from,
		     uint32_t depth)
{
	begin(22, 0);
	u64(cookie);
	u64(depth + 2);
	user_chain(from, depth);
	trailer(pid, time);
	end();
}

static void sample(const struct kind *kind, uint32_t pid, uint32_t cpu, uint64_t time,
		   uint32_t n)
{
	static uint64_t cookie;
	uint64_t ip = 0x1000000 + n % 64 * 16;

	begin(9, 2);
	u64(ip);
	two(pid, pid);
	u64(time);
	two(cpu, 0);
	u64(1000);
	if (kind->groups)
		counters(cpu);
	if (!kind->deferred) {
		u64(kind->depth + 2);
		user_chain(ip, kind->depth);
		end();
		return;
	}
	cookie += 2;
	u64(2);
	u64((uint64_t)-640);
	u64(cookie);
	end();
	deferred(pid, time, cookie, ip, kind->depth);
	deferred(pid, time, cookie + 1, cookie << 32, kind->depth);
}

/* From @time on, by processes from @pid on. */
static uint64_t round_of(const struct kind *kind, uint64_t time, uint32_t pid,
			 uint32_t processes)
{
	uint64_t n = pid > FIRST;

	if (pid > FIRST)
		sample(kind, pid - 1, 0, time + 50, 0);
	for (uint32_t cpu = 0; cpu < PROCESSORS; cpu++)
		for (uint32_t i = 0; i < kind->samples; i++, n++)
			sample(kind, pid + (i + cpu) % processes, cpu,
			       time + 100 + i * STEP + cpu, i + cpu);
	time += kind->samples * STEP;
	for (uint32_t i = 0; i < processes; i++) {
		stop(pid + i, time);
		start(pid + processes + i, time);
	}
	begin(68, 0); /* FINISHED_ROUND */
	end();
	return n;
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	exit(2);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) << 20 : 1 << 20;
	uint32_t processes = argc > 2 ? (uint32_t)atoi(argv[2]) : 4, pid = FIRST;
	const struct kind *kind = find_kind(argc > 3 ? argv[3] : "plain");
	uint64_t time = 1000000000, samples = 0;

	fwrite("PERFILE2\x10\0\0\0\0\0\0\0", 1, 16, stdout);
	attr(kind);
	for (uint32_t i = 0; i < processes; i++)
		start(pid + i, time);
	for (; written < most; time += STEP * kind->samples, pid += processes)
		samples += round_of(kind, time, pid, processes);
	fprintf(stderr, "%" PRIu64 "\n", samples * (kind->groups ? COUNTERS : 1));
	return fflush(stdout) == 0 ? 0 : 1;
}
