#include "find/object.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "find/process_file.h"
#include "unit/child.h"
#include "unit/elf/elf_image.h"

#define ID "0123456789abcdefghij"
#define OTHER_ID "another build id...."
#define BY_ID "/.build-id/30/3132333435363738396162636465666768696a"

static struct elf_image e, debug;
static struct search_dirs dirs;
static struct wanted_object wanted;
static struct found f;
static char dir[64], path[256];

/* An object with only exported symbols, and its debug file, not yet in place. */
static void begin(void)
{
	unsigned text;

	object_prepare();
	strcpy(dir, "/tmp/flamefold-test-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	dirs.debug_dir = dir;
	image_begin(&debug);
	text = image_code(&debug, ".text", 0x1000, 0x100);
	image_symbol(&debug, "internal", 0x1000, 0x10, STB_LOCAL, text);
	image_begin(&e);
	e.dynamic = 1;
	text = image_code(&e, ".text", 0x1000, 0x100);
	image_symbol(&e, "exported", 0x1000, 0x10, STB_GLOBAL, text);
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(name);
}

static void end(void)
{
	found_release(&f);
	image_remove(&e);
	unlink(debug.path);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

TestSuite(find_object, .init = begin, .fini = end);

/* Moves a file to a place below the directory; path is that. */
static void move(const char *from, const char *where)
{
	snprintf(path, sizeof(path), "%s%s", dir, where);
	for (char *p = path + strlen(dir) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
	cr_assert_eq(rename(from, path), 0);
}

static void place(const char *where)
{
	move(debug.path, where);
}

static int find_path(const char *name)
{
	wanted.path = name;
	return find_object(&dirs, &wanted, NEED_SYMBOLS, &f);
}

static void find(void)
{
	cr_assert_eq(find_path(e.path), 0);
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
	place(BY_ID ".debug");
	find();
	cr_expect_not_null(f.debug.elf);
}

Test(find_object, a_debug_file_with_another_build_id_is_not_used)
{
	image_build_id(&e, ID, 20);
	image_build_id(&debug, OTHER_ID, 20);
	image_write(&e);
	image_write(&debug);
	place(BY_ID ".debug");
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

Test(find_object, a_debug_link_leads_to_what_the_owner_of_the_object_could_open)
{
	const uid_t nobody = 65534;
	char below[128];

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	image_write(&debug);
	link_debug(checksum());
	image_write(&e);
	place("/tmp/x.debug");
	snprintf(below, sizeof(below), "%s/tmp", dir);
	cr_assert_eq(chmod(dir, 0755), 0);
	cr_assert_eq(chmod(below, 0755), 0);
	cr_assert_eq(chmod(path, 0600), 0);
	cr_assert_eq(chown(e.path, nobody, nobody), 0);
	find();
	cr_expect_null(f.debug.elf);
	cr_expect_not_null(
		strstr(f.problem.bytes, "is not for user 65534, whose file names it"));
	found_release(&f);
	cr_assert_eq(chmod(path, 0640), 0);
	find();
	cr_expect_null(f.debug.elf);
	found_release(&f);
	cr_assert_eq(chmod(path, 0644), 0);
	find();
	cr_expect_not_null(f.debug.elf);
	found_release(&f);
	cr_assert_eq(chmod(path, 0600), 0);
	cr_assert_eq(chown(path, nobody, nobody), 0);
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
	cr_assert_eq(find_path("anon_inode:[perf_event]"), 0);
	cr_expect_null(f.object.elf);
	cr_expect_str_eq(f.problem.bytes, "'anon_inode:[perf_event]' is not a file");
}

Test(find_object, a_fifo_is_not_waited_for, .timeout = 900)
{
	image_write(&e);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(find_path(path), 0);
	cr_expect_null(f.object.elf);
}

static void want_id(const char *id)
{
	wanted.build_id = (const uint8_t *)id;
	wanted.build_id_size = 20;
}

/* The object, with its id, only where the cache has it. */
static void move_to_cache(const char *where)
{
	image_build_id(&e, ID, 20);
	image_write(&e);
	move(e.path, where);
	want_id(ID);
	dirs.build_id_dir = dir;
	dirs.debug_dir = "/nonexistent";
}

static void expect_moved(void)
{
	cr_assert_not_null(f.object.elf);
	cr_expect_str_eq(f.file.bytes, path);
	cr_expect(f.problem.size == 0);
	cr_expect_not(f.refused);
}

Test(find_object, what_is_gone_is_found_in_the_build_id_cache)
{
	move_to_cache(BY_ID "/elf");
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
}

Test(find_object, an_entry_of_the_cache_may_be_the_file_itself)
{
	move_to_cache(BY_ID);
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
}

Test(find_object, what_was_deleted_is_found_by_its_build_id)
{
	move_to_cache(BY_ID "/elf");
	cr_assert_eq(find_path("/nonexistent/program (deleted)"), 0);
	expect_moved();
}

Test(find_object, what_was_replaced_is_found_by_its_build_id)
{
	static struct elf_image other;

	image_begin(&other);
	image_code(&other, ".text", 0x1000, 0x100);
	image_build_id(&other, OTHER_ID, 20);
	image_write(&other);
	move_to_cache(BY_ID "/elf");
	cr_assert_eq(find_path(other.path), 0);
	image_remove(&other);
	expect_moved();
}

Test(find_object, the_cache_is_in_the_home_directory)
{
	move_to_cache("/.debug" BY_ID "/elf");
	dirs.build_id_dir = NULL;
	setenv("HOME", dir, 1);
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
	found_release(&f);
	dirs.build_id_dir = "";
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	cr_expect_null(f.object.elf, "none was asked for");
	found_release(&f);
	dirs.build_id_dir = NULL;
	unsetenv("HOME");
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	cr_expect_null(f.object.elf, "nobody's home");
}

Test(find_object, with_a_symfs_the_cache_is_there)
{
	move_to_cache("/.debug" BY_ID "/elf");
	dirs.build_id_dir = NULL;
	dirs.symfs = "/nonexistent";
	setenv("HOME", dir, 1);
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	cr_expect_null(f.object.elf, "what is at home is of another system");
	found_release(&f);
	dirs.symfs = dir;
	unsetenv("HOME");
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
}

Test(find_object, the_cache_is_not_trusted)
{
	move_to_cache(BY_ID "/elf");
	want_id(OTHER_ID);
	/* What lies under an id has another one. */
	cr_assert_eq(rename(path, e.path), 0);
	move(e.path, "/.build-id/61/6e6f74686572206275696c642069642e2e2e2e/elf");
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	cr_expect_null(f.object.elf);
	cr_expect(strstr(f.problem.bytes, "/nonexistent/program"));
}

Test(find_object, an_id_filled_up_with_zeros_is_found_without_them)
{
	image_build_id(&e, ID, 8);
	image_write(&e);
	move(e.path, "/.build-id/30/31323334353637/elf");
	dirs.build_id_dir = dir;
	wanted.build_id = (const uint8_t *)"01234567\0\0\0\0\0\0\0\0\0\0\0";
	wanted.build_id_size = 20;
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
}

Test(find_object, the_debug_directory_may_have_the_object)
{
	move_to_cache(BY_ID);
	dirs.build_id_dir = "";
	dirs.debug_dir = dir;
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	expect_moved();
}

Test(find_object, the_cache_may_have_the_debug_file)
{
	image_build_id(&debug, ID, 20);
	image_write(&debug);
	move_to_cache(BY_ID "/elf");
	place(BY_ID "/debug");
	cr_assert_eq(find_path("/nonexistent/program"), 0);
	cr_expect_not_null(f.debug.elf);
}

Test(find_object, the_debug_link_of_a_cached_object_counts_from_where_it_was)
{
	image_build_id(&debug, ID, 20);
	image_write(&debug);
	link_debug(0); /* ids are compared, where there are any */
	move_to_cache(BY_ID "/elf");
	dirs.debug_dir = dir;
	place("/where/it/was/x.debug");
	cr_assert_eq(find_path("/where/it/was/program"), 0);
	cr_assert_not_null(f.object.elf);
	cr_expect_not_null(f.debug.elf);
}

Test(find_object, a_file_with_another_id_is_refused_and_both_are_told)
{
	image_build_id(&e, OTHER_ID, 20);
	image_write(&e);
	want_id(ID);
	dirs.build_id_dir = "";
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf);
	cr_expect(f.refused);
	cr_expect(strstr(f.problem.bytes, "616e6f74686572206275696c642069642e2e2e2e"));
	cr_expect(strstr(f.problem.bytes, "303132333435363738396162636465666768696a"));
}

Test(find_object, a_file_without_an_id_is_not_one_with_it)
{
	image_write(&e);
	want_id(ID);
	dirs.build_id_dir = "";
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf);
	cr_expect(f.refused);
}

/* What the recorder would have said of a file. */
static struct file_id id_of(const char *name)
{
	struct file_id id;
	int fd = open(name, O_RDONLY);

	cr_assert(process_file_id(fd, &(struct file_id){ 0 }, &id));
	close(fd);
	return id;
}

Test(find_object, without_a_build_id_it_has_to_be_the_file_that_was_recorded)
{
	image_write(&e);
	wanted.file = id_of(e.path);
	wanted.here = true;
	find();
	found_release(&f);
	wanted.file.ino++;
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "another inode");
	cr_expect(strstr(f.problem.bytes, "another file"));
	found_release(&f);
	wanted.here = false;
	find();
	found_release(&f);
	wanted.here = true;
	dirs.symfs = "/";
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_not_null(f.object.elf, "by order");
}

Test(find_object, an_inode_that_is_used_again_is_another_file)
{
	image_write(&e);
	wanted.file = id_of(e.path);
	wanted.here = true;
	if (wanted.file.generation == 0)
		cr_skip_test("the file system tells no generations");
	wanted.file.generation ^= 1;
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf);
}

Test(find_object, on_a_device_with_another_number_the_same_inode_counts)
{
	image_write(&e);
	wanted.file = id_of(e.path);
	wanted.file.min++;
	wanted.here = true;
	find();
}

/* perf reads build ids when it ends, by path. */
Test(find_object, an_id_of_a_file_that_came_later_is_doubtful)
{
	image_build_id(&e, ID, 20);
	image_write(&e);
	want_id(ID);
	wanted.file = id_of(e.path);
	wanted.here = true;
	dirs.build_id_dir = "";
	wanted.id_of_path = true;
	find();
	cr_expect(f.problem.size == 0);
	found_release(&f);
	wanted.file.ino++;
	find();
	cr_expect(strstr(f.problem.bytes, "was replaced"));
	found_release(&f);
	wanted.id_of_path = false;
	find();
	cr_expect(f.problem.size == 0, "the kernel read it from what was mapped");
}

/* This process has the object mapped, and then nobody else has it. */
static void map_and_delete(const char *name)
{
	int fd = open(name, O_RDONLY);
	void *map = mmap(NULL, 0x1000, PROT_READ, MAP_PRIVATE, fd, 0);
	struct file_user user = { (uint32_t)getpid(), (uintptr_t)map,
				  (uintptr_t)map + 0x1000, 0, 0 };
	char link[64];
	struct stat st;

	cr_assert_neq(map, MAP_FAILED);
	close(fd);
	snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx", (unsigned long)map,
		 (unsigned long)map + 0x1000);
	if (stat(link, &st) < 0)
		cr_skip_test("map_files is not for this user");
	unlink(name);
	wanted.users[1] = user;
	wanted.here = true;
	dirs.build_id_dir = "";
}

Test(find_object, what_was_deleted_is_found_where_a_process_has_it)
{
	image_build_id(&e, ID, 20);
	image_write(&e);
	map_and_delete(e.path);
	want_id(ID);
	strcat(e.path, " (deleted)");
	cr_assert_eq(find_path(e.path), 0);
	cr_assert_not_null(f.object.elf);
	found_release(&f);
	want_id(OTHER_ID);
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "not with another id");
	found_release(&f);
	want_id(ID);
	wanted.here = false;
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "not for another machine");
	found_release(&f);
	wanted.here = true;
	dirs.symfs = "/";
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "not with a symfs");
}

Test(find_object, a_process_knows_better_than_an_id_of_a_file_that_came_later)
{
	static struct elf_image mapped;

	image_begin(&mapped);
	image_code(&mapped, ".text", 0x1000, 0x100);
	image_build_id(&mapped, OTHER_ID, 20);
	image_write(&mapped);
	image_build_id(&e, ID, 20);
	image_write(&e);
	wanted.file = id_of(mapped.path);
	want_id(ID);
	wanted.id_of_path = true;
	map_and_delete(mapped.path);
	find();
	cr_expect_eq(memcmp(f.object.build_id, OTHER_ID, 20), 0);
	cr_expect(f.problem.size == 0);
}

Test(find_object, without_a_build_id_a_process_has_to_have_the_recorded_file)
{
	image_write(&e);
	wanted.file = id_of(e.path);
	map_and_delete(e.path);
	cr_assert_eq(find_path(e.path), 0);
	cr_assert_not_null(f.object.elf);
	found_release(&f);
	wanted.file.ino++;
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "another file");
	found_release(&f);
	wanted.file.ino = 0;
	cr_assert_eq(find_path(e.path), 0);
	cr_expect_null(f.object.elf, "any file");
}

Test(find_object, the_debug_file_of_what_a_process_has_may_be_anywhere)
{
	image_build_id(&debug, ID, 20);
	image_write(&debug);
	image_build_id(&e, ID, 20);
	image_write(&e);
	map_and_delete(e.path);
	want_id(ID);
	place(BY_ID ".debug");
	find();
	cr_expect_not_null(f.debug.elf, "here");
	found_release(&f);
	/* Only the process's root has a path to it: */
	chdir(dir);
	dirs.debug_dir = dir + 1;
	find();
	cr_expect_not_null(f.debug.elf, "where it sees them");
}

Test(find_object, the_program_of_a_process_is_found_by_its_build_id)
{
	struct context ctx = { 0 };
	struct object self;

	image_write(&e);
	cr_assert_eq(object_open(&ctx, "/proc/self/exe", &self), 0);
	if (self.build_id_size == 0)
		cr_skip_test("this program has no build id");
	wanted.build_id = self.build_id;
	wanted.build_id_size = self.build_id_size;
	wanted.users[0] = (struct file_user){ .pid = (uint32_t)getpid() };
	wanted.here = true;
	dirs.build_id_dir = "";
	cr_assert_eq(find_path("/nonexistent/program (deleted)"), 0);
	cr_expect_not_null(f.object.elf);
	object_close(&self);
}

Test(find_object, a_path_that_climbs_leaves_neither_symfs_nor_cache)
{
	image_write(&e);
	dirs.symfs = dir;
	cr_assert_eq(find_path("/a/../../etc/passwd"), 0);
	cr_expect_null(f.object.elf);
	cr_expect(strstr(f.problem.bytes, "leaves the symfs"));
}

/* Puts the debug file into the object, packed. */
static void pack_debug(void)
{
	static uint8_t packed[ELF_IMAGE_SIZE];
	size_t size = 0;

	image_write(&debug);
	cr_assert_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, debug.bytes,
					     debug.size, packed, &size, sizeof(packed)),
		     LZMA_OK);
	image_section(&e, ".gnu_debugdata", SHT_PROGBITS, 0, packed, size);
}

Test(find_object, the_object_may_have_its_symbols_packed)
{
	char name[128];

	pack_debug();
	image_write(&e);
	find();
	cr_assert_not_null(f.debug.elf);
	snprintf(name, sizeof(name), "%s (.gnu_debugdata)", e.path);
	cr_expect_str_eq(f.debug_file.bytes, name);
}

Test(find_object, a_debug_file_is_better_than_what_is_packed)
{
	pack_debug();
	image_build_id(&e, ID, 20);
	image_build_id(&debug, ID, 20);
	image_write(&e);
	image_write(&debug);
	place(BY_ID ".debug");
	find();
	cr_assert_not_null(f.debug.elf);
	cr_expect_str_eq(f.debug_file.bytes, path);
}

Test(find_object, unwind_tables_are_unpacked_only_where_there_are_no_others)
{
	image_section(&debug, ".debug_frame", SHT_PROGBITS, 0, "frames", 6);
	pack_debug();
	image_write(&e);
	wanted.path = e.path;
	cr_assert_eq(find_object(&dirs, &wanted, NEED_UNWIND, &f), 0);
	cr_assert_not_null(f.debug.elf);
	found_release(&f);
	image_section(&e, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, "frames", 6);
	image_remove(&e);
	image_write(&e);
	wanted.path = e.path;
	cr_assert_eq(find_object(&dirs, &wanted, NEED_UNWIND, &f), 0);
	cr_expect_null(f.debug.elf);
}

Test(find_object, a_debug_file_of_another_build_is_told)
{
	image_build_id(&e, ID, 20);
	image_build_id(&debug, OTHER_ID, 20);
	image_write(&e);
	image_write(&debug);
	place(BY_ID ".debug");
	find();
	cr_expect_null(f.debug.elf);
	cr_expect(strstr(f.problem.bytes, "is the debug file of another build: its build "
					  "id is 616e6f74686572"));
	cr_expect(strstr(f.problem.bytes, ", not 3031323334"));
}

static bool is_found(void)
{
	bool found;

	found_release(&f);
	cr_assert_eq(find_path(e.path), 0);
	found = f.object.elf;
	return found;
}

/* @pid says that it has the file of the test mapped, at an address where it has something. */
static void said_by(pid_t pid)
{
	wanted.here = wanted.live = true;
	wanted.file = (struct file_id){ 0 };
	wanted.users[0] = (struct file_user){ (uint32_t)pid, (uintptr_t)is_found,
					      (uintptr_t)is_found + 1, 0, 0 };
}

Test(find_object, live_a_path_is_opened_as_the_process_that_says_it)
{
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	image_write(&e);
	child = child_start(0);
	said_by(child);
	chmod(e.path, 0600);
	cr_expect_not(is_found());
	cr_expect_not_null(strstr(f.problem.bytes,
				  "is not for the user whose process has named it"));
	chmod(e.path, 0644);
	cr_expect(is_found());
	chmod(e.path, 0600);
	cr_expect_eq(chown(e.path, 65534, 65534), 0);
	cr_expect(is_found());
	cr_expect_eq(chown(e.path, 0, 0), 0);
	said_by(getpid());
	cr_expect(is_found());
	/* What a recording says is read as who reads it. */
	said_by(child);
	wanted.live = false;
	cr_expect(is_found());
	child_stop(child);
}

Test(find_object, live_a_process_that_has_gone_or_lacks_the_map_lends_no_rights)
{
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	image_write(&e);
	chmod(e.path, 0600);
	child = child_start(0);
	child_stop(child);
	said_by(child);
	cr_expect_not(is_found());
	/* The pid is root's now, but there is no such map. */
	said_by(getpid());
	wanted.users[0].start = wanted.users[0].end = 1;
	cr_expect_not(is_found());
	chmod(e.path, 0644);
	cr_expect(is_found());
}

Test(find_object, live_the_very_file_that_was_mapped_counts_whoever_may_read_it)
{
	struct stat st;
	pid_t child;

	if (geteuid() != 0)
		cr_skip_test("only root opens what others may not");
	image_write(&e);
	chmod(e.path, 0600);
	cr_assert_eq(stat(e.path, &st), 0);
	child = child_start(0);
	said_by(child);
	wanted.file =
		(struct file_id){ major(st.st_dev), minor(st.st_dev), st.st_ino, 0 };
	cr_expect(is_found());
	wanted.file.ino++;
	cr_expect_not(is_found());
	child_stop(child);
}
