/*
 * What it costs to read profile files, apart from merging them: decode FILE...
 *
 * Prints how many nodes they have, and seconds of this thread for their tables and for their nodes, the
 * best of RUNS.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "store/nodes.h"
#include "store/origin.h"
#include "store/tables.h"

enum { RUNS = 7, SOME = 1024 /* nodes at once */ };

struct cost {
	uint64_t nodes;
	double tables, decoding;
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int decode_file(struct context *ctx, const char *path, struct cost *to)
{
	struct store_source source = { .path = path, .by_frames = true };
	struct store_unpacker unpacker = { 0 };
	struct store_node_reader nodes = { 0 };
	struct store_origin origin = { 0 };
	struct store_tables tables;
	struct store_map map = { 0 };
	struct intern strings;
	int fd = open(path, O_RDONLY | O_CLOEXEC), more = fd < 0 ? -1 : 0;
	double begin = cpu_seconds(), read;

	source.file = (struct file){ .fd = fd, .path = path };
	if (intern_init(&strings) < 0 || store_tables_init(&tables, &strings) < 0)
		return -1;
	if (more == 0)
		more = store_source_open(ctx, &source, &unpacker);
	if (more == 0)
		more = store_origin_read(ctx, &source, &unpacker, &strings, &origin);
	if (more == 0)
		more = store_tables_read(ctx, &source, &unpacker, &tables, &map);
	read = cpu_seconds();
	if (more == 0)
		more = store_node_reader_init(&nodes, &source, &unpacker, &map, SOME);
	while (more >= 0 && (more = store_node_fill(ctx, &nodes)) > 0)
		to->nodes += nodes.count;
	to->tables += read - begin;
	to->decoding += cpu_seconds() - read;
	store_node_reader_release(&nodes);
	store_source_release(&source);
	store_unpacker_release(&unpacker);
	store_origin_release(&origin);
	store_tables_release(&tables);
	store_map_release(&map);
	intern_release(&strings);
	close(fd);
	return more;
}

int main(int argc, char **argv)
{
	struct context ctx = { 0 };
	struct cost best = { 0 };

	for (int run = 0; run < RUNS; run++) {
		struct cost cost = { 0 };

		for (int i = 1; i < argc; i++)
			if (decode_file(&ctx, argv[i], &cost) < 0) {
				fprintf(stderr, "%s\n", ctx.error);
				return 1;
			}
		if (run == 0 || cost.decoding < best.decoding)
			best = cost;
	}
	printf("%" PRIu64 " %.6f %.6f\n", best.nodes, best.tables, best.decoding);
	return 0;
}
