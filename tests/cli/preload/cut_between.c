/*
 * Preloaded: the file CUT_FILE is cut to CUT_SIZE bytes when it has been read to CUT_END and
 * is gone back in for the CUT_TURN-th time. What is read twice is shorter the second time,
 * each time that a test runs.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static long turns;
static int at_end;

static long number(const char *name)
{
	return getenv(name) ? atol(getenv(name)) : 0;
}

static int is_the_file(int fd)
{
	struct stat st, wanted;

	return getenv("CUT_FILE") && fstat(fd, &st) == 0 &&
	       stat(getenv("CUT_FILE"), &wanted) == 0 && st.st_ino == wanted.st_ino;
}

static void watch(int fd, size_t size, off_t offset)
{
	if (!is_the_file(fd))
		return;
	if (at_end && offset + (off_t)size < number("CUT_END") / 2 + (1 << 20) &&
	    offset < number("CUT_END") / 2 && ++turns == number("CUT_TURN") &&
	    truncate(getenv("CUT_FILE"), number("CUT_SIZE")) < 0)
		abort();
	at_end = offset + (off_t)size >= number("CUT_END");
}

ssize_t pread(int fd, void *buf, size_t size, off_t offset)
{
	watch(fd, size, offset);
	return syscall(SYS_pread64, fd, buf, size, offset);
}

ssize_t pread64(int fd, void *buf, size_t size, off_t offset)
{
	return pread(fd, buf, size, offset);
}

ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	watch(fd, count ? parts[0].iov_len : 0, offset);
	return syscall(SYS_preadv2, fd, parts, count, offset, 0, flags);
}

ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
	return preadv2(fd, parts, count, offset, flags);
}
