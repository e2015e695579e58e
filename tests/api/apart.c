/*
 * Recordings that are read together and written each by itself: each is taken once, when all are read, and
 * has what was in it and nothing of the others.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <flamefold_store.h>

#include "api.h"
#include "recording.h"

/* A recording of @count samples of thread 1, each of a weight. */
static int read_one(struct ff_profile *p, unsigned count, uint64_t weight)
{
	recording_begin(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_PERIOD);
	put_comm(1, 1, "one");
	for (unsigned i = 0; i < count; i++) {
		put_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 32);
		put_u64(0x1000 * weight);
		put_u64((uint64_t)1 << 32 | 1);
		put_u64(1000 + i);
		put_u64(weight);
	}
	recording_finish();
	return ff_profile_read_memory(p, file, end, "it");
}

static struct ff_profile *read_three(unsigned flags)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;

	options.flags = flags;
	options.kallsyms = "/dev/null";
	options.symfs = "/nonexistent";
	CHECK(ff_profile_new(&p, &options) == 0);
	for (unsigned i = 1; i <= 3; i++)
		CHECK(read_one(p, i, 10 * i) == 0);
	return p;
}

static void each_has_its_own(void)
{
	struct ff_profile *p = read_three(FF_MANY | FF_APART);

	/* In any order. */
	for (unsigned i = 3; i-- > 0;) {
		CHECK(ff_store_take(p, i) == 1);
		CHECK(ff_profile_total(p, FF_TOTAL_SAMPLES_TREE) == i + 1);
		CHECK(ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) ==
		      10 * (i + 1) * (i + 1));
		CHECK(ff_input_next(p, NULL) != NULL);
		CHECK(ff_input_next(p, ff_input_next(p, NULL)) == NULL);
	}
	CHECK(ff_store_take(p, 3) == 0);
	ff_profile_free(p);
}

static void what_was_taken_is_not_taken_again(void)
{
	struct ff_profile *p = read_three(FF_MANY | FF_APART);

	CHECK(ff_store_take(p, 0) == 1);
	CHECK(ff_store_take(p, 0) == -EINVAL);
	CHECK(strlen(ff_profile_error(p)) > 0);
	CHECK(ff_store_take(p, 1) == 1);
	CHECK(ff_store_take(p, 0) == -EINVAL);
	/* Nothing can be read any more. */
	CHECK(read_one(p, 1, 1) < 0);
	ff_profile_free(p);
}

static void who_adds_up_has_nothing_to_take(void)
{
	struct ff_profile *p = read_three(FF_MANY);

	CHECK(ff_store_take(p, 0) == 0);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_profile_total(p, FF_TOTAL_SAMPLES_TREE) == 6);
	ff_profile_free(p);
	/* And nothing is taken of nothing. */
	CHECK(ff_profile_new(&p, NULL) == 0);
	CHECK(ff_store_take(p, 0) == 0);
	ff_profile_free(p);
}

int main(void)
{
	each_has_its_own();
	what_was_taken_is_not_taken_again();
	who_adds_up_has_nothing_to_take();
	return 0;
}
