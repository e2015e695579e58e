/*
 * A perf.data on its way to the disk. Whoever samples as root writes it where others
 * may write, too: so the way to it is gone once, base/write_target.h, and a file is made
 * with O_EXCL, after what lay there has been renamed.
 */
#include "input/save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/write_target.h"
#include "input/record.h"

/* struct perf_record_compressed: a head and bytes of a stream, any number of them. */
enum {
	COMPRESSED_HEAD = sizeof(struct perf_event_header),
	COMPRESSED_MOST = 65535, /* with its head */
	/* More than zstd ever makes of what is gathered, and the heads. */
	PACKED = 2 * GATHERED,
};

static int fail_write(struct context *ctx, struct save_file *f, int err)
{
	f->failed = err;
	return fail(ctx, err, "cannot write '%s': %s", f->path, strerror(-err));
}

enum { OPENED = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY };

/* Somebody has made it for this, with the mode that it is to have. What others have
 * made has their mode and names elsewhere. */
static bool is_ours_and_empty(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size == 0 && st->st_nlink == 1 &&
	       st->st_uid == geteuid();
}

/* The way is free; what lies there all the same has come since. */
static int create_file(const struct ff_place *p)
{
	/* Stacks and paths of everybody may be in it. */
	int fd = openat(p->directory, p->name, OPENED | O_CREAT | O_EXCL, 0600);

	return fd < 0 ? -errno : fd;
}

/* A descriptor, or a negative errno; @why: a sentence of it, where there is one. */
static int open_at_target(const struct ff_place *p, const char **why)
{
	struct stat st;
	char *old;
	int fd;

	if (fstatat(p->directory, p->name, &st, p->follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? create_file(p) : -errno;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return -ESPIPE;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	/* Renaming would get past a file's mode; whoever made it read-only meant it. */
	if (faccessat(p->directory, p->name, W_OK, 0) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return write_target_open_special(p, O_RDWR, why);
	if (is_ours_and_empty(&st)) {
		fd = openat(p->directory, p->name, OPENED);
		if (fd < 0)
			return -errno;
		if (fstat(fd, &st) == 0 && is_ours_and_empty(&st))
			return fd;
		close(fd);
		return -ESTALE; /* it is not empty any more */
	}
	if (st.st_size == 0)
		return unlinkat(p->directory, p->name, 0) < 0 ? -errno : create_file(p);
	/* A file with something in it is kept, beside the new one. */
	if (asprintf(&old, "%s.old", p->name) < 0)
		return -ENOMEM;
	fd = renameat(p->directory, p->name, p->directory, old) < 0 ? -errno
								    : create_file(p);
	free(old);
	return fd;
}

int save_file_open(struct context *ctx, const char *path, int level,
		   struct save_file *ret)
{
	struct save_file f = { .fd = -1, .level = level, .path = strdup(path) };
	struct ff_place target;
	const char *why;
	bool ready;
	int err;

	f.gathered = malloc(GATHERED);
	ready = f.path && f.gathered;
	if (level) {
		f.packed = malloc(PACKED);
		f.zstd = ZSTD_createCCtx();
		ready = ready && f.packed && f.zstd &&
			!ZSTD_isError(ZSTD_CCtx_setParameter(
				f.zstd, ZSTD_c_compressionLevel, level));
	}
	if (!ready) {
		save_file_release(&f);
		return fail_memory(ctx);
	}
	err = write_target_open(path, &target, &why);
	if (err >= 0) {
		why = NULL;
		f.fd = err = open_at_target(&target, &why);
		if (err < 0 && !why)
			why = strerror(-err);
		write_target_close(&target);
	}
	if (err >= 0) {
		*ret = f;
		return 0;
	}
	err = err == -ESPIPE ? fail(ctx, err,
				    "cannot write '%s': a recording cannot go to a pipe, "
				    "its beginning is written last",
				    path)
			     : fail(ctx, err, "cannot write '%s': %s", path, why);
	save_file_release(&f);
	return err;
}

void save_file_release(struct save_file *f)
{
	if (f->path && f->fd >= 0)
		close(f->fd);
	ZSTD_freeCCtx(f->zstd);
	free(f->packed);
	free(f->gathered);
	free(f->path);
	*f = (struct save_file){ .fd = -1 };
}

int save_file_at(struct context *ctx, struct save_file *f, uint64_t offset,
		 const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	if (f->failed)
		return fail_write(ctx, f, f->failed);
	while (size) {
		ssize_t done = pwrite(f->fd, p, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail_write(ctx, f, done < 0 ? -errno : -EIO);
		p += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/* Behind all that was written. */
static int append(struct context *ctx, struct save_file *f, const void *bytes,
		  size_t size)
{
	int err = save_file_at(ctx, f, f->size, bytes, size);

	if (err == 0)
		f->size += size;
	return err;
}

int save_file_flush(struct context *ctx, struct save_file *f)
{
	ZSTD_inBuffer from = { .src = f->gathered, .size = f->count };
	size_t used = 0, left = 1;
	int err;

	if (f->failed)
		return fail_write(ctx, f, f->failed);
	if (f->count == 0)
		return 0;
	if (!f->zstd) {
		err = append(ctx, f, f->gathered, f->count);
		f->count = 0;
		return err;
	}
	/* All that is gathered becomes COMPRESSED records. Each flush ends a block of zstd's,
	 * so that a reader gets all of it and nothing is left inside. */
	while (left && used + COMPRESSED_MOST <= PACKED) {
		uint8_t *record = f->packed + used;
		ZSTD_outBuffer to = { .dst = record + COMPRESSED_HEAD,
				      .size = COMPRESSED_MOST - COMPRESSED_HEAD };
		struct perf_event_header head = { .type = PERF_RECORD_COMPRESSED };

		left = ZSTD_compressStream2(f->zstd, &to, &from, ZSTD_e_flush);
		if (ZSTD_isError(left))
			break;
		head.size = (uint16_t)(COMPRESSED_HEAD + to.pos);
		memcpy(record, &head, sizeof(head));
		used += head.size;
	}
	f->raw += f->count;
	f->count = 0;
	if (left)
		return fail_write(ctx, f, -ENOMEM);
	f->compressed += used;
	return append(ctx, f, f->packed, used);
}

uint8_t *save_file_room(struct context *ctx, struct save_file *f, size_t size)
{
	if ((f->failed || f->count + size > GATHERED) && save_file_flush(ctx, f) < 0)
		return NULL;
	f->count += size;
	return f->gathered + f->count - size;
}

int save_file_add(struct context *ctx, struct save_file *f, const void *bytes,
		  size_t size)
{
	uint8_t *to = save_file_room(ctx, f, size);

	if (!to)
		return f->failed;
	memcpy(to, bytes, size);
	return 0;
}

int save_file_plain(struct context *ctx, struct save_file *f, const void *bytes,
		    size_t size)
{
	int err = save_file_flush(ctx, f);

	return err < 0 ? err : append(ctx, f, bytes, size);
}

int save_file_close(struct context *ctx, struct save_file *f)
{
	int fd = f->fd;

	f->fd = -1;
	if (f->failed) {
		close(fd);
		return fail_write(ctx, f, f->failed);
	}
	return close(fd) < 0 ? fail_write(ctx, f, -errno) : 0;
}
