#include "process/process.h"

#include "timeline.h"

/* What a process belongs to: its namespaces, and what ids of cgroups and BPF programs
 * stand for. */
static void enter(struct timeline *t, uint64_t time, uint32_t pid, uint32_t tid,
		  uint32_t pid_namespace)
{
	struct record rec = {
		.time = time, .type = PERF_RECORD_NAMESPACES, .pid = pid, .tid = tid
	};

	for (uint32_t i = 0; i < NAMESPACE_KINDS; i++)
		rec.namespaces[i] = (struct namespace_id){ 4, 100 + i };
	rec.namespaces[NAMESPACE_PID].ino = pid_namespace;
	apply(t, rec);
}

/* 0: not known */
static uint32_t pid_namespace(const struct timeline *t, uint32_t pid, uint64_t time)
{
	const struct namespace_id *ids = processes_namespaces(t->ps, pid, time);

	return ids ? ids[NAMESPACE_PID].ino : 0;
}

Test(namespaces, are_those_of_the_time_that_is_asked_about)
{
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 10, 1, 1, 7);
	enter(&t, 20, 1, 1, 8);
	cr_assert_eq(pid_namespace(&t, 1, 9), 0, "before the first record");
	cr_assert_eq(pid_namespace(&t, 1, 10), 7);
	cr_assert_eq(pid_namespace(&t, 1, 19), 7);
	cr_assert_eq(pid_namespace(&t, 1, 20), 8);
	cr_assert_eq(pid_namespace(&t, 1, UINT64_MAX), 8);
	cr_assert_eq(pid_namespace(&t, 2, 20), 0, "another process");
	timeline_end(&t);
}

Test(namespaces, have_device_and_inode_of_each_kind)
{
	const struct namespace_id *ids;
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 1, 1, 1, 7);
	ids = processes_namespaces(t.ps, 1, 1);
	cr_assert_not_null(ids);
	cr_assert(ids[NAMESPACE_NET].dev == 4 && ids[NAMESPACE_NET].ino == 100);
	cr_assert(ids[NAMESPACE_MNT].dev == 4 && ids[NAMESPACE_MNT].ino == 105);
	cr_assert(ids[NAMESPACE_CGROUP].ino == 106);
	timeline_end(&t);
}

Test(namespaces, of_a_thread_are_not_those_of_its_process)
{
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 1, 1, 1, 7);
	enter(&t, 2, 1, 2, 8);
	cr_assert_eq(pid_namespace(&t, 1, 5), 7);
	timeline_end(&t);
}

Test(namespaces, of_a_child_are_those_of_its_parent_at_the_fork)
{
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 1, 1, 1, 7);
	fork_process(&t, 5, 1, 2);
	enter(&t, 6, 1, 1, 8);
	fork_process(&t, 7, 1, 3);
	enter(&t, 7, 3, 3, 9);
	cr_assert_eq(pid_namespace(&t, 2, 4), 0, "not there yet");
	cr_assert_eq(pid_namespace(&t, 2, 9), 7);
	cr_assert_eq(pid_namespace(&t, 3, 9), 9, "its own record wins");
	timeline_end(&t);
}

Test(namespaces, of_an_earlier_process_with_the_same_number_are_not_its_own)
{
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 1, 5, 5, 7);
	exit_process(&t, 10, 5);
	fork_process(&t, 20, 1, 5);
	cr_assert_eq(pid_namespace(&t, 5, 10), 7);
	cr_assert_eq(pid_namespace(&t, 5, 20), 0);
	timeline_end(&t);
}

Test(namespaces, outlive_an_exec)
{
	struct timeline t;

	timeline_begin(&t);
	enter(&t, 1, 1, 1, 7);
	comm(&t, 2, 1, 1, "sh", EXEC);
	cr_assert_eq(pid_namespace(&t, 1, 3), 7);
	timeline_end(&t);
}

Test(namespaces, go_with_their_process_in_a_growing_timeline)
{
	struct timeline t;

	grow(&t);
	enter(&t, 1, 1, 1, 7);
	exit_process(&t, 10, 1);
	cr_assert_eq(processes_forget(t.ps, 10), 0);
	cr_assert_eq(pid_namespace(&t, 1, 10), 7, "somebody may ask still");
	cr_assert_eq(processes_forget(t.ps, 11), 0);
	cr_assert_eq(pid_namespace(&t, 1, 11), 0);
	timeline_end(&t);
}

Test(namespaces, nobody_asks_about_any_more_are_forgotten)
{
	struct timeline t;

	grow(&t);
	for (uint32_t i = 1; i <= 1000; i++) {
		enter(&t, i, 1, 1, i);
		cr_assert_eq(processes_forget(t.ps, i), 0);
	}
	cr_assert_eq(pid_namespace(&t, 1, 1000), 1000);
	cr_assert_eq(pid_namespace(&t, 1, 1), 0);
	timeline_end(&t);
}

static void name_id_of(struct timeline *t, uint16_t type, uint64_t id, const char *name,
		       bool gone)
{
	apply(t,
	      (struct record){
		      .type = type, .name = name_id(t, name), .gone = gone, .id = id });
}

Test(process, a_cgroup_has_the_path_of_its_id)
{
	struct timeline t;

	timeline_begin(&t);
	name_id_of(&t, PERF_RECORD_CGROUP, 1ull << 40, "/system.slice", false);
	cr_assert_eq(processes_cgroup(t.ps, 1ull << 40), name_id(&t, "/system.slice"));
	cr_assert_eq(processes_cgroup(t.ps, 5), name_id(&t, ""), "not recorded");
	cr_assert_eq(processes_cgroup(t.ps, 0), name_id(&t, ""), "none");
	timeline_end(&t);
}
