#include "recording.h"

Test(perf_file, attrs_of_every_size_are_read)
{
	const size_t sizes[] = {
		64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152, 1000
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct made m;
		struct sample s;

		made_begin_sized(&m, &plain, 1, sizes[i]);
		sample(&m, 0x1234, 2, 3, 4);
		made_open(&m);
		s = only_sample(&m);
		cr_assert(s.ip == 0x1234 && s.period == 4, "attrs of %zu bytes",
			  sizes[i]);
		made_end(&m);
	}
}

Test(perf_file, events_that_were_not_named_get_perfs_name)
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
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->events.count, 4);
	for (size_t i = 0; i < 4; i++)
		cr_assert_str_eq(text(&m, input_recording(m.in)->events.v[i].name),
				 names[i]);
	made_end(&m);
}

Test(perf_file, an_unfinished_recording_is_read_to_the_end_of_the_file)
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

/* input_open() of these bytes fails with a sentence that names the file. */
static void check_refused(struct made *m, const char *why)
{
	int err = made_try(m);

	cr_assert_lt(err, 0, "%s", why);
	cr_assert(strstr(m->ctx.error, m->path), "%s: '%s'", why, m->ctx.error);
	cr_assert_null(strchr(m->ctx.error, '\n'));
	made_end(m);
}

Test(perf_file, a_header_that_cannot_be_is_refused)
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

Test(perf_file, a_header_that_ends_too_early_is_refused)
{
	for (size_t size = 8; size < 256; size++) {
		struct made m;

		made_begin(&m, &plain, 1);
		m.bytes.size = size;
		check_refused(&m, "cut header");
	}
}

Test(perf_file, ids_outside_the_file_are_no_ids)
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
		cr_assert(err == 0 || m.ctx.error[0],
			  "opened, or refused with a sentence");
		made_end(&m);
	}
}

Test(perf_file, a_header_of_the_first_versions_has_no_features)
{
	struct made m;

	made_begin(&m, &plain, 1);
	sample(&m, 1, 2, 3, 4);
	poke_u64(&m, 8, 72);
	memset(m.bytes.bytes + 72, 0xff, 32); /* bytes of something else */
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->samples, 1);
	cr_assert_eq(input_recording(m.in)->host, 0);
	cr_assert_eq(input_recording(m.in)->damage, 0);
	made_end(&m);
}
