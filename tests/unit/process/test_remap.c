#include "timeline.h"

#include "unit/limit.h"

#define MIB (1ull << 20)

static struct timeline t;

static void begin(void)
{
	timeline_begin(&t);
}

static void end(void)
{
	timeline_end(&t);
}

TestSuite(remap, .init = begin, .fini = end);

static void map_data(uint64_t time, uint64_t start, uint64_t size, uint64_t offset,
		     const char *name)
{
	apply(&t, (struct record){ .time = time,
				   .type = PERF_RECORD_MMAP,
				   .mode = MODE_USER,
				   .pid = 1,
				   .tid = 1,
				   .start = start,
				   .size = size,
				   .offset = offset,
				   .name = name_id(&t, name) });
}

Test(remap, text_moved_to_huge_pages_stays_that_of_the_file)
{
	static const char *const names[] = { "//anon", "/anon_hugepage (deleted)",
					     "[heap]", "[anon:text]" };

	map(&t, 1, 1, 3 * MIB, 8 * MIB, 0x1000, "/bin/x");
	for (size_t i = 0; i < 4; i++) {
		map(&t, 2 + i, 1, 4 * MIB, 6 * MIB, 4 * MIB, names[i]);
		cr_expect_str_eq(path_at(&t, 9, 1, 5 * MIB), "/bin/x", "%s", names[i]);
		cr_expect_eq(address_at(&t, 9, 1, 5 * MIB), 2 * MIB + 0x1000);
	}
	cr_expect_eq(address_at(&t, 9, 1, 10 * MIB), 7 * MIB + 0x1000);
}

Test(remap, it_may_be_filled_before_it_can_be_executed)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	map_data(2, 2 * MIB, 4 * MIB, 0, "//anon");
	map(&t, 3, 1, 2 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 3, 1, 3 * MIB), "/bin/x");
}

Test(remap, what_does_not_end_with_huge_pages_is_a_runtimes)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	map(&t, 2, 1, 2 * MIB, 1 * MIB, 0, "//anon");
	map(&t, 2, 1, 5 * MIB, 1 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 2 * MIB), "/tmp/perf-1.map");
	cr_expect_str_eq(path_at(&t, 2, 1, 5 * MIB), "/tmp/perf-1.map");
	cr_expect_str_eq(path_at(&t, 2, 1, 4 * MIB), "/bin/x");
}

Test(remap, memory_outside_of_text_is_a_runtimes)
{
	map(&t, 1, 1, 4 * MIB, 4 * MIB, 0, "/bin/x");
	map(&t, 2, 1, 2 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 5 * MIB), "/tmp/perf-1.map", "begins before");
	map(&t, 3, 1, 6 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 3, 1, 7 * MIB), "/tmp/perf-1.map", "ends behind");
	map(&t, 4, 1, 64 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 4, 1, 65 * MIB), "/tmp/perf-1.map", "far away");
}

Test(remap, memory_over_two_maps_is_a_runtimes)
{
	map(&t, 1, 1, 2 * MIB, 4 * MIB, 0, "/bin/x");
	map(&t, 1, 1, 4 * MIB, 4 * MIB, 0, "/bin/y");
	map(&t, 2, 1, 2 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 3 * MIB), "/tmp/perf-1.map");
}

Test(remap, data_of_a_file_is_no_text)
{
	map_data(1, 2 * MIB, 8 * MIB, 0, "/var/data");
	map(&t, 2, 1, 4 * MIB, 2 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 5 * MIB), "/tmp/perf-1.map");
}

/* That a library was unloaded is not recorded. */
Test(remap, memory_where_a_library_was_is_a_runtimes)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	map(&t, 1, 1, 33 * MIB, 10 * MIB, 0x1000, "/lib/l.so");
	map(&t, 2, 1, 34 * MIB, 2 * MIB, 0, "//anon");
	map(&t, 2, 1, 38 * MIB, 4 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 35 * MIB), "/tmp/perf-1.map");
	cr_expect_str_eq(path_at(&t, 2, 1, 39 * MIB), "/tmp/perf-1.map");
	cr_expect_str_eq(path_at(&t, 2, 1, 37 * MIB), "/lib/l.so");
}

Test(remap, a_library_moves_all_of_its_text)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	map(&t, 1, 1, 33 * MIB, 10 * MIB, 0x1000, "/lib/l.so");
	map(&t, 2, 1, 34 * MIB, 8 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 2, 1, 35 * MIB), "/lib/l.so");
	cr_expect_eq(address_at(&t, 2, 1, 35 * MIB), 2 * MIB + 0x1000);
}

Test(remap, a_child_has_the_program_of_its_parent)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	map(&t, 1, 1, 33 * MIB, 10 * MIB, 0x1000, "/lib/l.so");
	fork_process(&t, 2, 1, 2);
	map(&t, 3, 2, 36 * MIB, 2 * MIB, 0, "//anon");
	map(&t, 3, 2, 4 * MIB, 2 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 3, 2, 37 * MIB), "/tmp/perf-2.map");
	cr_expect_str_eq(path_at(&t, 3, 2, 5 * MIB), "/bin/x");
}

Test(remap, a_child_may_move_the_text_of_its_parent)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	fork_process(&t, 2, 1, 2);
	map(&t, 3, 2, 4 * MIB, 2 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 3, 2, 5 * MIB), "/bin/x");
}

Test(remap, a_new_program_has_nothing_of_the_text_before_it)
{
	map(&t, 1, 1, 2 * MIB, 8 * MIB, 0, "/bin/x");
	comm(&t, 2, 1, 1, "y", EXEC);
	map(&t, 3, 1, 4 * MIB, 2 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 3, 1, 5 * MIB), "/tmp/perf-1.map");
}

/* As perf lists what it finds: by address. */
Test(remap, text_that_had_moved_before_is_joined_with_the_rest)
{
	map(&t, 0, 1, 3 * MIB, 1 * MIB, 0x1000, "/bin/x");
	map(&t, 0, 1, 4 * MIB, 2 * MIB, 0, "//anon");
	map(&t, 0, 1, 6 * MIB, 4 * MIB, 0, "//anon");
	map(&t, 0, 1, 10 * MIB, 1 * MIB, 7 * MIB + 0x1000, "/bin/x");
	cr_expect_eq(address_at(&t, 0, 1, 4 * MIB), 1 * MIB + 0x1000);
	cr_expect_eq(address_at(&t, 0, 1, 9 * MIB), 6 * MIB + 0x1000);
	cr_expect_str_eq(path_at(&t, 0, 1, 5 * MIB), "/bin/x");
	cr_expect_str_eq(path_at(&t, 0, 1, 9 * MIB), "/bin/x");
}

Test(remap, memory_below_the_beginning_of_a_file_is_a_runtimes)
{
	map(&t, 0, 1, 4 * MIB, 2 * MIB, 0, "//anon");
	map(&t, 0, 1, 6 * MIB, 1 * MIB, 0x1000, "/bin/x");
	cr_expect_str_eq(path_at(&t, 0, 1, 5 * MIB), "/tmp/perf-1.map");
}

Test(remap, memory_that_does_not_touch_text_is_a_runtimes)
{
	map(&t, 0, 1, 4 * MIB, 2 * MIB, 0, "//anon");
	map(&t, 0, 1, 6 * MIB + 0x1000, 1 * MIB, 8 * MIB, "/bin/x");
	cr_expect_str_eq(path_at(&t, 0, 1, 5 * MIB), "/tmp/perf-1.map");
}

Test(remap, a_hundred_thousand_pieces_of_memory_are_fast)
{
	work_at_most(20);
	map(&t, 0, 1, 2 * MIB, 2 * MIB, 0, "/bin/x");
	for (uint64_t i = 0; i < 100000; i++)
		map(&t, 1 + i, 1, (64 + 2 * i) * MIB, 2 * MIB, 0, "//anon");
	cr_expect_str_eq(path_at(&t, 100001, 1, 64 * MIB), "/tmp/perf-1.map");
}
