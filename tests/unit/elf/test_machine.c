#include "elf/machine.h"

#include <criterion/criterion.h>
#include <elf.h>

Test(machine, machines_have_names_and_widths)
{
	cr_expect_eq(machine_by_name("x86_64", 2), machine_by_elf(EM_X86_64));
	cr_expect_eq(machine_by_name("x86_64", 1), machine_by_elf(EM_386));
	cr_expect_eq(machine_by_name("i386", 1), machine_by_elf(EM_386));
	cr_expect_eq(machine_by_name("i686", 1), machine_by_elf(EM_386));
	cr_expect_eq(machine_by_name("aarch64", 2), machine_by_elf(EM_AARCH64));
	cr_expect_eq(machine_by_name("arm64", 2), machine_by_elf(EM_AARCH64));
	cr_expect_null(machine_by_name("x86_64", 0));
	cr_expect_null(machine_by_name("aarch64", 1));
	cr_expect_null(machine_by_name("i786", 1));
	cr_expect_null(machine_by_name("i86", 1));
	cr_expect_null(machine_by_name("i", 1));
	cr_expect_null(machine_by_name("", 2));
	cr_expect_null(machine_by_name("riscv64", 2));
	cr_expect_null(machine_by_elf(EM_RISCV));
}

/* Where the recorder's number is not that of the psABI. */
static void expect_order(unsigned elf, const uint8_t *order, unsigned count)
{
	const struct machine *m = machine_by_elf(elf);
	bool seen[REGISTERS_MOST] = { false };

	for (unsigned i = 0; i < 64; i++) {
		uint8_t expected = i < count ? order[i] : REGISTER_NONE;

		cr_expect_eq(m->of_recorded[i], expected, "%s: %u is %u, not %u", m->name,
			     i, m->of_recorded[i], expected);
		if (expected == REGISTER_NONE)
			continue;
		cr_assert_lt(expected, m->registers);
		cr_expect_not(seen[expected]);
		seen[expected] = true;
	}
	for (unsigned i = 0; i < m->registers; i++)
		cr_expect(seen[i], "%s: nothing is register %u", m->name, i);
	cr_expect_eq(m->of_recorded[m->pc_recorded], m->pc);
}

enum { NONE = REGISTER_NONE };

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 to r15 */
Test(machine, registers_of_x86_64_are_told_apart)
{
	static const uint8_t order[] = { 0,  3,	   2,	 1,    4,    5,	   6,	 7,
					 16, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
					 8,  9,	   10,	 11,   12,   13,   14,	 15 };

	expect_order(EM_X86_64, order, sizeof(order));
}

Test(machine, registers_of_i386_are_told_apart)
{
	static const uint8_t order[] = { 0, 3, 1, 2, 6, 7, 5, 4, 8 };

	expect_order(EM_386, order, sizeof(order));
}

Test(machine, registers_of_aarch64_have_the_same_numbers)
{
	uint8_t order[33];

	for (uint8_t i = 0; i < 33; i++)
		order[i] = i;
	expect_order(EM_AARCH64, order, sizeof(order));
}
