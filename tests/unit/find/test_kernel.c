#include "find/kernel.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"

#define ID "0123456789abcdefghij"
#define OTHER_ID "another build id...."
#define BY_ID "/.build-id/30/3132333435363738396162636465666768696a"

static struct elf_image e;
static struct search_dirs dirs;
static struct wanted_kernel wanted = { .build_id = (const uint8_t *)ID,
				       .build_id_size = 20,
				       .release = "6.1.0-9" };
static struct found f;
static char dir[64], path[256];

static void begin(void)
{
	object_prepare();
	strcpy(dir, "/tmp/flamefold-test-XXXXXX");
	cr_assert_not_null(mkdtemp(dir));
	dirs.symfs = dir;
	dirs.build_id_dir = "";
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(name);
}

static void end(void)
{
	found_release(&f);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

TestSuite(find_kernel, .init = begin, .fini = end);

static void make_room(const char *where)
{
	snprintf(path, sizeof(path), "%s%s", dir, where);
	for (char *p = path + strlen(dir) + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
}

/* A file with a symbol, and that id. */
static void put(const char *id, const char *where)
{
	unsigned text;

	image_begin(&e);
	text = image_code(&e, ".text", 0x1000, 0x100);
	image_symbol(&e, "_text", 0x1000, 0x10, STB_GLOBAL, text);
	if (id)
		image_build_id(&e, id, 20);
	image_write(&e);
	make_room(where);
	cr_assert_eq(rename(e.path, path), 0);
}

static void put_text(const char *text, const char *where)
{
	char from[64];

	write_temporary(from, text, strlen(text));
	make_room(where);
	cr_assert_eq(rename(from, path), 0);
}

static bool finds(const char *where)
{
	found_release(&f);
	cr_assert_eq(find_kernel_file(&dirs, &wanted, &f), 0);
	return f.object.elf && strcmp(f.file.bytes + strlen(dir), where) == 0;
}

static bool finds_none(void)
{
	found_release(&f);
	cr_assert_eq(find_kernel_file(&dirs, &wanted, &f), 0);
	return !f.object.elf;
}

Test(find_kernel, places_of_a_vmlinux_come_in_this_order)
{
	static const char *const all[] = {
		"/usr/lib/debug" BY_ID ".debug",
		"/usr/lib/debug" BY_ID,
		"/usr/lib/debug/boot/vmlinux-6.1.0-9",
		"/boot/vmlinux-6.1.0-9",
		"/lib/modules/6.1.0-9/build/vmlinux",
		"/usr/lib/debug/lib/modules/6.1.0-9/vmlinux",
		"/lib/modules/6.1.0-9/vmlinux",
		"/usr/lib/debug/boot/vmlinux-6.1.0-9.debug",
	};

	cr_expect(finds_none());
	for (size_t i = sizeof(all) / sizeof(*all); i-- > 0;) {
		put(ID, all[i]);
		cr_expect(finds(all[i]), "%s", all[i]);
	}
}

Test(find_kernel, one_of_another_build_does_not_hide_the_right_one)
{
	put(OTHER_ID, "/boot/vmlinux-6.1.0-9");
	cr_expect(finds_none());
	cr_expect(f.refused);
	cr_expect(strstr(f.problem.bytes, "recorded was 3031323334"));
	put(NULL, "/boot/vmlinux-6.1.0-9");
	cr_expect(finds_none());
	cr_expect(strstr(f.problem.bytes, "has build id none"));
	put(ID, "/lib/modules/6.1.0-9/vmlinux");
	cr_expect(finds("/lib/modules/6.1.0-9/vmlinux"));
	cr_expect_not(f.refused);
	cr_expect_eq(f.problem.size, 0);
}

Test(find_kernel, without_a_build_id_nothing_is_looked_for)
{
	put(NULL, "/boot/vmlinux-6.1.0-9");
	wanted.build_id_size = 0;
	cr_expect(finds_none());
	wanted.build_id_size = 20;
}

Test(find_kernel, a_release_that_is_a_path_is_none)
{
	static const char *const odd[] = { "", ".", "..", "../boot", "a/b", "/" };

	put(ID, "/boot/vmlinux-");
	put(ID, "/boot/vmlinux-a/b");
	put(ID, "/lib/modules/build/vmlinux");
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		wanted.release = odd[i];
		cr_expect(finds_none(), "%s", odd[i]);
	}
}

Test(find_kernel, a_module_is_where_it_was_recorded)
{
	wanted.module = "/lib/modules/6.1.0-9/extra/x.ko";
	cr_expect(finds_none());
	put(ID, wanted.module);
	cr_expect(finds(wanted.module));
}

Test(find_kernel, a_module_leaves_no_symfs)
{
	put(ID, "/outside");
	put(ID, "/inside/x.ko");
	snprintf(path, sizeof(path), "%s/inside", dir);
	dirs.symfs = path;
	wanted.module = "/../outside";
	cr_expect(finds_none());
	wanted.module = "/x.ko";
	cr_assert_eq(find_kernel_file(&dirs, &wanted, &f), 0);
	cr_expect_not_null(f.object.elf);
}

Test(find_kernel, modules_dep_says_where_a_module_is)
{
	static const char *const names[] = { "[a_module]", "[a-module]",
					     "/lib/modules/6.1.0-9/moved/a-module.ko.xz",
					     "/elsewhere/a_module.ko" };

	put(ID, "/lib/modules/6.1.0-9/kernel/net/a-module.ko.zst");
	put(ID, "/lib/modules/6.1.0-9/kernel/net/a-module-more.ko");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		wanted.module = names[i];
		put_text("", "/lib/modules/6.1.0-9/modules.dep");
		cr_expect(finds_none(), "%s", names[i]);
		put_text("kernel/net/a-module-more.ko: kernel/net/a-module.ko.zst\n"
			 "kernel/net/a-module.ko.zst:",
			 "/lib/modules/6.1.0-9/modules.dep");
		cr_expect(finds("/lib/modules/6.1.0-9/kernel/net/a-module.ko.zst"), "%s",
			  names[i]);
	}
}

Test(find_kernel, a_modules_dep_that_makes_no_sense_is_read_without_harm)
{
	static const char *const odd[] = { "\n\n:\n",	  ":",
					   "kernel/a.ko", "../../../../outside/a.ko:\n",
					   "[a]:\n",	  "/../a.ko:\n",
					   ".ko:\n",	  "a.ko:" };

	put(ID, "/outside/a.ko");
	wanted.module = "[a]";
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		put_text(odd[i], "/lib/modules/6.1.0-9/modules.dep");
		cr_expect(finds_none(), "%s", odd[i]);
	}
}
