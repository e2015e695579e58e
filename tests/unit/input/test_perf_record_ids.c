#include "recording.h"

/* Records that say what a process or an id belongs to. */
static void namespaces(struct made *m, uint64_t claimed, uint64_t written)
{
	begin_record(m, PERF_RECORD_NAMESPACES, 0);
	two(m, 5, 6);
	u64(m, claimed);
	for (uint64_t i = 0; i < written; i++) {
		u64(m, 4);
		u64(m, 4026531840u + i);
	}
	trailer(m, 5, 6, 77);
	end_record(m);
}

Test(perf_record, namespaces_have_a_device_and_an_inode_each)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	namespaces(&m, 7, 7);
	made_open(&m);
	r = only_state(&m);
	cr_assert(r.type == PERF_RECORD_NAMESPACES && r.pid == 5 && r.tid == 6);
	cr_assert_eq(r.time, 77);
	for (uint32_t i = 0; i < NAMESPACE_KINDS; i++)
		cr_assert(r.namespaces[i].dev == 4 &&
			  r.namespaces[i].ino == 4026531840u + i);
	made_end(&m);
}

Test(perf_record, namespaces_that_an_older_kernel_does_not_know_are_0)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	namespaces(&m, 3, 3);
	made_open(&m);
	r = only_state(&m);
	cr_assert_eq(r.namespaces[NAMESPACE_IPC].ino, 4026531842u);
	cr_assert(r.namespaces[NAMESPACE_PID].dev == 0 &&
		  r.namespaces[NAMESPACE_PID].ino == 0);
	made_end(&m);
}

Test(perf_record, namespaces_that_a_later_kernel_knows_are_passed_over)
{
	struct made m;

	made_begin(&m, &plain, 1);
	namespaces(&m, 9, 9);
	made_open(&m);
	cr_assert_eq(only_state(&m).namespaces[NAMESPACE_CGROUP].ino, 4026531846u);
	made_end(&m);
}

Test(perf_record, namespaces_that_are_not_there_are_not_read)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	namespaces(&m, UINT64_MAX, 1);
	made_open(&m);
	cr_assert_eq(next_state(&m, &r), 0);
	cr_assert_eq(input_recording(m.in)->unknown, 1);
	made_end(&m);
}

Test(perf_record, a_cgroup_has_an_id_and_a_path)
{
	struct made m;
	struct record r;

	made_begin(&m, &plain, 1);
	begin_record(&m, PERF_RECORD_CGROUP, 0);
	u64(&m, 0x1122334455667788);
	string(&m, "/system.slice/a");
	trailer(&m, 5, 6, 77);
	end_record(&m);
	made_open(&m);
	r = only_state(&m);
	cr_assert(r.type == PERF_RECORD_CGROUP && r.id == 0x1122334455667788 &&
		  r.time == 77);
	cr_assert_str_eq(text(&m, r.name), "/system.slice/a");
	made_end(&m);
}

static struct record bpf(struct made *m, uint32_t what)
{
	made_begin(m, &plain, 1);
	begin_record(m, PERF_RECORD_BPF_EVENT, 0);
	two(m, what, 9);
	bytes(m, "\x00\x11\x22\x33\x44\x55\x66\xff", 8);
	trailer(m, 5, 6, 77);
	end_record(m);
	made_open(m);
	return only_state(m);
}

Test(perf_record, a_bpf_program_has_an_id_and_leaves_no_name)
{
	struct made m;
	struct record r = bpf(&m, 1);

	cr_assert(r.type == PERF_RECORD_BPF_EVENT && r.id == 9 && !r.gone);
	cr_assert_str_eq(text(&m, r.name), "");
	made_end(&m);
	cr_assert(bpf(&m, 2).gone);
	made_end(&m);
}

Test(perf_record, a_change_of_state_is_small)
{
	/* Files of many processes hold millions of them. */
	cr_assert_leq(sizeof(struct record), 112);
}
