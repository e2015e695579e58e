/*
 * borrowed_map SECONDS FILE: a process that has root read FILE for it. In a user namespace it
 * binds FILE, which it may be unable to read, on its own /tmp/perf-PID.map, prints its pid and
 * works in code at 0x7000000000 until its standard input ends, and SECONDS of processor time more.
 * Exit 77: that is not permitted.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* dec %rdi; jnz; ret */
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#else
/* subs x0, x0, #1; b.ne; ret */
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif

#define PLACE ((void *)0x7000000000)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int bind(const char *file)
{
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map)
		return -1;
	fclose(map);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount(file, path, NULL, MS_BIND, NULL);
}

int main(int argc, char **argv)
{
	void (*function)(unsigned long);
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char *memory;
	double end;

	if (argc < 3 || bind(argv[2]) < 0)
		return 77;
	memory = mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory != PLACE)
		return 77;
	/* Then /proc says that it is root's. */
	if (argc > 3)
		prctl(PR_SET_DUMPABLE, 0);
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	function = (void (*)(unsigned long))(uintptr_t)memory;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (poll(&input, 1, 0) == 0)
		function(1000000);
	end = now() + atof(argv[1]);
	while (now() < end)
		function(1000000);
	return 0;
}
