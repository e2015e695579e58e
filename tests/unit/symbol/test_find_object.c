#include "symbol/find_object.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/object/elf_image.h"

#define ID "0123456789abcdefghij"

static struct elf_image e, debug;
static struct symbol_options options;
static struct image image;
static struct found f;
static char dir[64], path[256];

/* An object with only exported symbols, and its debug file, not yet in place. */
static void begin(void)
{
	unsigned text;

	object_prepare();
	strcpy(dir, "/tmp/flamefold-test-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	options.debug_dir = dir;
	image_begin(&debug);
	text = image_code(&debug, ".text", 0x1000, 0x100);
	image_symbol(&debug, "internal", 0x1000, 0x10, STB_LOCAL, text);
	image_begin(&e);
	e.dynamic = 1;
	text = image_code(&e, ".text", 0x1000, 0x100);
	image_symbol(&e, "exported", 0x1000, 0x10, STB_GLOBAL, text);
}

static void end(void)
{
	found_release(&f);
	image_remove(&e);
	unlink(path);
	for (char *p = path + strlen(path); p > path + strlen(dir); p--)
		if (*p == '/') {
			*p = '\0';
			rmdir(path);
		}
	rmdir(dir);
}

TestSuite(find_object, .init = begin, .fini = end);

/* Moves the debug file to a place below the debug directory. */
static void place(const char *where)
{
	snprintf(path, sizeof(path), "%s%s", dir, where);
	for (char *p = path + strlen(dir) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
	cr_assert_eq(rename(debug.path, path), 0);
}

static void find(void)
{
	cr_assert_eq(find_object(&options, &image, e.path, &f), 0);
	cr_assert_not_null(f.object.elf);
}

static void link_debug(uint32_t sum)
{
	char section[16] = "x.debug";

	memcpy(section + 8, &sum, sizeof(sum));
	image_section(&e, ".gnu_debuglink", SHT_PROGBITS, 0, section, 12);
}

static uint32_t checksum(void)
{
	struct context ctx = { 0 };
	struct object o;
	uint32_t sum;

	cr_assert_eq(object_open(&ctx, debug.path, &o), 0);
	cr_assert_eq(object_checksum(&ctx, &o, &sum), 0);
	object_close(&o);
	return sum;
}

Test(find_object, a_debug_file_is_found_by_build_id)
{
	image_build_id(&e, ID, 20);
	image_build_id(&debug, ID, 20);
	image_write(&e);
	image_write(&debug);
	place("/.build-id/30/313233343536373839616263646566676869"
	      "6a.debug");
	find();
	cr_expect_not_null(f.debug.elf);
}

Test(find_object, a_debug_file_with_another_build_id_is_not_used)
{
	image_build_id(&e, ID, 20);
	image_build_id(&debug, "another build id....", 20);
	image_write(&e);
	image_write(&debug);
	place("/.build-id/30/313233343536373839616263646566676869"
	      "6a.debug");
	find();
	cr_expect_null(f.debug.elf);
}

Test(find_object, a_debug_file_is_found_by_its_link_and_checksum)
{
	image_write(&debug);
	link_debug(checksum());
	image_write(&e);
	place("/tmp/x.debug");
	find();
	cr_expect_not_null(f.debug.elf);
}

Test(find_object, a_linked_file_with_another_checksum_is_not_used)
{
	image_write(&debug);
	link_debug(checksum() + 1);
	image_write(&e);
	place("/tmp/x.debug");
	find();
	cr_expect_null(f.debug.elf);
}

Test(find_object, no_debug_file_is_looked_for_where_it_adds_nothing)
{
	e.dynamic = 0;
	image_write(&debug);
	link_debug(checksum());
	image_write(&e);
	place("/tmp/x.debug");
	find();
	cr_expect_null(f.debug.elf);
}

Test(find_object, what_is_no_path_is_not_opened)
{
	image_write(&e);
	cr_assert_eq(find_object(&options, &image, "anon_inode:[perf_event]", &f), 0);
	cr_expect_null(f.object.elf);
	cr_expect_str_eq(f.problem.bytes, "'anon_inode:[perf_event]' is no file");
}

Test(find_object, a_fifo_is_not_waited_for, .timeout = 5)
{
	image_write(&e);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(find_object(&options, &image, path, &f), 0);
	cr_expect_null(f.object.elf);
}
