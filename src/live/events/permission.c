/*
 * What may be sampled, and what to do where it may not. Each sentence names the one command
 * that permits what was asked for, which depends on whom and what: perf_event_paranoid has
 * a level for each (Documentation/admin-guide/perf-security.rst of the kernel). A remedy that
 * mends only a smaller wish is worse than none.
 */
#include "live/events/permission.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/events/proc.h"

enum {
	PATH_ROOM = 4096,
	OTHER_FILES = 128, /* beside events: inputs, outputs, and files of programs */
};

/* Bits of CapEff, include/uapi/linux/capability.h. */
enum { IPC_LOCK = 14, SYS_ADMIN = 21, SYSLOG = 34, PERFMON = 38 };

/* The namespace of the first process, include/linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu

/* The number that a file begins with; @missing where there is none. */
static long read_setting(const char *path, long missing)
{
	char text[64], *end;
	long value;

	if (proc_read(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return missing;
	value = strtol(text, &end, 10);
	return end == text ? missing : value;
}

void live_permission_read(struct live_permission *ret)
{
	struct live_permission p = { 0 };
	unsigned long long capabilities = 0;
	unsigned long inside, outside, count;
	char status[4096], map[256];
	const char *field;
	struct stat st;
	long number;

	number = read_setting("/proc/sys/kernel/perf_event_paranoid", PARANOID_UNKNOWN);
	p.paranoid = (int)number;
	p.kptr_restrict = (int)read_setting("/proc/sys/kernel/kptr_restrict", 0);
	number = read_setting("/proc/sys/kernel/perf_event_max_sample_rate", 0);
	p.rate_most = number > 0 ? (uint64_t)number : 0;
	number = read_setting("/proc/sys/kernel/perf_event_max_stack", 127);
	p.stack_most = number > 0 ? (uint64_t)number : 0;
	number = read_setting("/proc/sys/kernel/perf_event_mlock_kb", 516);
	p.mlock_kb = number > 0 ? (uint64_t)number : 0;
	if (proc_read(AT_FDCWD, "/proc/self/status", status, sizeof(status)) > 0) {
		/* SECCOMP_MODE_FILTER: what a container runtime sets. */
		field = strstr(status, "\nSeccomp:");
		p.filtered = field && strtol(field + strlen("\nSeccomp:"), NULL, 10) == 2;
		field = strstr(status, "\nCapEff:");
		/* Capabilities hold for the machine only where its first user namespace
		 * gave them. */
		if (field &&
		    (proc_read(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) <= 0 ||
		     (sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
		      inside == 0 && outside == 0 && count == 4294967295ul)))
			capabilities = strtoull(field + strlen("\nCapEff:"), NULL, 16);
	}
	p.perfmon = capabilities >> PERFMON & 1 || capabilities >> SYS_ADMIN & 1;
	p.ipc_lock = capabilities >> IPC_LOCK & 1;
	p.syslog = capabilities >> SYSLOG & 1;
	p.contained =
		access("/.dockerenv", F_OK) == 0 ||
		access("/run/.containerenv", F_OK) == 0 ||
		(stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != FIRST_PID_NAMESPACE);
	p.sysctl_elsewhere = access("/proc/sys/kernel/perf_event_paranoid", W_OK) < 0 &&
			     errno == EROFS;
	*ret = p;
}

/* Only user space may be sampled (paranoid 2 and more without CAP_PERFMON). */
static bool live_permission_user_only(const struct live_permission *p)
{
	return !p->perfmon && p->paranoid >= 2;
}

/* Where sysctl has to be called. */
static const char *on_host(const struct live_permission *p)
{
	return p->sysctl_elsewhere ? " on the host of this container" : "";
}

int live_permission_check(struct context *ctx, const struct live_permission *p,
			  bool samples_kernel)
{
	const char *remedy = NULL;

	if (p->paranoid == PARANOID_UNKNOWN)
		return fail(
			ctx, -ENOSYS,
			"this kernel has no perf events, or hides them%s: there is no "
			"/proc/sys/kernel/perf_event_paranoid",
			p->contained ? " in this container" : "");
	/* What shows kernel addresses, as kallsyms_show_value() of the kernel decides. */
	if (!p->syslog && p->kptr_restrict && p->paranoid > 1)
		remedy = "kernel.kptr_restrict=0 kernel.perf_event_paranoid=1";
	else if (p->kptr_restrict >= 2 || (p->kptr_restrict && !p->syslog))
		remedy = "kernel.kptr_restrict=0";
	else if (!p->syslog && p->paranoid > 1)
		remedy = "kernel.perf_event_paranoid=1";
	if (samples_kernel && !live_permission_user_only(p) && remedy)
		warn(ctx,
		     "kernel functions will have no names: kernel.kptr_restrict is %d "
		     "and kernel.perf_event_paranoid %d; 'sudo sysctl %s'%s shows them",
		     p->kptr_restrict, p->paranoid, remedy, on_host(p));
	return 0;
}

/* The kernel's own rules say EACCES; what a container runtime forbids is EPERM, or ENOSYS. */
static int fail_container(struct context *ctx, const char *name, int err)
{
	return fail(ctx, err,
		    "'%s': not allowed in this container: %s; it needs '--cap-add "
		    "PERFMON', and a seccomp profile that lets perf_event_open through, "
		    "as '--security-opt seccomp=unconfined' does",
		    name, strerror(-err));
}

/*
 * EACCES, EPERM: names the setting that is in the way, and a smaller wish only where that
 * would be granted.
 *
 * From the outside in: the container, the whole system, the kernel, everything, another
 * user's processes; what is left must be a security module.
 */
static int fail_not_allowed(struct context *ctx, const struct live_permission *p,
			    const struct live_target *target,
			    const struct live_event *event, int err)
{
	bool whole = target->who == FF_RECORD_SYSTEM || target->who == FF_RECORD_CGROUP;
	/* Debian and Ubuntu have levels above the kernel's own 2, which allow nothing. */
	bool nothing_allowed = !p->perfmon && p->paranoid > 2;
	char program[PATH_ROOM];
	ssize_t size;

	if (err == -EPERM && (p->contained || p->filtered))
		return fail_container(ctx, event->name, err);
	if (!p->perfmon && whole && p->paranoid > 0)
		return fail(ctx, err,
			    "not allowed to sample %s: kernel.perf_event_paranoid is %d; "
			    "run as root, or after 'sudo sysctl "
			    "kernel.perf_event_paranoid=0'%s%s",
			    target->who == FF_RECORD_CGROUP ? "a control group"
							    : "the whole system",
			    p->paranoid, on_host(p),
			    nothing_allowed ? ""
					    : "; own processes can be sampled all the "
					      "same, with -p PID or a COMMAND");
	if (live_permission_user_only(p) && !event->attr.exclude_kernel)
		return fail(ctx, err,
			    "'%s': not allowed to sample the kernel: "
			    "kernel.perf_event_paranoid is %d; run as root, or after "
			    "'sudo sysctl kernel.perf_event_paranoid=1'%s%s",
			    event->name, p->paranoid, on_host(p),
			    nothing_allowed ? ""
					    : "; user space can be sampled all the same, "
					      "with --all-user");
	if (nothing_allowed)
		return fail(ctx, err,
			    "not allowed to sample: kernel.perf_event_paranoid is %d, "
			    "which keeps all events for root; 'sudo sysctl "
			    "kernel.perf_event_paranoid=2'%s allows own processes",
			    p->paranoid, on_host(p));
	if (!whole && target->who != FF_RECORD_COMMAND) {
		size = readlink("/proc/self/exe", program, sizeof(program) - 1);
		program[size > 0 ? size : 0] = '\0';
		return fail(
			ctx, err,
			"not allowed to sample what belongs to another user or cannot "
			"be traced: run as root, or give the program the rights for "
			"that: 'sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep "
			"%s'",
			size > 0 ? program : "flamefold");
	}
	return fail(ctx, err,
		    "'%s': not allowed: %s; a security module of the kernel (SELinux, "
		    "AppArmor) or a missing CAP_PERFMON does that",
		    event->name, strerror(-err));
}

/* ENOENT, ENODEV, ENXIO, EOPNOTSUPP: the processor, or the kernel, has none. */
static int fail_not_there(struct context *ctx, const struct live_target *target,
			  const struct live_event *event, int err)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Every kernel has clocks: so the directory is no control group to perf. */
	if (target->who == FF_RECORD_CGROUP && err == -ENOENT &&
	    attr->type == PERF_TYPE_SOFTWARE)
		return fail(ctx, err,
			    "events cannot be had of this control group: it is going, or "
			    "another hierarchy has the controller 'perf_event' (see "
			    "/proc/cgroups): 'sudo mount -t cgroup -o perf_event none "
			    "DIR' shows the groups of that");
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return fail(ctx, err,
			    "'%s': this processor does not record its last branches, or "
			    "not in this virtual machine: use -g fp or -g dwarf",
			    event->name);
	if (attr->precise_ip)
		return fail(ctx, err,
			    "'%s': this machine is not as precise: fewer p, or P for the "
			    "most it can",
			    event->name);
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	    attr->type == PERF_TYPE_RAW)
		return fail(ctx, err,
			    "this machine has no counter for '%s', as most virtual ones; "
			    "'-e cpu-clock' works everywhere",
			    event->name);
	return fail(ctx, err, "'%s': it cannot be sampled on this machine: %s",
		    event->name, strerror(-err));
}

const char *live_files_hint(size_t needed, char room[FILES_HINT_ROOM])
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	/* Above the hard limit, which is not for users to raise. */
	if (needed > limit.rlim_max && geteuid() != 0)
		snprintf(room, FILES_HINT_ROOM, "sudo prlimit --pid $$ --nofile=%zu",
			 needed);
	else
		snprintf(room, FILES_HINT_ROOM, "ulimit -n %zu", needed);
	return room;
}

int live_permission_fail_files(struct context *ctx, const struct live_target *target,
			       size_t events, int err)
{
	size_t threads = target->threads.count ? target->threads.count : 1;
	size_t each = threads * target->cpus.count;
	char hint[FILES_HINT_ROOM];

	if (err == -ENFILE) {
		long most = read_setting("/proc/sys/fs/file-max", 0);

		return fail(ctx, err,
			    "too many files are open on this machine: 'sudo sysctl "
			    "fs.file-max=%zu' allows as many again",
			    most > 0 ? (size_t)most * 2 : 0);
	}
	return fail(ctx, err,
		    "too many open files: each event needs %zu, one for each of %zu "
		    "threads on %zu processors; '%s' allows them",
		    each, threads, target->cpus.count,
		    live_files_hint(events * each + target->processes.count + OTHER_FILES,
				    hint));
}

/* What each errno means is in perf_event_open(2), and in kernel/events/core.c. */
int live_permission_fail(struct context *ctx, const struct live_permission *p,
			 const struct live_target *target, const struct live_event *event,
			 int err)
{
	const struct perf_event_attr *attr = &event->attr;

	switch (-err) {
	case EACCES:
	case EPERM:
		return fail_not_allowed(ctx, p, target, event, err);
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		return fail_not_there(ctx, target, event, err);
	case ENOSYS:
		return p->filtered ? fail_container(ctx, event->name, err)
				   : fail(ctx, err, "this kernel has no perf events");
	case ESRCH:
		return fail(ctx, err, "what was to be sampled has ended");
	case EBUSY:
		return fail(ctx, err, "'%s': the counter is in use by something else",
			    event->name);
	case EINVAL:
		/* The rate of -F was lowered, one between slashes was not. */
		if (attr->freq && p->rate_most && attr->sample_freq > p->rate_most)
			return fail(ctx, err,
				    "'%s': the kernel takes no more than %llu samples a "
				    "second (kernel.perf_event_max_sample_rate)",
				    event->name, (unsigned long long)p->rate_most);
		break;
	case EBADF:
		return fail(ctx, err, "'%s': the control group has no perf events",
			    event->name);
	case ENOMEM:
		return fail_memory(ctx);
	default:
		break;
	}
	return fail(ctx, err, "'%s': the kernel does not take it: %s", event->name,
		    strerror(-err));
}

/*
 * The kernel counts what all runs of a user have locked against the first limit, and what is
 * beyond that, a process each, against the second (perf_mmap() in kernel/events/core.c). What
 * is locked by now is at most the first: as much again as is wanted is enough for sure.
 */
int live_permission_fail_rings(struct context *ctx, const struct live_permission *p,
			       const struct rings_wanted *wanted, int err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE) >> 10, ring = wanted->bytes >> 10;

	if (err != -EPERM)
		return fail(ctx, err, "cannot map rings of %zu KiB a processor: %s", ring,
			    strerror(-err));
	return fail(
		ctx, err,
		"not allowed to lock rings of %zu KiB a processor: "
		"kernel.perf_event_mlock_kb is %llu for all runs of this user; %s'sudo "
		"sysctl kernel.perf_event_mlock_kb=%llu'%s, 'ulimit -l %zu' or "
		"CAP_IPC_LOCK allows them",
		ring, (unsigned long long)p->mlock_kb,
		wanted->chosen ? "" : "without -m they are as large as is allowed; ",
		(unsigned long long)p->mlock_kb + ring + page, on_host(p),
		wanted->count * (ring + page));
}
