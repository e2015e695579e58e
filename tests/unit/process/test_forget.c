#include "process/timeline.h"

#include "base/budget.h"
#include "process/keep.h"

#include "timeline.h"

enum { MAPS = 64, MANY = 40000 };

/* One that has a name and maps and ends at @time. */
static void live(struct timeline *t, uint64_t time, uint32_t pid)
{
	fork_process(t, time, 1, pid);
	comm(t, time, pid, pid, "short", EXEC);
	for (uint64_t i = 1; i <= MAPS; i++)
		map(t, time, pid, 0x1000 * i, 0x1000, 0, "/bin/short");
	exit_process(t, time, pid);
}

static bool is_known(struct timeline *t, uint64_t time, uint32_t pid)
{
	return strcmp(path_at(t, time, pid, 0x1000), "/bin/short") == 0 &&
	       strcmp(comm_at(t, time, pid, pid), "short") == 0;
}

Test(forget, what_has_ended_is_known_until_nobody_asks_about_that_time)
{
	struct timeline t;

	grow(&t);
	live(&t, 10, 5);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(processes_forget(t.ps, 10), 0);
	cr_assert(is_known(&t, 10, 5));
	cr_assert_eq(processes_forget(t.ps, 11), 0);
	cr_assert_not(is_known(&t, 11, 5));
	timeline_end(&t);
}

Test(forget, the_oldest_of_too_many_go_first_but_none_that_has_just_ended)
{
	struct timeline t;

	grow(&t);
	for (uint32_t pid = 2; pid < MANY; pid++)
		live(&t, pid, pid);
	cr_assert_eq(processes_forget(t.ps, 1), 0);
	cr_assert(is_known(&t, MANY, 2), "it ended since the last call");
	cr_assert_eq(processes_forget(t.ps, 1), 0);
	cr_assert_not(is_known(&t, MANY, 2), "all of them are more than ENDED_MOST");
	cr_assert(is_known(&t, MANY, MANY - 1), "there is room for the newest");
	timeline_end(&t);
}

Test(forget, what_is_left_of_too_many_is_no_more_than_stated)
{
	const size_t least = MAPS * 48; /* a process, its maps alone */
	struct timeline t;
	size_t left = 0;

	grow(&t);
	for (uint32_t pid = 2; pid < MANY; pid++)
		live(&t, pid, pid);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(processes_forget(t.ps, 1), 0);
	for (uint32_t pid = 2; pid < MANY; pid++)
		left += is_known(&t, MANY, pid);
	cr_assert(left * least <= ENDED_MOST, "%zu processes", left);
	cr_assert(left * least >= ENDED_MOST / 8, "%zu processes", left);
	timeline_end(&t);
}

Test(forget, a_process_that_lives_is_kept_whatever_has_ended)
{
	struct timeline t;

	grow(&t);
	comm(&t, 1, 1, 1, "short", EXEC);
	map(&t, 1, 1, 0x1000, 0x1000, 0, "/bin/short");
	for (uint32_t pid = 2; pid < MANY; pid++)
		live(&t, pid, pid);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(processes_forget(t.ps, MANY), 0);
	cr_assert(is_known(&t, MANY, 1));
	timeline_end(&t);
}

/* main() may end by pthread_exit(). */
Test(forget, a_process_lives_as_long_as_one_of_its_threads)
{
	struct timeline t;

	grow(&t);
	fork_process(&t, 10, 1, 5);
	comm(&t, 10, 5, 5, "short", EXEC);
	map(&t, 10, 5, 0x1000, 0x1000, 0, "/bin/short");
	fork_thread(&t, 11, 5, 5, 50);
	fork_thread(&t, 11, 5, 5, 51);
	exit_process(&t, 12, 5);
	exit_thread(&t, 13, 5, 50);
	cr_assert_eq(processes_forget(t.ps, 20), 0);
	cr_assert_str_eq(path_at(&t, 20, 5, 0x1000), "/bin/short");
	exit_thread(&t, 21, 5, 51);
	cr_assert_eq(processes_forget(t.ps, 30), 0);
	cr_assert_str_neq(path_at(&t, 30, 5, 0x1000), "/bin/short");
	timeline_end(&t);
}

/* The thread goes on as the first one: no EXIT says that its tid has gone. */
Test(forget, a_thread_that_runs_a_program_is_its_process)
{
	struct timeline t;

	grow(&t);
	fork_process(&t, 10, 1, 5);
	fork_thread(&t, 11, 5, 5, 50);
	exit_process(&t, 12, 5);
	comm(&t, 13, 5, 5, "short", EXEC);
	map(&t, 13, 5, 0x1000, 0x1000, 0, "/bin/short");
	cr_assert_eq(processes_forget(t.ps, 20), 0);
	cr_assert(is_known(&t, 20, 5));
	exit_process(&t, 21, 5);
	cr_assert_eq(processes_forget(t.ps, 30), 0);
	cr_assert_not(is_known(&t, 30, 5));
	timeline_end(&t);
}

/* What all may copy is 4,096 maps a record: of a process that forks for ever not all are there. */
Test(forget, maps_that_children_do_not_get_are_counted)
{
	struct timeline t;

	grow(&t);
	for (uint32_t i = 0; i < 10; i++)
		map_any(&t, 1, 1, 0x10000 * (i + 1), 0x1000, 0, "/lib/x", false);
	fork_process(&t, 2, 1, 2);
	cr_expect_eq(processes_maps_cut(t.ps), 0);
	t.ps->copies_left = 0;
	for (uint32_t i = 0; i < 4090; i++)
		map_any(&t, 3, 1, 0x1000000 + 0x10000 * i, 0x1000, 0, "/lib/x", false);
	t.ps->copies_left = 0;
	fork_process(&t, 4, 1, 3);
	cr_expect_eq(processes_maps_cut(t.ps), 4100 - 4096);
	fork_process(&t, 5, 1, 4);
	cr_expect_eq(processes_maps_cut(t.ps), 2 * (4100 - 4096));
	timeline_end(&t);
}

/* A growing timeline that may take no more memory from now on. */
static void refuse(struct timeline *t, struct search_dirs *dirs, struct budget *budget)
{
	budget_init(budget, 0);
	dirs->budget = budget;
	t->images.dirs = dirs;
}

Test(forget, a_map_that_no_memory_is_left_for_hides_what_was_there)
{
	struct search_dirs dirs = { 0 };
	struct space before, after;
	struct budget budget;
	struct timeline t;

	grow(&t);
	comm(&t, 1, 5, 5, "short", EXEC);
	map(&t, 1, 5, 0x1000, 0x1000, 0, "/bin/short");
	refuse(&t, &dirs, &budget);
	for (uint64_t i = 2; i <= MAPS; i++)
		map(&t, 2, 5, 0x1000 * i, 0x1000, 0, "/bin/short");
	cr_assert_str_eq(path_at(&t, 2, 5, 0x1000), "/bin/short");
	processes_space(t.ps, 5, 2, &before);
	/* It begins in one and ends in the next. */
	map(&t, 3, 5, 0x1800, 0x1000, 0, "/bin/other");
	processes_space(t.ps, 5, 3, &after);
	cr_assert_str_neq(path_at(&t, 3, 5, 0x1000), "/bin/short");
	cr_assert_str_neq(path_at(&t, 3, 5, 0x2000), "/bin/short");
	cr_assert_str_eq(path_at(&t, 3, 5, 0x3000), "/bin/short");
	cr_assert(before.epoch != after.epoch && before.layout != after.layout,
		  "what was remembered of addresses");
	cr_assert(budget.refused > 0);
	timeline_end(&t);
	budget_release(&budget);
}

Test(forget, a_program_that_begins_without_memory_ends_the_one_before)
{
	struct search_dirs dirs = { 0 };
	struct budget budget;
	struct timeline t;

	grow(&t);
	comm(&t, 1, 5, 5, "short", EXEC);
	map(&t, 1, 5, 0x1000, 0x1000, 0, "/bin/short");
	refuse(&t, &dirs, &budget);
	for (uint32_t pid = 6; pid < MANY; pid++)
		comm(&t, 2, pid, pid, "many", EXEC);
	cr_assert_str_neq(comm_at(&t, 2, MANY - 1, MANY - 1), "many");
	comm(&t, 3, 5, 5, "next", EXEC);
	cr_assert_str_eq(comm_at(&t, 3, 5, 5), "next");
	cr_assert_str_neq(path_at(&t, 3, 5, 0x1000), "/bin/short");
	timeline_end(&t);
	budget_release(&budget);
}
