#include "dwarf/files.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"

#define ID "0123456789abcdefghij"

/* A directory, the object in it, and another file that is searched. */
static char directory[] = "/tmp/debug-files-XXXXXX";
static struct elf_image e;
static struct object o, found;
static struct context ctx;

static const char *below(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static void make_directories(const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "mkdir -p '%s'", below(name));
	cr_assert_eq(system(command), 0);
}

/* An ELF file with that build id, or with what refers to one. */
static void make_file(const char *name, const char *id, const char *link)
{
	image_begin(&e);
	if (id)
		image_build_id(&e, id, 20);
	if (link) {
		char bytes[128];
		size_t size = strlen(link) + 1;

		memcpy(bytes, link, size);
		memcpy(bytes + size, ID, 20);
		image_section(&e, ".gnu_debugaltlink", SHT_PROGBITS, 0, bytes, size + 20);
	}
	image_write(&e);
	cr_assert_eq(rename(e.path, below(name)), 0);
}

static void begin(void)
{
	object_prepare();
	cr_assert_not_null(mkdtemp(directory));
	o = found = (struct object){ .fd = -1 };
}

static void end(void)
{
	char command[128];

	object_close(&o);
	object_close(&found);
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	cr_assert_eq(system(command), 0);
}

TestSuite(debug_files, .init = begin, .fini = end);

static void open_object(const char *name)
{
	cr_assert_eq(object_open(&ctx, below(name), &o), 0, "%s", ctx.error);
}

static int find_alternate(const char *symfs, const char *debug_dir)
{
	return debug_find_alternate(&ctx, &(struct debug_dirs){ symfs, debug_dir }, &o,
				    &found);
}

static int find_split(const char *symfs, const char *in, const char *name)
{
	return debug_find_split(&ctx, &(struct debug_dirs){ symfs, NULL }, &o,
				&(struct split_path){ in, name }, &found);
}

Test(debug_files, nothing_was_moved_where_nothing_says_so)
{
	make_file("a", NULL, NULL);
	open_object("a");
	cr_expect_eq(find_alternate(NULL, NULL), -ENODATA);
}

Test(debug_files, an_alternate_is_found_beside_the_object)
{
	make_file("shared", ID, NULL);
	make_file("a", NULL, "shared");
	open_object("a");
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), 0);
}

Test(debug_files, an_alternate_is_found_by_build_id)
{
	make_directories(".build-id/30");
	make_file(".build-id/30/3132333435363738396162636465666768696a.debug", ID, NULL);
	make_file("a", NULL, "/nowhere/shared");
	open_object("a");
	cr_expect_eq(find_alternate(NULL, directory), 0);
}

Test(debug_files, an_alternate_is_found_in_the_debug_directory)
{
	make_directories(".dwz/x86_64-linux-gnu");
	make_file(".dwz/x86_64-linux-gnu/shared.debug", ID, NULL);
	make_file("a", NULL, "../elsewhere/.dwz/x86_64-linux-gnu/shared.debug");
	open_object("a");
	cr_expect_eq(find_alternate(NULL, directory), 0);
}

Test(debug_files, an_alternate_of_another_build_is_none)
{
	make_file("shared", "another build id 000", NULL);
	make_file("a", NULL, "shared");
	open_object("a");
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), -ENOENT);
	cr_expect_str_eq(ctx.error, "'shared', which holds a part of its debug "
				    "information, is not there");
}

Test(debug_files, with_a_symfs_nothing_outside_is_opened)
{
	make_directories("root");
	make_file("shared", ID, NULL);
	make_file("root/a", NULL, "../shared");
	open_object("root/a");
	cr_expect_eq(find_alternate(below("root"), "/debug"), -ENOENT);
	cr_expect_eq(find_split(below("root"), NULL, "../shared"), -ENOENT);
	cr_expect_eq(find_split(below("root"), "..", "shared"), -ENOENT);
	cr_expect_eq(find_split(below("root"), "/../", "shared"), -ENOENT);
	cr_expect_eq(find_split(below("root"), NULL, below("shared")), -ENOENT);
	cr_expect_eq(find_split(NULL, NULL, "../shared"), 0);
}

Test(debug_files, a_dwo_file_is_where_it_was_compiled)
{
	make_directories("build/obj");
	make_file("build/obj/a.dwo", NULL, NULL);
	make_file("a", NULL, NULL);
	open_object("a");
	cr_expect_eq(find_split(NULL, below("build"), "obj/a.dwo"), 0);
	object_close(&found);
	cr_expect_eq(find_split(NULL, NULL, below("build/obj/a.dwo")), 0);
	object_close(&found);
	cr_expect_eq(find_split(NULL, "build", "obj/a.dwo"), 0);
	object_close(&found);
	cr_expect_eq(find_split(directory, "/build", "obj/a.dwo"), 0);
}

Test(debug_files, a_dwo_file_is_found_after_both_were_moved)
{
	make_file("a.dwo", NULL, NULL);
	make_file("a", NULL, NULL);
	open_object("a");
	cr_expect_eq(find_split(NULL, "/gone", "obj/a.dwo"), 0);
}

Test(debug_files, what_is_named_is_what_the_owner_of_the_name_could_open)
{
	const uid_t nobody = 65534;

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	make_directories("in");
	make_file("in/a.dwo", ID, NULL);
	make_file("a", NULL, "in/a.dwo");
	cr_assert_eq(chmod(directory, 0755), 0);
	cr_assert_eq(chmod(below("in/a.dwo"), 0600), 0);
	open_object("a");
	cr_expect_eq(find_split(NULL, below("in"), "a.dwo"), 0);
	object_close(&found);
	cr_assert_eq(chown(below("a"), nobody, nobody), 0);
	cr_expect_eq(find_split(NULL, below("in"), "a.dwo"), -ENOENT);
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), -ENOENT);
	cr_assert_eq(chmod(below("in/a.dwo"), 0644), 0);
	cr_assert_eq(chmod(below("in"), 0700), 0);
	cr_expect_eq(find_split(NULL, below("in"), "a.dwo"), -ENOENT);
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), -ENOENT);
	cr_assert_eq(chmod(below("in"), 0711), 0);
	cr_expect_eq(find_split(NULL, below("in"), "a.dwo"), 0);
	object_close(&found);
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), 0);
}

Test(debug_files, what_is_refused_is_said_to_be_there)
{
	const uid_t nobody = 65534;
	char expected[512];

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	make_file("a.dwo", ID, NULL);
	make_file("a", NULL, "a.dwo");
	cr_assert_eq(chmod(directory, 0755), 0);
	cr_assert_eq(chmod(below("a.dwo"), 0600), 0);
	open_object("a");
	cr_assert_eq(chown(below("a"), nobody, nobody), 0);
	snprintf(expected, sizeof(expected),
		 "'a.dwo', which holds a part of its debug information, is not read: "
		 "'%s' is "
		 "not for user 65534, whose file names it: it is not read",
		 below("a.dwo"));
	cr_expect_eq(find_split(NULL, directory, "a.dwo"), -ENOENT);
	cr_expect_str_eq(ctx.error, expected);
	ctx.error[0] = '\0';
	cr_expect_eq(find_alternate(NULL, "/nonexistent"), -ENOENT);
	cr_expect_str_eq(ctx.error, expected);
}

Test(debug_files, what_is_no_file_is_not_waited_for)
{
	char expected[512];

	cr_assert_eq(mkfifo(below("a.dwo"), 0600), 0);
	make_file("a", NULL, NULL);
	open_object("a");
	cr_expect_eq(find_split(NULL, directory, "a.dwo"), -ENOENT);
	snprintf(expected, sizeof(expected),
		 "'a.dwo', which holds a part of its debug information, is not read: "
		 "'%s' is not a regular file",
		 below("a.dwo"));
	cr_expect_str_eq(ctx.error, expected);
}

Test(debug_files, a_package_is_seen)
{
	const struct debug_dirs dirs = { NULL, NULL };

	make_file("a", NULL, NULL);
	open_object("a");
	cr_expect_eq(debug_find_package(&ctx, &dirs, &o, &found), -ENODATA);
	make_file("a.dwp", NULL, NULL);
	cr_assert_eq(debug_find_package(&ctx, &dirs, &o, &found), 0);
}
