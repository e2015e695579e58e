#include "cfi/go_frames.h"

#include <criterion/criterion.h>
#include <string.h>

#include "cfi/cfi.h"
#include "unit/elf/elf_image.h"

/*
 * A table as Go 1.20 writes it, for code at CODE: the head and its words, names, steps, pairs of
 * functions and offsets, functions.
 */
enum {
	CODE = 0x1000,
	CODE_SIZE = 0x1000,
	FUNCTION = 0x40,
	DATA = 44, /* of a function */
	NAMES = 0x48,
	STEPS = 0x60,
};

static uint8_t table[1 << 13];
static size_t size;
static bool outermost;
static struct elf_image e;
static struct context ctx;
static struct object o;
static struct unwind_table t;

static void put(size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		table[at + i] = (uint8_t)(value >> (8 * i));
	if (at + bytes > size)
		size = at + bytes;
}

static void begin(void)
{
	object_prepare();
	image_begin(&e);
	size = 0;
	outermost = false;
	memset(table, 0, sizeof(table));
	put(0, 0xfffffff1, 4);
	put(6, 1, 1); /* quantum */
	put(7, 8, 1); /* word */
}

static void end(void)
{
	unwind_release(&t);
	object_close(&o);
	image_remove(&e);
}

TestSuite(go_frames, .init = begin, .fini = end);

/* @count functions of FUNCTION bytes each, all with the steps at @steps from STEPS on. */
static void put_functions(unsigned count, const uint8_t *steps, size_t length)
{
	size_t functions = (STEPS + 1 + length + 7) & ~(size_t)7;
	const uint64_t words[] = { count, 0, CODE, NAMES, 0, 0, STEPS, functions };

	for (unsigned i = 0; i < 8; i++)
		put(8 + 8 * i, words[i], 8);
	memcpy(table + STEPS + 1, steps, length);
	for (unsigned i = 0; i <= count; i++) {
		size_t pair = functions + 8 * i, data = 8 * (count + 1) + DATA * i;

		put(pair, i * FUNCTION, 4);
		put(pair + 4, data, 4);
		put(functions + data, i * FUNCTION, 4);
		put(functions + data + 16, length ? 1 : 0, 4);
		put(functions + data + 40, (uint64_t)outermost << 8, 4);
	}
}

static void compile(unsigned machine)
{
	e.machine = machine;
	image_code(&e, ".text", CODE, CODE_SIZE);
	image_section(&e, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, table, size);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0, "%s", ctx.error);
	cr_assert_eq(unwind_compile(&o, NULL, &t), 0);
}

static void expect_sp(uint64_t address, int32_t cfa)
{
	const struct unwind_rule *rule = unwind_find(&t, address);

	cr_expect_eq(rule->cfa_kind, UNWIND_SP, "%#lx", (unsigned long)address);
	cr_expect_eq(rule->cfa, cfa, "%#lx: %d", (unsigned long)address, rule->cfa);
}

/* +0 for 4 bytes, +24 for 0x30, -24 for what is left of 0x40. */
static const uint8_t usual[] = { 2, 4, 48, 0x30, 47, 0x0c, 0 };

Test(go_frames, the_stack_pointer_is_where_the_steps_say)
{
	uint64_t start;

	put_functions(2, usual, sizeof(usual));
	compile(EM_X86_64);
	for (uint64_t f = CODE; f < CODE + 2 * FUNCTION; f += FUNCTION) {
		expect_sp(f, 8);
		expect_sp(f + 3, 8);
		expect_sp(f + 4, 32);
		expect_sp(f + 0x33, 32);
		expect_sp(f + 0x34, 8);
		cr_expect(unwind_function(&t, f + 0x10, &start) && start == f);
	}
	cr_expect_eq(unwind_find(&t, CODE + 4)->ra, -8);
	cr_expect_not(unwind_find(&t, CODE + 4)->flags & UNWIND_FP_SAVED);
	cr_expect_eq(unwind_find(&t, CODE + 2 * FUNCTION)->cfa_kind, UNWIND_NONE);
	cr_expect_eq(t.refused, 0);
}

Test(go_frames, a_link_is_saved_at_the_bottom_of_the_frame)
{
	const uint8_t steps[] = { 2, 4, 64, 0x30, 63, 0x0c, 0 };

	put_functions(1, steps, sizeof(steps));
	compile(EM_AARCH64);
	expect_sp(CODE, 0);
	cr_expect(unwind_find(&t, CODE)->flags & UNWIND_RA_SAME);
	expect_sp(CODE + 4, 32);
	cr_expect_not(unwind_find(&t, CODE + 4)->flags & UNWIND_RA_SAME);
	cr_expect_eq(unwind_find(&t, CODE + 4)->ra, -32);
	cr_expect(unwind_find(&t, CODE + 0x34)->flags & UNWIND_RA_SAME);
}

Test(go_frames, functions_without_steps_have_no_rows)
{
	put_functions(2, usual, 0);
	compile(EM_X86_64);
	cr_expect_eq(t.row_count, 0);
}

static void expect_known_until(const uint8_t *steps, size_t length, uint64_t until)
{
	put_functions(1, steps, length);
	compile(EM_X86_64);
	expect_sp(CODE, 8);
	expect_sp(until - 1, 8);
	cr_expect_eq(unwind_find(&t, until)->cfa_kind, UNWIND_NONE);
}

Test(go_frames, of_what_is_behind_a_step_below_the_first_nothing_is_known)
{
	const uint8_t steps[] = { 2, 4, 15, 4, 48, 0x10, 0 };

	expect_known_until(steps, sizeof(steps), CODE + 4);
}

Test(go_frames, of_what_is_behind_a_number_without_an_end_nothing_is_known)
{
	/* It goes on to the end of the table. */
	uint8_t steps[sizeof(table) / 4];

	memset(steps, 0xff, sizeof(steps));
	steps[0] = 2;
	steps[1] = 4;
	expect_known_until(steps, sizeof(steps), CODE + 4);
}

Test(go_frames, behind_the_last_step_all_is_as_it_left_it)
{
	const uint8_t steps[] = { 2, 4, 48, 4, 0 };

	put_functions(2, steps, sizeof(steps));
	compile(EM_X86_64);
	expect_sp(CODE + 4, 32);
	expect_sp(CODE + FUNCTION - 1, 32);
	expect_sp(CODE + FUNCTION, 8);
}

Test(go_frames, nobody_has_called_an_outermost_function_of_a_machine_with_a_link)
{
	const uint8_t steps[] = { 2, 4, 64, 0x30, 63, 0x0c, 0 };

	outermost = true;
	put_functions(1, steps, sizeof(steps));
	compile(EM_AARCH64);
	cr_expect_eq(unwind_find(&t, CODE)->cfa_kind, UNWIND_END);
	cr_expect_eq(unwind_find(&t, CODE + 4)->cfa_kind, UNWIND_END);
}

Test(go_frames, what_many_functions_share_takes_no_more_than_the_table_has)
{
	enum { LEAST = 1 << 16 /* bytes that there may be in any case */ };
	uint8_t steps[2000];
	struct cfi_section section;

	/* 64 functions, each of which has 1,000 rows of three bytes. */
	for (size_t i = 0; i + 4 <= sizeof(steps); i += 4)
		memcpy(steps + i, (const uint8_t[]){ 80, 0, 79, 0 }, 4);
	memcpy(steps, (const uint8_t[]){ 2, 1, 80, 0 }, 4);
	put_functions(CODE_SIZE / FUNCTION, steps, sizeof(steps));
	cr_assert_lt(2 * size, LEAST);
	e.machine = EM_X86_64;
	image_code(&e, ".text", CODE, CODE_SIZE);
	image_section(&e, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, table, size);
	image_write(&e);
	cr_assert_eq(object_open(&ctx, e.path, &o), 0, "%s", ctx.error);
	cr_assert_eq(cfi_section_go(&o, machine_by_elf(EM_X86_64), &section), 0);
	cr_expect_gt(section.size, LEAST / 2);
	cr_expect_leq(section.size, LEAST);
	cfi_section_release(&section);
}

Test(go_frames, a_program_with_debug_frame_has_that)
{
	const uint8_t none[64] = { 0 };

	put_functions(1, usual, sizeof(usual));
	image_section(&e, ".debug_frame", SHT_PROGBITS, 0, none, sizeof(none));
	compile(EM_X86_64);
	cr_expect_eq(t.row_count, 0);
}
