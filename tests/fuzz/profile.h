#ifndef FUZZ_PROFILE_H
#define FUZZ_PROFILE_H

/*
 * What all targets do with their bytes: read, name, write, and hold the library to its
 * word. Only <flamefold.h>: a finding here is one that a user can have.
 */
#include <errno.h>
#include <fcntl.h>
#include <flamefold.h>
#include <flamefold_diff.h>
#include <flamefold_time.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Stated, because asking the machine takes a dozen files a profile. */
#define FUZZ_MEMORY ((uint64_t)1 << 30)

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
	struct ff_graph_options graph = FF_GRAPH_OPTIONS_INIT;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	/* The viewer is the same each time, and most of the bytes. */
	graph.flags = FF_GRAPH_NO_SCRIPT;
	fuzz_check(out != NULL, "memory");
	/* A recording's chart, which FF_FLAMECHART asks for, is no folded text. */
	fuzz_check(ff_write_folded(p, out) == 0 ||
			   strstr(ff_profile_error(p), "no place for a chart"),
		   "what was read can be written");
	ff_write_svg(p, &graph, out);
	/* Where it has times. */
	err = ff_write_slices(p, out);
	fuzz_check(err == 0 || err == -EOPNOTSUPP, "slices can be written");
	fclose(out);
	free(text);
}

/* Every weight is in the tree or counted as lost, and the tree adds up. */
static inline void fuzz_conserved(const struct ff_profile *p)
{
	uint64_t kept = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);

	fuzz_check(ff_profile_total(p, FF_TOTAL_WEIGHT_READ) ==
			   kept + ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_EVENT) +
				   ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_FILTER) +
				   ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_DAMAGED) +
				   ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_TRUNCATED),
		   "conservation");
	fuzz_check(ff_node_total(p, ff_profile_root(p)) == kept,
		   "the root is everything");
	fuzz_check(fuzz_sum(p, ff_profile_root(p)) == kept, "the nodes are everything");
}

/* A profile that looks at nothing of this machine, but for object files below @symfs. */
static inline struct ff_profile *fuzz_new(unsigned flags, const char *symfs)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;

	options.threads = 1;
	options.memory = FUZZ_MEMORY;
	options.flags = flags;
	options.symfs = symfs;
	options.debug_dir = options.map_dir = "/nonexistent";
	options.build_id_dir = "";
	options.kallsyms = "/dev/null";
	fuzz_check(ff_profile_new(&p, &options) == 0, "a profile");
	return p;
}

/* What has to hold of a profile after its input was read. Frees it. */
static inline void fuzz_end(struct ff_profile *p, int err)
{
	if (err == 0 && ff_profile_finish(p) == 0) {
		fuzz_conserved(p);
		fuzz_write(p);
	} else {
		fuzz_check(ff_profile_error(p)[0] != '\0', "a failure explains itself");
	}
	ff_profile_free(p);
}

static inline void fuzz_profile(const uint8_t *data, size_t size, unsigned flags)
{
	struct ff_profile *p = fuzz_new(flags, "/nonexistent");

	fuzz_end(p, ff_profile_read_memory(p, data, size, "fuzzed"));
}

/* Through a pipe, as far as that has room: read once, as it comes. */
static inline int fuzz_read_piped(struct ff_profile *p, const uint8_t *data, size_t size)
{
	enum { ROOM_OF_PIPE = 1 << 20 };
	int ends[2], err;

	size = size < ROOM_OF_PIPE ? size : ROOM_OF_PIPE;
	fuzz_check(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, size + 1) >= 0 &&
			   write(ends[1], data, size) == (ssize_t)size,
		   "a pipe for the input");
	close(ends[1]);
	err = ff_profile_read_fd(p, ends[0], "piped");
	close(ends[0]);
	return err;
}

#endif
