/*
 * private_map SECONDS: a short-lived runtime in a private place. Makes a mount namespace with
 * a /tmp of its own, works SECONDS in code it made there, and writes the perf-PID.map that
 * names that "private_code" only then, as the last thing it does: with it the namespace goes.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* dec %rdi; jnz; ret */
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#else
/* subs x0, x0, #1; b.ne; ret */
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	unsigned char *memory;
	void (*function)(unsigned long);
	char path[64];
	double end;
	FILE *map;

	if (argc != 2 || unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "/tmp", "tmpfs", 0, NULL) < 0)
		return 2;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	function = (void (*)(unsigned long))(uintptr_t)memory;
	for (end = now() + atof(argv[1]); now() < end;)
		function(100000);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 2;
	fprintf(map, "%lx %zx private_code\n", (unsigned long)(uintptr_t)memory,
		sizeof(code));
	return fclose(map) ? 2 : 0;
}
