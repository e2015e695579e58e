#ifndef TESTS_LIBDW_FRAME_H
#define TESTS_LIBDW_FRAME_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "cfi/frame.h"

/*
 * What libdw says of a row, as values: registers are some numbers, and memory holds at
 * each address a number made of it. So rows are compared by what they mean, however each
 * side writes it.
 */
struct libdw_row {
	uint64_t cfa;
	bool cfa_known, end, signal;
	/* By register: known, or unchanged, or neither: not kept. */
	uint64_t value[REGISTERS_MOST];
	uint64_t known, unchanged;
};

/* Any values, the same in each run. */
void invented_registers(const struct machine *m, uint64_t pc, struct registers *ret);
uint64_t invented_memory(uint64_t address);
bool read_invented(void *arg, uint64_t address, unsigned size, uint64_t *ret);

/* False where libdw has no row for @address. */
bool libdw_row(Dwarf_CFI *cfi, const struct machine *m, uint64_t address,
	       const struct registers *regs, struct libdw_row *ret);

/*
 * True where all that libdw says of CFA, return address and frame pointer at @address is
 * of the forms struct unwind_rule has: register + offset or what lies there, and saved or
 * unchanged. Of the linkers' PLT form it knows nothing.
 */
bool libdw_row_is_simple(Dwarf_CFI *cfi, const struct machine *m, uint64_t address);

#endif
