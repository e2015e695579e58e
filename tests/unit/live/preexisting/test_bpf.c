#include "live/preexisting/bpf.h"

#include <criterion/criterion.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "live/preexisting/record.h"

/* "return 0;" as a socket filter. */
static int load(const char *name)
{
	static const struct bpf_insn code[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
						{ .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insns = (uintptr_t)code,
				.insn_cnt = 2,
				.license = (uintptr_t) "GPL" };

	memcpy(attr.prog_name, name, strlen(name));
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* How many records of this type there are whose text at @offset ends so. */
static size_t count(const struct bytes *records, uint32_t type, size_t offset,
		    const char *end)
{
	size_t found = 0;

	for (size_t at = 0; at < records->count;) {
		const struct perf_event_header *head = (const void *)(records->v + at);
		const char *text = (const char *)head + offset;

		found += head->type == type &&
			 (!end || (strlen(text) > strlen(end) &&
				   strcmp(text + strlen(text) - strlen(end), end) == 0));
		at += head->size;
	}
	return found;
}

Test(preexisting_bpf, programs_that_are_loaded_are_told)
{
	enum { NAME = 8 + 16 };
	struct bytes records = { 0 };
	int fd = load("ff_test");

	if (fd < 0)
		cr_skip("BPF programs are not for this user to load");
	cr_assert_eq(preexisting_bpf_read(&records), 0);
	if (!count(&records, PERF_RECORD_KSYMBOL, 0, NULL))
		cr_skip("BPF programs are not compiled here");
	cr_assert_eq(count(&records, PERF_RECORD_KSYMBOL, NAME, "_ff_test"), 1);
	cr_assert_geq(count(&records, PERF_RECORD_BPF_EVENT, 0, NULL), 1);
	bytes_release(&records);
	close(fd);
	cr_assert_eq(preexisting_bpf_read(&records), 0);
	bytes_release(&records);
}

Test(preexisting_bpf, a_name_that_is_cut_is_that_of_the_kernel)
{
	enum { NAME = 8 + 16 };
	struct bytes records = { 0 };
	int fd = load("ff_test_longest");

	if (fd < 0)
		cr_skip("BPF programs are not for this user to load");
	cr_assert_eq(preexisting_bpf_read(&records), 0);
	if (count(&records, PERF_RECORD_KSYMBOL, 0, NULL))
		cr_assert_eq(
			count(&records, PERF_RECORD_KSYMBOL, NAME, "_ff_test_longest"),
			1);
	bytes_release(&records);
	close(fd);
}
