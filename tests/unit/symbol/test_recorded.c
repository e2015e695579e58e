#include "symbol/recorded.h"

#include <criterion/criterion.h>

#include "unit/symbol/subject.h"

/* Recordings that know names: files and their symbols, made by hand. */
static struct recording recording, second;

static void begin(void)
{
	subject_begin();
	memset(&recording, 0, sizeof(recording));
	memset(&second, 0, sizeof(second));
	recording.simpleperf = true;
	/* Nothing of this machine. */
	subject.options.dirs.symfs = "/nonexistent";
	subject.options.kallsyms = "/dev/null";
}

static void end(void)
{
	array_release(&recording.files);
	array_release(&recording.symbols);
	array_release(&recording.build_ids);
	array_release(&second.files);
	array_release(&second.symbols);
	array_release(&second.build_ids);
	subject_end();
}

static uint32_t add_file(enum recorded_kind kind, const char *path, uint64_t address,
			 uint64_t offset)
{
	struct recorded_file *file = array_add(&recording.files);

	file->kind = (uint8_t)kind;
	file->path = string(path);
	file->address = address;
	file->offset = offset;
	return (uint32_t)recording.files.count - 1;
}

static void add_symbol(uint32_t file, uint64_t start, uint64_t size, const char *name)
{
	struct recorded_symbol *s = array_add(&recording.symbols);

	s->file = file;
	s->start = start;
	s->size = size;
	s->name = string(name);
}

static void run_recorded(void)
{
	struct symbolizer *s;

	cr_assert_eq(symbolizer_new(&subject.ctx, &subject.images, &subject.strings,
				    &subject.options, &s),
		     0);
	cr_assert_eq(symbolizer_add_recording(s, &recording), 0);
	cr_assert_eq(symbolizer_add_recording(s, &second), 0);
	cr_assert_eq(symbolizer_run(&subject.ctx, s, &subject.frames, &subject.symbols),
		     0);
	subject.ran = true;
	symbolizer_free(s);
}

Test(recorded, functions_of_a_file_are_found_by_its_offset)
{
	uint32_t file, image, hit, miss;

	begin();
	file = add_file(RECORDED_ELF, "/lib/a.so", 0x5000, 0x4000);
	add_symbol(file, 0x5010, 16, "_ZN1a1bEi");
	image = add_image(IMAGE_FILE, "/lib/a.so", NULL);
	hit = add_frame(image, 0x401f, 0);
	miss = add_frame(image, 0x4020, 0);
	run_recorded();
	cr_assert_str_eq(name_of(hit), "a::b");
	cr_assert_str_eq(name_of(miss), "[a.so]");
	cr_assert_str_eq(file_of(image), "[recording]");
	cr_assert_str_eq(problem_of(image), "");
	end();
}

Test(recorded, perf_knows_nothing_of_it)
{
	uint32_t file, frame;

	begin();
	subject.options.compat = true;
	file = add_file(RECORDED_ELF, "/lib/a.so", 0, 0);
	add_symbol(file, 0x10, 16, "main");
	frame = add_frame(add_image(IMAGE_FILE, "/lib/a.so", NULL), 0x10, 0);
	run_recorded();
	cr_assert(function_of(frame)->unnamed);
	end();
}

Test(recorded, the_linker_has_a_prefix_before_its_names)
{
	uint32_t file, frame;

	begin();
	file = add_file(RECORDED_ELF, "/bin/linker64", 0, 0);
	add_symbol(file, 0x10, 16, "__dl__ZN1a1bEv");
	frame = add_frame(add_image(IMAGE_FILE, "/bin/linker64", NULL), 0x10, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "a::b");
	end();
}

Test(recorded, java_is_found_by_its_offset_in_the_package)
{
	uint32_t file, image, hit, miss;

	begin();
	file = add_file(RECORDED_DEX, "/d/a.apk!/classes.dex", 0, 0);
	add_symbol(file, 0x10, 16, "com.example.Main$1.<init>");
	image = add_image(IMAGE_FILE, "/d/a.apk!/classes.dex", NULL);
	hit = add_frame(image, 0x10, 0);
	miss = add_frame(image, 0x20, 0);
	run_recorded();
	cr_assert_str_eq(name_of(hit), "com.example.Main$1.<init>");
	cr_assert_str_eq(name_of(miss), "[classes.dex]");
	end();
}

Test(recorded, the_kernel_is_where_it_was)
{
	uint32_t file, image, frame, module;

	begin();
	file = add_file(RECORDED_KERNEL, "[kernel.kallsyms]", 0, 0);
	add_symbol(file, 0xffff800000000100, 16, "do_idle");
	add_symbol(file, 0xffff800000900100, RECORDED_SIZELESS, "send [wlan]");
	image = add_image(IMAGE_KERNEL, "[kernel.kallsyms]", NULL);
	frame = add_frame(image, 0xffff800000000108, 0);
	module =
		add_frame(add_image(IMAGE_MODULE, "[wlan]", NULL), 0xffff800000900110, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "do_idle");
	cr_assert_eq(function_of(frame)->kind, FUNCTION_KERNEL);
	cr_assert_str_eq(name_of(module), "send", "the kernel knows its modules");
	end();
}

Test(recorded, modules_are_found_from_where_they_were_loaded)
{
	struct image image = { .kind = IMAGE_MODULE, .reference_address = 0x90000 };
	uint32_t file, id, frame;

	begin();
	file = add_file(RECORDED_MODULE, "/m/wlan.ko", 0x40, 0x1000);
	add_symbol(file, 0x50, 16, "send");
	image.path = string("/m/wlan.ko");
	cr_assert_eq(images_add(&subject.images, &image, &id), 0);
	frame = add_frame(id, 0x91012, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "send");
	end();
}

Test(recorded, jit_files_lie_where_their_symbols_say_and_are_one_module)
{
	static const char *const paths[] = { "p_jit_app_cache:0-9",
					     "p_jit_app_cache:9-20" };
	uint32_t frames[2], miss;

	begin();
	for (int i = 0; i < 2; i++) {
		uint32_t image = add_image(IMAGE_ANON, paths[i], NULL);

		add_symbol(add_file(RECORDED_ELF, paths[i], 0, 0x77), 0x9000 + 16 * i, 16,
			   "a.b");
		frames[i] = add_frame(image, 0x9000 + 16 * i, 0);
		miss = add_frame(image, 0x1000, 0);
	}
	run_recorded();
	cr_assert_str_eq(name_of(frames[0]), "a.b");
	cr_assert_eq(function_of(frames[0])->kind, FUNCTION_JIT);
	cr_assert_eq(function_of(frames[0]), function_of(frames[1]));
	cr_assert_str_eq(name_of(miss), "[JIT app cache]");
	end();
}

Test(recorded, maps_of_perf_are_found_without_their_place)
{
	uint32_t frame;

	begin();
	add_symbol(add_file(RECORDED_PERF_MAP, "perf-7.map", 0, 0), 0x5000, 16, "jitted");
	frame = add_frame(add_image(IMAGE_ANON, "/tmp/perf-7.map", NULL), 0x5008, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "jitted");
	cr_assert_eq(function_of(frame)->kind, FUNCTION_JIT);
	end();
}

Test(recorded, memory_with_a_name_only_is_not_looked_up)
{
	uint32_t frame;

	begin();
	add_symbol(add_file(RECORDED_ELF, "[anon:x]", 0, 0), 0x10, 16, "main");
	frame = add_frame(add_image(IMAGE_ANON, "[anon:x]", NULL), 0x10, 0);
	run_recorded();
	cr_assert(function_of(frame)->unnamed);
	end();
}

Test(recorded, jit_memory_of_android_is_of_that_kind)
{
	static const struct {
		enum image_kind kind;
		const char *path, *name;
	} memory[] = {
		{ IMAGE_FILE, "/dev/ashmem/dalvik-jit-code-cache (deleted)",
		  "[dalvik-jit-code-cache]" },
		{ IMAGE_ANON, "[anon:dalvik-jit-code-cache]",
		  "[anon:dalvik-jit-code-cache]" },
		{ IMAGE_ANON, "/memfd:jit-cache (deleted)", "[memfd:jit-cache]" },
	};
	uint32_t frames[3];

	begin();
	for (int i = 0; i < 3; i++)
		frames[i] = add_frame(add_image(memory[i].kind, memory[i].path, NULL),
				      0x10, 0);
	run_recorded();
	for (int i = 0; i < 3; i++) {
		cr_assert_str_eq(name_of(frames[i]), memory[i].name);
		cr_assert_eq(function_of(frames[i])->kind, FUNCTION_JIT);
	}
	end();
}

Test(recorded, a_file_here_with_another_build_id_is_not_used)
{
	uint32_t image, frame;

	begin();
	subject.options.dirs.symfs = "";
	add_symbol(add_file(RECORDED_ELF, "/proc/self/exe", 0, 0), 0, 0x100, "recorded");
	image = add_image(IMAGE_FILE, "/proc/self/exe", "12345678901234567890");
	frame = add_frame(image, 0x10, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "recorded");
	cr_assert_str_eq(problem_of(image), "");
	end();
}

Test(recorded, a_file_here_without_a_build_id_may_be_another)
{
	uint32_t frame;

	begin();
	subject.options.dirs.symfs = NULL;
	add_symbol(add_file(RECORDED_ELF, "/proc/self/exe", 0, 0), 0, 0x100, "recorded");
	frame = add_frame(add_image(IMAGE_FILE, "/proc/self/exe", NULL), 0x10, 0);
	run_recorded();
	cr_assert_str_eq(name_of(frame), "recorded");
	end();
}

Test(recorded, tables_of_one_path_are_one)
{
	uint32_t image, a, b;

	begin();
	add_symbol(add_file(RECORDED_ELF, "/lib/a.so", 0, 0), 0x10, 16, "one");
	add_symbol(add_file(RECORDED_ELF, "/lib/a.so", 0x1000, 0), 0x1020, 16, "two");
	add_symbol(add_file(RECORDED_DEX, "/lib/a.so", 0, 0), 0x10, 16, "other");
	image = add_image(IMAGE_FILE, "/lib/a.so", NULL);
	a = add_frame(image, 0x10, 0);
	b = add_frame(image, 0x20, 0);
	run_recorded();
	cr_assert_str_eq(name_of(a), "one");
	cr_assert_str_eq(name_of(b), "two");
	end();
}

/* One file with one symbol, and the build id of the file, 20 characters, or NULL. */
static void one_symbol(struct recording *rec, enum recorded_kind kind, const char *path,
		       const char *build_id, const char *name)
{
	struct recorded_file *file = array_add(&rec->files);
	struct recorded_symbol *s = array_add(&rec->symbols);
	struct known_build_id *known;

	file->kind = (uint8_t)kind;
	file->path = string(path);
	s->start = 0x10;
	s->size = 16;
	s->name = string(name);
	if (!build_id)
		return;
	known = array_add(&rec->build_ids);
	known->path = file->path;
	known->mode = kind == RECORDED_KERNEL ? MODE_KERNEL : MODE_USER;
	known->size = 20;
	memcpy(known->id, build_id, 20);
}

static const char first_build[] = "12345678901234567890",
		  other_build[] = "abcdefghijabcdefghij",
		  no_build[] = "00000000000000000000";

Test(recorded, builds_of_one_file_have_names_of_their_own)
{
	uint32_t a, b, c, d;

	begin();
	one_symbol(&recording, RECORDED_ELF, "/lib/a.so", first_build, "first");
	one_symbol(&second, RECORDED_ELF, "/lib/a.so", other_build, "other");
	a = add_frame(add_image(IMAGE_FILE, "/lib/a.so", first_build), 0x10, 0);
	b = add_frame(add_image(IMAGE_FILE, "/lib/a.so", other_build), 0x10, 0);
	c = add_frame(add_image(IMAGE_FILE, "/lib/a.so", no_build), 0x10, 0);
	d = add_frame(add_image(IMAGE_FILE, "/lib/a.so", NULL), 0x10, 0);
	run_recorded();
	cr_expect_str_eq(name_of(a), "first");
	cr_expect_str_eq(name_of(b), "other");
	cr_expect_str_eq(name_of(c), "[a.so]");
	cr_expect_str_eq(name_of(d), "[a.so]", "it may be either");
	end();
}

Test(recorded, names_of_another_build_are_not_used)
{
	uint32_t same, other, unknown;

	begin();
	one_symbol(&recording, RECORDED_ELF, "/lib/a.so", first_build, "first");
	same = add_frame(add_image(IMAGE_FILE, "/lib/a.so", first_build), 0x10, 0);
	other = add_frame(add_image(IMAGE_FILE, "/lib/a.so", other_build), 0x10, 0);
	unknown = add_frame(add_image(IMAGE_FILE, "/lib/a.so", NULL), 0x10, 0);
	run_recorded();
	cr_expect_str_eq(name_of(same), "first");
	cr_expect_str_eq(name_of(other), "[a.so]");
	cr_expect_str_eq(name_of(unknown), "first");
	end();
}

static uint32_t kernel_frame(const char *release, const char *build_id)
{
	uint32_t image = add_image(IMAGE_KERNEL, "[kernel.kallsyms]", build_id);

	subject.images.list.v[image].release = string(release);
	return add_frame(image, 0x10, 0);
}

Test(recorded, each_kernel_has_its_own_names)
{
	uint32_t a, b, module;

	begin();
	recording.kernel = string("5.10");
	second.kernel = string("6.1");
	one_symbol(&recording, RECORDED_KERNEL, "[kernel.kallsyms]", first_build,
		   "first");
	one_symbol(&second, RECORDED_KERNEL, "[kernel.kallsyms]", NULL, "other");
	a = kernel_frame("5.10", first_build);
	b = kernel_frame("6.1", NULL);
	module = add_frame(add_image(IMAGE_MODULE, "[wlan]", NULL), 0x10, 0);
	run_recorded();
	cr_expect_str_eq(name_of(a), "first");
	cr_expect_str_eq(name_of(b), "other");
	cr_expect_str_eq(name_of(module), "[wlan]", "nothing says whose it is");
	end();
}

Test(recorded, kernels_of_one_release_differ_by_their_build)
{
	uint32_t a, b;

	begin();
	one_symbol(&recording, RECORDED_KERNEL, "[kernel.kallsyms]", first_build,
		   "first");
	one_symbol(&second, RECORDED_KERNEL, "[kernel.kallsyms]", other_build, "other");
	a = kernel_frame("", first_build);
	b = kernel_frame("", other_build);
	run_recorded();
	cr_expect_str_eq(name_of(a), "first");
	cr_expect_str_eq(name_of(b), "other");
	end();
}
