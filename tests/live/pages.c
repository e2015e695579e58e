/* pages COUNT: touches so many pages in touch_pages(), and prints the page faults it had. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

__attribute__((noinline)) static void touch_pages(volatile char *memory, long count)
{
	for (long i = 0; i < count; i++)
		memory[i * sysconf(_SC_PAGESIZE)] = 1;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0, before;
	size_t size = (size_t)count * (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE) < 0)
		return 1;
	before = faults();
	touch_pages(memory, count);
	printf("%ld\n", faults() - before);
	return 0;
}
