#include "elf/go_table.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit/elf/elf_image.h"
#include "unit/limit.h"

/*
 * Programs without section headers, written byte by byte in either order and size: a header, two
 * segments, code at 0x10000 and the table at 0x20000. Two functions: main.one, main.two.
 */
enum { CODE = 0x1000, TABLE = 0x2000, END = 0x2200, NAMES = 0x80, FUNCTIONS = 0xa0 };

static uint8_t file[END];
static char path[64];
static bool big;
static unsigned word;
static struct object o;
static struct symtab st;
static struct context ctx;

static size_t put(size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		file[at + (big ? size - 1 - i : i)] =
			i < sizeof(value) ? (uint8_t)(value >> (8 * i)) : 0;
	return at + size;
}

static size_t put_segment(size_t at, uint64_t offset, uint64_t address, unsigned flags)
{
	uint64_t size = offset == CODE ? 0x100 : END - TABLE;

	at = put(at, PT_LOAD, 4);
	if (word == 8)
		at = put(at, flags, 4);
	at = put(at, offset, word);
	at = put(at, address, word);
	at = put(at, address, word);
	at = put(at, size, word);
	at = put(at, size, word);
	if (word == 4)
		at = put(at, flags, 4);
	return put(at, 0x1000, word);
}

static void put_header(void)
{
	const uint8_t ident[] = { 0x7f,
				  'E',
				  'L',
				  'F',
				  word == 8 ? ELFCLASS64 : ELFCLASS32,
				  big ? ELFDATA2MSB : ELFDATA2LSB,
				  EV_CURRENT };
	size_t at = EI_NIDENT;

	memcpy(file, ident, sizeof(ident));
	at = put(at, ET_EXEC, 2);
	at = put(at, big ? EM_MIPS : EM_X86_64, 2);
	at = put(at, EV_CURRENT, 4);
	at = put(at, 0x10000, word);
	at = put(at, word == 8 ? 64 : 52, word);
	at = put(at, 0, word);
	at = put(at, 0, 4);
	at = put(at, word == 8 ? 64 : 52, 2);
	at = put(at, word == 8 ? 56 : 32, 2);
	at = put(at, 2, 2);
	put(at, 0, 6);
	at = put_segment(word == 8 ? 64 : 52, CODE, 0x10000, PF_R | PF_X);
	put_segment(at, TABLE, 0x20000, PF_R);
}

/* Function @i is at 0x10000 + 0x20 * (i + 1), its name 9 bytes behind the one before. */
static void put_table(uint32_t magic)
{
	bool first = magic == 0xfffffffb,
	     last = magic == 0xfffffff0 || magic == 0xfffffff1;
	unsigned number = last ? 4 : word;
	size_t functions = TABLE + (first ? 8 + word : FUNCTIONS), at, of;
	uint64_t base = last ? 0 : 0x10000;

	put(TABLE, magic, 4);
	file[TABLE + 6] = 1;
	file[TABLE + 7] = (uint8_t)word;
	at = put(TABLE + 8, 2, word);
	if (!first) {
		at = put(at, 1, word);
		if (last)
			at = put(at, 0x10000, word);
		at = put(at, NAMES, word);
		at = put(at, 0, 3 * word);
		put(at, FUNCTIONS, word);
	}
	memcpy(file + TABLE + NAMES, "\0main.one\0main.two", 19);
	for (unsigned i = 0; i < 2; i++) {
		of = FUNCTIONS + 0x60 + 0x20 * i; /* in the table */
		at = functions + 2 * number * i;
		at = put(at, base + 0x20 * (i + 1), number);
		put(at, first ? of : of - FUNCTIONS, number);
		at = put(TABLE + of, base + 0x20 * (i + 1), number);
		put(at, (first ? NAMES : 0) + 1 + 9 * i, 4);
	}
	put(functions + 4 * number, base + 0x50, number);
}

static void make(uint32_t magic)
{
	memset(file, 0, sizeof(file));
	put_header();
	put_table(magic);
}

static void close_it(void)
{
	symtab_release(&st);
	object_close(&o);
	unlink(path);
}

static void read_it(void)
{
	write_temporary(path, file, sizeof(file));
	cr_assert_eq(object_open(&ctx, path, &o), 0, "%s", ctx.error);
	cr_assert_eq(go_table_read(&st, &o), 0);
}

static void begin(void)
{
	object_prepare();
	o.fd = -1;
	word = 8;
}

TestSuite(go_table, .init = begin, .fini = close_it);

static void expect(size_t i, const char *name, uint64_t start, uint64_t end)
{
	size_t size;
	const char *known = symtab_name(&st, &st.symbols.v[i], &size);

	cr_expect(size == strlen(name) && memcmp(known, name, size) == 0, "%.*s",
		  (int)size, known);
	cr_expect_eq(st.symbols.v[i].start, start);
	cr_expect_eq(st.symbols.v[i].end, end);
}

Test(go_table, is_read_in_all_its_forms_sizes_and_orders)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0,
					   0xfffffff1 };

	for (unsigned i = 0; i < 16; i++) {
		word = i & 1 ? 4 : 8;
		big = i & 2;
		make(magics[i / 4]);
		read_it();
		cr_assert_eq(st.symbols.count, 2, "form %u", i);
		cr_expect(st.go);
		expect(0, "main.one", 0x10020, 0x10040);
		expect(1, "main.two", 0x10040, 0x10050);
		close_it();
	}
	make(0xfffffff2);
	read_it();
	cr_expect_eq(st.symbols.count, 0, "a form that is not known");
}

/* Go 1.16 to 1.19. */
Test(go_table, may_have_the_first_function_s_name_first)
{
	static const uint32_t magics[] = { 0xfffffffa, 0xfffffff0 };

	for (size_t i = 0; i < 2; i++) {
		make(magics[i]);
		memmove(file + TABLE + NAMES, file + TABLE + NAMES + 1, 18);
		for (size_t k = 0; k < 2; k++)
			put(TABLE + FUNCTIONS + 0x60 + 0x20 * k + (i == 0 ? 8 : 4), 9 * k,
			    4);
		read_it();
		cr_assert_eq(st.symbols.count, 2);
		expect(0, "main.one", 0x10020, 0x10040);
		expect(1, "main.two", 0x10040, 0x10050);
		close_it();
	}
	make(0xfffffff0);
	put(TABLE + FUNCTIONS + 0x60 + 4, 0, 4);
	read_it();
	cr_assert_eq(st.symbols.count, 1, "an empty one is none");
	expect(0, "main.two", 0x10040, 0x10050);
}

/* Each byte of the table in turn is all ones: whatever comes of it lies in the code. */
Test(go_table, that_is_broken_names_nothing_but_code)
{
	static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff1 };

	for (size_t i = 0; i < 3; i++)
		for (size_t at = TABLE; at < TABLE + 0x140; at++) {
			make(magics[i]);
			file[at] = 0xff;
			read_it();
			cr_assert_leq(st.symbols.count, 2, "at %zx", at);
			for (size_t k = 0; k < st.symbols.count; k++)
				cr_expect(object_is_code(&o, st.symbols.v[k].start));
			close_it();
		}
	make(0xfffffff1);
	read_it();
}

Test(go_table, says_no_more_functions_than_it_has_room_for)
{
	make(0xfffffff1);
	put(TABLE + 8, 1000, 8);
	read_it();
	cr_expect_eq(st.symbols.count, 0);
	close_it();
	make(0xfffffff1);
	put(TABLE + 8, UINT64_MAX, 8);
	read_it();
	cr_expect_eq(st.symbols.count, 0);
}

Test(go_table, ends_where_it_goes_back)
{
	make(0xfffffff1);
	put(TABLE + FUNCTIONS + 12, 0, 4); /* the second one's offset */
	read_it();
	cr_assert_eq(st.symbols.count, 1);
	expect(0, "main.one", 0x10020, 0x10040);
}

static void make_hole(uint64_t size)
{
	put(64 + 56 + 32, size, 8); /* of the second segment, in the file */
	put(64 + 56 + 40, size, 8);
	write_temporary(path, file, sizeof(file));
	cr_assert_eq(truncate(path, (off_t)(TABLE + size)), 0);
}

Test(go_table, is_looked_for_where_a_sparse_file_has_data)
{
	enum { SIZE = 0x200 };
	uint64_t hole = (uint64_t)1 << 37;
	uint8_t table[SIZE];
	int fd;

	work_at_most(10);
	make(0xfffffff1);
	memcpy(table, file + TABLE, SIZE);
	memset(file + TABLE, 0, SIZE);
	make_hole(hole);
	fd = open(path, O_WRONLY);
	cr_assert_eq(pwrite(fd, table, SIZE, (off_t)(TABLE + hole - SIZE)), SIZE);
	close(fd);
	cr_assert_eq(object_open(&ctx, path, &o), 0, "%s", ctx.error);
	cr_assert_eq(go_table_read(&st, &o), 0);
	cr_expect_eq(st.symbols.count, 2);
}

Test(go_table, of_more_functions_than_any_program_has_is_none)
{
	work_at_most(10);
	make(0xfffffff1);
	put(TABLE + 8, (uint64_t)1 << 34, 8);
	make_hole((uint64_t)1 << 38);
	cr_assert_eq(object_open(&ctx, path, &o), 0, "%s", ctx.error);
	cr_assert_eq(go_table_read(&st, &o), 0);
	cr_expect_eq(st.symbols.count, 0);
	cr_expect_not(st.go, "nothing is from it");
}

/* Go 1.26: the program has sections, begins at @entry, and main.one has the name @first. */
static void read_without_text(uint64_t text, uint64_t entry, const char *first)
{
	static struct elf_image e;
	unsigned section;

	make(0xfffffff1);
	put(TABLE + 8 + 2 * 8, 0, 8);
	memcpy(file + TABLE + NAMES + 1, first, 8);
	image_begin(&e);
	image_code(&e, ".text", text, 0x100);
	section = image_section(&e, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, file + TABLE,
				END - TABLE);
	image_segment(&e, e.sections[section].sh_offset, END - TABLE, 0x20000, PF_R);
	image_write(&e);
	((Elf64_Ehdr *)e.bytes)->e_entry = entry;
	unlink(e.path);
	write_temporary(path, e.bytes, e.size);
	cr_assert_eq(object_open(&ctx, path, &o), 0, "%s", ctx.error);
	cr_assert_eq(go_table_read(&st, &o), 0);
}

Test(go_table, without_the_start_of_the_text_is_where_the_program_begins)
{
	read_without_text(0x10000, 0x10020, "_rt0_one");
	cr_assert_eq(st.symbols.count, 2);
	expect(0, "_rt0_one", 0x10020, 0x10040);
	expect(1, "main.two", 0x10040, 0x10050);
}

/* The C linker's program begins elsewhere, and its code may lie where the functions seem to be. */
Test(go_table, without_the_start_of_the_text_is_not_guessed)
{
	read_without_text(0x10000, 0x10020, "main.one");
	cr_expect_eq(st.symbols.count, 0);
	close_it();
	read_without_text(0x10000, 0x10010, "_rt0_one");
	cr_expect_eq(st.symbols.count, 0);
	close_it();
	read_without_text(0, 0x10, "_rt0_one");
	cr_expect_eq(st.symbols.count, 0);
}
