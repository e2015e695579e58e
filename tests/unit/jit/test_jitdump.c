#include "jit/jitdump.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A jitdump that is written as it is read. */
static struct jitdump dump;
static struct jitdump_lines lines;
static int writer;
static bool big;

static void put(const void *bytes, size_t size)
{
	cr_assert_eq(write(writer, bytes, size), (ssize_t)size);
}

static void put_u32(uint32_t value)
{
	value = big ? __builtin_bswap32(value) : value;
	put(&value, sizeof(value));
}

static void put_u64(uint64_t value)
{
	value = big ? __builtin_bswap64(value) : value;
	put(&value, sizeof(value));
}

static void put_header(uint32_t magic, uint32_t version, uint32_t size, uint64_t flags)
{
	put_u32(magic);
	put_u32(version);
	put_u32(size);
	put_u32(62);
	put_u32(0);
	put_u32(7);
	put_u64(123);
	put_u64(flags);
}

static void put_head(uint32_t type, size_t size, uint64_t time)
{
	put_u32(type);
	put_u32((uint32_t)size + 16);
	put_u64(time);
}

static void put_load(uint64_t time, uint32_t pid, uint64_t address, uint64_t size,
		     uint64_t index, const char *name)
{
	char code[64] = "code";

	put_head(0, 40 + strlen(name) + 1 + size, time);
	put_u32(pid);
	put_u32(pid);
	put_u64(address);
	put_u64(address);
	put_u64(size);
	put_u64(index);
	put(name, strlen(name) + 1);
	put(code, size);
}

static void put_move(uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		     uint64_t index)
{
	put_head(1, 48, time);
	put_u64(0);
	put_u64(to);
	put_u64(from);
	put_u64(to);
	put_u64(size);
	put_u64(index);
}

static void begin(uint64_t flags)
{
	writer = memfd_create("dump", MFD_CLOEXEC);
	cr_assert_geq(writer, 0);
	put_header(0x4A695444, 1, 40, flags);
}

static void end(void)
{
	cr_assert_eq(jitdump_open(dup(writer), &dump), 0);
	cr_assert_eq(jitdump_read(&dump), 0);
}

static void release(void)
{
	jitdump_lines_release(&lines);
	jitdump_close(&dump);
	close(writer);
	big = false;
}

static const char *name_of(const struct jitdump_function *f)
{
	static char name[JITDUMP_NAME_MOST + 1];
	struct text text = { 0 };

	jitdump_name(&dump, f, &text);
	strcpy(name, text.bytes ? text.bytes : "");
	text_release(&text);
	return name;
}

static const char *line_at(uint64_t offset)
{
	static char line[256];
	struct text text = { 0 };

	jitdump_line(&dump, &lines, jitdump_find(&dump, offset), offset, &text);
	strcpy(line, text.bytes ? text.bytes : "");
	text_release(&text);
	return line;
}

Test(jitdump, a_load_is_code_and_its_bytes_stand_for_it, .fini = release)
{
	begin(0);
	put_load(10, 7, 0x1000, 32, 1, "JS:*f /x.js:1:2");
	end();
	cr_assert_eq(dump.functions.count, 1);
	cr_assert_eq(dump.codes.count, 1);
	cr_expect_eq(dump.codes.v[0].time, 10);
	cr_expect_eq(dump.codes.v[0].start, 0x1000);
	cr_expect_eq(dump.codes.v[0].end, 0x1020);
	cr_expect_eq(dump.functions.v[0].bytes, 40 + 16 + 40 + 16);
	cr_expect_str_eq(name_of(&dump.functions.v[0]), "JS:*f /x.js:1:2");
	cr_expect_eq(jitdump_find(&dump, 111), NULL);
	cr_expect_eq(jitdump_find(&dump, 112), &dump.functions.v[0]);
	cr_expect_eq(jitdump_find(&dump, 143), &dump.functions.v[0]);
	cr_expect_eq(jitdump_find(&dump, 144), NULL);
}

Test(jitdump, headers_of_other_files_are_refused)
{
	static const struct {
		uint32_t magic, version, size;
	} bad[] = { { 0x4A695445, 1, 40 }, { 0x4A695444, 2, 40 }, { 0x4A695444, 1, 39 } };

	for (size_t i = 0; i < 3; i++) {
		writer = memfd_create("dump", MFD_CLOEXEC);
		put_header(bad[i].magic, bad[i].version, bad[i].size, 0);
		cr_expect_eq(jitdump_open(dup(writer), &dump), -EBADMSG);
		close(writer);
	}
	writer = memfd_create("dump", MFD_CLOEXEC);
	put("short", 5);
	cr_expect_eq(jitdump_open(dup(writer), &dump), -EBADMSG);
	close(writer);
}

Test(jitdump, the_other_byte_order_and_the_processors_clock, .fini = release)
{
	big = true;
	begin(1);
	put_load(10, 7, 0x1000, 32, 1, "f");
	put_move(20, 0x1000, 0x2000, 32, 1);
	end();
	cr_expect(dump.swap);
	cr_expect(dump.arch_time);
	cr_expect_eq(dump.pid, 7);
	cr_assert_eq(dump.codes.count, 2);
	cr_expect_eq(dump.codes.v[1].start, 0x2000);
	cr_expect_eq(dump.codes.v[1].time, 20);
	cr_expect_eq(dump.codes.v[1].function, 0);
}

Test(jitdump, a_move_is_of_the_newest_function_with_its_number, .fini = release)
{
	begin(0);
	put_load(1, 7, 0x1000, 32, 5, "old");
	put_load(2, 7, 0x2000, 16, 5, "new");
	put_move(3, 0x2000, 0x3000, 32, 5);
	put_move(4, 0x2000, 0x3000, 32, 6);
	end();
	cr_assert_eq(dump.codes.count, 3);
	cr_expect_eq(dump.codes.v[2].function, 1);
	cr_expect_eq(dump.codes.v[2].end, 0x3010);
}

Test(jitdump, a_record_that_is_being_written_comes_later, .fini = release)
{
	static const uint8_t half[] = { 0, 0, 0, 0, 90, 0, 0, 0, 0 };

	begin(0);
	put_load(1, 7, 0x1000, 32, 1, "f");
	put(half, sizeof(half));
	end();
	cr_expect_eq(dump.functions.count, 1);
	cr_assert_eq(ftruncate(writer, lseek(writer, 0, SEEK_CUR) - 9), 0);
	cr_assert_geq(lseek(writer, 0, SEEK_END), 0);
	put_load(2, 7, 0x2000, 32, 2, "g");
	put_head(3, 0, 3);
	put_load(4, 7, 0x3000, 32, 3, "behind the end");
	cr_assert_eq(jitdump_read(&dump), 0);
	cr_assert_eq(dump.functions.count, 2);
	cr_expect(dump.closed);
	cr_expect_str_eq(name_of(&dump.functions.v[1]), "g");
}

Test(jitdump, what_is_not_known_or_cannot_be_is_passed_over, .fini = release)
{
	begin(0);
	put_head(77, 8, 1);
	put_u64(0);
	put_head(0, 8, 1);
	put_u64(0);
	put_head(1, 8, 1);
	put_u64(0);
	put_head(2, 0, 1);
	put_head(4, 8, 1);
	put_u64(100);
	put_load(1, 8, 0x1000, 32, 1, "of a child");
	put_load(1, 7, UINT64_MAX - 3, 32, 1, "around the end");
	put_load(1, 7, 0x1000, 0, 1, "empty");
	put_load(1, 7, 0x1000, 32, 1, "f");
	end();
	cr_assert_eq(dump.codes.count, 1);
	cr_expect_str_eq(name_of(&dump.functions.v[dump.codes.v[0].function]), "f");
	cr_expect_not(dump.damaged);
}

Test(jitdump, code_that_is_not_in_its_record_is_none, .fini = release)
{
	begin(0);
	put_head(0, 40 + 2 + 4, 1);
	put_u32(7);
	put_u32(7);
	put_u64(0x1000);
	put_u64(0x1000);
	put_u64(5);
	put_u64(1);
	put("f", 2);
	put("code", 4);
	end();
	cr_expect_eq(dump.functions.count, 0);
}

Test(jitdump, a_record_that_is_smaller_than_its_head_is_the_end, .fini = release)
{
	begin(0);
	put_u32(77);
	put_u32(15);
	put_u64(1);
	put_load(1, 7, 0x1000, 32, 1, "f");
	end();
	cr_expect(dump.damaged);
	cr_expect_eq(dump.functions.count, 0);
}

static void put_line(uint64_t address, uint32_t line, const char *file)
{
	put_u64(address);
	put_u32(line);
	put_u32(0);
	put(file, strlen(file) + 1);
}

Test(jitdump, lines_are_those_of_the_next_load, .fini = release)
{
	uint64_t bytes;

	begin(0);
	put_head(2, 16 + (16 + 7) + (16 + 2) + (16 + 4) + 3, 1);
	put_u64(0x1000);
	put_u64(3);
	put_line(0x1000, 10, "/a/b.c");
	put_line(0x1010, 11, "\xff");
	put_line(0x1018, 5, "d.h");
	put("\0\0", 3);
	put_load(1, 7, 0x1000, 32, 1, "f");
	put_load(1, 7, 0x2000, 32, 1, "g");
	end();
	bytes = dump.functions.v[0].bytes;
	cr_expect_str_eq(line_at(bytes), "b.c:10");
	cr_expect_str_eq(line_at(bytes + 0xf), "b.c:10");
	cr_expect_str_eq(line_at(bytes + 0x10), "b.c:11");
	cr_expect_str_eq(line_at(bytes + 0x1f), "d.h:5");
	cr_expect_str_eq(line_at(dump.functions.v[1].bytes), "");
}

Test(jitdump, a_table_of_lines_is_read_once_for_its_function, .fini = release)
{
	enum { LINES = 40000, ENTRY = 16 + 2 };
	uint64_t bytes;

	begin(0);
	put_head(2, 16 + LINES * ENTRY, 1);
	put_u64(0x1000);
	put_u64(LINES);
	for (uint32_t i = 0; i < LINES; i++)
		put_line(0x1000 + i, i, "f");
	put_head(0, 40 + 2 + LINES, 1);
	put_u32(7);
	put_u32(7);
	put_u64(0x1000);
	put_u64(0x1000);
	put_u64(LINES);
	put_u64(1);
	put("f", 2);
	for (int i = 0; i < LINES; i++)
		put("", 1);
	end();
	bytes = dump.functions.v[0].bytes;
	for (uint32_t i = 0; i < LINES; i++)
		line_at(bytes + i);
	cr_expect_str_eq(line_at(bytes + LINES - 1), "f:39999");
	cr_expect_str_eq(line_at(bytes + 1234), "f:1234");
	cr_expect_eq(lines.read, LINES * ENTRY);
}

Test(jitdump, unwinding_information_is_that_of_the_next_load, .fini = release)
{
	begin(0);
	put_head(4, 24 + 16, 1);
	put_u64(16);
	put_u64(4);
	put_u64(0);
	put("0123456789abcdef", 16);
	put_load(1, 7, 0x1001, 32, 1, "f");
	put_load(1, 7, 0x2000, 32, 1, "g");
	end();
	cr_expect_eq(dump.functions.v[0].unwind, 40 + 16 + 24);
	cr_expect_eq(dump.functions.v[0].unwind_size, 12);
	cr_expect_eq(jitdump_unwind_address(&dump.functions.v[0]), 0x1021);
	cr_expect_eq(dump.functions.v[1].unwind, 0);
}
