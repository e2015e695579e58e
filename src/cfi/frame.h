#ifndef CFI_FRAME_H
#define CFI_FRAME_H

#include "elf/elf.h"

/*
 * One step of unwinding with all registers: for the few rows that struct unwind_rule
 * cannot say. It runs a function's instructions from their beginning each time, which
 * costs 0.1 to 2 us.
 *
 * The same reader as that of the table serves it, not libdw's dwarf_cfi_addrframe():
 * that trusts .eh_frame_hdr, takes gigabytes of memory where an instruction names a high
 * register, reads whole files whose sections are stripped, and takes rbx for a register
 * that calls do not keep.
 */
struct registers {
	uint64_t value[REGISTERS_MOST]; /* by DWARF number */
	uint64_t known; /* bit i: value[i] is */
	uint64_t pc;
};

/* Reads @size (1 to 8) bytes of the process's memory, as a little-endian number; false
 * where they were not recorded. */
typedef bool frame_read(void *arg, uint64_t address, unsigned size, uint64_t *ret);

/*
 * The memory of a process, the machine it is of, and how much work steps through it may do: a
 * byte of a function's instructions and a step of an expression count one each. A function may
 * have a megabyte of them, and a stack thousands of its frames: where nothing is left no more rows
 * are found.
 */
struct frame_memory {
	const struct machine *machine; /* nothing is found in an object of another one */
	frame_read *read;
	void *arg;
	uint64_t *left; /* NULL: any amount */
};

/* Call frame information of one object. Nothing changes in it after it was opened: any
 * number of threads may step. */
struct frame_info;

/* @o and @debug (may be NULL) are not needed after it. 0, also where there is no call
 * frame information; -ENOMEM. */
int frame_info_open(const struct object *o, const struct object *debug,
		    struct frame_info **ret);
void frame_info_close(struct frame_info *f); /* NULL is fine */

/* Bytes below sp in which an epilogue leaves what it has popped: 16 registers. */
enum { POPPED_MOST = 128 };

enum frame_found {
	FRAME_NOTHING, /* no row there, or one that is broken */
	FRAME_END, /* the outermost frame */
	FRAME_UNREADABLE, /* what CFA or return address need was not recorded */
	FRAME_CALLER_FOUND,
};

/*
 * @at: an address of the object (that of the call for a return address). @regs: those of the
 * frame, and where the caller is found its own: what the row does not mention is
 * unchanged, so is what was saved right below the stack pointer and cannot be read, for
 * an epilogue has popped it, and another register that cannot be read becomes unknown.
 * @signal: the frame was made by a signal. On aarch64 return addresses come out as they
 * were saved, with their signature. Without memory for a nested row, and where it would be
 * too much work: FRAME_NOTHING.
 */
enum frame_found frame_step(const struct frame_info *f, uint64_t at,
			    const struct frame_memory *memory, struct registers *regs,
			    bool *signal);

#endif
