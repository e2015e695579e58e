#include <stdio.h>

#include "live/live.h"
#include "recording.h"

Test(perf_record, a_map_is_decoded_with_the_time_of_its_trailer)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_MMAP, MODE_USER);
	two(&m, 5, 6);
	u64(&m, 0x1000);
	u64(&m, 0x2000);
	u64(&m, 0x3000);
	string(&m, "/bin/ls");
	trailer(&m, 5, 6, 77);
	end_record(&m);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.type, PERF_RECORD_MMAP);
	cr_assert(r.pid == 5 && r.tid == 6 && r.mode == MODE_USER && r.executable);
	cr_assert(r.start == 0x1000 && r.size == 0x2000 && r.offset == 0x3000);
	cr_assert_str_eq(text(&m, r.name), "/bin/ls");
	cr_assert_eq(r.time, 77);
	cr_assert_eq(r.build_id_size, 0);
	made_end(&m);
}

Test(perf_record, a_map_with_device_and_inode_is_decoded)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_MMAP2, MODE_USER);
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
	cr_assert_eq(r.type, PERF_RECORD_MMAP);
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
	begin_record(m, PERF_RECORD_MMAP2, MODE_USER | 1 << 14);
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

Test(perf_record, a_map_with_a_build_id_has_it_and_no_inode)
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

Test(perf_record, a_build_id_is_never_longer_than_its_place)
{
	struct attr asking = plain;
	struct made m;

	asking.flags |= FLAG_BUILD_ID;
	made_begin(&m, &asking, 1);
	map_with_build_id(&m, 255);
	made_open(&m);
	cr_assert_leq(only_state(&m).build_id_size, BUILD_ID_MAX);
	made_end(&m);
}

static struct record map_with_bit_and(const uint8_t identity[24])
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_MMAP2, MODE_USER | 1 << 14);
	two(&m, 5, 6);
	u64(&m, 0x1000);
	u64(&m, 0x2000);
	u64(&m, 0);
	bytes(&m, identity, 24);
	two(&m, 5, 2);
	string(&m, "/bin/ls");
	trailer(&m, 5, 6, 77);
	end_record(&m);
	made_open(&m);
	r = only_state(&m);
	made_end(&m);
	return r;
}

/* The kernel leaves the bit in the record of an event that has not asked for build ids. */
Test(perf_record, a_bit_that_leaked_into_a_map_with_an_inode_does_no_harm)
{
	const struct {
		uint32_t maj, min;
		uint64_t ino, generation;
	} inodes[] = {
		{ 254, 1, 123456, 987654321 }, /* virtio */
		{ 259, 3, 123456, 0 }, /* NVMe: more than a byte */
		{ 8, 1, 123456, 987654321 }, /* SCSI: as if it were an id of 8 bytes */
		{ 8, 255, 123456, 0 },	       { 8, 300, 123456, 1 },
		{ 16, 300, 123456, 0 },	       { 0, 45, 123456, 0 }, /* overlay, tmpfs */
	};

	for (size_t i = 0; i < sizeof(inodes) / sizeof(*inodes); i++) {
		uint8_t identity[24];
		struct record r;

		memcpy(identity, &inodes[i], sizeof(identity));
		r = map_with_bit_and(identity);
		cr_assert_eq(r.build_id_size, 0, "%u:%u", inodes[i].maj, inodes[i].min);
		cr_assert(r.maj == inodes[i].maj && r.min == inodes[i].min);
		cr_assert_eq(r.ino, inodes[i].ino);
		cr_assert_eq(r.generation, inodes[i].generation);
	}
}

Test(perf_record, short_build_ids_are_told_from_inodes)
{
	const uint8_t eight[24] = { 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	const uint8_t low[24] = { 8, 0, 0, 0, 1, 2, 0, 0, 5, 6, 7, 8 };
	const uint8_t sixteen[24] = { 16, 0, 0, 0, 1, 2, 0, 0, 5, 6, 7, 8, 9 };

	cr_assert_eq(map_with_bit_and(eight).build_id_size, 8);
	cr_assert_eq(map_with_bit_and(low).build_id_size, 8);
	cr_assert_eq(map_with_bit_and(sixteen).build_id_size, 16);
	cr_assert_eq(map_with_bit_and(eight).ino, 0);
}

/* The flag of another recorder's record. */
static void map_with_device(struct made *m, uint32_t maj)
{
	begin_record(m, PERF_RECORD_MMAP2, MODE_USER | 1 << 14);
	two(m, 5, 6);
	u64(m, 0x1000);
	u64(m, 0x2000);
	u64(m, 0x3000);
	two(m, maj, 1);
	u64(m, 1234);
	u64(m, 5678);
	two(m, 5, 2);
	string(m, "/bin/ls");
	trailer(m, 5, 6, 77);
	end_record(m);
}

Test(perf_record, a_device_is_not_taken_for_a_build_id_that_nobody_asked_for)
{
	static const uint32_t majors[] = { 0, 8, 19, 253, 254, 259, 20 << 8 };

	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++) {
		struct record r;
		struct made m;

		made_begin(&m, &plain, 1);
		map_with_device(&m, majors[i]);
		made_open(&m);
		r = only_state(&m);
		cr_assert_eq(r.build_id_size, 0);
		cr_assert_eq(r.maj, majors[i]);
		cr_assert(r.min == 1 && r.ino == 1234 && r.generation == 5678);
		cr_assert(r.executable);
		cr_assert_str_eq(text(&m, r.name), "/bin/ls");
		made_end(&m);
	}
}

Test(perf_record, a_short_build_id_counts_where_an_event_asks_for_them)
{
	struct attr asking = plain;
	struct made m;

	asking.flags |= FLAG_BUILD_ID;
	made_begin(&m, &asking, 1);
	map_with_build_id(&m, 8);
	made_open(&m);
	cr_assert_eq(only_state(&m).build_id_size, 8);
	made_end(&m);
}

/* A map whose place for names holds @size bytes of @names, as flamefold records a line of perf-PID.map. */
static void map_of_line(struct made *m, uint64_t generation, uint32_t protection,
			const char *names, size_t size)
{
	begin_record(m, PERF_RECORD_MMAP2, MODE_USER);
	two(m, 5, 6);
	u64(m, 0x1000);
	u64(m, 0x40);
	u64(m, 0);
	two(m, 0, 0);
	u64(m, 1234);
	u64(m, generation);
	two(m, protection, 2);
	bytes(m, names, size);
	trailer(m, 5, 6, 77);
	end_record(m);
}

/* The names of the map and of its line, with a blank between them. */
static void expect_names(uint64_t generation, uint32_t protection, const char *names,
			 size_t size, const char *expected)
{
	struct record r;
	struct made m;
	char both[64];

	made_begin(&m, &plain, 1);
	map_of_line(&m, generation, protection, names, size);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.time, 77, "the trailer is where it is");
	snprintf(both, sizeof(both), "%s %s", text(&m, r.name), text(&m, r.code));
	cr_expect_str_eq(both, expected);
	made_end(&m);
}

Test(perf_record, a_line_of_a_map_has_its_name_behind_that_of_the_map)
{
	static const uint64_t line = LIVE_LINE_GENERATION;

	expect_names(line, 5, "//anon\0Foo::bar()\0\0\0\0\0\0\0", 24,
		     "//anon Foo::bar()");
	expect_names(line, 5, "//anon\0no end...", 16, "//anon no end...");
	expect_names(line, 5, "//anon\0\0", 8, "//anon ");
	expect_names(line, 5, "//anon\0\0hidden\0\0", 16, "//anon ");
	expect_names(line, 5, "no end..", 8, "no end.. ");
	expect_names(line, 5, "end at 7", 8, "end at 7 ");
	expect_names(line, 5, "\0name\0\0\0", 8, " name");
	expect_names(line, 5, "", 0, " ");
}

/* Those of the kernel have whatever lay there, and data have no code. */
Test(perf_record, no_other_map_has_a_name_behind_its_own)
{
	expect_names(7, 5, "//anon\0Foo::bar()\0\0\0\0\0\0\0", 24, "//anon ");
	expect_names(LIVE_LINE_GENERATION, 3, "//anon\0Foo::bar()\0\0\0\0\0\0\0", 24,
		     "//anon ");
}

Test(perf_record, names_end_at_their_nul_or_with_their_place)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_COMM, 1 << 13);
	two(&m, 5, 6);
	bytes(&m, "ab\0junk!", 8);
	trailer(&m, 5, 6, 77);
	end_record(&m);
	begin_record(&m, PERF_RECORD_COMM, 0);
	two(&m, 5, 6);
	bytes(&m, "no end..", 8);
	trailer(&m, 5, 6, 78);
	end_record(&m);
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_str_eq(text(&m, r.name), "ab");
	cr_assert(r.exec && r.time == 77 && r.type == PERF_RECORD_COMM);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert_str_eq(text(&m, r.name), "no end..");
	cr_assert(!r.exec && r.time == 78);
	made_end(&m);
}

Test(perf_record, forks_and_exits_are_decoded)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	for (int exit = 0; exit < 2; exit++) {
		begin_record(&m, exit ? PERF_RECORD_EXIT : PERF_RECORD_FORK,
			     exit ? 0 : 1 << 13);
		two(&m, 2, 1);
		two(&m, 4, 3);
		u64(&m, 999);
		trailer(&m, 1, 3, 77);
		end_record(&m);
	}
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == PERF_RECORD_FORK && r.no_clone);
	cr_assert(r.pid == 2 && r.ppid == 1 && r.tid == 4 && r.ptid == 3 && r.time == 77);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == PERF_RECORD_EXIT && r.pid == 2 && r.tid == 4);
	made_end(&m);
}

Test(perf_record, code_of_the_kernel_comes_and_goes)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	for (uint32_t gone = 0; gone < 2; gone++) {
		begin_record(&m, PERF_RECORD_KSYMBOL, 0);
		u64(&m, 0xffffffffc0000000);
		two(&m, 0x100, 1 | gone << 16);
		string(&m, "bpf_prog_1");
		trailer(&m, 0, 0, 77 + gone);
		end_record(&m);
	}
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.type == PERF_RECORD_KSYMBOL && !r.gone);
	cr_assert(r.start == 0xffffffffc0000000 && r.size == 0x100);
	cr_assert_str_eq(text(&m, r.name), "bpf_prog_1");
	cr_assert_eq(next_state(&m, &r), 1);
	cr_assert(r.gone);
	made_end(&m);
}

Test(perf_record, records_say_where_they_stand)
{
	struct made m;
	struct record r;
	uint64_t last = 0;

	made_begin(&m, &plain, 1);
	for (uint64_t i = 0; i < 3; i++) {
		begin_record(&m, PERF_RECORD_COMM, 0);
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
	begin_record(m, PERF_RECORD_COMM, 0);
	two(m, 5, 6);
	string(m, name);
	end_record(m);
}

Test(perf_record, a_record_without_a_time_comes_just_after_the_newest_before_it)
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

Test(perf_record, what_was_lost_is_counted)
{
	const struct recording *rec;
	struct made m;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_LOST, 0);
	u64(&m, 1);
	u64(&m, 40);
	trailer(&m, 0, 0, 1);
	end_record(&m);
	begin_record(&m, PERF_RECORD_LOST_SAMPLES, 0);
	u64(&m, 2);
	trailer(&m, 0, 0, 2);
	end_record(&m);
	begin_record(&m, PERF_RECORD_LOST_SAMPLES, 1 << 15);
	u64(&m, 1000);
	trailer(&m, 0, 0, 2);
	end_record(&m);
	begin_record(&m, PERF_RECORD_THROTTLE, 0);
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

static void put_path(struct made *m, uint32_t pid, const char *path)
{
	begin_record(m, PERF_RECORD_MMAP, MODE_USER);
	two(m, pid, pid);
	u64(m, 0x1000);
	u64(m, 0x1000);
	u64(m, 0);
	string(m, path);
	end_record(m);
}

/* Maps of a process by what they are called. */
static void count_paths(struct made *m, uint32_t pid, size_t *kept, size_t *limited)
{
	struct record r;

	*kept = *limited = 0;
	while (next_state(m, &r) > 0) {
		bool limit = r.type == PERF_RECORD_MMAP &&
			     strcmp(text(m, r.name), "[path limit]") == 0;

		if (r.type != PERF_RECORD_MMAP)
			continue;
		cr_expect(!limit || r.pid == pid);
		*kept += !limit && r.pid == pid;
		*limited += limit;
	}
}

Test(perf_record, a_process_that_maps_ever_new_paths_has_none_behind_a_limit)
{
	enum { MAPS = 4000, LENGTH = 4000 };
	char path[LENGTH + 1];
	size_t kept, limited;
	struct made m;

	made_begin(&m, &(struct attr){ .sample_type = ST_IP }, 1);
	memset(path, 'x', LENGTH);
	path[LENGTH] = '\0';
	for (int i = 0; i < MAPS; i++) {
		sprintf(path + LENGTH - 8, "%07d", i);
		put_path(&m, 5, path);
		put_path(&m, 6, "/bin/other");
	}
	put_path(&m, 6, "/bin/another");
	made_open(&m);
	count_paths(&m, 5, &kept, &limited);
	cr_expect_eq(kept + limited, MAPS);
	cr_expect_geq(kept, (8 << 20) / LENGTH);
	cr_expect_leq(kept, (8 << 20) / LENGTH + 5);
	made_end(&m);
}

Test(perf_record, names_of_lines_count_as_paths_do)
{
	enum { MAPS = 4000, LENGTH = 4000 };
	size_t kept = 0, limited = 0;
	char names[LENGTH];
	struct record r;
	struct made m;

	made_begin(&m, &(struct attr){ .sample_type = ST_IP }, 1);
	memset(names, 'x', LENGTH);
	memcpy(names, "//anon", sizeof("//anon"));
	for (int i = 0; i < MAPS; i++) {
		snprintf(names + LENGTH - 8, 8, "%07d", i);
		map_of_line(&m, LIVE_LINE_GENERATION, 5, names, LENGTH);
	}
	made_open(&m);
	while (next_state(&m, &r) > 0) {
		kept += *text(&m, r.code) == 'x';
		limited += strcmp(text(&m, r.name), "[path limit]") == 0;
	}
	cr_expect_eq(kept + limited, MAPS);
	cr_expect_geq(kept, (8 << 20) / LENGTH);
	cr_expect_leq(kept, (8 << 20) / LENGTH + 15);
	made_end(&m);
}
