#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "object/object.h"
#include "object/process_root.h"

enum { NOBODY = 65534 };

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

Test(process_root, a_process_may_read_its_own_and_what_all_may)
{
	struct stat st = { .st_mode = S_IFREG | 0600, .st_uid = 0 };

	cr_assert(process_may_read(0, &st));
	cr_assert_not(process_may_read(1000, &st));
	st.st_mode = S_IFREG | 0644;
	cr_assert(process_may_read(1000, &st));
	st = (struct stat){ .st_mode = S_IFREG | 0600, .st_uid = 1000 };
	cr_assert(process_may_read(1000, &st));
}

/* A child of that user, which waits to be killed. */
static pid_t start_child(uid_t user)
{
	int ends[2];
	pid_t child;
	char byte;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (setgid(user) < 0 || setuid(user) < 0 || write(ends[1], "", 1) < 0)
			_exit(1);
		pause();
	}
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return child;
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
	child = start_child(NOBODY);
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
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
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
	child = start_child(NOBODY);
	chmod(dir, 0700);
	cr_expect_eq(open_of(child, path), -EACCES);
	chmod(dir, 0711);
	cr_expect_eq(open_of(child, path), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	chmod(dir, 0700);
	cr_expect_eq(access(path, R_OK), 0);
	unlink(path);
	rmdir(dir);
	close(fd);
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
