#include "symbol/kernel.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "unit/object/elf_image.h"
#include "unit/symbol/subject.h"

static char path[64];
static const char *const lines = "ffffffff9a000000 T _text\n"
				 "ffffffff9a000100 T do_work\n"
				 "ffffffff9a000200 t _ZN1a1bEv\n"
				 "ffffffff9a0002f0 t __pfx_filldir\n"
				 "ffffffff9a000300 t filldir\n"
				 "ffffffffc0001000 t nft_do_chain\t[nf_tables]\n";

static void begin(void)
{
	subject_begin();
	write_temporary(path, lines, strlen(lines));
	subject.options.kallsyms = path;
}

static void end(void)
{
	subject_end();
	unlink(path);
}

TestSuite(kernel, .init = begin, .fini = end);

static uint32_t kernel(uint64_t text)
{
	uint32_t id = add_image(IMAGE_KERNEL, "[kernel.kallsyms]", NULL);

	subject.images.list.v[id].reference = string("_text");
	subject.images.list.v[id].reference_address = text;
	return id;
}

Test(kernel, functions_are_named_and_not_demangled)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);
	uint32_t mangled = add_frame(image, 0xffffffff9a000200, 0);
	uint32_t below = add_frame(image, 0xffffffff99ffffff, 0);

	run();
	cr_expect_str_eq(name_of(work), "do_work");
	cr_expect_str_eq(name_of(mangled), "_ZN1a1bEv");
	cr_expect_str_eq(name_of(below), "[kernel.kallsyms]");
	cr_expect_eq(function_of(work)->kind, FUNCTION_KERNEL);
	cr_expect_str_eq(file_of(image), path);
}

Test(kernel, padding_before_a_function_calls_nothing)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t caller = add_frame(image, 0xffffffff9a0002ff, FRAME_CALLER);
	uint32_t leaf = add_frame(image, 0xffffffff9a0002ff, 0);

	run();
	cr_expect_str_eq(name_of(caller), "filldir");
	cr_expect_str_eq(name_of(leaf), "__pfx_filldir");
}

Test(kernel, another_boot_is_shifted)
{
	uint32_t image = kernel(0xffffffff8b600000);
	uint32_t work = add_frame(image, 0xffffffff8b600180, 0);

	run();
	cr_expect_str_eq(name_of(work), "do_work");
}

Test(kernel, a_shift_by_less_than_a_page_is_another_kernel)
{
	uint32_t image = kernel(0xffffffff8b600010);
	uint32_t work = add_frame(image, 0xffffffff8b600180, 0);

	run();
	cr_expect(function_of(work)->unnamed);
	cr_expect(strstr(problem_of(image), "is of another kernel"));
}

Test(kernel, modules_are_named_only_if_the_boot_is_the_same)
{
	uint32_t same = kernel(0xffffffff9a000000);
	uint32_t module =
		add_image(IMAGE_MODULE, "/lib/modules/6.1/nf-tables.ko.xz", NULL);
	uint32_t frame = add_frame(module, 0xffffffffc0001000, 0);

	subject.images.list.v[module].reference_address = 0xffffffffc0001000;
	run();
	cr_expect_str_eq(name_of(frame), "nft_do_chain");
	symbols_release(&subject.symbols);
	subject.images.list.v[same].reference_address = 0xffffffff8b600000;
	run();
	cr_expect_str_eq(name_of(frame), "[nf_tables]");
	cr_expect(strstr(problem_of(module), "booted again"));
}

Test(kernel, a_module_that_was_loaded_elsewhere_is_not_named)
{
	uint32_t module = add_image(IMAGE_MODULE, "[nf_tables]", NULL);
	uint32_t frame = add_frame(module, 0xffffffffc0001000, 0);

	kernel(0xffffffff9a000000);
	subject.images.list.v[module].reference_address = 0xffffffffc0100000;
	run();
	cr_expect(function_of(frame)->unnamed);
	cr_expect(strstr(problem_of(module), "loaded again"));
}

Test(kernel, dev_null_means_no_names)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	subject.options.kallsyms = "/dev/null";
	run();
	cr_expect_str_eq(name_of(work), "[kernel.kallsyms]");
}

Test(kernel, hidden_addresses_are_a_problem_not_names)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	unlink(path);
	write_temporary(path, "0000000000000000 T _text\n", 25);
	run();
	cr_expect(function_of(work)->unnamed);
	cr_expect(strstr(problem_of(image), "kptr_restrict"));
}

Test(kernel, kallsyms_of_this_machine_is_not_used_for_another_build)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	subject.options.kallsyms = NULL;
	subject.images.list.v[image].build_id_size = 20;
	run();
	cr_expect(function_of(work)->unnamed);
	cr_expect_neq(*problem_of(image), '\0');
}

Test(kernel, kallsyms_of_this_machine_is_not_used_where_nothing_tells_that_it_fits)
{
	uint32_t image = kernel(0xffffffff81000000);
	uint32_t work = add_frame(image, 0xffffffff81000180, 0);

	subject.options.kallsyms = NULL;
	run();
	cr_expect(function_of(work)->unnamed);
	cr_expect_neq(*problem_of(image), '\0');
}

Test(kernel, kallsyms_of_this_machine_is_not_used_for_another_release)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	subject.options.kallsyms = NULL;
	subject.images.list.v[image].release = string("2.6.32-none");
	run();
	cr_expect(function_of(work)->unnamed);
}

Test(kernel, vmlinux_is_moved_to_where_the_kernel_was)
{
	static struct elf_image e;
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000108, 0);
	unsigned text;

	image_begin(&e);
	text = image_code(&e, ".text", 0xffffffff81000000, 0x400);
	image_symbol(&e, "_text", 0xffffffff81000000, 0, STB_GLOBAL, text);
	image_symbol(&e, "from_vmlinux", 0xffffffff81000100, 0x10, STB_GLOBAL, text);
	image_write(&e);
	subject.options.vmlinux = e.path;
	run();
	image_remove(&e);
	cr_expect_str_eq(name_of(work), "from_vmlinux");
	cr_expect_str_eq(file_of(image), e.path);
}
