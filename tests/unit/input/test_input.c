#include "input/input.h"

#include <errno.h>
#include <stdio.h>

#include "recording.h"

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

Test(input, every_chunk_is_announced_before_its_samples_count)
{
	struct record r;
	struct made m;

	made_begin(&m, &plain, 1);
	sample(&m, 1, 2, 3, 4);
	made_open(&m);
	cr_assert_eq(state_next(&m.ctx, m.in, &r), 1,
		     "nothing changes, but something happens");
	cr_assert_eq(r.type, RECORD_NONE);
	cr_assert_eq(state_next(&m.ctx, m.in, &r), 0);
	made_end(&m);
}

Test(input, records_of_no_interest_and_no_known_type_are_passed_over_and_counted)
{
	const uint32_t types[] = {
		2,  5,	6,  8,	11, 12, 13, 14,	 15,  20,    21,
		22, 23, 68, 69, 70, 72, 73, 74,	 75,  76,    77,
		78, 79, 82, 84, 85, 86, 99, 127, 128, 32769, UINT32_MAX
	};
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
	cr_assert_eq(rec->by_type[PERF_RECORD_SAMPLE], count);
	cr_assert_geq(rec->unknown, 5, "99, 127, 128, 32769 and the largest at least");
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
		begin_record(&m, PERF_RECORD_COMM, 0);
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
			begin_record(&m, PERF_RECORD_COMM, 0);
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

			cr_assert_eq(sample_reader_start(&m.ctx, r, i), 0);
			while (sample_next(&m.ctx, r, &s, &damaged) == 1) {
				cr_assert(s.position > last && s.ip == s.period &&
					  s.time == s.ip + 1000);
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

Test(input, what_cannot_be_read_is_named)
{
	const struct {
		const char *bytes;
		size_t size;
		const char *what;
	} files[] = {
		{ "PERFFILE\x68\0\0\0\0\0\0\0", 16, "header" },
		{ "2ELIFREP\0\0\0\0\0\0\0\x68", 16, "header" },
		{ "PERFILE2\x11\0\0\0\0\0\0\0", 16, "header of 17 bytes" },
		{ "\x28\xb5\x2f\xfd\0\0\0\0", 8, "packed data" },
		{ "\x1f\x8b\x08\0\0\0\0\0", 8, "packed data" },
		{ "\x7f"
		  "ELF\2\1\1\0",
		  8, "ELF" },
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
	cr_assert_eq(
		input_open(&m.ctx, "/nonexistent/perf.data", &m.strings, &m.in, &m.kind),
		-ENOENT);
	cr_assert(strstr(m.ctx.error, "/nonexistent/perf.data"));
	made_end(&m);
}

/* Makes @name in @directory, of @size bytes; what input_is_recording() says of it. */
static bool is_recording(const char *directory, const char *name, const char *bytes,
			 size_t size)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "w");
	cr_assert(f && fwrite(bytes, 1, size, f) == size);
	fclose(f);
	return input_is_recording(path);
}

Test(input, recordings_are_told_by_their_first_bytes_and_streams_by_their_directory)
{
	static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03"
				     "\x0b\x70\x0d\x72\xf3\xf4\x71\x35\x02\0"
				     "\xb7\xfb\x87\x6a\x08\0\0\0";
	char directory[] = "/tmp/ff-recordings-XXXXXX", command[64];

	cr_assert(mkdtemp(directory));
	cr_assert_not(is_recording(directory, "data.0", "\t\0\0\0", 4));
	cr_assert_not(input_is_recording(directory));
	cr_assert(is_recording(directory, "data", "PERFILE2", 8));
	cr_assert(input_is_recording(directory));
	cr_assert(is_recording(directory, "data.0", "\t\0\0\0", 4));
	cr_assert(is_recording(directory, "x.svg", "2ELIFREP....", 12));
	cr_assert(is_recording(directory, "old", "PERFFILE", 8));
	cr_assert(is_recording(directory, "packed", packed, sizeof(packed) - 1));
	cr_assert_not(is_recording(directory, "data.svg", "<svg>", 5));
	cr_assert_not(is_recording(directory, "data.", "x", 1));
	cr_assert_not(is_recording(directory, "short", "PERFILE", 7));
	cr_assert_not(is_recording(directory, "elf",
				   "\x7f"
				   "ELF",
				   4));
	cr_assert_not(is_recording(directory, "empty", "", 0));
	cr_assert_not(input_is_recording("/dev/null"));
	cr_assert_not(input_is_recording("/nowhere"));
	snprintf(command, sizeof(command), "rm -r %s", directory);
	cr_assert_eq(system(command), 0);
}

Test(input, types_of_records_have_names)
{
	cr_assert_str_eq(record_name(PERF_RECORD_SAMPLE), "SAMPLE");
	cr_assert_str_eq(record_name(PERF_RECORD_MMAP2), "MMAP2");
	cr_assert_str_eq(record_name(68), "FINISHED_ROUND");
	cr_assert_null(record_name(0));
	cr_assert_null(record_name(63));
	cr_assert_null(record_name(UINT32_MAX));
}

/* A made pipe: 16 bytes of header, an attr as a record. */
static void made_pipe(struct made *m, const struct attr *a)
{
	memset(m, 0, sizeof(*m));
	m->attr_size = 128;
	cr_assert_eq(intern_init(&m->strings), 0);
	bytes(m, "PERFILE2", 8);
	u64(m, 16);
	begin_record(m, 64, 0);
	put_attr(m, a);
	end_record(m);
}

Test(input, a_pipe_in_a_file_is_read_twice)
{
	struct made m;

	made_pipe(&m, &plain);
	sample(&m, 0x1234, 2, 3, 4);
	cr_assert_eq(made_try(&m), 0, "%s", m.ctx.error);
	cr_assert_not(input_is_stream(m.in));
	cr_assert_eq(only_sample(&m).ip, 0x1234);
	made_end(&m);
}

static void next_item(struct made *m, enum stream_item_kind kind, uint64_t time)
{
	struct stream_item item;

	cr_assert_eq(input_next(&m->ctx, m->in, &item), 1, "%s", m->ctx.error);
	cr_assert_eq(item.kind, kind);
	cr_assert(kind == ITEM_ROUND || item.time == time);
}

Test(input, a_pipe_says_what_comes_and_where_its_rounds_end)
{
	struct stream_item none;
	struct made m;
	int ends[2];

	made_pipe(&m, &plain);
	begin_record(&m, PERF_RECORD_COMM, 0);
	two(&m, 7, 7);
	string(&m, "x");
	trailer(&m, 7, 7, 5);
	end_record(&m);
	sample(&m, 0x1234, 2, 3, 4);
	begin_record(&m, 68, 0);
	end_record(&m);
	sample(&m, 0x1234, 2, 9, 4);
	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], m.bytes.bytes, m.bytes.size), (ssize_t)m.bytes.size);
	close(ends[1]);
	snprintf(m.path, sizeof(m.path), "/dev/fd/%d", ends[0]);
	cr_assert_eq(input_open(&m.ctx, m.path, &m.strings, &m.in, &m.kind), 0);
	m.path[0] = '\0';
	cr_assert(input_is_stream(m.in));
	next_item(&m, ITEM_STATE, 5);
	next_item(&m, ITEM_SAMPLE, 3);
	next_item(&m, ITEM_ROUND, 0);
	next_item(&m, ITEM_SAMPLE, 9);
	cr_assert_eq(input_next(&m.ctx, m.in, &none), 0);
	cr_assert_eq(input_recording(m.in)->samples, 2);
	close(ends[0]);
	made_end(&m);
}

Test(input, compressed_records_can_be_read_again)
{
	/* One frame, not packed: "a COMM record, a sample". */
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20 };
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;
	struct made m;

	made_begin(&m, &plain, 1);
	begin_record(&m, 81, 0);
	bytes(&m, head, sizeof(head));
	bytes(&m, "\x28\x41\x01\0", 4); /* 40 bytes; the last block, raw, of 40 */
	two(&m, PERF_RECORD_SAMPLE, 40 << 16);
	u64(&m, 0x1234);
	two(&m, 1, 1);
	u64(&m, 5);
	u64(&m, 6);
	end_record(&m);
	made_open(&m);
	pass_states(&m);
	cr_assert_eq(input_recording(m.in)->damage, 0);
	cr_assert_eq(input_recording(m.in)->samples, 1);
	cr_assert_eq(input_chunks(m.in), 1);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(sample_reader_start(&m.ctx, r, 0), 0);
		cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
		cr_assert(s.ip == 0x1234 && s.time == 5 && s.period == 6);
	}
	sample_reader_free(r);
	made_end(&m);
}
