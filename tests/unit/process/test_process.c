#include "process/process.h"

#include <stdio.h>

#include "timeline.h"
#include "unit/limit.h"

Test(process, a_map_covers_its_addresses_from_its_time_on)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 5, 1, 0x1000, 0x1000, 0x3000, "/bin/x");
	cr_assert_str_eq(path_at(&t, 4, 1, 0x1500), "", "before its time");
	cr_assert_str_eq(path_at(&t, 5, 1, 0x1500), "/bin/x", "at its time");
	cr_assert_str_eq(path_at(&t, UINT64_MAX - 1, 1, 0x1500), "/bin/x");
	cr_assert_str_eq(path_at(&t, 5, 1, 0x0fff), "", "below it");
	cr_assert_str_eq(path_at(&t, 5, 1, 0x1000), "/bin/x", "its first byte");
	cr_assert_str_eq(path_at(&t, 5, 1, 0x1fff), "/bin/x", "its last byte");
	cr_assert_str_eq(path_at(&t, 5, 1, 0x2000), "", "behind it");
	cr_assert_str_eq(path_at(&t, 5, 2, 0x1500), "", "another process");
	cr_assert_eq(address_at(&t, 5, 1, 0x1500), 0x3500, "the offset in the file");
	timeline_end(&t);
}

Test(process, a_later_map_wins_and_what_sticks_out_keeps_its_offset)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x9000, 0x10000, "/old");
	map(&t, 2, 1, 0x4000, 0x2000, 0x70000, "/new");
	cr_assert_str_eq(path_at(&t, 1, 1, 0x4800), "/old", "before the change");
	cr_assert_str_eq(path_at(&t, 2, 1, 0x3fff), "/old", "the head");
	cr_assert_str_eq(path_at(&t, 2, 1, 0x4000), "/new");
	cr_assert_str_eq(path_at(&t, 2, 1, 0x5fff), "/new");
	cr_assert_str_eq(path_at(&t, 2, 1, 0x6000), "/old", "the tail");
	cr_assert_eq(address_at(&t, 2, 1, 0x4800), 0x70800);
	cr_assert_eq(address_at(&t, 2, 1, 0x3fff), 0x12fff);
	cr_assert_eq(address_at(&t, 2, 1, 0x6000), 0x15000, "the tail keeps its offset");
	timeline_end(&t);
}

Test(process, of_maps_at_the_same_time_the_one_later_in_the_file_wins)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 0, 1, 0x1000, 0x2000, 0, "/first");
	map(&t, 0, 1, 0x1000, 0x1000, 0, "/second");
	map(&t, 0, 1, 0x1000, 0x0800, 0, "/third");
	cr_assert_str_eq(path_at(&t, 0, 1, 0x1000), "/third");
	cr_assert_str_eq(path_at(&t, 0, 1, 0x1900), "/second");
	cr_assert_str_eq(path_at(&t, 0, 1, 0x2900), "/first");
	timeline_end(&t);
}

/* Small numbers, so that maps often touch, overlap and repeat. */
static struct record random_map(uint32_t *random, uint64_t time)
{
	struct record rec = { .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .executable = true,
			      .pid = 1,
			      .tid = 1 };

	rec.time = time;
	rec.start = (*random = *random * 1103515245 + 12345) >> 16 & 31;
	rec.size = (*random = *random * 1103515245 + 12345) >> 16 & 15;
	rec.offset = time * 100;
	return rec;
}

Test(process, any_maps_give_what_looking_at_each_of_them_gives)
{
	work_at_most(60);
	enum { MAPS = 40, ADDRESSES = 50 };

	for (uint32_t seed = 1; seed <= 200; seed++) {
		struct record maps[MAPS];
		struct timeline t;
		uint32_t random = seed;
		uint32_t name;

		timeline_begin(&t);
		name = name_id(&t, "/x");
		for (uint64_t i = 0; i < MAPS; i++) {
			maps[i] = random_map(&random, i / 2);
			maps[i].name = name;
			apply(&t, maps[i]);
		}
		for (uint64_t time = 0; time <= MAPS / 2; time++)
			for (uint64_t ip = 0; ip < ADDRESSES; ip++) {
				uint64_t expected = UINT64_MAX;

				for (int i = 0; i < MAPS; i++)
					if (maps[i].time <= time && ip >= maps[i].start &&
					    ip - maps[i].start < maps[i].size)
						expected = ip - maps[i].start +
							   maps[i].offset;
				cr_assert_eq(address_at(&t, time, 1, ip), expected,
					     "seed %u, time %lu, address %lu", seed, time,
					     ip);
			}
		timeline_end(&t);
	}
}

Test(process, the_same_map_again_changes_nothing)
{
	struct timeline t;
	struct location before, after;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0x5000, "/lib/c");
	map(&t, 2, 1, 0x1000, 0x1000, 0x5000, "/lib/c");
	cr_assert(location_of(&t, 1, 1, 0x1010, &before));
	cr_assert(location_of(&t, 2, 1, 0x1010, &after));
	cr_assert_eq(before.image, after.image);
	cr_assert_eq(before.address, after.address);
	timeline_end(&t);
}

Test(process, a_fork_has_the_parents_maps_of_that_time)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/one");
	map(&t, 2, 1, 0x2000, 0x1000, 0, "/two");
	fork_process(&t, 3, 1, 9);
	map(&t, 4, 1, 0x1000, 0x1000, 0, "/parent-later");
	map(&t, 4, 1, 0x3000, 0x1000, 0, "/parent-new");
	map(&t, 5, 9, 0x2000, 0x1000, 0, "/child-later");
	cr_assert_str_eq(path_at(&t, 2, 9, 0x1000), "", "there is no child yet");
	cr_assert_str_eq(path_at(&t, 3, 9, 0x1000), "/one");
	cr_assert_str_eq(path_at(&t, 9, 9, 0x1000), "/one",
			 "the parent's change is its own");
	cr_assert_str_eq(path_at(&t, 9, 9, 0x3000), "", "the parent's change is its own");
	cr_assert_str_eq(path_at(&t, 4, 9, 0x2000), "/two");
	cr_assert_str_eq(path_at(&t, 5, 9, 0x2000), "/child-later");
	cr_assert_str_eq(path_at(&t, 9, 1, 0x2000), "/two",
			 "the child's change is its own");
	cr_assert_str_eq(path_at(&t, 9, 1, 0x1000), "/parent-later");
	timeline_end(&t);
}

Test(process, a_fork_of_a_fork_sees_through_both)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/one");
	fork_process(&t, 2, 1, 2);
	map(&t, 3, 2, 0x2000, 0x1000, 0, "/two");
	fork_process(&t, 4, 2, 3);
	map(&t, 5, 2, 0x1000, 0x1000, 0, "/late");
	map(&t, 5, 1, 0x1000, 0x1000, 0, "/late");
	exit_process(&t, 6, 1);
	exit_process(&t, 6, 2);
	cr_assert_str_eq(path_at(&t, 7, 3, 0x1000), "/one");
	cr_assert_str_eq(path_at(&t, 7, 3, 0x2000), "/two");
	timeline_end(&t);
}

Test(process, a_fork_that_says_so_has_no_maps)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/one");
	apply(&t, (struct record){ .time = 2,
				   .type = PERF_RECORD_FORK,
				   .pid = 2,
				   .tid = 2,
				   .ppid = 1,
				   .ptid = 1,
				   .no_clone = true });
	cr_assert_str_eq(path_at(&t, 3, 2, 0x1000), "");
	timeline_end(&t);
}

Test(process, an_exec_drops_all_maps_of_the_process_from_then_on)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/shell");
	fork_process(&t, 2, 1, 2);
	comm(&t, 3, 2, 2, "ls", EXEC);
	map(&t, 4, 2, 0x5000, 0x1000, 0, "/ls");
	cr_assert_str_eq(path_at(&t, 2, 2, 0x1000), "/shell");
	cr_assert_str_eq(path_at(&t, 3, 2, 0x1000), "", "dropped");
	cr_assert_str_eq(path_at(&t, 4, 2, 0x1000), "", "dropped");
	cr_assert_str_eq(path_at(&t, 4, 2, 0x5000), "/ls");
	cr_assert_str_eq(path_at(&t, 9, 1, 0x1000), "/shell", "not of this process");
	timeline_end(&t);
}

/* Recorders before 3.16 did not say which COMM is an exec. */
static void old_recorder(struct timeline *t, const char *parent)
{
	memset(t, 0, sizeof(*t));
	cr_assert_eq(intern_init(&t->strings), 0);
	cr_assert_eq(images_init(&t->images, &t->strings), 0);
	cr_assert_eq(processes_new(&t->ctx, &t->rec, &t->images, PROCESSES_WHOLE, &t->ps),
		     0);
	comm(t, 1, 1, 1, parent, NO_EXEC);
	map(t, 1, 1, 0x1000, 0x1000, 0, "/parent");
	fork_process(t, 2, 1, 2);
	comm(t, 3, 2, 2, "first", NO_EXEC);
	map(t, 4, 2, 0x5000, 0x1000, 0, "/first");
	comm(t, 5, 2, 2, "renamed", NO_EXEC);
}

Test(process, where_no_exec_is_told_the_first_name_of_what_perf_forked_is_one)
{
	struct timeline t;

	old_recorder(&t, "perf");
	cr_assert_str_eq(path_at(&t, 2, 2, 0x1000), "/parent");
	cr_assert_str_eq(path_at(&t, 9, 2, 0x1000), "", "perf's own maps");
	cr_assert_str_eq(path_at(&t, 9, 2, 0x5000), "/first", "a second name is none");
	timeline_end(&t);
	old_recorder(&t, "sh");
	cr_assert_str_eq(path_at(&t, 9, 2, 0x1000), "/parent",
			 "anyone else may rename himself");
	timeline_end(&t);
}

Test(process, a_new_name_without_exec_keeps_the_maps)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	comm(&t, 2, 1, 1, "renamed", NO_EXEC);
	cr_assert_str_eq(path_at(&t, 3, 1, 0x1000), "/x");
	timeline_end(&t);
}

Test(process, a_pid_that_is_used_again_is_another_process)
{
	struct timeline t;

	timeline_begin(&t);
	comm(&t, 1, 5, 5, "first", EXEC);
	map(&t, 1, 5, 0x1000, 0x1000, 0, "/first");
	map(&t, 1, 1, 0x8000, 0x1000, 0, "/init");
	comm(&t, 1, 1, 1, "init", NO_EXEC);
	exit_process(&t, 2, 5);
	fork_process(&t, 4, 1, 5);
	comm(&t, 5, 5, 5, "second", NO_EXEC);
	cr_assert_str_eq(path_at(&t, 1, 5, 0x1000), "/first");
	cr_assert_str_eq(path_at(&t, 4, 5, 0x1000), "", "the maps of the dead are gone");
	cr_assert_str_eq(path_at(&t, 4, 5, 0x8000), "/init",
			 "those of its parent are there");
	cr_assert_str_eq(comm_at(&t, 1, 5, 5), "first");
	cr_assert_str_eq(comm_at(&t, 4, 5, 5), "init", "a fork has its parent's name");
	cr_assert_str_eq(comm_at(&t, 5, 5, 5), "second");
	timeline_end(&t);
}

Test(process, a_process_keeps_its_maps_for_samples_as_late_as_its_exit)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 5, 0x1000, 0x1000, 0, "/x");
	exit_process(&t, 2, 5);
	cr_assert_str_eq(path_at(&t, 2, 5, 0x1000), "/x");
	cr_assert_str_eq(path_at(&t, 3, 5, 0x1000), "/x", "a sample a little late");
	timeline_end(&t);
}

Test(process, a_thread_shares_the_maps_and_the_end_of_one_ends_nothing)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	fork_thread(&t, 2, 1, 1, 2);
	map(&t, 3, 1, 0x2000, 0x1000, 0, "/y");
	apply(&t, (struct record){ .time = 4,
				   .type = PERF_RECORD_EXIT,
				   .pid = 1,
				   .tid = 2,
				   .ppid = 1,
				   .ptid = 1 });
	fork_thread(&t, 5, 1, 1, 3);
	cr_assert_str_eq(path_at(&t, 9, 1, 0x1000), "/x");
	cr_assert_str_eq(path_at(&t, 9, 1, 0x2000), "/y");
	timeline_end(&t);
}

Test(process, a_thread_has_the_name_of_the_one_that_made_it_until_it_gets_its_own)
{
	struct timeline t;

	timeline_begin(&t);
	comm(&t, 1, 1, 1, "java", EXEC);
	fork_thread(&t, 2, 1, 1, 2);
	comm(&t, 3, 1, 2, "GC Thread#0", NO_EXEC);
	fork_thread(&t, 4, 1, 2, 3);
	comm(&t, 5, 1, 1, "main", NO_EXEC);
	cr_assert_str_eq(comm_at(&t, 2, 1, 2), "java");
	cr_assert_str_eq(comm_at(&t, 3, 1, 2), "GC Thread#0");
	cr_assert_str_eq(comm_at(&t, 4, 1, 3), "GC Thread#0");
	cr_assert_str_eq(comm_at(&t, 5, 1, 1), "main");
	cr_assert_str_eq(comm_at(&t, 9, 1, 2), "GC Thread#0",
			 "names of threads are their own");
	cr_assert_str_eq(comm_at(&t, 9, 1, 3), "GC Thread#0");
	cr_assert_str_eq(comm_at(&t, 1, 1, 1), "java", "at its time");
	timeline_end(&t);
}

Test(process, a_name_holds_until_the_next_and_says_so)
{
	struct timeline t;
	struct comm c;

	timeline_begin(&t);
	comm(&t, 10, 1, 1, "a", NO_EXEC);
	comm(&t, 20, 1, 1, "b", NO_EXEC);
	processes_comm(t.ps, 1, 1, 15, &c);
	cr_assert_str_eq(intern_text(&t.strings, c.name), "a");
	cr_assert(c.from <= 15 && c.until == 20);
	processes_comm(t.ps, 1, 1, 20, &c);
	cr_assert_str_eq(intern_text(&t.strings, c.name), "b");
	cr_assert(c.from == 20 && c.until > 1000000);
	timeline_end(&t);
}

Test(process, a_thread_nobody_named_has_its_process_name_or_none)
{
	struct timeline t;

	timeline_begin(&t);
	comm(&t, 5, 1, 1, "main", NO_EXEC);
	cr_assert_str_eq(comm_at(&t, 6, 1, 2), "main");
	cr_assert_str_eq(comm_at(&t, 4, 1, 2), "", "before its process had one");
	cr_assert_str_eq(comm_at(&t, 6, 77, 78), "");
	timeline_end(&t);
}

Test(process, a_tid_that_is_used_again_has_the_name_of_its_time)
{
	struct timeline t;

	timeline_begin(&t);
	comm(&t, 1, 1, 5, "one", NO_EXEC);
	comm(&t, 3, 2, 5, "two", NO_EXEC);
	cr_assert_str_eq(comm_at(&t, 2, 1, 5), "one");
	cr_assert_str_eq(comm_at(&t, 3, 2, 5), "two");
	timeline_end(&t);
}

Test(process, a_space_lasts_while_the_answers_are_the_same)
{
	struct space a, b, c, other;
	struct timeline t;

	timeline_begin(&t);
	map(&t, 10, 1, 0x1000, 0x1000, 0, "/x");
	map(&t, 15, 2, 0x1000, 0x1000, 0, "/other");
	map(&t, 20, 1, 0x2000, 0x1000, 0, "/y");
	processes_space(t.ps, 1, 12, &a);
	processes_space(t.ps, 1, 19, &b);
	processes_space(t.ps, 1, 20, &c);
	processes_space(t.ps, 2, 19, &other);
	cr_assert_eq(a.epoch, b.epoch);
	cr_assert_neq(b.epoch, c.epoch);
	cr_assert_neq(b.epoch, other.epoch);
	cr_assert_neq(c.epoch, other.epoch);
	cr_assert(a.from == 10 && a.until == 20, "another process's map changes nothing");
	cr_assert(c.from == 20 && c.until > 1000000);
	timeline_end(&t);
}

static uint32_t layout_at(struct timeline *t, uint32_t pid, uint64_t time)
{
	struct space space;

	processes_space(t->ps, pid, time, &space);
	return space.layout;
}

static void map_data(struct timeline *t, uint64_t time, uint32_t pid, uint64_t start,
		     uint64_t size)
{
	map_any(t, time, pid, start, size, 0, "//anon", false);
}

Test(process, maps_beside_code_leave_the_layout_of_code_as_it_is)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 10, 1, 0x1000, 0x1000, 0, "/x");
	map(&t, 11, 1, 0x4000, 0x1000, 0, "/y");
	map_data(&t, 12, 1, 0x2000, 0x2000);
	map_data(&t, 13, 1, 0x3000, 0x1000);
	map_data(&t, 14, 1, 0x1800, 0x1000);
	map_data(&t, 15, 1, 0x8000, 0x1000);
	fork_process(&t, 20, 1, 2);
	map_data(&t, 21, 2, 0x9000, 0x1000);
	map_data(&t, 22, 2, 0x4000, 0x1000);
	comm(&t, 30, 1, 1, "new", EXEC);
	cr_assert_neq(layout_at(&t, 1, 10), layout_at(&t, 1, 11), "more code");
	cr_assert_eq(layout_at(&t, 1, 11), layout_at(&t, 1, 12));
	cr_assert_eq(layout_at(&t, 1, 12), layout_at(&t, 1, 13), "data over data");
	cr_assert_neq(layout_at(&t, 1, 13), layout_at(&t, 1, 14), "data over code");
	cr_assert_eq(layout_at(&t, 1, 14), layout_at(&t, 1, 15));
	cr_assert_neq(layout_at(&t, 1, 15), layout_at(&t, 2, 20), "another process");
	cr_assert_eq(layout_at(&t, 2, 20), layout_at(&t, 2, 21));
	cr_assert_neq(layout_at(&t, 2, 21), layout_at(&t, 2, 22),
		      "over the parent's code");
	cr_assert_neq(layout_at(&t, 1, 15), layout_at(&t, 1, 30), "another program");
	timeline_end(&t);
}

Test(process, the_image_of_a_file_is_one_for_all_processes)
{
	struct timeline t;
	struct location a, b, c;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/lib/c");
	map(&t, 1, 2, 0x7000, 0x1000, 0, "/lib/c");
	map(&t, 1, 2, 0x9000, 0x1000, 0, "/lib/d");
	cr_assert(location_of(&t, 2, 1, 0x1234, &a));
	cr_assert(location_of(&t, 2, 2, 0x7234, &b));
	cr_assert(location_of(&t, 2, 2, 0x9234, &c));
	cr_assert_eq(a.image, b.image);
	cr_assert_eq(a.address, b.address);
	cr_assert_neq(a.image, c.image);
	cr_assert_eq(t.images.list.v[a.image].kind, IMAGE_FILE);
	timeline_end(&t);
}

Test(process, files_of_one_path_with_two_build_ids_are_two_images)
{
	struct record rec = { .time = 1,
			      .type = PERF_RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = 1,
			      .tid = 1,
			      .start = 0x1000,
			      .size = 0x1000,
			      .build_id_size = 20,
			      .build_id = { 1 } };
	struct timeline t;
	struct location a, b;

	timeline_begin(&t);
	rec.name = name_id(&t, "/lib/c");
	apply(&t, rec);
	rec.time = 2;
	rec.build_id[0] = 2;
	apply(&t, rec);
	cr_assert(location_of(&t, 1, 1, 0x1000, &a));
	cr_assert(location_of(&t, 2, 1, 0x1000, &b));
	cr_assert_neq(a.image, b.image);
	cr_assert_eq(t.images.list.v[a.image].build_id_size, 20);
	cr_assert_eq(t.images.list.v[a.image].build_id[0], 1);
	cr_assert_eq(t.images.list.v[b.image].build_id[0], 2);
	timeline_end(&t);
}

Test(process, memory_without_a_file_keeps_the_address_as_recorded)
{
	const char *names[] = { "//anon",    "[heap]",	       "[stack]",
				"/dev/zero", "/anon_hugepage", "[anon:v8]" };
	struct timeline t;

	timeline_begin(&t);
	for (uint64_t i = 0; i < 6; i++)
		map(&t, 1, 1, 0x10000 * (i + 1), 0x10000, 0x5000, names[i]);
	for (uint64_t i = 0; i < 6; i++) {
		uint64_t ip = 0x10000 * (i + 1) + 0x123;
		struct location p;

		cr_assert(location_of(&t, 1, 1, ip, &p), "%s", names[i]);
		cr_assert_eq(t.images.list.v[p.image].kind, IMAGE_ANON, "%s", names[i]);
		cr_assert_eq(p.address, ip, "%s", names[i]);
	}
	timeline_end(&t);
}

Test(process, the_vdso_is_an_image_with_offsets_and_vsyscall_one_with_addresses)
{
	struct timeline t;
	struct location p;

	timeline_begin(&t);
	map(&t, 1, 1, 0x7ffff7fc0000, 0x2000, 0, "[vdso]");
	map(&t, 1, 1, 0xffffffffff600000, 0x1000, 0, "[vsyscall]");
	cr_assert(location_of(&t, 1, 1, 0x7ffff7fc0abc, &p));
	cr_assert_eq(t.images.list.v[p.image].kind, IMAGE_VDSO);
	cr_assert_eq(p.address, 0xabc);
	cr_assert(location_of(&t, 1, 1, 0xffffffffff600010, &p));
	cr_assert_eq(t.images.list.v[p.image].kind, IMAGE_VSYSCALL);
	cr_assert_eq(p.address, 0xffffffffff600010);
	timeline_end(&t);
}

Test(process, a_map_of_data_names_what_lies_there)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	apply(&t, (struct record){ .time = 2,
				   .type = PERF_RECORD_MMAP,
				   .mode = MODE_USER,
				   .pid = 1,
				   .tid = 1,
				   .start = 0x3000,
				   .size = 0x1000,
				   .executable = false,
				   .name = name_id(&t, "/data") });
	cr_assert_str_eq(path_at(&t, 3, 1, 0x1100), "/x");
	cr_assert_str_eq(path_at(&t, 3, 1, 0x3100), "/data", "as perf script has it");
	timeline_end(&t);
}

Test(process, the_kernel_is_there_at_all_times_with_its_reference_symbol)
{
	struct timeline t;
	const struct image *im;
	struct location p;

	timeline_begin(&t);
	kernel_map(&t, 0xffffffff81000000, 0x1000000, 0xffffffff81000040,
		   "[kernel.kallsyms]_text");
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	cr_assert(kernel_location_of(&t, 0, 0xffffffff81000123, &p));
	cr_assert(kernel_location_of(&t, 1ull << 60, 0xffffffff81000123, &p));
	cr_assert_eq(p.address, 0xffffffff81000123);
	im = &t.images.list.v[p.image];
	cr_assert_eq(im->kind, IMAGE_KERNEL);
	cr_assert_str_eq(intern_text(&t.strings, im->path), "[kernel.kallsyms]");
	cr_assert_str_eq(intern_text(&t.strings, im->reference), "_text");
	cr_assert_eq(im->reference_address, 0xffffffff81000040);
	cr_assert_str_eq(path_at(&t, 1, 1, 0xffffffff81000123), "",
			 "no map of a process");
	timeline_end(&t);
}

Test(process, a_kernel_map_to_the_end_of_addresses_does_not_wrap)
{
	struct timeline t;
	struct location p;

	timeline_begin(&t);
	kernel_map(&t, 0xffffffff81000000, UINT64_MAX - 0xffffffff81000000,
		   0xffffffff81000000, "[kernel.kallsyms]_stext");
	cr_assert(kernel_location_of(&t, 1, 0xffffffffc0001234, &p));
	cr_assert_eq(t.images.list.v[p.image].kind, IMAGE_KERNEL);
	timeline_end(&t);
}

Test(process, modules_are_images_of_their_own)
{
	struct timeline t;
	struct location a, b;

	timeline_begin(&t);
	kernel_map(&t, 0xffffffff81000000, 0x3f000000, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
	kernel_map(&t, 0xffffffffc0000000, 0x5000, 0, "[nf_conntrack]");
	kernel_map(&t, 0xffffffffc0005000, 0x5000, 0,
		   "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz");
	cr_assert(kernel_location_of(&t, 1, 0xffffffffc0000010, &a));
	cr_assert(kernel_location_of(&t, 1, 0xffffffffc0005010, &b));
	cr_assert_eq(t.images.list.v[a.image].kind, IMAGE_MODULE);
	cr_assert_eq(t.images.list.v[b.image].kind, IMAGE_MODULE);
	cr_assert_neq(a.image, b.image);
	cr_assert_eq(a.address, 0xffffffffc0000010);
	timeline_end(&t);
}

static void ksymbol(struct timeline *t, uint64_t time, uint64_t start, uint64_t size,
		    const char *name, bool gone)
{
	apply(t, (struct record){ .time = time,
				  .type = PERF_RECORD_KSYMBOL,
				  .mode = MODE_KERNEL,
				  .start = start,
				  .size = size,
				  .gone = gone,
				  .name = name_id(t, name) });
}

static const char *kernel_path_at(struct timeline *t, uint64_t time, uint64_t ip)
{
	struct location p;

	if (!kernel_location_of(t, time, ip, &p))
		return "";
	return intern_text(&t->strings, t->images.list.v[p.image].path);
}

Test(process, code_the_kernel_made_comes_and_goes)
{
	struct timeline t;
	struct location p;

	timeline_begin(&t);
	kernel_map(&t, 0xffffffff81000000, 0x7effffff, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
	ksymbol(&t, 10, 0xffffffffc0001000, 0x100, "bpf_prog_a", false);
	ksymbol(&t, 20, 0xffffffffc0001000, 0x100, "bpf_prog_a", true);
	ksymbol(&t, 30, 0xffffffffc0001000, 0x80, "bpf_prog_b", false);
	cr_assert_str_eq(kernel_path_at(&t, 15, 0xffffffffc0001010), "bpf_prog_a");
	cr_assert_str_neq(kernel_path_at(&t, 25, 0xffffffffc0001010), "bpf_prog_a");
	cr_assert_str_neq(kernel_path_at(&t, 25, 0xffffffffc0001010), "bpf_prog_b");
	cr_assert_str_eq(kernel_path_at(&t, 35, 0xffffffffc0001010), "bpf_prog_b");
	cr_assert_str_neq(kernel_path_at(&t, 35, 0xffffffffc0001090), "bpf_prog_b");
	cr_assert(kernel_location_of(&t, 35, 0xffffffffc0001010, &p));
	cr_assert_eq(t.images.list.v[p.image].kind, IMAGE_KSYMBOL);
	timeline_end(&t);
}

Test(process, symbols_without_a_map_of_the_kernel_take_no_time)
{
	struct timeline t;

	timeline_begin(&t);
	work_at_most(20);
	for (uint64_t i = 0; i < 400000; i++)
		ksymbol(&t, i, 0xffffffffc0000000 + i * 0x100, 0x100, "bpf_prog_a",
			false);
	cr_expect_str_eq(kernel_path_at(&t, 400000, 0xffffffffc0001010), "bpf_prog_a");
	timeline_end(&t);
}

Test(process, maps_that_no_memory_can_hold_do_no_harm)
{
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0, 0, "/empty");
	map(&t, 1, 1, UINT64_MAX - 10, 1000, UINT64_MAX, "/wraps");
	map(&t, 1, 1, 0, UINT64_MAX, 0, "/all");
	map(&t, 2, 1, 0x2000, 0x1000, UINT64_MAX - 1, "/offset");
	cr_assert_str_eq(path_at(&t, 1, 1, 0x1000), "/all");
	cr_assert_str_eq(path_at(&t, 2, 1, 0x2000), "/offset");
	cr_assert_eq(address_at(&t, 2, 1, 0x2002), 0, "an offset wraps as numbers do");
	timeline_end(&t);
}

Test(process, a_process_may_be_its_own_parent_and_parents_may_be_unknown)
{
	work_at_most(20);
	struct timeline t;

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	apply(&t, (struct record){ .time = 2,
				   .type = PERF_RECORD_FORK,
				   .pid = 1,
				   .tid = 1,
				   .ppid = 1,
				   .ptid = 1 });
	fork_process(&t, 3, 99, 5);
	fork_process(&t, 4, 5, 99);
	fork_process(&t, 5, 99, 5);
	exit_process(&t, 6, 12345);
	cr_assert_str_eq(path_at(&t, 9, 1, 0x1000), "/x");
	cr_assert_str_eq(path_at(&t, 9, 5, 0x1000), "");
	cr_assert_str_eq(path_at(&t, 9, 99, 0x1000), "");
	timeline_end(&t);
}

Test(process, a_hundred_thousand_nested_maps_are_fast)
{
	work_at_most(20);
	enum { MAPS = 100000 };
	struct timeline t;

	timeline_begin(&t);
	for (uint64_t i = 0; i < MAPS; i++)
		map(&t, i + 1, 1, i, 2 * MAPS - 2 * i, i << 20, "/nested");
	for (uint64_t i = 0; i < MAPS; i += 7) {
		cr_assert_eq(address_at(&t, MAPS + 1, 1, i), i << 20,
			     "the newest map that has it");
		cr_assert_eq(address_at(&t, i + 1, 1, MAPS), (i << 20) + MAPS - i,
			     "at its time");
		cr_assert_eq(address_at(&t, 1, 1, 2 * MAPS - 1), 2 * MAPS - 1,
			     "the outermost");
	}
	timeline_end(&t);
}

Test(process, a_hundred_thousand_maps_at_one_place_are_fast)
{
	work_at_most(20);
	enum { MAPS = 100000 };
	struct timeline t;

	timeline_begin(&t);
	map(&t, 0, 1, 0, 1 << 20, 0, "/below");
	for (uint64_t i = 0; i < MAPS; i++)
		map(&t, i + 1, 1, 0x1000, 0x1000, i << 20, "/again");
	for (uint64_t i = 0; i < MAPS; i += 7) {
		cr_assert_eq(address_at(&t, i + 1, 1, 0x1010), (i << 20) + 0x10);
		cr_assert_eq(address_at(&t, i + 1, 1, 0x3010), 0x3010,
			     "under none of them");
	}
	timeline_end(&t);
}

Test(process, a_chain_of_a_hundred_thousand_forks_is_fast_and_needs_no_deep_stack)
{
	work_at_most(30);
	enum { FORKS = 100000 };
	struct timeline t;

	timeline_begin(&t);
	comm(&t, 1, 1, 1, "first", EXEC);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/x");
	for (uint32_t pid = 1; pid <= FORKS; pid++)
		fork_process(&t, pid + 1, pid, pid + 1);
	cr_assert_str_eq(comm_at(&t, FORKS + 2, FORKS + 1, FORKS + 1), "first");
	for (int i = 0; i < 100; i++) {
		cr_assert_str_eq(path_at(&t, FORKS + 2, FORKS + 1, 0x1000), "/x");
		cr_assert_str_eq(path_at(&t, FORKS + 2, FORKS + 1, 0x5000), "");
	}
	timeline_end(&t);
}

Test(process, ten_thousand_forks_of_a_process_with_ten_thousand_maps_copy_nothing)
{
	work_at_most(20);
	enum { COUNT = 10000 };
	struct timeline t;
	char name[32];

	timeline_begin(&t);
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "/lib/%u", i);
		map(&t, 1, 1, (uint64_t)i << 12, 1 << 12, 0, name);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		fork_process(&t, 2, 1, 2 + i);
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "/lib/%u", i);
		cr_assert_str_eq(path_at(&t, 3, 2 + i, (uint64_t)i << 12), name);
	}
	timeline_end(&t);
}

Test(process, the_files_that_code_was_mapped_from_are_each_told_once)
{
	struct timeline t;
	struct space space;
	uint32_t images[3] = { 0 };

	timeline_begin(&t);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/bin/x");
	map_any(&t, 1, 1, 0x8000, 0x1000, 0, "/data", false);
	map(&t, 2, 1, 0x1000, 0x1000, 0, "/lib/y");
	map(&t, 3, 1, 0x4000, 0x1000, 0, "/bin/x");
	fork_process(&t, 4, 1, 2);
	map(&t, 5, 2, 0x6000, 0x1000, 0, "/lib/z");
	processes_space(t.ps, 1, 9, &space);
	cr_expect_eq(processes_code_files(t.ps, &space, images, 3), 2);
	processes_space(t.ps, 2, 9, &space);
	cr_expect_eq(processes_code_files(t.ps, &space, images, 3), 3,
		     "those of its parent with them");
	cr_expect_eq(processes_code_files(t.ps, &space, images, 2), 3, "too many");
	cr_expect_str_eq(intern_text(&t.strings, t.images.list.v[images[0]].path),
			 "/lib/z");
	timeline_end(&t);
}
