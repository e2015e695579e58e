/*
 * A live run of a client: a command is sampled, its tree can be asked on the way and at the
 * end, and it is told how it ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <flamefold.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api.h"

enum { SKIPPED = 77 };

struct seen {
	unsigned ticks, outputs;
	uint64_t samples, weight;
	int stop; /* at the first output */
};

/* The kernel's word, not the library's. */
static int may_sample(void)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 1000000;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

static void tick(void *arg, const struct ff_record_status *status)
{
	struct seen *seen = (struct seen *)arg;

	CHECK(status->samples >= seen->samples);
	seen->samples = status->samples;
	seen->ticks++;
}

static int output(void *arg, struct ff_profile *p)
{
	struct seen *seen = (struct seen *)arg;
	uint64_t weight = ff_profile_total(p, FF_TOTAL_WEIGHT_TREE);

	CHECK(weight >= seen->weight);
	CHECK(ff_profile_root(p) != NULL);
	seen->weight = weight;
	seen->outputs++;
	if (seen->stop)
		ff_record_stop(p);
	return 0;
}

/* A shell that computes for some seconds, unless it is stopped, and ends with @end. */
static void prepare(struct ff_record_options *o, char **words, const char *text)
{
	static char shell[] = "/bin/sh", flag[] = "-c";
	static const char *const events[] = { "cpu-clock:u" };

	words[0] = shell;
	words[1] = flag;
	words[2] = (char *)text;
	words[3] = NULL;
	o->who = FF_RECORD_COMMAND;
	o->command = words;
	o->events = events;
	o->event_count = 1;
	o->frequency = 997;
	o->tick = tick;
	o->output = output;
}

static struct ff_profile *new_profile(void)
{
	struct ff_options options = FF_OPTIONS_INIT;
	struct ff_profile *p;

	CHECK(ff_profile_new(&p, &options) == 0);
	return p;
}

static void a_command_is_sampled_to_its_end(void)
{
	struct ff_record_options options = FF_RECORD_OPTIONS_INIT;
	struct ff_profile *p = new_profile();
	struct seen seen = { 0, 0, 0, 0, 0 };
	char *words[4];

	prepare(&options, words,
		"i=0; while [ $i -lt 900000 ]; do i=$((i + 1)); done; exit 3");
	options.every = 0.2;
	options.arg = &seen;
	CHECK(ff_record_exit_status(p) == -1);
	CHECK(ff_profile_record(p, &options) == 0);
	CHECK(strcmp(ff_profile_error(p), "") == 0);
	CHECK(ff_record_exit_status(p) == 3);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(seen.outputs > 0 && seen.weight > 0);
	CHECK(ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) >= seen.weight);
	CHECK(ff_profile_total(p, FF_TOTAL_SAMPLES_TREE) > 10);
	ff_profile_free(p);
}

static void a_run_can_be_stopped(void)
{
	struct ff_record_options options = FF_RECORD_OPTIONS_INIT;
	struct ff_profile *p = new_profile();
	struct seen seen = { 0, 0, 0, 0, 1 };
	char *words[4];

	prepare(&options, words,
		"trap '' PIPE; i=0; while [ $i -lt 3000000 ]; do i=$((i + 1)); done");
	options.every = 0.2;
	options.arg = &seen;
	CHECK(ff_profile_record(p, &options) == 0);
	CHECK(seen.outputs == 1);
	CHECK(ff_record_exit_status(p) == -1);
	CHECK(ff_profile_finish(p) == 0);
	CHECK(ff_profile_total(p, FF_TOTAL_WEIGHT_TREE) > 0);
	ff_profile_free(p);
}

static void a_run_that_is_stopped_can_end_its_command(void)
{
	struct ff_record_options options = FF_RECORD_OPTIONS_INIT;
	struct ff_profile *p = new_profile();
	struct seen seen = { 0, 0, 0, 0, 1 };
	char *words[4];

	prepare(&options, words, "trap 'exit 5' TERM; while :; do :; done");
	options.flags |= FF_RECORD_END_COMMAND;
	options.every = 0.2;
	options.arg = &seen;
	CHECK(ff_profile_record(p, &options) == 0);
	CHECK(ff_record_exit_status(p) == 5);
	CHECK(ff_profile_finish(p) == 0);
	ff_profile_free(p);
}

static void what_cannot_be_is_told_in_a_sentence(void)
{
	struct ff_record_options options = FF_RECORD_OPTIONS_INIT;
	static const char *const events[] = { "cylces" };
	struct ff_profile *p = new_profile();
	char *words[4];

	prepare(&options, words, "exit 0");
	options.events = events;
	CHECK(ff_profile_record(p, &options) == -EINVAL);
	CHECK(strstr(ff_profile_error(p), "cylces") != NULL);
	CHECK(strstr(ff_profile_error(p), "cycles") != NULL);
	ff_profile_free(p);
}

int main(void)
{
	what_cannot_be_is_told_in_a_sentence();
	if (!may_sample()) {
		printf("events are not permitted here: %s\n", strerror(errno));
		return api_failed ? api_failed : SKIPPED;
	}
	a_command_is_sampled_to_its_end();
	a_run_can_be_stopped();
	a_run_that_is_stopped_can_end_its_command();
	return api_failed;
}
