#include "recording.h"

Test(perf_attr, the_id_says_of_which_event_a_sample_is)
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
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(&m, 22);
	u64(&m, 0x2222);
	u64(&m, 100);
	u64(&m, 7);
	end_record(&m);
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(&m, 11);
	u64(&m, 0x1111);
	u64(&m, 3);
	end_record(&m);
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(&m, 33);
	zeros(&m, 24);
	end_record(&m);
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->events.v[0].samples, 1);
	cr_assert_eq(input_recording(m.in)->events.v[1].samples, 1);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	cr_assert_eq(sample_reader_start(&m.ctx, r, 0), 0);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
	cr_assert(s.event == 1 && s.ip == 0x2222 && s.time == 100 && s.period == 7);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
	cr_assert(s.event == 0 && s.ip == 0x1111 && s.period == 3);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 0);
	cr_assert_eq(damaged, 1, "an id that no event has, and layouts that differ");
	sample_reader_free(r);
	made_end(&m);
}

Test(perf_attr, without_an_identifier_the_id_at_the_same_place_says_it)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IP | ST_TID | ST_ID, .id = 11 },
		{ .sample_type = ST_IP | ST_TID | ST_ID | ST_PERIOD, .id = 22 },
	};
	struct made m;
	struct sample s;

	made_begin(&m, attrs, 2);
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
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

Test(perf_attr, an_unknown_id_is_of_the_first_event_where_all_are_alike)
{
	const struct attr attrs[] = {
		{ .sample_type = ST_IDENTIFIER | ST_IP, .id = 11 },
		{ .sample_type = ST_IDENTIFIER | ST_IP, .id = 22 },
	};
	struct made m;
	struct sample s;

	made_begin(&m, attrs, 2);
	begin_record(&m, PERF_RECORD_SAMPLE, MODE_USER);
	u64(&m, 33);
	u64(&m, 0x1234);
	end_record(&m);
	made_open(&m);
	s = only_sample(&m);
	cr_assert(s.event == 0 && s.ip == 0x1234);
	made_end(&m);
}
