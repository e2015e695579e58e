/*
 * How a file is read is decided once, when it is opened: it is a plain file, a packed
 * one, or a pipe. The first bytes of a pipe tell what flows in it, and cannot be read
 * again, so they are kept; then the pipe is read as it comes, or copied to an unlinked
 * file. All reads go on after a signal and after a short count.
 *
 * A window that moves on keeps what it has of the new place, so that no byte is read
 * again. A read that skims is made with RWF_NOWAIT: where the bytes are not in the page
 * cache, gaps are read, too, because a disk is faster so.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/unpack.h"

enum {
	BLOCK = 1 << 16,
	PACKED_MOST = 1 << 30, /* bytes of what is packed twice */
	/* A skimming read: two memory pages are rarely touched, and copying less is no
	 * faster. */
	SKIMMED = 512,
	/* So many bytes are read without gaps where some were not in memory. */
	WHOLE = 32 << 20,
};

static int fail_errno(struct context *ctx, const char *verb, const char *path)
{
	int err = errno;

	return fail(ctx, -err, "cannot %s '%s': %s", verb, path, strerror(err));
}

/* Passes on the result of what knows no context. */
static int cannot_read(struct context *ctx, int err, const char *path)
{
	if (err >= 0)
		return err;
	if (err == -ENOMEM)
		return fail_memory(ctx);
	if (err == -EBADMSG)
		return fail(ctx, err,
			    "cannot read '%s': it would be unpacked again and again",
			    path);
	return fail(ctx, err, "cannot read '%s': %s", path, strerror(-err));
}

bool file_read_next(int fd, void *buf, size_t size, uint64_t *at)
{
	size_t got = file_read_at(fd, buf, size, *at);

	*at += got;
	return got == size;
}

bool file_write(int fd, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		/* No device that takes nothing and says nothing keeps anyone for ever. */
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* What was read of a pipe to see what it is, and how far it has been read. */
struct pipe_reader {
	uint8_t beginning[FILE_BEGINNING];
	size_t size; /* of the beginning */
	uint64_t at;
};

/* An unlinked file for a copy of @path, or a negative errno. */
static int open_copy(struct context *ctx, const char *path)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s/flamefold-XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return fail_errno(ctx, "make a temporary copy of", path);
	unlink(name);
	return fd;
}

/* Replaces what cannot be read twice by an unlinked copy of it, which begins with what was read to see
 * what it is. */
static int spool(struct context *ctx, int *fd, const struct pipe_reader *pipe,
		 const char *path)
{
	int to = open_copy(ctx, path), err = 0;
	char *buf;
	ssize_t n;

	if (to < 0)
		return to;
	buf = malloc(BLOCK);
	if (!buf)
		err = fail_memory(ctx);
	else if (!file_write(to, pipe->beginning, pipe->size))
		err = fail_errno(ctx, "write a temporary copy of", path);
	while (err == 0 && (n = read(*fd, buf, BLOCK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = fail_errno(ctx, "read", path);
		else if (!file_write(to, buf, (size_t)n))
			err = fail_errno(ctx, "write a temporary copy of", path);
	}
	free(buf);
	if (err < 0) {
		close(to);
		return err;
	}
	close(*fd);
	*fd = to;
	return 0;
}

/* What is no regular file: *@stream where it is to be read as it comes, else it is copied. */
static int open_pipe(struct context *ctx, int *fd, const char *path,
		     bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
		     struct pipe_reader **stream)
{
	struct pipe_reader *pipe = calloc(1, sizeof(*pipe));
	int err = pipe ? 0 : fail_memory(ctx);

	while (err == 0 && pipe->size < sizeof(pipe->beginning)) {
		ssize_t n = read(*fd, pipe->beginning + pipe->size,
				 sizeof(pipe->beginning) - pipe->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = fail_errno(ctx, "read", path);
		if (n <= 0)
			break;
		pipe->size += (size_t)n;
	}
	if (err == 0 && is_stream && pipe->size == FILE_BEGINNING &&
	    is_stream(pipe->beginning)) {
		*stream = pipe;
		return 0;
	}
	if (err == 0)
		err = spool(ctx, fd, pipe, path);
	free(pipe);
	return err;
}

/*
 * What is packed by itself, as profile files are, may be packed once more: the outer packing is undone
 * into an unlinked file. A larger one than any of these stays as it is, for somebody else to refuse.
 */
static int unpack_outer(struct context *ctx, const char *path, struct file *f)
{
	static const char zstd[] = "\x28\xb5\x2f\xfd";
	struct unpacker *outer = f->unpacker, *inner = NULL;
	size_t got = 0, all = 0;
	char begin[4], *buf;
	int err, fd;

	err = unpacker_read(outer, 0, begin, sizeof(begin), &got);
	if (err < 0 || got < sizeof(begin) || memcmp(begin, zstd, sizeof(begin)) != 0)
		return cannot_read(ctx, err, path);
	fd = open_copy(ctx, path);
	if (fd < 0)
		return fd;
	buf = malloc(BLOCK);
	if (!buf)
		err = fail_memory(ctx);
	for (got = BLOCK; err == 0 && got == BLOCK && all <= PACKED_MOST; all += got) {
		err = cannot_read(ctx, unpacker_read(outer, all, buf, BLOCK, &got), path);
		if (err == 0 && !file_write(fd, buf, got))
			err = fail_errno(ctx, "write a temporary copy of", path);
	}
	/* Damage is told of what is open. */
	if (err == 0 && all <= PACKED_MOST && !unpacker_damage(outer))
		err = cannot_read(ctx, unpacker_open(fd, &inner), path);
	free(buf);
	if (!inner) {
		close(fd);
		return err;
	}
	unpacker_limit(inner, ctx->budget);
	unpacker_close(outer);
	close(f->fd);
	f->fd = fd;
	f->unpacker = inner;
	return 0;
}

static int measure_file(struct context *ctx, const char *path,
			bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
			struct file *f)
{
	struct statfs fs;
	struct stat st;
	int err;

	if (fstat(f->fd, &st) < 0)
		return fail_errno(ctx, "open", path);
	if (S_ISDIR(st.st_mode))
		return fail(ctx, -EISDIR, "cannot read '%s': it is a directory", path);
	/* Some devices never end; none holds a file. */
	if (S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(f->fd)))
		return fail(ctx, -EINVAL, "cannot read '%s': it is a device", path);
	if (!S_ISREG(st.st_mode)) {
		err = open_pipe(ctx, &f->fd, path, is_stream, &f->pipe);
		if (err < 0)
			return err;
		if (f->pipe)
			f->size = UINT64_MAX;
		if (f->pipe || fstat(f->fd, &st) < 0)
			return f->pipe ? 0 : fail_errno(ctx, "open", path);
	}
	f->size = (uint64_t)st.st_size;
	f->in_memory = fstatfs(f->fd, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
	err = unpacker_open(f->fd, &f->unpacker);
	if (f->unpacker) {
		unpacker_limit(f->unpacker, ctx->budget);
		f->size = UINT64_MAX;
		return unpack_outer(ctx, path, f);
	}
	return cannot_read(ctx, err, path);
}

/* @fd is closed where it fails. */
static int file_begin(struct context *ctx, int fd, const char *name,
		      bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
		      struct file *ret)
{
	struct file f = { .fd = fd, .path = name };
	int err;

	if (fd < 0)
		return fail_errno(ctx, "open", name);
	err = measure_file(ctx, name, is_stream, &f);
	if (err < 0) {
		unpacker_close(f.unpacker);
		close(f.fd);
		return err;
	}
	*ret = f;
	return 0;
}

/* Whose files are questions to the kernel. */
static bool is_kernel_fs(int fd)
{
	static const unsigned kinds[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,	      DEBUGFS_MAGIC,	   TRACEFS_MAGIC,
		SECURITYFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
		PSTOREFS_MAGIC,	  EFIVARFS_MAGIC,     SELINUX_MAGIC,	   SMACK_MAGIC,
		BINFMTFS_MAGIC,	  NSFS_MAGIC,
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((unsigned)fs.f_type == kinds[i])
			return true;
	return false;
}

bool file_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int open_raising(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);

	if (fd < 0 && errno == EMFILE && file_raise_limit())
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	return fd;
}

int file_open_looked(int looked)
{
	char path[32];
	struct stat st;
	int fd = -EINVAL;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", looked);
	if (fstat(looked, &st) < 0)
		fd = -errno;
	else if (S_ISREG(st.st_mode) && !is_kernel_fs(looked))
		fd = open_raising(path, O_NONBLOCK);
	if (fd == -1)
		fd = -errno;
	close(looked);
	return fd;
}

int file_open_descriptor(struct context *ctx, int fd, const char *name,
			 bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
			 struct file *ret)
{
	return file_begin(ctx, fcntl(fd, F_DUPFD_CLOEXEC, 3), name, is_stream, ret);
}

int file_open_stream(struct context *ctx, const char *path,
		     bool (*is_stream)(const uint8_t beginning[FILE_BEGINNING]),
		     struct file *ret)
{
	if (strcmp(path, "-") == 0)
		return file_open_descriptor(ctx, STDIN_FILENO, "standard input",
					    is_stream, ret);
	return file_begin(ctx, open_raising(path, 0), path, is_stream, ret);
}

int file_of_memory(struct context *ctx, const void *bytes, size_t size)
{
	int fd = memfd_create("flamefold", MFD_CLOEXEC);

	if (fd >= 0 && file_write(fd, bytes, size))
		return fd;
	fail_errno(ctx, "copy", "memory");
	if (fd < 0)
		return -errno;
	close(fd);
	return -EIO;
}

int file_open(struct context *ctx, const char *path, struct file *ret)
{
	return file_open_stream(ctx, path, NULL, ret);
}

int file_share(struct context *ctx, const struct file *f, struct file *ret)
{
	int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3), err = 0;
	struct unpacker *unpacker = NULL;

	if (fd < 0)
		return fail_errno(ctx, "open", f->path);
	if (f->unpacker)
		err = unpacker_share(f->unpacker, fd, &unpacker);
	if (err < 0) {
		close(fd);
		return cannot_read(ctx, err, f->path);
	}
	*ret = (struct file){ fd, f->path, f->size, unpacker, NULL, f->in_memory };
	return 0;
}

const char *file_damage(const struct file *f)
{
	return f->unpacker ? unpacker_damage(f->unpacker) : NULL;
}

void file_close(struct file *f)
{
	unpacker_close(f->unpacker);
	free(f->pipe);
	if (f->path)
		close(f->fd);
	*f = (struct file){ 0 };
}

/* The beginning a second time, or on from where the last read ended. */
static ssize_t read_pipe(const struct file *f, uint64_t offset, void *buf, size_t size)
{
	struct pipe_reader *pipe = f->pipe;
	ssize_t n;

	if (offset < pipe->size) {
		size_t left = pipe->size - (size_t)offset;

		n = (ssize_t)(size < left ? size : left);
		memcpy(buf, pipe->beginning + offset, (size_t)n);
		if (pipe->at < offset + (size_t)n)
			pipe->at = offset + (size_t)n;
		return n;
	}
	if (offset != pipe->at) {
		errno = ESPIPE;
		return -1;
	}
	n = read(f->fd, buf, size);
	pipe->at += n > 0 ? (size_t)n : 0;
	return n;
}

int file_read(struct context *ctx, const struct file *f, struct file_part part, void *buf,
	      size_t *got)
{
	uint64_t offset = part.offset;
	size_t done = 0, size = offset > INT64_MAX ? 0 : part.size;
	int err;

	if (f->unpacker && size > 0) {
		err = unpacker_read(f->unpacker, offset, buf, size, got);
		/* To its readers a file does not change: its size is only found out
		 * late. */
		((struct file *)f)->size = unpacker_size(f->unpacker);
		return cannot_read(ctx, err, f->path);
	}
	while (done < size) {
		char *to = (char *)buf + done;
		ssize_t n =
			f->pipe ? read_pipe(f, offset + done, to, size - done)
				: pread(f->fd, to, size - done, (off_t)(offset + done));

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

size_t file_read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	size_t done = 0;

	errno = 0;
	while (done < size && offset + done <= INT64_MAX) {
		ssize_t n = pread(fd, (char *)buf + done, size - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	errno = 0;
	return done;
}

void file_read_cached(const struct file *f, uint64_t offset, void *buf, size_t size,
		      size_t *got)
{
	struct iovec part = { buf, size };
	ssize_t n = -1;

	/* tmpfs refuses to be asked. */
	if (!f->pipe && !f->unpacker && offset <= INT64_MAX)
		n = preadv2(f->fd, &part, 1, (off_t)offset,
			    f->in_memory ? 0 : RWF_NOWAIT);
	*got = n > 0 ? (size_t)n : 0;
}

/* Reads until there is no more, or one block more than @most. */
static int read_up_to(int fd, size_t most, char **bytes, size_t *count)
{
	size_t room = 0, next = 4 * BLOCK;
	struct stat st;

	/* All of a file that knows its size, and what shows that it has ended. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most &&
	    (size_t)st.st_size >= 2 * BLOCK)
		next = (size_t)st.st_size + 2 * BLOCK;
	for (*count = 0; *count <= most;) {
		ssize_t n;

		if (room - *count < BLOCK) {
			char *more = room ? realloc(*bytes, next) : pages_room(next);

			if (!more)
				return -ENOMEM;
			*bytes = more;
			room = next;
			next = 2 * room;
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
	int fd = open_raising(path, O_NONBLOCK);
	char *bytes = NULL;
	int err;

	if (fd < 0)
		return fail_errno(ctx, "open", path);
	/* Only opening must not wait; a FIFO that has a writer is read to its end. */
	fcntl(fd, F_SETFL, 0);
	err = read_up_to(fd, most, &bytes, size);
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
	*w = (struct window){ .file = f, .room = room, .reach = room };
	w->bytes = malloc(room);
	return w->bytes ? 0 : -ENOMEM;
}

void window_release(struct window *w)
{
	free(w->bytes);
	*w = (struct window){ 0 };
}

void window_skims(struct window *w)
{
	if (w->start + w->size >= w->whole_until)
		w->reach = SKIMMED < w->room ? SKIMMED : w->room;
}

/* A small read behind the @kept bytes of the window: 1 where it brought enough. */
static int skim(struct window *w, size_t kept, size_t size)
{
	size_t want = size > kept + w->reach ? size - kept : w->reach, more;

	if (want > w->room - kept)
		return 0;
	file_read_cached(w->file, w->start + kept, w->bytes + kept, want, &more);
	if (kept + more < size) {
		w->reach = w->room;
		w->whole_until = w->start + WHOLE;
		return 0;
	}
	w->size = kept + more;
	w->reach = w->reach < w->room / 4 ? w->reach * 4 : w->room;
	return 1;
}

int window_fill(struct context *ctx, struct window *w, struct file_part part,
		const uint8_t **ret, size_t *got)
{
	uint64_t end = w->start + w->size;
	struct file_part rest;
	size_t kept = 0, more;
	int err;

	/* What is there already needs no second read. */
	if (part.offset >= w->start && part.offset < end) {
		kept = (size_t)(end - part.offset);
		memmove(w->bytes, w->bytes + (w->size - kept), kept);
	}
	w->start = part.offset;
	w->size = kept;
	if (w->reach < w->room && skim(w, kept, part.size)) {
		*ret = w->bytes;
		*got = part.size;
		return 0;
	}
	rest = (struct file_part){ part.offset + kept, w->room - kept };
	err = file_read(ctx, w->file, rest, w->bytes + kept, &more);
	if (err < 0)
		return err;
	w->size = kept + more;
	*ret = w->bytes;
	*got = part.size < w->size ? part.size : w->size;
	return 0;
}
