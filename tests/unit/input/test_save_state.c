#include "input/save_state.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static struct save_state state;

static void end(void)
{
	save_state_release(&state);
}

static void add(uint32_t type, uint32_t pid, uint32_t parent, uint32_t tid)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, parent, tid, parent_tid;
	} record = { { .type = type, .size = sizeof(record) }, pid, parent, tid, parent };

	save_state_add(&state, (const uint8_t *)&record, sizeof(record));
}

static void forks(uint32_t pid, uint32_t parent)
{
	add(PERF_RECORD_FORK, pid, parent, pid);
}

static void maps(uint32_t pid)
{
	add(PERF_RECORD_MMAP2, pid, pid, 0);
}

static void ends(uint32_t pid)
{
	add(PERF_RECORD_EXIT, pid, 1, pid);
}

static void runs(uint32_t pid)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		char name[8];
	} record = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(record) },
		     pid,
		     pid,
		     "program" };

	save_state_add(&state, (const uint8_t *)&record, sizeof(record));
}

/* The pids of the maps that are left, as "1 7 ". */
static const char *mapped(void)
{
	static char text[64];
	size_t used = 0;

	text[0] = '\0';
	for (size_t at = 0; at < state.records.count;) {
		struct perf_event_header head;
		uint32_t pid;

		memcpy(&head, state.records.v + at, sizeof(head));
		memcpy(&pid, state.records.v + at + sizeof(head), sizeof(pid));
		if (head.type == PERF_RECORD_MMAP2)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%u ",
						 pid);
		at += head.size;
	}
	return text;
}

Test(save_state, who_has_ended_is_forgotten, .fini = end)
{
	maps(7);
	forks(8, 1);
	maps(8);
	ends(8);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "7 ");
	ends(7);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "");
}

Test(save_state, who_has_handed_maps_down_to_one_that_lives_is_not, .fini = end)
{
	maps(7);
	forks(8, 7);
	forks(9, 8);
	ends(7);
	ends(8);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "7 ");
	ends(9);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "");
}

Test(save_state, a_pid_that_is_used_again_lives, .fini = end)
{
	forks(8, 1);
	ends(8);
	forks(8, 1);
	maps(8);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "8 ");
}

Test(save_state, a_thread_that_ends_is_not_its_process, .fini = end)
{
	maps(7);
	add(PERF_RECORD_FORK, 7, 7, 70);
	add(PERF_RECORD_EXIT, 7, 7, 70);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "7 ");
}

Test(save_state, a_process_lives_as_long_as_one_of_its_threads, .fini = end)
{
	forks(7, 1);
	maps(7);
	add(PERF_RECORD_FORK, 7, 7, 70);
	ends(7);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "7 ");
	add(PERF_RECORD_EXIT, 7, 7, 70);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "");
}

/* The thread goes on as the first one: no EXIT says that its tid has gone. */
Test(save_state, a_thread_that_runs_a_program_is_its_process, .fini = end)
{
	forks(7, 1);
	add(PERF_RECORD_FORK, 7, 7, 70);
	ends(7);
	runs(7);
	maps(7);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "7 ");
	ends(7);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_str_eq(mapped(), "");
}

Test(save_state, what_is_the_kernels_stays_and_what_was_counted_does_not, .fini = end)
{
	add(PERF_RECORD_LOST, 1, 1, 1);
	cr_assert_eq(state.records.count, 0);
	add(PERF_RECORD_KSYMBOL, 5, 0, 0);
	ends(5);
	cr_assert_eq(save_state_forget(&state), 0);
	cr_assert_eq(state.records.count, 24);
}
