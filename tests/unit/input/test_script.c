#include "input/script.h"

#include "recording.h"

static const char *const texts[] = {
	/* All kinds of lines, at whose beginnings a chunk may be cut or must not. */
	"# captured on: today\n"
	"\n"
	"sh 12/13 [001] 5.000001: 3 cycles:u: \n"
	"\t            1177 inner+0x1 (inlined)\n"
	"\t            1177 outer+0x1 (/x)\n"
	"\t            2177 main+0x1 (/x)\n"
	"\n"
	"cat 12/13 [000] 5.000002: PERF_RECORD_COMM exec: cat:12/13\n"
	"cat 12/13 [000] 5.000003: 4 cycles:u: \n"
	"cat 12/14 [000] 5.000004: 5 instructions:u: 1177 outer+0x1 (/x)\n"
	"this is none\n"
	"cat 12/14 [000] 5.000005: 6 sched:sched_switch: next_comm=x\n"
	"\t            2177 main+0x1 (/x)\r\n"
	" 0x1/0x2/P/-/-/0\n"
	"\n"
	"\t            2177 lost (/x)\n"
	"cat 12/14 [000] 5.000006: 7 cycles:u: \n"
	"\t            9177 [unknown] (/y)\n",
	/* Without times it is the place that counts. */
	"sh 3 \n"
	"\t            1177 outer\n"
	"\t           2724a main\n"
	"\n"
	"dd 4 \n"
	"\t           2724a main",
};

/* What all samples of all chunks are, in their order; @chunks is how many these were. */
static void tell_samples(struct made *m, uint64_t chunk, struct text *ret, size_t *chunks)
{
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;

	input_set_chunk(m->in, chunk);
	pass_states(m);
	*chunks = input_chunks(m->in);
	cr_assert_eq(sample_reader_new(&m->ctx, m->in, &r), 0);
	for (size_t i = 0; i < *chunks; i++) {
		cr_assert_eq(sample_reader_start(&m->ctx, r, i), 0);
		while (sample_next(&m->ctx, r, &s, &damaged) == 1) {
			text_printf(ret, "%d %d/%d %d %llu %llu %llu:", (int)s.event,
				    (int)s.pid, (int)s.tid, (int)s.cpu,
				    (unsigned long long)s.time,
				    (unsigned long long)s.period,
				    (unsigned long long)s.position);
			for (uint32_t k = 0; k < s.printed_count; k++)
				text_printf(ret, " %s",
					    intern_text(&m->strings, s.printed[k]));
			text_string(ret, "\n");
		}
	}
	cr_assert_eq(damaged, 0);
	sample_reader_free(r);
}

Test(script, chunks_of_any_size_have_the_same_samples)
{
	static const size_t samples[] = { 5, 2 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct text whole = { 0 };

		/* Blocks are kept for the second pass, or, where memory has no room for them, parsed
		 * again. */
		for (uint64_t run = 2 * strlen(texts[i]); run > 1; run--) {
			uint64_t chunk = run / 2;
			struct text told = { 0 };
			struct made m = { 0 };
			struct budget budget;
			size_t chunks;

			budget_init(&budget, run % 2 ? 1 << 19 : UINT64_MAX);
			m.ctx.budget = &budget;

			cr_assert_eq(intern_init(&m.strings), 0);
			text_string(&m.bytes, texts[i]);
			cr_assert_eq(made_try(&m), 0, "%s", m.ctx.error);
			tell_samples(&m, chunk, &told, &chunks);
			if (!whole.size)
				text_add(&whole, told.bytes, told.size);
			cr_assert_str_eq(told.bytes, whole.bytes, "in chunks of %d bytes",
					 (int)chunk);
			cr_assert(chunk > 1 || chunks == samples[i], "%zu", chunks);
			text_release(&told);
			made_end(&m);
			budget_release(&budget);
		}
		text_release(&whole);
	}
}

Test(script, logs_with_times_are_no_recordings)
{
	static const struct {
		const char *text;
		bool is, timed;
	} rows[] = {
		{ "x 3 7.814408: cycles: \n", true, true },
		{ "x 7.814408: sched:sched_switch: a=b\n", true, true },
		{ "x 3 7.814408: PERF_RECORD_MMAP2 3/3: [0x1(0x2) @ 0]: r-xp /x\n", true,
		  true },
		{ "x 7.814408: cycles: \n\t  1177 f\n", true, true },
		{ "x 7.814408:  1177 f (/x)\n", true, true },
		{ "x 3 \n\t  1177 f\n", true, false },
		{ "x cycles: \n1177 f (/x)\n", true, false },
		{ "x 7.814408: cycles: \n", false, false },
		{ "x 7.814408: warning: no\nx 7.9: error: no\n", false, false },
		{ "GET /a 1.234567: b\n", false, false },
		{ "x 3 \n\tat f\n", false, false },
		{ "GET /a 3 7.814408: b;c: 5\n", false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool timed,
			is = script_begins(rows[i].text, strlen(rows[i].text), &timed);

		cr_assert_eq(is, rows[i].is, "%s", rows[i].text);
		cr_assert(!is || timed == rows[i].timed, "%s", rows[i].text);
	}
}
