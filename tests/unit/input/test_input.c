#include "input/input.h"

#include <errno.h>

#include "recording.h"

static const struct attr plain = { .sample_type = ST_IP | ST_TID | ST_TIME | ST_PERIOD,
				   .flags = FLAG_SAMPLE_ID_ALL | FLAG_COMM_EXEC };

/* The trailer of a plain event's records. */
static void trailer(struct made *m, uint32_t pid, uint32_t tid, uint64_t time)
{
	two(m, pid, tid);
	u64(m, time);
}

static void sample(struct made *m, uint64_t ip, uint32_t pid, uint64_t time, uint64_t period)
{
	begin_record(m, RECORD_SAMPLE, MODE_USER);
	u64(m, ip);
	two(m, pid, pid + 1);
	u64(m, time);
	u64(m, period);
	end_record(m);
}

static const char *text(const struct made *m, uint32_t id)
{
	return intern_text(&m->strings, id);
}

/* The only sample after the first pass. */
static struct sample only_sample(struct made *m)
{
	static struct sample s;
	static uint64_t chain[64];
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample none;

	pass_states(m);
	cr_assert_eq(input_chunks(m->in), 1);
	cr_assert_eq(sample_reader_new(&m->ctx, m->in, &r), 0);
	cr_assert_eq(sample_reader_start(r, 0), 0);
	cr_assert_eq(sample_next(&m->ctx, r, &s, &damaged), 1);
	if (s.chain_count && s.chain_count <= 64) {
		memcpy(chain, s.chain, 8 * s.chain_count);
		s.chain = (uint8_t *)chain;
	}
	cr_assert_eq(sample_next(&m->ctx, r, &none, &damaged), 0);
	cr_assert_eq(damaged, 0);
	sample_reader_free(r);
	return s;
}

static struct record only_state(struct made *m)
{
	struct record rec, none;

	cr_assert_eq(next_state(m, &rec), 1, "%s", m->ctx.error);
	cr_assert_eq(next_state(m, &none), 0);
	return rec;
}

Test(input, a_recording_says_what_it_is)
{
	struct made m;

	made_begin(&m, &plain, 1);
	sample(&m, 1, 2, 3, 4);
	made_open(&m);
	cr_assert_eq(m.kind, INPUT_PERF);
	cr_assert_str_eq(input_recording(m.in)->format, "perf.data v2");
	cr_assert_eq(input_recording(m.in)->bytes, m.bytes.size);
	cr_assert_eq(input_recording(m.in)->events.count, 1);
	cr_assert_str_eq(input_path(m.in), m.path);
	made_end(&m);
}

Test(input, attrs_of_every_size_are_read)
{
	const size_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152, 1000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct made m;
		struct sample s;

		made_begin_sized(&m, &plain, 1, sizes[i]);
		sample(&m, 0x1234, 2, 3, 4);
		made_open(&m);
		s = only_sample(&m);
		cr_assert(s.ip == 0x1234 && s.period == 4, "attrs of %zu bytes", sizes[i]);
		made_end(&m);
	}
}

Test(input, events_that_were_not_named_get_perfs_name)
{
	const struct attr attrs[] = {
		{ .type = 0, .config = 0, .sample_type = ST_IP },
		{ .type = 1, .config = 0, .sample_type = ST_IP },
		{ .type = 0, .config = 1, .sample_type = ST_IP },
		{ .type = 1, .config = 2, .sample_type = ST_IP },
	};
	const char *names[] = { "cycles", "cpu-clock", "instructions", "page-faults" };
	struct made m;

	made_begin(&m, attrs, 4);
	made_open(&m);
	cr_assert_eq(input_recording(m.in)->events.count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert_str_eq(text(&m, input_recording(m.in)->events.v[i].name), names[i]);
	made_end(&m);
}

Test(input, a_map_is_decoded_with_the_time_of_its_trailer)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, RECORD_MMAP, MODE_USER);
	two(&m, 5, 6);
	u64(&m, 0x1000);
	u64(&m, 0x2000);
	u64(&m, 0x3000);
	string(&m, "/bin/ls");
	trailer(&m, 5, 6, 77);
	end_record(&m);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.type, RECORD_MMAP);
	cr_assert(r.pid == 5 && r.tid == 6 && r.mode == MODE_USER && r.executable);
	cr_assert(r.start == 0x1000 && r.size == 0x2000 && r.offset == 0x3000);
	cr_assert_str_eq(text(&m, r.name), "/bin/ls");
	cr_assert_eq(r.time, 77);
	cr_assert_eq(r.build_id_size, 0);
	made_end(&m);
}

Test(input, a_map_with_device_and_inode_is_decoded)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, RECORD_MMAP2, MODE_USER);
	two(&m, 5, 6);
	u64(&m, 0x1000);
	u64(&m, 0x2000);
	u64(&m, 0x3000);
	two(&m, 8, 1);
	u64(&m, 1234);
	u64(&m, 5678);
	two(&m, 3, 2);
	string(&m, "/bin/ls");
	trailer(&m, 5, 6, 77);
	end_record(&m);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.type, RECORD_MMAP);
	cr_assert(r.maj == 8 && r.min == 1 && r.ino == 1234 && r.generation == 5678);
	cr_assert_not(r.executable, "it may be read and written");
	cr_assert_str_eq(text(&m, r.name), "/bin/ls");
	made_end(&m);
}

static void map_with_build_id(struct made *m, uint8_t size)
{
	uint8_t id[24] = { size, 0, 0, 0 };

	for (uint8_t i = 0; i < 20; i++)
		id[4 + i] = (uint8_t)(0xa0 + i);
	begin_record(m, RECORD_MMAP2, MODE_USER | 1 << 14);
	two(m, 5, 6);
	u64(m, 0x1000);
	u64(m, 0x2000);
	u64(m, 0);
	bytes(m, id, sizeof(id));
	two(m, 5, 2);
	string(m, "/bin/ls");
	trailer(m, 5, 6, 77);
	end_record(m);
}

Test(input, a_map_with_a_build_id_has_it_and_no_inode)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	map_with_build_id(&m, 16);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.build_id_size, 16);
	cr_assert(r.build_id[0] == 0xa0 && r.build_id[15] == 0xaf);
	cr_assert(r.maj == 0 && r.min == 0 && r.ino == 0 && r.generation == 0);
	made_end(&m);
}

Test(input, a_build_id_is_never_longer_than_its_place)
{
	struct made m;

	made_begin(&m, &plain, 1);
	map_with_build_id(&m, 255);
	made_open(&m);
	cr_assert_leq(only_state(&m).build_id_size, BUILD_ID_MAX);
	made_end(&m);
}

Test(input, names_end_at_their_nul_or_with_their_place)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, RECORD_COMM, 1 << 13);
	two(&m, 5, 6);
	bytes(&m, "ab\0junk!", 8);
	trailer(&m, 5, 6, 77);
	end_record(&m);
	begin_record(&m, RECORD_COMM, 0);
	two(&m, 5, 6);
	bytes(&m, "no end..", 8);
	trailer(&m, 5, 6, 78);
	end_record(&m);
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_str_eq(text(&m, r.name), "ab");
	cr_assert(r.exec && r.time == 77 && r.type == RECORD_COMM);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_str_eq(text(&m, r.name), "no end..");
	cr_assert(!r.exec && r.time == 78);
	made_end(&m);
}

Test(input, forks_and_exits_are_decoded)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	for (int exit = 0; exit < 2; exit++) {
		begin_record(&m, exit ? RECORD_EXIT : RECORD_FORK, exit ? 0 : 1 << 13);
		two(&m, 2, 1);
		two(&m, 4, 3);
		u64(&m, 999);
		trailer(&m, 1, 3, 77);
		end_record(&m);
	}
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == RECORD_FORK && r.no_clone);
	cr_assert(r.pid == 2 && r.ppid == 1 && r.tid == 4 && r.ptid == 3 && r.time == 77);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == RECORD_EXIT && r.pid == 2 && r.tid == 4);
	made_end(&m);
}

Test(input, code_of_the_kernel_comes_and_goes)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	for (uint32_t gone = 0; gone < 2; gone++) {
		begin_record(&m, RECORD_KSYMBOL, 0);
		u64(&m, 0xffffffffc0000000);
		two(&m, 0x100, 1 | gone << 16);
		string(&m, "bpf_prog_1");
		trailer(&m, 0, 0, 77 + gone);
		end_record(&m);
	}
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == RECORD_KSYMBOL && !r.gone);
	cr_assert(r.start == 0xffffffffc0000000 && r.size == 0x100);
	cr_assert_str_eq(text(&m, r.name), "bpf_prog_1");
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.gone);
	made_end(&m);
}

Test(input, records_say_where_they_stand)
{
	struct made m;
	struct record r;
	uint64_t last = 0;

	made_begin(&m, &plain, 1);
	for (uint64_t i = 0; i < 3; i++) {
		begin_record(&m, RECORD_COMM, 0);
		two(&m, 5, 6);
		string(&m, "x");
		trailer(&m, 5, 6, 50);
		end_record(&m);
	}
	made_open(&m);
	for (uint64_t i = 0; i < 3; i++) {
		cr_assert_eq(next_state(&m, &r), 1);
		cr_assert(r.position >= m.data && r.position > last);
		last = r.position;
	}
	made_end(&m);
}

static void untimed_comm(struct made *m, const char *name)
{
	begin_record(m, RECORD_COMM, 0);
	two(m, 5, 6);
	string(m, name);
	end_record(m);
}

Test(input, a_record_without_a_time_comes_just_after_the_newest_before_it)
{
	struct attr old = plain;
	struct made m;
	struct record r;

	old.flags = 0; /* no sample_id_all: records other than samples have no trailer */
	made_begin(&m, &old, 1);
	untimed_comm(&m, "first");
	sample(&m, 1, 5, 100, 1);
	sample(&m, 1, 5, 90, 1);
	untimed_comm(&m, "second");
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_leq(r.time, 1);
	cr_assert_str_eq(text(&m, r.name), "first");
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_eq(r.time, 101);
	cr_assert_str_eq(text(&m, r.name), "second");
	made_end(&m);
}

Test(input, a_sample_without_a_time_sees_what_stands_before_it)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME,
		  .flags = FLAG_SAMPLE_ID_ALL, .id = 1 },
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TID, .flags = FLAG_SAMPLE_ID_ALL,
		  .id = 2 },
	};
	struct made m;
	uint64_t time;

	made_begin(&m, attrs, 2);
	begin_record(&m, RECORD_COMM, 0);
	two(&m, 5, 6);
	string(&m, "x");
	two(&m, 5, 6);
	u64(&m, 100);
	u64(&m, 1);
	end_record(&m);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 2);
	u64(&m, 0x1234);
	two(&m, 5, 6);
	end_record(&m);
	made_open(&m);
	time = only_sample(&m).time;
	cr_assert(time == 100 || time == 101);
	made_end(&m);
}

Test(input, every_chunk_is_announced_before_its_samples_count)
{
	struct record r;
	struct made m;

	made_begin(&m, &plain, 1);
	sample(&m, 1, 2, 3, 4);
	made_open(&m);
	cr_assert_eq(state_next(&m.ctx, m.in, &r), 1, "nothing changes, but something happens");
	cr_assert_eq(r.type, RECORD_NONE);
	cr_assert_eq(state_next(&m.ctx, m.in, &r), 0);
	made_end(&m);
}

Test(input, records_of_no_interest_and_no_known_type_are_passed_over_and_counted)
{
	const uint32_t types[] = { 2, 5, 6, 8, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23,
				   68, 69, 70, 72, 73, 74, 75, 76, 77, 78, 79, 82, 84, 85, 86,
				   99, 127, 128, 32769, UINT32_MAX };
	const size_t count = sizeof(types) / sizeof(*types);
	const struct recording *rec;
	struct made m;

	made_begin(&m, &plain, 1);
	for (size_t i = 0; i < count; i++) {
		begin_record(&m, types[i], 0);
		zeros(&m, 16 * (i % 4));
		end_record(&m);
		sample(&m, 0x1000 + i, 5, i, 1);
	}
	made_open(&m);
	cr_assert_eq(pass_states(&m), 0);
	rec = input_recording(m.in);
	cr_assert_eq(rec->truncated_at, 0);
	cr_assert_eq(rec->samples, count);
	cr_assert_eq(rec->records, 2 * count);
	cr_assert_eq(rec->by_type[68], 1);
	cr_assert_eq(rec->by_type[RECORD_SAMPLE], count);
	cr_assert_geq(rec->unknown, 5, "99, 127, 128, 32769 and the largest at least");
	made_end(&m);
}

Test(input, what_was_lost_is_counted)
{
	const struct recording *rec;
	struct made m;

	made_begin(&m, &plain, 1);
	begin_record(&m, RECORD_LOST, 0);
	u64(&m, 1);
	u64(&m, 40);
	trailer(&m, 0, 0, 1);
	end_record(&m);
	begin_record(&m, RECORD_LOST_SAMPLES, 0);
	u64(&m, 2);
	trailer(&m, 0, 0, 2);
	end_record(&m);
	begin_record(&m, RECORD_LOST_SAMPLES, 1 << 15);
	u64(&m, 1000);
	trailer(&m, 0, 0, 2);
	end_record(&m);
	begin_record(&m, RECORD_THROTTLE, 0);
	zeros(&m, 24);
	trailer(&m, 0, 0, 3);
	end_record(&m);
	made_open(&m);
	cr_assert_eq(pass_states(&m), 0);
	rec = input_recording(m.in);
	cr_assert_eq(rec->lost, 40);
	cr_assert_eq(rec->lost_samples, 2, "what a filter dropped was not lost");
	cr_assert_eq(rec->throttled, 1);
	made_end(&m);
}

Test(input, data_behind_an_auxtrace_record_is_no_record)
{
	struct made m;

	made_begin(&m, &plain, 1);
	begin_record(&m, 71, 0);
	u64(&m, 24);
	zeros(&m, 32);
	end_record(&m);
	for (int i = 0; i < 3; i++)
		u64(&m, UINT64_MAX);
	sample(&m, 0x1234, 5, 7, 1);
	made_open(&m);
	cr_assert_eq(pass_states(&m), 0);
	cr_assert_eq(input_recording(m.in)->samples, 1);
	cr_assert_eq(input_recording(m.in)->truncated_at, 0);
	made_end(&m);
}

Test(input, every_field_of_a_sample_is_found_whatever_stands_before_it)
{
	/* In the order of the record. */
	const uint32_t fixed[] = { ST_IDENTIFIER, ST_IP, ST_TID, ST_TIME, ST_ADDR, ST_ID,
				   ST_STREAM_ID, ST_CPU, ST_PERIOD };

	for (uint32_t mask = 0; mask < 1 << 9; mask++) {
		struct attr a = { .period = 555, .sample_type = ST_CALLCHAIN };
		struct made m;
		struct sample s;

		for (int i = 0; i < 9; i++)
			a.sample_type |= mask >> i & 1 ? fixed[i] : 0;
		made_begin(&m, &a, 1);
		begin_record(&m, RECORD_SAMPLE, MODE_KERNEL);
		for (int i = 0; i < 9; i++) {
			if (!(mask >> i & 1))
				continue;
			if (fixed[i] == ST_TID)
				two(&m, 11, 12);
			else if (fixed[i] == ST_CPU)
				two(&m, 13, UINT32_MAX);
			else
				u64(&m, 100 + (uint64_t)i);
		}
		u64(&m, 2);
		u64(&m, 0x77);
		u64(&m, 0x88);
		end_record(&m);
		made_open(&m);
		s = only_sample(&m);
		cr_assert_eq(s.mode, MODE_KERNEL);
		if (a.sample_type & ST_IP)
			cr_assert_eq(s.ip, 101);
		if (a.sample_type & ST_TID)
			cr_assert(s.pid == 11 && s.tid == 12);
		if (a.sample_type & ST_TIME)
			cr_assert_eq(s.time, 103);
		if (a.sample_type & ST_CPU)
			cr_assert_eq(s.cpu, 13);
		cr_assert_eq(s.period, a.sample_type & ST_PERIOD ? 108 : 555);
				cr_assert(s.has_chain && s.chain_count == 2);
		cr_assert(sample_chain(&s, 0) == 0x77 && sample_chain(&s, 1) == 0x88);
		made_end(&m);
	}
}

Test(input, the_chain_is_found_behind_counts_of_every_format)
{
	for (uint64_t format = 0; format < 32; format++) {
		const struct attr a = { .sample_type = ST_IP | ST_READ | ST_CALLCHAIN,
					.read_format = format };
		bool group = format & 8;
		struct made m;
		struct sample s;

		made_begin(&m, &a, 1);
		begin_record(&m, RECORD_SAMPLE, MODE_USER);
		u64(&m, 0x1234);
		u64(&m, group ? 3 : 1000);
		zeros(&m, 8 * ((format & 1) + (format >> 1 & 1)));
		for (int i = 0; i < (group ? 3 : 1); i++)
			zeros(&m, 8 * ((group ? 1 : 0) + (format >> 2 & 1) + (format >> 4 & 1)));
		u64(&m, 1);
		u64(&m, 0x77);
		end_record(&m);
		made_open(&m);
		s = only_sample(&m);
		cr_assert(s.chain_count == 1 && sample_chain(&s, 0) == 0x77, "format %#x",
			  (unsigned)format);
		made_end(&m);
	}
}

Test(input, a_stack_dump_is_noticed_behind_everything_before_it)
{
	const struct attr a = { .sample_type = ST_IP | ST_CALLCHAIN | ST_RAW | ST_BRANCH_STACK |
					       ST_REGS_USER | ST_STACK_USER,
				.branch = 1 << 17, .regs_user = 0xff };

	for (int dumped = 0; dumped < 2; dumped++)
		for (int regs = 0; regs < 2; regs++) {
			struct made m;
			struct sample s;

			made_begin(&m, &a, 1);
			begin_record(&m, RECORD_SAMPLE, MODE_USER);
			u64(&m, 0x1234);
			u64(&m, 0);
			u32(&m, 12);
			zeros(&m, 12);
			u64(&m, 2);
			u64(&m, 0);
			zeros(&m, 48);
			u64(&m, regs ? 2 : 0);
			zeros(&m, regs ? 64 : 0);
			u64(&m, dumped ? 16 : 0);
			zeros(&m, dumped ? 24 : 0);
			end_record(&m);
			made_open(&m);
			s = only_sample(&m);
			cr_assert_eq(s.has_user_stack, dumped == 1);
			made_end(&m);
		}
}

/* What the second pass makes of one sample record that was begun. */
static uint64_t damaged_by(struct made *m)
{
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;

	end_record(m);
	made_open(m);
	pass_states(m);
	cr_assert_eq(sample_reader_new(&m->ctx, m->in, &r), 0);
	cr_assert_eq(sample_reader_start(r, 0), 0);
	while (sample_next(&m->ctx, r, &s, &damaged) == 1)
		;
	sample_reader_free(r);
	made_end(m);
	return damaged;
}

Test(input, a_sample_that_is_shorter_than_its_event_says_is_damaged)
{
	const struct attr a = { .sample_type = ST_IP | ST_TID | ST_CALLCHAIN };

	for (size_t size = 0; size < 24; size += 8) {
		struct made m;

		made_begin(&m, &a, 1);
		begin_record(&m, RECORD_SAMPLE, MODE_USER);
		zeros(&m, size);
		cr_assert_eq(damaged_by(&m), 1, "%zu bytes", size);
	}
}

Test(input, a_count_larger_than_its_record_is_damaged)
{
	const uint64_t counts[] = { 3, 100, 1ull << 29, 1ull << 32, 1ull << 61, UINT64_MAX };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const struct attr chain = { .sample_type = ST_CALLCHAIN };
		const struct attr group = { .sample_type = ST_READ | ST_CALLCHAIN,
					    .read_format = 8 | 4 };
		struct made m;

		made_begin(&m, &chain, 1);
		begin_record(&m, RECORD_SAMPLE, MODE_USER);
		u64(&m, counts[i]);
		zeros(&m, 16);
		cr_assert_eq(damaged_by(&m), 1);
		made_begin(&m, &group, 1);
		begin_record(&m, RECORD_SAMPLE, MODE_USER);
		u64(&m, counts[i]);
		zeros(&m, 32);
		cr_assert_eq(damaged_by(&m), 1);
	}
}

Test(input, a_damaged_sample_does_not_hide_the_next)
{
	const struct attr a = { .sample_type = ST_IP | ST_CALLCHAIN };
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;
	struct made m;

	made_begin(&m, &a, 1);
	for (uint64_t i = 0; i < 3; i++) {
		begin_record(&m, RECORD_SAMPLE, MODE_USER);
		u64(&m, i);
		u64(&m, i == 1 ? 99 : 0);
		end_record(&m);
	}
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	cr_assert_eq(sample_reader_start(r, 0), 0);
	cr_assert(sample_next(&m.ctx, r, &s, &damaged) == 1 && s.ip == 0);
	cr_assert(sample_next(&m.ctx, r, &s, &damaged) == 1 && s.ip == 2);
	cr_assert_eq(damaged, 1);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 0);
	sample_reader_free(r);
	made_end(&m);
}

Test(input, the_id_says_of_which_event_a_sample_is)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_PERIOD, .id = 11 },
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TIME | ST_PERIOD, .id = 22 },
	};
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;
	struct made m;

	made_begin(&m, attrs, 2);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 22);
	u64(&m, 0x2222);
	u64(&m, 100);
	u64(&m, 7);
	end_record(&m);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 11);
	u64(&m, 0x1111);
	u64(&m, 3);
	end_record(&m);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 33);
	zeros(&m, 24);
	end_record(&m);
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->events.v[0].samples, 1);
	cr_assert_eq(input_recording(m.in)->events.v[1].samples, 1);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	cr_assert_eq(sample_reader_start(r, 0), 0);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
	cr_assert(s.event == 1 && s.ip == 0x2222 && s.time == 100 && s.period == 7);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
	cr_assert(s.event == 0 && s.ip == 0x1111 && s.period == 3);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 0);
	cr_assert_eq(damaged, 1, "an id that no event has, and layouts that differ");
	sample_reader_free(r);
	made_end(&m);
}

Test(input, without_an_identifier_the_id_at_the_same_place_says_it)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IP | ST_TID | ST_ID, .id = 11 },
		{ .sample_type = ST_IP | ST_TID | ST_ID | ST_PERIOD, .id = 22 },
	};
	struct made m;
	struct sample s;

	made_begin(&m, attrs, 2);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 0x2222);
	two(&m, 1, 2);
	u64(&m, 22);
	u64(&m, 7);
	end_record(&m);
	made_open(&m);
	s = only_sample(&m);
	cr_assert(s.event == 1 && s.period == 7);
	made_end(&m);
}

Test(input, an_unknown_id_is_of_the_first_event_where_all_are_alike)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IDENTIFIER | ST_IP, .id = 11 },
		{ .sample_type = ST_IDENTIFIER | ST_IP, .id = 22 },
	};
	struct made m;
	struct sample s;

	made_begin(&m, attrs, 2);
	begin_record(&m, RECORD_SAMPLE, MODE_USER);
	u64(&m, 33);
	u64(&m, 0x1234);
	end_record(&m);
	made_open(&m);
	s = only_sample(&m);
	cr_assert(s.event == 0 && s.ip == 0x1234);
	made_end(&m);
}

static void check_damage(struct made *m, size_t at, uint64_t samples)
{
	const struct recording *rec;

	made_open(m);
	pass_states(m);
	rec = input_recording(m->in);
	cr_assert_eq(rec->samples, samples);
	cr_assert_eq(rec->truncated_at, at);
	cr_assert_neq(rec->damage, 0);
	cr_assert(strlen(text(m, rec->damage)) > 10);
	made_end(m);
}

Test(input, a_record_of_impossible_size_ends_the_reading_with_what_was_before_it)
{
	for (uint16_t size = 0; size < 8; size++) {
		struct made m;
		size_t at;

		made_begin(&m, &plain, 1);
		sample(&m, 1, 2, 3, 4);
		at = m.bytes.size;
		begin_record(&m, RECORD_COMM, 0);
		poke(&m, at + 6, &size, 2);
		zeros(&m, 24);
		sample(&m, 1, 2, 3, 4);
		check_damage(&m, at, 1);
	}
}

Test(input, a_record_that_runs_past_the_data_ends_the_reading)
{
	const uint16_t sizes[] = { 48, 1000, 65528, 65535 };

	for (size_t i = 0; i < 4; i++) {
		struct made m;
		size_t at;

		made_begin(&m, &plain, 1);
		sample(&m, 1, 2, 3, 4);
		at = m.bytes.size;
		sample(&m, 1, 2, 3, 4);
		poke(&m, at + 6, &sizes[i], 2);
		check_damage(&m, at, 1);
	}
}

Test(input, half_a_record_header_ends_the_reading)
{
	for (size_t left = 1; left < 8; left++) {
		struct made m;
		size_t at;

		made_begin(&m, &plain, 1);
		sample(&m, 1, 2, 3, 4);
		at = m.bytes.size;
		bytes(&m, "\x09\0\0\0\2\0\x10\0", left);
		check_damage(&m, at, 1);
	}
}

Test(input, an_unfinished_recording_is_read_to_the_end_of_the_file)
{
	struct made m;

	made_begin(&m, &plain, 1);
	sample(&m, 1, 2, 3, 4);
	sample(&m, 1, 2, 3, 4);
	m.bytes.bytes[72] = -1; /* features that were never written */
	cr_assert_eq(made_try(&m), 0, "%s", m.ctx.error);
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->samples, 2);
	cr_assert_neq(input_recording(m.in)->damage, 0);
	made_end(&m);
}

Test(input, samples_of_all_chunks_are_all_samples_in_any_order_and_again)
{
	enum { SAMPLES = 200000 };
	struct sample_reader *r;
	uint64_t damaged = 0, sum = 0, count = 0;
	struct sample s;
	struct made m;

	made_begin(&m, &plain, 1);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		if (i % 1000 == 0) {
			begin_record(&m, RECORD_COMM, 0);
			two(&m, 1, 1);
			string(&m, "x");
			trailer(&m, 1, 1, i + 1000);
			end_record(&m);
		}
		sample(&m, i, 1, i + 1000, i);
	}
	made_open(&m);
	cr_assert_eq(pass_states(&m), SAMPLES / 1000);
	cr_assert_gt(input_chunks(m.in), 1, "8 MB are work for more than one thread");
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	for (int round = 0; round < 2; round++)
		for (size_t i = input_chunks(m.in); i-- > 0;) {
			uint64_t last = 0;

			cr_assert_eq(sample_reader_start(r, i), 0);
			while (sample_next(&m.ctx, r, &s, &damaged) == 1) {
				cr_assert(s.position > last && s.ip == s.period && s.time == s.ip + 1000);
				last = s.position;
				sum += s.ip;
				count++;
			}
		}
	cr_assert_eq(count, 2 * SAMPLES);
	cr_assert_eq(sum, (uint64_t)SAMPLES * (SAMPLES - 1));
	cr_assert_eq(damaged, 0);
	cr_assert_eq(input_recording(m.in)->first_time, 1000);
	cr_assert_eq(input_recording(m.in)->last_time, SAMPLES + 999);
	sample_reader_free(r);
	made_end(&m);
}

/* input_open() of these bytes fails with a sentence that names the file. */
static void check_refused(struct made *m, const char *why)
{
	int err = made_try(m);

	cr_assert_lt(err, 0, "%s", why);
	cr_assert(strstr(m->ctx.error, m->path), "%s: '%s'", why, m->ctx.error);
	cr_assert_null(strchr(m->ctx.error, '\n'));
	made_end(m);
}

Test(input, a_header_that_cannot_be_is_refused)
{
	const struct {
		size_t at;
		uint64_t value;
		const char *what;
	} headers[] = {
		{ 8, 0, "header of 0 bytes" },
		{ 8, UINT64_MAX, "header of all ones" },
		{ 16, 0, "attrs of 0 bytes" },
		{ 16, 79, "attrs too short" },
		{ 16, UINT64_MAX, "attrs of all ones" },
		{ 24, 1ull << 40, "attrs outside the file" },
		{ 24, UINT64_MAX - 8, "attrs whose end wraps" },
		{ 32, 0, "no attrs" },
		{ 32, 1ull << 61, "more attrs than bytes" },
		{ 32, UINT64_MAX, "attrs without end" },
		{ 40, 1ull << 61, "data outside the file" },
		{ 40, UINT64_MAX, "data at all ones" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		struct made m;

		made_begin(&m, &plain, 1);
		sample(&m, 1, 2, 3, 4);
		poke_u64(&m, DATA_SIZE_AT, m.bytes.size - m.data);
		poke_u64(&m, headers[i].at, headers[i].value);
		check_refused(&m, headers[i].what);
	}
}

Test(input, a_header_that_ends_too_early_is_refused)
{
	for (size_t size = 8; size < 256; size++) {
		struct made m;

		made_begin(&m, &plain, 1);
		m.bytes.size = size;
		check_refused(&m, "cut header");
	}
}

Test(input, ids_outside_the_file_are_no_ids)
{
	const uint64_t sizes[] = { 1ull << 40, UINT64_MAX, UINT64_MAX - 104 };

	for (size_t i = 0; i < 3; i++) {
		struct made m;
		int err;

		made_begin(&m, &plain, 1);
		sample(&m, 1, 2, 3, 4);
		poke_u64(&m, DATA_SIZE_AT, m.bytes.size - m.data);
		poke_u64(&m, m.data - 8, sizes[i]);
		err = made_try(&m);
		cr_assert(err == 0 || m.ctx.error[0], "opened, or refused with a sentence");
		made_end(&m);
	}
}

Test(input, what_cannot_be_read_yet_or_ever_is_named)
{
	const struct {
		const char *bytes;
		size_t size;
		const char *what;
	} files[] = {
		{ "PERFFILE\x68\0\0\0\0\0\0\0", 16, "version 1" },
		{ "2ELIFREP\0\0\0\0\0\0\0\x68", 16, "endian" },
		{ "PERFILE2\x10\0\0\0\0\0\0\0", 16, "pipe" },
		{ "\x28\xb5\x2f\xfd\0\0\0\0", 8, "zstd" },
		{ "\x1f\x8b\x08\0\0\0\0\0", 8, "gzip" },
		{ "\x7f" "ELF\2\1\1\0", 8, "ELF" },
		{ "\0\0\0\0", 4, "neither" },
		{ "", 0, "empty" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct made m = { 0 };

		cr_assert_eq(intern_init(&m.strings), 0);
		bytes(&m, files[i].bytes, files[i].size);
		cr_assert_lt(made_try(&m), 0);
		cr_assert(strstr(m.ctx.error, files[i].what), "'%s' does not say '%s'",
			  m.ctx.error, files[i].what);
		made_end(&m);
	}
}

Test(input, a_file_that_is_not_there_is_an_error_with_its_name)
{
	struct made m = { 0 };

	cr_assert_eq(intern_init(&m.strings), 0);
	cr_assert_eq(input_open(&m.ctx, "/nonexistent/perf.data", &m.strings, &m.in, &m.kind),
		     -ENOENT);
	cr_assert(strstr(m.ctx.error, "/nonexistent/perf.data"));
	made_end(&m);
}

Test(input, types_of_records_have_names)
{
	cr_assert_str_eq(record_name(RECORD_SAMPLE), "SAMPLE");
	cr_assert_str_eq(record_name(RECORD_MMAP2), "MMAP2");
	cr_assert_str_eq(record_name(68), "FINISHED_ROUND");
	cr_assert_null(record_name(0));
	cr_assert_null(record_name(63));
	cr_assert_null(record_name(UINT32_MAX));
}
