#include "symbol/naming.h"

#include <criterion/criterion.h>
#include <string.h>

static struct symbol_options options;

/* An image of that kind and path. */
struct subject {
	enum image_kind kind;
	const char *path;
};

static const char *name(struct subject s, const char *symbol)
{
	static char result[256];
	struct image image = { .kind = s.kind };
	struct naming naming;
	struct name_parts parts = { .symbol = symbol,
				    .size = symbol ? strlen(symbol) : 0,
				    .offset = 0x12,
				    .pc = 0x7f2b };
	struct text out = { 0 };

	cr_assert_eq(naming_init(&naming, &options, &image, s.path), 0);
	text_string(&out, "");
	if (!naming_add(&naming, &parts, &out))
		text_string(&out, "(dropped)");
	strcpy(result, out.bytes);
	text_release(&out);
	naming_release(&naming);
	return result;
}

static const char *unnamed(enum image_kind kind, const char *path)
{
	return name((struct subject){ kind, path }, NULL);
}

static enum function_kind kind(enum image_kind kind, const char *path)
{
	struct image image = { .kind = kind };
	struct naming naming;
	enum function_kind result;

	cr_assert_eq(naming_init(&naming, &options, &image, path), 0);
	result = naming_kind(&naming);
	naming_release(&naming);
	return result;
}

static void be_compatible(void)
{
	options.compat = true;
}

Test(naming, a_kernel_module_goes_by_its_name)
{
	cr_expect_str_eq(unnamed(IMAGE_MODULE, "/lib/modules/6.1/kernel/nf-tables.ko.xz"),
			 "[nf_tables]");
	cr_expect_str_eq(unnamed(IMAGE_MODULE, "[nf_tables]"), "[nf_tables]");
}

Test(naming, functions_without_a_name_have_one_pair_of_brackets)
{
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/usr/lib/libc.so.6"), "[libc.so.6]");
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/bin/a (deleted)"), "[a]");
	cr_expect_str_eq(unnamed(IMAGE_VDSO, "[vdso]"), "[vdso]");
	cr_expect_str_eq(unnamed(IMAGE_KERNEL, "[kernel.kallsyms]"), "[kernel.kallsyms]");
	cr_expect_str_eq(unnamed(IMAGE_KERNEL, "[kernel.kallsyms]_text"),
			 "[kernel.kallsyms]");
	cr_expect_str_eq(unnamed(IMAGE_ANON, "[heap]"), "[heap]");
	cr_expect_str_eq(unnamed(IMAGE_ANON, "[anon:a/b]"), "[anon:a/b]");
	cr_expect_str_eq(unnamed(IMAGE_ANON, "//anon"), "[anon]");
	cr_expect_str_eq(unnamed(IMAGE_UNKNOWN, ""), "[unknown]");
	cr_expect_str_eq(unnamed(IMAGE_GUEST, "[guest.kernel.kallsyms]"), "[guest]");
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/a/b;\nc"), "[b:?c]");
	cr_expect_str_eq(unnamed(IMAGE_FILE, ""), "[unknown]");
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/"), "[/]");
}

Test(naming, with_addresses_they_show_the_recorded_pc)
{
	options.unnamed = FF_UNNAMED_ADDRESS;
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/usr/lib/libfoo.so"), "[libfoo.so <7f2b>]");
	cr_expect_str_eq(unnamed(IMAGE_UNKNOWN, ""), "[unknown <7f2b>]");
}

Test(naming, kernel_modules_and_code_it_made_are_kernel)
{
	cr_expect_eq(kind(IMAGE_KERNEL, "[kernel.kallsyms]"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_MODULE, "/lib/modules/x.ko"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_KSYMBOL, "bpf_prog_1"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_VDSO, "[vdso]"), FUNCTION_USER);
	cr_expect_eq(kind(IMAGE_FILE, "/bin/a"), FUNCTION_USER);
	cr_expect_eq(kind(IMAGE_ANON, "/tmp/perf-12.map"), FUNCTION_JIT);
	cr_expect_eq(kind(IMAGE_FILE, "/tmp/perf-x.map"), FUNCTION_USER);
}

Test(naming, compatible_names_have_the_brackets_of_the_script, .init = be_compatible)
{
	cr_expect_str_eq(unnamed(IMAGE_VDSO, "[vdso]"), "[[vdso]]");
	cr_expect_str_eq(unnamed(IMAGE_KERNEL, "[kernel.kallsyms]_text"),
			 "[[kernel.kallsyms]]");
	cr_expect_str_eq(unnamed(IMAGE_FILE, "/bin/a (deleted)"), "[unknown] ");
	cr_expect_str_eq(unnamed(IMAGE_UNKNOWN, ""), "[unknown]");
	cr_expect_str_eq(name((struct subject){ IMAGE_FILE, "/bin/a (deleted)" }, "f"),
			 "f+0x12 ");
	cr_expect_str_eq(name((struct subject){ IMAGE_FILE, "/bin/a" }, "f(int)"), "f");
	cr_expect_str_eq(name((struct subject){ IMAGE_FILE, "/bin/a" }, "(x)::f"),
			 "(dropped)");
}

/* Named without a symbol, by where the function begins. */
static const char *of_start(const char *path, bool whole, const char *symbol)
{
	static char result[256];
	struct image image = { .kind = IMAGE_FILE };
	struct name_parts parts = { .symbol = symbol,
				    .size = symbol ? strlen(symbol) : 0,
				    .pc = 0x7f2b,
				    .whole = whole,
				    .has_start = true,
				    .start = 0x1c40 };
	struct naming naming;
	struct text out = { 0 };

	cr_assert_eq(naming_init(&naming, &options, &image, path), 0);
	cr_expect(naming_add(&naming, &parts, &out));
	strcpy(result, out.bytes);
	text_release(&out);
	naming_release(&naming);
	return result;
}

Test(naming, a_function_without_a_symbol_goes_by_where_it_begins)
{
	cr_expect_str_eq(of_start("/usr/lib/libx.so.6", false, NULL),
			 "[libx.so.6+0x1c40]");
	cr_expect_str_eq(of_start("/bin/a (deleted)", false, NULL), "[a+0x1c40]");
}

Test(naming, names_are_cut_where_others_wrote_their_parameters)
{
	cr_expect_str_eq(of_start("/bin/a", false, "f(int)"), "f");
	cr_expect_str_eq(of_start("/bin/a", true, "f(int)"), "f(int)");
	options.demangle = FF_DEMANGLE_FULL;
	cr_expect_str_eq(of_start("/bin/a", false, "f(int)"), "f(int)");
}

/* perf prints no module with them, and stackcollapse-perf.pl marks nothing then. */
Test(naming, compatible_inlined_functions_have_their_names_alone, .init = be_compatible)
{
	struct image image = { .kind = IMAGE_FILE };
	struct name_parts parts = {
		.symbol = "a::f(int)", .size = 9, .pc = 0x7f2b, .inlined = true
	};
	struct naming naming;
	struct text out = { 0 };

	cr_assert_eq(naming_init(&naming, &options, &image, "/bin/a (deleted)"), 0);
	cr_expect(naming_add(&naming, &parts, &out));
	cr_expect_str_eq(out.bytes, "a::f");
	text_release(&out);
	naming_release(&naming);
}

Test(naming, compatible_module_is_its_path_where_its_build_id_is_known,
     .init = be_compatible)
{
	struct image image = { .kind = IMAGE_MODULE, .build_id_size = 20 };
	struct naming naming;

	cr_assert_eq(naming_init(&naming, &options, &image, "/lib/modules/x.ko"), 0);
	cr_expect_str_eq(naming.path, "/lib/modules/x.ko");
	cr_expect_eq(naming_kind(&naming), FUNCTION_USER);
	naming_release(&naming);
}

Test(naming, compatible_kinds_go_by_the_module_alone, .init = be_compatible)
{
	cr_expect_eq(kind(IMAGE_VDSO, "[vdso]"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_ANON, "[heap]"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_UNKNOWN, ""), FUNCTION_USER);
	cr_expect_eq(kind(IMAGE_MODULE, "/lib/modules/x.ko"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_MODULE, "[nf_tables]"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_FILE, "/boot/vmlinux"), FUNCTION_KERNEL);
	cr_expect_eq(kind(IMAGE_FILE, "/boot/vmlinux-5.4"), FUNCTION_USER);
	cr_expect_eq(kind(IMAGE_ANON, "/tmp/perf-12.map"), FUNCTION_JIT);
}
