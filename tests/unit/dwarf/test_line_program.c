#include "dwarf/line_program.h"

#include <criterion/criterion.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/die.h"
#include "dwarf/handle.h"
#include "dwarf/units.h"
#include "unit/dwarf/info_writer.h"

/* This program, as its own debug information describes it. */
static struct context ctx;
static struct object o;
static struct debug_image image;
static struct debug_handle handle;
static struct debug_units units;
static struct debug_work work = { .most = UINT64_MAX };
static struct debug_meter meter = { .work = &work };

static void open_self(void)
{
	object_prepare();
	cr_assert_eq(object_open(&ctx, "/proc/self/exe", &o), 0);
	if (!object_has_debug_info(&o))
		cr_skip_test("built without -g");
	cr_assert_eq(debug_image_read(&ctx, &o, true, &image), 0);
	image.first_code = debug_first_code(&o);
	cr_assert_eq(debug_handle_open(&image, NULL, &handle), 0);
	cr_assert_eq(debug_units_read(&units, &image, &meter), 0);
}

static void close_self(void)
{
	debug_units_release(&units);
	debug_handle_close(&handle);
	debug_image_release(&image);
	object_close(&o);
}

struct rows {
	Dwarf_Die cu;
	Dwarf_Lines *lines;
	size_t count;
	uint64_t *addresses; /* of rows, sorted, each once, and one behind each */
	size_t address_count;
	const char *directory;
	uint64_t offset;
};

static void read_rows(size_t unit, struct rows *r)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	memset(r, 0, sizeof(*r));
	cr_assert(dwarf_offdie(handle.dwarf, units.list.v[unit].head.die, &r->cu));
	if (dwarf_getsrclines(&r->cu, &r->lines, &r->count) != 0)
		return;
	r->directory = dwarf_formstring(dwarf_attr(&r->cu, DW_AT_comp_dir, &attribute));
	cr_assert_eq(
		dwarf_formudata(dwarf_attr(&r->cu, DW_AT_stmt_list, &attribute), &offset),
		0);
	r->offset = offset;
	r->addresses = malloc((2 * r->count + 1) * sizeof(*r->addresses));
	for (size_t i = 0; i < r->count; i++) {
		Dwarf_Addr address;

		cr_assert_eq(dwarf_lineaddr(dwarf_onesrcline(r->lines, i), &address), 0);
		for (uint64_t a = address; a < address + 2; a++)
			if (r->address_count == 0 ||
			    r->addresses[r->address_count - 1] < a)
				r->addresses[r->address_count++] = a;
	}
}

static void expect_row(const struct rows *r, const struct line_program *p, size_t i,
		       const struct source_line *ours)
{
	Dwarf_Line *theirs = dwarf_getsrc_die((Dwarf_Die *)&r->cu, r->addresses[i]);
	struct text path = { 0 };
	const char *name;
	size_t size;
	int line = 0;

	if (theirs)
		dwarf_lineno(theirs, &line);
	cr_expect_eq(ours->line, (uint32_t)line, "line at %lx: %u, not %d",
		     (unsigned long)r->addresses[i], ours->line, line);
	if (!line)
		return;
	cr_expect(line_program_path(p, ours->file, &path));
	/* libdw does not put the unit's directory before those of DWARF 5. */
	name = dwarf_linesrc(theirs, NULL, NULL);
	size = strlen(name);
	cr_expect(path.size >= size && strcmp(path.bytes + path.size - size, name) == 0,
		  "'%s', not '%s'", path.bytes, name);
	text_release(&path);
}

static size_t compare_unit(size_t unit, struct line_program *p)
{
	struct source_line *lines;
	struct rows r;

	read_rows(unit, &r);
	if (r.address_count == 0) {
		free(r.addresses);
		return 0;
	}
	lines = calloc(r.address_count, sizeof(*lines));
	cr_assert(line_program_read(p, &image, r.offset, r.directory, 8));
	line_program_run(p, r.addresses, r.address_count, lines, &meter);
	for (size_t i = 0; i < r.address_count; i++)
		expect_row(&r, p, i, &lines[i]);
	free(lines);
	free(r.addresses);
	return r.address_count;
}

Test(line_program, every_line_is_that_of_libdw, .init = open_self, .fini = close_self)
{
	struct line_program p = { 0 };
	size_t compared = 0;

	for (size_t i = 0; i < units.list.count; i++)
		compared += compare_unit(i, &p);
	cr_expect_gt(compared, 1000);
	line_program_release(&p);
}

/* Programs made by hand. */
static struct bytes b;

static bool read_bytes(struct line_program *p, const char *directory)
{
	static struct debug_image stack_bottom;

	stack_bottom = (struct debug_image){ .first_code = 0x1000 };
	stack_bottom.sections[DEBUG_LINE] = (struct debug_bytes){ b.v, b.size };
	return line_program_read(p, &stack_bottom, 0, directory, 8);
}

static void put_length(size_t at)
{
	uint32_t length = (uint32_t)(b.size - at - 4);

	memcpy(b.v + at, &length, 4);
}

/* A head of version 4 with the tables that follow; ends with put_tables_end(). */
static size_t put_head(uint8_t instruction, uint8_t line_range, uint8_t opcode_base)
{
	size_t header;

	b.size = 0;
	put32(&b, 0);
	put16(&b, 4);
	header = b.size;
	put32(&b, 0);
	put8(&b, instruction);
	put8(&b, 1);
	put8(&b, 1);
	put8(&b, (uint8_t)-1);
	put8(&b, line_range);
	put8(&b, opcode_base);
	for (unsigned i = 1; i < opcode_base; i++)
		put8(&b, i == DW_LNS_copy ? 0 : 1);
	return header;
}

static void put_address(uint64_t address)
{
	put8(&b, 0);
	put_uleb(&b, 9);
	put8(&b, DW_LNE_set_address);
	put64(&b, address);
}

static void put_end(void)
{
	put8(&b, 0);
	put_uleb(&b, 1);
	put8(&b, DW_LNE_end_sequence);
}

Test(line_program, paths_are_put_together)
{
	struct line_program p = { 0 };
	struct text path = { 0 };
	size_t header = put_head(1, 4, 4);

	put_text(&b, "sub");
	put_text(&b, "/usr/include");
	put8(&b, 0);
	put_text(&b, "a.c");
	put_sized(&b, 0, 3);
	put_text(&b, "b.h");
	put_sized(&b, 1, 3);
	put_text(&b, "c.h");
	put_sized(&b, 2, 3);
	put_text(&b, "/d.h");
	put_sized(&b, 1, 3);
	put8(&b, 0);
	put_length(header);
	put_length(0);
	cr_assert(read_bytes(&p, "/src"));
	for (uint32_t i = 1; i <= 4; i++) {
		cr_expect(line_program_path(&p, i, &path));
		text_char(&path, ' ');
	}
	cr_expect_str_eq(path.bytes, "/src/a.c /src/sub/b.h /usr/include/c.h /d.h ");
	cr_expect_not(line_program_path(&p, 0, &path));
	cr_expect_not(line_program_path(&p, 5, &path));
	text_release(&path);
	line_program_release(&p);
}

/* A function that the linker dropped, of more than its own size in the address space
 * below real code, and one that it kept. */
Test(line_program, sequences_of_dropped_functions_say_nothing)
{
	const uint64_t addresses[] = { 0x1800, 0x3000 };
	struct source_line lines[2] = { { 0 } };
	struct line_program p = { 0 };
	size_t header = put_head(16, 4, 4);

	put16(&b, 0);
	put_length(header);
	put_address(0);
	put8(&b, DW_LNS_copy);
	put8(&b, DW_LNS_advance_pc);
	put_uleb(&b, 0x150);
	put8(&b, DW_LNS_copy);
	put8(&b, DW_LNS_advance_pc);
	put_uleb(&b, 0x200);
	put_end();
	put_address(0x3000);
	put8(&b, 4 + 3); /* line 3 */
	put8(&b, DW_LNS_advance_pc);
	put8(&b, 1);
	put_end();
	put_length(0);
	cr_assert(read_bytes(&p, NULL));
	line_program_run(&p, addresses, 2, lines, &meter);
	cr_expect_eq(lines[0].line, 0);
	cr_expect_eq(lines[1].line, 3);
	line_program_release(&p);
}

Test(line_program, addresses_that_go_back_are_followed)
{
	const uint64_t addresses[] = { 0x2000, 0x2100 };
	struct source_line lines[2] = { { 0 } };
	struct line_program p = { 0 };
	size_t header = put_head(1, 4, 4);

	put16(&b, 0);
	put_length(header);
	put_address(0x2100);
	put8(&b, DW_LNS_copy);
	put_address(0x2110);
	put8(&b, DW_LNS_copy);
	put_address(0x2000);
	put8(&b, 4 + 2);
	put_address(0x2010);
	put_end();
	put_length(0);
	cr_assert(read_bytes(&p, NULL));
	line_program_run(&p, addresses, 2, lines, &meter);
	cr_expect_eq(lines[0].line, 2);
	cr_expect_eq(lines[1].line, 1);
	line_program_release(&p);
}

Test(line_program, a_program_cut_anywhere_is_refused_or_ends)
{
	const uint64_t addresses[] = { 0x2000 };
	struct source_line lines[1];
	struct line_program p = { 0 };
	size_t header = put_head(1, 4, 13), whole;

	put_text(&b, "sub");
	put8(&b, 0);
	put_text(&b, "a.c");
	put_sized(&b, 0, 3);
	put8(&b, 0);
	put_length(header);
	put_address(0x2000);
	put8(&b, DW_LNS_copy);
	put_end();
	put_length(0);
	for (whole = b.size; b.size > 0; b.size--)
		if (read_bytes(&p, NULL))
			line_program_run(&p, addresses, 1, lines, &meter);
	for (size_t i = 0; i < whole; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			b.size = whole;
			b.v[i] ^= 1 << bit;
			if (read_bytes(&p, NULL))
				line_program_run(&p, addresses, 1, lines, &meter);
			b.v[i] ^= 1 << bit;
		}
	line_program_release(&p);
}

Test(line_program, numbers_that_divide_by_zero_are_refused)
{
	struct line_program p = { 0 };
	size_t header = put_head(1, 0, 4);

	put16(&b, 0);
	put_length(header);
	put_length(0);
	cr_expect_not(read_bytes(&p, NULL));
	line_program_release(&p);
}
