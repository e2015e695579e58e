#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "input/input.h"
#include "input/save.h"
#include "live/live.h"

/* A recording that is saved in a directory of its own, and read again. */
struct saving {
	struct context ctx;
	char directory[40], path[60], old[64];
	struct save *save;
	struct bytes record;
	struct intern strings;
	struct input *in;
};

enum { REGISTERS = 3, STACK = 32, HEAD = 8 };

static const uint64_t ids[] = { 71, 72, 73 };
static const struct live_opened events[] = {
	{ .attr = { .type = PERF_TYPE_SOFTWARE,
		    .sample_type =
			    LIVE_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP,
		    .sample_freq = 99,
		    .freq = 1,
		    .sample_id_all = 1,
		    .comm_exec = 1 },
	  .name = "cpu-clock:u",
	  .ids = ids,
	  .id_count = 2 },
	{ .attr = { .type = PERF_TYPE_HARDWARE,
		    .sample_type = LIVE_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN |
				   PERF_SAMPLE_CGROUP | PERF_SAMPLE_REGS_USER |
				   PERF_SAMPLE_STACK_USER,
		    .sample_regs_user = 7,
		    .sample_stack_user = STACK,
		    .sample_id_all = 1,
		    .comm_exec = 1 },
	  .name = "cycles",
	  .ids = ids + 2,
	  .id_count = 1 },
};

static int try_open(struct saving *t, const struct live_opened *of,
		    const struct save_options *more)
{
	static const char *const words[] = { "flamefold", "record" };
	struct save_options options = *more;

	strcpy(t->directory, "/tmp/flamefold-test-XXXXXX");
	cr_assert(mkdtemp(t->directory));
	snprintf(t->path, sizeof(t->path), "%s/x.data", t->directory);
	snprintf(t->old, sizeof(t->old), "%s.old", t->path);
	if (!options.path)
		options.path = t->path;
	options.command = words;
	options.command_count = 2;
	options.recorder = "flamefold 9";
	return save_open(&t->ctx, of, 2, &options, &t->save);
}

static void open_save_of(struct saving *t, const struct live_opened *of,
			 const struct save_options *more)
{
	*t = (struct saving){ 0 };
	cr_assert_eq(try_open(t, of, more), 0, "%s", t->ctx.error);
}

static void open_save(struct saving *t, const struct save_options *more)
{
	open_save_of(t, events, more);
}

static void u64(struct saving *t, uint64_t value)
{
	bytes_add(&t->record, &value, sizeof(value));
}

static void two(struct saving *t, uint32_t a, uint32_t b)
{
	u64(t, (uint64_t)b << 32 | a);
}

static void begin(struct saving *t, uint32_t type, uint16_t misc)
{
	t->record.count = 0;
	two(t, type, misc);
}

static uint32_t end(struct saving *t)
{
	uint16_t size = (uint16_t)t->record.count;

	cr_assert_not(t->record.failed);
	memcpy(t->record.v + 6, &size, sizeof(size));
	return size;
}

/* A sample of event @event up to its chain. */
static void begin_sample(struct saving *t, int event, uint64_t time)
{
	begin(t, PERF_RECORD_SAMPLE, MODE_USER);
	u64(t, event ? 73 : 72);
	u64(t, 0x1000);
	two(t, 5, 6);
	u64(t, time);
	two(t, 1, 0); /* processor */
	u64(t, 1000); /* period */
}

static void chain(struct saving *t, const uint64_t *chain, size_t count)
{
	u64(t, count);
	for (size_t i = 0; i < count; i++)
		u64(t, chain[i]);
}

static void registers_and_stack(struct saving *t)
{
	u64(t, PERF_SAMPLE_REGS_ABI_64);
	for (int i = 0; i < REGISTERS; i++)
		u64(t, 0xdead);
	u64(t, STACK);
	for (int i = 0; i < STACK / 8; i++)
		u64(t, 0xdead);
	u64(t, STACK);
}

static int save_cut(struct saving *t, uint64_t caller, bool cut)
{
	uint32_t size = end(t);
	struct save_found found = { .caller = caller, .cut = cut };

	return save_sample(&t->ctx, t->save, t->record.v, size, &found);
}

static int save(struct saving *t, uint64_t caller)
{
	return save_cut(t, caller, false);
}

static const uint64_t user_chain[] = { PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000 };

static void save_plain(struct saving *t, uint64_t time)
{
	begin_sample(t, 0, time);
	chain(t, user_chain, 4);
	u64(t, 88); /* cgroup */
	cr_assert_eq(save(t, 0), 0, "%s", t->ctx.error);
}

static void save_leaf(struct saving *t, const uint64_t *addresses, size_t count,
		      uint64_t caller)
{
	begin_sample(t, 1, 500);
	chain(t, addresses, count);
	registers_and_stack(t);
	u64(t, 88);
	cr_assert_eq(save(t, caller), 0, "%s", t->ctx.error);
}

static void save_comm(struct saving *t, uint64_t time)
{
	begin(t, PERF_RECORD_COMM, 0);
	two(t, 5, 6);
	bytes_add(&t->record, "program\0", 8);
	two(t, 5, 6);
	u64(t, time);
	two(t, 1, 0);
	u64(t, 71);
	cr_assert_eq(save_record(&t->ctx, t->save, t->record.v, end(t)), 0);
}

/* The first pass of what was saved; its changes of state. */
static size_t read_back(struct saving *t)
{
	enum input_kind kind;
	struct record record;
	size_t states = 0;
	int err;

	cr_assert_eq(intern_init(&t->strings), 0);
	cr_assert_eq(input_open(&t->ctx, t->path, &t->strings, &t->in, &kind), 0, "%s",
		     t->ctx.error);
	cr_assert_eq(kind, INPUT_PERF);
	while ((err = state_next(&t->ctx, t->in, &record)) == 1)
		states += record.type != RECORD_NONE;
	cr_assert_eq(err, 0, "%s", t->ctx.error);
	return states;
}

static size_t finish_and_read(struct saving *t)
{
	int err = save_finish(&t->ctx, t->save);

	cr_assert_eq(err, 0, "%s", t->ctx.error);
	return read_back(t);
}

static void for_samples(struct saving *t, void (*look)(const struct sample *s, void *arg),
			void *arg)
{
	struct sample_reader *reader;
	uint64_t damaged = 0;
	struct sample s;

	cr_assert_eq(sample_reader_new(&t->ctx, t->in, &reader), 0);
	for (size_t i = 0; i < input_chunks(t->in); i++) {
		cr_assert_eq(sample_reader_start(&t->ctx, reader, i), 0);
		while (sample_next(&t->ctx, reader, &s, &damaged) == 1)
			look(&s, arg);
	}
	cr_assert_eq(damaged, 0);
	sample_reader_free(reader);
}

static void done(struct saving *t)
{
	save_free(t->save);
	input_close(t->in);
	if (t->in)
		intern_release(&t->strings);
	bytes_release(&t->record);
	unlink(t->path);
	unlink(t->old);
	rmdir(t->directory);
}

static const char *text(const struct saving *t, uint32_t id)
{
	return intern_text(&t->strings, id);
}

static void check_plain(const struct sample *s, void *arg)
{
	cr_assert_eq(s->time, 200 + 10 * (uint64_t)(*(int *)arg)++);
	cr_assert(s->ip == 0x1000 && s->pid == 5 && s->tid == 6 && s->cpu == 1);
	cr_assert(s->period == 1000 && s->event == 0 && s->cgroup == 88);
	cr_assert_eq(s->chain_count, 4);
	cr_assert_eq(sample_chain(s, 3), 0x3000);
}

static void check_recording(const struct saving *t)
{
	const struct recording *rec = input_recording(t->in);

	cr_assert_str_eq(rec->format, "perf.data v2");
	cr_assert_eq(rec->damage, 0, "%s", text(t, rec->damage));
	cr_assert(rec->samples == 3 && rec->events.count == 2);
	cr_assert_str_eq(text(t, rec->events.v[0].name), "cpu-clock:u");
	cr_assert_str_eq(text(t, rec->events.v[1].name), "cycles");
	cr_assert_eq(rec->events.v[0].frequency, 99);
	cr_assert_str_eq(text(t, rec->recorder), "flamefold 9");
	cr_assert_str_eq(text(t, rec->command), "flamefold record");
	cr_assert(rec->host && rec->kernel && rec->arch && rec->processors > 0);
	cr_assert(rec->first_time == 200 && rec->last_time == 220);
}

Test(save, what_is_saved_is_read_again)
{
	for (int level = 0; level <= 19; level += 19) {
		struct saving t;
		int seen = 0;

		open_save(&t, &(struct save_options){ .level = level });
		save_comm(&t, 100);
		for (int i = 0; i < 3; i++)
			save_plain(&t, 200 + 10 * (uint64_t)i);
		cr_assert_eq(save_end_round(&t.ctx, t.save), 0);
		cr_assert_eq(finish_and_read(&t), 1);
		check_recording(&t);
		cr_assert_eq(input_recording(t.in)->compressed, level > 0);
		for_samples(&t, check_plain, &seen);
		cr_assert_eq(seen, 3);
		done(&t);
	}
}

static void check_caller(const struct sample *s, void *arg)
{
	const uint64_t want[] = { PERF_CONTEXT_KERNEL,
				  0xffffffff81000000,
				  PERF_CONTEXT_USER,
				  0x1000,
				  0x1500,
				  0x2000 };

	cr_assert_eq(s->event, 1);
	cr_assert_eq(s->chain_count, 6);
	for (uint32_t i = 0; i < 6; i++)
		cr_assert_eq(sample_chain(s, i), want[i], "address %u", i);
	cr_assert(!s->has_user_stack && s->user_abi == 0);
	cr_assert_eq(s->cgroup, 88, "what follows the stack is still there");
	++*(int *)arg;
}

Test(save, a_caller_goes_behind_the_users_leaf_and_the_stack_is_left_out)
{
	const uint64_t addresses[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000,
				       PERF_CONTEXT_USER, 0x1000, 0x2000 };
	struct saving t;
	int seen = 0;

	open_save(&t, &(struct save_options){ .stacks = SAVE_CALLERS });
	save_leaf(&t, addresses, 5, 0x1500);
	finish_and_read(&t);
	cr_assert_eq(input_recording(t.in)->events.v[1].user_stack, 0);
	for_samples(&t, check_caller, &seen);
	cr_assert_eq(seen, 1);
	done(&t);
}

static void check_kernel_chain(const struct sample *s, void *arg)
{
	cr_assert_eq(s->chain_count, 2);
	cr_assert_eq(sample_chain(s, 1), 0xffffffff81000000);
	cr_assert_eq(s->cgroup, 88);
	++*(int *)arg;
}

Test(save, a_chain_without_a_users_part_gets_no_caller)
{
	const uint64_t addresses[] = { PERF_CONTEXT_KERNEL, 0xffffffff81000000,
				       PERF_CONTEXT_USER };
	struct saving t;
	int seen = 0;

	open_save(&t, &(struct save_options){ .stacks = SAVE_CALLERS });
	save_leaf(&t, addresses, 2, 0x1500);
	save_leaf(&t, addresses, 2, 0);
	finish_and_read(&t);
	for_samples(&t, check_kernel_chain, &seen);
	cr_assert_eq(seen, 2);
	done(&t);
}

static void check_cut(const struct sample *s, void *arg)
{
	const uint64_t want[2][4] = {
		{ PERF_CONTEXT_USER, 0x1000, 0x1500, 0x2000 },
		{ PERF_CONTEXT_USER, 0x1000 },
	};
	const uint64_t *chain = want[*(int *)arg];

	cr_assert_eq(s->chain_count, *(int *)arg ? 2 : 4);
	for (uint32_t i = 0; i < s->chain_count; i++)
		cr_assert_eq(sample_chain(s, i), chain[i], "address %u", i);
	cr_assert_eq(s->cgroup, 88);
	++*(int *)arg;
}

Test(save, a_chain_at_the_limit_is_no_longer_with_a_caller)
{
	const uint32_t counts[] = { 4, 2 };
	struct saving t;
	int seen = 0;

	open_save(&t, &(struct save_options){ .stacks = SAVE_CALLERS });
	for (int i = 0; i < 2; i++) {
		begin_sample(&t, 1, 500);
		chain(&t, user_chain, counts[i]);
		registers_and_stack(&t);
		u64(&t, 88);
		cr_assert_eq(save_cut(&t, 0x1500, true), 0);
	}
	finish_and_read(&t);
	for_samples(&t, check_cut, &seen);
	cr_assert_eq(seen, 2);
	done(&t);
}

static void check_dump(const struct sample *s, void *arg)
{
	cr_assert(s->has_user_stack && s->user_stack_size == STACK);
	cr_assert_eq(s->user_abi, 2);
	++*(int *)arg;
}

Test(save, without_callers_the_stack_stays)
{
	struct saving t;
	int seen = 0;

	open_save(&t, &(struct save_options){ 0 });
	save_leaf(&t, user_chain, 4, 0);
	finish_and_read(&t);
	for_samples(&t, check_dump, &seen);
	cr_assert_eq(seen, 1);
	done(&t);
}

Test(save, a_sample_that_ends_inside_its_chain_is_left_out)
{
	const uint64_t counts[] = { 5, 1 << 20, UINT64_MAX, UINT64_MAX / 8 + 1 };
	struct saving t;

	open_save(&t, &(struct save_options){ .stacks = SAVE_CALLERS });
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		begin_sample(&t, 1, 100);
		u64(&t, counts[i]);
		u64(&t, PERF_CONTEXT_USER);
		u64(&t, 0x1000);
		cr_assert_eq(save(&t, 0x1500), 0);
	}
	save_plain(&t, 200);
	finish_and_read(&t);
	cr_assert_eq(input_recording(t.in)->samples, 1);
	done(&t);
}

Test(save, what_was_not_finished_is_read_as_far_as_it_goes)
{
	for (int level = 0; level <= 3; level += 3) {
		struct saving t;
		const struct recording *rec;

		open_save(&t, &(struct save_options){ .level = level });
		for (int i = 0; i < 5000; i++) {
			save_plain(&t, 200);
			cr_assert_eq(save_end_round(&t.ctx, t.save), 0);
		}
		save_free(t.save);
		t.save = NULL;
		read_back(&t);
		rec = input_recording(t.in);
		cr_assert(rec->samples > 1000 && rec->samples < 5000);
		cr_assert_neq(rec->damage, 0);
		done(&t);
	}
}

/* Samples that do not pack, so that much has to be cut into records. */
static uint64_t save_noise(struct saving *t, int samples)
{
	uint64_t noise[1000] = { PERF_CONTEXT_USER }, seed = 1, sum = 0;

	for (int i = 0; i < samples; i++) {
		for (int j = 1; j < 1000; j++)
			noise[j] = seed =
				seed * 6364136223846793005 + 1442695040888963407;
		sum += noise[999];
		begin_sample(t, 0, 200);
		chain(t, noise, 1000);
		u64(t, 88);
		cr_assert_eq(save(t, 0), 0);
		if (i % 100 == 0)
			cr_assert_eq(save_end_round(&t->ctx, t->save), 0);
	}
	return sum;
}

static void add_last(const struct sample *s, void *arg)
{
	cr_assert_eq(s->chain_count, 1000);
	*(uint64_t *)arg += sample_chain(s, 999);
}

Test(save, ids_of_events_that_were_opened_anew_are_read_again)
{
	static const uint64_t more[] = { 71, 72, 81, 82 };
	struct live_opened changed[] = { events[0], events[1] };
	struct saving t;
	int seen = 0;

	open_save_of(&t, changed, &(struct save_options){ .level = 0 });
	save_comm(&t, 100);
	save_plain(&t, 200);
	changed[0].ids = more;
	changed[0].id_count = 4;
	cr_assert_eq(save_add_ids(&t.ctx, t.save), 0);
	save_plain(&t, 210);
	cr_assert_eq(finish_and_read(&t), 1);
	cr_assert_eq(input_event_of_id(t.in, 72), 0);
	cr_assert_eq(input_event_of_id(t.in, 82), 0);
	cr_assert_eq(input_event_of_id(t.in, 73), 1);
	for_samples(&t, check_plain, &seen);
	cr_assert_eq(seen, 2);
	done(&t);
}

Test(save, megabytes_that_do_not_pack_come_back)
{
	struct saving t;
	uint64_t want, sum = 0;
	struct stat st;

	open_save(&t, &(struct save_options){ .level = 1 });
	want = save_noise(&t, 500);
	finish_and_read(&t);
	cr_assert(stat(t.path, &st) == 0 && st.st_size > 3 << 20);
	for_samples(&t, add_last, &sum);
	cr_assert_eq(sum, want);
	done(&t);
}

Test(save, build_ids_are_read_again)
{
	const uint8_t id[20] = { 1, 2, 3 };
	const struct known_build_id *known;
	struct save_object object;
	struct saving t;

	open_save(&t, &(struct save_options){ 0 });
	save_plain(&t, 200);
	object = (struct save_object){ "/lib/a.so", MODE_USER, 20, id };
	cr_assert_eq(save_build_id(&t.ctx, t.save, &object), 0);
	object = (struct save_object){ "/lib/b.so", MODE_USER, 8, id };
	cr_assert_eq(save_build_id(&t.ctx, t.save, &object), 0);
	finish_and_read(&t);
	cr_assert_eq(input_recording(t.in)->build_ids.count, 2);
	known = input_recording(t.in)->build_ids.v;
	cr_assert_str_eq(text(&t, known[0].path), "/lib/a.so");
	cr_assert(known[0].size == 20 && known[1].size == 8 &&
		  known[0].mode == MODE_USER);
	cr_assert_eq(memcmp(known[1].id, id, 8), 0);
	done(&t);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	cr_assert(f);
	fputs(text, f);
	fclose(f);
}

Test(save, a_file_that_is_there_is_kept_beside_it)
{
	struct saving t = { 0 };
	char text[8] = { 0 };
	struct stat st;
	FILE *f;

	cr_assert_eq(try_open(&t, events, &(struct save_options){ 0 }), 0);
	cr_assert_lt(access(t.old, F_OK), 0, "nothing was there");
	save_free(t.save);
	write_text(t.path, "before");
	cr_assert_eq(save_open(&t.ctx, events, 2,
			       &(struct save_options){ .path = t.path }, &t.save),
		     0);
	f = fopen(t.old, "r");
	cr_assert(f && fread(text, 1, sizeof(text), f) == 6);
	cr_assert_str_eq(text, "before");
	fclose(f);
	cr_assert_eq(stat(t.path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	done(&t);
}

Test(save, a_pipe_is_refused_with_the_reason)
{
	struct saving t = { 0 };
	char path[80];

	snprintf(path, sizeof(path), "/tmp/flamefold-test-pipe-%d", (int)getpid());
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(try_open(&t, events, &(struct save_options){ .path = path }),
		     -ESPIPE);
	cr_assert(strstr(t.ctx.error, path) && strstr(t.ctx.error, "pipe"), "%s",
		  t.ctx.error);
	unlink(path);
	cr_assert_eq(try_open(&t, events, &(struct save_options){ .path = "/no/such/x" }),
		     -ENOENT);
	cr_assert_eq(try_open(&t, events, &(struct save_options){ .path = "/tmp" }),
		     -EISDIR);
	done(&t);
}

Test(save, a_full_disk_fails_with_its_sentence_from_then_on)
{
	struct saving t = { 0 };
	int err = try_open(&t, events, &(struct save_options){ .path = "/dev/full" });

	cr_assert_eq(err, -ENOSPC);
	cr_assert_str_eq(t.ctx.error,
			 "cannot write '/dev/full': No space left on device");
	done(&t);
}
