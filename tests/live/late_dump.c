/*
 * A runtime that is late: maps a page of its jitdump while that is empty, writes the header
 * and the code it made half a second later, and then works SECONDS of processor time in that code, which goes by
 * the name "late_code".
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* dec %rdi; jnz; ret */
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
enum { MACHINE = EM_X86_64 };
#else
/* subs x0, x0, #1; b.ne; ret */
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
enum { MACHINE = EM_AARCH64 };
#endif

static const char name[] = "late_code";

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* tools/perf/Documentation/jitdump-specification.txt */
static void write_dump(int fd, const void *where)
{
	struct {
		uint32_t magic, version, size, machine, padding, pid;
		uint64_t time, flags;
	} header = {
		0x4a695444, 1, sizeof(header), MACHINE, 0, (uint32_t)getpid(), 0, 0
	};
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, index;
	} load = { 0,
		   sizeof(load) + sizeof(name) + sizeof(code),
		   time_ns(),
		   (uint32_t)getpid(),
		   (uint32_t)getpid(),
		   (uintptr_t)where,
		   (uintptr_t)where,
		   sizeof(code),
		   1 };

	if (write(fd, &header, sizeof(header)) < 0 ||
	    write(fd, &load, sizeof(load)) < 0 || write(fd, name, sizeof(name)) < 0 ||
	    write(fd, code, sizeof(code)) < 0)
		exit(3);
}

int main(int argc, char **argv)
{
	unsigned char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(unsigned long) = (void (*)(unsigned long))(uintptr_t)memory;
	double end;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
	if (argc != 2 || memory == MAP_FAILED || fd < 0 ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 2;
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	usleep(500000);
	write_dump(fd, memory);
	end = now(CLOCK_PROCESS_CPUTIME_ID) + atof(argv[1]);
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		function(1000000);
	return 0;
}
