#include "recording.h"

Test(perf_sample, a_sample_without_a_time_sees_what_stands_before_it)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TID | ST_TIME,
		  .flags = FLAG_SAMPLE_ID_ALL,
		  .id = 1 },
		{ .sample_type = ST_IDENTIFIER | ST_IP | ST_TID,
		  .flags = FLAG_SAMPLE_ID_ALL,
		  .id = 2 },
	};
	struct made m;
	uint64_t time;

	made_begin(&m, attrs, 2);
	begin_record(&m, PERF_RECORD_COMM, 0);
	two(&m, 5, 6);
	string(&m, "x");
	two(&m, 5, 6);
	u64(&m, 100);
	u64(&m, 1);
	end_record(&m);
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(&m, 2);
	u64(&m, 0x1234);
	two(&m, 5, 6);
	end_record(&m);
	made_open(&m);
	time = only_sample(&m).time;
	cr_assert(time == 100 || time == 101);
	made_end(&m);
}

Test(perf_sample, every_field_of_a_sample_is_found_whatever_stands_before_it)
{
	/* In the order of the record. */
	const uint32_t fixed[] = { ST_IDENTIFIER, ST_IP,	ST_TID, ST_TIME,  ST_ADDR,
				   ST_ID,	  ST_STREAM_ID, ST_CPU, ST_PERIOD };

	for (uint32_t mask = 0; mask < 1 << 9; mask++) {
		struct attr a = { .period = 555, .sample_type = ST_CALLCHAIN };
		struct made m;
		struct sample s;

		for (int i = 0; i < 9; i++)
			a.sample_type |= mask >> i & 1 ? fixed[i] : 0;
		made_begin(&m, &a, 1);
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_KERNEL);
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

Test(perf_sample, the_chain_is_found_behind_counts_of_every_format)
{
	for (uint64_t format = 0; format < 32; format++) {
		const struct attr a = { .sample_type = ST_IP | ST_READ | ST_CALLCHAIN,
					.read_format = format };
		bool group = format & 8;
		struct made m;
		struct sample s;

		made_begin(&m, &a, 1);
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		u64(&m, 0x1234);
		u64(&m, group ? 3 : 1000);
		zeros(&m, 8 * ((format & 1) + (format >> 1 & 1)));
		for (int i = 0; i < (group ? 3 : 1); i++)
			zeros(&m, 8 * ((group ? 1 : 0) + (format >> 2 & 1) +
				       (format >> 4 & 1)));
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

Test(perf_sample, a_stack_dump_is_noticed_behind_everything_before_it)
{
	const struct attr a = { .sample_type = ST_IP | ST_CALLCHAIN | ST_RAW |
					       ST_BRANCH_STACK | ST_REGS_USER |
					       ST_STACK_USER,
				.branch = 1 << 17,
				.regs_user = 0xff };

	for (int dumped = 0; dumped < 2; dumped++)
		for (int regs = 0; regs < 2; regs++) {
			struct made m;
			struct sample s;

			made_begin(&m, &a, 1);
			begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
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
	cr_assert_eq(sample_reader_start(&m->ctx, r, 0), 0);
	while (sample_next(&m->ctx, r, &s, &damaged) == 1)
		;
	sample_reader_free(r);
	made_end(m);
	return damaged;
}

Test(perf_sample, a_sample_that_is_shorter_than_its_event_says_is_damaged)
{
	const struct attr a = { .sample_type = ST_IP | ST_TID | ST_CALLCHAIN };

	for (size_t size = 0; size < 24; size += 8) {
		struct made m;

		made_begin(&m, &a, 1);
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		zeros(&m, size);
		cr_assert_eq(damaged_by(&m), 1, "%zu bytes", size);
	}
}

Test(perf_sample, a_count_larger_than_its_record_is_damaged)
{
	const uint64_t counts[] = {
		3, 100, 1ull << 29, 1ull << 32, 1ull << 61, UINT64_MAX
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const struct attr chain = { .sample_type = ST_CALLCHAIN };
		const struct attr group = { .sample_type = ST_READ | ST_CALLCHAIN,
					    .read_format = 8 | 4 };
		struct made m;

		made_begin(&m, &chain, 1);
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		u64(&m, counts[i]);
		zeros(&m, 16);
		cr_assert_eq(damaged_by(&m), 1);
		made_begin(&m, &group, 1);
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		u64(&m, counts[i]);
		zeros(&m, 32);
		cr_assert_eq(damaged_by(&m), 1);
	}
}

Test(perf_sample, a_damaged_sample_does_not_hide_the_next)
{
	const struct attr a = { .sample_type = ST_IP | ST_CALLCHAIN };
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;
	struct made m;

	made_begin(&m, &a, 1);
	for (uint64_t i = 0; i < 3; i++) {
		begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
		u64(&m, i);
		u64(&m, i == 1 ? 99 : 0);
		end_record(&m);
	}
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	cr_assert_eq(sample_reader_start(&m.ctx, r, 0), 0);
	cr_assert(sample_next(&m.ctx, r, &s, &damaged) == 1 && s.ip == 0);
	cr_assert(sample_next(&m.ctx, r, &s, &damaged) == 1 && s.ip == 2);
	cr_assert_eq(damaged, 1);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 0);
	sample_reader_free(r);
	made_end(&m);
}
