#include "live/events/permission.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char heard[1024];

static void hear(void *arg, const char *line)
{
	(void)arg;
	snprintf(heard, sizeof(heard), "%s", line);
}

static struct context ctx = { .log = hear };
static struct live_target target = { .who = FF_RECORD_SYSTEM };
static struct live_permission root = { .paranoid = 2, .perfmon = true, .syslog = true },
			      user = { .paranoid = 2 };
static struct live_event event = { .name = "some-event",
				   .attr = { .type = PERF_TYPE_SOFTWARE } };

static void says(const struct live_permission *p, int err, const char *text)
{
	int got = live_permission_fail(&ctx, p, &target, &event, err);

	cr_assert_eq(got, err);
	cr_assert_not_null(strstr(ctx.error, text), "%s", ctx.error);
}

Test(permission, what_the_kernel_says_is_read)
{
	struct live_permission p = { 0 };
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int paranoid;

	live_permission_read(&p);
	if (!file) {
		cr_assert_eq(p.paranoid, PARANOID_UNKNOWN);
		return;
	}
	cr_assert_eq(fscanf(file, "%d", &paranoid), 1);
	fclose(file);
	cr_assert_eq(p.paranoid, paranoid);
	cr_assert(p.rate_most > 0 && p.stack_most > 0 && p.mlock_kb > 0);
}

Test(permission, the_whole_system_needs_more_than_own_processes)
{
	says(&user, -EACCES, "sysctl kernel.perf_event_paranoid=0");
	cr_assert_not_null(strstr(ctx.error, "-p PID or a COMMAND"));
	target.who = FF_RECORD_CGROUP;
	says(&user, -EACCES, "a control group");
	target.who = FF_RECORD_COMMAND;
	says(&user, -EACCES, "sysctl kernel.perf_event_paranoid=1");
	user.paranoid = 3;
	says(&user, -EACCES, "sysctl kernel.perf_event_paranoid=1");
	cr_assert_null(strstr(ctx.error, "--all-user"), "%s", ctx.error);
	event.attr.exclude_kernel = 1;
	says(&user, -EACCES, "which keeps all events for root");
	cr_assert_not_null(strstr(ctx.error, "sysctl kernel.perf_event_paranoid=2"));
	target.who = FF_RECORD_SYSTEM;
	says(&user, -EACCES, "sysctl kernel.perf_event_paranoid=0");
	cr_assert_null(strstr(ctx.error, "-p PID"), "%s", ctx.error);
	event.attr.exclude_kernel = 0;
}

Test(permission, a_container_is_told_from_a_user)
{
	root.contained = true;
	says(&root, -EPERM, "--cap-add PERFMON");
	user.contained = true;
	says(&user, -EACCES, "kernel.perf_event_paranoid=0'; own");
	user.sysctl_elsewhere = true;
	says(&user, -EACCES,
	     "kernel.perf_event_paranoid=0' on the host of this container");
	root.contained = user.contained = user.sysctl_elsewhere = false;
	says(&root, -EPERM, "a security module");
	target.who = FF_RECORD_PROCESSES;
	user.paranoid = 1;
	says(&user, -EACCES, "belongs to another user");
}

Test(permission, what_is_not_there_is_told_from_what_is_not_allowed)
{
	says(&root, -ENOENT, "'some-event'");
	event.attr.type = PERF_TYPE_HARDWARE;
	says(&root, -ENOENT, "no counter for 'some-event'");
	event.attr.precise_ip = 2;
	says(&root, -EOPNOTSUPP, "fewer p");
	event.attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	says(&root, -EOPNOTSUPP, "-g dwarf");
	says(&root, -ENOSYS, "no perf events");
	says(&root, -ESRCH, "has ended");
	says(&root, -EINVAL, "does not take it");
	says(&root, -EBUSY, "in use");
}

Test(permission, too_many_files_of_a_program_are_told_from_those_of_the_machine)
{
	int cpus[] = { 0, 1, 2 };

	target.cpus.v = cpus;
	target.cpus.count = 3;
	cr_assert_eq(live_permission_fail_files(&ctx, &target, 100000000, -EMFILE),
		     -EMFILE);
	cr_assert_not_null(strstr(ctx.error, "each event needs 3"), "%s", ctx.error);
	cr_assert_not_null(strstr(ctx.error, geteuid() ? "--nofile=30" : "ulimit -n 30"));
	cr_assert_eq(live_permission_fail_files(&ctx, &target, 1, -ENFILE), -ENFILE);
	cr_assert_not_null(strstr(ctx.error, "sysctl fs.file-max="), "%s", ctx.error);
}

Test(permission, a_kernel_without_events_is_named_before_anything_is_tried)
{
	struct live_permission p = { .paranoid = PARANOID_UNKNOWN };

	cr_assert_eq(live_permission_check(&ctx, &p, true), -ENOSYS);
	cr_assert_not_null(strstr(ctx.error, "no perf events"));
}

Test(permission, a_control_group_of_another_hierarchy_is_no_missing_counter)
{
	target.who = FF_RECORD_CGROUP;
	event.attr.type = PERF_TYPE_HARDWARE;
	says(&root, -ENOENT, "no counter");
	event.attr.type = PERF_TYPE_SOFTWARE;
	says(&root, -ENOENT, "mount -t cgroup -o perf_event");
	target.who = FF_RECORD_SYSTEM;
	says(&root, -ENOENT, "cannot be sampled");
}

Test(permission, hidden_addresses_are_said_where_the_kernel_is_sampled)
{
	cr_assert_eq(live_permission_check(&ctx, &root, true), 0);
	cr_assert_str_eq(heard, "");
	cr_assert_eq(live_permission_check(&ctx, &user, true), 0);
	cr_assert_str_eq(heard, "", "the kernel is not sampled");
	root.kptr_restrict = 2;
	cr_assert_eq(live_permission_check(&ctx, &root, false), 0);
	cr_assert_str_eq(heard, "");
	cr_assert_eq(live_permission_check(&ctx, &root, true), 0);
	cr_assert_not_null(strstr(heard, "sysctl kernel.kptr_restrict=0"), "%s", heard);
	heard[0] = '\0';
	root.kptr_restrict = 1;
	cr_assert_eq(live_permission_check(&ctx, &root, true), 0);
	cr_assert_str_eq(heard, "", "with CAP_SYSLOG they are shown");
	root.syslog = false;
	cr_assert_eq(live_permission_check(&ctx, &root, true), 0);
	cr_assert_not_null(strstr(heard, "'sudo sysctl kernel.kptr_restrict=0 "
					 "kernel.perf_event_paranoid=1'"),
			   "%s", heard);
	root.kptr_restrict = 0;
	cr_assert_eq(live_permission_check(&ctx, &root, true), 0);
	cr_assert_not_null(strstr(heard, "'sudo sysctl kernel.perf_event_paranoid=1'"));
}

Test(permission, rings_that_may_not_be_locked_are_explained)
{
	struct rings_wanted wanted = { .count = 4, .bytes = 1 << 20 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE) >> 10;
	char words[80];

	user.mlock_kb = 516;
	cr_assert_eq(live_permission_fail_rings(&ctx, &user, &wanted, -EPERM), -EPERM);
	snprintf(words, sizeof(words), "kernel.perf_event_mlock_kb=%zu'",
		 516 + 1024 + page);
	cr_assert_not_null(strstr(ctx.error, words), "%s", ctx.error);
	snprintf(words, sizeof(words), "'ulimit -l %zu'", 4 * (1024 + page));
	cr_assert_not_null(strstr(ctx.error, words), "%s", ctx.error);
	cr_assert_not_null(strstr(ctx.error, "without -m"));
	wanted.chosen = true;
	cr_assert_eq(live_permission_fail_rings(&ctx, &user, &wanted, -EPERM), -EPERM);
	cr_assert_null(strstr(ctx.error, "without -m"));
	cr_assert_eq(live_permission_fail_rings(&ctx, &user, &wanted, -ENOMEM), -ENOMEM);
}
