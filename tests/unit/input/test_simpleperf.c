#include "unit/input/recording.h"

/* What simpleperf adds to perf.data. */
enum {
	FILES = 128,
	META_INFO = 129,
	FILES2 = 132,
	KERNEL_SYMBOL = 32769,
	DSO,
	SYMBOL,
	SPLIT,
	SPLIT_END,
	EVENT_ID,
	CALLCHAIN,
	KIND_ELF = 2,
	FEATURES_AT = 72,
};
#define MARK_USER ((uint64_t)-512)
#define MARK_KERNEL ((uint64_t)-128)

static const struct attr chained = { .sample_type =
					     ST_IP | ST_TID | ST_TIME | ST_CALLCHAIN,
				     .flags = FLAG_SAMPLE_ID_ALL };

/* Ends the data; what is written next is that feature, the only one. */
static size_t begin_feature(struct made *m, unsigned bit)
{
	poke_u64(m, DATA_SIZE_AT, m->bytes.size - m->data);
	poke_u64(m, FEATURES_AT + 8 * (bit / 64), 1ull << bit % 64);
	u64(m, m->bytes.size + 16);
	u64(m, 0);
	return m->bytes.size;
}

static void open_with_feature(struct made *m, size_t start)
{
	poke_u64(m, start - 8, m->bytes.size - start);
	cr_assert_eq(made_try(m), 0, "%s", m->ctx.error);
	pass_states(m);
}

/* With its NUL, not padded. */
static void name(struct made *m, const char *text)
{
	bytes(m, text, strlen(text) + 1);
}

static const struct recording *of(const struct made *m)
{
	return input_recording(m->in);
}

static void begin_recording(struct made *m, const struct attr *attr)
{
	made_begin(m, attr, 1);
	begin_record(m, PERF_RECORD_MMAP, MODE_USER);
	two(m, 7, 7);
	u64(m, 0x10000);
	u64(m, 0x1000);
	u64(m, 0x3000);
	string(m, "/lib/a.so");
	trailer(m, 7, 7, 1);
	end_record(m);
}

static void meta(struct made *m, const char *const *words, size_t count)
{
	size_t start;

	begin_recording(m, &chained);
	start = begin_feature(m, META_INFO);
	for (size_t i = 0; i < count; i++)
		name(m, words[i]);
	open_with_feature(m, start);
}

Test(simpleperf, meta_info_says_who_recorded_and_what)
{
	static const char *const words[] = {
		"simpleperf_version", "1.build.7",
		"event_type_info",    "cpu-cycles,0,0",
		"product_props",      "Maker:Eight:e",
		"android_version",    "11",
		"kernel_version",     "5.10.1-a",
	};
	struct made m;

	meta(&m, words, 10);
	cr_assert(of(&m)->simpleperf);
	cr_assert_str_eq(text(&m, of(&m)->recorder), "simpleperf 1.build.7");
	cr_assert_str_eq(text(&m, of(&m)->events.v[0].name), "cpu-cycles");
	cr_assert_str_eq(text(&m, of(&m)->host), "Maker Eight (e), Android 11");
	cr_assert_str_eq(text(&m, of(&m)->kernel), "5.10.1-a");
	made_end(&m);
}

Test(simpleperf, meta_info_names_events_by_type_and_config)
{
	static const char *const words[] = { "event_type_info",
					     "a,b,2,9\ncpu-clock,1,0\nno line\nx,0,0" };
	struct made m;

	meta(&m, words, 2);
	cr_assert_str_eq(text(&m, of(&m)->events.v[0].name), "x");
	made_end(&m);
}

Test(simpleperf, meta_info_that_ends_anywhere_is_read_so_far)
{
	static const char *const words[] = { "android_version", "11", "product_props" };
	struct made m;

	meta(&m, words, 3);
	cr_assert_str_eq(text(&m, of(&m)->host), "Android 11");
	made_end(&m);
}

static void file_head(struct made *m, const char *path, uint32_t kind, uint64_t address,
		      uint32_t count)
{
	name(m, path);
	u32(m, kind);
	u64(m, address);
	u32(m, count);
}

static void file_symbol(struct made *m, uint64_t start, uint32_t size, const char *text)
{
	u64(m, start);
	u32(m, size);
	name(m, text);
}

static void end_sized(struct made *m, size_t at)
{
	uint32_t size = (uint32_t)(m->bytes.size - at - 4);

	poke(m, at, &size, sizeof(size));
}

static void check_symbol(const struct made *m, size_t i, uint64_t start, uint64_t size,
			 const char *name)
{
	const struct recorded_symbol *s = &of(m)->symbols.v[i];

	cr_assert_eq(s->start, start);
	cr_assert_eq(s->size, size);
	cr_assert_str_eq(text(m, s->name), name);
}

Test(simpleperf, files_have_symbols_and_an_offset)
{
	struct made m;
	size_t start, file;

	begin_recording(&m, &chained);
	start = begin_feature(&m, FILES);
	file = m.bytes.size;
	u32(&m, 0);
	file_head(&m, "/lib/b.so", KIND_ELF, 0x5000, 3);
	file_symbol(&m, 0x5010, 16, "one");
	file_symbol(&m, 0x5020, 0, "covers_nothing");
	file_symbol(&m, 0x5030, 8, "two");
	u64(&m, 0x4000);
	end_sized(&m, file);
	open_with_feature(&m, start);
	cr_assert_eq(of(&m)->files.count, 1);
	cr_assert_eq(of(&m)->files.v[0].address, 0x5000);
	cr_assert_eq(of(&m)->files.v[0].offset, 0x4000);
	cr_assert_eq(of(&m)->symbols.count, 2);
	check_symbol(&m, 0, 0x5010, 16, "one");
	check_symbol(&m, 1, 0x5030, 8, "two");
	made_end(&m);
}

static uint64_t guessed_offset(uint64_t address)
{
	struct made m;
	size_t start, file;
	uint64_t offset;

	begin_recording(&m, &chained);
	start = begin_feature(&m, FILES);
	file = m.bytes.size;
	u32(&m, 0);
	file_head(&m, "/lib/a.so", KIND_ELF, address, 0);
	end_sized(&m, file);
	open_with_feature(&m, start);
	offset = of(&m)->files.v[0].offset;
	made_end(&m);
	return offset;
}

Test(simpleperf, files_without_an_offset_begin_with_their_map)
{
	cr_assert_eq(guessed_offset(0x3000), 0x3000);
	cr_assert_eq(guessed_offset(0x7000), 0x3000);
}

Test(simpleperf, files_that_claim_more_than_there_is_are_cut_short)
{
	struct made m;
	size_t start, file;

	begin_recording(&m, &chained);
	start = begin_feature(&m, FILES);
	file = m.bytes.size;
	u32(&m, 0);
	file_head(&m, "/lib/b.so", KIND_ELF, 0, UINT32_MAX);
	file_symbol(&m, 0x10, 16, "one");
	bytes(&m, "\1\2\3", 3);
	end_sized(&m, file);
	u32(&m, UINT32_MAX);
	open_with_feature(&m, start);
	cr_assert_eq(of(&m)->symbols.count, 1);
	made_end(&m);
}

/* Everything before its end gives no more than the whole. */
Test(simpleperf, files_cut_anywhere_are_read_so_far)
{
	for (size_t cut = 0; cut < 60; cut++) {
		struct made m;
		size_t start, file;

		begin_recording(&m, &chained);
		start = begin_feature(&m, FILES);
		file = m.bytes.size;
		u32(&m, 0);
		file_head(&m, "/b", KIND_ELF, 0x5000, 2);
		file_symbol(&m, 0x10, 16, "one");
		file_symbol(&m, 0x20, 16, "two");
		u64(&m, 0);
		end_sized(&m, file);
		if (m.bytes.size > file + cut)
			m.bytes.size = file + cut;
		open_with_feature(&m, start);
		cr_assert_leq(of(&m)->symbols.count, 2);
		made_end(&m);
	}
}

/* "path: /b, kind: 2, symbol: {...}, elf: {offset: 0x1000}", fields as protobuf has them,
 * one unknown among them. */
static const char message[] = "\x0a\x02/b\x10\x02\x18\x80\x60"
			      "\x22\x0b\x08\x90\x60\x10\x20\x1a\x04main"
			      "\x32\x03\x08\x80\x20"
			      "\x7a\x01?";

static void open_message(struct made *m, const char *p, size_t size)
{
	size_t start;

	begin_recording(m, &chained);
	start = begin_feature(m, FILES2);
	u32(m, (uint32_t)size);
	bytes(m, p, size);
	open_with_feature(m, start);
}

Test(simpleperf, files_are_protobuf_in_newer_recordings)
{
	struct made m;

	open_message(&m, message, sizeof(message) - 1);
	cr_assert_eq(of(&m)->files.count, 1);
	cr_assert_str_eq(text(&m, of(&m)->files.v[0].path), "/b");
	cr_assert_eq(of(&m)->files.v[0].kind, RECORDED_ELF);
	cr_assert_eq(of(&m)->files.v[0].address, 0x3000);
	cr_assert_eq(of(&m)->files.v[0].offset, 0x1000);
	cr_assert_eq(of(&m)->symbols.count, 1);
	check_symbol(&m, 0, 0x3010, 0x20, "main");
	made_end(&m);
}

Test(simpleperf, protobuf_cut_anywhere_is_read_so_far)
{
	for (size_t size = 0; size < sizeof(message); size++) {
		struct made m;

		open_message(&m, message, size);
		cr_assert_leq(of(&m)->symbols.count, 1);
		made_end(&m);
	}
}

Test(simpleperf, protobuf_of_nonsense_is_nothing)
{
	static const char *const nonsense[] = {
		"\x0b\x0b\x0b", /* groups, that nobody uses */
		"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", /* no end */
		"\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", /* 2^64 bytes */
		"\x21\x01", /* half of a number of 8 bytes */
	};

	for (size_t i = 0; i < 4; i++) {
		struct made m;

		open_message(&m, nonsense[i], strlen(nonsense[i]));
		cr_assert_eq(of(&m)->symbols.count, 0);
		made_end(&m);
	}
}

static void open_and_pass(struct made *m)
{
	made_open(m);
	pass_states(m);
}

static void kernel_symbols(struct made *m, const char *lines)
{
	size_t size = strlen(lines);

	u32(m, (uint32_t)size);
	bytes(m, lines, size);
	zeros(m, -size & 7);
}

static const char kallsyms[] = "0000000000000010 T one\n0000000000000020 d data\n"
			       "0000000000000000 T hidden\n"
			       "0000000000000030 t two\t[mod]\nnonsense\n"
			       "0000000000000040 t $x\n0000000000000050 W three";

static void check_kallsyms(const struct made *m)
{
	cr_assert_eq(of(m)->files.count, 1);
	cr_assert_eq(of(m)->files.v[0].kind, RECORDED_KERNEL);
	cr_assert_eq(of(m)->symbols.count, 3);
	check_symbol(m, 0, 0x10, RECORDED_SIZELESS, "one");
	check_symbol(m, 1, 0x30, RECORDED_SIZELESS, "two");
	check_symbol(m, 2, 0x50, RECORDED_SIZELESS, "three");
}

Test(simpleperf, kernel_symbols_came_as_the_text_of_kallsyms)
{
	struct made m;

	begin_recording(&m, &chained);
	begin_record(&m, KERNEL_SYMBOL, 0);
	kernel_symbols(&m, kallsyms);
	end_record(&m);
	open_and_pass(&m);
	check_kallsyms(&m);
	made_end(&m);
}

/* A record of its own, in pieces of 100 bytes. */
static void split(struct made *m, const struct text *whole)
{
	for (size_t at = 0; at < whole->size; at += 100) {
		size_t left = whole->size - at;

		begin_record(m, SPLIT, 0);
		bytes(m, whole->bytes + at, left < 100 ? left : 100);
		end_record(m);
	}
	begin_record(m, SPLIT_END, 0);
	end_record(m);
}

/* @wrong is added to the size that the whole says it has. */
static void open_split(struct made *m, int wrong)
{
	struct made whole = { 0 };
	uint16_t halves[2];

	u32(&whole, KERNEL_SYMBOL);
	u32(&whole, 0);
	u32(&whole, 1 << 17);
	bytes(&whole, kallsyms, sizeof(kallsyms) - 1);
	while (whole.bytes.size < 12 + (1 << 17))
		text_char(&whole.bytes, '\n');
	halves[0] = (uint16_t)(whole.bytes.size >> 16);
	halves[1] = (uint16_t)(whole.bytes.size + (size_t)wrong);
	poke(&whole, 4, halves, 4);
	begin_recording(m, &chained);
	split(m, &whole.bytes);
	open_and_pass(m);
	text_release(&whole.bytes);
}

Test(simpleperf, large_records_come_in_pieces)
{
	struct made m;

	open_split(&m, 0);
	check_kallsyms(&m);
	made_end(&m);
}

Test(simpleperf, pieces_that_do_not_make_a_record_are_counted)
{
	struct made m;

	open_split(&m, 8);
	cr_assert_eq(of(&m)->files.count, 0);
	cr_assert_eq(of(&m)->unknown, 1);
	made_end(&m);
}

Test(simpleperf, an_end_without_pieces_is_counted)
{
	struct made m;

	begin_recording(&m, &chained);
	begin_record(&m, SPLIT_END, 0);
	end_record(&m);
	open_and_pass(&m);
	cr_assert_eq(of(&m)->unknown, 1);
	made_end(&m);
}

Test(simpleperf, symbols_came_as_records_once)
{
	struct made m;

	begin_recording(&m, &chained);
	begin_record(&m, DSO, 0);
	u64(&m, KIND_ELF);
	u64(&m, 42);
	u64(&m, 0x3000);
	string(&m, "/lib/a.so");
	end_record(&m);
	for (uint64_t dso = 42; dso < 44; dso++) {
		begin_record(&m, SYMBOL, 0);
		u64(&m, 0x3010);
		u64(&m, 32);
		u64(&m, dso);
		string(&m, "main");
		end_record(&m);
	}
	open_and_pass(&m);
	cr_assert_eq(of(&m)->files.count, 1);
	cr_assert_eq(of(&m)->files.v[0].offset, 0x3000);
	cr_assert_eq(of(&m)->symbols.count, 1);
	check_symbol(&m, 0, 0x3010, 32, "main");
	made_end(&m);
}

Test(simpleperf, short_records_are_counted)
{
	struct made m;

	begin_recording(&m, &chained);
	for (uint32_t type = KERNEL_SYMBOL; type <= SYMBOL; type++) {
		begin_record(&m, type, 0);
		u32(&m, UINT32_MAX);
		end_record(&m);
	}
	open_and_pass(&m);
	cr_assert_eq(of(&m)->unknown, 3);
	cr_assert_eq(of(&m)->files.count, 0);
	made_end(&m);
}

Test(simpleperf, events_get_ids_while_it_records)
{
	struct made m;

	begin_recording(&m, &chained);
	begin_record(&m, EVENT_ID, 0);
	u64(&m, UINT64_MAX);
	u64(&m, 0);
	u64(&m, 900);
	u64(&m, 5); /* no such event */
	u64(&m, 901);
	end_record(&m);
	open_and_pass(&m);
	cr_assert_eq(input_event_of_id(m.in, 900), 0);
	cr_assert_eq(input_event_of_id(m.in, 901), -1);
	made_end(&m);
}

static void chain_record(struct made *m, uint32_t tid, uint64_t kind, uint64_t time,
			 uint64_t leaf)
{
	begin_record(m, CALLCHAIN, 0);
	two(m, 7, tid);
	u64(m, kind);
	u64(m, time);
	u64(m, 2);
	u64(m, leaf);
	u64(m, leaf + 0x100);
	u64(m, 0);
	u64(m, 0);
	end_record(m);
}

static void chained_sample(struct made *m, uint16_t mode, const uint64_t *chain,
			   size_t count)
{
	begin_record(m, PERF_RECORD_SAMPLE, mode);
	u64(m, 0x10);
	two(m, 7, 8);
	u64(m, 55);
	u64(m, count);
	for (size_t i = 0; i < count; i++)
		u64(m, chain[i]);
	end_record(m);
}

Test(simpleperf, chains_of_their_own_are_those_of_samples_without)
{
	static const uint64_t kernel[] = { MARK_KERNEL, 0xffff800000000010 };
	struct sample s;
	struct made m;

	begin_recording(&m, &chained);
	chain_record(&m, 8, 0, 55, 0x2000);
	chain_record(&m, 8, 2, 55, 0x1000); /* joined: the better one */
	chain_record(&m, 9, 2, 55, 0x3000);
	chain_record(&m, 8, 2, 56, 0x4000);
	chained_sample(&m, MODE_KERNEL, kernel, 2);
	made_open(&m);
	s = only_sample(&m);
	cr_assert_eq(s.chain_count, 5);
	cr_assert_eq(sample_chain(&s, 1), kernel[1]);
	cr_assert_eq(sample_chain(&s, 2), MARK_USER);
	cr_assert_eq(sample_chain(&s, 3), 0x1000);
	cr_assert_eq(sample_chain(&s, 4), 0x1100);
	made_end(&m);
}

Test(simpleperf, chains_of_their_own_leave_samples_with_user_frames_alone)
{
	static const uint64_t user[] = { MARK_USER, 0x10 };
	struct sample s;
	struct made m;

	begin_recording(&m, &chained);
	chain_record(&m, 8, 2, 55, 0x1000);
	chained_sample(&m, MODE_USER, user, 2);
	made_open(&m);
	s = only_sample(&m);
	cr_assert_eq(s.chain_count, 2);
	cr_assert_not(s.exact_chain, "nothing says that simpleperf made it");
	made_end(&m);
}

Test(simpleperf, callers_are_addresses_of_calls)
{
	static const uint64_t user[] = { MARK_USER, 0x10, 0x20 };
	struct sample_reader *r;
	uint64_t damaged = 0;
	struct sample s;
	struct made m;
	size_t start;

	begin_recording(&m, &chained);
	chained_sample(&m, MODE_USER, user, 3);
	start = begin_feature(&m, META_INFO);
	open_with_feature(&m, start);
	cr_assert_eq(sample_reader_new(&m.ctx, m.in, &r), 0);
	cr_assert_eq(sample_reader_start(&m.ctx, r, 0), 0);
	cr_assert_eq(sample_next(&m.ctx, r, &s, &damaged), 1);
	cr_assert(s.exact_chain);
	sample_reader_free(r);
	made_end(&m);
}

Test(simpleperf, records_have_names)
{
	cr_assert_str_eq(record_name(32769), "SIMPLEPERF_KERNEL_SYMBOL");
	cr_assert_str_eq(record_name(32778), "SIMPLEPERF_DEBUG");
	cr_assert_null(record_name(32768));
	cr_assert_null(record_name(32779));
}

Test(simpleperf, files_of_jit_code_have_a_name_together)
{
	cr_assert_str_eq(jit_file_name("/d/perf.data_jit_app_cache:10-20"),
			 "JIT app cache");
	cr_assert_str_eq(jit_file_name("p_jit_zygote_cache:1-2"), "JIT zygote cache");
	cr_assert_str_eq(jit_file_name("/data/x/TemporaryFile-a1"), "JIT cache");
	cr_assert_null(jit_file_name("/lib/a.so"));
	cr_assert_null(jit_file_name(""));
}

/* Symbols of perf-7.map; what is handed out for them. */
static size_t maps_of(struct made *m, const char *path, struct record *ret, size_t most)
{
	enum { KIND_PERF_MAP = 4 };
	struct record rec;
	size_t start, file, n = 0;

	begin_recording(m, &chained);
	begin_record(m, PERF_RECORD_COMM, 1 << 13); /* an exec */
	two(m, 7, 7);
	string(m, "java");
	trailer(m, 7, 7, 40);
	end_record(m);
	start = begin_feature(m, FILES);
	file = m->bytes.size;
	u32(m, 0);
	file_head(m, path, KIND_PERF_MAP, 0, 4);
	file_symbol(m, 0x5010, 16, "one");
	file_symbol(m, 0x5ff0, 0x20, "two");
	file_symbol(m, 0x9000, 0x1000, "apart");
	file_symbol(m, UINT64_MAX - 4, 16, "beyond");
	end_sized(m, file);
	poke_u64(m, start - 8, m->bytes.size - start);
	cr_assert_eq(made_try(m), 0, "%s", m->ctx.error);
	while (next_state(m, &rec) == 1)
		if (rec.type == PERF_RECORD_MMAP && n < most &&
		    strcmp(text(m, rec.name), "//anon") == 0)
			ret[n++] = rec;
	return n;
}

Test(simpleperf, symbols_of_jit_code_are_maps_since_the_last_exec)
{
	struct record maps[4];
	struct made m;

	cr_assert_eq(maps_of(&m, "perf-7.map", maps, 4), 2);
	cr_assert_eq(maps[0].start, 0x5000);
	cr_assert_eq(maps[0].size, 0x2000);
	cr_assert_eq(maps[0].pid, 7);
	cr_assert_eq(maps[0].time, 40);
	cr_assert(maps[0].executable);
	cr_assert_eq(maps[1].start, 0x9000);
	cr_assert_eq(maps[1].size, 0x1000);
	made_end(&m);
}

Test(simpleperf, symbols_of_no_process_are_no_maps)
{
	struct record maps[4];
	struct made m;

	cr_assert_eq(maps_of(&m, "perf-x.map", maps, 4), 0);
	made_end(&m);
}
