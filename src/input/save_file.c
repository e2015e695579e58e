/*
 * A perf.data on its way to the disk. Whoever samples as root writes it where others may write,
 * too: so the way to it is gone once, base/file_place.h, and a file is made with O_EXCL, after what
 * lay there has been renamed.
 */
#include "input/save_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_place.h"
#include "input/record.h"

/* struct perf_record_compressed: a head and bytes of a stream, any number of them. */
enum {
	COMPRESSED_HEAD = 8,
	COMPRESSED_MOST = 65535, /* with its head */
	/* More than zstd ever makes of what is gathered, and the heads. */
	PACKED = 2 * GATHERED,
};

static int cannot_write(struct context *ctx, struct save_file *f, int err)
{
	f->failed = err;
	return fail(ctx, err, "cannot write '%s': %s", f->path, strerror(-err));
}

enum { OPENED = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY };

/* A file with something in it is kept, beside the new one. */
static int move_aside(const struct file_place *p)
{
	char *old;
	int err = 0;

	if (asprintf(&old, "%s.old", p->name) < 0)
		return -ENOMEM;
	if (renameat(p->dir, p->name, p->dir, old) < 0)
		err = -errno;
	free(old);
	return err;
}

/* Somebody has made it for this, with the mode that it is to have. What others have made has
 * their mode and names elsewhere. */
static bool is_ours_and_empty(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size == 0 && st->st_nlink == 1 &&
	       st->st_uid == geteuid();
}

/* -ESTALE where it is not empty any more. */
static int open_empty(const struct file_place *p)
{
	int fd = openat(p->dir, p->name, OPENED);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && is_ours_and_empty(&st))
		return fd;
	close(fd);
	return -ESTALE;
}

/* The way is free; what lies there all the same has come since. */
static int make_file(const struct file_place *p)
{
	/* Stacks and paths of everybody may be in it. */
	int fd = openat(p->dir, p->name, OPENED | O_CREAT | O_EXCL, 0600);

	return fd < 0 ? -errno : fd;
}

static int open_at(const struct file_place *p, const char **why)
{
	struct stat st;
	int err = 0;

	if (fstatat(p->dir, p->name, &st, p->follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? make_file(p) : -errno;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return -ESPIPE;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	/* Renaming would get past a file's mode; whoever made it read-only meant it. */
	if (faccessat(p->dir, p->name, W_OK, 0) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return file_place_open_special(p, O_RDWR, why);
	if (is_ours_and_empty(&st))
		return open_empty(p);
	if (st.st_size > 0)
		err = move_aside(p);
	else if (unlinkat(p->dir, p->name, 0) < 0)
		err = -errno;
	return err < 0 ? err : make_file(p);
}

static int open_file(const char *path, const char **why)
{
	struct file_place p;
	int fd = file_place_open(path, &p, why);

	if (fd < 0)
		return fd;
	*why = NULL;
	fd = open_at(&p, why);
	if (fd < 0 && !*why)
		*why = strerror(-fd);
	file_place_close(&p);
	return fd;
}

static bool make_room(struct save_file *f, int level)
{
	f->gathered = malloc(GATHERED);
	if (!f->gathered)
		return false;
	if (level == 0)
		return true;
	f->packed = malloc(PACKED);
	f->zstd = ZSTD_createCCtx();
	return f->packed && f->zstd &&
	       !ZSTD_isError(
		       ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, level));
}

int save_file_open(struct context *ctx, const char *path, int level,
		   struct save_file *ret)
{
	struct save_file f = { .fd = -1, .level = level, .path = strdup(path) };
	const char *why;
	int err;

	if (!f.path || !make_room(&f, level)) {
		save_file_release(&f);
		return fail_memory(ctx);
	}
	f.fd = open_file(path, &why);
	if (f.fd >= 0) {
		*ret = f;
		return 0;
	}
	err = f.fd == -ESPIPE
		      ? fail(ctx, f.fd,
			     "cannot write '%s': a recording cannot go to a pipe, "
			     "its beginning is written last",
			     path)
		      : fail(ctx, f.fd, "cannot write '%s': %s", path, why);
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
		return cannot_write(ctx, f, f->failed);
	while (size) {
		ssize_t done = pwrite(f->fd, p, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return cannot_write(ctx, f, done < 0 ? -errno : -EIO);
		p += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

static int append(struct context *ctx, struct save_file *f, const void *bytes,
		  size_t size)
{
	int err = save_file_at(ctx, f, f->size, bytes, size);

	if (err == 0)
		f->size += size;
	return err;
}

static void make_head(uint8_t *at, size_t size)
{
	const uint32_t type = PERF_RECORD_COMPRESSED;
	const uint16_t sizes[2] = { 0, (uint16_t)size };

	memcpy(at, &type, sizeof(type));
	memcpy(at + sizeof(type), sizes, sizeof(sizes));
}

/*
 * All that is gathered, as COMPRESSED records in f->packed. Each flush ends a block of
 * zstd's, so that a reader gets all of it and nothing is left inside.
 */
static size_t pack(struct save_file *f)
{
	ZSTD_inBuffer from = { .src = f->gathered, .size = f->count };
	size_t used = 0, left = 1;

	while (left && used + COMPRESSED_MOST <= PACKED) {
		ZSTD_outBuffer to = { .dst = f->packed + used + COMPRESSED_HEAD,
				      .size = COMPRESSED_MOST - COMPRESSED_HEAD };

		left = ZSTD_compressStream2(f->zstd, &to, &from, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return 0;
		make_head(f->packed + used, COMPRESSED_HEAD + to.pos);
		used += COMPRESSED_HEAD + to.pos;
	}
	return left ? 0 : used;
}

int save_file_flush(struct context *ctx, struct save_file *f)
{
	size_t size;
	int err;

	if (f->failed)
		return cannot_write(ctx, f, f->failed);
	if (f->count == 0)
		return 0;
	if (!f->zstd) {
		err = append(ctx, f, f->gathered, f->count);
	} else {
		size = pack(f);
		f->raw += f->count;
		f->compressed += size;
		err = size ? append(ctx, f, f->packed, size)
			   : cannot_write(ctx, f, -ENOMEM);
	}
	f->count = 0;
	return err;
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
		return cannot_write(ctx, f, f->failed);
	}
	return close(fd) < 0 ? cannot_write(ctx, f, -errno) : 0;
}
