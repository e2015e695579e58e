/*
 * Code made at run time, in a memfd that is mapped twice: once to write, once to execute,
 * as .NET does. double_map SECONDS [stay]
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "now.h"

enum { SIZE = 1 << 16 };

#if defined(__x86_64__)
/* mov $2000000, %ecx; 1: dec %ecx; jnz 1b; ret */
static const unsigned char code[] = { 0xb9, 0x80, 0x84, 0x1e, 0x00,
				      0xff, 0xc9, 0x75, 0xfc, 0xc3 };
#elif defined(__aarch64__)
/* mov w0, #0x1e0000; 1: subs w0, w0, #1; b.ne 1b; ret */
static const unsigned char code[] = { 0xc0, 0x03, 0xa0, 0x52, 0x00, 0x04, 0x00, 0x71,
				      0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "no code for this machine"
#endif

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 0.2);
	int fd = memfd_create("doublemapper", MFD_CLOEXEC);
	void *writable, *executable;
	void (*made)(void);

	if (fd < 0 || ftruncate(fd, SIZE) < 0)
		return 1;
	writable = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	executable = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (writable == MAP_FAILED || executable == MAP_FAILED)
		return 1;
	memcpy(writable, code, sizeof(code));
	__builtin___clear_cache(executable, (char *)executable + sizeof(code));
	memcpy(&made, &executable, sizeof(made));
	while (now() < end)
		made();
	if (argc > 2)
		pause();
	return 0;
}
