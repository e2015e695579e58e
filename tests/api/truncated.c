/*
 * Stacks that do not reach their root: marked, merged or left out, as the client says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <flamefold.h>

#include "api.h"
#include "recording.h"

/* IP, TID, PERIOD, CALLCHAIN */
static void put_sample(uint64_t weight, uint64_t last)
{
	put_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 64);
	put_u64(0x1234);
	put_u64((uint64_t)1 << 32 | 1);
	put_u64(weight);
	put_u64(4);
	put_u64((uint64_t)PERF_CONTEXT_USER);
	put_u64(0x1234);
	put_u64(0x1500);
	put_u64(last);
}

/* A recording of two samples, one of 7 with a whole chain, one of 100 whose chain ends in
 * garbage. */
static void make_file(void)
{
	recording_begin(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_CALLCHAIN);
	put_comm(1, 1, "it");
	put_sample(7, 0x1600);
	put_sample(100, (uint64_t)-4000);
	recording_finish();
}

static struct ff_profile *read_with(enum ff_truncated truncated, unsigned flags)
{
	struct ff_options options = FF_OPTIONS_INIT;
	const char *path = api_file("");
	struct ff_profile *p;
	FILE *f = fopen(path, "w");

	if (!f || fwrite(file, 1, end, f) != end || fclose(f) != 0)
		abort();
	options.truncated = truncated;
	options.flags = flags | FF_ADDRS;
	options.kallsyms = "/dev/null";
	CHECK(ff_profile_new(&p, &options) == 0);
	CHECK(ff_profile_read(p, path) == 0);
	CHECK(ff_profile_finish(p) == 0);
	remove(path);
	return p;
}

/* The total of the node @name below @parent; 0: there is none. */
static uint64_t below(struct ff_profile *p, const struct ff_node *parent,
		      const char *name, const struct ff_node **ret)
{
	const struct ff_node *n;

	for (n = ff_node_child(p, parent); n; n = ff_node_next(p, n))
		if (strcmp(ff_node_name(p, n), name) == 0) {
			*ret = n;
			return ff_node_total(p, n);
		}
	return 0;
}

static void says(struct ff_profile *p, uint64_t tree, uint64_t marked, uint64_t lost)
{
	const struct ff_node *process = NULL, *mark = NULL;

	CHECK(ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) == tree);
	CHECK(ff_profile_total(p, FF_TOTAL_WEIGHT_LOST_TRUNCATED) == lost);
	CHECK(ff_profile_total(p, FF_TOTAL_SAMPLES_TRUNCATED) == 1);
	CHECK(below(p, ff_profile_root(p), "it", &process) == tree);
	if (process)
		CHECK(below(p, process, "[truncated]", &mark) == marked);
	ff_profile_free(p);
}

int main(void)
{
	make_file();
	says(read_with(FF_TRUNCATED_MARK, 0), 107, 100, 0);
	says(read_with(FF_TRUNCATED_MERGE, 0), 107, 0, 0);
	says(read_with(FF_TRUNCATED_DROP, 0), 7, 0, 100);
	/* What stackcollapse-perf.pl knows nothing of; it counts samples of an event without
	 * a name. */
	says(read_with(FF_TRUNCATED_MARK, FF_COMPAT_STACKCOLLAPSE), 2, 0, 0);
	return api_failed;
}
