#include "elf/probe_offset.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static struct context ctx;

TestSuite(probe_offset, .init = object_prepare);

/* Where the dynamic linker has put it, less where it has put the file. */
static uint64_t place_of(const char *function, const char **path)
{
	void *at = dlsym(RTLD_DEFAULT, function);
	Dl_info info;

	cr_assert(at && dladdr(at, &info));
	*path = info.dli_fname;
	return (uint64_t)((const char *)at - (const char *)info.dli_fbase);
}

Test(probe_offset, it_is_that_of_the_function_and_not_of_its_stub)
{
	static const char *const functions[] = { "malloc", "calloc", "realloc", "free" };
	struct object object;
	uint64_t offset, address;
	const char *path;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		uint64_t place = place_of(functions[i], &path);

		cr_assert_eq(object_open(&ctx, path, &object), 0, "%s", ctx.error);
		cr_assert_eq(probe_offset_find(&object, functions[i], &offset), 0);
		cr_assert(object_address(&object, offset, &address));
		cr_expect_eq(address, place, "%s", functions[i]);
		object_close(&object);
	}
}

Test(probe_offset, of_several_versions_the_usual_one_is_found)
{
	struct object object;
	uint64_t offset, address, place;
	const char *path;

	/* glibc has one of 2.2.5, too, on x86-64. */
	place = place_of("pthread_cond_wait", &path);
	cr_assert_eq(object_open(&ctx, path, &object), 0, "%s", ctx.error);
	cr_assert_eq(probe_offset_find(&object, "pthread_cond_wait", &offset), 0);
	cr_assert(object_address(&object, offset, &address));
	cr_expect_eq(address, place);
	cr_expect_eq(probe_offset_find(&object, "nothing_is_called_so", &offset),
		     -ENOENT);
	object_close(&object);
}
