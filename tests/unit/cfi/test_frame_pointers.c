/* What code says of its frame pointers: compiled here both ways, and what is installed. */
#include "cfi/frame_pointers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two functions with frames, one with a stack of changing size and one without any. */
static const char program[] =
	"int printf(const char *, ...);\n"
	"__attribute__((noinline)) int leaf(int n) { return n * 3; }\n"
	"__attribute__((noinline)) int one(int n)\n"
	"{\n"
	"	int s = 0;\n"
	"	for (int i = 0; i < n; i++)\n"
	"		s += printf(\"%d %d\", i, s) + leaf(s) * printf(\"%d\", n);\n"
	"	return s + printf(\"%d\", s);\n"
	"}\n"
	"__attribute__((noinline)) int vla(int n)\n"
	"{\n"
	"	int v[n];\n"
	"	v[0] = v[n - 1] = 0;\n"
	"	return printf(\"%p\", (void *)v);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	return one(argc) + one(argc + printf(\"y\")) * vla(argc) + one(3);\n"
	"}\n";

static int shell(const char *command)
{
	return system(command);
}

static enum frame_pointer_use use_of(const char *path, struct frame_pointers *found)
{
	struct context ctx = { 0 };
	struct object object;

	object_prepare();
	cr_assert_eq(object_open(&ctx, path, &object), 0, "%s", path);
	cr_assert_eq(frame_pointers_find(&object, NULL, found), 0);
	object_close(&object);
	return frame_pointers_use(found);
}

/* By few functions, as every file is asked. */
static bool rare_in(const char *path)
{
	struct context ctx = { 0 };
	struct unwind_single s;
	struct object object;
	bool rare;

	object_prepare();
	cr_assert_eq(object_open(&ctx, path, &object), 0, "%s", path);
	cr_assert_eq(unwind_single_open(&object, NULL, &s), 0);
	cr_assert_eq(frame_pointers_rare(&object, &s, &rare), 0);
	unwind_single_release(&s);
	object_close(&object);
	return rare;
}

/* Skips where the compiler is missing; true where it made the program. */
static void expect_of(const char *compiler, const char *options,
		      enum frame_pointer_use wanted)
{
	char place[] = "/tmp/frame_pointers.XXXXXX", command[512], source[64], made[64];
	struct frame_pointers found;
	enum frame_pointer_use use;
	FILE *f;

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", compiler);
	if (shell(command) != 0)
		cr_skip_test("no %s here", compiler);
	cr_assert_not_null(mkdtemp(place));
	snprintf(source, sizeof(source), "%s/a.c", place);
	snprintf(made, sizeof(made), "%s/a", place);
	f = fopen(source, "w");
	cr_assert_not_null(f);
	fputs(program, f);
	fclose(f);
	snprintf(command, sizeof(command), "%s -O2 %s -o %s %s", compiler, options, made,
		 source);
	cr_assert_eq(shell(command), 0, "%s", command);
	use = use_of(made, &found);
	/* A static program is many in one: nothing is sure. */
	if (wanted != FRAME_POINTERS_OMITTED || strstr(options, "-static"))
		cr_expect_not(rare_in(made), "%s %s", compiler, options);
	snprintf(command, sizeof(command), "rm -r %s", place);
	cr_expect_eq(shell(command), 0);
	cr_expect_eq(use, wanted, "%s -O2 %s: %ju bytes keep them, %ju do not", compiler,
		     options, (uintmax_t)found.kept, (uintmax_t)found.omitted);
}

Test(frame_pointers, gcc_omits_them_unless_it_is_asked)
{
	expect_of("gcc", "", FRAME_POINTERS_OMITTED);
	expect_of("gcc", "-fno-omit-frame-pointer", FRAME_POINTERS_KEPT);
	expect_of("gcc", "-fno-omit-frame-pointer -momit-leaf-frame-pointer",
		  FRAME_POINTERS_KEPT);
}

Test(frame_pointers, clang_omits_them_unless_it_is_asked)
{
	expect_of("clang", "", FRAME_POINTERS_OMITTED);
	expect_of("clang", "-fno-omit-frame-pointer", FRAME_POINTERS_KEPT);
}

Test(frame_pointers, code_for_aarch64_keeps_a_frame_record)
{
	expect_of("aarch64-linux-gnu-gcc", "", FRAME_POINTERS_KEPT);
	expect_of("aarch64-linux-gnu-gcc", "-fomit-frame-pointer",
		  FRAME_POINTERS_OMITTED);
}

Test(frame_pointers, debug_frame_alone_says_it_too)
{
	static const char no_table[] =
		"-g -nostartfiles -nostdlib -Wl,--unresolved-symbols=ignore-all "
		"-no-pie -fno-asynchronous-unwind-tables -Wl,-e,main";
	char kept[256];

	expect_of("gcc", no_table, FRAME_POINTERS_OMITTED);
	snprintf(kept, sizeof(kept), "%s -fno-omit-frame-pointer", no_table);
	expect_of("gcc", kept, FRAME_POINTERS_KEPT);
}

Test(frame_pointers, without_call_frame_information_nothing_is_known)
{
	expect_of("gcc",
		  "-nostartfiles -nostdlib -Wl,--unresolved-symbols=ignore-all -no-pie "
		  "-fno-asynchronous-unwind-tables -Wl,-e,main",
		  FRAME_POINTERS_UNKNOWN);
}

/* A static program is mostly its library. */
Test(frame_pointers, a_static_program_has_those_of_its_library)
{
	static const char library[] = "/lib/x86_64-linux-gnu/libc.so.6";
	struct frame_pointers f;

	if (access(library, R_OK) != 0)
		cr_skip_test("no library where Debian has it");
	if (use_of(library, &f) != FRAME_POINTERS_OMITTED)
		cr_skip_test("the library keeps frame pointers");
	cr_expect_gt(f.omitted, 100000);
	expect_of("gcc", "-static -fno-omit-frame-pointer", FRAME_POINTERS_OMITTED);
}

/* What a command prints is the path of a file; "" where there is none. */
static void printed(const char *command, char *ret, size_t room)
{
	FILE *f = popen(command, "re");

	ret[0] = '\0';
	if (f && fgets(ret, (int)room, f))
		ret[strcspn(ret, "\n")] = '\0';
	if (f)
		pclose(f);
	if (access(ret, R_OK) != 0)
		ret[0] = '\0';
}

struct installed {
	const char *command; /* prints where it is */
	enum frame_pointer_use use;
};

/* As Debian 12 builds them; @most: bytes of code that a sample of functions can have. */
Test(frame_pointers, installed_programs_are_told_apart)
{
	static const struct installed list[] = {
		{ "gcc -print-prog-name=cc1plus 2>/dev/null", FRAME_POINTERS_OMITTED },
		{ "ls /usr/bin/python3.11 2>/dev/null", FRAME_POINTERS_OMITTED },
		{ "ls /lib/x86_64-linux-gnu/libstdc++.so.6 "
		  "/usr/lib/x86_64-linux-gnu/libstdc++.so.6 2>/dev/null",
		  FRAME_POINTERS_OMITTED },
		/* Not Debian's own, which is a small program that calls a library. */
		{ "find /usr/bin/node -size +10M 2>/dev/null", FRAME_POINTERS_KEPT },
		{ "ls /usr/lib/jvm/java-17-openjdk-*/lib/server/libjvm.so 2>/dev/null",
		  FRAME_POINTERS_KEPT },
		{ "ls /usr/lib/go*/bin/go 2>/dev/null", FRAME_POINTERS_KEPT },
	};
	char release[8], path[512];
	size_t found = 0;

	printed("grep -q 'VERSION_ID=\"12\"' /etc/os-release && echo /", release,
		sizeof(release));
	if (!release[0])
		cr_skip_test("not Debian 12");
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct frame_pointers f;

		printed(list[i].command, path, sizeof(path));
		if (!path[0])
			continue;
		found++;
		cr_expect_eq(use_of(path, &f), list[i].use, "%s: %ju kept, %ju omitted",
			     path, (uintmax_t)f.kept, (uintmax_t)f.omitted);
		cr_expect_eq(rare_in(path), list[i].use == FRAME_POINTERS_OMITTED, "%s",
			     path);
	}
	cr_assert_gt(found, 0);
}

/* A program of Go's own, where what .eh_frame and .debug_frame say would be misleading. */
Test(frame_pointers, go_keeps_them_though_no_entry_says_so)
{
	char place[] = "/tmp/frame_pointers.XXXXXX", command[512], path[64];
	struct frame_pointers f;

	if (shell("command -v go >/dev/null 2>&1") != 0)
		cr_skip_test("no go here");
	cr_assert_not_null(mkdtemp(place));
	snprintf(
		command, sizeof(command),
		"cd %s && printf 'package main\\nfunc main() { println(1) }\\n' >a.go && "
		"GOCACHE=%s/cache GOFLAGS=-mod=mod go build -o a a.go >/dev/null 2>&1",
		place, place);
	cr_assert_eq(shell(command), 0);
	snprintf(path, sizeof(path), "%s/a", place);
	cr_expect_eq(use_of(path, &f), FRAME_POINTERS_KEPT);
	snprintf(command, sizeof(command), "chmod -R u+w %s && rm -r %s", place, place);
	cr_expect_eq(shell(command), 0);
}

/* The list of functions names entries that are not there any more. */
Test(frame_pointers, a_file_that_is_cut_is_read_as_far_as_it_goes)
{
	struct context ctx = { 0 };
	struct object whole, cut;
	struct frame_pointers f;
	size_t opened = 0;
	char *bytes;

	object_prepare();
	cr_assert_eq(object_open(&ctx, "/proc/self/exe", &whole), 0);
	cr_assert_eq(frame_pointers_find(&whole, NULL, &f), 0);
	cr_expect_gt(f.kept + f.omitted, 0);
	bytes = malloc(whole.size);
	cr_assert_not_null(bytes);
	cr_assert(object_read(&whole, 0, bytes, whole.size));
	for (uint64_t size = whole.size; size > whole.size / 16;
	     size -= whole.size / 16) {
		if (object_open_memory(&ctx, bytes, size, &cut) < 0)
			continue;
		opened++;
		cr_expect_eq(frame_pointers_find(&cut, NULL, &f), 0);
		object_close(&cut);
	}
	cr_expect_gt(opened, 1);
	free(bytes);
	object_close(&whole);
}
