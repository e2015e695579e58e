#include "stack/code_windows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

enum { BYTES = 5000, FIRST = 100, LAST = 4900 };

static struct open_files files;
static struct known_file known;
static struct code_windows windows;
static uint8_t bytes[BYTES];
static char folder[] = "/tmp/code-windows-XXXXXX", path[64], other_path[64];

static void begin(void)
{
	int fd;

	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/one", folder);
	snprintf(other_path, sizeof(other_path), "%s/other", folder);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	cr_assert_eq(write(fd, bytes, BYTES), BYTES);
	open_files_init(&files);
	windows.files = &files;
	cr_assert_eq(known_file_note(&known, fd, path), 0);
	close(fd);
}

static void end(void)
{
	code_windows_release(&windows);
	open_files_release(&files);
	free(known.path);
	unlink(path);
	unlink(other_path);
	rmdir(folder);
}

TestSuite(code_windows, .init = begin, .fini = end);

static bool look_in(const struct known_file *file, uint64_t first, uint64_t last,
		    uint64_t offset, uint8_t *ret, size_t size)
{
	return code_windows_read(&windows,
				 &(struct file_range){ file, first, last - first },
				 offset, ret, size);
}

static bool look(uint64_t offset, uint8_t *ret, size_t size)
{
	return look_in(&known, FIRST, LAST, offset, ret, size);
}

Test(code_windows, what_is_read_is_what_the_file_has)
{
	uint8_t seen[3000];

	for (uint64_t offset = FIRST; offset < LAST; offset += 3)
		for (size_t size = 1; size < sizeof(seen) && offset + size <= LAST;
		     size = size * 3 + 1) {
			memset(seen, 0, sizeof(seen));
			cr_assert(look(offset, seen, size));
			cr_assert_eq(memcmp(seen, bytes + offset, size), 0, "%zu at %zu",
				     size, (size_t)offset);
		}
}

Test(code_windows, two_files_and_two_ranges_of_one_are_told_apart)
{
	struct known_file other = { 0 };
	uint8_t byte, changed = 0xee;
	int fd = open(other_path, O_RDWR | O_CREAT, 0600);

	cr_assert_eq(pwrite(fd, &changed, 1, BYTES), 1);
	cr_assert_eq(pwrite(fd, &changed, 1, 1000), 1);
	cr_assert_eq(known_file_note(&other, fd, other_path), 0);
	close(fd);
	for (int i = 0; i < 3; i++) {
		cr_assert(look(1000, &byte, 1));
		cr_assert_eq(byte, bytes[1000]);
		cr_assert(look_in(&other, 0, BYTES, 1000, &byte, 1));
		cr_assert_eq(byte, 0xee);
	}
	/* The window that was made of the first range ends where it does. */
	cr_assert(look(LAST - 1, &byte, 1));
	cr_assert(look_in(&known, LAST, BYTES, LAST, &byte, 1));
	cr_assert_eq(byte, bytes[LAST]);
	free(other.path);
}

Test(code_windows, a_window_is_read_once)
{
	uint8_t seen[8];
	uint64_t uses;

	cr_assert(look(2100, seen, sizeof(seen)));
	uses = files.uses;
	for (uint64_t offset = 2048; offset + sizeof(seen) <= 3072; offset++)
		cr_assert(look(offset, seen, sizeof(seen)));
	cr_assert_eq(files.uses, uses);
}

Test(code_windows, a_file_that_ends_sooner_than_its_segment_gives_what_it_has)
{
	uint8_t seen[8];

	cr_assert(look_in(&known, 0, 2 * BYTES, BYTES - 8, seen, 8));
	cr_assert_eq(memcmp(seen, bytes + BYTES - 8, 8), 0);
	cr_assert_not(look_in(&known, 0, 2 * BYTES, BYTES - 4, seen, 8));
	cr_assert_not(look_in(&known, 0, 2 * BYTES, BYTES, seen, 1));
}

Test(code_windows, one_that_was_replaced_has_nothing)
{
	uint8_t byte;

	cr_assert_eq(truncate(path, BYTES - 1), 0);
	cr_assert_not(look(1000, &byte, 1));
}
