#include "elf/object.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"
#include "unit/limit.h"

static struct elf_image e;
static struct context ctx;
static struct object o;

static void begin(void)
{
	object_prepare();
	image_begin(&e);
}

static void end(void)
{
	object_close(&o);
	if (*e.path)
		image_remove(&e);
}

TestSuite(object, .init = begin, .fini = end);

static uint64_t address_of(uint64_t offset)
{
	uint64_t address;

	return object_address(&o, offset, &address) ? address : 0;
}

Test(object, each_segment_has_its_own_distance_from_offset_to_address)
{
	image_segment(&e, 0, 0x600, 0, PF_R);
	image_segment(&e, 0x600, 0x1000, 0x1600, PF_R | PF_X);
	image_segment(&e, 0x1600, 0x200, 0x3600, PF_R | PF_X);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_eq(address_of(0x5ff), 0x5ff);
	cr_expect_eq(address_of(0x600), 0x1600);
	cr_expect_eq(address_of(0x15ff), 0x25ff);
	cr_expect_eq(address_of(0x1600), 0x3600);
	cr_expect_eq(address_of(0x1800), 0);
	cr_expect(object_is_code(&o, 0x1600));
	cr_expect_not(object_is_code(&o, 0x5ff));
}

Test(object, where_segments_overlap_in_the_file_code_is_meant)
{
	image_segment(&e, 0, 0x1000, 0x400000, PF_R);
	image_segment(&e, 0x800, 0x800, 0x601800, PF_R | PF_X);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_eq(address_of(0x7ff), 0x4007ff);
	cr_expect_eq(address_of(0x800), 0x601800);
}

Test(object, without_segments_sections_of_code_are_used)
{
	unsigned text = image_code(&e, ".text", 0x40, 0x20);

	e.segment_count = 0;
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_eq(address_of(e.sections[text].sh_offset + 8), 0x48);
}

Test(object, a_build_id_is_found_in_its_section)
{
	image_build_id(&e, "0123456789abcdefghij", 20);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(o.build_id_size, 20);
	cr_expect_arr_eq(o.build_id, "0123456789abcdefghij", 20);
}

Test(object, a_build_id_is_found_without_section_headers)
{
	Elf64_Phdr *note;

	image_build_id(&e, "01234567", 8);
	note = &e.segments[e.segment_count++];
	*note = (Elf64_Phdr){ .p_type = PT_NOTE,
			      .p_offset = e.sections[1].sh_offset,
			      .p_filesz = e.sections[1].sh_size,
			      .p_align = 4 };
	image_write(&e);
	image_remove(&e);
	memset(e.bytes + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	memset(e.bytes + offsetof(Elf64_Ehdr, e_shentsize), 0, 6);
	write_temporary(e.path, e.bytes, e.size);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(o.build_id_size, 8);
}

Test(object, a_recorded_build_id_is_padded_or_cut_to_20_bytes)
{
	static const uint8_t padded[20] = "01234567";

	image_build_id(&e, "01234567", 8);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect(object_has_build_id(&o, padded, 20));
	cr_expect(object_has_build_id(&o, padded, 8));
	cr_expect_not(object_has_build_id(&o, padded, 4));
	cr_expect_not(object_has_build_id(&o, (const uint8_t *)"01234568", 8));
	cr_expect_not(object_has_build_id(&o, padded, 0));
}

Test(object, a_debug_link_gives_name_and_checksum)
{
	const char *name;
	uint32_t sum;

	image_section(&e, ".gnu_debuglink", SHT_PROGBITS, 0,
		      "ab.debug\0\0\0\0\x78\x56\x34\x12", 16);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert(object_debug_link(&o, &name, &sum));
	cr_expect_str_eq(name, "ab.debug");
	cr_expect_eq(sum, 0x12345678);
}

Test(object, a_debug_link_without_room_for_its_checksum_is_none)
{
	const char *name;
	uint32_t sum;

	image_section(&e, ".gnu_debuglink", SHT_PROGBITS, 0, "abc\0\x78\x56", 6);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_not(object_debug_link(&o, &name, &sum));
}

Test(object, the_checksum_is_the_usual_one)
{
	uint32_t sum;

	write_temporary(e.path, "123456789", 9);
	o.fd = open(e.path, O_RDONLY);
	o.size = 9;
	cr_assert_eq(object_checksum(&ctx, &o, &sum), 0);
	cr_expect_eq(sum, 0xcbf43926);
}

/* @size bytes, of which only a few lie somewhere; the others are zeros, written or not. */
static uint32_t checksum_of(off_t size, off_t data, bool sparse)
{
	uint8_t block[4096] = { 0 };
	uint32_t sum = 0;
	int fd;

	strcpy(e.path, "/tmp/flamefold-test-XXXXXX");
	fd = mkstemp(e.path);
	cr_assert_eq(ftruncate(fd, size), 0);
	for (off_t at = 0; at < size && !sparse; at += (off_t)sizeof(block))
		cr_assert_eq(pwrite(fd, block, sizeof(block), at), sizeof(block));
	cr_assert_eq(pwrite(fd, "some data", 9, data), 9);
	o = (struct object){ .fd = fd, .size = (uint64_t)size };
	cr_assert_eq(object_checksum(&ctx, &o, &sum), 0);
	object_close(&o);
	image_remove(&e);
	return sum;
}

Test(object, holes_count_as_zeros_in_the_checksum)
{
	cr_expect_eq(checksum_of(1 << 20, 300000, true),
		     checksum_of(1 << 20, 300000, false));
	cr_expect_eq(checksum_of(1 << 20, 7, true), checksum_of(1 << 20, 7, false));
}

Test(object, the_checksum_of_a_hole_of_a_terabyte_takes_no_time)
{
	work_at_most(20);
	cr_expect_neq(checksum_of((off_t)1 << 40, (off_t)1 << 39, true), 0);
}

enum { TABLES = 4000, NOTES_SIZE = 1 << 20 };

/* What one table of zeros has room for, as often as a file can say. */
static void open_with_notes(bool sections)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = 1,
			 .e_ehsize = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr section = { .sh_type = SHT_NOTE, .sh_size = NOTES_SIZE };
	Elf64_Phdr segment = { .p_type = PT_NOTE, .p_filesz = NOTES_SIZE };
	int fd;

	section.sh_offset = segment.p_offset = 0x100000;
	*(sections ? &h.e_shoff : &h.e_phoff) = sizeof(h);
	*(sections ? &h.e_shnum : &h.e_phnum) = TABLES;
	strcpy(e.path, "/tmp/flamefold-test-XXXXXX");
	fd = mkstemp(e.path);
	cr_assert_eq(write(fd, &h, sizeof(h)), sizeof(h));
	for (int i = 0; i < TABLES; i++, section.sh_offset += 4, segment.p_offset += 4)
		cr_assert_gt(sections ? write(fd, &section, sizeof(section))
				      : write(fd, &segment, sizeof(segment)),
			     0);
	cr_assert_eq(ftruncate(fd, 0x100000 + NOTES_SIZE + 4 * TABLES), 0);
	close(fd);
	work_at_most(20);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0, "%s", ctx.error);
}

static long peak_megabytes(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_maxrss >> 10;
}

Test(object, thousands_of_tables_of_notes_take_no_memory)
{
	long before = peak_megabytes();

	open_with_notes(true);
	cr_expect_lt(peak_megabytes() - before, 64);
}

Test(object, thousands_of_segments_of_notes_take_no_memory)
{
	long before = peak_megabytes();

	open_with_notes(false);
	cr_expect_lt(peak_megabytes() - before, 64);
}

Test(object, a_build_id_is_found_behind_other_notes)
{
	static const uint8_t notes[] = {
		5,   0,	  0, 0, 3, 0, 0, 0, 9,	 0,   0,   0, 'L',  'o',
		'n', 'g', 0, 0, 0, 0, 1, 2, 3,	 0,   4,   0, 0,    0,
		2,   0,	  0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd,
	};

	image_section(&e, ".notes", SHT_NOTE, 0, notes, sizeof(notes));
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_assert_eq(o.build_id_size, 2);
	cr_expect_arr_eq(o.build_id, "\xab\xcd", 2);
}

Test(object, a_fifo_is_not_waited_for, .timeout = 900)
{
	write_temporary(e.path, "", 0);
	unlink(e.path);
	cr_assert_eq(mkfifo(e.path, 0600), 0);
	cr_expect_eq(object_open(&ctx, e.path, &o), -EINVAL);
	cr_expect_eq(object_open(&ctx, "/dev/zero", &o), -EINVAL);
	cr_expect_eq(object_open(&ctx, "/", &o), -EINVAL);
}

Test(object, what_is_no_elf_file_is_refused_with_a_sentence)
{
	write_temporary(e.path, "#!/bin/sh\n", 10);
	cr_assert_eq(object_open(&ctx, e.path, &o), -EBADMSG);
	cr_expect(strstr(ctx.error, "is not an ELF file"));
	cr_expect_eq(object_open(&ctx, "/nonexistent/x", &o), -ENOENT);
}

Test(object, a_file_that_claims_millions_of_sections_is_refused)
{
	Elf64_Shdr first = { .sh_size = 1 << 30 };
	Elf64_Ehdr h;

	image_write(&e);
	image_remove(&e);
	memcpy(&h, e.bytes, sizeof(h));
	h.e_shnum = 0;
	memcpy(e.bytes, &h, sizeof(h));
	memcpy(e.bytes + h.e_shoff, &first, sizeof(first));
	write_temporary(e.path, e.bytes, e.size);
	cr_assert_eq(truncate(e.path, (off_t)1 << 38), 0);
	cr_expect_eq(object_open(&ctx, e.path, &o), -EBADMSG);
}

Test(object, a_file_cut_anywhere_is_opened_or_refused)
{
	image_code(&e, ".text", 0x1000, 0x100);
	image_build_id(&e, "01234567", 8);
	image_symbol(&e, "f", 0x1000, 8, STB_GLOBAL, 1);
	image_write(&e);
	for (size_t size = e.size; size-- > 0;) {
		cr_assert_eq(truncate(e.path, (off_t)size), 0);
		if (object_open(&ctx, e.path, &o) == 0)
			object_close(&o);
	}
}

Test(object, the_vdso_of_this_process_has_code_and_a_build_id)
{
	if (object_open_vdso(&ctx, &o) == -ENOENT)
		cr_skip_test("no vdso here");
	cr_expect(o.segments.count > 0 && o.segments.v[0].exec);
	cr_expect(o.build_id_size > 0);
}
