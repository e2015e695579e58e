#include "live/preexisting/preexisting.h"

#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct context ctx;
static struct live_preexisting *known;
static const uint8_t *bytes;
static size_t size;

struct record_writer {
	struct perf_event_header head;
	const uint8_t *body; /* behind the head */
	const struct live_trailer *trailer;
};

static void read_known(enum ff_record_who who, pid_t pid,
		       enum live_preexisting_files files)
{
	struct live_target target = { .who = who, .cgroup = -1 };

	if (pid) {
		pid_t *item = array_add(&target.processes);

		*item = pid;
	}
	cr_assert_eq(live_preexisting_start(&ctx, &target, files, &known), 0);
	array_release(&target.processes);
	cr_assert_eq(live_preexisting_records(&ctx, known, &bytes, &size), 0, "%s",
		     ctx.error);
	cr_assert(live_preexisting_done(known));
}

/* The next one at *@at; false at the end. */
static bool next(size_t *at, struct record_writer *ret)
{
	if (*at == size)
		return false;
	cr_assert_leq(*at + sizeof(ret->head) + sizeof(struct live_trailer), size);
	memcpy(&ret->head, bytes + *at, sizeof(ret->head));
	cr_assert_eq(ret->head.size % 8, 0);
	cr_assert_geq(ret->head.size, sizeof(ret->head) + sizeof(struct live_trailer));
	cr_assert_leq(*at + ret->head.size, size);
	ret->body = bytes + *at + sizeof(ret->head);
	ret->trailer = (const void *)(bytes + *at + ret->head.size -
				      sizeof(struct live_trailer));
	cr_assert(ret->trailer->time == 0 && ret->trailer->id == 0);
	*at += ret->head.size;
	return true;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static bool is_text(const struct record_writer *r, size_t offset, const char *text)
{
	return strcmp((const char *)r->body + offset, text) == 0;
}

enum { MMAP2_NAME = 64, COMM_NAME = 8, MISC_BUILD_ID = 1 << 14 };

/* The executable maps of this process, as /proc/self/maps says it now. */
static size_t own_code(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[5000], protection[8];
	size_t count = 0;

	/* The kernel's page of old is not the process's own. */
	while (fgets(line, sizeof(line), maps))
		count += sscanf(line, "%*s %7s", protection) == 1 &&
			 protection[2] == 'x' && !strstr(line, "[vsyscall]");
	fclose(maps);
	return count;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	return st.st_ino;
}

Test(known, a_process_is_told_with_all_its_code)
{
	struct record_writer r;
	size_t maps = 0, at = 0;
	bool self = false;
	char exe[4096];

	exe[readlink("/proc/self/exe", exe, sizeof(exe) - 1)] = '\0';
	read_known(FF_RECORD_PROCESSES, getpid(), PREEXISTING_BY_INODE);
	while (next(&at, &r)) {
		if (r.head.type != PERF_RECORD_MMAP2 ||
		    u32_at(r.body) != (uint32_t)getpid())
			continue;
		if (is_text(&r, MMAP2_NAME, "[vsyscall]"))
			continue;
		cr_assert_eq(r.head.misc, PERF_RECORD_MISC_USER);
		cr_assert(u32_at(r.body + 56) & PROT_EXEC);
		maps++;
		if (!is_text(&r, MMAP2_NAME, exe))
			continue;
		self = true;
		cr_assert_eq(u64_at(r.body + 40), inode_of(exe));
		cr_assert_eq(r.trailer->pid, getpid());
	}
	cr_assert(self, "%s is not among them", exe);
	/* The thread that reads maps none. */
	cr_assert_eq(maps, own_code());
	live_preexisting_free(known);
}

Test(known, files_go_by_their_build_id_where_that_is_wanted)
{
	struct record_writer r;
	size_t with = 0, at = 0;

	read_known(FF_RECORD_PROCESSES, getpid(), PREEXISTING_BY_BUILD_ID);
	while (next(&at, &r))
		if (r.head.type == PERF_RECORD_MMAP2 && r.head.misc & MISC_BUILD_ID &&
		    (r.head.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			    PERF_RECORD_MISC_USER) {
			cr_assert_eq(r.body[32], 20);
			with++;
		}
	/* This program, and what it is linked with. */
	cr_assert_gt(with, 2);
	live_preexisting_free(known);
}

static void *sleep_named(void *arg)
{
	int *pipes = arg;
	char byte;

	prctl(PR_SET_NAME, "named) S 1 (");
	cr_assert_eq(write(pipes[1], "", 1), 1);
	cr_assert_eq(read(pipes[2], &byte, 1), 0);
	return NULL;
}

Test(known, threads_have_their_names)
{
	struct record_writer r;
	int ready[2], end[2];
	bool named = false, forked = false, main_named = false;
	uint32_t tid = 0;
	pthread_t thread;
	size_t at = 0;
	char byte;

	prctl(PR_SET_NAME, "first) R 7");
	cr_assert_eq(pipe(ready) | pipe(end), 0);
	pthread_create(&thread, NULL, sleep_named, (int[]){ ready[0], ready[1], end[0] });
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	read_known(FF_RECORD_PROCESSES, getpid(), PREEXISTING_BY_INODE);
	while (next(&at, &r)) {
		bool comm = r.head.type == PERF_RECORD_COMM;

		if (comm && is_text(&r, COMM_NAME, "named) S 1 (")) {
			named = u32_at(r.body) == (uint32_t)getpid();
			tid = u32_at(r.body + 4);
		}
		main_named |= comm && is_text(&r, COMM_NAME, "first) R 7") &&
			      u32_at(r.body + 4) == (uint32_t)getpid();
	}
	for (at = 0; next(&at, &r);)
		forked |= r.head.type == PERF_RECORD_FORK && tid &&
			  u32_at(r.body + 8) == tid &&
			  u32_at(r.body) == u32_at(r.body + 4);
	cr_assert(named && forked && main_named);
	close(end[1]);
	pthread_join(thread, NULL);
	live_preexisting_free(known);
}

Test(known, a_parent_and_its_namespaces_are_told)
{
	struct record_writer r;
	bool fork = false, namespaces = false;
	struct stat st;
	size_t at = 0;

	read_known(FF_RECORD_PROCESSES, getpid(), PREEXISTING_BY_INODE);
	cr_assert_eq(stat("/proc/self/ns/pid", &st), 0);
	while (next(&at, &r)) {
		if (r.head.type == PERF_RECORD_FORK)
			fork |= u32_at(r.body) == (uint32_t)getpid() &&
				u32_at(r.body + 4) == (uint32_t)getppid();
		if (r.head.type == PERF_RECORD_NAMESPACES) {
			cr_assert_eq(u64_at(r.body + 8), 7);
			cr_assert_eq(u64_at(r.body + 16 + 3 * 16 + 8), st.st_ino);
			namespaces = true;
		}
	}
	cr_assert(fork && namespaces);
	live_preexisting_free(known);
}

Test(known, memory_without_a_file_is_told_as_the_kernel_does)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct record_writer r;
	bool found = false;
	size_t at = 0;

	read_known(FF_RECORD_PROCESSES, getpid(), PREEXISTING_BY_BUILD_ID);
	while (next(&at, &r))
		if (r.head.type == PERF_RECORD_MMAP2 &&
		    u64_at(r.body + 8) == (uintptr_t)code) {
			found = is_text(&r, MMAP2_NAME, "//anon");
			cr_assert_eq(u64_at(r.body + 16), 4096);
			cr_assert_eq(r.head.misc & MISC_BUILD_ID, 0);
		}
	cr_assert(found);
	live_preexisting_free(known);
}

Test(known, the_kernel_says_where_it_begins)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address = 0;
	char line[400], name[200] = "";
	struct record_writer r;
	bool found = false;
	size_t at = 0;

	while (file && fgets(line, sizeof(line), file) && strcmp(name, "_text") != 0)
		sscanf(line, "%llx %*c %199s", &address, name);
	if (file)
		fclose(file);
	if (address == 0 || strcmp(name, "_text") != 0)
		cr_skip("this user may not see the kernel's addresses");
	read_known(FF_RECORD_COMMAND, 0, PREEXISTING_BY_INODE);
	while (next(&at, &r))
		if (r.head.type == PERF_RECORD_MMAP2 &&
		    is_text(&r, MMAP2_NAME, "[kernel.kallsyms]_text")) {
			found = true;
			cr_assert_eq(r.head.misc & PERF_RECORD_MISC_CPUMODE_MASK,
				     PERF_RECORD_MISC_KERNEL);
			cr_assert_eq(u32_at(r.body), UINT32_MAX);
			cr_assert_eq(u64_at(r.body + 8), address);
			cr_assert_eq(u64_at(r.body + 24), address);
		}
	cr_assert(found);
	live_preexisting_free(known);
}

Test(known, of_the_whole_system_every_process_is_told)
{
	struct record_writer r;
	bool self = false, parent = false;
	size_t at = 0;

	read_known(FF_RECORD_SYSTEM, 0, PREEXISTING_BY_BUILD_ID);
	while (next(&at, &r))
		if (r.head.type == PERF_RECORD_COMM) {
			self |= u32_at(r.body) == (uint32_t)getpid();
			parent |= u32_at(r.body) == (uint32_t)getppid();
		}
	cr_assert(self && parent);
	live_preexisting_free(known);
}

Test(known, a_process_that_has_ended_is_nothing)
{
	struct record_writer r;
	size_t at = 0;

	/* More than any kernel has. */
	read_known(FF_RECORD_PROCESSES, (1 << 22) + 1, PREEXISTING_BY_INODE);
	while (next(&at, &r))
		cr_assert_neq(r.head.type, PERF_RECORD_FORK);
	live_preexisting_free(known);
	live_preexisting_free(NULL);
}

/* A process that waits for its end, or whose child does. */
static pid_t fork_idle(bool with_child, pid_t *child)
{
	int ready[2];
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		pid_t of_it = with_child ? fork() : 0;

		if (with_child && of_it == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		prctl(PR_SET_NAME, "idle one");
		if (write(ready[1], &of_it, sizeof(of_it)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], child, sizeof(*child)), (ssize_t)sizeof(*child));
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Records of @type of a process, its main thread that is. */
static size_t count_of(uint32_t type, pid_t pid)
{
	struct record_writer r;
	size_t at = 0, count = 0;

	while (next(&at, &r))
		count += r.head.type == type && u32_at(r.body) == (uint32_t)pid;
	return count;
}

Test(known, who_began_just_now_may_end_when_reading_has_begun)
{
	struct live_target target = { .who = FF_RECORD_SYSTEM, .cgroup = -1 };
	pid_t none, pid = fork_idle(false, &none);

	cr_assert_eq(live_preexisting_start(&ctx, &target, PREEXISTING_BY_INODE, &known),
		     0);
	end(pid);
	cr_assert_eq(live_preexisting_records(&ctx, known, &bytes, &size), 0);
	cr_assert_eq(count_of(PERF_RECORD_FORK, pid), 1);
	cr_assert_eq(count_of(PERF_RECORD_COMM, pid), 1);
	cr_assert_gt(count_of(PERF_RECORD_MMAP2, pid), 2);
	live_preexisting_free(known);
}

Test(known, children_from_before_the_events_were_enabled_are_told_with_their_parent)
{
	struct live_target target = { .who = FF_RECORD_PROCESSES, .cgroup = -1 };
	pid_t child, pid = fork_idle(true, &child), *item;

	item = array_add(&target.processes);
	*item = pid;
	item = array_add(&target.threads);
	*item = pid;
	cr_assert_eq(live_preexisting_start(&ctx, &target, PREEXISTING_BY_INODE, &known),
		     0);
	end(pid);
	cr_assert_eq(live_preexisting_records(&ctx, known, &bytes, &size), 0);
	cr_assert_eq(count_of(PERF_RECORD_COMM, pid), 1);
	if (access("/proc/thread-self/children", F_OK) == 0) {
		cr_assert_eq(count_of(PERF_RECORD_COMM, child), 1);
		cr_assert_gt(count_of(PERF_RECORD_MMAP2, child), 2);
	}
	live_preexisting_free(known);
	array_release(&target.processes);
	array_release(&target.threads);
}
