/*
 * The physical limit: reads a file in blocks of 1 MiB and adds up its 64-bit words,
 * in one thread. Prints the sum.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t block[(1 << 20) / sizeof(uint64_t)];

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	uint64_t sum = 0;
	ssize_t size;

	while ((size = read(fd, block, sizeof(block))) > 0) {
		for (size_t i = 0; i < (size_t)size / sizeof(*block); i++)
			sum += block[i];
	}
	printf("%" PRIu64 "\n", sum);
	return size < 0;
}
