#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process_root.h"
#include "elf/object.h"
#include "unit/child.h"

enum { NOBODY = CHILD_NOBODY, GROUP = 54321, OTHER_GROUP = 54322 };

Test(process_root, a_path_is_split_behind_the_root)
{
	uint32_t pid;

	cr_assert_str_eq(process_root_path("/proc/12/root/usr/x", &pid), "/usr/x");
	cr_assert_eq(pid, 12);
	cr_assert_null(process_root_path("/proc/12/rootless/x", &pid));
	cr_assert_null(process_root_path("/proc/12/root", &pid));
	cr_assert_null(process_root_path("/proc/self/root/x", &pid));
	cr_assert_null(process_root_path("/usr/lib/x", &pid));
}

static int open_of(pid_t child, const char *path)
{
	struct context ctx = { 0 };
	char whole[128];
	int fd;

	snprintf(whole, sizeof(whole), "/proc/%d/root%s", (int)child, path);
	fd = object_open_file(&ctx, whole);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

Test(process_root, an_object_that_its_process_cannot_read_is_not_opened)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";
	int fd = mkstemp(path);
	uid_t user = 0;
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root reads what others may not");
	cr_assert(fd >= 0);
	child = child_start(0);
	/* It became another user, so it may not be dumped, and its files in /proc are root's. */
	cr_assert(process_user((uint32_t)child, &user));
	cr_assert_eq(user, NOBODY);
	fchmod(fd, 0600);
	cr_expect_eq(open_of(child, path), -EACCES);
	fchmod(fd, 0644);
	cr_expect_eq(open_of(child, path), 0);
	fchmod(fd, 0600);
	cr_expect_eq(fchown(fd, NOBODY, NOBODY), 0);
	cr_expect_eq(open_of(child, path), 0);
	child_stop(child);
	cr_expect_eq(open_of(child, path), -ENOENT);
	unlink(path);
	close(fd);
}

Test(process_root, what_a_directory_keeps_from_the_process_is_not_opened)
{
	char dir[] = "/tmp/flamefold-test-XXXXXX", path[64];
	pid_t child;
	int fd;

	if (geteuid() != 0)
		cr_skip_test("only root reads what others may not");
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	cr_assert(fd >= 0);
	child = child_start(0);
	chmod(dir, 0700);
	cr_expect_eq(open_of(child, path), -EACCES);
	chmod(dir, 0711);
	cr_expect_eq(open_of(child, path), 0);
	child_stop(child);
	chmod(dir, 0700);
	cr_expect_eq(access(path, R_OK), 0);
	unlink(path);
	rmdir(dir);
	close(fd);
}

/* Root's groups are those of who called: shadow, disk, docker. */
Test(process_root, groups_of_root_open_nothing_for_a_process)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";
	const gid_t groups[] = { GROUP, 0 };
	int fd = mkstemp(path);
	pid_t child;

	if (geteuid() != 0 || setgroups(2, groups) < 0)
		cr_skip_test("only root has groups to lend");
	cr_assert(fd >= 0);
	cr_assert_eq(fchown(fd, 0, GROUP), 0);
	cr_assert_eq(fchmod(fd, 0640), 0);
	child = child_start(0);
	cr_expect_eq(open_of(child, path), -EACCES);
	cr_assert_eq(fchown(fd, 0, 0), 0);
	cr_assert_eq(fchmod(fd, 0640), 0);
	cr_expect_eq(open_of(child, path), -EACCES);
	child_stop(child);
	unlink(path);
	close(fd);
}

Test(process_root, groups_of_a_directory_neither)
{
	char dir[] = "/tmp/flamefold-test-XXXXXX", path[64];
	const gid_t group = GROUP;
	pid_t child;
	int fd;

	if (geteuid() != 0 || setgroups(1, &group) < 0)
		cr_skip_test("only root has groups to lend");
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	cr_assert_eq(chown(dir, 0, GROUP), 0);
	cr_assert_eq(chmod(dir, 0750), 0);
	child = child_start(0);
	cr_expect_eq(open_of(child, path), -EACCES);
	child_stop(child);
	child = child_start(GROUP);
	cr_expect_eq(open_of(child, path), 0);
	child_stop(child);
	unlink(path);
	rmdir(dir);
	close(fd);
}

Test(process_root, what_the_groups_of_a_process_may_read_is_opened)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";
	int fd = mkstemp(path);
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root reads what others may not");
	cr_assert(fd >= 0);
	cr_assert_eq(fchown(fd, 0, GROUP), 0);
	cr_assert_eq(fchmod(fd, 0640), 0);
	child = child_start(OTHER_GROUP);
	cr_expect_eq(open_of(child, path), -EACCES);
	child_stop(child);
	child = child_start(GROUP);
	cr_expect_eq(open_of(child, path), 0);
	child_stop(child);
	unlink(path);
	close(fd);
}

Test(process_root, a_program_that_is_set_user_id_lends_nothing_to_who_runs_it)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";
	int fd = mkstemp(path);
	uid_t user = 0;
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root reads what others may not");
	cr_assert(fd >= 0);
	fchmod(fd, 0600);
	child = child_start_with(NOBODY, 0, 0, 0);
	cr_expect(process_user((uint32_t)child, &user));
	cr_expect_eq(user, NOBODY);
	cr_expect_eq(open_of(child, path), -EACCES);
	child_stop(child);
	/* A daemon of root's that has become somebody. */
	child = child_start_with(0, NOBODY, 0, 0);
	cr_expect(process_user((uint32_t)child, &user));
	cr_expect_eq(user, NOBODY);
	cr_expect_eq(open_of(child, path), -EACCES);
	child_stop(child);
	child = child_start_with(0, 0, 0, 0);
	cr_expect_eq(open_of(child, path), 0);
	child_stop(child);
	unlink(path);
	close(fd);
}

/* Of a thread that was there before, looked at in between. */
struct bystander {
	sem_t look, looked;
	int groups, user, group;
};

static void *look_at_ids(void *arg)
{
	struct bystander *b = arg;

	sem_wait(&b->look);
	b->groups = getgroups(0, NULL);
	b->user = setfsuid((uid_t)-1);
	b->group = setfsgid((gid_t)-1);
	sem_post(&b->looked);
	return NULL;
}

Test(process_root, rights_are_of_one_thread_and_come_back)
{
	const gid_t groups[] = { GROUP, OTHER_GROUP };
	struct user_rights rights = user_rights_of(NOBODY), before;
	struct bystander b = { .groups = -1 };
	pthread_t other;
	gid_t after[2];

	if (geteuid() != 0 || setgroups(2, groups) < 0)
		cr_skip_test("only root has groups to lend");
	sem_init(&b.look, 0, 0);
	sem_init(&b.looked, 0, 0);
	cr_assert_eq(pthread_create(&other, NULL, look_at_ids, &b), 0);
	cr_assert(user_rights_begin(&rights, &before));
	cr_expect_eq(getgroups(0, NULL), 0);
	cr_expect_eq(setfsuid((uid_t)-1), NOBODY);
	cr_expect_eq(setfsgid((gid_t)-1), NOBODY);
	sem_post(&b.look);
	sem_wait(&b.looked);
	user_rights_end(&before);
	pthread_join(other, NULL);
	cr_expect_eq(b.groups, 2);
	cr_expect_eq(b.user, 0);
	cr_expect_eq(b.group, 0);
	cr_assert_eq(getgroups(2, after), 2);
	cr_expect_eq(after[0], GROUP);
	cr_expect_eq(after[1], OTHER_GROUP);
	cr_expect_eq(setfsuid((uid_t)-1), 0);
	cr_expect_eq(setfsgid((gid_t)-1), 0);
}

static int open_looked(const char *path)
{
	int fd = file_open_looked(open(path, O_PATH | O_CLOEXEC));

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

Test(process_root, files_of_the_kernel_and_devices_are_looked_at_and_not_opened)
{
	cr_expect_eq(open_looked("/proc/self/maps"), -EINVAL);
	cr_expect_eq(open_looked("/sys/kernel/notes"), -EINVAL);
	cr_expect_eq(open_looked("/dev/null"), -EINVAL);
	cr_expect_eq(open_looked("/tmp"), -EINVAL);
	cr_expect_eq(open_looked("/proc/self/exe"), 0);
}
