/*
 * fileio FILE: writes, syncs and reads a new FILE, with and without the page cache, and says how long that was and how
 * many bytes. What really went to the disk and came from it is the kernel's word, /proc/self/io. FILE, which is
 * removed, is on a disk: a file system in memory answers, but has nothing to write.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

/* A call is long beside what its events cost. */
enum { SIZE = 16 << 20, CALLS = 4 };
enum { WRITE, SYNC, READ, DIRECT_WRITE, DIRECT_READ, KINDS };

static uint64_t spent[KINDS], bytes[KINDS], of_disk[KINDS];
static char *data;

/* The calls themselves, whose wrappers in the C library keep no frame: frame pointers miss
 * who calls those. */
NOINLINE static ssize_t put(int fd, off_t at)
{
	ssize_t n = pwrite(fd, data, SIZE, at);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t get(int fd, off_t at)
{
	ssize_t n = pread(fd, data, SIZE, at);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t flush(int fd)
{
	ssize_t n = fsync(fd);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t write_file(int fd, off_t at)
{
	ssize_t n = put(fd, at);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t sync_file(int fd, off_t at)
{
	ssize_t n = flush(fd);

	(void)at;
	AFTERWARDS();
	return n;
}

/* The last one asks for more than there is: what is read counts. */
NOINLINE static ssize_t read_file(int fd, off_t at)
{
	ssize_t n = get(fd, at + 4096);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t write_direct(int fd, off_t at)
{
	ssize_t n = put(fd, at);

	AFTERWARDS();
	return n;
}

NOINLINE static ssize_t read_direct(int fd, off_t at)
{
	ssize_t n = get(fd, at);

	AFTERWARDS();
	return n;
}

/* Bytes that this process made disks read and write, without those that a cache answered. */
static uint64_t disk_bytes(void)
{
	uint64_t sum = 0, n;
	char line[64];
	FILE *file = fopen("/proc/self/io", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "read_bytes: %" SCNu64, &n) == 1 ||
		    sscanf(line, "write_bytes: %" SCNu64, &n) == 1)
			sum += n;
	if (file)
		fclose(file);
	return sum;
}

static void measure(int what, ssize_t (*call)(int, off_t), int fd, off_t at)
{
	uint64_t start, before = disk_bytes();
	ssize_t n;

	start = now_ns();
	n = call(fd, at);
	spent[what] += now_ns() - start;
	if (n < 0)
		exit(1);
	bytes[what] += (uint64_t)n;
	of_disk[what] += disk_bytes() - before;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "write_file", "sync_file", "read_file",
					     "write_direct", "read_direct" };
	int fd, kinds = KINDS;

	if (argc != 2 || posix_memalign((void **)&data, 4096, SIZE) != 0)
		return 2;
	memset(data, 'x', SIZE);
	keep_processor();
	fd = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
	if (fd < 0)
		return 1;
	for (off_t at = 0; at < (off_t)SIZE * CALLS; at += SIZE) {
		measure(WRITE, write_file, fd, at);
		measure(SYNC, sync_file, fd, at);
	}
	for (off_t at = 0; at < (off_t)SIZE * CALLS; at += SIZE)
		measure(READ, read_file, fd, at);
	close(fd);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		kinds = DIRECT_WRITE;
	for (off_t at = 0; fd >= 0 && at < (off_t)SIZE * CALLS; at += SIZE) {
		measure(DIRECT_WRITE, write_direct, fd, at);
		measure(DIRECT_READ, read_direct, fd, at);
	}
	unlink(argv[1]);
	for (int i = 0; i < kinds; i++) {
		say("fileio", TIMES, spent[i], names[i]);
		say("syscalls", TIMES, spent[i], names[i]);
		if (i != SYNC)
			say("filebytes", EXACT, bytes[i], names[i]);
		if (i >= DIRECT_WRITE && of_disk[i])
			say("iobytes", EXACT, of_disk[i], names[i]);
	}
	return 0;
}
