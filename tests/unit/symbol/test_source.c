#include "symbol/source.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/scarce.h"

enum {
	ASKED = 2000, /* more than are looked up one by one */
	STRIDE = 512, /* bytes */
};

/* Where the functions of this process' C library begin. */
static struct {
	char path[4096];
	uint64_t from; /* code */
	uint64_t starts[ASKED]; /* 0: none */
} library;

static void open_library(struct source *s)
{
	struct context ctx = { 0 };

	*s = (struct source){ .by_offset = true };
	s->files.object.fd = s->files.debug.fd = -1;
	cr_assert_eq(object_open(&ctx, library.path, &s->files.object), 0);
}

static uint64_t address_of(int i)
{
	return library.from + (uint64_t)i * STRIDE;
}

static void find_library(void)
{
	struct source s;
	Dl_info info;
	int found;

	object_prepare();
	cr_assert(dladdr((void *)(uintptr_t)strtol, &info));
	snprintf(library.path, sizeof(library.path), "%s", info.dli_fname);
	open_library(&s);
	library.from = s.files.object.segments.v[0].address;
	for (int i = 0; i < ASKED; i++) {
		found = source_function(&s, address_of(i), &library.starts[i]);
		cr_assert_geq(found, 0);
		library.starts[i] = found ? library.starts[i] : 0;
	}
	source_close(&s);
}

TestSuite(source, .init = find_library);

Test(source, functions_begin_at_or_below_their_addresses)
{
	int known = 0;

	for (int i = 0; i < ASKED; i++) {
		known += library.starts[i] > 0;
		cr_assert_leq(library.starts[i], address_of(i));
		if (i && library.starts[i])
			cr_assert_geq(library.starts[i], library.starts[i - 1]);
	}
	cr_expect_gt(known, ASKED / 2);
}

/* Did allocation @n fail? */
static bool ask_without(long n)
{
	uint64_t start;
	struct source s;
	int found = 0;

	open_library(&s);
	scarce_at = n;
	for (int i = 0; i < ASKED && found >= 0; i++) {
		found = source_function(&s, address_of(i), &start);
		if (found >= 0)
			cr_assert_eq(found ? start : 0, library.starts[i],
				     "without allocation %ld", n);
	}
	n = scarce_at;
	scarce_at = 0;
	cr_assert(found >= 0 || found == -ENOMEM);
	for (int i = 0; i < ASKED; i++) {
		found = source_function(&s, address_of(i), &start);
		cr_assert_eq(found > 0 ? start : 0, library.starts[i]);
	}
	source_close(&s);
	return n == 0;
}

Test(source, without_memory_a_function_begins_where_it_does_or_nowhere_is_told)
{
	long n = 1;

	if (SCARCE_NEVER)
		cr_skip_test("sanitizers have an allocator of their own");
	while (ask_without(n))
		n++;
	cr_expect_gt(n, 20);
}
