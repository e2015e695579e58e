#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "unit/dwarf/info_writer.h"
#include "unit/symbol/subject.h"

/* Inlined functions: a program whose debug information says that main has code of f, and
 * that of g. */
enum { CODE = 0x1000 };

enum { UNIT = 1, FUNCTION, ABSTRACT, LINKED, CALL };

static struct elf_image e;
static struct info_writer d;
static uint64_t code; /* offset of .text in the file */
static uint32_t image;

static void abbreviations(void)
{
	info_abbreviation(&d, UNIT, DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_low_pc,
			  DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_stmt_list,
			  DW_FORM_sec_offset, 0);
	info_abbreviation(&d, FUNCTION, DW_TAG_subprogram, DW_CHILDREN_yes, DW_AT_name,
			  DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
			  DW_FORM_data4, 0);
	info_abbreviation(&d, ABSTRACT, DW_TAG_subprogram, DW_CHILDREN_no, DW_AT_name,
			  DW_FORM_string, 0);
	info_abbreviation(&d, LINKED, DW_TAG_subprogram, DW_CHILDREN_no,
			  DW_AT_linkage_name, DW_FORM_string, 0);
	info_abbreviation(&d, CALL, DW_TAG_inlined_subroutine, DW_CHILDREN_yes,
			  DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr,
			  DW_AT_high_pc, DW_FORM_data4, DW_AT_call_file, DW_FORM_data1,
			  DW_AT_call_line, DW_FORM_data1, 0);
}

static void range(uint64_t from, uint64_t to)
{
	put64(&d.info, from);
	put32(&d.info, to - from);
}

static void call(uint32_t function, uint64_t from, uint64_t to, unsigned line)
{
	info_die(&d, CALL);
	put32(&d.info, function);
	range(from, to);
	put8(&d.info, 1);
	put8(&d.info, line);
}

/* One file, a.c; line 40 from CODE on. */
static void put_lines(void)
{
	static const uint8_t program[] = {
		0,   0,	   0,	 0, /* length */
		2,   0, /* version */
		16,  0,	   0,	 0, /* of the head */
		1,   1,	   0xff, 4, 4,	0, 1, 1, /* ... operands of 1 to 3 */
		0, /* no directories */
		'a', '.',  'c',	 0, 0,	0, 0, 0, /* a.c */
		0,   9,	   2,	 0, 16, 0, 0, 0, 0, 0, 0, /* address */
		3,   39, /* line */
		1, /* row */
		2,   0x80, 1, /* 128 bytes */
		0,   1,	   1, /* end */
	};

	for (size_t i = 0; i < sizeof(program); i++)
		put8(&d.line, program[i]);
	d.line.v[0] = sizeof(program) - 4;
	d.line.v[6] = 17;
}

static void put_info(const char *outer)
{
	uint32_t f, g;

	info_begin(&d);
	abbreviations();
	info_unit(&d, 4);
	info_die(&d, UNIT);
	range(CODE, CODE + 0x100);
	put32(&d.info, 0);
	f = info_die(&d, LINKED);
	put_text(&d.info, "_ZN1a1fEi");
	g = info_die(&d, ABSTRACT);
	put_text(&d.info, "g");
	info_die(&d, FUNCTION);
	put_text(&d.info, outer);
	range(CODE, CODE + 0x40);
	call(f, CODE + 0x10, CODE + 0x30, 7);
	call(g, CODE + 0x20, CODE + 0x30, 9);
	for (int i = 0; i < 4; i++)
		info_close(&d);
	info_end_unit(&d);
	put_lines();
}

static void begin(void)
{
	subject_begin();
	image_begin(&e);
}

/* With a symbol for main, or without. */
static void make(const char *symbol)
{
	unsigned text = image_code(&e, ".text", CODE, 0x400);

	if (symbol)
		image_symbol(&e, symbol, CODE, 0x40, STB_GLOBAL, text);
	put_info("main");
	info_add(&d, &e);
	image_write(&e);
	code = e.sections[text].sh_offset;
	image = add_image(IMAGE_FILE, e.path, NULL);
}

static void end(void)
{
	subject_end();
	image_remove(&e);
}

TestSuite(image_names, .init = begin, .fini = end);

Test(image_names, functions_that_were_inlined_are_called_by_those_they_are_in)
{
	make("main");
	uint32_t own = add_frame(image, code, 0), f = add_frame(image, code + 0x10, 0);
	uint32_t g = add_frame(image, code + 0x20, 0),
		 caller = add_frame(image, code + 0x2f, FRAME_CALLER);

	run();
	cr_expect_str_eq(chain_of(own), "main");
	cr_expect_str_eq(chain_of(f), "main a::f");
	cr_expect_str_eq(chain_of(g), "main a::f g");
	cr_expect_str_eq(chain_of(caller), "main a::f g");
	cr_expect_str_eq(problem_of(image), "");
}

/* gcc gives copies of functions such names. */
Test(image_names, the_outermost_function_has_the_name_of_its_symbol)
{
	make("main.constprop.0");
	uint32_t f = add_frame(image, code + 0x10, 0);

	run();
	cr_expect_str_eq(chain_of(f), "main.constprop.0 a::f");
}

Test(image_names, what_has_no_symbol_is_named_by_debug_information)
{
	make(NULL);
	uint32_t f = add_frame(image, code + 0x10, 0);

	run();
	cr_expect_str_eq(chain_of(f), "main a::f");
	cr_expect_not(function_of(f)->unnamed);
	cr_expect_eq(subject.symbols.images.v[image].unnamed, 0);
}

Test(image_names, they_can_be_left_out)
{
	subject.options.inlines = SYMBOL_INLINES_NO;
	make("main");
	uint32_t g = add_frame(image, code + 0x20, 0);

	run();
	cr_expect_str_eq(chain_of(g), "main");
}

Test(image_names, lines_are_those_of_the_calls)
{
	subject.options.srcline = true;
	make("main");
	uint32_t g = add_frame(image, code + 0x20, 0);

	run();
	cr_expect_str_eq(chain_of(g), "main:a.c:7 a::f:a.c:9 g:a.c:40");
}

Test(image_names, without_them_the_line_is_that_of_the_address)
{
	subject.options.srcline = true;
	subject.options.inlines = SYMBOL_INLINES_NO;
	make("main");
	uint32_t g = add_frame(image, code + 0x20, 0);

	run();
	cr_expect_str_eq(chain_of(g), "main:a.c:40");
}

static const struct function *innermost(uint32_t frame)
{
	uint32_t count;
	const uint32_t *inlined = symbols_inlined(&subject.symbols, frame, &count);

	cr_assert(count > 0);
	return &subject.symbols.functions.v[inlined[count - 1]];
}

Test(image_names, they_are_of_a_kind_of_their_own_when_they_are_to_be_marked)
{
	make("main");
	uint32_t g = add_frame(image, code + 0x20, 0);

	run();
	cr_expect_eq(innermost(g)->kind, FUNCTION_USER);
	symbols_release(&subject.symbols);
	subject.options.inline_mark = true;
	run();
	cr_expect_eq(innermost(g)->kind, FUNCTION_INLINED);
	cr_expect_eq(function_of(g)->kind, FUNCTION_USER);
}

/* perf 6.1 looks for them only where it unwinds the stack itself. */
Test(image_names, to_be_compatible_they_are_left_out_without_stack_dumps)
{
	struct recording dumps = { .user_stacks = 1 }, none = { 0 };
	struct symbolizer *s;

	subject.options.compat = true;
	make("main");
	uint32_t g = add_frame(image, code + 0x20, 0);

	run();
	cr_expect_str_eq(chain_of(g), "main");
	for (int i = 0; i < 2; i++) {
		symbols_release(&subject.symbols);
		cr_assert_eq(symbolizer_new(&subject.ctx, &subject.images,
					    &subject.strings, &subject.options, &s),
			     0);
		symbolizer_add_recording(s, i ? &dumps : &none);
		cr_assert_eq(symbolizer_run(&subject.ctx, s, &subject.frames,
					    &subject.symbols),
			     0);
		symbolizer_free(s);
		cr_expect_str_eq(chain_of(g), i ? "main a::f g" : "main");
	}
	cr_expect_eq(innermost(g)->kind, FUNCTION_USER);
}

Test(image_names, debug_information_that_cannot_be_read_is_a_problem)
{
	unsigned text = image_code(&e, ".text", CODE, 0x400), info;

	image_symbol(&e, "main", CODE, 0x40, STB_GLOBAL, text);
	put_info("main");
	info = e.section_count;
	info_add(&d, &e);
	e.sections[info].sh_flags |= SHF_COMPRESSED;
	memset(e.bytes + e.sections[info].sh_offset, 0, 24);
	e.bytes[e.sections[info].sh_offset] = 1; /* zlib */
	e.bytes[e.sections[info].sh_offset + 8] = 100; /* bytes */
	image_write(&e);
	image = add_image(IMAGE_FILE, e.path, NULL);
	uint32_t g = add_frame(image, e.sections[text].sh_offset + 0x20, 0);

	run();
	cr_expect_str_eq(chain_of(g), "main");
	cr_expect(strstr(problem_of(image), "its debug information cannot be unpacked"),
		  "%s", problem_of(image));
}

Test(image_names, the_result_does_not_depend_on_the_number_of_threads)
{
	uint32_t frames[64];
	char chains[64][128];

	make("main");
	for (uint32_t i = 0; i < 64; i++)
		frames[i] = add_frame(image, code + i, 0);
	subject.options.threads = 1;
	run();
	for (uint32_t i = 0; i < 64; i++)
		snprintf(chains[i], sizeof(chains[i]), "%s", chain_of(frames[i]));
	symbols_release(&subject.symbols);
	subject.options.threads = 4;
	run();
	for (uint32_t i = 0; i < 64; i++)
		cr_expect_str_eq(chain_of(frames[i]), chains[i]);
}
