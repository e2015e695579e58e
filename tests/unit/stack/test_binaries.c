#include "stack/binaries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <gelf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "walked.h"

#include "unit/elf/elf_image.h"
#include "unit/scarce.h"

/* Images are files of these tests. */
struct stage {
	struct context ctx;
	struct intern strings;
	struct images images;
	struct binaries *binaries;
	struct elf_image files[3];
};

static void begin(struct stage *s)
{
	struct search_dirs dirs = { 0 };

	memset(s, 0, sizeof(*s));
	cr_assert_eq(intern_init(&s->strings), 0);
	cr_assert_eq(images_init(&s->images, &s->strings), 0);
	cr_assert_eq(binaries_new(&s->ctx, &dirs, &s->images, false, &s->binaries), 0);
}

static void end(struct stage *s)
{
	binaries_free(s->binaries);
	images_release(&s->images);
	intern_release(&s->strings);
	for (int i = 0; i < 3; i++)
		if (s->files[i].path[0])
			image_remove(&s->files[i]);
}

static uint32_t add_image(struct stage *s, const char *path)
{
	struct image image = { .kind = IMAGE_FILE };
	uint32_t id;

	cr_assert_eq(intern_add(&s->strings, path, strlen(path), &image.path), 0);
	cr_assert_eq(images_add(&s->images, &image, &id), 0);
	return id;
}

/* File @i: code at @address, its build id made of one byte, 0: none. */
static uint32_t add_file(struct stage *s, int i, uint64_t address, uint8_t id)
{
	struct elf_image *e = &s->files[i];
	uint8_t build_id[20];

	image_begin(e);
	image_code(e, ".text", address, 0x100);
	memset(build_id, id, sizeof(build_id));
	if (id)
		image_build_id(e, build_id, sizeof(build_id));
	image_write(e);
	return add_image(s, e->path);
}

Test(binaries, an_image_has_one_whoever_asks)
{
	const struct binary *first;
	struct stage s;
	uint32_t image;

	begin(&s);
	image = add_file(&s, 0, 0x1000, 0);
	first = binaries_get(s.binaries, image);
	cr_assert_not_null(first);
	cr_assert(first->there);
	cr_assert_eq(binaries_get(s.binaries, image), first);
	end(&s);
}

Test(binaries, files_with_one_build_id_share_it)
{
	struct stage s;
	uint32_t a, b, c;

	begin(&s);
	a = add_file(&s, 0, 0x1000, 7);
	b = add_file(&s, 1, 0x1000, 7);
	c = add_file(&s, 2, 0x1000, 8);
	cr_assert_eq(binaries_get(s.binaries, a), binaries_get(s.binaries, b));
	cr_assert_neq(binaries_get(s.binaries, a), binaries_get(s.binaries, c));
	end(&s);
}

Test(binaries, files_without_a_build_id_or_with_other_segments_do_not)
{
	struct stage s;
	uint32_t a, b;

	begin(&s);
	a = add_file(&s, 0, 0x1000, 0);
	b = add_file(&s, 1, 0x1000, 0);
	cr_assert_neq(binaries_get(s.binaries, a), binaries_get(s.binaries, b));
	end(&s);

	begin(&s);
	a = add_file(&s, 0, 0x1000, 7);
	b = add_file(&s, 1, 0x2000, 7);
	cr_assert_neq(binaries_get(s.binaries, a), binaries_get(s.binaries, b));
	end(&s);
}

Test(binaries, of_a_file_that_is_not_there_nothing_is_known)
{
	const struct binary *binary;
	uint64_t address;
	struct stage s;
	bool code;

	begin(&s);
	binary = binaries_get(s.binaries, add_image(&s, "/nowhere/at/all"));
	cr_assert_not_null(binary);
	cr_assert_not(binary->there);
	cr_assert_not(binary_address(binary, 0x1000, &address, &code));
	cr_assert_null(binaries_machine(s.binaries));
	end(&s);
}

Test(binaries, offsets_become_addresses_by_the_segments)
{
	const struct binary *binary;
	const Elf64_Phdr *segment;
	uint64_t address;
	struct stage s;
	bool code = false;

	begin(&s);
	binary = binaries_get(s.binaries, add_file(&s, 0, 0x7000, 0));
	segment = &s.files[0].segments[0];
	cr_assert(binary_address(binary, segment->p_offset + 4, &address, &code));
	cr_assert_eq(address, 0x7004);
	cr_assert(code);
	cr_assert_not(binary_address(binary, segment->p_offset + segment->p_filesz,
				     &address, &code));
	end(&s);
}

Test(binaries, a_recording_can_be_told_its_machine)
{
	struct stage s;

	begin(&s);
	add_image(&s, "/nowhere/at/all");
	add_file(&s, 0, 0x1000, 0);
	cr_assert_eq(binaries_machine(s.binaries), machine_by_elf(EM_X86_64));
	end(&s);
}

static bool read_at(struct stage *s, const struct binary *binary, uint64_t offset,
		    size_t size)
{
	struct code_windows windows = binaries_windows(s->binaries);
	uint8_t bytes[64];
	bool there = binary_constant(&windows, binary, offset, bytes, size);

	code_windows_release(&windows);
	return there;
}

Test(binaries, constants_are_those_of_segments_that_cannot_be_written)
{
	const struct binary *binary;
	struct elf_image *e;
	struct stage s;

	begin(&s);
	e = &s.files[0];
	image_begin(e);
	image_code(e, ".text", 0x1000, 0x100);
	image_segment(e, 0x2000, 0x100, 0x3000, PF_R | PF_W);
	image_write(e);
	binary = binaries_get(s.binaries, add_image(&s, e->path));
	cr_assert(read_at(&s, binary, e->segments[0].p_offset, 8));
	cr_assert(read_at(&s, binary, e->segments[0].p_offset + 0xf8, 8));
	cr_assert_not(read_at(&s, binary, e->segments[0].p_offset + 0xf9, 8));
	cr_assert_not(read_at(&s, binary, 0x2000, 8));
	cr_assert_not(read_at(&s, binary, UINT64_MAX - 4, 8));
	end(&s);
}

Test(binaries, a_file_that_changed_has_no_constants)
{
	const struct binary *binary;
	uint64_t offset;
	struct stage s;
	FILE *f;

	begin(&s);
	binary = binaries_get(s.binaries, add_file(&s, 0, 0x1000, 0));
	offset = s.files[0].segments[0].p_offset;
	f = fopen(s.files[0].path, "a");
	cr_assert_not_null(f);
	fputc('x', f);
	fclose(f);
	cr_assert_not(read_at(&s, binary, offset, 8));
	end(&s);

	begin(&s);
	binary = binaries_get(s.binaries, add_file(&s, 0, 0x1000, 0));
	unlink(s.files[0].path);
	cr_assert_not(read_at(&s, binary, offset, 8));
	end(&s);
}

Test(binaries, more_files_are_read_than_are_held_open)
{
	enum { FILES = 100 };
	const struct binary *binaries[FILES];
	static struct elf_image files[FILES];
	struct stage s;

	begin(&s);
	for (int i = 0; i < FILES; i++) {
		image_begin(&files[i]);
		image_code(&files[i], ".text", 0x1000, 0x100);
		image_write(&files[i]);
		binaries[i] = binaries_get(s.binaries, add_image(&s, files[i].path));
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < FILES; i++)
			cr_assert(read_at(&s, binaries[i], files[i].segments[0].p_offset,
					  8),
				  "file %d", i);
	for (int i = 0; i < FILES; i++)
		image_remove(&files[i]);
	end(&s);
}

/* Many ask for the same two at once. */
struct asker {
	struct stage *s;
	uint32_t images[2];
	const struct binary *got[2];
};

static void *ask(void *arg)
{
	struct asker *a = arg;

	for (int i = 0; i < 2; i++)
		a->got[i] = binaries_get(a->s->binaries, a->images[i]);
	return NULL;
}

Test(binaries, threads_that_ask_at_once_get_one)
{
	enum { THREADS = 8 };
	struct asker askers[THREADS];
	pthread_t threads[THREADS];
	struct stage s;
	uint32_t a, b;

	begin(&s);
	a = add_file(&s, 0, 0x1000, 7);
	b = add_file(&s, 1, 0x1000, 7);
	for (int i = 0; i < THREADS; i++) {
		askers[i] = (struct asker){ &s, { i % 2 ? a : b, i % 2 ? b : a }, { 0 } };
		cr_assert_eq(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		cr_assert_not_null(askers[i].got[0]);
		cr_assert_eq(askers[i].got[0], askers[i].got[1]);
		cr_assert_eq(askers[i].got[0], askers[0].got[0]);
	}
	end(&s);
}

/* Asks for the rules of a library's code, each thread beginning somewhere else: first
 * without a table, then while one of them makes it, then of it. */
struct rule_asker {
	struct code_windows windows;
	const struct binary *binary;
	const struct unwind_table *expected;
	uint64_t from, until, begin;
	size_t asked, wrong;
};

enum { STRIDE = 24 }; /* bytes: a rule in two or three */

static void ask_rule(struct rule_asker *a, uint64_t address)
{
	const struct unwind_rule *expected = unwind_find(a->expected, address);
	struct unwind_rule rule;

	cr_assert_eq(binary_rule(&a->windows, a->binary, address, &rule), 0);
	a->asked++;
	a->wrong += rule.cfa_kind != expected->cfa_kind || rule.cfa != expected->cfa ||
		    rule.ra != expected->ra || rule.fp != expected->fp;
}

static void *ask_rules(void *arg)
{
	struct rule_asker *a = arg;

	for (uint64_t at = a->begin; at < a->until; at += STRIDE)
		ask_rule(a, at);
	for (uint64_t at = a->from; at < a->begin; at += STRIDE)
		ask_rule(a, at);
	return NULL;
}

/* The file of this process' C library, and where its code lies. */
static bool find_library(struct object *o, char path[4096], uint64_t *from,
			 uint64_t *until)
{
	struct context ctx = { 0 };
	size_t count;
	GElf_Phdr p;
	Dl_info info;

	cr_assert(dladdr((void *)(uintptr_t)strtol, &info));
	snprintf(path, 4096, "%s", info.dli_fname);
	if (object_open(&ctx, path, o) < 0 || elf_getphdrnum(o->elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(o->elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X))
			continue;
		*from = p.p_vaddr;
		*until = p.p_vaddr + p.p_memsz;
		return true;
	}
	return false;
}

Test(binaries, threads_that_ask_for_rules_get_those_of_the_table)
{
	enum { THREADS = 4 };
	struct rule_asker askers[THREADS];
	pthread_t threads[THREADS];
	struct unwind_table table;
	uint64_t from, until;
	struct object o;
	struct stage s;
	char path[4096];
	const struct binary *binary;

	begin(&s);
	cr_assert(find_library(&o, path, &from, &until));
	cr_assert_eq(unwind_compile(&o, NULL, &table), 0);
	binary = binaries_get(s.binaries, add_image(&s, path));
	cr_assert_not_null(binary);
	for (unsigned i = 0; i < THREADS; i++) {
		uint64_t share = (until - from) / STRIDE / THREADS * STRIDE;

		askers[i] = (struct rule_asker){ binaries_windows(s.binaries),
						 binary,
						 &table,
						 from,
						 until,
						 from + i * share,
						 0,
						 0 };
		cr_assert_eq(pthread_create(&threads[i], NULL, ask_rules, &askers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		code_windows_release(&askers[i].windows);
		cr_expect_gt(askers[i].asked, 10000u);
		cr_expect_eq(askers[i].wrong, 0, "%zu of %zu", askers[i].wrong,
			     askers[i].asked);
	}
	unwind_release(&table);
	object_close(&o);
	end(&s);
}

static size_t count_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t count = 0;

	cr_assert_not_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

/* Of one library again and again, without its allocation number @n. */
struct scarce {
	struct stage s;
	struct unwind_table table;
	struct object o;
	char path[4096];
	uint64_t from, until;
};

static void scarce_begin(struct scarce *c)
{
	if (SCARCE_NEVER)
		cr_skip_test("sanitizers have an allocator of their own");
	begin(&c->s);
	cr_assert(find_library(&c->o, c->path, &c->from, &c->until));
	cr_assert_eq(unwind_compile(&c->o, NULL, &c->table), 0);
	end(&c->s);
}

static void scarce_end(struct scarce *c)
{
	unwind_release(&c->table);
	object_close(&c->o);
}

/* The first rule that is told without memory, or -ENOMEM: then all is well again, and the
 * table is made all the same. */
static int ask_without(struct scarce *c, long n)
{
	struct code_windows windows;
	const struct binary *binary;
	struct unwind_rule rule;
	uint32_t image;
	int err = 0;

	begin(&c->s);
	windows = binaries_windows(c->s.binaries);
	image = add_image(&c->s, c->path);
	scarce_at = n;
	binary = binaries_get(c->s.binaries, image);
	for (uint64_t at = c->from; binary && err == 0 && at < c->until; at += STRIDE) {
		err = binary_rule(&windows, binary, at, &rule);
		if (err == 0)
			cr_assert_eq(rule.cfa, unwind_find(&c->table, at)->cfa,
				     "without allocation %ld", n);
	}
	n = scarce_at;
	scarce_at = 0;
	if (!binary)
		binary = binaries_get(c->s.binaries, image);
	cr_assert(binary && binary->there);
	for (uint64_t at = c->from; at < c->until; at += STRIDE) {
		cr_assert_eq(binary_rule(&windows, binary, at, &rule), 0);
		cr_assert_eq(rule.cfa, unwind_find(&c->table, at)->cfa);
	}
	code_windows_release(&windows);
	end(&c->s);
	return n == 0;
}

Test(binaries, without_memory_a_rule_is_that_of_the_table_or_none)
{
	static struct scarce c;
	size_t before;
	long n = 1;

	scarce_begin(&c);
	before = count_open_files();
	while (ask_without(&c, n))
		n++;
	cr_expect_gt(n, 20);
	cr_expect_eq(count_open_files(), before);
	scarce_end(&c);
}

/* Did an allocation fail? */
static bool make_frames_without(struct scarce *c, long n, int *failures)
{
	const struct frame_info *frames = NULL;
	const struct binary *binary;
	int err;

	begin(&c->s);
	binary = binaries_get(c->s.binaries, add_image(&c->s, c->path));
	cr_assert_not_null(binary);
	scarce_at = n;
	err = binaries_frames(c->s.binaries, binary, &frames);
	n = scarce_at;
	scarce_at = 0;
	cr_assert_eq(err < 0, !frames);
	*failures += err < 0;
	if (err < 0)
		err = binaries_frames(c->s.binaries, binary, &frames);
	cr_assert_eq(err, 0);
	cr_assert_not_null(frames);
	end(&c->s);
	return n == 0;
}

Test(binaries, without_memory_for_frames_nothing_is_left_open)
{
	static struct scarce c;
	int failures = 0;
	size_t before;
	long n = 1;

	scarce_begin(&c);
	before = count_open_files();
	while (make_frames_without(&c, n, &failures))
		n++;
	cr_expect_gt(failures, 10);
	cr_expect_eq(count_open_files(), before, "%d failures", failures);
	scarce_end(&c);
}

Test(binaries, steps_with_all_registers_are_prepared_once)
{
	const struct frame_info *frames, *again;
	const struct binary *binary;
	struct walked w;

	walked_begin(&w, EM_X86_64);
	cfi_cie(&w.cfi, CIE_X86_64);
	cfi_fde(&w.cfi, 0x1000, 0x20, NO_OPS);
	walked_map(&w);
	binary = binaries_get(w.binaries, (uint32_t)w.t.images.list.count - 1);
	cr_assert_eq(binaries_frames(w.binaries, binary, &frames), 0);
	cr_assert_not_null(frames);
	cr_assert_eq(binaries_frames(w.binaries, binary, &again), 0);
	cr_assert_eq(again, frames);
	walked_end(&w);
}
