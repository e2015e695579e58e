#include "here.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static struct here h;

static void begin(void)
{
	here_begin(&h);
}

static void end(void)
{
	here_end(&h);
}

TestSuite(image_file, .init = begin, .fini = end);

static struct image *image_at(uint64_t ip)
{
	struct location p;

	cr_assert(location_of(&h.t, 1, (uint32_t)getpid(), ip, &p));
	return &h.t.images.list.v[p.image];
}

/* A memfd with those bytes that this process can execute, and the record of it. */
static uint64_t map_memfd(const void *bytes, size_t size, bool recorded_id)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct record rec;
	void *map;

	cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
	map = mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(map, MAP_FAILED);
	rec = here_record(&h, fd, (uintptr_t)map, "/memfd:test (deleted)");
	close(fd);
	if (recorded_id) {
		rec.maj = rec.min = 0;
		rec.ino = 0;
		rec.build_id_size = 20;
		memset(rec.build_id, 1, 20);
	}
	apply(&h.t, rec);
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

	image_write(&h.e);
	start = map_memfd(h.e.bytes, h.e.size, false);
	if (!can_open_maps(start))
		cr_skip_test("map_files is not for this user");
	cr_expect_eq(image_at(start)->kind, IMAGE_FILE);
	cr_expect_eq(address_at(&h.t, 1, (uint32_t)getpid(), start + 0x10), 0x10);
	here_find(&h, start);
	cr_expect_not_null(h.f.object.elf);
}

Test(image_file, a_memfd_with_a_build_id_is_a_file)
{
	uint64_t start = map_memfd("no program", 10, true);

	cr_expect_eq(image_at(start)->kind, IMAGE_FILE);
	here_find(&h, start);
	cr_expect_null(h.f.object.elf);
}

Test(image_file, a_memfd_with_anything_else_is_memory)
{
	uint64_t start = map_memfd("\x90\x90\xc3", 3, false);

	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
	cr_expect_eq(address_at(&h.t, 1, (uint32_t)getpid(), start + 0x10), start + 0x10);
}

Test(image_file, a_memfd_of_another_machine_is_memory)
{
	uint64_t start;

	h.t.rec.host = name_id(&h.t, "another");
	image_write(&h.e);
	start = map_memfd(h.e.bytes, h.e.size, false);
	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
}

Test(image_file, a_memfd_is_not_looked_for_with_a_symfs)
{
	uint64_t start;

	h.dirs.symfs = "/";
	image_write(&h.e);
	start = map_memfd(h.e.bytes, h.e.size, false);
	cr_expect_eq(image_at(start)->kind, IMAGE_ANON);
}

Test(image_file, an_image_knows_who_had_it_first_and_last)
{
	map(&h.t, 1, 7, 0x1000, 0x1000, 0, "/bin/x");
	map(&h.t, 1, (uint32_t)getpid(), 0x5000, 0x2000, 0, "/bin/x");
	map(&h.t, 1, 9, 0x3000, 0x1000, 0, "/bin/x");
	cr_expect_eq(image_at(0x5000)->first.pid, 7);
	cr_expect_eq(image_at(0x5000)->last.pid, 9);
	cr_expect_eq(image_at(0x5000)->last.start, 0x3000);
	cr_expect_eq(image_at(0x5000)->last.end, 0x4000);
	cr_expect_eq(image_at(0x5000)->last.host, h.t.rec.host);
}

/* Its build id goes by its name in the header of the recording. */
static void know_build_id(const char *name, const struct object *o)
{
	struct known_build_id *known = array_add(&h.t.rec.build_ids);

	*known =
		(struct known_build_id){ .path = name_id(&h.t, name), .mode = MODE_USER };
	known->size = o->build_id_size;
	memcpy(known->id, o->build_id, o->build_id_size);
	processes_free(h.t.ps);
	cr_assert_eq(
		processes_new(&h.t.ctx, &h.t.rec, &h.t.images, PROCESSES_WHOLE, &h.t.ps),
		0);
}

Test(image_file, the_vdso_is_this_machines_where_nothing_speaks_against_it)
{
	uint32_t pid = (uint32_t)getpid();

	if (!getauxval(AT_SYSINFO_EHDR))
		cr_skip_test("no vdso here");
	map(&h.t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	here_find(&h, 0x7fff00000000);
	cr_expect_not_null(h.f.object.elf);
	cr_expect_str_eq(h.f.file.bytes, "[vdso]");
}

Test(image_file, the_vdso_of_another_kernel_is_not_this_machines)
{
	h.t.rec.kernel = name_id(&h.t, "2.6.32-none");
	map(&h.t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	here_find(&h, 0x7fff00000000);
	cr_expect_null(h.f.object.elf);
	cr_expect_str_eq(h.f.problem.bytes, "the recorded vdso is not this machine's");
}

Test(image_file, the_vdso_of_another_machine_is_not_this_machines)
{
	h.t.rec.arch = name_id(&h.t, "none");
	map(&h.t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	here_find(&h, 0x7fff00000000);
	cr_expect_null(h.f.object.elf);
	cr_expect_str_eq(h.f.problem.bytes, "the recorded vdso is not this machine's");
}

Test(image_file, the_vdso_of_a_task_with_32_bits_is_another_one)
{
	uint32_t pid = (uint32_t)getpid();

	map(&h.t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	map(&h.t, 1, pid, 0xf7fc0000, 0x2000, 0, "[vdso]");
	cr_expect_neq(image_at(0x7fff00000000), image_at(0xf7fc0000));
	here_find(&h, 0xf7fc0000);
	cr_expect_null(h.f.object.elf);
}

Test(image_file, the_build_id_of_one_vdso_is_not_that_of_the_other)
{
	struct context ctx = { 0 };
	uint32_t pid = (uint32_t)getpid();
	struct object own;

	if (object_open_vdso(&ctx, &own) < 0)
		cr_skip_test("no vdso here");
	know_build_id("[vdso]", &own);
	map(&h.t, 1, pid, 0x7fff00000000, 0x2000, 0, "[vdso]");
	map(&h.t, 1, pid, 0xf7fc0000, 0x2000, 0, "[vdso]");
	cr_expect_eq(image_at(0x7fff00000000)->build_id_size, own.build_id_size);
	cr_expect_eq(image_at(0xf7fc0000)->build_id_size, 0);
	here_find(&h, 0x7fff00000000);
	cr_expect_not_null(h.f.object.elf);
	here_find(&h, 0xf7fc0000);
	cr_expect_null(h.f.object.elf);
	object_close(&own);
	array_release(&h.t.rec.build_ids);
}

/* One directory deep, so that what was made can be removed. */
Test(image_file, the_vdso_of_another_kernel_may_be_in_the_build_id_cache)
{
	char dir[] = "/tmp/flamefold-test-XXXXXX", path[5][128];
	struct object o = { .build_id_size = 2, .build_id = { 0xab, 0xcd } };

	image_build_id(&h.e, o.build_id, 2);
	image_write(&h.e);
	cr_assert_not_null(mkdtemp(dir));
	snprintf(path[0], sizeof(*path), "%s", dir);
	snprintf(path[1], sizeof(*path), "%s/.build-id", dir);
	snprintf(path[2], sizeof(*path), "%s/.build-id/ab", dir);
	snprintf(path[3], sizeof(*path), "%s/.build-id/ab/cd", dir);
	snprintf(path[4], sizeof(*path), "%s/.build-id/ab/cd/vdso", dir);
	for (size_t i = 1; i < 4; i++)
		mkdir(path[i], 0700);
	cr_assert_eq(symlink(h.e.path, path[4]), 0);
	h.dirs.build_id_dir = dir;
	know_build_id("[vdso]", &o);
	map(&h.t, 1, (uint32_t)getpid(), 0x7fff00000000, 0x2000, 0, "[vdso]");
	here_find(&h, 0x7fff00000000);
	cr_expect_not_null(h.f.object.elf);
	cr_expect_str_eq(h.f.file.bytes, path[4]);
	for (size_t i = 5; i-- > 0;)
		remove(path[i]);
	array_release(&h.t.rec.build_ids);
}
