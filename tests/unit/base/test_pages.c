#include "base/pages.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LARGE = 2 << 20, /* a large page */
	PAGE_MOST = 64 << 10, /* what a page has at most, where one has 4 KiB here */
};

/* Around a large page and two, and where small pages fill what is left. */
static const size_t sizes[] = {
	1,
	8,
	4096,
	LARGE - 1,
	LARGE,
	LARGE + 1,
	LARGE + 4095,
	LARGE + 4096,
	LARGE + 4097,
	LARGE + PAGE_MOST,
	2 * LARGE - 1,
	2 * LARGE,
	2 * LARGE + 1,
	5 * LARGE + 12345,
};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

static bool is_all(const uint8_t *bytes, size_t size, uint8_t value)
{
	return size == 0 ||
	       (bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* A machine with pages of 64 KiB: whole ones are mapped, and munmap() refuses an address
 * within one. */
static struct {
	bool played;
	size_t mapped, refused; /* bytes; calls */
} machine;

static size_t whole(size_t size)
{
	return (size + PAGE_MOST - 1) / PAGE_MOST * PAGE_MOST;
}

static void *map(void *p, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, p, size, protection, flags, fd, offset);
}

__attribute__((visibility("default"))) void *mmap(void *p, size_t size, int protection,
						  int flags, int fd, off_t offset)
{
	uintptr_t start;

	if (!machine.played || p || size > SIZE_MAX / 2)
		return map(p, size, protection, flags, fd, offset);
	size = whole(size);
	start = (uintptr_t)map(NULL, size + PAGE_MOST, protection, flags, fd, offset);
	if ((void *)start == MAP_FAILED)
		return MAP_FAILED;
	p = (void *)whole(start);
	syscall(SYS_munmap, start, (uintptr_t)p - start);
	syscall(SYS_munmap, (uintptr_t)p + size, PAGE_MOST - ((uintptr_t)p - start));
	machine.mapped += size;
	return p;
}

__attribute__((visibility("default"))) int munmap(void *p, size_t size)
{
	if (!machine.played)
		return (int)syscall(SYS_munmap, p, size);
	if ((uintptr_t)p % PAGE_MOST || size == 0) {
		machine.refused++;
		errno = EINVAL;
		return -1;
	}
	machine.mapped -= whole(size);
	return (int)syscall(SYS_munmap, p, whole(size));
}

/* Is any page there? */
static bool is_mapped(const void *p)
{
	unsigned char in;
	uintptr_t page = (uintptr_t)p & ~(uintptr_t)(PAGE_MOST - 1);

	return mincore((void *)page, 1, &in) == 0;
}

Test(pages, all_of_it_is_zeroed_and_can_be_written)
{
	for (int i = 0; i < SIZES; i++) {
		uint8_t *p = pages_take(sizes[i]);

		cr_assert_not_null(p);
		cr_expect(is_all(p, sizes[i], 0), "%zu bytes", sizes[i]);
		memset(p, 0xff, sizes[i]);
		pages_give_back(p, sizes[i]);
	}
}

Test(pages, memory_that_was_given_back_comes_zeroed_again)
{
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < SIZES; i++) {
			uint8_t *p = pages_take(sizes[i]);

			cr_assert_not_null(p);
			cr_assert(is_all(p, sizes[i], 0), "%zu bytes", sizes[i]);
			memset(p, 0xff, sizes[i]);
			pages_give_back(p, sizes[i]);
		}
}

Test(pages, megabytes_begin_where_a_large_page_does)
{
	for (int i = 0; i < SIZES; i++) {
		void *taken = pages_take(sizes[i]), *room = pages_room(sizes[i]);

		cr_assert(taken && room);
		if (sizes[i] >= LARGE) {
			cr_expect_eq((uintptr_t)taken % LARGE, 0u, "%zu bytes", sizes[i]);
			cr_expect_eq((uintptr_t)room % LARGE, 0u, "%zu bytes", sizes[i]);
		}
		pages_give_back(taken, sizes[i]);
		free(room);
	}
}

Test(pages, what_lies_around_and_what_is_given_back_is_no_longer_there)
{
	for (int i = 0; i < SIZES; i++) {
		size_t last = sizes[i] - 1;
		uint8_t *p;

		if (sizes[i] < LARGE)
			continue;
		p = pages_take(sizes[i]);
		cr_assert_not_null(p);
		cr_expect(is_mapped(p) && is_mapped(p + last), "%zu bytes", sizes[i]);
		pages_give_back(p, sizes[i]);
		cr_expect_not(is_mapped(p), "%zu bytes", sizes[i]);
		cr_expect_not(is_mapped(p + last), "%zu bytes", sizes[i]);
	}
}

Test(pages, nothing_is_left_where_pages_are_larger)
{
	for (int i = 0; i < SIZES; i++) {
		void *p;

		machine.mapped = machine.refused = 0;
		machine.played = true;
		p = pages_take(sizes[i]);
		pages_give_back(p, sizes[i]);
		machine.played = false;
		cr_assert_not_null(p);
		cr_expect_eq(machine.refused, 0, "%zu bytes", sizes[i]);
		cr_expect_eq(machine.mapped, 0, "%zu of %zu bytes", machine.mapped,
			     sizes[i]);
	}
}

static void grow(size_t size, size_t more)
{
	size_t used = size - size / 3;
	uint8_t *p = pages_take(size);

	cr_assert_not_null(p);
	for (size_t i = 0; i < used; i++)
		p[i] = (uint8_t)(i % 251);
	p = pages_grow(p, size, used, more);
	cr_assert_not_null(p);
	for (size_t i = 0; i < used; i++)
		cr_assert_eq(p[i], i % 251, "byte %zu of %zu, %zu", i, size, more);
	if (more >= LARGE)
		cr_expect_eq((uintptr_t)p % LARGE, 0u);
	memset(p + used, 0xff, more - used);
	pages_give_back(p, more);
}

Test(pages, what_grows_keeps_its_bytes)
{
	for (int i = 0; i < SIZES; i++)
		for (int k = i + 1; k < SIZES; k++)
			grow(sizes[i], sizes[k]);
}

Test(pages, room_is_of_malloc)
{
	for (int i = 0; i < SIZES; i++) {
		uint8_t *p = pages_room(sizes[i]);

		cr_assert_not_null(p);
		memset(p, 0x5a, sizes[i]);
		p = realloc(p, sizes[i] + LARGE);
		cr_assert_not_null(p);
		cr_expect(is_all(p, sizes[i], 0x5a), "%zu bytes", sizes[i]);
		free(p);
	}
	free(pages_room(0));
}

/* What is free()d stays with the allocator once it has come back the first time. */
Test(pages, what_was_in_use_before_is_zeroed)
{
	for (int round = 0; round < 4; round++)
		for (size_t i = 0; i < SIZES; i++) {
			uint8_t *p = pages_zeroed(sizes[i], 1);

			cr_assert_not_null(p);
			cr_expect(is_all(p, sizes[i], 0), "%zu bytes", sizes[i]);
			memset(p, 0xff, sizes[i]);
			free(p);
		}
	cr_expect_null(pages_zeroed(SIZE_MAX / 4, 8));
}

Test(pages, more_than_there_is_is_refused_and_nothing_is_lost)
{
	static const size_t most[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - LARGE + 1,
				       SIZE_MAX - 2 * (size_t)LARGE, SIZE_MAX / 2 };
	uint8_t *p = pages_take(100);

	cr_assert_not_null(p);
	memset(p, 7, 100);
	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		cr_expect_null(pages_take(most[i]), "%zu bytes", most[i]);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		/* Sanitizers have an allocator of their own, which warns of that. */
		cr_expect_null(pages_room(most[i]), "%zu bytes", most[i]);
#endif
		cr_expect_null(pages_grow(p, 100, 100, most[i]), "%zu bytes", most[i]);
	}
	cr_expect(is_all(p, 100, 7));
	pages_give_back(p, 100);
	pages_give_back(NULL, 100);
	pages_give_back(NULL, 3 * LARGE);
}
