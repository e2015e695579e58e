#include "live/known_maps.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/object.h"

static struct known_maps maps;
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
	known_maps_release(&maps);
	bytes_release(&asked);
	bytes_release(&read_bytes);
	close(self);
}

TestSuite(known_maps, .init = setup, .fini = teardown);

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
	cr_assert_eq(known_maps_read(&maps, self, 7, &asked), 0);
	if (maps.no_query)
		cr_skip("this kernel cannot be asked for maps");
	maps.no_query = true;
	cr_assert_eq(known_maps_read(&maps, self, 7, &read_bytes), 0);
}

Test(known_maps, asked_one_by_one_or_read_they_are_the_same)
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

Test(known_maps, build_ids_are_the_same_wherever_they_come_from)
{
	struct known_maps other = { .no_query = true };

	read_both();
	bytes_release(&read_bytes);
	cr_assert_eq(known_maps_read(&other, self, 7, &read_bytes), 0);
	cr_assert_eq(asked.count, read_bytes.count);
	cr_assert_eq(memcmp(asked.v, read_bytes.v, asked.count), 0);
	known_maps_release(&other);
}

Test(known_maps, a_process_that_is_not_there_is_an_error)
{
	int nothing = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	cr_assert_eq(known_maps_read(&maps, nothing, 7, &asked), -ENOENT);
	cr_assert_eq(asked.count, 0);
	close(nothing);
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

Test(known_maps, a_path_that_is_too_long_hides_no_other_map)
{
	map_deep_file();
	cr_assert_eq(known_maps_read(&maps, self, 7, &asked), 0);
	if (maps.no_query)
		cr_skip("this kernel cannot be asked for maps");
	cr_assert_not_null(memmem(asked.v, asked.count, "//toolong", 10));
	/* It has the highest address of all. */
	cr_assert_not_null(memmem(asked.v, asked.count, "[vdso]", 7));
}
