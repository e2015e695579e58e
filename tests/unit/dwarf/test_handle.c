#include "dwarf/handle.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "unit/dwarf/info_writer.h"

/* Memory that can run out. Sanitizers have an allocator of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t size);

static _Thread_local bool no_memory;

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return no_memory ? NULL : __libc_malloc(size);
}
#else
static bool no_memory;
#endif

static struct elf_image e;
static struct info_writer d;
static struct object o;
static struct debug_image image;
static struct debug_handle handle;
static struct context ctx;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	info_begin(&d);
	info_abbreviation(&d, 1, DW_TAG_compile_unit, DW_CHILDREN_no, 0);
	for (int i = 0; i < 1000; i++) {
		info_unit(&d, 4);
		info_die(&d, 1);
		info_end_unit(&d);
	}
	info_add(&d, &e);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(debug_image_read(&ctx, &o, false, &image), 0);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
}

static void end(void)
{
	debug_handle_close(&handle);
	debug_image_release(&image);
	object_close(&o);
	image_remove(&e);
}

TestSuite(debug_handle, .init = begin, .fini = end);

static int last_unit(void *arg)
{
	Dwarf_Die die;

	no_memory = *(bool *)arg;
	return dwarf_offdie(handle.dwarf, d.info.size - 1, &die) ? 42 : -1;
}

Test(debug_handle, the_result_is_that_of_the_job)
{
	cr_expect_eq(debug_guarded(last_unit, &(bool){ false }), 42);
}

/* Left to itself libdw ends the process. */
Test(debug_handle, without_memory_the_job_is_left)
{
	int err;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	cr_skip_test("sanitizers have an allocator of their own");
#endif
	err = debug_guarded(last_unit, &(bool){ true });
	no_memory = false;
	cr_expect_eq(err, -ENOMEM);
}

static int guarded_again(void *arg)
{
	int err = debug_guarded(last_unit, arg);

	no_memory = false;
	return err == -ENOMEM ? 7 : err;
}

Test(debug_handle, guards_stand_in_each_other)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	cr_skip_test("sanitizers have an allocator of their own");
#endif
	cr_expect_eq(debug_guarded(guarded_again, &(bool){ true }), 7);
}

Test(debug_handle, handles_share_an_image)
{
	struct debug_handle other;
	Dwarf_Die a, b;

	cr_assert_eq(debug_handle_open(&image, NULL, &other), 0);
	cr_assert(dwarf_offdie(handle.dwarf, 11, &a));
	cr_assert(dwarf_offdie(other.dwarf, 11, &b));
	cr_expect_eq(a.addr, b.addr);
	cr_expect_neq(a.cu, b.cu);
	debug_handle_close(&other);
}
