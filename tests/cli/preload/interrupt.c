/*
 * Preloaded: every other pread() of a file is interrupted, and those that go on bring half of
 * what was asked for. A file is the same, however it is read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int calls;

ssize_t pread(int fd, void *buf, size_t size, off_t offset)
{
	if (atomic_fetch_add(&calls, 1) % 2 == 0) {
		errno = EINTR;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, size > 1 ? size / 2 : size, offset);
}

ssize_t pread64(int fd, void *buf, size_t size, off_t offset)
{
	return pread(fd, buf, size, offset);
}
