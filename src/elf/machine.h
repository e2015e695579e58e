#ifndef ELF_MACHINE_H
#define ELF_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/machine_code.h"

/*
 * What unwinding has to know of a machine. Registers go by their DWARF numbers (the
 * psABI of each); the recorder has an order of its own, enum perf_event_x86_regs and
 * perf_event_arm_regs of the kernel's uapi.
 */
enum { REGISTERS_MOST = 33 };

struct machine {
	const char *name; /* as uname -m says it */
	uint16_t elf; /* EM_* */
	uint8_t word; /* bytes of an address */
	uint8_t registers; /* DWARF numbers below this are kept */
	uint8_t sp, fp;
	uint8_t ra; /* the column of the return address */
	uint8_t pc; /* what expressions call the program counter */
	bool link; /* a call leaves the return address in register ra, not on the stack */
	uint8_t pc_recorded; /* the recorder's number of the program counter */
	const struct machine_code *code;
	/* The DWARF number of the recorder's register i, or REGISTER_NONE. */
	uint8_t of_recorded[64];
};

#define REGISTER_NONE 255u

/* NULL for one that cannot be unwound here. */
const struct machine *machine_by_elf(unsigned elf);

/* @arch as uname -m says it, @abi as PERF_SAMPLE_REGS_ABI_* (1: 32 bits, 2: 64): a
 * 32-bit task of an x86-64 machine is one of i386. */
const struct machine *machine_by_name(const char *arch, unsigned abi);

#endif
