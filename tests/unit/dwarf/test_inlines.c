#include "dwarf/inlines.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unit/dwarf/info_writer.h"

enum { CODE = 0x401000, CODE_SIZE = 0x1000 };

/* Abbreviations of all units here. */
enum {
	UNIT = 1, /* name, low, size */
	FUNCTION, /* name, low, size */
	ABSTRACT, /* name */
	CALL, /* origin, low, size, file, line */
	NAMESPACE, /* name */
	CLASS, /* name */
	DECLARED, /* name; without children */
	DEFINED, /* specification, low, size */
	LINKED, /* name, linkage name */
	BLOCK, /* low, size */
	SPARSE, /* name, ranges */
	UNIT_ALONE, /* name, language */
	SPARSE_CALL, /* origin, ranges */
	SPARSE_UNIT, /* name, ranges */
	OUTSIDE, /* name, without children: another function, elsewhere */
	LOOP, /* origin */
};

static struct elf_image e;
static struct info_writer d;
static struct object o;
static struct inlines *in;
static struct context ctx;

static void abbreviations(void)
{
	const unsigned yes = DW_CHILDREN_yes, no = DW_CHILDREN_no;
	const unsigned text = DW_FORM_string, addr = DW_FORM_addr, u4 = DW_FORM_data4;

	info_abbreviation(&d, UNIT, DW_TAG_compile_unit, yes, DW_AT_name, text,
			  DW_AT_low_pc, addr, DW_AT_high_pc, u4, 0);
	info_abbreviation(&d, FUNCTION, DW_TAG_subprogram, yes, DW_AT_name, text,
			  DW_AT_low_pc, addr, DW_AT_high_pc, u4, 0);
	info_abbreviation(&d, ABSTRACT, DW_TAG_subprogram, yes, DW_AT_name, text, 0);
	info_abbreviation(&d, CALL, DW_TAG_inlined_subroutine, yes, DW_AT_abstract_origin,
			  DW_FORM_ref4, DW_AT_low_pc, addr, DW_AT_high_pc, u4,
			  DW_AT_call_file, DW_FORM_data1, DW_AT_call_line, DW_FORM_data1,
			  0);
	info_abbreviation(&d, NAMESPACE, DW_TAG_namespace, yes, DW_AT_name, text, 0);
	info_abbreviation(&d, CLASS, DW_TAG_class_type, yes, DW_AT_name, text, 0);
	info_abbreviation(&d, DECLARED, DW_TAG_subprogram, no, DW_AT_name, text,
			  DW_AT_declaration, DW_FORM_flag_present, 0);
	info_abbreviation(&d, DEFINED, DW_TAG_subprogram, yes, DW_AT_specification,
			  DW_FORM_ref4, DW_AT_low_pc, addr, DW_AT_high_pc, u4, 0);
	info_abbreviation(&d, LINKED, DW_TAG_subprogram, no, DW_AT_name, text,
			  DW_AT_linkage_name, text, 0);
	info_abbreviation(&d, BLOCK, DW_TAG_lexical_block, yes, DW_AT_low_pc, addr,
			  DW_AT_high_pc, u4, 0);
	info_abbreviation(&d, SPARSE, DW_TAG_subprogram, yes, DW_AT_name, text,
			  DW_AT_ranges, DW_FORM_sec_offset, 0);
	info_abbreviation(&d, UNIT_ALONE, DW_TAG_compile_unit, yes, DW_AT_name, text,
			  DW_AT_language, DW_FORM_data1, 0);
	info_abbreviation(&d, SPARSE_CALL, DW_TAG_inlined_subroutine, no,
			  DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges,
			  DW_FORM_sec_offset, 0);
	info_abbreviation(&d, SPARSE_UNIT, DW_TAG_compile_unit, yes, DW_AT_name, text,
			  DW_AT_ranges, DW_FORM_sec_offset, 0);
	info_abbreviation(&d, OUTSIDE, DW_TAG_subprogram, no, DW_AT_name, text,
			  DW_AT_low_pc, addr, DW_AT_high_pc, u4, 0);
	info_abbreviation(&d, LOOP, DW_TAG_subprogram, no, DW_AT_abstract_origin,
			  DW_FORM_ref4, 0);
}

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	image_code(&e, ".text", CODE, CODE_SIZE);
	info_begin(&d);
	abbreviations();
	in = NULL;
	o = (struct object){ .fd = -1 };
}

static void end(void)
{
	inlines_close(in);
	object_close(&o);
	image_remove(&e);
}

TestSuite(inlines, .init = begin, .fini = end);

static uint32_t named(unsigned code, const char *name)
{
	uint32_t at = info_die(&d, code);

	put_text(&d.info, name);
	return at;
}

static void range(uint64_t from, uint64_t to)
{
	put64(&d.info, from);
	put32(&d.info, to - from);
}

/* UNIT, FUNCTION or OUTSIDE. */
static uint32_t placed(unsigned code, const char *name, uint64_t from, uint64_t to)
{
	uint32_t at = named(code, name);

	range(from, to);
	return at;
}

static void call(uint32_t function, uint64_t from, uint64_t to, unsigned line)
{
	info_die(&d, CALL);
	put32(&d.info, function);
	range(from, to);
	put8(&d.info, 1);
	put8(&d.info, line);
}

static int open_with(bool lines)
{
	struct inline_options options = { .lines = lines, .threads = 2 };

	info_add(&d, &e);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	return inlines_open(&ctx, &o, &o, &options, &in);
}

static void find(const uint64_t *addresses, size_t count)
{
	cr_assert_eq(open_with(false), 0, "%s", ctx.error);
	cr_assert_eq(inlines_find(in, addresses, count), 0);
}

#define FIND(...)                                                                        \
	find((const uint64_t[]){ __VA_ARGS__ },                                          \
	     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* The names of the address with that index, innermost first, with " < " between. */
static void expect(size_t i, const char *expected)
{
	struct inline_chain chain = inlines_at(in, i);
	char got[4096] = "";

	for (size_t k = 0; k < chain.count; k++) {
		strncat(got, k ? " < " : "", sizeof(got) - strlen(got) - 1);
		strncat(got, chain.frames[k].name, sizeof(got) - strlen(got) - 1);
	}
	cr_expect_str_eq(got, expected);
}

Test(inlines, calls_take_their_addresses_from_what_is_around_them)
{
	uint32_t f, g;

	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	f = named(ABSTRACT, "f");
	info_close(&d);
	g = named(ABSTRACT, "g");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	call(f, CODE + 0x10, CODE + 0x30, 7);
	call(g, CODE + 0x20, CODE + 0x28, 9);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE, CODE + 0x10, CODE + 0x20, CODE + 0x27, CODE + 0x28, CODE + 0x30,
	     CODE + 0x90);
	expect(0, "main");
	expect(1, "f < main");
	expect(2, "g < f < main");
	expect(3, "g < f < main");
	expect(4, "f < main");
	expect(5, "main");
	expect(6, "");
	cr_expect_str_eq(inlines_problem(in), "");
}

Test(inlines, equal_addresses_have_equal_answers)
{
	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	placed(OUTSIDE, "f", CODE, CODE + 0x80);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE, CODE, CODE, CODE + 1);
	for (size_t i = 0; i < 4; i++)
		expect(i, "f");
}

Test(inlines, blocks_are_looked_into)
{
	uint32_t f;

	info_unit(&d, 3);
	put_text(&d.line, ""); /* not asked for */
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	f = named(ABSTRACT, "f");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	info_die(&d, BLOCK);
	range(CODE + 0x10, CODE + 0x40);
	call(f, CODE + 0x10, CODE + 0x30, 7);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE + 0x12, CODE + 0x38);
	expect(0, "f < main");
	expect(1, "main");
}

Test(inlines, names_have_the_scopes_they_are_in)
{
	uint32_t method, local;

	info_unit(&d, 4);
	placed(UNIT, "a.cc", CODE, CODE + 0x100);
	named(NAMESPACE, "outer");
	named(CLASS, "Box<int>");
	named(DECLARED, "other");
	method = named(DECLARED, "get");
	info_close(&d);
	info_die(&d, NAMESPACE); /* without a name */
	put8(&d.info, 0);
	local = named(ABSTRACT, "helper");
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_die(&d, DEFINED);
	put32(&d.info, method);
	range(CODE, CODE + 0x80);
	call(local, CODE + 0x10, CODE + 0x20, 1);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE, CODE + 0x10);
	expect(0, "outer::Box<int>::get");
	expect(1, "outer::(anonymous namespace)::helper < outer::Box<int>::get");
}

Test(inlines, a_linkage_name_is_preferred)
{
	uint32_t f;

	info_unit(&d, 4);
	placed(UNIT, "a.cc", CODE, CODE + 0x100);
	named(NAMESPACE, "a");
	f = named(LINKED, "f");
	put_text(&d.info, "_ZN1a1fEv");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	call(f, CODE, CODE + 0x20, 1);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE + 1);
	expect(0, "_ZN1a1fEv < main");
	cr_expect(inlines_at(in, 0).frames[0].mangled);
	cr_expect_not(inlines_at(in, 0).frames[1].mangled);
}

/* As gcc writes a lambda: in a class of the function that has it. */
Test(inlines, functions_in_functions_are_found)
{
	info_unit(&d, 4);
	placed(UNIT, "a.cc", CODE, CODE + 0x100);
	named(ABSTRACT, "sort");
	named(CLASS, "<lambda()>");
	placed(FUNCTION, "operator()", CODE + 0x40, CODE + 0x60);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	placed(OUTSIDE, "main", CODE, CODE + 0x20);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE + 1, CODE + 0x41);
	expect(0, "main");
	expect(1, "sort::<lambda()>::operator()");
}

Test(inlines, a_class_without_a_name_around_a_call_operator_is_a_lambda)
{
	info_unit(&d, 4);
	placed(UNIT, "a.cc", CODE, CODE + 0x100);
	named(ABSTRACT, "sort");
	named(CLASS, "");
	placed(OUTSIDE, "operator()", CODE, CODE + 0x20);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE + 1);
	expect(0, "sort::{lambda}::operator()");
}

/* GNU ld relocates the debug information of copies it dropped to the one it kept. */
Test(inlines, of_units_that_claim_a_function_the_first_one_has_it)
{
	for (int i = 0; i < 3; i++) {
		char name[] = "copy0";

		name[4] = (char)('0' + i);
		info_unit(&d, 4);
		placed(UNIT, "a.cc", CODE, CODE + 0x100);
		placed(OUTSIDE, name, CODE, CODE + 0x20);
		info_close(&d);
		info_end_unit(&d);
	}
	FIND(CODE, CODE + 1);
	expect(0, "copy0");
	expect(1, "copy0");
}

Test(inlines, what_a_linker_dropped_is_not_taken_for_code)
{
	info_unit(&d, 4);
	named(SPARSE_UNIT, "a.cc");
	put32(&d.info, 0);
	placed(OUTSIDE, "dropped", 0, CODE_SIZE * 2);
	placed(OUTSIDE, "dropped too", 1, CODE + 0x10);
	placed(OUTSIDE, "dropped by lld", UINT64_MAX, 16);
	placed(OUTSIDE, "kept", CODE, CODE + 0x20);
	info_close(&d);
	info_end_unit(&d);
	put64(&d.ranges, 0);
	put64(&d.ranges, CODE * 2);
	put64(&d.ranges, 1);
	put64(&d.ranges, 1);
	put64(&d.ranges, CODE);
	put64(&d.ranges, CODE + 0x20);
	put64(&d.ranges, 0);
	put64(&d.ranges, 0);
	FIND(CODE + 1, CODE + 0x30);
	expect(0, "kept");
	expect(1, "");
}

Test(inlines, a_unit_that_says_not_what_it_covers_is_asked_for_its_functions)
{
	info_unit(&d, 4);
	named(UNIT_ALONE, "a.c");
	put8(&d.info, DW_LANG_C99);
	placed(OUTSIDE, "f", CODE, CODE + 0x20);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE + 1);
	expect(0, "f");
}

/* Offsets from a base that the list itself sets, and of the unit. */
Test(inlines, lists_of_ranges_before_version_5)
{
	uint32_t f;

	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	f = named(ABSTRACT, "f");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x100);
	info_die(&d, SPARSE_CALL);
	put32(&d.info, f);
	put32(&d.info, 0);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	put64(&d.ranges, 0x10);
	put64(&d.ranges, 0x20);
	put64(&d.ranges, UINT64_MAX);
	put64(&d.ranges, CODE + 0x80);
	put64(&d.ranges, 0x00);
	put64(&d.ranges, 0x08);
	put64(&d.ranges, 0);
	put64(&d.ranges, 0);
	FIND(CODE + 0x0f, CODE + 0x10, CODE + 0x20, CODE + 0x87, CODE + 0x88);
	expect(0, "main");
	expect(1, "f < main");
	expect(2, "main");
	expect(3, "f < main");
	expect(4, "main");
}

static void ranges_of_version_5(void)
{
	struct bytes *r = &d.rnglists;

	put8(r, DW_RLE_offset_pair);
	put_uleb(r, 0x10);
	put_uleb(r, 0x11);
	put8(r, DW_RLE_start_length);
	put64(r, CODE + 0x20);
	put_uleb(r, 1);
	put8(r, DW_RLE_start_end);
	put64(r, CODE + 0x30);
	put64(r, CODE + 0x31);
	put8(r, DW_RLE_base_address);
	put64(r, CODE + 0x40);
	put8(r, DW_RLE_offset_pair);
	put_uleb(r, 0);
	put_uleb(r, 1);
	put8(r, DW_RLE_end_of_list);
}

Test(inlines, lists_of_ranges_of_version_5)
{
	uint32_t f;

	info_unit(&d, 5);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	f = named(ABSTRACT, "f");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x100);
	info_die(&d, SPARSE_CALL);
	put32(&d.info, f);
	put32(&d.info, 0);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	ranges_of_version_5();
	FIND(CODE + 0x10, CODE + 0x11, CODE + 0x20, CODE + 0x30, CODE + 0x40,
	     CODE + 0x41);
	expect(0, "f < main");
	expect(1, "main");
	expect(2, "f < main");
	expect(3, "f < main");
	expect(4, "f < main");
	expect(5, "main");
}

Test(inlines, references_that_go_round_end)
{
	uint32_t a, at;

	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	a = info_die(&d, LOOP);
	put32(&d.info, a + 5);
	at = info_die(&d, LOOP);
	cr_assert_eq(at, a + 5);
	put32(&d.info, a);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	call(a, CODE, CODE + 0x20, 1);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	FIND(CODE);
	expect(0, " < main");
}

Test(inlines, calls_nested_deeper_than_any_are_cut)
{
	uint32_t f;

	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	f = named(ABSTRACT, "f");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	for (int i = 0; i < 800; i++) {
		info_die(&d, CALL);
		put32(&d.info, f);
		range(CODE, CODE + 0x20);
		put16(&d.info, 0);
	}
	for (int i = 0; i < 802; i++)
		info_close(&d);
	info_end_unit(&d);
	FIND(CODE);
	cr_expect_gt(inlines_at(in, 0).count, 400);
	cr_expect_lt(inlines_at(in, 0).count, 600);
}

Test(inlines, debug_information_that_ends_early_gives_what_there_is)
{
	info_unit(&d, 4);
	placed(UNIT, "a.c", CODE, CODE + 0x100);
	placed(OUTSIDE, "f", CODE, CODE + 0x20);
	placed(OUTSIDE, "g", CODE + 0x20, CODE + 0x40);
	d.info.size -= 3;
	info_end_unit(&d);
	FIND(CODE, CODE + 0x20);
	expect(0, "f");
	expect(1, "");
}

/* A long list of ranges that very many functions share: cheap to write, expensive to
 * read. */
Test(inlines, too_much_work_is_given_up)
{
	clock_t begun = clock();
	static struct bytes units;

	(void)units;
	info_unit(&d, 4);
	named(SPARSE_UNIT, "a.c");
	put32(&d.info, 0);
	while (d.info.size < sizeof(d.info.v) - 64) {
		named(SPARSE, "f");
		put32(&d.info, 0);
		info_close(&d);
	}
	info_close(&d);
	info_end_unit(&d);
	while (d.ranges.size < sizeof(d.ranges.v) - 64) {
		put64(&d.ranges, CODE + 2);
		put64(&d.ranges, CODE + 3);
	}
	put64(&d.ranges, 0);
	put64(&d.ranges, 0);
	FIND(CODE + 1, CODE + 2);
	/* 2,000 functions of 1,000 ranges each are within the limit of any object. */
	cr_expect_str_eq(inlines_problem(in), "");
	cr_expect_lt(clock() - begun, 10 * CLOCKS_PER_SEC);
}

Test(inlines, an_object_without_debug_information_has_none)
{
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0);
	cr_expect_eq(inlines_open(&ctx, &o, &o, &(struct inline_options){ 0 }, &in),
		     -ENODATA);
	cr_expect_str_eq(ctx.error, "it has no debug information");
}

static void put_line_program(void)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct bytes *l = &d.line;
	size_t head, from;
	uint32_t size;

	put32(l, 0);
	put16(l, 4);
	head = l->size;
	put32(l, 0);
	from = l->size;
	put8(l, 1); /* bytes of an instruction */
	put8(l, 1); /* operations of one */
	put8(l, 1);
	put8(l, (uint8_t)-5);
	put8(l, 14);
	put8(l, 13);
	for (size_t i = 0; i < sizeof(operands); i++)
		put8(l, operands[i]);
	put_text(l, "include");
	put8(l, 0);
	put_text(l, "a.c");
	put_sized(l, 0, 3);
	put_text(l, "b.h");
	put_sized(l, 1, 3);
	put8(l, 0);
	size = (uint32_t)(l->size - from);
	memcpy(l->v + head, &size, 4);
	put8(l, 0);
	put_uleb(l, 9);
	put8(l, DW_LNE_set_address);
	put64(l, CODE);
	put8(l, DW_LNS_advance_line);
	put8(l, 9); /* line 10 */
	put8(l, DW_LNS_copy);
	put8(l, DW_LNS_advance_pc);
	put8(l, 0x10);
	put8(l, DW_LNS_set_file);
	put8(l, 2);
	put8(l, DW_LNS_advance_line);
	put8(l, 20); /* line 30 */
	put8(l, DW_LNS_copy);
	put8(l, DW_LNS_advance_pc);
	put8(l, 0x10);
	put8(l, 0);
	put_uleb(l, 1);
	put8(l, DW_LNE_end_sequence);
	size = (uint32_t)(l->size - 4);
	memcpy(l->v, &size, 4);
}

Test(inlines, frames_have_the_lines_of_their_calls)
{
	const uint64_t addresses[] = { CODE, CODE + 0x10, CODE + 0x20 };
	const struct inline_frame *frames;
	uint32_t f;

	info_abbreviation(&d, 40, DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_low_pc,
			  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_stmt_list,
			  DW_FORM_sec_offset, DW_AT_comp_dir, DW_FORM_string, 0);
	info_unit(&d, 4);
	info_die(&d, 40);
	range(CODE, CODE + 0x100);
	put32(&d.info, 0);
	put_text(&d.info, "/src");
	f = named(ABSTRACT, "f");
	info_close(&d);
	placed(FUNCTION, "main", CODE, CODE + 0x80);
	call(f, CODE + 0x10, CODE + 0x30, 7);
	info_close(&d);
	info_close(&d);
	info_close(&d);
	info_end_unit(&d);
	put_line_program();
	cr_assert_eq(open_with(true), 0);
	cr_assert_eq(inlines_find(in, addresses, 3), 0);
	expect(1, "f < main");
	frames = inlines_at(in, 0).frames;
	cr_expect_str_eq(frames[0].file, "/src/a.c");
	cr_expect_eq(frames[0].line, 10);
	frames = inlines_at(in, 1).frames;
	cr_expect_str_eq(frames[0].file, "/src/include/b.h");
	cr_expect_eq(frames[0].line, 30);
	cr_expect_str_eq(frames[1].file, "/src/a.c");
	cr_expect_eq(frames[1].line, 7);
	frames = inlines_at(in, 2).frames;
	cr_expect_null(frames[0].file);
}
