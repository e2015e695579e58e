/*
 * bpf(2) goes from id to id through all programs that are loaded, and tells where the
 * functions of each lie, and how long they are. It cuts names at 15 letters and has none
 * for functions but the first. Whole names stand in /proc/kallsyms, which takes tens of
 * milliseconds to read, so it is read only if a program has a name that was cut, or
 * several functions.
 */
#include "live/preexisting/bpf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "live/preexisting/record.h"

enum {
	PROGRAMS_MOST = 1 << 16,
	FUNCTIONS_MOST = 256, /* of a program, BPF_MAX_SUBPROGS */
	NAME_ROOM = 256,
	SYMBOLS_MOST = 256 << 20,
};

struct preexisting_bpf {
	struct bytes *to;
	char *symbols; /* /proc/kallsyms, once it was needed */
	bool looked;
	uint64_t addresses[FUNCTIONS_MOST];
	uint32_t lengths[FUNCTIONS_MOST];
};

static long bpf(int what, union bpf_attr *attr)
{
	return syscall(SYS_bpf, what, attr, sizeof(*attr));
}

/*
 * What kallsyms does not name is bpf_prog_TAG, with _NAME for the first function where
 * the program has a name, and with _F for the others.
 *
 *	KSYMBOL      u64 address | u32 length | u16 type, flags | name
 *	BPF_EVENT    u16 type, flags | u32 id | u8 tag[8]
 */
static void add_program(struct preexisting_bpf *k, uint32_t id,
			const struct bpf_prog_info *info)
{
	uint32_t count = info->nr_jited_ksyms < info->nr_jited_func_lens
				 ? info->nr_jited_ksyms
				 : info->nr_jited_func_lens;
	bool whole = count == 1 &&
		     strnlen(info->name, sizeof(info->name)) < sizeof(info->name) - 1;
	char name[NAME_ROOM], tag[2 * BPF_TAG_SIZE + 1], needle[32];
	struct context unheard = { .log = NULL };
	struct record_writer r;
	size_t size;

	for (int i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", info->tag[i]);
	for (uint32_t i = 0; i < count && i < FUNCTIONS_MOST; i++) {
		const char *line = NULL;

		if (!k->addresses[i])
			continue;
		/* /proc/kallsyms has all of a name, and a name for each function: see above. */
		if (!whole && !k->looked) {
			k->looked = true;
			if (file_slurp(&unheard, "/proc/kallsyms", SYMBOLS_MOST,
				       &k->symbols, &size) < 0)
				k->symbols = NULL;
		}
		if (!whole && k->symbols) {
			snprintf(needle, sizeof(needle), "\n%016llx t ",
				 (unsigned long long)k->addresses[i]);
			line = strstr(k->symbols, needle);
		}
		line = line ? line + strlen(needle) : "";
		size = strcspn(line, "\t\n ");
		if (size < NAME_ROOM)
			memcpy(name, line, size);
		if (size == 0 || size >= NAME_ROOM)
			size = (size_t)snprintf(name, sizeof(name), "bpf_prog_%s%s%.16s",
						tag, i || info->name[0] ? "_" : "",
						i ? "F" : info->name);
		r = record_writer_begin(k->to, PERF_RECORD_KSYMBOL, 0, 0, 0);
		record_writer_u64(&r, k->addresses[i]);
		record_writer_u32(&r, k->lengths[i]);
		record_writer_u16(&r, PERF_RECORD_KSYMBOL_TYPE_BPF);
		record_writer_u16(&r, 0);
		record_writer_text(&r, name, size);
		record_writer_end(&r);
	}
	r = record_writer_begin(k->to, PERF_RECORD_BPF_EVENT, 0, 0, 0);
	record_writer_u16(&r, PERF_BPF_EVENT_PROG_LOAD);
	record_writer_u16(&r, 0);
	record_writer_u32(&r, id);
	bytes_add(k->to, info->tag, BPF_TAG_SIZE);
	record_writer_end(&r);
}

int preexisting_bpf_read(struct bytes *to)
{
	struct preexisting_bpf *k = calloc(1, sizeof(*k));
	union bpf_attr attr;
	uint32_t id = 0;

	if (!k)
		return -ENOMEM;
	k->to = to;
	for (int i = 0; i < PROGRAMS_MOST; i++) {
		struct bpf_prog_info info = { .nr_jited_ksyms = FUNCTIONS_MOST,
					      .jited_ksyms = (uintptr_t)k->addresses,
					      .nr_jited_func_lens = FUNCTIONS_MOST,
					      .jited_func_lens = (uintptr_t)k->lengths };
		bool got;
		int fd;

		attr = (union bpf_attr){ .start_id = id };
		if (bpf(BPF_PROG_GET_NEXT_ID, &attr) < 0)
			break;
		id = attr.next_id;
		attr = (union bpf_attr){ .prog_id = id };
		fd = (int)bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		attr = (union bpf_attr){ .info = { .bpf_fd = (uint32_t)fd,
						   .info_len = sizeof(info),
						   .info = (uintptr_t)&info } };
		got = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
		close(fd);
		if (got)
			add_program(k, id, &info);
	}
	free(k->symbols);
	free(k);
	return to->failed ? -ENOMEM : 0;
}
