/*
 * A recording without end, as `perf record -a -g -o -` writes it:
 *
 *	endless MEGABYTES [PROCESSES]
 *
 * Rounds of samples of eight processors whose times overlap; in each round PROCESSES (4)
 * programs are started and as many have ended. The number of samples goes to stderr.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROCESSORS = 8,
	SAMPLES = 200, /* of a processor in a round */
	DEPTH = 30,
	STEP = 250000, /* ns between two of them */
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	CALLCHAIN = 1 << 5,
	CPU = 1 << 7,
	PERIOD = 1 << 8,
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

static void attr(void)
{
	begin(64, 0);
	two(1, 128); /* software, size */
	u64(0); /* cpu-clock */
	u64(4000);
	u64(IP | TID | TIME | CALLCHAIN | CPU | PERIOD);
	u64(0);
	u64(1 << 10 | 1 << 18 | 1 << 24); /* freq, sample_id_all, comm_exec */
	while (size < 8 + 128)
		u64(0);
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

static void sample(uint32_t pid, uint32_t cpu, uint64_t time, uint32_t n)
{
	begin(9, 2);
	u64(0x1000000 + n % 64 * 16);
	two(pid, pid);
	u64(time);
	two(cpu, 0);
	u64(1000);
	u64(DEPTH + 2);
	u64((uint64_t)-512);
	for (uint32_t i = 0; i <= DEPTH; i++)
		u64(0x1000000 + (n % 64 * 16) + i * 0x1000);
	end();
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) << 20 : 1 << 20;
	uint32_t processes = argc > 2 ? (uint32_t)atoi(argv[2]) : 4, pid = 2;
	uint64_t time = 1000000000, samples = 0;

	fwrite("PERFILE2\x10\0\0\0\0\0\0\0", 1, 16, stdout);
	attr();
	for (uint32_t i = 0; i < processes; i++)
		start(pid + i, time);
	for (; written < most; time += STEP * SAMPLES) {
		for (uint32_t cpu = 0; cpu < PROCESSORS; cpu++)
			for (uint32_t i = 0; i < SAMPLES; i++, samples++)
				sample(pid + (i + cpu) % processes, cpu,
				       time + 100 + i * STEP + cpu, i + cpu);
		for (uint32_t i = 0; i < processes; i++) {
			stop(pid + i, time + SAMPLES * STEP);
			start(pid + processes + i, time + SAMPLES * STEP);
		}
		pid += processes;
		begin(68, 0); /* FINISHED_ROUND */
		end();
	}
	fprintf(stderr, "%" PRIu64 "\n", samples);
	return fflush(stdout) == 0 ? 0 : 1;
}
