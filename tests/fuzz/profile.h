#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

/*
 * What all targets do with their bytes: read, name, write, and hold the library to its
 * word. Only <flamefold.h>: a finding here is one that a user can have.
 */
#include <fcntl.h>
#include <flamefold.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void fuzz_check(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static inline uint64_t fuzz_sum(const struct ff_profile *p, const struct ff_node *n)
{
	uint64_t sum = 0;

	while (n) {
		sum += ff_node_self(p, n);
		if (ff_node_child(p, n)) {
			n = ff_node_child(p, n);
			continue;
		}
		while (n && !ff_node_next(p, n))
			n = ff_node_parent(p, n);
		n = n ? ff_node_next(p, n) : NULL;
	}
	return sum;
}

static inline void fuzz_write(struct ff_profile *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fuzz_check(out != NULL, "memory");
	fuzz_check(ff_write_folded(p, out) == 0, "what was read can be written");
	ff_write_svg(p, NULL, out);
	fclose(out);
	free(text);
}

/* Reads the input at @path, with the object files below @symfs. */
static inline void fuzz_path_below(const char *path, unsigned flags, const char *symfs)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;

	options.threads = 1;
	options.flags = flags;
	options.symfs = symfs;
	options.kallsyms = "/dev/null";
	fuzz_check(ff_profile_new(&p, &options) == 0, "a profile");
	if (ff_profile_read(p, path) == 0 && ff_profile_finish(p) == 0) {
		uint64_t kept = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);

		fuzz_check(
			ff_profile_total(p, FF_TOTAL_WEIGHT_READ) ==
				kept + ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_EVENT) +
					ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER) +
					ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED),
			"conservation");
		fuzz_check(ff_node_total(p, ff_profile_root(p)) == kept,
			   "the root is everything");
		fuzz_check(fuzz_sum(p, ff_profile_root(p)) == kept,
			   "the nodes are everything");
		fuzz_write(p);
	} else {
		fuzz_check(ff_profile_error(p)[0] != '\0', "a failure explains itself");
	}
	ff_profile_free(p);
}

static inline void fuzz_path(const char *path, unsigned flags)
{
	fuzz_path_below(path, flags, "/nonexistent");
}

static inline void fuzz_profile(const uint8_t *data, size_t size, unsigned flags)
{
	int fd = memfd_create("fuzz", 0);
	char path[32];

	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size,
		   "memory for the input");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fuzz_path(path, flags);
	close(fd);
}

/* The same through a pipe, as far as that has room: read once, as it comes. */
static inline void fuzz_piped(const uint8_t *data, size_t size, unsigned flags)
{
	enum { ROOM = 1 << 20 };
	int ends[2];
	char path[32];

	size = size < ROOM ? size : ROOM;
	fuzz_check(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, ROOM) >= 0 &&
			   write(ends[1], data, size) == (ssize_t)size,
		   "a pipe for the input");
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	fuzz_path(path, flags);
	close(ends[0]);
}

#endif
