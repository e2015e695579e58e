/*
 * Bytes of many files are asked for again and again, by many threads, and only so many files may be open. What is
 * kept of each tells it from another one that has its path by now.
 */
#include "stack/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf.h"

void open_files_init(struct open_files *f)
{
	pthread_mutex_init(&f->lock, NULL);
}

void open_files_release(struct open_files *f)
{
	for (int i = 0; i < OPEN_MOST; i++)
		if (f->list[i].of)
			close(f->list[i].fd);
	pthread_mutex_destroy(&f->lock);
}

int known_file_note(struct known_file *file, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return 0;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->size = st.st_size;
	file->changed = st.st_mtim;
	file->path = strdup(path);
	return file->path ? 0 : -ENOMEM;
}

/* A place in the list, which may hold another one: the oldest. NULL where all are being read. */
static struct open_file *oldest_file(struct open_files *f)
{
	struct open_file *oldest = NULL;

	for (int i = 0; i < OPEN_MOST; i++) {
		struct open_file *file = &f->list[i];

		if (file->readers == 0 && (!oldest || file->used < oldest->used))
			oldest = file;
	}
	if (oldest && oldest->of)
		close(oldest->fd);
	if (oldest)
		oldest->of = NULL;
	return oldest;
}

void open_files_hold(struct open_files *f, const struct known_file *file, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct open_file *slot;

	if (copy < 0)
		return;
	pthread_mutex_lock(&f->lock);
	slot = oldest_file(f);
	if (slot)
		*slot = (struct open_file){ file, copy, 0, ++f->uses };
	pthread_mutex_unlock(&f->lock);
	if (!slot)
		close(copy);
}

/* Opens a file that is still what it was; else -1. */
static int open_known(const struct known_file *file)
{
	struct context ctx = { 0 };
	int fd = object_open_file(&ctx, file->path);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && file->dev == st.st_dev && file->ino == st.st_ino &&
	    file->size == st.st_size && file->changed.tv_sec == st.st_mtim.tv_sec &&
	    file->changed.tv_nsec == st.st_mtim.tv_nsec)
		return fd;
	close(fd);
	return -1;
}

/* Without the lock, which all threads would wait for. */
bool open_files_read(struct open_files *f, const struct known_file *file, uint64_t offset,
		     void *ret, size_t size)
{
	struct open_file *slot = NULL;
	bool done;
	int fd = -1;

	pthread_mutex_lock(&f->lock);
	for (int i = 0; i < OPEN_MOST && !slot; i++)
		if (f->list[i].of == file)
			slot = &f->list[i];
	if (slot) {
		slot->used = ++f->uses;
		fd = slot->fd;
	} else {
		fd = open_known(file);
		slot = fd < 0 ? NULL : oldest_file(f);
		if (slot)
			*slot = (struct open_file){ file, fd, 0, ++f->uses };
	}
	if (slot)
		slot->readers++;
	pthread_mutex_unlock(&f->lock);
	done = fd >= 0 && pread(fd, ret, size, (off_t)offset) == (ssize_t)size;
	pthread_mutex_lock(&f->lock);
	if (slot)
		slot->readers--;
	pthread_mutex_unlock(&f->lock);
	if (!slot && fd >= 0)
		close(fd);
	return done;
}
