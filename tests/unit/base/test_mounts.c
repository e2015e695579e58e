#include "base/mounts.h"

#include <criterion/criterion.h>
#include <string.h>

static bool read(const char *text, struct mount_line *ret)
{
	static char line[256];

	strcpy(line, text);
	return mount_line_read(line, ret);
}

Test(mounts, what_a_line_says)
{
	struct mount_line m;

	cr_assert(read("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 "
		       "/dev/root rw,errors=continue",
		       &m));
	cr_assert_str_eq(m.root, "/mnt1");
	cr_assert_str_eq(m.mounted_at, "/mnt2");
	cr_assert_str_eq(m.type, "ext3");
	cr_assert_str_eq(m.options, "rw,errors=continue");
}

Test(mounts, escapes_of_paths)
{
	struct mount_line m;

	cr_assert(
		read("36 35 98:0 /a\\040b /c\\134d\\011\\08\\400 rw - ext4 none rw", &m));
	cr_assert_str_eq(m.root, "/a b");
	cr_assert_str_eq(m.mounted_at, "/c\\d\t\\08\\400");
}

Test(mounts, lines_that_are_none)
{
	static const char *const lines[] = {
		"",
		" - ",
		"1 2\n - ",
		"36 35 98:0 /a - ext4 none rw",
		"36 35 98:0 / /a rw - ext4 none",
		"36 35 98:0 / /a rw ext4 none rw",
	};
	struct mount_line m;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		cr_assert_not(read(lines[i], &m), "%s", lines[i]);
}

Test(mounts, whole_words_of_a_list)
{
	cr_assert(mount_has_word("rw,cpu,memory", "memory"));
	cr_assert(mount_has_word("memory,rw", "memory"));
	cr_assert(mount_has_word("memory", "memory"));
	cr_assert_not(mount_has_word("memory_recursiveprot", "memory"));
	cr_assert_not(mount_has_word("hugememory,rw", "memory"));
	cr_assert_not(mount_has_word("", "memory"));
}
