/*
 * Prints "OFFSET FUNCTION" of some of its functions: where in its file each one's code
 * lies, as a profiler sees it, from the address and the map that holds it.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define FUNCTIONS(do)                                                                    \
	do                                                                               \
	(first) do(second) do(main)

void first(void);
void second(void);
int main(void);

static int offset_of(uintptr_t address, uint64_t *ret)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end, offset;
	char line[512];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end,
			   &offset) != 3)
			continue;
		found = address >= start && address < end;
		*ret = address - start + offset;
	}
	return found;
}

static void print(const char *name, uintptr_t address)
{
	uint64_t offset;

	if (offset_of(address, &offset))
		printf("%" PRIx64 " %s\n", offset, name);
}

/* Each in a section of its own, so that it lies where others do not. */
__attribute__((noinline, section(".text.first"))) void first(void)
{
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline, section(".text.zzz"), aligned(64))) void second(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
#define PRINT(name) print(#name, (uintptr_t)name);
	FUNCTIONS(PRINT)
	first();
	second();
	return 0;
}
