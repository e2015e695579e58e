/*
 * Records what perf record cannot: the kernel's chain of frame pointers together with
 * the user's registers and a small copy of the stack.
 *
 * usage: record_chain FILE.data STACK_BYTES COMMAND...	0 STACK_BYTES: no copy
 *
 * One thread of x86-64, cpu-clock, 5000 times a second. Exit 77: not permitted.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 128, HEADER = 104, FEATURE_ARCH = 6 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The command, stopped before it is executed until a byte comes on @go. */
static pid_t start(char **command, int go[2])
{
	pid_t child;
	char byte;

	if (pipe(go) != 0 || (child = fork()) < 0)
		fail("fork");
	if (child == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		close(go[0]);
		execvp(command[0], command);
		_exit(127);
	}
	close(go[0]);
	return child;
}

static int open_event(struct perf_event_attr *attr, pid_t child, unsigned stack)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 200000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER,
		.disabled = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.enable_on_exec = 1,
		.sample_id_all = 1,
		.sample_regs_user = 0xff0fff,
		.sample_stack_user = stack,
	};
	if (stack)
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
	for (int user = 0; user < 2; user++) {
		int fd;

		attr->exclude_kernel = user;
		fd = syscall(SYS_perf_event_open, attr, child, -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Moves what is in the ring to the file. */
static uint64_t drain(struct perf_event_mmap_page *ring, FILE *out)
{
	uint64_t size = (uint64_t)PAGES * getpagesize();
	const char *data = (const char *)ring + getpagesize();
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail, moved = head - tail;

	while (tail < head) {
		uint64_t at = tail % size, n = head - tail;

		if (n > size - at)
			n = size - at;
		if (fwrite(data + at, 1, n, out) != n)
			fail("write");
		tail += n;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
	return moved;
}

/* magic, sizes and places: header, one attr without ids, data, one feature */
static void write_header(FILE *out, const struct perf_event_attr *attr, uint64_t size)
{
	uint64_t data = HEADER + sizeof(*attr) + 16, no_ids[2] = { 0, 0 };
	uint64_t header[13] = {
		0, HEADER, sizeof(*attr) + 16, HEADER, sizeof(*attr) + 16, data, size,
		0, 0,	   1 << FEATURE_ARCH
	};
	struct {
		uint64_t offset, size;
		uint32_t length;
		char text[8];
	} arch = { data + size + 16, 12, 8, "x86_64" };

	memcpy(header, "PERFILE2", 8);
	if (fseek(out, 0, SEEK_END) != 0 || fwrite(&arch, 28, 1, out) != 1 ||
	    fseek(out, 0, SEEK_SET) != 0 || fwrite(header, sizeof(header), 1, out) != 1 ||
	    fwrite(attr, sizeof(*attr), 1, out) != 1 || fwrite(no_ids, 16, 1, out) != 1 ||
	    fclose(out) != 0)
		fail("write");
}

int main(int argc, char **argv)
{
	struct perf_event_mmap_page *ring;
	struct perf_event_attr attr;
	uint64_t size = 0;
	int go[2], fd, status;
	pid_t child, ended = 0;
	FILE *out;

	if (argc < 4)
		return 2;
	child = start(argv + 3, go);
	fd = open_event(&attr, child, atoi(argv[2]));
	if (fd < 0) {
		perror("perf_event_open");
		kill(child, SIGKILL);
		return 77;
	}
	ring = mmap(NULL, (PAGES + 1) * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
		    fd, 0);
	out = fopen(argv[1], "w+");
	if (ring == MAP_FAILED || !out ||
	    fseek(out, HEADER + sizeof(attr) + 16, SEEK_SET) != 0 ||
	    write(go[1], "", 1) != 1)
		fail(argv[1]);
	while (ended == 0) {
		struct pollfd one = { .fd = fd, .events = POLLIN };

		poll(&one, 1, 50);
		ended = waitpid(child, &status, WNOHANG);
		size += drain(ring, out);
	}
	write_header(out, &attr, size);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
