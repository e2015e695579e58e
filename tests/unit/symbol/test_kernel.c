#include "symbol/kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"
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

static uint32_t kernel_at(const char *reference, uint64_t address)
{
	struct image key = { .kind = IMAGE_KERNEL,
			     .path = string("[kernel.kallsyms]"),
			     .reference = string(reference),
			     .reference_address = address };
	uint32_t id;

	cr_assert_eq(images_add(&subject.images, &key, &id), 0);
	return id;
}

static uint32_t kernel(uint64_t text)
{
	return kernel_at("_text", text);
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

/* Each module would ask each of them. */
Test(kernel, a_module_of_one_of_very_many_kernels_is_not_named)
{
	uint32_t module = add_image(IMAGE_MODULE, "[nf_tables]", NULL);
	uint32_t frame = add_frame(module, 0xffffffffc0001000, 0);

	for (uint64_t i = 0; i < 1000; i++)
		kernel(0xffffffff9a000000 + i * 0x1000);
	subject.images.list.v[module].reference_address = 0xffffffffc0001000;
	run();
	cr_expect(function_of(frame)->unnamed);
	cr_expect(strstr(problem_of(module), "too many kernels"));
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

/* A directory as /proc and kcore_dir are: a kallsyms, and where its modules are. */
static char directory[64], kallsyms_path[96];

static void write_file(const char *name, const char *text)
{
	char file[128];
	FILE *f;

	snprintf(file, sizeof(file), "%s/%s", directory, name);
	f = fopen(file, "w");
	cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void make_directory(const char *modules)
{
	strcpy(directory, "/tmp/flamefold-test-XXXXXX");
	cr_assert(mkdtemp(directory));
	snprintf(kallsyms_path, sizeof(kallsyms_path), "%s/kallsyms", directory);
	write_file("kallsyms", lines);
	if (modules)
		write_file("modules", modules);
	subject.options.kallsyms = kallsyms_path;
}

static void remove_directory(void)
{
	char file[128];

	snprintf(file, sizeof(file), "%s/modules", directory);
	unlink(file);
	unlink(kallsyms_path);
	rmdir(directory);
}

static uint32_t module_at(uint64_t start)
{
	uint32_t id = add_image(IMAGE_MODULE, "[nf_tables]", NULL);

	subject.images.list.v[id].reference_address = start;
	return id;
}

/* A page further is near enough to be taken for the same, if there is no list. */
Test(kernel, where_a_module_is_its_list_knows_exactly)
{
	uint32_t module, frame;

	kernel(0xffffffff9a000000);
	module = module_at(0xffffffffc0000000);
	frame = add_frame(module, 0xffffffffc0001000, 0);
	make_directory(NULL);
	run();
	cr_expect_str_eq(name_of(frame), "nft_do_chain");
	symbols_release(&subject.symbols);
	write_file("modules", "nf_tables 376832 0 - Live 0xffffffffc0001000\n");
	run();
	cr_expect_str_eq(name_of(frame), "[nf_tables]");
	cr_expect(strstr(problem_of(module), "loaded again"));
	symbols_release(&subject.symbols);
	write_file("modules", "nf_tables 376832 0 - Live 0xffffffffc0000000\n");
	run();
	cr_expect_str_eq(name_of(frame), "nft_do_chain");
	symbols_release(&subject.symbols);
	write_file("modules", "other 376832 0 - Live 0xffffffffc0000000\n");
	run();
	cr_expect_str_eq(name_of(frame), "[nf_tables]");
	remove_directory();
}

/* s390: perf records where the code begins. */
Test(kernel, a_module_may_be_recorded_from_its_code_on)
{
	uint32_t frame;

	kernel(0xffffffff9a000000);
	frame = add_frame(module_at(0xffffffffc0001000), 0xffffffffc0001000, 0);
	make_directory("nf_tables 376832 0 - Live 0xffffffffc0000000\n");
	run();
	cr_expect_str_eq(name_of(frame), "nft_do_chain");
	remove_directory();
}

Test(kernel, a_module_that_begins_before_where_it_was_was_loaded_again)
{
	uint32_t module, frame;

	static const char now[] = "ffffffff9a000000 T _text\n"
				  "ffffffffc0000000 t first\t[nf_tables]\n"
				  "ffffffffc0001800 t second\t[nf_tables]\n";

	unlink(path);
	write_temporary(path, now, strlen(now));
	kernel(0xffffffff9a000000);
	module = module_at(0xffffffffc0001000);
	frame = add_frame(module, 0xffffffffc0001800, 0);
	run();
	cr_expect_str_eq(name_of(frame), "[nf_tables]");
	cr_expect(strstr(problem_of(module), "loaded again"));
}

/* Each is looked for in all symbols, so hostile recordings have few. */
Test(kernel, a_recording_has_few_references)
{
	char name[16], all[12 * 32] = "";
	uint32_t frames[12];
	int named = 0;

	for (int i = 0; i < 12; i++) {
		uint32_t id;

		snprintf(all + strlen(all), 32, "ffffffff9a000000 T f%d\n", i);
		snprintf(name, sizeof(name), "f%d", i);
		id = kernel_at(name, 0xffffffff9a000000);
		frames[i] = add_frame(id, 0xffffffff9a000000, 0);
	}
	unlink(path);
	write_temporary(path, all, strlen(all));
	run();
	for (int i = 0; i < 12; i++)
		named += !function_of(frames[i])->unnamed;
	cr_expect_eq(named, 8);
}

/* A recording that brings the kallsyms of its kernel. */
static struct recording recording;

static void run_recorded(void)
{
	struct symbolizer *s;

	recording.kallsyms = string(kallsyms_path);
	subject.options.kallsyms = NULL;
	subject.options.dirs.symfs = "/nonexistent";
	cr_assert_eq(symbolizer_new(&subject.ctx, &subject.images, &subject.strings,
				    &subject.options, &s),
		     0);
	cr_assert_eq(symbolizer_add_recording(s, &recording), 0);
	symbolizer_expect_kernel(s);
	cr_assert_eq(symbolizer_run(&subject.ctx, s, &subject.frames, &subject.symbols),
		     0);
	subject.ran = true;
	symbolizer_free(s);
}

Test(kernel, kallsyms_that_was_recorded_names_the_kernel_and_its_modules)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t module = module_at(0xffffffffc0001000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);
	uint32_t chain = add_frame(module, 0xffffffffc0001008, 0);

	make_directory("nf_tables 376832 0 - Live 0xffffffffc0001000\n");
	run_recorded();
	cr_expect_str_eq(name_of(work), "do_work");
	cr_expect_str_eq(name_of(chain), "nft_do_chain");
	cr_expect_str_eq(file_of(image), kallsyms_path);
	cr_expect_str_eq(problem_of(image), "");
	remove_directory();
}

Test(kernel, perf_uses_a_kallsyms_that_was_recorded_too)
{
	uint32_t work = add_frame(kernel(0xffffffff9a000000), 0xffffffff9a000180, 0);

	make_directory(NULL);
	subject.options.compat = true;
	run_recorded();
	cr_expect_str_eq(name_of(work), "do_work");
	remove_directory();
}

Test(kernel, kallsyms_that_was_recorded_is_of_the_same_boot)
{
	uint32_t image = kernel(0xffffffff8b600000);
	uint32_t work = add_frame(image, 0xffffffff8b600180, 0);

	make_directory(NULL);
	run_recorded();
	cr_expect_str_eq(name_of(work), "[kernel.kallsyms]");
	cr_expect(strstr(problem_of(image), "not of the boot that was recorded"));
	remove_directory();
}

Test(kernel, kallsyms_of_one_recording_does_not_name_the_kernel_of_another)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);
	struct known_build_id *known;

	make_directory(NULL);
	subject.images.list.v[image].release = string("6.1.0-other");
	run_recorded();
	cr_expect_str_eq(name_of(work), "[kernel.kallsyms]");
	symbols_release(&subject.symbols);
	recording.kernel = string("6.1.0-other");
	run_recorded();
	cr_expect_str_eq(name_of(work), "do_work");
	symbols_release(&subject.symbols);
	known = array_add(&recording.build_ids);
	known->mode = MODE_KERNEL;
	known->size = 20;
	known->path = string("[kernel.kallsyms]");
	subject.images.list.v[image].build_id_size = 20;
	subject.images.list.v[image].build_id[3] = 7;
	run_recorded();
	cr_expect_str_eq(name_of(work), "[kernel.kallsyms]");
	symbols_release(&subject.symbols);
	known->id[3] = 7;
	run_recorded();
	cr_expect_str_eq(name_of(work), "do_work");
	array_release(&recording.build_ids);
	remove_directory();
}

Test(kernel, what_is_wrong_with_a_recorded_kallsyms_is_said)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	make_directory(NULL);
	write_file("kallsyms", "0000000000000000 T _text\n");
	run_recorded();
	cr_expect_str_eq(name_of(work), "[kernel.kallsyms]");
	cr_expect(strstr(problem_of(image), "are hidden"), "%s", problem_of(image));
	cr_expect(strstr(problem_of(image), "; no kernel symbols below the symfs"));
	remove_directory();
}

/* Who gives it by its name, too: it is of the kernel that runs now, which tells its build id. */
Test(kernel, kallsyms_of_this_machine_that_is_given_is_not_used_for_another_build)
{
	uint32_t image = kernel(0xffffffff9a000000);
	uint32_t work = add_frame(image, 0xffffffff9a000180, 0);

	if (access("/proc/kallsyms", R_OK) < 0 || access("/sys/kernel/notes", R_OK) < 0)
		cr_skip("nothing is known of this kernel");
	subject.options.kallsyms = "/proc/kallsyms";
	subject.images.list.v[image].build_id_size = 20;
	run();
	cr_expect(function_of(work)->unnamed);
	cr_expect(strstr(problem_of(image), "is not the one that runs here"), "%s",
		  problem_of(image));
}
