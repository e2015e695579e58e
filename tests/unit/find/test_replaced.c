#include "find/object.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "find/process_file.h"
#include "unit/elf/elf_image.h"

#define ID "0123456789abcdefghij"
#define OTHER_ID "another build id...."

static struct elf_image e;
static struct search_dirs dirs;
static struct wanted_object wanted;
static struct found f;

static void begin(void)
{
	object_prepare();
	dirs.build_id_dir = "";
	image_begin(&e);
	image_code(&e, ".text", 0x1000, 0x100);
}

static void end(void)
{
	found_release(&f);
	image_remove(&e);
}

TestSuite(find_replaced, .init = begin, .fini = end);

static void find(void)
{
	found_release(&f);
	wanted.path = e.path;
	cr_assert_eq(find_object(&dirs, &wanted, 0, &f), 0);
}

static void want_id(const char *id)
{
	wanted.build_id = (const uint8_t *)id;
	wanted.build_id_size = 20;
}

/* The image is there with the recorded id, is another file than the recorded one, and came to its
 * path at that time. */
static uint64_t want_doubtful_file(void)
{
	struct stat st;
	int fd;

	image_build_id(&e, ID, 20);
	image_write(&e);
	want_id(ID);
	fd = open(e.path, O_RDONLY);
	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert(process_file_id(fd, &(struct file_id){ 0 }, &wanted.file));
	close(fd);
	wanted.file.ino++;
	wanted.here = wanted.id_of_path = true;
	return (uint64_t)st.st_ctim.tv_sec * 1000000000 + (uint64_t)st.st_ctim.tv_nsec;
}

static void recorded_between(uint64_t began, uint64_t ended)
{
	wanted.users[1].began = began;
	wanted.users[1].ended = ended;
	find();
}

Test(find_replaced, what_came_to_its_path_while_it_was_recorded_is_refused)
{
	uint64_t came = want_doubtful_file();

	recorded_between(came - 1, came);
	cr_expect_null(f.object.elf);
	cr_expect(f.refused);
	cr_expect_eq(f.file.size, 0);
	cr_expect(strstr(f.problem.bytes, "was replaced while it was recorded"));
	dirs.force = true;
	recorded_between(came - 1, came);
	cr_expect_not_null(f.object.elf);
	cr_expect_not(f.refused);
}

Test(find_replaced, what_came_to_its_path_before_or_after_is_not)
{
	uint64_t came = want_doubtful_file();
	const uint64_t times[][2] = {
		{ 0, 0 }, { came, came + 1 }, { came - 2, came - 1 }, { 0, came + 1 }
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		recorded_between(times[i][0], times[i][1]);
		cr_expect_not_null(f.object.elf, "%zu", i);
		cr_expect_not(f.refused, "%zu", i);
	}
	wanted.file.min++;
	recorded_between(came - 1, came);
	cr_expect_not_null(f.object.elf, "on another device inodes say nothing");
	wanted.file.min--;
	wanted.here = false;
	recorded_between(came - 1, came);
	cr_expect_not_null(f.object.elf, "nor those of another machine");
	wanted.here = true;
	dirs.symfs = "/";
	recorded_between(came - 1, came);
	cr_expect_not_null(f.object.elf, "what is below a symfs was put there");
}

/* perf inject writes the files that its maps are of, and 1 for the generation of each. */
Test(find_replaced, an_unknown_generation_tells_nothing_and_another_one_does)
{
	uint64_t came = want_doubtful_file();

	wanted.file.ino--;
	if (wanted.file.generation == 0)
		cr_skip_test("the file system has no generations");
	wanted.file.generation = 1;
	recorded_between(came - 1, came);
	cr_expect_not_null(f.object.elf);
	wanted.file.generation = 2;
	recorded_between(came - 1, came);
	cr_expect_null(f.object.elf);
}

Test(find_replaced, by_order_a_file_of_another_build_is_taken_where_there_is_no_other)
{
	image_build_id(&e, OTHER_ID, 20);
	image_write(&e);
	want_id(ID);
	find();
	cr_expect_null(f.object.elf);
	cr_expect(f.refused);
	dirs.force = true;
	find();
	cr_expect_not_null(f.object.elf);
	cr_expect_not(f.refused);
	cr_expect_str_eq(f.file.bytes, e.path);
	cr_expect(strstr(f.problem.bytes, "has build id"));
}
