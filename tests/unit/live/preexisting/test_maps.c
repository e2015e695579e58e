#include "live/preexisting/maps.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf/object.h"

static struct preexisting_maps maps;
static struct bytes asked, read_bytes;
static int self;

static void setup(void)
{
	object_prepare();
	self = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cr_assert_geq(self, 0);
}

static void teardown(void)
{
	preexisting_maps_release(&maps);
	bytes_release(&asked);
	bytes_release(&read_bytes);
	close(self);
}

TestSuite(preexisting_maps, .init = setup, .fini = teardown);

/* A page of code of a file of this name, which is deleted. */
static void map_file(const char *name)
{
	char directory[] = "/tmp/flamefold-test-XXXXXX", path[300];
	int fd;

	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_CREAT | O_RDWR, 0700);
	cr_assert_eq(ftruncate(fd, 8192), 0);
	cr_assert_neq(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 4096),
		      MAP_FAILED);
	unlink(path);
	rmdir(directory);
	close(fd);
}

static void read_both(void)
{
	/* So that what one of them allocates is not a difference. */
	maps.room = malloc(1 << 16);
	cr_assert(bytes_reserve(&asked, 1 << 20) && bytes_reserve(&read_bytes, 1 << 20));
	cr_assert_eq(preexisting_maps_read(&maps, self, 7, &asked), 0);
	if (maps.no_query)
		cr_skip("this kernel cannot be asked for maps");
	maps.no_query = true;
	cr_assert_eq(preexisting_maps_read(&maps, self, 7, &read_bytes), 0);
}

Test(preexisting_maps, asked_one_by_one_or_read_they_are_the_same)
{
	map_file("lib with blanks.so");
	map_file("two\nlines");
	map_file("back\\slash");
	maps.by_inode_only = true;
	read_both();
	cr_assert_gt(asked.count, 0);
	cr_assert_eq(asked.count, read_bytes.count);
	cr_assert_eq(memcmp(asked.v, read_bytes.v, asked.count), 0);
	cr_assert_not_null(memmem(asked.v, asked.count, "/two\nlines (deleted)", 21));
}

Test(preexisting_maps, build_ids_are_the_same_wherever_they_come_from)
{
	struct preexisting_maps other = { .no_query = true };

	read_both();
	bytes_release(&read_bytes);
	cr_assert_eq(preexisting_maps_read(&other, self, 7, &read_bytes), 0);
	cr_assert_eq(asked.count, read_bytes.count);
	cr_assert_eq(memcmp(asked.v, read_bytes.v, asked.count), 0);
	preexisting_maps_release(&other);
}

Test(preexisting_maps, a_process_that_is_not_there_is_an_error)
{
	int nothing = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	cr_assert_eq(preexisting_maps_read(&maps, nothing, 7, &asked), -ENOENT);
	cr_assert_eq(asked.count, 0);
	close(nothing);
}

enum { NOBODY = 65534 };

/* A child of another user that has mapped the file; it waits to be killed. */
static pid_t start_child(const char *path)
{
	int ends[2], fd = open(path, O_RDONLY | O_CLOEXEC);
	pid_t child;
	char byte;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
			    MAP_FAILED ||
		    setgid(NOBODY) < 0 || setuid(NOBODY) < 0 || write(ends[1], "", 1) < 0)
			_exit(1);
		pause();
	}
	close(fd);
	close(ends[1]);
	cr_assert_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return child;
}

/* Without these the files that a process has mapped are not to be had. */
static void give_up_map_files(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2];

	cr_assert_eq(syscall(SYS_capget, &head, sets), 0);
	sets[0].effective &= ~(1u << CAP_SYS_ADMIN);
	sets[1].effective &= ~(1u << (CAP_CHECKPOINT_RESTORE - 32));
	cr_assert_eq(syscall(SYS_capset, &head, sets), 0);
}

/* Has that file a build id, as far as the maps of the process say? */
static bool build_id_is_read(pid_t child, const char *path)
{
	struct preexisting_maps of = { .no_query = true };
	struct bytes to = { 0 };
	char name[32];
	struct stat st;
	bool known = false;
	int dir;

	cr_assert_eq(stat(path, &st), 0);
	snprintf(name, sizeof(name), "/proc/%d", (int)child);
	dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	cr_assert_eq(preexisting_maps_read(&of, dir, (uint32_t)child, &to), 0);
	for (size_t i = 0; i < of.files.count; i++)
		known |= of.files.v[i].ino == st.st_ino && of.files.v[i].build_id_size;
	close(dir);
	preexisting_maps_release(&of);
	bytes_release(&to);
	return known;
}

/* Of this program. */
static void copy_program(int to)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	close(from);
}

Test(preexisting_maps, a_file_that_its_process_cannot_read_is_not_opened)
{
	char path[] = "/tmp/flamefold-test-XXXXXX";
	int fd = mkstemp(path);
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root reads what others may not");
	cr_assert(fd >= 0);
	copy_program(fd);
	child = start_child(path);
	give_up_map_files();
	fchmod(fd, 0644);
	cr_expect(build_id_is_read(child, path));
	fchmod(fd, 0600);
	cr_expect_not(build_id_is_read(child, path));
	cr_expect_eq(fchown(fd, NOBODY, NOBODY), 0);
	cr_expect(build_id_is_read(child, path));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(path);
	close(fd);
}

enum { DEPTH = 20, STEP = 250 };

/* A page of code of a file whose path has more bytes than PATH_MAX; nothing stays behind. */
static void map_deep_file(void)
{
	char directory[] = "/tmp/flamefold-test-XXXXXX", step[STEP + 1];
	int fd;

	memset(step, 'd', STEP);
	step[STEP] = '\0';
	cr_assert_not_null(mkdtemp(directory));
	cr_assert_eq(chdir(directory), 0);
	for (int i = 0; i < DEPTH; i++)
		cr_assert(mkdir(step, 0700) == 0 && chdir(step) == 0);
	fd = open("deep", O_CREAT | O_RDWR | O_CLOEXEC, 0700);
	cr_assert_eq(ftruncate(fd, 4096), 0);
	cr_assert_neq(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0),
		      MAP_FAILED);
	close(fd);
	unlink("deep");
	for (int i = 0; i < DEPTH; i++)
		cr_assert(chdir("..") == 0 && rmdir(step) == 0);
	cr_assert(chdir("/") == 0 && rmdir(directory) == 0);
}

Test(preexisting_maps, a_path_that_is_too_long_hides_no_other_map)
{
	map_deep_file();
	cr_assert_eq(preexisting_maps_read(&maps, self, 7, &asked), 0);
	if (maps.no_query)
		cr_skip("this kernel cannot be asked for maps");
	cr_assert_not_null(memmem(asked.v, asked.count, "//toolong", 10));
	/* It has the highest address of all. */
	cr_assert_not_null(memmem(asked.v, asked.count, "[vdso]", 7));
}
