/*
 * Preloaded: reads of the file FAIL_FILE that begin at FAIL_FROM fail with the error number
 * FAIL_ERRNO; without that offset, all of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(int fd, off_t offset)
{
	const char *file = getenv("FAIL_FILE"), *from = getenv("FAIL_FROM");
	char link[64], path[4096];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	if (!file || size < 0)
		return 0;
	path[size] = '\0';
	return strcmp(path, file) == 0 && (!from || offset == atol(from));
}

ssize_t pread(int fd, void *buf, size_t size, off_t offset)
{
	if (fails(fd, offset)) {
		errno = atoi(getenv("FAIL_ERRNO"));
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, size, offset);
}

ssize_t pread64(int fd, void *buf, size_t size, off_t offset)
{
	return pread(fd, buf, size, offset);
}

ssize_t read(int fd, void *buf, size_t size)
{
	if (fails(fd, lseek(fd, 0, SEEK_CUR))) {
		errno = atoi(getenv("FAIL_ERRNO"));
		return -1;
	}
	return syscall(SYS_read, fd, buf, size);
}
