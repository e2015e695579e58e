#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

static int fail_errno(struct context *ctx, const char *verb, const char *path)
{
	int err = errno;

	return fail(ctx, -err, "cannot %s '%s': %s", verb, path, strerror(err));
}

static int write_all(int fd, const char *p, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

static int copy(struct context *ctx, int from, int to, const char *path)
{
	char *buf = malloc(BLOCK);
	int err = 0;
	ssize_t n;

	if (!buf)
		return fail_memory(ctx);
	while ((n = read(from, buf, BLOCK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = fail_errno(ctx, "read", path);
		else if (write_all(to, buf, (size_t)n) < 0)
			err = fail_errno(ctx, "write a temporary copy of", path);
		if (err < 0)
			break;
	}
	free(buf);
	return err;
}

/* Replaces what cannot be read twice by an unlinked copy of it. */
static int spool(struct context *ctx, int *fd, const char *path)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int to, err;

	snprintf(name, sizeof(name), "%s/flamefold-XXXXXX", dir && *dir ? dir : "/tmp");
	to = mkostemp(name, O_CLOEXEC);
	if (to < 0)
		return fail_errno(ctx, "make a temporary copy of", path);
	unlink(name);
	err = copy(ctx, *fd, to, path);
	if (err < 0) {
		close(to);
		return err;
	}
	close(*fd);
	*fd = to;
	return 0;
}

static int measure(struct context *ctx, int *fd, const char *path, uint64_t *size)
{
	struct stat st;
	int err;

	if (fstat(*fd, &st) < 0)
		return fail_errno(ctx, "open", path);
	if (S_ISDIR(st.st_mode))
		return fail(ctx, -EISDIR, "cannot read '%s': it is a directory", path);
	if (!S_ISREG(st.st_mode)) {
		err = spool(ctx, fd, path);
		if (err < 0)
			return err;
		if (fstat(*fd, &st) < 0)
			return fail_errno(ctx, "open", path);
	}
	*size = (uint64_t)st.st_size;
	return 0;
}

int file_open(struct context *ctx, const char *path, struct file *ret)
{
	bool standard = strcmp(path, "-") == 0;
	const char *name = standard ? "standard input" : path;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint64_t size = 0;
	int err;

	if (fd < 0)
		return fail_errno(ctx, "open", name);
	err = measure(ctx, &fd, name, &size);
	if (err < 0) {
		close(fd);
		return err;
	}
	*ret = (struct file){ .fd = fd, .path = name, .size = size };
	return 0;
}

void file_close(struct file *f)
{
	if (f->path)
		close(f->fd);
	*f = (struct file){ 0 };
}

int file_read(struct context *ctx, const struct file *f, uint64_t offset, void *buf,
	      size_t size, size_t *got)
{
	size_t done = 0;

	if (offset > INT64_MAX)
		size = 0;
	while (done < size) {
		ssize_t n = pread(f->fd, (char *)buf + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_errno(ctx, "read", f->path);
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*got = done;
	return 0;
}

/* Reads until there is no more, or one block more than @most. */
static int read_all(int fd, size_t most, char **bytes, size_t *count)
{
	size_t room = 0;

	for (*count = 0; *count <= most;) {
		ssize_t n;

		if (room - *count < BLOCK) {
			char *more = realloc(*bytes, room = room ? 2 * room : 4 * BLOCK);

			if (!more)
				return -ENOMEM;
			*bytes = more;
		}
		n = read(fd, *bytes + *count, room - *count - 1);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			*count += (size_t)n;
	}
	(*bytes)[*count] = '\0';
	return *count <= most ? 0 : -EFBIG;
}

int file_slurp(struct context *ctx, const char *path, size_t most, char **ret,
	       size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *bytes = NULL;
	int err;

	if (fd < 0)
		return fail_errno(ctx, "open", path);
	/* Only opening must not wait; a FIFO that has a writer is read to its end. */
	fcntl(fd, F_SETFL, 0);
	err = read_all(fd, most, &bytes, size);
	close(fd);
	if (err < 0) {
		free(bytes);
		return fail(ctx, err, "cannot read '%s': %s", path, strerror(-err));
	}
	*ret = bytes;
	return 0;
}

int window_init(struct window *w, const struct file *f, size_t room)
{
	*w = (struct window){ .file = f, .room = room };
	w->bytes = malloc(room);
	return w->bytes ? 0 : -ENOMEM;
}

void window_release(struct window *w)
{
	free(w->bytes);
	*w = (struct window){ 0 };
}

int window_fill(struct context *ctx, struct window *w, uint64_t offset, size_t size,
		const uint8_t **ret, size_t *got)
{
	size_t kept = 0, more;
	int err;

	/* What is there already needs no second read. */
	if (offset >= w->start && offset < w->start + w->size) {
		kept = (size_t)(w->start + w->size - offset);
		memmove(w->bytes, w->bytes + (w->size - kept), kept);
	}
	w->start = offset;
	w->size = kept;
	err = file_read(ctx, w->file, offset + kept, w->bytes + kept, w->room - kept,
			&more);
	if (err < 0)
		return err;
	w->size = kept + more;
	*ret = w->bytes;
	*got = size < w->size ? size : w->size;
	return 0;
}
