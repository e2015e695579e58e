#ifndef STACK_OPEN_FILES_H
#define STACK_OPEN_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { OPEN_MOST = 32 };

/* A file that is to be opened again, if it still is what it was. A zeroed one is none. */
struct known_file {
	char *path; /* the owner's to free */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

/* Those that bytes are read of stay open, up to OPEN_MOST; the least recently used one is closed. */
struct open_files {
	pthread_mutex_t lock; /* not held while bytes are read */
	struct open_file {
		const struct known_file *of; /* NULL: empty */
		int fd;
		unsigned readers; /* it must not be closed now */
		uint64_t used;
	} list[OPEN_MOST];
	uint64_t uses;
};

void open_files_init(struct open_files *f);
void open_files_release(struct open_files *f);

/* Of an open one. 0, or -ENOMEM. */
int known_file_note(struct known_file *file, int fd, const char *path);

/* It is open now, as @fd of the caller, and may have no path soon. */
void open_files_hold(struct open_files *f, const struct known_file *file, int fd);

/* False where it has not as many bytes there, or is not what it was. Any thread. */
bool open_files_read(struct open_files *f, const struct known_file *file, uint64_t offset,
		     void *ret, size_t size);

#endif
