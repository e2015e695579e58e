#include "symbol/symbol.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/elf/elf_image.h"
#include "unit/symbol/subject.h"

#define ID "0123456789abcdefghij"

static struct elf_image e;
static uint64_t code; /* offset of .text in the file */

/* main at 0x1010, which ends with a call, then _ZN1a1bEi; the code is at another offset than address. */
static void begin(void)
{
	unsigned text;

	subject_begin();
	image_begin(&e);
	image_build_id(&e, ID, 20);
	text = image_code(&e, ".text", 0x1000, 0x400);
	image_symbol(&e, "main", 0x1010, 0x10, STB_GLOBAL, text);
	image_symbol(&e, "_ZN1a1bEi", 0x1020, 0x10, STB_GLOBAL, text);
	image_symbol(&e, "_ZN12_GLOBAL__N_11fEv", 0x1030, 0x10, STB_GLOBAL, text);
	code = e.sections[text].sh_offset;
	e.bytes[code + 0x20 - 5] = 0xe8;
	image_write(&e);
}

static void end(void)
{
	subject_end();
	image_remove(&e);
}

TestSuite(symbol, .init = begin, .fini = end);

Test(symbol, offsets_in_a_file_get_their_functions)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t b = add_frame(image, code + 0x2f, 0),
		 main = add_frame(image, code + 0x10, 0);
	uint32_t none = add_frame(image, code + 0x300, 0), out = add_frame(image, 1, 0);
	char unnamed[64];

	run();
	snprintf(unnamed, sizeof(unnamed), "[%.40s]", e.path + strlen("/tmp/"));
	cr_expect_str_eq(name_of(main), "main");
	cr_expect_str_eq(name_of(b), "a::b");
	cr_expect_str_eq(name_of(none), unnamed);
	cr_expect_str_eq(name_of(out), unnamed);
	cr_expect(function_of(none)->unnamed);
	cr_expect_eq(function_of(main)->kind, FUNCTION_USER);
	cr_expect_str_eq(file_of(image), e.path);
	cr_expect_str_eq(problem_of(image), "");
	cr_expect_eq(subject.symbols.images.v[image].frames, 4);
	cr_expect_eq(subject.symbols.images.v[image].unnamed, 2);
}

Test(symbol, addresses_of_one_function_share_it)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t a = add_frame(image, code + 0x10, 0),
		 b = add_frame(image, code + 0x1f, 0);

	run();
	cr_expect_eq(subject.symbols.of_frame.v[a], subject.symbols.of_frame.v[b]);
}

Test(symbol, a_caller_is_looked_up_inside_its_call)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t frame = add_frame(image, code + 0x1f, FRAME_CALLER);

	run();
	cr_expect_str_eq(name_of(frame), "main");
}

Test(symbol, who_returns_to_a_first_byte_without_a_call_before_it_is_that_function)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t first = add_frame(image, code + 0x0f, FRAME_CALLER);
	uint32_t middle = add_frame(image, code + 0x1e, FRAME_CALLER);

	run();
	cr_expect_str_eq(name_of(first), "main");
	cr_expect_str_eq(name_of(middle), "main");
}

Test(symbol, to_be_compatible_a_caller_is_looked_up_behind_its_call)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t frame = add_frame(image, code + 0x1f, FRAME_CALLER);

	subject.options.compat = true;
	run();
	cr_expect_str_eq(name_of(frame), "a::b");
}

Test(symbol, to_be_compatible_some_frames_are_dropped)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t frame = add_frame(image, code + 0x30, 0);

	subject.options.compat = true;
	run();
	cr_expect(function_of(frame)->dropped);
}

Test(symbol, the_pc_of_an_unnamed_caller_is_the_return_address)
{
	uint32_t image = add_image(IMAGE_FILE, "/nonexistent/libfoo.so", NULL);
	uint32_t frame = add_frame(image, 0xabce, FRAME_CALLER);

	subject.options.unnamed = FF_UNNAMED_ADDRESS;
	run();
	cr_expect_str_eq(name_of(frame), "[libfoo.so <abcf>]");
	cr_expect(strstr(problem_of(image), "No such file"));
	cr_expect_str_eq(file_of(image), "");
}

Test(symbol, a_file_with_another_build_id_is_refused)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, "another build id....");
	uint32_t frame = add_frame(image, code + 0x10, 0);

	run();
	cr_expect_eq(*name_of(frame), '[');
	cr_expect(strstr(problem_of(image), "has build id 303132"));
}

Test(symbol, a_file_with_the_recorded_build_id_is_used)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, ID);
	uint32_t frame = add_frame(image, code + 0x10, 0);

	run();
	cr_expect_str_eq(name_of(frame), "main");
}

Test(symbol, a_deleted_file_is_used_only_with_its_build_id)
{
	char path[128];
	uint32_t known, unknown, named, unnamed;

	snprintf(path, sizeof(path), "%s (deleted)", e.path);
	known = add_image(IMAGE_FILE, path, ID);
	unknown = add_image(IMAGE_FILE, path, NULL);
	named = add_frame(known, code + 0x10, 0);
	unnamed = add_frame(unknown, code + 0x10, 0);
	run();
	cr_expect_str_eq(name_of(named), "main");
	cr_expect_eq(*name_of(unnamed), '[');
	cr_expect(strstr(problem_of(unknown), "was deleted"));
}

Test(symbol, with_a_symfs_nothing_else_is_looked_at)
{
	uint32_t image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t vdso = add_image(IMAGE_VDSO, "[vdso]", NULL);
	uint32_t climber = add_image(IMAGE_FILE, "/../../tmp/x", NULL);
	uint32_t file = add_frame(image, code + 0x10, 0),
		 time = add_frame(vdso, 0xa00, 0);

	add_frame(climber, 0, 0);
	subject.options.dirs.symfs = "/nonexistent";
	run();
	cr_expect(function_of(file)->unnamed);
	cr_expect(function_of(time)->unnamed);
	cr_expect(strstr(problem_of(climber), "leaves the symfs"));
}

Test(symbol, files_below_a_symfs_are_found)
{
	uint32_t image = add_image(IMAGE_FILE, e.path + strlen("/tmp"), NULL);
	uint32_t frame = add_frame(image, code + 0x10, 0);

	subject.options.dirs.symfs = "/tmp";
	run();
	cr_expect_str_eq(name_of(frame), "main");
}

Test(symbol, labels_are_strings_or_made_of_pid_and_tid)
{
	struct thread_label label = { string("web server"), 12, 13 };
	uint32_t index, plain, pid, tid;

	cr_assert_eq(frames_add_thread(&subject.frames, &label, &index), 0);
	plain = add_frame(IMAGE_ID_NAMES, string("a b;c"), 0);
	pid = add_frame(IMAGE_ID_NAMES, string("web server") | (uint64_t)12 << 32,
			FRAME_PID);
	tid = add_frame(IMAGE_ID_NAMES, index, FRAME_TID);
	run();
	cr_expect_str_eq(name_of(plain), "a b;c");
	cr_expect_str_eq(name_of(pid), "web_server-12");
	cr_expect_str_eq(name_of(tid), "web_server-12/13");
	cr_expect_eq(function_of(plain)->kind, FUNCTION_LABEL);
	cr_expect_eq(function_of(plain)->module, 0);
}

Test(symbol, code_that_the_kernel_made_is_named_by_its_path)
{
	uint32_t image = add_image(IMAGE_KSYMBOL, "bpf_prog_6deef7357e7b4530_f", NULL);
	uint32_t frame = add_frame(image, 0xffffffffc0001000, 0);

	run();
	cr_expect_str_eq(name_of(frame), "bpf_prog_6deef7357e7b4530_f");
	cr_expect_eq(function_of(frame)->kind, FUNCTION_KERNEL);
	cr_expect_not(function_of(frame)->unnamed);
}

Test(symbol, unknown_and_guest_addresses_have_one_function_each)
{
	uint32_t a = add_frame(IMAGE_ID_UNKNOWN, 1, 0),
		 b = add_frame(IMAGE_ID_UNKNOWN, 2, 0);
	uint32_t guest = add_frame(IMAGE_ID_GUEST, 3, 0);

	run();
	cr_expect_str_eq(name_of(a), "[unknown]");
	cr_expect_eq(subject.symbols.of_frame.v[a], subject.symbols.of_frame.v[b]);
	cr_expect_str_eq(name_of(guest), "[guest]");
}

Test(symbol, the_result_does_not_depend_on_the_number_of_threads)
{
	uint32_t first[64], image[4];
	size_t n = 0;

	for (size_t i = 0; i < 4; i++) {
		char path[128];

		snprintf(path, sizeof(path), "/tmp/%.*s%.40s", (int)i * 3, "././././.",
			 e.path + strlen("/tmp/"));
		image[i] = add_image(IMAGE_FILE, i ? path : e.path, NULL);
		for (uint64_t a = 0; a < 16; a++)
			add_frame(image[i], code + a * 4, 0);
	}
	subject.options.threads = 1;
	run();
	for (n = 0; n < 64; n++)
		first[n] = subject.symbols.of_frame.v[n];
	symbols_release(&subject.symbols);
	subject.options.threads = 4;
	run();
	cr_expect_arr_eq(first, subject.symbols.of_frame.v, sizeof(first));
}
