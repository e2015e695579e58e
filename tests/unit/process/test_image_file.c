#include "timeline.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "object/process_file.h"
#include "unit/object/elf_image.h"

static struct timeline t;
static struct elf_image e;
static struct object_places places;
static struct found f;

/* The recording is one of this machine. */
static void begin(void)
{
	struct utsname own;

	object_prepare();
	timeline_begin(&t);
	uname(&own);
	t.rec.host = name_id(&t, own.nodename);
	t.rec.kernel = name_id(&t, own.release);
	places =
		(struct object_places){ .build_id_dir = "", .debug_dir = "/nonexistent" };
	t.images.places = &places;
	image_begin(&e);
	image_code(&e, ".text", 0x1000, 0x100);
}

static void end(void)
{
	found_release(&f);
	if (*e.path)
		image_remove(&e);
	timeline_end(&t);
}

TestSuite(image_file, .init = begin, .fini = end);

static struct image *image_at(uint64_t ip)
{
	struct place p;

	cr_assert(place_of(&t, 1, (uint32_t)getpid(), ip, &p));
	return &t.images.list.v[p.image];
}

static void find_at(uint64_t ip)
{
	struct place p;

	cr_assert(place_of(&t, 1, (uint32_t)getpid(), ip, &p));
	found_release(&f);
	cr_assert_eq(image_find_object(&places, &t.images, &t.strings, p.image,
				       NEED_SYMBOLS, &f),
		     0);
}

/* A memfd with those bytes that this process can execute, and the record of it. */
static uint64_t map_memfd(const void *bytes, size_t size, bool recorded_id)
{
	struct record rec = { .time = 1,
			      .type = RECORD_MMAP,
			      .mode = MODE_USER,
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)getpid(),
			      .size = 0x1000,
			      .executable = true };
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct file_id id;
	void *map;

	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	map = mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(map, MAP_FAILED);
	cr_assert(process_file_id(fd, &(struct file_id){ 0 }, &id));
	close(fd);
	rec.start = (uintptr_t)map;
	rec.name = name_id(&t, "/memfd:test (deleted)");
	if (recorded_id) {
		rec.build_id_size = 20;
		memset(rec.build_id, 1, 20);
	} else {
		rec.maj = id.maj;
		rec.min = id.min;
		rec.ino = id.ino;
	}
	apply(&t, rec);
	return rec.start;
}

static bool can_open_maps(uint64_t start)
{
	char link[64];
	struct stat st;

	snprintf(link, sizeof(link), "/proc/self/map_files/%lx-%lx", (unsigned long)start,
		 (unsigned long)start + 0x1000);
	return stat(link, &st) == 0;
}

Test(image_file, a_memfd_that_a_process_runs_as_a_program_is_a_file)
{
	uint64_t start;

	image_write(&e);
	start = map_memfd(e.bytes, e.size, false);
	if (!can_open_maps(start))
		cr_skip_test("map_files is not for this user");
	cr_expect_eq(image_at(start)->kind, IMAGE_FILE);
	cr_expect_eq(address_at(&t, 1, (uint32_t)getpid(), start + 0x10), 0x10);
	find_at(start);
	cr_expect_not_null(f.object.elf);
}

Test(image_file, a_memfd_with_a_build_id_is_a_file)
{
	uint64_t start = map_memfd("no program", 10, true);

	cr_expect_eq(image_at(start)->kind, IMAGE_FILE);
	find_at(start);
	cr_expect_null(f.object.elf);
}

Test(image_file, a_memfd_with_anything_else_is_memory)
{
	uint64_t start = map_memfd("\x90\x90\xc3", 3, false);

	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
	cr_expect_eq(address_at(&t, 1, (uint32_t)getpid(), start + 0x10), start + 0x10);
}

Test(image_file, a_memfd_of_another_machine_is_memory)
{
	uint64_t start;

	t.rec.host = name_id(&t, "another");
	image_write(&e);
	start = map_memfd(e.bytes, e.size, false);
	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
}

Test(image_file, a_memfd_is_not_looked_for_with_a_symfs)
{
	uint64_t start;

	places.symfs = "/";
	image_write(&e);
	start = map_memfd(e.bytes, e.size, false);
	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
}

Test(image_file, an_image_knows_who_had_it_first_and_last)
{
	map(&t, 1, 7, 0x1000, 0x1000, 0, "/bin/x");
	map(&t, 1, (uint32_t)getpid(), 0x5000, 0x2000, 0, "/bin/x");
	map(&t, 1, 9, 0x3000, 0x1000, 0, "/bin/x");
	cr_expect_eq(image_at(0x5000)->first.pid, 7);
	cr_expect_eq(image_at(0x5000)->last.pid, 9);
	cr_expect_eq(image_at(0x5000)->last.start, 0x3000);
	cr_expect_eq(image_at(0x5000)->last.end, 0x4000);
	cr_expect_eq(image_at(0x5000)->last.host, t.rec.host);
}

/* Its build id goes by its name in the header of the recording. */
static void know_build_id(const char *name, const struct object *o)
{
	struct known_build_id *known = array_add(&t.rec.build_ids);

	*known = (struct known_build_id){ .path = name_id(&t, name), .mode = MODE_USER };
	known->size = o->build_id_size;
	memcpy(known->id, o->build_id, o->build_id_size);
	processes_free(t.ps);
	cr_assert_eq(processes_new(&t.ctx, &t.rec, &t.images, &t.strings, PROCESSES_WHOLE,
				   &t.ps),
		     0);
}

Test(image_file, the_vdso_is_this_machines_where_nothing_speaks_against_it)
{
	uint32_t pid = (uint32_t)getpid();

	if (!getauxval(AT_SYSINFO_EHDR))
		cr_skip_test("no vdso here");
	map(&t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	find_at(0x7fff00000000);
	cr_expect_not_null(f.object.elf);
	cr_expect_str_eq(f.file.bytes, "[vdso]");
}

Test(image_file, the_vdso_of_another_kernel_is_not_this_machines)
{
	t.rec.kernel = name_id(&t, "2.6.32-none");
	map(&t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	find_at(0x7fff00000000);
	cr_expect_null(f.object.elf);
	cr_expect_str_eq(f.problem.bytes, "the recorded vdso is not this machine's");
}

Test(image_file, the_vdso_of_another_machine_is_not_this_machines)
{
	t.rec.arch = name_id(&t, "none");
	map(&t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	find_at(0x7fff00000000);
	cr_expect_null(f.object.elf);
	cr_expect_str_eq(f.problem.bytes, "the recorded vdso is not this machine's");
}

Test(image_file, the_vdso_of_a_task_with_32_bits_is_another_one)
{
	uint32_t pid = (uint32_t)getpid();

	map(&t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	map(&t, 1, pid, 0xf7fc0000, 0x2000, 0, "[vdso]");
	cr_expect_neq(image_at(0x7fff00000000), image_at(0xf7fc0000));
	find_at(0xf7fc0000);
	cr_expect_null(f.object.elf);
}

Test(image_file, the_build_id_of_one_vdso_is_not_that_of_the_other)
{
	struct context ctx = { 0 };
	uint32_t pid = (uint32_t)getpid();
	struct object own;

	if (object_open_vdso(&ctx, &own) < 0)
		cr_skip_test("no vdso here");
	know_build_id("[vdso]", &own);
	map(&t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	map(&t, 1, pid, 0xf7fc0000, 0x2000, 0, "[vdso]");
	cr_expect_eq(image_at(0x7fff00000000)->build_id_size, own.build_id_size);
	cr_expect_eq(image_at(0xf7fc0000)->build_id_size, 0);
	find_at(0x7fff00000000);
	cr_expect_not_null(f.object.elf);
	find_at(0xf7fc0000);
	cr_expect_null(f.object.elf);
	object_close(&own);
	array_release(&t.rec.build_ids);
}

/* One directory deep, so that what was made can be removed. */
Test(image_file, the_vdso_of_another_kernel_may_be_in_the_build_id_cache)
{
	char dir[] = "/tmp/flamefold-test-XXXXXX", path[5][128];
	struct object o = { .build_id_size = 2, .build_id = { 0xab, 0xcd } };

	image_build_id(&e, o.build_id, 2);
	image_write(&e);
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path[0], sizeof(*path), "%s", dir);
	snprintf(path[1], sizeof(*path), "%s/.build-id", dir);
	snprintf(path[2], sizeof(*path), "%s/.build-id/ab", dir);
	snprintf(path[3], sizeof(*path), "%s/.build-id/ab/cd", dir);
	snprintf(path[4], sizeof(*path), "%s/.build-id/ab/cd/vdso", dir);
	for (size_t i = 1; i < 4; i++)
		mkdir(path[i], 0700);
	cr_assert_eq(symlink(e.path, path[4]), 0);
	places.build_id_dir = dir;
	know_build_id("[vdso]", &o);
	map(&t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	find_at(0x7fff00000000);
	cr_expect_not_null(f.object.elf);
	cr_expect_str_eq(f.file.bytes, path[4]);
	for (size_t i = 5; i-- > 0;)
		remove(path[i]);
	array_release(&t.rec.build_ids);
}
